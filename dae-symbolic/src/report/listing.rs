//! Equations, unknowns and constraints as a text report lists them.
//!
//! In: a model and the findings about it. Out: a line for each item, or one for all members of a family whose texts
//! differ only in affine functions of the indices; of a family whose members differ in other ways, the first lines.

use super::families::{Line, rolled_by};
use super::mathematics::number;
use super::{EliminatedReport, HiddenReport, OffsetsReport};
use crate::model::{Domain, Model};
use crate::origin::Origin;
use crate::pipeline::Named;

/// A family is shown in full if at most this many of its members need a line of their own.
const SINGLE: usize = 6;
/// The number of lines shown of any other family.
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
    /// Where the equations stand in the text.
    pub(super) origins: Vec<Origin>,
}

/// A line of a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// Position of the first item that it stands for.
    pub(super) first: usize,
    pub(super) label: String,
    pub(super) text: String,
    /// `for i in 2..=19`; empty for a single item.
    pub(super) range: String,
    /// The number of members of the family that follow this line and are not listed.
    pub(super) more: usize,
}

impl Row {
    /// The text of the line with the range for which it stands.
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

/// Lines for pairs of a label and a text, one for members of a family that agree in their keys; `spelled` makes the
/// text of a line from the position and the text of its first member.
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
