//! Constrained problems of the test set for IVP solvers (Mazzia & Magherini), from their equations to solutions, in
//! sixteen formulations.
//!
//! In: models as `.dae` files, and published values at the end of the interval. Out: for each problem a table over
//! formulations and methods, with the number of correct digits, steps, seconds, and the largest residual of a
//! constraint that the form enforces; or with the reason why the form or the run failed.
//!
//! ```sh
//! cargo run --release --features interpreter --example test_set            # all
//! cargo run --release --features interpreter --example test_set -- andrews
//! cargo run --release --features interpreter --example test_set -- andrews --projection
//! ```
//!
//! The last command prints the cost of projecting every step onto the constraints: ratios of times and of numbers of
//! steps, with projection over without. Each time is the shortest of several runs, with and without in turns.

use std::error::Error;
use std::path::Path;

use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::formulation::CompiledForm;
use dae::symbolic::pipeline::{Compiled, compile};
use dae::{Dae, Integration, Method, Options, Projection, Record, Solution, Tolerance};

/// A model and its reference values: paths of files, relative to `examples`.
struct Problem {
    name: &'static str,
    model: &'static str,
    reference: &'static str,
}

const PROBLEMS: [Problem; 6] = [
    Problem { name: "car axis", model: "models/car_axis.dae", reference: "../tests/references/car_axis.json" },
    Problem {
        name: "slider crank",
        model: "models/slider_crank.dae",
        reference: "../tests/references/slider_crank.json",
    },
    Problem { name: "andrews", model: "test_set/andrews.dae", reference: "test_set/andrews.json" },
    Problem { name: "fekete", model: "test_set/fekete.dae", reference: "test_set/fekete.json" },
    Problem { name: "wheelset", model: "test_set/wheelset.dae", reference: "test_set/wheelset.json" },
    Problem { name: "charge pump", model: "test_set/charge_pump.dae", reference: "test_set/charge_pump.json" },
];

const FORMS: [&str; 16] = [
    "original",
    "index1",
    "index2",
    "ggl",
    "stabilized(B)",
    "baumgarte(10)",
    "projected(B)",
    "pa",
    "pb",
    "pc",
    "overdetermined",
    "state_space",
    "tangent",
    "underlying",
    "derivative_array",
    "strangeness_free",
];

const TOLERANCE: f64 = 1e-7;
/// A run that takes more steps ends with an error.
const MAX_STEPS: usize = 60_000;

fn main() -> Result<(), Box<dyn Error>> {
    let (options, wanted): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|it| it.starts_with("--"));
    let projection = options.iter().any(|option| option == "--projection");
    match projection {
        true => {
            println!(
                "rtol = atol = {TOLERANCE:e}; time (steps) with the projection correction over time (steps) without"
            )
        }
        false => {
            println!(
                "rtol = atol = {TOLERANCE:e}; digits, steps, seconds, largest relative residual of an enforced constraint"
            )
        }
    }
    for problem in PROBLEMS.iter().filter(|it| wanted.is_empty() || wanted.iter().any(|name| name == it.name)) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
        let text = std::fs::read_to_string(folder.join(problem.model))?;
        let reference = Reference::read(&std::fs::read_to_string(folder.join(problem.reference))?)?;
        let (model, _) = dae::symbolic::read_text(&text).map_err(|rejection| rejection.diagnostics.to_string())?;
        let forms = FORMS.iter().map(|name| name.parse()).collect::<Result<Vec<Form>, _>>()?;
        let compiled =
            compile(model.with_forms(forms.clone()), 0.0).map_err(|rejected| rejected.diagnostics.to_string())?;
        println!("\n| {} | Radau IIA | BDF |\n|---|---|---|", problem.name);
        for form in &forms {
            let cell = |method| match compiled.forms.iter().find(|found| found.form == *form) {
                Some(found) if projection => cost_of_projection(&compiled, found, method, reference.time),
                Some(found) => run(&compiled, found, method, &reference),
                None => compiled
                    .unavailable
                    .iter()
                    .find(|it| it.form == *form)
                    .map_or("–".into(), |it| it.message.clone()),
            };
            println!("| `{form}` | {} | {} |", cell(Method::Radau5), cell(Method::Bdf));
        }
    }
    Ok(())
}

/// The reference values at the end of the interval.
struct Reference {
    time: f64,
    values: Vec<(String, f64)>,
}

impl Reference {
    fn read(text: &str) -> Result<Reference, Box<dyn Error>> {
        let file: serde_json::Value = serde_json::from_str(text)?;
        let last = |key: &str| file[key].as_array().and_then(|list| list.last().cloned()).ok_or("a list is missing");
        let names: Vec<String> = serde_json::from_value(file["unknowns"].clone())?;
        let values: Vec<f64> = serde_json::from_value(last("values")?)?;
        Ok(Reference { time: serde_json::from_value(last("times")?)?, values: names.into_iter().zip(values).collect() })
    }
}

/// Integrates a form from 0 to `end`; also returns the system that was integrated.
fn solve(
    compiled: &Compiled,
    form: &CompiledForm,
    method: Method,
    end: f64,
    tolerance: f64,
    projection: Projection,
) -> Result<(Solution, Box<dyn Dae>), String> {
    let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
    let system = system.completed(form.formulation.completion);
    let options = Options {
        rtol: tolerance,
        atol: Tolerance::Scalar(tolerance),
        max_steps: MAX_STEPS,
        projection,
        ..Options::default()
    };
    let run = Integration::new(system.as_ref()).method(method).options(options).record(Record::Steps);
    let solution = run.run(0.0, end).map_err(|error| error.to_string())?;
    Ok((solution, system))
}

/// The ratio of times, and in brackets that of numbers of steps, with projection over without. Both are ratios of sums
/// over 33 tolerances from half to twice [`TOLERANCE`], because the number of steps of a single run varies by chance by
/// some ten per cent.
fn cost_of_projection(compiled: &Compiled, form: &CompiledForm, method: Method, end: f64) -> String {
    const RUNS: usize = 3;
    let (mut seconds, mut steps) = ([0.0; 2], [0; 2]);
    for tolerance in (-16..=16).map(|k| TOLERANCE * f64::powf(2.0, f64::from(k) / 16.0)) {
        let mut shortest = [f64::INFINITY; 2];
        for run in 0..RUNS {
            for (k, mode) in [Projection::On, Projection::Off].into_iter().enumerate() {
                match solve(compiled, form, method, end, tolerance, mode) {
                    Ok((solution, _)) => {
                        shortest[k] = solution.seconds.min(shortest[k]);
                        steps[k] += if run == 0 { solution.statistics.steps } else { 0 };
                    }
                    Err(message) => return message,
                }
            }
        }
        seconds = [0, 1].map(|k| seconds[k] + shortest[k]);
    }
    format!("{:.2} ({:.2})", seconds[0] / seconds[1], steps[0] as f64 / steps[1] as f64)
}

/// A cell of the table: digits, steps, seconds and residual, or the message of an error.
fn run(compiled: &Compiled, form: &CompiledForm, method: Method, reference: &Reference) -> String {
    let (solution, system) = match solve(compiled, form, method, reference.time, TOLERANCE, Projection::On) {
        Ok(done) => done,
        Err(message) => return message,
    };
    let mut worst: f64 = 0.0;
    for (name, expected) in &reference.values {
        let Some(place) = solution.names.iter().position(|known| known == name) else { return format!("no `{name}`") };
        let nominal = system.description().unknowns.get(place).map_or(1.0, |unknown| unknown.nominal);
        worst = worst.max((solution.end_state[place] - expected).abs() / (nominal + expected.abs()));
    }
    let residual = largest_residual(&solution, system.as_ref());
    format!("{:.1}, {}, {:.2} s, {residual:.0e}", -worst.log10(), solution.statistics.steps, solution.seconds)
}

/// The largest residual of an enforced constraint $\varphi$ at a recorded state, relative to
/// $\sum_j |\partial\varphi/\partial y_j| \max(|y_j|, \bar y_j)$ with the nominal values $\bar y_j$.
fn largest_residual(solution: &Solution, system: &dyn Dae) -> f64 {
    let description = system.description();
    let pattern = &description.invariants_jacobian;
    let (mut values, mut jacobian) = (vec![0.0; description.invariants.len()], vec![0.0; pattern.len()]);
    let mut worst: f64 = 0.0;
    for (t, state) in solution.iter() {
        let state = &state[..description.unknowns.len()];
        system.invariants(t, state, &mut values);
        system.invariants_jacobian(t, state, &mut jacobian);
        for (row, _) in description.invariants.iter().enumerate().filter(|(_, invariant)| invariant.row.is_some()) {
            let magnitude = |column: usize| state[column].abs().max(description.unknowns[column].nominal);
            let terms: f64 = pattern.row(row).map(|(column, place)| (jacobian[place] * magnitude(column)).abs()).sum();
            worst = worst.max(values[row].abs() / terms.max(f64::MIN_POSITIVE));
        }
    }
    worst
}
