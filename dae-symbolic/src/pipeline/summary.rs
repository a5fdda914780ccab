//! The summary at the head of the generated documentation.
//!
//! In: a compiled model. Out: index, degrees of freedom and hidden constraints in a few lines, in the words of the
//! report.

use super::compiled::{Compiled, HiddenConstraint};
use super::definitions::definitions_in;
use crate::first_integrals::FirstIntegral;
use crate::formulation::lie_groups;
use crate::index::{Verdict, at_defaults};
use crate::spelling::lines;
use crate::spelling::lists::{folded, listed};

/// The largest number of initial equations that are shown; a family has one for each of its members.
const SHOWN: usize = 12;

impl Compiled {
    /// Index, degrees of freedom and hidden constraints in a few lines, for the documentation of generated code.
    pub fn summary(&self) -> Vec<String> {
        let analysis = &self.analysis;
        let how = analysis.certificate.grounds().phrase();
        let exceptional = match analysis.exceptional.as_slice() {
            [] => String::new(),
            parameters => format!(", for {}", at_defaults(&self.model, parameters)),
        };
        let mut lines = vec![match analysis.certificate.verdict() {
            Verdict::Exact(index) => format!("Differentiation index {index}, {how}{exceptional}."),
            Verdict::AtMost { bound, reason } => {
                format!("Differentiation index at most {bound}, {how}{exceptional}: {reason}.")
            }
            Verdict::NotCertified { reason } => format!("Differentiation index not certified: {reason}."),
        }];
        let degrees = analysis.structure.degrees_of_freedom;
        if let Some(certified) = analysis.certificate.degrees_of_freedom() {
            lines.push(format!("Degrees of freedom: {certified}."));
        } else if analysis.certificate.has_reduction() {
            lines.push(format!("Degrees of freedom, generically: {degrees}."));
        }
        if !analysis.redundant.is_empty() {
            let names: Vec<String> = analysis.redundant.iter().map(|&i| self.model.equation_name(i)).collect();
            let (equations, unknowns) = (self.model.equations.len(), self.model.unknowns.len());
            let follows = if names.len() == 1 { "follows" } else { "follow" };
            let names = listed(&folded(&names));
            lines.push(format!("{equations} equations for {unknowns} unknowns: {names} {follows} from the others."));
        }
        if !self.hidden.is_empty() {
            lines.push(String::new());
            lines.push("Hidden constraints:".into());
            let constraint = |c: &HiddenConstraint| format!("* {}: {}", c.name, c.text);
            let hidden: Vec<String> = self.hidden.iter().map(constraint).collect();
            // The equations are counted in the text, which may have redundant ones, and not in the system.
            let domains = self.hidden.iter().map(|c| self.model.equations.get(c.equation).map(|e| &e.domain));
            lines.extend(lines::lines(domains.zip(hidden.iter().map(String::as_str))));
            let named = definitions_in(&self.model, hidden.iter().map(String::as_str));
            let values: Vec<String> = named.iter().map(|it| format!("where {} = {}", it.name, it.value)).collect();
            let lets = lines::lines(named.iter().map(|it| Some(&it.domain)).zip(values.iter().map(String::as_str)));
            lines.extend(lets.into_iter().flat_map(|line| [String::new(), line]));
        }
        for line in lie_groups(&self.model, self.lie.as_ref()) {
            lines.extend([String::new(), line]);
        }
        if !self.first_integrals.is_empty() {
            lines.push(String::new());
            lines.push("Invariants:".into());
            let line = |it: &FirstIntegral| format!("* {}: {}", it.name, it.verdict.text());
            lines.extend(self.first_integrals.iter().map(line));
        }
        if let Some(boundary) = &self.boundary {
            lines.push(String::new());
            lines.push("Boundary conditions:".into());
            lines.extend(boundary.spelled(&self.model).into_iter().map(|equation| format!("* {equation}")));
            let free: Vec<String> = boundary.free(&self.model).iter().map(|name| format!("`{name}`")).collect();
            if !free.is_empty() {
                lines.push(String::new());
                lines.push(format!("They determine {}.", free.join(", ")));
            }
        }
        if !self.initial_spelled.is_empty() {
            lines.push(String::new());
            lines.push("At the start:".into());
            lines.extend(self.initial_spelled.iter().take(SHOWN).map(|equation| format!("* {equation}")));
            if let Some(more) = self.initial_spelled.len().checked_sub(SHOWN).filter(|more| *more > 0) {
                lines.push(format!("* and {more} more"));
            }
        }
        let events = &self.model.events;
        if !events.list.is_empty() {
            lines.push(String::new());
            lines.push("Events:".into());
            lines.extend(events.list.iter().map(|event| format!("* {}", events.sentence(&self.model, event))));
        }
        let unknown = self.model.stand_ins();
        if !unknown.is_empty() {
            let names: Vec<String> = unknown.iter().map(|name| format!("`{name}`")).collect();
            lines.push(format!("Analysed with smooth functions in general position in place of {}.", names.join(", ")));
        }
        lines.extend(self.needs.iter().flat_map(|need| [String::new(), need.text()]));
        // A macro cannot warn, so warnings are part of the documentation of the model.
        for warning in &self.warnings {
            lines.push(String::new());
            lines.push(format!("Warning: {}.", warning.message));
            lines.extend(warning.notes.iter().map(|note| format!("* {note}")));
        }
        lines
    }
}
