//! The verdict on the other side of a condition.
//!
//! In: a model and the change that takes it to the other side. Out: the verdict there, with all start values as
//! guesses, since fixed ones belong to the side for which they were written; no verdict for models that are too large.

use dae_runtime::contract::Start;

use super::case::Other;
use crate::expr::reachable;
use crate::index::{Analysis, Limits, analyse};
use crate::model::Model;

/// Models with more unknowns than this are not analysed on the other side.
const MAX_UNKNOWNS: usize = 60;
/// Models whose equations have more distinct sub-expressions than this are not analysed on the other side.
const MAX_EXPRESSIONS: usize = 150;

/// The verdict on the model as `vary` changes it, and the analysis from which it follows; no analysis if the model is
/// too large, or is rejected after the change.
pub(super) fn verdict_of(model: &Model, vary: impl FnOnce(&mut Model), t0: f64) -> (Other, Option<Analysis>) {
    let equations = model.equations.iter().map(|equation| equation.residual);
    if model.work.is_spent()
        || model.unknowns.len() > MAX_UNKNOWNS
        || reachable(&model.dag, equations).len() > MAX_EXPRESSIONS
    {
        return (Other::Open, None);
    }
    let mut other = model.clone();
    for unknown in &mut other.unknowns {
        let derivatives = unknown.derivative_starts.iter_mut().map(|(_, start)| start);
        for start in unknown.start.iter_mut().chain(derivatives).filter(|start| start.kind == Start::Fixed) {
            start.kind = Start::Guess;
        }
    }
    vary(&mut other);
    match analyse(&mut other, t0, &Limits::DEFAULT) {
        Ok(analysis) => {
            let certificate = &analysis.certificate;
            (Other::Verdict(certificate.verdict(), certificate.grounds()), Some(analysis))
        }
        Err((problem, _)) => (Other::Rejected(problem.kind), None),
    }
}
