//! What is proved about the index, and what is not.
//!
//! In: the findings of the three checks. Out: a verdict that says no more than they do.

use crate::expr::Symbol;
use crate::expr::prime_field::FieldEvaluation;

/// Whether the system Jacobian is nonsingular at a generic point.
#[derive(Clone, Debug, PartialEq)]
pub enum GenericRegularity {
    /// $\det J$ has a nonzero value in the prime field.
    Nonsingular {
        /// The value.
        determinant: u64,
        /// The modulus.
        prime: u64,
        /// The seed from which the point was drawn.
        seed: u64,
        /// The point.
        point: Vec<(Symbol, u64)>,
        /// What the proof takes for granted, in words; empty if nothing.
        assuming: Vec<String>,
    },
    /// $\det J$ vanishes at every point tried: identically zero, but for a probability of about $10^{-18}$ per point.
    Singular {
        /// Number of points.
        points: usize,
    },
    /// The Jacobian has no value in the prime field.
    Undecided {
        /// Why.
        reason: String,
    },
}

/// Whether the system Jacobian is regular at the model's own consistent point.
#[derive(Clone, Debug, PartialEq)]
pub enum LocalRegularity {
    /// Proved in interval arithmetic, existence of the consistent point included.
    Proven {
        /// Condition number at the point.
        condition: f64,
        /// Time of the point.
        t0: f64,
        /// Half width of the box around the computed point that contains the exact one.
        radius: f64,
    },
    /// Regular in floating-point arithmetic.
    Numerical {
        /// Condition number of the equilibrated Jacobian.
        condition: f64,
        /// Time of the point.
        t0: f64,
    },
    /// Singular there: the index of the generic system does not hold on this solution.
    Singular {
        /// Time of the point.
        t0: f64,
        /// The equations and unknowns at fault, in words.
        message: String,
    },
    /// No consistent point was found from the start values.
    NoConsistentPoint {
        /// Why, in words.
        message: String,
    },
    /// The question was not asked.
    NotAttempted {
        /// Why.
        reason: String,
    },
}

/// Whether one differentiation less would do.
#[derive(Clone, Debug, PartialEq)]
pub enum LowerBound {
    /// The index is 0: there is nothing less.
    Trivial,
    /// It would not.
    Witness(Shortfall),
    /// It would: the index at the start values is smaller than the bound.
    Smaller {
        /// The least number of differentiations with which the array is 1-full at the consistent point.
        differentiations: u32,
        /// Whether it is 1-full nearby too.
        persistence: Persistence,
        /// What the array with one less lacks; `None` if its ranks are not clear.
        witness: Option<Shortfall>,
    },
    /// Not even the bound would do: the structure misleads, and nothing is certified.
    Insufficient {
        /// Number of differentiations of the array that is not 1-full.
        differentiations: u32,
    },
    /// Ranks could not be told apart from rounding.
    Unclear {
        /// Smallest kept over largest dropped singular value.
        gap: f64,
    },
    /// The question was not asked.
    NotAttempted {
        /// Why.
        reason: String,
    },
}

/// A derivative array that is not 1-full at the consistent point, because its rank falls short of $n + \operatorname{rank} G_w$.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shortfall {
    /// Number of differentiations of the array.
    pub differentiations: u32,
    /// $\operatorname{rank} (G_{u'}, G_w)$.
    pub rank: usize,
    /// $n + \operatorname{rank} G_w$, which 1-fullness needs.
    pub needed: usize,
    /// Smallest kept over largest dropped singular value, the worse of the two ranks.
    pub gap: f64,
}

/// Whether a derivative array that is 1-full at the consistent point is so in a neighbourhood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Persistence {
    /// It is: the rank of $G_w$ at the point is the generic one.
    Nearby,
    /// Not known: the rank of $G_w$ is larger at a generic point, which may be one of the solution.
    Unknown,
}

/// The three findings.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// What the structure and the rewrites bound the index by, if the system Jacobian is regular.
    pub bound: u32,
    /// At a generic point.
    pub generic: GenericRegularity,
    /// At the model's own point.
    pub local: LocalRegularity,
    /// With one differentiation less.
    pub lower: LowerBound,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The differentiation index along the solution through the model's start values.
    Exact(u32),
    /// It is at most this.
    AtMost {
        /// The bound.
        bound: u32,
        /// Why it is not known to be attained.
        reason: String,
    },
    /// Nothing is certified.
    NotCertified {
        /// Why.
        reason: String,
    },
}

impl Certificate {
    /// The answer that the findings support.
    pub fn verdict(&self) -> Verdict {
        let not_certified = |reason: String| Verdict::NotCertified { reason };
        match (&self.generic, &self.local) {
            (GenericRegularity::Singular { .. }, _) => not_certified(
                "the system Jacobian is identically singular and no combination of equations with constant coefficients mends it".into(),
            ),
            (_, LocalRegularity::Singular { t0, message }) => {
                not_certified(format!("the system Jacobian is singular at the start values, t = {t0}: {message}"))
            }
            (GenericRegularity::Undecided { reason }, _) => not_certified(reason.clone()),
            (_, LocalRegularity::NoConsistentPoint { message }) => not_certified(format!(
                "generically it is at most {}, but no consistent point was found from the start values: {message}",
                self.bound
            )),
            (_, LocalRegularity::NotAttempted { reason }) => {
                not_certified(format!("generically it is at most {}, but {reason}", self.bound))
            }
            (_, LocalRegularity::Numerical { .. } | LocalRegularity::Proven { .. }) => self.lower_verdict(),
        }
    }

    fn lower_verdict(&self) -> Verdict {
        let at_most = |bound: u32, reason: String| Verdict::AtMost { bound, reason };
        match &self.lower {
            LowerBound::Trivial | LowerBound::Witness(_) => Verdict::Exact(self.bound),
            LowerBound::Smaller { differentiations, persistence: Persistence::Nearby, witness: Some(_) } => {
                Verdict::Exact(*differentiations)
            }
            LowerBound::Smaller { differentiations, persistence: Persistence::Nearby, witness: None } => at_most(
                *differentiations,
                format!(
                    "the ranks of the derivative array with {} are not clear",
                    times(differentiations.saturating_sub(1))
                ),
            ),
            LowerBound::Smaller { differentiations, persistence: Persistence::Unknown, .. } => at_most(
                self.bound,
                format!(
                    "at the start values {} would do, but the rank of the derivative array may change along the solution",
                    times(*differentiations)
                ),
            ),
            LowerBound::Unclear { gap } => {
                at_most(self.bound, format!("ranks of the derivative array are not clear (gap {gap:.1e})"))
            }
            LowerBound::Insufficient { differentiations } => Verdict::NotCertified {
                reason: format!(
                    "the derivative array with {} is not 1-full at the start values, although the structure says that it should be",
                    times(*differentiations)
                ),
            },
            LowerBound::NotAttempted { reason } => at_most(self.bound, reason.clone()),
        }
    }

    /// Whether the constraints to differentiate are known: the system Jacobian is generically nonsingular and not known to be singular
    /// at the start values.
    pub fn has_reduction(&self) -> bool {
        matches!(self.generic, GenericRegularity::Nonsingular { .. })
            && !matches!(self.local, LocalRegularity::Singular { .. })
    }

    /// Whether the system Jacobian is regular at the model's own consistent point: then the degrees of freedom are those of the
    /// structure and the index is at most the bound.
    pub fn is_regular(&self) -> bool {
        matches!(self.local, LocalRegularity::Numerical { .. } | LocalRegularity::Proven { .. })
            && !matches!(self.lower, LowerBound::Insufficient { .. })
    }
}

/// `1 differentiation`, `2 differentiations`.
fn times(n: u32) -> String {
    format!("{n} differentiation{}", if n == 1 { "" } else { "s" })
}

impl GenericRegularity {
    pub(super) fn from_evaluation(evaluation: FieldEvaluation, determinant: u64, assuming: Vec<String>) -> Self {
        GenericRegularity::Nonsingular {
            determinant,
            prime: evaluation.prime,
            seed: evaluation.seed,
            point: evaluation.point,
            assuming,
        }
    }
}
