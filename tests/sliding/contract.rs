//! The equations between the sides of surfaces: generated code against the interpreter, and Jacobians against
//! differences.

use dae::runtime::contract::{BlendedDescription, Pattern};
use dae::symbolic::form::Form;
use dae::{Dae, Integration};

use super::mechanics::blocks;
use super::{completed, index1, interpreted};

/// Generated code.
mod generated {
    dae::dae! {
        /// Blocks in a row, coupled by springs, with dry friction.
        pub struct Row {
            const N = 60;
            param k = 1;
            param mu = 0.3;
            var q: [f64; N] = 0;
            var v: [f64; N] = 0;
            for i in 0..N { der(q[i]) = v[i]; }
            der(v[0]) = k * (3 * sin(t / 2) - q[0]) - k * (q[0] - q[1]) - mu * signum(v[0]);
            for i in 1..N - 1 { der(v[i]) = k * (q[i - 1] - 2 * q[i] + q[i + 1]) - mu * signum(v[i]); }
            der(v[N - 1]) = k * (q[N - 2] - q[N - 1]) - mu * signum(v[N - 1]);
        }
    }

    dae::dae! {
        /// Two fields that lead to a line.
        pub struct Line {
            var x = 1.5;
            var y = 1;
            der(x) = if x > y { -2 } else { 2 };
            der(y) = if y > x { -3 } else { 1.5 };
        }
    }
}

/// What generated code and the interpreter give between the sides, at a point of no particular kind.
fn between_sides(form: &dyn Dae) -> (BlendedDescription, Vec<Vec<f64>>) {
    let blended = form.blended().expect("equations between the sides");
    let description = blended.blended_description().clone();
    let n = form.description().unknowns.len();
    let values = |count: usize, seed: f64| (0..count).map(|k| (seed + 1.7 * k as f64).sin()).collect::<Vec<f64>>();
    let (ys, yp) = (values(n + description.surfaces.len(), 0.3), values(n, 0.9));
    let patterns = [&description.jacobian_y, &description.jacobian_yp, &description.surfaces_jacobian];
    let counts = patterns.map(|pattern| pattern.len());
    let m = description.surfaces.len();
    let mut found: Vec<Vec<f64>> =
        [n, counts[0], counts[1], n, m, counts[2], m].into_iter().map(|count| vec![f64::NAN; count]).collect();
    blended.blended_residual(0.7, &ys, &yp, &mut found[0]);
    blended.blended_jacobian_y(0.7, &ys, &yp, &mut found[1]);
    blended.blended_jacobian_yp(0.7, &ys, &yp, &mut found[2]);
    blended.blended_jacobian_t(0.7, &ys, &yp, &mut found[3]);
    blended.surfaces(0.7, &ys[..n], &mut found[4]);
    blended.surfaces_jacobian(0.7, &ys[..n], &mut found[5]);
    blended.surfaces_jacobian_t(0.7, &ys[..n], &mut found[6]);
    (description, found)
}

#[test]
fn generated_code_slides_as_the_interpreter_does() {
    let row = generated::Row::default().index1();
    let line = generated::Line::default().index1();
    assert_eq!(between_sides(&row), between_sides(&interpreted(&blocks(60), Form::Index1)));
    let interpreter =
        index1("var x = 1.5; var y = 1; der(x) = if x > y { -2 } else { 2 }; der(y) = if y > x { -3 } else { 1.5 };");
    assert_eq!(between_sides(&line), between_sides(&interpreter));
    let solution = Integration::new(&line).rtol(1e-10).atol(1e-10).run(0.0, 1.0).unwrap();
    assert!(solution.end_state.iter().all(|value| (value - 31.0 / 34.0).abs() < 1e-9), "{:?}", solution.end_state);
    let solution = Integration::new(&row).rtol(1e-8).atol(1e-8).run(0.0, 20.0).unwrap();
    assert!(solution.slides.len() > 60 && solution.statistics.steps < 500, "{:?}", solution.statistics);
}

/// The Jacobians between the sides are the derivatives of the equations: by differences, at this state with weights.
fn check_jacobians(form: &dyn Dae, (t, ys, yp): (f64, &[f64], &[f64])) {
    let blended = form.blended().expect("equations between the sides");
    let BlendedDescription { surfaces, jacobian_y, surfaces_jacobian, .. } = blended.blended_description();
    let (n, m, h) = (yp.len(), surfaces.len(), 1e-6);
    assert_eq!((n, n + m), (form.description().unknowns.len(), ys.len()));
    let mut values = vec![0.0; jacobian_y.len()];
    blended.blended_jacobian_y(t, ys, yp, &mut values);
    let mut of_surfaces = vec![0.0; surfaces_jacobian.len()];
    blended.surfaces_jacobian(t, &ys[..n], &mut of_surfaces);
    for column in 0..n + m {
        let at = |step: f64| {
            let mut moved = ys.to_vec();
            moved[column] += step;
            let (mut residual, mut sigma) = (vec![0.0; n], vec![0.0; m]);
            blended.blended_residual(t, &moved, yp, &mut residual);
            blended.surfaces(t, &moved[..n], &mut sigma);
            [residual, sigma]
        };
        let [ahead, behind] = [at(h), at(-h)];
        let entry = |pattern: &Pattern, values: &[f64], row: usize| {
            pattern.row(row).find(|(k, _)| *k == column).map_or(0.0, |(_, place)| values[place])
        };
        let check = |k: usize, pattern: &Pattern, values: &[f64], row: usize| {
            let slope = (ahead[k][row] - behind[k][row]) / (2.0 * h);
            assert!((entry(pattern, values, row) - slope).abs() < 1e-7, "{k}, {row}, {column}: {slope}");
        };
        (0..n).for_each(|row| check(0, jacobian_y, &values, row));
        (0..m).for_each(|row| check(1, surfaces_jacobian, &of_surfaces, row));
    }
}

#[test]
fn jacobians_between_the_sides() {
    let form = index1(
        "var x = 1; var y = 0.5; der(x) = -signum(x) * abs(y) + max(x, y) * sin(t);
         der(y) = if x * y > t { exp(-x) } else { y.powi(2) * signum(y) };",
    );
    check_jacobians(&form, (0.9, &[0.3, -0.7, 0.2, 0.6], &[0.1, 0.4]));
}

/// In local coordinates, the multipliers of the constraints take part in the equations between the sides.
#[test]
fn jacobians_between_the_sides_in_local_coordinates() {
    for form in ["dummy", "tangent"] {
        let system = completed(super::mechanics::PENDULUM, form);
        let n = system.description().unknowns.len();
        assert_eq!(n, 7, "four states, the multiplier, and one for each of two constraints");
        let value = |k: usize, scale: f64| scale * (1.0 + 0.7 * k as f64).sin();
        let state: Vec<f64> = [0.6, -0.8, 0.4, 0.3].into_iter().chain((4..n).map(|k| value(k, 0.1))).collect();
        let yp: Vec<f64> = (0..n).map(|k| value(k, 1.0)).collect();
        system.choose_coordinates(0.5, &state, &yp, true);
        let with_weight: Vec<f64> = state.iter().copied().chain([0.3]).collect();
        check_jacobians(&*system, (0.5, &with_weight, &yp));
    }
}
