//! JSON of a simulation, and of a boundary value problem; the JSON of a report is its serialisation.
//!
//! In: a solution, or the reason why there is none. Out: an object whose keys are a stable interface. Numbers that are
//! not finite are `null`.

use std::borrow::Cow;

use dae::bvp::BvpStatistics;
use dae_runtime::contract::{Description, Name};
use dae_runtime::solution::event::Occurrence;
use dae_runtime::solution::{EnteredMode, Solution, SwitchKind, SwitchStatistics};
use serde::{Serialize, Serializer};

use super::solve_bvp::{Ended, Problem};
use super::{Exit, fail};

/// What `dae simulate --json` prints.
#[derive(Serialize)]
pub(super) struct Simulation<'s> {
    name: &'s str,
    form: &'s str,
    status: String,
    times: Cow<'s, [f64]>,
    values: Entries<'s, Vec<f64>>,
    /// The events that have occurred, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    events: Vec<Event<'s>>,
    /// The modes that the run has entered, the first one at the start, for a model with modes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    modes: Vec<Mode<'s>>,
    /// When the solution has slid along surfaces across which the equations jump.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    slides: Vec<Slide<'s>>,
    /// Sensitivities by quantity and unknown at the recorded times, if they were asked for.
    #[serde(skip_serializing_if = "Entries::is_empty")]
    sensitivities: Entries<'s, Entries<'s, Vec<f64>>>,
    invariants_max: Option<f64>,
    invariants: Entries<'s, Option<f64>>,
    statistics: Statistics<'s>,
}

/// An event that has occurred.
#[derive(Serialize)]
struct Event<'s> {
    time: f64,
    name: &'s str,
    /// The text that it notes, if any.
    message: Option<&'s str>,
}

/// A mode that a run has entered.
#[derive(Serialize)]
struct Mode<'s> {
    time: f64,
    mode: &'s str,
    /// For each unknown that jumps its values before and after.
    jumps: Entries<'s, [f64; 2]>,
    /// Strengths of unknowns that are impulses.
    impulses: Entries<'s, f64>,
}

impl<'s> Mode<'s> {
    fn of(it: &'s EnteredMode) -> Self {
        Mode {
            time: it.t,
            mode: &it.mode,
            jumps: Entries(it.jumps.iter().map(|jump| (jump.unknown.as_ref(), [jump.before, jump.after])).collect()),
            impulses: Entries(it.impulses.iter().map(|(name, strength)| (name.as_ref(), *strength)).collect()),
        }
    }
}

/// A time during which a solution slides along a surface.
#[derive(Serialize)]
struct Slide<'s> {
    switch: &'s str,
    begin: f64,
    /// Absent if the run ended before.
    end: Option<f64>,
}

#[derive(Default, Serialize)]
struct Statistics<'s> {
    steps: usize,
    rejected: usize,
    residuals: usize,
    jacobians: usize,
    factorizations: usize,
    coordinate_changes: usize,
    seconds: f64,
    switches: Vec<Switch<'s>>,
}

/// What a switching function or an event has cost.
#[derive(Serialize)]
struct Switch<'s> {
    name: &'s str,
    kind: &'static str,
    crossings: usize,
    restarts: usize,
    /// The sum of the next three.
    rejected: usize,
    switch_rejections: usize,
    error_rejections: usize,
    convergence_rejections: usize,
    /// The time during which the solution has slid along the zero of the function.
    sliding: f64,
}

impl<'s> Switch<'s> {
    fn of(it: &'s SwitchStatistics) -> Self {
        Switch {
            name: &it.name,
            kind: if it.kind == SwitchKind::Event { "event" } else { "function" },
            crossings: it.crossings,
            restarts: it.restarts,
            rejected: it.rejected(),
            switch_rejections: it.switch_rejections,
            error_rejections: it.error_rejections,
            convergence_rejections: it.convergence_rejections,
            sliding: it.sliding,
        }
    }
}

/// An object whose keys keep this order.
struct Entries<'s, V>(Vec<(&'s str, V)>);

impl<V> Entries<'_, V> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<V: Serialize> Serialize for Entries<'_, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// The derivatives of a solution at its recorded times, by quantity and unknown; none if they were not asked for.
fn sensitivities<'s>(solution: &'s Solution) -> Entries<'s, Entries<'s, Vec<f64>>> {
    let by = |by: &'s Name| {
        let column = |name: &'s Name| Some((name.as_ref(), solution.sensitivity(name, by).ok()?));
        (by.as_ref(), Entries(solution.names.iter().filter_map(column).collect()))
    };
    let quantities = solution.sensitivities.iter().flat_map(|sensitivities| &sensitivities.quantities);
    Entries(quantities.map(by).collect())
}

impl<'s> Simulation<'s> {
    /// A run, however it ended.
    pub(super) fn of(description: &'s Description, solution: &'s Solution) -> Self {
        let column = |k: usize| solution.iter().map(|(_, state)| state[k]).collect();
        let event = |it: &'s Occurrence| Event { time: it.t, name: &it.event, message: it.message.as_deref() };
        let slide = |it: &'s dae::Slide| Slide { switch: &it.switch, begin: it.begin, end: it.end };
        let work = &solution.statistics;
        Simulation {
            name: &description.model,
            form: &description.form,
            status: solution.status.to_string(),
            times: solution.times.as_slice().into(),
            values: Entries(solution.names.iter().enumerate().map(|(k, name)| (name.as_ref(), column(k))).collect()),
            events: solution.occurrences.iter().map(event).collect(),
            modes: solution.modes.iter().map(Mode::of).collect(),
            slides: solution.slides.iter().map(slide).collect(),
            sensitivities: sensitivities(solution),
            invariants_max: Some(solution.invariants_max()),
            invariants: Entries(solution.invariants.iter().map(|i| (i.name.as_ref(), Some(i.max))).collect()),
            statistics: Statistics {
                steps: work.steps,
                rejected: work.rejected(),
                residuals: work.residuals,
                jacobians: work.jacobians,
                factorizations: work.factorizations,
                coordinate_changes: work.coordinate_changes,
                seconds: solution.seconds,
                switches: solution.switches.iter().map(Switch::of).collect(),
            },
        }
    }

    /// A run by Taylor series, or the reason why there is none.
    pub(super) fn of_series(
        name: &'s str,
        status: String,
        times: Vec<f64>,
        columns: Vec<(&'s str, Vec<f64>)>,
        (steps, rejected, seconds): (usize, usize, f64),
    ) -> Self {
        Simulation {
            name,
            form: "original",
            status,
            times: times.into(),
            values: Entries(columns),
            events: Vec::new(),
            modes: Vec::new(),
            slides: Vec::new(),
            sensitivities: Entries(Vec::new()),
            invariants_max: None,
            invariants: Entries(Vec::new()),
            statistics: Statistics { steps, rejected, seconds, ..Statistics::default() },
        }
    }

    /// A run that could not start.
    pub(super) fn without_start(description: &'s Description, reason: String) -> Self {
        Simulation {
            name: &description.model,
            form: &description.form,
            status: reason,
            times: Cow::default(),
            values: Entries(description.unknowns.iter().map(|u| (u.name.as_ref(), Vec::new())).collect()),
            events: Vec::new(),
            modes: Vec::new(),
            slides: Vec::new(),
            sensitivities: Entries(Vec::new()),
            invariants_max: None,
            invariants: Entries(description.invariants.iter().map(|i| (i.name.as_ref(), None)).collect()),
            statistics: Statistics::default(),
        }
    }
}

/// What `dae solve-bvp --json` prints.
#[derive(Serialize)]
pub(super) struct BoundaryValues<'s> {
    name: &'s str,
    form: &'s str,
    method: &'s str,
    status: String,
    times: Vec<f64>,
    values: Entries<'s, Vec<f64>>,
    /// Derivatives by parameter and unknown at these times, if they were asked for.
    #[serde(skip_serializing_if = "Entries::is_empty")]
    sensitivities: Entries<'s, Entries<'s, Vec<f64>>>,
    parameters: Entries<'s, ParameterValue>,
    /// The end of the interval, and whether it was found.
    end: End,
    mesh: &'s [f64],
    intervals: usize,
    error_estimate: Option<f64>,
    errors: Entries<'s, Option<f64>>,
    invariants: Entries<'s, Option<f64>>,
    statistics: BoundaryStatistics,
}

/// A parameter.
#[derive(Serialize)]
struct ParameterValue {
    value: Option<f64>,
    /// Whether the conditions determine it.
    free: bool,
}

/// The end of the interval.
#[derive(Serialize)]
struct End {
    value: f64,
    /// Whether the conditions determine it.
    free: bool,
}

#[derive(Default, Serialize)]
struct BoundaryStatistics {
    meshes: usize,
    factorizations: usize,
    residuals: usize,
    reductions: usize,
    continuation_steps: usize,
    stages: usize,
    seconds: f64,
}

impl<'s> BoundaryValues<'s> {
    /// A problem with a solution or a last iterate.
    pub(super) fn of(ended: &'s Ended<'s>) -> Self {
        let Ended { problem, method, status, found, recorded, seconds } = ended;
        let column = |k: usize| recorded.iter().map(|(_, state)| state[k]).collect();
        let names = found.solution.names.iter().map(|name| name.as_ref());
        let of_parameters = found.parameters.iter().enumerate();
        let of_parameters = of_parameters.map(|(k, (name, value))| {
            (name.as_ref(), ParameterValue { value: Some(*value), free: problem.boundary.free_parameters.contains(&k) })
        });
        let BvpStatistics { meshes, factorizations, residuals, reductions, continuation_steps, stages, .. } =
            found.statistics;
        BoundaryValues {
            name: &problem.description.model,
            form: &problem.description.form,
            method,
            status: status.clone(),
            times: recorded.iter().map(|(t, _)| *t).collect(),
            values: Entries(names.clone().enumerate().map(|(k, name)| (name, column(k))).collect()),
            sensitivities: sensitivities(&found.solution),
            parameters: Entries(of_parameters.collect()),
            end: End { value: found.end, free: problem.boundary.has_free_end },
            mesh: &found.mesh,
            intervals: found.mesh.len().saturating_sub(1),
            error_estimate: Some(found.error_estimate),
            errors: Entries(names.zip(found.errors.iter().map(|error| Some(*error))).collect()),
            invariants: Entries(found.solution.invariants.iter().map(|it| (it.name.as_ref(), Some(it.max))).collect()),
            statistics: BoundaryStatistics {
                meshes,
                factorizations,
                residuals,
                reductions,
                continuation_steps,
                stages,
                seconds: *seconds,
            },
        }
    }

    /// A problem for which there is not even an iterate.
    pub(super) fn without_iterate(problem: &'s Problem, method: &'s str, reason: String) -> Self {
        let Problem { description, boundary, ends } = problem;
        let unknowns = || description.unknowns.iter().map(|unknown| unknown.name.as_ref());
        let parameter = |(k, name): (usize, &'s Name)| {
            (name.as_ref(), ParameterValue { value: None, free: boundary.free_parameters.contains(&k) })
        };
        BoundaryValues {
            name: &description.model,
            form: &description.form,
            method,
            status: reason,
            times: Vec::new(),
            values: Entries(unknowns().map(|name| (name, Vec::new())).collect()),
            sensitivities: Entries(Vec::new()),
            parameters: Entries(description.parameters.iter().enumerate().map(parameter).collect()),
            end: End { value: ends[1], free: boundary.has_free_end },
            mesh: &[],
            intervals: 0,
            error_estimate: None,
            errors: Entries(unknowns().map(|name| (name, None)).collect()),
            invariants: Entries(description.invariants.iter().map(|it| (it.name.as_ref(), None)).collect()),
            statistics: BoundaryStatistics::default(),
        }
    }
}

/// The value as indented JSON, with a newline at the end.
pub(super) fn text(value: &impl Serialize) -> Result<String, Exit> {
    match serde_json::to_string_pretty(value) {
        Ok(text) => Ok(text + "\n"),
        Err(error) => Err(fail(Exit::Rejected, error)),
    }
}
