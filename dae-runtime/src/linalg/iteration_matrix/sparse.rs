//! $A = L U$ of a sparse matrix with a given order of pivots.
//!
//! In: values on a pattern whose [`SymbolicFactorization`] is known. Out: factors in storage that is allocated once, or
//! the column whose pivot has become too small. Row by row (Duff, Erisman & Reid, sect. 10.3): a row of the matrix is
//! scattered into a dense vector, rows of $U$ are subtracted where $L$ has entries, and the result is gathered.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;

use super::scalar::Scalar;
use super::symbolic_factorization::SymbolicFactorization;
use crate::contract::Code;

/// Larger multipliers show that the pivots, chosen for other values, have become too small.
const LARGEST_MULTIPLIER: f64 = 1e6;
/// Larger entries of $U$ show this too, those of the matrix being of order one (A. M. Erisman, J. K. Reid, Numer. Math.
/// 22, 1974): more digits are lost than an iteration whose matrix is only approximate would tolerate.
const LARGEST_GROWTH: f64 = 1e10;

/// The pivots have to be chosen again: the pivot of this column of the matrix is too small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PivotTooSmall {
    pub(super) column: usize,
}

/// Sparse factors of a matrix.
#[derive(Clone, Debug)]
pub(super) struct SparseLu<S> {
    symbolic: Rc<SymbolicFactorization>,
    /// Code without loops, if there is any.
    code: Option<Code<S>>,
    lower: Vec<S>,
    upper: Vec<S>,
    /// Inverses of the pivots.
    inverse: Vec<S>,
    /// Whether the permutation that takes the row of each pivot to its column is odd.
    is_odd: bool,
    work: RefCell<Vec<S>>,
}

impl SparseLu<f64> {
    /// The sign of the determinant of the factorised matrix.
    pub(super) fn determinant_sign(&self) -> f64 {
        let sign = if self.is_odd { -1.0 } else { 1.0 };
        self.inverse.iter().fold(sign, |sign, inverse| sign * inverse.signum())
    }
}

/// Whether the permutation that takes the row of each pivot to its column is odd: whether it has an odd number of cycles
/// of even length.
fn is_odd(pivots: &[(usize, usize)]) -> bool {
    let mut column_of = vec![0; pivots.len()];
    pivots.iter().for_each(|&(row, column)| column_of[row] = column);
    let (mut seen, mut is_odd) = (vec![false; pivots.len()], false);
    for first in 0..pivots.len() {
        let mut row = first;
        let mut length = 0;
        while !std::mem::replace(&mut seen[row], true) {
            row = column_of[row];
            length += 1;
        }
        is_odd ^= length > 0 && length % 2 == 0;
    }
    is_odd
}

impl<S: Scalar> SparseLu<S> {
    pub(super) fn new(symbolic: Rc<SymbolicFactorization>, code: Option<Code<S>>) -> Self {
        let n = symbolic.pivots.len();
        SparseLu {
            lower: vec![S::ZERO; symbolic.lower.len()],
            upper: vec![S::ZERO; symbolic.upper.len()],
            inverse: vec![S::ZERO; n],
            is_odd: is_odd(&symbolic.pivots),
            work: RefCell::new(vec![S::ZERO; n]),
            symbolic,
            code,
        }
    }

    /// Factorises the matrix with these values; `sizes` are the largest entries of its columns.
    pub(super) fn factorize(&mut self, values: &[S], sizes: &[f64]) -> Result<(), PivotTooSmall> {
        match self.code {
            Some(code) => (code.factorize)(values, &mut self.lower, &mut self.upper, &mut self.inverse),
            None => self.eliminate(values),
        }
        for (&(_, column), inverse) in self.symbolic.pivots.iter().zip(&self.inverse) {
            // At least 1 for a pivot that consists of rounding errors; a NaN does not compare as less either.
            let part = inverse.norm_1() * sizes[column] * f64::EPSILON;
            if *inverse == S::ZERO || !matches!(part.partial_cmp(&1.0), Some(Ordering::Less)) {
                return Err(PivotTooSmall { column });
            }
        }
        Ok(())
    }

    /// Whether code without loops computes the factors.
    pub(super) fn is_unrolled(&self) -> bool {
        self.code.is_some()
    }

    /// Whether the factors of a matrix with entries of order one have grown, so that pivots chosen for other values are
    /// unsuitable.
    pub(super) fn has_grown(&self) -> bool {
        // A NaN is not bounded.
        let is_bounded = |entries: &[S], bound: f64| entries.iter().all(|entry| entry.norm_1() <= bound);
        !is_bounded(&self.lower, LARGEST_MULTIPLIER) || !is_bounded(&self.upper, LARGEST_GROWTH)
    }

    fn eliminate(&mut self, values: &[S]) {
        let SymbolicFactorization { entry_starts, entries, lower_starts, upper_starts, .. } = &*self.symbolic;
        let work = self.work.get_mut();
        for k in 0..self.inverse.len() {
            let lower = lower_starts[k]..lower_starts[k + 1];
            let upper = upper_starts[k]..upper_starts[k + 1];
            let (lower_columns, upper_columns) =
                (&self.symbolic.lower[lower.clone()], &self.symbolic.upper[upper.clone()]);
            lower_columns.iter().chain(upper_columns).for_each(|&j| work[j] = S::ZERO);
            work[k] = S::ZERO;
            for &(position, j) in &entries[entry_starts[k]..entry_starts[k + 1]] {
                work[j] = values[position];
            }
            for (&j, entry) in lower_columns.iter().zip(&mut self.lower[lower]) {
                let multiplier = work[j] * self.inverse[j];
                *entry = multiplier;
                let range = upper_starts[j]..upper_starts[j + 1];
                for (&column, &u) in self.symbolic.upper[range.clone()].iter().zip(&self.upper[range]) {
                    work[column] -= multiplier * u;
                }
            }
            self.inverse[k] = work[k].recip();
            for (&j, entry) in upper_columns.iter().zip(&mut self.upper[upper]) {
                *entry = work[j];
            }
        }
    }

    /// Replaces the right-hand side by the solution.
    pub(super) fn solve(&self, x: &mut [S]) {
        if let Some(code) = self.code {
            return (code.solve)(&self.lower, &self.upper, &self.inverse, x);
        }
        let SymbolicFactorization { pivots, lower_starts, lower, upper_starts, upper, .. } = &*self.symbolic;
        let mut work = self.work.borrow_mut();
        for (k, &(row, _)) in pivots.iter().enumerate() {
            let range = lower_starts[k]..lower_starts[k + 1];
            let mut sum = x[row];
            for (&j, &l) in lower[range.clone()].iter().zip(&self.lower[range]) {
                sum -= l * work[j];
            }
            work[k] = sum;
        }
        for (k, &(_, column)) in pivots.iter().enumerate().rev() {
            let range = upper_starts[k]..upper_starts[k + 1];
            let mut sum = work[k];
            // Terms computed last are used last, as in the loop before: meanwhile the processor proceeds with the
            // others.
            for (&j, &u) in upper[range.clone()].iter().zip(&self.upper[range]).rev() {
                sum -= u * work[j];
            }
            work[k] = sum * self.inverse[k];
            x[column] = work[k];
        }
    }

    /// Replaces the right-hand side by the solution of the transposed system.
    pub(super) fn solve_transposed(&self, x: &mut [S]) {
        let SymbolicFactorization { pivots, lower_starts, lower, upper_starts, upper, .. } = &*self.symbolic;
        let mut work = self.work.borrow_mut();
        work.iter_mut().zip(pivots).for_each(|(work, &(_, column))| *work = x[column]);
        for k in 0..pivots.len() {
            let value = work[k] * self.inverse[k];
            work[k] = value;
            let range = upper_starts[k]..upper_starts[k + 1];
            for (&j, &u) in upper[range.clone()].iter().zip(&self.upper[range]) {
                work[j] -= u * value;
            }
        }
        for (k, &(row, _)) in pivots.iter().enumerate().rev() {
            let value = work[k];
            let range = lower_starts[k]..lower_starts[k + 1];
            for (&j, &l) in lower[range.clone()].iter().zip(&self.lower[range]) {
                work[j] -= l * value;
            }
            x[row] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use num_complex::Complex;
    use proptest::prelude::*;

    use super::super::markowitz::NoPivot;
    use super::super::symbolic_factorization::Rows;
    use super::*;

    /// Compressed rows of a matrix, without zeros.
    fn compressed<S: Scalar>(n: usize, entry: impl Fn(usize, usize) -> S) -> (Vec<usize>, Vec<usize>, Vec<S>) {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..n {
            for j in (0..n).filter(|&j| entry(i, j) != S::ZERO) {
                columns.push(j);
                values.push(entry(i, j));
            }
            starts.push(columns.len());
        }
        (starts, columns, values)
    }

    fn sizes<S: Scalar>(n: usize, columns: &[usize], values: &[S]) -> Vec<f64> {
        let mut sizes = vec![0.0_f64; n];
        columns.iter().zip(values).for_each(|(&j, value)| sizes[j] = sizes[j].max(value.norm_1()));
        sizes
    }

    /// Largest entry of $Ax - b$.
    fn defect<S: Scalar>(starts: &[usize], columns: &[usize], values: &[S], x: &[S], b: &[S]) -> f64 {
        let row = |i: usize| (starts[i]..starts[i + 1]).fold(S::ZERO, |sum, p| sum + values[p] * x[columns[p]]);
        (0..b.len()).map(|i| (row(i) - b[i]).norm_1()).fold(0.0, f64::max)
    }

    proptest! {
        /// Solves with the values that the pivots were chosen for, and with others on the same pattern.
        #[test]
        fn solves_sparse_systems(
            n in 1usize..30,
            seed in prop::collection::vec(-1.0f64..1.0, 900),
            others in prop::collection::vec(-1.0f64..1.0, 900),
        ) {
            let kept = |i: usize, j: usize| i == (j + 1) % n || i == j || seed[30 * i + j].abs() < 0.1;
            let filled = |numbers: &[f64], i: usize, j: usize| {
                let imaginary = numbers[(7 * i + 31 * j) % 900];
                if kept(i, j) { Complex::new(1e-3 + numbers[30 * i + j], imaginary) } else { Complex::new(0.0, 0.0) }
            };
            let (starts, columns, values) = compressed(n, |i, j| filled(&seed, i, j));
            let Ok(symbolic) = SymbolicFactorization::of(Rows { starts: &starts, columns: &columns }, &values) else {
                return Err(TestCaseError::reject("singular"));
            };
            let mut lu = SparseLu::new(Rc::new(symbolic), None);
            for numbers in [&seed, &others] {
                let (_, same, values) = compressed(n, |i, j| filled(numbers, i, j));
                prop_assert_eq!(&same, &columns);
                if lu.factorize(&values, &sizes(n, &columns, &values)).is_err() {
                    continue;
                }
                let rhs: Vec<_> = (0..n).map(|k| Complex::new(seed[k], others[k])).collect();
                let mut x = rhs.clone();
                lu.solve(&mut x);
                let size = x.iter().fold(1.0, |m: f64, x| m.max(x.norm_1()));
                let growth = lu.lower.iter().fold(1.0, |m: f64, l| m.max(l.norm_1()));
                let of_matrix = defect(&starts, &columns, &values, &x, &rhs);
                prop_assert!(of_matrix < 1e-13 * size * growth * growth, "{of_matrix:e} {size:e} {growth:e}");
                let transposed = compressed(n, |i, j| filled(numbers, j, i));
                let mut x = rhs.clone();
                lu.solve_transposed(&mut x);
                let size = x.iter().fold(1.0, |m: f64, x| m.max(x.norm_1()));
                let of_transposed = defect(&transposed.0, &transposed.1, &transposed.2, &x, &rhs);
                prop_assert!(of_transposed < 1e-12 * size * growth * growth, "{of_transposed:e} {size:e} {growth:e}");
            }
        }
    }

    #[test]
    fn a_chain_has_no_fill() {
        let n = 1000_usize;
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 4.0 + (i as f64).sin(),
            1 => 1.0,
            _ => 0.0,
        };
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..n {
            for j in i.saturating_sub(1)..(i + 2).min(n) {
                columns.push(j);
                values.push(entry(i, j));
            }
            starts.push(columns.len());
        }
        let symbolic = SymbolicFactorization::of(Rows { starts: &starts, columns: &columns }, &values).unwrap();
        assert!(symbolic.work < 4 * n && symbolic.lower.len() < n && symbolic.upper.len() < n, "{}", symbolic.work);
    }

    /// The pattern of a chain of point masses in its GGL form, with positions, velocities and multipliers numbered one
    /// family after the other.
    #[test]
    fn work_is_proportional_to_the_length_of_a_chain() {
        let work_per_link = |links: usize| {
            // Families and their reach along the chain: x, y, u, v, tensions, and the multipliers of the velocity
            // constraints.
            let families = |of: usize| -> Vec<(usize, [usize; 2])> {
                match of {
                    0 | 1 => vec![(of, [1, 1]), (of + 2, [0, 0]), (5, [0, 1])],
                    2 | 3 => vec![(of - 2, [1, 1]), (of, [0, 0]), (4, [0, 1])],
                    4 => vec![(0, [1, 0]), (1, [1, 0])],
                    _ => vec![(0, [1, 0]), (1, [1, 0]), (2, [1, 0]), (3, [1, 0])],
                }
            };
            let row = |of: usize, i: usize| {
                let all = families(of).into_iter().flat_map(move |(family, [before, after])| {
                    (i.saturating_sub(before)..(i + after + 1).min(links)).map(move |i| family * links + i)
                });
                let mut of_row: Vec<usize> = all.collect();
                of_row.sort_unstable();
                of_row
            };
            let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
            for k in 0..6 * links {
                for j in row(k / links, k % links) {
                    columns.push(j);
                    values.push(if j == k { 9.0 } else { 1.0 + ((7 * k + 3 * j) as f64).sin().abs() });
                }
                starts.push(columns.len());
            }
            let matrix = Rows { starts: &starts, columns: &columns };
            SymbolicFactorization::of(matrix, &values).unwrap().work as f64 / links as f64
        };
        let (short, long) = (work_per_link(30), work_per_link(500));
        assert!(long < 1.2 * short, "{short} and {long} multiplications per link");
    }

    #[test]
    fn pivots_that_have_become_small_are_told() {
        let matrix = |small: f64| compressed(2, |i, j| if i == j { small } else { 1.0 + (i + j) as f64 });
        let (starts, columns, values) = matrix(5.0);
        let mut lu = SparseLu::new(
            Rc::new(SymbolicFactorization::of(Rows { starts: &starts, columns: &columns }, &values).unwrap()),
            None,
        );
        assert_eq!((lu.factorize(&values, &[5.0, 5.0]), lu.has_grown()), (Ok(()), false));
        let (.., values) = matrix(1e-9);
        assert_eq!((lu.factorize(&values, &[2.0, 2.0]), lu.has_grown()), (Ok(()), true));
        let (.., values) = matrix(1e-19);
        assert!(lu.factorize(&values, &[2.0, 2.0]).is_err());
        let (.., values) = matrix(f64::NAN);
        assert!(lu.factorize(&values, &[2.0, 2.0]).is_err());
        let values = [1.0, 2.0, 0.5, 1.0];
        let singular = SymbolicFactorization::of(Rows { starts: &[0, 2, 4], columns: &[0, 1, 0, 1] }, &values);
        assert!(matches!(singular, Err(NoPivot { .. })));
    }

    /// Multipliers, each of which alone would be accepted, multiply: a regular matrix with several small pivots.
    #[test]
    fn growth_that_adds_up_is_told() {
        let e = 1.1e-6;
        let rows = [[e, 0.0, 0.0, 1.0], [1.0, 1.1 * e, 0.0, 0.0], [0.0, 1.0, 1.2 * e, 0.0], [0.0, 0.0, 1.0, 1.0]];
        let (starts, columns, values) = compressed(4, |i, j| rows[i][j]);
        let rows = Rows { starts: &starts, columns: &columns };
        let natural = SymbolicFactorization::along(rows, &[(0, 0), (1, 1), (2, 2), (3, 3)]);
        let mut lu = SparseLu::new(Rc::new(natural), None);
        assert_eq!((lu.factorize(&values, &[1.0; 4]), lu.has_grown()), (Ok(()), true));
        let mut lu = SparseLu::new(Rc::new(SymbolicFactorization::of(rows, &values).unwrap()), None);
        assert_eq!((lu.factorize(&values, &[1.0; 4]), lu.has_grown()), (Ok(()), false));
    }
}
