//! A text in all its modes.
//!
//! In: a text that was read. Out: what the pipeline finds about the model in each mode that events can enter, from the
//! mode at the start on ([`MultiMode`]), and the changes between them; or what is wrong: a mode that is not well-posed,
//! one that is entered without a law for what jumps there (`laws.rs`), or modes that are entered without end
//! (`cycles.rs`, `between.rs`). A model without modes has one.
//!
//! Whether a mode can be entered follows from the text alone: an event that names an alternative leads to it, whatever
//! its condition is. With one mode variable, a mode that is not well-posed is therefore an error. With several, it may be
//! a combination that no solution has: then a run ends where one enters it after all. Of a text with very many modes, each
//! can be analysed as a run enters it (`entered.rs`).

mod between;
mod cases;
mod cycles;
mod entered;
mod laws;
mod multi_mode;

use std::collections::{HashMap, VecDeque};

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::form::Form;
use crate::lower::Text;
use crate::model::Model;
use crate::origin::Origin;
use crate::pipeline::{Compiled, Rejected, compile};
pub use entered::formulation_on_entry;
use multi_mode::target;
pub use multi_mode::{IllPosed, InMode, Mode, ModeChange, MultiMode, NoFormulation};

/// The largest number of modes that are analysed.
const MOST: usize = 1 << 12;

/// Analyses a text in all its modes, with these formulations if any are given and otherwise with those that the text asks
/// for. `t0` is the time at which start values hold.
///
/// # Errors
/// The model is not well-posed in the mode at the start, or in another one that has to be, or enters a mode without a law
/// for what jumps.
pub fn compile_modes(text: &Text, forms: Option<&[Form]>, t0: f64) -> Result<MultiMode, Rejected> {
    let mut start: Option<InMode<Compiled>> = None;
    let mut others: Vec<InMode<Result<Compiled, IllPosed>>> = Vec::new();
    let mut changes: Vec<ModeChange> = Vec::new();
    let mut known: HashMap<Vec<usize>, usize> = HashMap::from([(text.start(), 0)]);
    let mut next: VecDeque<Vec<usize>> = VecDeque::from([text.start()]);
    let is_certain = text.variable_count() < 2;
    // The mode at the start is the first.
    for from in 0.. {
        let Some(mode) = next.pop_front() else { break };
        let reject = |diagnostics| Rejected { problem: None, t0, diagnostics };
        let name = text.name_of(&mode);
        let model = model_in(text, &mode, forms, t0)?;
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
        let kept = (!is_certain).then(|| model.clone());
        let located = |rejected| if start.is_none() { at_start(rejected, &name) } else { in_mode(rejected, &name) };
        match (compile(model, t0).map_err(located), kept) {
            (Ok(compiled), _) if start.is_none() => start = Some(InMode { mode, name, compiled }),
            (Ok(compiled), _) => others.push(InMode { mode, name, compiled: Ok(compiled) }),
            (Err(rejected), Some(model)) if start.is_some() => {
                others.push(InMode { mode, name, compiled: Err(IllPosed { rejected, model }) });
            }
            (Err(rejected), _) => return Err(rejected),
        }
    }
    let Some(start) = start else { return Err(Rejected { problem: None, t0, diagnostics: Diagnostics::new() }) };
    let modes = MultiMode { start, others, changes };
    let mut found = laws::missing(&modes);
    found.append(cycles::without_end(&modes));
    let of_several = between::cycle(&modes).filter(|it| !found.iter().any(|known| known.labels == it.labels));
    found.extend(of_several);
    match found.has_errors() {
        true => Err(Rejected { problem: None, t0, diagnostics: found }),
        false => Ok(modes),
    }
}

/// Analyses a text in the mode at the start only; runs analyse others as they enter them ([`formulation_on_entry`]).
///
/// # Errors
/// The model is not well-posed in the mode at the start.
pub fn compile_start(text: &Text, forms: Option<&[Form]>, t0: f64) -> Result<MultiMode, Rejected> {
    let mode = text.start();
    let name = text.name_of(&mode);
    let compiled = compile(model_in(text, &mode, forms, t0)?, t0).map_err(|rejected| at_start(rejected, &name))?;
    Ok(MultiMode { start: InMode { mode, name, compiled }, others: Vec::new(), changes: Vec::new() })
}

/// The model in a mode, with these formulations if any are given.
fn model_in(text: &Text, mode: &[usize], forms: Option<&[Form]>, t0: f64) -> Result<Model, Rejected> {
    let reject = |diagnostics| in_mode(Rejected { problem: None, t0, diagnostics }, &text.name_of(mode));
    let model = text.model(mode).map_err(reject)?;
    Ok(match forms {
        Some(forms) => model.with_forms(forms.to_vec()),
        None => model,
    })
}

/// Findings with the mode in which they hold.
fn in_mode(rejected: Rejected, name: &str) -> Rejected {
    with_note(rejected, name, String::new())
}

/// Findings about the mode at the start.
fn at_start(rejected: Rejected, name: &str) -> Rejected {
    let variable = name.split([' ', '[']).next().unwrap_or_default();
    with_note(
        rejected,
        name,
        format!(", in which runs begin unless the text names another: `modes {variable} = … {{ … }}`"),
    )
}

fn with_note(rejected: Rejected, name: &str, more: String) -> Rejected {
    if name.is_empty() {
        return rejected;
    }
    let mut diagnostics = Diagnostics::new();
    for finding in rejected.diagnostics.iter() {
        diagnostics.push(finding.clone().note(format!("in the mode `{name}`{more}")));
    }
    Rejected { diagnostics, ..rejected }
}

fn too_many(model: &Model) -> Diagnostics {
    let origin = model.events.modes.first().map_or(Origin::NONE, |variable| variable.origin);
    let message = format!("the modes are more than {MOST}");
    let finding =
        Diagnostic::error(Code::InvalidModes, message).label(origin, "with the alternatives of all variables");
    finding.help("let parts that switch alike share a mode variable").into()
}
