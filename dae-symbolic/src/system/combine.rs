//! Combining equations whose leading parts cancel.
//!
//! In: a system whose Jacobian is identically singular. Out: the system with one equation replaced by a combination with
//! constant coefficients in which the highest derivatives cancel, as in the linear combination method of Tan,
//! Nedialkov and Pryce, *Conversion methods for improving structural analysis of DAE systems* (BIT 57, 2017), eq. (4.1):
//! with a null vector $u^\top J = 0$ and $\underline c = \min \{c_i : u_i \ne 0\}$,
//!
//! $$ \bar f = \sum_i u_i\, f_i^{(c_i - \underline c)} $$
//!
//! replaces an equation with $c_l = \underline c$. As $u_l$ is a nonzero constant, the old equation is a combination of the new
//! one and the others, whatever the values are: nothing is lost and nothing is divided by.
//!
//! Null vectors are found exactly: every entry of $J$ is a rational combination of canonical monomials $m_k$, and a constant $u$
//! must annihilate the coefficients of each monomial in each column.

use std::collections::BTreeMap;

use super::{Provenance, System, derivatives};
use crate::expr::{Dag, Expr, Node, Rational};
use crate::structure::Offsets;

/// A column of the Jacobian and a monomial in it; the monomial of a number is `None`.
type Place = (usize, Option<Expr>);
/// A sparse vector.
type Sparse<K> = BTreeMap<K, Rational>;

/// Replaces one equation by a combination that lowers the structure, if there is a constant null vector.
/// Returns the number of the equation that was replaced.
pub fn combine(dag: &mut Dag, system: &mut System, offsets: &Offsets) -> Option<usize> {
    let jacobian = system.jacobian(dag, offsets);
    let null = constant_null_vector(dag, system.equations.len(), &jacobian)?;
    let c = |i: usize| offsets.equations[i];
    let lowest = null.keys().map(|&i| c(i)).min()?;
    // The last such equation in the text: earlier ones keep their place.
    let replaced = null.keys().copied().rfind(|&i| c(i) == lowest)?;
    let mut residual = Vec::new();
    let mut provenance: BTreeMap<(usize, u32), Rational> = BTreeMap::new();
    for (&i, q) in &null {
        let derivative = derivatives(dag, system.equations[i].residual, c(i) - lowest).pop()?;
        residual.push((q.clone(), derivative));
        for (r, k, order) in &system.equations[i].provenance.terms {
            let entry = provenance.entry((*k, order + c(i) - lowest)).or_insert(Rational::ZERO);
            *entry = entry.add(&q.mul(r));
        }
    }
    let equation = &mut system.equations[replaced];
    equation.residual = dag.sum(residual);
    let terms = provenance.into_iter().filter(|(_, q)| !q.is_zero()).map(|((k, order), q)| (q, k, order));
    let names = equation.provenance.names.clone();
    equation.provenance = Provenance { terms: terms.collect(), names };
    Some(replaced)
}

/// Some nonzero rational vector $u$ with $u^\top J = 0$ identically, by equation; `None` if there is none.
fn constant_null_vector(dag: &Dag, n: usize, jacobian: &[(usize, usize, Expr)]) -> Option<Sparse<usize>> {
    let mut rows: Vec<Sparse<Place>> = vec![BTreeMap::new(); n];
    for &(i, j, entry) in jacobian {
        for (q, monomial) in monomials(dag, entry) {
            rows[i].insert((j, monomial), q);
        }
    }
    // Gaussian elimination on rows, each carrying the combination of original rows that it is.
    let mut pivots: BTreeMap<Place, (Sparse<Place>, Sparse<usize>)> = BTreeMap::new();
    for (i, mut row) in rows.into_iter().enumerate() {
        let mut combination = BTreeMap::from([(i, Rational::ONE)]);
        loop {
            let Some((&key, value)) = row.iter().next() else { return Some(scaled_to_integers(combination)) };
            let Some((pivot_row, pivot_combination)) = pivots.get(&key) else {
                pivots.insert(key, (row, combination));
                break;
            };
            let leading: &Rational = &pivot_row[&key];
            let factor = value.mul(&leading.recip()?).neg();
            add_multiple(&mut row, pivot_row, &factor);
            add_multiple(&mut combination, pivot_combination, &factor);
        }
    }
    None
}

fn add_multiple<K: Ord + Copy>(row: &mut Sparse<K>, other: &Sparse<K>, factor: &Rational) {
    for (&key, value) in other {
        let entry = row.entry(key).or_insert(Rational::ZERO);
        *entry = entry.add(&factor.mul(value));
        if entry.is_zero() {
            row.remove(&key);
        }
    }
}

/// Coprime integers with a positive first entry: what a reader expects to see.
fn scaled_to_integers(mut vector: Sparse<usize>) -> Sparse<usize> {
    let content = Rational::content(vector.values());
    let negative = vector.values().next().is_some_and(Rational::is_negative);
    let scale = if negative { content.neg() } else { content };
    for value in vector.values_mut() {
        *value = scale.recip().map_or(value.clone(), |r| value.mul(&r));
    }
    vector
}

/// The canonical form read as a rational combination of monomials.
fn monomials(dag: &Dag, entry: Expr) -> Vec<(Rational, Option<Expr>)> {
    match dag.node(entry) {
        Node::Constant(q) => vec![(q.clone(), None)],
        Node::Sum { constant, terms } => {
            let constant = (!constant.is_zero()).then(|| (constant.clone(), None));
            terms.iter().map(|(q, t)| (q.clone(), Some(*t))).chain(constant).collect()
        }
        _ => vec![(Rational::ONE, Some(entry))],
    }
}
