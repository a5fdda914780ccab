//! Long sums and long rows as loops.
//!
//! In: the terms of a long sum, or the entries of a long row. Out: those that are the same function of positions that
//! move by constant steps, $f(k)$ or $\sum_k f(k)$. Terms are taken in their common order and numbered among those of
//! their kind; a row of neighbours is a loop over these numbers.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::Unplaced;
use super::{Class, Item, Order, Shaped, repeated, roll_apart};
use crate::expr::{Dag, Expr, Node, Rational};
use crate::model::Member;

/// At least this many similar terms are worth a loop wherever they occur.
pub(in crate::program) const MANY: usize = 8;

/// Terms with more operations than this are not examined.
const LARGE: usize = 64;

/// Expressions taken apart, and loops over those that are alike.
pub(in crate::program) struct Alike {
    pub(in crate::program) shaped: Vec<Shaped>,
    /// Loops over at least [`MANY`] of the expressions. The first address is the place of the value.
    pub(in crate::program) classes: Vec<Class>,
}

/// The terms of a sum that are summed in loops: each with its coefficient as the root.
pub(in crate::program) fn terms(order: &mut Order<'_>, terms: &[(Rational, Expr)]) -> Result<Alike, Unplaced> {
    let mut shaped = Vec::with_capacity(terms.len());
    for (q, term) in terms {
        let mut instance = Shaped::up_to(order, &[*term], LARGE)?;
        instance.scale(q);
        shaped.push(instance);
    }
    let places = vec![0; terms.len()];
    Ok(alike(shaped, &places, order_of(order, terms.iter().map(|&(_, t)| t).collect())))
}

/// The entries of a row that are computed in loops; `first` is the position of the first. Equal neighbours become a
/// loop, for which only one of them is taken apart.
pub(in crate::program) fn entries(order: &mut Order<'_>, first: usize, roots: &[Expr]) -> Result<Alike, Unplaced> {
    let (mut shaped, mut classes) = (Vec::with_capacity(roots.len()), Vec::new());
    let (mut rest, mut shaped_rest) = (Vec::new(), Vec::new());
    for equal in roots.chunk_by(|a, b| a == b) {
        let start = shaped.len();
        shaped.extend(equal.iter().map(|_| Shaped::nothing()));
        if equal.len() < MANY {
            for (k, &root) in (start..).zip(equal) {
                rest.push(k);
                shaped_rest.push(Shaped::up_to(order, &[root], LARGE)?);
            }
            continue;
        }
        shaped[start] = Shaped::up_to(order, &equal[..1], LARGE)?;
        let item = Item {
            member: None,
            key: (),
            addresses: std::iter::once((first + start) as i64).chain(shaped[start].addresses.iter().copied()).collect(),
            numbers: shaped[start].numbers.clone(),
        };
        let class = repeated(&item, equal.len()).filter(|_| !shaped[start].operations.is_empty());
        classes.extend(class.map(|class| Class { items: (start..start + equal.len()).collect(), ..class }));
    }
    let places: Vec<usize> = rest.iter().map(|k| first + k).collect();
    let found = alike(shaped_rest, &places, (0..rest.len()).collect());
    for (k, instance) in rest.iter().zip(found.shaped) {
        shaped[*k] = instance;
    }
    let in_row = |class: Class| Class { items: class.items.iter().map(|&k| rest[k]).collect(), ..class };
    classes.extend(found.classes.into_iter().map(in_row));
    classes.sort_by_key(|class| class.items[0]);
    Ok(Alike { shaped, classes })
}

fn order_of(order: &mut Order<'_>, expressions: Vec<Expr>) -> Vec<usize> {
    order.prepare(&expressions);
    order.operands(&expressions, super::order::TimeInvariantFirst::No)
}

// The key of a call is its name and orders; its spline does not count.
#[allow(clippy::mutable_key_type)]
fn alike(shaped: Vec<Shaped>, places: &[usize], order: Vec<usize>) -> Alike {
    // Numbers among those of the same kind.
    let mut count: HashMap<_, i64> = HashMap::new();
    let mut members = vec![None; shaped.len()];
    for k in order {
        // Larger expressions may not have been taken apart.
        let small = (1..=LARGE).contains(&shaped[k].operations.len());
        let number = count.entry((&shaped[k].operations, &shaped[k].outputs)).or_default();
        members[k] =
            small.then(|| Member { family: 0, indices: vec![*number], label: String::new(), gaps: Arc::default() });
        *number += 1;
    }
    let items: Vec<_> = shaped
        .iter()
        .zip(places)
        .zip(&members)
        .map(|((shaped, &place), member)| Item {
            member: member.as_ref(),
            key: (&shaped.operations, &shaped.outputs),
            addresses: std::iter::once(place as i64).chain(shaped.addresses.iter().copied()).collect(),
            numbers: shaped.numbers.clone(),
        })
        .collect();
    // The numbers have no gaps, so nothing is torn.
    let (mut classes, _) = roll_apart(&items);
    classes.retain(|class| class.items.len() >= MANY);
    drop(items);
    Alike { shaped, classes }
}

/// The sums of at least [`MANY`] terms among the given expressions, children first.
pub(in crate::program) fn long_sums(dag: &Dag, reached: impl Iterator<Item = Expr>) -> Vec<Expr> {
    let long = |expr: &Expr| matches!(dag.node(*expr), Node::Sum { terms, .. } if terms.len() >= MANY);
    let mut sums: Vec<Expr> = reached.filter(long).collect();
    sums.sort_unstable();
    sums.dedup();
    sums
}
