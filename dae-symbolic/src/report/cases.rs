//! Cases in which the index is another, in the words of a report.
//!
//! In: [`Case`]s and the verdict of the model. Out: which of them the verdict is about, and what holds in the other.

use crate::index::Verdict;
use crate::notions::Case;
use crate::notions::cases::{Other, Scope, Side, Subject};

/// A condition on which the index depends.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct CaseReport {
    /// `parameters` or `solution`: what the condition is about.
    pub subject: &'static str,
    /// Where the system Jacobian is singular: `Cs = 0`.
    pub exceptional: String,
    /// Where it is generically regular: `Cs ≠ 0`.
    pub regular: String,
    /// `exceptional` or `regular`: the case of the model's own defaults and start values, which all other fields of the report are about.
    pub own: &'static str,
    /// Whether the regular case is every other value; otherwise there are further exceptions.
    pub every_other_value: bool,
    /// `exact`, `upper bound`, `not certified`, `ill-posed` or `not analysed`: what is known about the other case.
    pub other_verdict: &'static str,
    /// The index in the other case, if it is certified.
    pub other_index: Option<u32>,
    /// The point of the other case that was analysed: `Cs = 1`.
    pub analysed_at: Option<String>,
    /// All that in a sentence.
    pub statement: String,
}

impl CaseReport {
    pub(super) fn new(case: &Case, index: Option<u32>) -> Self {
        let (other_verdict, other_index) = match &case.other {
            Other::Verdict(Verdict::Exact(index)) => ("exact", Some(*index)),
            Other::Verdict(Verdict::AtMost { .. }) => ("upper bound", None),
            Other::Verdict(Verdict::NotCertified { .. }) => ("not certified", None),
            Other::IllPosed(_) => ("ill-posed", None),
            Other::Open => ("not analysed", None),
        };
        CaseReport {
            subject: match case.subject {
                Subject::Parameters => "parameters",
                Subject::Solution => "solution",
            },
            exceptional: case.exceptional.clone(),
            regular: case.regular.clone(),
            own: match case.own {
                Side::Exceptional => "exceptional",
                Side::Regular => "regular",
            },
            every_other_value: case.scope == Scope::Every,
            other_verdict,
            other_index,
            analysed_at: case.analysed_at.clone(),
            statement: statement(case, index),
        }
    }
}

/// `index 2 holds for Cs = 0; for Cs ≠ 0 it is 1`.
fn statement(case: &Case, index: Option<u32>) -> String {
    let what = index.map_or_else(|| "the verdict".to_string(), |index| format!("index {index}"));
    let almost = |regular: &str| match case.scope {
        Scope::Every => regular.to_string(),
        Scope::AlmostEvery => format!("almost all {regular}"),
    };
    let (own, other) = match (case.subject, case.own) {
        (Subject::Parameters, Side::Exceptional) => {
            (format!("for {}", case.exceptional), format!("for {}", almost(&case.regular)))
        }
        (Subject::Parameters, Side::Regular) => {
            (format!("for {}", almost(&case.regular)), format!("for {}", case.exceptional))
        }
        (Subject::Solution, Side::Exceptional) => {
            (format!("on this solution, where {}", case.exceptional), format!("where {}", case.regular))
        }
        (Subject::Solution, Side::Regular) => {
            (format!("on this solution while {}", case.regular), format!("where {}", case.exceptional))
        }
    };
    let certified = case.analysed_at.as_ref().map_or_else(String::new, |at| format!(" (certified at {at})"));
    match &case.other {
        Other::Verdict(Verdict::Exact(index)) if other == format!("for {}", case.exceptional) => {
            format!("{what} holds {own}; {other} it is {index}")
        }
        Other::Verdict(Verdict::Exact(index)) => format!("{what} holds {own}; {other} it is {index}{certified}"),
        Other::Verdict(Verdict::AtMost { bound, .. }) => {
            format!("{what} holds {own}; {other} it is at most {bound}{certified}")
        }
        Other::Verdict(Verdict::NotCertified { .. }) => format!("{what} holds {own}; {other} it is not known"),
        Other::IllPosed(kind) => format!("{what} holds {own}; {other} the model is {kind}"),
        Other::Open if case.own == Side::Regular => format!("{what} holds {own}"),
        Other::Open => format!("{what} holds {own}; {other} it may be another"),
    }
}
