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
    /// Its position in [`Report::equations`](super::Report::equations), from 1.
    pub equation: usize,
    /// Its name.
    pub equation_name: String,
    /// By what.
    pub combination: String,
    /// The positions of the equations whose leading parts cancel.
    pub cancelling: Vec<usize>,
    /// Their names.
    pub cancelling_names: Vec<String>,
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
            equation_name: model.equation_name(rewrite.equation),
            combination: rewrite.combination.in_full(model),
            cancelling: rewrite.cancelling.iter().map(|k| k + 1).collect(),
            cancelling_names: rewrite.cancelling.iter().map(|&k| model.equation_name(k)).collect(),
            before: format!("0 = {}", spelled(rewrite.before)),
            after: format!("0 = {}", spelled(rewrite.after)),
            nonzero: rewrite.nonzero.map(spelled),
        }
    }
}

impl Display for RewriteReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {} was replaced by {}", self.equation_name, self.combination)?;
        writeln!(f, "    before  {}", self.before)?;
        writeln!(f, "    after   {}", self.after)?;
        match &self.nonzero {
            Some(nonzero) => writeln!(f, "    provided {nonzero} ≠ 0"),
            None => Ok(()),
        }
    }
}
