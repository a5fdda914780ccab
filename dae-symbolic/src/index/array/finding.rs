//! What the derivative array says about the index.
//!
//! In: ranks and points at which they were taken. Out: [`ArrayFinding`], the verdict with its grounds.

use super::matrix::ArrayRanks;

/// The freedom that is left in a system without an index.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeDirections {
    /// Unknowns whose derivative the system does not determine.
    pub unknowns: Vec<usize>,
    /// A direction in which the solution may be changed: unknown and component, the largest being one.
    pub direction: Vec<(usize, f64)>,
    /// Rows of the array, by equation and number of differentiations, that depend on one another at the start values:
    /// any one of them may be dropped. Empty if the rows are independent.
    pub dependent: Vec<(usize, u32)>,
    /// The number of free functions.
    pub functions: usize,
    /// Dimension of the set of consistent states, which more differentiations do not change.
    pub dimension: usize,
    /// Number of differentiations examined.
    pub differentiations: u32,
}

/// The answer of the derivative array.
#[derive(Clone, Debug, PartialEq)]
pub enum ArrayVerdict {
    /// The differentiation index along the solution.
    Index(u32),
    /// There is no index: part of the solution is free.
    NoIndex(FreeDirections),
    /// There is no index: rows of the array, by equation and number of differentiations, depend on one another whatever
    /// the values are, although there are no more equations than unknowns. So do their derivatives, so that more and
    /// more derivatives stay free, or nothing fulfils the equations at all.
    Dependent {
        /// The rows.
        rows: Vec<(usize, u32)>,
    },
    /// No jets near the start values fulfil the array.
    NoConsistentPoint {
        /// Why, in words.
        message: String,
        /// The rows that contradict one another, by equation and number of differentiations; empty if none are known to
        /// do so.
        contradiction: Vec<(usize, u32)>,
        /// The rows that contradict one another, to first order, where the search ends even if all jets may move; empty
        /// if there are none.
        nearby: Vec<String>,
    },
    /// It could not be decided.
    Undecided {
        /// Why.
        reason: String,
    },
}

/// Where the ranks of the array are constant (A2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstantRank {
    /// In a neighbourhood of the solution among all jets: the ranks are the generic ones.
    Everywhere,
    /// On the set of consistent jets, as far as neighbouring points show; elsewhere the ranks are larger.
    OnSolutions,
}

/// The verdict of the derivative array, and its grounds.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayFinding {
    /// The verdict.
    pub verdict: ArrayVerdict,
    /// Ranks at the start values for $0, 1, \dots$ differentiations, up to the index where there is one.
    pub ranks: Vec<ArrayRanks>,
    /// Number of points, the start values included, at which the ranks agree.
    pub points: usize,
    /// How A2 was checked; `None` if it was not.
    pub constant_rank: Option<ConstantRank>,
    /// Whether the ranks are exact ones of a prime field, taken at the start time.
    pub exact: bool,
}

impl ArrayFinding {
    pub(super) fn without(verdict: ArrayVerdict, ranks: Vec<ArrayRanks>) -> ArrayFinding {
        ArrayFinding { verdict, ranks, points: 1, constant_rank: None, exact: false }
    }

    /// The dimension of the set of consistent states after $0, 1, \dots$ differentiations.
    pub fn manifold_dimensions(&self) -> Vec<usize> {
        self.ranks.iter().map(ArrayRanks::manifold_dimension).collect()
    }
}

/// `1 differentiation`, `2 differentiations`.
pub(crate) fn times(n: u32) -> String {
    format!("{n} differentiation{}", if n == 1 { "" } else { "s" })
}
