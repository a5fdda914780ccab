//! Lines of a report that belong to families: one for all instances whose texts differ only in numbers that are affine
//! in the indices.
//!
//! In: a text for each instance. Out: `q[i - 1]` with the range of `i` (`spelling::families`).

use std::hash::Hash;

use crate::model::{Domain, Member};
use crate::spelling::families::{Entry, Group, grouped};
use crate::spelling::indices::{index_names, ranges};

/// Separates the parts of a text, which are rolled together.
pub(super) const SEPARATOR: char = '\u{1}';

/// A line that stands for some instances.
pub(super) struct Line {
    /// The parts of its text.
    pub(super) parts: Vec<String>,
    /// Position of the first instance.
    pub(super) first: usize,
    /// The number of instances it stands for.
    pub(super) count: usize,
    /// `for i in 1..=58`; empty for a single instance.
    pub(super) range: String,
}

/// The texts, those of a family in as few lines as possible.
pub(super) fn rolled<'a>(domains: impl Iterator<Item = &'a Domain>, texts: &[Vec<String>]) -> Vec<Line> {
    rolled_by(domains, texts, &vec![(); texts.len()])
}

/// The texts, those of a family in as few lines as possible; instances of one line have equal keys.
pub(super) fn rolled_by<'a, K: Clone + Eq + Hash>(
    domains: impl Iterator<Item = &'a Domain>,
    texts: &[Vec<String>],
    keys: &[K],
) -> Vec<Line> {
    let separator = SEPARATOR.to_string();
    let joined: Vec<String> = texts.iter().map(|parts| parts.join(&separator)).collect();
    let domains: Vec<&Domain> = domains.collect();
    let entries: Vec<Entry<'_, K>> = domains
        .iter()
        .zip(joined.iter().zip(keys))
        .enumerate()
        .map(|(place, (domain, (text, key)))| Entry {
            domain: Some(domain),
            text,
            key: key.clone(),
            places: vec![place],
        })
        .collect();
    let line = |group: &Group<K>| {
        let member = domains.get(group.first).and_then(|domain| domain.member.as_deref());
        let indices = member.and_then(loop_names).filter(|names| names.len() == group.domain.len());
        let indices = indices.unwrap_or_else(|| index_names(group.domain.len()));
        Line {
            parts: group.text.text(&indices).split(SEPARATOR).map(str::to_string).collect(),
            first: group.first,
            count: group.size(),
            range: ranges(&group.domain, &indices),
        }
    };
    // Where the members of an excerpt do not determine those left out, each member has a line of its own.
    let Ok(groups) = grouped(&entries) else {
        let single = |(place, parts): (usize, &Vec<String>)| Line {
            parts: parts.clone(),
            first: place,
            count: 1,
            range: String::new(),
        };
        return texts.iter().enumerate().map(single).collect();
    };
    let mut lines: Vec<Line> = groups.iter().map(line).collect();
    lines.sort_by_key(|line| line.first);
    lines
}

/// The loop variables of the text, where the name of a member contains them: `k` in `equation 4[k = 17]`.
fn loop_names(member: &Member) -> Option<Vec<String>> {
    let (_, indices) = member.label.strip_suffix(']')?.split_once('[')?;
    indices.split(", ").map(|index| index.split_once(" = ").map(|(name, _)| name.to_string())).collect()
}
