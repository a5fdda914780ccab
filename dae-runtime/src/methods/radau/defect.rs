//! The error of a step, from the defect of its polynomial.
//!
//! In: the stages of an attempt. Out: the defect at the start of the step or between its nodes, in units of the
//! unknowns, that is, filtered by $-\bigl(\frac\gamma h F_{y'} + F_y\bigr)^{-1}$.

use super::Radau;
use super::accuracy::Accuracy;
use super::polynomial::Polynomial;
use super::stages::{Origin, combine};
use crate::integrator::{Rejection, Run, StepError};

/// A start that misses the equations by no more than this, in units of the error allowed, is moved onto them.
const NEAR: f64 = 30.0;
/// The residuals must then be smaller by this factor.
const MENDED: f64 = 1e-2;
/// Where the polynomial of a step is compared with the equations, in units of the step from its end: far from all nodes of three stages.
const BETWEEN: [f64; 2] = [-0.6, -0.15];
/// The start of a step, in units of the step from its end.
const START: f64 = -1.0;

impl Radau {
    /// Weighted norm of the error estimate, which is left in `error`; or the equation that is not finite.
    fn estimate_error(&mut self, run: &mut Run<'_>, h: f64) -> Result<f64, usize> {
        let tableau = &self.orders[self.current].tableau;
        combine(tableau.start.iter().map(|d| d / h), &self.stages.z, &mut self.slope);
        self.point.copy_from_slice(&run.y);
        let t = run.clock.time();
        let size = self.filtered_defect(run, t)?;
        if size < 1.0 || !(self.controller.is_first() || self.controller.is_repeated()) {
            return Ok(size);
        }
        self.point.iter_mut().zip(&self.error).for_each(|(point, error)| *point += error);
        self.filtered_defect(run, t)
    }

    /// The error, in units of the error allowed.
    pub(super) fn size_of_error(&mut self, run: &mut Run<'_>, h: f64) -> Result<f64, Rejection> {
        let size = self
            .estimate_error(run, h)
            .map_err(|equation| Rejection { cause: StepError::NonFinite { equation }, retry: 0.5 * h.abs() })?;
        self.add_extrapolation_error(run, h);
        Ok(size.max(run.weights.error_norm(&self.error)).max(self.error_of_states(run)))
    }

    /// Weighted norm of the part of `error` in the states, where unknowns of higher index hide some.
    fn error_of_states(&mut self, run: &mut Run<'_>) -> f64 {
        let Some(resolvent) = &mut self.resolvent else { return 0.0 };
        let (leading, matrix) = (self.leading, &self.matrices.real);
        self.point.copy_from_slice(&self.error);
        let solve = |right_hand_side: &mut [f64]| matrix.solve(right_hand_side);
        resolvent.apply(run.dae.description(), (leading, &self.jacobians.yp), solve, &mut self.point);
        run.weights.norm_over(&self.differential, &self.point)
    }

    /// `error` $= -(\frac\gamma h F_{y'} + F_y)^{-1} F(t,$ `point`, `slope`$)$.
    fn filtered_defect(&mut self, run: &mut Run<'_>, t: f64) -> Result<f64, usize> {
        run.dae.residual(t, &self.point, &self.slope, &mut self.error);
        run.statistics.residuals += 1;
        if let Some(equation) = self.error.iter().position(|x| !x.is_finite()) {
            return Err(equation);
        }
        run.statistics.solves += 1;
        self.error.iter_mut().for_each(|x| *x = -*x);
        self.matrices.real.solve(&mut self.error);
        Ok(run.weights.error_norm(&self.error))
    }

    /// Adds to `error` what the estimate at the start does not see: unknowns that algebraic equations determine are
    /// exact at the end of the step, whatever they do in between. The polynomial of the last step, with nodes $c_i$ in
    /// $[0, 1]$, is off by $x^{(s+1)} \omega(1 + r)/(s+1)!$ at the end of this one,
    /// $\omega(\theta) = \theta \prod_i (\theta - c_i)$, and that of this step by at most
    /// $x^{(s+1)} r^{s+1} \max |\omega|/(s+1)!$ within it, $r$ being the ratio of the lengths.
    fn add_extrapolation_error(&mut self, run: &mut Run<'_>, h: f64) {
        let ratio = h / self.polynomial.length();
        if self.prescribed.is_empty() {
            return;
        }
        if self.polynomial.degree() < self.stages() {
            if self.accuracy == Accuracy::OfSteps {
                self.add_error_between(run, h);
            }
            return;
        }
        let tableau = self.orders[self.last].tableau;
        let power = ratio.powi(tableau.stages() as i32 + 1);
        let share = tableau.largest_between * power / tableau.node_polynomial(1.0 + ratio);
        self.polynomial.evaluate(ratio, &mut self.point, &mut self.slope);
        for &k in &self.prescribed {
            let error = share * (run.candidate[k] - self.point[k]);
            if error.abs() > self.error[k].abs() || error.is_nan() {
                self.error[k] = error;
            }
        }
    }

    /// Adds to `error` what the estimate at the start does not see, where no polynomial has been extrapolated: the
    /// defect between the nodes of this step, beyond that at its start, which may be inconsistent after a jump. Where a
    /// solution ends at a fold, all nodes may be on another one.
    fn add_error_between(&mut self, run: &mut Run<'_>, h: f64) {
        let mut polynomial = std::mem::take(&mut self.attempt);
        self.set_polynomial(run, h, &mut polynomial);
        std::mem::swap(&mut self.error, &mut self.seen);
        self.defect_at(run, h, &polynomial, START);
        std::mem::swap(&mut self.error, &mut self.at_start);
        for s in BETWEEN {
            self.defect_at(run, h, &polynomial, s);
            for &k in &self.prescribed {
                let error = self.error[k].abs() - self.at_start[k].abs();
                if error > self.seen[k].abs() || error.is_nan() {
                    self.seen[k] = error;
                }
            }
        }
        std::mem::swap(&mut self.error, &mut self.seen);
        self.attempt = polynomial;
    }

    /// Moves the start of the attempt under way to where the equations hold with the derivative of its polynomial there, if that is near.
    pub(crate) fn mend_start(&mut self, run: &mut Run<'_>, h: f64) -> bool {
        let tableau = &self.orders[self.current].tableau;
        combine(tableau.start.iter().map(|d| d / h), &self.stages.z, &mut self.slope);
        self.point.copy_from_slice(&run.y);
        let t = run.clock.time();
        let Ok(size) = self.filtered_defect(run, t) else { return false };
        if size.is_nan() || size > NEAR {
            return false;
        }
        self.point.iter_mut().zip(&self.error).for_each(|(point, error)| *point += error);
        let is_mended = self.filtered_defect(run, t).is_ok_and(|left| left <= MENDED * size);
        if is_mended {
            run.y.copy_from_slice(&self.point);
        }
        is_mended
    }

    /// Weighted norm of the defect of the polynomial of the attempt under way between its nodes, in units of the
    /// unknowns: it contains what the estimate at the start does not see, the error of the polynomial in the
    /// constraints.
    pub(crate) fn error_between(&mut self, run: &mut Run<'_>, h: f64, polynomial: &mut Polynomial) -> f64 {
        self.set_polynomial(run, h, polynomial);
        let mut worst: f64 = 0.0;
        for s in BETWEEN {
            self.defect_at(run, h, polynomial, s);
            let size = run.weights.error_norm(&self.error);
            worst = if size > worst || size.is_nan() { size } else { worst };
        }
        worst
    }

    /// Sets `polynomial` to that of the attempt under way.
    fn set_polynomial(&self, run: &Run<'_>, h: f64, polynomial: &mut Polynomial) {
        let start = Origin { t: run.clock.time(), y: &run.y, h };
        polynomial.set_stages(self.order_in_use().tableau, &self.stages.z, start, &run.candidate);
    }

    /// Computes the defect of the polynomial at `s`, in units of the step from its end, in `error`; infinite where the
    /// equations are not finite.
    fn defect_at(&mut self, run: &mut Run<'_>, h: f64, polynomial: &Polynomial, s: f64) {
        polynomial.evaluate(s, &mut self.point, &mut self.slope);
        if self.filtered_defect(run, run.clock.time() + (1.0 + s) * h).is_err() {
            self.error.fill(f64::INFINITY);
        }
    }
}
