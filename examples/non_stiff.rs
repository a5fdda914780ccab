//! Explicit and half-explicit methods beside Radau IIA and BDF, on mechanical systems that are not stiff.
//!
//! In: models in the forms that suit the methods, and reference values. Out: for every method, form and tolerance the
//! correct digits, the work and the ratio of its time to that of Radau IIA (`index2`) at the same tolerance; and tables
//! of times and of evaluations of $F$ at equal numbers of digits, each method in its best form there, as ratios to
//! Radau IIA.
//!
//! ```sh
//! cargo run --release --example non_stiff                # all
//! cargo run --release --example non_stiff -- andrews     # one problem
//! ```
//!
//! The problems are the planar pendulum, Andrews' mechanism and the car axis of the test set for IVP solvers (Mazzia &
//! Magherini), and a slider crank without the stiffness of the one there: its rod is rigid, and nothing drives the crank.
//! Digits are $-\log_{10} \max_i |e_i| / (1 + |y_i|)$ at the end. Times are the shortest of fifteen runs, and those of all
//! methods for a problem and a tolerance alternate. Where a number of digits lies between two tolerances, the logarithm
//! of the time is interpolated. Radau IIA is that of orders 5, 9 and 13 (`Radau`); the one of order 5 is listed as well.
//! In the form `underlying` an evaluation of $F$ solves the equations for derivatives and multipliers, and one of the
//! inner equations is not counted.

use std::error::Error;
use std::path::Path;

use dae::runtime::initialize::{InitializationOptions, consistent_states};
use dae::{Dae, Integration, Method, Record, Statistics, Tolerance};

const TOLERANCES: [f64; 8] = [1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11];
const RUNS: usize = 15;
/// The numbers of digits at which times are compared.
const DIGITS: [f64; 5] = [2.0, 4.0, 6.0, 8.0, 10.0];
/// The tolerance of the reference where none is published.
const TIGHTEST: f64 = 1e-13;

mod pendulum {
    dae::include_model!("examples/test_set/pendulum.dae");
}

mod andrews {
    dae::include_model!("examples/test_set/andrews.dae");
}

mod car_axis {
    dae::include_model!("examples/models/car_axis.dae");
}

dae::dae! {
    /// A slider crank of rigid bodies, in free motion from the speed of that in the test set; masses and lengths are those.
    pub struct SliderCrank {
        forms(index2, ggl, index1, underlying);
        param m2 = 0.151104;
        param m3 = 0.075552;
        param l1 = 0.15;
        param l2 = 0.30;
        param j1 = 0.002727;
        param j2 = 0.0045339259;
        var phi1 = 0.0;
        var phi2 ~ 0.0;
        var x3 ~ 0.45;
        start der(phi1) = 150.0;
        start der(phi2) ~ -75.0;
        start der(x3) ~ 0.0;
        var lambda1 ~ 0.0;
        var lambda2 ~ 0.0;

        lagrangian {
            coordinates phi1, phi2, x3;
            kinetic = (j1 + m2 * l1.powi(2)) / 2 * der(phi1).powi(2) + j2 / 2 * der(phi2).powi(2)
                + m3 / 2 * der(x3).powi(2) + l1 * l2 * m2 / 2 * der(phi1) * der(phi2) * cos(phi1 - phi2);
            potential = 0;
            constraint(lambda1) 0 = l1 * sin(phi1) + l2 * sin(phi2);
            constraint(lambda2) 0 = x3 - l1 * cos(phi1) - l2 * cos(phi2);
        }
    }
}

/// A model in the forms that the methods take.
struct Problem {
    name: &'static str,
    /// `index2`, `ggl`, `index1`.
    reduced: [Box<dyn Dae>; 3],
    underlying: Box<dyn Dae>,
    end: f64,
    /// The file of the reference values.
    reference: Option<&'static str>,
}

macro_rules! problem {
    ($name:literal, $model:expr, $end:literal, $reference:expr) => {{
        let model = $model;
        Problem {
            name: $name,
            reduced: [Box::new(model.index2()), Box::new(model.ggl()), Box::new(model.index1())],
            underlying: Box::new(model.underlying()),
            end: $end,
            reference: $reference,
        }
    }};
}

fn problems() -> Vec<Problem> {
    let of_car_axis = Some("tests/references/car_axis.json");
    vec![
        problem!("pendulum", pendulum::Pendulum::default(), 100.0, Some("examples/test_set/pendulum.json")),
        problem!("andrews", andrews::Andrews::default(), 0.03, Some("examples/test_set/andrews.json")),
        problem!("car axis", car_axis::CarAxis::default(), 3.0, of_car_axis),
        problem!("slider crank", SliderCrank::default(), 0.1, None),
    ]
}

const REDUCED: [(&str, Method); 6] = [
    ("Radau IIA", Method::Radau),
    ("order 5", Method::Radau5),
    ("BDF", Method::Bdf),
    ("HEM4", Method::Hem4),
    ("HEM5", Method::Hem5),
    ("MEXX", Method::Mexx),
];
const EXPLICIT: [(&str, Method); 2] = [("DOPRI5", Method::Dopri5), ("DOP853", Method::Dop853)];

/// A method in a form, from consistent values, with its points of digits, seconds and evaluations.
struct Curve<'p> {
    name: &'static str,
    method: Method,
    form: &'p dyn Dae,
    start: (Vec<f64>, Vec<f64>),
    points: Vec<(f64, [f64; 2])>,
}

/// What a run achieved: digits, work, seconds.
type Outcome = Result<(f64, Statistics, f64), String>;

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let mut summary = [Vec::new(), Vec::new()];
    for problem in problems().iter().filter(|it| wanted.is_empty() || wanted.iter().any(|name| name == it.name)) {
        let reference = problem.reference()?;
        let mut curves = problem.curves()?;
        println!("\n{}", problem.name);
        for tolerance in TOLERANCES {
            measure(problem, &mut curves, tolerance, &reference);
        }
        summary.iter_mut().enumerate().for_each(|(what, summary)| summary.extend(rows(problem.name, &curves, what)));
    }
    let digits = DIGITS.map(|digits| format!("| {digits} ")).concat();
    for (what, summary) in ["Milliseconds", "Evaluations of F"].into_iter().zip(summary) {
        println!("\n{what} of Radau IIA, and those of others over these, at equal numbers of digits");
        println!("| problem | method {digits}|\n|---|---{}|", "|---".repeat(DIGITS.len()));
        summary.iter().for_each(|row| println!("{row}"));
    }
    Ok(())
}

impl Problem {
    fn curves(&self) -> Result<Vec<Curve<'_>>, Box<dyn Error>> {
        let mut curves = Vec::new();
        let of_reduced = REDUCED.iter().flat_map(|method| self.reduced.iter().map(move |form| (method, form)));
        let of_underlying = EXPLICIT.iter().map(|method| (method, &self.underlying));
        for (&(name, method), form) in of_reduced.chain(of_underlying) {
            let start = consistent_states(form.as_ref(), 0.0, &InitializationOptions::default())?;
            curves.push(Curve { name, method, form: form.as_ref(), start, points: Vec::new() });
        }
        Ok(curves)
    }

    /// Reference values by name: the published ones, or those of Radau IIA at the tightest tolerance.
    fn reference(&self) -> Result<Vec<(String, f64)>, Box<dyn Error>> {
        let Some(file) = self.reference else {
            let options = dae::Options { rtol: TIGHTEST, atol: Tolerance::Scalar(TIGHTEST), ..Default::default() };
            let form = self.reduced[2].as_ref();
            let solution = Integration::new(form).method(Method::Radau).options(options).run(0.0, self.end)?;
            let states = solution.names.iter().zip(&solution.end_state);
            let states = states.filter(|(name, _)| !name.starts_with("lambda") && !name.starts_with("mu"));
            return Ok(states.map(|(name, value)| (name.to_string(), *value)).collect());
        };
        let file = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file))?;
        let file: serde_json::Value = serde_json::from_str(&file)?;
        let names: Vec<String> = serde_json::from_value(file["unknowns"].clone())?;
        let values: Vec<Vec<f64>> = serde_json::from_value(file["values"].clone())?;
        Ok(names.into_iter().zip(values.into_iter().next_back().ok_or("no values")?).collect())
    }
}

/// Runs all methods at a tolerance, prints their work, and adds a point to each curve.
fn measure(problem: &Problem, curves: &mut [Curve<'_>], tolerance: f64, reference: &[(String, f64)]) {
    let mut outcomes: Vec<Outcome> = curves.iter().map(|it| run(it, problem.end, tolerance, reference)).collect();
    let mut seconds: Vec<Vec<f64>> = curves.iter().map(|_| Vec::new()).collect();
    for _ in 0..RUNS {
        for (k, curve) in curves.iter().enumerate().filter(|(k, _)| outcomes[*k].is_ok()) {
            seconds[k].extend(run(curve, problem.end, tolerance, reference).ok().map(|(_, _, seconds)| seconds));
        }
    }
    for (outcome, seconds) in outcomes.iter_mut().zip(&mut seconds) {
        seconds.sort_by(f64::total_cmp);
        if let (Ok(outcome), Some(shortest)) = (outcome, seconds.first()) {
            outcome.2 = shortest.min(outcome.2);
        }
    }
    let radau = outcomes[0].as_ref().map_or(f64::NAN, |it| it.2);
    for (curve, outcome) in curves.iter_mut().zip(outcomes) {
        let head = format!("{tolerance:7.0e} {:10}{:11}", curve.name, curve.form.description().form.to_string());
        match outcome {
            Ok((digits, s, seconds)) => {
                println!(
                    "{head}{digits:6.2} digits{:7} steps{:5} rejected{:9} F{:8} Jacobians{:8} factorizations{:9.3} ms{:7.2}",
                    s.steps,
                    s.rejected(),
                    s.residuals,
                    s.jacobians,
                    s.factorizations,
                    1e3 * seconds,
                    seconds / radau
                );
                curve.points.push((digits, [seconds, s.residuals as f64]));
            }
            Err(message) => println!("{head}   {message}"),
        }
    }
}

fn run(curve: &Curve<'_>, end: f64, tolerance: f64, reference: &[(String, f64)]) -> Outcome {
    let (y, yp) = &curve.start;
    let options = dae::Options {
        rtol: tolerance,
        atol: Tolerance::Scalar(tolerance),
        max_steps: 200_000,
        ..dae::Options::default()
    };
    let integration = Integration::new(curve.form).method(curve.method).options(options);
    let solution = integration.record(Record::At(vec![end])).run_from(0.0, y, yp, end);
    let solution = solution.map_err(|error| error.to_string())?;
    let mut worst = f64::MIN_POSITIVE;
    for (name, expected) in reference {
        let place = solution.names.iter().position(|known| known == name).ok_or(format!("no `{name}`"))?;
        let error = (solution.end_state[place] - expected).abs() / (1.0 + expected.abs());
        worst = if error > worst || error.is_nan() { error } else { worst };
    }
    Ok((-worst.log10(), solution.statistics, solution.seconds))
}

/// The rows of a problem in a table at equal numbers of digits: of times, or of evaluations.
fn rows(problem: &str, curves: &[Curve<'_>], what: usize) -> Vec<String> {
    let least = |name: &str, digits: f64| {
        let of_method = curves.iter().filter(|curve| curve.name == name);
        let costs = of_method.filter_map(|it| Some((cost(&it.points, digits, what)?, it.form)));
        costs.min_by(|(a, _), (b, _)| a.total_cmp(b))
    };
    let row = |name: &str| {
        let cell = |digits: f64| match (least(name, digits), least(REDUCED[0].0, digits)) {
            (Some((cost, _)), _) if name == REDUCED[0].0 && what == 0 => format!("{:.2}", 1e3 * cost),
            (Some((cost, _)), _) if name == REDUCED[0].0 => format!("{cost:.0}"),
            (Some((cost, form)), Some((radau, _))) => format!("{:.2} `{}`", cost / radau, form.description().form),
            _ => String::new(),
        };
        format!("| {problem} | {name} | {} |", DIGITS.map(cell).join(" | "))
    };
    REDUCED.iter().chain(&EXPLICIT).map(|(name, _)| row(name)).collect()
}

/// What so many digits cost: a run with at least as many, or less where a curve passes between two of its points.
fn cost(points: &[(f64, [f64; 2])], digits: f64, what: usize) -> Option<f64> {
    let reached = points.iter().filter(|point| point.0 >= digits).map(|point| point.1[what]);
    let between = points.windows(2).filter(|pair| pair[0].0 < digits && pair[1].0 >= digits).map(|pair| {
        let part = (digits - pair[0].0) / (pair[1].0 - pair[0].0);
        (pair[0].1[what].ln() + part * (pair[1].1[what] / pair[0].1[what]).ln()).exp()
    });
    reached.chain(between).min_by(f64::total_cmp)
}
