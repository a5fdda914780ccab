//! Jets that fulfil the derivative array, by damped steps.
//!
//! In: the array as a system of equations and jets to start from. Out: jets at which every row vanishes to rounding,
//! moved as little as possible from the start (damped Gauss–Newton with least change, as in the runtime's
//! initialisation: fixed values stay, values that are not given move first), with all rows at once or with more and
//! more differentiations; or why there are none. Rows may depend on one another.

use dae_runtime::initialize::LeastChange;

use super::error::ArrayError;
use super::point::ArrayPoint;
use super::system::{ArraySystem, Scaled, norm};

/// Sufficient decrease of the next step with the same matrix: $\lVert \bar z \rVert \le (1 - \lambda/4) \lVert z
/// \rVert$.
const NATURAL: f64 = 0.25;

impl ArraySystem<'_> {
    /// Solves all rows at once or, where that leads nowhere, in stages.
    pub(super) fn search(&self, from: &ArrayPoint) -> Result<ArrayPoint, ArrayError> {
        let [able, others @ ..] = self.array.limits.damped.able;
        let first = match self.solve(from.clone(), able) {
            Ok(point) => return Ok(point),
            Err(error) => error,
        };
        others.into_iter().rev().find_map(|able| self.solve_in_stages(from.clone(), able)).ok_or(first)
    }

    /// Solves with $0, 1, \dots, m$ differentiations in turn. Where equations can be combined so that leading parts
    /// cancel, these may do so on solutions only: in $\frac{d}{dt} (\lambda F) = \lambda \dot F + \dot \lambda F$ the
    /// last term seems to determine derivatives while $F \ne 0$. Once the rows with fewer differentiations hold, it
    /// does not.
    fn solve_in_stages(&self, mut point: ArrayPoint, able: f64) -> Option<ArrayPoint> {
        for differentiations in 0..=self.array.differentiations {
            point = self.with_differentiations(differentiations).solve(point, able).ok()?;
        }
        Some(point)
    }

    /// Gauss–Newton steps until every row holds, damped by the natural monotonicity test: a step is short enough if the
    /// next one with the same matrix is shorter, whatever units and combinations the rows are written in (Deuflhard,
    /// *Newton Methods for Nonlinear Problems*, sect. 4.4).
    fn solve(&self, mut point: ArrayPoint, able: f64) -> Result<ArrayPoint, ArrayError> {
        let limits = &self.array.limits.damped;
        let mut slow = 0;
        for _ in 0..limits.steps {
            if self.is_spent() {
                break;
            }
            let here = self.scaled(&point)?;
            if here.hold_to(limits.rounding) {
                return Ok(point);
            }
            let right: Vec<f64> = here.residual.iter().map(|r| -r).collect();
            let Ok(prepared) = LeastChange::new(&here.rows, self.columns, &self.is_free, able) else { break };
            let found = prepared.step(&right);
            let (before, length) = (norm(&here.residual), norm(&found.z));
            if length <= limits.negligible * self.size(&point) {
                return if here.hold_to(limits.consistency) {
                    Ok(point)
                } else {
                    Err(self.stuck(&here, &found.unreached))
                };
            }
            let mut left_by_full_step = f64::INFINITY;
            let moved = (0..limits.halvings).take_while(|_| !self.is_spent()).find_map(|halving| {
                let fraction = 0.5_f64.powi(halving);
                let candidate = self.moved(&point, &found.z, fraction);
                let opposite: Vec<f64> = self.residual(&candidate, &here.scale).iter().map(|r| -r).collect();
                let next = norm(&prepared.step(&opposite).z);
                if halving == 0 {
                    left_by_full_step = next;
                }
                // A comparison with NaN is false.
                (next <= (1.0 - NATURAL * fraction) * length).then_some(candidate)
            });
            let clear_of_rounding = length > limits.consistency * self.size(&point);
            let is_slow = left_by_full_step > limits.slow * length && left_by_full_step < length;
            if before < limits.near && clear_of_rounding && is_slow {
                slow += 1;
            }
            if slow >= limits.slow_steps {
                return Err(ArrayError::Multiple { row: self.worst(&here) });
            }
            match moved {
                Some(candidate) if candidate != point => point = candidate,
                _ if here.hold_to(limits.consistency) => return Ok(point),
                _ => return Err(self.stuck(&here, &found.unreached)),
            }
        }
        let here = self.scaled(&point)?;
        match here.hold_to(limits.consistency) {
            true => Ok(point),
            false => Err(self.stuck(&here, &[])),
        }
    }

    /// The error at a point where no step helps: at a stationary point nearly all of the residual is in directions that
    /// no column reaches, and that part is the contradiction.
    fn stuck(&self, here: &Scaled, unreached: &[f64]) -> ArrayError {
        let largest = |values: &[f64]| values.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        let (size, left) = (largest(&here.residual), largest(unreached));
        let limits = &self.array.limits.damped;
        if left > limits.unreached * size {
            let rows = (0..unreached.len()).filter(|&row| unreached[row].abs() > limits.share * left);
            return ArrayError::Contradiction { rows: rows.map(|row| self.name(row)).collect() };
        }
        ArrayError::NoConvergence { row: self.worst(here) }
    }

    /// The name of the row that is farthest off.
    fn worst(&self, here: &Scaled) -> String {
        let size = here.residual.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        self.name((0..here.residual.len()).find(|&row| here.residual[row].abs() >= size).unwrap_or(0))
    }
}
