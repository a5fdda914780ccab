//! `dae simulate --plot`.
//!
//! In: a solution, the form it is of, and the model. Out: panels of unknowns that belong together: the elements of an array (of a long one,
//! evenly chosen ones), and scalars of the same distance from the highest derivatives (positions, velocities, multipliers).

use std::collections::BTreeMap;

use dae::plot::{Panel, Scale, Series};
use dae_runtime::solution::Solution;
use dae_symbolic::compile::{Compiled, CompiledForm};
use dae_symbolic::formulation::Source;

/// Curves that a panel can tell apart.
const CURVES: usize = 8;
/// Curves of an array in its panel, as many as its legend has room for.
const CURVES_OF_ARRAY: usize = 13;
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
    let panel = |(kind, group): (&Group, &[usize])| Panel {
        y_label: match kind {
            Group::Scalars(_) => y_label(group.iter().map(|&k| solution.names[k].as_ref()).collect()),
            Group::Array(..) => array_label(solution.names[group[0]].as_ref()),
        },
        scale: Scale::Linear,
        series: group.iter().map(|&k| curve(k)).collect(),
    };
    let groups = groups(compiled, form);
    let chunks = groups.iter().flat_map(|(kind, group)| group.chunks(kind.curves()).map(move |chunk| (kind, chunk)));
    chunks.map(panel).collect()
}

/// `x` of `x[3]`, `der(x)` of `der(x[3])`.
fn array_label(name: &str) -> String {
    let (start, end) = (name.find('['), name.rfind(']'));
    match (start, end) {
        (Some(start), Some(end)) if start < end => format!("{}{}", &name[..start], &name[end + 1..]),
        _ => name.to_string(),
    }
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

/// What belongs together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    /// Scalars, by $k - d_j$ of the jet $x_j^{(k)}$.
    Scalars(i64),
    /// The same of elements of an array, and which array it is.
    Array(i64, u32),
}

impl Group {
    /// Curves that a panel of it can tell apart: those of an array have an order.
    fn curves(self) -> usize {
        match self {
            Group::Scalars(_) => CURVES,
            Group::Array(..) => CURVES_OF_ARRAY,
        }
    }

    fn level(self) -> i64 {
        match self {
            Group::Scalars(level) | Group::Array(level, _) => level,
        }
    }
}

/// States by group, highest distance from the highest derivatives first. Multipliers of the form are zero and not shown.
fn groups(compiled: &Compiled, form: &CompiledForm) -> Vec<(Group, Vec<usize>)> {
    let offsets = &compiled.analysis.structure.offsets.unknowns;
    let mut groups: BTreeMap<(i64, Group), Vec<usize>> = BTreeMap::new();
    for (state, unknown) in form.formulation.unknowns.iter().enumerate() {
        if let Source::Jet { unknown, order } = unknown.source {
            let level = i64::from(order) - i64::from(offsets[unknown]);
            let member = compiled.model.unknowns[unknown].domain.member.as_deref();
            let group = match member.filter(|member| !member.indices.is_empty()) {
                Some(member) => Group::Array(level, member.family),
                None => Group::Scalars(level),
            };
            groups.entry((group.level(), group)).or_default().push(state);
        }
    }
    groups.into_iter().map(|((_, group), states)| (group, chosen(group, states))).collect()
}

/// Of a long array, evenly chosen elements, the first and the last among them.
fn chosen(group: Group, states: Vec<usize>) -> Vec<usize> {
    match group {
        Group::Array(..) if states.len() > CURVES_OF_ARRAY => {
            let last = states.len() - 1;
            (0..CURVES_OF_ARRAY).map(|k| states[k * last / (CURVES_OF_ARRAY - 1)]).collect()
        }
        Group::Array(..) | Group::Scalars(_) => states,
    }
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
