//! Boundary value problems: mesh, error and time for a collection with known solutions.
//!
//! In: `boundary_value_problems/problems.json`: the singularly perturbed problems of the test set of F. Mazzia and
//! J. R. Cash (*A Fortran test set for boundary value problem solvers*, AIP Conf. Proc. 1648, 2015) and others of index up
//! to 3, with independent values of their solutions. Out: for each problem and each set of parameters the number of
//! intervals, the estimated and the true error in units of the tolerance, linearisations, and milliseconds.
//!
//! ```sh
//! cargo run --release --features interpreter --example boundary_value_problems -- 1e-8
//! ```

use std::error::Error;
use std::time::Instant;

use dae::Dae;
use dae::bvp::{Bvp, BvpSolution};
use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::pipeline::compile;
use dae::symbolic::read_text;
use serde_json::Value;

const RUNS: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let tolerance: f64 = std::env::args().nth(1).map_or(Ok(1e-8), |text| text.parse())?;
    let problems: Value = serde_json::from_str(include_str!("boundary_value_problems/problems.json"))?;
    println!(
        "| problem | parameters | intervals | estimate | error | linearisations | ms |\n|---|---|---|---|---|---|---|"
    );
    for problem in problems.as_array().ok_or("an array")? {
        let text = problem["text"].as_str().ok_or("no text")?;
        let (model, _) = read_text(text).map_err(|_| format!("the text of {} is wrong", problem["name"]))?;
        let compiled = compile(model.with_forms([Form::Index1]), 0.0).map_err(|_| "a model is rejected")?;
        let form = compiled.forms.first().ok_or("no form")?;
        let mut form = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
        let ends = [&problem["t0"], &problem["t_end"]].map(|end| end.as_f64().unwrap_or_default());
        for case in problem["cases"].as_array().ok_or("no cases")? {
            let parameters = case["parameters"].as_object().ok_or("no parameters")?;
            for (name, value) in parameters {
                form.set_parameter(name, value.as_f64().ok_or("no number")?)?;
            }
            let mut shortest = f64::INFINITY;
            let mut solved = None;
            for _ in 0..RUNS {
                let clock = Instant::now();
                solved = Some(Bvp::new(&form).rtol(tolerance).atol(tolerance).solve(ends[0], ends[1]));
                shortest = shortest.min(clock.elapsed().as_secs_f64());
            }
            let shown: Vec<String> = parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            print!("| {} | {} | ", problem["name"].as_str().unwrap_or_default(), shown.join(", "));
            match solved.ok_or("no run")? {
                Ok(found) => println!(
                    "{} | {:.1e} | {:.1e} | {} | {:.2} |",
                    found.mesh.len() - 1,
                    found.error_estimate / tolerance,
                    error(&found, case) / tolerance,
                    found.statistics.factorizations,
                    1e3 * shortest
                ),
                Err(error) => println!("{error} |"),
            }
        }
    }
    Ok(())
}

/// The largest error of the values that are known, in units of their sizes.
fn error(found: &BvpSolution, case: &Value) -> f64 {
    let numbers =
        |value: &Value| -> Vec<f64> { value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect() };
    let times = numbers(&case["values"]["t"]);
    let mut largest = 0.0_f64;
    for (name, values) in case["values"].as_object().into_iter().flatten().filter(|(name, _)| *name != "t") {
        let values = numbers(values);
        let size = values.iter().fold(1.0_f64, |size, value| size.max(value.abs()));
        for (&t, exact) in times.iter().zip(&values) {
            let t = if (t - found.end).abs() < 1e-3 { found.end } else { t };
            let computed = found.value(name, t).unwrap_or(f64::NAN);
            largest = largest.max((computed - exact).abs() / size);
        }
    }
    largest
}
