//! `dae simulate --plot`.
//!
//! In: a solution, the form it is of, and the model. Out: panels of unknowns that belong together: those of the same distance from the highest
//! derivatives (positions, velocities, multipliers).

use std::collections::BTreeMap;

use dae::plot::{Panel, Scale, Series};
use dae_runtime::solution::Solution;
use dae_symbolic::compile::{Compiled, CompiledForm};
use dae_symbolic::formulation::Source;

/// Curves that a panel can tell apart.
const CURVES: usize = 8;
/// Points between which the eye sees no corners.
const POINTS: usize = 1500;

/// The panels of a solution; between its recorded times, the dense output if there is one.
pub(super) fn panels(compiled: &Compiled, form: &CompiledForm, solution: &Solution) -> Vec<Panel> {
    let times = sampled(&solution.times);
    let states: Vec<(f64, Vec<f64>)> = times.into_iter().filter_map(|t| Some((t, solution.at(t)?))).collect();
    let curve = |k: usize| {
        let points = states.iter().map(|(t, state)| (*t, state[k])).collect();
        Series::new(solution.names[k].as_ref(), points)
    };
    groups(compiled, form)
        .iter()
        .flat_map(|group| group.chunks(CURVES))
        .map(|group| Panel {
            y_label: y_label(group.iter().map(|&k| solution.names[k].as_ref()).collect()),
            scale: Scale::Linear,
            series: group.iter().map(|&k| curve(k)).collect(),
        })
        .collect()
}

/// The names, if they fit beside a panel.
fn y_label(names: Vec<&str>) -> String {
    const FITS: usize = 32;
    let all = names.join(", ");
    match names.first() {
        Some(first) if all.chars().count() > FITS => format!("{first}, …"),
        _ => all,
    }
}

/// States by $d_j - k$ of the jet $x_j^{(k)}$ they are, descending. Multipliers of the form are zero and not shown.
fn groups(compiled: &Compiled, form: &CompiledForm) -> Vec<Vec<usize>> {
    let offsets = &compiled.analysis.structure.offsets.unknowns;
    let mut groups: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (state, unknown) in form.formulation.unknowns.iter().enumerate() {
        if let Source::Jet { unknown, order } = unknown.source {
            groups.entry(i64::from(order) - i64::from(offsets[unknown])).or_default().push(state);
        }
    }
    groups.into_values().collect()
}

/// The recorded times, and times between them where they are few.
fn sampled(times: &[f64]) -> Vec<f64> {
    let pieces = POINTS.div_ceil(times.len().max(1));
    let mut sampled = Vec::new();
    for pair in times.windows(2) {
        sampled.extend((0..pieces).map(|k| pair[0] + (pair[1] - pair[0]) * k as f64 / pieces as f64));
    }
    sampled.extend(times.last());
    sampled
}
