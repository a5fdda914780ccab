//! The analysis of a model as a whole.
//!
//! In: a model whose values are numbers. Out: its analysis; or, if it is ill-posed, the ill-posed part, and findings
//! that name it. Where the analysis leaves open whether there are solutions, a contradiction is sought by eliminating
//! all unknowns.

use super::compiled::Rejected;
use crate::index::{Analysis, Limits, Problem, ProblemKind, analyse, contradiction};
use crate::index_concepts::{singular_pencil, with_null_vectors};
use crate::model::Model;

/// Analyses a model. `t0` is the time at which its start values hold.
pub(super) fn analysis(model: &mut Model, t0: f64) -> Result<Analysis, Rejected> {
    let limits = Limits::DEFAULT;
    let analysis = match analyse(model, t0, &limits) {
        Ok(analysis) => analysis,
        Err((problem, found)) => {
            let open = problem.kind == ProblemKind::Undecided;
            let most = limits.contradiction.differentiations;
            let shown = if open { contradiction(model, t0, most, &limits.contradiction) } else { None };
            let (problem, found) = shown.unwrap_or((problem, found));
            let diagnostics = with_null_vectors(model, found);
            return Err(Rejected { problem: Some(problem), t0, diagnostics });
        }
    };
    if !analysis.certificate.is_regular()
        && let Some(diagnostics) = singular_pencil(model)
    {
        let (equations, unknowns) = (Vec::new(), Vec::new());
        let problem = Problem { kind: ProblemKind::SingularPencil, equations, unknowns };
        return Err(Rejected { problem: Some(problem), t0, diagnostics });
    }
    if let Some(most) = analysis.differentiations_in_doubt(&limits.contradiction)
        && let Some((problem, diagnostics)) = contradiction(model, t0, most, &limits.contradiction)
    {
        return Err(Rejected { problem: Some(problem), t0, diagnostics });
    }
    Ok(analysis)
}
