//! The order of terms and factors in instances of a family.
//!
//! In: expressions and the positions of their symbols at run time. Out: the operands of sums and products in an order
//! that is the same in all instances of a family. The canonical order of the DAG, that of creation, need not be: a term
//! may have been created for a neighbour.
//!
//! Operands are compared by the positions of their smallest leaves; positions move together from instance to instance.
//! Operands over the same leaves are compared by a hash of their structure, in which leaves count by kind and not by
//! position. As everywhere, operands made of parameters alone come last in sums and first in products.

use std::collections::{HashMap, HashSet};

use super::super::Load;
use crate::expr::{Dag, Expr, Node, Symbol};

/// The number of smallest leaves that are compared.
const LEAVES: usize = 6;

/// The key by which operands are compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    leaves: Vec<Load>,
    structure: u64,
}

/// The order for all expressions over symbols that `load` places.
pub(in crate::program) struct Order<'a> {
    dag: &'a Dag,
    load: &'a dyn Fn(Symbol) -> Option<Load>,
    keys: HashMap<Expr, Key>,
    /// Sums of which parts are accumulated by loops: the totals, and the positions of the remaining terms.
    totals: HashMap<Expr, (Vec<usize>, Vec<usize>)>,
}

impl<'a> Order<'a> {
    pub(in crate::program) fn new(dag: &'a Dag, load: &'a dyn Fn(Symbol) -> Option<Load>) -> Self {
        Order { dag, load, keys: HashMap::new(), totals: HashMap::new() }
    }

    /// Replaces a sum by the sum of the given totals and of its terms at the positions `rest`.
    pub(in crate::program) fn replace(&mut self, sum: Expr, totals: Vec<usize>, rest: Vec<usize>) {
        self.totals.insert(sum, (totals, rest));
    }

    /// The totals of a sum, and the positions of its remaining terms.
    pub(super) fn totals(&self, sum: Expr) -> Option<(&[usize], &[usize])> {
        self.totals.get(&sum).map(|(totals, rest)| (&totals[..], &rest[..]))
    }

    pub(super) fn dag(&self) -> &'a Dag {
        self.dag
    }

    pub(super) fn load(&self, symbol: Symbol) -> Option<Load> {
        (self.load)(symbol)
    }

    /// Makes the keys of everything the roots reach.
    pub(super) fn prepare(&mut self, roots: &[Expr]) {
        let mut found = HashSet::new();
        let mut stack: Vec<Expr> = roots.to_vec();
        while let Some(expr) = stack.pop() {
            if !self.keys.contains_key(&expr) && found.insert(expr) {
                stack.extend(self.dag.children(expr));
            }
        }
        let mut new: Vec<Expr> = found.into_iter().collect();
        // Children have smaller numbers.
        new.sort_unstable();
        for expr in new {
            let key = self.key(expr);
            self.keys.insert(expr, key);
        }
    }

    /// The positions of the operands of a sum or product in the order in which they are computed.
    pub(super) fn operands(&self, operands: &[Expr], first: TimeInvariantFirst) -> Vec<usize> {
        let mut order: Vec<usize> = (0..operands.len()).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (operands[a], operands[b]);
            let time_invariant = self.dag.is_time_invariant(a).cmp(&self.dag.is_time_invariant(b));
            let time_invariant = match first {
                TimeInvariantFirst::InProducts => time_invariant.reverse(),
                TimeInvariantFirst::No => time_invariant,
            };
            time_invariant.then_with(|| self.keys.get(&a).cmp(&self.keys.get(&b))).then(a.cmp(&b))
        });
        order
    }

    fn key(&self, expr: Expr) -> Key {
        let mut hash = Mix::new();
        let mut leaves: Vec<Load> = Vec::new();
        let mut children: Vec<Expr> = Vec::new();
        match self.dag.node(expr) {
            Node::Constant(_) => hash.word(1),
            Node::Pi => hash.word(2),
            Node::Euler => hash.word(3),
            Node::Symbol(symbol) => {
                let load = (self.load)(*symbol);
                hash.word(4 + load.map_or(0, |load| load.kind()));
                leaves.extend(load);
            }
            Node::Sum { constant, terms } => {
                hash.word(32 + u64::from(constant.is_zero()));
                let mut operands: Vec<Expr> = terms.iter().map(|&(_, t)| t).collect();
                if let Some((totals, rest)) = self.totals.get(&expr) {
                    // The number of terms in the totals is not part of the structure, but their smallest leaves are
                    // compared.
                    hash.word(totals.len() as u64);
                    leaves.extend(operands.iter().filter_map(|t| self.keys.get(t)).flat_map(|key| &key.leaves));
                    operands = rest.iter().map(|&k| operands[k]).collect();
                }
                children.extend(self.operands(&operands, TimeInvariantFirst::No).into_iter().map(|k| operands[k]));
            }
            Node::Product(factors) => {
                hash.word(34);
                let operands: Vec<Expr> = factors.iter().map(|&(b, _)| b).collect();
                for k in self.operands(&operands, TimeInvariantFirst::InProducts) {
                    hash.word(i64::from(factors[k].1) as u64);
                    children.push(operands[k]);
                }
            }
            Node::Call(call, arguments) => {
                hash.word(35);
                hash.word(call.key());
                children.extend(arguments.iter());
            }
            Node::Apply(function, arguments) => {
                hash.word(64 + *function as u64);
                children.extend(arguments.iter());
            }
        }
        for child in children {
            let Some(key) = self.keys.get(&child) else { continue };
            hash.word(key.structure);
            leaves.extend(&key.leaves);
        }
        leaves.sort_unstable();
        leaves.dedup();
        leaves.truncate(LEAVES);
        Key { leaves, structure: hash.0 }
    }
}

/// The place of operands made of numbers and parameters.
#[derive(Clone, Copy)]
pub(super) enum TimeInvariantFirst {
    /// Before the others.
    InProducts,
    /// After the others, in sums.
    No,
}

/// Multiply-rotate hashing. The order of operations in generated code follows it, so it has to be the same on every
/// platform and with every version of the libraries, which `rustc-hash` does not promise.
struct Mix(u64);

impl Mix {
    fn new() -> Self {
        Mix(0x243f_6a88_85a3_08d3)
    }

    fn word(&mut self, word: u64) {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15; // 2^64 over the golden ratio
        self.0 = (self.0 ^ word).wrapping_mul(ODD).rotate_left(29);
    }
}
