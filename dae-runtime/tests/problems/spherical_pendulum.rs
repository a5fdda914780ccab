//! Spherical pendulum, and a variant whose Hamiltonian is not separable.
//!
//! $q' = H_p$, $p' = -H_q - q \lambda$, $0 = (|q|^2 - 1)/2$ with $H = (1 + a q_3) |p|^2/2 + q_3$; for $a = 0$, Hairer,
//! *Solving Differential Equations on Manifolds*, (V.4.6), started as for Fig. V.1.

use super::{Model, Problem, Scalar};
use dae_runtime::contract::{
    HamiltonianStructure,
    Kind::{Algebraic, Differential},
    Leading,
};

/// The pendulum, with the coefficient $a$.
pub struct SphericalPendulum(f64);

/// $q_0$ and $p_0$.
pub fn start() -> [[f64; 3]; 2] {
    let (sin, cos) = 1.3_f64.sin_cos();
    [[sin, 0.0, cos], [3.0 * cos, 6.5, -3.0 * sin]]
}

impl Problem<SphericalPendulum> {
    /// $H$ at a state.
    pub fn energy(&self, y: &[f64]) -> f64 {
        let squares: f64 = y[3..6].iter().map(|p| p * p).sum();
        0.5 * (1.0 + self.model.0 * y[2]) * squares + y[2]
    }
}

impl Model for SphericalPendulum {
    fn residual<S: Scalar>(&self, _t: S, w: &[S], wp: &[S], out: &mut [S]) {
        let lambda = w[6];
        let factor = w[2] * self.0 + 1.0;
        let squares = w[3].square() + w[4].square() + w[5].square();
        let slope = squares * (0.5 * self.0) + 1.0;
        for k in 0..3 {
            out[k] = wp[k] - w[3 + k] * factor;
            out[3 + k] = wp[3 + k] + w[k] * lambda;
        }
        out[5] = out[5] + slope;
        let distance = w[0].square() + w[1].square() + w[2].square();
        out[6] = squares * factor - w[2] * slope - distance * lambda;
    }

    fn invariants<S: Scalar>(&self, _t: S, w: &[S], out: &mut [S]) {
        out[0] = (w[0].square() + w[1].square() + w[2].square() - 1.0) * 0.5;
        out[1] = w[0] * w[3] + w[1] * w[4] + w[2] * w[5];
    }
}

/// The spherical pendulum with the coefficient `a`, in the form of index 1.
pub fn spherical_pendulum(a: f64) -> Problem<SphericalPendulum> {
    let names = ["q1", "q2", "q3", "p1", "p2", "p3"];
    let mut unknowns: Vec<_> = names.map(|name| (name, Differential, 1)).to_vec();
    unknowns.push(("lambda", Algebraic, 1));
    let [q, p] = start();
    let squares: f64 = p.iter().map(|p| p * p).sum();
    let (factor, slope) = (1.0 + a * q[2], 1.0 + 0.5 * a * squares);
    let lambda = squares * factor - q[2] * slope;
    let y0: Vec<f64> = q.into_iter().chain(p).chain([lambda]).collect();
    let velocities = p.map(|p| p * factor);
    let forces = [0, 1, 2].map(|k| -q[k] * lambda - if k == 2 { slope } else { 0.0 });
    let yp0: Vec<f64> = velocities.into_iter().chain(forces).chain([0.0]).collect();
    let invariants = [("position", None), ("velocity", None)];
    let leading = (Leading::Constant, 6);
    let problem =
        Problem::new("spherical pendulum", SphericalPendulum(a), &unknowns, &invariants, leading, (0.0, &y0, &yp0));
    problem.with_structure(HamiltonianStructure {
        positions: vec![0, 1, 2].into(),
        momenta: vec![3, 4, 5].into(),
        multipliers: vec![6].into(),
        position_equations: vec![0, 1, 2].into(),
        momentum_equations: vec![3, 4, 5].into(),
        constraints: vec![0].into(),
        has_constant_masses: a == 0.0,
        has_normal_forces: true,
    })
}
