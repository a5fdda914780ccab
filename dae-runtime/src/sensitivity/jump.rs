//! Sensitivities across events.
//!
//! In: a state at a zero of a function $g$ of the solution, and the state after it. Out: the derivatives of the time of
//! the zero, and sensitivities after it.
//!
//! The zero moves so that $g = 0$ is kept: with $\dot g$ the derivative of $g$ along the solution and $g_s$ that in the
//! direction of sensitivities,
//!
//! $$ \frac{\partial t_e}{\partial p} = -\frac{g_s}{\dot g}, $$
//!
//! and the state on arrival changes by $s^- + y'^-\\,\partial t_e/\partial p$. The change of the state is applied to
//! this, the constraints are linearised as at the start of a run, and at the fixed time of the solution at hand
//! $s^+ = \dots - y'^+\\,\partial t_e/\partial p$ (S. Galán, W. F. Feehery, P. I. Barton, *Parametric sensitivity
//! functions for hybrid discrete/continuous systems*, Appl. Numer. Math. 31 (1999)). Functions and changes are the
//! caller's code: their derivatives in these directions are central differences.

use super::variation::{Column, Left};
use super::{Quantity, Variation};
use crate::contract::{Dae, Kind, Switch, Unknown};
use crate::initialize::{Change, InitializationError, KeptDerivatives, restarted_derivatives};
use crate::integrator::polynomial::{curvature, evaluate};
use crate::integrator::stepper::{Failure, Stepper};
use crate::linalg::vector::larger;

/// Relative step of differences: truncation and rounding errors are equal, 1e-10.
const DIFFERENCE: f64 = 6e-6;
/// Step of differences with respect to time, of higher order, as a fraction of a step.
const PART_OF_STEP: f64 = 1e-2;
/// Second derivatives are known from steps that are longer than this fraction of the usual length.
const LONG_ENOUGH: f64 = 1e-3;
/// A surface that is reached within this fraction of a step is reached at once.
const AT_ONCE: f64 = 1e-8;
/// Relative tolerance to which the derivatives of the times of events must agree if these occur at one time.
const SAME: f64 = 1e-6;

/// A state with its first and second derivatives.
#[derive(Clone, Copy)]
pub(crate) struct Moment<'a> {
    pub(crate) t: f64,
    pub(crate) y: &'a [f64],
    pub(crate) yp: &'a [f64],
    pub(crate) ypp: &'a [f64],
    /// Whether the second derivative is known; zeros stand for one that is not.
    pub(crate) has_curvature: bool,
    /// Time scale on which the solution changes.
    pub(crate) scale: f64,
}

/// A moment within a step.
pub(crate) struct InStep {
    t: f64,
    y: Vec<f64>,
    yp: Vec<f64>,
    ypp: Vec<f64>,
    has_curvature: bool,
    scale: f64,
}

impl InStep {
    /// The moment at time `t` within the last step; steps are about `scale` long.
    pub(crate) fn at(stepper: &mut (dyn Stepper + '_), before: f64, t: f64, scale: f64) -> Self {
        let scale = scale.abs();
        let (n, now) = (stepper.state().len(), stepper.time());
        let at_end = [stepper.state().to_vec(), stepper.derivative().to_vec()];
        let ([mut y, mut yp], mut ypp) = (at_end.clone(), vec![0.0; n]);
        if now == before {
            return InStep { t, y, yp, ypp, has_curvature: false, scale };
        }
        let mut coefficients = vec![0.0; (stepper.dense_degree() + 1) * n];
        stepper.dense_coefficients(&mut coefficients);
        let (s, length) = ((t - now) / (now - before), now - before);
        evaluate(&coefficients, s, length, &mut y, &mut yp);
        curvature(&coefficients, s, length, &mut ypp);
        if t == now {
            [y, yp] = at_end;
        } else {
            stepper.interpolate(t, &mut y);
        }
        InStep { t, y, yp, ypp, has_curvature: length.abs() > LONG_ENOUGH * scale, scale }
    }

    pub(crate) fn as_moment(&self) -> Moment<'_> {
        let InStep { t, has_curvature, scale, .. } = *self;
        Moment { t, y: &self.y, yp: &self.yp, ypp: &self.ypp, has_curvature, scale }
    }
}

/// A function $g(t, y, y')$.
type OfState<'f> = &'f dyn Fn(f64, &[f64], &[f64]) -> f64;

/// A direction in which a moment changes.
struct Towards<'a> {
    t: f64,
    y: &'a [f64],
    yp: &'a [f64],
}

impl Moment<'_> {
    /// Central differences of `function`: with respect to the time and the state, and with respect to the derivative, since
    /// after a step that is very short the direction of that one is noise, and would determine the step of the difference.
    fn difference(&self, dae: &dyn Dae, towards: &Towards<'_>, function: OfState<'_>) -> f64 {
        let still = vec![0.0; self.y.len()];
        let Towards { t, y, yp } = *towards;
        let of_state = self.difference_along(dae, &Towards { t, y, yp: &still }, function);
        of_state + self.difference_along(dae, &Towards { t: 0.0, y: &still, yp }, function)
    }

    /// Whether `function` depends on the derivative of the state.
    fn depends_on_slope(&self, dae: &dyn Dae, function: OfState<'_>) -> bool {
        let unknowns = dae.description().unknowns.iter();
        let size = |(unknown, slope): (&Unknown, &f64)| unknown.nominal.max(slope.abs());
        let other: Vec<f64> = unknowns.zip(self.yp).map(|(unknown, slope)| slope + size((unknown, slope))).collect();
        function(self.t, self.y, &other) != function(self.t, self.y, self.yp)
    }

    fn difference_along(&self, dae: &dyn Dae, towards: &Towards<'_>, function: OfState<'_>) -> f64 {
        let delta = self.step(dae, towards);
        let at = |delta: f64| {
            let y: Vec<f64> = moved(self.y, delta, towards.y);
            let yp: Vec<f64> = moved(self.yp, delta, towards.yp);
            function(self.t + delta * towards.t, &y, &yp)
        };
        delta.map_or(0.0, |delta| (at(delta) - at(-delta)) / (2.0 * delta))
    }

    /// Step in a direction, from the sizes of the unknowns and the time scale; zero in a direction that is infinite or
    /// NaN, of which a difference makes NaN. `None` where nothing changes.
    fn step(&self, dae: &dyn Dae, towards: &Towards<'_>) -> Option<f64> {
        let unknowns = dae.description().unknowns.iter();
        let sizes: Vec<f64> = unknowns.zip(self.y).map(|(unknown, y)| unknown.nominal.max(y.abs())).collect();
        let of_state = sizes.iter().zip(towards.y).map(|(size, change)| change.abs() / size);
        // Unknowns that the equations do not differentiate need not have slopes.
        let of_slope = sizes.iter().zip(towards.yp).map(|(size, change)| change.abs() / size * self.scale);
        let of_time = if towards.t == 0.0 { 0.0 } else { towards.t.abs() / self.scale };
        let speed = of_slope.filter(|speed| speed.is_finite()).chain(of_state).fold(of_time, larger);
        if speed == 0.0 { None } else { Some(if speed.is_finite() { DIFFERENCE / speed } else { 0.0 }) }
    }
}

fn moved(from: &[f64], delta: f64, direction: &[f64]) -> Vec<f64> {
    from.iter().zip(direction).map(|(from, direction)| from + delta * direction).collect()
}

/// A change of the state at a time, with changes of parameters by position.
type ChangeWithParameters<'f> = &'f dyn Fn(f64, &[(usize, f64)], &mut [f64]);

/// Changes in the arguments of a change of the state, and what it makes of them.
pub(crate) struct Carried {
    /// For each quantity the derivative of the time, times its scale.
    pub(super) by_time: Vec<f64>,
    /// For each quantity the derivative of the state, times its scale.
    pub(super) values: Vec<Vec<f64>>,
    /// For each quantity the derivative of the derivative of the state, times its scale, where it is known.
    pub(super) slopes: Vec<Option<Vec<f64>>>,
    /// For each quantity the parameters that change with it, and by how much.
    factors: Vec<Vec<(usize, f64)>>,
    pub(super) scale: f64,
}

impl Variation<'_> {
    /// Derivatives of the time of a zero of `function` with respect to each quantity, times its scale; a zero that is
    /// not crossed with nonzero speed has none. `explicit` are the derivatives of the function itself, scaled likewise.
    pub(crate) fn of_time(
        &self,
        at: Moment<'_>,
        function: OfState<'_>,
        explicit: &dyn Fn(&Quantity) -> f64,
    ) -> Vec<f64> {
        let dae = self.dae();
        let mut along = at.difference(dae, &Towards { t: 1.0, y: at.yp, yp: at.ypp }, function);
        if !at.has_curvature && at.depends_on_slope(dae, function) {
            along = f64::NAN;
        }
        let by = |column: &Column| {
            let towards = Towards { t: 0.0, y: &column.value, yp: &column.slope };
            let change = at.difference(dae, &towards, function) + explicit(&column.quantity);
            // A time that does not depend on a quantity stays, however flat the function is.
            if change == 0.0 { 0.0 } else { -change / along }
        };
        self.columns().iter().map(by).collect()
    }

    /// Values for each quantity; those that are missing are zero.
    pub(crate) fn for_each_quantity(&self, values: &[f64]) -> Vec<f64> {
        (0..self.columns().len()).map(|k| values.get(k).copied().unwrap_or(0.0)).collect()
    }

    /// Values for each quantity, divided by its scale.
    pub(crate) fn unscaled<'a>(&'a self, values: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        self.columns().iter().zip(values).map(|(column, value)| value / column.quantity.scale)
    }

    /// Derivatives of the time of a sample, which depends on these parameters only: they are zero. An error if a quantity
    /// is one of the parameters.
    pub(crate) fn of_sample(&self, t: f64, parameters: &[usize]) -> Result<Vec<f64>, Failure> {
        let moves = |column: &Column| parameters.iter().any(|&p| column.quantity.factor_of(p) != 0.0);
        match self.columns().iter().position(moves) {
            Some(column) => Err(self.no_derivative(t, column)),
            None => Ok(vec![0.0; self.columns().len()]),
        }
    }

    /// The change of the state on arrival at a moment that moves by `by_time`.
    pub(crate) fn arriving(&self, at: Moment<'_>, by_time: Vec<f64>) -> Carried {
        let arriving = |(column, tau): (&Column, &f64)| moved(&column.value, *tau, at.yp);
        let parameters = self.dae().description().parameters.len();
        let factors = |column: &Column| {
            let all = (0..parameters).map(|p| (p, column.quantity.factor_of(p)));
            all.filter(|(_, factor)| *factor != 0.0).collect()
        };
        let arriving_slope = |(column, tau): (&Column, &f64)| match *tau {
            0.0 => Some(column.slope.clone()),
            tau => at.has_curvature.then(|| moved(&column.slope, tau, at.ypp)),
        };
        Carried {
            values: self.columns().iter().zip(&by_time).map(arriving).collect(),
            slopes: self.columns().iter().zip(&by_time).map(arriving_slope).collect(),
            factors: self.columns().iter().map(factors).collect(),
            by_time,
            scale: at.scale,
        }
    }

    /// The change of the state at a moment to which a change at the same time has led; `before` was that on arrival there.
    pub(crate) fn arriving_again(&self, (t, y, yp): (f64, &[f64], &[f64]), before: &Carried) -> Carried {
        let at = Moment { t, y, yp, ypp: &[], has_curvature: false, scale: before.scale };
        self.arriving(at, before.by_time.clone())
    }

    /// Notes that the equations change at the end of the last step, where switching functions are zero.
    pub(crate) fn leave(&mut self, switches: &[usize], at: &InStep) -> Result<(), Failure> {
        let Some(&first) = switches.first() else { return Ok(()) };
        self.begin_jump();
        let by_time = self.of_switch(first, at);
        for &other in &switches[1..] {
            let other = self.of_switch(other, at);
            self.agree(at.t, &by_time, &other)?;
        }
        self.check_event(at.t, &by_time)?;
        self.set_left(Left { by_time, slope: at.yp.clone() });
        Ok(())
    }

    /// Checks that the derivatives of the times of two simultaneous events agree; otherwise there are none, since either may be the first.
    pub(crate) fn agree(&self, t: f64, one: &[f64], other: &[f64]) -> Result<(), Failure> {
        let differs = |(one, other): (&f64, &f64)| (one - other).abs() > SAME * (one.abs() + other.abs());
        match one.iter().zip(other).position(differs) {
            None => Ok(()),
            Some(k) => Err(self.no_derivative(t, k)),
        }
    }

    /// Derivatives of the time of a zero of a switching function with respect to each quantity, times its scale.
    fn of_switch(&self, switch: usize, at: &InStep) -> Vec<f64> {
        let (dae, description) = (self.dae(), self.dae().description());
        let function = |t: f64, y: &[f64], yp: &[f64]| {
            let mut values = vec![0.0; description.switches.len()];
            dae.switching_functions(t, y, yp, &mut values);
            values[switch]
        };
        let mut values = vec![0.0; description.switches_jacobian_p.len()];
        dae.switches_jacobian_p(at.t, &at.y, &at.yp, &mut values);
        let mut entries = vec![0.0; description.parameters.len()];
        if !values.is_empty() {
            description.switches_jacobian_p.row(switch).for_each(|(column, place)| entries[column] = values[place]);
        }
        let explicit = |quantity: &Quantity| {
            entries.iter().enumerate().map(|(k, entry)| quantity.factor_of(k) * entry).sum::<f64>()
        };
        self.of_time(at.as_moment(), &function, &explicit)
    }

    /// Checks that a change whose time depends on quantities does not lead onto a surface across which the equations jump,
    /// or onto a kink of a function of time: which of the equations hold next, and so the derivatives of the state and of
    /// the constraints, is not known before the next step.
    pub(crate) fn check_surfaces(
        &self,
        dae: &dyn Dae,
        (t, y, yp): (f64, &[f64], &[f64]),
        carried: &Carried,
    ) -> Result<(), Failure> {
        let switches = &dae.description().switches;
        let Some(column) = carried.by_time.iter().position(|tau| *tau != 0.0) else { return Ok(()) };
        let counts = |switch: &Switch| switch.jumps || switch.of_time;
        if !switches.iter().any(counts) {
            return Ok(());
        }
        let unknowns = dae.description().unknowns.iter().zip(yp);
        let slope = |(it, slope): (&Unknown, &f64)| if it.kind == Kind::Differential { *slope } else { 0.0 };
        let slopes: Vec<f64> = unknowns.map(slope).collect();
        let values = |delta: f64| {
            let mut values = vec![0.0; switches.len()];
            dae.switching_functions(t + delta, &moved(y, delta, &slopes), yp, &mut values);
            values
        };
        let (here, soon) = (values(0.0), values(AT_ONCE * carried.scale));
        let is_reached = |k: usize| counts(&switches[k]) && here[k].abs() <= (soon[k] - here[k]).abs();
        match (0..switches.len()).any(is_reached) {
            true => Err(self.no_derivative(t, column)),
            false => Ok(()),
        }
    }

    /// Continues after a change of the state: from the consistent state `y` with the derivative `yp` and all
    /// derivatives of the model in `jets`, of which the entries that `is_changed` have been set.
    pub(crate) fn restart(
        &mut self,
        t: f64,
        [y, yp, jets]: [&[f64]; 3],
        is_changed: &dyn Fn(usize) -> bool,
        carried: &Carried,
    ) -> Result<(), InitializationError> {
        let dae = self.dae();
        let equations_by_time = equations_by_time(dae, t, jets, carried.scale);
        let point = [y, yp, jets];
        let through = |k: usize, quantity: &Quantity, held: KeptDerivatives<'_>| {
            let (tau, values) = (carried.by_time[k], &carried.values[k]);
            let equations = quantity.derivative_of_equations(dae.prolongation(), t, jets);
            // Constraints that depend on time move with the event.
            let moving: Vec<f64> = equations.iter().zip(&equations_by_time).map(|(e, by_t)| e + tau * by_t).collect();
            let (mut total, _) =
                restarted_derivatives(dae, t, point, held, Change { values, equations: moving, name: &quantity.name })?;
            for ((value, slope), unknown) in total.iter_mut().zip(yp).zip(dae.description().unknowns.iter()) {
                if unknown.kind == Kind::Differential {
                    *value -= tau * slope;
                }
            }
            // Unknowns that are not differential follow from the rest at this time.
            restarted_derivatives(
                dae,
                t,
                point,
                KeptDerivatives::Nothing,
                Change { values: &total, equations, name: &quantity.name },
            )
        };
        let (of_run, of_jump) = self.columns().split_at(self.columns_of_run());
        let held = KeptDerivatives::AsInRestart(is_changed);
        let mut behind: Vec<(Vec<f64>, Vec<f64>)> = of_run
            .iter()
            .enumerate()
            .map(|(k, column)| through(k, &column.quantity, held))
            .collect::<Result<_, _>>()?;
        // Unit vectors need not satisfy the linearised constraints; but all have to be treated alike.
        let all = |held: KeptDerivatives<'_>| {
            let single = |(k, column): (usize, &Column)| through(of_run.len() + k, &column.quantity, held);
            of_jump.iter().enumerate().map(single).collect::<Result<Vec<_>, _>>()
        };
        behind.extend(all(KeptDerivatives::Changed(is_changed)).or_else(|_| all(KeptDerivatives::Nothing))?);
        for (column, (value, slope)) in self.columns_mut().iter_mut().zip(behind) {
            (column.value, column.slope) = (value, slope);
        }
        self.begin_at(t, y, yp);
        self.end_jump();
        Ok(())
    }
}

/// Derivatives of the equations of the prolongation with respect to time, with the jets held fixed.
pub(super) fn equations_by_time(dae: &dyn Dae, t: f64, jets: &[f64], step: f64) -> Vec<f64> {
    let prolongation = dae.prolongation();
    let rows = prolongation.prolongation_description().equations.len();
    let delta = (PART_OF_STEP * step).max(1e3 * f64::EPSILON * t.abs()).max(f64::MIN_POSITIVE);
    let at = |t: f64| {
        let mut residual = vec![0.0; rows];
        prolongation.prolonged_residual(t, jets, &mut residual);
        residual
    };
    let [near, far] = [delta, 2.0 * delta].map(|delta| {
        let differences = at(t + delta).into_iter().zip(at(t - delta)).map(|(above, below)| above - below);
        differences.collect::<Vec<f64>>()
    });
    near.iter().zip(&far).map(|(near, far)| (8.0 * near - far) / (12.0 * delta)).collect()
}

impl Carried {
    pub(crate) fn by_time(&self) -> &[f64] {
        &self.by_time
    }

    /// Applies the derivative of a change of the state at `t`, `y`.
    pub(crate) fn change(&mut self, dae: &dyn Dae, t: f64, y: &[f64], change: &dyn Fn(f64, &mut [f64])) {
        self.change_with(dae, t, y, &|t, _, state| change(t, state));
    }

    /// Applies the derivative of a change of the state at `t`, `y` that depends on parameters, too: `change` receives the
    /// changes of parameters, by position.
    pub(crate) fn change_with(&mut self, dae: &dyn Dae, t: f64, y: &[f64], change: ChangeWithParameters<'_>) {
        for ((tau, value), factors) in self.by_time.iter().zip(&mut self.values).zip(&self.factors) {
            let at = Moment { t, y, yp: &[], ypp: &[], has_curvature: false, scale: self.scale };
            let step = at.step(dae, &Towards { t: *tau, y: value, yp: &[] });
            let Some(delta) = step.or((!factors.is_empty()).then_some(DIFFERENCE)) else { continue };
            let at = |delta: f64| {
                let mut state = moved(y, delta, value);
                let shift: Vec<(usize, f64)> = factors.iter().map(|&(p, factor)| (p, delta * factor)).collect();
                change(t + delta * tau, &shift, &mut state);
                state
            };
            let (above, below) = (at(delta), at(-delta));
            *value = above.iter().zip(&below).map(|(above, below)| (above - below) / (2.0 * delta)).collect();
        }
    }
}
