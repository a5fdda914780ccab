//! Elimination of sparse rows over the rational numbers, exactly.
//!
//! In: rows, one after the other, each with a companion that takes part in every step: a right-hand side, or the
//! combination of original rows that gives the row. Out: an echelon form, and the companion of every row that depends
//! linearly on those before it.

use std::collections::BTreeMap;

use super::Rational;

/// A sparse vector of rational numbers, free of zeros.
pub type SparseVector<K> = BTreeMap<K, Rational>;

/// Values to which multiples of others can be added.
pub trait Companion {
    /// Adds `factor * other`.
    fn add_multiple(&mut self, other: &Self, factor: &Rational);
}

impl<K: Ord + Copy> Companion for SparseVector<K> {
    fn add_multiple(&mut self, other: &Self, factor: &Rational) {
        for (&key, value) in other {
            let entry = self.entry(key).or_insert(Rational::ZERO);
            *entry = entry.add(&factor.mul(value));
            if entry.is_zero() {
                self.remove(&key);
            }
        }
    }
}

impl<A: Companion, B: Companion> Companion for (A, B) {
    fn add_multiple(&mut self, other: &Self, factor: &Rational) {
        self.0.add_multiple(&other.0, factor);
        self.1.add_multiple(&other.1, factor);
    }
}

/// Rows that start in different columns, with their companions.
#[derive(Clone, Debug)]
pub struct Echelon<K, C> {
    rows: BTreeMap<K, (SparseVector<K>, C)>,
}

impl<K, C> Default for Echelon<K, C> {
    fn default() -> Self {
        Echelon { rows: BTreeMap::new() }
    }
}

impl<K: Ord + Copy, C: Companion> Echelon<K, C> {
    /// Reduces a row by the rows that are there. A nonzero remainder is kept, and the result is `None`; if the row
    /// vanishes, the result is its companion, reduced in the same way.
    pub fn insert(&mut self, mut row: SparseVector<K>, mut companion: C) -> Option<C> {
        loop {
            let Some((&column, value)) = row.iter().next() else { return Some(companion) };
            let Some((pivot, its_companion)) = self.rows.get(&column) else {
                self.rows.insert(column, (row, companion));
                return None;
            };
            // A row is filed under its first column, where it is not zero.
            let leading = pivot.get(&column).and_then(Rational::recip).unwrap_or(Rational::ZERO);
            let factor = value.mul(&leading).neg();
            row.add_multiple(pivot, &factor);
            // Exact arithmetic leaves nothing there already; this makes it plain that the loop ends.
            row.remove(&column);
            companion.add_multiple(its_companion, &factor);
        }
    }

    /// Whether some row starts in a column.
    pub fn starts_in(&self, column: K) -> bool {
        self.rows.contains_key(&column)
    }

    /// The rows with their companions, by first column.
    pub fn rows(&self) -> impl Iterator<Item = &(SparseVector<K>, C)> {
        self.rows.values()
    }

    /// The rows with their companions, by first column, consuming the echelon form.
    pub fn into_rows(self) -> impl Iterator<Item = (SparseVector<K>, C)> {
        self.rows.into_values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(entries: &[i64]) -> SparseVector<usize> {
        let nonzero = entries.iter().enumerate().filter(|&(_, &n)| n != 0);
        nonzero.map(|(j, &n)| (j, Rational::from(n))).collect()
    }

    #[test]
    fn a_dependent_row_returns_its_combination() {
        let mut echelon = Echelon::default();
        let rows = [vector(&[2, 1, 0]), vector(&[4, 3, 1]), vector(&[2, 2, 1])];
        let unit = |i: usize| SparseVector::from([(i, Rational::ONE)]);
        assert_eq!(echelon.insert(rows[0].clone(), unit(0)), None);
        assert_eq!(echelon.insert(rows[1].clone(), unit(1)), None);
        assert!(echelon.starts_in(0) && echelon.starts_in(1) && !echelon.starts_in(2));
        let combination = echelon.insert(rows[2].clone(), unit(2)).expect("the third is the second less the first");
        let mut sum = SparseVector::new();
        combination.iter().for_each(|(&i, q)| sum.add_multiple(&rows[i], q));
        assert!(sum.is_empty() && combination[&2].is_one(), "{combination:?}");
    }
}
