//! Every Jacobian of every formulation, interpreted, against differences of its function.
//!
//! The differences are central and extrapolated (Ridders, *Accurate computation of F′(x) and F′(x) F″(x)*, Adv. Eng.
//! Software 4, 1982): of a table over halved steps, the entry with the smallest estimated error is taken, up to the
//! step from which errors grow. The relative error allowed is 1e-7; where an entry is small beside its row, the
//! rounding errors of the function set the limit.

use dae::Dae;
use dae::runtime::contract::Pattern;

use super::points::{Point, points};
use super::{compiled, interpreter, models};

/// First steps: states are of order one in all models, inputs have periods of at least 0.01, and parameters are of any
/// magnitude.
const ABSOLUTE: Differences = Differences { first_step: |_| 0.02, rounding: 1e-13 };
const TIME: Differences = Differences { first_step: |_| 0.001, rounding: 1e-13 };
const RELATIVE: Differences = Differences { first_step: |value| 0.02 * value.abs(), rounding: 1e-13 };
/// Differentiated equations have more terms, and so larger rounding errors.
const PROLONGED: Differences = Differences { rounding: 2e-13, ..RELATIVE };

/// How differences are taken.
#[derive(Clone, Copy)]
struct Differences {
    first_step: fn(f64) -> f64,
    /// The error of a difference that is allowed for rounding, relative to the largest entry of the row or to one: the
    /// rounding error of terms of size ten that cancel in a residual, divided by the step.
    rounding: f64,
}

#[test]
fn jacobians_agree_with_differences() {
    let mut entries = 0;
    for model in models() {
        let compiled = compiled(&model.text);
        for form in &compiled.forms {
            let mut interpreted = interpreter(&compiled, &form.form);
            for point in points(interpreted.as_ref(), 3) {
                interpreted.choose_coordinates(point.t, &point.y, &point.yp, true);
                entries += by_state_and_time(interpreted.as_ref(), &point);
                entries += by_parameters(interpreted.as_mut(), &point);
                entries += prolongation(interpreted.as_ref(), &point);
            }
        }
    }
    println!("{entries} entries checked");
    assert!(entries > 5000);
}

fn by_state_and_time(form: &dyn Dae, Point { t, y, yp, .. }: &Point) -> usize {
    let d = form.description();
    let (n, rows) = (y.len(), d.equations.len());
    let name = |what: &str| format!("{} {} {what}", d.model, d.form);
    let values = |length: usize, f: &dyn Fn(&mut [f64])| {
        let mut values = vec![0.0; length];
        f(&mut values);
        values
    };
    let at_y = values(d.jacobian_y.len(), &|v| form.jacobian_y(*t, y, yp, v));
    check(&name("by y"), &d.jacobian_y, &at_y, y, rows, ABSOLUTE, |x, f| form.residual(*t, x, yp, f));
    let at_yp = values(d.jacobian_yp.len(), &|v| form.jacobian_yp(*t, y, yp, v));
    check(&name("by y'"), &d.jacobian_yp, &at_yp, yp, rows, ABSOLUTE, |x, f| form.residual(*t, y, x, f));
    let dense = Pattern { columns: 1, row_starts: (0..=rows).collect(), column_indices: vec![0; rows].into() };
    let at_t = values(rows, &|v| form.jacobian_t(*t, y, yp, v));
    check(&name("by t"), &dense, &at_t, &[*t], rows, TIME, |x, f| form.residual(x[0], y, yp, f));
    let pattern = &d.invariants_jacobian;
    let of_invariants = values(pattern.len(), &|v| form.invariants_jacobian(*t, y, v));
    let count = d.invariants.len();
    check(&name("invariants by y"), pattern, &of_invariants, y, count, ABSOLUTE, |x, f| form.invariants(*t, x, f));
    rows * (2 * n + 1) + count * n
}

fn by_parameters(form: &mut dyn Dae, Point { t, y, yp, jets, .. }: &Point) -> usize {
    let d = form.description().clone();
    let at: Vec<f64> = form.parameters().to_vec();
    let mut values = vec![0.0; d.jacobian_p.len()];
    form.jacobian_p(*t, y, yp, &mut values);
    let name = format!("{} {} by p", d.model, d.form);
    check(&name, &d.jacobian_p, &values, &at, y.len(), RELATIVE, |x, f| {
        form.set_parameters(x);
        form.residual(*t, y, yp, f);
    });
    form.set_parameters(&at);
    let switches = d.switches.len();
    let mut values = vec![0.0; d.switches_jacobian_p.len()];
    form.switches_jacobian_p(*t, y, yp, &mut values);
    let name = format!("{} {} switches by p", d.model, d.form);
    check(&name, &d.switches_jacobian_p, &values, &at, switches, RELATIVE, |x, f| {
        form.set_parameters(x);
        form.switching_functions(*t, y, yp, f);
    });
    form.set_parameters(&at);
    let d = form.prolongation().prolongation_description().clone();
    let mut values = vec![0.0; d.jacobian_p.len()];
    form.prolongation().prolonged_jacobian_p(*t, jets, &mut values);
    let name = format!("{} prolonged by p", d.model);
    check(&name, &d.jacobian_p, &values, &at, d.equations.len(), PROLONGED, |x, f| {
        form.set_parameters(x);
        form.prolongation().prolonged_residual(*t, jets, f);
    });
    form.set_parameters(&at);
    let mut values = vec![0.0; d.start_jacobian_p.len()];
    form.prolongation().start_jacobian_p(*t, &mut values);
    let name = format!("{} start values by p", d.model);
    check(&name, &d.start_jacobian_p, &values, &at, d.jets.len(), RELATIVE, |x, f| {
        form.set_parameters(x);
        form.prolongation().start_values(*t, f);
    });
    form.set_parameters(&at);
    (y.len() + switches + d.equations.len() + d.jets.len()) * at.len()
}

fn prolongation(form: &dyn Dae, Point { t, jets, .. }: &Point) -> usize {
    let prolongation = form.prolongation();
    let d = prolongation.prolongation_description();
    let mut values = vec![0.0; d.jacobian.len()];
    prolongation.prolonged_jacobian(*t, jets, &mut values);
    let name = format!("{} prolonged", d.model);
    check(&name, &d.jacobian, &values, jets, d.equations.len(), ABSOLUTE, |x, f| {
        prolongation.prolonged_residual(*t, x, f)
    });
    d.equations.len() * jets.len()
}

/// Checks every entry of a Jacobian, including the zeros outside its pattern, against differences of `function`.
fn check(
    name: &str,
    pattern: &Pattern,
    values: &[f64],
    at: &[f64],
    rows: usize,
    how: Differences,
    mut function: impl FnMut(&[f64], &mut [f64]),
) {
    assert_eq!((pattern.rows(), pattern.columns, pattern.len()), (rows, at.len(), values.len()), "{name}");
    let mut exact = vec![vec![0.0; at.len()]; rows];
    for (row, column, position) in pattern.entries() {
        exact[row][column] = values[position];
    }
    for column in 0..at.len() {
        let differences = ridders(at, column, rows, how.first_step, &mut function);
        for row in 0..rows {
            let largest = exact[row].iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            let (found, allowed) =
                (exact[row][column], 1e-7 * exact[row][column].abs() + how.rounding * largest.max(1.0));
            let error = (found - differences[row]).abs();
            assert!(error <= allowed, "{name} [{row}, {column}]: {found:e}, difference {:e}", differences[row]);
        }
    }
}

/// The derivatives of all `rows` components of `function` with respect to argument number `column`, at `at`.
fn ridders(
    at: &[f64],
    column: usize,
    rows: usize,
    first_step: fn(f64) -> f64,
    function: &mut impl FnMut(&[f64], &mut [f64]),
) -> Vec<f64> {
    const DEPTH: usize = 9;
    let mut best = vec![(f64::NAN, f64::INFINITY); rows];
    // Once rounding errors make a row worse, later entries of it agree by chance only.
    let mut is_settled = vec![false; rows];
    let mut previous: Vec<Vec<f64>> = Vec::new();
    let mut h = first_step(at[column]);
    for _ in 0..DEPTH {
        let mut shifted = at.to_vec();
        let (mut above, mut below) = (vec![0.0; rows], vec![0.0; rows]);
        shifted[column] = at[column] + h;
        let upper = shifted[column];
        function(&shifted, &mut above);
        shifted[column] = at[column] - h;
        function(&shifted, &mut below);
        let width = upper - shifted[column];
        let mut current = vec![(0..rows).map(|i| (above[i] - below[i]) / width).collect::<Vec<f64>>()];
        for (k, coarse) in previous.iter().enumerate() {
            let weight = 4.0_f64.powi(k as i32 + 1);
            let fine = &current[k];
            let next: Vec<f64> = (0..rows).map(|i| (weight * fine[i] - coarse[i]) / (weight - 1.0)).collect();
            for i in 0..rows {
                let error = (next[i] - fine[i]).abs().max((next[i] - coarse[i]).abs());
                if error < best[i].1 && !is_settled[i] {
                    best[i] = (next[i], error);
                }
            }
            current.push(next);
        }
        if let (Some(now), Some(before)) = (current.last(), previous.last()) {
            for i in 0..rows {
                is_settled[i] |= (now[i] - before[i]).abs() >= 2.0 * best[i].1;
            }
        }
        previous = current;
        h /= 2.0;
    }
    best.iter().map(|entry| entry.0).collect()
}
