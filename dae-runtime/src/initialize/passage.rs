//! How values in a mode that is entered depend on those before.
//!
//! In: a change of mode whose consistent values and impulses have been found (`entry.rs`), and a direction in which the
//! values before it, its time and parameters change. Out: the derivatives of the consistent values in this direction.
//!
//! The equations for the jumps $\xi$ are differentiated by exact Jacobians; how they change with time is given. A constraint gives a row of the Jacobian of the
//! prolongation. An equation without constraints keeps its impulses alone, and these enter it linearly: with $\hat X$, the
//! jets $X$ plus the impulses,
//!
//! $$ \sum_j \frac{\partial f_i}{\partial x_j^{(d_j)}}\, \xi_j = f_i(\hat X) - f_i(X), $$
//!
//! so that the derivative of the left side with $\xi$ held is the difference of two rows of the Jacobian. The point that is
//! then made consistent changes as the start of a run does (`tangent.rs`).

use super::jumps::{Jumps, Source, Strengths, solve};
use super::reinitialization::{NEARLY, Restart};
use super::{Direction, InitializationError, derivatives_of_jets};
use crate::contract::{Dae, Name, Start};
use crate::linalg::sparse::SparseMatrix;

/// Second derivatives below this fraction of the largest entry of their row are rounding errors.
const NEGLIGIBLE: f64 = 1e-10;

/// What the consistent values in a mode were found from.
pub(crate) struct Passage {
    /// For each jet what gave it its value before, if anything did.
    pub(super) sources: Vec<Option<Source>>,
    /// How the jets were meant when they were made consistent: those that the change sets are fixed.
    pub(super) start: Vec<Start>,
    /// The equations for the jumps and their solution, if there were any.
    pub(super) jumped: Option<(Jumps, Strengths)>,
    /// The consistent jets.
    pub(super) jets: Vec<f64>,
}

/// A direction in which values before a change of mode, its time and parameters change.
pub(crate) struct ChangeBefore<'a> {
    /// What changes, for messages.
    pub(crate) name: &'a Name,
    /// The derivative of the value that a source gives; `None` if it is not known.
    pub(crate) value: &'a dyn Fn(Source) -> Option<f64>,
    /// The derivatives of the equations of the prolongation with these jets held fixed.
    pub(crate) equations: &'a dyn Fn(&[f64]) -> Vec<f64>,
}

impl Passage {
    /// The consistent jets plus the impulses, and the largest of these; `None` if there are none.
    pub(crate) fn with_impulses(&self) -> Option<(Vec<f64>, f64)> {
        let (jumps, strengths) = self.jumped.as_ref()?;
        let mut jets = self.jets.clone();
        jumps.columns.iter().zip(&strengths.values).for_each(|(&(jet, _), strength)| jets[jet] += strength);
        Some((jets, strengths.values.iter().fold(0.0, |largest, strength| largest.max(strength.abs()))))
    }

    fn is_set(&self, jet: usize) -> bool {
        self.start[jet] == Start::Fixed
    }

    /// The consistent jets.
    pub(crate) fn jets(&self) -> &[f64] {
        &self.jets
    }

    /// Derivatives of the consistent jets; `None` if they are not defined in this direction, or not known.
    pub(crate) fn derivatives(
        &self,
        dae: &dyn Dae,
        t: f64,
        change: &ChangeBefore<'_>,
    ) -> Result<Option<Vec<f64>>, InitializationError> {
        let Some(direction) = self.direction(dae, t, change) else { return Ok(None) };
        let restart = Restart::at(dae.prolongation(), self.jets.clone(), |jet| self.start[jet]);
        derivatives_of_jets(&restart, t, &self.jets, &[direction], NEARLY).map(|mut found| found.pop())
    }

    /// The change of the jets that are made consistent, after the jumps.
    fn direction<'a>(&self, dae: &dyn Dae, t: f64, change: &ChangeBefore<'a>) -> Option<Direction<'a>> {
        let stages = &dae.prolongation().prolongation_description().jets;
        let mut start = vec![0.0; self.jets.len()];
        for (jet, source) in self.sources.iter().enumerate() {
            let Some(source) = *source else { continue };
            match (change.value)(source) {
                Some(value) => start[jet] = value,
                None if stages[jet].stage < 0 || self.is_set(jet) => return None,
                None => {}
            }
        }
        let equations = (change.equations)(&self.jets);
        if let Some((jumps, strengths)) = &self.jumped {
            self.jump(dae, t, (jumps, strengths), (&equations, change), &mut start)?;
        }
        Some(Direction { name: change.name, start, equations })
    }

    /// Adds the derivatives of the jumps to those of the jets; `None` if the equations for them are singular, or contain
    /// products of an impulse with something that jumps.
    fn jump(
        &self,
        dae: &dyn Dae,
        t: f64,
        (jumps, strengths): (&Jumps, &Strengths),
        (equations, change): (&[f64], &ChangeBefore<'_>),
        start: &mut [f64],
    ) -> Option<()> {
        let prolongation = dae.prolongation();
        let description = prolongation.prolongation_description();
        let n = jumps.columns.len();
        let (with_impulses, _) = self.with_impulses()?;
        let mut column_of_state = vec![None; self.jets.len()];
        let mut column_of_last = vec![None; self.jets.len()];
        for (k, &(jet, state)) in jumps.columns.iter().enumerate() {
            column_of_last[jet] = Some(k);
            state.into_iter().for_each(|state| column_of_state[state] = Some(k));
        }
        let [mut here, mut there] = [vec![0.0; description.jacobian.len()], vec![0.0; description.jacobian.len()]];
        prolongation.prolonged_jacobian(t, &self.jets, &mut here);
        prolongation.prolonged_jacobian(t, &with_impulses, &mut there);
        let with = (change.equations)(&with_impulses);
        let mut entries = Vec::new();
        let mut right = vec![0.0; n];
        for (i, &(last, constraint)) in jumps.rows.iter().enumerate() {
            match (constraint, strengths.replaced[i]) {
                (Some(row), _) => {
                    right[i] = -equations[row];
                    for (jet, place) in description.jacobian.row(row) {
                        right[i] -= here[place] * start[jet];
                        entries.extend(column_of_state[jet].map(|column| (i, column, here[place])));
                    }
                }
                (None, Some(column)) => entries.push((i, column, 1.0)),
                (None, None) => {
                    right[i] = equations[last] - with[last];
                    let row = || description.jacobian.row(last);
                    let largest = row().fold(0.0_f64, |largest, (_, place)| largest.max(here[place].abs()));
                    for (jet, place) in row() {
                        let second = there[place] - here[place];
                        let second = if second.abs() <= NEGLIGIBLE * largest { 0.0 } else { second };
                        if second != 0.0 && column_of_last[jet].is_some() {
                            return None;
                        }
                        right[i] -= second * start[jet];
                        entries.extend(column_of_last[jet].map(|column| (i, column, here[place])));
                        entries.extend(column_of_state[jet].map(|column| (i, column, second)));
                    }
                }
            }
        }
        solve(&SparseMatrix::from_entries(n, n, entries), &mut right)?;
        for (&(_, state), jump) in jumps.columns.iter().zip(right) {
            if let Some(state) = state.filter(|&state| !self.is_set(state)) {
                start[state] += jump;
            }
        }
        Some(())
    }
}
