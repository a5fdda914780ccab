//! The prolongation: the contract from which consistent initial values are computed.
//!
//! In: a compiled model. Out: a struct that implements the contract.

use super::body::{Labels, Outputs};
use super::items::{ALLOW, access, close, docs, prefix};
use super::method::{labels_of, method};
use super::names::Names;
use super::{boundary, events, external, initial, tables};
use crate::defaults::parameter_places;
use crate::model::{Numbering, Torn};
use crate::pipeline::Compiled;
use crate::program::Program;
use dae_runtime::contract::Pattern;

pub(super) fn source(compiled: &Compiled) -> Result<String, Torn> {
    let model = &compiled.model;
    let prolonged = &compiled.prolonged;
    let parameters = parameter_places(model)?;
    let (name, vis, count) = (&model.name, prefix(&model.visibility), parameters.total());
    let mut text =
        docs([format!("The equations of [`{name}`] with their derivatives, in the derivatives of its unknowns.")], "");
    text.push_str(external::derive(compiled));
    text.push_str(ALLOW);
    let inputs = external::prolongation_field(compiled);
    text.push_str(&format!("{vis}struct {name}Prolongation {{\n    parameters: [f64; {count}],\n{inputs}}}\n\n"));
    text.push_str(&external::tables(compiled));
    text.push_str(ALLOW);
    text.push_str(&format!("impl ::dae::__private::Prolongation for {name}Prolongation {{\n"));
    text.push_str(&tables::prolongation(prolonged, &parameters, model.has_families())?);
    let jets: Vec<String> = prolonged.description.jets.iter().map(|jet| jet.name.to_string()).collect();
    let names = Names::new(compiled, jets, Vec::new(), &prolonged.jet_domains, "jets")?;
    let slots = ["time", "jets", "", "values"];
    text.push_str(&method(
        &names,
        "start_values(&self, {t}: f64, {out}: &mut [f64])",
        &docs(["X as the model gives it, fixed values and guesses; zero where it gives none."], "    "),
        &prolonged.start,
        slots,
        Outputs::Array,
    ));
    let equations = prolonged.description.equations.iter().map(|e| e.name.to_string());
    let labels = Labels {
        list: equations.zip(compiled.prolonged_spelled.iter().cloned()).collect(),
        places: Numbering::of(&prolonged.equation_domains)?,
    };
    text.push_str(&method(
        &names,
        "prolonged_residual(&self, {t}: f64, {y}: &[f64], {out}: &mut [f64])",
        &docs(
            ["G(t, X): the equations and their derivatives, X the unknowns and theirs; its zeros are consistent."],
            "    ",
        ),
        &prolonged.residual,
        ["time", "jets", "", "residual"],
        Outputs::Named(&labels),
    ));
    let d = &prolonged.description;
    let jet = |place: usize| d.jets[place].name.to_string();
    let parameter = |column: usize| model.parameters[column].name.clone();
    let at_jets = "(&self, {t}: f64, {y}: &[f64], {out}: &mut [f64])";
    let mut jacobian = |head: &str, pattern: &Pattern, program: &Program, doc: &str| {
        text.push_str(&method(&names, head, doc, program, slots, Outputs::Rows(&pattern.row_starts)));
    };
    let equation = |row: usize| labels_of(&labels, row);
    let of_equations = &prolonged.equation_domains;
    let doc = tables::rows_doc("∂G/∂X", &d.jacobian, of_equations, equation, jet);
    jacobian(&format!("prolonged_jacobian{at_jets}"), &d.jacobian, &prolonged.jacobian, &doc);
    let doc = tables::rows_doc("∂G/∂p, by the parameters", &d.jacobian_p, of_equations, equation, parameter);
    jacobian(&format!("prolonged_jacobian_p{at_jets}"), &d.jacobian_p, &prolonged.jacobian_p, &doc);
    let what = "The start values by the parameters";
    let doc = tables::rows_doc(what, &d.start_jacobian_p, &prolonged.jet_domains, jet, parameter);
    let head = "start_jacobian_p(&self, {t}: f64, {out}: &mut [f64])";
    jacobian(head, &d.start_jacobian_p, &prolonged.start_jacobian_p, &doc);
    text.push_str(&access(prolonged.initial.is_some(), "initial_equations", "InitialEquations"));
    text.push_str(&access(prolonged.boundary.is_some(), "boundary", "Boundary"));
    text.push_str(&access(prolonged.events.is_some(), "declared_events", "DeclaredEvents"));
    close(&mut text);
    text.push_str(&initial::source(compiled, &names)?);
    text.push_str(&boundary::source(compiled)?);
    text.push_str(&events::source(compiled)?);
    Ok(text)
}
