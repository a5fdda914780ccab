//! The equations for the jumps of states where a mode is entered.
//!
//! In: the formulation in the new mode. Out: which rows and columns of its prolongation these equations consist of
//! ([`Jumps`]), their solution as data ([`Strengths`]), and where the values before the change come from ([`Source`]).

use std::collections::HashMap;

use crate::contract::Dae;
use crate::linalg::sparse::{Factors, SparseMatrix};

/// Systems of up to this order are solved by dense elimination.
const DENSE: usize = 40;

/// What gives a jet its value before a change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// This entry of $y$.
    Value(usize),
    /// This entry of $y'$.
    Slope(usize),
    /// This eliminated unknown.
    Eliminated(usize),
    /// An event on entry: an integer.
    Event,
}

/// The equations for the jumps: rows and columns of the last stage of a prolongation.
pub(super) struct Jumps {
    /// For each equation its row at the last stage and, if it has constraints, the row of the last of these.
    pub(super) rows: Vec<(usize, Option<usize>)>,
    /// For each unknown its jet of the last stage and, if it has states, the highest of these.
    pub(super) columns: Vec<(usize, Option<usize>)>,
}

/// The strengths of impulses, one for each column of the equations for the jumps.
pub(super) struct Strengths {
    pub(super) values: Vec<f64>,
    /// For each row the column whose impulse is zero in its place, since its state is set.
    pub(super) replaced: Vec<Option<usize>>,
}

impl Jumps {
    /// `None` where structure does not say which equations are constraints.
    pub(super) fn of(dae: &dyn Dae) -> Option<Self> {
        let description = dae.prolongation().prolongation_description();
        let last: Vec<usize> =
            (0..description.equations.len()).filter(|&i| description.equations[i].stage == 0).collect();
        let columns: Vec<usize> = (0..description.jets.len()).filter(|&j| description.jets[j].stage == 0).collect();
        if last.len() != columns.len() {
            return None;
        }
        let before: HashMap<(usize, u32), usize> = (description.equations.iter().enumerate())
            .filter(|(_, it)| it.stage == -1)
            .map(|(i, it)| ((it.equation, it.order), i))
            .collect();
        let constraint = |&i: &usize| {
            let it = &description.equations[i];
            (i, it.order.checked_sub(1).and_then(|order| before.get(&(it.equation, order)).copied()))
        };
        let state = |&j: &usize| (j, (description.jets[j].order > 0).then(|| j - 1));
        Some(Jumps { rows: last.iter().map(constraint).collect(), columns: columns.iter().map(state).collect() })
    }
}

/// Replaces $b$ by $A^{-1} b$; `None` where there are no factors.
pub(super) fn solve(matrix: &SparseMatrix, b: &mut [f64]) -> Option<()> {
    match matrix.rows() <= DENSE {
        true => matrix.to_dense().factors()?.solve(b),
        false => Factors::of(matrix).ok()?.solve(b),
    }
    Some(())
}
