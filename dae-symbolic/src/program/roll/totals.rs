//! Long sums as loops.
//!
//! In: a sum of many terms. Out: which of its terms are the same function of positions that move by constant steps, $\sum_k f(k)$.
//! Terms are taken in their common order and numbered among those of their kind; a row of neighbours is a loop over these numbers.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::Unplaced;
use super::{Class, Item, Order, Shaped, roll_apart};
use crate::expr::{Dag, Expr, Node, Rational};
use crate::model::Member;

/// So many alike are worth a loop wherever they occur.
pub(in crate::program) const MANY: usize = 8;

/// Terms of more operations than this are not looked at.
const LARGE: usize = 64;

/// Things that may be alike: expressions with the place of each.
pub(in crate::program) struct Alike {
    pub(in crate::program) shaped: Vec<Shaped>,
    /// Loops over at least [`MANY`] of them. The first address is the place of the value.
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

/// The entries of a row that are computed in loops; `first` is the position of the first.
pub(in crate::program) fn entries(order: &mut Order<'_>, first: usize, roots: &[Expr]) -> Result<Alike, Unplaced> {
    let shaped: Result<Vec<Shaped>, Unplaced> =
        roots.iter().map(|&root| Shaped::up_to(order, &[root], LARGE)).collect();
    let places: Vec<usize> = (first..first + roots.len()).collect();
    Ok(alike(shaped?, &places, (0..roots.len()).collect()))
}

fn order_of(order: &mut Order<'_>, expressions: Vec<Expr>) -> Vec<usize> {
    order.prepare(&expressions);
    order.operands(&expressions, super::order::SteadyFirst::No)
}

// The key of a call is its name and orders; what its spline is does not count.
#[allow(clippy::mutable_key_type)]
fn alike(shaped: Vec<Shaped>, places: &[usize], order: Vec<usize>) -> Alike {
    // Numbers among those of the same kind.
    let mut count: HashMap<_, i64> = HashMap::new();
    let mut members = vec![None; shaped.len()];
    for k in order {
        // Of larger ones there may be nothing.
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
    // Numbered without gaps.
    let (mut classes, _) = roll_apart(&items);
    classes.retain(|class| class.items.len() >= MANY);
    drop(items);
    Alike { shaped, classes }
}

/// The sums of many terms among what the roots reach, children first.
pub(in crate::program) fn long_sums(dag: &Dag, reached: impl Iterator<Item = Expr>) -> Vec<Expr> {
    let long = |expr: &Expr| matches!(dag.node(*expr), Node::Sum { terms, .. } if terms.len() >= MANY);
    let mut sums: Vec<Expr> = reached.filter(long).collect();
    sums.sort_unstable();
    sums.dedup();
    sums
}
