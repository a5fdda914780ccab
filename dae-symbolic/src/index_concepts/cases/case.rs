//! What is said of a condition on which the index depends.
//!
//! In: nothing. Out: the types of a [`Case`]: the condition, the side of it that the model is on, and the verdict on
//! the other.

use crate::index::{Grounds, ProblemKind, Verdict};

/// The largest number of conditions of each kind that are analysed on their other side; further ones are only listed.
pub(super) const MAX_CASES: usize = 6;

/// A condition on which the index depends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The subject of the condition: parameters or unknowns.
    pub subject: Subject,
    /// `Cs = 0`, `1 - x2 = 0`: where the system Jacobian is singular.
    pub exceptional: String,
    /// For parameters, the exceptional values one by one: `Cs = 0`.
    pub exceptional_values: Vec<String>,
    /// `Cs ≠ 0`: where it is generically regular.
    pub regular: String,
    /// On which side the model is, with its defaults and start values.
    pub own: Side,
    /// Whether the regular side is every other value, or almost every.
    pub scope: Scope,
    /// The verdict on the other side.
    pub other: Other,
    /// The point of the other side that was analysed: `Cs = 1`. `None` if none was.
    pub analysed_at: Option<String>,
}

/// The subject of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Values of parameters.
    Parameters,
    /// Values of unknowns.
    Solution,
}

/// A side of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Where the system Jacobian is singular.
    Exceptional,
    /// Where it is generically regular.
    Regular,
}

/// Which values the regular side consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All but the exceptional one.
    Every,
    /// There may be further exceptions.
    AlmostEvery,
}

/// What is known about the other side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Other {
    /// The model has this verdict there.
    Verdict(Verdict, Grounds),
    /// It is rejected there: ill-posed, or beyond what the analysis decides.
    Rejected(ProblemKind),
    /// It was not analysed.
    Open,
}

impl Other {
    pub(super) fn is_exact(&self) -> bool {
        matches!(self, Other::Verdict(Verdict::Exact(_), _))
    }
}
