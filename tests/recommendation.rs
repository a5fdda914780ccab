//! Which form is recommended for the examples of Ascher & Petzold (1993) and for other models.

use dae::Dae;
use dae::symbolic::form::Form;
use dae::symbolic::pipeline::compile;
use dae::symbolic::read_text;
use dae::symbolic::recommendation::Recommendation;

fn recommendation(text: &str) -> Recommendation {
    let (model, _) = read_text(text).expect("readable");
    let compiled = compile(model.with_forms([]), 0.0).unwrap_or_else(|rejected| panic!("{}", rejected.diagnostics));
    compiled.recommendation()
}

/// The recommendation for the model in one of the four `dae!` of the example `ascher_petzold`, counted from 1, with
/// other values of parameters.
fn example(number: usize, parameters: &[(&str, &str)]) -> Recommendation {
    let source = include_str!("../examples/ascher_petzold.rs");
    let body =
        source.split("\ndae::dae! {\n").nth(number).and_then(|rest| rest.split_once("\n}\n")).expect("a model").0;
    let mut text = body.to_string();
    for (name, value) in parameters {
        let (before, after) = text.split_once(&format!("param {name} = ")).expect("a parameter");
        let rest = after.split_once(';').expect("its end").1;
        text = format!("{before}param {name} = {value};{rest}");
    }
    recommendation(&text)
}

/// The forms that follow from the conclusions of Ascher & Petzold (1993, Sect. 5) for their examples, and the reasons.
#[test]
fn the_examples_of_the_paper() {
    for (number, nu, form, because) in [
        (1, "1", Form::Ggl, "no faster"),
        (1, "1000", Form::Pa, "turn at a rate of 1000,"),
        (2, "1", Form::Ggl, "no faster"),
        (2, "1000", Form::Pa, "almost along"),
        (3, "1", Form::Ggl, "no faster"),
        (3, "1000", Form::Pa, "almost along"),
        (4, "1", Form::Ggl, "no faster"),
        (4, "1000", Form::Pa, "turn at a rate of 1000,"),
    ] {
        let found = example(number, &[("nu", nu)]);
        assert_eq!(found.form, form, "example {number}, nu = {nu}: {}", found.reason);
        assert!(found.reason.contains(because), "example {number}, nu = {nu}: {}", found.reason);
    }
}

/// $K_1, \dots, K_4$ where they are known in closed form.
#[test]
fn conditioning_constants_of_linear_problems() {
    let constants = |found: Recommendation| found.conditioning.map(|k| [k.k1, k.k2, k.k3, k.k4.unwrap_or(f64::NAN)]);
    let close = |found: [f64; 4], expected: [f64; 4]| {
        let far = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-9 * b;
        assert!(!found.iter().zip(&expected).any(far), "{found:?} instead of {expected:?}");
    };
    // B = Cᵀ is a unit vector that turns at the rate ν; so does R, because RB = 0; and u' = -u.
    for (nu, value) in [("1", 1.0), ("1000", 1000.0)] {
        close(constants(example(1, &[("nu", nu)])).expect("linear"), [1.0, 1.0, value, 1.0]);
    }
    // CB = 4 - t² has the smallest value 3, and B = (ν(2 - t), ν - 1) is longest at t = 0; C = (t + 2, t² - 4), and
    // R = (1 - ν, ν(2 - t))/|B|.
    let [k1, k2, k3, k4] = constants(example(2, &[("nu", "1000")])).expect("linear");
    let smallest_singular_value = |t: f64| {
        let (b1, b2, c1, c2) = (1000.0 * (2.0 - t), 999.0, t + 2.0, t * t - 4.0);
        let squares = 1.0 + c1 * c1 + c2 * c2;
        let determinant = (-b2 * c2 - b1 * c1) / f64::hypot(b1, b2);
        // Without the cancellation of the textbook formula.
        let root = (squares * squares - 4.0 * determinant * determinant).sqrt();
        (2.0 * determinant * determinant / (squares + root)).sqrt()
    };
    let expected = (0..=64).map(|k| 1.0 / smallest_singular_value(f64::from(k) / 64.0)).fold(0.0, f64::max);
    close([k1, k2, k3, k4], [1.0 / 3.0, expected, f64::hypot(2000.0, 999.0), 1.0]);
    // Constant coefficients: along the constraint, p'' = -4 p becomes u'' = -4 u, whose solution operator for (u, u')
    // is (cos 2t, sin(2t)/2; -2 sin 2t, cos 2t), with the largest norm, 2, at t = π/4.
    let text = "struct Oscillator { var p1 = 1; var p2 ~ 0; var v1 = 0; var v2 ~ 0; var y;
        der(p1) = v1; der(p2) = v2; der(v1) = -4 * p1 + 3 * y; der(v2) = -4 * p2 + 4 * y; 0 = 3 * p1 + 4 * p2 - 3; }";
    let [k1, k2, k3, k4] = constants(recommendation(text)).expect("linear");
    close([k1, k2, k3, 1.0], [0.04, 1.0, 5.0, 1.0]);
    assert!((k4 - 2.0).abs() < 1e-3, "{k4}");
    let pendulum = "struct Pendulum { var x = 1; var y ~ 0; var u ~ 0; var v = 0; var l; der(x) = u; der(y) = v;
        der(u) = -l * x; der(v) = -l * y - 1; 0 = x * x + y * y - 1; }";
    assert_eq!(constants(recommendation(pendulum)), None);
}

#[test]
fn other_models() {
    // No hidden constraints.
    let found = recommendation("struct Decay { var x = 1; var y; der(x) = -y; y = 2 * x; }");
    assert_eq!((found.form, found.measures), (Form::Index1, None));
    // A stiff damper beside a joint: the frozen part decays ten thousand times faster than the load moves.
    let found = recommendation(
        "struct Bush { var x = 1; var y ~ 0; var u ~ 0; var v = 0; var l; var w = 0; der(x) = u; der(y) = v;
        der(u) = -l * x; der(v) = -l * y - 1 - w; der(w) = -1e4 * (w - y); 0 = x * x + y * y - 1; }",
    );
    assert_eq!(found.form, Form::Ggl, "{found:?}");
    assert!(found.reason.contains("decays at a rate of 10000,"), "{}", found.reason);
    // At rest, the slowest rate of the model takes the place of the speed of the solution.
    let found = recommendation(
        "struct Pendulum { var x = 0; var y ~ -1; var u = 0; var v ~ 0; var l; der(x) = u; der(y) = v;
        der(u) = -l * x - 0.1 * u; der(v) = -l * y - 1 - 0.1 * v; 0 = x * x + y * y - 1; }",
    );
    let measures = found.measures.expect("measured");
    assert!(measures.speed == 0.0 && (measures.slowest - 1.0).abs() < 1e-12 && (measures.decay - 0.05).abs() < 1e-12);
    assert!(found.form == Form::Ggl && found.reason.contains("no faster"), "{found:?}");
    // Leading parts cancel inside functions: the structure does not say what to differentiate.
    let found = recommendation(
        "struct Hidden { var x ~ -9.7; var y ~ -4.9; var z ~ -2; var w ~ 4.8; let a = der(x) + y*der(y);
        0 = a + a.powi(3) + z - t; 0 = exp(a) - 1 + z*z + sin(z) - w; 0 = x + y*y/2 - 2 - sin(t); 0 = der(z) + w + y - cos(t); }",
    );
    assert_eq!(found.form, Form::DerivativeArray);
}

dae::dae! {
    /// A mass on a nearly vertical rail that is given by a multiplier almost along it.
    pub struct Rail {
        forms(recommended, index1);
        var x = 1;
        var y ~ 1;
        var u = 0;
        var v ~ 0;
        var lambda;
        der(x) = u;
        der(y) = v;
        1e-6 * der(u) = -x - lambda;
        der(v) = -1 + 1e-3 * lambda;
        0 = x - 1e3 * y + 999;
    }
}

/// Explicit methods where nothing is stiff, symplectic ones where the model is a Hamiltonian system.
#[test]
fn other_methods_are_named_where_they_are_better() {
    let pendulum = |force: &str| {
        recommendation(&format!(
            "struct Pendulum {{ var x = 0.6; var y ~ -0.8; var u = 0; var v ~ 0; var lambda;
                der(x) = u; der(y) = v; der(u) = -lambda * x{force}; der(v) = -1 - lambda * y;
                0 = x.powi(2) + y.powi(2) - 1; }}"
        ))
    };
    for (force, methods) in [("", vec!["dop853", "rattle"]), (" - 0.1 * u", vec!["dop853"]), (" - 1e6 * u", vec![])] {
        let found = pendulum(force);
        let others: Vec<&str> = found.others.iter().map(|other| other.method).collect();
        assert_eq!(others, methods, "with the force{force}: {:?}", found.measures);
        assert!(found.others.iter().all(|other| other.form == "underlying"));
    }
    // Without hidden constraints nothing is measured.
    let oscillator = recommendation("struct Oscillator { var x = 1; var v = 0; der(x) = v; der(v) = -sin(x); }");
    assert_eq!(oscillator.others.iter().map(|other| other.method).collect::<Vec<&str>>(), ["rattle"]);
}

/// A generated type has a method for the recommended form.
#[test]
fn the_recommended_form_of_a_type() {
    let form = Rail::default().recommended();
    assert_eq!(form.description().form, "pa", "{}", Rail::REPORT);
    let solution = dae::Integration::new(&form).method(dae::Bdf).run(0.0, 1e-3).expect("it starts");
    assert!(solution.is_success(), "{}", solution.status);
}

/// A form is recommended even where the iterations for eigenvalues or singular values overflow or would take too long.
#[test]
fn awkward_numbers() {
    for text in [
        "struct Cycle { var x = 0; var z ~ 0; var a = 1; var b = 2; var c = 3; var d = 4;
            der(a) = b; der(b) = c; der(c) = d; der(d) = a; der(x) = z; 0 = x - sin(t); }",
        "struct Large { var x = 1; var y ~ 0; var z ~ 0; der(x) = -x + 1e200 * z; der(y) = y + z; 0 = x + 2 * y; }",
        "struct Grows { var x = 1; var y ~ 0; var z ~ 0; der(x) = -x + z * exp(1000 * t); der(y) = y + z; 0 = x + 2 * y; }",
        "struct High { var x = 1; var y ~ 0; var z ~ 0; der(x, 8) = -x + z; der(y, 8) = y + z; 0 = x + 2 * y; }",
    ] {
        let found = recommendation(text);
        assert!(matches!(found.form, Form::Ggl | Form::Pa | Form::Index1), "{found:?}");
    }
}
