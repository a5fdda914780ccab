//! What every model fulfils.
//!
//! In: a model from anywhere. Out: nothing, or all that is wrong with it. Models that were read from text fulfil most of
//! this by construction; models that were built or derived by a program are held to the same.

use super::{MAX_ORDER, Model, derivative_name, incidence};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Expr, Node, Symbol, UnknownId, reachable, symbols};
use crate::origin::Origin;
use std::collections::HashMap;

/// Checks a model.
///
/// # Errors
/// If there are no equations or unknowns, names are used twice or are no identifiers, an expression has a symbol that is
/// not declared or not allowed in its place, an order is too high, an incidence list does not fit its equation, a nominal
/// value is no positive number, or something is divided by exactly zero.
pub fn verify(model: &Model) -> Result<(), Diagnostics> {
    let mut found = Diagnostics::new();
    sizes(model, &mut found);
    names(model, &mut found);
    parameters(model, &mut found);
    inputs(model, &mut found);
    unknowns(model, &mut found);
    definitions(model, &mut found);
    equations(model, &mut found);
    if found.is_empty() { Ok(()) } else { Err(found) }
}

fn sizes(model: &Model, found: &mut Diagnostics) {
    if model.unknowns.is_empty() {
        let finding = Diagnostic::error(Code::NoUnknowns, format!("the model `{}` has no unknowns", model.name));
        found.push(finding.label(model.origin, "no `var` in it").help("declare unknowns with `var name ~ guess;`"));
    }
    if model.equations.is_empty() {
        let finding = Diagnostic::error(Code::NoEquations, format!("the model `{}` has no equations", model.name));
        found.push(finding.label(model.origin, "no equation in it").help("write equations as `left = right;`"));
    }
}

fn names(model: &Model, found: &mut Diagnostics) {
    let parameters = model.parameters.iter().map(|p| (&p.name, p.origin));
    let inputs = model.inputs.iter().map(|i| (&i.name, i.origin));
    let unknowns = model.unknowns.iter().map(|u| (&u.name, u.origin));
    let definitions = model.definitions.iter().map(|d| (&d.name, d.origin));
    let mut first: HashMap<&str, Origin> = HashMap::new();
    for (name, origin) in parameters.chain(inputs).chain(unknowns).chain(definitions) {
        if !is_identifier(name) {
            let message = format!("`{name}` is no identifier");
            found.push(Diagnostic::error(Code::ReservedName, message).label(origin, "not a name"));
        }
        if let Some(earlier) = first.insert(name, origin) {
            let message = format!("the name `{name}` is declared twice");
            let finding = Diagnostic::error(Code::DuplicateName, message);
            found.push(finding.label(origin, "declared again").label(earlier, "first declared here"));
        }
    }
}

fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    let first = characters.next();
    first.is_some_and(|c| c == '_' || c.is_alphabetic())
        && characters.all(|c| c == '_' || c.is_alphanumeric())
        && name != "_"
}

fn parameters(model: &Model, found: &mut Diagnostics) {
    for (position, parameter) in model.parameters.iter().enumerate() {
        let earlier = |symbol| matches!(symbol, Symbol::Parameter(id) if id.index() < position);
        let owner = format!("the default of `{}`", parameter.name);
        expression(model, parameter.default, parameter.origin, &owner, earlier, found);
    }
}

fn inputs(model: &Model, found: &mut Diagnostics) {
    for input in &model.inputs {
        let given = |symbol| symbol == Symbol::Time || is_parameter(model, symbol);
        let owner = format!("the definition of `{}`", input.name);
        expression(model, input.definition, input.origin, &owner, given, found);
    }
}

fn unknowns(model: &Model, found: &mut Diagnostics) {
    for unknown in &model.unknowns {
        if !(unknown.nominal.is_finite() && unknown.nominal > 0.0) {
            let message = format!("the nominal value of `{}` is {}", unknown.name, unknown.nominal);
            let finding = Diagnostic::error(Code::InvalidNominal, message);
            found.push(finding.label(unknown.origin, "must be a positive number"));
        }
        let own = unknown.start.iter().map(|start| (0, start));
        let derivatives = unknown.derivative_starts.iter().map(|(order, start)| (*order, start));
        for (order, start) in own.chain(derivatives) {
            let name = derivative_name(&unknown.name, order);
            order_in_range(order, &name, start.origin, found);
            let owner = format!("the start value of `{name}`");
            expression(model, start.value, start.origin, &owner, |symbol| is_parameter(model, symbol), found);
        }
    }
}

fn definitions(model: &Model, found: &mut Diagnostics) {
    for definition in &model.definitions {
        let owner = format!("`{}`", definition.name);
        expression(model, definition.value, definition.origin, &owner, |symbol| is_declared(model, symbol), found);
    }
}

fn equations(model: &Model, found: &mut Diagnostics) {
    for (position, equation) in model.equations.iter().enumerate() {
        let owner = model.equation_name(position);
        expression(model, equation.residual, equation.origin, &owner, |symbol| is_declared(model, symbol), found);
        for &(unknown, order) in &equation.incidence {
            let name = model.symbol_name(Symbol::Unknown { unknown, order });
            order_in_range(order, &name, equation.origin, found);
        }
        if !covers(&equation.incidence, &incidence(&model.dag, equation.residual), model.unknowns.len()) {
            let message = format!("the incidence of {owner} does not fit its residual");
            found.push(Diagnostic::error(Code::UndeclaredSymbol, message).label(equation.origin, "this equation"));
        }
    }
}

/// Whether `written` is strictly ascending, of declared unknowns, and has all of `present` with at least their orders.
fn covers(written: &[(UnknownId, u32)], present: &[(UnknownId, u32)], unknowns: usize) -> bool {
    let ascending = written.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let declared = written.iter().all(|(unknown, _)| unknown.index() < unknowns);
    let contains = |&(unknown, order): &(UnknownId, u32)| {
        written.binary_search_by_key(&unknown, |(u, _)| *u).is_ok_and(|at| written[at].1 >= order)
    };
    ascending && declared && present.iter().all(contains)
}

fn order_in_range(order: u32, name: &str, origin: Origin, found: &mut Diagnostics) {
    if order > MAX_ORDER {
        let message = format!("the order of `{name}` is too high: at most {MAX_ORDER} is possible");
        found.push(Diagnostic::error(Code::InvalidDerivative, message).label(origin, "here"));
    }
}

fn is_parameter(model: &Model, symbol: Symbol) -> bool {
    matches!(symbol, Symbol::Parameter(id) if id.index() < model.parameters.len())
}

fn is_declared(model: &Model, symbol: Symbol) -> bool {
    match symbol {
        Symbol::Time => true,
        Symbol::Parameter(_) => is_parameter(model, symbol),
        Symbol::Input { input, .. } => input.index() < model.inputs.len(),
        Symbol::Unknown { unknown, .. } => unknown.index() < model.unknowns.len(),
        Symbol::State(_) | Symbol::StateDerivative(_) => false,
    }
}

/// Checks the symbols of an expression and looks for divisions by zero.
fn expression(
    model: &Model,
    expr: Expr,
    origin: Origin,
    owner: &str,
    allowed: impl Fn(Symbol) -> bool,
    found: &mut Diagnostics,
) {
    if expr.index() >= model.dag.len() {
        let message = format!("{owner} is an expression of another model");
        found.push(Diagnostic::error(Code::UndeclaredSymbol, message).label(origin, "here"));
        return;
    }
    for symbol in symbols(&model.dag, [expr]).into_iter().filter(|symbol| !allowed(*symbol)) {
        let message = format!("{owner} uses `{}`, which it cannot", model.symbol_name(symbol));
        let code = if is_declared(model, symbol) { Code::NotAllowedHere } else { Code::UndeclaredSymbol };
        found.push(Diagnostic::error(code, message).label(origin, "here"));
    }
    let divides = |expr: Expr| match model.dag.node(expr) {
        Node::Product(factors) => factors.iter().any(|&(base, power)| power < 0 && model.dag.is_zero(base)),
        _ => false,
    };
    if reachable(&model.dag, [expr]).into_iter().any(divides) {
        let message = format!("{owner} contains a division by zero");
        found.push(Diagnostic::error(Code::DivisionByZero, message).label(origin, "here"));
    }
}
