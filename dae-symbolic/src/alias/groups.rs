//! Groups of unknowns that are equal up to sign.
//!
//! In: relations $x_j = \pm x_k$ and $x_j = c$. Out: for each unknown its representative, with the sign, or its value.
//! A forest with path compression (Tarjan & van Leeuwen, *J. ACM* 31, 1984): logarithmic amortised time per relation.

use std::cmp::Reverse;

use super::relation::{AliasOf, Relation};
use crate::expr::{Dag, Expr, Rational};

/// The key that decides which of two unknowns stays: the one with the larger key.
type Preference = (u32, bool, Reverse<usize>);

pub(super) struct Groups {
    /// For each unknown the next on the way to its representative, and the factor between them.
    next: Vec<(usize, Rational)>,
    /// Values of representatives.
    values: Vec<Option<Expr>>,
    preference: Vec<Preference>,
}

impl Groups {
    pub(super) fn new(preference: Vec<Preference>) -> Self {
        let next = (0..preference.len()).map(|j| (j, Rational::ONE)).collect();
        Groups { next, values: vec![None; preference.len()], preference }
    }

    /// The representative $r$ of $x_j$ and $q$ with $x_j = q x_r$.
    pub(super) fn find(&mut self, unknown: usize) -> (usize, Rational) {
        let mut path = Vec::new();
        let mut at = unknown;
        while self.next[at].0 != at {
            path.push(at);
            at = self.next[at].0;
        }
        let mut factor = Rational::ONE;
        for &step in path.iter().rev() {
            factor = self.next[step].1.mul(&factor);
            self.next[step] = (at, factor.clone());
        }
        (at, factor)
    }

    /// Adds a relation; the result is the unknown that it eliminates, if it eliminates one.
    pub(super) fn join(&mut self, dag: &mut Dag, relation: Relation) -> Option<usize> {
        match relation {
            Relation::Equal(j, k, factor) => {
                let ((a, p), (b, q)) = (self.find(j), self.find(k));
                // x_j = p x_a = factor · q x_b; unknowns with a value wait for the next round, when they have been
                // replaced.
                if a == b || self.values[a].is_some() || self.values[b].is_some() {
                    return None;
                }
                let factor = factor.mul(&q).mul(&p);
                let (gone, stays) = if self.preference[a] < self.preference[b] { (a, b) } else { (b, a) };
                // Factors are ±1, so that they are their own reciprocals.
                self.next[gone] = (stays, factor);
                Some(gone)
            }
            Relation::Constant(j, value) => {
                let (root, factor) = self.find(j);
                if self.values[root].is_some() {
                    return None;
                }
                self.values[root] = Some(dag.scale(factor, value));
                Some(root)
            }
        }
    }

    /// What replaces an unknown; `None` if nothing does.
    pub(super) fn alias_of(&mut self, dag: &mut Dag, unknown: usize) -> Option<AliasOf> {
        let (root, factor) = self.find(unknown);
        match self.values[root] {
            Some(value) => Some(AliasOf::Constant(dag.scale(factor, value))),
            None if root == unknown => None,
            None => Some(AliasOf::Unknown { unknown: root, factor }),
        }
    }
}
