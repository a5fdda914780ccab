//! A report for people.
//!
//! In: a [`Report`]. Out: text that answers in the order in which one asks: is the index known, how many start values may be chosen,
//! which constraints are hidden, in which forms can it be integrated, and what is all that based on.

use std::fmt::{self, Display, Formatter};

use super::facts::facts;
use super::{EliminatedReport, FormReport, HiddenReport, InitialReport, Report, StateReport};

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

/// A heading and a sentence, folded between words and hung under its beginning.
pub(super) fn folded(heading: &str, sentence: &str) -> String {
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

pub(super) fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}
