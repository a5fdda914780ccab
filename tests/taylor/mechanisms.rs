//! Mechanisms of index 3 as they are written, against reference values.
//!
//! In: pendulum, car axis and Andrews' mechanism, references of 22 to 28 digits. Out: as many correct digits as the
//! numbers have, constraints that hold, series that are right between the ends of steps, and the order of the method.

use dae::taylor::{DoubleDouble, Keep, TaylorIntegration, TaylorSolution};

use super::{Reference, system};

/// Equations (2.1) to (2.3) of Hairer & Wanner II, Sect. VII.2.
const PENDULUM: &str = "
    pub struct Pendulum {
        param g = 1; param l = 1;
        var x ~ 1; var y = 0; var u ~ 0; var v = 0; var lambda ~ 0;
        der(x) = u;
        der(y) = v;
        der(u) = -lambda*x;
        der(v) = -lambda*y - g;
        0 = x.powi(2) + y.powi(2) - l.powi(2);
    }";

/// The same as three equations of second order.
const SECOND_ORDER: &str = "
    pub struct Pendulum {
        param g = 1; param l = 1;
        var x ~ 1; var y = 0; start der(y) = 0; var lambda ~ 0;
        der(x, 2) = -lambda*x;
        der(y, 2) = -lambda*y - g;
        0 = x.powi(2) + y.powi(2) - l.powi(2);
    }";

/// A model file without its list of formulations, none of which is needed.
fn without_forms(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("forms(")).collect::<Vec<_>>().join("\n")
}

fn car_axis() -> String {
    without_forms(include_str!("../../examples/models/car_axis.dae"))
}

fn andrews() -> String {
    without_forms(include_str!("../../examples/test_set/andrews.dae"))
}

fn assert_digits(label: &str, found: f64, wanted: f64) {
    println!("{label}: {found:.2} digits");
    assert!(found >= wanted, "{label}: {found:.2} digits instead of {wanted}");
}

/// The residuals of the constraint of the pendulum and of its derivative.
fn constraints(solution: &TaylorSolution<f64>) -> f64 {
    let of = |state: &Vec<f64>| {
        let (x, y, u, v) = (state[0], state[1], state[2], state[3]);
        (x * x + y * y - 1.0).abs().max((x * u + y * v).abs())
    };
    solution.states.iter().map(of).fold(0.0, f64::max)
}

fn in_53_bits(text: &str, tol: f64, end: f64) -> TaylorSolution<f64> {
    TaylorIntegration::<f64>::new(&system(text)).rtol(tol).atol(tol).run(0.0, end).unwrap()
}

fn in_106_bits(text: &str, tol: f64, end: f64) -> TaylorSolution<DoubleDouble> {
    TaylorIntegration::<DoubleDouble>::new(&system(text)).rtol(tol).atol(tol).keep(Keep::Ends).run(0.0, end).unwrap()
}

#[test]
fn the_pendulum() {
    let reference = Reference::of("pendulum");
    let solution = in_53_bits(PENDULUM, 1e-15, reference.end);
    assert_digits("pendulum", reference.digits(&solution), 14.0);
    assert!(constraints(&solution) < 4e-15, "{:e}", constraints(&solution));
    let reference = reference.only(|name| !["u", "v"].contains(&name));
    let solution = in_53_bits(SECOND_ORDER, 1e-15, reference.end);
    assert_digits("pendulum of second order", reference.digits(&solution), 13.5);
}

/// In 53 bits there cannot be 14 digits of everything: to round the parameters to 53 bits costs all but 14.9 digits of the
/// car axis and all but 13.2 of Andrews' mechanism, whose velocities change by their own size in a thousandth of the run.
/// In 106 bits the same tolerance gives 14 digits.
#[test]
fn the_car_axis() {
    let (text, reference) = (car_axis(), Reference::of("car_axis"));
    assert_digits("car axis", reference.digits(&in_53_bits(&text, 1e-15, reference.end)), 14.0);
    assert_digits("car axis, 106 bits", reference.digits(&in_106_bits(&text, 1e-15, reference.end)), 14.0);
    assert_digits("car axis, 106 bits, 1e-27", reference.digits(&in_106_bits(&text, 1e-27, reference.end)), 25.0);
}

#[test]
fn andrews_mechanism() {
    let (text, reference) = (andrews(), Reference::of("andrews"));
    let solution = in_53_bits(&text, 1e-15, reference.end);
    assert_digits("Andrews", reference.digits(&solution), 10.0);
    let angles = Reference::of("andrews").only(|name| !name.starts_with("v_") && !name.starts_with("lambda"));
    assert_digits("Andrews, angles", angles.digits(&solution), 13.5);
    assert_digits("Andrews, 106 bits", reference.digits(&in_106_bits(&text, 1e-15, reference.end)), 14.0);
    assert_digits("Andrews, 106 bits, 1e-26", reference.digits(&in_106_bits(&text, 1e-26, reference.end)), 23.0);
}

/// The reference has 22 digits; beyond that, runs of different orders and different steps agree, and so does the energy.
#[test]
fn twenty_five_digits_of_the_pendulum() {
    let pendulum = system(PENDULUM);
    let run = |order: usize, tol: f64| {
        let run = TaylorIntegration::<DoubleDouble>::new(&pendulum).rtol(tol).atol(tol).order(order);
        run.run(0.0, 10.0).unwrap()
    };
    let (solution, other) = (run(34, 1e-29), run(27, 1e-28));
    assert_digits("pendulum with 106 bits", Reference::of("pendulum").digits(&solution), 21.3);
    assert_ne!(solution.statistics.steps, other.statistics.steps);
    let difference = solution.end_state().iter().zip(other.end_state()).map(|(a, b)| (*a - *b).abs().high());
    assert_digits("two runs", -difference.fold(1e-40, f64::max).log10(), 25.0);
    let &[x, y, u, v, lambda] = solution.end_state() else { panic!("five unknowns") };
    // E = (u² + v²)/2 + y is 0 at the start, and λ = u² + v² - y.
    let energy = (u.squared() + v.squared()).times(0.5) + y;
    assert_digits("energy", -energy.abs().high().max(1e-40).log10(), 25.0);
    for (label, residual) in [
        ("length", x.squared() + y.squared() - DoubleDouble::ONE),
        ("velocity", x * u + y * v),
        ("multiplier", u.squared() + v.squared() - y - lambda),
    ] {
        assert_digits(label, -residual.abs().high().max(1e-40).log10(), 29.0);
    }
}

#[test]
fn looser_tolerances_are_kept_too() {
    let pendulum = system(PENDULUM);
    for (tol, wanted) in [(1e-4, 3.0), (1e-6, 5.0), (1e-8, 7.0), (1e-10, 9.0), (1e-12, 11.0)] {
        let solution = TaylorIntegration::<f64>::new(&pendulum).rtol(tol).atol(tol).run(0.0, 10.0).unwrap();
        assert_digits(&format!("{tol:e}"), Reference::of("pendulum").digits(&solution), wanted);
        assert!(constraints(&solution) < 4e-15, "{tol:e}: {:e}", constraints(&solution));
    }
}

/// Forwards and back, and between the ends of steps.
#[test]
fn series_between_steps_and_backward_runs() {
    let pendulum = system(PENDULUM);
    let solution = TaylorIntegration::<f64>::new(&pendulum).rtol(1e-13).atol(1e-13).run(0.0, 10.0).unwrap();
    // At t = 5, from the same source as those at t = 10.
    let at_5 = [("x", -0.685_344_871_278_748_5), ("y", -0.728_218_653_573_166_6), ("lambda", 2.184_655_960_719_5)];
    for (name, expected) in at_5 {
        let found = solution.value(name, 5.0).unwrap();
        assert!((found - expected).abs() < 1e-11, "{name}(5) = {found}");
    }
    let slope = solution.derivative("x", 1, 5.0).unwrap() - solution.value("u", 5.0).unwrap();
    assert!(slope.abs() < 1e-11, "{slope:e}");
    assert_eq!(solution.value("x", 10.5), None);
    assert_eq!(solution.value("z", 1.0), None);
    let back = TaylorIntegration::<f64>::new(&pendulum).rtol(1e-13).atol(1e-13).run(0.0, -10.0).unwrap();
    // Released at rest, the pendulum moves backwards in time as it does forwards.
    for (name, sign) in [("x", 1.0), ("y", 1.0), ("u", -1.0), ("v", -1.0), ("lambda", 1.0)] {
        let difference = back.value(name, -5.0).unwrap() - sign * solution.value(name, 5.0).unwrap();
        assert!(difference.abs() < 1e-11, "{name}: {difference:e}");
    }
}

/// Halving steps of fixed length divides the error by $2^p$.
#[test]
fn the_order_is_that_of_the_series() {
    let pendulum = system(PENDULUM);
    let exact = TaylorIntegration::<f64>::new(&pendulum).rtol(1e-14).atol(1e-14).run(0.0, 10.0).unwrap();
    for (order, h) in [(3, 1.0 / 32.0), (4, 1.0 / 16.0), (5, 1.0 / 16.0), (6, 1.0 / 8.0), (8, 1.0 / 4.0)] {
        // The largest error of all unknowns at t = 1, 2, …, 10, where steps end.
        let error = |h: f64| {
            let solution = TaylorIntegration::<f64>::new(&pendulum).order(order).fixed_step(h).run(0.0, 10.0).unwrap();
            assert_eq!(solution.statistics.steps, (10.0 / h) as usize);
            let times = (1..=10).map(f64::from);
            let errors = times.flat_map(|t| {
                let value = |solution: &TaylorSolution<f64>, name: &str| solution.value(name, t).unwrap();
                ["x", "y", "u", "v", "lambda"].map(|name| (value(&solution, name) - value(&exact, name)).abs())
            });
            errors.fold(0.0, f64::max)
        };
        let observed = (error(h) / error(h / 2.0)).log2();
        println!("order {order}: {observed:.2}, error {:.1e}", error(h / 2.0));
        assert!((observed - order as f64).abs() < 0.6, "order {order}: observed {observed:.2}");
    }
}

#[test]
fn parameters_can_be_changed() {
    let mut pendulum = system(PENDULUM);
    // Four times the gravity: the same motion in half the time.
    pendulum.set_parameter("g", DoubleDouble::from(4.0)).unwrap();
    assert!(pendulum.set_parameter("h", DoubleDouble::ONE).is_err());
    let solution = TaylorIntegration::<f64>::new(&pendulum).rtol(1e-13).atol(1e-13).run(0.0, 5.0).unwrap();
    let positions = Reference::of("pendulum").only(|name| ["x", "y"].contains(&name));
    assert_digits("four times the gravity", positions.digits(&solution), 11.5);
}
