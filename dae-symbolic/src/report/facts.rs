//! The main results, in the order in which a reader asks for them.
//!
//! In: a [`Report`]. Out: headings and sentences, identical in text, LaTeX and HTML.

use super::Report;
use super::cases::statements;
use super::modes;
use super::sentences::count;
use crate::spelling::lists::folded;

/// The largest numbers of initial equations, events and modes that are shown one by one; a family has one for each of its
/// members.
const SHOWN: usize = 12;

/// The main results: headings, each with a sentence. An empty heading continues the one above it.
pub(super) fn facts(report: &Report) -> Vec<(String, String)> {
    let mut list = Vec::new();
    let mut say = |what: &str, answer: String| list.push((what.to_string(), answer));
    if let Some(certificate) = &report.certificate {
        let reason = certificate.reason.as_deref().unwrap_or_default();
        say(
            "differentiation index",
            match (report.differentiation_index, report.index_upper_bound) {
                (Some(index), _) => format!("{index}, {}", certificate.phrase()),
                (None, Some(bound)) => format!("at most {bound}, {}: {reason}", certificate.phrase()),
                (None, None) => format!("not certified: {reason}"),
            },
        );
    }
    statements(&report.cases).into_iter().for_each(|statement| say("", statement));
    if !report.stand_ins.is_empty() {
        say("in general position", report.stand_ins.join(", "));
    }
    if let Some(degrees) = report.degrees_of_freedom {
        say("degrees of freedom", degrees.to_string());
    }
    if report.manifold_dimensions.len() > 1 {
        let list: Vec<String> = report.manifold_dimensions.iter().map(usize::to_string).collect();
        say("consistent states", format!("of dimension {} after 0, 1, … differentiations", list.join(", ")));
    }
    for invariant in &report.invariants {
        say("invariant", format!("{} = {}: {}", invariant.name, invariant.value, invariant.grounds));
    }
    if !report.discrete_variables.is_empty() {
        let names = folded(&report.discrete_variables).join(", ");
        say("discrete variables", format!("{names}, among the degrees of freedom"));
    }
    for equation in report.initial_equations.iter().take(SHOWN) {
        let (name, equation) = equation.split_once(": ").unwrap_or(("at the start", equation));
        say(name, equation.to_string());
    }
    if let Some(more) = report.initial_equations.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        say("", format!("and {more} more initial equations"));
    }
    for (head, line) in modes::lines(&report.modes, SHOWN) {
        say(&head, line);
    }
    for event in report.events.iter().take(SHOWN) {
        let mut parts = event.changes.clone();
        parts.extend(event.message.iter().map(|text| format!("\"{text}\"")));
        parts.extend(event.is_terminal.then(|| "the run ends".to_string()));
        say(&format!("when {}", event.name), parts.join(", "));
    }
    if let Some(more) = report.events.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        say("", format!("and {more} more events"));
    }
    if let Some(boundary) = &report.boundary {
        for condition in &boundary.conditions {
            say("boundary condition", condition.equation.clone());
        }
        if !boundary.free.is_empty() {
            say("free", format!("{}, by the boundary conditions", boundary.free.join(", ")));
        }
    }
    if report.degrees_of_freedom == Some(0) && report.differentiation_index.is_some() {
        say("", "the consistent states are isolated points at every time".into());
    }
    if let Some(size) = report.hessenberg {
        say("classification", format!("Hessenberg form of size {size}"));
    }
    if let (Some(index), Some(degrees)) = (report.structural_index, report.structural_degrees_of_freedom) {
        let misleads = if report.sigma_jacobian_singular == Some(true) { "; misleading" } else { "" };
        let degrees = count(degrees, "degree");
        say("structural index", format!("{index}, with {degrees} of freedom, of the text as written{misleads}"));
    } else if let Some(status) = report.structural_status {
        say("structure", status.into());
    }
    if let Some(explanation) = &report.explanation {
        say("", explanation.clone());
    }
    if !report.redundant_equations.is_empty() {
        let verb = if report.redundant_equations.len() == 1 { "follows" } else { "follow" };
        say("redundant", format!("{} {verb} from the others", folded(&report.redundant_equations).join(", ")));
    }
    let notions = &report.notions;
    if let Some(reason) = &notions.perturbation {
        let index = report.perturbation_index.map_or_else(String::new, |index| format!("{index}: "));
        say("perturbation index", format!("{index}{reason}"));
    }
    if let (Some(index), Some(reason)) = (report.strangeness_index, &notions.strangeness) {
        say("strangeness index", format!("{index}: {reason}"));
    }
    if let Some(kronecker) = &notions.kronecker {
        let index = report.kronecker_index.map_or_else(String::new, |index| format!("{index}: "));
        say("Kronecker index", format!("{index}{}", kronecker.sentence()));
        if !kronecker.null_vector.is_empty() {
            say("null vector", format!("{}, for every function φ", kronecker.null_vector.join(", ")));
        }
        if let Some(combination) = &kronecker.dependent_equations {
            say("dependent equations", format!("all unknowns cancel in {combination}"));
        }
    }
    notions.warnings.iter().for_each(|warning| say("warning", warning.clone()));
    list
}
