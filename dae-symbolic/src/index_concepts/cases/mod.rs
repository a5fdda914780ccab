//! Cases: values of parameters, and sets of solutions, with a different index.
//!
//! In: a model and what its analysis found. Out: for each condition under which $\det J$ vanishes although it does not
//! vanish identically, on which side of it the model is, and the verdict on the other side: the model is analysed again
//! there, with all its start values as guesses, since fixed ones belong to the case for which they were written.
//!
//! | file | condition |
//! |---|---|
//! | `parameters.rs` | $p = p_0$ makes $\det J(\cdot, p)$ vanish identically: entries and minors that contain the parameter |
//! | `solution.rs` | a factor of $\det J$, from a small diagonal block of its block-triangular form, vanishes at some values of the unknowns |

mod parameters;
mod solution;

use dae_runtime::contract::Start;

use crate::expr::reachable;
use crate::index::{Analysis, Grounds, Limits, ProblemKind, Verdict, analyse};
use crate::model::Model;

/// In models with more than this many unknowns the other side is not analysed.
const MAX_UNKNOWNS: usize = 60;
/// In models whose equations have more than this many expressions the other side is not analysed.
const MAX_EXPRESSIONS: usize = 150;
/// The number of conditions of each kind that are analysed on their other side; the others are only listed.
const MAX_CASES: usize = 6;

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
    /// There are further exceptions.
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

/// The conditions on which the verdict depends.
pub(super) fn cases(model: &mut Model, analysis: &Analysis, t0: f64) -> Vec<Case> {
    if !analysis.is_generically_regular() {
        return Vec::new();
    }
    let mut list = parameters::cases(model, analysis, t0);
    if analysis.exceptional.is_empty() {
        list.extend(solution::cases(model, analysis, t0));
    }
    // Where the index is the same, nothing depends on the condition.
    let own = analysis.certificate.verdict();
    list.retain(|case| !matches!(&case.other, Other::Verdict(other, _) if *other == own));
    list
}

/// The verdict on a variant of the model.
fn verdict_of(model: &Model, vary: impl FnOnce(&mut Model), t0: f64) -> (Other, Option<Analysis>) {
    let equations = model.equations.iter().map(|equation| equation.residual);
    if model.unknowns.len() > MAX_UNKNOWNS || reachable(&model.dag, equations).len() > MAX_EXPRESSIONS {
        return (Other::Open, None);
    }
    let mut other = model.clone();
    for unknown in &mut other.unknowns {
        let derivatives = unknown.derivative_starts.iter_mut().map(|(_, start)| start);
        for start in unknown.start.iter_mut().chain(derivatives).filter(|start| start.kind == Start::Fixed) {
            start.kind = Start::Guess;
        }
    }
    vary(&mut other);
    match analyse(&mut other, t0, &Limits::DEFAULT) {
        Ok(analysis) => {
            let certificate = &analysis.certificate;
            (Other::Verdict(certificate.verdict(), certificate.grounds()), Some(analysis))
        }
        Err((problem, _)) => (Other::Rejected(problem.kind), None),
    }
}

impl Other {
    fn is_exact(&self) -> bool {
        matches!(self, Other::Verdict(Verdict::Exact(_), _))
    }
}
