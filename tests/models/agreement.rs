//! Generated code against the interpreter, function by function, at random points.

use dae::Dae;
use dae::runtime::contract::{Boundary, IntegralsDescription};
use dae::runtime::interval::TaylorModel;
use fastrand::Rng;

use super::points::{Point, near, points, symmetric};
use super::{boundary, compiled, interpreter, macro_bodies, models, piecewise, valves};

#[test]
fn generated_code_and_interpreter_agree() {
    for model in models() {
        let compiled = compiled(&model.text);
        assert_eq!(model.forms.len(), compiled.forms.len());
        for (mut generated, form) in model.forms.into_iter().zip(&compiled.forms) {
            let mut interpreted = interpreter(&compiled, &form.form);
            assert_eq!(generated.description(), interpreted.description());
            let prolongations = (generated.prolongation(), interpreted.prolongation());
            assert_eq!(prolongations.0.prolongation_description(), prolongations.1.prolongation_description());
            assert_eq!(generated.parameters(), interpreted.parameters());
            let points = points(generated.as_ref(), 20);
            compare(generated.as_ref(), interpreted.as_ref(), &points);
            let other: Vec<f64> = near(&mut Rng::with_seed(2), &vec![1.0; generated.parameters().len()], 0.2);
            let other: Vec<f64> = other.iter().zip(generated.parameters()).map(|(a, p)| a * p).collect();
            generated.set_parameters(&other);
            interpreted.set_parameters(&other);
            compare(generated.as_ref(), interpreted.as_ref(), &points);
        }
    }
}

#[test]
fn generated_code_and_interpreter_agree_on_boundary_conditions() {
    let texts = macro_bodies(include_str!("boundary.rs"));
    let forms: [Box<dyn Dae>; 3] = [
        Box::new(boundary::Beam::default().index1()),
        Box::new(boundary::Swing::default().ggl()),
        Box::new(boundary::Effort::default().index1()),
    ];
    for (text, mut generated) in texts.iter().zip(forms) {
        let compiled = compiled(text);
        let mut interpreted = interpreter(&compiled, &compiled.forms[0].form);
        let mut random = Rng::with_seed(4);
        for factor in [1.0, 0.9] {
            let values: Vec<f64> = generated.parameters().iter().map(|p| factor * p).collect();
            generated.set_parameters(&values);
            interpreted.set_parameters(&values);
            let prolongations = [generated.prolongation(), interpreted.prolongation()];
            let [a, b] = prolongations.map(|it| it.boundary().expect("boundary conditions"));
            let d = a.boundary_description();
            assert_eq!(d, b.boundary_description());
            assert_eq!(a.default_ends(), b.default_ends());
            let (points, jets) = (d.points.len(), prolongations[0].prolongation_description().jets.len());
            let times = near(&mut random, &vec![1.0; points], 0.5);
            let at = near(&mut random, &vec![1.0; points * jets], 0.5);
            let same = |length: usize, f: &dyn Fn(&dyn Boundary, &mut [f64])| {
                let [mut left, mut right] = [vec![f64::NAN; length], vec![f64::INFINITY; length]];
                f(a, &mut left);
                f(b, &mut right);
                assert!(left.iter().all(|value| value.is_finite()), "{left:?}");
                assert_eq!(left, right);
            };
            same(points - 2, &|it, out| it.interior_points(out));
            same(jets, &|it, out| it.boundary_guess([times[0], times[points - 1]], 0.3, out));
            same(d.conditions.len(), &|it, out| it.boundary_residual(&times, &at, out));
            same(d.jacobian.len(), &|it, out| it.boundary_jacobian(&times, &at, out));
            same(d.jacobian_p.len(), &|it, out| it.boundary_jacobian_p(&times, &at, out));
            same(d.jacobian_t.len(), &|it, out| it.boundary_jacobian_t(&times, &at, out));
        }
    }
}

#[test]
fn generated_code_encloses_what_it_can_evaluate() {
    let valves = valves::Valves::default();
    let forms: [Box<dyn Dae>; 3] =
        [Box::new(piecewise::Piecewise::default().ggl()), Box::new(valves.original()), Box::new(valves.index1())];
    for form in forms {
        for Point { t, y, yp, .. } in points(form.as_ref(), 5) {
            let exact = |values: &[f64]| values.iter().map(|&x| TaylorModel::point(x)).collect::<Vec<_>>();
            let mut values = vec![TaylorModel::ENTIRE; form.description().switches.len()];
            form.switch_enclosures(TaylorModel::point(t), &exact(&y), &exact(&yp), &mut values);
            assert!(values.len() > 5 && values.iter().all(|value| value.range().width() < 1e-11), "{values:?}");
        }
    }
}

/// Checks at every point that all functions of the contract have the same values in both formulations, up to rounding.
fn compare(a: &dyn Dae, b: &dyn Dae, points: &[Point]) {
    let d = a.description();
    let (rows, constraints) = (d.equations.len(), d.invariants.len());
    let jets = a.prolongation().prolongation_description();
    for Point { t, y, yp, jets: x } in points {
        // Forms with local coordinates choose coordinates that suit the point.
        let chosen = [a, b].map(|m| m.choose_coordinates(*t, y, yp, true));
        assert_eq!(chosen[0], chosen[1]);
        let same = |name: &str, length: usize, f: &dyn Fn(&dyn Dae, &mut [f64])| {
            let (mut left, mut right) = (vec![0.0; length], vec![0.0; length]);
            f(a, &mut left);
            f(b, &mut right);
            for (i, (left, right)) in left.iter().zip(&right).enumerate() {
                let close = (left - right).abs() <= 4e-16 * left.abs().max(right.abs());
                assert!(close, "{} {} {name}[{i}]: {left:e}, {right:e}", d.model, d.form);
            }
        };
        same("residual", rows, &|m, out| m.residual(*t, y, yp, out));
        same("jacobian_y", d.jacobian_y.len(), &|m, out| m.jacobian_y(*t, y, yp, out));
        same("jacobian_yp", d.jacobian_yp.len(), &|m, out| m.jacobian_yp(*t, y, yp, out));
        same("jacobian_t", rows, &|m, out| m.jacobian_t(*t, y, yp, out));
        same("jacobian_p", d.jacobian_p.len(), &|m, out| m.jacobian_p(*t, y, yp, out));
        same("eliminated", d.eliminated.len(), &|m, out| m.eliminated(*t, y, out));
        same("invariants", constraints, &|m, out| m.invariants(*t, y, out));
        same("invariants_jacobian", d.invariants_jacobian.len(), &|m, out| m.invariants_jacobian(*t, y, out));
        same("switching_functions", d.switches.len(), &|m, out| m.switching_functions(*t, y, yp, out));
        same("switches_jacobian_p", d.switches_jacobian_p.len(), &|m, out| m.switches_jacobian_p(*t, y, yp, out));
        assert_eq!(integrals(a), integrals(b));
        same("integrals_jacobian_t", integrals(a).names.len(), &|m, out| {
            m.first_integrals().into_iter().for_each(|it| it.integrals_jacobian_t(*t, y, out));
        });
        let watched = d.switches.iter().filter(|switch| switch.is_watched()).count();
        same("watched_functions", watched, &|m, out| m.watched_functions(*t, y, yp, out));
        same("start_values", jets.jets.len(), &|m, out| m.prolongation().start_values(*t, out));
        same("prolonged_residual", jets.equations.len(), &|m, out| {
            m.prolongation().prolonged_residual(*t, x, out);
        });
        same("prolonged_jacobian", jets.jacobian.len(), &|m, out| {
            m.prolongation().prolonged_jacobian(*t, x, out);
        });
        same("prolonged_jacobian_p", jets.jacobian_p.len(), &|m, out| {
            m.prolongation().prolonged_jacobian_p(*t, x, out);
        });
        same("start_jacobian_p", jets.start_jacobian_p.len(), &|m, out| m.prolongation().start_jacobian_p(*t, out));
        let states = |m: &dyn Dae| {
            let (mut y, mut yp) = (vec![0.0; d.unknowns.len()], vec![0.0; d.unknowns.len()]);
            m.states_from_jets(*t, x, &mut y, &mut yp);
            (y, yp)
        };
        assert_eq!(states(a), states(b));
        for radius in [1e-9, 1e-3, 0.1] {
            compare_enclosures(a, b, [*t, radius], y, yp);
        }
    }
}

/// The declared first integrals.
fn integrals(form: &dyn Dae) -> IntegralsDescription {
    form.first_integrals().map_or(IntegralsDescription::NONE, |it| it.integrals_description().clone())
}

/// Checks the enclosures of the switching functions over part of a step: they agree up to rounding, and contain the
/// values at random points.
fn compare_enclosures(a: &dyn Dae, b: &dyn Dae, [t, radius]: [f64; 2], y: &[f64], yp: &[f64]) {
    let d = a.description();
    let (mut random, count) = (Rng::with_seed(3), y.len());
    let [along_y, along_yp] = [0; 2].map(|_| near(&mut random, &vec![0.0; count], 0.5 * radius));
    let along = |values: &[f64], slopes: &[f64]| -> Vec<TaylorModel> {
        values.iter().zip(slopes).map(|(&x, &slope)| TaylorModel::new(x, slope, 0.5 * radius)).collect()
    };
    let enclosures = [a, b].map(|form| {
        let mut values = vec![TaylorModel::ZERO; d.switches.len()];
        let time = TaylorModel::new(t, radius, 0.0);
        form.switch_enclosures(time, &along(y, &along_y), &along(yp, &along_yp), &mut values);
        values
    });
    for _ in 0..5 {
        let s = symmetric(&mut random);
        let mut at = |values: &[f64], slopes: &[f64]| -> Vec<f64> {
            let on_line: Vec<f64> = values.iter().zip(slopes).map(|(x, slope)| x + slope * s).collect();
            near(&mut random, &on_line, 0.5 * radius)
        };
        let (y, yp) = (at(y, &along_y), at(yp, &along_yp));
        let mut values = vec![0.0; d.switches.len()];
        a.switching_functions(t + radius * s, &y, &yp, &mut values);
        for (i, value) in values.iter().enumerate() {
            let [of_a, of_b] = [0, 1].map(|k: usize| enclosures[k][i].range());
            let place = format!("{} {} {}: {value:e} in {of_a} and {of_b}", d.model, d.form, d.switches[i].name);
            assert!(of_a.contains(*value) && of_b.contains(*value), "{place}");
            let is_close = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-13 * (1.0 + of_a.magnitude());
            assert!(is_close(of_a.lo(), of_b.lo()) && is_close(of_a.hi(), of_b.hi()), "{place}");
        }
    }
}
