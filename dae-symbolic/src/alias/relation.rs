//! Equations that relate two unknowns, or give one.
//!
//! In: the residual $f$ of an equation. Out: the relation $x_j = \pm x_k$ or $x_j = c$ that $f = 0$ states, if it does;
//! and what replaces an unknown and its derivatives because of such a relation.

use crate::expr::{Dag, Expr, Node, Rational, Symbol, UnknownId};

/// What replaces an eliminated unknown.
#[derive(Clone, Debug, PartialEq)]
pub enum AliasOf {
    /// $q x_j$ with $q = \pm 1$.
    Unknown {
        /// $j$.
        unknown: usize,
        /// $q$.
        factor: Rational,
    },
    /// A constant made of numbers and parameters.
    Constant(Expr),
}

impl AliasOf {
    /// $z^{(k)}$.
    pub fn jet(&self, dag: &mut Dag, order: u32) -> Expr {
        match self {
            AliasOf::Unknown { unknown, factor } => {
                let jet = dag.symbol(Symbol::Unknown { unknown: UnknownId(*unknown as u32), order });
                dag.scale(factor.clone(), jet)
            }
            AliasOf::Constant(value) if order == 0 => *value,
            AliasOf::Constant(_) => dag.integer(0),
        }
    }
}

/// A relation between two unknowns, or the value of one.
pub(super) enum Relation {
    /// $x_j = q x_k$ with $q = \pm 1$.
    Equal(usize, usize, Rational),
    /// $x_j = c$.
    Constant(usize, Expr),
}

/// The relation that $f = 0$ states, if it does.
pub(super) fn relation(dag: &mut Dag, residual: Expr) -> Option<Relation> {
    let (terms, constant) = match dag.node(residual).clone() {
        Node::Sum { constant, terms } => (terms.to_vec(), constant),
        _ => (vec![(Rational::ONE, residual)], Rational::ZERO),
    };
    let mut unknowns: Vec<(usize, Rational)> = Vec::new();
    let mut rest = Vec::new();
    for (q, term) in terms {
        match dag.node(term) {
            Node::Symbol(Symbol::Unknown { unknown, order: 0 }) if unknowns.len() < 2 => {
                unknowns.push((unknown.index(), q));
            }
            _ if dag.is_time_invariant(term) => rest.push((q, term)),
            _ => return None,
        }
    }
    match unknowns.as_slice() {
        [(j, q), (k, r)] if rest.is_empty() && constant.is_zero() && q.abs() == r.abs() => {
            Some(Relation::Equal(*j, *k, r.mul(&q.recip()?).neg()))
        }
        [(j, q)] => {
            let constant = dag.constant(constant);
            rest.push((Rational::ONE, constant));
            let rest = dag.sum(rest);
            Some(Relation::Constant(*j, dag.scale(q.recip()?.neg(), rest)))
        }
        _ => None,
    }
}
