//! The proof of the index, in sentences.
//!
//! In: the parts of a [`CertificateReport`]. Out: a sentence for each, identical in every kind of report.

use std::fmt::{self, Display, Formatter};

use super::sentences::{count, folded};
use super::{CertificateReport, GenericReport, LocalReport, LowerReport};

impl CertificateReport {
    /// The evidence for the index, a sentence each, by heading.
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
            (Some(condition), Some(t0), None, reason) => {
                write!(f, "regular at t = {t0}, condition {}, in floating-point arithmetic", short(condition))?;
                reason.as_ref().map_or(Ok(()), |reason| write!(f, "; {reason}"))
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

/// A number with one decimal, in scientific notation if it is below 0.1 or at least 10 000.
fn short(value: f64) -> String {
    if (0.1..1e4).contains(&value) { format!("{value:.1}") } else { format!("{value:.1e}") }
}
