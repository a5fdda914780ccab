//! Work and precision on the test set for IVP solvers (Mazzia & Magherini), with generated code.
//!
//! In: models as `.dae` files and reference values. Out: for every problem, formulation, method and tolerance the
//! correct digits, the work and the time of the solve, as a table, as JSON lines or as a diagram; or the ratios of our
//! work to that of established codes, at equal numbers of correct digits.
//!
//! ```sh
//! cargo run --release --example work_precision                      # all but chain 1000, and work_precision.svg
//! cargo run --release --example work_precision -- andrews "car axis" --method bdf --form ggl --rtol 1e-6,1e-8 --json
//! cargo run --release --example work_precision -- --peers           # against IDA, RADAU5 and RADAU
//! cargo run --release --features interpreter --example work_precision -- "adder as published"
//! ```
//!
//! Digits are $-\log_{10} \max_i |e_i| / (s_i + |y_i|)$ over the unknowns that are compared, with $s_i = 1$ except
//! for the charge pump (the nominal value) and Robertson's reactions (0). The time is that of the integration from
//! consistent initial values: the median of seven runs, or that of the first run if it takes two seconds or more. In
//! JSON a run that fails has a key `failure` instead of its figures.

#[path = "test_set/problems.rs"]
mod problems;

#[path = "test_set/curves.rs"]
mod curves;

#[path = "test_set/peers.rs"]
mod peers;

use std::collections::BTreeSet;
use std::error::Error;

use dae::plot::{Panel, Scale, Series, save};
use dae::runtime::initialize::{InitializationOptions, consistent_states};
use dae::{Dae, Integration, Method, Options, Solution, Statistics, Tolerance};
use peers::Peers;
use problems::Problem;

/// The methods by the names that the command line gives them.
const METHODS: [(&str, Method); 3] = [("bdf", Method::Bdf), ("radau5", Method::Radau5), ("radau", Method::Radau)];

const TOLERANCES: [f64; 4] = [1e-4, 1e-6, 1e-8, 1e-10];

/// A run that takes more steps fails, unless `--max-steps` says otherwise.
const MAX_STEPS: usize = 200_000;

/// The time that counts is the median of this many runs, or that of the first if it takes at least [`LONG`] seconds.
const RUNS: usize = 7;
const LONG: f64 = 2.0;

fn main() -> Result<(), Box<dyn Error>> {
    let request = Request::read(std::env::args().skip(1))?;
    let mut cells = Vec::new();
    for problem in request.problems {
        let reference = problem.reference()?;
        for form in (problem.forms)() {
            let name = form.description().form.to_string();
            if request.form.as_ref().is_some_and(|wanted| *wanted != name) {
                continue;
            }
            for (method_name, method) in METHODS {
                if request.method.as_ref().is_some_and(|wanted| wanted != method_name) {
                    continue;
                }
                for &rtol in &request.tolerances {
                    let effort = Effort { max_steps: request.max_steps, runs: request.output.runs() };
                    let outcome = solve(&problem, form.as_ref(), method, rtol, effort);
                    let cell = Cell::new(&problem, form.as_ref(), method_name, rtol, outcome, &reference);
                    match request.output {
                        Output::Json => println!("{}", cell.json()),
                        Output::Table | Output::Peers => println!("{}", cell.row()),
                    }
                    cells.push(cell);
                }
            }
        }
    }
    match request.output {
        Output::Json => Ok(()),
        Output::Peers => {
            print!("{}", Peers::read()?.compared(&cells));
            Ok(())
        }
        Output::Table if request.is_whole => diagram(&cells),
        Output::Table => Ok(()),
    }
}

impl Output {
    /// How many runs are timed: ratios of work, which need no times, take one.
    fn runs(self) -> usize {
        if self == Output::Peers { 1 } else { RUNS }
    }
}

/// What the command line asks for.
struct Request {
    problems: Vec<Problem>,
    /// Whether the command line has no arguments; only then is the diagram drawn.
    is_whole: bool,
    method: Option<String>,
    form: Option<String>,
    tolerances: Vec<f64>,
    max_steps: usize,
    output: Output,
}

/// How much work may go into one cell.
#[derive(Clone, Copy)]
struct Effort {
    max_steps: usize,
    /// How many runs are timed.
    runs: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Output {
    Table,
    Json,
    Peers,
}

impl Request {
    fn read(arguments: impl Iterator<Item = String>) -> Result<Request, Box<dyn Error>> {
        let mut request = Request {
            problems: Vec::new(),
            is_whole: false,
            method: None,
            form: None,
            tolerances: TOLERANCES.to_vec(),
            max_steps: MAX_STEPS,
            output: Output::Table,
        };
        let (mut arguments, mut names, mut is_whole) = (arguments, Vec::new(), true);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            is_whole = false;
            match argument.as_str() {
                "--method" => request.method = Some(value()?),
                "--form" => request.form = Some(value()?),
                "--rtol" => request.tolerances = value()?.split(',').map(str::parse).collect::<Result<_, _>>()?,
                "--max-steps" => request.max_steps = value()?.parse()?,
                "--json" => request.output = Output::Json,
                "--peers" => request.output = Output::Peers,
                option if option.starts_with("--") => return Err(format!("{option} is no option here").into()),
                problem => names.push(problem.to_owned()),
            }
        }
        request.is_whole = is_whole;
        request.problems = problems::all();
        let known = request.problems.iter().map(|problem| problem.name).collect::<Vec<_>>();
        check(&names, &known, "problem")?;
        request.problems.retain(|problem| match names.is_empty() {
            true => !problem.is_long,
            false => names.iter().any(|name| name == problem.name),
        });
        check(request.method.as_slice(), &METHODS.map(|(name, _)| name), "method")?;
        if request.form.is_some() {
            let forms = request.problems.iter().flat_map(|problem| (problem.forms)());
            let forms = forms.map(|form| form.description().form.to_string()).collect::<BTreeSet<_>>();
            check(request.form.as_slice(), &forms.iter().map(String::as_str).collect::<Vec<_>>(), "form")?;
        }
        Ok(request)
    }
}

/// An error if one of these names is not known.
fn check(names: &[String], known: &[&str], what: &str) -> Result<(), String> {
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(format!("`{name}` is no {what} here; there are `{}`", known.join("`, `"))),
        None => Ok(()),
    }
}

/// A run with the median time of several such runs, or why it failed.
fn solve(
    problem: &Problem,
    form: &dyn Dae,
    method: Method,
    rtol: f64,
    Effort { max_steps, runs }: Effort,
) -> Result<(Solution, f64), String> {
    let start = InitializationOptions::default();
    let (y, yp) = consistent_states(form, 0.0, &start).map_err(|error| error.to_string())?;
    let options = Options { rtol, atol: Tolerance::Scalar(rtol), max_steps, ..Options::default() };
    let once = || {
        let run = Integration::new(form).method(method).options(options.clone());
        run.record(dae::Record::At(vec![problem.end])).run_from(0.0, &y, &yp, problem.end)
    };
    let first = once().map_err(|error| error.to_string())?;
    let mut seconds = vec![first.seconds];
    while seconds.len() < runs && first.seconds < LONG {
        seconds.push(once().map_err(|error| error.to_string())?.seconds);
    }
    seconds.sort_by(f64::total_cmp);
    Ok((first, seconds[seconds.len() / 2]))
}

/// One run: a row of the table and a point of the diagram.
pub(crate) struct Cell {
    pub(crate) problem: &'static str,
    form: String,
    pub(crate) method: &'static str,
    rtol: f64,
    outcome: Result<Figures, String>,
}

/// What a run achieved, and at what cost.
pub(crate) struct Figures {
    pub(crate) digits: f64,
    pub(crate) statistics: Statistics,
    pub(crate) seconds: f64,
}

impl Cell {
    fn new(
        problem: &Problem,
        form: &dyn Dae,
        method: &'static str,
        rtol: f64,
        outcome: Result<(Solution, f64), String>,
        reference: &[(String, f64)],
    ) -> Cell {
        let figures = |(solution, seconds): (Solution, f64)| {
            let digits = problem.digits(form, &solution, reference)?;
            Ok(Figures { digits, statistics: solution.statistics, seconds })
        };
        let name = form.description().form.to_string();
        Cell { problem: problem.name, form: name, method, rtol, outcome: outcome.and_then(figures) }
    }

    /// What was achieved, and at what cost; `None` if the run failed.
    pub(crate) fn figures(&self) -> Option<&Figures> {
        self.outcome.as_ref().ok()
    }

    /// The name of the curve that this point belongs to.
    pub(crate) fn curve(&self) -> String {
        format!("{} {}", self.method, self.form)
    }

    fn json(&self) -> String {
        let head = serde_json::json!({
            "problem": self.problem, "form": self.form, "method": self.method, "rtol": self.rtol,
        });
        let tail = match &self.outcome {
            Ok(Figures { digits, statistics, seconds }) => serde_json::json!({
                "digits": digits, "steps": statistics.steps, "residuals": statistics.residuals, "jacobians": statistics.jacobians,
                "factorizations": statistics.factorizations, "seconds": seconds,
            }),
            Err(message) => serde_json::json!({ "failure": message }),
        };
        let mut whole = head;
        if let (Some(whole), serde_json::Value::Object(tail)) = (whole.as_object_mut(), tail) {
            whole.extend(tail);
        }
        whole.to_string()
    }

    fn row(&self) -> String {
        let head = format!("{:22}{:10}{:9}{:7.0e}", self.problem, self.form, self.method, self.rtol);
        match &self.outcome {
            Ok(Figures { digits, statistics: s, seconds }) => format!(
                "{head}{digits:7.2} digits{:8} steps{:6} rejected{:9} residuals{:8} Jacobians{:8} factorizations{:11.3} ms",
                s.steps,
                s.rejected(),
                s.residuals,
                s.jacobians,
                s.factorizations,
                1e3 * seconds
            ),
            Err(message) => format!("{head}   {message}"),
        }
    }
}

/// Draws time over digits, with a panel for every problem.
fn diagram(cells: &[Cell]) -> Result<(), Box<dyn Error>> {
    let mut panels: Vec<Panel> = Vec::new();
    let mut problem = "";
    for cell in cells {
        if cell.problem != problem {
            problem = cell.problem;
            let y_label = format!("{problem}: seconds");
            panels.push(Panel { y_label, scale: Scale::Logarithmic, series: Vec::new() });
        }
        let (Some(panel), Some(figures)) = (panels.last_mut(), cell.figures()) else { continue };
        let (curve, point) = (cell.curve(), (figures.digits, figures.seconds));
        match panel.series.iter_mut().find(|series| series.label == curve) {
            Some(series) => series.points.push(point),
            None => panel.series.push(Series::new(curve, vec![point])),
        }
    }
    save("work_precision.svg", "Work and precision", "correct digits", &panels)?;
    println!("work_precision.svg");
    Ok(())
}
