//! Cases: values of parameters, and sets of solutions, with a different index.
//!
//! In: a model and what its analysis found. Out: for conditions under which $\det J$ vanishes although it does not
//! vanish identically, the side on which the model is, and the verdict on the other side, where the model is analysed
//! again.
//!
//! `case.rs` is what is said of a condition, `other_side.rs` the analysis on its other side.
//!
//! | file | condition |
//! |---|---|
//! | `parameters.rs` | $p = p_0$ makes $\det J(\cdot, p)$ vanish identically: entries and minors that contain the parameter |
//! | `solution.rs` | a factor of $\det J$, from a small diagonal block of its block-triangular form, vanishes at some values of the unknowns |

mod case;
mod other_side;
mod parameters;
mod solution;

pub use case::{Case, Other, Scope, Side, Subject};

use crate::index::{Analysis, Limits};
use crate::model::{Model, Work};

/// The conditions on which the verdict depends.
pub(super) fn cases(model: &mut Model, analysis: &Analysis, t0: f64) -> Vec<Case> {
    if !analysis.is_generically_regular() {
        return Vec::new();
    }
    let own_work = std::mem::replace(&mut model.work, Work::new(Limits::DEFAULT.operations_for_variants));
    let mut list = parameters::cases(model, analysis, t0);
    if analysis.exceptional.is_empty() {
        list.extend(solution::cases(model, analysis, t0));
    }
    model.work = own_work;
    // Where the index is the same, nothing depends on the condition.
    let own = analysis.certificate.verdict();
    list.retain(|case| !matches!(&case.other, Other::Verdict(other, _) if *other == own));
    list
}
