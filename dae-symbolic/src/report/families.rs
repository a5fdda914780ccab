//! Lines of a report that belong to families: one for all instances that differ by affine functions of the indices.
//!
//! In: a text for each instance. Out: `q[i - 1]` with the range of `i` (`program::roll::text`), and names that follow one another as
//! `q[0..=9]`.

use std::hash::Hash;

use crate::model::{Domain, Member};
use crate::program::roll::text::{Entry, Group, grouped, index_names, ranges, split_numbers};

/// Parts of a text that are rolled together.
pub(super) const SEPARATOR: char = '\u{1}';

/// Fewer names in a row are written out.
const SHORTEST: usize = 3;

/// A line that stands for some instances.
pub(super) struct Line {
    /// The parts of its text.
    pub(super) parts: Vec<String>,
    /// Position of the first instance.
    pub(super) first: usize,
    /// How many instances it stands for.
    pub(super) count: usize,
    /// `for i in 1..=58`; empty for a single one.
    pub(super) range: String,
}

/// The texts, those of a family in as few lines as say the same.
pub(super) fn rolled<'a>(domains: impl Iterator<Item = &'a Domain>, texts: &[Vec<String>]) -> Vec<Line> {
    rolled_by(domains, texts, &vec![(); texts.len()])
}

/// The same; what one line stands for agrees in its key.
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
    // Where members of an excerpt do not tell what those in between are like, each stands for itself.
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

/// The loop variables of the text, where a member is called by them: `k` in `equation 4[k = 17]`.
fn loop_names(member: &Member) -> Option<Vec<String>> {
    let (_, indices) = member.label.strip_suffix(']')?.split_once('[')?;
    indices.split(", ").map(|index| index.split_once(" = ").map(|(name, _)| name.to_string())).collect()
}

/// Names in the order given, those that follow one another by an index as one: `q[0..=9]`, `equation 4[i = 2..=19]`.
pub(super) fn folded(names: &[String]) -> Vec<String> {
    let split: Vec<(Vec<String>, Vec<i64>)> = names.iter().map(|name| split_numbers(name)).collect();
    let mut list = Vec::new();
    let mut at = 0;
    while at < names.len() {
        let place = names.get(at + 1).and_then(|_| step(&split[at], &split[at + 1]));
        let steps = |place| split[at..].windows(2).take_while(|pair| step(&pair[0], &pair[1]) == Some(place)).count();
        match place.map(|place| (place, 1 + steps(place))).filter(|&(_, length)| length >= SHORTEST) {
            Some((place, length)) => {
                let (parts, numbers) = &split[at];
                let last = split[at + length - 1].1[place];
                let number = |k: usize| match k == place {
                    true => format!("{}..={last}", numbers[k]),
                    false => numbers[k].to_string(),
                };
                let text = |(k, part): (usize, &String)| {
                    format!("{part}{}", if k < numbers.len() { number(k) } else { String::new() })
                };
                list.push(parts.iter().enumerate().map(text).collect());
                at += length;
            }
            None => {
                list.push(names[at].clone());
                at += 1;
            }
        }
    }
    list
}

/// The only number, between brackets, in which the second name differs from the first, if it is the next one.
fn step(first: &(Vec<String>, Vec<i64>), second: &(Vec<String>, Vec<i64>)) -> Option<usize> {
    if first.0 != second.0 {
        return None;
    }
    let mut differing = (0..first.1.len()).filter(|&k| first.1[k] != second.1[k]);
    let (place, None) = (differing.next()?, differing.next()) else { return None };
    let before = first.0[..=place].concat();
    let is_index = before.matches('[').count() > before.matches(']').count();
    (is_index && first.1[place] + 1 == second.1[place]).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn names_that_follow_one_another_are_one() {
        let names = |list: &[&str]| list.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let of = |list: &[&str]| folded(&names(list)).join(", ");
        assert_eq!(of(&["q[0]", "q[1]", "q[2]", "v"]), "q[0..=2], v");
        assert_eq!(of(&["q[0]", "q[1]"]), "q[0], q[1]");
        assert_eq!(of(&["q[0][3]", "q[1][3]", "q[2][3]", "q[2][4]"]), "q[0..=2][3], q[2][4]");
        assert_eq!(of(&["der(q[8])", "der(q[9])", "der(q[10])"]), "der(q[8..=10])");
        assert_eq!(of(&["equation 4[i = 8]", "equation 4[i = 9]", "equation 4[i = 10]"]), "equation 4[i = 8..=10]");
        // Scalars that only look like elements, and equations of their own.
        assert_eq!(of(&["x1", "x2", "x3"]), "x1, x2, x3");
        assert_eq!(of(&["equation 1", "equation 2", "equation 3"]), "equation 1, equation 2, equation 3");
        assert_eq!(of(&["q[0]", "q[2]", "q[4]"]), "q[0], q[2], q[4]");
        assert_eq!(of(&[]), "");
    }
}
