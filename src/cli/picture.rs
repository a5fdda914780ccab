//! `dae simulate --plot`.
//!
//! In: a solution, its form, and the model. Out: panels of unknowns that belong together: the elements of an array
//! (evenly chosen ones of a long array), and scalars at the same distance from the highest derivatives (positions,
//! velocities, multipliers).

use std::collections::BTreeMap;

use dae::plot::{Panel, PlotError, Series};
use dae_runtime::solution::Solution;
use dae_symbolic::formulation::CompiledForm;
use dae_symbolic::formulation::Source;
use dae_symbolic::pipeline::Compiled;

/// The number of curves that can be told apart in a panel.
const CURVES: usize = 8;
/// The number of curves of an array in its panel, for which the legend has room.
const CURVES_OF_ARRAY: usize = 13;

/// The panels of a solution. Multipliers that the form adds are zero and not shown.
pub(super) fn panels(compiled: &Compiled, form: &CompiledForm, solution: &Solution) -> Result<Vec<Panel>, PlotError> {
    let name = |state: usize| form.program.description.unknowns[state].name.as_ref();
    let panel = |(kind, group): (&Group, &[usize])| {
        let names = group.iter().map(|&state| name(state)).collect::<Vec<_>>();
        let panel = Panel::of(solution, &names)?;
        Ok(match kind {
            Group::Scalars(_) => panel,
            Group::Array(..) => Panel { y_label: array_label(names[0]), ..panel },
        })
    };
    let jets = form.formulation.unknowns.iter().enumerate().filter_map(|(state, unknown)| match unknown.source {
        Source::Jet { unknown, order } => Some((state, unknown, order)),
        _ => None,
    });
    // In a model with modes, only what all of them have is recorded.
    let jets = jets.filter(|&(state, ..)| solution.names.iter().any(|known| known == name(state)));
    let groups = groups(compiled, jets);
    let chunks = groups.iter().flat_map(|(kind, group)| group.chunks(kind.curves()).map(move |chunk| (kind, chunk)));
    chunks.map(panel).collect()
}

/// The panels of a solution of the text as it stands, given its curves by name.
pub(super) fn panels_of_curves(compiled: &Compiled, curve: impl Fn(&str) -> Vec<(f64, f64)>) -> Vec<Panel> {
    let name = |k: usize| compiled.model.unknowns[k].name.as_str();
    let panel = |(kind, group): (&Group, &[usize])| {
        let series = group.iter().map(|&k| Series::new(name(k), curve(name(k)))).collect();
        let names: Vec<&str> = group.iter().map(|&k| name(k)).collect();
        let y_label = match kind {
            Group::Scalars(_) => names.join(", "),
            Group::Array(..) => array_label(names[0]),
        };
        Panel { y_label, series, ..Panel::default() }
    };
    let groups = groups(compiled, (0..compiled.model.unknowns.len()).map(|k| (k, k, 0)));
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

/// States that belong together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    /// Scalars, by $k - d_j$ of the jet $x_j^{(k)}$.
    Scalars(i64),
    /// Elements of an array, by $k - d_j$ of the jet $x_j^{(k)}$ and the number of the array.
    Array(i64, u32),
}

impl Group {
    /// The largest number of curves in a panel of the group; curves of an array are in order, so that more of them can
    /// be told apart.
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

/// States by group, those furthest from the highest derivatives first; given are states with the unknown and the order
/// of the jet.
fn groups(compiled: &Compiled, states: impl Iterator<Item = (usize, usize, u32)>) -> Vec<(Group, Vec<usize>)> {
    let offsets = &compiled.analysis.structure.offsets.unknowns;
    let mut groups: BTreeMap<(i64, Group), Vec<usize>> = BTreeMap::new();
    for (state, unknown, order) in states {
        let level = i64::from(order) - i64::from(offsets[unknown]);
        let member = compiled.model.unknowns[unknown].domain.member.as_deref();
        let group = match member.filter(|member| !member.indices.is_empty()) {
            Some(member) => Group::Array(level, member.family),
            None => Group::Scalars(level),
        };
        groups.entry((group.level(), group)).or_default().push(state);
    }
    groups.into_iter().map(|((_, group), states)| (group, chosen(group, states))).collect()
}

/// The states to draw: of a long array evenly chosen elements, including the first and the last; otherwise all.
fn chosen(group: Group, states: Vec<usize>) -> Vec<usize> {
    match group {
        Group::Array(..) if states.len() > CURVES_OF_ARRAY => {
            let last = states.len() - 1;
            (0..CURVES_OF_ARRAY).map(|k| states[k * last / (CURVES_OF_ARRAY - 1)]).collect()
        }
        Group::Array(..) | Group::Scalars(_) => states,
    }
}
