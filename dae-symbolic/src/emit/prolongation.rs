//! The prolongation: the contract from which consistent initial values are computed.
//!
//! In: a compiled model. Out: a struct that fulfils it.

use super::body::{Labels, Outputs};
use super::method::{labels_of, method};
use super::names::Names;
use super::{ALLOW, close, docs, external, prefix, tables};
use crate::compile::Compiled;
use crate::model::{Numbering, Torn};
use crate::prolong::parameter_places;

pub(super) fn source(compiled: &Compiled) -> Result<String, Torn> {
    let model = &compiled.model;
    let prolonged = &compiled.prolonged;
    let (name, vis, count) = (&model.name, prefix(&model.visibility), parameter_places(model)?.total());
    let mut text =
        docs([format!("The equations of [`{name}`] with their derivatives, in the derivatives of its unknowns.")], "");
    text.push_str(external::derive(compiled));
    text.push_str(ALLOW);
    let inputs = external::prolongation_field(compiled);
    text.push_str(&format!("{vis}struct {name}Prolongation {{\n    parameters: [f64; {count}],\n{inputs}}}\n\n"));
    text.push_str(&external::tables(compiled));
    text.push_str(ALLOW);
    text.push_str(&format!("impl ::dae::__private::Prolongation for {name}Prolongation {{\n"));
    text.push_str(&tables::prolongation(prolonged, model.has_families())?);
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
    let rows = tables::rows_doc(
        "∂G/∂X",
        &prolonged.description.jacobian,
        &prolonged.equation_domains,
        |row| labels_of(&labels, row),
        |column| prolonged.description.jets[column].name.to_string(),
    );
    text.push_str(&method(
        &names,
        "prolonged_jacobian(&self, {t}: f64, {y}: &[f64], {out}: &mut [f64])",
        &rows,
        &prolonged.jacobian,
        slots,
        Outputs::Rows(&prolonged.description.jacobian.row_starts),
    ));
    close(&mut text);
    Ok(text)
}
