//! Symplectic methods: orders, what they preserve, and what they refuse.
//!
//! Published runs: Hairer, *Solving Differential Equations on Manifolds*, Fig. V.1, with a step size of 0.01.

mod problems;

use dae_runtime::Record;
use dae_runtime::contract::Dae;
use dae_runtime::event::Event;
use dae_runtime::solve::{Integration, Method, RunError};
use dae_runtime::stepper::{Failure, Projection};
use dae_runtime::symplectic::Symplectic;
use dae_runtime::underlying::UnderlyingOde;
use problems::Problem;
use problems::pendulum;
use problems::spherical_pendulum::{SphericalPendulum, spherical_pendulum};

const METHODS: [(Method, usize); 6] = [
    (Method::SymplecticEuler, 1),
    (Method::Rattle, 2),
    (Method::Lobatto, 4),
    (Method::Rattle4, 4),
    (Method::Rattle6, 6),
    (Method::Rattle8, 8),
];

/// The coefficients of the pendulums: with a separable Hamiltonian, and without.
const PENDULUMS: [f64; 2] = [0.0, 0.3];

/// The solution for a separable Hamiltonian at $t = 1$, to all digits, by two methods.
const AT_1: [f64; 7] = [
    0.678_919_009_761_193_5,
    0.715_766_191_362_999_6,
    -0.163_547_355_486_373_93,
    -4.992_882_918_443_517,
    3.961_284_595_200_893,
    -3.389_902_194_276_550_5,
    52.275_639_723_708_3,
];

type Pendulum = Problem<SphericalPendulum>;

/// The state after `n` steps to `t_end`.
fn end(dae: &dyn Dae, method: Method, y: &[f64], n: usize, t_end: f64) -> Vec<f64> {
    let mut map = Symplectic::new(dae, method, 0.0, y).unwrap();
    (0..n).for_each(|_| map.step(t_end / n as f64).unwrap());
    let mut y = y.to_vec();
    map.write_to(&mut y);
    y
}

/// The solution by an explicit method of order 8.
fn solution(problem: &Pendulum, t_end: f64) -> Vec<f64> {
    let dae = UnderlyingOde::new(problem);
    let run = Integration::new(&dae).method(Method::Dop853).rtol(1e-14).atol(1e-14).projection(Projection::On);
    run.run_from(0.0, &problem.y0, &problem.yp0, t_end).unwrap().end_state
}

/// The largest difference of positions and momenta.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).take(6).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The largest violation of the constraints on positions and momenta.
fn violation(problem: &Pendulum, y: &[f64]) -> f64 {
    let mut values = [0.0; 2];
    problem.invariants(0.0, y, &mut values);
    values[0].abs().max(values[1].abs())
}

#[test]
fn orders_are_those_of_the_methods() {
    for a in PENDULUMS {
        let problem = spherical_pendulum(a);
        let dae = UnderlyingOde::new(&problem);
        let exact = solution(&problem, 1.0);
        assert!(a != 0.0 || difference(&exact, &AT_1) < 1e-11);
        for (method, order) in METHODS {
            let (n, allowed) = match order {
                1 => (4000, 0.1),
                2 => (400, 0.1),
                4 => (160, 0.1),
                6 => (100, 0.3),
                _ => (40, 0.3),
            };
            let error = |n: usize| difference(&end(&dae, method, &problem.y0, n, 1.0), &exact);
            let found = (error(n) / error(2 * n)).log2();
            assert!((found - order as f64).abs() < allowed, "{method:?} for a = {a}: order {found}");
        }
    }
}

/// Step there and back.
/// SHAKE for the spherical pendulum: positions after positions before and now (Hairer, *Solving Differential Equations
/// on Manifolds*, (V.5.1)).
fn shake(before: [f64; 3], now: [f64; 3], h: f64) -> [f64; 3] {
    let free: [f64; 3] = std::array::from_fn(|k| 2.0 * now[k] - before[k] - if k == 2 { h * h } else { 0.0 });
    // The smaller solution of |free - x now|^2 = 1.
    let dot = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (a, b, c) = (dot(now, now), dot(free, now), dot(free, free) - 1.0);
    let x = c / (b + (b * b - a * c).sqrt());
    std::array::from_fn(|k| free[k] - x * now[k])
}

#[test]
fn positions_of_rattle_are_those_of_shake() {
    let problem = spherical_pendulum(0.0);
    let dae = UnderlyingOde::new(&problem);
    let h = 0.01;
    let mut map = Symplectic::new(&dae, Method::Rattle, 0.0, &problem.y0).unwrap();
    let positions = |map: &Symplectic<'_>| -> [f64; 3] { map.positions().try_into().unwrap() };
    let mut before = positions(&map);
    map.step(h).unwrap();
    let mut now = positions(&map);
    for _ in 0..200 {
        map.step(h).unwrap();
        let next = shake(before, now, h);
        assert!(difference(&next, &positions(&map)) < 1e-11);
        (before, now) = (now, next);
    }
}

#[test]
fn symmetric_methods_return() {
    for (method, a) in METHODS[1..].iter().flat_map(|&(method, _)| PENDULUMS.map(|a| (method, a))) {
        let problem = spherical_pendulum(a);
        let dae = UnderlyingOde::new(&problem);
        let mut map = Symplectic::new(&dae, method, 0.0, &problem.y0).unwrap();
        for h in [0.01, -0.01] {
            (0..20).for_each(|_| map.step(h).unwrap());
        }
        let mut y = problem.y0.clone();
        map.write_to(&mut y);
        assert!(difference(&y, &problem.y0) < 1e-12, "{method:?} for a = {a}: {:e}", difference(&y, &problem.y0));
    }
    // The symplectic Euler method is not symmetric.
    let problem = spherical_pendulum(0.0);
    let dae = UnderlyingOde::new(&problem);
    let mut map = Symplectic::new(&dae, Method::SymplecticEuler, 0.0, &problem.y0).unwrap();
    [0.01, -0.01].iter().for_each(|h| map.step(*h).unwrap());
    let mut y = problem.y0.clone();
    map.write_to(&mut y);
    assert!(difference(&y, &problem.y0) > 1e-6);
}

/// A curve on the manifold through the start: positions moved along `u`, momenta along `v`.
fn on_curve(problem: &Pendulum, s: f64, [u, v]: [[f64; 3]; 2]) -> Vec<f64> {
    let mut y = problem.y0.clone();
    (0..3).for_each(|k| {
        y[k] += s * u[k];
        y[3 + k] += s * v[k];
    });
    let length = y[..3].iter().map(|q| q * q).sum::<f64>().sqrt();
    y[..3].iter_mut().for_each(|q| *q /= length);
    let along: f64 = (0..3).map(|k| y[k] * y[3 + k]).sum();
    (0..3).for_each(|k| y[3 + k] -= along * y[k]);
    y
}

/// The derivative of a curve at zero, with an error of order 8.
fn derivative(curve: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let s = 0.01;
    let weights = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let mut sum = [0.0; 6];
    for (i, weight) in weights.iter().enumerate() {
        let s = s * (i + 1) as f64;
        let (ahead, behind) = (curve(s), curve(-s));
        (0..6).for_each(|k| sum[k] += weight * (ahead[k] - behind[k]));
    }
    sum.iter().map(|sum| sum / s).collect()
}

/// $\xi^{\mathsf T} J \eta$.
fn area(xi: &[f64], eta: &[f64]) -> f64 {
    (0..3).map(|k| xi[k] * eta[3 + k] - xi[3 + k] * eta[k]).sum()
}

#[test]
fn the_symplectic_form_is_preserved() {
    let curves = [
        [[0.3, -0.2, 0.5], [1.0, 0.2, -0.4]],
        [[-0.1, 0.6, 0.2], [0.5, -0.8, 0.3]],
        [[0.4, 0.4, -0.3], [-0.2, 0.1, 1.2]],
    ];
    for (a, (method, _)) in PENDULUMS.iter().flat_map(|&a| METHODS.map(|method| (a, method))) {
        let problem = spherical_pendulum(a);
        let dae = UnderlyingOde::new(&problem);
        let tangents = curves.map(|curve| derivative(|s| on_curve(&problem, s, curve)));
        let images = curves.map(|curve| derivative(|s| end(&dae, method, &on_curve(&problem, s, curve), 5, 0.1)));
        for (i, j) in [(0, 1), (1, 2), (0, 2)] {
            let (before, after) = (area(&tangents[i], &tangents[j]), area(&images[i], &images[j]));
            assert!((before - after).abs() < 1e-10, "{method:?} for a = {a}: {before} becomes {after}");
        }
    }
}

/// Published runs with 10,000 steps, and their energy errors.
#[test]
fn published_runs_are_reproduced() {
    let problem = spherical_pendulum(0.0);
    let dae = UnderlyingOde::new(&problem);
    for (method, after_100, after_10_000, largest) in [
        (
            Method::SymplecticEuler,
            [
                0.673_328_053_637,
                0.720_048_275_577,
                -0.167_808_858_597,
                -5.033_331_199_97,
                3.919_169_474_69,
                -3.379_391_785_3,
            ],
            [-0.401_523_94, -0.827_015_28, 0.393_477_12, 6.498_514_5, -2.213_460_6, 1.979_132_6],
            0.031_872,
        ),
        (
            Method::Rattle,
            [
                0.674_619_939_658,
                0.719_155_332_501,
                -0.166_443_818_605,
                -5.023_212_012_4,
                3.929_113_778_57,
                -3.383_218_815_51,
            ],
            [-0.573_729_28, -0.749_535_03, 0.330_199_88, 5.803_612_7, -3.334_529_5, 2.514_706_8],
            0.001_010_91,
        ),
    ] {
        let mut map = Symplectic::new(&dae, method, 0.0, &problem.y0).unwrap();
        let (mut y, energy) = (problem.y0.clone(), problem.energy(&problem.y0));
        let (mut error, mut off) = (0.0_f64, 0.0_f64);
        for n in 1..=10_000 {
            map.step(0.01).unwrap();
            map.write_to(&mut y);
            error = error.max((problem.energy(&y) - energy).abs());
            off = off.max(violation(&problem, &y));
            match n {
                100 => assert!(difference(&y, &after_100) < 1e-10, "{method:?}: {y:?}"),
                10_000 => assert!(difference(&y, &after_10_000) < 1e-7, "{method:?}: {y:?}"),
                _ => {}
            }
        }
        assert!((error / largest - 1.0).abs() < 1e-4, "{method:?}: energy error {error}");
        assert!(off < 1e-14, "{method:?}: constraints violated by {off:e}");
    }
}

/// Energy, over twenty thousand steps of each method; the bound is four times the error of the first hundredth.
#[test]
fn energy_does_not_drift() {
    for (a, (method, order)) in PENDULUMS.iter().flat_map(|&a| METHODS.map(|method| (a, method))) {
        let problem = spherical_pendulum(a);
        let dae = UnderlyingOde::new(&problem);
        let mut map = Symplectic::new(&dae, method, 0.0, &problem.y0).unwrap();
        let (mut y, energy) = (problem.y0.clone(), problem.energy(&problem.y0));
        let mut steps = |n: usize| {
            let mut error = 0.0_f64;
            for _ in 0..n {
                map.step(0.02).unwrap();
                map.write_to(&mut y);
                error = error.max((problem.energy(&y) - energy).abs());
            }
            error
        };
        let [first, last] = [20, 2000].map(&mut steps);
        assert!(last < 4.0 * first + 1e-10, "{method:?}, order {order}, a = {a}: {first:e}, then {last:e}");
    }
}

/// The driver makes the same steps, and finds multipliers, states between steps, and events.
#[test]
fn runs_are_like_those_of_other_methods() {
    for (method, order) in METHODS {
        let problem = spherical_pendulum(0.0);
        let dae = UnderlyingOde::new(&problem);
        let run = || Integration::new(&dae as &dyn Dae).method(method).fixed_step(0.01);
        let reached = run().run_from(0.0, &problem.y0, &problem.yp0, 1.0).unwrap();
        assert_eq!((reached.end_time, reached.statistics.steps), (1.0, 100));
        assert!(difference(&reached.end_state, &end(&dae, method, &problem.y0, 100, 1.0)) < 1e-11, "{method:?}");
        // The multiplier is that of the state reached.
        let y = &reached.end_state;
        let squares: f64 = y[3..6].iter().map(|p| p * p).sum();
        let length: f64 = y[..3].iter().map(|q| q * q).sum();
        assert!((y[6] - (squares - y[2]) / length).abs() < 1e-12, "{method:?}");
        // Between steps, states are as accurate as at the ends of steps, up to a constant.
        let at_ends = difference(&reached.end_state, &AT_1);
        let between = run().record(Record::At(vec![0.995])).run_from(0.0, &problem.y0, &problem.yp0, 1.0).unwrap();
        let exact = solution(&problem, 0.995);
        let error = difference(between.state(0).unwrap(), &exact);
        assert!(error < 3.0 * at_ends + 1e-9, "{method:?} of order {order}: {error:e}, at ends {at_ends:e}");
        // The lowest point of the first swing: an event in the momentum.
        let event = Event::new("lowest", |_, y, _| y[5]).rising().terminal();
        let stopped = run().event(event).run_from(0.0, &problem.y0, &problem.yp0, 1.0).unwrap();
        assert!(stopped.end_state[5].abs() < 1e-9 && stopped.end_time < 0.5, "{method:?}: {}", stopped.end_time);
        // Backwards.
        let back = run().run_from(1.0, &reached.end_state, &slope(&dae, &reached.end_state), 0.0).unwrap();
        let distance = difference(&back.end_state, &problem.y0);
        assert!(distance < if order == 1 { 0.2 } else { 1e-10 }, "{method:?}: {distance:e}");
        // Nothing happens on an empty interval.
        let nothing = run().run_from(0.0, &problem.y0, &problem.yp0, 0.0).unwrap();
        assert_eq!(nothing.end_state, problem.y0);
    }
}

/// $y'$ at a state.
fn slope(dae: &dyn Dae, y: &[f64]) -> Vec<f64> {
    let mut residual = vec![0.0; y.len()];
    let guess = vec![0.0; y.len()];
    dae.residual(0.0, y, &guess, &mut residual);
    (0..y.len()).map(|k| if k < 6 { -residual[k] } else { 0.0 }).collect()
}

#[test]
fn what_does_not_suit_is_refused() {
    let problem = spherical_pendulum(0.0);
    let dae = UnderlyingOde::new(&problem);
    let adaptive = Integration::new(&dae as &dyn Dae).method(Method::Rattle);
    let refused = adaptive.run_from(0.0, &problem.y0, &problem.yp0, 1.0).unwrap_err();
    let RunError::Options(Failure::InvalidOption { message }) = refused else { panic!("not refused: {refused}") };
    assert!(message.contains("RATTLE") && message.contains("fixed_step"), "{message}");

    let planar = pendulum::pendulum(pendulum::Form::Index1);
    let unknown = UnderlyingOde::new(&planar);
    let run = Integration::new(&unknown as &dyn Dae).method(Method::Rattle).fixed_step(0.01);
    let refused = run.run_from(0.0, &planar.y0, &planar.yp0, 1.0).unwrap_err();
    let RunError::Options(Failure::NotHamiltonian { method, form, .. }) = refused else {
        panic!("not refused: {refused}")
    };
    assert_eq!((&*method, &*form), ("RATTLE", "original"));

    assert!(matches!(Symplectic::new(&dae, Method::Bdf, 0.0, &problem.y0), Err(Failure::InvalidOption { .. })));
    assert!(matches!(Symplectic::new(&dae, Method::Rattle, 0.0, &[1.0]), Err(Failure::InvalidOption { .. })));

    // No positions on the sphere are near those that such a step would lead to.
    let mut map = Symplectic::new(&dae, Method::Rattle, 0.0, &problem.y0).unwrap();
    let failure = map.step(10.0).unwrap_err();
    assert!(matches!(failure, Failure::StepSizeTooSmall { .. }), "{failure}");
    assert!(difference(map.positions(), &problem.y0[..3]) == 0.0 && map.time() == 0.0);
    // A shorter one is possible afterwards.
    map.step(0.01).unwrap();
    assert_eq!(map.time(), 0.01);
}
