//! The parts of a stage that can be solved one after the other.
//!
//! In: the pattern of the system Jacobian, and offsets. Out: for each stage $s \le 0$ its equations, its unknowns, and
//! blocks in order of solution; and which unknowns a stage does not determine.
//!
//! The coarse decomposition of the pattern (Dulmage & Mendelsohn) gives a square part, whose unknowns occur in equations
//! of no other unknowns; it falls into blocks of its own (Duff & Reid). What is left has more unknowns than equations,
//! and falls into components. Solved in this order, least change of the latter is least change of all, since the square
//! part leaves no choice.

use crate::linalg::structure::{
    Block, DulmageMendelsohn, Incidence, InvalidStructure, Matching, Part, block_triangular_form, connected_components,
    dulmage_mendelsohn,
};

use super::contract::TaylorDescription;

/// The equations and unknowns of a stage, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stage {
    /// The equations with $c_i + s \ge 0$.
    pub(super) equations: Vec<usize>,
    /// The unknowns with $d_j + s \ge 0$.
    pub(super) unknowns: Vec<usize>,
    /// Blocks in order of solution. Unknowns that occur in no equation are in none.
    pub(super) blocks: Vec<Part>,
    /// The unknowns that the equations do not determine.
    pub(super) free: Vec<usize>,
}

impl Stage {
    /// Stage $s \le 0$ of a model.
    pub(super) fn new(description: &TaylorDescription, s: i32) -> Stage {
        let has = |offset: usize| offset as i32 + s >= 0;
        let equations: Vec<usize> =
            (0..description.equations.len()).filter(|&i| has(description.equations[i].offset)).collect();
        let unknowns: Vec<usize> =
            (0..description.unknowns.len()).filter(|&j| has(description.unknowns[j].offset)).collect();
        let mut column = vec![None; description.unknowns.len()];
        unknowns.iter().enumerate().for_each(|(place, &j)| column[j] = Some(place));
        let rows = equations.iter().map(|&i| description.jacobian.row(i).filter_map(|(j, _)| column[j]));
        let (mut blocks, free) = match Incidence::from_rows(unknowns.len(), rows)
            .and_then(|pattern| decomposed(&pattern))
        {
            Ok(found) => found,
            // Columns are in range: this is never reached, and would solve everything at once.
            Err(_) => {
                let all = Part { equations: (0..equations.len()).collect(), unknowns: (0..unknowns.len()).collect() };
                (vec![all], (0..unknowns.len()).collect())
            }
        };
        for block in &mut blocks {
            block.equations.iter_mut().for_each(|row| *row = equations[*row]);
            block.unknowns.iter_mut().for_each(|column| *column = unknowns[*column]);
        }
        let free = free.into_iter().map(|column: usize| unknowns[column]).collect();
        Stage { equations, unknowns, blocks, free }
    }
}

/// Blocks in order of solution, and the columns that are not determined.
fn decomposed(pattern: &Incidence) -> Result<(Vec<Part>, Vec<usize>), InvalidStructure> {
    let DulmageMendelsohn { square, underdetermined, overdetermined } = dulmage_mendelsohn(pattern);
    let mut blocks = Vec::new();
    // An overdetermined part exists for no model with a transversal; its rows are found to be dependent.
    let mut rest = joined(&underdetermined, &overdetermined);
    let inner = restricted(pattern, &square)?;
    match Matching::maximum(&inner).transversal() {
        Some(transversal) => {
            for Block { equations, mut unknowns, .. } in block_triangular_form(&inner, &transversal) {
                unknowns.sort_unstable();
                blocks.push(renamed(&Part { equations, unknowns }, &square));
            }
        }
        None => rest = joined(&rest, &square),
    }
    let components = connected_components(&restricted(pattern, &rest)?);
    blocks.extend(components.iter().map(|component| renamed(component, &rest)));
    Ok((blocks, underdetermined.unknowns))
}

/// Both parts.
fn joined(a: &Part, b: &Part) -> Part {
    let sorted = |a: &[usize], b: &[usize]| {
        let mut all = [a, b].concat();
        all.sort_unstable();
        all
    };
    Part { equations: sorted(&a.equations, &b.equations), unknowns: sorted(&a.unknowns, &b.unknowns) }
}

/// The pattern of a part, numbered anew.
fn restricted(pattern: &Incidence, part: &Part) -> Result<Incidence, InvalidStructure> {
    let row = |&row: &usize| {
        let places = pattern.row(row).iter().filter_map(|column| part.unknowns.binary_search(column).ok());
        places.collect::<Vec<usize>>()
    };
    Incidence::from_rows(part.unknowns.len(), part.equations.iter().map(row))
}

/// A part of a part, with the numbers that rows and columns have in the latter.
fn renamed(inner: &Part, part: &Part) -> Part {
    Part {
        equations: inner.equations.iter().map(|&row| part.equations[row]).collect(),
        unknowns: inner.unknowns.iter().map(|&column| part.unknowns[column]).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Pattern;
    use crate::taylor::contract::{TaylorEquation, TaylorUnknown};

    /// The pendulum in equations of second order: x'' + λx, y'' + λy + g, x² + y² - l².
    fn pendulum() -> TaylorDescription {
        let unknown = |(name, offset): (&'static str, usize)| TaylorUnknown { name: name.into(), offset, nominal: 1.0 };
        let equation = |offset: usize| TaylorEquation { name: "".into(), offset };
        TaylorDescription {
            model: "pendulum".into(),
            unknowns: [("x", 2), ("y", 2), ("lambda", 0)].map(unknown).to_vec(),
            equations: [0, 0, 2].map(equation).to_vec(),
            parameters: Vec::new(),
            jacobian: Pattern {
                columns: 3,
                row_starts: vec![0, 2, 4, 6].into(),
                column_indices: vec![0, 2, 1, 2, 0, 1].into(),
            },
        }
    }

    #[test]
    fn offsets_that_do_not_fit_are_found() {
        assert_eq!(pendulum().check(), Ok(()));
        let mut wrong = pendulum();
        wrong.equations[1].offset = 1;
        assert!(wrong.check().is_err_and(|message| message.contains("`lambda`")));
        wrong.equations.pop();
        assert!(wrong.check().is_err_and(|message| message.contains("2 equations for 3 unknowns")));
    }

    #[test]
    fn stages_of_the_pendulum() {
        for s in [-2, -1] {
            let stage = Stage::new(&pendulum(), s);
            assert_eq!(
                (&stage.equations[..], &stage.unknowns[..], &stage.free[..]),
                (&[2][..], &[0, 1][..], &[0, 1][..])
            );
            assert_eq!(stage.blocks, [Part { equations: vec![2], unknowns: vec![0, 1] }]);
        }
        let stage = Stage::new(&pendulum(), 0);
        assert_eq!((stage.free.len(), stage.blocks.len()), (0, 1));
        assert_eq!(stage.blocks[0].unknowns, [0, 1, 2]);
    }
}
