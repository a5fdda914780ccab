//! Null vectors of the system Jacobian.
//!
//! In: a matrix of expressions that is identically singular. Out: vectors $u \ne 0$ with $u^\top J = 0$ identically:
//! one of rational numbers, if there is any, and such of expressions.
//!
//! *Numbers.* Every entry of $J$ is a rational combination of canonical monomials $m_k$, and a constant $u$ must
//! annihilate the coefficients of each monomial in each column: elimination over a prime field, from which the numbers
//! are reconstructed and then verified.
//!
//! *Expressions.* Elimination at a random point of the prime field finds minimal sets $L$ of rows that depend on one
//! another (each dependent row with the rows of a basis that it combines), and columns $C$ on which all but one of them
//! are independent. By Cramer's rule, the minors $u_i = (-1)^i \det J_{L \setminus i, C}$ are a null vector; their
//! common factors are divided out.

use std::collections::BTreeMap;

use crate::expr::echelon::{Companion, Echelon, SparseVector as Sparse};
use crate::expr::prime_field::{FieldPoint, arithmetic};
use crate::expr::{Dag, Expr, Node, Rational, without_common_divisor};
use crate::model::Model;

/// The nonzero components, by row.
pub(super) type NullVector = Vec<(usize, Expr)>;
/// A column of the Jacobian and a monomial in it; the monomial of a number is `None`.
type Place = (usize, Option<Expr>);
/// A sparse vector over the prime field.
type Residues = BTreeMap<usize, u64>;

/// Dependent sets of more than this many rows are left alone: their minors are too long to be of use.
const MAX_ROWS: usize = 8;
/// Where residues do not suffice, at most this many rows are eliminated exactly: numbers grow with every row.
const MAX_EXACT_ROWS: usize = 200;
/// The number of nodes that the minors of one dependent set may add.
const MAX_GROWTH: usize = 4_000;

/// Null vectors in order of preference: a constant one, then others by ascending number of rows.
pub(super) fn null_vectors(model: &mut Model, n: usize, jacobian: &[(usize, usize, Expr)]) -> Vec<NullVector> {
    let mut found = Vec::new();
    if let Some(constant) = constant_null_vector(&mut model.dag, n, jacobian) {
        found.push(constant.into_iter().map(|(i, q)| (i, model.dag.constant(q))).collect());
    }
    let mut circuits = circuits(model, n, jacobian).unwrap_or_default();
    circuits.sort_by_key(|circuit| circuit.rows.len());
    for circuit in &circuits {
        found.extend(circuit.minors(&mut model.dag, jacobian));
    }
    found
}

/// Some nonzero rational vector $u$ with $u^\top J = 0$ identically, by equation; `None` if there is none, or finding
/// it takes too much work.
///
/// The rows that it combines are found modulo a prime, where entries do not grow; rows that are independent there are
/// independent over the rationals. The numbers are reconstructed from their residues and verified in every column. Rows
/// are eliminated exactly only if that fails.
fn constant_null_vector(dag: &mut Dag, n: usize, jacobian: &[(usize, usize, Expr)]) -> Option<Sparse<usize>> {
    let mut rows: Vec<Sparse<Place>> = vec![BTreeMap::new(); n];
    for &(i, j, entry) in jacobian {
        for (q, monomial) in monomials(dag, entry) {
            rows[i].insert((j, monomial), q);
        }
    }
    if let Some(residues) = rows.iter().map(residues).collect::<Option<Vec<_>>>() {
        let dependence = dependences(residues).next()?;
        let reconstructed = dependence.iter().map(|&(i, residue)| Some((i, arithmetic::reconstructed(residue)?)));
        let vector: Option<Sparse<usize>> = reconstructed.collect();
        if let Some(vector) = vector.filter(|vector| annihilates(vector, &rows)) {
            return Some(scaled_to_integers(vector));
        }
    }
    let mut echelon = Echelon::default();
    rows.into_iter()
        .take(MAX_EXACT_ROWS)
        .enumerate()
        .find_map(|(i, row)| echelon.insert(row, Sparse::from([(i, Rational::ONE)])))
        .map(scaled_to_integers)
}

/// A row modulo the prime; `None` if a denominator vanishes there.
fn residues(row: &Sparse<Place>) -> Option<BTreeMap<Place, u64>> {
    let entries = row.iter().map(|(&place, q)| Some((place, q.modulo(arithmetic::PRIME)?)));
    entries.filter(|entry| entry.is_none_or(|(_, residue)| residue != 0)).collect()
}

/// Whether $u^\top J = 0$ for a vector $u$ and the rows of $J$.
fn annihilates(vector: &Sparse<usize>, rows: &[Sparse<Place>]) -> bool {
    let mut sum = Sparse::new();
    vector.iter().for_each(|(&i, factor)| sum.add_multiple(&rows[i], factor));
    sum.is_empty()
}

/// The vector as coprime integers with a positive first entry, the form that a reader expects.
fn scaled_to_integers(mut vector: Sparse<usize>) -> Sparse<usize> {
    let content = Rational::content(vector.values());
    let negative = vector.values().next().is_some_and(Rational::is_negative);
    let scale = if negative { content.neg() } else { content };
    for value in vector.values_mut() {
        *value = scale.recip().map_or(value.clone(), |r| value.mul(&r));
    }
    vector
}

/// An entry as a rational combination of monomials. None of their factors begins with a minus sign, so that
/// $x (a - b)$ and $x (b - a)$ are multiples of the same monomial.
fn monomials(dag: &mut Dag, entry: Expr) -> Vec<(Rational, Option<Expr>)> {
    match dag.node(entry).clone() {
        Node::Constant(q) => vec![(q, None)],
        Node::Sum { constant, terms } => {
            let constant = (!constant.is_zero()).then_some((constant, None));
            let term = |(q, term): &(Rational, Expr)| {
                let (content, monomial) = primitive_monomial(dag, *term);
                (q.mul(&content), Some(monomial))
            };
            terms.iter().map(term).chain(constant).collect()
        }
        Node::Pi | Node::Euler | Node::Symbol(_) | Node::Product(_) | Node::Apply(..) | Node::Call(..) => {
            let (content, monomial) = primitive_monomial(dag, entry);
            vec![(content, Some(monomial))]
        }
    }
}

/// A monomial as a number and a product of primitive parts.
fn primitive_monomial(dag: &mut Dag, monomial: Expr) -> (Rational, Expr) {
    let Node::Product(factors) = dag.node(monomial).clone() else { return (Rational::ONE, monomial) };
    let mut content = Rational::ONE;
    let mut primitive = Vec::with_capacity(factors.len());
    for &(base, n) in factors.iter() {
        match dag.content(base).powi(n) {
            Some(q) => {
                content = content.mul(&q);
                primitive.push((dag.primitive_part(base), n));
            }
            None => primitive.push((base, n)),
        }
    }
    (content, dag.product(primitive))
}

/// A minimal set of dependent rows, and columns that show it.
struct Circuit {
    rows: Vec<usize>,
    columns: Vec<usize>,
}

/// The minimal dependent sets of at most [`MAX_ROWS`] rows at a random point of the prime field; `None` if the matrix
/// has no value there.
fn circuits(model: &mut Model, n: usize, jacobian: &[(usize, usize, Expr)]) -> Option<Vec<Circuit>> {
    let values: Vec<Expr> = jacobian.iter().map(|&(.., value)| value).collect();
    let values = model.expand_inputs(&values);
    let point = FieldPoint::new(0).with_start(crate::defaults::start_point(model));
    let residues = point.evaluate(&model.dag, &values).ok()?.values;
    let mut rows: Vec<Residues> = vec![BTreeMap::new(); n];
    for (&(i, j, _), residue) in jacobian.iter().zip(residues) {
        if residue != 0 {
            rows[i].insert(j, residue);
        }
    }
    let independent = |dependence: Vec<(usize, u64)>| {
        let rows_of: Vec<usize> = dependence.into_iter().map(|(i, _)| i).collect();
        (rows_of.len() <= MAX_ROWS).then(|| Circuit { columns: independent_columns(&rows, &rows_of), rows: rows_of })
    };
    Some(dependences(rows.clone()).filter_map(independent).collect())
}

/// The dependences of rows over the prime field: for each row that depends on those before it, the rows of the basis
/// that it combines with their coefficients, ascending, and the row itself with the coefficient 1.
fn dependences<K: Ord + Copy>(rows: Vec<BTreeMap<K, u64>>) -> impl Iterator<Item = Vec<(usize, u64)>> {
    // Reduced rows with their numbers, by pivot column, and for every row the multiples of reduced ones added to it.
    let mut pivots: BTreeMap<K, (usize, BTreeMap<K, u64>)> = BTreeMap::new();
    let mut added: Vec<Vec<(usize, u64)>> = Vec::with_capacity(rows.len());
    rows.into_iter().enumerate().filter_map(move |(i, mut row)| {
        let mut multiples = Vec::new();
        loop {
            let Some((&column, &value)) = row.iter().next() else {
                let combination = in_terms_of_rows(i, &multiples, &added);
                added.push(multiples);
                return Some(combination);
            };
            let Some((k, pivot)) = pivots.get(&column) else {
                pivots.insert(column, (i, row));
                added.push(multiples);
                return None;
            };
            // A row is filed under its first entry, which is not zero.
            let inverse = arithmetic::inv(pivot[&column]).unwrap_or(0);
            let factor = arithmetic::neg(arithmetic::mul(value, inverse));
            subtract(&mut row, pivot, factor);
            multiples.push((*k, factor));
        }
    })
}

/// Row `i` plus multiples of reduced rows, in terms of the original rows. A reduced row combines itself and earlier
/// ones, so the last is resolved first.
fn in_terms_of_rows(i: usize, multiples: &[(usize, u64)], added: &[Vec<(usize, u64)>]) -> Vec<(usize, u64)> {
    let mut pending: Residues = multiples.iter().copied().collect();
    let mut combination = vec![(i, 1)];
    while let Some((k, factor)) = pending.pop_last() {
        if factor == 0 {
            continue;
        }
        combination.push((k, factor));
        for &(earlier, multiple) in &added[k] {
            let entry = pending.entry(earlier).or_insert(0);
            *entry = arithmetic::add(*entry, arithmetic::mul(factor, multiple));
        }
    }
    combination.reverse();
    combination
}

fn subtract<K: Ord + Copy>(row: &mut BTreeMap<K, u64>, other: &BTreeMap<K, u64>, factor: u64) {
    for (&key, &value) in other {
        let entry = row.entry(key).or_insert(0);
        *entry = arithmetic::add(*entry, arithmetic::mul(factor, value));
        if *entry == 0 {
            row.remove(&key);
        }
    }
}

/// Columns on which all rows but the last are independent.
fn independent_columns(matrix: &[Residues], rows: &[usize]) -> Vec<usize> {
    let mut reduced: Vec<Residues> = Vec::new();
    let mut columns = Vec::new();
    for &i in rows.iter().rev().skip(1).rev() {
        let mut row = matrix[i].clone();
        for (pivot, &column) in reduced.iter().zip(&columns) {
            if let Some(&value) = row.get(&column) {
                let inverse = arithmetic::inv(pivot[&column]).unwrap_or(0);
                subtract(&mut row, pivot, arithmetic::neg(arithmetic::mul(value, inverse)));
            }
        }
        if let Some((&column, _)) = row.iter().next() {
            columns.push(column);
            reduced.push(row);
        }
    }
    columns.sort_unstable();
    columns
}

impl Circuit {
    /// $u_i = (-1)^i \det J_{L \setminus i, C}$ without common factors; `None` if they are too long, or one of them
    /// vanishes.
    fn minors(&self, dag: &mut Dag, jacobian: &[(usize, usize, Expr)]) -> Option<NullVector> {
        let size = self.rows.len();
        if self.columns.len() + 1 != size {
            return None;
        }
        let entry = |i: usize, j: usize| jacobian.iter().find(|e| (e.0, e.1) == (i, j)).map(|e| e.2);
        let budget = dag.len() + MAX_GROWTH;
        // Determinants of the first k columns and each set of k rows, by expansion along the last column.
        let mut minors: BTreeMap<u32, Expr> = BTreeMap::from([(0, dag.integer(1))]);
        for (k, &column) in self.columns.iter().enumerate() {
            let mut next: BTreeMap<u32, Vec<(Rational, Expr)>> = BTreeMap::new();
            for (&set, &minor) in &minors {
                for r in (0..size).filter(|r| set & (1 << r) == 0) {
                    let Some(value) = entry(self.rows[r], column) else { continue };
                    let position = (set & ((1 << r) - 1)).count_ones() as usize;
                    let sign = if (position + k).is_multiple_of(2) { Rational::ONE } else { Rational::MINUS_ONE };
                    next.entry(set | (1 << r)).or_default().push((sign, dag.mul(value, minor)));
                }
            }
            if dag.len() > budget {
                return None;
            }
            minors = next.into_iter().map(|(set, terms)| (set, dag.sum(terms))).collect();
            minors.retain(|_, minor| !dag.is_zero(*minor));
        }
        let all = (1_u32 << size) - 1;
        let mut vector = Vec::new();
        for (r, &row) in self.rows.iter().enumerate() {
            let &minor = minors.get(&(all & !(1 << r)))?;
            let sign = if r.is_multiple_of(2) { Rational::ONE } else { Rational::MINUS_ONE };
            vector.push((row, dag.scale(sign, minor)));
        }
        let components: Vec<Expr> = vector.iter().map(|&(_, u)| u).collect();
        if let Some(primitive) = without_common_divisor(dag, &components) {
            vector.iter_mut().zip(primitive).for_each(|((_, u), quotient)| *u = quotient);
        }
        Some(without_common_factors(dag, vector))
    }
}

/// The vector divided by the factors that all components have in their canonical form, and by their rational content.
fn without_common_factors(dag: &mut Dag, vector: NullVector) -> NullVector {
    let split: Vec<(Rational, BTreeMap<Expr, i32>)> = vector.iter().map(|&(_, u)| factors(dag, u)).collect();
    let mut common = split[0].1.clone();
    for (_, factors) in &split {
        common.retain(|base, n| {
            let other = factors.get(base).copied().unwrap_or(0);
            *n = (*n).min(other);
            *n != 0
        });
        // Denominators that only some components have are multiplied out.
        for (&base, &n) in factors.iter().filter(|&(_, &n)| n < 0) {
            let entry = common.entry(base).or_insert(0);
            *entry = (*entry).min(n);
        }
    }
    let content = Rational::content(split.iter().map(|(q, _)| q));
    let negative = split[0].0.is_negative();
    let content = if negative { content.neg() } else { content };
    let scale = content.recip().unwrap_or(Rational::ONE);
    vector
        .into_iter()
        .zip(split)
        .map(|((row, _), (q, mut factors))| {
            for (&base, &n) in &common {
                *factors.entry(base).or_insert(0) -= n;
            }
            let product = dag.product(factors.into_iter().filter(|&(_, n)| n != 0).collect::<Vec<_>>());
            (row, dag.scale(q.mul(&scale), product))
        })
        .collect()
}

/// $q$, and the exponents $n$ by base $b$, of $e = q \prod b^n$.
fn factors(dag: &mut Dag, e: Expr) -> (Rational, BTreeMap<Expr, i32>) {
    let (q, rest) = match dag.node(e) {
        Node::Constant(q) => return (q.clone(), BTreeMap::new()),
        Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => (terms[0].0.clone(), terms[0].1),
        Node::Sum { .. } => (dag.content(e), dag.primitive_part(e)),
        Node::Pi | Node::Euler | Node::Symbol(_) | Node::Product(_) | Node::Apply(..) | Node::Call(..) => {
            (Rational::ONE, e)
        }
    };
    match dag.node(rest) {
        Node::Product(factors) => (q, factors.iter().copied().collect()),
        Node::Constant(_)
        | Node::Pi
        | Node::Euler
        | Node::Symbol(_)
        | Node::Sum { .. }
        | Node::Apply(..)
        | Node::Call(..) => (q, BTreeMap::from([(rest, 1)])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Laplacian of a grid without a boundary: all rows depend on one another, and elimination fills.
    fn grid(dag: &mut Dag, side: usize) -> Vec<(usize, usize, Expr)> {
        let at = |i: usize, j: usize| (i % side) * side + j % side;
        let mut entries = Vec::new();
        for (i, j) in (0..side).flat_map(|i| (0..side).map(move |j| (i, j))) {
            let neighbours = [at(i + 1, j), at(i + side - 1, j), at(i, j + 1), at(i, j + side - 1)];
            entries.push((at(i, j), at(i, j), dag.constant(Rational::from(-4))));
            entries.extend(neighbours.map(|neighbour| (at(i, j), neighbour, dag.integer(1))));
        }
        entries
    }

    #[test]
    fn all_rows_of_a_grid_that_depend_on_one_another_are_found() {
        let mut dag = Dag::default();
        let side = 20;
        assert!(side * side > MAX_EXACT_ROWS, "exact elimination alone would find it");
        let entries = grid(&mut dag, side);
        let found = constant_null_vector(&mut dag, side * side, &entries).expect("the sum of all rows is zero");
        assert!(found.len() == side * side && found.values().all(Rational::is_one));
    }

    #[test]
    fn numbers_that_are_no_small_fractions_are_found_exactly() {
        let mut dag = Dag::default();
        let large = Rational::from(3_000_000_000_000_000_019);
        let entries = [(0, 0, dag.integer(7)), (1, 0, dag.constant(large.clone()))];
        let found = constant_null_vector(&mut dag, 2, &entries).expect("two rows in one column");
        assert!(found[&0] == large && found[&1] == Rational::from(-7), "{found:?}");
    }
}
