//! Variable-order, variable-step backward differentiation formulas for $F(t, y, y') = 0$.
//!
//! In: a formulation, consistent start values, an end time, options. Out: accepted steps of order 1 to 5 with dense
//! output.
//!
//! The method of DASSL and IDA: modified divided differences and a fixed leading coefficient (`history`), modified
//! Newton (`newton`), order and step size by the differences of neighbouring orders (`control`). It differs from those
//! codes where it makes use of the known structure. Without being told, the error test is lenient towards algebraic
//! unknowns of index 1 and leaves out those of higher index, and Newton's convergence test weights an unknown of index
//! $k$ by $h^{k-1}$. Algebraic unknowns in disguise are filtered out of the error (`filter`). Accepted steps are
//! projected onto the constraints (`projection`); this correction enters $e$, so that the history consists of
//! consistent values. The first values come from Radau IIA (`starter`), except where only low orders are allowed:
//! below 5 with step-size control, or 1 at a fixed step size.

mod control;
mod filter;
mod history;
mod newton;
mod starter;

use crate::integrator::clock::{Clock, Landing};
use crate::integrator::error_weights::Weights;
use crate::integrator::held::Held;
use crate::integrator::stepper::{DenseAccuracy, Failure, MAX_ORDER, Options, StepControl, Stepper};
use crate::integrator::{Integrator, Rejection, Run, RunStart, Scheme, StepError};
use crate::linalg::iteration_matrix::Deficiency;
use crate::methods::radau;
use control::Control;
use filter::Filter;
use history::{Formula, History};
use newton::{Iterate, Newton, Predictor};
use starter::Starter;

/// After a failed iteration the step is shortened by this factor.
const AFTER_TROUBLE: f64 = 0.25;

/// Begins an integration.
pub(crate) fn start<'d>(
    dae: impl Into<Held<'d>>,
    start: RunStart<'_>,
    options: &Options,
) -> Result<Box<dyn Stepper + 'd>, Failure> {
    let max_order = options.max_order.unwrap_or(MAX_ORDER);
    if max_order > MAX_ORDER {
        let message = format!("BDF has the orders 1 to {MAX_ORDER}; a highest order of {max_order} is none of them");
        return Err(Failure::InvalidOption { message });
    }
    let RunStart { t0, y0, yp0, .. } = start;
    let dae = dae.into();
    let (mut run, radau) =
        radau::begin(dae.clone(), start, options, radau::StageRange::THREE, radau::Accuracy::OfPolynomials)?;
    let description = dae.description();
    let n = description.unknowns.len();
    let mut weights = Weights::new(description, vec![options.rtol; n], options.atol.of(&description.unknowns));
    weights.relax_multipliers(&*dae, t0, y0, yp0);
    let max_iterations = match options.control {
        StepControl::Adaptive => newton::MAX_ITERATIONS,
        StepControl::Fixed(_) => newton::MAX_ITERATIONS_AT_FIXED_STEP,
    };
    let mut bdf = Bdf {
        prediction: Prediction { formula: Formula::default(), y: vec![0.0; n], yp: vec![0.0; n] },
        e: vec![0.0; n],
        history: History::new(n),
        newton: Newton::new(description, start.plan, max_iterations),
        control: Control::new(description, Filter::new(&*dae, t0, y0, yp0), max_order),
        order: max_order,
        starter: None,
    };
    let begins_with_euler = match options.control {
        StepControl::Adaptive => max_order < MAX_ORDER,
        StepControl::Fixed(_) => max_order == 1,
    };
    if !begins_with_euler {
        bdf.starter = Some(Starter::new(radau, weights, options.control, y0, max_order));
    } else {
        // Without a starter, the first formula is the implicit Euler method, predicted along the tangent.
        run.weights = weights;
        let h = run.clock.direction() * run.h;
        let before = y0.iter().zip(yp0).map(|(y, slope)| y - h * slope).collect();
        bdf.history.fill(&[before, y0.to_vec()], h, 1);
        bdf.order = 1;
    }
    Ok(Box::new(Integrator::new(run, bdf)))
}

/// The BDF scheme.
struct Bdf {
    prediction: Prediction,
    e: Vec<f64>,
    history: History,
    newton: Newton,
    control: Control,
    /// Order of the next step.
    order: usize,
    /// Makes the first steps of a run; `None` if a formula makes them, or once a step of a formula has been accepted.
    starter: Option<Starter>,
}

/// Prediction for the attempt under way.
struct Prediction {
    formula: Formula,
    y: Vec<f64>,
    yp: Vec<f64>,
}

impl Prediction {
    /// Predicts the end of a step of length `h` and order `order`.
    fn make(&mut self, history: &History, order: usize, h: f64) {
        self.formula = history.formula(order, h);
        history.predict(&self.formula, &mut self.y, &mut self.yp);
    }

    /// The predictor of the step from time `t` and state `last`, for Newton's iteration.
    fn predictor<'a>(&'a self, t: f64, last: &'a [f64]) -> Predictor<'a> {
        let Formula { leading, h, .. } = self.formula;
        Predictor { t: t + h, last, y: &self.y, yp: &self.yp, leading, h }
    }
}

impl Bdf {
    /// The starter, while it makes the steps.
    fn starting(&self) -> Option<&Starter> {
        self.starter.as_ref().filter(|starter| !starter.is_done())
    }

    fn starting_mut(&mut self) -> Option<&mut Starter> {
        self.starter.as_mut().filter(|starter| !starter.is_done())
    }
}

impl Scheme for Bdf {
    fn solve(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), Rejection> {
        if let Some(starter) = self.starting_mut() {
            return starter.radau.solve(run, h);
        }
        self.prediction.make(&self.history, self.order, h);
        let predictor = self.prediction.predictor(run.clock.time(), &run.y);
        let mut at = Iterate { e: &mut self.e, y: &mut run.candidate, yp: &mut run.candidate_slope };
        self.newton.solve(&*run.dae, &predictor, &run.weights, &mut run.statistics, &mut at).map_err(|cause| {
            self.control.after_trouble();
            Rejection { cause, retry: AFTER_TROUBLE * h.abs() }
        })
    }

    fn predict_end(&mut self, run: &mut Run<'_>, h: f64) {
        if let Some(starter) = self.starting_mut() {
            return starter.radau.predict_end(run, h);
        }
        run.candidate.copy_from_slice(&self.prediction.y);
        run.candidate_slope.copy_from_slice(&self.prediction.yp);
    }

    fn foresees_end(&mut self, run: &mut Run<'_>, h: f64) -> bool {
        if self.starting().is_some() {
            return false;
        }
        self.prediction.make(&self.history, self.order, h);
        self.predict_end(run, h);
        true
    }

    fn note_before_surface(&mut self, run: &Run<'_>, h: f64) {
        if let Some(starter) = self.starting_mut() {
            starter.radau.note_before_surface(run, h);
        }
    }

    fn test_error(&mut self, run: &mut Run<'_>, h: f64) -> Result<f64, Rejection> {
        if let Some(starter) = self.starting_mut() {
            return starter.test_error(run, h);
        }
        let description = run.dae.description();
        let (history, formula, newton) = (&self.history, &self.prediction.formula, &self.newton);
        let estimate = self.control.estimate(description, history, formula, newton, &run.weights, &self.e);
        if estimate.test > 1.0 || estimate.test.is_nan() {
            let (order, factor) = self.control.after_rejection(&estimate, self.order);
            self.order = order;
            self.newton.suspect_jacobians();
            let cause = StepError::Error { unknown: self.worst(run) };
            return Err(Rejection { cause, retry: factor * h.abs() });
        }
        let (order, factor) =
            self.control.after_success(&estimate, description, history, formula, newton, &run.weights, &self.e);
        self.order = order;
        Ok(factor * h.abs())
    }

    fn accept(&mut self, run: &mut Run<'_>, h: f64) {
        if let Some(starter) = self.starter.as_mut().filter(|starter| !starter.is_done()) {
            if let Some(order) = starter.accept(run, h, &mut self.history) {
                self.order = order;
                let (jacobians, sides) = starter.radau.jacobians();
                self.newton.adopt(jacobians, sides);
            }
            return;
        }
        self.starter = None;
        let t = run.clock.time();
        run.projector.apply(
            &*run.dae,
            self.newton.factors().0,
            &run.weights,
            t,
            &mut run.candidate,
            &mut run.statistics,
        );
        for ((e, candidate), predicted) in self.e.iter_mut().zip(&run.candidate).zip(&self.prediction.y) {
            *e = candidate - predicted;
        }
        self.history.accept(&self.prediction.formula, &self.e, &run.candidate);
        run.y.copy_from_slice(&run.candidate);
        run.yp.copy_from_slice(&run.candidate_slope);
    }

    fn forget(&mut self, run: &Run<'_>) {
        self.newton.forget();
        self.control.filter_by(Filter::new(&*run.dae, run.clock.time(), &run.y, &run.yp));
        if let Some(starter) = &mut self.starter {
            starter.radau.forget(run);
        }
    }

    /// Cuts a step to land on the end time or a stop. Where two steps of full length would get there, two equal steps
    /// are made instead of a full one and a possibly small one, since a multistep method recovers only slowly from a
    /// small step.
    fn fit(&self, clock: &Clock, length: f64) -> (f64, Landing) {
        let (h, landing) = clock.fit(length);
        if landing == Landing::Stop || self.starting().is_some() || self.newton.has_fixed_step() {
            return (h, landing);
        }
        match clock.fit(2.0 * length) {
            (left, Landing::Stop) => (0.5 * left, Landing::Free),
            (_, Landing::Free) => (h, landing),
        }
    }

    fn patience(&self) -> usize {
        self.starting().map_or(usize::MAX, |starter| starter.radau.patience())
    }

    fn worst(&self, run: &Run<'_>) -> usize {
        match self.starting() {
            Some(starter) => starter.radau.worst(run),
            None => self.control.worst(&run.weights, &self.e),
        }
    }

    fn deficiency(&mut self, run: &mut Run<'_>, h: f64) -> Option<Deficiency> {
        if let Some(starter) = self.starting_mut() {
            return starter.radau.deficiency(run, h);
        }
        self.prediction.make(&self.history, self.order, h);
        let predictor = self.prediction.predictor(run.clock.time(), &run.y);
        self.newton.deficiency(&*run.dae, &predictor)
    }

    fn leading(&self) -> f64 {
        self.starter.as_ref().map_or(self.newton.factors().1, |starter| starter.radau.leading())
    }

    fn respond(&self, residual: &mut [f64]) {
        match &self.starter {
            Some(starter) => starter.radau.respond(residual),
            None => self.newton.factors().0.solve(residual),
        }
    }

    fn order(&self) -> usize {
        self.starter.as_ref().map_or(self.history.order(), |starter| starter.radau.order())
    }

    /// The constant of the error test covers the interpolation error. In the first steps of a run, those of Radau IIA,
    /// the polynomial is a cubic, whose error is tested too.
    fn dense_accuracy(&self) -> DenseAccuracy {
        DenseAccuracy::AsSteps
    }

    fn dense_degree(&self) -> usize {
        self.starter.as_ref().map_or(self.history.order(), |starter| starter.radau.dense_degree())
    }

    fn dense_coefficients(&mut self, run: &mut Run<'_>, coefficients: &mut [f64]) {
        match &mut self.starter {
            Some(starter) => starter.radau.dense_coefficients(run, coefficients),
            None => self.history.monomials(coefficients),
        }
    }
}
