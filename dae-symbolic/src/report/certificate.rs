//! The certificate of a model, in the words of a report.
//!
//! In: an analysis. Out: every number a reader needs to check the claims: the point in the prime field and the determinant there,
//! the condition at the start values, the ranks of the derivative array.

use super::OffsetsReport;
use crate::index::array::{ArrayFinding, ArrayRanks, ArrayVerdict, ConstantRank};
use crate::index::{Analysis, GenericRegularity, Grounds, KernelVector, LocalRegularity, LowerBound, Rewrite, Verdict};
use crate::model::{Model, derivative_name};

/// What is proved about the index.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct CertificateReport {
    /// `exact`, `upper bound` or `not certified`.
    pub verdict: &'static str,
    /// `proved`: in interval arithmetic or by exact ranks; `numerical`: in floating-point arithmetic. `None` if nothing is certified.
    pub grounds: Option<&'static str>,
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
    /// Whether one differentiation less than the bound would do.
    pub lower: LowerReport,
    /// What the derivative array says, where it was asked because structure does not settle the index.
    pub array: Option<ArrayReport>,
    /// Canonical offsets of the system that is reduced: the text with its replacements.
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
/// Whether one differentiation less than the bound would do.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LowerReport {
    /// `trivial`, `witness`, `not found` or `not attempted`.
    pub status: &'static str,
    /// Number of differentiations of an array that does not do.
    pub differentiations: Option<u32>,
    /// A derivative that it leaves free.
    pub free: Option<String>,
    /// Its part of the largest component of the kernel vector that shows it.
    pub share: Option<f64>,
    /// Why there is no answer.
    pub reason: Option<String>,
}

/// What the derivative array of the text says.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ArrayReport {
    /// `index`, `no index`, `no consistent point` or `undecided`.
    pub verdict: &'static str,
    /// Ranks for 0, 1, … differentiations.
    pub ranks: Vec<RanksReport>,
    /// Number of points, the start values included, at which they agree.
    pub points: usize,
    /// `everywhere`: near the solution among all values (A2); `on solutions`: among consistent ones.
    pub constant_rank: Option<&'static str>,
    /// Whether the ranks are exact.
    pub exact: bool,
    /// Why there is no index.
    pub reason: Option<String>,
}

/// Ranks of a derivative array at the start values.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct RanksReport {
    /// Number of differentiations.
    pub differentiations: u32,
    /// Number of rows.
    pub rows: usize,
    /// Rank of the derivative by the derivatives above those of the states.
    pub higher: usize,
    /// Rank by these and the derivatives of the states.
    pub rates: usize,
    /// Rank by everything.
    pub all: usize,
    /// Whether the derivatives of the states are determined (A1).
    pub one_full: bool,
    /// Whether no row depends on the others (A3).
    pub full_row_rank: bool,
    /// Smallest kept over largest dropped pivot; `None` for exact ranks.
    pub gap: Option<f64>,
}

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

impl CertificateReport {
    /// How a statement about the index is qualified.
    pub(super) fn phrase(&self) -> &'static str {
        match self.grounds {
            Some("proved") => Grounds::Proved.phrase(),
            _ => Grounds::Numerical.phrase(),
        }
    }

    pub(super) fn new(model: &Model, analysis: &Analysis) -> Self {
        let certificate = &analysis.certificate;
        let how = certificate.grounds().phrase();
        let (verdict, statement, reason) = match certificate.verdict() {
            Verdict::Exact(index) => ("exact", format!("The differentiation index is {index}, {how}."), None),
            Verdict::AtMost { bound, reason } => {
                ("upper bound", format!("The differentiation index is at most {bound}, {how}."), Some(reason))
            }
            Verdict::NotCertified { reason } => {
                ("not certified", "The differentiation index is not certified.".into(), Some(reason))
            }
        };
        CertificateReport {
            verdict,
            grounds: (verdict != "not certified").then_some(match certificate.grounds() {
                Grounds::Proved => "proved",
                Grounds::Numerical => "numerical",
            }),
            statement,
            reason,
            bound: matches!(certificate.generic, GenericRegularity::Nonsingular { .. }).then_some(certificate.bound),
            generic: GenericReport::new(model, &certificate.generic),
            local: LocalReport::new(&certificate.local),
            lower: LowerReport::new(model, &certificate.lower),
            array: certificate.array.as_ref().map(ArrayReport::new),
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
    fn new(model: &Model, lower: &LowerBound) -> Self {
        let nothing = LowerReport { status: "", differentiations: None, free: None, share: None, reason: None };
        match lower {
            LowerBound::Trivial => LowerReport { status: "trivial", ..nothing },
            &LowerBound::Witness(KernelVector { differentiations, unknown, order, share }) => LowerReport {
                status: "witness",
                differentiations: Some(differentiations),
                free: Some(derivative_name(&model.unknowns[unknown].name, order)),
                share: Some(share),
                ..nothing
            },
            &LowerBound::NotFound { differentiations } => {
                LowerReport { status: "not found", differentiations: Some(differentiations), ..nothing }
            }
            LowerBound::NotAttempted { reason } => {
                LowerReport { status: "not attempted", reason: Some(reason.clone()), ..nothing }
            }
        }
    }
}

impl ArrayReport {
    fn new(finding: &ArrayFinding) -> Self {
        let (verdict, reason) = match &finding.verdict {
            ArrayVerdict::Index(_) => ("index", None),
            ArrayVerdict::NoIndex(_) | ArrayVerdict::Dependent { .. } => ("no index", None),
            ArrayVerdict::NoConsistentPoint { message, .. } => ("no consistent point", Some(message.clone())),
            ArrayVerdict::Undecided { reason } => ("undecided", Some(reason.clone())),
        };
        ArrayReport {
            verdict,
            ranks: finding.ranks.iter().map(RanksReport::new).collect(),
            points: finding.points,
            constant_rank: finding.constant_rank.map(|constant| match constant {
                ConstantRank::Everywhere => "everywhere",
                ConstantRank::OnSolutions => "on solutions",
            }),
            exact: finding.exact,
            reason,
        }
    }
}

impl RanksReport {
    fn new(ranks: &ArrayRanks) -> Self {
        RanksReport {
            differentiations: ranks.differentiations,
            rows: ranks.rows,
            higher: ranks.higher,
            rates: ranks.rates,
            all: ranks.all,
            one_full: ranks.is_one_full(),
            full_row_rank: ranks.has_full_row_rank(),
            gap: ranks.gap.is_finite().then_some(ranks.gap),
        }
    }
}

impl RewriteReport {
    pub(super) fn new(rewrite: &Rewrite) -> Self {
        let Rewrite { equation, combination, cancelling, before, after, nonzero } = rewrite.clone();
        let cancelling = cancelling.into_iter().map(|k| k + 1).collect();
        RewriteReport { equation: equation + 1, combination, cancelling, before, after, nonzero }
    }
}
