//! Generated code against the interpreter, function by function, at random points.

use dae::Dae;

use super::points::{Point, Random, points};
use super::{compiled, interpreter, models};

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
            let other: Vec<f64> = Random(2).near(&vec![1.0; generated.parameters().len()], 0.2);
            let other: Vec<f64> = other.iter().zip(generated.parameters()).map(|(a, p)| a * p).collect();
            generated.set_parameters(&other);
            interpreted.set_parameters(&other);
            compare(generated.as_ref(), interpreted.as_ref(), &points);
        }
    }
}

/// Every function of the two contracts at every point.
fn compare(a: &dyn Dae, b: &dyn Dae, points: &[Point]) {
    let d = a.description();
    let (rows, constraints) = (d.equations.len(), d.invariants.len());
    let jets = a.prolongation().prolongation_description();
    for Point { t, y, yp, jets: x } in points {
        // Of forms in local coordinates, in those that fit the point.
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
    }
}
