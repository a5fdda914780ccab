//! Solutions that slide along surfaces across which the equations jump: Filippov's solutions, against closed forms.

use dae::runtime::solution::Slide;
use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::pipeline::{Compiled, compile};
use dae::symbolic::read_text;
use dae::{Integration, Method, Record, Solution};

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
    let form = index1("var x = 1.5; var y = 1; der(x) = if x > y { -2 } else { 2 }; der(y) = if y > x { -3 } else { 1.5 };");
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
        let expected =
            [(0.0, slips), (sticks, half + slips), (sticks + half, 2.0 * half + slips)].map(|(begin, end)| (begin, Some(end)));
        let found = times(&solution, "v");
        assert_eq!(found.len(), 3, "{method:?}: {found:?}");
        for (found, expected) in found.iter().zip(&expected) {
            let end = |slide: &(f64, Option<f64>)| slide.1.unwrap_or(f64::NAN);
            assert!((found.0 - expected.0).abs() < 1e-7, "{method:?}: {found:?}, {expected:?}");
            assert!(end(expected) > 9.0 || (end(found) - end(expected)).abs() < 1e-7, "{method:?}: {found:?}, {expected:?}");
        }
        assert!((solution.end_state[0] - speed(9.0 - 2.0 * half)).abs() < 1e-7, "{method:?}: {:?}", solution.end_state);
    }
}
