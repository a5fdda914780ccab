//! Lines for readers: one for a family where its texts allow it.
//!
//! In: texts, each of a member of a family or of none. Out: `der(equation 5[i]): 0 = q[i] - q[i - 1], for i in 2..=19`;
//! where that takes too many lines, the first of them.

use super::families::{Entry, Group, groups};
use super::indices::{index_names, ranges};
use crate::model::{Domain, Numbering, Torn};

/// A family is shown in full if at most this many of its instances need a line of their own.
const SINGLE: usize = 6;

/// The number of lines shown of any other family.
const LINES: usize = 4;

/// The texts, with those of a family joined into one that states its indices. Where the texts of a family differ too
/// much for that, as fractions may, the first lines are followed by the number of members they stand for.
pub fn lines<'a>(texts: impl Iterator<Item = (Option<&'a Domain>, &'a str)>) -> Vec<String> {
    let entries: Vec<Entry<'_, ()>> =
        texts.map(|(domain, text)| Entry { domain, text, key: (), places: Vec::new() }).collect();
    let family = |group: &Group<()>| {
        let member = entries[group.first].domain.and_then(|domain| domain.member.as_deref());
        member.map(|member| member.family)
    };
    let mut lines = Vec::new();
    let (groups, torn) = groups(&entries);
    for like in groups.chunk_by(|a, b| family(a).is_some() && family(a) == family(b)) {
        let single = like.iter().filter(|group| group.domain.is_empty()).count();
        let shown = if family(&like[0]).is_some() && single > SINGLE { LINES.min(like.len()) } else { like.len() };
        lines.extend(like[..shown].iter().map(line));
        let all = match torn {
            None => like.iter().map(Group::size).sum(),
            Some(Torn) => members_of(&entries, family(&like[0])),
        };
        let hidden = all.saturating_sub(like[..shown].iter().map(Group::size).sum());
        if hidden > 0 {
            lines.push(format!("… and {hidden} more like these"));
        }
    }
    lines
}

/// The number of texts that the whole model has for the members of a family.
fn members_of(entries: &[Entry<'_, ()>], family: Option<u32>) -> usize {
    let domains = entries.iter().filter_map(|entry| entry.domain);
    let own = domains.filter(|domain| domain.member.as_ref().map(|member| member.family) == family);
    Numbering::of(own).map_or(0, |numbering| numbering.total())
}

/// The number of characters to which longer texts are shortened.
const CHARACTERS: usize = 600;

/// The text, or only its beginning if it is too long to be read.
pub fn shortened(text: String) -> String {
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}

fn line(group: &Group<()>) -> String {
    let indices = index_names(group.domain.len());
    let text = group.text.text(&indices);
    if group.domain.is_empty() { text } else { format!("{text}, {}", ranges(&group.domain, &indices)) }
}
