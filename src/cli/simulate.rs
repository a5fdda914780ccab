//! `dae simulate`.
//!
//! In: a model file, a form, a method. Out: the solution as a summary, JSON or a table, and as a picture; a run that
//! ends early prints what was computed. The interpreter runs the form, so that no compiler is needed.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use dae_runtime::contract::Dae;
use dae_runtime::solution::{Solution, Status};
use dae_runtime::solve::{Integration, Method, Record, RunError, StepView};
use dae_symbolic::form::Form;
use dae_symbolic::modes::NoFormulation;
use indicatif::{ProgressBar, ProgressStyle};

use super::files::{self, Named, OutputError};
use super::inputs::{self, input_files};
use super::interruption::Interruption;
use super::loaded::{AnalysedModes, Loaded};
use super::times::flat;
use super::{Exit, SimulateArguments, fail, json, picture, print, summary};

pub(super) fn run(arguments: &SimulateArguments, method: Method, order: Option<usize>) -> Result<Exit, Exit> {
    if arguments.double_double {
        return Err(fail(Exit::Usage, "--double-double is for `--method taylor`: other methods compute in 53 bits"));
    }
    check_outputs(arguments)?;
    let by_method = match method {
        method if method.is_explicit() || method.is_symplectic() => Form::Underlying,
        Method::Limex => Form::Index1,
        _ => Form::Ggl,
    };
    let form = arguments.form.as_ref().unwrap_or(&by_method);
    let loaded = match &arguments.form {
        None if by_method == Form::Ggl => Loaded::read_default(&arguments.model)?,
        _ => Loaded::read(&arguments.model, form, AnalysedModes::AsEntered)?,
    };
    let compiled = loaded.compiled();
    let chosen = compiled.forms.first().ok_or_else(|| loaded.refuse(form))?;
    let given = inputs::read(&arguments.inputs, &compiled.needs, (arguments.model.t0, arguments.t_end))?;
    let mut dae = loaded.formulation(&chosen.form, &given).map_err(|error| match error {
        NoFormulation::Input(error) => fail(Exit::Usage, error),
        NoFormulation::Form(_) => loaded.refuse(form),
    })?;
    let parameters = inputs::parameters(&dae.description().parameters, dae.parameters(), &arguments.parameters)?;
    dae.set_parameters(&parameters);

    let interruption = Interruption::listen().map_err(|error| fail(Exit::Rejected, error))?;
    let run = integrate(dae.as_ref(), arguments, (method, order), &interruption);
    let solution = match run.or_else(RunError::into_solution) {
        Ok(solution) => solution,
        Err(error) => return refuse_start(dae.as_ref(), arguments, &error),
    };
    let description = dae.description();
    match &arguments.csv {
        _ if arguments.json => print(&json::text(&json::Simulation::of(description, &solution))?)?,
        Some(path) => write(path, &solution.csv().to_string())?,
        None => print(&summary::text(description, &arguments.method.name, &solution))?,
    }
    if let Some(path) = &arguments.plot {
        let title = format!("{}, {} form", description.model, description.form);
        picture::panels(compiled, chosen, &solution)
            .and_then(|panels| dae::plot::svg(&title, "t", &panels))
            .map_err(|error| fail(Exit::Rejected, format_args!("{}: {error}", path.display())))
            .and_then(|picture| write(path, &picture))?;
    }
    Ok(match &solution.status {
        _ if solution.is_success() => Exit::Success,
        Status::Interrupted => fail(Exit::Stopped, format_args!("interrupted at t = {}", solution.end_time)),
        status => fail(Exit::Stopped, status),
    })
}

/// Checks that no output replaces the model, an input or another output.
pub(super) fn check_outputs(arguments: &SimulateArguments) -> Result<(), Exit> {
    let model = Named { role: "the model", path: &arguments.model.file };
    let read = std::iter::once(model).chain(input_files(&arguments.inputs));
    check_files([("--csv", &arguments.csv), ("--plot", &arguments.plot)], &read.collect::<Vec<_>>())
}

/// Checks that no output replaces one of the files that are read or another output.
pub(super) fn check_files(outputs: [(&str, &Option<PathBuf>); 2], read: &[Named<'_>]) -> Result<(), Exit> {
    let outputs = outputs.into_iter().filter_map(|(role, path)| Some(Named { role, path: path.as_deref()? }));
    files::check(&outputs.collect::<Vec<_>>(), read).map_err(|error| {
        let exit = if matches!(error, OutputError::Same { .. }) { Exit::Usage } else { Exit::Rejected };
        fail(exit, error)
    })
}

fn integrate(
    dae: &dyn Dae,
    arguments: &SimulateArguments,
    (method, order): (Method, Option<usize>),
    interruption: &Interruption,
) -> Result<Solution, RunError> {
    let (t0, t_end) = (arguments.model.t0, arguments.t_end);
    let record = match (arguments.at.is_empty(), &arguments.plot) {
        (false, _) => Record::At(flat(&arguments.at).collect()),
        (true, Some(_)) => Record::Dense,
        (true, None) => Record::Steps,
    };
    let bar = progress_bar();
    let observer = |step: &StepView<'_>| {
        let t = step.t;
        show_progress(&bar, (t - t0) / (t_end - t0));
        interruption.under_way();
        if interruption.is_asked_for() && t != t_end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut run = Integration::new(dae)
        .method(method)
        .rtol(arguments.rtol)
        .atol(arguments.atol)
        .projection(arguments.project.into())
        .record(record)
        .sensitivities(arguments.by.iter().flat_map(|list| separate(list)).collect::<Vec<_>>())
        .on_step(observer);
    if let Some(order) = order {
        run = run.max_order(order);
    }
    if let Some(h) = arguments.step {
        run = run.fixed_step(h);
    }
    if let Some(h) = arguments.max_step {
        run = run.max_step(h);
    }
    if let Some(h) = arguments.initial_step {
        run = run.initial_step(h);
    }
    if let Some(steps) = arguments.max_steps {
        run = run.max_steps(steps);
    }
    let solution = run.run(t0, t_end);
    bar.finish_and_clear();
    solution
}

/// The names between commas; `der(x, 2)` is one name.
fn separate(list: &str) -> Vec<String> {
    let mut depth = 0;
    let is_between = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    };
    list.split(is_between).map(|name| name.trim().to_string()).collect()
}

/// Length of the progress bar in its own units.
const PROGRESS: u64 = 1000;

/// A progress bar on stderr if that is a terminal, otherwise a hidden one.
pub(super) fn progress_bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{wide_bar} {percent:>3} % {elapsed_precise}");
    let bar = ProgressBar::new(PROGRESS);
    style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
}

/// Shows which part of a run is done.
pub(super) fn show_progress(bar: &ProgressBar, part: f64) {
    bar.set_position((part * PROGRESS as f64) as u64);
}

/// Reports that a run could not start, also as JSON if that was asked for.
fn refuse_start(dae: &dyn Dae, arguments: &SimulateArguments, error: &RunError) -> Result<Exit, Exit> {
    if arguments.json {
        print(&json::text(&json::Simulation::without_start(dae.description(), error.to_string()))?)?;
    }
    let exit = match error {
        RunError::Initialization(_) | RunError::Input(_) => Exit::Rejected,
        _ => Exit::Usage,
    };
    Ok(fail(exit, error))
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), Exit> {
    files::write(path, text).map_err(|error| fail(Exit::Rejected, error))
}
