//! The figures of the example `gallery`, by numbers.

#[allow(dead_code, reason = "what only the program needs")]
#[path = "../examples/gallery.rs"]
mod gallery;

use gallery::{Picture, index_2, pendulum};

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
