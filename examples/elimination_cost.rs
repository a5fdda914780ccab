//! Which factorisation of iteration matrices takes the least time: unrolled code, loops over a chosen sequence of
//! pivots, or a dense one.
//!
//! In: the models of the test set. Out: microseconds per factorisation and per solve with each, in real and in complex
//! arithmetic.
//!
//! ```sh
//! cargo run --release --example elimination_cost
//! ```

use std::error::Error;

use dae::Dae;
use dae::runtime::initialize::{InitializationOptions, consistent_states};
use dae::runtime::iteration_matrix::Factorization;
use dae::runtime::timing::LinearCosts;

#[allow(dead_code)]
#[path = "test_set/problems.rs"]
mod problems;

const FACTORIZATIONS: [(&str, Factorization); 3] =
    [("without loops", Factorization::UnrolledLu), ("sparse", Factorization::Sparse), ("dense", Factorization::Dense)];

/// The largest number of unknowns for which the dense factorisation is measured; beyond it, it is too slow to matter.
const LARGEST_DENSE: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "{:22}{:>8}  {:14}{:>12}{:>8}{:>12}{:>8}",
        "form", "unknowns", "", "real factor", "solve", "cplx factor", "solve"
    );
    for problem in problems::all().into_iter().filter(|problem| !problem.is_long) {
        for form in (problem.forms)() {
            rows(&format!("{} {}", problem.name, form.description().form), form.as_ref())?;
        }
    }
    Ok(())
}

fn rows(label: &str, form: &dyn Dae) -> Result<(), Box<dyn Error>> {
    let (y, yp) = consistent_states(form, 0.0, &InitializationOptions::default())?;
    for (name, how) in FACTORIZATIONS {
        if how == Factorization::Dense && y.len() > LARGEST_DENSE {
            continue;
        }
        if let Some(costs) = LinearCosts::measure(form, 0.0, &y, &yp, 1e-3, how)? {
            let [real, complex] = costs;
            let parts =
                [real.factorization, real.solve, complex.factorization, complex.solve].map(|seconds| 1e6 * seconds);
            let [a, b, c, d] = parts;
            println!("{label:22}{:8}  {name:14}{a:12.3}{b:8.3}{c:12.3}{d:8.3}", y.len());
        }
    }
    Ok(())
}
