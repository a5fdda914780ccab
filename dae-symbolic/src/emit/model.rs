//! The struct of the model: its fields are the parameters, its methods the formulations.
//!
//! In: a compiled model. Out: the struct with what is known about the model as documentation, its defaults, and a
//! method for each formulation.

use super::external;
use super::fields::{defaults, fields, layout};
use super::first_integrals;
use super::items::{ALLOW, docs, form_type, prefix};
use crate::defaults::parameter_places;
use crate::formulation::Completion;
use crate::model::{Model, Torn};
use crate::pipeline::Compiled;

pub(super) fn source(compiled: &Compiled) -> Result<String, Torn> {
    let model = &compiled.model;
    let (name, vis) = (&model.name, prefix(&model.visibility));
    let mut text = opening(compiled, &report_lines(compiled))?;
    let fields = fields(&model.parameters, &compiled.prolonged.parameters);
    for form in &compiled.forms {
        let (method, target) = (form.form.identifier(), form_type(name, &form.form));
        text.push_str(&docs([form.form.sentence()], "    "));
        text.push_str("    #[must_use]\n");
        let value = format!("{target} {{ prolongation: self.prolongation() }}");
        let (returned, value) = match form.formulation.completion {
            None => (target, value),
            Some(Completion::Underlying) => first_integrals::completed(
                form,
                match form.formulation.hamiltonian {
                    Ok(_) => format!("::dae::__private::UnderlyingOde<{target}, ::dae::__private::Hamiltonian>"),
                    Err(_) => format!("::dae::__private::UnderlyingOde<{target}>"),
                },
                format!("::dae::__private::UnderlyingOde::of_class({value})"),
            ),
            Some(Completion::DerivativeArray { rows }) => (
                format!("::dae::__private::DerivativeArray<{target}>"),
                format!("::dae::__private::DerivativeArray::new({value}, {rows})"),
            ),
            Some(Completion::Chart(coordinates)) => (
                format!("::dae::__private::StateSpace<{target}>"),
                format!("::dae::__private::StateSpace::new({value}, ::dae::__private::Coordinates::{coordinates:?})"),
            ),
        };
        text.push_str(&format!("    {vis}fn {method}(&self) -> {returned} {{\n        {value}\n    }}\n\n"));
        if let Some(recommendation) = compiled.recommended.as_ref().filter(|found| found.form == form.form) {
            let doc = format!(
                "The {} form, which is recommended: {} ({}).",
                recommendation.form, recommendation.reason, recommendation.reference
            );
            text.push_str(&docs([doc], "    "));
            text.push_str("    #[must_use]\n");
            let call = format!("self.{method}()");
            text.push_str(&format!("    {vis}fn recommended(&self) -> {returned} {{\n        {call}\n    }}\n\n"));
        }
    }
    text.push_str(&docs(["The model with the derivatives of its equations, for consistent initial values."], "    "));
    text.push_str("    #[must_use]\n");
    text.push_str(&format!("    {vis}fn prolongation(&self) -> {name}Prolongation {{\n"));
    let inputs = external::prolongation_value(compiled);
    text.push_str(&layout(&format!("{name}Prolongation"), &fields, parameter_places(model)?.total(), &inputs));
    text.push_str("    }\n}\n\n");
    Ok(text)
}

/// The struct, its defaults, and the head of its methods with the documentation of the model as a constant.
pub(super) fn opening(compiled: &Compiled, report: &[String]) -> Result<String, Torn> {
    let model = &compiled.model;
    let (name, vis) = (&model.name, prefix(&model.visibility));
    let mut text = docs(&model.docs, "");
    if !model.docs.is_empty() {
        text.push_str("///\n");
    }
    text.push_str(&docs(report, ""));
    text.push_str(external::derive(compiled));
    text.push_str(ALLOW);
    text.push_str(&format!("{vis}struct {name} {{\n"));
    let fields = fields(&model.parameters, &compiled.prolonged.parameters);
    for field in &fields {
        let default = field.default_doc();
        let lines = if field.docs.is_empty() { std::slice::from_ref(&default) } else { field.docs };
        text.push_str(&docs(lines, "    "));
        text.push_str(&format!("    {vis}{}: {},\n", field.name, field.type_text()));
    }
    text.push_str(&external::fields(compiled));
    text.push_str("}\n\n");
    let (statements, defaults) = defaults(compiled, &fields)?;
    if compiled.needs.is_empty() {
        text.push_str(&default_impl(name, &statements, &defaults));
    }
    text.push_str(&format!("{ALLOW}impl {name} {{\n"));
    if !compiled.needs.is_empty() {
        text.push_str(&external::constructor(compiled, &statements, &defaults));
    }
    text.push_str(&constant(model, report));
    Ok(text)
}

/// `impl Default` with the given fields, and the statements that come before.
pub(super) fn default_impl(name: &str, statements: &str, fields: &[String]) -> String {
    let text = format!("{ALLOW}impl ::core::default::Default for {name} {{\n    fn default() -> Self {{\n");
    let value = if fields.is_empty() { "Self {}".to_string() } else { format!("Self {{ {} }}", fields.join(", ")) };
    text + &format!("{statements}        {value}\n    }}\n}}\n\n")
}

/// The documentation of the model, as a constant to print.
fn constant(model: &Model, report: &[String]) -> String {
    let lines: String = report.iter().map(|line| format!("        {:?},\n", format!("{line}\n"))).collect();
    let vis = prefix(&model.visibility);
    let doc = docs(["Index, degrees of freedom and hidden constraints, as in the documentation of this type."], "    ");
    format!("{doc}    {vis}const REPORT: &'static str = ::core::concat!(\n{lines}    );\n\n")
}

/// The summary, the recommended formulation, and why some formulations are missing.
pub(super) fn report_lines(compiled: &Compiled) -> Vec<String> {
    let mut lines = compiled.summary();
    if let Some(recommendation) = &compiled.recommended {
        lines.push(String::new());
        lines.push(format!(
            "Recommended is the {} form: {} ({}).",
            recommendation.form, recommendation.reason, recommendation.reference
        ));
    }
    for missing in &compiled.unavailable {
        lines.push(String::new());
        lines.push(format!("There is no {} form: {}.", missing.form, missing.message));
    }
    lines
}
