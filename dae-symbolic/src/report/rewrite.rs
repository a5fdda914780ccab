//! Equations that were combined, in the words of a report.
//!
//! In: a [`Rewrite`]. Out: the equation before and after in plain mathematics, and under which condition nothing is lost.

use std::fmt::{self, Display, Formatter};

use crate::expr::{Notation, print};
use crate::index::Rewrite;
use crate::model::Model;

/// An equation that was replaced by a combination.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct RewriteReport {
    /// Which.
    pub equation: usize,
    /// By what.
    pub combination: String,
    /// The equations whose leading parts cancel.
    pub cancelling: Vec<usize>,
    /// The equation before.
    pub before: String,
    /// The equation after.
    pub after: String,
    /// What must not be zero for nothing to be lost; `None` if it is a number.
    pub nonzero: Option<String>,
}

impl RewriteReport {
    pub(super) fn new(model: &Model, rewrite: &Rewrite) -> Self {
        let spelled = |e| print(&model.dag, e, Notation::Text, |symbol| model.symbol_name(symbol));
        RewriteReport {
            equation: rewrite.equation + 1,
            combination: rewrite.combination.in_full(model),
            cancelling: rewrite.cancelling.iter().map(|k| k + 1).collect(),
            before: format!("0 = {}", spelled(rewrite.before)),
            after: format!("0 = {}", spelled(rewrite.after)),
            nonzero: rewrite.nonzero.map(spelled),
        }
    }
}

impl Display for RewriteReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "  equation {} was replaced by {}", self.equation, self.combination)?;
        writeln!(f, "    before  {}", self.before)?;
        writeln!(f, "    after   {}", self.after)?;
        match &self.nonzero {
            Some(nonzero) => writeln!(f, "    provided {nonzero} ≠ 0"),
            None => Ok(()),
        }
    }
}
