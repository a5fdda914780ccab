//! How the time of every stage grows with the size of the model: `cargo run --release -p dae-symbolic --example analysis_scaling`.
//!
//! In: nothing, or the largest size (10,000 unless given). Out: for chains of point masses (index 3, five equations a link), ladders of resistors
//! and capacitors driven by a voltage (index 2) and the same behind a resistor (index 1), the milliseconds of each stage and the
//! exponent $\alpha$ of $c N^\alpha$, fitted by least squares to the logarithms of the last three sizes; and the time for
//! $x_1 = g(t),\ x_{k+1} = x_k'$ with 47 unknowns, whose index is 47.

use std::error::Error;
use std::fmt::Write;
use std::time::Instant;

use dae_symbolic::compile::compile;
use dae_symbolic::emit::emit;
use dae_symbolic::formulation::Form;
use dae_symbolic::index::{Verdict, structure_of_text};
use dae_symbolic::read_text;

const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];
const STAGES: [&str; 4] = ["read", "structure", "compile", "emit"];

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

/// Resistors in a row with a capacitor to ground at every node; what feeds the first node decides on the index.
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

/// Seconds that this thread was running, so that a busy machine does not count; where the system does not tell, seconds that passed.
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

/// Milliseconds by stage, and what is found.
fn measure(text: &str) -> Result<([f64; 4], String), Box<dyn Error>> {
    let mut times = [0.0; 4];
    let clock = Clock::start();
    let mut last = clock.now();
    let mut stage = |place: usize| {
        times[place] = 1e3 * (clock.now() - last);
        last = clock.now();
    };
    let (model, _) = read_text(text).map_err(|rejection| rejection.diagnostics)?;
    stage(0);
    let _ = structure_of_text(&model).map_err(|(_, diagnostics)| diagnostics)?;
    stage(1);
    let compiled = compile(model, 0.0).map_err(|rejected| rejected.diagnostics)?;
    stage(2);
    let _ = emit(&compiled, &Form::ALL);
    stage(3);
    let verdict = match compiled.analysis.certificate.verdict() {
        Verdict::Exact(index) => format!("index {index}"),
        Verdict::AtMost { bound, reason } => format!("index at most {bound} ({reason})"),
        Verdict::NotCertified { reason } => format!("not certified ({reason})"),
    };
    Ok((times, verdict))
}

/// $\alpha$ of $c N^\alpha$.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(n, time)| (n.ln(), time.ln())).collect();
    let count = logs.len() as f64;
    let mean = |part: fn(&(f64, f64)) -> f64| logs.iter().map(part).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / logs.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

/// The text of a chain of the given length.
type Chain = fn(usize) -> String;

fn main() -> Result<(), Box<dyn Error>> {
    let largest: usize = std::env::args().nth(1).map_or(Ok(SIZES[3]), |text| text.parse())?;
    let chains: [(&str, Chain); 3] = [
        ("point masses", point_masses),
        ("ladder on a voltage", |n| ladder(n, "e1 - sin(t)")),
        ("ladder behind a resistor", |n| ladder(n, "r * i0 - sin(t) + e1")),
    ];
    println!("{:<26}{:>7}{}  result", "milliseconds", "N", STAGES.map(|stage| format!("{stage:>12}")).concat());
    for (name, text) in chains {
        let mut rows = Vec::new();
        for n in SIZES.into_iter().filter(|&n| n <= largest) {
            let (times, verdict) = measure(&text(n))?;
            println!("{name:<26}{n:>7}{}  {verdict}", times.map(|time| format!("{time:>12.2}")).concat());
            rows.push((n, times));
        }
        let fitted = |stage: usize| {
            let points: Vec<(f64, f64)> = rows.iter().map(|(n, times)| (*n as f64, times[stage])).collect();
            // What takes less than the clock can tell has no exponent.
            let measured: Vec<_> = points.into_iter().filter(|&(_, time)| time > 0.0).collect();
            exponent(&measured[measured.len().saturating_sub(3)..])
        };
        if rows.len() > 1 {
            let exponents: String = (0..4).map(|stage| format!("{:>12.2}", fitted(stage))).collect();
            println!("{name:<26}{:>7}{exponents}", "alpha");
        }
    }
    let (times, verdict) = measure(&differentiators(47))?;
    println!("{:<26}{:>7}{}  {verdict}", "differentiators", 47, times.map(|time| format!("{time:>12.2}")).concat());
    Ok(())
}
