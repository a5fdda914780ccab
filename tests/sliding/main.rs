//! Solutions that slide along surfaces across which the equations jump: Filippov's solutions, against closed forms.

mod contract;
mod mechanics;

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

/// A formulation of a model, with what the runtime adds to it.
fn completed(body: &str, form: &str) -> Box<dyn Dae> {
    let (model, _) = read_text(&format!("struct M {{ {body} }}")).expect("a model");
    let compiled = compile(model.with_forms([form.parse::<Form>().expect("a form")]), 0.0).expect("the form");
    let it = &compiled.forms[0];
    Interpreter::new(it.program.clone(), compiled.prolonged.clone()).completed(it.formulation.completion)
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

/// A body that starts at rest on a surface remains there, and begins to move when the force exceeds friction; v' = 2
/// sin t - 1.5 sgn v. It sticks until sin t = 3/4, at a, and then v = 2 (cos a - cos t) - 1.5 (t - a), until that is
/// zero.
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
    // There sin t > -3/4, so that it sticks until sin t = -3/4; from then on everything is repeated with the other
    // sign.
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

/// On the intersection of two surfaces with weights that do not interact, both derivatives are zero; from (1, 2), with
/// x' = -sgn x + 1/2, y' = -sgn y - 1/4, one reaches x = 0 at 2 and y = 0 at 8/5.
#[test]
fn an_intersection_of_two_surfaces() {
    let form = index1(
        "var x = 1; var y = 2; var z = 0; der(x) = -signum(x) + 1/2; der(y) = -signum(y) - 1/4;
         der(z) = x + signum(y);",
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

/// The signs of both functions act on both, so that the weights interact: x' = -sgn x + sgn(y)/2, y' = -sgn(x)/4 - sgn
/// y + w with w' = 1/2, from (1, 1/8) with w = -1/4. Once on both, sgn x = w/2 / (1 + 1/8) and sgn y = w / (1 + 1/8),
/// until sgn y = 1: w = 9/8, at t = 11/4.
#[test]
fn weights_on_an_intersection_interact() {
    let form = index1(
        "var x = 1; var y = 0.125; var w = -0.25; der(x) = -signum(x) + signum(y)/2;
         der(y) = -signum(x)/4 - signum(y) + w; der(w) = 1/2;",
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

/// A tank from which water flows until it is empty, and is filled from the start of a rain on: where the equations of
/// one side hold the solution on the surface, it slides with the weight of that side.
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

/// Around the intersection of x = 0 and y = 0 the four fields lead from one quarter to the next, and inwards: from (1,
/// 0.01) to x = 0 in 1/3 of the unit of time, and from a = 0.01 + 1/3 there in a/3, a/9, a/27, … from each axis to the
/// next.
#[test]
fn a_spiral_ends_on_an_intersection() {
    let form = index1(
        "var x = 1; var y = 0.01; var z = 0; der(x) = -signum(x) - 2 * signum(y); der(y) = 2 * signum(x) - signum(y);
         der(z) = 1 + signum(x);",
    );
    let a = 0.01 + 1.0 / 3.0;
    let end = 1.0 / 3.0 + a / 2.0;
    // z grows by 2 in the unit of time where x > 0, in the first and in every fourth and fifth quarter, by 1 at the
    // end.
    let z = 2.0 * (1.0 / 3.0 + a / 20.0) + (8.0 - end);
    for method in METHODS {
        let solution = run(&form, method, [0.0, 8.0]);
        for switch in ["x", "y"] {
            let [(begin, None)] = times(&solution, switch)[..] else { panic!("{method:?}: {:?}", solution.slides) };
            assert!((begin - end).abs() < 1e-8, "{method:?}: {begin}, {end}");
        }
        assert!(solution.end_state[..2].iter().all(|x| x.abs() < 1e-13), "{method:?}: {:?}", solution.end_state);
        assert!((solution.end_state[2] - z).abs() < 1e-8, "{method:?}: {:?}, {z}", solution.end_state);
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
