//! Rust source of a compiled model.
//!
//! In: a [`Compiled`] model. Out: formatted Rust text that depends on the crate `dae` alone. The macro hands its tokens to the
//! compiler, a build script writes it to a file, `dae expand` prints it; the text is a pure function of the model.
//!
//! The text has one public struct for the model (fields are parameters), a struct per formulation that fulfils the runtime's `Dae`
//! contract, and one for the prolongation. Statements carry the mathematics they compute as doc comments, which
//! survive macro expansion where ordinary comments would not.

mod body;
mod names;
#[cfg(feature = "syntax")]
mod stub;
mod tables;

use dae_runtime::contract::Pattern;

use crate::compile::{Compiled, CompiledForm};
use crate::formulation::{Form, StateSource};
use crate::program::{Load, Program};
use crate::prolong::Prolonged;
use body::{Body, Outputs};
use names::{Names, identifier};
#[cfg(feature = "syntax")]
pub use stub::emit_stub;

/// Lints that straight-line numeric code with the names of the user, all of it public or none, would trip.
const ALLOW: &str = "#[allow(non_snake_case, non_camel_case_types, dead_code, unused_variables, unused_doc_comments)]\n\
    #[allow(clippy::all, clippy::pedantic, clippy::nursery)]\n";

const DERIVE: &str = "#[derive(Clone, Copy, Debug, PartialEq)]\n";

/// The Rust source of the model with all its formulations.
pub fn emit(compiled: &Compiled) -> String {
    let mut text = model_struct(compiled);
    text.push_str(&prolongation(compiled));
    for form in &compiled.forms {
        text.push_str(&formulation(compiled, form));
    }
    text.truncate(text.trim_end().len() + 1);
    text
}

/// The Rust source of one formulation, with the model and its prolongation.
pub fn emit_form(compiled: &Compiled, form: Form) -> Option<String> {
    let chosen = compiled.forms.iter().find(|f| f.form == form)?;
    let own = formulation(compiled, chosen);
    Some(model_struct(compiled) + &prolongation(compiled) + &own)
}

fn docs(lines: impl IntoIterator<Item = impl AsRef<str>>, indent: &str) -> String {
    let lines = lines.into_iter();
    lines
        .map(|line| format!("{indent}///{}{}\n", if line.as_ref().is_empty() { "" } else { " " }, line.as_ref()))
        .collect()
}

/// A visibility with the space after it, if there is one.
fn prefix(visibility: &str) -> String {
    if visibility.is_empty() { String::new() } else { format!("{visibility} ") }
}

/// `PendulumGgl`: the struct of a formulation.
fn form_type(model: &str, form: Form) -> String {
    let suffix = match form {
        Form::Original => "Original",
        Form::Index1 => "Index1",
        Form::Index2 => "Index2",
        Form::Ggl => "Ggl",
    };
    format!("{model}{suffix}")
}

fn model_struct(compiled: &Compiled) -> String {
    let model = &compiled.model;
    let (name, vis) = (&model.name, prefix(&model.visibility));
    let mut text = docs(&model.docs, "");
    if !model.docs.is_empty() {
        text.push_str("///\n");
    }
    text.push_str(&docs(report_lines(compiled), ""));
    text.push_str(DERIVE);
    text.push_str(ALLOW);
    text.push_str(&format!("{vis}struct {name} {{\n"));
    for (parameter, value) in model.parameters.iter().zip(&compiled.prolonged.parameters) {
        let default = format!("Parameter, {value:?} by default.");
        let lines = if parameter.docs.is_empty() { std::slice::from_ref(&default) } else { &parameter.docs[..] };
        text.push_str(&docs(lines, "    "));
        text.push_str(&format!("    {vis}{}: f64,\n", parameter.name));
    }
    text.push_str("}\n\n");
    let defaults = model.parameters.iter().zip(&compiled.prolonged.parameters);
    text.push_str(&default_impl(name, defaults.map(|(p, value)| format!("{}: {value:?}", p.name))));
    text.push_str(&format!("{ALLOW}impl {name} {{\n"));
    text.push_str(&report(compiled));
    for form in &compiled.forms {
        let (method, target) = (form.form.name(), form_type(name, form.form));
        text.push_str(&docs([form_doc(form.form)], "    "));
        text.push_str("    #[must_use]\n");
        text.push_str(&format!("    {vis}fn {method}(&self) -> {target} {{\n"));
        text.push_str(&format!("        {target} {{ prolongation: self.prolongation() }}\n    }}\n\n"));
    }
    let values: Vec<String> = model.parameters.iter().map(|p| format!("self.{}", p.name)).collect();
    text.push_str(&docs(["The model with the derivatives of its equations, for consistent initial values."], "    "));
    text.push_str("    #[must_use]\n");
    text.push_str(&format!("    {vis}fn prolongation(&self) -> {name}Prolongation {{\n"));
    text.push_str(&format!("        {name}Prolongation {{ parameters: [{}] }}\n    }}\n}}\n\n", values.join(", ")));
    text
}

fn default_impl(name: &str, fields: impl Iterator<Item = String>) -> String {
    let fields: Vec<String> = fields.collect();
    let text = format!("impl ::core::default::Default for {name} {{\n    fn default() -> Self {{\n");
    let value = if fields.is_empty() { "Self {}".to_string() } else { format!("Self {{ {} }}", fields.join(", ")) };
    text + &format!("        {value}\n    }}\n}}\n\n")
}

/// What the documentation says about the model, as a constant to print.
fn report(compiled: &Compiled) -> String {
    let lines: String =
        report_lines(compiled).iter().map(|line| format!("        {:?},\n", format!("{line}\n"))).collect();
    let vis = prefix(&compiled.model.visibility);
    let doc = docs(["Index, degrees of freedom and hidden constraints, as in the documentation of this type."], "    ");
    format!("{doc}    {vis}const REPORT: &'static str = ::core::concat!(\n{lines}    );\n\n")
}

/// The summary, and why some formulations are missing.
fn report_lines(compiled: &Compiled) -> Vec<String> {
    let mut lines = compiled.summary.clone();
    for missing in &compiled.unavailable {
        lines.push(String::new());
        lines.push(format!("There is no {} form: {}.", missing.form.name(), missing.message));
    }
    lines
}

fn form_doc(form: Form) -> &'static str {
    match form {
        Form::Original => "The system as written.",
        Form::Index1 => "Constraints differentiated until the index is 1; lower constraints are invariants that drift.",
        Form::Index2 => "Constraints differentiated until the index is 2.",
        Form::Ggl => "Index 2 with all constraints enforced (Gear, Gupta and Leimkuhler).",
    }
}

fn prolongation(compiled: &Compiled) -> String {
    let model = &compiled.model;
    let prolonged = &compiled.prolonged;
    let (name, vis, count) = (&model.name, prefix(&model.visibility), model.parameters.len());
    let mut text =
        docs([format!("The equations of [`{name}`] with their derivatives, in the derivatives of its unknowns.")], "");
    text.push_str(DERIVE);
    text.push_str(ALLOW);
    text.push_str(&format!("{vis}struct {name}Prolongation {{\n    parameters: [f64; {count}],\n}}\n\n"));
    text.push_str(ALLOW);
    text.push_str(&format!("impl ::dae::__private::Prolongation for {name}Prolongation {{\n"));
    text.push_str(&tables::prolongation(&prolonged.description));
    let jets: Vec<String> = prolonged.description.jets.iter().map(|jet| identifier(&jet.name)).collect();
    let names = Names::new(compiled, jets, Vec::new(), "jets");
    let slots = ["time", "jets", "", "values"];
    text.push_str(&method(
        &names,
        "start_values(&self, {t}: f64, {out}: &mut [f64])",
        "",
        &prolonged.start,
        slots,
        Outputs::Array,
    ));
    let labels: Vec<(String, String)> = equation_labels(prolonged, compiled);
    text.push_str(&method(
        &names,
        "prolonged_residual(&self, {t}: f64, {y}: &[f64], {out}: &mut [f64])",
        "",
        &prolonged.residual,
        ["time", "jets", "", "residual"],
        Outputs::Named(&labels),
    ));
    let rows = tables::rows_doc(
        &prolonged.description.jacobian,
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
    text
}

/// Ends an `impl` whose last method left an empty line.
fn close(text: &mut String) {
    text.truncate(text.trim_end().len());
    text.push_str("\n}\n\n");
}

fn labels_of(labels: &[(String, String)], row: usize) -> String {
    labels.get(row).map_or_else(String::new, |(name, _)| name.clone())
}

fn equation_labels(prolonged: &Prolonged, compiled: &Compiled) -> Vec<(String, String)> {
    let names = prolonged.description.equations.iter().map(|e| e.name.to_string());
    names.zip(&compiled.prolonged_spelled).map(|(name, text)| (name, text.clone())).collect()
}

/// A contract method that runs a program. In the signature `{t}`, `{y}`, `{yp}`, `{out}` stand for names that the model
/// does not use; `slots` are the names wanted for them.
fn method(
    names: &Names,
    signature: &str,
    doc: &str,
    program: &Program,
    slots: [&str; 4],
    outputs: Outputs<'_>,
) -> String {
    let mut body = Body::new(names, program);
    let slots = slots.map(|slot| body.reserve(slot));
    let mut signature = signature.to_string();
    for (key, slot) in ["{t}", "{y}", "{yp}", "{out}"].iter().zip(&slots) {
        signature = signature.replace(key, slot);
    }
    let code = body.finish(&slots, outputs);
    format!("{doc}    fn {signature} {{\n{code}    }}\n\n")
}

fn formulation(compiled: &Compiled, compiled_form: &CompiledForm) -> String {
    let CompiledForm { form, formulation, program, spelled } = compiled_form;
    let form = *form;
    let model = &compiled.model;
    let (name, vis) = (&model.name, prefix(&model.visibility));
    let target = form_type(name, form);
    let description = &program.description;
    let mut text = docs([format!("The {} form of [`{name}`]. {}", form.name(), form_doc(form))], "");
    text.push_str("///\n");
    text.push_str(&docs(spelled.iter().map(|row| format!("* {row}")), ""));
    text.push_str(DERIVE);
    text.push_str(ALLOW);
    text.push_str(&format!("{vis}struct {target} {{\n    prolongation: {name}Prolongation,\n}}\n\n"));
    text.push_str(ALLOW);
    text.push_str(&format!("impl ::dae::__private::Dae for {target} {{\n"));
    text.push_str(&tables::description(description));
    text.push_str("    fn parameters(&self) -> &[f64] {\n        &self.prolongation.parameters\n    }\n\n");
    text.push_str("    fn set_parameters(&mut self, values: &[f64]) {\n");
    text.push_str("        self.prolongation.parameters.copy_from_slice(values);\n    }\n\n");
    let states: Vec<String> = description.unknowns.iter().map(|u| identifier(&u.name)).collect();
    let rates = formulation.unknowns.iter().map(|u| identifier(&u.rate)).collect();
    let names = Names::new(compiled, states, rates, "prolongation.parameters");
    let full = "(&self, {t}: f64, {y}: &[f64], {yp}: &[f64], {out}: &mut [f64])";
    let short = "(&self, {t}: f64, {y}: &[f64], {out}: &mut [f64])";
    let into = |out| ["time", "state", "rate", out];
    let equations = description.equations.iter().map(|e| e.name.to_string());
    let labels: Vec<(String, String)> = equations.zip(spelled).map(|(e, s)| (e, s.clone())).collect();
    let residual = format!("residual{full}");
    text.push_str(&method(&names, &residual, "", &program.residual, into("residual"), Outputs::Named(&labels)));
    let row = |row: usize| labels_of(&labels, row);
    let column = |column: usize| description.unknowns[column].name.to_string();
    let rate = |column: usize| formulation.unknowns[column].rate.clone();
    let parameter = |column: usize| description.parameters[column].to_string();
    let mut jacobian = |name: &str, pattern: &Pattern, program: &Program, column: &dyn Fn(usize) -> String| {
        let doc = tables::rows_doc(pattern, row, column);
        let rows = Outputs::Rows(&pattern.row_starts);
        text.push_str(&method(&names, &format!("{name}{full}"), &doc, program, into("values"), rows));
    };
    jacobian("jacobian_y", &description.jacobian_y, &program.jacobian_y, &column);
    jacobian("jacobian_yp", &description.jacobian_yp, &program.jacobian_yp, &rate);
    jacobian("jacobian_p", &description.jacobian_p, &program.jacobian_p, &parameter);
    let in_time = format!("jacobian_t{full}");
    text.push_str(&method(&names, &in_time, "", &program.jacobian_t, into("values"), Outputs::Array));
    let invariants: Vec<(String, String)> =
        description.invariants.iter().map(|i| (i.name.to_string(), String::new())).collect();
    let values = format!("invariants{short}");
    text.push_str(&method(&names, &values, "", &program.invariants, into("values"), Outputs::Named(&invariants)));
    let pattern = &description.invariants_jacobian;
    let doc = tables::rows_doc(pattern, |row| labels_of(&invariants, row), column);
    let jacobian = format!("invariants_jacobian{short}");
    let rows = Outputs::Rows(&pattern.row_starts);
    text.push_str(&method(&names, &jacobian, &doc, &program.invariants_jacobian, into("values"), rows));
    text.push_str(
        "    fn prolongation(&self) -> &dyn ::dae::__private::Prolongation {\n        &self.prolongation\n    }\n\n",
    );
    text.push_str(&states_from_jets(&program.states));
    close(&mut text);
    text
}

fn states_from_jets(states: &[StateSource]) -> String {
    let list = |pick: fn(&StateSource) -> Option<usize>| -> String {
        let entries = states.iter().map(|s| pick(s).map_or("0.0".to_string(), |jet| format!("jets[{jet}]")));
        entries.collect::<Vec<_>>().join(", ")
    };
    let (values, rates) = (list(|s| s.value), list(|s| s.rate));
    let values = format!("        y.copy_from_slice(&[{values}]);\n        yp.copy_from_slice(&[{rates}]);\n");
    format!(
        "    fn states_from_jets(&self, _time: f64, jets: &[f64], y: &mut [f64], yp: &mut [f64]) {{\n{values}    }}\n"
    )
}

/// The identifier under which a value from outside is known inside a method.
fn load_name(names: &Names, load: Load) -> String {
    match load {
        Load::Time => names.time.clone(),
        Load::Parameter(i) => names.parameters[i].clone(),
        Load::Y(i) => names.states[i].clone(),
        Load::Yp(i) => names.rates[i].clone(),
    }
}
