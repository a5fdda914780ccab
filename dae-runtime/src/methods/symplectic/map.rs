//! A symplectic method as a map from one state to the next, without anything around it.
//!
//! In: a Hamiltonian formulation, a state, a method. Out: states after as many steps as are asked for.

use std::fmt;

use super::independence::Independence;
use super::kick_drift::KickDrift;
use super::projection::Projection;
use super::stages::Stages;
use super::system::System;
use super::tableau::{Pair, THREE_NODES, composition};
use crate::contract::class::Method;
use crate::contract::{Dae, HamiltonianStructure};
use crate::integrator::StepError;
use crate::integrator::stepper::{Failure, StepCause};

/// The map of a method, at a state.
///
/// [`Integration`](crate::solve::Integration) with a fixed step makes the same steps, and records, finds events, and so
/// on; this is for long runs of which only a few numbers are wanted.
///
/// Positions and momenta are those of the formulation's [`HamiltonianStructure`], in its order.
pub struct Symplectic<'d> {
    system: System<'d>,
    base: Base,
    order: usize,
    /// The parts of a step.
    parts: Vec<f64>,
    t: f64,
    q: Vec<f64>,
    p: Vec<f64>,
    independence: Independence,
    /// Positions and momenta at the start of a step.
    before: [Vec<f64>; 2],
}

impl fmt::Debug for Symplectic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Symplectic { t, q, p, order, .. } = self;
        let mut fields = f.debug_struct("Symplectic");
        fields.field("order", order).field("t", t).field("positions", q).field("momenta", p).finish_non_exhaustive()
    }
}

/// A method of one step.
#[derive(Debug)]
enum Base {
    KickDrift(KickDrift),
    Stages(Stages),
}

impl Base {
    fn projection(&self) -> &Projection {
        match self {
            Base::KickDrift(method) => &method.projection,
            Base::Stages(method) => &method.projection,
        }
    }
}

impl<'d> Symplectic<'d> {
    /// Begins at a consistent state `y` of a formulation, at time `t`.
    ///
    /// # Errors
    /// [`Failure::NotHamiltonian`] if the formulation is not known to be that of a Hamiltonian system;
    /// [`Failure::InvalidOption`] if the method is not symplectic, or `y` has not as many entries as there are unknowns.
    pub fn new(dae: &'d dyn Dae, method: Method, t: f64, y: &[f64]) -> Result<Self, Failure> {
        let of = dae.description();
        if y.len() != of.unknowns.len() {
            let message = format!("{} values given for {} unknowns", y.len(), of.unknowns.len());
            return Err(Failure::InvalidOption { message });
        }
        let Some(kind) = Kind::of(method) else {
            let message = format!("{} is not symplectic", method.name());
            return Err(Failure::InvalidOption { message });
        };
        let has_constant_masses = of.hamiltonian.as_ref().is_ok_and(|structure| structure.has_constant_masses);
        let by_stages = !has_constant_masses || matches!(kind, Kind::Lobatto);
        let system = System::of(dae, t, y, by_stages).ok_or_else(|| Failure::not_hamiltonian(method.name(), of))?;
        let base = match kind {
            Kind::Lobatto => Base::Stages(Stages::new(&system, Pair::lobatto(&THREE_NODES))),
            Kind::SymplecticEuler if by_stages => Base::Stages(Stages::new(&system, Pair::symplectic_euler())),
            Kind::SymplecticEuler => Base::KickDrift(KickDrift::symplectic_euler(&system)),
            Kind::Rattle { .. } if by_stages => Base::Stages(Stages::new(&system, Pair::lobatto(&[0.0, 1.0]))),
            Kind::Rattle { .. } => Base::KickDrift(KickDrift::rattle(&system)),
        };
        let parts = match kind {
            Kind::Rattle { order } => composition(order),
            Kind::SymplecticEuler | Kind::Lobatto => vec![1.0],
        };
        let HamiltonianStructure { positions, momenta, .. } = system.structure;
        let [q, p]: [Vec<f64>; 2] = [positions, momenta].map(|places| places.iter().map(|&k| y[k]).collect());
        let before = [q.clone(), p.clone()];
        let independence = Independence::default();
        Ok(Symplectic { system, base, order: kind.order(), parts, t, q, p, independence, before })
    }

    /// Makes a step of length `h`, negative to go back.
    ///
    /// # Errors
    /// [`Failure::StepSizeTooSmall`] if the equations of the step have no solution nearby; the state is then that
    /// before the step.
    pub fn step(&mut self, h: f64) -> Result<(), Failure> {
        let at = self.t;
        self.advance(h).map_err(|cause| {
            let of = self.system.dae.description();
            let unknown = |k: usize| of.unknowns.get(k).map_or("-".into(), |it| it.name.clone());
            let equation = |k: usize| of.equations.get(k).map_or("-".into(), |it| it.name.clone());
            let cause = match cause {
                StepError::NonFinite { equation: k } => StepCause::NonFinite { equation: equation(k), unknown: None },
                StepError::Convergence { unknown: k } | StepError::Error { unknown: k } => {
                    StepCause::Convergence { unknown: unknown(k) }
                }
                StepError::Dependence { invariant } => StepCause::dependence(of, invariant),
                StepError::Singular | StepError::Switch => StepCause::Convergence {
                    unknown: unknown(self.system.structure.multipliers.first().copied().unwrap_or(0)),
                },
            };
            Failure::StepSizeTooSmall { t: at, h, cause }
        })
    }

    /// Makes a step of length `h`; after an error the state is that before it.
    pub(super) fn advance(&mut self, h: f64) -> Result<(), StepError> {
        if self.independence.ends_within(h) {
            let HamiltonianStructure { constraints, .. } = self.system.structure;
            let weakest = self.base.projection().weakest();
            return Err(StepError::Dependence { invariant: constraints.get(weakest).copied().unwrap_or(0) });
        }
        let t = self.t;
        let [before_q, before_p] = &mut self.before;
        before_q.copy_from_slice(&self.q);
        before_p.copy_from_slice(&self.p);
        let mut made = Ok(());
        for part in &self.parts {
            let state = (&mut self.q[..], &mut self.p[..]);
            made = match &mut self.base {
                Base::KickDrift(method) => method.step(&mut self.system, self.t, part * h, state),
                Base::Stages(method) => method.step(&mut self.system, self.t, part * h, state),
            };
            self.t += part * h;
            if made.is_err() {
                break;
            }
        }
        self.t = if made.is_ok() { t + h } else { t };
        if made.is_ok() {
            self.independence.note(self.base.projection().log_determinant(), h);
        } else {
            self.q.copy_from_slice(&self.before[0]);
            self.p.copy_from_slice(&self.before[1]);
            self.forget();
        }
        made
    }

    fn forget(&mut self) {
        self.independence = Independence::default();
        match &mut self.base {
            Base::KickDrift(method) => method.forget(),
            Base::Stages(method) => method.forget(),
        }
    }

    /// Moves to another state.
    pub(super) fn set(&mut self, t: f64, y: &[f64]) {
        let HamiltonianStructure { positions, momenta, .. } = self.system.structure;
        let places = positions.iter().zip(&mut self.q).chain(momenta.iter().zip(&mut self.p));
        let mut is_moved = false;
        for (&k, value) in places {
            is_moved |= std::mem::replace(value, y[k]) != y[k];
        }
        self.t = t;
        if is_moved {
            self.forget();
        }
    }

    /// Writes positions and momenta into a state of the formulation.
    pub fn write_to(&self, y: &mut [f64]) {
        let HamiltonianStructure { positions, momenta, .. } = self.system.structure;
        let places = positions.iter().zip(&self.q).chain(momenta.iter().zip(&self.p));
        places.for_each(|(&k, &value)| y[k] = value);
    }

    /// Time.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// Positions.
    pub fn positions(&self) -> &[f64] {
        &self.q
    }

    /// Momenta, or the variables in place of them.
    pub fn momenta(&self) -> &[f64] {
        &self.p
    }

    /// The order of the method.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Evaluations of $F$, and of its derivatives.
    pub(super) fn evaluations(&self) -> [usize; 2] {
        self.system.evaluations
    }
}

/// The symplectic methods.
enum Kind {
    SymplecticEuler,
    Rattle { order: usize },
    Lobatto,
}

impl Kind {
    fn of(method: Method) -> Option<Self> {
        match method {
            Method::SymplecticEuler => Some(Kind::SymplecticEuler),
            Method::Rattle => Some(Kind::Rattle { order: 2 }),
            Method::Rattle4 => Some(Kind::Rattle { order: 4 }),
            Method::Rattle6 => Some(Kind::Rattle { order: 6 }),
            Method::Rattle8 => Some(Kind::Rattle { order: 8 }),
            Method::Lobatto => Some(Kind::Lobatto),
            _ => None,
        }
    }

    fn order(&self) -> usize {
        match self {
            Kind::SymplecticEuler => 1,
            Kind::Rattle { order } => *order,
            Kind::Lobatto => 4,
        }
    }
}
