//! The certificate of a model, in the words of a report.
//!
//! In: an analysis. Out: every number a reader needs to check the claims: the point in the prime field and the
//! determinant there, the condition number at the start values, the ranks of the derivative array.

use super::{ArrayReport, OffsetsReport};
use crate::index::{
    Analysis, GenericRegularity, Grounds, KernelVector, LocalRegularity, LowerBound, Unproved, Verdict,
};
use crate::model::{Model, derivative_name};

/// What is proved about the index.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct CertificateReport {
    /// `exact`, `upper bound` or `not certified`.
    pub verdict: &'static str,
    /// `proved`: in interval arithmetic or by exact ranks; `numerical`: in floating-point arithmetic. `None` if nothing
    /// is certified.
    pub grounds: Option<&'static str>,
    /// The verdict in a sentence.
    pub statement: String,
    /// The reason why the verdict is not `exact`.
    pub reason: Option<String>,
    /// The bound on the index from the offsets; `None` unless the system Jacobian is generically nonsingular.
    pub bound: Option<u32>,
    /// The system Jacobian at a generic point.
    pub generic: GenericReport,
    /// The system Jacobian at the consistent point that the start values lead to.
    pub local: LocalReport,
    /// Whether one differentiation fewer than the bound would suffice.
    pub lower: LowerReport,
    /// The verdict of the derivative array, where structure does not settle the index.
    pub array: Option<ArrayReport>,
    /// Canonical offsets of the system that is reduced: the text with its equations replaced as in `rewrites[]`, and
    /// without redundant ones.
    pub offsets: OffsetsReport,
}

/// The system Jacobian at a generic point.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GenericReport {
    /// `nonsingular`, `singular` or `undecided`.
    pub status: &'static str,
    /// Its determinant in the prime field, if that is not zero.
    pub determinant: Option<String>,
    /// The modulus.
    pub prime: Option<String>,
    /// The seed of the point.
    pub seed: Option<u64>,
    /// The point.
    pub point: Vec<PointValue>,
    /// The assumptions of the proof.
    pub assuming: Vec<String>,
    /// Number of points tried, at all of which the determinant vanished, if it is `singular`.
    pub points: Option<usize>,
    /// Why it is `undecided`.
    pub reason: Option<String>,
}

/// A coordinate of a point in the prime field.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PointValue {
    /// `x`, `der(x)`, `t`.
    pub symbol: String,
    /// Its value, a residue.
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
    /// Half width of the box around the computed point that contains the consistent one, relative to values above 1; if
    /// `proven`.
    pub radius: Option<f64>,
    /// Why regularity is not proved, or does not hold.
    pub reason: Option<String>,
}
/// Whether one differentiation fewer than the bound would suffice.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LowerReport {
    /// `trivial`, `witness`, `not found` or `not attempted`.
    pub status: &'static str,
    /// Number of differentiations of the array that was examined.
    pub differentiations: Option<u32>,
    /// A derivative that this array leaves free, if a `witness` was found.
    pub free: Option<String>,
    /// The component of the witness that belongs to this derivative, relative to the largest one of the stage at which
    /// the witness starts.
    pub share: Option<f64>,
    /// Why the question was not attempted.
    pub reason: Option<String>,
}

impl CertificateReport {
    /// The qualification of a statement about the index, such as `certified at the start values`.
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
            &LocalRegularity::Numerical { condition, t0, unproved } => LocalReport {
                kind: "numerical",
                condition: Some(condition),
                t0: Some(t0),
                reason: Some(why_unproved(unproved)),
                ..nothing
            },
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

/// Why regularity is not proved, as a clause.
fn why_unproved(unproved: Unproved) -> String {
    match unproved {
        Unproved::StandIns => {
            "it is not proved by intervals, because what is proved of a function that stands in for one of the \
                               caller is not proved of that one"
                .into()
        }
        Unproved::Tables => {
            "it is not proved by intervals, because the coefficients of the splines through tables are rounded".into()
        }
        Unproved::TooLarge(most) => format!(
            "it is not proved by intervals, because more than {most} equations have to be solved together, for which the proof is not made"
        ),
        Unproved::Redundant => {
            "that the redundant equations follow from the others is seen at random points, not proved".into()
        }
        Unproved::TooWide => "it is not proved by intervals, because they came out too wide near this point".into(),
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
