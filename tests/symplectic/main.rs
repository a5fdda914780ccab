//! Which models are recognised as Hamiltonian systems, and symplectic methods on them.
//!
//! Sources: E. Hairer, *Solving Differential Equations on Manifolds*, sections V.4 and V.5.

mod random;

use dae::runtime::symplectic::Symplectic;
use dae::runtime::underlying::UnderlyingOde;
use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::pipeline::compile;
use dae::symbolic::read_text;
use dae::{Dae, Failure, Integration, Method, RunError};

/// Velocities with names, the multiplier without the factor 2 of the derivative of the constraint.
const PENDULUM: &str = "struct Pendulum {
    param m = 2; param l = 1.5;
    var x = 1.5; var y = 0; var u = 0; var v = 0; var lambda;
    der(x) = u; der(y) = v; m * der(u) = -lambda * x; m * der(v) = -m * 9.81 - lambda * y;
    0 = x.powi(2) + y.powi(2) - l.powi(2);
}";

/// Second derivatives, two bodies of different masses, in explicit form, and a force between them.
const TWO_BODIES: &str = "struct TwoBodies {
    param m = 3; param k = 5;
    var x = 1; var y = 0; var z = 0.5; var lambda;
    start der(x) = 0; start der(y) = 0.4; start der(z) = -0.2;
    der(x, 2) = -x * lambda - k * (x - z) * (1 + (x - z).powi(2));
    der(y, 2) = -y * lambda - 1;
    der(z, 2) = -k / m * (z - x) * (1 + (x - z).powi(2));
    0 = (x.powi(2) + y.powi(2) - 1) / 2;
}";

/// From energies, with coupled masses.
const COUPLED: &str = "struct Coupled {
    param m = 1.5;
    var x = 0.6; var y = -0.8; var s = 0; var lambda;
    start der(x) = 0.4; start der(y) = 0.3; start der(s) = 0;
    lagrangian {
        coordinates x, y, s;
        kinetic = der(s).powi(2) / 2 + m / 2 * ((der(s) + der(x)).powi(2) + der(y).powi(2));
        potential = 9.81 * m * y + s.powi(2) * cos(s);
        constraint(lambda) x.powi(2) + y.powi(2) = 1;
    }
}";

/// Without constraints, in momenta.
const KEPLER: &str = "struct Kepler {
    param a = 0.005;
    var q1 = 0.4; var q2 = 0; var p1 = 0; var p2 = 2;
    der(q1) = p1; der(q2) = p2;
    der(p1) = -q1 / (q1.powi(2) + q2.powi(2)).powf(1.5) - 1.5 * a * q1 / (q1.powi(2) + q2.powi(2)).powf(2.5);
    der(p2) = -q2 / (q1.powi(2) + q2.powi(2)).powf(1.5) - 1.5 * a * q2 / (q1.powi(2) + q2.powi(2)).powf(2.5);
}";

/// From a Hamiltonian in polar coordinates, where the kinetic energy depends on positions.
const PLANET: &str = "struct Planet {
    var r = 0.5; var phi = 0; var p = 0; var l = 1.2;
    hamiltonian { coordinates r, phi; momenta p, l; hamiltonian = (p.powi(2) + (l / r).powi(2)) / 2 - 1 / r; }
}";

/// From a Hamiltonian, in angles.
const DOUBLE: &str = "struct Double {
    param g = 9.81;
    var a = 0.8; var b = 0.4; var p = 0; var q = 0.3;
    hamiltonian {
        coordinates a, b;
        momenta p, q;
        kinetic = (p.powi(2) + 2 * q.powi(2) - 2 * p * q * cos(a - b)) / (2 + 2 * sin(a - b).powi(2));
        potential = -g * (2 * cos(a) + cos(b));
    }
}";

/// From a Hamiltonian with a constraint, by arrays.
const SPHERICAL: &str = "struct Spherical {
    param m = 0.5;
    var q: [f64; 3] = [0.6, 0, -0.8]; var p: [f64; 3] = [0, 0.5, 0]; var lambda;
    hamiltonian {
        coordinates q;
        momenta p;
        hamiltonian = sum(i in 0..3 => p[i].powi(2)) / (2 * m) + m * 9.81 * q[2];
        constraint(lambda) sum(i in 0..3 => q[i].powi(2)) = 1;
    }
}";

/// From a Hamiltonian with a constraint, where the masses depend on positions.
const BEAD: &str = "struct Bead {
    var x = 0.6; var y = -0.8; var p = 0.4; var q = 0.3; var lambda;
    hamiltonian {
        coordinates x, y;
        momenta p, q;
        kinetic = (p.powi(2) + q.powi(2)) / (2 + x.powi(2));
        potential = y;
        constraint(lambda) x.powi(2) + y.powi(2) = 1;
    }
}";

fn underlying(text: &str) -> UnderlyingOde<Interpreter> {
    let (model, _) = read_text(text).unwrap_or_else(|it| panic!("{}", it.diagnostics));
    let compiled =
        compile(model.with_forms(&[Form::Underlying]), 0.0).unwrap_or_else(|it| panic!("{}", it.diagnostics));
    UnderlyingOde::new(Interpreter::new(compiled.forms[0].program.clone(), compiled.prolonged))
}

/// The consistent state at the start, and a state reached by an accurate method.
fn reference(dae: &dyn Dae, t_end: f64) -> [Vec<f64>; 2] {
    let run = Integration::new(dae).method(Method::Dop853).rtol(1e-13).atol(1e-13);
    let solution = run.run(0.0, t_end).unwrap();
    [solution.state(0).unwrap().to_vec(), solution.end_state]
}

#[test]
fn systems_are_recognised() {
    // The equation of motion of the smaller of two bodies is divided by its mass, the others are not.
    for text in [PENDULUM, TWO_BODIES, COUPLED, KEPLER, PLANET, DOUBLE, SPHERICAL, BEAD] {
        let dae = underlying(text);
        let of = dae.description();
        let structure = of.hamiltonian.as_ref().unwrap_or_else(|reason| panic!("{}: {reason}", of.model));
        assert_eq!(structure.has_constant_masses, ![PLANET, DOUBLE, BEAD].contains(&text), "{}", of.model);
        assert_eq!(structure.has_normal_forces, text != TWO_BODIES, "{}", of.model);
        let [y0, exact] = reference(&dae, 0.5);
        for (method, order, n) in [
            (Method::SymplecticEuler, 1, 4000),
            (Method::Rattle, 2, 400),
            (Method::Lobatto, 4, 40),
            (Method::Rattle6, 6, 10),
        ] {
            let places: Vec<usize> = structure.positions.iter().chain(structure.momenta.iter()).copied().collect();
            let error = |n: usize| {
                let mut map = Symplectic::new(&dae, method, 0.0, &y0).unwrap();
                (0..n).for_each(|_| map.step(0.5 / n as f64).unwrap());
                let mut y = y0.clone();
                map.write_to(&mut y);
                places.iter().map(|&k| (y[k] - exact[k]).abs()).fold(0.0, f64::max)
            };
            let found = (error(n) / error(2 * n)).log2();
            assert!((found - f64::from(order)).abs() < 0.3, "{}: {method:?} has order {found}", of.model);
        }
    }
}

/// Energy in masses and springs, over many steps.
#[test]
fn energy_does_not_drift_where_masses_differ() {
    for (text, energy) in [
        (
            TWO_BODIES,
            (|y: &[f64], v: &[f64]| {
                let d = y[0] - y[2];
                (v[0] * v[0] + v[1] * v[1] + 3.0 * v[2] * v[2]) / 2.0 + y[1] + 5.0 * (d * d / 2.0 + d.powi(4) / 4.0)
            }) as fn(&[f64], &[f64]) -> f64,
        ),
        (COUPLED, |y, v| {
            let kinetic = v[2] * v[2] / 2.0 + 0.75 * ((v[2] + v[0]).powi(2) + v[1] * v[1]);
            kinetic + 9.81 * 1.5 * y[1] + y[2] * y[2] * y[2].cos()
        }),
    ] {
        let dae = underlying(text);
        let [y0, _] = reference(&dae, 0.0);
        let mut map = Symplectic::new(&dae, Method::Rattle, 0.0, &y0).unwrap();
        let start = energy(map.positions(), map.momenta());
        let mut error_of = |n: usize| {
            let mut error = 0.0_f64;
            for _ in 0..n {
                map.step(0.01).unwrap();
                error = error.max((energy(map.positions(), map.momenta()) - start).abs());
            }
            error
        };
        let [first, last] = [1000, 50_000].map(&mut error_of);
        assert!(first > 1e-9 && last < 2.0 * first, "{}: {first:e}, then {last:e}", dae.description().model);
    }
}

/// An energy as a function of positions and momenta.
type Energy = fn(&[f64], &[f64]) -> f64;

/// The Hamiltonian of blocks that are not separable, over many steps.
#[test]
fn energy_does_not_drift_where_masses_depend_on_positions() {
    let bead = |q: &[f64], p: &[f64]| (p[0] * p[0] + p[1] * p[1]) / (2.0 + q[0] * q[0]) + q[1];
    let planet = |q: &[f64], p: &[f64]| (p[0] * p[0] + (p[1] / q[0]).powi(2)) / 2.0 - 1.0 / q[0];
    let double = |q: &[f64], p: &[f64]| {
        let d = q[0] - q[1];
        let kinetic = p[0] * p[0] + 2.0 * p[1] * p[1] - 2.0 * p[0] * p[1] * d.cos();
        kinetic / (2.0 + 2.0 * d.sin().powi(2)) - 9.81 * (2.0 * q[0].cos() + q[1].cos())
    };
    let systems: [(&str, Energy); 3] = [(BEAD, bead), (PLANET, planet), (DOUBLE, double)];
    for (text, energy) in systems {
        let dae = underlying(text);
        let [y0, _] = reference(&dae, 0.0);
        for (method, h, largest) in [(Method::Rattle, 0.01, 0.02), (Method::Lobatto, 0.02, 1e-4)] {
            let mut map = Symplectic::new(&dae, method, 0.0, &y0).unwrap();
            let start = energy(map.positions(), map.momenta());
            let mut error_of = |n: usize| {
                let mut error = 0.0_f64;
                for _ in 0..n {
                    map.step(h).unwrap();
                    error = error.max((energy(map.positions(), map.momenta()) - start).abs());
                }
                error
            };
            let [first, last] = [2000, 10_000].map(&mut error_of);
            let name = &dae.description().model;
            assert!(first < largest && last < 2.0 * first, "{name}, {method:?}: {first:e}, then {last:e}");
        }
    }
}

/// Models that are none, with what says so.
#[test]
fn other_systems_are_refused_with_the_reason() {
    for (text, reason) in [
        (
            "struct Friction { var x = 1; var y = 0; var u = 0; var v = 0; var lambda;
                der(x) = u; der(y) = v; der(u) = -lambda * x - 0.1 * u; der(v) = -1 - lambda * y - 0.1 * v;
                0 = x.powi(2) + y.powi(2) - 1; }",
            "depends on `u`",
        ),
        (
            "struct Driven { var x = 1; var u = 0; der(x) = u; der(u) = -x + sin(t); }",
            "depends on time",
        ),
        (
            "struct Curl { var x = 1; var y = 0; var u = 0; var v = 0;
                der(x) = u; der(y) = v; der(u) = -x + y; der(v) = -y; }",
            "not proved to be symmetric",
        ),
        (
            "struct Oblique { var x = 1; var y = 0; var u = 0; var v = 0; var lambda;
                der(x) = u; der(y) = v; der(u) = -lambda * (x - y / 5); der(v) = -1 - lambda * y;
                0 = x.powi(2) + y.powi(2) - 1; }",
            "not proved to be normal",
        ),
        (
            "struct Nonholonomic { var x = 0; var y = 0; var u = 1; var v = 0; var lambda;
                der(x) = u; der(y) = v; der(u) = lambda * x; der(v) = -1 - lambda;
                0 = u * x - v; }",
            "constraint on positions",
        ),
        (
            "struct Turning { var a = 1; start der(a) = 0; var r = 1; start der(r) = 0;
                lagrangian { coordinates a, r; kinetic = (der(r).powi(2) + r.powi(2) * der(a).powi(2)) / 2; potential = r.powi(2); } }",
            "`",
        ),
        (
            "struct Damped { var x = 1; var p = 0;
                hamiltonian { coordinates x; momenta p; hamiltonian = (p * x).powi(2) + x.powi(2); force(x) = -p; } }",
            "a force acts on `x`",
        ),
        (
            "struct Growing { var x = 1; var p = 0;
                hamiltonian { coordinates x; momenta p; hamiltonian = p.powi(2) * (1 + x.powi(2)) + t * x.powi(2); } }",
            "depends on `t`",
        ),
        (
            "struct Fed { var x = 1; var p = 0; var z = 1; der(z) = -z;
                hamiltonian { coordinates x; momenta p; hamiltonian = p.powi(2) * (1 + x.powi(2)) + z * x.powi(2); } }",
            "the Hamiltonian depends on `z`",
        ),
        (
            "struct Fed { var x = 1; var p = 0; var z = 1; der(z) = -x;
                hamiltonian { coordinates x; momenta p; hamiltonian = p.powi(2) * (1 + x.powi(2)) + x.powi(2); } }",
            "`z` is neither a coordinate nor a momentum",
        ),
    ] {
        let dae = underlying(text);
        let found = dae.description().hamiltonian.as_ref().unwrap_err();
        assert!(found.contains(reason), "{}: {found}", dae.description().model);
        let run = Integration::new(&dae as &dyn Dae).method(Method::Rattle).fixed_step(0.1).run(0.0, 1.0);
        let RunError::Options(failure @ Failure::NotHamiltonian { .. }) = run.unwrap_err() else { panic!("not refused") };
        assert!(failure.to_string().contains(&**found), "{failure}");
    }
}
