//! Whether changes of mode at one time come to an end.
//!
//! In: the transitions of each mode variable, with their conditions. Out: findings about alternatives that enter one
//! another at one time without end, since the conditions hold together.
//!
//! A condition is a decision diagram over comparisons. Comparisons of the same quantity with numbers leave as many cases
//! as there are intervals between the numbers, others two each; where all cases of a variable are few enough, each is
//! followed from alternative to alternative. Where an equation of the alternative that is left, or of the one that is
//! entered, gives a quantity its value, that decides; and a condition that depends on which of two equal sides is greater
//! does not hold. Where events set values, what holds after the change is not known. A cycle of several mode variables, or
//! of conditions that change with the mode, is left to the run, which ends there.

use std::collections::{BTreeMap, HashMap};

use super::multi_mode::{Mode, MultiMode};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Dag, Expr, Function, Node, Notation, Rational, print_with};
use crate::model::{Event, Model, Trigger};
use crate::spelling::lists::listed;

/// The largest number of cases that are enumerated for a mode variable.
const MOST: usize = 1 << 12;

/// A comparison: a quantity, as text, that is greater than a number or less.
struct Comparison {
    quantity: String,
    bound: Rational,
    is_greater: bool,
}

/// A transition of a mode variable from an alternative, with the comparisons of its condition by their switches.
struct Step<'a> {
    to: usize,
    dag: &'a Dag,
    event: &'a Event,
    holds: Expr,
    comparisons: BTreeMap<Expr, Comparison>,
}

/// An alternative: its transitions, and the quantities to which its equations give values.
#[derive(Default)]
struct Alternative<'a> {
    steps: Vec<Step<'a>>,
    values: HashMap<String, Rational>,
}

/// For each quantity the bounds with which it is compared, ascending.
type Bounds<'a> = BTreeMap<&'a str, Vec<&'a Rational>>;

/// For each quantity the number of bounds below it.
type Case<'a> = BTreeMap<&'a str, usize>;

/// Findings about the mode variables of a text.
pub(super) fn without_end(modes: &MultiMode) -> Diagnostics {
    let mut found = Diagnostics::new();
    for finding in (0..modes.start.mode.len()).filter_map(|variable| cycle(modes, variable)) {
        // What is wrong with one instance of a loop is wrong with the others.
        if !found.iter().any(|known| known.labels == finding.labels) {
            found.push(finding);
        }
    }
    found
}

/// The comparison that a switch is positive; `dag` is a copy of that of the model.
fn comparison(model: &Model, dag: &mut Dag, switch: Expr) -> Option<Comparison> {
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

/// The alternatives of a mode variable, each from the first mode with it; `None` if a condition cannot be compared.
fn alternatives(modes: &MultiMode, variable: usize) -> Option<Vec<Alternative<'_>>> {
    let declared = modes.start.compiled.model.events.modes.get(variable)?;
    let mut found: Vec<Option<Alternative<'_>>> = declared.alternatives.iter().map(|_| None).collect();
    for Mode { mode, model, .. } in modes.all() {
        let from = *mode.get(variable)?;
        if found[from].is_some() {
            continue;
        }
        let mut alternative = Alternative::default();
        let mut dag = model.dag.clone();
        // A condition that compares mode variables is another one in other modes with this alternative.
        let is_the_same = |event: &&Event| event.within == Some(variable) && !event.depends_on_mode;
        for event in model.events.list.iter().filter(is_the_same) {
            let transition = event.transitions.iter().find(|it| it.variable == variable);
            let (Some(it), Trigger::Condition { holds, .. }) = (transition, event.trigger) else { continue };
            let comparisons = switches(&model.dag, holds).into_iter().map(|switch| {
                let comparison = comparison(model, &mut dag, switch)?;
                Some((switch, comparison))
            });
            let comparisons = comparisons.collect::<Option<_>>()?;
            alternative.steps.push(Step { to: it.alternative, dag: &model.dag, event, holds, comparisons });
        }
        let equations = model.equations.iter().filter_map(|it| comparison(model, &mut dag, it.residual));
        alternative.values = equations.map(|it| (it.quantity, it.bound)).collect();
        found[from] = Some(alternative);
    }
    Some(found.into_iter().map(Option::unwrap_or_default).collect())
}

/// A finding about alternatives of a mode variable that enter one another without end.
fn cycle(modes: &MultiMode, variable: usize) -> Option<Diagnostic> {
    let alternatives = alternatives(modes, variable)?;
    let mut bounds: Bounds<'_> = BTreeMap::new();
    for it in alternatives.iter().flat_map(|it| &it.steps).flat_map(|step| step.comparisons.values()) {
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
        let mut case: Case<'_> = BTreeMap::new();
        for (&quantity, list) in &bounds {
            case.insert(quantity, rest % (list.len() + 1));
            rest /= list.len() + 1;
        }
        (0..alternatives.len()).find_map(|start| follow(&alternatives, &bounds, &case, start))
    })
}

/// Follows the transitions from an alternative while their conditions hold; a finding if that leads back to it.
fn follow(alternatives: &[Alternative<'_>], bounds: &Bounds<'_>, case: &Case<'_>, start: usize) -> Option<Diagnostic> {
    let mut path: Vec<&Step<'_>> = Vec::new();
    let (mut at, mut before) = (start, start);
    let enabled = |step: &Step<'_>, before: usize, at: usize| {
        let value = |quantity: &str| [at, before].into_iter().find_map(|it| alternatives[it].values.get(quantity));
        step.is_enabled(bounds, case, &value)
    };
    while path.len() <= alternatives.len() {
        let step = alternatives[at].steps.iter().find(|step| enabled(step, before, at))?;
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

impl Step<'_> {
    /// Whether its condition holds in a case, with the values that equations give to quantities.
    fn is_enabled<'v>(
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

fn finding(path: &[&Step<'_>]) -> Diagnostic {
    let conditions: Vec<String> = path.iter().map(|step| format!("`{}`", step.event.name)).collect();
    let message = format!("{} can hold together, and enter one another's modes without end", listed(&conditions));
    let first = Diagnostic::error(Code::ModeCycle, message);
    let labelled =
        path.iter().fold(first, |finding, step| finding.label(step.event.origin, "enters a mode that is left at once"));
    labelled.help("let the conditions exclude one another: with a distance between the bounds, for instance")
}
