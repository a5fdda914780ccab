//! The figures of the example `gallery`, by numbers.

#[allow(dead_code, reason = "what only the program needs")]
#[path = "../examples/gallery.rs"]
mod gallery;

use gallery::{Picture, heavy_top, index_2, kepler, pendulum, rigid_body, ring, spherical_pendulum};

fn curve<'p>(picture: &'p Picture, label: &str) -> &'p [(f64, f64)] {
    let mut curves = picture.panels.iter().flat_map(|panel| &panel.series);
    &curves.find(|series| series.label == label).expect("a curve").points
}

/// The largest value up to time `t`.
fn largest(curve: &[(f64, f64)], t: f64) -> f64 {
    curve.iter().filter(|point| point.0 <= t).map(|point| point.1).fold(0.0, f64::max)
}

/// Theorem VII.2.1: linear growth of the residual of the velocity constraint, quadratic growth of that of the position
/// constraint. Another implementation of DOPRI5, whose controller differs, has 6.6e-5 and 5.1e-3 at the end.
#[test]
fn drift_off_grows_as_the_theorem_says() {
    let picture = pendulum::drift_off().expect("it runs");
    for (label, exponent, end) in [("velocity", 1.0, 6.6e-5), ("position", 2.0, 5.1e-3)] {
        let [at_20, at_80] = [20.0, 80.0].map(|t| largest(curve(&picture, label), t));
        let observed = (at_80 / at_20).log(4.0);
        assert!((observed - exponent).abs() < 0.15, "{label}: exponent {observed}");
        assert!((at_80 / end).log10().abs() < 1.0, "{label}: {at_80:e}");
    }
}

/// Projection of positions alone does not help; that of velocities is as good as both. The other implementation has
/// 1.5e-2, 1.8e-2, 8.7e-4 and 8.3e-4.
#[test]
fn projections_of_velocities_are_what_helps() {
    let picture = pendulum::projections().expect("it runs");
    let ends = pendulum::PROJECTIONS.map(|(label, _)| largest(curve(&picture, label), 80.0));
    let [none, positions, velocities, both] = ends;
    assert!(positions > 0.3 * none && velocities < 0.2 * none && both < 0.2 * none, "{ends:?}");
    assert!((velocities / both).log2().abs() < 1.0, "{ends:?}");
    for (end, other) in ends.into_iter().zip([1.5e-2, 1.8e-2, 8.7e-4, 8.3e-4]) {
        assert!((end / other).log10().abs() < 1.0, "{ends:?}");
    }
}

/// A constraint perturbed by 0.001 sin 100t moves the states by as much, and the unknown of index 2 by some 30 times as much.
/// Reference values: the polar angle on the circle, with 30 digits.
#[test]
fn a_perturbation_moves_the_unknown_of_index_2_by_its_derivative() {
    let references = [
        (0.0, [0.3628473879257067, 0.9318485784050388, 1.0926746345063471]),
        (1e-3, [0.3627268746485947, 0.9319665048475511, 1.1217496020543934]),
    ];
    for (epsilon, reference) in references {
        let solution = index_2::steering_wheel(epsilon).expect("it runs");
        for (name, reference) in ["y1", "y2", "z"].into_iter().zip(reference) {
            let value = solution.value(name, 0.25).expect("recorded");
            assert!((value - reference).abs() < 1e-7, "{name}: {value} for {reference}");
        }
    }
}

/// After a round of the hand the angles differ from those of the start, as computed with 30 digits.
#[test]
fn the_robot_arm_does_not_return() {
    let solution = index_2::arm().expect("it runs");
    let reference = [
        1.6323129615801572,
        1.0311656834266087,
        0.484350848234152,
        -0.009095265070114114,
        -0.4628727432786729,
        0.03201503816661217,
        0.17964445265635404,
    ];
    for (value, reference) in solution.end_state.iter().zip(reference) {
        assert!((value - reference).abs() < 1e-8, "{:?}", solution.end_state);
    }
    assert!(solution.invariants_max() < 1e-14, "{:e}", solution.invariants_max());
}

/// Energy, angular momentum and distances after 10,000 steps, against another implementation.
#[test]
fn only_the_symplectic_orbit_keeps_its_size() {
    for (name, energy_error, angular_momentum, farthest) in [
        ("explicit Euler", 0.468228, 1.07296924638, 8.46453),
        ("explicit Euler, projected", 0.0, 0.887725198396, 1.30715),
        ("symplectic Euler", 0.0143927, 0.8, 1.31644),
    ] {
        let solution = kepler::run(name, 100.0).expect("it runs");
        let largest = |value: fn(&[f64]) -> f64| solution.iter().map(|(_, y)| value(y)).fold(0.0, f64::max);
        let error = solution.iter().map(|(_, y)| (kepler::energy(y) + 0.578125).abs()).fold(0.0, f64::max);
        assert!((error - energy_error).abs() < 1e-6, "{name}: energy error {error}");
        let momentum = kepler::angular_momentum(&solution.end_state);
        assert!((momentum - angular_momentum).abs() < 1e-9, "{name}: angular momentum {momentum}");
        let distance = largest(|y| y[0].hypot(y[1]));
        assert!((distance / farthest - 1.0).abs() < 1e-5, "{name}: distance {distance}");
    }
}

/// Bounds of the energy error that do not grow in a thousand periods, and the loss of energy by the implicit method,
/// which another implementation, with another projection, has as 8.82 at t = 1.
#[test]
fn the_energy_of_the_spherical_pendulum_does_not_drift() {
    for (method, bound) in [(dae::Method::SymplecticEuler, 0.031872), (dae::Method::Rattle, 0.00101091)] {
        let [_, errors] = spherical_pendulum::symplectic(method, 1000).expect("it runs");
        let halves = errors.split_at(errors.len() / 2);
        let [first, second] = [halves.0, halves.1].map(|errors| largest(errors, f64::INFINITY));
        assert!(errors.len() > 100 && (first / bound - 1.0).abs() < 1e-3, "{method:?}: {first}");
        assert!(second < 1.001 * first, "{method:?}: {first}, then {second}");
    }
    let [_, errors] = spherical_pendulum::implicit_euler(1.0).expect("it runs");
    let lost = errors.last().expect("steps").1;
    assert!((lost / 8.82).ln().abs() < 0.2, "{lost}");
}

/// Positions and velocities at t = 1, as computed with 24 digits along the curve on which the ring moves.
#[test]
fn the_ring_keeps_the_constraint_that_is_left_out() {
    let solution = ring::motion(1.0).expect("it runs");
    for (name, reference) in [
        ("y3", 0.998_806_593_386_647),
        ("z3", -0.048_840_444_381_281_82),
        ("x4", 0.998_741_241_986_074_6),
        ("y4", 1.001_256_384_291_444),
        ("z4", 0.001_258_758_013_925_407),
        ("x5", 0.948_648_357_593_223_1),
        ("der(z3)", 1.650_874_192_342_337),
        ("der(x5)", 1.825_234_040_728_127),
    ] {
        let value = solution.end_state[solution.names.iter().position(|it| it == name).expect("an unknown")];
        assert!((value - reference).abs() < 1e-9, "{name}: {value} for {reference}");
    }
    for solution in [solution, ring::rattle(2.0).expect("it runs")] {
        let implied = ring::implied(&solution);
        assert!(largest(&implied, f64::INFINITY) < 1e-11, "{:e}", largest(&implied, f64::INFINITY));
    }
    let energy = ring::energy(&ring::rattle(2.0).expect("it runs"));
    let error = |from: f64, to: f64| {
        let part = energy.iter().filter(|(t, _)| (from..=to).contains(t));
        part.map(|(_, energy)| (energy - energy_at_start()).abs()).fold(0.0, f64::max)
    };
    assert!(error(0.0, 2.0) < 1e-3, "{:e}", error(0.0, 2.0));
}

/// Kinetic energy 2, and two corners at height 1.
fn energy_at_start() -> f64 {
    4.0
}

/// Figures after 10 time units of figure I.2, by another implementation.
#[test]
fn only_the_midpoint_rule_keeps_sphere_and_energy() {
    for (method, radius, energy) in [
        (rigid_body::METHODS[0], 0.514996295941, 0.594607733137),
        (rigid_body::METHODS[1], 0.5, 0.581159918629),
        (rigid_body::METHODS[2], 0.5, 0.580950458214),
    ] {
        let run = rigid_body::run(method, 10).expect("it runs");
        let (found_radius, found_energy) = (0.5 * run.end().norm_squared(), rigid_body::energy(run.end()));
        assert!((found_radius - radius).abs() < 1e-11, "{method}: {found_radius}");
        assert!((found_energy - energy).abs() < 1e-11, "{method}: {found_energy}");
    }
}

/// Order 2 in positions and forces, the constraint to rounding errors, and energy to the accuracy of the steps.
#[test]
fn the_heavy_top_converges() {
    let [coarse, fine, exact] = [400, 800, 6400].map(|steps| {
        let states = heavy_top::motion(0.1, steps).expect("it runs");
        let off = states.iter().map(heavy_top::residual).fold(0.0, f64::max);
        assert!(off < 1e-12, "{off:e}");
        states[steps]
    });
    let ratio = |error: &dyn Fn(usize) -> f64| (error(0) / error(1)).log2();
    let errors = |k: usize| [&coarse, &fine][k];
    let position = ratio(&|k| (errors(k).q.position - exact.q.position).amax());
    let force = ratio(&|k| (errors(k).lambda - exact.lambda).amax());
    // The comparison with 6400 steps, not with the solution itself, adds 0.02.
    assert!((position - 2.0).abs() < 0.1 && (force - 2.0).abs() < 0.1, "{position} {force}");
    let energies = [&fine, &exact].map(heavy_top::energy);
    assert!((energies[0] / energies[1] - 1.0).abs() < 1e-3, "{energies:?}");
}

/// At about 2.33 the eight constraints depend on one another: no method goes beyond.
#[test]
fn the_ring_ends_where_its_constraints_depend_on_one_another() {
    for run in [ring::motion(3.0), ring::rattle(3.0)] {
        let message = run.expect_err("it is not determined how the ring moves on").to_string();
        assert!(message.contains("t = 2.3"), "{message}");
    }
}
