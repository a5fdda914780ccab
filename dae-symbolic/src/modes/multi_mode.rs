//! What is known about a model in each of its modes.
//!
//! In: the results of the pipeline for each mode. Out: [`MultiMode`], the modes with the changes between them, and its
//! formulations, interpreted.

use dae_runtime::contract::{self, Dae, ModesDescription};
use dae_runtime::modes::MultiModeForm;
use dae_runtime::signal::{Input, InputError};

use crate::eval::Interpreter;
use crate::form::Form;
use crate::formulation::FormError;
use crate::model::{Event, ModeVariable, Model};
use crate::pipeline::{Compiled, Rejected};

/// A model in one of its modes, and what is known about it there.
#[derive(Debug)]
pub struct InMode<C> {
    /// For each mode variable the position of its alternative.
    pub mode: Vec<usize>,
    /// `clutch = engaged`; empty for a model without modes.
    pub name: String,
    /// The result of the pipeline.
    pub compiled: C,
}

/// A model in a mode in which it is not well-posed, and that need not be entered.
#[derive(Debug)]
pub struct IllPosed {
    /// Why it is not.
    pub rejected: Rejected,
    /// The model there.
    pub model: Model,
}

/// A mode of a [`MultiMode`].
#[derive(Clone, Copy, Debug)]
pub struct Mode<'a> {
    /// For each mode variable the position of its alternative.
    pub mode: &'a [usize],
    /// `clutch = engaged`; empty for a model without modes.
    pub name: &'a str,
    /// What is known about the model there.
    pub compiled: Result<&'a Compiled, &'a Rejected>,
    /// The model there, with its events.
    pub model: &'a Model,
}

impl Mode<'_> {
    /// Why a run cannot go on in this mode, if the model is not well-posed there; after the name of the mode.
    pub fn obstacle(&self) -> Option<String> {
        self.compiled.err().map(obstacle)
    }
}

impl<'a> Mode<'a> {
    /// A mode other than that at the start.
    pub(super) fn of(it: &'a InMode<Result<Compiled, IllPosed>>) -> Self {
        let InMode { mode, name, compiled } = it;
        match compiled {
            Ok(compiled) => Mode { mode, name, compiled: Ok(compiled), model: &compiled.model },
            Err(IllPosed { rejected, model }) => Mode { mode, name, compiled: Err(rejected), model },
        }
    }
}

fn obstacle(rejected: &Rejected) -> String {
    let first = rejected.diagnostics.iter().next().map_or("", |finding| finding.message.as_str());
    format!("there {first}")
}

/// A change from one mode to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModeChange {
    /// Numbers of the modes, 0 being that at the start.
    pub from: usize,
    /// See `from`.
    pub to: usize,
    /// The condition of the event, as it is written.
    pub event: String,
}

/// A text in all its modes.
#[derive(Debug)]
pub struct MultiMode {
    /// The mode at the start.
    pub start: InMode<Compiled>,
    /// The others that events enter, which are numbered from 1; none if these are analysed as runs enter them.
    pub others: Vec<InMode<Result<Compiled, IllPosed>>>,
    /// The changes between them.
    pub changes: Vec<ModeChange>,
}

/// Why a formulation does not run.
#[derive(Debug)]
pub enum NoFormulation {
    /// The model does not have it in the mode at the start.
    Form(Option<FormError>),
    /// Inputs do not fit.
    Input(InputError),
}

impl NoFormulation {
    /// Why a run cannot go on in a mode without this form; after the name of the mode.
    pub(super) fn in_mode(&self, form: &Form) -> String {
        match self {
            NoFormulation::Form(Some(error)) => format!("there is {error}"),
            NoFormulation::Form(None) => format!("there is no {form} form"),
            NoFormulation::Input(error) => error.to_string(),
        }
    }
}

/// The mode that an event leads to.
pub(super) fn target(mode: &[usize], event: &Event) -> Vec<usize> {
    let mut target = mode.to_vec();
    for transition in &event.transitions {
        if let Some(alternative) = target.get_mut(transition.variable) {
            *alternative = transition.alternative;
        }
    }
    target
}

impl MultiMode {
    /// Whether the text has modes.
    pub fn has_modes(&self) -> bool {
        !self.start.mode.is_empty()
    }

    /// All modes in the order of their numbers.
    pub fn all(&self) -> impl Iterator<Item = Mode<'_>> {
        let InMode { mode, name, compiled } = &self.start;
        let start = Mode { mode, name, compiled: Ok(compiled), model: &compiled.model };
        let others = self.others.iter().map(Mode::of);
        std::iter::once(start).chain(others)
    }

    /// The mode variables in the terms of the runtime.
    pub fn description(&self) -> ModesDescription {
        let of_runtime = |it: &ModeVariable| contract::ModeVariable {
            name: it.name.clone().into(),
            alternatives: it.alternatives.iter().map(|name| name.clone().into()).collect(),
            is_complementary: it.is_complementary,
        };
        let variables = self.start.compiled.model.events.modes.iter().map(of_runtime).collect();
        ModesDescription { variables, start: self.start.mode.clone() }
    }

    /// A formulation, interpreted, with inputs of the caller: that of each mode, if the model has modes.
    ///
    /// # Errors
    /// It does not exist in the mode at the start, or the inputs do not fit.
    pub fn formulation(&self, form: &Form, inputs: &[(&str, Input)]) -> Result<Box<dyn Dae>, NoFormulation> {
        let interpreted = |compiled: &Compiled| interpreted(compiled, form, inputs);
        let start = interpreted(&self.start.compiled)?;
        if !self.has_modes() {
            return Ok(start);
        }
        let mut modes = MultiModeForm::new(self.description(), start);
        for it in self.all().skip(1) {
            let mode = it.mode.to_vec();
            match it.compiled.map(interpreted) {
                Err(rejected) => modes.add_missing(mode, obstacle(rejected)),
                Ok(Ok(dae)) => modes.add(mode, dae),
                Ok(Err(error @ NoFormulation::Form(_))) => modes.add_missing(mode, error.in_mode(form)),
                Ok(Err(error @ NoFormulation::Input(_))) => return Err(error),
            }
        }
        Ok(Box::new(modes))
    }
}

/// A formulation of a model in one of its modes, interpreted.
pub(super) fn interpreted(
    compiled: &Compiled,
    form: &Form,
    inputs: &[(&str, Input)],
) -> Result<Box<dyn Dae>, NoFormulation> {
    let Some(chosen) = compiled.forms.iter().find(|it| it.form == *form) else {
        return Err(NoFormulation::Form(compiled.unavailable.iter().find(|it| it.form == *form).cloned()));
    };
    let interpreter = Interpreter::new(chosen.program.clone(), compiled.prolonged.clone());
    let interpreter = interpreter.with_inputs(&compiled.needs, inputs).map_err(NoFormulation::Input)?;
    Ok(interpreter.completed(chosen.formulation.completion))
}
