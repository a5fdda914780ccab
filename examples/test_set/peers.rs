//! The work of established codes at equal digits.
//!
//! In: `peers.json`, measured for this project, and cells of the diagram. Out: for every problem and method the ratios of our work to that of
//! the peer: steps, residuals, Jacobians, factorisations.
//!
//! Work is a function of digits, interpolated (logarithmically) along the curve of a code through its tolerances. Of the formulations, and of the
//! variants of the peer, the best counts at every number of digits. A ratio is the geometric mean over the digits at which both have a curve.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use super::Cell;

/// Whom each method is compared with.
const PEERS: [(&str, &str); 3] = [("bdf", "ida"), ("radau5", "radau5"), ("radau", "radau")];

const MEASURES: [&str; 4] = ["steps", "residuals", "Jacobians", "factorizations"];

/// Digits at which curves are compared.
const SAMPLES_PER_DIGIT: f64 = 4.0;

/// Digits and the four kinds of work.
type Point = (f64, [f64; 4]);

/// Curves by their names.
type Curves = BTreeMap<String, Vec<Point>>;

/// Rows of the file: problem, peer, curve, point.
pub(crate) struct Peers {
    curves: BTreeMap<(String, String), Curves>,
}

impl Peers {
    /// The curves in the file, each in the order of its tolerances.
    pub(crate) fn read() -> Result<Peers, Box<dyn Error>> {
        type Row = (String, String, String, f64, f64, f64, f64, f64, Option<f64>, Option<f64>);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/test_set/peers.json");
        let file: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
        let rows: Vec<Row> = serde_json::from_value(file["rows"].clone())?;
        let mut curves: BTreeMap<(String, String), Curves> = BTreeMap::new();
        for (problem, peer, formulation, _, steps, residuals, jacobians, factorizations, digits, _) in rows {
            let Some(digits) = digits else { continue };
            let code = peer.split(':').next().unwrap_or_default().to_string();
            let curve = curves.entry((problem, code)).or_default().entry(format!("{peer} {formulation}")).or_default();
            curve.push((digits, [steps, residuals, jacobians, factorizations]));
        }
        Ok(Peers { curves })
    }

    /// The table of ratios.
    pub(crate) fn compared(&self, cells: &[Cell]) -> String {
        let mut ours: BTreeMap<(&str, &str), Curves> = BTreeMap::new();
        for cell in cells {
            let Some(figures) = cell.figures() else { continue };
            let s = figures.statistics;
            let work = [s.steps, s.residuals, s.jacobians, s.factorizations].map(|count| count.max(1) as f64);
            let curves = ours.entry((cell.method, cell.problem)).or_default();
            curves.entry(cell.curve()).or_default().push((figures.digits, work));
        }
        let mut text = String::new();
        for (method, peer) in PEERS {
            let mut all: Vec<[f64; 4]> = Vec::new();
            let _ = writeln!(
                text,
                "\n| {method} over {peer} | digits | {} |\n|---|---|---|---|---|---|",
                MEASURES.join(" | ")
            );
            for ((_, problem), curves) in ours.iter().filter(|((of, _), _)| *of == method) {
                let theirs = self.curves.get(&(problem.to_string(), peer.to_string()));
                let Some((digits, ratios)) = theirs.and_then(|theirs| ratios(curves, theirs)) else { continue };
                let cells = ratios.map(|ratio| format!("{ratio:.2}")).join(" | ");
                let _ = writeln!(text, "| {problem} | {:.1} to {:.1} | {cells} |", digits.0, digits.1);
                all.push(ratios);
            }
            if all.is_empty() {
                continue;
            }
            let column = |k: usize| all.iter().map(move |ratios| ratios[k]);
            let means = [0, 1, 2, 3].map(|k| format!("{:.2}", geometric_mean(column(k))));
            let worst = [0, 1, 2, 3].map(|k| format!("{:.2}", column(k).fold(0.0, f64::max)));
            let _ = writeln!(text, "| geometric mean | | {} |", means.join(" | "));
            let _ = writeln!(text, "| worst | | {} |", worst.join(" | "));
        }
        text
    }
}

/// The digits over which both have curves, and the ratios; nothing if there are none.
fn ratios(ours: &Curves, theirs: &Curves) -> Option<((f64, f64), [f64; 4])> {
    let range = |curves: &Curves| {
        let digits = || curves.values().flatten().map(|point| point.0);
        (digits().fold(f64::INFINITY, f64::min), digits().fold(f64::NEG_INFINITY, f64::max))
    };
    let (low, high) = (range(ours).0.max(range(theirs).0), range(ours).1.min(range(theirs).1));
    if low > high {
        return None;
    }
    let samples = ((high - low) * SAMPLES_PER_DIGIT).floor();
    let mut logarithms = [0.0; 4];
    let mut count = 0.0;
    for k in 0..=samples.max(0.0) as usize {
        let digits = low + (high - low) * k as f64 / samples.max(1.0);
        for measure in 0..4 {
            logarithms[measure] += (best(ours, digits, measure)? / best(theirs, digits, measure)?).ln();
        }
        count += 1.0;
    }
    Some(((low, high), logarithms.map(|sum| f64::exp(sum / count))))
}

/// The least work of a curve at these digits.
fn best(curves: &Curves, digits: f64, measure: usize) -> Option<f64> {
    curves.values().filter_map(|curve| interpolated(curve, digits, measure)).min_by(f64::total_cmp)
}

/// Work at these digits: between neighbouring tolerances, the geometric mean where a curve turns back and passes several times.
fn interpolated(curve: &[Point], digits: f64, measure: usize) -> Option<f64> {
    let between = |pair: &[Point]| {
        let ((d0, w0), (d1, w1)) = (pair[0], pair[1]);
        let part = if d1 == d0 { 0.5 } else { (digits - d0) / (d1 - d0) };
        (-1e-9..=1.0 + 1e-9).contains(&part).then(|| w0[measure].powf(1.0 - part) * w1[measure].powf(part))
    };
    let found: Vec<f64> = curve.windows(2).filter_map(between).collect();
    (!found.is_empty()).then(|| geometric_mean(found.into_iter()))
}

fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value.ln(), count + 1.0));
    f64::exp(sum / count)
}
