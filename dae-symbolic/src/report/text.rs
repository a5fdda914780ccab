//! A report for people.
//!
//! In: a [`Report`]. Out: text that answers in the order in which one asks: is the index known, how many start values may be chosen,
//! which constraints are hidden, in which forms can it be integrated, and what is all that based on.

use std::fmt::{self, Display, Formatter};

use super::{
    ArrayReport, CertificateReport, EliminatedReport, FormReport, GenericReport, HiddenReport, InitialReport,
    LocalReport, LowerReport, Report, RewriteReport, StateReport,
};

/// Sentences are folded at this width.
const WIDTH: usize = 110;
/// In larger models the values of the states are not listed.
const LISTED: usize = 30;

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = self.name.as_deref().unwrap_or("(unnamed)");
        let (m, n) = (count(self.equations.len(), "equation"), count(self.unknowns.len(), "unknown"));
        writeln!(f, "{name}: {m}, {n}\n")?;
        self.answers(f)?;
        self.offsets(f)?;
        if !self.rewrites.is_empty() {
            writeln!(f, "\nEquations that were combined, because leading parts cancel")?;
            self.rewrites.iter().try_for_each(|rewrite| write!(f, "{rewrite}"))?;
        }
        self.derivations.iter().try_for_each(|derivation| write!(f, "\n{derivation}"))?;
        if !self.hidden_constraints.is_empty() {
            writeln!(f, "\nHidden constraints")?;
            let width = self.hidden_constraints.iter().map(|c| c.name.len()).max().unwrap_or(0);
            self.hidden_constraints
                .iter()
                .try_for_each(|HiddenReport { name, text, .. }| writeln!(f, "  {name:width$}  {text}"))?;
        }
        if let Some(initial) = &self.initial_values {
            writeln!(f, "\nInitial values, consistent at t = {}\n{initial}", initial.t0)?;
        }
        if !self.warnings.is_empty() {
            writeln!(f, "\nWarnings")?;
            self.warnings.iter().try_for_each(|warning| writeln!(f, "  {warning}"))?;
        }
        if !self.eliminated.is_empty() {
            writeln!(f, "\nUnknowns that the forms but the original one do not solve for")?;
            self.eliminated.iter().try_for_each(|EliminatedReport { unknown, value, equation }| {
                writeln!(f, "  {unknown} = {value}, by equation {equation}")
            })?;
        }
        if !self.forms.is_empty() {
            writeln!(f, "\nForms")?;
            self.forms.iter().try_for_each(|FormReport { name, unavailable }| match unavailable {
                None => writeln!(f, "  {name:8}  available"),
                Some(reason) => writeln!(f, "  {name:8}  {reason}"),
            })?;
        }
        if let Some(certificate) = &self.certificate {
            writeln!(f, "\nCertificate\n{certificate}")?;
        }
        if let Some(problem) = &self.problem {
            writeln!(f, "  problem                  {}", problem.kind)?;
        }
        Ok(())
    }
}

impl Report {
    fn answers(&self, f: &mut Formatter<'_>) -> fmt::Result {
        facts(self).iter().try_for_each(|(what, answer)| f.write_str(&folded(&format!("  {what:23}  "), answer)))
    }

    fn offsets(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(offsets) = &self.offsets else { return Ok(()) };
        writeln!(f, "\nEquations, and how often the pattern asks to differentiate them")?;
        let numbers = self.equation_names.iter().map(|name| name.strip_prefix("equation ").unwrap_or(name));
        let width = numbers.clone().map(str::len).max().unwrap_or(0).max(3);
        for ((number, equation), c) in numbers.zip(&self.equations).zip(&offsets.equations) {
            writeln!(f, "  {number:>width$}  c = {c}  {equation}")?;
        }
        writeln!(f, "\nUnknowns, and the order of their highest derivative after that")?;
        let width = self.unknowns.iter().map(String::len).max().unwrap_or(0);
        for (unknown, d) in self.unknowns.iter().zip(&offsets.unknowns) {
            writeln!(f, "  {unknown:width$}  d = {d}")?;
        }
        Ok(())
    }
}

impl Display for InitialReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let width = self.states.iter().map(|s| s.name.chars().count()).max().unwrap_or(0);
        for StateReport { name, start, value } in self.states.iter().take(LISTED) {
            writeln!(f, "  {name:width$} = {value:<22} {}", if *start == "free" { "" } else { start })?;
        }
        if let Some(more) = self.states.len().checked_sub(LISTED).filter(|&more| more > 0) {
            writeln!(f, "  and {more} more")?;
        }
        let lines: Vec<String> =
            self.sentences().iter().map(|(heading, sentence)| folded(&format!("  {heading:25}  "), sentence)).collect();
        f.write_str(lines.concat().trim_end())
    }
}

/// The answers in the order in which one asks, by heading.
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
    for case in &report.cases {
        say("", case.statement.clone());
    }
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
        say("redundant", format!("{} {verb} from the others", report.redundant_equations.join(", ")));
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

/// A heading and a sentence, folded between words and hung under its beginning.
fn folded(heading: &str, sentence: &str) -> String {
    let indent = heading.chars().count();
    let (mut text, mut column) = (heading.to_string(), indent);
    for (k, word) in sentence.split(' ').enumerate() {
        let length = word.chars().count();
        if k > 0 && column + 1 + length > WIDTH {
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if k > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
    text
}

impl CertificateReport {
    /// What proves the index, a sentence each, by heading.
    pub(super) fn sentences(&self) -> Vec<(&'static str, String)> {
        let bound = match self.bound {
            Some(bound) => format!("{bound}, {}", self.generic),
            None => format!("none: {}", self.generic),
        };
        vec![("upper bound", bound), ("start values", self.local.to_string()), ("lower bound", self.lower.to_string())]
    }
}

impl Display for CertificateReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> =
            self.sentences().iter().map(|(what, sentence)| folded(&format!("  {what:12}  "), sentence)).collect();
        f.write_str(lines.concat().trim_end())?;
        self.array.as_ref().map_or(Ok(()), |array| write!(f, "\n{array}"))
    }
}

impl Display for RewriteReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "  equation {} was replaced by {}", self.equation, self.combination)?;
        writeln!(f, "    before  {}", self.before)?;
        writeln!(f, "    after   {}", self.after)?;
        match &self.nonzero {
            Some(nonzero) => writeln!(f, "    provided {nonzero} ≠ 0"),
            None => Ok(()),
        }
    }
}

impl Display for ArrayReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Some(reason) => write!(f, "  array         {}: {reason}", self.verdict)?,
            None => write!(f, "  array         the derivative array of the text decides")?,
        }
        for ranks in &self.ranks {
            let one_full = if ranks.one_full { "determines" } else { "does not determine" };
            write!(
                f,
                "\n    {:16}  {} rows of rank {}, {one_full} all first derivatives (rank {} with {} above)",
                count(ranks.differentiations as usize, "differentiation"),
                ranks.rows,
                ranks.all,
                ranks.rates,
                ranks.higher
            )?;
        }
        match (self.constant_rank, self.exact) {
            (Some(_), true) => write!(f, "\n    the ranks are exact, and constant near the start values"),
            (Some("everywhere"), false) => {
                write!(f, "\n    the ranks agree at {} points of solutions, and are generic ones", self.points)
            }
            (Some(_), false) => write!(
                f,
                "\n    the ranks agree at {} points of solutions; beside solutions they are larger",
                self.points
            ),
            (None, _) => Ok(()),
        }
    }
}

impl Display for GenericReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (&self.determinant, &self.prime, self.points, &self.reason) {
            (Some(determinant), Some(prime), ..) => {
                write!(f, "proved by a system Jacobian of determinant {determinant} modulo {prime}")?;
                match self.assuming.is_empty() {
                    true => Ok(()),
                    false => write!(f, ", assuming that {}", self.assuming.join(" and that ")),
                }
            }
            (_, _, Some(points), _) => {
                write!(f, "the system Jacobian is singular at {points} random points: identically, but for chance")
            }
            _ => f.write_str(self.reason.as_deref().unwrap_or(self.status)),
        }
    }
}

impl Display for LocalReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (self.condition, self.t0, self.radius, &self.reason) {
            (Some(condition), Some(t0), Some(radius), _) => write!(
                f,
                "regular at t = {t0}, condition {}, proved by intervals in a box of half width {radius:.1e} around the \
                 computed point (relative to values above 1)",
                short(condition)
            ),
            (Some(condition), Some(t0), None, _) => {
                write!(f, "regular at t = {t0}, condition {}, in floating-point arithmetic", short(condition))
            }
            (_, _, _, Some(reason)) => write!(f, "{}: {reason}", self.kind),
            _ => f.write_str(self.kind),
        }
    }
}

impl Display for LowerReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let times = |m: u32| count(m as usize, "differentiation");
        match (self.differentiations, &self.free, &self.reason) {
            (Some(m), Some(free), _) => {
                write!(f, "{} would not do: the derivative array leaves {free} free (a vector of its kernel)", times(m))
            }
            (Some(m), None, _) => write!(f, "{} may do", times(m)),
            (None, _, Some(reason)) => write!(f, "none: {reason}"),
            (None, _, None) => f.write_str("nothing is differentiated"),
        }
    }
}

fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// A number of no importance beyond two digits.
fn short(value: f64) -> String {
    if (0.1..1e4).contains(&value) { format!("{value:.1}") } else { format!("{value:.1e}") }
}
