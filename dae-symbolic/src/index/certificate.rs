//! What is proved about the index, and what is not.
//!
//! In: the findings about generic regularity, regularity at the model's own point, the lower bound, and the derivative
//! array. Out: a verdict that says no more than they do.

use super::array::{ArrayFinding, ArrayVerdict, times};
use super::limits;
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
        /// The assumptions of the proof, in words; empty if there are none.
        assuming: Vec<String>,
    },
    /// $\det J$ vanishes at every point tried: it is identically zero, but for a probability of about $10^{-18}$ per
    /// point.
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
        /// Condition number of the equilibrated Jacobian.
        condition: f64,
        /// Time of the point.
        t0: f64,
        /// Half the width, relative to each jet (at least 1), of a box around the computed point that contains the
        /// exact one.
        radius: f64,
    },
    /// Regular in floating-point arithmetic.
    Numerical {
        /// Condition number of the equilibrated Jacobian.
        condition: f64,
        /// Time of the point.
        t0: f64,
        /// Why it is not proved.
        unproved: Unproved,
    },
    /// Singular there, or not to be told from a singular matrix: the index for generic values need not hold on this
    /// solution.
    Singular {
        /// Time of the point.
        t0: f64,
        /// What makes it singular, in words.
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

impl LocalRegularity {
    /// The radius, relative to each jet (at least 1), of a box around the computed point that contains the exact one:
    /// proved if regularity is, otherwise taken for granted.
    pub(super) fn radius(&self, limits: &limits::Local) -> f64 {
        match self {
            LocalRegularity::Proven { radius, .. } => *radius,
            _ => limits.computed_radius,
        }
    }

    /// Whether a consistent point was found at which the system Jacobian is regular.
    pub fn is_regular(&self) -> bool {
        matches!(self, LocalRegularity::Numerical { .. } | LocalRegularity::Proven { .. })
    }
}

/// Why regularity is not proved in interval arithmetic where it holds in floating-point arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unproved {
    /// Other functions stood in for those of the caller.
    StandIns,
    /// The splines through tables have rounded coefficients.
    Tables,
    /// More equations than this, the limit of the proof, have to be solved together.
    TooLarge(usize),
    /// The enclosures were too wide, or the equations jump near the point.
    TooWide,
    /// The redundant equations were seen to hold at points, not proved to hold everywhere.
    Redundant,
}

/// Whether one differentiation fewer than the structural bound would suffice.
#[derive(Clone, Debug, PartialEq)]
pub enum LowerBound {
    /// The bound is 0: there is nothing less.
    Trivial,
    /// One differentiation fewer does not suffice: a direction that the derivative array leaves free.
    Witness(KernelVector),
    /// No such direction was found: fewer differentiations may suffice.
    NotFound {
        /// Number of differentiations of the array.
        differentiations: u32,
    },
    /// The question was not asked.
    NotAttempted {
        /// Why.
        reason: String,
    },
}

/// A direction in which the derivative array at the consistent point allows $u'$ to move: it is not 1-full.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelVector {
    /// Number of differentiations of the array.
    pub differentiations: u32,
    /// An unknown that moves.
    pub unknown: usize,
    /// The order of its derivative that moves.
    pub order: u32,
    /// The size of its component relative to the largest one of the stage at which the vector starts.
    pub share: f64,
}

/// What is known about the index, from the structure and the derivative array.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// The bound on the index from the structure and the rewrites, if the system Jacobian is regular.
    pub bound: u32,
    /// Structural degrees of freedom, if the system Jacobian is regular.
    pub structural_degrees: usize,
    /// Regularity of the system Jacobian at a generic point.
    pub generic: GenericRegularity,
    /// Regularity of the system Jacobian at the model's own consistent point.
    pub local: LocalRegularity,
    /// Whether one differentiation fewer would suffice.
    pub lower: LowerBound,
    /// The derivative array, where structure does not settle the index from both sides.
    pub array: Option<ArrayFinding>,
}

/// What is certified about the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The differentiation index along the solution through the model's start values.
    Exact(u32),
    /// The index is at most the bound.
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

/// The grounds of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grounds {
    /// Regularity at the start values is proved in interval arithmetic, or the ranks of the derivative array are exact.
    Proved,
    /// Regularity or ranks at the start values are established numerically.
    Numerical,
}

impl Grounds {
    /// The qualification of a statement about the index, identical in every report.
    pub fn phrase(self) -> &'static str {
        match self {
            Grounds::Proved => "certified at the start values",
            Grounds::Numerical => "established numerically at the start values",
        }
    }
}

impl Certificate {
    /// The grounds of the verdict: the derivative array where that decides, otherwise the regularity of the system
    /// Jacobian.
    pub fn grounds(&self) -> Grounds {
        let proved = match &self.array {
            Some(finding) if matches!(finding.verdict, ArrayVerdict::Index(_)) => finding.exact,
            _ => matches!(self.local, LocalRegularity::Proven { .. }),
        };
        if proved { Grounds::Proved } else { Grounds::Numerical }
    }

    /// The answer that the findings support.
    pub fn verdict(&self) -> Verdict {
        match self.array.as_ref().map(|finding| &finding.verdict) {
            Some(&ArrayVerdict::Index(index)) if self.contradicts(index) => Verdict::NotCertified {
                reason: format!(
                    "the derivative array says {index} and the structure at most {}: numerical trouble at the start values",
                    self.bound
                ),
            },
            Some(&ArrayVerdict::Index(index)) => Verdict::Exact(index),
            Some(ArrayVerdict::NoIndex(_)) => {
                Verdict::NotCertified { reason: "the derivative array leaves part of the solution free".into() }
            }
            Some(ArrayVerdict::Dependent { .. }) => {
                Verdict::NotCertified { reason: "the equations depend on one another".into() }
            }
            Some(ArrayVerdict::NoConsistentPoint { message, .. }) => self.structural(Some(message)),
            Some(ArrayVerdict::Undecided { reason }) => self.structural(Some(reason)),
            None => self.structural(None),
        }
    }

    /// Whether the structural proof at the same point excludes the index found from the array.
    fn contradicts(&self, index: u32) -> bool {
        self.is_regular() && index > self.bound
    }

    /// The verdict that the structure supports; `array` says why the derivative array does not say more.
    fn structural(&self, array: Option<&String>) -> Verdict {
        let because = |reason: String| match array {
            Some(why) => format!("{reason}; {why}"),
            None => reason,
        };
        let not_certified = |reason: String| Verdict::NotCertified { reason: because(reason) };
        match (&self.generic, &self.local) {
            (GenericRegularity::Singular { .. }, _) => not_certified(
                "the system Jacobian is identically singular and no combination of equations mends it".into(),
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
            (_, LocalRegularity::Numerical { .. } | LocalRegularity::Proven { .. }) => match &self.lower {
                LowerBound::Trivial | LowerBound::Witness(_) => Verdict::Exact(self.bound),
                LowerBound::NotFound { differentiations } => Verdict::AtMost {
                    bound: self.bound,
                    reason: because(format!("perhaps {} do", times(*differentiations))),
                },
                LowerBound::NotAttempted { reason } => {
                    Verdict::AtMost { bound: self.bound, reason: because(reason.clone()) }
                }
            },
        }
    }

    /// The dimension of the set of consistent states; `None` if it is not certified, or structure and derivative array
    /// disagree.
    pub fn degrees_of_freedom(&self) -> Option<usize> {
        let of_array = match &self.array {
            Some(finding) if matches!(finding.verdict, ArrayVerdict::Index(_)) => {
                finding.ranks.last().map(|ranks| ranks.manifold_dimension())
            }
            _ => None,
        };
        match (of_array, self.is_regular().then_some(self.structural_degrees)) {
            (Some(a), Some(b)) => (a == b).then_some(a),
            (a, b) => a.or(b),
        }
    }

    /// Whether the constraints to differentiate are known: the system Jacobian is generically nonsingular and not known
    /// to be singular at the start values.
    pub fn has_reduction(&self) -> bool {
        matches!(self.generic, GenericRegularity::Nonsingular { .. })
            && !matches!(self.local, LocalRegularity::Singular { .. })
    }

    /// Whether the system Jacobian is regular at the model's own consistent point: then the degrees of freedom are
    /// those of the structure and the index is at most the bound.
    pub fn is_regular(&self) -> bool {
        self.local.is_regular() && matches!(self.generic, GenericRegularity::Nonsingular { .. })
    }
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
