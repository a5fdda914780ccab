//! Start values of the generalised-α method.
//!
//! In: a state of a system. Out: whether it is consistent, its accelerations and multipliers, and corrections with
//! which the recursion of the method begins as it goes on. The corrections are derived here; that multipliers begin with
//! errors of order 1 without them is analysed by M. Arnold, O. Brüls & A. Cardona, *Error analysis of generalized-α Lie
//! group time integration methods for constrained mechanical systems*, Numer. Math. 129 (2015).
//!
//! The increment that the method makes of exact values is in error by $h^3 c + \mathcal{O}(h^4)$ with
//! $$c = \Bigl(\tfrac16 - \tfrac12 (\alpha_m - \alpha_f) - \beta\Bigr) \ddot v + \tfrac1{12} [v, \dot v],$$
//! the last term because velocities do not commute (Magnus' series, Hairer 2011, III (4.4), for $\dot q = q\\,\tilde
//! v$). Positions are on the constraints at both ends of a step, so that velocities make up for it: they settle at an
//! error whose part in the directions of the constraints, $M^{-1} B^\mathsf{T} \mu$, is given by $B e = h^2 B c$. If
//! they begin there, accelerations and multipliers do not oscillate with an amplitude of $\mathcal{O}(h)$.

use crate::lie::mechanics::configuration::{ConfigurationSpace, Vector};
use crate::lie::mechanics::error::MechanicsError;
use crate::lie::mechanics::system::{MechanicalSystem, PointOf, SaddlePoint, accelerations};
use crate::lie::space::{ROUNDING, exceeds, non_finite};

/// What follows from the state at the start.
pub(super) struct Start<const K: usize, const M: usize> {
    pub(super) acceleration: Vector<K>,
    pub(super) lambda: Vector<M>,
    /// $\ddot v$, to within $\mathcal{O}(h)$.
    pub(super) jerk: Vector<K>,
    /// What is added to the velocities.
    pub(super) velocity_error: Vector<K>,
}

/// Checks that a state is consistent.
pub(super) fn check<Y: MechanicalSystem<K, M>, const K: usize, const M: usize>(
    system: &Y,
    q: &PointOf<Y, K, M>,
    v: &Vector<K>,
) -> Result<(), MechanicsError> {
    if let Some((entry, _)) = non_finite(v) {
        return Err(MechanicsError::NonFiniteStart { entry });
    }
    let defect = system.space().defect(q);
    if exceeds(defect, ROUNDING) {
        return Err(MechanicsError::StartOffGroup { defect, allowed: ROUNDING });
    }
    let b = system.gradient(q);
    // Constraints are of the size of their gradient times that of the configuration, which has about the size of the
    // former.
    let size = b.amax().max(1.0);
    let off = |values: Vector<M>, allowed: f64| {
        let constraint = values.iter().position(|value| exceeds(value.abs(), allowed))?;
        Some((constraint, values[constraint], allowed))
    };
    if let Some((constraint, value, allowed)) = off(system.constraint(q), ROUNDING * size * size) {
        return Err(MechanicsError::StartOffConstraint { constraint, value, allowed });
    }
    match off(b * v, ROUNDING * size * v.amax().max(1.0)) {
        Some((constraint, value, allowed)) => Err(MechanicsError::StartVelocity { constraint, value, allowed }),
        None => Ok(()),
    }
}

/// The start of steps of length $h$ of a method for which the factor of $\ddot v$ in $c$ is `error_constant`.
pub(super) fn of<Y: MechanicalSystem<K, M>, const K: usize, const M: usize>(
    system: &Y,
    (t, q, v): (f64, &PointOf<Y, K, M>, &Vector<K>),
    h: f64,
    error_constant: f64,
) -> Result<Start<K, M>, MechanicsError> {
    let space = system.space();
    let (acceleration, lambda) = accelerations(system, t, q, v)?;
    let later = space.advance(q, &((v + acceleration * (0.5 * h)) * h));
    let (acceleration_later, _) = accelerations(system, t + h, &later, &(v + acceleration * h))?;
    let jerk = (acceleration_later - acceleration) / h;
    let c = jerk * error_constant + space.bracket(v, &acceleration) / 12.0;
    let (mass, b) = (system.mass(q), system.gradient(q));
    let (along, _) = SaddlePoint { s: &mass, b: &b, c: &b, t }.solve(&Vector::zeros(), &-(b * c))?;
    Ok(Start { acceleration, lambda, jerk, velocity_error: along * (h * h) })
}
