//! Storage and elimination of the matrices of a formulation, determined once for a run, or when a model is compiled.
//!
//! In: patterns, and Jacobians at states that are typical of a run. Out: the pattern of iteration matrices with its
//! pivots, or without them where a dense elimination takes less time.

use std::rc::Rc;

use super::sequence::{Rows, Sequence};
use super::{IterationMatrix, Jacobians, Scalar};
use crate::contract::{Dae, Description, LoopFree, Pattern};

/// A multiplication of a sparse elimination, which has to look up its operands, takes as long as this many of a dense one.
const SPARSE_COSTS: usize = 3;
/// Below this order there is little to gain, and a dense elimination needs no Jacobians at the start.
const SMALLEST_SPARSE: usize = 9;

/// A way to solve the linear systems of a formulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factorization {
    /// With pivots that were chosen when the model was compiled, by code that was emitted for them ([`LoopFree`]).
    LoopFree,
    /// With pivots that are chosen at the start.
    Sparse,
    /// With partial pivoting.
    Dense,
}

/// How matrices of a formulation are stored and eliminated.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    /// Union of the patterns of $F_y$ and $F_{y'}$, by compressed rows.
    pub(super) starts: Vec<usize>,
    pub(super) columns: Vec<usize>,
    /// Position in that pattern of every entry of $F_y$ and of $F_{y'}$.
    pub(super) of_y: Vec<usize>,
    pub(super) of_yp: Vec<usize>,
    /// Pivots, if a sparse elimination pays.
    pub(super) sequence: Option<Rc<Sequence>>,
    /// Code for these pivots.
    pub(super) code: Option<LoopFree>,
    /// Number of pairs of Jacobians it took to find them.
    pub(crate) jacobians: usize,
}

/// Start of a step of length `h`.
#[derive(Clone, Copy, Debug)]
pub struct StepStart<'a> {
    /// Time.
    pub t: f64,
    /// State.
    pub y: &'a [f64],
    /// Derivative.
    pub yp: &'a [f64],
    /// Length of the step.
    pub h: f64,
}

/// Pivots of iteration matrices that are large enough at all of these steps, and keep their sign from one to the other.
/// Steps with a matrix that is not finite, or has a row of zeros, are ignored; one with a singular matrix has no
/// pivots.
///
/// `None` if there are no such pivots, if elimination with them takes more than `most_work` multiplications, or if the
/// first matrix is not finite.
pub fn steady_sequence<const K: usize>(dae: &dyn Dae, steps: [StepStart<'_>; K], most_work: usize) -> Option<Sequence> {
    let schedule = Rc::new(Schedule::unordered(dae.description()));
    let matrices = steps.map(|step| schedule.values_at(dae, step));
    let first = matrices.first()?.as_deref()?;
    let values = matrices.each_ref().map(|values| values.as_deref().unwrap_or(first));
    Sequence::common(schedule.rows(), values, most_work).ok()
}

impl Schedule {
    /// The schedule for steps like this one: code without loops if the formulation has it, otherwise what takes the least time.
    pub(crate) fn new(dae: &dyn Dae, step: StepStart<'_>) -> Rc<Schedule> {
        if let Some(schedule) = Schedule::of(Factorization::LoopFree, dae, step) {
            return Rc::new(schedule);
        }
        let n = dae.description().unknowns.len();
        if n < SMALLEST_SPARSE {
            return Rc::new(Schedule::unordered(dae.description()));
        }
        let pays = |sequence: &Rc<Sequence>| SPARSE_COSTS * sequence.work < n.pow(3) / 3;
        let schedule = Schedule::of(Factorization::Sparse, dae, step);
        let schedule = schedule.unwrap_or_else(|| Schedule::unordered(dae.description()));
        Rc::new(Schedule { sequence: schedule.sequence.filter(pays), jacobians: 1, ..schedule })
    }

    /// The schedule for steps like this one with a given factorisation: `None` if the formulation has no such code, or there are no pivots.
    pub(crate) fn of(how: Factorization, dae: &dyn Dae, step: StepStart<'_>) -> Option<Schedule> {
        let unordered = || Schedule::unordered(dae.description());
        match how {
            Factorization::Dense => Some(unordered()),
            Factorization::LoopFree => {
                let (code, schedule) = (*dae.loop_free()?, unordered());
                let sequence = Rc::new(code.along(schedule.rows())?);
                Some(Schedule { sequence: Some(sequence), code: Some(code), ..schedule })
            }
            Factorization::Sparse => {
                let schedule = Rc::new(unordered());
                let values = schedule.values_at(dae, step)?;
                let sequence = Rc::new(Sequence::of(schedule.rows(), &values).ok()?);
                Some(Schedule { sequence: Some(sequence), jacobians: 1, ..Rc::unwrap_or_clone(schedule) })
            }
        }
    }

    /// The pattern without pivots.
    pub(super) fn unordered(description: &Description) -> Schedule {
        let (mut starts, mut columns) = (vec![0], Vec::new());
        for row in 0..description.unknowns.len() {
            let both = description.jacobian_y.row(row).chain(description.jacobian_yp.row(row));
            let mut of_row: Vec<usize> = both.map(|(column, _)| column).collect();
            of_row.sort_unstable();
            of_row.dedup();
            columns.extend(of_row);
            starts.push(columns.len());
        }
        let places = |pattern: &Pattern| -> Vec<usize> {
            let place = |(row, column, _): (usize, usize, usize)| {
                let of_row = &columns[starts[row]..starts[row + 1]];
                starts[row] + of_row.binary_search(&column).unwrap_or(0)
            };
            pattern.entries().map(place).collect()
        };
        let (of_y, of_yp) = (places(&description.jacobian_y), places(&description.jacobian_yp));
        Schedule { starts, columns, of_y, of_yp, sequence: None, code: None, jacobians: 0 }
    }

    /// The scaled matrix of the first stage of a step, if it is finite and has no row of zeros.
    fn values_at(self: &Rc<Self>, dae: &dyn Dae, StepStart { t, y, yp, h }: StepStart<'_>) -> Option<Vec<f64>> {
        let mut jacobians = Jacobians::new(dae.description());
        jacobians.evaluate(dae, t, y, yp);
        let mut matrix = IterationMatrix::unfactorized(self);
        matrix.assemble(dae.description(), 1.0 / h, 1.0, &jacobians, h);
        matrix.equilibrate().ok()?;
        Some(matrix.values)
    }

    pub(super) fn rows(&self) -> Rows<'_> {
        Rows { starts: &self.starts, columns: &self.columns }
    }

    /// Values on the pattern as a dense matrix, column by column.
    pub(super) fn scatter<S: Scalar>(&self, values: &[S], matrix: &mut [S]) {
        let n = self.order();
        matrix.fill(S::ZERO);
        for row in 0..n {
            for place in self.starts[row]..self.starts[row + 1] {
                matrix[self.columns[place] * n + row] = values[place];
            }
        }
    }

    /// Number of rows.
    pub(super) fn order(&self) -> usize {
        self.starts.len() - 1
    }
}
