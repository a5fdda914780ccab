//! A text in all its modes.
//!
//! In: a text that was read. Out: what the pipeline finds about the model in each mode that events can enter, from the
//! mode at the start on ([`MultiMode`]), and the changes between them; or what is wrong: a mode that is not well-posed,
//! or one that is entered without a law for what jumps there (`laws.rs`), or modes that are entered without end (`cycles.rs`). A model without modes has one.
//!
//! Whether a mode can be entered follows from the text alone: an event that names an alternative leads to it, whatever
//! its condition is. With one mode variable, a mode that is not well-posed is therefore an error. With several, it may be
//! a combination that no solution has: then a run ends where one enters it after all.

mod cycles;
mod laws;

use std::collections::{HashMap, VecDeque};

use dae_runtime::contract::{self, Dae, ModesDescription};
use dae_runtime::modes::MultiMode as MultiModeForm;
use dae_runtime::signal::{Input, InputError};

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::eval::Interpreter;
use crate::form::Form;
use crate::formulation::FormError;
use crate::lower::Text;
use crate::model::{Event, ModeVariable, Model};
use crate::origin::Origin;
use crate::pipeline::{Compiled, Rejected, compile};

/// The largest number of modes that are analysed.
const MOST: usize = 1 << 12;

/// A model in one of its modes, and what is known about it there.
#[derive(Debug)]
pub struct InMode<C> {
    /// For each mode variable the position of its alternative.
    pub mode: Vec<usize>,
    /// `clutch = engaged`; empty for a model without modes.
    pub name: String,
    /// The result of the pipeline.
    pub compiled: C,
    /// The model there, with its events.
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
    /// The others that events enter, which are numbered from 1.
    pub others: Vec<InMode<Result<Compiled, Rejected>>>,
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

/// Analyses a text in all its modes, with these formulations if any are given and otherwise with those that the text asks
/// for. `t0` is the time at which start values hold.
///
/// # Errors
/// The model is not well-posed in the mode at the start, or in another one that has to be, or enters a mode without a law
/// for what jumps.
pub fn compile_modes(text: &Text, forms: Option<&[Form]>, t0: f64) -> Result<MultiMode, Rejected> {
    let mut start: Option<InMode<Compiled>> = None;
    let mut others: Vec<InMode<Result<Compiled, Rejected>>> = Vec::new();
    let mut changes: Vec<ModeChange> = Vec::new();
    let mut known: HashMap<Vec<usize>, usize> = HashMap::from([(text.start(), 0)]);
    let mut next: VecDeque<Vec<usize>> = VecDeque::from([text.start()]);
    let is_certain = text.variables().len() < 2;
    // The mode at the start is the first.
    for from in 0.. {
        let Some(mode) = next.pop_front() else { break };
        let reject = |diagnostics| Rejected { problem: None, t0, diagnostics };
        let mut model = text.model(&mode).map_err(reject)?;
        if let Some(forms) = forms {
            model = model.with_forms(forms.to_vec());
        }
        let name = model.events.mode().unwrap_or_default();
        let compiled = compile(model.clone(), t0).map_err(|rejected| in_mode(rejected, &name));
        let compiled = match compiled {
            Err(rejected) if is_certain || start.is_none() => return Err(rejected),
            other => other,
        };
        for event in model.events.list.iter().filter(|event| !event.transitions.is_empty()) {
            let target = target(&mode, event);
            let count = known.len();
            let to = *known.entry(target.clone()).or_insert(count);
            if to == count {
                next.push_back(target);
            }
            changes.push(ModeChange { from, to, event: event.name.clone() });
        }
        if known.len() > MOST {
            return Err(reject(too_many(&model)));
        }
        match compiled {
            Ok(compiled) if start.is_none() => start = Some(InMode { mode, name, compiled, model }),
            compiled => others.push(InMode { mode, name, compiled, model }),
        }
    }
    let Some(start) = start else { return Err(Rejected { problem: None, t0, diagnostics: Diagnostics::new() }) };
    let modes = MultiMode { start, others, changes };
    let mut found = laws::missing(&modes);
    found.append(cycles::without_end(&modes));
    match found.has_errors() {
        true => Err(Rejected { problem: None, t0, diagnostics: found }),
        false => Ok(modes),
    }
}

/// The mode that an event leads to.
fn target(mode: &[usize], event: &Event) -> Vec<usize> {
    let mut target = mode.to_vec();
    for transition in &event.transitions {
        if let Some(alternative) = target.get_mut(transition.variable) {
            *alternative = transition.alternative;
        }
    }
    target
}

/// Findings with the mode in which they hold.
fn in_mode(rejected: Rejected, name: &str) -> Rejected {
    if name.is_empty() {
        return rejected;
    }
    let mut diagnostics = Diagnostics::new();
    for finding in rejected.diagnostics.iter() {
        diagnostics.push(finding.clone().note(format!("in the mode `{name}`")));
    }
    Rejected { diagnostics, ..rejected }
}

fn too_many(model: &Model) -> Diagnostics {
    let origin = model.events.modes.first().map_or(Origin::NONE, |variable| variable.origin);
    let message = format!("the modes are more than {MOST}");
    let finding = Diagnostic::error(Code::InvalidModes, message).label(origin, "with the alternatives of all variables");
    finding.help("let parts that switch alike share a mode variable").into()
}

impl MultiMode {
    /// Whether the text has modes.
    pub fn has_modes(&self) -> bool {
        !self.start.mode.is_empty()
    }

    /// All modes in the order of their numbers.
    pub fn all(&self) -> impl Iterator<Item = Mode<'_>> {
        let InMode { mode, name, compiled, model } = &self.start;
        let start = Mode { mode, name, compiled: Ok(compiled), model };
        let others = self.others.iter().map(|InMode { mode, name, compiled, model }| Mode {
            mode,
            name,
            compiled: compiled.as_ref(),
            model,
        });
        std::iter::once(start).chain(others)
    }

    /// The mode variables in the terms of the runtime.
    pub fn description(&self) -> ModesDescription {
        let of_runtime = |it: &ModeVariable| contract::ModeVariable {
            name: it.name.clone().into(),
            alternatives: it.alternatives.iter().map(|name| name.clone().into()).collect(),
        };
        let variables = self.start.model.events.modes.iter().map(of_runtime).collect();
        ModesDescription { variables, start: self.start.mode.clone() }
    }

    /// A formulation, interpreted, with inputs of the caller: that of each mode, if the model has modes.
    ///
    /// # Errors
    /// It does not exist in the mode at the start, or the inputs do not fit.
    pub fn formulation(&self, form: &Form, inputs: &[(&str, Input)]) -> Result<Box<dyn Dae>, NoFormulation> {
        let interpreted = |compiled: &Compiled| {
            let Some(chosen) = compiled.forms.iter().find(|it| it.form == *form) else {
                return Err(NoFormulation::Form(compiled.unavailable.iter().find(|it| it.form == *form).cloned()));
            };
            let interpreter = Interpreter::new(chosen.program.clone(), compiled.prolonged.clone());
            let interpreter = interpreter.with_inputs(&compiled.needs, inputs).map_err(NoFormulation::Input)?;
            Ok(interpreter.completed(chosen.formulation.completion))
        };
        let start = interpreted(&self.start.compiled)?;
        if !self.has_modes() {
            return Ok(start);
        }
        let mut modes = MultiModeForm::new(self.description(), start);
        for it in &self.others {
            let dae = match &it.compiled {
                Ok(compiled) => interpreted(compiled),
                Err(rejected) => {
                    modes.add_missing(it.mode.clone(), reason(rejected));
                    continue;
                }
            };
            match dae {
                Err(NoFormulation::Input(error)) => return Err(NoFormulation::Input(error)),
                Err(NoFormulation::Form(error)) => {
                    let reason = error.map_or_else(|| format!("no {form} form"), |error| error.to_string());
                    modes.add_missing(it.mode.clone(), format!("there is {reason}"));
                }
                Ok(dae) => modes.add(it.mode.clone(), dae),
            }
        }
        Ok(Box::new(modes))
    }
}

/// Why a run cannot go on in a mode that is not well-posed.
pub(crate) fn reason(rejected: &Rejected) -> String {
    let first = rejected.diagnostics.iter().next().map_or("", |finding| finding.message.as_str());
    format!("there {first}")
}
