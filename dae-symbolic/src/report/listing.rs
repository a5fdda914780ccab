//! Equations, unknowns and constraints as a text report lists them.
//!
//! In: a model and the findings about it. Out: a line each, one for all members of a family with the same text; of a
//! family whose members differ too much for that, the first ones.

use super::families::{Line, rolled_by};
use super::mathematics::number;
use super::{EliminatedReport, HiddenReport, OffsetsReport};
use crate::model::{Domain, Model};
use crate::origin::Origin;
use crate::pipeline::Named;

/// The largest number of lines for single members of one family.
const SINGLE: usize = 6;
/// The number of lines of a family with more single members than that.
const SHOWN: usize = 4;

/// The lists of a text report.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Listing {
    /// Label: number of the equation.
    pub(super) equations: Vec<Row>,
    /// Label: name of the unknown.
    pub(super) unknowns: Vec<Row>,
    /// Label: name of the constraint.
    pub(super) hidden: Vec<Row>,
    /// Label: a name of the model; text: its value.
    pub(super) definitions: Vec<Row>,
    /// Label: the eliminated unknown.
    pub(super) eliminated: Vec<Row>,
    /// Where the equations stand.
    pub(super) origins: Vec<Origin>,
}

/// A line of a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// Position of the first item that it stands for.
    pub(super) first: usize,
    pub(super) label: String,
    pub(super) text: String,
    /// `for i in 2..=19`; empty for a single one.
    pub(super) range: String,
    /// The number of further members of the family that are not listed after it.
    pub(super) more: usize,
}

/// The text of a line with the range for which it stands.
impl Row {
    pub(super) fn whole(&self) -> String {
        if self.range.is_empty() { self.text.clone() } else { format!("{}, {}", self.text, self.range) }
    }
}

impl Listing {
    /// Equations and unknowns of the text with their offsets.
    pub(super) fn of_text(model: &Model, equations: &[String], offsets: Option<&OffsetsReport>) -> Listing {
        let offset = |list: Option<&Vec<u32>>, k: usize| list.and_then(|list| list.get(k)).copied().unwrap_or(0);
        let c = |k: usize| offset(offsets.map(|o| &o.equations), k);
        let d = |k: usize| offset(offsets.map(|o| &o.unknowns), k);
        let names = model.equations.iter().map(|e| number(&e.name).to_string());
        Listing {
            equations: rows(
                model.equations.iter().map(|e| &e.domain),
                names.zip(equations.iter().cloned()),
                c,
                |k, text| format!("c = {}  {text}", c(k)),
            ),
            unknowns: rows(
                model.unknowns.iter().map(|u| &u.domain),
                model.unknowns.iter().map(|u| (u.name.clone(), String::new())),
                d,
                |k, _| format!("d = {}", d(k)),
            ),
            origins: model.equations.iter().map(|e| e.origin).collect(),
            ..Listing::default()
        }
    }

    pub(super) fn with_hidden(self, model: &Model, hidden: &[HiddenReport]) -> Listing {
        let domains = hidden.iter().map(|it| &model.equations[it.equation - 1].domain);
        let texts = hidden.iter().map(|it| (it.name.clone(), it.text.clone()));
        Listing { hidden: rows(domains, texts, |k| hidden[k].order, |_, text| text.to_string()), ..self }
    }

    pub(super) fn with_definitions(self, definitions: &[Named]) -> Listing {
        let texts = definitions.iter().map(|it| (it.name.clone(), it.value.clone()));
        let domains = definitions.iter().map(|it| &it.domain);
        Listing { definitions: rows(domains, texts, |_| 0, |_, text| format!("= {text}")), ..self }
    }

    pub(super) fn with_eliminated(self, model: &Model, eliminated: &[EliminatedReport]) -> Listing {
        let domains = eliminated.iter().map(|it| &model.equations[it.equation - 1].domain);
        let text = |it: &EliminatedReport| format!("{} = {}, by {}", it.unknown, it.value, it.equation_name);
        let texts = eliminated.iter().map(|it| (text(it), String::new()));
        Listing { eliminated: rows(domains, texts, |_| 0, |_, _| String::new()), ..self }
    }
}

/// Lines for pairs of a label and a text that agree in their keys; `spelled` completes the text of the first of them.
fn rows<'a>(
    domains: impl Iterator<Item = &'a Domain> + Clone,
    texts: impl Iterator<Item = (String, String)>,
    key: impl Fn(usize) -> u32,
    spelled: impl Fn(usize, &str) -> String,
) -> Vec<Row> {
    let texts: Vec<Vec<String>> = texts.map(|(label, text)| vec![label, text]).collect();
    let keys: Vec<u32> = (0..texts.len()).map(key).collect();
    let families: Vec<Option<u32>> =
        domains.clone().map(|domain| domain.member.as_ref().map(|member| member.family)).collect();
    let lines = rolled_by(domains, &texts, &keys);
    let family = |line: &Line| families[line.first];
    let mut rows = Vec::new();
    for like in lines.chunk_by(|a, b| family(a).is_some() && family(a) == family(b)) {
        let single = like.iter().filter(|line| line.count == 1).count();
        let shown = if single > SINGLE { SHOWN } else { like.len() };
        let more = like[shown..].iter().map(|line| line.count).sum();
        for (k, line) in like[..shown].iter().enumerate() {
            let part = |k: usize| line.parts.get(k).map_or("", String::as_str);
            rows.push(Row {
                first: line.first,
                label: part(0).to_string(),
                text: spelled(line.first, part(1)),
                range: line.range.clone(),
                more: if k + 1 == shown { more } else { 0 },
            });
        }
    }
    rows
}
