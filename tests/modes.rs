//! Models with modes: each mode has equations of its own, of any index; changes of mode conserve what the equations
//! conserve.

mod interpreted;

use dae::runtime::contract::Dae;
use dae::{Integration, Method, Record, Solution};
use interpreted::available;

const METHODS: [Method; 2] = [Method::Bdf, Method::Radau];

fn run(system: &dyn Dae, method: Method, tolerance: f64, t_end: f64) -> Solution {
    let integration = Integration::new(system).method(method).rtol(tolerance).atol(tolerance).record(Record::Dense);
    match integration.run(0.0, t_end) {
        Ok(solution) => solution,
        Err(error) => panic!("{} by {method:?}: {error}", system.description().form),
    }
}

fn last(solution: &Solution, name: &str) -> f64 {
    let place = solution.names.iter().position(|known| known == name).expect("an unknown");
    solution.end_state[place]
}

/// The ideal clutch of ModiaMath's examples (M. Otter, H. Elmqvist: *Transformation of differential algebraic array
/// equations to index one form*, Modelica 2017) between a motor behind a capacitor and an inertia.
const CLUTCH: &str = "struct Drive {
    param j1 = 0.1; param j2 = 0.4; param r = 10; param c = 2; param k = 0.25; param v0 = 10;
    var w1 = 0; var w2 = 10; var tau; var i; var v;
    j1 * der(w1) = k * i - tau;
    j2 * der(w2) = tau;
    v = k * w1;
    c * der(v) = (v0 - v) / r - i;
    modes clutch {
        free { tau = 0; when t < 100 || t >= 300 { clutch = engaged; } }
        engaged { w1 = w2; when t >= 100 && t < 300 { clutch = free; } }
    }
}";

#[test]
fn a_clutch_conserves_momentum() {
    for form in ["original", "index1", "ggl", "index2", "underlying", "dummy"] {
        let Some(drive) = available(CLUTCH, form) else { panic!("no {form} form") };
        for method in METHODS {
            let solution = run(drive.as_ref(), method, 1e-11, 500.0);
            let names: Vec<&str> = solution.modes.iter().map(|it| it.mode.as_ref()).collect();
            let [free, engaged] = ["clutch = free", "clutch = engaged"];
            assert_eq!(names, [free, engaged, free, engaged], "{form}, {method:?}");
            let times: Vec<f64> = solution.modes.iter().map(|it| it.t).collect();
            assert_eq!(times, [0.0, 0.0, 100.0, 300.0]);
            let after = |k: usize| solution.modes[k].jumps.iter().find(|it| it.unknown == "w1").expect("a jump");
            let found = [
                after(1).after,
                solution.value("w1", 100.0).unwrap(),
                after(3).before,
                after(3).after,
                last(&solution, "w1"),
                last(&solution, "w2"),
            ];
            let expected =
                [6.4, 27.639250776639535, 39.95221433063844, 32.071917656079144, 38.927050730462284, 38.927050730462284];
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() <= 1e-8, "{form}, {method:?}: {found} for {expected}");
            }
        }
    }
}

/// A ball on a string that is slack or taut; `law` stands where it becomes taut.
fn cup_and_ball(law: &str) -> String {
    format!(
        "struct CupAndBall {{
            param m = 2; param l = 1;
            var x = 0.6; var y = 0.3; var u = 1; var v = 0; var lambda;
            der(x) = u;
            der(y) = v;
            m * der(u) = -lambda * x;
            m * der(v) = -lambda * y - m * 9.81;
            modes string {{
                slack {{ lambda = 0; when x.powi(2) + y.powi(2) > l.powi(2) {{ string = taut; {law} }} }}
                taut {{ x.powi(2) + y.powi(2) = l.powi(2); when lambda < 0 {{ string = slack; }} }}
            }}
        }}"
    )
}

/// Why a text is not accepted: the code, the message, the help and the notes of the first error.
fn rejection(text: &str) -> (String, String, String) {
    let found = match dae::symbolic::Text::read_text(text) {
        Err(rejection) => rejection.diagnostics,
        Ok(text) => match dae::symbolic::modes::compile_modes(&text, None, 0.0) {
            Err(rejected) => rejected.diagnostics,
            Ok(_) => panic!("accepted"),
        },
    };
    let first = found.iter().next().expect("an error");
    let notes = format!("{:?} {:?}", first.help, first.notes);
    (first.code.text().to_string(), first.message.clone(), notes)
}

#[test]
fn a_string_that_becomes_taut_needs_a_law() {
    let (code, message, notes) = rejection(&cup_and_ball(""));
    assert_eq!(code, "E443");
    assert_eq!(message, "what `der(x)` and `der(y)` are when `string = taut` is entered is left open");
    assert!(notes.contains("inelastic;"), "{notes}");
}

#[test]
fn a_string_that_becomes_taut_takes_the_radial_velocity() {
    let text = cup_and_ball("inelastic;");
    for form in ["original", "index1", "ggl", "index2"] {
        let Some(ball) = available(&text, form) else { continue };
        for method in METHODS {
            let refused = form == "original" && method == Method::Bdf;
            if refused {
                continue;
            }
            let solution = run(ball.as_ref(), method, 1e-10, 6.0);
            let taut: Vec<_> = solution.modes.iter().filter(|it| it.mode == "string = taut").collect();
            assert!(taut.len() > 2, "{form}, {method:?}: {:?}", solution.modes);
            for entered in taut {
                let before = solution.occurrences.iter().find(|it| it.t == entered.t).expect("an event");
                let at = |name: &str| before.state[solution.names.iter().position(|it| it == name).expect("known")];
                let after = |name: &str| {
                    let jump = entered.jumps.iter().find(|it| it.unknown == name);
                    jump.map_or(at(name), |it| it.after)
                };
                let [x, y, u, v] = ["x", "y", "u", "v"].map(at);
                let energy = |u: f64, v: f64| u * u + v * v;
                let radial = (x * u + y * v) / (x * x + y * y).sqrt();
                let lost = energy(u, v) - energy(after("u"), after("v"));
                assert!((lost - radial * radial).abs() < 1e-12 * energy(u, v).max(1.0), "{form}, {method:?}: {lost}");
            }
            let length = last(&solution, "x").powi(2) + last(&solution, "y").powi(2);
            assert!(length < 1.0 + 1e-8, "{form}, {method:?}: {length}");
        }
    }
}
