//! Lines of a report that belong to families: one for all instances that differ by affine functions of the indices.
//!
//! In: a text for each instance. Out: `q[i - 1]` with the range of `i` (`program::roll::text`).

use crate::model::Domain;
use crate::program::affine::Range;
use crate::program::roll::text::{Entry, Group, grouped, index_names};

/// Parts of a text that are rolled together.
pub(super) const SEPARATOR: char = '\u{1}';

/// A line that stands for some instances.
pub(super) struct Line {
    /// The parts of its text.
    pub(super) parts: Vec<String>,
    /// Position of the first instance.
    pub(super) first: usize,
    /// Position of the last.
    pub(super) last: usize,
    /// `i = 1, …, 58`; empty for a single one.
    pub(super) range: String,
}

/// The texts, those of a family in as few lines as say the same.
pub(super) fn rolled<'a>(domains: impl Iterator<Item = &'a Domain>, texts: &[Vec<String>]) -> Vec<Line> {
    let separator = SEPARATOR.to_string();
    let joined: Vec<String> = texts.iter().map(|parts| parts.join(&separator)).collect();
    let entries: Vec<Entry<'_, ()>> = domains
        .zip(&joined)
        .enumerate()
        .map(|(place, (domain, text))| Entry { domain: Some(domain), text, key: (), places: vec![place] })
        .collect();
    let line = |group: &Group<()>| {
        let indices = index_names(group.domain.len());
        let corner = |last: bool| -> Vec<i64> {
            group.domain.iter().map(|range| if last { range.end - 1 } else { range.start }).collect()
        };
        let place = |last| usize::try_from(group.places[0].at(&corner(last))).unwrap_or(0);
        let range = |(range, index): (&Range, &String)| match range.end - range.start {
            1 => format!("{index} = {}", range.start),
            2 => format!("{index} = {}, {}", range.start, range.end - 1),
            _ => format!("{index} = {}, …, {}", range.start, range.end - 1),
        };
        let ranges: Vec<String> = group.domain.iter().zip(&indices).map(range).collect();
        Line {
            parts: group.text.text(&indices).split(SEPARATOR).map(str::to_string).collect(),
            first: place(false),
            last: place(true),
            range: ranges.join("; "),
        }
    };
    // Where members of an excerpt do not tell what those in between are like, each stands for itself.
    let Ok(groups) = grouped(&entries) else {
        let single = |(place, parts): (usize, &Vec<String>)| Line {
            parts: parts.clone(),
            first: place,
            last: place,
            range: String::new(),
        };
        return texts.iter().enumerate().map(single).collect();
    };
    let mut lines: Vec<Line> = groups.iter().map(line).collect();
    lines.sort_by_key(|line| line.first);
    lines
}
