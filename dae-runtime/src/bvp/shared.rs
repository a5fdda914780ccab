//! The quantities that all intervals of a mesh share: free parameters and a free end.
//!
//! In: which parameters are free, whether the end is. Out: their columns among the shared quantities, and the derivatives
//! of the prolongation with respect to them.

use std::ops::Range;

use crate::contract::Dae;

/// Quantities that the conditions determine beside the solution: free parameters, and the end.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    /// Free parameters, by position.
    pub(super) parameters: Vec<usize>,
    /// How many of them, the last ones, keep their values: the solution is differentiated with respect to these.
    pub(super) pinned: usize,
    /// Whether the end is free; it is the last quantity then.
    pub(super) has_end: bool,
    columns: Vec<Option<usize>>,
}

impl Shared {
    pub(super) fn new(parameters: &[usize], has_end: bool, count: usize) -> Shared {
        let mut columns = vec![None; count];
        parameters.iter().enumerate().for_each(|(column, &parameter)| columns[parameter] = Some(column));
        Shared { parameters: parameters.to_vec(), pinned: 0, has_end, columns }
    }

    /// With more parameters, which keep their values.
    pub(super) fn with_pinned(&self, more: &[usize]) -> Shared {
        let parameters = [&self.parameters, more].concat();
        Shared { pinned: more.len(), ..Shared::new(&parameters, self.has_end, self.columns.len()) }
    }

    /// The columns of the quantities that keep their values.
    pub(super) fn pinned_columns(&self) -> Range<usize> {
        self.parameters.len() - self.pinned..self.parameters.len()
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.parameters.len() + usize::from(self.has_end)
    }

    /// The column of the free end.
    pub(super) fn end(&self) -> Option<usize> {
        self.has_end.then_some(self.parameters.len())
    }

    /// The column of a parameter, if it is free.
    pub(super) fn column(&self, parameter: usize) -> Option<usize> {
        self.columns[parameter]
    }

    /// Derivatives of the prolongation with respect to each of them, with the jets held; the time moves by `moves` times
    /// the change of the free end. The derivative with respect to time, of which no result depends, is a difference.
    pub(super) fn of_prolongation(&self, dae: &dyn Dae, [t, moves]: [f64; 2], jets: &[f64]) -> Vec<Vec<f64>> {
        let prolongation = dae.prolongation();
        let d = prolongation.prolongation_description();
        let mut derivatives = vec![vec![0.0; d.equations.len()]; self.count()];
        if !self.parameters.is_empty() {
            let mut values = vec![0.0; d.jacobian_p.len()];
            prolongation.prolonged_jacobian_p(t, jets, &mut values);
            for (row, parameter, place) in d.jacobian_p.entries() {
                if let Some(column) = self.column(parameter) {
                    derivatives[column][row] += values[place];
                }
            }
        }
        if let (Some(column), true) = (self.end(), moves != 0.0) {
            let step = f64::EPSILON.cbrt() * t.abs().max(1.0);
            let [mut after, mut before] = [vec![0.0; d.equations.len()], vec![0.0; d.equations.len()]];
            prolongation.prolonged_residual(t + step, jets, &mut after);
            prolongation.prolonged_residual(t - step, jets, &mut before);
            for (derivative, (after, before)) in derivatives[column].iter_mut().zip(after.iter().zip(before)) {
                *derivative = moves * (after - before) / (2.0 * step);
            }
        }
        derivatives
    }
}
