//! Our work and that of established codes, at equal numbers of correct digits.
//!
//! In: the work of the other codes (`peers.json`, measured for this project), and our runs. Out: for every method and
//! problem the ratios of our steps, residuals, Jacobians and factorisations to those of the other code.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use super::Cell;
use super::curves::{Curves, geometric_mean, ratios};

/// The methods, and the code that each is compared with.
const PEERS: [(&str, &str); 3] = [("bdf", "ida"), ("radau5", "radau5"), ("radau", "radau")];

const MEASURES: [&str; 4] = ["steps", "residuals", "Jacobians", "factorizations"];

/// The curves of the other codes, by problem and code; a curve is that of one variant of a code and one formulation.
pub(crate) struct Peers {
    curves: BTreeMap<(String, String), Curves<4>>,
}

impl Peers {
    /// The curves in the file, each in the order of its tolerances, without the runs that failed.
    pub(crate) fn read() -> Result<Peers, Box<dyn Error>> {
        type Row = (String, String, String, f64, f64, f64, f64, f64, Option<f64>, Option<f64>);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/test_set/peers.json");
        let file: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
        let rows: Vec<Row> = serde_json::from_value(file["rows"].clone())?;
        let mut curves: BTreeMap<(String, String), Curves<4>> = BTreeMap::new();
        for (problem, peer, formulation, _, steps, residuals, jacobians, factorizations, digits, _) in rows {
            let Some(digits) = digits else { continue };
            let code = peer.split(':').next().unwrap_or_default().to_string();
            let curve = curves.entry((problem, code)).or_default().entry(format!("{peer} {formulation}")).or_default();
            curve.push((digits, [steps, residuals, jacobians, factorizations]));
        }
        Ok(Peers { curves })
    }

    /// The tables of ratios, one for each method.
    pub(crate) fn compared(&self, cells: &[Cell]) -> String {
        let mut ours: BTreeMap<(&str, &str), Curves<4>> = BTreeMap::new();
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
