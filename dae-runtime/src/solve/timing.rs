//! What the parts of an implicit step cost.
//!
//! In: a formulation and a state. Out: seconds per residual, per pair of Jacobians, per factorisation of the iteration
//! matrix and per solve with its factors, for comparing formulations and for seeing how these times grow with the size
//! of a model.

use std::rc::Rc;

use num_complex::Complex;

use crate::contract::Dae;
use crate::integrator::stepper::{Failure, check_start};
use crate::linalg::iteration_matrix::{
    Factorization, FactorizationPlan, IterationMatrix, Jacobians, Scalar, StepStart,
};
use crate::solve::stopwatch::Stopwatch;

/// What is measured is repeated for this many seconds, which makes one batch.
const BATCH: f64 = 2e-3;
/// The median of this many batches counts.
const BATCHES: usize = 7;

/// Wall-clock seconds of the parts of a step; `NaN` where there is no clock, as on WebAssembly in a browser.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepCosts {
    /// One evaluation of $F$.
    pub residual: f64,
    /// One evaluation of $F_y$ and $F_{y'}$.
    pub jacobians: f64,
    /// One factorisation of the real matrix $h^{-1} F_{y'} + F_y$, including its assembly.
    pub factorization: f64,
    /// One solve with these factors.
    pub solve: f64,
}

impl StepCosts {
    /// Measures at a state, for steps of length `h`. The elimination order is chosen beforehand, as it is once per run.
    ///
    /// # Errors
    /// [`Failure::InvalidOption`] if the state does not fit the formulation, or a value is not finite;
    /// [`Failure::SingularIterationMatrix`] if the matrix cannot be factorised.
    pub fn measure(dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64], h: f64) -> Result<StepCosts, Failure> {
        check_start(dae.description(), t, y, yp, t + h)?;
        dae.choose_coordinates(t, y, yp, true);
        let mut jacobians = Jacobians::new(dae.description());
        let mut vector = vec![0.0; y.len()];
        let residual = median(|| dae.residual(t, y, yp, &mut vector));
        let evaluation = median(|| jacobians.evaluate(dae, t, y, yp));
        let step = StepStart { t, y, yp, h };
        let linear = LinearCosts::of_matrices::<f64>(dae, &FactorizationPlan::new(dae, step), &jacobians, step)?;
        let LinearCosts { factorization, solve } = linear;
        Ok(StepCosts { residual, jacobians: evaluation, factorization, solve })
    }
}

/// Wall-clock seconds of linear algebra.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LinearCosts {
    /// One factorisation, including the assembly of the matrix.
    pub factorization: f64,
    /// One solve with these factors.
    pub solve: f64,
}

impl LinearCosts {
    /// Measures $h^{-1} F_{y'} + F_y$ with a given factorisation, in real and then in complex arithmetic; `None` if the
    /// matrix cannot be factorised in that way: for [`Factorization::UnrolledLu`] because the formulation includes no
    /// code, or code whose pivots are unsuitable here, for [`Factorization::Sparse`] because no pivots are found.
    ///
    /// # Errors
    /// As for [`StepCosts::measure`].
    pub fn measure(
        dae: &dyn Dae,
        t: f64,
        y: &[f64],
        yp: &[f64],
        h: f64,
        how: Factorization,
    ) -> Result<Option<[LinearCosts; 2]>, Failure> {
        check_start(dae.description(), t, y, yp, t + h)?;
        dae.choose_coordinates(t, y, yp, true);
        let mut jacobians = Jacobians::new(dae.description());
        jacobians.evaluate(dae, t, y, yp);
        let step = StepStart { t, y, yp, h };
        let Some(plan) = FactorizationPlan::of(how, dae, step).map(Rc::new) else { return Ok(None) };
        if how == Factorization::UnrolledLu {
            let mut matrix = IterationMatrix::<f64>::new(&plan);
            matrix.assemble(dae.description(), 1.0 / h, 1.0, &jacobians, h);
            if matrix.factorize().is_err() || !matrix.is_unrolled() {
                return Ok(None);
            }
        }
        let real = LinearCosts::of_matrices::<f64>(dae, &plan, &jacobians, step)?;
        let complex = LinearCosts::of_matrices::<Complex<f64>>(dae, &plan, &jacobians, step)?;
        Ok(Some([real, complex]))
    }

    fn of_matrices<S: Scalar>(
        dae: &dyn Dae,
        plan: &Rc<FactorizationPlan>,
        jacobians: &Jacobians,
        StepStart { t, h, .. }: StepStart<'_>,
    ) -> Result<LinearCosts, Failure> {
        let description = dae.description();
        let (a, b) = (S::ONE.scale(1.0 / h), S::ONE);
        let mut matrix = IterationMatrix::<S>::new(plan);
        let mut is_regular = true;
        let factorization = median(|| {
            matrix.assemble(description, a, b, jacobians, h);
            is_regular = matrix.factorize().is_ok();
        });
        if !is_regular {
            let mut matrix = IterationMatrix::<f64>::new(plan);
            matrix.assemble(description, 1.0 / h, 1.0, jacobians, h);
            let (row, column) = matrix.deficiency().map_or((0, 0), |found| (found.row, found.column));
            let equation = description.equations.get(row).map_or("-".into(), |equation| equation.name.clone());
            let unknown = description.unknowns.get(column).map_or("-".into(), |unknown| unknown.name.clone());
            return Err(Failure::SingularIterationMatrix { t, equation, unknown });
        }
        let mut vector = vec![S::ONE; description.unknowns.len()];
        let solve = median(|| {
            vector.fill(S::ONE);
            matrix.solve(&mut vector);
        });
        Ok(LinearCosts { factorization, solve })
    }
}

/// Median of the seconds per call; `NaN` where there is no clock.
fn median(mut call: impl FnMut()) -> f64 {
    let mut batch = || {
        let clock = Stopwatch::start();
        let mut calls = 0;
        loop {
            call();
            calls += 1;
            let Some(seconds) = clock.seconds() else { return f64::NAN };
            if seconds > BATCH {
                return seconds / f64::from(calls);
            }
        }
    };
    let mut batches: Vec<f64> = (0..BATCHES).map(|_| batch()).collect();
    batches.sort_by(f64::total_cmp);
    batches[BATCHES / 2]
}
