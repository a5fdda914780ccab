//! The modes of a model in a report.
//!
//! In: a text in all its modes. Out: what is known about the model in each, and how modes change, as data to be
//! serialised.

use super::sentences::count;
#[cfg(feature = "syntax")]
use crate::index::Verdict;
#[cfg(feature = "syntax")]
use crate::modes::{Mode, ModeChange, MultiMode};

/// A mode of the model. The other parts of a report are about the mode at the start, the first one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ModeReport {
    /// The alternatives of all mode variables: `clutch = engaged`.
    pub name: String,
    /// The differentiation index there, if it is certified or established numerically.
    pub differentiation_index: Option<u32>,
    /// How the index is known: `certified at the start values`, ….
    pub grounds: Option<String>,
    /// The number of degrees of freedom there, if it is certified.
    pub degrees_of_freedom: Option<usize>,
    /// The hidden constraints there, in plain mathematics.
    pub hidden_constraints: Vec<String>,
    /// The changes to other modes.
    pub changes: Vec<ModeChangeReport>,
    /// Why the model is not well-posed there, if it is not; a run that enters the mode ends.
    pub problem: Option<String>,
}

/// A change of mode.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ModeChangeReport {
    /// The condition of the event, as it is written.
    pub event: String,
    /// The name of the mode that it enters.
    pub to: String,
}

#[cfg(feature = "syntax")]
impl ModeReport {
    /// The modes; none for a model without modes.
    pub(super) fn all(modes: &MultiMode) -> Vec<Self> {
        if !modes.has_modes() {
            return Vec::new();
        }
        let names: Vec<&str> = modes.all().map(|it| it.name).collect();
        let changes = |number: usize| {
            let of_mode = modes.changes.iter().filter(move |it| it.from == number);
            let report = |it: &ModeChange| ModeChangeReport {
                event: it.event.clone(),
                to: names.get(it.to).map_or_else(String::new, |name| (*name).to_string()),
            };
            of_mode.map(report).collect()
        };
        modes.all().enumerate().map(|(number, mode)| ModeReport::of(&mode, changes(number))).collect()
    }

    fn of(mode: &Mode<'_>, changes: Vec<ModeChangeReport>) -> Self {
        let mut report = ModeReport {
            name: mode.name.to_string(),
            differentiation_index: None,
            grounds: None,
            degrees_of_freedom: None,
            hidden_constraints: Vec::new(),
            changes,
            problem: None,
        };
        match mode.compiled {
            Ok(compiled) => {
                let certificate = &compiled.analysis.certificate;
                report.differentiation_index = match certificate.verdict() {
                    Verdict::Exact(index) => Some(index),
                    Verdict::AtMost { .. } | Verdict::NotCertified { .. } => None,
                };
                report.grounds = Some(certificate.grounds().phrase().to_string());
                report.degrees_of_freedom = certificate.degrees_of_freedom();
                report.hidden_constraints = compiled.hidden.iter().map(|it| it.text.clone()).collect();
            }
            Err(rejected) => report.problem = rejected.diagnostics.iter().next().map(|it| it.message.clone()),
        }
        report
    }
}

/// Names of modes up to this length head a line.
const SHORT: usize = 24;

/// What is known about modes, in lines with a head each: one by one if they are `most` at most; otherwise the mode at the
/// start, and all by what they have in common.
pub(super) fn lines(modes: &[ModeReport], most: usize) -> Vec<(String, String)> {
    let line = |(number, mode): (usize, &ModeReport)| {
        let mut parts = vec![mode.standing()];
        // The hidden constraints of the mode at the start have a list of their own.
        if number > 0 && !mode.hidden_constraints.is_empty() {
            parts.push(format!("hidden: {}", mode.hidden_constraints.join(", ")));
        }
        parts.extend(mode.changes.iter().map(|it| format!("{} when {}", mode.entered(&it.to), it.event)));
        match mode.name.len() <= SHORT {
            true => (format!("mode {}", mode.name), parts.join("; ")),
            false => (format!("mode {}", number + 1), format!("{}: {}", mode.name, parts.join("; "))),
        }
    };
    match modes {
        [start, ..] if modes.len() > most => [line((0, start))].into_iter().chain(in_groups(modes)).collect(),
        _ => modes.iter().enumerate().map(line).collect(),
    }
}

/// Modes of which the same is known.
fn in_groups(modes: &[ModeReport]) -> Vec<(String, String)> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for mode in modes {
        let standing = mode.standing();
        match groups.iter_mut().find(|(known, _)| *known == standing) {
            Some((_, names)) => names.push(&mode.name),
            None => groups.push((standing, vec![&mode.name])),
        }
    }
    let line = |(standing, names): (String, Vec<&str>)| match names.len() {
        1 => ("1 mode".to_string(), format!("{}: {standing}", names[0])),
        more => (format!("{more} modes"), format!("{}, …: {standing}", names[0])),
    };
    groups.into_iter().map(line).collect()
}

impl ModeReport {
    /// The index and the number of degrees of freedom, or why the model is not well-posed.
    fn standing(&self) -> String {
        let index = match (self.differentiation_index, &self.grounds, &self.problem) {
            (_, _, Some(problem)) => format!("not well-posed: {problem}"),
            (Some(index), Some(grounds), _) => format!("index {index}, {grounds}"),
            _ => "index not certified".into(),
        };
        match self.degrees_of_freedom {
            Some(degrees) => format!("{index}; {} of freedom", count(degrees, "degree")),
            None => index,
        }
    }

    /// The alternatives of another mode that this one does not have.
    fn entered(&self, to: &str) -> String {
        let pairs = to.split(", ").zip(self.name.split(", "));
        let entered: Vec<&str> = pairs.filter(|(to, here)| to != here).map(|(to, _)| to).collect();
        if entered.is_empty() { "itself".to_string() } else { entered.join(", ") }
    }
}
