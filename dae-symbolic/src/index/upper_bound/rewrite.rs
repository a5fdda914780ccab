//! Replacements of equations by combinations of them.
//!
//! In: a combination in which leading parts cancel. Out: a [`Rewrite`], the equation before and after with the
//! condition under which nothing is lost.

use crate::expr::Expr;
use crate::system::Provenance;

/// An equation that was replaced by a combination.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewrite {
    /// The equation of the text that was replaced, counted from zero.
    pub equation: usize,
    /// The combination that replaced it, in terms of the text.
    pub combination: Provenance,
    /// The equations of the text whose leading parts cancel in it.
    pub cancelling: Vec<usize>,
    /// The residual before the replacement.
    pub before: Expr,
    /// The residual after the replacement.
    pub after: Expr,
    /// The expression that must not vanish for the replacement to be equivalent; `None` if it is a number.
    pub nonzero: Option<Expr>,
}
