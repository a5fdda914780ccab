//! A model on a Lie group as an equation for the runtime's methods on groups.
//!
//! In: a compiled model whose unknowns are one matrix on a group. Out: a type that implements `lie::Equation`, and
//! `lie::LinearEquation` where $A$ is proved not to depend on $Y$. The items stand in a macro of the runtime that
//! leaves them out without its feature `lie`, so that the text is the same with all features.

use super::body::Outputs;
use super::external;
use super::items::{ALLOW, docs, prefix};
use super::method::method;
use super::names::Names;
use crate::formulation::LieProgram;
use crate::model::{Domain, Space, Torn};
use crate::pipeline::Compiled;

/// The head of a model's type, and the shape of its matrix.
struct Head<'a> {
    model: &'a str,
    visibility: String,
    space: Space,
    rows: usize,
    columns: usize,
}

impl Head<'_> {
    fn target(&self) -> String {
        format!("{}LieEquation", self.model)
    }

    fn matrix(&self) -> String {
        format!("::dae::__private::lie::Matrix<{}, {}>", self.rows, self.columns)
    }

    fn generator(&self) -> String {
        format!("::dae::__private::lie::Matrix<{0}, {0}>", self.rows)
    }

    /// Methods for the manifold and the start value, whose expression is given.
    fn space_and_start(&self, start: &str) -> String {
        let Head { space, visibility: vis, rows, columns, .. } = self;
        let space_type = format!("::dae::__private::lie::{}", space.type_name());
        let name = space.name(*rows, *columns);
        docs([format!("{name}, on which the solutions stay.")], "    ")
            + &format!("    #[must_use]\n    {vis}fn space(&self) -> {space_type} {{\n        {space_type}\n    }}\n\n")
            + &docs(["The start value, from the parameters."], "    ")
            + &format!("    #[must_use]\n    {vis}fn start(&self) -> {} {{\n        {start}\n    }}\n\n", self.matrix())
    }

    /// The implementation of the runtime's trait, with the expression of $A$.
    fn equation(&self, coefficient: &str) -> String {
        format!(
            "{ALLOW}impl ::dae::__private::lie::Equation<{}, {}> for {} {{\n    \
             fn coefficient(&self, t: f64, y: &{}) -> {} {{\n        {coefficient}\n    }}\n}}\n\n",
            self.rows,
            self.columns,
            self.target(),
            self.matrix(),
            self.generator()
        )
    }

    fn linear(&self) -> String {
        let (rows, columns) = (self.rows, self.columns);
        format!("impl ::dae::__private::lie::LinearEquation<{rows}, {columns}> for {} {{}}\n\n", self.target())
    }

    /// The method of the model, whose value is given.
    fn method(&self, doc: &str, value: &str) -> String {
        let (model, vis, target) = (self.model, &self.visibility, self.target());
        format!("{ALLOW}impl {model} {{\n")
            + &docs([doc], "    ")
            + &format!("    #[must_use]\n    {vis}fn lie_equation(&self) -> {target} {{\n        {value}\n    }}\n}}\n")
    }
}

/// Items that exist only with the runtime's feature.
fn with_feature(items: &str) -> String {
    format!("::dae::__private::with_lie! {{\n{}\n}}\n\n", items.trim_end())
}

pub(super) fn source(compiled: &Compiled) -> Result<String, Torn> {
    let Some(lie) = &compiled.lie else { return Ok(String::new()) };
    let (model, group) = (&compiled.model, &lie.group);
    let head = Head {
        model: &model.name,
        visibility: prefix(&model.visibility),
        space: group.space,
        rows: group.rows,
        columns: group.columns,
    };
    let (target, vis) = (head.target(), &head.visibility);
    let doc = format!(
        "The equation {} of [`{}`] on {}, with A in {}.",
        group.equation(),
        model.name,
        group.space_name(),
        group.algebra_name()
    );
    let mut text = docs([doc], "");
    text.push_str(external::derive(compiled));
    text.push_str(ALLOW);
    text.push_str(&format!("{vis}struct {target} {{\n    prolongation: {}Prolongation,\n}}\n\n", model.name));
    text.push_str(&format!("{ALLOW}impl {target} {{\n"));
    text.push_str(&head.space_and_start("::dae::__private::lie::by_rows(|values| self.start_by_rows(values))"));
    text.push_str(&programs(compiled, lie)?);
    text.truncate(text.trim_end().len());
    text.push_str("\n}\n\n");
    let coefficient =
        "::dae::__private::lie::by_rows(|values| self.generator_by_rows(t, y.transpose().as_slice(), values))";
    text.push_str(&head.equation(coefficient));
    if group.is_linear {
        text.push_str(&head.linear());
    }
    let methods = if group.is_linear { "any method on groups" } else { "methods on groups that allow for A(t, Y)" };
    let doc = format!("{} on {}, for {methods}.", group.equation(), group.space_name());
    text.push_str(&head.method(&doc, &format!("{target} {{ prolongation: self.prolongation() }}")));
    Ok(with_feature(&text))
}

fn programs(compiled: &Compiled, lie: &LieProgram) -> Result<String, Torn> {
    let unknowns = &compiled.model.unknowns;
    let entries = || lie.group.matrix.iter().filter_map(|unknown| unknowns.get(unknown.index()));
    let states: Vec<String> = entries().map(|unknown| unknown.name.clone()).collect();
    let domains: Vec<Domain> = entries().map(|unknown| unknown.domain.clone()).collect();
    let names = Names::new(compiled, states, Vec::new(), &domains, "prolongation.parameters")?;
    let slots = ["time", "matrix", "", "values"];
    let rows: Vec<usize> = (0..=lie.group.rows).map(|row| row * lie.group.rows).collect();
    let head = "generator_by_rows(&self, {t}: f64, {y}: &[f64], {out}: &mut [f64])";
    let doc = docs(["A(t, Y), row by row, with the entries of Y in the same order."], "    ");
    let text = method(&names, head, &doc, &lie.generator, slots, Outputs::Rows(&rows));
    let doc = docs(["Y at the start, row by row."], "    ");
    let start = method(&names, "start_by_rows(&self, {out}: &mut [f64])", &doc, &lie.start, slots, Outputs::Array);
    Ok(text + &start)
}

/// The same items without mathematics, for the stub of a model that has errors.
#[cfg(feature = "syntax")]
pub(super) fn stub(model: &str, visibility: &str, space: Space, rows: usize, columns: usize) -> String {
    let head = Head { model, visibility: prefix(visibility), space, rows, columns };
    let (target, vis) = (head.target(), &head.visibility);
    let mut text = docs(["Stub."], "") + "#[derive(Clone, Copy, Debug, PartialEq)]\n" + ALLOW;
    text.push_str(&format!("{vis}struct {target};\n\n{ALLOW}impl {target} {{\n"));
    text.push_str(head.space_and_start(&format!("{}::zeros()", head.matrix().replacen('<', "::<", 1))).trim_end());
    text.push_str("\n}\n\n");
    text.push_str(&head.equation(&format!("{}::zeros()", head.generator().replacen('<', "::<", 1))));
    text.push_str(&head.linear());
    text.push_str(&head.method("Stub.", &target));
    with_feature(&text)
}
