//! How long reading a chain of N pendulums takes, from text to the scalar model.
//!
//! `cargo run -p dae-symbolic --example family_timing`, unoptimised on purpose: macros are. Asserts nothing.

use std::error::Error;
use std::time::{Duration, Instant};

use dae_symbolic::read_text;

fn main() -> Result<(), Box<dyn Error>> {
    let text = include_str!("../../examples/models/chain.dae");
    println!("      N  unknowns  milliseconds");
    for n in [10, 100, 1_000, 10_000] {
        let text = text.replace("const N = 6;", &format!("const N = {n};"));
        let mut best = Duration::MAX;
        let mut unknowns = 0;
        for _ in 0..3 {
            let start = Instant::now();
            let (model, _) = read_text(&text).map_err(|rejection| rejection.diagnostics)?;
            best = best.min(start.elapsed());
            unknowns = model.unknowns.len();
        }
        println!("{n:>7}{unknowns:>10}{:>14.1}", 1e3 * best.as_secs_f64());
    }
    Ok(())
}
