//! Consistent values where a run enters another mode of its model.
//!
//! In: the values of unknowns and derivatives before, and the formulation in the new mode. Out: consistent values of
//! that formulation, and the impulses that lead to them; what is needed for their derivatives is in a [`Passage`].
//!
//! With the canonical offsets $c_i$, $d_j$ of the new mode (J. D. Pryce, *A simple structural analysis method for DAEs*,
//! BIT 41, 2001), the jets $x_j^{(k)}$, $k < d_j$, are its states. Where they do not satisfy its constraints, the highest
//! of them jump, $x_j^{(d_j - 1)}$ by $\xi_j$, so that $x_j^{(d_j)}$ is an impulse of this strength (for $d_j = 0$ the
//! unknown itself). Integrated over the change, the equations without derivatives ($c_i = 0$) keep their impulses alone,
//! and of the others the last constraint holds afterwards:
//!
//! $$ \sum_j \frac{\partial f_i}{\partial x_j^{(d_j)}}\, \xi_j = 0 \quad (c_i = 0), \qquad
//!    f_i^{(c_i - 1)}(x_j^{(d_j - 1)} + \xi_j) = 0 \quad (c_i \ge 1). $$
//!
//! The matrix of these equations is the system Jacobian, which is regular where the mode determines its solution. Where
//! an impulse occurs nonlinearly, or its coefficient jumps itself, the integral is not defined, and there is no result.

use std::collections::HashMap;
use std::fmt;

use super::error::InitializationError;
use super::jumps::{Jumps, Source, Strengths, solve};
use super::passage::Passage;
use super::reinitialization::{JetPlaces, Restart};
use super::{InitializationOptions, consistent_jets, states_of};
use crate::contract::{Dae, Kind, Name, Start};
use crate::linalg::sparse::SparseMatrix;

/// The largest number of iterations for the jumps.
const ITERATIONS: usize = 30;
/// Jumps are found when a correction is smaller than this fraction of the size of the unknown.
const CONVERGED: f64 = 1e-14;
/// Corrections below this fraction that do not become smaller are rounding errors.
const NEARLY: f64 = 1e-9;
/// A coefficient of an impulse that changes by more than this fraction of the sum of its row jumps itself.
const SAME: f64 = 1e-6;

/// Where a state without a value before is started this fraction of its size away, it comes back to the same value if the
/// equations determine it.
const ASIDE: f64 = 1e-3;
/// It counts as the same to this fraction of that distance.
const RETURNED: f64 = 1e-2;

/// Values before a change, by the names of jets.
pub(crate) struct Arriving {
    known: HashMap<Name, Known>,
    are_parted: bool,
}

/// The value of a jet before a change.
#[derive(Clone, Copy)]
struct Known {
    before: f64,
    /// With what the change sets.
    value: f64,
    is_set: bool,
    source: Source,
}

/// Consistent values in a new mode.
pub(crate) struct Entered {
    pub(crate) y: Vec<f64>,
    pub(crate) yp: Vec<f64>,
    /// The states of the mode, by the names of their jets, of which a value before is known: that and the one after.
    pub(crate) states: Vec<(Name, f64, f64)>,
    /// Names of unknowns without states there, and the strength of the impulse that each of them is.
    pub(crate) impulses: Vec<(Name, f64)>,
    pub(crate) passage: Passage,
}

/// Why a mode cannot be entered.
#[derive(Clone, Debug)]
pub(crate) enum NotEntered {
    /// Its constraints have no solution, or its equations do not determine one.
    Inconsistent(InitializationError),
    /// An unknown would have to jump that no impulse moves, from the one value to the other.
    Jump { unknown: Name, before: f64, after: f64 },
    /// An impulse occurs nonlinearly in an equation, or with a coefficient that jumps itself.
    Undefined { equation: Name },
    /// A state has no value before, and the equations do not determine it.
    NoValue { unknown: Name },
    /// The equations for the impulses have no solution that is found.
    NoImpulse { equation: Name },
    /// Structure does not say which of its equations are constraints.
    Unstructured,
}

impl fmt::Display for NotEntered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotEntered::Inconsistent(error) => error.fmt(f),
            NotEntered::Jump { unknown, before, after } => {
                write!(
                    f,
                    "`{unknown}` would have to jump from {before:.6e} to {after:.6e}, which no finite impulse achieves"
                )
            }
            NotEntered::Undefined { equation } => write!(
                f,
                "in {equation} an impulse occurs nonlinearly, or is multiplied by something that jumps at the same time, which is not \
                 defined: give the values after the change in the `when` that enters the mode"
            ),
            NotEntered::NoValue { unknown } => write!(
                f,
                "`{unknown}` has no value before, and the equations do not determine it: give it one in the `when` that enters the mode"
            ),
            NotEntered::NoImpulse { equation } => {
                write!(f, "no impulse is found with which its constraints hold, because of {equation}")
            }
            NotEntered::Unstructured => f.write_str(
                "its constraints follow from a derivative array only, which does not say how unknowns jump onto them",
            ),
        }
    }
}

impl Arriving {
    /// The values of all jets that a state of a formulation gives, `before` a change and with what it sets; `is_set` says
    /// which jets these are. Of unknowns that are equal in the mode before, one that is not set keeps its value.
    pub(crate) fn of(
        dae: &dyn Dae,
        (t, y, yp): (f64, &[f64], &[f64]),
        before: &[f64],
        is_set: impl Fn(usize) -> bool,
    ) -> Self {
        let description = dae.description();
        let names = &dae.prolongation().prolongation_description().jets;
        let places = JetPlaces::of(dae);
        let mut constants = vec![0.0; description.eliminated.len()];
        dae.eliminated(t, y, &mut constants);
        let (mut known, mut are_parted) = (HashMap::new(), false);
        let mut insert = |jet: Option<usize>, [before, changed]: [f64; 2], source: Source| {
            if let Some(jet) = jet {
                let is_set = is_set(jet);
                are_parted |= !is_set && before != changed;
                let value = if is_set { changed } else { before };
                known.insert(names[jet].name.clone(), Known { before, value, is_set, source });
            }
        };
        let unknowns = description.unknowns.iter().enumerate();
        for (k, _) in unknowns.filter(|(_, unknown)| unknown.kind == Kind::Differential) {
            insert(places.slopes[k], [yp[k]; 2], Source::Slope(k));
        }
        for (k, value) in y.iter().enumerate() {
            insert(places.values[k], [before[k], *value], Source::Value(k));
        }
        for (k, (it, constant)) in description.eliminated.iter().zip(constants).enumerate() {
            let of = |y: &[f64]| it.alias_of.value(y).unwrap_or(constant);
            insert(places.eliminated[k], [of(before), of(y)], Source::Eliminated(k));
        }
        Arriving { known, are_parted }
    }

    /// Whether unknowns that were equal are so no longer, since only some of them are set.
    pub(crate) fn are_parted(&self) -> bool {
        self.are_parted
    }

    /// Adds values of jets that are not known and that events of the new mode set where it is entered, as far as these
    /// follow from what is known; they are zero otherwise, until the events occur.
    pub(crate) fn add_values_on_entry(&mut self, dae: &dyn Dae, t: f64) {
        let Some(events) = dae.prolongation().declared_events() else { return };
        let (description, names) = (events.events_description(), &dae.prolongation().prolongation_description().jets);
        let value = |name: &Name| self.known.get(name).map_or(f64::NAN, |known| known.value);
        let jets: Vec<f64> = names.iter().map(|jet| value(&jet.name)).collect();
        let mut values = vec![0.0; description.changes.len()];
        events.new_values(t, &jets, &jets, &mut values);
        for (change, value) in description.changes.iter().zip(values) {
            let event = &description.events[change.event];
            if event.is_level() {
                let value = if value.is_finite() { value } else { 0.0 };
                let new = Known { before: value, value, is_set: true, source: Source::Event };
                self.known.entry(names[change.jet].name.clone()).or_insert(new);
            }
        }
    }
}

/// Finds consistent values of a formulation in a mode that is entered at `t`. Values that the change sets stay; an
/// unknown whose size is `x` may move by `allowed(x)` without an impulse, since the run has kept constraints only to its
/// tolerances.
pub(crate) fn enter(
    dae: &dyn Dae,
    t: f64,
    arriving: &Arriving,
    allowed: impl Fn(f64) -> f64,
    options: &InitializationOptions,
) -> Result<Entered, NotEntered> {
    let prolongation = dae.prolongation();
    let description = prolongation.prolongation_description();
    let known: Vec<Option<Known>> = description.jets.iter().map(|jet| arriving.known.get(&jet.name).copied()).collect();
    let mut jets: Vec<f64> = known.iter().map(|it| it.map_or(0.0, |it| it.value)).collect();
    let is_state = |jet: usize| description.jets[jet].stage < 0;
    let (mut impulses, mut jumped) = (Vec::new(), None);
    let jumps = Jumps::of(dae).ok_or(NotEntered::Unstructured)?;
    if jumps.rows.iter().any(|(_, constraint)| constraint.is_some()) {
        let is_set = |jet: usize| known[jet].is_some_and(|it| it.is_set);
        let strengths = jump(dae, t, &jumps, is_set, &mut jets)?;
        let without_states = jumps.columns.iter().zip(&strengths.values).filter(|((_, state), _)| state.is_none());
        impulses.extend(without_states.map(|(&(jet, _), &strength)| (description.jets[jet].name.clone(), strength)));
        jumped = Some((jumps, strengths));
    }
    let start = |jet: usize| match known[jet] {
        Some(Known { is_set: true, .. }) => Start::Fixed,
        Some(_) if is_state(jet) => Start::Guess,
        Some(_) | None => Start::Free,
    };
    let restart = Restart::at(prolongation, jets.clone(), start);
    let consistent = consistent_jets(&restart, t, options).map_err(NotEntered::Inconsistent)?;
    for (jet, &after) in consistent.iter().enumerate().filter(|&(jet, _)| is_state(jet) && known[jet].is_some()) {
        // Impulses have moved the others.
        if (after - jets[jet]).abs() > allowed(after.abs().max(description.jets[jet].nominal)) {
            let before = known[jet].map_or(jets[jet], |it| it.before);
            return Err(NotEntered::Jump { unknown: description.jets[jet].name.clone(), before, after });
        }
    }
    let unknown: Vec<usize> = (0..jets.len()).filter(|&jet| is_state(jet) && known[jet].is_none()).collect();
    if !unknown.is_empty() {
        let aside = |jet: usize| ASIDE * consistent[jet].abs().max(description.jets[jet].nominal);
        let mut elsewhere = consistent.clone();
        // Golden-ratio sequence: no two go equally far, so that what depends on their difference shows.
        let fraction = |k: usize| ((k + 1) as f64 * 0.618_033_988_749_895).fract();
        unknown.iter().enumerate().for_each(|(k, &jet)| elsewhere[jet] += aside(jet) * (0.5 + fraction(k)));
        let restart = Restart::at(prolongation, elsewhere, start);
        let again = consistent_jets(&restart, t, options).map_err(NotEntered::Inconsistent)?;
        let moved = |&&jet: &&usize| (again[jet] - consistent[jet]).abs() > RETURNED * aside(jet);
        if let Some(&jet) = unknown.iter().find(moved) {
            return Err(NotEntered::NoValue { unknown: description.jets[jet].name.clone() });
        }
    }
    let states = (0..jets.len())
        .filter(|&jet| is_state(jet))
        .filter_map(|jet| known[jet].map(|it| (description.jets[jet].name.clone(), it.before, consistent[jet])));
    let (y, yp) = states_of(dae, t, &consistent);
    let passage = Passage {
        sources: known.iter().map(|it| it.map(|it| it.source)).collect(),
        start: (0..jets.len()).map(start).collect(),
        jumped,
        jets: consistent.clone(),
    };
    Ok(Entered { y, yp, states: states.collect(), impulses, passage })
}

/// Moves the highest states onto the last constraints, and returns the strengths of all impulses.
fn jump(
    dae: &dyn Dae,
    t: f64,
    jumps: &Jumps,
    is_set: impl Fn(usize) -> bool,
    jets: &mut [f64],
) -> Result<Strengths, NotEntered> {
    let prolongation = dae.prolongation();
    let description = prolongation.prolongation_description();
    let n = jumps.columns.len();
    let mut column_of_last = vec![None; description.jets.len()];
    let mut column_of_state = vec![None; description.jets.len()];
    for (k, &(jet, state)) in jumps.columns.iter().enumerate() {
        column_of_last[jet] = Some(k);
        if let Some(state) = state {
            column_of_state[state] = Some(k);
        }
    }
    let mut values = vec![0.0; description.jacobian.len()];
    let mut residual = vec![0.0; description.equations.len()];
    prolongation.prolonged_jacobian(t, jets, &mut values);
    let entries_of = |row: usize, column_of: &[Option<usize>], values: &[f64]| -> Vec<(usize, f64)> {
        description.jacobian.row(row).filter_map(|(jet, place)| Some((column_of[jet]?, values[place]))).collect()
    };
    // What is set has its value whatever the equations for the impulses are: one without constraints gives way to it.
    let mut replaced: Vec<Option<usize>> = vec![None; n];
    for (k, _) in jumps.columns.iter().enumerate().filter(|(_, (_, state))| state.is_some_and(&is_set)) {
        let share = |row: usize| {
            let entries = entries_of(jumps.rows[row].0, &column_of_last, &values);
            let largest = entries.iter().fold(0.0_f64, |largest, (_, value)| largest.max(value.abs()));
            entries.iter().find(|(column, _)| *column == k).map_or(0.0, |(_, value)| value.abs() / largest)
        };
        let free = (0..n).filter(|&row| jumps.rows[row].1.is_none() && replaced[row].is_none() && share(row) > 0.0);
        if let Some(row) = free.max_by(|&a, &b| share(a).total_cmp(&share(b))) {
            replaced[row] = Some(k);
        }
    }
    let first = values.clone();
    let mut strengths = vec![0.0; n];
    let mut before = f64::INFINITY;
    for iteration in 0.. {
        prolongation.prolonged_residual(t, jets, &mut residual);
        prolongation.prolonged_jacobian(t, jets, &mut values);
        let mut entries = Vec::new();
        let mut right = vec![0.0; n];
        for (i, &(last, constraint)) in jumps.rows.iter().enumerate() {
            let of_row = match (constraint, replaced[i]) {
                (Some(row), _) => {
                    right[i] = -residual[row];
                    entries_of(row, &column_of_state, &values)
                }
                (None, Some(column)) => vec![(column, 1.0)],
                (None, None) => {
                    let of_row = entries_of(last, &column_of_last, &values);
                    right[i] = -of_row.iter().map(|&(column, value)| value * strengths[column]).sum::<f64>();
                    of_row
                }
            };
            entries.extend(of_row.into_iter().map(|(column, value)| (i, column, value)));
        }
        let failed = |row: usize| {
            let equation = description.equations[jumps.rows[row].0].name.clone();
            NotEntered::NoImpulse { equation }
        };
        if let Some(row) = right.iter().position(|value| !value.is_finite()) {
            return Err(failed(row));
        }
        let worst = (0..n).max_by(|&a, &b| right[a].abs().total_cmp(&right[b].abs())).unwrap_or(0);
        solve(&SparseMatrix::from_entries(n, n, entries), &mut right).ok_or_else(|| failed(worst))?;
        let mut change = 0.0_f64;
        for (k, &(_, state)) in jumps.columns.iter().enumerate() {
            strengths[k] += right[k];
            if let Some(state) = state.filter(|&state| !is_set(state)) {
                jets[state] += right[k];
                change = change.max(right[k].abs() / jets[state].abs().max(description.jets[state].nominal));
            }
        }
        // Corrections at the level of rounding errors no longer become smaller.
        if change <= CONVERGED || (change <= NEARLY && change >= 0.5 * before) {
            break;
        }
        if !change.is_finite() || iteration == ITERATIONS {
            return Err(failed(worst));
        }
        before = change;
    }
    // The coefficients are to be the same whatever the impulses are, and before and after the jumps.
    let mut with_impulses = jets.to_vec();
    jumps.columns.iter().zip(&strengths).for_each(|(&(jet, _), strength)| with_impulses[jet] += strength);
    prolongation.prolonged_jacobian(t, &with_impulses, &mut values);
    for (i, &(last, constraint)) in jumps.rows.iter().enumerate() {
        if constraint.is_some() || replaced[i].is_some() {
            continue;
        }
        let before = entries_of(last, &column_of_last, &first);
        let after = entries_of(last, &column_of_last, &values);
        let sum: f64 = after.iter().map(|&(column, value)| (value * strengths[column]).abs()).sum();
        let off = before
            .iter()
            .zip(&after)
            .any(|(&(column, before), &(_, after))| ((after - before) * strengths[column]).abs() > SAME * sum);
        if off {
            return Err(NotEntered::Undefined { equation: description.equations[last].name.clone() });
        }
    }
    Ok(Strengths { values: strengths, replaced })
}
