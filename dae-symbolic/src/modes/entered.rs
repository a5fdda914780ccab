//! Modes that are analysed as runs enter them.
//!
//! In: a text with more modes than are worth an analysis beforehand, and what is known about the mode at the start. Out: an
//! interpreted formulation that analyses the other modes as runs enter them; a mode without a formulation, and a change
//! that the equations leave open, end the run there.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use dae_runtime::contract::{Dae, Name};
use dae_runtime::modes::{ModeMaker, MultiModeForm};
use dae_runtime::signal::Input;

use super::laws;
use super::multi_mode::{IllPosed, InMode, Mode, MultiMode, NoFormulation, interpreted};
use crate::diagnostic::Diagnostics;
use crate::form::Form;
use crate::lower::Text;
use crate::pipeline::{Compiled, compile};

/// A formulation, interpreted, with inputs of the caller, that is made in each mode as a run enters it. `start` is what is
/// known about the mode at the start ([`compile_start`](super::compile_start)).
///
/// # Errors
/// It does not exist in the mode at the start, or the inputs do not fit.
pub fn formulation_on_entry(
    text: &Rc<Text>,
    start: &MultiMode,
    form: &Form,
    inputs: &[(&str, Input)],
) -> Result<Box<dyn Dae>, NoFormulation> {
    let compiled = &start.start.compiled;
    let dae = interpreted(compiled, form, inputs)?;
    if !start.has_modes() {
        return Ok(dae);
    }
    // Every formulation is to have values of all unknowns of the model.
    let names: HashSet<Name> = compiled.model.unknowns.iter().map(|unknown| unknown.name.clone().into()).collect();
    let maker = Maker {
        text: text.clone(),
        form: form.clone(),
        t0: compiled.t0,
        inputs: inputs.iter().map(|(name, input)| (name.to_string(), input.clone())).collect(),
        met: RefCell::default(),
    };
    Ok(Box::new(MultiModeForm::made_when_entered(start.description(), dae, &names, Box::new(maker))))
}

/// A mode that has been entered.
type Met = Rc<InMode<Result<Compiled, IllPosed>>>;

/// Makes a formulation in each mode that is entered.
struct Maker {
    text: Rc<Text>,
    form: Form,
    /// The time at which start values hold.
    t0: f64,
    inputs: Vec<(String, Input)>,
    /// What is known about modes that have been entered, or why the text has no model there.
    met: RefCell<HashMap<Vec<usize>, Result<Met, Name>>>,
}

impl Maker {
    fn meet(&self, mode: &[usize]) -> Result<Met, Name> {
        if let Some(met) = self.met.borrow().get(mode) {
            return met.clone();
        }
        let no_model = |found: Diagnostics| {
            let first = found.iter().next().map_or("", |finding| finding.message.as_str());
            Name::from(format!("there {first}"))
        };
        let met = self.text.model(mode).map_err(no_model).map(|model| {
            let model = model.with_forms([self.form.clone()]);
            let compiled = compile(model.clone(), self.t0).map_err(|rejected| IllPosed { rejected, model });
            Rc::new(InMode { mode: mode.to_vec(), name: self.text.name_of(mode), compiled })
        });
        self.met.borrow_mut().insert(mode.to_vec(), met.clone());
        met
    }
}

impl ModeMaker for Maker {
    fn make(&self, mode: &[usize]) -> Result<Box<dyn Dae>, Name> {
        let met = self.meet(mode)?;
        let it = Mode::of(&met);
        let not_well_posed = || Name::from(it.obstacle().unwrap_or_default());
        let inputs: Vec<(&str, Input)> = self.inputs.iter().map(|(name, input)| (&name[..], input.clone())).collect();
        let compiled = it.compiled.map_err(|_| not_well_posed())?;
        interpreted(compiled, &self.form, &inputs).map_err(|error| error.in_mode(&self.form).into())
    }

    fn obstacle(&self, from: &[usize], to: &[usize], events: &[Name]) -> Option<Name> {
        let (from, to) = (self.meet(from).ok()?, self.meet(to).ok()?);
        let (from, to) = (Mode::of(&from), Mode::of(&to));
        let all = from.model.events.list.iter().filter(|it| !it.transitions.is_empty());
        let occurring = all.filter(|it| events.iter().any(|event| *event == it.name));
        // Of several events at one time, the law of one is enough.
        let findings: Option<Vec<_>> = occurring.map(|event| laws::missing_at((&from, &to), event)).collect();
        Some(findings?.first()?.message.clone().into())
    }
}
