//! Taylor series against Radau IIA: digits, steps and time.
//!
//! In: pendulum, car axis and Andrews' mechanism as `.dae` files, references of 22 digits and more. Out: for each problem
//! a table over tolerances: the equations as they are by Taylor series, in 53 and in 106 bits, and the `ggl` and
//! `index1` forms by Radau IIA of variable order. Everything is interpreted.
//!
//! ```sh
//! cargo run --release --features interpreter --example taylor
//! ```
//!
//! Digits are $-\log_{10} \max_i |e_i| / (1 + |y_i|)$ over all unknowns at the end, multipliers included. Times are the
//! shortest of several runs.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::pipeline::{Compiled, compile};
use dae::symbolic::taylor::TaylorSystem;
use dae::taylor::contract::TaylorDae;
use dae::taylor::{DoubleDouble, Keep, Scalar, TaylorIntegration};
use dae::{Integration, Method};

/// Name in the file of references, and model.
const PROBLEMS: [(&str, &str); 3] = [
    (
        "pendulum",
        "pub struct Pendulum {
        var x ~ 1; var y = 0; var u ~ 0; var v = 0; var lambda ~ 0;
        der(x) = u; der(y) = v; der(u) = -lambda*x; der(v) = -lambda*y - 1; 0 = x*x + y*y - 1;
    }",
    ),
    ("car_axis", include_str!("models/car_axis.dae")),
    ("andrews", include_str!("test_set/andrews.dae")),
];
const TOLERANCES: [f64; 6] = [1e-6, 1e-8, 1e-10, 1e-12, 1e-13, 1e-15];
const LONG_TOLERANCES: [f64; 3] = [1e-15, 1e-20, 1e-25];
const FORMS: [Form; 2] = [Form::Ggl, Form::Index1];
const RUNS: usize = 3;

/// Values at the end of a run.
struct Reference {
    end: f64,
    values: Vec<(String, DoubleDouble)>,
}

impl Reference {
    fn read(problem: &str) -> Result<Reference, Box<dyn Error>> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/taylor/references.json");
        let file: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
        let values = file[problem]["values"].as_object().ok_or("no values")?;
        let read = |(name, value): (&String, &serde_json::Value)| {
            Some((name.clone(), value.as_str()?.parse::<DoubleDouble>().ok()?))
        };
        let values = values.iter().map(read).collect::<Option<_>>().ok_or("values are texts")?;
        Ok(Reference { end: file[problem]["end"].as_f64().ok_or("no end")?, values })
    }

    fn digits(&self, value: impl Fn(&str) -> Option<DoubleDouble>) -> f64 {
        let error = |(name, expected): &(String, DoubleDouble)| {
            let found = value(name).unwrap_or(DoubleDouble::from(f64::NAN));
            (found - *expected).abs().high() / (1.0 + expected.high().abs())
        };
        let larger = |worst: f64, e: f64| if e > worst || e.is_nan() { e } else { worst };
        -self.values.iter().map(error).fold(f64::MIN_POSITIVE, larger).log10()
    }
}

/// A cell of the table; the run gives digits, order and steps.
fn cell(run: impl Fn() -> Result<(f64, usize), String>) -> String {
    let mut shortest = f64::INFINITY;
    let mut last = Err(String::new());
    for _ in 0..RUNS {
        let clock = Instant::now();
        last = run();
        shortest = shortest.min(clock.elapsed().as_secs_f64());
    }
    match last {
        Ok((digits, steps)) => format!("{digits:.1}, {steps}, {:.2} ms", 1e3 * shortest),
        Err(message) => message.split(':').next().unwrap_or_default().to_string(),
    }
}

fn by_taylor<S: Scalar>(system: &TaylorSystem, reference: &Reference, tol: f64) -> Result<(f64, usize), String>
where
    TaylorSystem: TaylorDae<S>,
{
    let run = TaylorIntegration::<S>::new(system).rtol(tol).atol(tol).keep(Keep::Ends);
    let solution = run.run(0.0, reference.end).map_err(|error| error.to_string())?;
    let digits = reference.digits(|name| Some(solution.end_value(name)?.to_double_double()));
    Ok((digits, solution.statistics.steps))
}

fn by_radau(compiled: &Compiled, form: &Form, reference: &Reference, tol: f64) -> Result<(f64, usize), String> {
    let form = compiled.forms.iter().find(|it| it.form == *form).ok_or("not available")?;
    let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
    let run = Integration::new(&system).method(Method::Radau).rtol(tol).atol(tol);
    let solution = run.run(0.0, reference.end).map_err(|error| error.to_string())?;
    let place = |name: &str| solution.names.iter().position(|known| known == name);
    let digits = reference.digits(|name| Some(DoubleDouble::from(solution.end_state[place(name)?])));
    Ok((digits, solution.statistics.steps))
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("digits, steps, time");
    for (problem, text) in PROBLEMS {
        let reference = Reference::read(problem)?;
        let (model, _) = dae::symbolic::read_text(text).map_err(|rejection| rejection.diagnostics.to_string())?;
        let compiled = compile(model.with_forms(FORMS), 0.0).map_err(|rejected| rejected.diagnostics.to_string())?;
        let system = TaylorSystem::new(&compiled)?;
        println!("\n| {problem} | Taylor, 53 bits | Radau, ggl | Radau, index1 |\n|---|---|---|---|");
        for tol in TOLERANCES {
            let taylor = cell(|| by_taylor::<f64>(&system, &reference, tol));
            let [ggl, index1] = FORMS.map(|form| cell(|| by_radau(&compiled, &form, &reference, tol)));
            println!("| {tol:.0e} | {taylor} | {ggl} | {index1} |");
        }
        println!("\n| {problem} | Taylor, 106 bits |\n|---|---|");
        for tol in LONG_TOLERANCES {
            println!("| {tol:.0e} | {} |", cell(|| by_taylor::<DoubleDouble>(&system, &reference, tol)));
        }
    }
    Ok(())
}
