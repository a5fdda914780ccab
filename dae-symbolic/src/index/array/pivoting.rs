//! Elimination of sparse rows of balls with complete pivoting.
//!
//! In: rows and an order of preference among columns. Out: pivots, each proved not to be zero, until what is left
//! contains zero; from these a basic solution of the equations, or ranks. An entry that contains zero counts as zero if
//! its radius is hundreds of digits below the terms of its row; otherwise it is undecided.

use std::collections::BTreeMap;

use crate::expr::ball::{Ball, Magnitude};
use crate::model::Work;

/// The binary exponent below which a number is at the end of the representable range: it did not cancel, and may or may
/// not be zero.
const TINIEST: i64 = -(1 << 50);

/// A row by column; entries that are exactly zero are left out.
pub(super) type BallRow = BTreeMap<usize, Ball>;

/// Rows under elimination.
pub(super) struct Pivoting {
    rows: Vec<BallRow>,
    /// Right-hand sides.
    right: Vec<Ball>,
    /// The largest entry that each row has had.
    scale: Vec<Magnitude>,
    /// Rows and columns of the pivots, in order.
    pivots: Vec<(usize, usize)>,
    is_used: Vec<bool>,
    /// The precision of the entries, in binary digits.
    precision: u64,
    /// An entry that contains zero counts as zero if this fraction of its digits cancels.
    cancels: (i64, i64),
    /// Where its operations are counted.
    work: Work,
}

impl Pivoting {
    /// Rows and right-hand sides; the precision of the entries, in binary digits, and the fraction of these that
    /// cancels in zeros; and where operations are counted.
    pub(super) fn new(
        rows: Vec<BallRow>,
        right: Vec<Ball>,
        (precision, cancels): (u64, (i64, i64)),
        work: &Work,
    ) -> Pivoting {
        let is_used = vec![false; rows.len()];
        let scale = rows.iter().map(largest).collect();
        Pivoting { rows, right, scale, pivots: Vec::new(), is_used, precision, cancels, work: work.clone() }
    }

    /// The number of pivots.
    pub(super) fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// Takes pivots from the columns that have a weight while there is one larger than `least`, the largest first,
    /// measured relative to its row and times the weight of its column. Returns whether the remaining entries of these
    /// columns are zero to the precision of the numbers.
    pub(super) fn exhaust(&mut self, weight: impl Fn(usize) -> Option<Magnitude>, least: Magnitude) -> bool {
        while let Some((row, column)) = self.largest_pivot(&weight, least) {
            self.eliminate(row, column);
        }
        (0..self.rows.len()).filter(|&i| !self.is_used[i]).all(|i| {
            let mut left = self.rows[i].iter().filter(|(column, _)| weight(**column).is_some());
            left.all(|(_, x)| self.is_cancelled(x, i))
        })
    }

    /// Whether a row without a pivot, all entries of which are zero, has a right-hand side that is not: then no
    /// solution is near.
    pub(super) fn contradicts(&self) -> bool {
        (0..self.rows.len()).filter(|&i| !self.is_used[i]).any(|i| {
            let is_empty = self.rows[i].values().all(|x| self.is_cancelled(x, i));
            is_empty && !self.right[i].contains_zero()
        })
    }

    /// Whether an entry of a row cancels so far, compared with the largest entry that the row has had, that it is zero
    /// to the precision of the numbers.
    fn is_cancelled(&self, x: &Ball, row: usize) -> bool {
        let cancelled = self.scale[row].shifted(-(self.precision as i64) * self.cancels.0 / self.cancels.1);
        x.is_zero() || x.upper().is_some_and(|upper| !cancelled.is_below(upper) && upper.bits() > TINIEST)
    }

    fn largest_pivot(&self, weight: &impl Fn(usize) -> Option<Magnitude>, least: Magnitude) -> Option<(usize, usize)> {
        let mut best: Option<(Magnitude, usize, usize)> = None;
        for (i, row) in self.rows.iter().enumerate().filter(|&(i, _)| !self.is_used[i]) {
            for (&column, x) in row.iter().filter(|(_, x)| !x.contains_zero()) {
                let Some((weight, size)) = weight(column).zip(x.upper()) else { continue };
                let relative = size.times(weight).over(self.scale[i]);
                let is_larger = best.is_none_or(|(best, ..)| best.is_below(relative));
                if is_larger && least.is_below(relative) {
                    best = Some((relative, i, column));
                }
            }
        }
        best.map(|(_, row, column)| (row, column))
    }

    fn eliminate(&mut self, row: usize, column: usize) {
        self.is_used[row] = true;
        self.pivots.push((row, column));
        let pivot_row = self.rows[row].clone();
        let Some(pivot) = pivot_row.get(&column) else { return };
        for i in (0..self.rows.len()).filter(|&i| !self.is_used[i]).collect::<Vec<_>>() {
            let Some(entry) = self.rows[i].remove(&column) else { continue };
            self.work.spend_with_digits(pivot_row.len() as u64, self.precision);
            let factor = entry.over(pivot).negative();
            for (&j, x) in pivot_row.iter().filter(|&(&j, _)| j != column) {
                let term = factor.times(x);
                if let Some(size) = term.upper().filter(|size| self.scale[i].is_below(*size)) {
                    self.scale[i] = size;
                }
                let sum = match self.rows[i].get(&j) {
                    Some(old) => old.plus(&term),
                    None => term,
                };
                if sum.is_zero() {
                    self.rows[i].remove(&j);
                } else {
                    self.rows[i].insert(j, sum);
                }
            }
            self.right[i] = self.right[i].plus(&factor.times(&self.right[row]));
        }
    }

    /// The solution in which the columns without a pivot are zero, at midpoints.
    pub(super) fn basic_solution(&self) -> BTreeMap<usize, Ball> {
        let mut solution = BTreeMap::new();
        for &(row, column) in self.pivots.iter().rev() {
            let mut value = self.right[row].midpoint();
            let mut pivot = Ball::zero();
            for (j, x) in &self.rows[row] {
                match solution.get(j) {
                    _ if *j == column => pivot = x.midpoint(),
                    Some(known) => value = value.minus(&x.midpoint().times(known)).midpoint(),
                    None => {}
                }
            }
            solution.insert(column, value.over(&pivot).midpoint());
        }
        solution
    }
}

/// The size of the largest entry of a row that is surely not zero; one if there is none.
pub(super) fn largest(row: &BallRow) -> Magnitude {
    let sizes = row.values().filter(|x| !x.contains_zero()).filter_map(Ball::upper);
    let largest = sizes.fold(Magnitude::ZERO, |a, b| if a.is_below(b) { b } else { a });
    if largest.is_zero() { Magnitude::ONE } else { largest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Rational;
    use crate::expr::ball::PRECISION;
    use crate::index::Limits;

    const DIGITS: (u64, (i64, i64)) = (PRECISION, Limits::DEFAULT.array.extended.entry_cancels);

    fn decimal(text: &str) -> Ball {
        Ball::rational(&Rational::from_decimal(text).unwrap(), PRECISION)
    }

    fn rows(values: &[&[Ball]]) -> Vec<BallRow> {
        values.iter().map(|row| row.iter().cloned().enumerate().filter(|(_, x)| !x.is_zero()).collect()).collect()
    }

    #[test]
    fn a_difference_of_200_digits_makes_the_rank_full() {
        let one = Ball::integer(1);
        for (small, rank) in [("0", 1), ("1e-200", 2)] {
            let third = Ball::integer(1).over(&Ball::integer(3));
            let other = third.plus(&decimal(small));
            let matrix = rows(&[&[one.clone(), third.clone()], &[one.clone(), other]]);
            let mut pivoting = Pivoting::new(matrix, vec![Ball::zero(); 2], DIGITS, &Work::default());
            assert!(pivoting.exhaust(|_| Some(Magnitude::ONE), Magnitude::ZERO));
            assert_eq!(pivoting.rank(), rank, "{small}");
        }
    }

    #[test]
    fn what_is_known_to_few_digits_is_not_zero() {
        let few = Ball::zero().widened(Magnitude::of(1e-16));
        let mut pivoting = Pivoting::new(
            rows(&[&[Ball::integer(1), few.clone()], &[few, Ball::zero()]]),
            vec![Ball::zero(); 2],
            DIGITS,
            &Work::default(),
        );
        assert!(!pivoting.exhaust(|_| Some(Magnitude::ONE), Magnitude::ZERO));
    }

    #[test]
    fn basic_solutions_solve() {
        let (a, b) = (decimal("0.1"), decimal("0.7"));
        let matrix = rows(&[&[a.clone(), b.clone(), Ball::integer(1)], &[b, a, Ball::zero()]]);
        let right = vec![Ball::integer(3), Ball::integer(-1)];
        let mut pivoting = Pivoting::new(matrix.clone(), right.clone(), DIGITS, &Work::default());
        pivoting.exhaust(|_| Some(Magnitude::ONE), Magnitude::ZERO);
        let solution = pivoting.basic_solution();
        for (row, right) in matrix.iter().zip(right) {
            let sum = row.iter().filter_map(|(j, x)| Some(x.times(solution.get(j)?)));
            let off = sum.fold(right.negative(), |sum, term| sum.plus(&term));
            assert!(off.upper().unwrap().bits() < -1200);
        }
    }
}
