//! A stub for a model that has errors.
//!
//! In: what is known of the model. Out: Rust text with the same types, fields and methods and no mathematics, so that
//! the rest of the crate is compiled against it and the only errors the user sees are those of the model.

use std::collections::BTreeMap;

use super::external::{SHARED, constructor_of};
use super::fields::type_of;
use super::items::{ALLOW, DERIVE, docs, form_type, prefix};
use super::model::default_impl;
use super::{lie_group, unknowns};
use crate::lower::Stub;

/// The Rust source of the stub.
pub fn emit_stub(stub: &Stub) -> String {
    let (name, vis) = (&stub.name.text, prefix(&stub.visibility));
    let mut text =
        docs(["Stub for a model that has errors."], "") + if stub.inputs.is_empty() { DERIVE } else { SHARED } + ALLOW;
    text.push_str(&format!("{vis}struct {name} {{\n"));
    for parameter in &stub.parameters {
        let of = type_of(stub.extents(&parameter.text));
        text.push_str(&format!("    /// Parameter.\n    {vis}{}: {of},\n", parameter.text));
    }
    for input in &stub.inputs {
        text.push_str(&format!("    /// Input.\n    {vis}{}: ::dae::__private::Input,\n", input.text));
    }
    text.push_str("}\n\n");
    let zero = |p: &str| stub.extents(p).iter().rev().fold("0.0".to_string(), |inner, n| format!("[{inner}; {n}]"));
    let defaults: Vec<String> = stub.parameters.iter().map(|p| format!("{}: {}", p.text, zero(&p.text))).collect();
    if stub.inputs.is_empty() {
        text.push_str(&default_impl(name, "", &defaults));
    }
    text.push_str(&format!("{ALLOW}impl {name} {{\n"));
    if !stub.inputs.is_empty() {
        let inputs: Vec<&str> = stub.inputs.iter().map(|input| input.text.as_str()).collect();
        text.push_str(&constructor_of(&stub.visibility, &inputs, "", &defaults));
    }
    text.push_str("    /// Nothing is known.\n");
    text.push_str(&format!("    {vis}const REPORT: &'static str = \"\";\n\n"));
    let mut aliases = String::new();
    // A text may ask for the same form twice, which is reported elsewhere.
    let forms: BTreeMap<String, String> =
        stub.forms.iter().map(|form| (form.identifier(), form_type(name, form))).collect();
    for (method, target) in forms.into_iter().chain([("prolongation".to_string(), format!("{name}Prolongation"))]) {
        text.push_str(&format!("    /// Stub.\n    #[must_use]\n    {vis}fn {method}(&self) -> {target} {{\n"));
        text.push_str("        ::dae::__private::Rejected\n    }\n\n");
        aliases.push_str(&format!("/// Stub.\n{ALLOW}{vis}type {target} = ::dae::__private::Rejected;\n"));
    }
    text.truncate(text.trim_end().len());
    // The methods depend on the number of indices only, not on the extents.
    let extents: Vec<(&str, Vec<usize>)> =
        stub.unknowns.iter().map(|(name, indices)| (name.text.as_str(), vec![0; *indices])).collect();
    let unknown = |(name, extents)| unknowns::Unknown { name, docs: &[], extents };
    let unknowns: Vec<_> = extents.iter().map(|(name, extents)| unknown((*name, &extents[..]))).collect();
    text + "\n}\n\n" + &unknowns::source(name, &stub.visibility, &unknowns) + &aliases + &on_group(stub)
}

/// The equation on a Lie group of a model with one matrix on one, if its shape is known.
fn on_group(stub: &Stub) -> String {
    let [(_, space, extents)] = stub.matrices.as_slice() else { return String::new() };
    let (rows, columns) = match *extents.as_slice() {
        [rows] => (rows, 1),
        [rows, columns] => (rows, columns),
        _ => return String::new(),
    };
    lie_group::stub(&stub.name.text, &stub.visibility, *space, rows, columns)
}
