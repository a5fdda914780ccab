//! Texts of families: one for all instances.
//!
//! In: texts of which one belongs to each instance (`q[3]`, `equation 5[3]: 0 = q[3] - q[2]`). Out: one text with
//! affine functions of the indices (`q[i]`, `equation 5[i]: 0 = q[i] - q[i - 1]`). Texts are rolled by the numbers in
//! them, whatever these mean, and only if the result reproduces the text of every instance.

use std::hash::Hash;

use dae_runtime::contract::Pattern;

use super::super::affine::{Affine, Range, for_each_point};
use super::{Class, Item, roll_apart};
use crate::model::{Domain, Numbering, Torn};

/// `i`, `j`, `k`, `i4`, …: the loop indices, outermost first.
pub fn index_names(count: usize) -> Vec<String> {
    let name = |k: usize| ["i", "j", "k"].get(k).map_or_else(|| format!("i{}", k + 1), |name| name.to_string());
    (0..count).map(name).collect()
}

/// An affine integer, also valid as Rust; subtracted terms come last, so that unsigned arithmetic does not underflow.
pub fn spell(affine: &Affine, indices: &[String]) -> String {
    let mut text = String::new();
    let mut add = |sign: &str, term: String| {
        match (text.is_empty(), sign) {
            (true, "-") => text.push('-'),
            (true, _) => {}
            (false, sign) => text.push_str(&format!(" {sign} ")),
        }
        text.push_str(&term);
    };
    let term = |stride: i64, index: &String| match stride.abs() {
        1 => index.clone(),
        stride => format!("{stride} * {index}"),
    };
    let strides = || affine.strides.iter().copied().zip(indices);
    strides().filter(|&(stride, _)| stride > 0).for_each(|(stride, index)| add("+", term(stride, index)));
    let moves = strides().any(|(stride, _)| stride != 0);
    if affine.base > 0 || (affine.base == 0 && !moves) {
        add("+", affine.base.to_string());
    }
    strides().filter(|&(stride, _)| stride < 0).for_each(|(stride, index)| add("-", term(stride, index)));
    if affine.base < 0 {
        add("-", affine.base.abs().to_string());
    }
    text
}

/// A text whose numbers depend on loop indices.
#[derive(Clone, Debug, PartialEq)]
pub struct Rolled {
    /// The texts between the numbers, one more than the numbers.
    pub parts: Vec<String>,
    /// The numbers.
    pub numbers: Vec<Affine>,
}

impl Rolled {
    /// The text with its numbers spelled by `number`.
    pub fn filled(&self, number: impl Fn(&Affine) -> String) -> String {
        let mut text = String::new();
        for (k, part) in self.parts.iter().enumerate() {
            text.push_str(part);
            text.extend(self.numbers.get(k).map(&number));
        }
        text
    }

    /// The text for readers: `q[i - 1]`, `mu_(i + 1)`.
    pub fn text(&self, indices: &[String]) -> String {
        let (mut text, mut depth) = (String::new(), 0);
        for (k, part) in self.parts.iter().enumerate() {
            text.push_str(part);
            depth += part.matches('[').count() as i64 - part.matches(']').count() as i64;
            let Some(number) = self.numbers.get(k).map(|number| spell(number, indices)) else { continue };
            // Brackets delimit an index; elsewhere it is a part of a name, a factor or an exponent.
            let apart = depth == 0 && number.contains(' ');
            text.push_str(&if apart { format!("({number})") } else { number });
        }
        // `[i = 3]` says which loop variable the number is; it may have the name that it gets here.
        indices.iter().fold(text, |text, index| text.replace(&format!("{index} = {index}"), index))
    }
}

/// The numbers in a text and the texts between them. Digits after a leading zero are text, and so are decimals.
pub fn split_numbers(text: &str) -> (Vec<String>, Vec<i64>) {
    let mut parts = vec![String::new()];
    let mut numbers = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let end = rest[at..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |length| at + length);
        let last = parts.len() - 1;
        parts[last].push_str(&rest[..at]);
        let digits = &rest[at..end];
        let decimals = text[..text.len() - rest.len() + at].ends_with('.');
        // Only digits that a number reproduces count as a number, and decimals do not.
        match digits.parse::<i64>().ok().filter(|number| number.to_string() == digits && !decimals) {
            Some(number) => {
                numbers.push(number);
                parts.push(String::new());
            }
            None => parts[last].push_str(digits),
        }
        rest = &rest[end..];
    }
    let last = parts.len() - 1;
    parts[last].push_str(rest);
    (parts, numbers)
}

/// One text for all points of the box of a class, if the texts at `place` differ by numbers that are affine in the indices.
pub fn generalised<'a>(text: impl Fn(usize) -> Option<&'a str>, place: &Affine, domain: &[Range]) -> Option<Rolled> {
    let start: Vec<i64> = domain.iter().map(|range| range.start).collect();
    let at = |indices: &[i64]| Some(split_numbers(text(usize::try_from(place.at(indices)).ok()?)?));
    let (parts, first) = at(&start)?;
    let mut numbers: Vec<Affine> = first.iter().map(|&base| Affine { base, strides: vec![0; domain.len()] }).collect();
    for k in 0..domain.len() {
        let mut next = start.clone();
        next[k] += 1;
        let (found, second) = at(&next)?;
        if found != parts {
            return None;
        }
        for (number, (a, b)) in numbers.iter_mut().zip(first.iter().zip(&second)) {
            number.strides[k] = b - a;
            number.base -= (b - a) * domain[k].start;
        }
    }
    // The instances of a class differ in affine functions only; if first, second and last agree, all do.
    let last: Vec<i64> = domain.iter().map(|range| range.end - 1).collect();
    let (found, values) = at(&last)?;
    let holds = found == parts && values.iter().zip(&numbers).all(|(&value, number)| value == number.at(&last));
    holds.then_some(Rolled { parts, numbers })
}

/// One entry of a table: a member of a family or a scalar, with a text, a key that has to agree, and positions.
#[derive(Debug)]
pub struct Entry<'a, K> {
    /// The family.
    pub domain: Option<&'a Domain>,
    /// Its text.
    pub text: &'a str,
    /// The key that has to agree.
    pub key: K,
    /// Positions.
    pub places: Vec<usize>,
}

/// Entries of a table at the places of their list: domain, text, and the key that has to agree.
///
/// # Errors
/// If a family is interrupted close to a gap of an excerpt.
pub fn listed<'a, K>(list: impl Iterator<Item = (&'a Domain, &'a str, K)>) -> Result<Vec<Entry<'a, K>>, Torn> {
    let list: Vec<_> = list.collect();
    let places = Numbering::of(list.iter().map(|(domain, ..)| *domain))?;
    let entry = |((domain, text, key), &place)| Entry { domain: Some(domain), text, key, places: vec![place] };
    Ok(list.into_iter().zip(places.places()).map(entry).collect())
}

/// The rows of a pattern: the first place is that of the row, the others are those of its columns.
///
/// # Errors
/// See [`listed`].
pub fn pattern_rows<'a>(
    pattern: &Pattern,
    domains: &'a [Domain],
    columns: &Numbering,
) -> Result<Vec<Entry<'a, usize>>, Torn> {
    let mut entries = listed(domains.iter().enumerate().map(|(row, domain)| (domain, "", pattern.row(row).count())))?;
    for (row, entry) in entries.iter_mut().enumerate() {
        entry.places.extend(pattern.row(row).map(|(column, _)| columns.place_of(column)));
    }
    Ok(entries)
}

/// Entries that share one text.
#[derive(Debug)]
pub struct Group<K> {
    /// The loops, outermost first.
    pub domain: Vec<Range>,
    /// The text of all entries.
    pub text: Rolled,
    /// The key that has to agree.
    pub key: K,
    /// Positions.
    pub places: Vec<Affine>,
    /// The first of the entries.
    pub first: usize,
}

/// Entries that differ by numbers which are affine in the indices become one group.
///
/// # Errors
/// If the entries of an excerpt do not tell what those in between are like.
pub fn grouped<K: Clone + Eq + Hash>(entries: &[Entry<'_, K>]) -> Result<Vec<Group<K>>, Torn> {
    let (groups, torn) = groups(entries);
    torn.map_or(Ok(groups), Err)
}

/// The entries of the whole table: `item` is called with text, key and places; the first place is that in the table.
///
/// # Errors
/// If the entries of an excerpt do not tell what those in between are like.
pub fn whole<K: Clone + Eq + Hash, T>(
    entries: &[Entry<'_, K>],
    total: usize,
    item: impl Fn(String, &K, &[usize]) -> T,
) -> Result<Vec<T>, Torn> {
    let mut list: Vec<Option<T>> = (0..total).map(|_| None).collect();
    for group in grouped(entries)? {
        for_each_point(&group.domain, |indices| {
            let places: Vec<usize> = group.places.iter().map(|place| place.position(indices)).collect();
            let text = group.text.filled(|number| number.at(indices).to_string());
            if let Some(slot) = places.first().and_then(|&place| list.get_mut(place)) {
                *slot = Some(item(text, &group.key, &places));
            }
        });
    }
    list.into_iter().collect::<Option<Vec<T>>>().ok_or(Torn)
}

fn groups<K: Clone + Eq + Hash>(entries: &[Entry<'_, K>]) -> (Vec<Group<K>>, Option<Torn>) {
    let items: Vec<Item<'_, _>> = entries
        .iter()
        .map(|entry| {
            let (parts, numbers) = split_numbers(entry.text);
            Item {
                member: entry.domain.and_then(|domain| domain.member.as_deref()),
                key: (parts, entry.key.clone()),
                addresses: entry.places.iter().map(|&place| place as i64).chain(numbers).collect(),
                numbers: Vec::new(),
            }
        })
        .collect();
    let group = |Class { domain, items: members, mut addresses, .. }: Class| {
        let (parts, key) = items[members[0]].key.clone();
        let numbers = addresses.split_off(addresses.len() + 1 - parts.len());
        Group { domain, text: Rolled { parts, numbers }, key, places: addresses, first: members[0] }
    };
    let (classes, torn) = roll_apart(&items);
    (classes.into_iter().map(group).collect(), torn)
}

/// The largest number of lines for single instances of one family.
const SINGLE: usize = 6;

/// The number of lines of a family with more single instances than that.
const LINES: usize = 4;

/// The texts, with those of a family joined into one that states its indices. Where the texts of a family differ too
/// much for that, as with fractions, the first ones stand for all.
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

/// The number of characters after which a family's text is shortened.
const CHARACTERS: usize = 600;

/// The beginning of a text that is too long to be read.
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

/// `for i in 2..=19, j = 3`: the values of the loop indices for which a text stands; empty for a single one. Printed
/// ranges are spelled like Rust's inclusive ones, so that it is clear whether the last value belongs to them.
pub fn ranges(domain: &[Range], indices: &[String]) -> String {
    let range = |(range, index): (&Range, &String)| match range.end - range.start {
        1 => format!("{index} = {}", range.start),
        _ => format!("{index} in {}..={}", range.start, range.end - 1),
    };
    let list: Vec<String> = domain.iter().zip(indices).map(range).collect();
    if list.is_empty() { String::new() } else { format!("for {}", list.join(", ")) }
}

/// Rows of fewer than this many names are written out.
const FOLDED: usize = 3;

/// Names in the order given, consecutive indices as one range: `q[0..=9]`, `equation 4[i = 2..=19]`.
pub fn folded(names: &[String]) -> Vec<String> {
    let split: Vec<(Vec<String>, Vec<i64>)> = names.iter().map(|name| split_numbers(name)).collect();
    let mut list = Vec::new();
    let mut at = 0;
    while at < names.len() {
        let place = names.get(at + 1).and_then(|_| step(&split[at], &split[at + 1]));
        let steps = |place| split[at..].windows(2).take_while(|pair| step(&pair[0], &pair[1]) == Some(place)).count();
        match place.map(|place| (place, 1 + steps(place))).filter(|&(_, length)| length >= FOLDED) {
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

impl<K> Group<K> {
    /// The number of entries.
    pub fn size(&self) -> usize {
        self.domain.iter().map(|range| range.end.saturating_sub(range.start) as usize).product()
    }
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
