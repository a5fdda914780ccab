//! Methods of one stage for constant masses: a kick of the momenta, a drift of the positions, a projection.
//!
//! In: a system with constant masses ([`System`]), a step. Out: its end.
//!
//! With $k = h$ for the symplectic Euler method, Hairer, *Solving Differential Equations on Manifolds*, (V.4.4) and
//! (V.4.5), and $k = h/2$ for RATTLE, (V.5.2) and (V.5.3), and the force $f = -U_q$,
//!
//! $$ \hat p = p_0 + k f(q_0) - G(q_0)^{\mathsf T} \nu, \qquad q_1 = q_0 + h H_p(\hat p), \qquad 0 = g(q_1), $$
//!
//! which is solved for $\nu$ by Newton's iteration, with $G$ at the positions predicted. Then momenta are moved along
//! $G(q_1)^{\mathsf T}$ until $G(q_1) H_p(p_1) = 0$, from $\hat p$, or for RATTLE from $\hat p + k f(q_1)$.

use super::projection::Projection;
use super::system::{System, add_product};
use crate::integrator::StepError;
use crate::methods::iteration::Iteration;

/// Makes steps of one of the two methods.
#[derive(Debug)]
pub(super) struct KickDrift {
    /// $k/h$.
    part: f64,
    /// Whether the positions at the end of a step kick the momenta.
    is_symmetric: bool,
    /// Whether the system has been evaluated at the start of the next step.
    is_known: bool,
    projection: Projection,
    /// $\nu / h$, of the last step and of the one before, from which the next one starts, and the length of the last.
    multipliers: Vec<f64>,
    earlier: Vec<f64>,
    length: f64,
    kicked: Vec<f64>,
    momenta: Vec<f64>,
    positions: Vec<f64>,
    /// The positions that the kicked momenta lead to without multipliers.
    free: Vec<f64>,
    correction: Vec<f64>,
    change: Vec<f64>,
}

impl KickDrift {
    pub(super) fn symplectic_euler(system: &System<'_>) -> Self {
        KickDrift::new(system, 1.0, false)
    }

    pub(super) fn rattle(system: &System<'_>) -> Self {
        KickDrift::new(system, 0.5, true)
    }

    fn new(system: &System<'_>, part: f64, is_symmetric: bool) -> Self {
        let (n, m) = (system.n, system.m);
        KickDrift {
            part,
            is_symmetric,
            is_known: false,
            projection: Projection::new(n, m),
            multipliers: vec![0.0; m],
            earlier: vec![0.0; m],
            length: 0.0,
            kicked: vec![0.0; n],
            momenta: vec![0.0; n],
            positions: vec![0.0; n],
            free: vec![0.0; n],
            correction: vec![0.0; m],
            change: vec![0.0; n],
        }
    }

    /// Forgets where the last step has ended, and its multipliers, which may be useless after an error.
    pub(super) fn forget(&mut self) {
        (self.is_known, self.length) = (false, 0.0);
        self.multipliers.fill(0.0);
    }

    /// Replaces positions and momenta at `t` by those after a step of length `h`; after an error they are as before.
    pub(super) fn step(
        &mut self,
        system: &mut System<'_>,
        t: f64,
        h: f64,
        (q, p): (&mut [f64], &mut [f64]),
    ) -> Result<(), StepError> {
        if !self.is_known {
            system.linearize(t, q, p, None);
            self.projection.linearize(system)?;
            system.evaluate(t, q, p, None)?;
        }
        self.is_known = false;
        system.weigh(q, p);
        self.drift(system, t, h, q, p)?;
        self.project(system, t + h, h)?;
        q.copy_from_slice(&self.positions);
        p.copy_from_slice(&self.momenta);
        self.is_known = true;
        Ok(())
    }

    /// Solves for the positions at the end of the step and the momenta there before they are projected. The positions
    /// are a linear function of the multipliers.
    fn drift(&mut self, system: &mut System<'_>, t: f64, h: f64, q: &[f64], p: &[f64]) -> Result<(), StepError> {
        let (n, k) = (system.n, self.part * h);
        let KickDrift {
            projection, kicked, free, momenta, positions, correction, change, multipliers, earlier, ..
        } = self;
        for (i, kicked) in kicked.iter_mut().enumerate() {
            *kicked = p[i] + k * system.force[i];
            free[i] = q[i] + h * system.velocity[i];
        }
        system.add_velocities(&system.force, h * k, free);
        // Where steps are equally long, multipliers are extrapolated.
        let part = if self.length == h { 1.0 } else { 0.0 };
        for (multiplier, earlier) in multipliers.iter_mut().zip(&mut *earlier) {
            let last = *multiplier;
            *multiplier += part * (last - *earlier);
            *earlier = last;
        }
        self.length = h;
        let mut iteration = Iteration::new();
        positions.copy_from_slice(free);
        add_product(&projection.drifts, n, multipliers, h * h, positions);
        if system.m > 0 {
            system.evaluate_gradient(t + h, positions);
            projection.factorize(system)?;
        }
        while system.m > 0 {
            system.constrain(t + h, positions);
            correction.copy_from_slice(&system.constraints);
            projection.solve(correction);
            correction.iter_mut().for_each(|x| *x /= -h * h);
            multipliers.iter_mut().zip(&*correction).for_each(|(multiplier, change)| *multiplier += change);
            change.fill(0.0);
            add_product(&projection.drifts, n, correction, h * h, change);
            positions.iter_mut().zip(&*change).for_each(|(q, change)| *q += change);
            if iteration.is_over(change, system.weights_of_positions(), &system.structure.positions)? {
                break;
            }
        }
        momenta.copy_from_slice(kicked);
        add_product(&system.directions, n, multipliers, h, momenta);
        Ok(())
    }

    /// Moves the momenta to where the positions keep to the constraints. Leaves the system evaluated there.
    fn project(&mut self, system: &mut System<'_>, t: f64, h: f64) -> Result<(), StepError> {
        let KickDrift { projection, positions, momenta, .. } = self;
        system.linearize(t, positions, momenta, None);
        projection.linearize(system)?;
        system.evaluate(t, positions, momenta, None)?;
        if self.is_symmetric {
            let k = self.part * h;
            momenta.iter_mut().zip(&system.force).for_each(|(p, force)| *p += k * force);
            let mut velocity = std::mem::take(&mut system.velocity);
            system.add_velocities(&system.force, k, &mut velocity);
            system.velocity = velocity;
        }
        projection.project(system, t, positions, momenta)
    }
}
