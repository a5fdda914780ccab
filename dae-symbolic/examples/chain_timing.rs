//! How the cost of consistent initialisation and of the local certificate grows: chains of N pendulum links, 5N equations, index 3.
//!
//! `cargo run --release -p dae-symbolic --example chain_timing` for the speed of the command line (add `--features dae-runtime/sparse`), the
//! same without `--release` for that of the macro. Arguments: the numbers of links. Prints seconds of processor time (where the system
//! tells them) per stage and the exponent between the first and the last line; asserts nothing.

use std::error::Error;
use std::sync::LazyLock;
use std::time::Instant;

use dae_runtime::initialize::{InitializationOptions, consistent_initialization};
use dae_symbolic::index::{LocalRegularity, analyse};
use dae_symbolic::prolong::prolong;
use dae_symbolic::read_text;
use dae_symbolic::structure::analyse as analyse_structure;
use dae_symbolic::system::System;

/// Links of mass and length 1, stretched out horizontally to start with; tension `l` over length in each.
fn chain(links: usize) -> String {
    let mut declarations = String::from("pub struct Chain {\n    param g = 9.81;\n");
    let mut equations = String::new();
    for k in 1..=links {
        declarations += &format!(
            "    var x{k} ~ {k};\n    var y{k} ~ 0;\n    var u{k} ~ 0;\n    var v{k} ~ 0;\n    var l{k} ~ 0;\n"
        );
        let before = |name: &str| if k == 1 { String::new() } else { format!(" - {name}{}", k - 1) };
        let next = |name: &str| match k < links {
            true => format!(" - l{0} * ({name}{k} - {name}{0})", k + 1),
            false => String::new(),
        };
        equations += &format!("    der(x{k}) = u{k};\n    der(y{k}) = v{k};\n");
        equations += &format!("    der(u{k}) = -l{k} * (x{k}{}){};\n", before("x"), next("x"));
        equations += &format!("    der(v{k}) = -l{k} * (y{k}{}){} - g;\n", before("y"), next("y"));
        equations += &format!("    0 = (x{k}{}).powi(2) + (y{k}{}).powi(2) - 1;\n", before("x"), before("y"));
    }
    declarations + &equations + "}\n"
}

/// Processor time of this process so far, or the time on the clock.
fn now() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let scheduled = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = scheduled.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |nanoseconds| 1e-9 * nanoseconds)
}

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<usize> = std::env::args().skip(1).map(|n| n.parse()).collect::<Result<_, _>>()?;
    let links = if given.is_empty() { vec![10, 100, 1000] } else { given };
    println!("  links   jets    read  structure  prolong  initialise  whole analysis   (seconds)");
    let mut times = Vec::new();
    for &n in &links {
        let text = chain(n);
        let start = now();
        let (mut model, _) = read_text(&text).map_err(|rejection| rejection.diagnostics)?;
        let read = now() - start;
        let mut whole = model.clone();
        let start = now();
        let system = System::of_text(&mut model);
        let structure = analyse_structure(&system.signature(&model.dag)?)?;
        let structured = now() - start;
        let start = now();
        let prolonged = prolong(&mut model, &system, &structure.offsets).map_err(|unplaced| format!("{unplaced:?}"))?;
        let prolongation = now() - start;
        let start = now();
        let initial = consistent_initialization(&prolonged, 0.0, &InitializationOptions::default())?;
        let initialised = now() - start;
        let start = now();
        let analysis = analyse(&mut whole, 0.0).map_err(|(_, diagnostics)| diagnostics)?;
        let analysed = now() - start;
        println!(
            "{n:>7}{:>7}{read:>8.3}{structured:>11.3}{prolongation:>9.3}{initialised:>12.3}{analysed:>16.3}   condition {:.1e}, {}",
            initial.jets.len(),
            initial.condition,
            match &analysis.certificate.local {
                LocalRegularity::Proven { radius, .. } => format!("proved, radius {radius:.0e}"),
                LocalRegularity::Numerical { .. } => "numerical".into(),
                other => format!("{other:?}"),
            }
        );
        println!("        {:?}", analysis.certificate.verdict());
        times.push((n as f64, initialised, analysed));
    }
    if let ([first, ..], Some(last)) = (times.as_slice(), times.last()) {
        let exponent = |a: f64, b: f64| (b / a).ln() / (last.0 / first.0).ln();
        println!(
            "exponents: initialise {:.2}, whole analysis {:.2}",
            exponent(first.1, last.1),
            exponent(first.2, last.2)
        );
    }
    Ok(())
}
