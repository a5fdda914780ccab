//! Integration of the variational equations along the steps of a run.
//!
//! In: a stepper after each accepted step. Out: sensitivities at its end.
//!
//! On a step, or on parts of it where their own error asks for that, sensitivities are a collocation polynomial of Radau IIA
//! with as many stages as the run has there, three if it is made by another method. At the stages $F_{y'}$, $F_y$ and $F_p$ are those of the state, whose
//! polynomial a step by Radau IIA shares: then sensitivities are the derivatives of the computed solution, for the steps as they are. The linear
//! system of all stages is solved as in Newton's method ([`Stages`]), with matrices for the middle stage, that all quantities share.
//! Errors are estimated as those of states ([`crate::radau`]) and tested to the same tolerances, with sensitivities in units of the unknowns: by a
//! quantity $p$, $|p|\,\partial y/\partial p$.

use std::rc::Rc;

use super::passage::Left;
use super::{Quantity, QuantityKind, StartOfVariation};
use crate::contract::{Dae, Pattern};
use crate::linear::{IterationMatrix, Jacobians, Schedule};
use crate::radau::{
    Accuracy, AtStage, Limits, Matrices, Origin, Outcome, Polynomial, StagePlace, StageRange, Stages, Tableau,
    Tolerances, combine,
};
use crate::solution::evaluate;
use crate::stepper::{DenseAccuracy, Failure, Options, Statistics, Stepper};
use crate::weights::Weights;

/// Stages are solved to this part of the tolerance of those of a state.
const TIGHTER: f64 = 1e-3;
/// And no more accurately than this multiple of rounding.
const ABOVE_ROUNDING: f64 = 10.0;
const MAX_ITERATIONS: usize = 25;
/// Stages along a method that has none.
const STAGES: usize = 3;
/// The length of parts of steps, from one to the next.
const SAFETY: f64 = 0.9;
const MAX_GROWTH: f64 = 8.0;
const MAX_SHRINKAGE: f64 = 0.1;
/// And where the equations of a part cannot be solved.
const HALF: f64 = 0.5;
/// An error that is too large is estimated once more from where it leads.
const ESTIMATES: usize = 2;

/// Sensitivities under way.
pub(crate) struct Variation<'d> {
    dae: &'d dyn Dae,
    columns: Vec<Column>,
    methods: Vec<Method>,
    schedule: Rc<Schedule>,
    /// To which stages are solved, in units of the weights: the first that can be reached.
    tolerances: [f64; 2],
    t: f64,
    /// At `t`.
    here: Linearization,
    stages: Vec<Linearization>,
    /// The state at `t`, within a step as its parts lead there.
    state: Vec<f64>,
    state_ahead: Vec<f64>,
    state_weights: Weights,
    /// Whether the equations of its stages are solved anew. Unknowns of index 3 are more accurate in the polynomial of a step that was closed onto the
    /// constraints.
    solves_stages: bool,
    /// Where the equations have changed just now.
    left: Option<Left>,
    /// Length of the next part of a step, positive.
    length: f64,
    pub(crate) statistics: Statistics,
    work: Work,
}

/// The sensitivity to one quantity, times its scale.
pub(super) struct Column {
    pub(super) quantity: Quantity,
    /// Rows of $F_p$ for a parameter, and where their values are.
    by_parameter: Vec<(usize, usize)>,
    pub(super) value: Vec<f64>,
    /// At the end of the last part of a step.
    pub(super) slope: Vec<f64>,
    weights: Weights,
    polynomial: Polynomial,
    /// Stages of the part under way.
    z: Vec<Vec<f64>>,
    /// Of the eliminated unknowns that are constant.
    constants: Vec<f64>,
}

/// A number of stages.
struct Method {
    tableau: Tableau,
    matrices: Matrices,
    stages: Stages,
}

impl Method {
    /// Solves for the stages from those at hand.
    fn solve(
        &mut self,
        residual: AtStage<'_>,
        weights: &Weights,
        tolerances: [f64; 2],
        origin: Origin<'_>,
        iterations: &mut usize,
    ) -> Outcome {
        let mut outcome = Outcome::Converged;
        for tolerance in tolerances {
            let limits = Limits { tolerance, max_iterations: MAX_ITERATIONS };
            outcome = self.stages.solve(residual, &self.tableau, &self.matrices, weights, limits, origin);
            *iterations += self.stages.iterations;
            // What does not converge any more may have come as far as rounding lets it.
            if !matches!(outcome, Outcome::Diverged { .. }) {
                break;
            }
        }
        outcome
    }
}

/// $F_{y'}$, $F_y$ and $F_p$ at a point of the solution.
#[derive(Clone)]
struct Linearization {
    jacobians: Jacobians,
    by_parameters: Vec<f64>,
}

#[derive(Default)]
struct Work {
    coefficients: Vec<f64>,
    y: Vec<f64>,
    yp: Vec<f64>,
    slope: Vec<f64>,
    error: Vec<f64>,
}

/// Why a part of a step was not accepted, and what part of its length may be.
struct Refused {
    factor: f64,
    column: usize,
    unknown: usize,
}

impl Refused {
    fn unless_converged(outcome: Outcome, column: usize) -> Result<(), Refused> {
        match outcome {
            Outcome::Converged => Ok(()),
            Outcome::Diverged { factor, unknown } => Err(Refused { factor: factor.min(HALF), column, unknown }),
            Outcome::NonFinite { equation } => Err(Refused { factor: HALF, column, unknown: equation }),
        }
    }
}

impl Linearization {
    fn new(dae: &dyn Dae) -> Self {
        let description = dae.description();
        let by_parameters = vec![0.0; description.jacobian_p.len()];
        Linearization { jacobians: Jacobians::new(description), by_parameters }
    }

    fn evaluate(&mut self, dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64]) {
        self.jacobians.evaluate(dae, t, y, yp);
        dae.jacobian_p(t, y, yp, &mut self.by_parameters);
    }

    /// $F_{y'} s' + F_y s$ and, times the scale, the column of $F_p$.
    fn residual(&self, dae: &dyn Dae, column: &Derivative<'_>, s: &[f64], slope: &[f64], residual: &mut [f64]) {
        let description = dae.description();
        residual.fill(0.0);
        add_product(&description.jacobian_y, &self.jacobians.y, s, residual);
        add_product(&description.jacobian_yp, &self.jacobians.yp, slope, residual);
        for &(row, place) in column.by_parameter {
            residual[row] += column.scale * self.by_parameters[place];
        }
    }
}

/// What a column is the derivative by.
struct Derivative<'a> {
    by_parameter: &'a [(usize, usize)],
    scale: f64,
}

fn add_product(pattern: &Pattern, values: &[f64], x: &[f64], product: &mut [f64]) {
    for (row, product) in product.iter_mut().enumerate() {
        for place in pattern.row_starts[row]..pattern.row_starts[row + 1] {
            *product += values[place] * x[pattern.column_indices[place]];
        }
    }
}

impl<'d> Variation<'d> {
    /// At the start of a run.
    pub(crate) fn new(
        dae: &'d dyn Dae,
        (t0, y0, yp0): (f64, &[f64], &[f64]),
        t_end: f64,
        quantities: Vec<Quantity>,
        start: StartOfVariation,
        options: &Options,
    ) -> Self {
        let description = dae.description();
        let n = description.unknowns.len();
        let Tolerances { weights, of_stages, rounding } =
            Tolerances::new(description, StageRange::THREE, options, Accuracy::OfSteps);
        let span = t_end - t0;
        let schedule = Schedule::new(dae, t0, y0, yp0, if span == 0.0 { 1.0 } else { 1e-3 * span });
        let starts = start.values.into_iter().zip(start.slopes).zip(start.constants);
        let column = |(quantity, ((value, slope), constants)): (Quantity, ((Vec<f64>, Vec<f64>), Vec<f64>))| {
            let by_parameter = match quantity.kind {
                QuantityKind::Parameter(k) => {
                    let entries = description.jacobian_p.entries().filter(|&(_, column, _)| column == k);
                    entries.map(|(row, _, place)| (row, place)).collect()
                }
                QuantityKind::Start(_) => Vec::new(),
            };
            let mut polynomial = Polynomial::new(n, StageRange::MOST);
            polynomial.set_tangent(&value, |slopes| slopes.fill(0.0));
            let weights = weights.clone();
            let z = vec![vec![0.0; n]; StageRange::MOST];
            Column { quantity, by_parameter, value, slope, weights, polynomial, z, constants }
        };
        let mut here = Linearization::new(dae);
        here.evaluate(dae, t0, y0, yp0);
        Variation {
            dae,
            solves_stages: description.unknowns.iter().all(|unknown| unknown.index < 3),
            state: y0.to_vec(),
            state_ahead: y0.to_vec(),
            state_weights: weights.clone(),
            columns: quantities.into_iter().zip(starts).map(column).collect(),
            methods: Vec::new(),
            stages: vec![here.clone(); StageRange::MOST],
            schedule,
            tolerances: [(TIGHTER * of_stages).max(ABOVE_ROUNDING * rounding), of_stages],
            t: t0,
            here,
            left: None,
            length: f64::INFINITY,
            statistics: Statistics::default(),
            work: Work {
                y: vec![0.0; n],
                yp: vec![0.0; n],
                slope: vec![0.0; n],
                error: vec![0.0; n],
                ..Work::default()
            },
        }
    }

    pub(super) fn dae(&self) -> &'d dyn Dae {
        self.dae
    }

    pub(super) fn columns(&self) -> &[Column] {
        &self.columns
    }

    pub(super) fn columns_mut(&mut self) -> &mut [Column] {
        &mut self.columns
    }

    pub(super) fn set_left(&mut self, left: Left) {
        self.left = Some(left);
    }

    /// The run goes on from this state.
    pub(super) fn begin_at(&mut self, t: f64, y: &[f64], yp: &[f64]) {
        self.t = t;
        self.here.evaluate(self.dae, t, y, yp);
        for column in &mut self.columns {
            column.polynomial.set_tangent(&column.value, |slopes| slopes.fill(0.0));
        }
    }

    /// Derivatives by each quantity in turn of the entries of a state, eliminated ones included.
    pub(crate) fn values(&self) -> impl Iterator<Item = f64> + '_ {
        let eliminated = &self.dae.description().eliminated;
        self.columns.iter().flat_map(move |column| {
            let of_eliminated = eliminated.iter().zip(&column.constants);
            let of_eliminated = of_eliminated.map(|(it, constant)| it.stand.value(&column.value).unwrap_or(*constant));
            let scale = column.quantity.scale;
            column.value.iter().copied().chain(of_eliminated).map(move |value| value / scale)
        })
    }

    /// Goes on to a time within the last step of the stepper, which began at `before`.
    pub(crate) fn advance(&mut self, stepper: &mut dyn Stepper, before: f64, until: f64) -> Result<(), Failure> {
        let now = stepper.time();
        if (self.t - before) * (now - before) < 0.0 {
            // Times of pieces differ by rounding.
            self.t = before;
        }
        let Work { coefficients, yp, .. } = &mut self.work;
        coefficients.resize((stepper.dense_degree() + 1) * yp.len(), 0.0);
        stepper.dense_coefficients(coefficients);
        if self.t == before {
            evaluate(coefficients, -1.0, now - before, &mut self.state, yp);
            if let Some(left) = self.left.take() {
                left.enter(self.dae, &mut self.columns, yp);
                self.here.evaluate(self.dae, before, &self.state, yp);
            }
        }
        let stages = match stepper.dense_accuracy() {
            DenseAccuracy::Lower => stepper.dense_degree(),
            DenseAccuracy::AsSteps => STAGES,
        };
        while (until - self.t) * (now - before) > 0.0 {
            let rest = until - self.t;
            let parts = (rest.abs() / self.length).ceil().max(1.0);
            let h = rest / parts;
            match self.attempt(stepper, before, stages, h) {
                Ok(error) => {
                    self.t = if parts == 1.0 { until } else { self.t + h };
                    self.statistics.steps += 1;
                    self.length = h.abs() * factor(error, stages);
                }
                Err(refused) => {
                    self.statistics.error_rejections += 1;
                    self.length = h.abs() * refused.factor;
                    if self.length <= 16.0 * f64::EPSILON * self.t.abs().max(now.abs()) {
                        return Err(Failure::Sensitivity {
                            t: self.t,
                            unknown: self.dae.description().unknowns[refused.unknown].name.clone(),
                            quantity: self.columns[refused.column].quantity.name.clone(),
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// The part of the step from `self.t` on of length `h`; its error in units of what is allowed.
    fn attempt(&mut self, stepper: &mut dyn Stepper, before: f64, stages: usize, h: f64) -> Result<f64, Refused> {
        self.linearize(stepper, before, stages, h)?;
        let method = Self::method(&mut self.methods, &self.schedule, self.dae, stages);
        let mut worst: f64 = 0.0;
        for (k, column) in self.columns.iter_mut().enumerate() {
            column.weights.update(&column.value, h);
            column.polynomial.predict(h, &method.tableau.c, &mut method.stages.z);
            let (dae, at_stages) = (self.dae, &self.stages);
            let derivative = Derivative { by_parameter: &column.by_parameter, scale: column.quantity.scale };
            let mut residual = |place: StagePlace, s: &[f64], slope: &[f64], residual: &mut [f64]| {
                at_stages[place.stage].residual(dae, &derivative, s, slope, residual);
            };
            let origin = Origin { t: self.t, y: &column.value, h };
            let iterations = &mut self.statistics.solves;
            let outcome = method.solve(&mut residual, &column.weights, self.tolerances, origin, iterations);
            Refused::unless_converged(outcome, k)?;
            std::mem::swap(&mut column.z, &mut method.stages.z);
            // The defect of the polynomial at its start.
            let Work { slope, error, y, .. } = &mut self.work;
            combine(method.tableau.start.iter().map(|d| d / h), &column.z, slope);
            y.copy_from_slice(&column.value);
            let mut size = f64::INFINITY;
            for _ in 0..ESTIMATES {
                self.here.residual(dae, &derivative, y, slope, error);
                method.matrices.real.solve(error);
                self.statistics.solves += 1;
                size = column.weights.error_norm(error);
                if size < 1.0 {
                    break;
                }
                y.iter_mut().zip(&*error).for_each(|(y, error)| *y -= error);
            }
            if size.is_nan() || size >= 1.0 {
                let factor = if size.is_finite() { factor(size, stages).min(SAFETY) } else { MAX_SHRINKAGE };
                return Err(Refused { factor, column: k, unknown: column.weights.worst_error(error) });
            }
            worst = worst.max(size);
        }
        self.accept(stages, h);
        Ok(worst)
    }

    fn accept(&mut self, stages: usize, h: f64) {
        let Some(Method { tableau, .. }) = self.methods.iter().find(|method| method.tableau.stages() == stages) else {
            return;
        };
        self.state.copy_from_slice(&self.state_ahead);
        for column in &mut self.columns {
            let end: Vec<f64> = column.value.iter().zip(&column.z[stages - 1]).map(|(value, z)| value + z).collect();
            let start = Origin { t: self.t, y: &column.value, h };
            column.polynomial.set_stages(tableau, &column.z, start, &end);
            combine(tableau.inverse.row(stages - 1).iter().map(|a| a / h), &column.z, &mut column.slope);
            column.value = end;
        }
        std::mem::swap(&mut self.here, &mut self.stages[stages - 1]);
    }

    /// Factorises the matrices for the part of the step of length `h`, and linearises at its stages.
    fn linearize(&mut self, stepper: &mut dyn Stepper, before: f64, stages: usize, h: f64) -> Result<(), Refused> {
        let refused = |unknown: usize| Refused { factor: HALF, column: 0, unknown };
        let (dae, description, now) = (self.dae, self.dae.description(), stepper.time());
        let method = Self::method(&mut self.methods, &self.schedule, dae, stages);
        let Method { tableau, matrices, stages: work } = method;
        let Work { coefficients, y, yp, error, .. } = &mut self.work;
        let mut trajectory = |t: f64, y: &mut [f64], yp: &mut [f64]| {
            evaluate(coefficients, (t - now) / (now - before), now - before, y, yp);
            error.copy_from_slice(y);
            stepper.interpolate(t, y);
            if *error != *y {
                // Where the polynomial misses the solution its slope does too.
                stepper.correct(t, y, yp);
            }
        };
        let middle = &mut self.stages[stages / 2];
        trajectory(self.t + tableau.c[stages / 2] * h, y, yp);
        middle.evaluate(dae, self.t + tableau.c[stages / 2] * h, y, yp);
        self.statistics.jacobians += 1;
        if let Some(&row) = middle.jacobians.non_finite_rows(description).first() {
            return Err(refused(row));
        }
        matrices.real.assemble(description, tableau.gamma / h, 1.0, &middle.jacobians, h);
        let mut regular = matrices.real.factorize().is_ok();
        for (matrix, pair) in matrices.complex.iter_mut().zip(&tableau.pairs) {
            matrix.assemble(description, pair / h, 1.0.into(), &middle.jacobians, h);
            regular &= matrix.factorize().is_ok();
        }
        self.statistics.factorizations += 1;
        if !regular {
            return Err(refused(0));
        }
        for (c, z) in tableau.c.iter().zip(&mut work.z) {
            trajectory(self.t + c * h, y, yp);
            z.iter_mut().zip(&*y).zip(&self.state).for_each(|((z, y), start)| *z = y - start);
        }
        if self.solves_stages {
            self.state_weights.update(&self.state, h);
            let origin = Origin { t: self.t, y: &self.state, h };
            let mut residual = |StagePlace { t, .. }: StagePlace, y: &[f64], yp: &[f64], residual: &mut [f64]| {
                dae.residual(t, y, yp, residual);
            };
            let mut iterations = 0;
            let solved = method.solve(&mut residual, &self.state_weights, self.tolerances, origin, &mut iterations);
            self.statistics.solves += iterations;
            self.statistics.residuals += iterations * stages;
            Refused::unless_converged(solved, 0)?;
        }
        let Method { tableau, stages: work, .. } = method;
        for (i, stage) in self.stages[..stages].iter_mut().enumerate() {
            combine(tableau.inverse.row(i).iter().map(|a| a / h), &work.z, yp);
            y.iter_mut().zip(&self.state).zip(&work.z[i]).for_each(|((y, start), z)| *y = start + z);
            stage.evaluate(dae, self.t + tableau.c[i] * h, y, yp);
            self.statistics.jacobians += 1;
            if let Some(&row) = stage.jacobians.non_finite_rows(description).first() {
                return Err(refused(row));
            }
        }
        self.state_ahead.copy_from_slice(y);
        Ok(())
    }

    fn method<'m>(
        methods: &'m mut Vec<Method>,
        schedule: &Rc<Schedule>,
        dae: &dyn Dae,
        stages: usize,
    ) -> &'m mut Method {
        let place = methods.iter().position(|method| method.tableau.stages() == stages).unwrap_or_else(|| {
            let matrices = Matrices {
                real: IterationMatrix::new(schedule),
                complex: (0..stages / 2).map(|_| IterationMatrix::new(schedule)).collect(),
            };
            let (tableau, stages) = (Tableau::new(stages), Stages::new(dae.description(), StageRange::MOST));
            methods.push(Method { tableau, matrices, stages });
            methods.len() - 1
        });
        &mut methods[place]
    }
}

/// By which the length of parts changes after this error.
fn factor(error: f64, stages: usize) -> f64 {
    (SAFETY * error.max(1e-10).powf(-1.0 / (stages + 1) as f64)).clamp(MAX_SHRINKAGE, MAX_GROWTH)
}
