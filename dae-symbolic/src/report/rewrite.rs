//! Equations that were combined, in the words of a report.
//!
//! In: a [`Rewrite`]. Out: the equation before and after in plain mathematics, and the condition under which they are
//! equivalent.

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
    /// The combination that replaced it.
    pub combination: String,
    /// The positions, from 1, of the equations whose leading parts cancel.
    pub cancelling: Vec<usize>,
    /// The names of these equations.
    pub cancelling_names: Vec<String>,
    /// The equation before the replacement.
    pub before: String,
    /// The equation after the replacement.
    pub after: String,
    /// The expression that must not vanish for the replacement to be equivalent; `None` if it is a number.
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
