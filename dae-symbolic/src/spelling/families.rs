//! Texts of families: one for all instances.
//!
//! In: a text for each instance (`q[3]`, `equation 5[3]: 0 = q[3] - q[2]`), in tables, with positions that belong to
//! it. Out: one text with affine functions of the indices (`q[i]`, `equation 5[i]: 0 = q[i] - q[i - 1]`). Texts are
//! rolled by the numbers in them, whatever these mean, and only if the result reproduces the text of every instance.

use std::hash::Hash;

use dae_runtime::contract::Pattern;

use super::rolled::{Rolled, split_numbers};
use crate::model::{Domain, Numbering, Torn};
use crate::program::affine::{Affine, Range, for_each_point};
use crate::program::roll::{Class, Item, roll_apart};

/// One entry of a table: a member of a family or a scalar, with a text, a key that has to agree, and positions.
#[derive(Debug)]
pub struct Entry<'a, K> {
    /// The family, and the indices in it; `None` for a scalar.
    pub domain: Option<&'a Domain>,
    /// Its text.
    pub text: &'a str,
    /// The key, equal for all entries that share one text.
    pub key: K,
    /// Positions, in this table or in others, that have to be affine in the indices.
    pub places: Vec<usize>,
}

/// The entries of a list of domains, texts and keys, each with its position in the list of the whole model.
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
/// If a family of rows is interrupted close to a gap of an excerpt.
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
    /// The key of all entries.
    pub key: K,
    /// The positions of the entries.
    pub places: Vec<Affine>,
    /// The number of the first of the entries.
    pub first: usize,
}

/// The groups of entries: those of a family that differ only in numbers affine in the indices become one group.
///
/// # Errors
/// If the entries of an excerpt do not tell what those left out are like.
pub fn grouped<K: Clone + Eq + Hash>(entries: &[Entry<'_, K>]) -> Result<Vec<Group<K>>, Torn> {
    let (groups, torn) = groups(entries);
    torn.map_or(Ok(groups), Err)
}

/// The items of the whole table, which `item` makes from text, key and places; the first place is that in the table.
///
/// # Errors
/// If the entries of an excerpt do not tell what those left out are like.
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

/// The groups, and [`Torn`] if the entries of an excerpt do not tell what those left out are like.
pub(super) fn groups<K: Clone + Eq + Hash>(entries: &[Entry<'_, K>]) -> (Vec<Group<K>>, Option<Torn>) {
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

impl<K> Group<K> {
    /// The number of entries that it stands for, including those that an excerpt leaves out.
    pub fn size(&self) -> usize {
        self.domain.iter().map(|range| range.end.saturating_sub(range.start) as usize).product()
    }
}
