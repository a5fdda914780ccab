//! Rolling: instances of a family that differ by affine functions of their indices become one loop.
//!
//! In: items, each a member of a family (or none) with a key, addresses and numbers. Out: classes. The items of a class
//! have equal keys, fill a box of indices, and their addresses and numbers are affine in the indices. An item that fits
//! no such box of at least three members along some index is a class of its own, without loops.
//!
//! Dimension by dimension, the last index first: neighbours whose differences agree are joined, long rows first, so
//! that an exceptional instance at a boundary does not take a regular neighbour with it. Rows joined in one dimension
//! are the items of the next. The classes depend on the items alone, not on their order, and so are the same for every
//! size of a family.
//!
//! In an excerpt of a family (see [`Gap`]), rows continue across the gap if the members on both sides agree; those next
//! to the gap, which may have a neighbour from the other side, do not count.
//!
//! `shape` turns expressions into items, `order` puts the terms of a sum into the same order in all of them.

mod order;
mod shape;
mod template;
pub(super) mod totals;

pub(super) use order::Order;
pub(super) use shape::Shaped;
pub(super) use template::Template;

use std::collections::HashMap;
use std::hash::Hash;

use super::affine::{Affine, AffineNumber, Range};
use crate::expr::Rational;
#[cfg(doc)]
use crate::model::Gap;
use crate::model::{Member, Torn};

/// Fewer members in a row than this are not worth a loop.
const SHORTEST: usize = 3;

/// Integers up to here are exact in `f64`.
const EXACT: i64 = 1 << 53;

/// An item to be joined with others.
#[derive(Clone, Debug)]
pub struct Item<'a, K> {
    /// The family and the indices in it.
    pub member: Option<&'a Member>,
    /// The part that has to be equal in a class.
    pub key: K,
    /// Integers that have to be affine.
    pub addresses: Vec<i64>,
    /// Rational numbers that have to be affine.
    pub numbers: Vec<Rational>,
}

/// A box of items.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// The loops, outermost first; none for a single item.
    pub domain: Vec<Range>,
    /// The items by number, the last loop fastest.
    pub items: Vec<usize>,
    /// The addresses of the items.
    pub addresses: Vec<Affine>,
    /// The numbers of the items.
    pub numbers: Vec<AffineNumber>,
}

/// A row of the box: its start, its length, and the changes from one item to the next.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Row {
    start: i64,
    length: usize,
    addresses: Vec<i64>,
    numbers: Vec<Rational>,
}

/// Items joined so far, with the rows of the dimensions done, innermost first.
struct Joined {
    rows: Vec<Row>,
    items: Vec<usize>,
}

/// Joins items into boxes; the classes are in the order of their first items.
///
/// # Errors
/// If the members of an excerpt on both sides of a gap do not determine those in between.
pub fn roll<K: Eq + Hash>(items: &[Item<'_, K>]) -> Result<Vec<Class>, Torn> {
    let (classes, torn) = roll_apart(items);
    torn.map_or(Ok(classes), Err)
}

/// Joins items into boxes; where members on both sides of a gap do not agree, [`Torn`] is returned as well, and the two
/// sides are in different classes.
pub(crate) fn roll_apart<K: Eq + Hash>(items: &[Item<'_, K>]) -> (Vec<Class>, Option<Torn>) {
    let mut classes = Vec::new();
    let mut torn = None;
    for group in groups(items) {
        let dimensions = items[group[0]].member.map_or(0, |member| member.indices.len());
        let mut joined: Vec<Joined> =
            group.into_iter().map(|item| Joined { rows: Vec::new(), items: vec![item] }).collect();
        for dimension in (0..dimensions).rev() {
            let (longer, apart) = join(items, joined, dimension);
            (joined, torn) = (longer, torn.or(apart));
        }
        for joined in joined {
            let (found, apart) = class(items, joined);
            classes.extend(found);
            torn = torn.or(apart);
        }
    }
    classes.sort_by_key(|class| class.items.iter().copied().min());
    (classes, torn)
}

/// The items of each family, key and number of dimensions; members at a seam are left out. A second item at the same
/// indices goes to a second group.
fn groups<K: Eq + Hash>(items: &[Item<'_, K>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut place = HashMap::new();
    let mut met: HashMap<(u32, &[i64], &K), usize> = HashMap::new();
    for (number, item) in items.iter().enumerate() {
        let Some(member) = item.member else {
            groups.push(vec![number]);
            continue;
        };
        if member.is_at_seam() {
            continue;
        }
        let times = met.entry((member.family, &member.indices, &item.key)).or_default();
        let group = *place.entry((member.family, member.indices.len(), &item.key, *times)).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        *times += 1;
        groups[group].push(number);
    }
    groups
}

/// Joins along one dimension items that agree in all others; [`Torn`] if a row ends at a gap.
fn join<K>(items: &[Item<'_, K>], joined: Vec<Joined>, dimension: usize) -> (Vec<Joined>, Option<Torn>) {
    let index = |j: &Joined| items[j.items[0]].member.map_or(0, |member| member.indices[dimension]);
    let mut lines: Vec<Vec<Joined>> = Vec::new();
    let mut place = HashMap::new();
    for j in joined {
        let outer = items[j.items[0]].member.map_or(&[][..], |member| &member.indices[..dimension]);
        let line = *place.entry((outer, j.rows.clone())).or_insert_with(|| {
            lines.push(Vec::new());
            lines.len() - 1
        });
        lines[line].push(j);
    }
    let mut result = Vec::new();
    let mut torn = None;
    for mut line in lines {
        line.sort_by_key(index);
        let first: Vec<&Item<'_, K>> = line.iter().map(|j| &items[j.items[0]]).collect();
        let at: Vec<i64> = line.iter().map(index).collect();
        let ends = first[0].member.and_then(|member| member.gaps.get(dimension)).filter(|gap| !gap.is_empty());
        // The last member before the gap and the first one after it.
        let ends = ends.map(|gap| (gap.seam().start - 1, gap.seam().end));
        let next = |k: usize| at[k] + 1 == at[k + 1] || ends == Some((at[k], at[k + 1]));
        // The step of the last item is to itself.
        let step = |k: usize| {
            let to = (k + 1).min(line.len() - 1);
            Stride { from: first[k], to: first[to], distance: (at[to] - at[k]).max(1) }
        };
        let lengths = segments(&at, next, |k| step(k).is_same(&step(k + 1)));
        let mut rows = Vec::new();
        let mut from = 0;
        for length in lengths {
            let last = from + length - 1;
            let interrupted = ends.is_some_and(|(before, after)| at[last] == before || at[from] == after);
            torn = torn.or(interrupted.then_some(Torn));
            rows.push((length, step(from).row(at[from], at[last], length)));
            from += length;
        }
        let mut rest = line.into_iter();
        for (length, row) in rows {
            let mut part = rest.by_ref().take(length);
            let Some(mut head) = part.next() else { continue };
            part.for_each(|j| head.items.extend(j.items));
            head.rows.push(row);
            result.push(head);
        }
    }
    (result, torn)
}

/// The step from an item to its neighbour.
struct Stride<'s, 'a, K> {
    from: &'s Item<'a, K>,
    to: &'s Item<'a, K>,
    /// The difference of their indices.
    distance: i64,
}

impl<K> Stride<'_, '_, K> {
    fn addresses(&self) -> impl Iterator<Item = i64> {
        self.from.addresses.iter().zip(&self.to.addresses).map(|(a, b)| b.wrapping_sub(*a))
    }

    fn numbers(&self) -> impl Iterator<Item = Rational> {
        let difference = |(a, b): (&Rational, &Rational)| if a == b { Rational::ZERO } else { b.sub(a) };
        self.from.numbers.iter().zip(&self.to.numbers).map(difference)
    }

    /// Whether everything changes at the same rate as in the next step, in proportion to the distance.
    fn is_same(&self, next: &Self) -> bool {
        let (here, there) = (self.distance, next.distance);
        let scaled = |a: i64, by: i64| i128::from(a) * i128::from(by);
        if !self.addresses().zip(next.addresses()).all(|(a, b)| scaled(a, there) == scaled(b, here)) {
            return false;
        }
        let scaled = |q: Rational, by: i64| if by == 1 { q } else { q.mul(&Rational::from(by)) };
        self.numbers().zip(next.numbers()).all(|(a, b)| scaled(a, there) == scaled(b, here))
    }

    /// The row that begins with this step and has the given number of items.
    fn row(&self, first: i64, last: i64, items: usize) -> Row {
        let alone = items == 1;
        let portion = Rational::new(1, self.distance).unwrap_or(Rational::ONE);
        let per_index = |q: Rational| if alone { Rational::ZERO } else { q.mul(&portion) };
        Row {
            start: first,
            length: (last - first + 1) as usize,
            addresses: self.addresses().map(|a| if alone { 0 } else { a / self.distance }).collect(),
            numbers: self.numbers().map(per_index).collect(),
        }
    }
}

/// The lengths of the pieces into which a line with the given indices is cut: maximal rows of neighbours with equal
/// steps, long ones first; the rest single.
fn segments(at: &[i64], next: impl Fn(usize) -> bool, same: impl Fn(usize) -> bool) -> Vec<usize> {
    let count = at.len();
    let mut rows: Vec<(usize, usize)> = Vec::new();
    let mut k = 0;
    while k + 1 < count {
        if !next(k) {
            k += 1;
            continue;
        }
        let start = k;
        while k + 2 < count && next(k + 1) && same(k) {
            k += 1;
        }
        rows.push((start, k + 2 - start));
        // The next row may begin with the last member of this one.
        k += 1;
    }
    rows.sort_by_key(|&(start, length)| (std::cmp::Reverse(at[start + length - 1] - at[start]), start));
    // 0: free; otherwise the row it belongs to.
    let mut owner = vec![0; count];
    for (number, (start, length)) in rows.into_iter().enumerate() {
        let free: Vec<usize> = (start..start + length).filter(|&k| owner[k] == 0).collect();
        if free.len() >= SHORTEST {
            free.into_iter().for_each(|k| owner[k] = number + 1);
        }
    }
    let mut lengths: Vec<usize> = Vec::new();
    for k in 0..count {
        match lengths.last_mut() {
            Some(length) if owner[k] != 0 && owner[k] == owner[k - 1] => *length += 1,
            _ => lengths.push(1),
        }
    }
    lengths
}

/// The class of joined items. If a number would not be exact, they become single items, with [`Torn`] if they left a
/// gap.
fn class<K>(items: &[Item<'_, K>], joined: Joined) -> (Vec<Class>, Option<Torn>) {
    let first = &items[joined.items[0]];
    let loops: Vec<&Row> = joined.rows.iter().rev().filter(|row| row.length > 1).collect();
    let numbers: Option<Vec<AffineNumber>> = (0..first.numbers.len()).map(|n| number(first, &loops, n)).collect();
    match numbers {
        Some(numbers) => {
            let address = |a: usize| {
                let strides: Vec<i64> = loops.iter().map(|row| row.addresses[a]).collect();
                let moved: i64 = loops.iter().zip(&strides).map(|(row, stride)| row.start * stride).sum();
                Affine { base: first.addresses[a] - moved, strides }
            };
            let addresses = (0..first.addresses.len()).map(address).collect();
            let domain = loops.iter().map(|row| row.start..row.start + row.length as i64).collect();
            (vec![Class { domain, items: joined.items, addresses, numbers }], None)
        }
        None => {
            let members: usize = joined.rows.iter().map(|row| row.length).product();
            let torn = (members > joined.items.len()).then_some(Torn);
            (joined.items.iter().map(|&item| single(items, item)).collect(), torn)
        }
    }
}

/// The class of `length` items that are equal except for their first address, which increases by one. `None` if a
/// number would not be exact.
fn repeated<K>(item: &Item<'_, K>, length: usize) -> Option<Class> {
    let addresses = (0..item.addresses.len()).map(|a| i64::from(a == 0)).collect();
    let row = Row { start: 0, length, addresses, numbers: vec![Rational::ZERO; item.numbers.len()] };
    let (classes, _) = class(std::slice::from_ref(item), Joined { rows: vec![row], items: vec![0] });
    classes.into_iter().next().filter(|class| !class.domain.is_empty())
}

/// A class of one item, without its numbers.
fn single<K>(items: &[Item<'_, K>], item: usize) -> Class {
    let fixed = |&address: &i64| Affine { base: address, strides: Vec::new() };
    let addresses = items[item].addresses.iter().map(fixed).collect();
    Class { domain: Vec::new(), items: vec![item], addresses, numbers: Vec::new() }
}

/// A number of the class as an affine function over a common denominator.
fn number<K>(first: &Item<'_, K>, loops: &[&Row], n: usize) -> Option<AffineNumber> {
    let mut base = first.numbers[n].clone();
    let mut denominator = base.to_machine()?.1;
    for row in loops {
        base = base.sub(&row.numbers[n].mul(&Rational::from(row.start)));
        denominator = num_integer::lcm(denominator, row.numbers[n].to_machine().filter(|&(_, d)| d <= EXACT)?.1);
    }
    let over = |q: &Rational| q.mul(&Rational::from(denominator)).to_integer();
    let strides: Option<Vec<i64>> = loops.iter().map(|row| over(&row.numbers[n])).collect();
    let numerator = Affine { base: over(&base)?, strides: strides? };
    // Affine functions are largest at corners of the box.
    let reach: i128 = loops
        .iter()
        .zip(&numerator.strides)
        .map(|(row, &stride)| {
            let end = row.start.abs().max((row.start + row.length as i64).abs());
            i128::from(stride.abs()) * i128::from(end)
        })
        .sum();
    let exact = i128::from(numerator.base.abs()) + reach <= i128::from(EXACT) && denominator <= EXACT;
    (exact || numerator.is_fixed()).then_some(AffineNumber { numerator, denominator })
}

#[cfg(test)]
mod tests;
