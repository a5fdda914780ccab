//! Cases with a different index, in the words of a report.
//!
//! In: [`Case`]s and the index of the model, if it is certified. Out: the side of each condition that the model is on,
//! and what holds on the other.

use crate::index::{Grounds, ProblemKind, Verdict};
use crate::index_concepts::Case;
use crate::index_concepts::cases::{Other, Scope, Side, Subject};
use crate::spelling::lists::listed;

const NOT_ANALYSED: &str = "not analysed";

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
    /// `exceptional` or `regular`: the case of the model's own defaults and start values, which all other fields of the
    /// report are about.
    pub own: &'static str,
    /// Whether the regular case comprises every value that is not exceptional; otherwise there are further exceptions.
    pub every_other_value: bool,
    /// `exact`, `upper bound`, `not certified`, `ill-posed` or `not analysed`: the finding about the other case.
    pub other_verdict: &'static str,
    /// The index in the other case, if it is certified.
    pub other_index: Option<u32>,
    /// The point of the other case that was analysed, such as `Cs = 1`; `None` if none was.
    pub analysed_at: Option<String>,
    /// The case in a sentence.
    pub statement: String,
}

impl CaseReport {
    pub(super) fn new(case: &Case, index: Option<u32>) -> Self {
        let (other_verdict, other_index) = match &case.other {
            Other::Verdict(Verdict::Exact(index), _) => ("exact", Some(*index)),
            Other::Verdict(Verdict::AtMost { .. }, _) => ("upper bound", None),
            Other::Verdict(Verdict::NotCertified { .. }, _) => ("not certified", None),
            Other::Rejected(ProblemKind::Undecided | ProblemKind::TooLong) => ("not certified", None),
            Other::Rejected(_) => ("ill-posed", None),
            Other::Open => (NOT_ANALYSED, None),
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

/// `index 2 holds for Cs = 0; for Cs ≠ 0 the index is 0`.
fn statement(case: &Case, index: Option<u32>) -> String {
    let what = index.map_or_else(|| "the verdict".to_string(), |index| format!("index {index}"));
    let Case { exceptional, regular, .. } = case;
    let almost = match case.scope {
        Scope::Every => "",
        Scope::AlmostEvery => "almost all ",
    };
    let (own, other) = match (case.subject, case.own) {
        (Subject::Parameters, Side::Exceptional) => (format!("for {exceptional}"), format!("for {almost}{regular}")),
        (Subject::Parameters, Side::Regular) => (format!("for {almost}{regular}"), format!("for {exceptional}")),
        (Subject::Solution, Side::Exceptional) => {
            (format!("on this solution, where {exceptional}"), format!("where {regular}"))
        }
        (Subject::Solution, Side::Regular) => {
            (format!("on this solution while {regular}"), format!("where {exceptional}"))
        }
    };
    let found = match &case.other {
        Other::Verdict(Verdict::Exact(index), _) => format!("the index is {index}"),
        Other::Verdict(Verdict::AtMost { bound, .. }, _) => format!("the index is at most {bound}"),
        Other::Verdict(Verdict::NotCertified { .. }, _) => "the index is not known".into(),
        Other::Rejected(kind) => rejected(*kind).into(),
        Other::Open if case.own == Side::Regular => return format!("{what} holds {own}"),
        Other::Open => "the index may be another".into(),
    };
    // An exceptional condition such as `Cs = 0` may itself be the point that was analysed; it is not said twice.
    let place = case.analysed_at.as_ref().filter(|&at| at != exceptional);
    let grounds = match (&case.other, place) {
        (Other::Verdict(Verdict::Exact(_) | Verdict::AtMost { .. }, grounds), Some(at)) => match grounds {
            Grounds::Proved => format!(" (certified at {at})"),
            Grounds::Numerical => format!(" (numerically, at {at})"),
        },
        _ => String::new(),
    };
    format!("{what} holds {own}; {other} {found}{grounds}{}", hint(case))
}

/// A hint to declare a constant in place of a parameter whose exceptional value is meant for good; empty on any other
/// side of a condition.
fn hint(case: &Case) -> String {
    match (case.subject, case.own) {
        (Subject::Parameters, Side::Exceptional) => {
            let constants: Vec<String> = case.exceptional_values.iter().map(|at| format!("`const {at};`")).collect();
            let verb = if constants.len() == 1 { "this value is" } else { "these values are" };
            format!("; if {verb} meant for good, write {} in place of `param`", listed(&constants))
        }
        (Subject::Parameters, Side::Regular) | (Subject::Solution, _) => String::new(),
    }
}

/// Why the model is rejected on the other side, as a clause.
fn rejected(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::StructurallySingular => "the model is structurally singular",
        ProblemKind::Overdetermined => "there are too many equations",
        ProblemKind::Underdetermined => "there are too few equations",
        ProblemKind::SingularPencil => "the pencil is singular, and no solution is determined",
        ProblemKind::NotUnique => "the solution is not unique",
        ProblemKind::Contradictory => "the equations contradict one another",
        ProblemKind::Undecided => "the index was not found",
        ProblemKind::TooLong => "the derivatives are too long for an index to be found",
    }
}

/// If there are more conditions than this whose exceptional side was not analysed, one sentence reports them all.
const OPEN: usize = 3;

/// The sentences about all cases; a single one for those whose exceptional side was not analysed, if there are more
/// than [`OPEN`] of them.
pub(super) fn statements(cases: &[CaseReport]) -> Vec<String> {
    let is_open = |case: &&CaseReport| case.other_verdict == NOT_ANALYSED && case.own == "regular";
    let (open, mut list): (Vec<&CaseReport>, Vec<&CaseReport>) = cases.iter().partition(is_open);
    if open.len() <= OPEN {
        list.extend(open);
        return list.iter().map(|case| case.statement.clone()).collect();
    }
    let named: Vec<&str> = open[..OPEN].iter().map(|case| case.exceptional.as_str()).collect();
    let rest = format!(
        "it may be another where {} or under {} more conditions of this kind, which were not looked into",
        named.join(", "),
        open.len() - OPEN
    );
    list.iter().map(|case| case.statement.clone()).chain([rest]).collect()
}
