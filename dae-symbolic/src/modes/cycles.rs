//! Whether changes of mode at one time come to an end.
//!
//! In: the transitions of each mode variable, with their conditions. Out: findings about alternatives that enter one
//! another at one time without end, since the conditions hold together.
//!
//! A condition is a decision diagram over comparisons. Comparisons of the same quantity with numbers leave as many cases
//! as there are intervals between the numbers, others two each; where all cases of a variable are few enough, each is
//! followed from alternative to alternative. A comparison whose two sides an equation of the alternative that is left, or
//! of the one that is entered, makes equal does not hold where the change is made. Where events set values, what holds
//! after the change is not known, and nothing is said.

use std::collections::BTreeMap;

use super::multi_mode::{Mode, MultiMode};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Expr, Function, Node, Rational};
use crate::model::{Event, Model, Trigger};

/// The largest number of cases that are enumerated for a mode variable.
const MOST: usize = 1 << 12;

/// A comparison: a quantity, as text, that is greater than a number or less.
struct Comparison {
    quantity: String,
    bound: Rational,
    is_greater: bool,
}

/// For each quantity the interval between neighbouring bounds in which it is: the number of bounds below it.
type Case<'a> = BTreeMap<&'a str, usize>;

/// A transition of a mode variable from an alternative, in the mode of its first occurrence.
struct Step<'a> {
    to: usize,
    model: &'a Model,
    event: &'a Event,
    holds: Expr,
}

/// Findings about the mode variables of a text.
pub(super) fn without_end(modes: &MultiMode) -> Diagnostics {
    let mut found = Diagnostics::new();
    for variable in 0..modes.start.model.events.modes.len() {
        found.extend(cycle(modes, variable));
    }
    found
}

/// The comparison that a switch is positive; `None` if it is not a sum.
fn comparison(model: &Model, switch: Expr) -> Option<Comparison> {
    let name = |dag: &crate::expr::Dag, expr: Expr| {
        crate::expr::print_with(dag, expr, crate::expr::Notation::Text, &Default::default(), |symbol| {
            model.symbol_name(symbol)
        })
    };
    let mut dag = model.dag.clone();
    let content = dag.content(switch);
    let positive = dag.primitive_part(switch);
    let is_greater = !content.is_negative();
    let Node::Sum { constant, terms } = dag.node(positive).clone() else {
        return Some(Comparison { quantity: name(&dag, positive), bound: Rational::ZERO, is_greater });
    };
    let number = dag.constant(constant.clone());
    let quantity = dag.sub(positive, number);
    // The quantity is divided by its first coefficient, so that comparisons of the same quantity have the same text.
    let first = terms.first()?.0.abs();
    let (quantity, bound) = (dag.scale(first.recip()?, quantity), constant.neg().mul(&first.recip()?));
    Some(Comparison { quantity: name(&dag, quantity), bound, is_greater })
}

/// The switches of a condition.
fn switches(model: &Model, holds: Expr) -> Vec<Expr> {
    let mut found = Vec::new();
    let mut open = vec![holds];
    while let Some(expr) = open.pop() {
        if let Node::Apply(Function::If, arguments) = model.dag.node(expr) {
            found.push(arguments[0]);
            open.extend(&arguments[1..]);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The comparisons that equations of a mode make equalities: their quantities and bounds.
fn equalities(model: &Model) -> Vec<(String, Rational)> {
    let residuals = model.equations.iter().map(|equation| equation.residual);
    residuals.filter_map(|it| comparison(model, it)).map(|it| (it.quantity, it.bound)).collect()
}

/// A finding about alternatives of a mode variable that enter one another without end.
fn cycle(modes: &MultiMode, variable: usize) -> Option<Diagnostic> {
    let declared = modes.start.model.events.modes.get(variable)?;
    let mut steps: Vec<Vec<Step<'_>>> = declared.alternatives.iter().map(|_| Vec::new()).collect();
    let mut equal: Vec<Vec<(String, Rational)>> = vec![Vec::new(); steps.len()];
    let mut met = vec![false; steps.len()];
    for Mode { mode, model, .. } in modes.all() {
        let from = *mode.get(variable)?;
        if std::mem::replace(&mut met[from], true) {
            continue;
        }
        equal[from] = equalities(model);
        for event in &model.events.list {
            let transition = event.transitions.iter().find(|it| it.variable == variable);
            if let (Some(it), Trigger::Condition { holds, .. }, true) =
                (transition, event.trigger, event.within == Some(variable))
            {
                steps[from].push(Step { to: it.alternative, model, event, holds });
            }
        }
    }
    let all: Vec<Comparison> = (steps.iter().flatten())
        .flat_map(|step| switches(step.model, step.holds).into_iter().map(|it| comparison(step.model, it)))
        .collect::<Option<_>>()?;
    let mut bounds: BTreeMap<&str, Vec<&Rational>> = BTreeMap::new();
    for it in &all {
        bounds.entry(&it.quantity).or_default().push(&it.bound);
    }
    for list in bounds.values_mut() {
        list.sort();
        list.dedup();
    }
    let count = bounds.values().try_fold(1_usize, |count, list| count.checked_mul(list.len() + 1))?;
    if count > MOST {
        return None;
    }
    (0..count).find_map(|number| {
        let mut rest = number;
        let case: Case<'_> = (bounds.iter())
            .map(|(&quantity, list)| {
                let interval = rest % (list.len() + 1);
                rest /= list.len() + 1;
                (quantity, interval)
            })
            .collect();
        (0..steps.len()).find_map(|start| follow(&steps, &equal, &bounds, &case, start))
    })
}

/// Follows the transitions from an alternative while their conditions hold; a finding if that leads back to it.
fn follow(
    steps: &[Vec<Step<'_>>],
    equal: &[Vec<(String, Rational)>],
    bounds: &BTreeMap<&str, Vec<&Rational>>,
    case: &Case<'_>,
    start: usize,
) -> Option<Diagnostic> {
    let mut path: Vec<&Step<'_>> = Vec::new();
    let (mut at, mut before) = (start, start);
    let enabled = |step: &Step<'_>, before: usize, at: usize| {
        let of_list = |it: &Comparison, list: &[(String, Rational)]| {
            list.iter().any(|(quantity, bound)| (quantity, bound) == (&it.quantity, &it.bound))
        };
        let is_equal = |it: &Comparison| of_list(it, &equal[before]) || of_list(it, &equal[at]);
        holds(step.model, step.holds, bounds, case, &is_equal)
    };
    while path.len() <= steps.len() {
        let step = steps[at].iter().find(|step| enabled(step, before, at))?;
        if !step.event.changes.is_empty() {
            return None;
        }
        path.push(step);
        (before, at) = (at, step.to);
        // The alternative before the first one is not known: the second time round it is.
        if at == start && path.len() > 1 {
            return enabled(path[0], before, at).then(|| finding(&path));
        }
        if at == before {
            return None;
        }
    }
    None
}

/// Whether a condition holds in a case; one that depends on which of two equal sides is greater does not.
fn holds(
    model: &Model,
    condition: Expr,
    bounds: &BTreeMap<&str, Vec<&Rational>>,
    case: &Case<'_>,
    is_equal: &dyn Fn(&Comparison) -> bool,
) -> bool {
    let mut open = vec![condition];
    while let Some(expr) = open.pop() {
        let Node::Apply(Function::If, arguments) = model.dag.node(expr) else {
            if model.dag.is_zero(expr) {
                return false;
            }
            continue;
        };
        let Some(it) = comparison(model, arguments[0]) else { return false };
        let place = bounds.get(it.quantity.as_str()).and_then(|list| list.iter().position(|bound| **bound == it.bound));
        let (Some(place), Some(&interval)) = (place, case.get(it.quantity.as_str())) else { return false };
        match (is_equal(&it), (interval > place) == it.is_greater) {
            (true, _) => open.extend(&arguments[1..]),
            (false, true) => open.push(arguments[1]),
            (false, false) => open.push(arguments[2]),
        }
    }
    true
}

fn finding(path: &[&Step<'_>]) -> Diagnostic {
    let conditions: Vec<String> = path.iter().map(|step| format!("`{}`", step.event.name)).collect();
    let message = format!(
        "{} can hold together, and enter one another's modes without end",
        crate::spelling::lists::listed(&conditions)
    );
    let first = Diagnostic::error(Code::ModeCycle, message);
    let finding =
        path.iter().fold(first, |finding, step| finding.label(step.event.origin, "enters a mode that is left at once"));
    finding.help("let the conditions exclude one another: with a distance between the bounds, for instance")
}
