//! The cases in which the conditions of events hold.
//!
//! In: the conditions of events, decision diagrams over comparisons. Out: cases, each of which says for every quantity
//! between which of the numbers it lies that it is compared with; and whether a condition holds in a case. Parameters have
//! their default values.

use std::collections::{BTreeMap, HashMap};

use crate::expr::{Dag, Expr, Function, Node, Notation, Rational, Symbol, print_with, substitute, symbols};
use crate::model::{Event, Model, Trigger};

/// A comparison: a quantity, as text, that is greater than a number or less; an empty text stands for zero.
struct Comparison {
    quantity: String,
    bound: Rational,
    is_greater: bool,
}

/// The condition of an event, with its comparisons by their switches.
pub(super) struct Condition<'a> {
    pub(super) event: &'a Event,
    dag: &'a Dag,
    holds: Expr,
    comparisons: BTreeMap<Expr, Comparison>,
}

/// For each quantity the bounds with which it is compared, ascending.
pub(super) type Bounds<'a> = BTreeMap<&'a str, Vec<&'a Rational>>;

/// For each quantity the number of bounds below it.
pub(super) type Case<'a> = BTreeMap<&'a str, usize>;

/// The bounds of all quantities in these conditions.
pub(super) fn bounds_of<'a>(conditions: impl Iterator<Item = &'a Condition<'a>>) -> Bounds<'a> {
    let mut bounds: Bounds<'_> = BTreeMap::new();
    for it in conditions.flat_map(|condition| condition.comparisons.values()) {
        bounds.entry(&it.quantity).or_default().push(&it.bound);
    }
    for list in bounds.values_mut() {
        list.sort();
        list.dedup();
    }
    bounds
}

/// All cases; `None` if they are more than `most`.
pub(super) fn cases<'a>(bounds: &Bounds<'a>, most: usize) -> Option<Vec<Case<'a>>> {
    let count = bounds.values().try_fold(1_usize, |count, list| count.checked_mul(list.len() + 1))?;
    let case = |number: usize| {
        let mut rest = number;
        let mut case: Case<'_> = BTreeMap::new();
        for (&quantity, list) in bounds {
            case.insert(quantity, rest % (list.len() + 1));
            rest /= list.len() + 1;
        }
        case
    };
    (count <= most).then(|| (0..count).map(case).collect())
}

/// The quantities to which equations give values.
pub(super) fn values_of(model: &Model) -> HashMap<String, Rational> {
    let mut dag = model.dag.clone();
    let equations = model.equations.iter().filter_map(|it| comparison(model, &mut dag, it.residual));
    equations.map(|it| (it.quantity, it.bound)).collect()
}

/// The comparison that a switch is positive; `dag` is a copy of that of the model.
fn comparison(model: &Model, dag: &mut Dag, switch: Expr) -> Option<Comparison> {
    let switch = with_defaults(model, dag, switch);
    if let Some(value) = dag.as_constant(switch) {
        return Some(Comparison { quantity: String::new(), bound: value.neg(), is_greater: true });
    }
    let is_greater = !dag.content(switch).is_negative();
    let mut quantity = dag.primitive_part(switch);
    let mut bound = Rational::ZERO;
    if let Node::Sum { constant, terms } = dag.node(quantity).clone() {
        // Divided by its first coefficient, so that the same quantity has the same text.
        let factor = terms.first()?.0.abs().recip()?;
        let number = dag.constant(constant.clone());
        let terms = dag.sub(quantity, number);
        (quantity, bound) = (dag.scale(factor.clone(), terms), constant.neg().mul(&factor));
    }
    let name = |symbol| model.symbol_name(symbol);
    let quantity = print_with(dag, quantity, Notation::Text, &HashMap::new(), name);
    Some(Comparison { quantity, bound, is_greater })
}

/// An expression with the default values of parameters.
fn with_defaults(model: &Model, dag: &mut Dag, expr: Expr) -> Expr {
    let default = |symbol| match symbol {
        Symbol::Parameter(id) => model.parameters.get(id.index()).map(|parameter| parameter.default),
        _ => None,
    };
    let mut expr = expr;
    // A default value contains earlier parameters only.
    while symbols(dag, [expr]).into_iter().any(|symbol| default(symbol).is_some()) {
        expr = substitute(dag, &[expr], |_, symbol| default(symbol)).first().copied().unwrap_or(expr);
    }
    expr
}

/// The switches of a condition.
fn switches(dag: &Dag, holds: Expr) -> Vec<Expr> {
    let mut found = Vec::new();
    let mut open = vec![holds];
    while let Some(expr) = open.pop() {
        if let Node::Apply(Function::If, arguments) = dag.node(expr) {
            found.push(arguments[0]);
            open.extend(&arguments[1..]);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

impl<'a> Condition<'a> {
    /// The condition of an event; `None` if it cannot be compared.
    pub(super) fn of(model: &'a Model, event: &'a Event) -> Option<Self> {
        let Trigger::Condition { holds, .. } = event.trigger else { return None };
        let mut dag = model.dag.clone();
        let comparisons = switches(&model.dag, holds).into_iter().map(|switch| {
            let comparison = comparison(model, &mut dag, switch)?;
            Some((switch, comparison))
        });
        Some(Condition { event, dag: &model.dag, holds, comparisons: comparisons.collect::<Option<_>>()? })
    }

    /// Whether it holds in a case, with the values that equations give to quantities.
    pub(super) fn holds<'v>(
        &self,
        bounds: &Bounds<'_>,
        case: &Case<'_>,
        value: &dyn Fn(&str) -> Option<&'v Rational>,
    ) -> bool {
        let mut open = vec![self.holds];
        while let Some(expr) = open.pop() {
            let Node::Apply(Function::If, arguments) = self.dag.node(expr) else {
                if self.dag.is_zero(expr) {
                    return false;
                }
                continue;
            };
            let Some(it) = self.comparisons.get(&arguments[0]) else { return false };
            let quantity = it.quantity.as_str();
            if quantity.is_empty() {
                open.push(arguments[if it.bound.is_negative() { 1 } else { 2 }]);
                continue;
            }
            let place = bounds.get(quantity).and_then(|list| list.iter().position(|bound| **bound == it.bound));
            let (Some(place), Some(&interval)) = (place, case.get(quantity)) else { return false };
            let is_above = match value(quantity) {
                Some(value) if *value == it.bound => {
                    open.extend(&arguments[1..]);
                    continue;
                }
                Some(value) => *value > it.bound,
                None => interval > place,
            };
            open.push(arguments[if is_above == it.is_greater { 1 } else { 2 }]);
        }
        true
    }
}
