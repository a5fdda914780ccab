//! How the cost of a step grows with the size of a model: chains of 10 to 1,000 links, all with the same text.
//!
//! In: the chain of `test_set/chain.rs` in its GGL form. Out: microseconds per residual, pair of Jacobians,
//! factorisation and solve, with the exponents of their growth from the shortest chain to the longest; then steps and
//! seconds of runs of the longest over 1 s, by BDF and by Radau IIA.
//!
//! ```sh
//! cargo run --release --example chain_growth
//! ```

use std::error::Error;

use dae::runtime::initialize::{InitializationOptions, consistent_states};
use dae::runtime::timing::StepCosts;
use dae::{Dae, Integration, Method, Record};

#[macro_use]
#[path = "test_set/chain.rs"]
mod chain;

chain! { chain_10: 10 }
chain! { chain_32: 32 }
chain! { chain_100: 100 }
chain! { chain_316: 316 }
chain! { chain_1000: 1000 }

/// Relative and absolute tolerance of the runs.
const TOLERANCE: f64 = 1e-4;

fn main() -> Result<(), Box<dyn Error>> {
    let chains = [
        (10, chain_10::forms as fn() -> _),
        (32, chain_32::forms),
        (100, chain_100::forms),
        (316, chain_316::forms),
        (1000, chain_1000::forms),
    ];
    println!("  links  unknowns   residual  Jacobians  factorization      solve  in microseconds");
    let mut all: Vec<(f64, [f64; 4])> = Vec::new();
    for (links, forms) in chains {
        let forms: Vec<Box<dyn Dae>> = forms();
        let ggl = forms[0].as_ref();
        let (y, yp) = consistent_states(ggl, 0.0, &InitializationOptions::default())?;
        let costs = StepCosts::measure(ggl, 0.0, &y, &yp, 1e-3)?;
        let parts = [costs.residual, costs.jacobians, costs.factorization, costs.solve];
        let [residual, jacobians, factorization, solve] = parts.map(|seconds| 1e6 * seconds);
        println!("{links:7}{:10}{residual:11.2}{jacobians:11.2}{factorization:15.2}{solve:11.2}", y.len());
        all.push((f64::from(links), parts));
    }
    let ((n0, first), (n1, last)) = (all[0], all[all.len() - 1]);
    let exponents = [0, 1, 2, 3].map(|k| (last[k] / first[k]).ln() / (n1 / n0).ln());
    println!("exponent of N    {:11.2}{:11.2}{:15.2}{:11.2}", exponents[0], exponents[1], exponents[2], exponents[3]);

    let forms = chain_1000::forms();
    let ggl = forms[0].as_ref();
    let (y, yp) = consistent_states(ggl, 0.0, &InitializationOptions::default())?;
    for (name, method) in [("BDF", Method::Bdf), ("Radau5", Method::Radau5)] {
        let integration = Integration::new(ggl).method(method).rtol(TOLERANCE).atol(TOLERANCE);
        let solution = integration.record(Record::At(vec![1.0])).run_from(0.0, &y, &yp, 1.0)?;
        let tip = ["x[999]", "y[999]"].map(|name| solution.value(name, 1.0).unwrap_or(f64::NAN));
        println!(
            "1,000 links for 1 s by {name}: {} steps, {:.1} s, tip at ({:.4}, {:.4}), rods keep their lengths to {:.0e}",
            solution.statistics.steps,
            solution.seconds,
            tip[0],
            tip[1],
            solution.invariants_max()
        );
    }
    Ok(())
}
