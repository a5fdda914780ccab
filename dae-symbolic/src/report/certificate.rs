//! The certificate of a model, in the words of a report.
//!
//! In: an analysis. Out: every number a reader needs to check the claims: the point in the prime field and the determinant there,
//! the condition at the start values, the ranks of the derivative array.

use super::OffsetsReport;
use crate::index::{Analysis, GenericRegularity, LocalRegularity, LowerBound, Persistence, Shortfall, Verdict};
use crate::model::Model;

/// What is proved about the index.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct CertificateReport {
    /// `exact`, `upper bound` or `not certified`.
    pub verdict: &'static str,
    /// The verdict in a sentence.
    pub statement: String,
    /// What keeps it from being exact.
    pub reason: Option<String>,
    /// Bound of the index by a system Jacobian that is generically nonsingular.
    pub bound: Option<u32>,
    /// The system Jacobian at a generic point.
    pub generic: GenericReport,
    /// The system Jacobian at the consistent point that the start values lead to.
    pub local: LocalReport,
    /// The derivative array with one differentiation less.
    pub lower: LowerReport,
    /// Equations that were replaced by combinations, because leading parts cancel.
    pub rewrites: Vec<RewriteReport>,
    /// Canonical offsets of the system that is certified: the text with these replacements.
    pub offsets: OffsetsReport,
}

/// The system Jacobian at a generic point.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GenericReport {
    /// `nonsingular`, `singular` or `undecided`.
    pub status: &'static str,
    /// Its determinant in the prime field.
    pub determinant: Option<String>,
    /// The modulus.
    pub prime: Option<String>,
    /// The seed of the point.
    pub seed: Option<u64>,
    /// The point.
    pub point: Vec<PointValue>,
    /// What the proof takes for granted.
    pub assuming: Vec<String>,
    /// Number of points at which the determinant vanished.
    pub points: Option<usize>,
    /// Why it is undecided.
    pub reason: Option<String>,
}

/// A coordinate of a point in the prime field.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PointValue {
    /// `x`, `der(x)`, `t`.
    pub symbol: String,
    /// Its residue.
    pub value: String,
}

/// The system Jacobian at the start values.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LocalReport {
    /// `proven`, `numerical`, `singular`, `no consistent point` or `not attempted`.
    pub kind: &'static str,
    /// Condition number of the equilibrated Jacobian.
    pub condition: Option<f64>,
    /// Time of the point.
    pub t0: Option<f64>,
    /// Half width of the box that contains the consistent point.
    pub radius: Option<f64>,
    /// What stands in the way.
    pub reason: Option<String>,
}

/// The derivative array with one differentiation less.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LowerReport {
    /// `trivial`, `witness`, `smaller`, `unclear` or `not attempted`.
    pub status: &'static str,
    /// Number of differentiations of an array that does not do.
    pub differentiations: Option<u32>,
    /// Its rank.
    pub rank: Option<usize>,
    /// The rank at which it would determine all first derivatives.
    pub needed: Option<usize>,
    /// Smallest kept over largest dropped singular value.
    pub gap: Option<f64>,
    /// Number of differentiations that do, if that is less than the bound.
    pub sufficient: Option<u32>,
    /// Whether they provably do near the start values too.
    pub persistent: Option<bool>,
    /// Why there is no answer.
    pub reason: Option<String>,
}

/// An equation that was replaced by a combination.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct RewriteReport {
    /// Which.
    pub equation: usize,
    /// By what.
    pub combination: String,
}

impl CertificateReport {
    pub(super) fn new(model: &Model, analysis: &Analysis) -> Self {
        let certificate = &analysis.certificate;
        let (verdict, statement, reason) = match certificate.verdict() {
            Verdict::Exact(index) => {
                ("exact", format!("The differentiation index is {index}, certified at the start values."), None)
            }
            Verdict::AtMost { bound, reason } => {
                ("upper bound", format!("The differentiation index is at most {bound}."), Some(reason))
            }
            Verdict::NotCertified { reason } => {
                ("not certified", "The differentiation index is not certified.".into(), Some(reason))
            }
        };
        let rewrite =
            |r: &crate::index::Rewrite| RewriteReport { equation: r.equation + 1, combination: r.combination.clone() };
        CertificateReport {
            verdict,
            statement,
            reason,
            bound: matches!(certificate.generic, GenericRegularity::Nonsingular { .. }).then_some(certificate.bound),
            generic: GenericReport::new(model, &certificate.generic),
            local: LocalReport::new(&certificate.local),
            lower: LowerReport::new(&certificate.lower),
            rewrites: analysis.rewrites.iter().map(rewrite).collect(),
            offsets: OffsetsReport::new(&analysis.structure.offsets),
        }
    }
}

impl GenericReport {
    fn new(model: &Model, generic: &GenericRegularity) -> Self {
        let nothing = GenericReport {
            status: "",
            determinant: None,
            prime: None,
            seed: None,
            point: Vec::new(),
            assuming: Vec::new(),
            points: None,
            reason: None,
        };
        match generic {
            GenericRegularity::Nonsingular { determinant, prime, seed, point, assuming } => GenericReport {
                status: "nonsingular",
                determinant: Some(determinant.to_string()),
                prime: Some(prime.to_string()),
                seed: Some(*seed),
                point: point
                    .iter()
                    .map(|&(symbol, value)| PointValue { symbol: model.symbol_name(symbol), value: value.to_string() })
                    .collect(),
                assuming: assuming.clone(),
                ..nothing
            },
            GenericRegularity::Singular { points } => {
                GenericReport { status: "singular", points: Some(*points), ..nothing }
            }
            GenericRegularity::Undecided { reason } => {
                GenericReport { status: "undecided", reason: Some(reason.clone()), ..nothing }
            }
        }
    }
}

impl LocalReport {
    fn new(local: &LocalRegularity) -> Self {
        let nothing = LocalReport { kind: "", condition: None, t0: None, radius: None, reason: None };
        match local {
            &LocalRegularity::Proven { condition, t0, radius } => LocalReport {
                kind: "proven",
                condition: Some(condition),
                t0: Some(t0),
                radius: Some(radius),
                ..nothing
            },
            &LocalRegularity::Numerical { condition, t0 } => {
                LocalReport { kind: "numerical", condition: Some(condition), t0: Some(t0), ..nothing }
            }
            LocalRegularity::Singular { t0, message } => {
                LocalReport { kind: "singular", t0: Some(*t0), reason: Some(message.clone()), ..nothing }
            }
            LocalRegularity::NoConsistentPoint { message } => {
                LocalReport { kind: "no consistent point", reason: Some(message.clone()), ..nothing }
            }
            LocalRegularity::NotAttempted { reason } => {
                LocalReport { kind: "not attempted", reason: Some(reason.clone()), ..nothing }
            }
        }
    }
}

impl LowerReport {
    fn nothing() -> Self {
        LowerReport {
            status: "",
            differentiations: None,
            rank: None,
            needed: None,
            gap: None,
            sufficient: None,
            persistent: None,
            reason: None,
        }
    }

    fn lacking(shortfall: &Shortfall) -> Self {
        let &Shortfall { differentiations, rank, needed, gap } = shortfall;
        LowerReport {
            differentiations: Some(differentiations),
            rank: Some(rank),
            needed: Some(needed),
            gap: Some(gap),
            ..LowerReport::nothing()
        }
    }

    fn new(lower: &LowerBound) -> Self {
        let nothing = LowerReport::nothing();
        match lower {
            LowerBound::Trivial => LowerReport { status: "trivial", ..nothing },
            LowerBound::Witness(shortfall) => LowerReport { status: "witness", ..LowerReport::lacking(shortfall) },
            &LowerBound::Smaller { differentiations, persistence, witness } => LowerReport {
                status: "smaller",
                sufficient: Some(differentiations),
                persistent: Some(persistence == Persistence::Nearby),
                ..witness.as_ref().map_or(nothing, LowerReport::lacking)
            },
            &LowerBound::Unclear { gap } => LowerReport { status: "unclear", gap: Some(gap), ..nothing },
            &LowerBound::Insufficient { differentiations } => {
                LowerReport { status: "insufficient", differentiations: Some(differentiations), ..nothing }
            }
            LowerBound::NotAttempted { reason } => {
                LowerReport { status: "not attempted", reason: Some(reason.clone()), ..nothing }
            }
        }
    }
}
