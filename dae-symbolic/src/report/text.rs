//! A report for people.
//!
//! In: a [`Report`]. Out: text that answers in the order in which one asks: is the index known, how many start values may be chosen,
//! which constraints are hidden, in which forms can it be integrated, and what is all that based on.

use std::fmt::{self, Display, Formatter};

use super::{
    ArrayReport, CertificateReport, FormReport, GenericReport, HiddenReport, LocalReport, LowerReport, Report,
    RewriteReport,
};

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
        if !self.warnings.is_empty() {
            writeln!(f, "\nWarnings")?;
            self.warnings.iter().try_for_each(|warning| writeln!(f, "  {warning}"))?;
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
        let mut line = |what: &str, answer: String| writeln!(f, "  {what:23}  {answer}");
        if let Some(certificate) = &self.certificate {
            line(
                "differentiation index",
                match (self.differentiation_index, self.index_upper_bound) {
                    (Some(index), _) => format!("{index}, certified at the start values"),
                    (None, Some(bound)) => {
                        format!("at most {bound}: {}", certificate.reason.as_deref().unwrap_or_default())
                    }
                    (None, None) => format!("not certified: {}", certificate.reason.as_deref().unwrap_or_default()),
                },
            )?;
        }
        if let Some(degrees) = self.degrees_of_freedom {
            line("degrees of freedom", degrees.to_string())?;
        }
        if self.manifold_dimensions.len() > 1 {
            let list: Vec<String> = self.manifold_dimensions.iter().map(usize::to_string).collect();
            line("consistent states", format!("of dimension {} after 0, 1, … differentiations", list.join(", ")))?;
        }
        if self.degrees_of_freedom == Some(0) && self.differentiation_index.is_some() {
            line("", "the consistent states are isolated points at every time".into())?;
        }
        if let Some(size) = self.hessenberg {
            line("classification", format!("Hessenberg form of size {size}"))?;
        }
        if let (Some(index), Some(degrees)) = (self.structural_index, self.structural_degrees_of_freedom) {
            let misleads = if self.sigma_jacobian_singular == Some(true) { "; misleading" } else { "" };
            let degrees = count(degrees, "degree");
            line("structural index", format!("{index}, with {degrees} of freedom, of the text as written{misleads}"))?;
        } else if let Some(status) = self.structural_status {
            line("structure", status.into())?;
        }
        if let Some(explanation) = &self.explanation {
            line("", explanation.clone())?;
        }
        if !self.redundant_equations.is_empty() {
            line("redundant", format!("{} follow from the others", self.redundant_equations.join(", ")))?;
        }
        Ok(())
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

impl Display for CertificateReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.bound {
            Some(bound) => writeln!(f, "  upper bound   {bound}, {}", self.generic)?,
            None => writeln!(f, "  upper bound   none: {}", self.generic)?,
        }
        writeln!(f, "  start values  {}", self.local)?;
        write!(f, "  lower bound   {}", self.lower)?;
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
                "regular at t = {t0}, condition {}, proved by intervals in a box of half width {radius:.1e}",
                short(condition)
            ),
            (Some(condition), Some(t0), None, _) => {
                write!(f, "regular at t = {t0}, condition {}", short(condition))
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
