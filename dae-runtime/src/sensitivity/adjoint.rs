//! Gradients of functionals by the adjoint method.
//!
//! In: a run with what is needed to go backwards. Out: derivatives of the final value of an unknown, or of a sum of
//! functions of the recorded states, with respect to any number of quantities. Their number hardly affects the cost:
//! each is treated separately only at the start, where the state or the equations change, and for unknowns that only
//! hidden equations determine.
//!
//! On a part of a step (`collocation.rs`), of length $h$ and with $M_i = F_{y'}$, $J_i = F_y$, $P_i = F_p$ at the $s$
//! stages of Radau IIA, sensitivities $\sigma$ become $\sigma + Z_s$, where
//!
//! $$ J_i\\,(\sigma + Z_i) + M_i \frac1h \sum_j (A^{-1})\_{ij} Z_j + P_i = 0, \qquad i = 1, \dots, s. $$
//!
//! Let $\mu$ be the derivative of the functional with respect to $\sigma + Z_s$. With the solution of the transposed
//! system
//!
//! $$ J_j^T \Lambda_j + \frac1h \sum_i (A^{-1})\_{ij} M_i^T \Lambda_i = \delta_{js}\\, \mu $$
//!
//! the derivative with respect to $\sigma$ is $\mu - \sum_i J_i^T \Lambda_i$, and the part contributes
//! $-\sum_i \Lambda_i^T P_i$ to the derivative with respect to the parameters. This differentiates the discretised
//! equations themselves (A. Sandu, *On the properties of Runge–Kutta discrete adjoints*, 2006), whatever the index. At
//! the start, $\mu^T \sigma(t_0)$ is added, where $\sigma(t_0)$ are the derivatives of the consistent initial values.
//! The transposed system is solved by iteration, like the system above, with the transposed factors of the matrices for
//! the middle stage.
//!
//! The length of the parts is decided on the way forward by the error of a single sensitivity, with respect to a linear
//! combination of all quantities. The states at the beginnings of all parts are kept, and the stages of one part in
//! [`CHECKPOINT`]; the other stages and all Jacobians are recomputed on the way back (A. Griewank, *Achieving
//! logarithmic growth of temporal and spatial complexity in reverse automatic differentiation*, 1992, with two levels).
//!
//! There is no such way back for formulations with unknowns of index 3, whose stages are too inaccurate to be
//! recomputed, nor for those with local coordinates, which may change during a run, nor through changes of mode: there,
//! sensitivities with respect to all quantities are carried forwards, and gradients are sums of products with them.

use std::fmt;

use num_complex::Complex;

use super::collocation::{Collocation, Linearization, Part};
use super::{Beginning, Quantity, StartDerivative};
use crate::contract::{AliasOf, Dae, Description, Name};
use crate::integrator::hidden::Hidden;
use crate::integrator::stepper::{Failure, Options};
use crate::linalg::vector::{dot, larger};
use crate::methods::radau::{Origin, Polynomial, StageRange, Tableau};
use crate::solution::{Solution, Status};

/// The stages are kept of the first of so many consecutive parts, and of the first part after a jump.
const CHECKPOINT: usize = 100;
/// The iteration for the transposed system of a part ends once the residual is this fraction of the right-hand side; it
/// also ends where rounding errors keep the residual from decreasing.
const SOLVED: f64 = 1e-13;
/// A solution is accepted if its residual is no larger than this fraction of the right-hand side.
const ENOUGH: f64 = 1e-7;
/// It is also accepted if its residual is no larger than this fraction of the largest right-hand side so far: where a
/// functional does not depend on earlier states, all that is left are rounding errors, which decrease with every part.
const NOTHING: f64 = 1e-18;
const MAX_ITERATIONS: usize = 60;
/// To predict stages, the polynomial of the part before is extrapolated by no more than this many of its lengths.
const FARTHEST: f64 = 10.0;
/// Stages of unknowns of an index higher than this are too inaccurate to be recomputed.
const HIGHEST_INDEX: u8 = 2;
/// Number of successive corrections without improvement that are tolerated.
const PATIENCE: usize = 4;

/// What is kept of a run for going back.
#[derive(Default)]
pub(crate) struct Tape {
    /// Entries in the order of the run.
    entries: Vec<Entry>,
    checkpoints: Vec<Checkpoint>,
    /// Parts since the last checkpoint.
    parts: usize,
    /// Time of the first event or switch that depends on derivatives: the tape does not contain that dependence.
    event_of_slopes: Option<f64>,
}

enum Entry {
    /// A part of a step, and the state where it begins.
    Part(Part, Vec<f64>),
    /// A state was recorded, whose time derivative is approximately this.
    Record(Vec<f64>),
    Jump(Jump),
}

/// How the state after a change of the state or of the equations depends on the state before it and on the quantities.
pub(super) struct Jump {
    /// For each entry of the state before, the derivative of the state after.
    pub(super) by_state: Vec<Vec<f64>>,
    /// For each quantity, the derivative of the state after with the state before held fixed, times the scale of the
    /// quantity.
    pub(super) by_quantities: Vec<Vec<f64>>,
}

/// The stages of a part, from which those of the following parts are recomputed.
struct Checkpoint {
    /// Position of the part among all entries of the tape.
    place: usize,
    z: Vec<Vec<f64>>,
}

impl Tape {
    /// Takes in a part whose stages are solved, while the state of `collocation` is still that at its beginning.
    pub(super) fn push(&mut self, part: Part, collocation: &Collocation<'_>) {
        if self.checkpoints.is_empty() || self.parts == CHECKPOINT || self.jumped() {
            let z = collocation.stage_values()[..part.stages].to_vec();
            self.checkpoints.push(Checkpoint { place: self.entries.len(), z });
            self.parts = 0;
        }
        self.parts += 1;
        self.entries.push(Entry::Part(part, collocation.state.clone()));
    }

    /// Whether the state or the equations have changed since the last part.
    fn jumped(&self) -> bool {
        let mut since = self.entries.iter().rev().take_while(|entry| !matches!(entry, Entry::Part(..)));
        since.any(|entry| matches!(entry, Entry::Jump(_)))
    }

    pub(super) fn note_record(&mut self, slope: Vec<f64>) {
        self.entries.push(Entry::Record(slope));
    }

    pub(super) fn note_jump(&mut self, jump: Jump) {
        self.entries.push(Entry::Jump(jump));
    }

    pub(super) fn note_event_of_slopes(&mut self, t: f64) {
        self.event_of_slopes.get_or_insert(t);
    }
}

/// A completed run that gradients can be taken of ([`Integration::adjoint`](crate::solve::Integration::adjoint)).
pub struct Adjoint<'d> {
    dae: &'d dyn Dae,
    /// The solution that the run has computed.
    pub solution: Solution,
    beginning: Beginning,
    way: Way,
    options: Options,
}

/// The method by which gradients are found.
pub(crate) enum Way {
    /// By going backwards.
    Back(Tape),
    /// From sensitivities: those that the solution records, and those at its end, given here quantity by quantity.
    Forward(Vec<f64>),
}

/// Derivatives of one number with respect to quantities.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Gradient {
    /// The quantities, as in [`Sensitivities::quantities`](super::Sensitivities::quantities).
    pub quantities: Vec<Name>,
    /// The derivatives, one per quantity.
    pub values: Vec<f64>,
}

impl Gradient {
    /// The derivative with respect to the quantity of this name; `None` if it is not among them.
    pub fn by(&self, quantity: &str) -> Option<f64> {
        let place = self.quantities.iter().position(|name| name == quantity)?;
        self.values.get(place).copied()
    }
}

impl fmt::Debug for Adjoint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Adjoint").field("solution", &self.solution).finish_non_exhaustive()
    }
}

/// Given the position of a recorded state and the state itself, writes the derivatives of a functional with respect to
/// its entries.
type ByState<'f> = &'f mut dyn FnMut(usize, &[f64], &mut [f64]);

impl<'d> Adjoint<'d> {
    /// Whether a run can be traversed backwards; an error if there is no quantity to differentiate with respect to.
    pub(crate) fn has_way_back(dae: &dyn Dae, beginning: &Beginning) -> Result<bool, Failure> {
        let Beginning { t0, y0, yp0, quantities, .. } = beginning;
        if quantities.is_empty() {
            let message = "say by `sensitivities` what to differentiate by".into();
            return Err(Failure::InvalidOption { message });
        }
        let is_low = dae.description().unknowns.iter().all(|unknown| unknown.index <= HIGHEST_INDEX);
        Ok(is_low && dae.modes().is_none() && !dae.choose_coordinates(*t0, y0, yp0, true))
    }

    pub(crate) fn new(dae: &'d dyn Dae, solution: Solution, beginning: Beginning, way: Way, options: Options) -> Self {
        Adjoint { dae, solution, beginning, way, options }
    }

    /// Gradient of the final value of an unknown. An integral over the run is such a value if the model has an unknown
    /// for it: `der(cost) = …`, with `cost` zero at the start.
    ///
    /// # Errors
    /// As for [`Adjoint::gradient_of`]; or there is no unknown of this name, or the run has ended at an event, whose
    /// time depends on the quantities.
    pub fn gradient(&self, unknown: &str) -> Result<Gradient, Failure> {
        let Some(place) = self.solution.names.iter().position(|name| name == unknown) else {
            let message = format!("there is no unknown `{unknown}`; there are {}", self.solution.names.join(", "));
            return Err(Failure::InvalidOption { message });
        };
        if let Status::Event(event) = &self.solution.status {
            let message = format!(
                "the run has ended at `{event}`, whose time changes: use `sensitivities` and the derivatives of that time"
            );
            return Err(Failure::InvalidOption { message });
        }
        let mut weights = vec![0.0; self.solution.names.len()];
        weights[place] = 1.0;
        self.backward(&mut |_, _, _| (), &weights)
    }

    /// Gradient of a sum of functions of the recorded states: `by_state(i, state, derivatives)` writes the nonzero
    /// derivatives of the function at the $i$-th recorded time with respect to the entries of the state, in the order
    /// of [`Solution::names`]. It is called for the last record first.
    ///
    /// # Errors
    /// The run was interrupted, or there is no way back: an event depends on derivatives, or the equations cannot be
    /// solved backwards.
    pub fn gradient_of(&self, mut by_state: impl FnMut(usize, &[f64], &mut [f64])) -> Result<Gradient, Failure> {
        let weights = vec![0.0; self.solution.names.len()];
        self.backward(&mut by_state, &weights)
    }

    /// The gradient of a functional, given its derivatives with respect to the recorded states and to the state at the
    /// end.
    fn backward(&self, by_state: ByState<'_>, at_end: &[f64]) -> Result<Gradient, Failure> {
        let invalid = |message: String| Err(Failure::InvalidOption { message });
        if !self.solution.is_success() {
            return invalid(format!("there is no way back through a run that has stopped: {}", self.solution.status));
        }
        let tape = match &self.way {
            Way::Back(tape) => tape,
            Way::Forward(sensitivities) => return Ok(self.forward(by_state, at_end, sensitivities)),
        };
        if let Some(t) = tape.event_of_slopes {
            return invalid(format!(
                "gradients by the adjoint method do not pass an event that depends on slopes at t = {t}: use `sensitivities`"
            ));
        }
        let mut sweep = Sweep::new(self.dae, &self.beginning, self.solution.end_time, &self.options);
        let Solution { end_time, end_state, end_derivative, .. } = &self.solution;
        sweep.add(at_end, (*end_time, end_state, end_derivative));
        let mut records = tape.entries.iter().filter(|entry| matches!(entry, Entry::Record(_))).count();
        let mut weights = vec![0.0; self.solution.names.len()];
        let mut beyond = tape.entries.len();
        let before_parts = None;
        for checkpoint in tape.checkpoints.iter().map(Some).rev().chain([before_parts]) {
            let first = checkpoint.map_or(0, |checkpoint| checkpoint.place);
            let entries = &tape.entries[first..beyond];
            let mut linearized = checkpoint.map_or(Ok(Vec::new()), |checkpoint| sweep.forward(checkpoint, entries))?;
            for entry in entries.iter().rev() {
                match entry {
                    Entry::Part(part, _) => {
                        let at_stages = linearized.pop().unwrap_or_default();
                        sweep.back(*part, &at_stages)?;
                    }
                    Entry::Jump(jump) => sweep.across(jump),
                    Entry::Record(slope) => {
                        records -= 1;
                        if let Some(state) = self.solution.state(records) {
                            weights.fill(0.0);
                            by_state(records, state, &mut weights);
                            sweep.add(&weights, (self.solution.times[records], state, slope));
                        }
                    }
                }
            }
            beyond = first;
        }
        let gradient = sweep.finish();
        match gradient.values.iter().all(|value| value.is_finite()) {
            true => Ok(gradient),
            false => Err(Failure::Adjoint { t: self.beginning.t0 }),
        }
    }
}

impl Adjoint<'_> {
    /// The gradient of a functional as a sum of products with sensitivities; `sensitivities` are those at the end.
    fn forward(&self, by_state: ByState<'_>, at_end: &[f64], sensitivities: &[f64]) -> Gradient {
        let quantities = self.beginning.quantities.iter().map(|quantity| quantity.name.clone()).collect();
        let width = at_end.len();
        let mut values: Vec<f64> = sensitivities.chunks_exact(width).map(|column| dot(at_end, column)).collect();
        let mut weights = vec![0.0; width];
        for i in (0..self.solution.times.len()).rev() {
            let (Some(state), Some(recorded)) = (self.solution.state(i), &self.solution.sensitivities) else {
                continue;
            };
            weights.fill(0.0);
            by_state(i, state, &mut weights);
            for (k, value) in values.iter_mut().enumerate() {
                *value += recorded.column(i, k, width).map_or(0.0, |column| dot(&weights, column));
            }
        }
        Gradient { quantities, values }
    }
}

/// The state of the way back.
struct Sweep<'d> {
    collocation: Collocation<'d>,
    hidden: Option<Hidden<'d>>,
    beginning: &'d Beginning,
    /// Derivatives of the functional with respect to the state reached.
    mu: Vec<f64>,
    /// The largest norm of `mu` so far.
    largest: f64,
    /// Derivatives with respect to the eliminated unknowns that are constant.
    by_constants: Vec<f64>,
    /// Derivatives with respect to the parameters.
    by_parameters: Vec<f64>,
    /// Derivatives with respect to the quantities, times their scales, that come from changes of the state or of the
    /// equations and from hidden unknowns.
    by_quantities: Vec<f64>,
}

impl<'d> Sweep<'d> {
    fn new(dae: &'d dyn Dae, beginning: &'d Beginning, t_end: f64, options: &Options) -> Self {
        let description = dae.description();
        let Beginning { t0, y0, yp0, quantities, .. } = beginning;
        let collocation = Collocation::new(dae, (*t0, y0, yp0), t_end, options);
        Sweep {
            hidden: Hidden::of(dae, options, t_end - t0, &collocation.plan),
            collocation,
            largest: 0.0,
            beginning,
            mu: vec![0.0; description.unknowns.len()],
            by_constants: vec![0.0; description.eliminated.len()],
            by_parameters: vec![0.0; description.parameters.len()],
            by_quantities: vec![0.0; quantities.len()],
        }
    }

    fn description(&self) -> &'d Description {
        self.collocation.dae.description()
    }

    /// Adds the derivatives of a function with respect to the entries of a state, eliminated ones included, given that
    /// state and its approximate time derivative.
    fn add(&mut self, weights: &[f64], (t, y, slope): (f64, &[f64], &[f64])) {
        let n = self.mu.len();
        let (of_state, of_eliminated) = weights.split_at(n);
        let mut by_state = of_state.to_vec();
        for (k, (it, weight)) in self.description().eliminated.iter().zip(of_eliminated).enumerate() {
            match it.alias_of {
                AliasOf::Same(place) => by_state[place] += weight,
                AliasOf::Opposite(place) => by_state[place] -= weight,
                AliasOf::Constant => self.by_constants[k] += weight,
            }
        }
        if let Some(hidden) = self.hidden.as_ref().filter(|hidden| hidden.has_part(&by_state)) {
            let at = hidden.consistent(t, &y[..n], &slope[..n]);
            let by_quantities = at.and_then(|at| hidden.transpose(&at, &self.beginning.quantities, &mut by_state));
            for (sum, part) in self.by_quantities.iter_mut().zip(by_quantities.into_iter().flatten()) {
                *sum += part;
            }
        }
        self.mu.iter_mut().zip(by_state).for_each(|(mu, weight)| *mu += weight);
    }

    /// Recomputes the linearisations at the stages of the parts among these entries, the first of which is that of the
    /// checkpoint.
    fn forward(&mut self, from: &Checkpoint, entries: &[Entry]) -> Result<Vec<Vec<Linearization>>, Failure> {
        let n = self.mu.len();
        let mut parts = Vec::new();
        for entry in entries {
            if let Entry::Part(part, state) = entry {
                parts.push((*part, state));
            }
        }
        let mut polynomial = Polynomial::new(n, StageRange::MOST);
        let mut end_of_polynomial = parts.first().map_or(0.0, |(part, _)| part.t + part.h);
        let mut all = Vec::with_capacity(parts.len());
        for (k, &(part, state)) in parts.iter().enumerate() {
            self.collocation.state.copy_from_slice(state);
            if k == 0 {
                self.set_polynomial(&mut polynomial, part, &from.z);
            }
            let mut about = |t: f64, y: &mut [f64], yp: &mut [f64]| {
                let s = (t - end_of_polynomial) / polynomial.length();
                polynomial.evaluate(s.min(FARTHEST), y, yp);
            };
            let linearized = self.collocation.linearize(part, &mut about);
            linearized.map_err(|_| Failure::Adjoint { t: part.t + part.h })?;
            all.push(self.collocation.method(part.stages).1.to_vec());
            let z = self.collocation.stage_values()[..part.stages].to_vec();
            self.set_polynomial(&mut polynomial, part, &z);
            end_of_polynomial = part.t + part.h;
        }
        Ok(all)
    }

    fn set_polynomial(&mut self, polynomial: &mut Polynomial, Part { t, h, stages }: Part, z: &[Vec<f64>]) {
        let start = self.collocation.state.clone();
        let end: Vec<f64> = start.iter().zip(&z[stages - 1]).map(|(start, z)| start + z).collect();
        let (method, ..) = self.collocation.method(stages);
        polynomial.set_stages(method.tableau, z, Origin { t, y: &start, h }, &end);
    }

    /// Goes back over a part of a step.
    fn back(&mut self, part: Part, at_stages: &[Linearization]) -> Result<(), Failure> {
        let (dae, description, n) = (self.collocation.dae, self.description(), self.mu.len());
        let Part { t, h, stages } = part;
        // Residuals are derivatives with respect to unknowns: products with the sizes of the unknowns are comparable.
        let sizes: Vec<f64> =
            description.unknowns.iter().zip(&self.collocation.state).map(|(u, y)| u.nominal.max(y.abs())).collect();
        let (method, ..) = self.collocation.method(stages);
        if !method.factorize(dae, &at_stages[stages / 2].jacobians, h) {
            return Err(Failure::Adjoint { t: t + h });
        }
        let Tableau { inverse, t: transformation, t_inverse, .. } = &method.tableau;
        let mut lambda = vec![vec![0.0; n]; stages];
        let mut residual = vec![vec![0.0; n]; stages];
        let (mut product, mut complex) = (vec![0.0; n], vec![Complex::ZERO; n]);
        let norm = |v: &[f64]| v.iter().zip(&sizes).map(|(v, size)| (v * size).abs()).fold(0.0, larger);
        let wanted = norm(&self.mu);
        self.largest = larger(self.largest, wanted);
        let nothing = NOTHING * self.largest;
        let (mut smallest, mut best, mut stalled) = (f64::INFINITY, lambda.clone(), 0);
        for _ in 0..MAX_ITERATIONS {
            // The residual of the transposed system.
            residual.iter_mut().for_each(|residual| residual.fill(0.0));
            residual[stages - 1].copy_from_slice(&self.mu);
            for (i, at) in at_stages.iter().enumerate() {
                description.jacobian_y.add_transposed_product(&at.jacobians.y, &lambda[i], -1.0, &mut residual[i]);
                product.fill(0.0);
                description.jacobian_yp.add_transposed_product(&at.jacobians.yp, &lambda[i], -1.0, &mut product);
                for (j, residual) in residual.iter_mut().enumerate() {
                    let factor = inverse[(i, j)] / h;
                    residual.iter_mut().zip(&product).for_each(|(residual, product)| *residual += factor * product);
                }
            }
            let size = residual.iter().map(|residual| norm(residual)).fold(0.0, larger);
            if size < smallest {
                (smallest, best, stalled) = (size, lambda.clone(), 0);
            } else {
                stalled += 1;
            }
            if smallest <= SOLVED * wanted || stalled > PATIENCE {
                break;
            }
            // In terms of T^T Lambda the system decouples.
            let mut parts = vec![vec![0.0; n]; stages];
            for (j, part) in parts.iter_mut().enumerate() {
                for (i, residual) in residual.iter().enumerate() {
                    let factor = transformation[(i, j)];
                    part.iter_mut().zip(residual).for_each(|(part, residual)| *part += factor * residual);
                }
            }
            method.matrices.real.solve_transposed(&mut parts[0]);
            for (pair, matrix) in parts[1..].chunks_exact_mut(2).zip(&method.matrices.complex) {
                for k in 0..n {
                    // For the conjugate transpose.
                    complex[k] = Complex::new(pair[0][k], -pair[1][k]);
                }
                matrix.solve_transposed(&mut complex);
                for k in 0..n {
                    (pair[0][k], pair[1][k]) = (complex[k].re, -complex[k].im);
                }
            }
            for (i, lambda) in lambda.iter_mut().enumerate() {
                for (j, part) in parts.iter().enumerate() {
                    let factor = t_inverse[(j, i)];
                    lambda.iter_mut().zip(part).for_each(|(lambda, part)| *lambda += factor * part);
                }
            }
        }
        if wanted.is_nan() || smallest > (ENOUGH * wanted).max(nothing) {
            return Err(Failure::Adjoint { t: t + h });
        }
        for (lambda, at) in best.iter().zip(at_stages) {
            description.jacobian_y.add_transposed_product(&at.jacobians.y, lambda, -1.0, &mut self.mu);
            description.jacobian_p.add_transposed_product(&at.by_parameters, lambda, -1.0, &mut self.by_parameters);
        }
        Ok(())
    }

    /// Goes back over a change of the state or of the equations.
    fn across(&mut self, jump: &Jump) {
        for (sum, by_quantity) in self.by_quantities.iter_mut().zip(&jump.by_quantities) {
            *sum += dot(&self.mu, by_quantity);
        }
        self.mu = jump.by_state.iter().map(|by_entry| dot(&self.mu, by_entry)).collect();
    }

    /// Returns the gradient, including what the start contributes.
    fn finish(self) -> Gradient {
        let Beginning { quantities, derivatives, .. } = self.beginning;
        let value = |(k, quantity): (usize, &Quantity)| {
            let StartDerivative { value, constants, .. } = &derivatives[k];
            let at_start = dot(&self.mu, value) + dot(&self.by_constants, constants);
            let on_the_way = quantity.parameter().map_or(0.0, |k| self.by_parameters[k]);
            (at_start + self.by_quantities[k]) / quantity.scale + on_the_way
        };
        Gradient {
            values: quantities.iter().enumerate().map(value).collect(),
            quantities: quantities.iter().map(|quantity| quantity.name.clone()).collect(),
        }
    }
}
