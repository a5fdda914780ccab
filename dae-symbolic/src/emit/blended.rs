//! The equations of a formulation between the sides of surfaces.
//!
//! In: a compiled formulation. Out: the contract by which solutions slide along surfaces; nothing for a formulation
//! without such surfaces.

use super::body::Outputs;
use super::items::{ALLOW, close, docs, form_type};
use super::method::method;
use super::names::Names;
use super::tables;
use crate::formulation::{BlendedProgram, CompiledForm};
use crate::model::{Domain, Torn};
use crate::pipeline::Compiled;
use crate::spelling::lines::lines;

/// Parameters of a contract method at $(t, (y, s), y')$.
const FULL: &str = "(&self, {t}: f64, {y}: &[f64], {yp}: &[f64], {out}: &mut [f64])";
/// Parameters of a contract method at $(t, y)$.
const SHORT: &str = "(&self, {t}: f64, {y}: &[f64], {out}: &mut [f64])";
/// The names wanted for the arguments.
const SLOTS: [&str; 4] = ["time", "state", "rate", "values"];

/// The implementation of the contract; empty if there are none. `without` are the names of a method without weights.
pub(super) fn source(compiled: &Compiled, form: &CompiledForm, without: &Names) -> Result<String, Torn> {
    let Some(program) = &form.program.blended else { return Ok(String::new()) };
    let unknowns = &form.formulation.unknowns;
    let states: Vec<String> = unknowns.iter().map(|u| u.name.clone()).chain(weights(&program.domains)).collect();
    let rates: Vec<String> = unknowns.iter().map(|u| u.rate.clone()).collect();
    let domains: Vec<Domain> = unknowns.iter().map(|u| u.domain.clone()).chain(program.domains.clone()).collect();
    let names = &Names::new(compiled, states.clone(), rates.clone(), &domains, "prolongation.parameters")?;
    let mut text =
        format!("{ALLOW}impl ::dae::__private::Blended for {} {{\n", form_type(&compiled.model.name, &form.form));
    text.push_str(&tables::blended(form, program, &domains, compiled.model.has_families())?);
    text.push_str(&equations(form, program, names, [&states, &rates]));
    text.push_str(&surfaces(form, program, without, &states));
    close(&mut text);
    Ok(text)
}

fn equations(form: &CompiledForm, program: &BlendedProgram, names: &Names, [states, rates]: [&[String]; 2]) -> String {
    let domains: Vec<Domain> = form.formulation.equations.iter().map(|e| e.domain.clone()).collect();
    let row = |row: usize| form.program.description.equations[row].name.to_string();
    let doc = "F between the sides of surfaces, with weights 0 where they are negative, and 1 where they are positive;";
    let doc = docs([doc, "y and after it the weights are `state`, y' is `rate`."], "    ");
    let head = format!("blended_residual{FULL}");
    let mut text = method(names, &head, &doc, &program.residual, SLOTS, Outputs::Array);
    let description = &program.description;
    let doc =
        tables::rows_doc("This by y and the weights", &description.jacobian_y, &domains, row, |k| states[k].clone());
    let (head, rows) = (format!("blended_jacobian_y{FULL}"), Outputs::Rows(&description.jacobian_y.row_starts));
    text.push_str(&method(names, &head, &doc, &program.jacobian_y, SLOTS, rows));
    let doc = tables::rows_doc("This by y'", &description.jacobian_yp, &domains, row, |k| rates[k].clone());
    let (head, rows) = (format!("blended_jacobian_yp{FULL}"), Outputs::Rows(&description.jacobian_yp.row_starts));
    text.push_str(&method(names, &head, &doc, &program.jacobian_yp, SLOTS, rows));
    let (head, doc) = (format!("blended_jacobian_t{FULL}"), docs(["This by the time."], "    "));
    text + &method(names, &head, &doc, &program.jacobian_t, SLOTS, Outputs::Array)
}

fn surfaces(form: &CompiledForm, program: &BlendedProgram, names: &Names, states: &[String]) -> String {
    let (description, domains) = (&program.description, &program.domains);
    let switch = |k: usize| form.program.description.switches[description.surfaces[k]].name.to_string();
    let listed: Vec<(&Domain, String)> = domains.iter().zip((0..domains.len()).map(switch)).collect();
    let listed = lines(listed.iter().map(|(domain, name)| (Some(*domain), name.as_str())));
    let doc = docs(["Solutions may slide along surfaces where one of these is zero:"], "    ") + &docs(listed, "    ");
    let mut text = method(names, &format!("surfaces{SHORT}"), &doc, &program.surfaces, SLOTS, Outputs::Array);
    let pattern = &description.surfaces_jacobian;
    let doc = tables::rows_doc("These by y", pattern, domains, switch, |k| states[k].clone());
    let (head, rows) = (format!("surfaces_jacobian{SHORT}"), Outputs::Rows(&pattern.row_starts));
    text.push_str(&method(names, &head, &doc, &program.surfaces_jacobian, SLOTS, rows));
    let (head, doc) = (format!("surfaces_jacobian_t{SHORT}"), docs(["These by the time, with y held."], "    "));
    text + &method(names, &head, &doc, &program.surfaces_jacobian_t, SLOTS, Outputs::Array)
}

/// Names of the weights: `weight_1`, …; those of a family have its number and the indices, `weight_of_2_1[17]`.
fn weights(domains: &[Domain]) -> Vec<String> {
    let name = |(k, domain): (usize, &Domain)| match domain.member.as_deref() {
        Some(member) if !member.indices.is_empty() => {
            let indices: String = member.indices.iter().map(|index| format!("[{index}]")).collect();
            let before = domains[..k].iter().rev().take_while(|it| it.member == domain.member).count();
            format!("weight_of_{}_{}{indices}", member.family, before + 1)
        }
        Some(_) | None => format!("weight_{}", k + 1),
    };
    domains.iter().enumerate().map(name).collect()
}
