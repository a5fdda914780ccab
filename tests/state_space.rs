//! Local coordinates that change during a run: a pendulum that turns over the top, for which no single choice of
//! coordinates is suitable throughout.
//!
//! A thousand turns, with the number of changes:
//!
//! ```sh
//! cargo test --release --features interpreter --test state_space -- --ignored --nocapture
//! ```

use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::pipeline::{Compiled, compile};
use dae::symbolic::read_text;
use dae::{Integration, Method, Solution};

/// It starts at the bottom, fast enough to turn over the top.
const PENDULUM: &str = "struct Pendulum {
    var x = 0;
    var y ~ -1;
    var u = 7;
    var v ~ 0;
    var lambda;
    der(x) = u;
    der(y) = v;
    der(u) = -lambda * x;
    der(v) = -lambda * y - 9.81;
    0 = x.powi(2) + y.powi(2) - 1;
}";
/// A time longer than one turn and shorter than two.
const TURN: f64 = 1.3;
const FORMS: [Form; 3] = [Form::Dummy, Form::StateSpace, Form::Tangent];

fn compiled() -> Compiled {
    let (model, _) = read_text(PENDULUM).expect("readable");
    let forms: Vec<Form> = FORMS.into_iter().chain([Form::Index1]).collect();
    compile(model.with_forms(forms), 0.0).unwrap_or_else(|rejected| panic!("{}", rejected.diagnostics))
}

fn run(compiled: &Compiled, form: &Form, method: Method, tolerance: f64, end: f64) -> Solution {
    let found = compiled.forms.iter().find(|f| f.form == *form).expect("the form exists");
    let system = Interpreter::new(found.program.clone(), compiled.prolonged.clone());
    let system = system.completed(found.formulation.completion);
    let run = Integration::new(system.as_ref()).method(method).rtol(tolerance).atol(tolerance);
    let solution = run.run(0.0, end).expect("it starts");
    assert!(solution.is_success(), "{form} by {method:?}: {}", solution.status);
    solution
}

/// The number of times that the pendulum passes the top.
fn turns(solution: &Solution) -> usize {
    let states: Vec<(f64, f64)> = solution.iter().map(|(_, state)| (state[0], state[1])).collect();
    states.windows(2).filter(|pair| pair[0].0.signum() != pair[1].0.signum() && pair[1].1 > 0.0).count()
}

#[test]
fn coordinates_change_and_the_solution_does_not_notice() {
    let (compiled, end) = (compiled(), 10.0 * TURN);
    let reference = run(&compiled, &Form::Index1, Method::Radau5, 1e-12, end);
    for form in FORMS {
        for method in [Method::Radau5, Method::Bdf] {
            let solution = run(&compiled, &form, method, 1e-9, end);
            assert!(turns(&solution) >= 10, "{form} by {method:?}: {} turns", turns(&solution));
            let changes = solution.statistics.coordinate_changes;
            assert!((20..=80).contains(&changes), "{form} by {method:?}: {changes} changes");
            assert!(solution.invariants_max() < 1e-11, "{form} by {method:?}: {:e}", solution.invariants_max());
            let pairs = solution.end_state[..4].iter().zip(&reference.end_state);
            let error = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error < 2e-5, "{form} by {method:?}: {error:e}");
        }
    }
}

/// Without constraints there are no coordinates to choose or to change.
#[test]
fn without_constraints_nothing_changes() {
    let (model, _) = read_text("struct Decay { var x = 1; der(x) = -x; }").expect("readable");
    let compiled = compile(model.with_forms(FORMS), 0.0).unwrap_or_else(|rejected| panic!("{}", rejected.diagnostics));
    for form in FORMS {
        let solution = run(&compiled, &form, Method::Bdf, 1e-8, 1.0);
        assert_eq!(solution.statistics.coordinate_changes, 0, "{form}");
        assert!((solution.end_state[0] - (-1.0_f64).exp()).abs() < 1e-6, "{form}");
    }
}

#[test]
#[ignore = "a thousand turns take a minute; see the top of this file"]
fn a_thousand_turns() {
    let compiled = compiled();
    for form in FORMS {
        for method in [Method::Radau5, Method::Bdf] {
            let solution = run(&compiled, &form, method, 1e-7, 1000.0 * TURN);
            let (turns, work) = (turns(&solution), solution.statistics);
            println!(
                "{form} by {method:?}: {turns} turns, {} changes of coordinates, {} steps, {} repeated, largest residual {:.1e}",
                work.coordinate_changes,
                work.steps,
                work.rejected(),
                solution.invariants_max()
            );
            assert!(turns >= 1000);
        }
    }
}
