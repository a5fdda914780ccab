//! What a report in mathematics is made of, before it is laid out.
//!
//! In: a model, and what was found out about it. Out: its equations, the derivation of every hidden constraint, and the signature matrix, with
//! expressions spelled in one kind of markup. `latex.rs` and `html.rs` lay it out.

use std::collections::HashMap;

use crate::compile::Compiled;
use crate::expr::{Expr, Node, Notation, Rational, Symbol, mathml, print_with, total_derivative};
use crate::index::structure_of_text;
use crate::model::{Model, Start};
use crate::reduce::{Explicit, Reduced, reduce};
use crate::spelling::{latex_name, mathml_name};
use crate::structure::Structure;
use crate::system::highest_orders;

/// A derivative with longer markup is not shown before it is simplified.
const MAX_STEP: usize = 12_000;

/// Larger signature matrices are not laid out.
pub(super) const MAX_PATTERN: usize = 160;

/// How expressions are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Markup {
    /// LaTeX.
    Latex,
    /// MathML.
    MathMl,
}

/// The mathematics of a report.
pub(super) struct Document {
    pub(super) docs: Vec<String>,
    /// The equations of the text.
    pub(super) equations: Vec<String>,
    /// `let` and `input`: name and value.
    pub(super) definitions: Vec<(String, String)>,
    pub(super) unknowns: Vec<Named>,
    pub(super) parameters: Vec<Named>,
    pub(super) derivations: Vec<Derivation>,
    pub(super) structure: Option<Structure>,
    /// $\sigma_{ij}$, the pattern of the text; empty for large ones.
    pub(super) signature: Vec<Vec<Option<u32>>>,
}

/// A symbol with its value and documentation.
pub(super) struct Named {
    pub(super) symbol: String,
    pub(super) value: Option<String>,
    /// `=` for a value that holds, `≈` for a guess.
    pub(super) relation: &'static str,
    pub(super) docs: String,
}

/// How hidden constraints follow from an equation.
pub(super) struct Derivation {
    /// `equation 5`, or a combination.
    pub(super) of: String,
    /// The equation itself.
    pub(super) start: String,
    pub(super) steps: Vec<Step>,
}

/// One differentiation.
pub(super) struct Step {
    /// The derivative as it comes, if it is worth showing.
    pub(super) derivative: Option<String>,
    /// The equations that give derivatives in it, from 1.
    pub(super) using: Vec<usize>,
    /// The constraint.
    pub(super) constraint: String,
}

impl Document {
    pub(super) fn compiled(compiled: &Compiled, markup: Markup) -> Document {
        let mut model = compiled.model.clone();
        let analysis = &compiled.analysis;
        let derivations = if compiled.hidden.is_empty() {
            Vec::new()
        } else {
            let reduced = reduce(&mut model.dag, &analysis.system, &analysis.structure.offsets);
            derivations(&mut model, compiled, &reduced, markup)
        };
        Document { derivations, ..Document::of_text(&mut model, markup) }
    }

    pub(super) fn rejected(model: &Model, markup: Markup) -> Document {
        Document::of_text(&mut model.clone(), markup)
    }

    fn of_text(model: &mut Model, markup: Markup) -> Document {
        let residuals: Vec<Expr> = model.equations.iter().map(|e| e.residual).collect();
        let n = model.unknowns.len();
        let row = |incidence: &[(crate::expr::UnknownId, u32)]| {
            let mut row = vec![None; n];
            incidence.iter().for_each(|&(j, order)| row[j.index()] = Some(order));
            row
        };
        let definitions = model.definitions.iter().map(|d| (d.name.clone(), d.value));
        let inputs = model.inputs.iter().map(|i| (i.name.clone(), i.definition));
        let definitions: Vec<(String, Expr)> = definitions.chain(inputs).collect();
        Document {
            docs: model.docs.clone(),
            equations: residuals.iter().map(|&residual| equation(model, residual, markup)).collect(),
            definitions: definitions
                .into_iter()
                .map(|(name, value)| (spelled_name(&name, markup), spell(model, value, markup)))
                .collect(),
            unknowns: model
                .unknowns
                .iter()
                .map(|u| Named {
                    symbol: spelled_name(&u.name, markup),
                    value: u.start.as_ref().map(|start| spell(model, start.value, markup)),
                    relation: match u.start.as_ref().map(|start| start.kind) {
                        Some(Start::Guess) => "≈",
                        Some(Start::Fixed | Start::Free) | None => "=",
                    },
                    docs: u.docs.join(" "),
                })
                .collect(),
            parameters: model
                .parameters
                .iter()
                .map(|p| Named {
                    symbol: spelled_name(&p.name, markup),
                    value: Some(spell(model, p.default, markup)),
                    relation: "=",
                    docs: p.docs.join(" "),
                })
                .collect(),
            derivations: Vec::new(),
            structure: structure_of_text(model).ok(),
            signature: match n <= MAX_PATTERN {
                true => model.equations.iter().map(|e| row(&e.incidence)).collect(),
                false => Vec::new(),
            },
        }
    }
}

fn derivations(model: &mut Model, compiled: &Compiled, reduced: &Reduced, markup: Markup) -> Vec<Derivation> {
    let system = &compiled.analysis.system;
    let mut list = Vec::new();
    for (i, family) in reduced.derivatives.iter().enumerate() {
        let shown =
            compiled.hidden.iter().filter(|c| c.equation == system.equations[i].text).map(|c| c.order as usize).max();
        let Some(last) = shown else { continue };
        let mut steps = Vec::new();
        for order in 1..=last {
            let raw = total_derivative(&mut model.dag, family[order - 1]);
            let using = used(model, &reduced.explicit, raw);
            let raw = model.dag.primitive_part(raw);
            let constraint = model.dag.primitive_part(family[order]);
            let derivative = (raw != constraint).then(|| zero_equals(model, raw, markup));
            let derivative = derivative.filter(|text| text.len() <= MAX_STEP);
            steps.push(Step { derivative, using, constraint: zero_equals(model, constraint, markup) });
        }
        list.push(Derivation {
            of: system.equations[i].provenance.name(),
            start: equation(model, system.equations[i].residual, markup),
            steps,
        });
    }
    list
}

/// The equations that define derivatives which occur in an expression.
fn used(model: &Model, explicit: &[Explicit], expr: Expr) -> Vec<usize> {
    let orders = highest_orders(&model.dag, expr);
    let occurs = |e: &&Explicit| orders.iter().any(|&(j, order)| j == e.unknown && order >= e.order);
    explicit.iter().filter(occurs).map(|e| e.equation + 1).collect()
}

/// `0 = …`.
fn zero_equals(model: &Model, residual: Expr, markup: Markup) -> String {
    let spelled = spell(model, residual, markup);
    match markup {
        Markup::Latex => format!("0 = {spelled}"),
        Markup::MathMl => format!("<mn>0</mn><mo>=</mo>{spelled}"),
    }
}

/// $\dot x = \dots$ where the residual is a derivative and something else, otherwise $0 = \dots$.
fn equation(model: &mut Model, residual: Expr, markup: Markup) -> String {
    let Node::Sum { constant, terms } = model.dag.node(residual).clone() else {
        return zero_equals(model, residual, markup);
    };
    let leading = |(q, t): &(Rational, Expr)| {
        let derivative = matches!(model.dag.node(*t), Node::Symbol(Symbol::Unknown { order, .. }) if *order > 0);
        derivative && q.abs().is_one()
    };
    let candidates: Vec<usize> = (0..terms.len()).filter(|&k| leading(&terms[k])).collect();
    let [k] = candidates[..] else { return zero_equals(model, residual, markup) };
    let scale = terms[k].0.neg();
    let others = terms.iter().enumerate().filter(|&(l, _)| l != k).map(|(_, (q, t))| (q.mul(&scale), *t));
    let constant = model.dag.constant(constant.mul(&scale));
    let others: Vec<(Rational, Expr)> = others.chain([(Rational::ONE, constant)]).collect();
    let right = model.dag.sum(others);
    let (left, right) = (spell(model, terms[k].1, markup), spell(model, right, markup));
    match markup {
        Markup::Latex => format!("{left} = {right}"),
        Markup::MathMl => format!("{left}<mo>=</mo>{right}"),
    }
}

fn spell(model: &Model, expr: Expr, markup: Markup) -> String {
    let names: HashMap<Expr, String> =
        model.definition_names().into_iter().map(|(e, name)| (e, spelled_name(&name, markup))).collect();
    let symbol = |symbol| spelled_name(&model.symbol_name(symbol), markup);
    match markup {
        Markup::Latex => print_with(&model.dag, expr, Notation::Latex, &names, symbol),
        Markup::MathMl => mathml(&model.dag, expr, &names, symbol),
    }
}

/// A name in the markup.
pub(super) fn spelled_name(name: &str, markup: Markup) -> String {
    match markup {
        Markup::Latex => latex_name(name),
        Markup::MathMl => mathml_name(name),
    }
}
