//! What every model fulfils.
//!
//! In: a model from anywhere. Out: nothing, or all errors in it. Models that were read from text fulfil most of this by
//! construction; models that were built or derived by a program are held to the same rules.

use super::{MAX_ORDER, Model, PointTime, Start, derivative_name, highest_orders};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Dag, Expr, Node, Symbol, UnknownId};
use crate::origin::Origin;
use std::collections::HashMap;

/// Checks a model.
///
/// # Errors
/// If there are no equations or unknowns, names are used twice or are not identifiers, an expression belongs to another
/// model or has a symbol that is not declared or not allowed in its place, an order is too high, an incidence list does
/// not fit its equation, a nominal value is not a positive number, or something is divided by exactly zero.
pub fn verify(model: &Model) -> Result<(), Diagnostics> {
    let mut verifier = Verifier { model, walk: Walk::new(&model.dag), found: Diagnostics::new() };
    verifier.sizes();
    verifier.names();
    verifier.parameters();
    verifier.inputs();
    verifier.unknowns();
    verifier.definitions();
    verifier.equations();
    verifier.initial_equations();
    verifier.invariants();
    verifier.boundary();
    if verifier.found.is_empty() { Ok(()) } else { Err(verifier.found) }
}

/// Visits everything that an expression reaches. The marks are kept from visit to visit, so that each of many small
/// expressions of a large model costs only its own size.
struct Walk<'a> {
    dag: &'a Dag,
    seen: Vec<u32>,
    round: u32,
}

impl<'a> Walk<'a> {
    fn new(dag: &'a Dag) -> Self {
        Walk { dag, seen: vec![0; dag.len()], round: 0 }
    }

    /// The symbols below `root`, ascending, and whether something below it is divided by zero.
    fn inspect(&mut self, root: Expr) -> (Vec<Symbol>, bool) {
        self.round += 1;
        let (mut symbols, mut divides) = (Vec::new(), false);
        let mut stack = vec![root];
        while let Some(expr) = stack.pop() {
            if std::mem::replace(&mut self.seen[expr.index()], self.round) == self.round {
                continue;
            }
            match self.dag.node(expr) {
                Node::Symbol(symbol) => symbols.push(*symbol),
                Node::Product(factors) => {
                    divides |= factors.iter().any(|&(base, power)| power < 0 && self.dag.is_zero(base));
                }
                Node::Constant(_) | Node::Pi | Node::Euler | Node::Sum { .. } => {}
                Node::Apply(..) | Node::Call(..) => {}
            }
            stack.extend(self.dag.children(expr));
        }
        symbols.sort_unstable();
        (symbols, divides)
    }
}

struct Verifier<'a> {
    model: &'a Model,
    walk: Walk<'a>,
    found: Diagnostics,
}

impl Verifier<'_> {
    fn sizes(&mut self) {
        let model = self.model;
        if model.unknowns.is_empty() {
            let finding = Diagnostic::error(Code::NoUnknowns, format!("the model `{}` has no unknowns", model.name));
            self.found
                .push(finding.label(model.origin, "no `var` in it").help("declare unknowns with `var name ~ guess;`"));
        }
        if model.equations.is_empty() {
            let finding = Diagnostic::error(Code::NoEquations, format!("the model `{}` has no equations", model.name));
            self.found
                .push(finding.label(model.origin, "no equation in it").help("write equations as `left = right;`"));
        }
    }

    fn names(&mut self) {
        let model = self.model;
        let parameters = model.parameters.iter().map(|p| (&p.name, p.origin));
        let inputs = model.inputs.iter().map(|i| (&i.name, i.origin));
        let unknowns = model.unknowns.iter().map(|u| (&u.name, u.origin));
        let definitions = model.definitions.iter().map(|d| (&d.name, d.origin));
        let invariants = model.invariants.iter().map(|i| (&i.name, i.origin));
        let mut first: HashMap<&str, Origin> = HashMap::new();
        for (name, origin) in parameters.chain(inputs).chain(unknowns).chain(definitions).chain(invariants) {
            if !is_identifier(name) {
                let message = format!("`{name}` is no identifier");
                self.found.push(Diagnostic::error(Code::ReservedName, message).label(origin, "not a name"));
            }
            if let Some(earlier) = first.insert(name, origin) {
                let message = format!("the name `{name}` is declared twice");
                let finding = Diagnostic::error(Code::DuplicateName, message);
                self.found.push(finding.label(origin, "declared again").label(earlier, "first declared here"));
            }
        }
    }

    fn parameters(&mut self) {
        let model = self.model;
        for (position, parameter) in model.parameters.iter().enumerate() {
            let earlier = |symbol| matches!(symbol, Symbol::Parameter(id) if id.index() < position);
            let owner = format!("the default of `{}`", parameter.name);
            self.expression(parameter.default, parameter.origin, &owner, earlier);
        }
    }

    fn inputs(&mut self) {
        let model = self.model;
        for input in &model.inputs {
            let given = |symbol| symbol == Symbol::Time || is_parameter(model, symbol);
            let owner = format!("the definition of `{}`", input.name);
            self.expression(input.definition, input.origin, &owner, given);
        }
    }

    fn unknowns(&mut self) {
        let model = self.model;
        for unknown in &model.unknowns {
            if !(unknown.nominal.is_finite() && unknown.nominal > 0.0) {
                let message = format!("the nominal value of `{}` is {}", unknown.name, unknown.nominal);
                let finding = Diagnostic::error(Code::InvalidNominal, message);
                self.found.push(finding.label(unknown.origin, "must be a positive number"));
            }
            let own = unknown.start.iter().map(|start| (0, start));
            let derivatives = unknown.derivative_starts.iter().map(|(order, start)| (*order, start));
            for (order, start) in own.chain(derivatives) {
                let name = derivative_name(&unknown.name, order);
                self.order_in_range(order, &name, start.origin);
                let owner = format!("the start value of `{name}`");
                let is_guess = start.kind == Start::Guess && model.has_boundary();
                let allowed = |symbol| is_parameter(model, symbol) || (is_guess && symbol == Symbol::Time);
                self.expression(start.value, start.origin, &owner, allowed);
            }
        }
    }

    fn definitions(&mut self) {
        let model = self.model;
        for definition in &model.definitions {
            let owner = format!("`{}`", definition.name);
            self.expression(definition.value, definition.origin, &owner, |symbol| is_declared(model, symbol));
        }
    }

    fn equations(&mut self) {
        let model = self.model;
        for equation in model.equations.iter().chain(&model.initial_equations) {
            let owner = &equation.name;
            let symbols =
                self.expression(equation.residual, equation.origin, owner, |symbol| is_declared(model, symbol));
            for &(unknown, order) in &equation.incidence {
                let name = model.symbol_name(Symbol::Unknown { unknown, order });
                self.order_in_range(order, &name, equation.origin);
            }
            if !covers(&equation.incidence, &highest_orders(symbols), model.unknowns.len()) {
                let message = format!("the incidence of {owner} does not fit its residual");
                self.found
                    .push(Diagnostic::error(Code::UndeclaredSymbol, message).label(equation.origin, "this equation"));
            }
        }
    }

    fn initial_equations(&mut self) {
        let model = self.model;
        for equation in model.initial_equations.iter().filter(|it| it.incidence.is_empty()) {
            let message = format!("{} contains no unknown", equation.name);
            let finding = Diagnostic::error(Code::InvalidInitial, message).label(equation.origin, "restricts nothing");
            self.found.push(finding.help("write an equation between unknowns and their derivatives: `der(x) = 0;`"));
        }
    }

    fn invariants(&mut self) {
        let model = self.model;
        let allowed = |symbol| is_declared(model, symbol) && !matches!(symbol, Symbol::Input { .. });
        for invariant in &model.invariants {
            let owner = format!("`{}`", invariant.name);
            self.expression(invariant.value, invariant.origin, &owner, allowed);
        }
    }

    fn boundary(&mut self) {
        let model = self.model;
        let Some(boundary) = &model.boundary else { return };
        let given = |symbol| is_parameter(model, symbol);
        for end in boundary.horizon.iter().flat_map(|&(from, to)| [from, to]) {
            self.expression(end, boundary.origin, "an end of the horizon", given);
        }
        for time in &boundary.times {
            if let PointTime::Interior(value) = time {
                self.expression(*value, boundary.origin, "a time of a condition", given);
            }
        }
        let allowed = |symbol| match symbol {
            Symbol::State(k) => boundary
                .values
                .get(k as usize)
                .is_some_and(|value| value.unknown.index() < model.unknowns.len() && value.time < boundary.times.len()),
            Symbol::StateDerivative(i) => (i as usize) < boundary.times.len(),
            other => given(other),
        };
        for condition in &boundary.conditions {
            for side in [condition.left, condition.right] {
                self.expression(side, condition.origin, "this condition", allowed);
            }
        }
    }

    fn order_in_range(&mut self, order: u32, name: &str, origin: Origin) {
        if order > MAX_ORDER {
            let message = format!("the order of `{name}` is too high: at most {MAX_ORDER} is possible");
            self.found.push(Diagnostic::error(Code::InvalidDerivative, message).label(origin, "here"));
        }
    }

    /// Checks the symbols of an expression, looks for divisions by zero, and returns the symbols.
    fn expression(&mut self, expr: Expr, origin: Origin, owner: &str, allowed: impl Fn(Symbol) -> bool) -> Vec<Symbol> {
        let model = self.model;
        if expr.index() >= model.dag.len() {
            let message = format!("{owner} is an expression of another model");
            self.found.push(Diagnostic::error(Code::UndeclaredSymbol, message).label(origin, "here"));
            return Vec::new();
        }
        let (symbols, divides) = self.walk.inspect(expr);
        for &symbol in symbols.iter().filter(|symbol| !allowed(**symbol)) {
            let message = format!("{owner} uses `{}`, which it cannot", model.symbol_name(symbol));
            let code = if is_declared(model, symbol) { Code::NotAllowedHere } else { Code::UndeclaredSymbol };
            self.found.push(Diagnostic::error(code, message).label(origin, "here"));
        }
        if divides {
            let message = format!("{owner} contains a division by zero");
            self.found.push(Diagnostic::error(Code::DivisionByZero, message).label(origin, "here"));
        }
        symbols
    }
}

/// An identifier, or one with indices: `q[3]`, `T[2][5]`.
fn is_identifier(name: &str) -> bool {
    let (name, indices) = name.split_at(name.find('[').unwrap_or(name.len()));
    let numbers = indices.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !indices.is_empty() && !numbers.is_some_and(|numbers| numbers.split("][").all(number)) {
        return false;
    }
    let mut characters = name.chars();
    let first = characters.next();
    first.is_some_and(|c| c == '_' || c.is_alphabetic())
        && characters.all(|c| c == '_' || c.is_alphanumeric())
        && name != "_"
}

/// Whether `written` is strictly ascending, names declared unknowns only, and contains all of `present` with at least
/// their orders.
fn covers(written: &[(UnknownId, u32)], present: &[(UnknownId, u32)], unknowns: usize) -> bool {
    let ascending = written.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let declared = written.iter().all(|(unknown, _)| unknown.index() < unknowns);
    let contains = |&(unknown, order): &(UnknownId, u32)| {
        written.binary_search_by_key(&unknown, |(u, _)| *u).is_ok_and(|at| written[at].1 >= order)
    };
    ascending && declared && present.iter().all(contains)
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
