//! Where an attempt at a step leaves the domain of the equations.
//!
//! In: a [`Run`] whose candidate gives a residual or a Jacobian that is not finite. Out: the unknown whose last
//! accepted value would make the equation finite; or the entry of a Jacobian.

use crate::integrator::run::Run;
use crate::linalg::iteration_matrix::Jacobians;

/// What is not finite at the end of an attempt.
pub(super) enum NonFinite {
    /// The residual of the equation, which would be finite with the last accepted value of this unknown; `None` if no
    /// single unknown is found to be the cause.
    Residual { column: Option<usize> },
    /// An entry of a Jacobian, in the row of the equation or another.
    Derivative { row: usize, column: usize },
}

impl Run<'_> {
    /// Looks for what is not finite at the candidate, at time `t`: equation `row` or, if that is finite, a derivative,
    /// there or at the last accepted state.
    pub(super) fn find_non_finite(&self, t: f64, row: usize) -> NonFinite {
        let description = self.dae.description();
        let (mut y, mut yp) = (self.candidate.clone(), self.candidate_slope.clone());
        let mut residual = vec![0.0; y.len()];
        let mut is_finite = |y: &[f64], yp: &[f64]| {
            self.dae.residual(t, y, yp, &mut residual);
            residual[row].is_finite()
        };
        if is_finite(&y, &yp) {
            let mut jacobians = Jacobians::new(description);
            let mut entry_at = |t: f64, y: &[f64], yp: &[f64]| {
                jacobians.evaluate(&*self.dae, t, y, yp);
                jacobians.non_finite(description).next()
            };
            let entry = entry_at(t, &y, &yp).or_else(|| entry_at(self.clock.time(), &self.y, &self.yp));
            let derivative = |(row, column)| NonFinite::Derivative { row, column };
            return entry.map_or(NonFinite::Residual { column: None }, derivative);
        }
        let patterns = [&description.jacobian_y, &description.jacobian_yp];
        let column =
            patterns.into_iter().flat_map(|pattern| pattern.row(row)).map(|(column, _)| column).find(|&column| {
                let (value, slope) = (y[column], yp[column]);
                (y[column], yp[column]) = (self.y[column], self.yp[column]);
                let found = is_finite(&y, &yp);
                (y[column], yp[column]) = (value, slope);
                found
            });
        NonFinite::Residual { column }
    }
}
