//! Solve times of our methods and of SUNDIALS IDA, on the same functions and at equal numbers of correct digits.
//!
//! In: the problems of `examples/test_set`, in the forms listed there. Out: per problem the time of each of our methods
//! relative to IDA's, and for the first form the times per residual, per pair of Jacobians, and per factorisation with
//! one solve. IDA is given exact Jacobians. On either side the best form counts, and of IDA's runs the best one with
//! dense or sparse (KLU) linear algebra, with or without unknowns of index 2 and 3 in its error weights.
//!
//! ```sh
//! cargo run --release --manifest-path benches/ida/Cargo.toml               # all but the charge pump and chain 1000
//! cargo run --release --manifest-path benches/ida/Cargo.toml -- pendulum "car axis"
//! ```

#[macro_use]
#[path = "examples/test_set/problems.rs"]
mod problems;

#[path = "examples/test_set/curves.rs"]
mod curves;

mod ida;

use std::error::Error;

use curves::{Curves, geometric_mean, ratios};
use dae::runtime::timing::StepCosts;
use dae::runtime::initialize::{InitializationOptions, consistent_states};
use dae::{Dae, Integration, Method, Options, Record, Tolerance};
use ida::{Ida, Linear};
use problems::Problem;

const METHODS: [(&str, Method); 3] = [("bdf", Method::Bdf), ("radau5", Method::Radau5), ("radau", Method::Radau)];

const TOLERANCES: [f64; 8] = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10];

/// The time that counts is the median of this many runs, or that of the first if it takes at least [`LONG`] seconds.
const RUNS: usize = 7;
const LONG: f64 = 1.0;

/// Problems whose inputs have kinks at which IDA has to be restarted: name, time between kinks, and the first step at
/// the start and after each kink (IDA's own choice fails).
const KINKS: [(&str, f64, f64); 2] = [("two-bit adder", 5.0, 4e-5), ("adder as published", 5.0, 4e-5)];

/// Problems for which IDA's own first step is too long, with the one to take instead.
const FIRST_STEPS: [(&str, f64); 1] = [("robertson", 1e-4)];

/// The largest number of unknowns for which dense linear algebra is tried.
const LARGEST_DENSE: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let mut all: Vec<[f64; 4]> = Vec::new();
    println!("seconds of ours over seconds of IDA, at equal digits\n");
    println!(
        "| problem | unknowns | digits | bdf | radau5 | radau | best | residual | Jacobians | factor and solve | IDA's |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for problem in problems::all() {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == problem.name) {
            continue;
        }
        // For the charge pump, IDA would have to be restarted by hand at every kink of the input; long problems run
        // only if they are named.
        if wanted.is_empty() && (problem.name == "charge pump" || problem.is_long) {
            continue;
        }
        let reference = problem.reference()?;
        let mut ours: [Curves<1>; 3] = Default::default();
        let mut theirs: Curves<1> = Curves::new();
        let mut costs = String::new();
        let mut size = 0;
        for form in (problem.forms)() {
            let run = Run::new(&problem, form.as_ref(), &reference)?;
            size = size.max(run.y.len());
            if costs.is_empty() {
                costs = run.costs()?;
            }
            let name = form.description().form.to_string();
            for ((_, method), curves) in METHODS.iter().zip(&mut ours) {
                curves.insert(name.clone(), run.curve(|rtol| run.ours(*method, rtol)));
            }
            for linear in [Linear::Dense, Linear::Sparse] {
                if linear == Linear::Dense && run.y.len() > LARGEST_DENSE {
                    continue;
                }
                for counts_multipliers in [true, false] {
                    let key = format!("{name} {linear:?} {counts_multipliers}");
                    theirs.insert(key, run.curve(|rtol| run.theirs(linear, counts_multipliers, rtol)));
                }
            }
        }
        let ratio = |curves: &Curves<1>| ratios(curves, &theirs).map(|(digits, [ratio])| (digits, ratio));
        let of_each = ours.each_ref().map(|curves| ratio(curves).map_or(f64::NAN, |(_, ratio)| ratio));
        let both: Curves<1> = ours
            .into_iter()
            .enumerate()
            .flat_map(|(k, c)| c.into_iter().map(move |(n, p)| (format!("{k} {n}"), p)))
            .collect();
        let Some((digits, best)) = ratio(&both) else {
            println!("| {} | {size} | no common digits | | | | | {costs} |", problem.name);
            continue;
        };
        let [bdf, radau5, radau] = of_each;
        println!(
            "| {} | {size} | {:.1} to {:.1} | {bdf:.2} | {radau5:.2} | {radau:.2} | {best:.2} | {costs} |",
            problem.name, digits.0, digits.1
        );
        all.push([bdf, radau5, radau, best]);
    }
    if !all.is_empty() {
        let mean = |k: usize| geometric_mean(all.iter().map(|ratios| ratios[k]).filter(|ratio| ratio.is_finite()));
        let [bdf, radau5, radau, best] = std::array::from_fn(mean);
        println!("| geometric mean | | | {bdf:.2} | {radau5:.2} | {radau:.2} | {best:.2} | | | | |");
    }
    Ok(())
}

/// A form of a problem with consistent initial values.
struct Run<'p> {
    problem: &'p Problem,
    form: &'p dyn Dae,
    reference: &'p [(String, f64)],
    y: Vec<f64>,
    yp: Vec<f64>,
}

impl<'p> Run<'p> {
    fn new(problem: &'p Problem, form: &'p dyn Dae, reference: &'p [(String, f64)]) -> Result<Self, Box<dyn Error>> {
        let (y, yp) = consistent_states(form, 0.0, &InitializationOptions::default())?;
        Ok(Run { problem, form, reference, y, yp })
    }

    /// Correct digits and seconds for each tolerance at which the runs succeed.
    fn curve(&self, run: impl Fn(f64) -> Option<(f64, f64)>) -> Vec<(f64, [f64; 1])> {
        let once = |rtol: f64| {
            let (digits, first) = run(rtol)?;
            let mut seconds = vec![first];
            while seconds.len() < RUNS && first < LONG {
                seconds.push(run(rtol)?.1);
            }
            seconds.sort_by(f64::total_cmp);
            Some((digits, [seconds[seconds.len() / 2]]))
        };
        TOLERANCES.iter().filter_map(|&rtol| once(rtol)).filter(|(digits, _)| digits.is_finite()).collect()
    }

    fn ours(&self, method: Method, rtol: f64) -> Option<(f64, f64)> {
        let options = Options { rtol, atol: Tolerance::Scalar(rtol), max_steps: 200_000, ..Options::default() };
        let integration = Integration::new(self.form).method(method).options(options);
        let integration = integration.record(Record::At(vec![self.problem.end]));
        let solution = integration.run_from(0.0, &self.y, &self.yp, self.problem.end).ok()?;
        let digits = self.problem.digits(self.form, &solution, self.reference).ok()?;
        Some((digits, solution.seconds))
    }

    fn theirs(&self, linear: Linear, counts_multipliers: bool, rtol: f64) -> Option<(f64, f64)> {
        let end = self.problem.end;
        let kinks = KINKS.iter().find(|(name, ..)| *name == self.problem.name);
        let ends: Vec<f64> = match kinks {
            Some(&(_, every, _)) => (1..).map(|k| f64::from(k) * every).take_while(|&t| t < end).chain([end]).collect(),
            None => vec![end],
        };
        let first_step = FIRST_STEPS.iter().find(|(name, _)| *name == self.problem.name).map(|&(_, h)| h);
        let ida =
            Ida { form: self.form, linear, rtol, counts_multipliers, first_step: first_step.or(kinks.map(|k| k.2)) };
        let (state, slope, seconds) = ida.solve(0.0, &self.y, &self.yp, &ends)?;
        // A run of length zero makes a `Solution` of the state, with the names of its entries.
        let at_end = Integration::new(self.form).run_from(end, &state, &slope, end).ok()?;
        Some((self.problem.digits(self.form, &at_end, self.reference).ok()?, seconds))
    }

    /// The last cells of a row: our times per residual, per pair of Jacobians, and per factorisation with one solve,
    /// then IDA's per factorisation with one solve.
    fn costs(&self) -> Result<String, Box<dyn Error>> {
        let h = 1e-3 * self.problem.end;
        let costs = StepCosts::measure(self.form, 0.0, &self.y, &self.yp, h)?;
        let linear = if self.y.len() > LARGEST_DENSE { Linear::Sparse } else { Linear::Dense };
        let theirs = [linear, Linear::Sparse].map(|linear| {
            let ida = Ida { form: self.form, linear, rtol: 0.0, counts_multipliers: true, first_step: None };
            ida.factor_and_solve(1.0 / h, &self.y, &self.yp)
        });
        let microseconds = |seconds: f64| format!("{:.2} µs", 1e6 * seconds);
        Ok([costs.residual, costs.jacobians, costs.factorization + costs.solve, theirs[0].min(theirs[1])]
            .map(microseconds)
            .join(" | "))
    }
}
