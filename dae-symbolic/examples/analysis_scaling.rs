//! How the time of each stage grows with the size of the model:
//! `cargo run --release -p daekit-symbolic --example analysis_scaling`.
//!
//! In: the largest size (10,000 unless given), and the one for models without arrays (1,000 unless given).
//! Out: milliseconds of each stage, the number of nodes of the expression graph, and for each of these the exponent
//! $\alpha$ of $c N^\alpha$, fitted by least squares to the logarithms for the three largest sizes; for
//!
//! * families: a chain of $N$ pendulums (index 3), a ladder of $N$ capacitors driven by a voltage (index 2), a plate of
//!   about $N$ points (index 1);
//! * similar models written out without arrays: a chain of point masses (index 3, five equations per link),
//!   ladders driven by a voltage (index 2) and through a resistor (index 1);
//! * $x_1 = \sin t,\ x_{k+1} = x_k'$ with 47 unknowns, whose index is 47 (no exponent).

use std::error::Error;
use std::fmt::Write;
use std::time::Instant;

use dae_symbolic::emit::emit;
use dae_symbolic::index::Verdict;
use dae_symbolic::pipeline::{compile, compile_excerpt};
use dae_symbolic::{Families, read_families_text, scalar_model};

const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];
const STAGES: [&str; 4] = ["read", "compile", "emit", "nodes"];

const CHAIN: &str = include_str!("../../examples/models/chain.dae");
const PLATE: &str = include_str!("../../examples/models/plate.dae");
const CAPACITORS: &str = "struct Ladder {
    const N = 6;
    param r: [f64; N] = 1.5; param c = 0.5;
    var e: [f64; N] ~ 0; var i: [f64; N + 1];
    e[0] = sin(t);
    for k in 1..N { r[k] * i[k] = e[k - 1] - e[k]; }
    for k in 0..N { c * der(e[k]) = i[k] - i[k + 1]; }
    i[N] = 0;
}";

/// The text of a model with arrays, with its size replaced by `n`.
fn sized(text: &str, n: usize) -> String {
    text.replace("const N = 6;", &format!("const N = {n};"))
}

/// A hanging chain of `n` point masses on massless links of length $1/n$, straight and at rest at the start.
fn point_masses(n: usize) -> String {
    let mut text = String::from("struct Chain {\n    param g = 9.81;\n");
    let length = 1.0 / n as f64;
    for i in 1..=n {
        let (x, y) = (i as f64 * length * 0.5, -(i as f64) * length * 0.75f64.sqrt());
        let _ = writeln!(
            text,
            "    var x{i} ~ {x:?}; var y{i} ~ {y:?}; var u{i} ~ 0; var v{i} ~ 0; var la{i} ~ {:?};",
            8.5
        );
    }
    for i in 1..=n {
        let (x, y) = match i {
            1 => ("x1".to_string(), "y1".to_string()),
            _ => (format!("(x{i} - x{})", i - 1), format!("(y{i} - y{})", i - 1)),
        };
        let (mut fx, mut fy) = (format!("-la{i} * {x}"), format!("-la{i} * {y} - g"));
        if i < n {
            let _ = write!(fx, " + la{0} * (x{0} - x{i})", i + 1);
            let _ = write!(fy, " + la{0} * (y{0} - y{i})", i + 1);
        }
        let _ = writeln!(text, "    der(x{i}) = u{i}; der(y{i}) = v{i}; der(u{i}) = {fx}; der(v{i}) = {fy};");
        let _ = writeln!(text, "    0 = {x}.powi(2) + {y}.powi(2) - {:?};", length * length);
    }
    text + "}\n"
}

/// Resistors in series with a capacitor to ground at every node; the equation `0 = feed` at the first node determines
/// the index.
fn ladder(n: usize, feed: &str) -> String {
    let mut text = String::from("struct Ladder {\n    param r = 1.5;\n    param c = 0.5;\n    var i0;\n");
    for i in 1..=n {
        let _ = writeln!(text, "    var e{i} ~ 0;");
    }
    let _ = writeln!(text, "    0 = {feed};");
    for i in 1..=n {
        let left = if i == 1 { "i0".to_string() } else { format!("(e{} - e{i}) / r", i - 1) };
        let right = if i == n { "e".to_string() + &n.to_string() } else { format!("e{i} - e{}", i + 1) };
        let _ = writeln!(text, "    c * der(e{i}) = {left} - ({right}) / r;");
    }
    text + "}\n"
}

fn differentiators(n: usize) -> String {
    let mut text = String::from("struct Differentiators {\n");
    for k in 1..=n {
        let _ = writeln!(text, "    var x{k};");
    }
    let _ = writeln!(text, "    x1 = sin(t);");
    for k in 1..n {
        let _ = writeln!(text, "    x{} = der(x{k});", k + 1);
    }
    text + "}\n"
}

/// Seconds for which this thread has been running, so that the load of the machine does not count; elapsed seconds
/// where the system does not tell.
struct Clock {
    start: Instant,
}

impl Clock {
    fn start() -> Self {
        Clock { start: Instant::now() }
    }

    fn now(&self) -> f64 {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
        let running = text.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
        running.map_or_else(|| self.start.elapsed().as_secs_f64(), |nanoseconds| 1e-9 * nanoseconds as f64)
    }
}

/// Milliseconds by stage and the number of nodes, in the order of [`STAGES`], and the result of the analysis.
fn measure(text: &str) -> Result<([f64; 4], String), Box<dyn Error>> {
    let mut times = [0.0; 4];
    let clock = Clock::start();
    let mut last = clock.now();
    let mut stage = |place: usize| {
        times[place] = 1e3 * (clock.now() - last);
        last = clock.now();
    };
    let Ok(Families { model, .. }) = read_families_text(text) else { return Err("this is no model".into()) };
    stage(0);
    let compiled = match compile_excerpt(&model, 0.0) {
        Some(compiled) => compiled,
        None => {
            let whole = scalar_model(model).map_err(|diagnostics| diagnostics.to_string())?;
            compile(whole, 0.0).map_err(|rejected| rejected.diagnostics)?
        }
    };
    stage(1);
    let _ = emit(&compiled);
    stage(2);
    times[3] = compiled.model.dag.len() as f64;
    let verdict = match compiled.analysis.certificate.verdict() {
        Verdict::Exact(index) => format!("index {index}"),
        Verdict::AtMost { bound, reason } => format!("index at most {bound} ({reason})"),
        Verdict::NotCertified { reason } => format!("not certified ({reason})"),
    };
    Ok((times, verdict))
}

/// $\alpha$ of the fit $c N^\alpha$ to pairs of size and time.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(n, time)| (n.ln(), time.ln())).collect();
    let count = logs.len() as f64;
    let mean = |part: fn(&(f64, f64)) -> f64| logs.iter().map(part).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / logs.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

/// Writes the text of a model of the given size.
type Text = fn(usize) -> String;

/// The means of several measurements, so that short times can be measured with a clock that ticks in milliseconds.
fn averaged(text: &str, runs: usize) -> Result<([f64; 4], String), Box<dyn Error>> {
    let mut sum = [0.0; 4];
    let mut found = String::new();
    for _ in 0..runs {
        let (times, verdict) = measure(text)?;
        sum.iter_mut().zip(times).for_each(|(sum, time)| *sum += time / runs as f64);
        found = verdict;
    }
    Ok((sum, found))
}

fn row(name: &str, n: &str, values: &[f64], decimals: usize, rest: &str) {
    let values: String = values.iter().map(|value| format!("{value:>12.decimals$}")).collect();
    println!("{name:<26}{n:>7}{values}  {rest}");
}

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<usize> = std::env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let largest = [0, 1].map(|k| given.get(k).copied().unwrap_or([SIZES[3], SIZES[2]][k]));
    let models: [(&str, Text, usize); 6] = [
        ("chain", |n| sized(CHAIN, n), largest[0]),
        ("ladder", |n| sized(CAPACITORS, n), largest[0]),
        ("plate", |n| sized(PLATE, (n as f64).sqrt().round() as usize), largest[0]),
        ("written-out chain", point_masses, largest[1]),
        ("written-out ladder", |n| ladder(n, "e1 - sin(t)"), largest[1]),
        ("the same, index 1", |n| ladder(n, "r * i0 - sin(t) + e1"), largest[1]),
    ];
    let columns: String = STAGES.iter().map(|stage| format!("{stage:>12}")).collect();
    println!("{:<26}{:>7}{columns}  result", "milliseconds", "N");
    for (name, text, largest) in models {
        let mut rows = Vec::new();
        for n in SIZES.into_iter().filter(|&n| n <= largest) {
            let (times, verdict) = averaged(&text(n), (1_000 / n).clamp(1, 10))?;
            row(name, &n.to_string(), &times, 1, &verdict);
            rows.push((n as f64, times));
        }
        let last = &rows[rows.len().saturating_sub(3)..];
        let fitted = |stage: usize| exponent(&last.iter().map(|(n, times)| (*n, times[stage])).collect::<Vec<_>>());
        row(name, "alpha", &[0, 1, 2, 3].map(fitted), 2, "");
    }
    let (times, verdict) = averaged(&differentiators(47), 10)?;
    row("differentiators", "47", &times, 1, &verdict);
    Ok(())
}
