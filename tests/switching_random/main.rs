//! Random systems with kinks and switches, against solutions known without the integrators.
//!
//! In: right-hand sides of windows, combs, bumps and chains of `abs`, `min`, `max`, `signum`, as functions of time or
//! of unknowns, in systems of several kinds, by three methods with tolerances from 1e-3 to 1e-9. Out: no success that
//! is off by more than a hundred times the tolerance, and few failures, which are printed with their reasons. A sample
//! runs with every `cargo test`; more of them:
//!
//! ```sh
//! CASES=20000 cargo test --release --features interpreter --test switching_random -- --nocapture
//! ```
//!
//! `SEED=n` draws other systems.

mod function;
mod quadrature;
mod random;
mod system;

#[path = "../interpreted/mod.rs"]
mod interpreted;

use std::collections::BTreeMap;

use dae::{Integration, Method};
use random::Random;
use system::System;

/// The number of runs, unless `CASES` is set.
const CASES: u64 = 200;
/// The number of runs of each system.
const RUNS: u64 = 6;
/// The largest error allowed of a success, in units of the tolerance.
const ALLOWED: f64 = 100.0;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The outcome of one run.
enum Outcome {
    /// The largest error in units of the tolerance, and the values of its unknown.
    Success(f64, String),
    Failure(String),
}

fn outcome(system: &System, form: &dyn dae::Dae, method: Method, tolerance: f64) -> Outcome {
    let run = Integration::new(form).method(method).rtol(tolerance).atol(tolerance).run(0.0, system.end);
    let solution = match run {
        Ok(solution) => solution,
        Err(error) => return Outcome::Failure(error.to_string()),
    };
    let error = |(name, exact): &(&str, f64)| {
        let found = solution.value(name, system.end).expect("an unknown");
        ((found - exact).abs() / (tolerance * exact.abs().max(1.0)), format!("{name} = {found} instead of {exact}"))
    };
    let worst = system.exact.iter().map(error).max_by(|a, b| a.0.total_cmp(&b.0));
    let (error, what) = worst.expect("something is known");
    Outcome::Success(error, what)
}

#[test]
fn no_success_is_wrong() {
    let mut random = Random::new(number("SEED").unwrap_or(1));
    let (mut wrong, mut failures) = (Vec::new(), BTreeMap::<String, usize>::new());
    let (mut runs, mut failed) = (0, 0);
    let cases = number("CASES").unwrap_or(CASES);
    while runs < cases {
        let system = System::draw(&mut random);
        let form = interpreted::system(&system.text, "ggl");
        for _ in 0..RUNS {
            let method = *random.choose(&[Method::Radau5, Method::Radau, Method::Bdf]);
            let tolerance = 10f64.powf(-random.between(3.0, 9.0));
            runs += 1;
            match outcome(&system, form.as_ref(), method, tolerance) {
                Outcome::Success(error, what) if error > ALLOWED || error.is_nan() => {
                    wrong.push(format!(
                        "{error:.1e} at {tolerance:e} by {method:?} to {}: {what}\n{}",
                        system.end, system.text
                    ));
                }
                Outcome::Success(..) => {}
                Outcome::Failure(why) => {
                    failed += 1;
                    println!("{tolerance:e} by {method:?} to {}: {why}\n{}", system.end, system.text);
                    *failures.entry(system.kind.to_string()).or_default() += 1;
                }
            }
        }
    }
    println!("{runs} runs, {failed} failed: {failures:?}, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(failed * 50 <= runs, "{failed} of {runs} failed");
}
