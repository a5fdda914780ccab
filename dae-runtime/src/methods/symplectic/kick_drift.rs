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
    pub(super) projection: Projection,
    /// $\nu / h$, of the last step and of the one before, from which the next one starts, and the length of the last.
    multipliers: Vec<f64>,
    earlier: Vec<f64>,
    length: f64,
    kicked: Vec<f64>,
    momenta: Vec<f64>,
    positions: Vec<f64>,
    correction: Vec<f64>,
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
            correction: vec![0.0; m],
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
            system.move_to(q, p, None);
            system.linearize(t);
            self.projection.linearize(system)?;
            system.evaluate(t)?;
        }
        self.is_known = false;
        // The compiler unrolls loops over these sizes, which are the most frequent ones where time is spent here rather
        // than in the evaluation of the system.
        match (system.n, system.m) {
            (2, 1) => self.step_of((2, 1), system, t, h, (q, p)),
            (3, 1) => self.step_of((3, 1), system, t, h, (q, p)),
            sizes => self.step_of(sizes, system, t, h, (q, p)),
        }?;
        self.is_known = true;
        Ok(())
    }

    /// A step from where the system is evaluated, of $n$ positions with $m$ constraints.
    #[inline(always)]
    fn step_of(
        &mut self,
        (n, m): (usize, usize),
        system: &mut System<'_>,
        t: f64,
        h: f64,
        (q, p): (&mut [f64], &mut [f64]),
    ) -> Result<(), StepError> {
        system.weigh(q, p);
        self.drift((n, m), system, t, h, (&q[..n], &p[..n]))?;
        self.project((n, m), system, t + h, h)?;
        q.copy_from_slice(&self.positions[..n]);
        p.copy_from_slice(&self.momenta[..n]);
        Ok(())
    }

    /// Solves for the positions at the end of the step and the momenta there before they are projected. The positions
    /// are a linear function of the multipliers.
    #[inline(always)]
    fn drift(
        &mut self,
        (n, m): (usize, usize),
        system: &mut System<'_>,
        t: f64,
        h: f64,
        (q, p): (&[f64], &[f64]),
    ) -> Result<(), StepError> {
        let k = self.part * h;
        let KickDrift { projection, multipliers, earlier, correction, .. } = self;
        let (kicked, momenta, positions) = (&mut self.kicked[..n], &mut self.momenta[..n], &mut self.positions[..n]);
        let (multipliers, earlier, correction) = (&mut multipliers[..m], &mut earlier[..m], &mut correction[..m]);
        for i in 0..n {
            kicked[i] = p[i] + k * system.force[i];
            positions[i] = q[i] + h * system.velocity[i];
        }
        system.add_velocities(&system.force, h * k, positions);
        // Where steps are equally long, multipliers are extrapolated.
        let part = if self.length == h { 1.0 } else { 0.0 };
        for (multiplier, earlier) in multipliers.iter_mut().zip(earlier) {
            let last = *multiplier;
            *multiplier += part * (last - *earlier);
            *earlier = last;
        }
        self.length = h;
        add_product(&projection.drifts[..n * m], n, multipliers, h * h, positions);
        let mut is_solved = m == 0;
        if !is_solved {
            system.move_positions(positions);
            system.evaluate_gradient(t + h);
            projection.factorize(system)?;
        }
        let mut iteration = Iteration::new();
        while !is_solved {
            system.constrain(t + h);
            correction.copy_from_slice(&system.constraints[..m]);
            projection.solve(correction);
            correction.iter_mut().for_each(|x| *x /= -h * h);
            multipliers.iter_mut().zip(&*correction).for_each(|(multiplier, change)| *multiplier += change);
            let change = &mut momenta[..];
            change.fill(0.0);
            add_product(&projection.drifts[..n * m], n, correction, h * h, change);
            positions.iter_mut().zip(&*change).for_each(|(q, change)| *q += change);
            system.move_positions(positions);
            is_solved = iteration.is_over(change, &system.weights_of_positions()[..n], &system.structure.positions)?;
        }
        momenta.copy_from_slice(kicked);
        add_product(&system.directions[..n * m], n, multipliers, h, momenta);
        Ok(())
    }

    /// Moves the momenta to where the positions keep to the constraints. Leaves the system evaluated there.
    #[inline(always)]
    fn project(&mut self, (n, m): (usize, usize), system: &mut System<'_>, t: f64, h: f64) -> Result<(), StepError> {
        let (positions, momenta) = (&self.positions[..n], &mut self.momenta[..n]);
        system.move_to(positions, momenta, None);
        system.linearize(t);
        self.projection.linearize(system)?;
        system.evaluate(t)?;
        if self.is_symmetric {
            let k = self.part * h;
            momenta.iter_mut().zip(&system.force).for_each(|(p, force)| *p += k * force);
            system.kick_velocity(k);
        }
        // With constant masses, a single correction is exact.
        self.projection.correct((n, m), system, momenta);
        Ok(())
    }
}
