//! Solutions, options and splines are the same after being written and read back.

use dae::runtime::event::Event;
use dae::symbolic::eval::Interpreter;
use dae::symbolic::pipeline::compile;
use dae::{Integration, Method, Options, Record, Spline, Status, StepControl, Tolerance};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The value written as JSON and read back; `serde_json` reads numbers exactly with its feature `float_roundtrip`.
fn read_back<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).expect("written");
    serde_json::from_str(&text).expect("read")
}

#[test]
fn what_a_run_is_made_with_survives_too() {
    let chosen = Options {
        rtol: 1.0 / 3.0 * 1e-7,
        atol: Tolerance::PerComponent(vec![1e-9, 0.1 + 0.2]),
        max_step: 0.5,
        max_order: Some(9),
        control: StepControl::Fixed(0.01),
        ..Options::default()
    };
    // JSON has no infinite numbers, and bounds may be infinite.
    for options in [Options::default(), chosen] {
        assert_eq!(read_back(&options), options);
    }
    let sparse: Options = serde_json::from_str(r#"{ "rtol": 1e-9, "atol": { "Scalar": 1e-8 } }"#).expect("read");
    assert_eq!(sparse, Options { rtol: 1e-9, atol: Tolerance::Scalar(1e-8), ..Options::default() });
    for method in Method::ALL {
        assert_eq!(read_back(method), *method);
    }
    for record in [Record::Steps, Record::Dense, Record::At(vec![0.1, 0.3])] {
        assert_eq!(read_back(&record), record);
    }
    let spline = Spline::cubic(&[(0.0, 1.0), (0.3, 2.0), (1.0, 0.1), (2.0, 5.0), (2.5, 4.0)]).expect("five points");
    assert_eq!(read_back(&spline), spline);
    for (text, said) in [
        (
            r#"{ "degree": 3, "breaks": [0, 1], "coefficients": [1, 2, 3] }"#,
            "3 coefficients are no spline of degree 3 with 2 breaks",
        ),
        (
            r#"{ "degree": 1, "breaks": [0, 0], "coefficients": [1, 2] }"#,
            "point 2 does not lie to the right of the one before",
        ),
        (r#"{ "degree": 18446744073709551615, "breaks": [0], "coefficients": [] }"#, "are no spline"),
    ] {
        let error = serde_json::from_str::<Spline>(text).expect_err(said).to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn solutions_survive_being_written_and_read() {
    let text = "struct Pendulum { var x = 0.6; var y ~ -0.8; var u = 0; var v ~ 0; var lam; var height; height = y;
        der(x) = u; der(y) = v; der(u) = -lam*x; der(v) = -lam*y - 9.81; 0 = x.powi(2) + y.powi(2) - 1; }";
    let (model, _) = dae::symbolic::read_text(text).expect("readable");
    let Ok(compiled) = compile(model, 0.0) else { panic!("well-posed") };
    for form in &compiled.forms {
        let pendulum = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
        let bottom = || Event::crossing(&pendulum, "x", 0.0).expect("an unknown");
        let run = || Integration::new(&pendulum).method(Method::Radau).record(Record::Dense).event(bottom());
        let whole = run().run(0.0, 1.0).unwrap();
        assert!(whole.is_success() && !whole.occurrences.is_empty());
        let again = read_back(&whole);
        assert!(again == whole);
        assert_eq!(again.value("height", 0.3), whole.value("height", 0.3));
        let short = run().options(dae::Options { max_steps: 3, ..dae::Options::default() }).run(0.0, 1.0);
        let short = short.unwrap_err().into_solution().expect("what was computed");
        assert!(matches!(short.status, Status::Stopped(_)));
        assert!(read_back(&short) == short);
    }
}
