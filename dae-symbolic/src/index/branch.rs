//! The analysis on one branch of every piecewise function.
//!
//! In: a model, square or not. Out: its analysis on the branches that evaluation takes at the start values; or why it
//! is rejected.

use super::analysis::Analysis;
use super::limits::Limits;
use super::problem::Problem;
use super::redundant;
use super::settle::{Settled, settle};
use super::structural::analyse_system;
use super::upper_bound::{check_depth, structure_of_text};
use crate::diagnostic::Diagnostics;
use crate::model::Model;
use crate::system::System;

/// The analysis on the branches that evaluation takes at the start values, and whether the derivative array rejects the
/// model. The error says why the model is rejected before that.
pub(super) fn analyse_as_written(
    model: &mut Model,
    t0: f64,
    limits: &Limits,
) -> Result<(Analysis, Settled), (Problem, Diagnostics)> {
    check_depth(model, &limits.growth)?;
    if model.equations.len() > model.unknowns.len() {
        return redundant::analyse(model, t0, limits).map(|analysis| (analysis, Ok(())));
    }
    let written = structure_of_text(model)?;
    let system = System::of_text(model);
    let mut analysis = analyse_system(model, system, Some(written), t0, limits)?;
    let settled = settle(model, &mut analysis, t0, limits);
    Ok((analysis, settled))
}
