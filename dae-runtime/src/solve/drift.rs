//! Whether constraints that a formulation implies, but does not enforce, still hold.
//!
//! In: their residuals at the ends of steps, and on both sides of a switch. Out: a [`Failure`] where a solution has
//! drifted so far from one of them that half of the requested digits are lost, or where a constraint that held before a
//! switch does not hold after it.

use crate::contract::{Dae, Description};
use crate::integrator::stepper::{Failure, Options, StepControl};

/// A residual is checked again once it has grown by this factor since the last check.
const GROWTH: f64 = 2.0;
/// Changes of residuals across a switch are taken for integration errors if changes of the unknowns by this many
/// tolerances explain them.
const LEFT: f64 = 10.0;

/// The constraints on states that a formulation does not enforce.
pub(super) struct Drift {
    /// Positions of these constraints among the invariants.
    implied: Vec<usize>,
    rtol: f64,
    /// The largest residuals that have passed a check.
    judged: Vec<f64>,
    jacobian: Vec<f64>,
}

impl Drift {
    /// Prepares the checks of a formulation; `None` if it has no such constraints, or at a fixed step size, where drift
    /// is for the caller to assess.
    pub(super) fn new(description: &Description, options: &Options) -> Option<Self> {
        let implied = implied(description);
        (!implied.is_empty() && options.control == StepControl::Adaptive).then(|| Drift {
            judged: vec![0.0; implied.len()],
            implied,
            rtol: options.rtol,
            jacobian: vec![0.0; description.invariants_jacobian.len()],
        })
    }

    /// An error if one of the residuals at a state is too large to be explained by relative changes of the unknowns of
    /// the size of the square root of the relative tolerance. Nothing is checked until a residual has grown.
    pub(super) fn check(&mut self, dae: &dyn Dae, t: f64, y: &[f64], residuals: &[f64]) -> Result<(), Failure> {
        let has_grown = |(&k, judged): (&usize, &f64)| residuals[k].abs() > GROWTH * judged;
        if !self.implied.iter().zip(&self.judged).any(has_grown) {
            return Ok(());
        }
        let description = dae.description();
        dae.invariants_jacobian(t, y, &mut self.jacobian);
        let size = |i: usize| y[i].abs().max(description.unknowns[i].nominal.abs());
        for (&k, judged) in self.implied.iter().zip(&mut self.judged) {
            let entries = description.invariants_jacobian.row(k);
            let explained: f64 =
                entries.map(|(i, place)| self.jacobian[place].abs() * self.rtol.sqrt() * size(i)).sum();
            let residual = residuals[k].abs();
            if residual > explained && explained > 0.0 {
                let (form, invariant) = (description.form.clone(), description.invariants[k].name.clone());
                return Err(Failure::ConstraintDrift { t, form, invariant, residual });
            }
            *judged = judged.max(residual);
        }
        Ok(())
    }
}

/// The residuals just before a switch.
#[derive(Clone, Debug)]
pub(super) struct Before {
    switch: usize,
    t: f64,
    residuals: Vec<f64>,
}

impl Before {
    /// Evaluates the residuals; `None` if the formulation enforces all constraints on states.
    pub(super) fn new(dae: &dyn Dae, switch: usize, (t, y): (f64, &[f64])) -> Option<Before> {
        let description = dae.description();
        (!implied(description).is_empty()).then(|| {
            let mut residuals = vec![0.0; description.invariants.len()];
            dae.invariants(t, y, &mut residuals);
            Before { switch, t, residuals }
        })
    }

    /// An error if a constraint that held before the switch no longer holds at a state just after it; `weights` are the
    /// error weights there.
    pub(super) fn compare(&self, dae: &dyn Dae, (t, y): (f64, &[f64]), weights: &[f64]) -> Result<(), Failure> {
        let description = dae.description();
        let mut residuals = vec![0.0; description.invariants.len()];
        let mut jacobian = vec![0.0; description.invariants_jacobian.len()];
        dae.invariants(t, y, &mut residuals);
        dae.invariants_jacobian(t, y, &mut jacobian);
        let is_left = |k: &usize| {
            let entries = description.invariants_jacobian.row(*k);
            let explained: f64 = entries.map(|(i, place)| jacobian[place].abs() * LEFT / weights[i]).sum();
            let change = (residuals[*k] - self.residuals[*k]).abs();
            change > explained && explained > 0.0
        };
        match implied(description).into_iter().find(is_left) {
            None => Ok(()),
            Some(k) => Err(Failure::ConstraintLeft {
                t: self.t,
                switch: description.switches[self.switch].name.clone(),
                form: description.form.clone(),
                invariant: description.invariants[k].name.clone(),
            }),
        }
    }
}

/// The invariants that no row of $F$ enforces, except those that contain unknowns of higher index, which are left to
/// the rows that determine these unknowns.
fn implied(description: &Description) -> Vec<usize> {
    let of_states = |k: usize| {
        let mut unknowns = description.invariants_jacobian.row(k).map(|(i, _)| &description.unknowns[i]);
        unknowns.all(|unknown| unknown.index == 1)
    };
    let invariants = description.invariants.iter().enumerate();
    invariants.filter(|&(k, invariant)| invariant.row.is_none() && of_states(k)).map(|(k, _)| k).collect()
}
