//! Events that the text declares.
//!
//! In: a compiled model. Out: the contract by which the runtime evaluates them, implemented by the prolongation; nothing
//! for a model without any.

use super::body::{Labels, Outputs};
use super::items::{ALLOW, close, docs};
use super::method::{labels_of, method};
use super::names::Names;
use super::tables;
use crate::model::{Domain, Numbering, Torn};
use crate::pipeline::Compiled;
use crate::program::Program;
use dae_runtime::contract::Pattern;

/// The implementation of the contract; empty if there are none.
pub(super) fn source(compiled: &Compiled) -> Result<String, Torn> {
    let Some(program) = &compiled.prolonged.events else { return Ok(String::new()) };
    let (d, model) = (&program.description, &compiled.model);
    let mut text = format!("{ALLOW}impl ::dae::__private::DeclaredEvents for {}Prolongation {{\n", model.name);
    text.push_str(&tables::events(d));
    let jets: Vec<String> = compiled.prolonged.description.jets.iter().map(|jet| jet.name.to_string()).collect();
    let recent: Vec<String> = jets.iter().map(|jet| format!("recent {jet}")).collect();
    let names = Names::new(compiled, jets.clone(), recent, &vec![Domain::scalar(); jets.len()], "jets")?;
    let labels = |names: Vec<String>| -> Result<Labels, Torn> {
        let places = Numbering::of(&vec![Domain::scalar(); names.len()])?;
        Ok(Labels { list: names.into_iter().map(|name| (name, String::new())).collect(), places })
    };
    let of_events = labels(d.events.iter().map(|event| event.name.to_string()).collect())?;
    let of_changes = labels(d.changes.iter().map(|change| jets[change.jet].clone()).collect())?;
    let at_jets = "(&self, {t}: f64, {y}: &[f64], {out}: &mut [f64])";
    let at_both = "(&self, {t}: f64, {y}: &[f64], {yp}: &[f64], {out}: &mut [f64])";
    let slots = ["time", "jets", "recent", "values"];
    let mut add = |head: &str, doc: &str, program: &Program, outputs: Outputs<'_>| {
        text.push_str(&method(&names, head, &docs([doc], "    "), program, slots, outputs));
    };
    let doc = "Positive where the condition of an event holds, negative where it does not.";
    add(&format!("crossing_functions{at_jets}"), doc, &program.crossing, Outputs::Array);
    let doc = "1 where the condition of an event holds, 0 elsewhere.";
    add(&format!("conditions{at_jets}"), doc, &program.conditions, Outputs::Array);
    let doc = "First time and period of the samples of each event.";
    add("samples(&self, {out}: &mut [f64])", doc, &program.samples, Outputs::Array);
    let doc = "The values that events give to unknowns.";
    add(&format!("new_values{at_both}"), doc, &program.new_values, Outputs::Array);
    let mut jacobian = |head: &str, what: &str, pattern: &Pattern, program: &Program, labels: &Labels| {
        let rows = vec![Domain::scalar(); pattern.rows()];
        let parameter = |column: usize| model.parameters[column].name.clone();
        let doc = tables::rows_doc(what, pattern, &rows, |row| labels_of(labels, row), parameter);
        text.push_str(&method(&names, head, &doc, program, slots, Outputs::Rows(&pattern.row_starts)));
    };
    let what = "The crossing functions by the parameters";
    let head = format!("crossing_jacobian_p{at_jets}");
    jacobian(&head, what, &d.crossing_jacobian_p, &program.crossing_jacobian_p, &of_events);
    let what = "The new values by the parameters";
    let head = format!("new_values_jacobian_p{at_both}");
    jacobian(&head, what, &d.new_values_jacobian_p, &program.new_values_jacobian_p, &of_changes);
    close(&mut text);
    Ok(text)
}
