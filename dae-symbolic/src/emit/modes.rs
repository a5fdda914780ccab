//! A model with modes.
//!
//! In: the model in all its modes. Out: a struct for the model, whose methods give a formulation in every mode, and one
//! for the model in each mode, with all that a model without modes has.

use std::collections::BTreeMap;

use super::fields::fields;
use super::items::{ALLOW, close, docs, form_type, prefix};
use super::model::{self, opening, report_lines};
use super::{mathematics, unknowns};
use crate::form::Form;
use crate::model::{ModeVariable, Torn};
use crate::modes::MultiMode;
use crate::pipeline::Compiled;

/// The Rust source of a model with modes.
///
/// # Errors
/// Never for whole models, as [`emit`](super::emit).
pub fn emit_modes(mut modes: MultiMode) -> Result<String, Torn> {
    let start = &modes.start.compiled;
    let written = &start.model;
    let (name, vis) = (written.name.clone(), prefix(&written.visibility));
    let mut text = opening(start, &lines(&modes))?;
    let forms: BTreeMap<String, Form> = start.forms.iter().map(|it| (it.form.identifier(), it.form.clone())).collect();
    let mut aliases = String::new();
    let sentence = |form: &Form| docs([format!("{} In every mode of the model.", form.sentence())], "");
    for (method, form) in &forms {
        let target = form_type(&name, form);
        text.push_str(&sentence(form).replace("///", "    ///"));
        text.push_str("    #[must_use]\n");
        text.push_str(&format!(
            "    {vis}fn {method}(&self) -> {target} {{\n{}    }}\n\n",
            formulation(&modes, method)
        ));
        aliases
            .push_str(&format!("{}{ALLOW}{vis}type {target} = ::dae::__private::MultiModeForm;\n\n", sentence(form)));
    }
    text.push_str(&docs(["The model in the mode at the start, with the derivatives of its equations."], "    "));
    text.push_str("    #[must_use]\n");
    text.push_str(&format!("    {vis}fn prolongation(&self) -> {name}Mode0Prolongation {{\n"));
    text.push_str("        self.in_mode_0().prolongation()\n    }\n\n");
    text.push_str(&description(&modes));
    for (k, it) in modes.all().enumerate() {
        if let Ok(compiled) = it.compiled {
            text.push_str(&in_mode(compiled, &name, k));
        }
    }
    close(&mut text);
    text.push_str(&unknowns::source(&name, &written.visibility, &unknowns::of(&written.unknowns)));
    text.push_str(&aliases);
    let MultiMode { start, others, .. } = &mut modes;
    let start = (0, &start.name, &mut start.compiled);
    let others =
        others.iter_mut().enumerate().filter_map(|(k, it)| Some((k + 1, &it.name, it.compiled.as_mut().ok()?)));
    for (k, mode, compiled) in std::iter::once(start).chain(others) {
        compiled.model.name = format!("{name}Mode{k}");
        compiled.model.docs = vec![format!("[`{name}`] in the mode `{mode}`.")];
        text.push_str(&model::source(compiled)?);
        text.push_str(&mathematics(compiled)?);
    }
    text.truncate(text.trim_end().len() + 1);
    Ok(text)
}

/// What is known about the model in each mode, and how modes change.
fn lines(modes: &MultiMode) -> Vec<String> {
    let mut lines = Vec::new();
    for (k, it) in modes.all().enumerate() {
        if k > 0 {
            lines.push(String::new());
        }
        let at_start = if k == 0 { " (at the start)" } else { "" };
        lines.push(format!("In the mode `{}`{at_start}:", it.name));
        lines.push(String::new());
        match it.compiled {
            Ok(compiled) => lines.extend(report_lines(compiled)),
            Err(rejected) => {
                let reasons = rejected.diagnostics.iter().map(|finding| format!("{}.", finding.message));
                lines.push("The model is not well-posed there, and a run that enters the mode ends.".into());
                lines.extend(reasons);
            }
        }
    }
    lines
}

/// The method for the model in the mode of this number.
fn in_mode(compiled: &Compiled, name: &str, number: usize) -> String {
    let fields = fields(&compiled.model.parameters, &compiled.prolonged.parameters);
    let of_fields = fields.iter().map(|field| format!("{0}: self.{0}", field.name));
    let of_inputs = compiled.needs.iter().map(|need| format!("{0}: self.{0}.clone()", need.input));
    let values: Vec<String> = of_fields.chain(of_inputs).collect();
    let fields = if values.is_empty() { "{}".to_string() } else { format!("{{ {} }}", values.join(", ")) };
    format!("    fn in_mode_{number}(&self) -> {name}Mode{number} {{\n        {name}Mode{number} {fields}\n    }}\n\n")
}

/// A mode as a vector.
fn numbers(mode: &[usize]) -> String {
    format!("::std::vec![{}]", mode.iter().map(usize::to_string).collect::<Vec<String>>().join(", "))
}

/// The method for the description of the modes.
fn description(modes: &MultiMode) -> String {
    let first = &modes.start;
    let variable = |it: &ModeVariable| {
        let alternatives: Vec<String> = it.alternatives.iter().map(|name| format!("Borrowed({name:?})")).collect();
        let alternatives = alternatives.join(", ");
        format!(
            "            ModeVariable {{ name: Borrowed({:?}), alternatives: Borrowed(&[{alternatives}]), is_complementary: {} }},\n",
            it.name, it.is_complementary
        )
    };
    let variables: String = first.compiled.model.events.modes.iter().map(variable).collect();
    format!(
        "    fn modes_description() -> ::dae::__private::ModesDescription {{\n        use ::dae::__private::*;\n        \
         const VARIABLES: &[ModeVariable] = &[\n{variables}        ];\n        \
         ModesDescription {{ variables: Borrowed(VARIABLES), start: {} }}\n    }}\n\n",
        numbers(&first.mode)
    )
}

/// The body of the method for a formulation in every mode.
fn formulation(modes: &MultiMode, method: &str) -> String {
    let boxed = |value: String| format!("::std::boxed::Box::new({value})");
    let mut text = format!(
        "        let start = {};\n        let mut modes = ::dae::__private::MultiModeForm::new(Self::modes_description(), start);\n",
        boxed(format!("self.in_mode_0().{method}()"))
    );
    for (k, it) in modes.all().enumerate().skip(1) {
        let mode = numbers(it.mode);
        text.push_str(&match it.obstacle() {
            None => format!("        modes.add({mode}, {});\n", boxed(format!("self.in_mode_{k}().{method}()"))),
            Some(obstacle) => format!("        modes.add_missing({mode}, {obstacle:?});\n"),
        });
    }
    text + "        modes\n"
}
