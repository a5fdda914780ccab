//! The number of boundary conditions.
//!
//! In: a boundary value problem, and the certified number of degrees of freedom. Out: nothing, or an error that names
//! all conditions.

use super::problem::{BoundaryProblem, Source};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::index::Analysis;
use crate::model::Model;

/// The number of conditions that are named.
const SHOWN: usize = 12;

/// Checks the number of conditions, if the number of degrees of freedom is certified.
pub(super) fn check(model: &Model, analysis: &Analysis, problem: &BoundaryProblem) -> Result<(), Diagnostics> {
    let Some(degrees) = analysis.certificate.degrees_of_freedom() else { return Ok(()) };
    let free = problem.free(model);
    let (given, needed) = (problem.conditions.len(), degrees + free.len());
    if given == needed {
        return Ok(());
    }
    let more = given > needed;
    let counted = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
    let message = format!(
        "the model has {}, and {} needed",
        counted(given, "boundary condition"),
        if needed == 1 { "1 is".to_string() } else { format!("{needed} are") }
    );
    let label = if more { format!("{} too many", given - needed) } else { format!("{} missing", needed - given) };
    let mut finding = Diagnostic::error(Code::ConditionCount, message).label(problem.boundary.origin, label);
    if more {
        let starts = problem.conditions.iter().filter(|it| it.source == Source::Start).take(SHOWN);
        for it in starts {
            finding = finding.label(it.condition.origin, "a fixed start value is a condition");
        }
    }
    let freedom = match degrees {
        1 => "1 degree of freedom".to_string(),
        degrees => format!("{degrees} degrees of freedom"),
    };
    finding = finding.note(match free.as_slice() {
        [] => format!("the model has {freedom}, and no parameter and no end is free"),
        free => format!(
            "the model has {freedom}, and free {} `{}`",
            if free.len() == 1 { "is" } else { "are" },
            free.join("`, `")
        ),
    });
    let mut names: Vec<String> = problem.conditions.iter().take(SHOWN).map(|it| format!("`{}`", it.name)).collect();
    if given > SHOWN {
        names.push(format!("and {} more", given - SHOWN));
    }
    if !names.is_empty() {
        finding = finding.note(format!("the conditions are {}", names.join(", ")));
    }
    Err(finding
        .help(match more {
            true => {
                "remove a condition, write a start value as a guess, `~`, or let the conditions determine a parameter: `free name;`"
            }
            false => "add a condition such as `y(t_end) = 0;`, or a fixed start value, or take a quantity out of `free`",
        })
        .into())
}
