//! Solutions that slide along surfaces across which the equations jump: Filippov's solutions, against closed forms.

use dae::runtime::contract::{BlendedDescription, Pattern};
use dae::runtime::solution::Slide;
use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::pipeline::{Compiled, compile};
use dae::symbolic::read_text;
use dae::{Dae, Event, Failure, Integration, Method, Record, RunError, Solution};

const METHODS: [Method; 3] = [Method::Radau5, Method::Radau, Method::Bdf];

fn compiled(body: &str) -> Compiled {
    let (model, _) = read_text(&format!("struct M {{ {body} }}")).unwrap_or_else(|r| panic!("{}", r.diagnostics));
    compile(model.with_forms(Form::BASIC), 0.0).unwrap_or_else(|r| panic!("{}", r.diagnostics))
}

fn interpreted(compiled: &Compiled, form: Form) -> Interpreter {
    let form = compiled.forms.iter().find(|it| it.form == form).expect("the form");
    Interpreter::new(form.program.clone(), compiled.prolonged.clone())
}

fn index1(body: &str) -> Interpreter {
    interpreted(&compiled(body), Form::Index1)
}

/// A successful run with tolerances of 1e-10.
fn run(form: &Interpreter, method: Method, [t0, t_end]: [f64; 2]) -> Solution {
    let integration = Integration::new(form).method(method).rtol(1e-10).atol(1e-10).record(Record::Steps);
    integration.run(t0, t_end).unwrap_or_else(|error| panic!("{method:?}: {error}"))
}

/// Begin and end of each slide along a switching function.
fn times(solution: &Solution, switch: &str) -> Vec<(f64, Option<f64>)> {
    let slides = solution.slides.iter().filter(|slide: &&Slide| slide.switch == switch);
    slides.map(|slide| (slide.begin, slide.end)).collect()
}

/// The two fields lead to x = y; with x' = y' and x' = 2 - 4 s, y' = 1.5 s - 3 (1 - s) on the line, s = 10/17.
#[test]
fn a_solution_slides_along_a_line() {
    let form =
        index1("var x = 1.5; var y = 1; der(x) = if x > y { -2 } else { 2 }; der(y) = if y > x { -3 } else { 1.5 };");
    for method in METHODS {
        let solution = run(&form, method, [0.0, 1.0]);
        for value in &solution.end_state {
            assert!((value - 31.0 / 34.0).abs() < 1e-9, "{method:?}: {:?}", solution.end_state);
        }
        let steps = solution.times.iter().filter(|t| **t > 1.0 / 7.0 + 1e-9).count();
        assert!(steps < 20, "{method:?}: {steps} steps");
        let [slide] = &solution.slides[..] else { panic!("{method:?}: {:?}", solution.slides) };
        assert!((slide.begin - 1.0 / 7.0).abs() < 1e-9 && slide.end.is_none(), "{method:?}: {slide:?}");
    }
}

#[test]
fn a_body_at_rest_stays_at_rest() {
    let form = index1("var v = 1; der(v) = -signum(v);");
    for method in METHODS {
        let solution = run(&form, method, [0.0, 5.0]);
        assert!(solution.end_state[0].abs() < 1e-15, "{method:?}: {:?}", solution.end_state);
        let at_rest = solution.times.iter().filter(|t| **t > 1.0 + 1e-9).count();
        assert!(at_rest < 20, "{method:?}: {at_rest} steps at rest");
        let [(begin, None)] = times(&solution, "v")[..] else { panic!("{method:?}: {:?}", solution.slides) };
        assert!((begin - 1.0).abs() < 1e-9, "{method:?}: {begin}");
    }
}

/// A body that starts at rest on a surface remains there, and begins to move when the force exceeds friction; v' = 2 sin
/// t - 1.5 sgn v. It sticks until sin t = 3/4, at a, and then v = 2 (cos a - cos t) - 1.5 (t - a), until that is zero.
#[test]
fn stick_and_slip_under_a_periodic_force() {
    let form = index1("var v = 0; der(v) = 2*sin(t) - 1.5*signum(v);");
    let slips = f64::asin(0.75);
    let speed = |t: f64| 2.0 * (slips.cos() - t.cos()) - 1.5 * (t - slips);
    let (mut before, mut after) = (2.0, 4.0);
    for _ in 0..100 {
        let middle = 0.5 * (before + after);
        if speed(middle) > 0.0 { before = middle } else { after = middle }
    }
    // There sin t > -3/4, so that it sticks until sin t = -3/4; from then on everything is repeated with the other sign.
    let sticks = before;
    assert!((2.0 * sticks.sin()).abs() < 1.5);
    let half = std::f64::consts::PI;
    for method in METHODS {
        let solution = run(&form, method, [0.0, 9.0]);
        let expected = [(0.0, slips), (sticks, half + slips), (sticks + half, 2.0 * half + slips)]
            .map(|(begin, end)| (begin, Some(end)));
        let found = times(&solution, "v");
        assert_eq!(found.len(), 3, "{method:?}: {found:?}");
        for (found, expected) in found.iter().zip(&expected) {
            let end = |slide: &(f64, Option<f64>)| slide.1.unwrap_or(f64::NAN);
            assert!((found.0 - expected.0).abs() < 1e-7, "{method:?}: {found:?}, {expected:?}");
            assert!(
                end(expected) > 9.0 || (end(found) - end(expected)).abs() < 1e-7,
                "{method:?}: {found:?}, {expected:?}"
            );
        }
        assert!((solution.end_state[0] - speed(9.0 - 2.0 * half)).abs() < 1e-7, "{method:?}: {:?}", solution.end_state);
    }
}

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

/// On the intersection of two surfaces with weights that do not interact, both derivatives are zero; from (1, 2), with
/// x' = -sgn x + 1/2, y' = -sgn y - 1/4, one reaches x = 0 at 2 and y = 0 at 8/5.
#[test]
fn an_intersection_of_two_surfaces() {
    let form = index1(
        "var x = 1; var y = 2; var z = 0; der(x) = -signum(x) + 1/2; der(y) = -signum(y) - 1/4; der(z) = x + signum(y);",
    );
    for method in METHODS {
        let solution = run(&form, method, [0.0, 6.0]);
        assert_eq!(times(&solution, "x").len(), 1, "{method:?}: {:?}", solution.slides);
        let begins = [times(&solution, "x")[0], times(&solution, "y")[0]];
        assert!((begins[0].0 - 2.0).abs() < 1e-9 && begins[0].1.is_none(), "{method:?}: {begins:?}");
        assert!((begins[1].0 - 1.6).abs() < 1e-9 && begins[1].1.is_none(), "{method:?}: {begins:?}");
        // z' = x + sgn y, where sgn y is replaced by -1/4 on the surface: 1 + 8/5 - 22/5/4.
        let z = 1.0 + 1.6 - 0.25 * 4.4;
        assert!((solution.end_state[2] - z).abs() < 1e-8, "{method:?}: {:?}", solution.end_state);
        let last = solution.times.iter().filter(|t| **t > 2.0 + 1e-9).count();
        assert!(last < 20, "{method:?}: {last} steps");
    }
}

/// The signs of both functions act on both, so that the weights interact: x' = -sgn x + sgn(y)/2, y' = -sgn(x)/4 - sgn y
/// + w with w' = 1/2, from (1, 1/8) with w = -1/4. Once on both, sgn x = w/2 / (1 + 1/8) and sgn y = w / (1 + 1/8), until
/// sgn y = 1: w = 9/8, at t = 11/4.
#[test]
fn weights_on_an_intersection_interact() {
    let form = index1(
        "var x = 1; var y = 0.125; var w = -0.25; der(x) = -signum(x) + signum(y)/2; der(y) = -signum(x)/4 - signum(y) + w;
         der(w) = 1/2;",
    );
    for method in METHODS {
        let solution = run(&form, method, [0.0, 5.0]);
        let [y] = times(&solution, "y")[..] else { panic!("{method:?}: {:?}", solution.slides) };
        assert!((y.1.unwrap_or(f64::NAN) - 2.75).abs() < 1e-7, "{method:?}: {:?}", solution.slides);
        // Beyond, x' = -sgn x + 1/2 = 0, and y' = -1/8 - 1 + w.
        let y = 0.25 * (5.0_f64 - 2.75).powi(2);
        assert!(
            solution.end_state[0].abs() < 1e-14 && (solution.end_state[1] - y).abs() < 1e-7,
            "{:?}",
            solution.end_state
        );
    }
}

/// x' = (t - 1) sgn x leads to x = 0 before t = 1, and away from it afterwards.
#[test]
fn a_run_ends_where_both_sides_lead_away() {
    let form = index1("var x = 0.125; var s = -1; der(s) = 1; der(x) = s * signum(x);");
    for method in METHODS {
        let error = Integration::new(&form).method(method).rtol(1e-8).atol(1e-8).run(0.0, 3.0).unwrap_err();
        let RunError::Stopped { failure: Failure::Ambiguous { t, exits }, solution } = &error else {
            panic!("{method:?}: {error}")
        };
        assert!((t - 1.0).abs() < 1e-6 && *exits == ["x < 0", "x > 0"], "{method:?}: {error}");
        assert!((solution.end_time - 1.0).abs() < 1e-6, "{method:?}: {}", solution.end_time);
        assert_eq!(times(solution, "x").len(), 1, "{method:?}");
    }
}

/// Backwards in time, sides that lead away lead back.
#[test]
fn a_solution_slides_backwards() {
    let form = index1("var v = 1; var z = 0; der(v) = signum(v); der(z) = 1 + v;");
    for method in METHODS {
        let solution = run(&form, method, [0.0, -3.0]);
        let [(begin, None)] = times(&solution, "v")[..] else { panic!("{method:?}: {:?}", solution.slides) };
        assert!((begin + 1.0).abs() < 1e-9 && solution.end_state[0].abs() < 1e-15, "{method:?}: {:?}", solution.slides);
        assert!((solution.end_state[1] + 3.5).abs() < 1e-8, "{method:?}: {:?}", solution.end_state);
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

/// Blocks in a row, coupled by springs, with dry friction; the first is moved to and fro by way of a spring.
fn blocks(count: usize) -> Compiled {
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

/// The Jacobians between the sides are the derivatives of the equations: by differences.
#[test]
fn jacobians_between_the_sides() {
    let form = index1(
        "var x = 1; var y = 0.5; der(x) = -signum(x) * abs(y) + max(x, y) * sin(t);
         der(y) = if x * y > t { exp(-x) } else { y.powi(2) * signum(y) };",
    );
    let blended = form.blended().expect("equations between the sides");
    let BlendedDescription { surfaces, jacobian_y, surfaces_jacobian, .. } = blended.blended_description();
    assert_eq!(surfaces.len(), 2, "{:?}", form.description().switches);
    let (ys, yp, t, h) = (vec![0.3, -0.7, 0.2, 0.6], vec![0.1, 0.4], 0.9, 1e-6);
    let mut values = vec![0.0; jacobian_y.len()];
    blended.blended_jacobian_y(t, &ys, &yp, &mut values);
    let mut of_surfaces = vec![0.0; surfaces_jacobian.len()];
    blended.surfaces_jacobian(t, &ys[..2], &mut of_surfaces);
    for column in 0..4 {
        let at = |step: f64| {
            let mut moved = ys.clone();
            moved[column] += step;
            let (mut residual, mut sigma) = (vec![0.0; 2], vec![0.0; 2]);
            blended.blended_residual(t, &moved, &yp, &mut residual);
            blended.surfaces(t, &moved[..2], &mut sigma);
            [residual, sigma]
        };
        let [ahead, behind] = [at(h), at(-h)];
        let slopes = |k: usize, row: usize| (ahead[k][row] - behind[k][row]) / (2.0 * h);
        for row in 0..2 {
            let entry = |pattern: &Pattern, values: &[f64]| {
                pattern.row(row).find(|(k, _)| *k == column).map_or(0.0, |(_, place)| values[place])
            };
            assert!((entry(jacobian_y, &values) - slopes(0, row)).abs() < 1e-8, "{row}, {column}");
            assert!((entry(surfaces_jacobian, &of_surfaces) - slopes(1, row)).abs() < 1e-8, "{row}, {column}");
        }
    }
}

/// A tank from which water flows until it is empty, and is filled from the start of a rain on: where the equations of one
/// side hold the solution on the surface, it slides with the weight of that side.
#[test]
fn what_one_side_holds_stays() {
    let form =
        index1("var level = 1; var s = 0; der(s) = 1; der(level) = max(s - 2, 0) + if level > 0 { -1 } else { 0 };");
    for method in METHODS {
        let solution = run(&form, method, [0.0, 4.0]);
        let [(begin, Some(end))] = times(&solution, "level")[..] else { panic!("{method:?}: {:?}", solution.slides) };
        // As soon as it rains, the weight of the outflow grows, until it rains as much as flows out.
        assert!((begin - 1.0).abs() < 1e-8 && (end - 3.0).abs() < 1e-7, "{method:?}: {begin}, {end}");
        assert!((solution.end_state[0] - 0.5).abs() < 1e-7, "{method:?}: {:?}", solution.end_state);
        assert!(solution.statistics.jacobians < 300, "{method:?}: {:?}", solution.statistics);
    }
}

/// Around the intersection of x = 0 and y = 0 the four fields lead from one quarter to the next, and inwards; from (1, 0)
/// on, each turn is 1/3 of the last: x' = -sgn x - 2 sgn y, y' = 2 sgn x - sgn y.
#[test]
fn a_spiral_ends_on_an_intersection() {
    let form = index1(
        "var x = 1; var y = 0.01; var z = 0; der(x) = -signum(x) - 2 * signum(y); der(y) = 2 * signum(x) - signum(y);
         der(z) = 1 + signum(x);",
    );
    for method in METHODS {
        let solution = run(&form, method, [0.0, 8.0]);
        let begins = [times(&solution, "x"), times(&solution, "y")];
        assert!(
            begins.iter().all(|slides| slides.len() == 1 && slides[0].1.is_none()),
            "{method:?}: {:?}",
            solution.slides
        );
        let begin = begins[0][0].0;
        // |x| + |y| falls by 2 in each quarter in the unit of time, and by 6 where both lead outwards: see below.
        assert!(solution.end_state[..2].iter().all(|x| x.abs() < 1e-13), "{method:?}: {:?}", solution.end_state);
        let z = solution.end_state[2];
        assert!(begin > 0.3 && begin < 3.0 && (z - (8.0 - begin)).abs() < 3.0, "{method:?}: {begin}, {z}");
    }
}

/// Every method with step-size control, in the forms that suit it: the pendulum comes to rest at the same time.
#[test]
fn every_method_slides() {
    let text = "param g = 9.81; param mu = 2; var x = 0.6; var y = -0.8; var u = 0; var v ~ 0; var lambda;
         let w = x * v - y * u;
         der(x) = u; der(y) = v;
         der(u) = -lambda * x + mu * y * signum(w); der(v) = -lambda * y - g - mu * x * signum(w);
         x.powi(2) + y.powi(2) = 1;";
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
    ] {
        let (model, _) = read_text(&format!("struct M {{ {text} }}")).expect("a model");
        let compiled = compile(model.with_forms([form.parse::<Form>().expect("a form")]), 0.0).expect("the form");
        let it = &compiled.forms[0];
        let system =
            Interpreter::new(it.program.clone(), compiled.prolonged.clone()).completed(it.formulation.completion);
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

/// States between steps and at given times are on the surface, and events happen there. On x = y, both fall by 6/17 in
/// the unit of time, from 17/14 at 1/7.
#[test]
fn what_is_recorded_on_a_surface() {
    let form =
        index1("var x = 1.5; var y = 1; der(x) = if x > y { -2 } else { 2 }; der(y) = if y > x { -3 } else { 1.5 };");
    let exact = |t: f64| 17.0 / 14.0 - 6.0 / 17.0 * (t - 1.0 / 7.0);
    let at: Vec<f64> = (3..20).map(|k| 0.05 * f64::from(k)).collect();
    for method in METHODS {
        let base = || Integration::new(&form).method(method).rtol(1e-9).atol(1e-9);
        let dense = base().record(Record::Dense).run(0.0, 1.0).unwrap();
        let listed = base().record(Record::At(at.clone())).run(0.0, 1.0).unwrap();
        for (k, &t) in at.iter().enumerate() {
            let listed = listed.state(k).expect("it has been recorded");
            let between = dense.at(t).expect("within the run");
            for value in [listed[0], listed[1], between[0], between[1]] {
                assert!((value - exact(t)).abs() < 1e-8, "{method:?} at {t}: {value}, {}", exact(t));
            }
        }
        // x = 1.1 at 1/7 + 17/6 (17/14 - 1.1); there x is set to 1.4, and returns to the line.
        let event = Event::new("low", |_, state, _| state[0] - 1.1).falling().reset(|_, state| state[0] = 1.4);
        let solution = base().event(event).run(0.0, 0.6).unwrap();
        let first = 1.0 / 7.0 + 17.0 / 6.0 * (17.0 / 14.0 - 1.1);
        assert!((solution.occurrences[0].t - first).abs() < 1e-8, "{method:?}: {:?}", solution.occurrences);
        assert_eq!(solution.slides.len(), 2, "{method:?}: {:?}", solution.slides);
        let again = first + 0.3 / 3.5;
        assert!((solution.slides[1].begin - again).abs() < 1e-8, "{method:?}: {:?}", solution.slides);
        assert_eq!(solution.slides[0].end, Some(solution.occurrences[0].t), "{method:?}");
    }
}

/// Derivatives of solutions are not carried along surfaces, and none is returned.
#[test]
fn derivatives_along_surfaces_are_refused() {
    let form = index1("param mu = 1; var v = 1; var x = 0; der(v) = -mu * signum(v); der(x) = v;");
    let error = Integration::new(&form).sensitivities(["mu"]).run(0.0, 2.0).unwrap_err();
    let RunError::Stopped { failure: Failure::NotDifferentiable { t, quantity }, .. } = &error else {
        panic!("{error}")
    };
    assert!((t - 1.0).abs() < 1e-5 && quantity == "mu", "{error}");
    assert!(Integration::new(&form).sensitivities(["mu"]).adjoint(0.0, 2.0).is_err());
    let before = Integration::new(&form).sensitivities(["mu"]).run(0.0, 0.5).unwrap();
    assert_eq!(before.slides, []);
}
