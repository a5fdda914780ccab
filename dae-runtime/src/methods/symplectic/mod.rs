//! Symplectic methods for Hamiltonian systems with holonomic constraints.
//!
//! In: a formulation of such a system ([`HamiltonianStructure`](crate::contract::HamiltonianStructure)), consistent start
//! values, a step size. Out: a [`Stepper`], or a bare map, [`Symplectic`].
//!
//! $$ q' = H_p(p, q), \qquad p' = -H_q(p, q) - G(q)^{\mathsf T} \lambda, \qquad 0 = g(q), \qquad G = g_q $$
//!
//! | method | order | source |
//! |---|---|---|
//! | [`SymplecticEuler`](crate::class::SymplecticEuler) | 1 | Hairer, *Solving Differential Equations on Manifolds*, (V.4.4) and (V.4.5) |
//! | [`Rattle`](crate::class::Rattle) | 2, symmetric | the same, (V.5.2) and (V.5.3) |
//! | [`Rattle4`](crate::class::Rattle4), [`Rattle6`](crate::class::Rattle6), [`Rattle8`](crate::class::Rattle8) | 4, 6, 8, symmetric | Suzuki 1990; Kahan & Li 1997 |
//! | [`Lobatto`](crate::class::Lobatto) | 4, symmetric | Jay 1996 |
//!
//! All of them map the manifold $g(q) = 0$, $G(q) H_p = 0$ to itself, and preserve its symplectic form. With a constant
//! step size the energy then does not drift, over times that grow exponentially with the inverse of the step size
//! (Hairer, Lubich & Wanner, *Geometric Numerical Integration*, section IX.5). Step-size control would destroy that, and
//! is refused. Their equations are solved to rounding level in every step.
//!
//! RATTLE on a spherical pendulum, in $10^8$ steps of 0.01 (example `rattle`): in every tenth of the run the largest energy
//! error is 1.0109e-3 and the mean one -3.6452e-4; the constraint is violated by at most 2.2e-16, its derivative by
//! 1.5e-15. A step takes 1.5 times as long as in a loop written by hand for this one system. There is no error estimate.
//! A run ends before a step within which, extrapolated from the last one, the constraints come to depend on one another:
//! the equations do not determine how a motion goes on from there.
//!
//! The positions are also those of SHAKE (Ryckaert, Ciccotti & Berendsen 1977), the recursion of two steps
//! $q_{n+1} - 2 q_n + q_{n-1} = -h^2 M^{-1} (U_q(q_n) + G(q_n)^{\mathsf T} \lambda_n)$ with $g(q_{n+1}) = 0$: RATTLE differs
//! from it only in that its momenta keep to the constraints.
//!
//! What the step loop adds: multipliers and derivatives at the ends of steps, from the underlying equation that the
//! formulation contains, and cubic polynomials between them. These are no less accurate than the steps up to order 2;
//! methods of higher order make steps end at requested times.

mod independence;
mod kick_drift;
mod map;
mod projection;
mod stages;
mod system;
mod tableau;

use crate::contract::Dae;
use crate::contract::class::Method;
use crate::integrator::error_weights::Weights;
use crate::integrator::polynomial::hermite;
use crate::integrator::stepper::{DenseAccuracy, Failure, Options, StepControl, Stepper};
use crate::integrator::{Integrator, Rejection, Run, RunStart, Scheme};
use crate::linalg::iteration_matrix::Deficiency;
use crate::methods::solved::Evaluation;
pub use map::Symplectic;

/// Begins an integration.
pub(crate) fn start<'d>(
    method: Method,
    dae: &'d dyn Dae,
    start: RunStart<'_>,
    options: &Options,
) -> Result<Box<dyn Stepper + 'd>, Failure> {
    let StepControl::Fixed(length) = options.control else {
        let message = format!(
            "{} preserves the symplectic form in steps of constant size only: give one, by `fixed_step` or `--step`",
            method.name()
        );
        return Err(Failure::InvalidOption { message });
    };
    let map = Symplectic::new(dae, method, start.t0, start.y0)?;
    let order = map.order();
    if options.max_order.is_some_and(|highest| highest < order) {
        let message = format!("the order of {} is {order}, above the highest allowed", method.name());
        return Err(Failure::InvalidOption { message });
    }
    Run::check(dae, start, options)?;
    let description = dae.description();
    let n = description.unknowns.len();
    let weights = Weights::new(description, vec![options.rtol; n], options.atol.of(&description.unknowns));
    let mut run = Run::new(dae, start, options, weights)?;
    run.weights.update(start.y0, 1.0);
    let scheme = SymplecticScheme {
        map,
        unknowns: Evaluation::new(description),
        origin: [start.y0.to_vec(), start.yp0.to_vec()],
        length: 0.0,
        evaluations: [0, 0],
        is_start_known: true,
    };
    run.begin_with(length, options);
    Ok(Box::new(Integrator::new(run, scheme)))
}

/// The scheme of a symplectic method.
struct SymplecticScheme<'d> {
    map: Symplectic<'d>,
    unknowns: Evaluation,
    /// State and derivative at the start of the last step.
    origin: [Vec<f64>; 2],
    /// Signed length of the last step.
    length: f64,
    /// The evaluations that have been counted.
    evaluations: [usize; 2],
    /// Whether the derivatives of the last accepted state are those of the equations at hand.
    is_start_known: bool,
}

impl Scheme for SymplecticScheme<'_> {
    fn solve(&mut self, run: &mut Run<'_>, h: f64) -> Result<(), Rejection> {
        let rejected = |cause| Rejection { cause, retry: 0.25 * h.abs() };
        let t = run.clock.time();
        if !self.is_start_known {
            let (mut y, mut yp) = (std::mem::take(&mut run.y), std::mem::take(&mut run.yp));
            let evaluated = self.unknowns.evaluate(run, t, &mut y, &mut yp);
            (run.y, run.yp) = (y, yp);
            evaluated.map_err(rejected)?;
            self.is_start_known = true;
        }
        self.map.set(t, &run.y);
        let made = self.map.advance(h);
        let evaluations = self.map.evaluations();
        run.statistics.residuals += evaluations[0] - self.evaluations[0];
        run.statistics.jacobians += evaluations[1] - self.evaluations[1];
        self.evaluations = evaluations;
        made.map_err(rejected)?;
        let (mut y, mut yp) = (std::mem::take(&mut run.candidate), std::mem::take(&mut run.candidate_slope));
        y.copy_from_slice(&run.y);
        yp.copy_from_slice(&run.yp);
        self.map.write_to(&mut y);
        let evaluated = self.unknowns.evaluate(run, t + h, &mut y, &mut yp);
        (run.candidate, run.candidate_slope) = (y, yp);
        evaluated.map_err(rejected)
    }

    /// The step size is constant.
    fn test_error(&mut self, _run: &mut Run<'_>, h: f64) -> Result<f64, Rejection> {
        Ok(h.abs())
    }

    fn accept(&mut self, run: &mut Run<'_>, h: f64) {
        self.origin[0].copy_from_slice(&run.y);
        self.origin[1].copy_from_slice(&run.yp);
        self.length = h;
        run.y.copy_from_slice(&run.candidate);
        run.yp.copy_from_slice(&run.candidate_slope);
    }

    fn forget(&mut self, _run: &Run<'_>) {
        self.is_start_known = false;
    }

    fn worst(&self, run: &Run<'_>) -> usize {
        run.weights.worst(&run.candidate_slope)
    }

    /// There is no matrix of all unknowns.
    fn deficiency(&mut self, _run: &mut Run<'_>, _h: f64) -> Option<Deficiency> {
        None
    }

    /// That of the implicit Euler method for the last step.
    fn leading(&self) -> f64 {
        if self.length == 0.0 { 1.0 } else { 1.0 / self.length }
    }

    /// With the matrix of the implicit Euler method, without $h\,\partial w/\partial y_d$.
    fn respond(&self, residual: &mut [f64]) {
        let leading = self.leading();
        self.unknowns.differential.iter().for_each(|&k| residual[k] /= leading);
    }

    fn order(&self) -> usize {
        self.map.order()
    }

    fn dense_accuracy(&self) -> DenseAccuracy {
        if self.map.order() <= 2 { DenseAccuracy::AsSteps } else { DenseAccuracy::Lower }
    }

    fn dense_degree(&self) -> usize {
        3
    }

    /// The cubic through states and derivatives at both ends; a straight line for algebraic unknowns, which are found by
    /// the equations where it is not accurate enough ([`crate::integrator::output`]).
    fn dense_coefficients(&mut self, run: &mut Run<'_>, coefficients: &mut [f64]) {
        let (n, h, [origin, slope]) = (run.y.len(), self.length, &self.origin);
        coefficients.fill(0.0);
        for &k in &self.unknowns.differential {
            let powers = hermite([origin[k], run.y[k]], [h * slope[k], h * run.yp[k]]);
            powers.iter().enumerate().for_each(|(i, c)| coefficients[i * n + k] = *c);
        }
        for &k in &self.unknowns.algebraic {
            coefficients[k] = run.y[k];
            coefficients[n + k] = run.y[k] - origin[k];
        }
    }
}
