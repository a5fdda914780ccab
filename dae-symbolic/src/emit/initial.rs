//! Initial equations.
//!
//! In: a compiled model. Out: the contract by which the runtime evaluates them, implemented by the prolongation; nothing
//! for a model without any.

use super::body::{Labels, Outputs};
use super::items::{ALLOW, close, docs};
use super::method::{labels_of, method};
use super::names::Names;
use super::tables::{pattern, rows_doc, table};
use crate::model::{Numbering, Torn};
use crate::pipeline::Compiled;
use crate::program::Program;
use dae_runtime::contract::{InitialDescription, Pattern};

/// The implementation of the contract, with the names of the jets; empty if there are none.
pub(super) fn source(compiled: &Compiled, names: &Names) -> Result<String, Torn> {
    let (model, prolonged) = (&compiled.model, &compiled.prolonged);
    let Some(initial) = &prolonged.initial else { return Ok(String::new()) };
    let d = &initial.description;
    let mut text = format!("{ALLOW}impl ::dae::__private::InitialEquations for {}Prolongation {{\n", model.name);
    text.push_str(&description(d));
    let spelled = compiled.initial_spelled.iter().cloned();
    let list = d.equations.iter().map(|equation| equation.name.to_string()).zip(spelled).collect();
    let labels = Labels { list, places: Numbering::of(&initial.domains)? };
    let slots = ["time", "jets", "", "values"];
    let at_jets = "(&self, {t}: f64, {y}: &[f64], {out}: &mut [f64])";
    text.push_str(&method(
        names,
        &format!("initial_residual{at_jets}"),
        &docs(["E(t, X): the equations that hold at the start, X the unknowns and their derivatives."], "    "),
        &initial.residual,
        ["time", "jets", "", "residual"],
        Outputs::Named(&labels),
    ));
    let equation = |row: usize| labels_of(&labels, row);
    let mut jacobian = |name: &str, what: &str, pattern: &Pattern, program: &Program, of: &dyn Fn(usize) -> String| {
        let doc = rows_doc(what, pattern, &initial.domains, equation, of);
        let outputs = Outputs::Rows(&pattern.row_starts);
        text.push_str(&method(names, &format!("{name}{at_jets}"), &doc, program, slots, outputs));
    };
    let jet = |place: usize| prolonged.description.jets[place].name.to_string();
    jacobian("initial_jacobian", "∂E/∂X", &d.jacobian, &initial.jacobian, &jet);
    let parameter = |column: usize| model.parameters[column].name.clone();
    let what = "∂E/∂p, by the parameters";
    jacobian("initial_jacobian_p", what, &d.jacobian_p, &initial.jacobian_p, &parameter);
    close(&mut text);
    Ok(text)
}

fn description(d: &InitialDescription) -> String {
    let equations = d
        .equations
        .iter()
        .map(|it| format!("InitialEquation {{ name: Borrowed({:?}), stage: {} }}", it.name, it.stage));
    let mut text = String::from("    fn initial_description(&self) -> &::dae::__private::InitialDescription {\n");
    text.push_str("        use ::dae::__private::*;\n");
    text.push_str(&table("EQUATIONS", "InitialEquation", equations));
    text.push_str("        static DESCRIPTION: InitialDescription = InitialDescription {\n");
    text.push_str("            equations: Borrowed(&EQUATIONS),\n");
    for (field, p) in [("jacobian", &d.jacobian), ("jacobian_p", &d.jacobian_p)] {
        text.push_str(&format!("            {field}: {},\n", pattern(p)));
    }
    text + "        };\n        &DESCRIPTION\n    }\n\n"
}
