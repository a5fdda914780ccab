//! A formulation: the contract that integrators work on.
//!
//! In: a compiled formulation. Out: a struct that implements the contract.

use dae_runtime::contract::{Pattern, Switch};

use super::blended;
use super::body::{Labels, Outputs};
use super::external;
use super::first_integrals;
use super::items::{ALLOW, access, close, docs, form_type, prefix};
use super::method::{labels_of, method};
use super::names::Names;
use super::tables;
use super::unrolled_lu::unrolled_lu;
use crate::formulation::CompiledForm;
use crate::formulation::Source;
use crate::model::{Domain, Numbering, Torn};
use crate::pipeline::Compiled;
use crate::program::Program;
use crate::spelling::lines::{lines, shortened};

/// Parameters of a contract method at $(t, y, y')$.
const FULL: &str = "(&self, {t}: f64, {y}: &[f64], {yp}: &[f64], {out}: &mut [f64])";
/// Parameters of a contract method at $(t, y)$.
const SHORT: &str = "(&self, {t}: f64, {y}: &[f64], {out}: &mut [f64])";

/// Parameters of a contract method on Taylor models of $(t, y, y')$.
const MODELS: &str = "(
        &self,
        {t}: ::dae::__private::TaylorModel,
        {y}: &[::dae::__private::TaylorModel],
        {yp}: &[::dae::__private::TaylorModel],
        {out}: &mut [::dae::__private::TaylorModel],
    )";

/// The names wanted for the arguments.
fn slots(out: &str) -> [&str; 4] {
    ["time", "state", "rate", out]
}

pub(super) fn source(compiled: &Compiled, form: &CompiledForm) -> Result<String, Torn> {
    let mut text = declaration(compiled, form);
    let parameters: Vec<Domain> = compiled.model.parameters.iter().map(|p| p.domain.clone()).collect();
    text.push_str(&tables::description(form, &compiled.prolonged, &parameters, compiled.model.has_families())?);
    text.push_str("    fn parameters(&self) -> &[f64] {\n        &self.prolongation.parameters\n    }\n\n");
    text.push_str("    fn set_parameters(&mut self, values: &[f64]) {\n");
    text.push_str("        self.prolongation.parameters.copy_from_slice(values);\n    }\n\n");
    let states: Vec<String> = form.formulation.unknowns.iter().map(|u| u.name.clone()).collect();
    let rates = form.formulation.unknowns.iter().map(|u| u.rate.clone()).collect();
    let domains: Vec<Domain> = form.formulation.unknowns.iter().map(|u| u.domain.clone()).collect();
    let names = Names::new(compiled, states, rates, &domains, "prolongation.parameters")?;
    text.push_str(&residual_and_jacobians(form, &names)?);
    text.push_str(&invariants(form, &names)?);
    text.push_str(&switches(form, &names));
    text.push_str(&eliminated(form, &names)?);
    text.push_str(&unrolled_lu(compiled, form));
    text.push_str(&external::input_error(compiled));
    text.push_str(&access(form.program.first_integrals.is_some(), "first_integrals", "DeclaredIntegrals"));
    text.push_str(&access(form.program.blended.is_some(), "blended", "Blended"));
    text.push_str("    fn prolongation(&self) -> &dyn ::dae::__private::Prolongation {\n");
    text.push_str("        &self.prolongation\n    }\n\n");
    close(&mut text);
    text.push_str(&first_integrals::source(&compiled.model.name, form, &names)?);
    text.push_str(&blended::source(compiled, form, &names)?);
    Ok(text)
}

fn declaration(compiled: &Compiled, form: &CompiledForm) -> String {
    let model = &compiled.model;
    let (name, vis) = (&model.name, prefix(&model.visibility));
    let target = form_type(name, &form.form);
    let mut text = docs([format!("The {} form of [`{name}`]. {}", form.form, form.form.sentence())], "");
    text.push_str("///\n");
    let rows = form.formulation.equations.iter().map(|e| &e.domain).zip(&form.spelled);
    let rows = lines(rows.map(|(domain, row)| (Some(domain), row.as_str())));
    let row = |row: String| if compiled.model.has_families() { shortened(row) } else { row };
    text.push_str(&docs(rows.into_iter().map(|line| format!("* {}", row(line))), ""));
    text.push_str(&multipliers_doc(form));
    let eliminated: Vec<&str> = form.formulation.eliminated.iter().map(|it| it.name.as_str()).collect();
    if !eliminated.is_empty() {
        let line = format!("Eliminated, as they are equal to others or constant: {}.", eliminated.join(", "));
        text.push_str(&docs(["", line.as_str()], ""));
    }
    text.push_str(external::derive(compiled));
    text.push_str(ALLOW);
    text.push_str(&format!("{vis}struct {target} {{\n    prolongation: {name}Prolongation,\n}}\n\n"));
    text.push_str(ALLOW);
    let highest = form.formulation.unknowns.iter().map(|unknown| unknown.index).max().unwrap_or(1);
    text.push_str(&format!("impl ::dae::__private::Classified for {target} {{\n"));
    text.push_str(&format!("    type Class = ::dae::__private::Index<{highest}>;\n\n"));
    text.push_str("    fn as_dae(&self) -> &dyn ::dae::__private::Dae {\n        self\n    }\n}\n\n");
    text.push_str(ALLOW);
    text.push_str(&format!("impl ::dae::__private::Dae for {target} {{\n"));
    text
}

/// Documentation of the multipliers that the form introduces.
fn multipliers_doc(form: &CompiledForm) -> String {
    let introduced = form.formulation.unknowns.iter().filter_map(|u| match u.source {
        Source::Multiplier { row } => {
            let constraint = &form.formulation.equations[row].name;
            Some((&u.domain, format!("* {}: multiplier that enforces {constraint}, zero on solutions", u.name)))
        }
        Source::Jet { .. } | Source::Defined { .. } => None,
    });
    let introduced: Vec<(&Domain, String)> = introduced.collect();
    docs(lines(introduced.iter().map(|(domain, text)| (Some(*domain), text.as_str()))), "")
}

fn residual_and_jacobians(form: &CompiledForm, names: &Names) -> Result<String, Torn> {
    let (program, description) = (&form.program, &form.program.description);
    let equations = description.equations.iter().map(|e| e.name.to_string());
    let domains: Vec<Domain> = form.formulation.equations.iter().map(|e| e.domain.clone()).collect();
    let list = equations.zip(form.spelled.iter().cloned()).collect();
    let labels = Labels { list, places: Numbering::of(&domains)? };
    let residual = format!("residual{FULL}");
    let doc = docs(["F(t, y, y'), which is zero on solutions; y is `state`, y' is `rate`."], "    ");
    let mut text = method(names, &residual, &doc, &program.residual, slots("residual"), Outputs::Named(&labels));
    let row = |row: usize| labels_of(&labels, row);
    let unknowns = &form.formulation.unknowns;
    let state = |column: usize| unknowns[column].name.clone();
    let rate = |column: usize| unknowns[column].rate.clone();
    let parameter = |column: usize| description.parameters[column].to_string();
    let mut jacobian =
        |[name, what]: [&str; 2], pattern: &Pattern, program: &Program, column: &dyn Fn(usize) -> String| {
            let doc = tables::rows_doc(what, pattern, &domains, row, column);
            let rows = Outputs::Rows(&pattern.row_starts);
            text.push_str(&method(names, &format!("{name}{FULL}"), &doc, program, slots("values"), rows));
        };
    jacobian(["jacobian_y", "∂F/∂y"], &description.jacobian_y, &program.jacobian_y, &state);
    jacobian(["jacobian_yp", "∂F/∂y'"], &description.jacobian_yp, &program.jacobian_yp, &rate);
    jacobian(["jacobian_p", "∂F/∂p, by the parameters"], &description.jacobian_p, &program.jacobian_p, &parameter);
    let in_time = format!("jacobian_t{FULL}");
    let doc = docs(["∂F/∂t, with y and y' held."], "    ");
    Ok(text + &method(names, &in_time, &doc, &program.jacobian_t, slots("values"), Outputs::Array))
}

fn invariants(form: &CompiledForm, names: &Names) -> Result<String, Torn> {
    let (program, description) = (&form.program, &form.program.description);
    let domains: Vec<Domain> = form.formulation.invariants.iter().map(|i| i.domain.clone()).collect();
    let names_of = description.invariants.iter().map(|i| i.name.to_string());
    let list = names_of.zip(form.invariants_spelled.iter().cloned()).collect();
    let labels = Labels { list, places: Numbering::of(&domains)? };
    let values = format!("invariants{SHORT}");
    let doc = docs(["φ(t, y), which is zero on solutions: the constraints, stated and hidden."], "    ");
    let text = method(names, &values, &doc, &program.invariants, slots("values"), Outputs::Named(&labels));
    let pattern = &description.invariants_jacobian;
    let state = |column: usize| form.formulation.unknowns[column].name.clone();
    let doc = tables::rows_doc("∂φ/∂y", pattern, &domains, |row| labels_of(&labels, row), state);
    let jacobian = format!("invariants_jacobian{SHORT}");
    let rows = Outputs::Rows(&pattern.row_starts);
    Ok(text + &method(names, &jacobian, &doc, &program.invariants_jacobian, slots("values"), rows))
}

/// The methods for switches; empty where the equations are smooth, which is the default of the contract.
fn switches(form: &CompiledForm, names: &Names) -> String {
    let switches = &form.program.description.switches;
    if switches.is_empty() {
        return String::new();
    }
    let function = |name: &str, what: &str, program: &Program, is_listed: fn(&Switch) -> bool| {
        let all = form.program.switch_domains.iter().map(Some).zip(switches.iter());
        let listed = all.filter(|(_, switch)| is_listed(switch)).map(|(domain, switch)| (domain, &*switch.name));
        let doc = docs([what], "    ") + &docs(lines(listed), "    ");
        method(names, &format!("{name}{FULL}"), &doc, program, slots("values"), Outputs::Array)
    };
    let what = "Where one of these passes through zero, an equation changes its branch:";
    let mut text = function("switching_functions", what, &form.program.switches, |_| true);
    let doc = docs(["The same on Taylor models, along a part of a step."], "    ");
    let (head, models) = (format!("switch_enclosures{MODELS}"), names.for_enclosures());
    text.push_str(&method(&models, &head, &doc, &form.program.switches, slots("values"), Outputs::Array));
    let pattern = &form.program.description.switches_jacobian_p;
    if !pattern.is_empty() {
        let function = |row: usize| switches[row].name.to_string();
        let parameter = |column: usize| form.program.description.parameters[column].to_string();
        let domains = &form.program.switch_domains;
        let doc = tables::rows_doc("These by the parameters", pattern, domains, function, parameter);
        let rows = Outputs::Rows(&pattern.row_starts);
        let head = format!("switches_jacobian_p{FULL}");
        text.push_str(&method(names, &head, &doc, &form.program.switches_jacobian_p, slots("values"), rows));
    }
    if switches.iter().any(Switch::is_watched) {
        let what = "Where an equation jumps as unknowns change, for which every step looks:";
        text.push_str(&function("watched_functions", what, &form.program.watched, Switch::is_watched));
    }
    text
}

/// The methods for eliminated unknowns; empty where there are none, which is the default of the contract.
fn eliminated(form: &CompiledForm, names: &Names) -> Result<String, Torn> {
    let eliminated = &form.program.description.eliminated;
    if eliminated.is_empty() {
        return Ok(String::new());
    }
    let doc = docs(["What the form does not solve for, from the state:"], "    ");
    let names_of = eliminated.iter().map(|it| it.name.to_string());
    let list: Vec<(String, String)> = names_of.zip(form.eliminated_spelled.iter().cloned()).collect();
    let places = Numbering::of(&vec![Domain::scalar(); list.len()])?;
    let labels = Labels { list, places };
    let signature = format!("eliminated{SHORT}");
    Ok(method(names, &signature, &doc, &form.program.eliminated, slots("values"), Outputs::Named(&labels)))
}
