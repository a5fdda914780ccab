//! `dae simulate --method taylor`.
//!
//! In: a model file, and the arguments of a simulation. Out: the same kinds of output, from Taylor series of the text as
//! it stands. No form is involved, and numbers have 53 bits, or 106 with `--double-double`.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::time::Instant;

use dae::plot::Panel;
use dae_runtime::taylor::{
    DoubleDouble, Scalar, StepSize, TaylorError, TaylorFailure, TaylorIntegration, TaylorOptions, TaylorSolution,
};
use dae_symbolic::form::Form;
use dae_symbolic::taylor::TaylorSystem;

use super::interruption::Interruption;
use super::loaded::{AnalysedModes, Loaded};
use super::simulate::{check_outputs, progress_bar, show_progress, write};
use super::table;
use super::times::flat;
use super::{Exit, ProjectionArgument, SimulateArguments, fail, inputs, json, picture, print};

/// Points of a curve in a picture.
const POINTS: usize = 1500;

/// Simulates.
pub(super) fn run(arguments: &SimulateArguments) -> Result<Exit, Exit> {
    refuse_others(arguments)?;
    check_outputs(arguments)?;
    let loaded =
        Loaded::read(&arguments.model, &Form::Original, AnalysedModes::All)?.without_modes("a Taylor series")?;
    let mut system = TaylorSystem::new(loaded.compiled()).map_err(|error| fail(Exit::Rejected, error))?;
    let names: Vec<&str> = loaded.compiled().model.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let defaults: Vec<f64> = system.parameters().iter().map(|value| value.high()).collect();
    let values = inputs::parameters(&names, &defaults, &arguments.parameters)?;
    for ((name, value), default) in names.iter().zip(values).zip(defaults) {
        // Defaults have 106 bits.
        if value != default {
            system.set_parameter(name, DoubleDouble::from_f64(value)).map_err(|error| fail(Exit::Usage, error))?;
        }
    }
    match arguments.double_double {
        false => integrate::<f64>(&loaded, &system, arguments, |value| format!("{value:?}")),
        true => integrate::<DoubleDouble>(&loaded, &system, arguments, |value| value.to_string()),
    }
}

/// Refuses options that have no meaning here.
fn refuse_others(arguments: &SimulateArguments) -> Result<(), Exit> {
    let is_projected_otherwise = !matches!(arguments.project, ProjectionArgument::All);
    let others = [
        ("--form", arguments.form.is_some(), "it integrates the text as it stands"),
        ("--project", is_projected_otherwise, "its steps satisfy all constraints"),
        ("--initial-step", arguments.initial_step.is_some(), "series tell how far they reach"),
        ("--by", arguments.by.is_some(), "it computes no derivatives with respect to parameters"),
        ("--input", !arguments.inputs.is_empty(), "inputs of the caller have no Taylor series"),
    ];
    match others.into_iter().find(|(_, is_given, _)| *is_given) {
        Some((option, _, why)) => {
            Err(fail(Exit::Usage, format_args!("{option} cannot be combined with Taylor series: {why}")))
        }
        None => Ok(()),
    }
}

/// A run, however it ended.
struct Ended<'m, S> {
    loaded: &'m Loaded,
    solution: TaylorSolution<S>,
    status: String,
    seconds: f64,
    /// A number as text, with all its digits.
    digits: fn(S) -> String,
}

fn integrate<S: Scalar>(
    loaded: &Loaded,
    system: &TaylorSystem,
    arguments: &SimulateArguments,
    digits: fn(S) -> String,
) -> Result<Exit, Exit> {
    let (t0, t_end) = (arguments.model.t0, arguments.t_end);
    let is_between = |t: &f64| (t0.min(t_end)..=t0.max(t_end)).contains(t);
    if let Some(t) = flat(&arguments.at).find(|t| !is_between(t)) {
        return Err(fail(Exit::Usage, format_args!("output time {t} is not between {t0} and {t_end}")));
    }
    let mut options = TaylorOptions { rtol: arguments.rtol, atol: arguments.atol, ..TaylorOptions::default() };
    options.step_size = arguments.step.map_or(options.step_size, StepSize::Fixed);
    options.max_step = arguments.max_step.unwrap_or(options.max_step);
    options.max_steps = arguments.max_steps.unwrap_or(options.max_steps);
    let interruption = Interruption::listen().map_err(|error| fail(Exit::Rejected, error))?;
    let bar = progress_bar();
    let observer = |t: f64| {
        show_progress(&bar, (t - t0) / (t_end - t0));
        interruption.under_way();
        if interruption.is_asked_for() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let at: Vec<f64> = flat(&arguments.at).collect();
    let clock = Instant::now();
    let run = TaylorIntegration::<S>::new(system).options(options).on_step(observer).run(t0, t_end);
    let seconds = clock.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let (failure, solution) = match run {
        Ok(solution) => (None, solution),
        Err(TaylorError::Stopped { failure, solution }) => (Some(failure), *solution),
        Err(error) => return refuse_start(loaded, arguments, &error),
    };
    let status = failure.as_ref().map_or_else(|| "success".to_string(), TaylorFailure::to_string);
    let ended = Ended { loaded, solution, status, seconds, digits };
    match &arguments.csv {
        _ if arguments.json => print(&json::text(&ended.json(&at))?)?,
        Some(path) => write(path, &ended.csv(&at))?,
        None => print(&ended.summary())?,
    }
    if let Some(path) = &arguments.plot {
        let title = format!("{}, Taylor series", loaded.compiled().model.name);
        dae::plot::svg(&title, "t", &ended.panels())
            .map_err(|error| fail(Exit::Rejected, format_args!("{}: {error}", path.display())))
            .and_then(|picture| write(path, &picture))?;
    }
    Ok(match failure {
        None => Exit::Success,
        Some(failure) => fail(Exit::Stopped, failure),
    })
}

/// Reports that a run could not start, also as JSON if that was asked for.
fn refuse_start<S>(loaded: &Loaded, arguments: &SimulateArguments, error: &TaylorError<S>) -> Result<Exit, Exit> {
    if arguments.json {
        let model = &loaded.compiled().model;
        let columns = model.unknowns.iter().map(|unknown| (unknown.name.as_str(), Vec::new())).collect();
        print(&json::text(&json::Simulation::of_series(
            &model.name,
            error.to_string(),
            Vec::new(),
            columns,
            (0, 0, 0.0),
        ))?)?;
    }
    let exit = if matches!(error, TaylorError::InvalidOption { .. }) { Exit::Usage } else { Exit::Rejected };
    Ok(fail(exit, error))
}

impl<S: Scalar> Ended<'_, S> {
    /// The times asked for, as far as they were reached, or the ends of steps, with the states there.
    fn recorded(&self, at: &[f64]) -> Vec<(S, Vec<S>)> {
        let TaylorSolution { names, times, states, .. } = &self.solution;
        if at.is_empty() {
            return times.iter().copied().zip(states.iter().cloned()).collect();
        }
        let state = |t: S| names.iter().map(|name| self.solution.value(name, t)).collect::<Option<Vec<S>>>();
        at.iter().map(|&t| S::from_f64(t)).filter_map(|t| Some((t, state(t)?))).collect()
    }

    fn json(&self, at: &[f64]) -> json::Simulation<'_> {
        let recorded = self.recorded(at);
        let column = |k: usize| recorded.iter().map(|(_, state)| state[k].to_f64()).collect();
        let names = self.solution.names.iter().enumerate();
        let columns = names.map(|(k, name)| (name.as_ref(), column(k))).collect();
        let times = recorded.iter().map(|(t, _)| t.to_f64()).collect();
        let model = &self.loaded.compiled().model;
        let statistics = &self.solution.statistics;
        let work = (statistics.steps, statistics.rejected, self.seconds);
        json::Simulation::of_series(&model.name, self.status.clone(), times, columns, work)
    }

    /// Comma-separated values: a row of names, then one for each recorded time.
    fn csv(&self, at: &[f64]) -> String {
        let mut text = table::header(&self.solution.names) + "\n";
        for (t, state) in self.recorded(at) {
            let row: Vec<String> = std::iter::once(t).chain(state).map(self.digits).collect();
            text += &(row.join(",") + "\n");
        }
        text
    }

    /// A summary of a few lines.
    fn summary(&self) -> String {
        let TaylorSolution { names, statistics, .. } = &self.solution;
        let end = self.solution.end_time().map_or(f64::NAN, S::to_f64);
        let mut out = format!("{}, Taylor series: {}\n", self.loaded.compiled().model.name, self.status);
        // Writing to a `String` cannot fail.
        let _ = writeln!(out, "\nAt t = {end}");
        let width = names.iter().map(|name| name.len()).max().unwrap_or(0);
        for (name, &value) in names.iter().zip(self.solution.end_state()) {
            let _ = writeln!(out, "  {name:width$}  {}", (self.digits)(value));
        }
        let (order, steps, rejected) = (statistics.order, statistics.steps, statistics.rejected);
        let _ = writeln!(out, "\norder {order}, {steps} steps, {rejected} rejected, {:.3} s", self.seconds);
        out
    }

    /// The panels of a picture.
    fn panels(&self) -> Vec<Panel> {
        let ends = self.solution.times.first().zip(self.solution.times.last());
        let (first, last) = ends.map_or((f64::NAN, f64::NAN), |(first, last)| (first.to_f64(), last.to_f64()));
        let times = (0..=POINTS).map(|k| first + (last - first) * k as f64 / POINTS as f64);
        let times: Vec<f64> = times.collect();
        let value = |name: &str, t: f64| Some((t, self.solution.value(name, S::from_f64(t))?.to_f64()));
        let curve = |name: &str| times.iter().filter_map(|&t| value(name, t)).collect::<Vec<_>>();
        picture::panels_of_curves(self.loaded.compiled(), curve)
    }
}
