//! How hidden constraints follow from the text, step by step.
//!
//! In: a compiled model and its differentiated equations. Out: for each equation with hidden constraints, its
//! derivatives before and after the derivatives that other equations determine are replaced; one chain for members of a
//! family with the same steps.

use super::families::{Line, rolled};
use super::mathematics::{equation, number, zero_equals};
use crate::expr::{Expr, total_derivative};
use crate::index_reduction::{Explicit, Reduced};
use crate::model::{Domain, Model};
use crate::pipeline::Compiled;
use crate::spelling::names::Markup;
use crate::system::{System, highest_orders};

/// A derivative with longer markup than this is not shown before it is simplified.
const MAX_STEP: usize = 12_000;

/// How hidden constraints follow from an equation.
pub(super) struct Derivation {
    /// The name of the equation: `equation 5`, or a combination.
    pub(super) of: String,
    /// The equation itself.
    pub(super) start: String,
    pub(super) steps: Vec<DerivationStep>,
    /// `for i in 1..=58`; empty for a single instance.
    pub(super) range: String,
}

/// One differentiation.
pub(super) struct DerivationStep {
    /// The derivative before simplification; `None` if it equals the constraint or is too long.
    pub(super) derivative: Option<String>,
    /// The equations that determine derivatives in it, such as `(1), (2)`.
    pub(super) using: String,
    /// The constraint.
    pub(super) constraint: String,
}

pub(super) fn derivations(
    model: &mut Model,
    compiled: &Compiled,
    reduced: &Reduced,
    markup: Markup,
) -> Vec<Derivation> {
    let system = &compiled.analysis.system;
    let (mut list, mut places) = (Vec::new(), Vec::new());
    for (i, family) in reduced.derivatives.iter().enumerate() {
        let shown =
            compiled.hidden.iter().filter(|c| c.equation == system.equations[i].text).map(|c| c.order as usize).max();
        let Some(last) = shown else { continue };
        let mut steps = Vec::new();
        for order in 1..=last {
            let raw = total_derivative(&mut model.dag, family[order - 1]);
            let using = used(model, system, &reduced.explicit, raw);
            let raw = model.dag.primitive_part(raw);
            let constraint = model.dag.primitive_part(family[order]);
            let derivative = (raw != constraint).then(|| zero_equals(model, raw, markup));
            let derivative = derivative.filter(|text| text.len() <= MAX_STEP);
            steps.push(DerivationStep { derivative, using, constraint: zero_equals(model, constraint, markup) });
        }
        list.push(Derivation {
            of: system.equations[i].provenance.name(),
            start: equation(model, system.equations[i].residual, markup),
            steps,
            range: String::new(),
        });
        places.push(system.equations[i].domain.clone());
    }
    alike(&places, list)
}

/// One derivation for members of a family with the same steps.
fn alike(domains: &[Domain], list: Vec<Derivation>) -> Vec<Derivation> {
    let texts: Vec<Vec<String>> = list
        .iter()
        .map(|derivation| {
            let steps = derivation.steps.iter().flat_map(|step| {
                [step.derivative.clone().unwrap_or_default(), step.using.clone(), step.constraint.clone()]
            });
            [derivation.of.clone(), derivation.start.clone()].into_iter().chain(steps).collect()
        })
        .collect();
    let derivation = |line: Line| {
        let mut parts = line.parts.into_iter();
        let (of, start) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let mut steps = Vec::new();
        while let (Some(derivative), Some(using), Some(constraint)) = (parts.next(), parts.next(), parts.next()) {
            steps.push(DerivationStep {
                derivative: (!derivative.is_empty()).then_some(derivative),
                using,
                constraint,
            });
        }
        Derivation { of, start, steps, range: line.range }
    };
    rolled(domains.iter(), &texts).into_iter().map(derivation).collect()
}

/// The numbers of the equations that determine a derivative which occurs in an expression, itself or differentiated.
fn used(model: &Model, system: &System, explicit: &[Explicit], expr: Expr) -> String {
    let orders = highest_orders(&model.dag, [expr]);
    let occurs = |e: &&Explicit| orders.iter().any(|&(j, order)| j == e.unknown && order >= e.order);
    let numbers: Vec<String> = explicit
        .iter()
        .filter(occurs)
        .map(|e| format!("({})", number(&system.equations[e.equation].provenance.name())))
        .collect();
    numbers.join(", ")
}
