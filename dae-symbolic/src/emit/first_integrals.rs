//! The declared first integrals of a formulation.
//!
//! In: a compiled formulation. Out: the contract by which the runtime projects onto them; nothing for a model that
//! declares none.

use super::body::{Labels, Outputs};
use super::items::{ALLOW, close, docs, form_type};
use super::method::method;
use super::names::Names;
use super::tables;
use crate::formulation::CompiledForm;
use crate::model::{Domain, Numbering, Torn};

/// Parameters of a contract method at $(t, y)$.
const SHORT: &str = "(&self, {t}: f64, {y}: &[f64], {out}: &mut [f64])";

/// The type of a completed formulation and the expression that makes it, with the first integrals if there are any.
pub(super) fn completed(form: &CompiledForm, returned: String, value: String) -> (String, String) {
    match form.program.first_integrals {
        Some(_) => (
            format!("::dae::__private::FirstIntegrals<'static, {returned}>"),
            format!("::dae::__private::FirstIntegrals::declared({value})"),
        ),
        None => (returned, value),
    }
}

/// The implementation of the contract; empty if there are none.
pub(super) fn source(model: &str, form: &CompiledForm, names: &Names) -> Result<String, Torn> {
    let Some(program) = &form.program.first_integrals else { return Ok(String::new()) };
    let mut text = format!("{ALLOW}impl ::dae::__private::DeclaredIntegrals for {} {{\n", form_type(model, &form.form));
    text.push_str(&tables::integrals(&program.description));
    let slots = ["time", "state", "rate", "values"];
    let domains = vec![Domain::scalar(); program.description.names.len()];
    let of = program.description.names.iter().map(ToString::to_string);
    let labels =
        Labels { list: of.zip(form.integrals_spelled.iter().cloned()).collect(), places: Numbering::of(&domains)? };
    let doc = docs(["I(t, y), which is constant along solutions."], "    ");
    let head = format!("integrals{SHORT}");
    text.push_str(&method(names, &head, &doc, &program.values, slots, Outputs::Named(&labels)));
    let pattern = &program.description.jacobian;
    let state = |column: usize| form.formulation.unknowns[column].name.clone();
    let name = |row: usize| program.description.names[row].to_string();
    let doc = tables::rows_doc("∂I/∂y", pattern, &domains, name, state);
    let head = format!("integrals_jacobian{SHORT}");
    text.push_str(&method(names, &head, &doc, &program.jacobian, slots, Outputs::Rows(&pattern.row_starts)));
    let doc = docs(["∂I/∂t, with y held."], "    ");
    let head = format!("integrals_jacobian_t{SHORT}");
    text.push_str(&method(names, &head, &doc, &program.jacobian_t, slots, Outputs::Array));
    close(&mut text);
    Ok(text)
}
