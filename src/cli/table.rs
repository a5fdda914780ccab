//! Tables of unknowns over time as comma-separated values.
//!
//! In: a file as `--csv` writes it, or names and states. Out: columns by name, or the text of such a file.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use dae_runtime::contract::{Description, Name};

use super::{Exit, fail, files};

/// Columns of numbers over time.
#[derive(Debug)]
pub(super) struct Table {
    path: PathBuf,
    pub(super) times: Vec<f64>,
    columns: Vec<(String, Vec<f64>)>,
}

impl Table {
    /// Reads a file whose first line has the names of the columns, `t` among them.
    pub(super) fn read(path: &Path) -> Result<Table, Exit> {
        let read = files::read(path, files::TABLE).map_err(|error| error.to_string());
        let (times, columns) = read.and_then(|text| parse(&text)).map_err(|why| {
            fail(Exit::Rejected, format_args!("the guess cannot be read from `{}`: {why}", path.display()))
        })?;
        Ok(Table { path: path.to_path_buf(), times, columns })
    }

    /// The columns of unknowns of a formulation; others are left out.
    pub(super) fn columns_of(&self, description: &Description) -> Result<Vec<(String, Vec<f64>)>, Exit> {
        let is_unknown = |(name, _): &&(String, Vec<f64>)| description.unknowns.iter().any(|it| it.name == *name);
        let columns: Vec<_> = self.columns.iter().filter(is_unknown).cloned().collect();
        if !columns.is_empty() {
            return Ok(columns);
        }
        let known: Vec<&str> = description.unknowns.iter().take(12).map(|it| it.name.as_ref()).collect();
        let (path, known) = (self.path.display(), known.join(", "));
        Err(fail(Exit::Rejected, format_args!("the guess in `{path}` has no column of an unknown; these are {known}")))
    }
}

/// The times and the other columns.
type Columns = (Vec<f64>, Vec<(String, Vec<f64>)>);

fn parse(text: &str) -> Result<Columns, String> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let names = lines.next().map(|(_, line)| cells(line)).ok_or("it is empty")?;
    let time = names.iter().position(|name| name == "t").ok_or("its first line names no column `t`")?;
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
    for (number, line) in lines {
        let cells = cells(line);
        if cells.len() != names.len() {
            return Err(format!("line {} does not have as many columns as the first, {}", number + 1, names.len()));
        }
        for (cell, column) in cells.iter().zip(&mut columns) {
            let value =
                cell.parse::<f64>().map_err(|_| format!("line {} holds something that is no number", number + 1))?;
            column.push(value);
        }
    }
    let times = columns[time].clone();
    let others = names.into_iter().zip(columns).enumerate().filter(|(k, _)| *k != time);
    Ok((times, others.map(|(_, column)| column).collect()))
}

/// The cells of a line; names that contain commas are quoted.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match (c, cells.last_mut()) {
            ('"', _) => is_quoted = !is_quoted,
            (',', _) if !is_quoted => cells.push(String::new()),
            (c, Some(cell)) => cell.push(c),
            (_, None) => {}
        }
    }
    cells.iter().map(|cell| cell.trim().to_string()).collect()
}

/// The names of the columns.
pub(super) fn header(names: &[Name]) -> String {
    let quoted = |name: &Name| if name.contains(',') { format!(",\"{name}\"") } else { format!(",{name}") };
    std::iter::once("t".to_string()).chain(names.iter().map(quoted)).collect()
}

/// A row of names, then one for each time. Numbers have the fewest digits that read back to the same value.
pub(super) fn text(names: &[Name], recorded: &[(f64, Vec<f64>)]) -> String {
    let mut text = header(names);
    // Writing to a `String` cannot fail.
    for (t, state) in recorded {
        let _ = write!(text, "\n{t:?}");
        for value in state {
            let _ = write!(text, ",{value:?}");
        }
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let names: Vec<Name> = vec!["x".into(), "der(x, 2)".into()];
        let text = text(&names, &[(0.0, vec![1.0 / 3.0, -1e-300]), (0.5, vec![f64::NAN, 2.0])]);
        assert_eq!(text, "t,x,\"der(x, 2)\"\n0.0,0.3333333333333333,-1e-300\n0.5,NaN,2.0\n");
        let (times, columns) = parse(&text).expect("a table");
        assert_eq!((times, columns[0].0.as_str(), columns[1].0.as_str()), (vec![0.0, 0.5], "x", "der(x, 2)"));
        assert!(columns[0].1[0] == 1.0 / 3.0 && columns[0].1[1].is_nan() && columns[1].1 == [-1e-300, 2.0]);
    }

    #[test]
    fn what_is_no_table() {
        let of = |text: &str| parse(text).expect_err("no table");
        assert_eq!(of("\n"), "it is empty");
        assert_eq!(of("x,y\n0,1\n"), "its first line names no column `t`");
        assert_eq!(of("t,x\n0,1\n\n1\n"), "line 4 does not have as many columns as the first, 2");
        assert_eq!(of("t,x\n0,1\n1,b\n"), "line 3 holds something that is no number");
    }
}
