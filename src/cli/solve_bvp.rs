//! `dae solve-bvp`.
//!
//! In: a model file with boundary conditions, a form, a method, a guess. Out: the solution as a summary, JSON or a table,
//! and as a picture with its mesh; of a problem that is not solved the last iterate. The interpreter runs the form, so
//! that no compiler is needed.

use std::io::Write;
use std::time::Instant;

use dae::bvp::Cause;
use dae::{Bvp, BvpError, BvpSolution};
use dae_runtime::contract::{Boundary, BoundaryDescription, Dae, Description, Prolongation};
use dae_symbolic::eval::Interpreter;
use dae_symbolic::form::Form;
use dae_symbolic::formulation::CompiledForm;

use super::files::Named;
use super::inputs::input_files;
use super::interruption::Interruption;
use super::loaded::{AnalysedModes, Loaded};
use super::simulate::{check_files, write};
use super::table::{self, Table};
use super::times::flat;
use super::{Exit, SolveBvpArguments, fail, inputs, json, picture, print, summary};

/// A problem that is solved, or one that is not with its last iterate, and what is printed of it.
pub(super) struct Ended<'a> {
    pub(super) problem: &'a Problem,
    /// The method as it is called on the command line.
    pub(super) method: String,
    pub(super) status: String,
    pub(super) found: &'a BvpSolution,
    /// Times and states that are printed: those asked for, or those of the mesh.
    pub(super) recorded: Vec<(f64, Vec<f64>)>,
    pub(super) seconds: f64,
}

pub(super) fn run(arguments: &SolveBvpArguments) -> Result<Exit, Exit> {
    check_outputs(arguments)?;
    let guess = arguments.guess.as_deref().map(Table::read).transpose()?;
    let interruption = Interruption::listen().map_err(|error| fail(Exit::Rejected, error))?;
    // The form that is integrated by default, and others where that cannot be solved.
    let by_default = [Form::Ggl, Form::Original, Form::Index1, Form::Underlying];
    let forms = arguments.form.as_ref().map_or(by_default.to_vec(), |form| vec![form.clone()]);
    let mut refused: Vec<Refusal> = Vec::new();
    for form in &forms {
        // Where the form with constraints is unsuitable, the text as it stands has an index that is no lower.
        let is_needless = *form == Form::Original && refused.iter().any(|it| matches!(it, Refusal::Unsuitable(..)));
        if is_needless {
            continue;
        }
        let loaded = load(arguments, form)?;
        let loaded = if refused.is_empty() { loaded.warned() } else { loaded };
        let Some(chosen) = loaded.compiled().forms.first() else {
            refused.push(Refusal::Unavailable(Box::new(loaded)));
            continue;
        };
        let clock = Instant::now();
        let (problem, dae) = Problem::new(&loaded, chosen, arguments)?;
        match problem.solve(dae, arguments, guess.as_ref(), &interruption)? {
            Err(error @ BvpError::UnsuitableForm { .. }) => refused.push(Refusal::Unsuitable(Box::new(problem), error)),
            result => {
                let unsuitable = refused.iter().find_map(|it| match it {
                    Refusal::Unsuitable(_, BvpError::UnsuitableForm { form, reason }) => Some((form, reason)),
                    _ => None,
                });
                if let Some((first, reason)) = unsuitable {
                    let _ = writeln!(
                        std::io::stderr(),
                        "note: the {first} form cannot be solved as a boundary value problem, since {reason}; the {form} \
                         form is solved"
                    );
                }
                return problem.report(&loaded, chosen, arguments, result, clock.elapsed().as_secs_f64());
            }
        }
    }
    let first = refused.iter().find(|it| matches!(it, Refusal::Unsuitable(..))).or(refused.first());
    match first {
        Some(Refusal::Unsuitable(problem, error)) => problem.refuse(arguments, error),
        Some(Refusal::Unavailable(loaded)) => Err(loaded.refuse(&forms[0])),
        None => Err(Exit::Rejected),
    }
}

/// Why a form is not solved.
enum Refusal {
    /// The model does not have it.
    Unavailable(Box<Loaded>),
    /// It has it, with unknowns of too high an index, for instance.
    Unsuitable(Box<Problem>, BvpError),
}

/// Checks that no output replaces the model, the guess, an input or another output.
fn check_outputs(arguments: &SolveBvpArguments) -> Result<(), Exit> {
    let guess = arguments.guess.iter().map(|path| Named { role: "--guess", path });
    let model = Named { role: "the model", path: &arguments.file };
    let read = std::iter::once(model).chain(guess).chain(input_files(&arguments.inputs));
    check_files([("--csv", &arguments.csv), ("--plot", &arguments.plot)], &read.collect::<Vec<_>>())
}

/// Reads the model and compiles it with a form at its start: that of the command line, or that of the text.
fn load(arguments: &SolveBvpArguments, form: &Form) -> Result<Loaded, Exit> {
    let first = Loaded::of(&arguments.file, arguments.t0.unwrap_or(0.0), form, AnalysedModes::All)?;
    let ends = first.compiled().prolonged.boundary().and_then(|boundary| boundary.default_ends());
    match (arguments.t0, ends) {
        (None, Some([t0, _])) if t0 != first.compiled().t0 && t0.is_finite() => {
            Loaded::of(&arguments.file, t0, form, AnalysedModes::All)
        }
        _ => Ok(first),
    }
}

/// The problem of a form with the ends of the command line.
pub(super) struct Problem {
    pub(super) description: Description,
    pub(super) boundary: BoundaryDescription,
    pub(super) ends: [f64; 2],
}

impl Problem {
    /// The problem, and the formulation with the parameters and inputs of the command line.
    fn new(
        loaded: &Loaded,
        form: &CompiledForm,
        arguments: &SolveBvpArguments,
    ) -> Result<(Problem, Box<dyn Dae>), Exit> {
        let compiled = loaded.compiled();
        let mut dae = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
        let parameters = inputs::parameters(&dae.description().parameters, dae.parameters(), &arguments.parameters)?;
        dae.set_parameters(&parameters);
        let Some(boundary) = dae.prolongation().boundary() else {
            let model = dae.description().model.clone();
            return Err(fail(Exit::Rejected, BvpError::NoConditions { model }));
        };
        let ends = ends(boundary, arguments)?;
        let boundary = boundary.boundary_description().clone();
        let given = inputs::read(&arguments.inputs, &compiled.needs, (ends[0], ends[1]))?;
        let dae = dae.with_inputs(&compiled.needs, &given).map_err(|error| fail(Exit::Usage, error))?;
        let dae = dae.completed(form.formulation.completion);
        let description = dae.description().clone();
        Ok((Problem { description, boundary, ends }, dae))
    }

    /// Solves the problem with the options of the command line; the outer error is that of an option.
    fn solve(
        &self,
        dae: Box<dyn Dae>,
        arguments: &SolveBvpArguments,
        guess: Option<&Table>,
        interruption: &Interruption,
    ) -> Result<Result<BvpSolution, BvpError>, Exit> {
        let [t0, t_end] = self.ends;
        let is_between = |t: &f64| (t0.min(t_end)..=t0.max(t_end)).contains(t);
        if let Some(t) = flat(&arguments.at).find(|t| !self.boundary.has_free_end && !is_between(t)) {
            return Err(fail(Exit::Usage, format_args!("output time {t} is not between {t0} and {t_end}")));
        }
        let mut bvp =
            Bvp::of(dae).method(arguments.method.into()).rtol(arguments.rtol).atol(arguments.atol).on_mesh(|_, _| {
                interruption.under_way();
                !interruption.is_asked_for()
            });
        if !arguments.by.is_empty() {
            bvp = bvp.sensitivities(arguments.by.iter().map(|name| name.trim().to_string()));
        }
        if let Some(table) = guess {
            bvp = bvp.guess_table(table.times.as_slice(), table.columns_of(&self.description)?);
        }
        if let Some(stages) = arguments.stages {
            bvp = bvp.stages(stages);
        }
        if let Some(intervals) = arguments.intervals {
            bvp = bvp.intervals(intervals);
        }
        if let Some(intervals) = arguments.max_intervals {
            bvp = bvp.max_intervals(intervals);
        }
        if arguments.no_continuation {
            bvp = bvp.without_continuation();
        }
        for (name, from) in &arguments.continuation {
            bvp = bvp.continuation(name.clone(), *from);
        }
        Ok(bvp.solve(t0, t_end))
    }

    /// Prints and writes what was found.
    fn report(
        &self,
        loaded: &Loaded,
        form: &CompiledForm,
        arguments: &SolveBvpArguments,
        result: Result<BvpSolution, BvpError>,
        seconds: f64,
    ) -> Result<Exit, Exit> {
        let (found, error) = match &result {
            Ok(found) => (found, None),
            Err(error) => match error.last() {
                Some(last) => (last, Some(error)),
                None => return self.refuse(arguments, error),
            },
        };
        let status = match error {
            None => "success".to_string(),
            Some(error) if is_interrupted(error) => "interrupted".to_string(),
            Some(error) => error.to_string(),
        };
        let ended = Ended {
            problem: self,
            method: arguments.method.name(),
            recorded: recorded(found, arguments),
            status,
            found,
            seconds,
        };
        match &arguments.csv {
            _ if arguments.json => print(&json::text(&json::BoundaryValues::of(&ended))?)?,
            Some(path) => write(path, &table::text(&found.solution.names, &ended.recorded))?,
            None => print(&summary::of_boundary_values(&ended))?,
        }
        if let Some(path) = &arguments.plot {
            let title = format!("{}, {} form", self.description.model, self.description.form);
            picture::panels(loaded.compiled(), form, &found.solution)
                .and_then(|panels| dae::plot::svg_with_marks(&title, "t", &panels, &found.mesh))
                .map_err(|error| fail(Exit::Rejected, format_args!("{}: {error}", path.display())))
                .and_then(|picture| write(path, &picture))?;
        }
        Ok(match error {
            None => Exit::Success,
            Some(error) => fail(Exit::Stopped, error),
        })
    }

    /// Reports that there is not even an iterate, also as JSON if that was asked for.
    fn refuse(&self, arguments: &SolveBvpArguments, error: &BvpError) -> Result<Exit, Exit> {
        if arguments.json {
            print(&json::text(&json::BoundaryValues::without_iterate(
                self,
                &arguments.method.name(),
                error.to_string(),
            ))?)?;
        }
        let exit = match error {
            BvpError::InvalidOption { .. } => Exit::Usage,
            _ => Exit::Rejected,
        };
        Ok(fail(exit, error))
    }
}

/// The ends of the interval: those of the command line, or of the text.
fn ends(boundary: &dyn Boundary, arguments: &SolveBvpArguments) -> Result<[f64; 2], Exit> {
    let of_text = boundary.default_ends();
    let t0 = arguments.t0.or(of_text.map(|ends| ends[0])).unwrap_or(0.0);
    if let Some(t_end) = arguments.t_end.or(of_text.map(|ends| ends[1])) {
        return Ok([t0, t_end]);
    }
    let guess = if boundary.boundary_description().has_free_end { ", a first guess" } else { "" };
    let message = format!(
        "the text does not say where the interval ends: add --t-end T{guess}, or write `horizon(0, 1);` into its boundary \
         conditions"
    );
    Err(fail(Exit::Usage, message))
}

/// The times asked for and the states there, as far as the solution reaches, or those of the mesh.
fn recorded(found: &BvpSolution, arguments: &SolveBvpArguments) -> Vec<(f64, Vec<f64>)> {
    let solution = &found.solution;
    if arguments.at.is_empty() {
        return solution.iter().map(|(t, state)| (t, state.to_vec())).collect();
    }
    let states: Vec<(f64, Vec<f64>)> = flat(&arguments.at).filter_map(|t| Some((t, solution.at(t)?))).collect();
    if states.len() < flat(&arguments.at).count() {
        let (first, last) = (found.mesh.first().copied().unwrap_or(f64::NAN), found.end);
        let _ =
            writeln!(std::io::stderr(), "note: output times beyond the interval from {first} to {last} are left out");
    }
    states
}

fn is_interrupted(error: &BvpError) -> bool {
    matches!(
        error,
        BvpError::NotConverged { cause: Cause::Interrupted, .. }
            | BvpError::Inaccurate { cause: Cause::Interrupted, .. }
    )
}
