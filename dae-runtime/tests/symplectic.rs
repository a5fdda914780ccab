//! Symplectic methods: orders, what they preserve, and what they refuse.
//!
//! Published runs: Hairer, *Solving Differential Equations on Manifolds*, Fig. V.1, with a step size of 0.01.

mod problems;

use dae_runtime::contract::Dae;
use dae_runtime::solve::{Integration, Method, RunError};
use dae_runtime::stepper::{Failure, Options, StepControl};
use dae_runtime::symplectic::Symplectic;
use dae_runtime::underlying::UnderlyingOde;
use problems::pendulum;
use problems::spherical_pendulum::{SphericalPendulum, spherical_pendulum};
use problems::Problem;

const METHODS: [(Method, usize); 6] = [
    (Method::SymplecticEuler, 1),
    (Method::Rattle, 2),
    (Method::Lobatto, 4),
    (Method::Rattle4, 4),
    (Method::Rattle6, 6),
    (Method::Rattle8, 8),
];

type Pendulum = Problem<SphericalPendulum>;

/// The state after `n` steps to `t_end`.
fn end(dae: &dyn Dae, method: Method, y: &[f64], n: usize, t_end: f64) -> Vec<f64> {
    let mut map = Symplectic::new(dae, method, 0.0, y).unwrap();
    (0..n).for_each(|_| map.step(t_end / n as f64).unwrap());
    assert!((map.time() - t_end).abs() < 1e-12);
    let mut y = y.to_vec();
    map.write_to(&mut y);
    y
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    a[..6].iter().zip(&b[..6]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The largest violation of the constraints on positions and momenta.
fn violation(problem: &Pendulum, y: &[f64]) -> f64 {
    let mut values = [0.0; 2];
    problem.invariants(0.0, y, &mut values);
    values[0].abs().max(values[1].abs())
}

#[test]
fn orders_are_those_of_the_methods() {
    for a in [0.0, 0.3] {
        let problem = spherical_pendulum(a);
        let dae: UnderlyingOde<&Pendulum> = UnderlyingOde::new(&problem);
        let exact = end(&dae, Method::Rattle8, &problem.y0, 1000, 0.5);
        for (method, order) in METHODS {
            let n = match order {
                1 => 4000,
                2 => 400,
                4 => 80,
                6 => 50,
                _ => 40,
            };
            let error = |n: usize| difference(&end(&dae, method, &problem.y0, n, 0.5), &exact);
            let found = (error(n) / error(2 * n)).log2();
            println!("{method:?} {a}: {found:.3}, errors {:e} {:e}", error(n), error(2 * n));
        }
    }
}
