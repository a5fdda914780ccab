//! A report as text.
//!
//! In: a [`Report`]. Out: text that answers the questions of a reader in order: whether the index is known, how many
//! start values may be chosen, which constraints are hidden, in which forms the model can be integrated, and on what
//! evidence.

use std::fmt::{self, Display, Formatter};

use super::facts::facts;
use super::listing::Row;
use super::sentences::{count, folded};
use super::{FormReport, InitialReport, RecommendationReport, Report};

/// The largest number of lines of initial values.
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
        self.named(f)?;
        if !self.listing.hidden.is_empty() {
            writeln!(f, "\nHidden constraints")?;
            table(f, &self.listing.hidden, |_| String::new())?;
        }
        if let Some(initial) = &self.initial_values {
            writeln!(f, "\nInitial values, consistent at t = {}\n{initial}", initial.t0)?;
        }
        if !self.warnings.is_empty() {
            writeln!(f, "\nWarnings")?;
            self.warnings.iter().try_for_each(|warning| f.write_str(&folded("  ", warning)))?;
        }
        if !self.listing.eliminated.is_empty() {
            writeln!(f, "\nUnknowns that the forms but the original one do not solve for")?;
            table(f, &self.listing.eliminated, |_| String::new())?;
        }
        if !self.forms.is_empty() {
            writeln!(f, "\nForms")?;
            self.forms.iter().try_for_each(|FormReport { name, unavailable }| match unavailable {
                None => writeln!(f, "  {name:8}  available"),
                Some(reason) => writeln!(f, "  {name:8}  {reason}"),
            })?;
            let sentences = self.recommendation.iter().flat_map(RecommendationReport::sentences);
            sentences
                .map(|(what, sentence)| folded(&format!("  {what:18}  "), &sentence))
                .try_for_each(|line| f.write_str(&line))?;
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

    fn named(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.listing.definitions.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nNamed expressions")?;
        let rows = &self.listing.definitions;
        let width = rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0);
        rows.iter().try_for_each(|row| writeln!(f, "  {:width$} {}", row.label, row.whole()))
    }

    fn offsets(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.offsets.is_none() {
            return Ok(());
        }
        let (where_they_stand, place) = match self.equation_places.is_empty() {
            true => ("", Vec::new()),
            false => (", the line and column where they begin", self.places()),
        };
        writeln!(f, "\nEquations{where_they_stand}, and how often the pattern asks to differentiate them")?;
        let width = place.iter().map(String::len).max().unwrap_or(0);
        let before = |k: usize| place.get(k).map_or_else(String::new, |place| format!("{place:width$}  "));
        table(f, &self.listing.equations, before)?;
        writeln!(f, "\nUnknowns, and the order of their highest derivative after that")?;
        table(f, &self.listing.unknowns, |_| String::new())
    }

    /// `12:9` for every equation.
    fn places(&self) -> Vec<String> {
        self.equation_places.iter().map(|[line, column]| format!("{line}:{column}")).collect()
    }
}

/// Lines in columns: the label, what `before` gives for the first item that the line stands for, and the text.
fn table(f: &mut Formatter<'_>, rows: &[Row], before: impl Fn(usize) -> String) -> fmt::Result {
    let width = rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0);
    for row in rows {
        let line = format!("  {:width$}  {}{}", row.label, before(row.first), row.whole());
        writeln!(f, "{}", line.trim_end())?;
        if row.more > 0 {
            writeln!(f, "  … and {} more like these", row.more)?;
        }
    }
    Ok(())
}

impl Display for InitialReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let lines = self.lines();
        let width = lines.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
        for (name, value, start) in lines.iter().take(LISTED) {
            let line = format!("  {name:width$} = {value:<22} {}", if *start == "free" { "" } else { start });
            writeln!(f, "{}", line.trim_end())?;
        }
        if let Some(more) = lines.len().checked_sub(LISTED).filter(|&more| more > 0) {
            writeln!(f, "  and {more} more")?;
        }
        let lines: Vec<String> =
            self.sentences().iter().map(|(heading, sentence)| folded(&format!("  {heading:25}  "), sentence)).collect();
        f.write_str(lines.concat().trim_end())
    }
}
