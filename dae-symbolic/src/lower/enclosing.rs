//! Loops and branches around the current statement.
//!
//! In: their heads. Out: what has to be known about them until they are closed.

use crate::model::family::Loop;
use crate::origin::Origin;
use crate::syntax::ast::{Expression, Range};

/// A loop around the current statement.
pub(super) struct OpenLoop<'a> {
    pub(super) name: &'a str,
    pub(super) range: Option<Range>,
    /// The half-open interval of its values, if that depends on no other loop variable.
    pub(super) interval: Option<(i64, i64)>,
    /// The first statement after its body.
    pub(super) end: usize,
    /// The numbers of local names and of local sub-expressions declared before it.
    pub(super) locals: usize,
    pub(super) definitions: usize,
    pub(super) origin: Origin,
}

impl OpenLoop<'_> {
    /// The loop with its interval, or with an empty range if that is not known.
    pub(super) fn hull(&self) -> Loop {
        let (start, end) = self.interval.unwrap_or((0, 0));
        Loop { name: self.name.to_string(), start, end }
    }
}

/// A branch around the current statement.
pub(super) struct OpenBranch {
    /// The conditions of the branches before it, which must fail, and its own, which must hold; `None` for an `else`.
    pub(super) before: Vec<Expression>,
    pub(super) condition: Option<Expression>,
    /// The first statement after its body.
    pub(super) end: usize,
    /// The numbers of local names and of local sub-expressions declared before it.
    pub(super) locals: usize,
    pub(super) definitions: usize,
}
