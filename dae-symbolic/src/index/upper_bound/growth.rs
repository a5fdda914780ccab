//! Equations whose derivatives get out of hand.
//!
//! In: a model, or a system with its offsets. Out: nothing, or a [`Problem`] that names an equation whose derivatives
//! are too long.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Dag, Expr, depths, reachable, shared_derivatives, total_derivative};
use crate::index::limits;
use crate::index::problem::{Problem, ProblemKind};
use crate::model::Model;
use crate::structure::Offsets;
use crate::system::System;

/// Rejects a model with an equation that nests expressions so deeply that its derivatives would get out of hand.
pub(crate) fn check_depth(model: &Model, limits: &limits::Growth) -> Result<(), (Problem, Diagnostics)> {
    let depths = depths(&model.dag);
    let depth = |i: usize| depths[model.equations[i].residual.index()];
    let Some(i) = (0..model.equations.len()).find(|&i| depth(i) > limits.depth) else { return Ok(()) };
    let message = format!(
        "{} nests {} expressions within one another, and its derivatives are too long",
        model.equation_name(i),
        depth(i)
    );
    let diagnostic = Diagnostic::error(Code::TooLong, message)
        .label(model.equations[i].origin, "")
        .note(format!("up to {} can be worked with", limits.depth))
        .help("give names to parts of it: a `var` with an equation of its own instead of a `let`");
    Err((Problem::new(ProblemKind::TooLong, model, &[i], &[]), Diagnostics::from(diagnostic)))
}

/// Differentiates every equation as many times as its offset says, and rejects a model for which that gets out of hand.
pub(crate) fn check_growth(
    model: &mut Model,
    system: &System,
    offsets: &Offsets,
    limits: &limits::Growth,
) -> Result<(), (Problem, Diagnostics)> {
    for (i, equation) in system.equations.iter().enumerate() {
        let mut derivative = equation.residual;
        let own = if offsets.equations[i] > 0 { size(&model.dag, derivative) } else { 0 };
        let shared = shared_derivatives(&mut model.dag, derivative, offsets.equations[i]);
        // Shared sub-expressions are counted once; those made in the attempt to differentiate without sharing are not
        // counted.
        let grown = |dag: &Dag| shared.as_ref().map_or(0, |list| reachable(dag, list.iter().copied()).len());
        let budget = match grown(&model.dag) {
            0 => model.dag.len() + limits.nodes,
            grown => model.dag.len() + limits.nodes.saturating_sub(grown),
        };
        for order in 1..=offsets.equations[i] {
            derivative = match &shared {
                Some(list) => list[order as usize],
                None => total_derivative(&mut model.dag, derivative),
            };
            let operands = limits.operands[usize::from(order > 1)] + limits.operands_for_each * own;
            if model.dag.len() >= budget || size(&model.dag, derivative) > operands {
                let name = equation.provenance.name();
                let message = format!(
                    "{name} has to be differentiated {} times, and its derivative of order {order} is too long",
                    offsets.equations[i]
                );
                let diagnostic = Diagnostic::error(Code::TooLong, message)
                    .label(equation.origin, "")
                    .help("give names to parts of it: a `var` with an equation of its own instead of a `let`");
                return Err((Problem::new(ProblemKind::TooLong, model, &[i], &[]), Diagnostics::from(diagnostic)));
            }
        }
    }
    Ok(())
}

/// The number of sub-expressions and operands of an expression.
fn size(dag: &Dag, expr: Expr) -> usize {
    reachable(dag, [expr]).into_iter().map(|e| 1 + dag.children(e).count()).sum()
}
