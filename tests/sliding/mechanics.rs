//! Dry friction: bodies that stick and slip, and come to rest.

use dae::runtime::solution::Slide;
use dae::symbolic::form::Form;
use dae::symbolic::pipeline::Compiled;
use dae::{Integration, Method};

use super::{METHODS, compiled, completed, index1, interpreted, run, times};

/// A block on a belt with Stribeck friction: between its slips the block moves with the belt.
#[test]
fn a_block_on_a_belt_sticks_and_slips() {
    let model = compiled(
        "param m = 1; param k = 100; param c = 0.5; param N = 10; param mus = 0.6; param mud = 0.3; param vs = 0.1;
         param belt = 0.2; var x = 0; var v = 0;
         let vrel = belt - v; let mu = mud + (mus - mud) * exp(-(vrel / vs).powi(2));
         der(x) = v;
         let stick = max(-mus * N, min(mus * N, k * x + c * v));
         let friction = if vrel > 0 { mu * N } else if vrel < 0 { -mu * N } else { stick };
         m * der(v) = -k * x - c * v + friction;",
    );
    for form in [Form::Original, Form::Index1] {
        let system = interpreted(&model, form.clone());
        for method in METHODS {
            let solution = run(&system, method, [0.0, 10.0]);
            let slides = &solution.slides;
            assert!(slides.len() > 3, "{form} by {method:?}: {slides:?}");
            // It slips when the spring and the damper pull with the largest static friction: k x + c belt = mus N.
            for end in slides.iter().filter_map(|slide| slide.end) {
                let place = solution.times.iter().position(|t| *t == end).expect("a step ends there");
                let state = solution.state(place).expect("a state");
                assert!((100.0 * state[0] + 0.1 - 6.0).abs() < 1e-6, "{form} by {method:?}: {state:?}");
                assert!((state[1] - 0.2).abs() < 1e-14, "{form} by {method:?}: {state:?}");
            }
            // Every cycle is like the others.
            let begins: Vec<f64> = slides.iter().map(|slide| slide.begin).collect();
            let periods: Vec<f64> = begins.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let same = periods.windows(2).skip(1).all(|pair| (pair[0] - pair[1]).abs() < 1e-6);
            assert!(same, "{form} by {method:?}: {periods:?}");
        }
    }
}

/// A pendulum in Cartesian coordinates with dry friction that opposes its angular velocity: it comes to rest where
/// gravity along the circle is less than friction, and stays there.
#[test]
fn a_pendulum_with_dry_friction_comes_to_rest() {
    let model = compiled(
        "param g = 9.81; param mu = 0.5; var x = 0.6; var y = -0.8; var u = 0; var v ~ 0; var lambda;
         let w = x * v - y * u;
         der(x) = u; der(y) = v;
         der(u) = -lambda * x + mu * y * signum(w); der(v) = -lambda * y - g - mu * x * signum(w);
         x.powi(2) + y.powi(2) = 1;",
    );
    // The angle from below: phi'' = -g sin phi - mu sgn phi', integrated on its own.
    let angle =
        index1("var phi = 0.6435011087932844; var w = 0; der(phi) = w; der(w) = -9.81 * sin(phi) - 0.5 * signum(w);");
    let reference = run(&angle, Method::Radau, [0.0, 20.0]);
    let rests = times(&reference, "w").last().copied().expect("it comes to rest");
    assert!(rests.0 < 10.0 && rests.1.is_none() && reference.end_state[1].abs() < 1e-15, "{rests:?}");
    for form in [Form::Index1, Form::Index2, Form::Ggl] {
        let system = interpreted(&model, form.clone());
        for method in [Method::Radau5, Method::Bdf] {
            let solution = Integration::new(&system).method(method).rtol(1e-9).atol(1e-9).run(0.0, 20.0);
            let solution = solution.unwrap_or_else(|error| panic!("{form} by {method:?}: {error}"));
            let slide = solution.slides.last().expect("it comes to rest");
            assert!((slide.begin - rests.0).abs() < 1e-5 && slide.end.is_none(), "{form} by {method:?}: {slide:?}");
            let x = solution.value("x", 20.0).unwrap_or(f64::NAN);
            assert!((x - reference.end_state[0].sin()).abs() < 1e-6, "{form} by {method:?}: {x}");
            let [x, y, u, v] = ["x", "y", "u", "v"].map(|name| solution.value(name, 20.0).unwrap_or(f64::NAN));
            assert!((x * v - y * u).abs() < 1e-15, "{form} by {method:?}: {u}, {v}");
            // The constraint on velocities is only implied by the form index1.
            assert!(u.hypot(v) < 1e-8, "{form} by {method:?}: {u}, {v}");
            let at_rest = solution.times.iter().filter(|t| **t > slide.begin + 1e-9).count();
            assert!(at_rest < 40, "{form} by {method:?}: {at_rest} steps at rest");
        }
    }
}

/// A pendulum in Cartesian coordinates with much dry friction.
pub(super) const PENDULUM: &str =
    "param g = 9.81; param mu = 2; var x = 0.6; var y = -0.8; var u = 0; var v ~ 0; var lambda;
    let w = x * v - y * u;
    der(x) = u; der(y) = v;
    der(u) = -lambda * x + mu * y * signum(w); der(v) = -lambda * y - g - mu * x * signum(w);
    x.powi(2) + y.powi(2) = 1;";

/// Every method with step-size control, in the forms that suit it: the pendulum comes to rest at the same time.
#[test]
fn every_method_slides() {
    let angle =
        index1("var phi = 0.6435011087932844; var w = 0; der(phi) = w; der(w) = -9.81 * sin(phi) - 2 * signum(w);");
    let reference = run(&angle, Method::Radau, [0.0, 5.0]);
    let (rests, _) = times(&reference, "w").last().copied().expect("it comes to rest");
    for (form, methods) in [
        ("index1", &[Method::Radau5, Method::Limex][..]),
        ("index2", &[Method::Bdf, Method::Hem5, Method::Mexx]),
        ("stabilized(B)", &[Method::Bdf]),
        ("projected(B)", &[Method::Radau5]),
        ("pc", &[Method::Radau]),
        ("baumgarte(1)", &[Method::Radau5]),
        ("underlying", &[Method::Radau5, Method::Dopri5, Method::Dop853]),
        ("dummy", &[Method::Radau5, Method::Radau, Method::Bdf]),
        ("state_space", &[Method::Bdf]),
        ("tangent", &[Method::Radau5, Method::Radau, Method::Bdf]),
    ] {
        let system = completed(PENDULUM, form);
        for &method in methods {
            let solution = Integration::new(&*system).method(method).rtol(1e-10).atol(1e-10).run(0.0, 5.0);
            let solution = solution.unwrap_or_else(|error| panic!("{form} by {method:?}: {error}"));
            let slide = solution.slides.last().expect("it comes to rest");
            assert!(
                (slide.begin - rests).abs() < 1e-6 && slide.end.is_none(),
                "{form} by {method:?}: {slide:?}, {rests}"
            );
            let x = solution.value("x", 5.0).unwrap_or(f64::NAN);
            assert!((x - reference.end_state[0].sin()).abs() < 1e-6, "{form} by {method:?}: {x}");
        }
    }
}

/// Blocks in a row, coupled by springs, with dry friction; the first is moved to and fro by way of a spring.
pub(super) fn blocks(count: usize) -> Compiled {
    compiled(&format!(
        "const N = {count}; param k = 1; param mu = 0.3; var q: [f64; N] = 0; var v: [f64; N] = 0;
         for i in 0..N {{ der(q[i]) = v[i]; }}
         der(v[0]) = k * (3 * sin(t / 2) - q[0]) - k * (q[0] - q[1]) - mu * signum(v[0]);
         for i in 1..N - 1 {{ der(v[i]) = k * (q[i - 1] - 2 * q[i] + q[i + 1]) - mu * signum(v[i]); }}
         der(v[N - 1]) = k * (q[N - 2] - q[N - 1]) - mu * signum(v[N - 1]);"
    ))
}

/// Blocks that the motion has not reached stay at rest, and cost no steps: as many steps and evaluations for 25 blocks
/// as for 100, and the same motion. Every block sticks and slips alternately.
#[test]
fn blocks_in_a_row() {
    let mut known: Option<(Vec<Slide>, Vec<f64>, usize, usize)> = None;
    for count in [25, 50, 100] {
        let system = interpreted(&blocks(count), Form::Index1);
        let solution = Integration::new(&system).rtol(1e-8).atol(1e-8).run(0.0, 20.0);
        let solution = solution.unwrap_or_else(|error| panic!("{count}: {error}"));
        let moved: Vec<f64> = (0..25).map(|i| solution.value(&format!("q[{i}]"), 20.0).unwrap_or(f64::NAN)).collect();
        let reached = moved.iter().filter(|q| q.abs() > 1e-3).count();
        assert!((2..20).contains(&reached), "{moved:?}");
        let slides: Vec<Slide> = solution.slides.clone();
        assert_eq!(slides.iter().filter(|slide| slide.begin == 0.0).count(), count);
        for i in reached + 1..count {
            let [(begin, None)] = times(&solution, &format!("v[{i}]"))[..] else { panic!("block {i}: {slides:?}") };
            assert_eq!(begin, 0.0, "block {i}");
        }
        let moving: Vec<Slide> = slides.into_iter().filter(|slide| slide.begin > 0.0 || slide.end.is_some()).collect();
        let (steps, residuals) = (solution.statistics.steps, solution.statistics.residuals);
        println!("{count}: {} changes, {steps} steps, {residuals} residuals", moving.len());
        if let Some((slides, q, known_steps, known_residuals)) = &known {
            assert_eq!(slides.len(), moving.len(), "{count}");
            for (one, other) in slides.iter().zip(&moving) {
                assert!(one.switch == other.switch && (one.begin - other.begin).abs() < 1e-5, "{one:?}, {other:?}");
            }
            assert!(q.iter().zip(&moved).all(|(a, b)| (a - b).abs() < 1e-5), "{q:?}, {moved:?}");
            assert!(steps < known_steps + known_steps / 4, "{count}: {steps}, {known_steps}");
            assert!(residuals < known_residuals + known_residuals / 4, "{count}: {residuals}, {known_residuals}");
        }
        known.get_or_insert((moving, moved, steps, residuals));
    }
}

/// The functions of surfaces are multiples of one another by the equations of a gear or of a rigid coupling: the bodies stick
/// together until the force exceeds the sum of all friction. Sticking and slipping in turn, against closed forms: m v' = 2
/// sin t - 1.5 sgn v from v = 1.
#[test]
fn frictions_on_both_sides_of_a_gear_hold_together() {
    let gear = "var v = 1; var w; var s = 0; w = 2 * v; der(s) = v; der(v) = 2 * sin(t) - signum(v) - 0.5 * signum(w);";
    let reversing = gear.replace("w = 2 * v", "w = -3 * v").replace("- 0.5 * signum(w)", "+ 0.5 * signum(w)");
    let coupling = "var v1 = 1; var v2 = 1; var f; var s = 0; der(s) = v1; der(v1) = 2 * sin(t) - signum(v1) - f;
        2 * der(v2) = f - 0.5 * signum(v2); v1 = v2;";
    for (body, expected) in
        [(gear, 1.559_035_416_880_196), (&reversing, 1.559_035_416_880_196), (coupling, 3.018_784_387_495_959)]
    {
        for form in ["index1", "ggl", "original"] {
            let form = completed(body, form);
            for method in METHODS {
                let integration = Integration::new(form.as_ref()).method(method).rtol(1e-9).atol(1e-9);
                let name = &form.description().form;
                let solution = integration.run(0.0, 8.0).unwrap_or_else(|it| panic!("{name}, {method:?}: {it}"));
                let place = solution.names.iter().position(|known| known == "s").expect("the way");
                let error = solution.end_state[place] - expected;
                assert!(error.abs() < 1e-7, "{body}, {name}, {method:?}: {error}");
            }
        }
    }
}

/// An integrator with limits, as controllers have: at a limit the equations of one side stop the motion, and where the
/// input changes its sign, both sides are alike.
#[test]
fn a_limited_integrator_is_released() {
    let limited = "var y = 0; var u; u = sin(t);
        der(y) = if (y >= 0.5 && u > 0) || (y <= -0.8 && u < 0) { 0 } else { u };";
    for form in ["index1", "original"] {
        let form = completed(limited, form);
        for method in METHODS {
            for tolerance in [1e-3, 1e-6, 1e-9] {
                let name = &form.description().form;
                let at = |t: f64, expected: f64| {
                    let integration = Integration::new(form.as_ref()).method(method).rtol(tolerance).atol(tolerance);
                    let solution = integration.run(0.0, t).unwrap_or_else(|it| panic!("{name}, {method:?}: {it}"));
                    let place = solution.names.iter().position(|known| known == "y").expect("the output");
                    let error = solution.end_state[place] - expected;
                    assert!(error.abs() < 1e2 * tolerance, "{name}, {method:?}, {tolerance}: {error} at {t}");
                };
                at(3.0, 0.5);
                at(4.0, 0.5 - 1.0 - 4.0_f64.cos());
                at(6.0, -0.8);
                at(7.0, -0.8 + 1.0 - 7.0_f64.cos());
            }
        }
    }
}

/// Three frictions act on two bodies: at rest, the equations do not tell how much of each acts, and whether the bodies start
/// to move depends on all of them. Against time stepping with convex optimisation in steps of 2e-5, to its 1e-4, and the
/// motion of two stacked blocks that start to slip together, in closed form.
#[test]
fn stacked_blocks_stick_and_slip() {
    let stacked = "var v1 = 0; var v2 = 0; var x1 = 0; var x2 = 0; der(x1) = v1; der(x2) = v2;
        let f = 0.5 * signum(v1 - v2); der(v1) = 2 * sin(t) - f - 0.3 * signum(v1); 2 * der(v2) = f - 0.1 * signum(v2);";
    let differential =
        "var v1 = 1; var v2 = -0.5; var v3; var x = 0; var f; v3 = v1 + v2; der(x) = v3; f = 0.6 * signum(v3);
        der(v1) = sin(t) - 0.4 * signum(v1) - f; der(v2) = 0.5 * cos(t) - 0.3 * signum(v2) - f;";
    // Together from 0.4 on, with 3 v' = t - 0.4.
    let together = "var v1 = 0; var v2 = 0; der(v1) = t - 0.5 * signum(v1 - v2) - 0.3 * signum(v1);
        2 * der(v2) = 0.5 * signum(v1 - v2) - 0.1 * signum(v2);";
    let slipping = 0.5 * 0.5 * 0.5 / 3.0;
    for (body, t_end, expected, known_to) in [
        (stacked, 8.0, &[("v1", 0.92323), ("v2", 0.08935), ("x1", 1.9303), ("x2", 1.8904)][..], 2e-4),
        (differential, 8.0, &[("v1", 0.05948), ("v2", -0.05948), ("x", 0.2544)][..], 2e-4),
        (together, 0.9, &[("v1", slipping), ("v2", slipping)][..], 1e-7),
    ] {
        let mut found: Vec<Vec<f64>> = Vec::new();
        for form in ["index1", "original"] {
            let form = completed(body, form);
            for method in METHODS {
                let integration = Integration::new(form.as_ref()).method(method).rtol(1e-9).atol(1e-9);
                let name = &form.description().form;
                let solution = integration.run(0.0, t_end).unwrap_or_else(|it| panic!("{name}, {method:?}: {it}"));
                let value = |name: &str| {
                    let place = solution.names.iter().position(|known| known == name);
                    solution.end_state[place.expect("an unknown")]
                };
                for (name, expected) in expected {
                    let error = value(name) - expected;
                    assert!(error.abs() < known_to, "{body}\n{method:?}: {name} is off by {error}");
                }
                found.push(expected.iter().map(|(name, _)| value(name)).collect());
            }
        }
        let agree = |values: &Vec<f64>| values.iter().zip(&found[0]).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(found.iter().all(agree), "{body}\n{found:?}");
    }
}
