//! The analysis of a whole model.
//!
//! In: a model that passed the verifier. Out: its [`Analysis`], with a verdict only if that holds on all sides of the
//! switches on which the start values lie; or why the model is rejected.

use super::analysis::Analysis;
use super::branch::analyse_as_written;
use super::limits::Limits;
use super::problem::Problem;
use super::sides;
use crate::diagnostic::Diagnostics;
use crate::model::Model;

/// Analyses a model that passed the verifier. `t0` is the time at which the model's start values hold. The error says
/// why the model is rejected.
pub fn analyse(model: &mut Model, t0: f64, limits: &Limits) -> Result<Analysis, (Problem, Diagnostics)> {
    let (analysis, settled) = analyse_as_written(model, t0, limits)?;
    sides::compare(model, analysis, settled, t0, limits)
}
