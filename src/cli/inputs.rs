//! Values for parameters and inputs on the command line.
//!
//! In: `K=V` for a parameter, an element of an array of them or the whole array; `U=V` or `U=FILE` for an input, the
//! file holding times and values in two columns. Out: all parameters, and inputs that are as smooth as the reduction
//! needs.

use std::path::{Path, PathBuf};

use dae_runtime::signal::Input;
use dae_runtime::spline::{Spline, SplineError};
use dae_symbolic::external_functions::InputNeed;
use dae_symbolic::syntax::nearest;

use super::files::Named;
use super::{Exit, fail, files, finite};

/// Where the values of an input come from.
#[derive(Clone, Debug)]
pub(super) enum InputSource {
    /// A constant.
    Constant(f64),
    /// Times and values in a file.
    File(PathBuf),
}

/// Parses `U=V` or `U=FILE`.
pub(super) fn input(text: &str) -> Result<(String, InputSource), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE or NAME=FILE")?;
    let (name, value) = (name.trim().to_string(), value.trim());
    match value.parse::<f64>() {
        Ok(_) => Ok((name, InputSource::Constant(finite(value)?))),
        Err(_) if value.is_empty() => Err("expected a number or a file after `=`".into()),
        Err(_) => Ok((name, InputSource::File(value.into()))),
    }
}

/// The files among the sources of inputs.
pub(super) fn input_files(given: &[(String, InputSource)]) -> impl Iterator<Item = Named<'_>> {
    given.iter().filter_map(|(_, source)| match source {
        InputSource::File(path) => Some(Named { role: "--input", path }),
        InputSource::Constant(_) => None,
    })
}

/// The inputs of a run between the times `ends`.
pub(super) fn read<'a>(
    given: &'a [(String, InputSource)],
    needs: &[InputNeed],
    ends: (f64, f64),
) -> Result<Vec<(&'a str, Input)>, Exit> {
    let one = |(name, source): &'a (String, InputSource)| match source {
        InputSource::Constant(value) => Ok((name.as_str(), Input::constant(*value))),
        InputSource::File(path) => {
            let order = needs.iter().find(|need| need.input == *name).map_or(0, |need| need.order);
            let spline = spline(path, order, ends);
            spline.map(|spline| (name.as_str(), spline.into())).map_err(|why| {
                fail(Exit::Rejected, format_args!("the input `{name}` cannot be read from `{}`: {why}", path.display()))
            })
        }
    };
    given.iter().map(one).collect()
}

/// The spline of the least odd degree, at least cubic, whose derivative of the given order is continuous; an error if
/// the file gives none, or does not cover the run.
fn spline(path: &Path, order: usize, ends: (f64, f64)) -> Result<Spline, String> {
    let text = files::read(path, files::TABLE).map_err(|error| error.to_string())?;
    let rows = rows(&text)?;
    let points: Vec<(f64, f64)> = rows.iter().map(|&(_, point)| point).collect();
    let degree = 3.max((order + 1) | 1);
    let line = |point: usize| rows.get(point).map_or(0, |&(line, _)| line);
    let spline = Spline::interpolate(&points, degree).map_err(|error| match error {
        SplineError::NotAscending { point } => format!("the time in line {} is not after the one before", line(point)),
        SplineError::NotFinite { point } => format!("line {} holds something that is no finite number", line(point)),
        SplineError::TooFewPoints { given, needed } => {
            format!("it has {given} rows, and derivatives up to order {order} need {needed}")
        }
        _ => error.to_string(),
    })?;
    let (first, last) = (points[0].0, points[points.len() - 1].0);
    let (from, to) = (ends.0.min(ends.1), ends.0.max(ends.1));
    if from < first || to > last {
        return Err(format!("it covers times from {first} to {last}, and the run goes from {} to {}", ends.0, ends.1));
    }
    Ok(spline)
}

/// The number of a line of the file, and its time and value.
type Row = (usize, (f64, f64));

/// The rows of a file. A first line without numbers names the columns; `#` starts a comment.
fn rows(text: &str) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (k, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let cells: Vec<&str> =
            line.split([',', ';', '\t', ' ']).map(str::trim).filter(|cell| !cell.is_empty()).collect();
        let numbers: Result<Vec<f64>, _> = cells.iter().map(|cell| cell.parse::<f64>()).collect();
        match (numbers.as_deref(), rows.is_empty()) {
            (Ok(&[time, value]), _) => rows.push((k + 1, (time, value))),
            (Ok(numbers), _) => {
                return Err(format!("line {} has {} columns instead of two, time and value", k + 1, numbers.len()));
            }
            (Err(_), true) if cells.iter().all(|cell| cell.parse::<f64>().is_err()) => {}
            (Err(_), _) => return Err(format!("line {} holds something that is no number", k + 1)),
        }
    }
    Ok(rows)
}

/// The parameters with some values replaced; the name of an array stands for all its elements, and later values
/// override earlier ones.
pub(super) fn parameters(
    names: &[impl AsRef<str>],
    defaults: &[f64],
    replaced: &[(String, f64)],
) -> Result<Vec<f64>, Exit> {
    let mut values = defaults.to_vec();
    for (name, value) in replaced {
        let element = format!("{name}[");
        let mut found = false;
        for (known, own) in names.iter().zip(&mut values) {
            if known.as_ref() == name || known.as_ref().starts_with(&element) {
                (*own, found) = (*value, true);
            }
        }
        if !found {
            return Err(fail(Exit::Usage, format_args!("the model has no parameter `{name}`; {}", hint(names, name))));
        }
    }
    Ok(values)
}

fn hint(names: &[impl AsRef<str>], name: &str) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    // An array is listed once, however many elements it has.
    let mut arrays: Vec<&str> = names.iter().map(|name| name.split('[').next().unwrap_or(name)).collect();
    arrays.dedup();
    let array = name.split('[').next().unwrap_or(name);
    if name != array && arrays.contains(&array) {
        let of_array = |known: &&&str| known.split('[').next() == Some(array);
        let last = names.iter().rfind(of_array).copied().unwrap_or(array);
        return format!("the last one of its name is `{last}`");
    }
    match nearest(array, arrays.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if arrays.is_empty() => "it has none".into(),
        None => format!("it has {}", arrays.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_two_columns_and_may_have_names() {
        let expected = vec![(2, (0.0, 1.0)), (4, (0.5, -2e3)), (5, (1.0, 3.0))];
        assert_eq!(rows("time, value\n0,1\n\n0.5 ; -2e3 # measured\n1.0\t3\n"), Ok(expected));
        assert_eq!(rows("0 1\n1 2 3"), Err("line 2 has 3 columns instead of two, time and value".into()));
        assert_eq!(rows("0 1\n1 x"), Err("line 2 holds something that is no number".into()));
        assert_eq!(rows("0 l\n1 2"), Err("line 1 holds something that is no number".into()), "these are no names");
    }

    #[test]
    fn the_name_of_an_array_is_all_of_it() {
        let names = ["g", "c[0]", "c[1]", "cx"];
        let replaced = [("c".to_string(), 5.0), ("c[1]".to_string(), 6.0)];
        assert_eq!(parameters(&names, &[1.0, 2.0, 3.0, 4.0], &replaced), Ok(vec![1.0, 5.0, 6.0, 4.0]));
        assert_eq!(hint(&names, "c[2]"), "the last one of its name is `c[1]`");
        assert_eq!(hint(&names, "cxx"), "did you mean `cx`?");
    }
}
