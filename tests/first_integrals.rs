//! Invariants that the text of a model declares: projection onto them, and what happens to those that change.

use dae::runtime::solution::Enforcement;
use dae::symbolic::eval::Interpreter;
use dae::symbolic::pipeline::compile;
use dae::symbolic::read_text;
use dae::{Dae, Failure, Integration, Method, Projection, RunError, Solution};

/// The form `underlying` of a model, completed.
fn underlying(text: &str) -> Box<dyn Dae> {
    let (model, _) = read_text(text).unwrap_or_else(|it| panic!("{}", it.diagnostics));
    let forms = [dae::symbolic::form::Form::Underlying];
    let compiled = compile(model.with_forms(forms), 0.0).unwrap_or_else(|it| panic!("{}", it.diagnostics));
    let form = &compiled.forms[0];
    let interpreter = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
    interpreter.completed(form.formulation.completion)
}

fn run(form: &dyn Dae, method: Method, projection: Projection, t_end: f64) -> Solution {
    let run = Integration::new(form).method(method).projection(projection).rtol(1e-7).atol(1e-7).run(0.0, t_end);
    let solution = run.unwrap_or_else(|error| panic!("{error}"));
    assert!(solution.is_success(), "{}", solution.status);
    solution
}

/// The largest deviation of an invariant.
fn largest(solution: &Solution, name: &str) -> f64 {
    solution.invariants.iter().find(|it| it.name == name).unwrap_or_else(|| panic!("no {name}")).max
}

const KEPLER: &str = "struct Kepler {
    param e = 0.6;
    var x = 1 - e; var y = 0; var u = 0; var v = sqrt((1 + e) / (1 - e));
    let r = sqrt(x.powi(2) + y.powi(2));
    der(x) = u; der(y) = v; der(u) = -x / r.powi(3); der(v) = -y / r.powi(3);
    invariant energy = (u.powi(2) + v.powi(2)) / 2 - 1 / r;
    invariant angular_momentum = x * v - y * u;
}";

const PENDULUM: &str = "struct Pendulum {
    param g = 9.81; param m = 2;
    var x = 1; var y ~ 0; var u ~ 0; var v = 0; var lambda;
    der(x) = u; der(y) = v; m * der(u) = -lambda * x; m * der(v) = -lambda * y - m * g;
    0 = x.powi(2) + y.powi(2) - 1;
    invariant energy = 0.5 * m * (u.powi(2) + v.powi(2)) + m * g * y;
}";

#[test]
fn energy_and_angular_momentum_of_a_planet_are_kept_to_rounding() {
    let form = underlying(KEPLER);
    for method in [Method::Dopri5, Method::Dop853] {
        let (kept, free) = (run(&*form, method, Projection::On, 200.0), run(&*form, method, Projection::Off, 200.0));
        for name in ["energy", "angular_momentum"] {
            assert!(largest(&kept, name) < 2e-14, "{method:?}: {name} {:e}", largest(&kept, name));
            assert!(largest(&free, name) > 1e-8, "{method:?}: {name} {:e}", largest(&free, name));
        }
        assert!(kept.invariants.iter().all(|it| it.enforcement == Enforcement::Projected));
        assert!(free.invariants.iter().all(|it| it.enforcement == Enforcement::Implied));
        // After 200 time units the planet is where Kepler's equation says.
        let error = |solution: &Solution| {
            let (e, mut anomaly) = (0.6, 200.0_f64);
            for _ in 0..50 {
                anomaly -= (anomaly - e * anomaly.sin() - 200.0) / (1.0 - e * anomaly.cos());
            }
            let exact = [anomaly.cos() - e, (1.0 - e * e).sqrt() * anomaly.sin()];
            (solution.end_state[0] - exact[0]).hypot(solution.end_state[1] - exact[1])
        };
        assert!(error(&kept) < error(&free), "{method:?}: {:e}, {:e}", error(&kept), error(&free));
    }
}

#[test]
fn the_energy_of_a_pendulum_is_kept_together_with_its_constraints() {
    let form = underlying(PENDULUM);
    let kept = run(&*form, Method::Dopri5, Projection::On, 50.0);
    assert!(kept.invariants.len() == 3 && kept.invariants_max() < 1e-13, "{:e}", kept.invariants_max());
    let positions = run(&*form, Method::Dopri5, Projection::Positions, 50.0);
    let of = |name: &str| positions.invariants.iter().find(|it| it.name == name).unwrap().enforcement;
    assert_eq!((of("equation 5"), of("energy")), (Enforcement::Projected, Enforcement::Implied));
}

#[test]
fn an_invariant_may_depend_on_time() {
    let form = underlying(
        "struct Driven {
            param w = 2;
            var x = 1; var v = 0;
            der(x) = v; der(v) = -x + sin(w * t);
            let response = sin(w * t) / (1 - w.powi(2));
            invariant amplitude = (x - response).powi(2) + (v - w * cos(w * t) / (1 - w.powi(2))).powi(2);
        }",
    );
    let kept = run(&*form, Method::Dopri5, Projection::On, 100.0);
    let free = run(&*form, Method::Dopri5, Projection::Off, 100.0);
    let [kept, free] = [kept, free].map(|solution| largest(&solution, "amplitude"));
    assert!(kept < 1e-13 && free > 1e-7, "{kept:e}, {free:e}");
}

/// It holds for the default of the parameter only, which no proof shows and no consistent state disproves.
#[test]
fn a_run_is_refused_whose_parameters_make_an_invariant_change() {
    let mut form = underlying(
        "struct Spring {
            param k = 1;
            var x = 1; var v = 0.5;
            der(x) = v; der(v) = -k * x;
            invariant energy = (v.powi(2) + x.powi(2)) / 2;
        }",
    );
    assert!(largest(&run(&*form, Method::Dop853, Projection::On, 10.0), "energy") < 1e-14);
    form.set_parameter("k", 1.001).unwrap();
    for projection in [Projection::On, Projection::Off] {
        let error = Integration::new(&*form).method(Method::Dop853).projection(projection).run(0.0, 1.0).unwrap_err();
        let RunError::Start(failure @ Failure::InvariantChanges { .. }) = error else { panic!("{error}") };
        let expected = "`energy` is declared to be constant, and changes at t = 0 in the underlying form";
        assert!(failure.to_string().starts_with(expected), "{failure}");
    }
}

/// All terms of the derivatives are rounding errors, or zero.
#[test]
fn an_equilibrium_is_no_evidence_of_a_change() {
    let at_rest =
        PENDULUM.replace("var x = 1; var y ~ 0", "var x = 1e-17; var y ~ -1").replace("var v = 0", "var v = 1e-17");
    let form = underlying(&at_rest);
    let kept = run(&*form, Method::Dopri5, Projection::On, 1.0);
    assert!(kept.invariants_max() < 1e-13, "{:e}", kept.invariants_max());
}

/// Symplectic methods do not project onto an energy, which would make them something else.
#[test]
fn symplectic_methods_leave_declared_invariants_alone() {
    let form = underlying(PENDULUM);
    let run = Integration::new(&*form).method(Method::Rattle).fixed_step(0.01).run(0.0, 10.0).unwrap();
    let of = |name: &str| run.invariants.iter().find(|it| it.name == name).unwrap();
    assert_eq!(of("energy").enforcement, Enforcement::Implied);
    assert_eq!(of("equation 5").enforcement, Enforcement::Projected);
    assert!(of("energy").max > 1e-6 && of("energy").max < 0.1, "{:e}", of("energy").max);
    assert!(of("equation 5").max < 1e-14, "{:e}", of("equation 5").max);
}

/// After the reset of an event the values are those to keep from then on.
#[test]
fn values_are_taken_anew_after_an_event() {
    use dae::Event;
    let form = underlying(
        "struct Ball {
            var h = 1; var v = 0;
            der(h) = v; der(v) = -9.81;
            invariant energy = v.powi(2) / 2 + 9.81 * h;
        }",
    );
    let bounce = Event::new("bounce", |_, y, _| y[0]).falling().reset(|_, y| y[1] *= -0.8);
    let run = Integration::new(&*form).method(Method::Dopri5).event(bounce).run(0.0, 1.0).unwrap();
    assert!(run.is_success() && run.occurrences.len() == 1, "{}: {:?}", run.status, run.occurrences);
    assert!(largest(&run, "energy") < 1e-13, "{:e}", largest(&run, "energy"));
}
