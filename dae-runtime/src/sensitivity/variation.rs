//! Integration of the variational equations along the steps of a run.
//!
//! In: a stepper after each accepted step. Out: sensitivities at its end.
//!
//! On a step, or on parts of it where their own error requires that, sensitivities are a collocation polynomial of
//! Radau IIA with as many stages as the run has there, three if another method makes it. At the stages $F_{y'}$, $F_y$
//! and $F_p$ are those of the state, whose polynomial a step by Radau IIA shares: then sensitivities are the
//! derivatives of the computed solution, for the given steps. The linear system of all stages is solved as in Newton's
//! method ([`crate::methods::radau`]), with matrices for the middle stage that all quantities share. Errors are
//! estimated as for states ([`crate::methods::radau`]) and tested to the same tolerances, with sensitivities in units
//! of the unknowns: $|p|\,\partial y/\partial p$ for a quantity $p$.

use super::adjoint::{Jump, Tape, Way};
use super::collocation::{Collocation, Linearization, Obstacle, Part};
use super::{Beginning, Quantity, StartDerivative};
use crate::contract::{Dae, Kind, Name};
use crate::integrator::error_weights::Weights;
use crate::integrator::hidden::Hidden;
use crate::integrator::polynomial::evaluate;
use crate::integrator::resolvent::Resolvent;
use crate::integrator::stepper::{DenseAccuracy, Failure, Options, Statistics, Stepper};
use crate::linalg::iteration_matrix::Deficiency;
use crate::methods::radau::{Origin, Outcome, Polynomial, StagePlace, StageRange, combine};

/// Number of stages where the method of the run has none.
const STAGES: usize = 3;
/// Safety factor and bounds for the ratio of the lengths of successive parts.
const SAFETY: f64 = 0.9;
const MAX_GROWTH: f64 = 8.0;
const MAX_SHRINKAGE: f64 = 0.1;
/// Factor of the length where the equations of a part cannot be solved.
const HALF: f64 = 0.5;
/// Steps that are shorter than this fraction of the time are as long as times are uncertain.
const SHORT: f64 = 1e-10;
/// Number of attempts at parts allowed for each step that a run may have.
const ATTEMPTS: usize = 10;
/// Tolerance to which the two computations across a change of the state must agree, in units of the error allowed.
const AGREEMENT: f64 = 10.0;
/// Number of estimates: an error that is too large is estimated once more from the point it leads to.
const ESTIMATES: usize = 2;

/// The integration of sensitivities.
pub(crate) struct Variation<'d> {
    collocation: Collocation<'d>,
    /// What has to be solved for hidden unknowns at recorded states.
    hidden: Option<Hidden<'d>>,
    /// Removes all but states from an error, where that is needed; and the differential unknowns.
    resolvent: Option<Resolvent>,
    differential: Vec<usize>,
    columns: Vec<Column>,
    t: f64,
    /// Linearisation at `t`.
    here: Linearization,
    /// Set where the equations have just changed.
    left: Option<Left>,
    /// For going back, if that is intended, with its quantities.
    tape: Option<(Tape, Vec<Quantity>)>,
    /// The sensitivity before a change of the state or of the equations, while there are columns for the dependence of
    /// what follows on what was before.
    jumping: Option<Vec<f64>>,
    /// Length of the next part of a step, positive.
    length: f64,
    max_steps: usize,
    work: Work,
}

/// The sensitivity to one quantity, times its scale.
pub(super) struct Column {
    pub(super) quantity: Quantity,
    by_parameters: Vec<Entry>,
    pub(super) value: Vec<f64>,
    /// At the last state that was recorded, with hidden unknowns from the linearised hidden equations. The method
    /// continues from `value`: if that were replaced without what it is coupled to, the next part would meet a
    /// constraint that does not hold.
    recorded: Vec<f64>,
    /// Derivative at the end of the last part of a step.
    pub(super) slope: Vec<f64>,
    weights: Weights,
    polynomial: Polynomial,
    /// Stages of the part under way.
    z: Vec<Vec<f64>>,
    /// Derivatives of the eliminated unknowns that are constant.
    pub(super) constants: Vec<f64>,
}

/// What an entry of $F_p$ adds to the variational equations of a column.
struct Entry {
    row: usize,
    /// Position of its value.
    place: usize,
    /// The scale of the quantity, or a multiple of it.
    factor: f64,
}

#[derive(Default)]
struct Work {
    coefficients: Vec<f64>,
    y: Vec<f64>,
    yp: Vec<f64>,
    slope: Vec<f64>,
    error: Vec<f64>,
}

/// Why a part of a step was not accepted, and the factor by which to shorten it.
struct Refused {
    factor: f64,
    column: usize,
    obstacle: Obstacle,
}

/// State of the run where equations have changed, before the first step with the new ones.
pub(crate) struct Left {
    pub(super) by_time: Vec<f64>,
    pub(super) slope: Vec<f64>,
}

impl Left {
    /// Changes sensitivities for the new derivative: states are continuous, $s^+ = s^- + (y'^- - y'^+)\,\partial t_e/\partial p$.
    fn enter(&self, dae: &dyn Dae, columns: &mut [Column], slope: &[f64]) {
        for (column, tau) in columns.iter_mut().zip(&self.by_time) {
            for (i, unknown) in dae.description().unknowns.iter().enumerate() {
                if unknown.kind == Kind::Differential {
                    column.value[i] += tau * (self.slope[i] - slope[i]);
                }
            }
        }
    }
}

/// $F_{y'} s' + F_y s$ and the terms of $F_p$ that belong to a column.
fn residual_of(
    by_parameters: &[Entry],
    at: &Linearization,
    dae: &dyn Dae,
    [s, slope]: [&[f64]; 2],
    residual: &mut [f64],
) {
    at.apply(dae, s, slope, residual);
    for &Entry { row, place, factor } in by_parameters {
        residual[row] += factor * at.by_parameters[place];
    }
}

impl Column {
    fn new(collocation: &Collocation<'_>, quantity: Quantity, derivative: StartDerivative) -> Self {
        let StartDerivative { value, slope, constants } = derivative;
        let n = value.len();
        let entry = |(row, column, place): (usize, usize, usize)| {
            let factor = quantity.factor_of(column);
            (factor != 0.0).then_some(Entry { row, place, factor })
        };
        let by_parameters = collocation.dae.description().jacobian_p.entries().filter_map(entry).collect();
        let mut polynomial = Polynomial::new(n, StageRange::MOST);
        polynomial.set_tangent(&value, |slopes| slopes.fill(0.0));
        let (weights, z) = (collocation.weights.clone(), vec![vec![0.0; n]; StageRange::MOST]);
        Column { quantity, by_parameters, recorded: value.clone(), value, slope, weights, polynomial, z, constants }
    }
}

impl<'d> Variation<'d> {
    /// Begins at the start of a run.
    pub(crate) fn new(
        dae: &'d dyn Dae,
        start: (f64, &[f64], &[f64]),
        t_end: f64,
        quantities: Vec<Quantity>,
        derivatives: Vec<StartDerivative>,
        options: &Options,
    ) -> Self {
        let description = dae.description();
        let n = description.unknowns.len();
        let collocation = Collocation::new(dae, start, t_end, options);
        let columns = quantities.into_iter().zip(derivatives);
        let columns = columns.map(|(quantity, derivative)| Column::new(&collocation, quantity, derivative)).collect();
        let (t0, y0, yp0) = start;
        let mut here = Linearization::new(dae);
        here.evaluate(dae, t0, y0, yp0);
        let [y, yp, slope, error] = [0; 4].map(|_| vec![0.0; n]);
        let work = Work { y, yp, slope, error, ..Work::default() };
        Variation {
            hidden: Hidden::of(dae, options, t_end - t0, &collocation.plan),
            resolvent: Resolvent::of(description),
            collocation,
            differential: (0..n).filter(|&k| description.unknowns[k].kind == Kind::Differential).collect(),
            columns,
            t: t0,
            here,
            left: None,
            tape: None,
            jumping: None,
            length: f64::INFINITY,
            max_steps: options.max_steps,
            work,
        }
    }

    /// Begins with a linear combination of all quantities, and keeps what is needed to go back.
    pub(crate) fn with_tape(dae: &'d dyn Dae, beginning: &Beginning, t_end: f64, options: &Options) -> Self {
        let Beginning { t0, y0, yp0, quantities, derivatives } = beginning;
        let (mixture, parts) = Quantity::mixture(dae, quantities);
        let start = (*t0, &y0[..], &yp0[..]);
        let mut variation = Variation::new(
            dae,
            start,
            t_end,
            vec![mixture],
            vec![StartDerivative::mixed(derivatives, &parts)],
            options,
        );
        variation.tape = Some((Tape::default(), quantities.clone()));
        variation
    }

    /// Begins with all quantities.
    pub(crate) fn from(dae: &'d dyn Dae, beginning: &Beginning, t_end: f64, options: &Options) -> Self {
        let Beginning { t0, y0, yp0, quantities, derivatives } = beginning;
        Variation::new(dae, (*t0, y0, yp0), t_end, quantities.clone(), derivatives.clone(), options)
    }

    /// Returns what was kept for gradients, at the end of a run; `entries` takes those of a solution from the derivatives
    /// of the entries of a state.
    pub(crate) fn into_way(mut self, entries: impl Fn(Vec<f64>) -> Vec<f64>) -> Way {
        match self.tape.take() {
            Some((tape, _)) => Way::Back(tape),
            None => Way::Forward(entries(self.values().collect())),
        }
    }

    /// Takes over the work done in another mode.
    pub(super) fn add_work(&mut self, statistics: Statistics) {
        self.collocation.statistics += statistics;
    }

    /// Prepares for a change of the state or of the equations. For going back, the dependence of what follows on every
    /// entry of the state has to be known, and on every quantity with the state held fixed.
    pub(crate) fn begin_jump(&mut self) {
        let Some((_, quantities)) = &self.tape else { return };
        let n = self.columns[0].value.len();
        self.jumping = Some(self.columns[0].value.clone());
        for i in 0..n {
            let mut entry = vec![0.0; n];
            entry[i] = 1.0;
            let derivative = StartDerivative { value: entry, slope: vec![0.0; n], constants: Vec::new() };
            self.columns.push(Column::new(&self.collocation, Quantity::of_state(), derivative));
        }
        for quantity in quantities {
            let derivative = StartDerivative { value: vec![0.0; n], slope: vec![0.0; n], constants: Vec::new() };
            self.columns.push(Column::new(&self.collocation, quantity.clone(), derivative));
        }
    }

    /// Records a change of the state or of the equations.
    pub(super) fn end_jump(&mut self) {
        let (Some((tape, quantities)), Some(before)) = (&mut self.tape, self.jumping.take()) else { return };
        let mut behind: Vec<Vec<f64>> = self.columns.drain(1..).map(|column| column.value).collect();
        let by_quantities = behind.split_off(before.len());
        let (_, parts) = Quantity::mixture(self.collocation.dae, quantities);
        // What holds for all quantities must hold for their linear combination.
        let mut missed = self.columns[0].value.clone();
        let factors = before.iter().chain(&parts);
        for (factor, column) in factors.zip(behind.iter().chain(&by_quantities)) {
            missed.iter_mut().zip(column).for_each(|(missed, value)| *missed -= factor * value);
        }
        let Column { weights, value, .. } = &mut self.columns[0];
        weights.update(value, 1.0);
        let error = weights.error_norm(&missed);
        if error.is_nan() || error > AGREEMENT {
            tape.note_event_of_slopes(self.t);
        }
        tape.note_jump(Jump { by_state: behind, by_quantities });
    }

    /// Names of the quantities; `None` if the sensitivity is only for going back.
    pub(crate) fn quantities(&self) -> Option<Vec<Name>> {
        let names = || self.columns.iter().map(|column| column.quantity.name.clone()).collect();
        self.tape.is_none().then(names)
    }

    /// Records a state.
    pub(crate) fn note_record(&mut self, t: f64, y: &[f64]) {
        if let Some((tape, _)) = &mut self.tape {
            return tape.note_record(self.collocation.slope.clone());
        }
        self.columns.iter_mut().for_each(|column| column.recorded.clone_from(&column.value));
        let Some(hidden) = &self.hidden else { return };
        if let Some(at) = hidden.consistent(t, y, &self.collocation.slope) {
            hidden.replace(&at, self.columns.iter_mut().map(|column| (&column.quantity, &mut column.recorded)));
        }
    }

    /// The failure that no part of a step is short enough.
    fn failure(&self, Refused { column, obstacle, .. }: &Refused) -> Failure {
        let (t, d) = (self.t, self.collocation.dae.description());
        match *obstacle {
            Obstacle::NonFinite(row) => Failure::NonFinite { t, equations: vec![d.equations[row].name.clone()] },
            Obstacle::Singular(Some(Deficiency { row, column })) => Failure::SingularIterationMatrix {
                t,
                equation: d.equations[row].name.clone(),
                unknown: d.unknowns[column].name.clone(),
            },
            // One of the complex matrices, at any length.
            Obstacle::Singular(None) => self.no_derivative(t, *column),
            Obstacle::Divergent(unknown) => {
                let quantity = self.columns[*column].quantity.name.clone();
                Failure::Sensitivity { t, unknown: d.unknowns[unknown].name.clone(), quantity }
            }
        }
    }

    /// The failure that this column has no sensitivity after `t`.
    pub(crate) fn no_derivative(&self, t: f64, column: usize) -> Failure {
        Failure::NotDifferentiable { t, quantity: self.columns[column].quantity.name.clone() }
    }

    /// Checks the derivatives of the time of an event: an error if one does not exist, or if the equations change there as well.
    pub(crate) fn check_event(&self, t: f64, by_time: &[f64]) -> Result<(), Failure> {
        match by_time.iter().position(|tau| !tau.is_finite() || self.left.is_some()) {
            None => Ok(()),
            Some(column) => Err(self.no_derivative(t, column)),
        }
    }

    /// Whether the sensitivity is only for going back.
    pub(crate) fn has_tape(&self) -> bool {
        self.tape.is_some()
    }

    /// An error if a derivative does not exist at `t`.
    pub(crate) fn check(&self, t: f64) -> Result<(), Failure> {
        let is_finite = |column: &Column| column.value.iter().all(|value| value.is_finite());
        match self.columns.iter().position(|column| !is_finite(column)) {
            None => Ok(()),
            Some(column) => Err(self.no_derivative(t, column)),
        }
    }

    /// Work done.
    pub(crate) fn statistics(&self) -> Statistics {
        self.collocation.statistics
    }

    pub(super) fn dae(&self) -> &'d dyn Dae {
        self.collocation.dae
    }

    pub(super) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Number of columns apart from those of a jump.
    pub(super) fn columns_of_run(&self) -> usize {
        if self.jumping.is_some() { 1 } else { self.columns.len() }
    }

    pub(super) fn columns_mut(&mut self) -> &mut [Column] {
        &mut self.columns
    }

    pub(super) fn set_left(&mut self, left: Left) {
        self.left = Some(left);
    }

    /// Continues from this state.
    pub(super) fn begin_at(&mut self, t: f64, y: &[f64], yp: &[f64]) {
        self.t = t;
        self.here.evaluate(self.collocation.dae, t, y, yp);
        self.collocation.slope.copy_from_slice(yp);
        for column in &mut self.columns {
            column.polynomial.set_tangent(&column.value, |slopes| slopes.fill(0.0));
        }
    }

    /// Derivatives, with respect to each quantity in turn, of the entries of the state recorded last, eliminated ones included.
    pub(crate) fn values(&self) -> impl Iterator<Item = f64> + '_ {
        let eliminated = &self.collocation.dae.description().eliminated;
        self.columns.iter().flat_map(move |column| {
            let of_eliminated = eliminated.iter().zip(&column.constants);
            let of_eliminated =
                of_eliminated.map(|(it, constant)| it.alias_of.value(&column.recorded).unwrap_or(*constant));
            let scale = column.quantity.scale;
            column.recorded.iter().copied().chain(of_eliminated).map(move |value| value / scale)
        })
    }

    /// Advances to a time within the last step of the stepper, which began at `before`.
    pub(crate) fn advance(&mut self, stepper: &mut dyn Stepper, before: f64, until: f64) -> Result<(), Failure> {
        let (dae, now) = (self.collocation.dae, stepper.time());
        if (self.t - before).abs() <= 4.0 * f64::EPSILON * now.abs().max(before.abs()) {
            // Times of pieces differ by rounding errors.
            self.t = before;
        }
        let Work { coefficients, yp, .. } = &mut self.work;
        coefficients.resize((stepper.dense_degree() + 1) * yp.len(), 0.0);
        stepper.dense_coefficients(coefficients);
        if self.t == before {
            evaluate(coefficients, -1.0, now - before, &mut self.collocation.state, yp);
            self.collocation.slope.copy_from_slice(yp);
            if let Some(left) = self.left.take() {
                // A step to an event that occurs at the same place begins on the surface: what holds beyond it is known where
                // the step ends.
                if (now - before).abs() <= SHORT * now.abs().max(before.abs()) {
                    yp.copy_from_slice(stepper.derivative());
                    self.collocation.slope.copy_from_slice(yp);
                }
                left.enter(dae, &mut self.columns, yp);
                self.here.evaluate(dae, before, &self.collocation.state, yp);
                self.end_jump();
            }
        }
        let stages = match stepper.dense_accuracy() {
            DenseAccuracy::Lower => stepper.dense_degree(),
            DenseAccuracy::AsSteps => STAGES,
        };
        while (until - self.t) * (now - before) > 0.0 {
            let Statistics { steps, error_rejections, .. } = self.collocation.statistics;
            if (steps + error_rejections) / ATTEMPTS >= self.max_steps {
                let (t, max_steps) = (self.t, self.max_steps);
                return Err(Failure::TooManySteps { t, max_steps, h: self.length, unknown: None });
            }
            let rest = until - self.t;
            let parts = (rest.abs() / self.length).ceil().max(1.0);
            let h = rest / parts;
            match self.attempt(stepper, before, Part { t: self.t, h, stages }) {
                Ok(error) => {
                    self.t = if parts == 1.0 { until } else { self.t + h };
                    self.collocation.statistics.steps += 1;
                    self.length = h.abs() * factor(error, stages);
                }
                Err(refused) => {
                    self.collocation.statistics.error_rejections += 1;
                    self.length = h.abs() * refused.factor;
                    if self.length <= 16.0 * f64::EPSILON * self.t.abs().max(now.abs()) {
                        return Err(self.failure(&refused));
                    }
                }
            }
        }
        Ok(())
    }

    /// Attempts a part of the step; returns its error in units of the error allowed.
    fn attempt(&mut self, stepper: &mut dyn Stepper, before: f64, part: Part) -> Result<f64, Refused> {
        let Part { t, h, stages } = part;
        let (dae, now) = (self.collocation.dae, stepper.time());
        let Work { coefficients, y, slope, error, .. } = &mut self.work;
        let hidden = self.hidden.as_ref().filter(|_| !self.collocation.solves_stages);
        let mut about = |t: f64, y: &mut [f64], yp: &mut [f64]| {
            evaluate(coefficients, (t - now) / (now - before), now - before, y, yp);
            error.copy_from_slice(y);
            stepper.interpolate(t, y);
            if *error != *y {
                // Where the polynomial misses the solution its derivative does too.
                stepper.correct(t, y, yp);
            }
            // The errors that stages leave in multipliers act on states like a force.
            if let Some(at) = hidden.and_then(|hidden| hidden.consistent(t, y, yp)) {
                at.state(y, yp);
            }
        };
        let linearized = self.collocation.linearize(part, &mut about);
        linearized.map_err(|obstacle| Refused { factor: HALF, column: 0, obstacle })?;
        let tolerances = self.collocation.tolerances;
        let (method, at_stages, statistics) = self.collocation.method(stages);
        let mut worst: f64 = 0.0;
        for (k, column) in self.columns.iter_mut().enumerate() {
            column.weights.update(&column.value, h);
            column.polynomial.predict(h, &method.tableau.c, &mut method.stages.z);
            let by_parameters = &column.by_parameters;
            let mut residual = |place: StagePlace, s: &[f64], slope: &[f64], residual: &mut [f64]| {
                residual_of(by_parameters, &at_stages[place.stage], dae, [s, slope], residual);
            };
            let origin = Origin { t, y: &column.value, h };
            match method.solve(&mut residual, &column.weights, tolerances, origin, statistics) {
                Outcome::Converged => {}
                Outcome::Diverged { factor, unknown } => {
                    let obstacle = Obstacle::Divergent(unknown);
                    return Err(Refused { factor: factor.min(HALF), column: k, obstacle });
                }
                Outcome::NonFinite { equation } => {
                    let obstacle = Obstacle::NonFinite(equation);
                    return Err(Refused { factor: HALF, column: k, obstacle });
                }
            }
            std::mem::swap(&mut column.z, &mut method.stages.z);
            // The defect of the polynomial at its start.
            combine(method.tableau.start.iter().map(|d| d / h), &column.z, slope);
            y.copy_from_slice(&column.value);
            let mut size = f64::INFINITY;
            for _ in 0..ESTIMATES {
                residual_of(by_parameters, &self.here, dae, [y, slope], error);
                method.matrices.real.solve(error);
                statistics.solves += 1;
                size = column.weights.error_norm(error);
                if size < 1.0 {
                    break;
                }
                y.iter_mut().zip(&*error).for_each(|(y, error)| *y -= error);
            }
            if let Some(resolvent) = &mut self.resolvent {
                y.copy_from_slice(error);
                let (leading, jacobian_yp) = (method.tableau.gamma / h, &at_stages[stages / 2].jacobians.yp[..]);
                resolvent.apply(dae.description(), (leading, jacobian_yp), |v| method.matrices.real.solve(v), y);
                size = size.max(column.weights.norm_over(&self.differential, y));
            }
            if size.is_nan() || size >= 1.0 {
                let factor = if size.is_finite() { factor(size, stages).min(SAFETY) } else { MAX_SHRINKAGE };
                let obstacle = Obstacle::Divergent(column.weights.worst_error(error));
                return Err(Refused { factor, column: k, obstacle });
            }
            worst = worst.max(size);
        }
        self.accept(part);
        Ok(worst)
    }

    fn accept(&mut self, part: Part) {
        let Part { t, h, stages } = part;
        let (method, ..) = self.collocation.method(stages);
        for column in &mut self.columns {
            let end: Vec<f64> = column.value.iter().zip(&column.z[stages - 1]).map(|(value, z)| value + z).collect();
            let start = Origin { t, y: &column.value, h };
            column.polynomial.set_stages(method.tableau, &column.z, start, &end);
            combine(method.tableau.inverse.row(stages - 1).map(|a| a / h), &column.z, &mut column.slope);
            column.value = end;
        }
        if let Some((tape, _)) = &mut self.tape {
            tape.push(part, &self.collocation);
        }
        std::mem::swap(&mut self.here, &mut self.collocation.at_stages[stages - 1]);
        self.collocation.accept();
    }
}

/// Factor for the length of the next part after this error.
fn factor(error: f64, stages: usize) -> f64 {
    (SAFETY * error.max(1e-10).powf(-1.0 / (stages + 1) as f64)).clamp(MAX_SHRINKAGE, MAX_GROWTH)
}
