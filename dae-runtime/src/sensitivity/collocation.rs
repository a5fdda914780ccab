//! Linearisation of a formulation at collocation points of parts of steps, for derivatives of its solution.
//!
//! In: a state, a part of a step, approximate states at its stages. Out: $F_{y'}$, $F_y$ and $F_p$ at the stages of
//! Radau IIA, the state at the end of the part, and factors with which the linear systems of all stages, or their
//! transposes, are solved.
//!
//! The stage equations are solved for the state as well, so that derivatives are those of a solution of the discretised
//! equations. An exception are formulations with unknowns of index 3, whose states are more accurate on the polynomial
//! of a step that was projected onto the constraints.

use std::rc::Rc;

use crate::contract::Dae;
use crate::integrator::error_weights::Weights;
use crate::integrator::stepper::{Options, Statistics};
use crate::linalg::iteration_matrix::{Deficiency, FactorizationPlan, IterationMatrix, Jacobians, StepStart};
use crate::methods::radau::{
    Accuracy, AtStage, Limits, Matrices, NOISE, Origin, Outcome, StagePlace, StageRange, Stages, Tableau, Tolerances,
    UNOBSERVED, combine,
};

/// Stages are solved to this fraction of the tolerance for the stages of a run.
const TIGHTER: f64 = 1e-3;
/// Their tolerance is no smaller than this multiple of the level of rounding errors.
const ABOVE_ROUNDING: f64 = 10.0;
const MAX_ITERATIONS: usize = 25;

/// $F_{y'}$, $F_y$ and $F_p$ at a point of the solution.
#[derive(Clone)]
pub(super) struct Linearization {
    pub(super) jacobians: Jacobians,
    pub(super) by_parameters: Vec<f64>,
}

impl Linearization {
    pub(super) fn new(dae: &dyn Dae) -> Self {
        let description = dae.description();
        let by_parameters = vec![0.0; description.jacobian_p.len()];
        Linearization { jacobians: Jacobians::new(description), by_parameters }
    }

    pub(super) fn evaluate(&mut self, dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64]) {
        self.jacobians.evaluate(dae, t, y, yp);
        dae.jacobian_p(t, y, yp, &mut self.by_parameters);
    }

    /// Writes $F_{y'} s' + F_y s$ to `product`; `slope` is $s'$.
    pub(super) fn apply(&self, dae: &dyn Dae, s: &[f64], slope: &[f64], product: &mut [f64]) {
        let description = dae.description();
        product.fill(0.0);
        description.jacobian_y.add_product(&self.jacobians.y, s, 1.0, product);
        description.jacobian_yp.add_product(&self.jacobians.yp, slope, 1.0, product);
    }
}

/// Tableau, stages and factors for one number of stages.
pub(super) struct Method {
    pub(super) tableau: &'static Tableau,
    pub(super) matrices: Matrices,
    pub(super) stages: Stages,
}

impl Method {
    fn new(dae: &dyn Dae, plan: &Rc<FactorizationPlan>, stages: usize) -> Self {
        let matrices = Matrices {
            real: IterationMatrix::new(plan),
            complex: (0..stages / 2).map(|_| IterationMatrix::new(plan)).collect(),
        };
        Method { tableau: Tableau::of(stages), matrices, stages: Stages::new(dae.description(), StageRange::MOST) }
    }

    /// Factorises the iteration matrices for a part of length `h`; returns whether all of them are regular.
    pub(super) fn factorize(&mut self, dae: &dyn Dae, jacobians: &Jacobians, h: f64) -> bool {
        let (description, Matrices { real, complex }) = (dae.description(), &mut self.matrices);
        real.assemble(description, self.tableau.gamma / h, 1.0, jacobians, h);
        let mut regular = real.factorize().is_ok();
        for (matrix, pair) in complex.iter_mut().zip(&self.tableau.pairs) {
            matrix.assemble(description, pair / h, 1.0.into(), jacobians, h);
            regular &= matrix.factorize().is_ok();
        }
        regular
    }

    /// Solves for the stages, starting from those at hand, to the first of these tolerances that can be reached.
    pub(super) fn solve(
        &mut self,
        residual: AtStage<'_>,
        weights: &Weights,
        tolerances: [f64; 2],
        origin: Origin<'_>,
        statistics: &mut Statistics,
    ) -> Outcome {
        let mut outcome = Outcome::Converged;
        for tolerance in tolerances {
            let limits =
                Limits { tolerance, max_iterations: MAX_ITERATIONS, patience: 1, unobserved: UNOBSERVED, noise: NOISE };
            outcome = self.stages.solve(residual, self.tableau, &self.matrices, weights, limits, origin);
            statistics.solves += self.stages.iterations;
            // An iteration that no longer converges may have come as far as rounding allows: the next tolerance decides.
            if !matches!(outcome, Outcome::Diverged { .. }) {
                break;
            }
        }
        outcome
    }
}

/// Why a part of a step cannot be solved, for the state or for a sensitivity.
#[derive(Clone, Copy, Debug)]
pub(super) enum Obstacle {
    /// This row of the residual or of a Jacobian is not finite.
    NonFinite(usize),
    /// The iteration does not converge, or the error of a sensitivity is too large; mostly because of this unknown.
    Divergent(usize),
    /// An iteration matrix is singular; if it is the real one, with the row and the column concerned.
    Singular(Option<Deficiency>),
}

/// Writes an approximate state and its derivative at a time.
pub(super) type About<'a> = &'a mut dyn FnMut(f64, &mut [f64], &mut [f64]);

/// A part of a step: where it begins, its signed length, and the number of stages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) t: f64,
    pub(super) h: f64,
    pub(super) stages: usize,
}

/// The state on successive parts of steps, and the linearisations at its stages.
pub(super) struct Collocation<'d> {
    pub(super) dae: &'d dyn Dae,
    methods: Vec<Method>,
    pub(super) plan: Rc<FactorizationPlan>,
    /// Tolerances of the stages in the weighted norm, of which the first that can be reached is used.
    pub(super) tolerances: [f64; 2],
    /// Error weights of the state.
    pub(super) weights: Weights,
    /// State where a part begins.
    pub(super) state: Vec<f64>,
    /// Approximate derivative where a part begins.
    pub(super) slope: Vec<f64>,
    /// State where the last part that was linearised ends, and its derivative.
    ahead: Vec<f64>,
    slope_ahead: Vec<f64>,
    /// Stages of that part, minus the state where it begins.
    z: Vec<Vec<f64>>,
    /// Linearisations at the stages of that part.
    pub(super) at_stages: Vec<Linearization>,
    pub(super) solves_stages: bool,
    pub(super) statistics: Statistics,
    work: [Vec<f64>; 2],
}

impl<'d> Collocation<'d> {
    pub(super) fn new(dae: &'d dyn Dae, (t0, y0, yp0): (f64, &[f64], &[f64]), t_end: f64, options: &Options) -> Self {
        let description = dae.description();
        let Tolerances { weights, of_stages, rounding } =
            Tolerances::new(description, StageRange::THREE, options, Accuracy::OfSteps);
        let span = t_end - t0;
        dae.choose_coordinates(t0, y0, yp0, true);
        Collocation {
            methods: Vec::new(),
            plan: FactorizationPlan::new(
                dae,
                StepStart { t: t0, y: y0, yp: yp0, h: if span == 0.0 { 1.0 } else { 1e-3 * span } },
            ),
            tolerances: [(TIGHTER * of_stages).max(ABOVE_ROUNDING * rounding), of_stages],
            weights,
            state: y0.to_vec(),
            slope: yp0.to_vec(),
            ahead: y0.to_vec(),
            slope_ahead: yp0.to_vec(),
            z: vec![vec![0.0; y0.len()]; StageRange::MOST],
            at_stages: vec![Linearization::new(dae); StageRange::MOST],
            solves_stages: description.unknowns.iter().all(|unknown| unknown.index < 3),
            statistics: Statistics::default(),
            work: [y0.to_vec(), y0.to_vec()],
            dae,
        }
    }

    /// The method with `stages` stages, the linearisations at these, and the work done so far.
    pub(super) fn method(&mut self, stages: usize) -> (&mut Method, &[Linearization], &mut Statistics) {
        let found = self.methods.iter().position(|method| method.tableau.stages() == stages);
        let place = found.unwrap_or_else(|| {
            self.methods.push(Method::new(self.dae, &self.plan, stages));
            self.methods.len() - 1
        });
        (&mut self.methods[place], &self.at_stages[..stages], &mut self.statistics)
    }

    /// Factorises the matrices for a part of a step, finds its stages, which are left in its method, and linearises at
    /// them; the error says why that fails.
    pub(super) fn linearize(&mut self, part: Part, about: About<'_>) -> Result<(), Obstacle> {
        let Part { t, h, stages } = part;
        self.method(stages);
        let Some(method) = self.methods.iter_mut().find(|method| method.tableau.stages() == stages) else {
            return Err(Obstacle::Singular(None));
        };
        let (dae, description) = (self.dae, self.dae.description());
        let [y, yp] = &mut self.work;
        let middle = &mut self.at_stages[stages / 2];
        let t_middle = t + method.tableau.c[stages / 2] * h;
        about(t_middle, y, yp);
        middle.jacobians.evaluate(dae, t_middle, y, yp);
        self.statistics.jacobians += 1;
        if let Some((row, _)) = middle.jacobians.non_finite(description).next() {
            return Err(Obstacle::NonFinite(row));
        }
        self.statistics.factorizations += 1;
        if !method.factorize(dae, &middle.jacobians, h) {
            return Err(Obstacle::Singular(method.matrices.real.deficiency()));
        }
        for (c, z) in method.tableau.c.iter().zip(&mut method.stages.z) {
            about(t + c * h, y, yp);
            z.iter_mut().zip(&*y).zip(&self.state).for_each(|((z, y), start)| *z = y - start);
        }
        if self.solves_stages {
            self.weights.update(&self.state, h);
            let mut residual = |StagePlace { t, .. }: StagePlace, y: &[f64], yp: &[f64], residual: &mut [f64]| {
                dae.residual(t, y, yp, residual);
            };
            let origin = Origin { t, y: &self.state, h };
            let before = self.statistics.solves;
            let outcome = method.solve(&mut residual, &self.weights, self.tolerances, origin, &mut self.statistics);
            self.statistics.residuals += stages * (self.statistics.solves - before);
            match outcome {
                Outcome::Converged => {}
                Outcome::Diverged { unknown, .. } => return Err(Obstacle::Divergent(unknown)),
                Outcome::NonFinite { equation } => return Err(Obstacle::NonFinite(equation)),
            }
        }
        self.z.iter_mut().zip(&method.stages.z).for_each(|(to, z)| to.copy_from_slice(z));
        for (i, at_stage) in self.at_stages[..stages].iter_mut().enumerate() {
            combine(method.tableau.inverse.row(i).map(|a| a / h), &method.stages.z, yp);
            y.iter_mut().zip(&self.state).zip(&method.stages.z[i]).for_each(|((y, start), z)| *y = start + z);
            at_stage.evaluate(dae, t + method.tableau.c[i] * h, y, yp);
            self.statistics.jacobians += 1;
            if let Some((row, _)) = at_stage.jacobians.non_finite(description).next() {
                return Err(Obstacle::NonFinite(row));
            }
        }
        self.ahead.copy_from_slice(y);
        self.slope_ahead.copy_from_slice(yp);
        Ok(())
    }

    /// States at the stages of the last part that was linearised, minus the state where it begins.
    pub(super) fn stage_values(&self) -> &[Vec<f64>] {
        &self.z
    }

    /// Moves on to the end of the part.
    pub(super) fn accept(&mut self) {
        self.state.copy_from_slice(&self.ahead);
        self.slope.copy_from_slice(&self.slope_ahead);
    }
}
