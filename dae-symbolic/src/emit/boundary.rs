//! Boundary conditions.
//!
//! In: a compiled model. Out: the contract by which the runtime evaluates them, implemented by the prolongation; nothing
//! for a model without any.

use super::body::{Labels, Outputs};
use super::items::{ALLOW, close, docs};
use super::method::method;
use super::names::Names;
use super::tables;
use crate::model::{Domain, Numbering, Torn};
use crate::pipeline::Compiled;
use crate::program::Program;
use dae_runtime::contract::{Pattern, Point};

/// Names wanted for the arguments of methods.
const SLOTS: [&str; 4] = ["time", "jets", "times", "values"];

/// The implementation of the contract; empty if there are none.
pub(super) fn source(compiled: &Compiled) -> Result<String, Torn> {
    let Some(program) = &compiled.prolonged.boundary else { return Ok(String::new()) };
    let (d, model) = (&program.description, &compiled.model);
    let mut text = format!("{ALLOW}impl ::dae::__private::Boundary for {}Prolongation {{\n", model.name);
    text.push_str(&tables::boundary(d));
    let times: Vec<String> = d.points.iter().enumerate().map(time).collect();
    let jets = &compiled.prolonged.description.jets;
    let values: Vec<String> =
        times.iter().flat_map(|time| jets.iter().map(move |jet| format!("{} at {time}", jet.name))).collect();
    let states = vec![Domain::scalar(); values.len()];
    let names = Names::new(compiled, values.clone(), times.clone(), &states, "jets")?;
    let mut add = |head: &str, doc: &str, program: &Program, outputs: Outputs<'_>| {
        text.push_str(&method(&names, head, doc, program, SLOTS, outputs));
    };
    if !program.interior.blocks.iter().all(|block| block.outputs.is_empty()) {
        let doc = docs(["The times between the ends."], "    ");
        add("interior_points(&self, {out}: &mut [f64])", &doc, &program.interior, Outputs::Array);
    }
    let of_conditions = vec![Domain::scalar(); d.conditions.len()];
    let list = compiled.boundary.iter().flat_map(|it| it.spelled(model)).enumerate();
    let list = list.map(|(k, spelled)| (format!("condition {}", k + 1), spelled)).collect();
    let labels = Labels { list, places: Numbering::of(&of_conditions)? };
    let doc = docs(["B(t0, …, t_end, X at each of them) = 0: the boundary conditions."], "    ");
    let arguments = "(&self, {yp}: &[f64], {y}: &[f64], {out}: &mut [f64])";
    add(&format!("boundary_residual{arguments}"), &doc, &program.residual, Outputs::Named(&labels));
    let condition = |row: usize| d.conditions[row].to_string();
    let mut jacobian =
        |name: &str, what: &str, pattern: &Pattern, program: &Program, column: &dyn Fn(usize) -> String| {
            let doc = tables::rows_doc(what, pattern, &of_conditions, condition, column);
            add(&format!("{name}{arguments}"), &doc, program, Outputs::Rows(&pattern.row_starts));
        };
    jacobian("boundary_jacobian", "∂B/∂X", &d.jacobian, &program.jacobian, &|column| values[column].clone());
    let parameter = |column: usize| model.parameters[column].name.clone();
    jacobian("boundary_jacobian_p", "∂B/∂p", &d.jacobian_p, &program.jacobian_p, &parameter);
    jacobian("boundary_jacobian_t", "∂B/∂t", &d.jacobian_t, &program.jacobian_t, &|column| times[column].clone());
    text.push_str(
        "    fn boundary_guess(&self, _ends: [f64; 2], time: f64, jets: &mut [f64]) {\n        \
         ::dae::__private::Prolongation::start_values(self, time, jets);\n    }\n\n",
    );
    if program.ends.is_some() {
        text.push_str(
            "    fn default_ends(&self) -> ::core::option::Option<[f64; 2]> {\n        \
             let mut ends = [0.0; 2];\n        self.ends(&mut ends);\n        \
             ::core::option::Option::Some(ends)\n    }\n\n",
        );
    }
    close(&mut text);
    if let Some(ends) = &program.ends {
        text.push_str(&format!("{ALLOW}impl {}Prolongation {{\n", model.name));
        let doc = docs(["t0 and t_end."], "    ");
        let head = "ends(&self, {out}: &mut [f64])";
        text.push_str(&method(&names, head, &doc, ends, SLOTS, Outputs::Array));
        close(&mut text);
    }
    Ok(text)
}

/// The name of the time of a point.
fn time((number, point): (usize, &Point)) -> String {
    match point {
        Point::Start => "t0".into(),
        Point::Interior(_) => format!("t{number}"),
        Point::End => "t_end".into(),
    }
}
