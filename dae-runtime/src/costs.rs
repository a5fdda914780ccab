//! What the parts of an implicit step cost.
//!
//! In: a formulation and a state. Out: seconds per residual, per pair of Jacobians, per factorisation and per solve of its iteration matrix, to
//! compare formulations, and to see how they grow with the size of a model.

use std::time::Instant;

use crate::contract::Dae;
use crate::linear::{IterationMatrix, Jacobians, Schedule};
use crate::stepper::{Failure, check_start};

/// A part is repeated for so many seconds.
const BATCH: f64 = 2e-3;
/// Of so many such batches the median counts.
const BATCHES: usize = 7;

/// Wall-clock seconds of the parts of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepCosts {
    /// One evaluation of $F$.
    pub residual: f64,
    /// One evaluation of $F_y$ and $F_{y'}$.
    pub jacobians: f64,
    /// One factorisation of $h^{-1} F_{y'} + F_y$, real.
    pub factorization: f64,
    /// One solve with its factors.
    pub solve: f64,
}

impl StepCosts {
    /// Measures at a state, for steps of length `h`. The order of the elimination is chosen before, as once for a run.
    ///
    /// # Errors
    /// [`Failure::InvalidOption`] if the state does not fit the formulation or is not finite; [`Failure::SingularIterationMatrix`] if the matrix cannot be factorised.
    pub fn measure(dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64], h: f64) -> Result<StepCosts, Failure> {
        check_start(dae.description(), t, y, yp, t + h)?;
        dae.choose_coordinates(t, y, yp, true);
        let description = dae.description();
        let mut jacobians = Jacobians::new(description);
        let mut matrix = IterationMatrix::<f64>::new(&Schedule::new(dae, t, y, yp, h));
        let mut vector = vec![0.0; y.len()];
        let residual = median(|| dae.residual(t, y, yp, &mut vector));
        let evaluation = median(|| jacobians.evaluate(dae, t, y, yp));
        let mut is_regular = true;
        let factorization = median(|| {
            matrix.assemble(description, 1.0 / h, 1.0, &jacobians, h);
            is_regular = matrix.factorize().is_ok();
        });
        if !is_regular {
            matrix.assemble(description, 1.0 / h, 1.0, &jacobians, h);
            let (row, column) = matrix.deficiency().map_or((0, 0), |found| (found.row, found.column));
            let equation = description.equations.get(row).map_or("-".into(), |equation| equation.name.clone());
            let unknown = description.unknowns.get(column).map_or("-".into(), |unknown| unknown.name.clone());
            return Err(Failure::SingularIterationMatrix { t, equation, unknown });
        }
        let solve = median(|| {
            vector.fill(1.0);
            matrix.solve(&mut vector);
        });
        Ok(StepCosts { residual, jacobians: evaluation, factorization, solve })
    }
}

/// Seconds per call.
fn median(mut call: impl FnMut()) -> f64 {
    let mut batch = || {
        let clock = Instant::now();
        let mut calls = 0;
        loop {
            call();
            calls += 1;
            let seconds = clock.elapsed().as_secs_f64();
            if seconds > BATCH {
                return seconds / f64::from(calls);
            }
        }
    };
    let mut batches: Vec<f64> = (0..BATCHES).map(|_| batch()).collect();
    batches.sort_by(f64::total_cmp);
    batches[BATCHES / 2]
}
