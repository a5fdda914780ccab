//! Equations in mathematics.
//!
//! In: residuals and names of the equations of a model. Out: their markup, solved for a derivative where exactly one is
//! a term, and their labels.

use std::collections::HashMap;

use crate::expr::{Expr, Node, Notation, Rational, Symbol, mathml, print_with};
use crate::model::Model;
use crate::spelling::names::{Markup, in_markup};

/// A line that shows an equation, or those of a family.
pub(super) struct Numbered {
    pub(super) mathematics: String,
    /// `4`, `4[i]`, or the whole name where it has no number: see [`number`].
    pub(super) number: String,
    /// `for i in 1..=58`; empty for a single instance.
    pub(super) range: String,
}

/// The label in parentheses beside an equation: `4[i = 17]` for `equation 4[i = 17]`, and the whole name where it
/// describes the equation.
pub(super) fn number(name: &str) -> &str {
    let is_number = |rest: &&str| {
        let indices = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        indices.len() < rest.len() && (indices.is_empty() || (indices.starts_with('[') && indices.ends_with(']')))
    };
    name.strip_prefix("equation ").filter(is_number).unwrap_or(name)
}

/// `0 = …`.
pub(super) fn zero_equals(model: &Model, residual: Expr, markup: Markup) -> String {
    equals("0", &spell(model, residual, markup), markup)
}

/// $\dot x = \dots$ where exactly one term of the residual is a derivative with the coefficient $\pm 1$, otherwise
/// $0 = \dots$.
pub(super) fn equation(model: &mut Model, residual: Expr, markup: Markup) -> String {
    let is_rate = |symbol| matches!(symbol, Symbol::Unknown { order, .. } if order > 0);
    solved_or_zero(model, residual, markup, is_rate, |model, expr| spell(model, expr, markup))
}

/// An equation in the symbols that `spell` gives: $\dot x = \dots$ where exactly one term of the residual has the
/// coefficient $\pm 1$ and is a symbol of which `is_rate` holds, otherwise $0 = \dots$.
pub(super) fn solved_or_zero(
    model: &mut Model,
    residual: Expr,
    markup: Markup,
    is_rate: impl Fn(Symbol) -> bool,
    spell: impl Fn(&Model, Expr) -> String,
) -> String {
    let zero_equals = |model: &Model| equals("0", &spell(model, residual), markup);
    let Node::Sum { constant, terms } = model.dag.node(residual).clone() else { return zero_equals(model) };
    let leading = |(q, t): &(Rational, Expr)| {
        let derivative = matches!(model.dag.node(*t), Node::Symbol(symbol) if is_rate(*symbol));
        derivative && q.abs().is_one()
    };
    let candidates: Vec<usize> = (0..terms.len()).filter(|&k| leading(&terms[k])).collect();
    let [k] = candidates[..] else { return zero_equals(model) };
    let scale = terms[k].0.neg();
    let others = terms.iter().enumerate().filter(|&(l, _)| l != k).map(|(_, (q, t))| (q.mul(&scale), *t));
    let constant = model.dag.constant(constant.mul(&scale));
    let others: Vec<(Rational, Expr)> = others.chain([(Rational::ONE, constant)]).collect();
    let right = model.dag.sum(others);
    equals(&spell(model, terms[k].1), &spell(model, right), markup)
}

fn equals(left: &str, right: &str, markup: Markup) -> String {
    match (markup, left) {
        (Markup::Latex, _) => format!("{left} = {right}"),
        (Markup::MathMl, "0") => format!("<mn>0</mn><mo>=</mo>{right}"),
        (Markup::MathMl, _) => format!("{left}<mo>=</mo>{right}"),
    }
}

/// An expression in the markup.
pub(super) fn spell(model: &Model, expr: Expr, markup: Markup) -> String {
    let names: HashMap<Expr, String> =
        model.definition_names().into_iter().map(|(e, name)| (e, in_markup(&name, markup))).collect();
    let symbol = |symbol| in_markup(&model.symbol_name(symbol), markup);
    match markup {
        Markup::Latex => print_with(&model.dag, expr, Notation::Latex, &names, symbol),
        Markup::MathMl => mathml(&model.dag, expr, &names, symbol),
    }
}
