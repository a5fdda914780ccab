//! Factorisation and solution of linear systems of one pattern as code without loops.
//!
//! In: what generated code supplies to the numerics ([`LoopFree`]). Out: its elimination, if it fits the formulation
//! (F. G. Gustavson, W. Liniger, R. Willoughby, *Symbolic generation of an optimal Crout algorithm for sparse systems
//! of linear equations*, J. ACM 17, 1970). The entries of an iteration matrix change; the caller (`sparse.rs`) checks
//! whether these pivots are still suitable, and has others where they are not.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use num_complex::Complex;

use super::schedule::Schedule;
use super::sequence::{Rows, Sequence};
use crate::contract::{Code, Description, LoopFree};

/// A number type for iteration matrices: `f64` or `Complex<f64>`.
pub trait Scalar:
    Copy
    + Debug
    + PartialEq
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// $|\Re x| + |\Im x|$.
    fn norm_1(self) -> f64;

    /// Multiplies by a real number.
    fn scale(self, factor: f64) -> Self;

    /// Divides by a real number.
    fn unscale(self, divisor: f64) -> Self;

    /// $\Re(x \bar y)$, positive where two numbers have nearly the same direction.
    fn inner_product(self, other: Self) -> f64;

    /// $1 / x$.
    fn recip(self) -> Self {
        Self::ONE / self
    }

    /// The code for numbers of this type.
    fn code(of: &LoopFree) -> Code<Self>;
}

impl Scalar for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;

    fn norm_1(self) -> f64 {
        self.abs()
    }

    fn scale(self, factor: f64) -> f64 {
        self * factor
    }

    fn unscale(self, divisor: f64) -> f64 {
        self / divisor
    }

    fn inner_product(self, other: f64) -> f64 {
        self * other
    }

    fn code(of: &LoopFree) -> Code<f64> {
        of.real
    }
}

impl Scalar for Complex<f64> {
    const ZERO: Complex<f64> = Complex::ZERO;
    const ONE: Complex<f64> = Complex::ONE;

    fn norm_1(self) -> f64 {
        self.re.abs() + self.im.abs()
    }

    fn scale(self, factor: f64) -> Self {
        Complex::scale(&self, factor)
    }

    fn unscale(self, divisor: f64) -> Self {
        Complex::unscale(&self, divisor)
    }

    fn inner_product(self, other: Self) -> f64 {
        self.re * other.re + self.im * other.im
    }

    fn recip(self) -> Self {
        self.inv()
    }

    fn code(of: &LoopFree) -> Code<Complex<f64>> {
        of.complex
    }
}

impl LoopFree {
    /// The elimination of the code for the iteration matrices of a formulation; `None` if it is for others: if not
    /// every row and every column has one pivot, or the factors have other lengths.
    pub fn sequence(&self, description: &Description) -> Option<Sequence> {
        self.along(Schedule::unordered(description).rows())
    }

    pub(super) fn along(&self, matrix: Rows<'_>) -> Option<Sequence> {
        let n = matrix.order();
        let all = |place: fn(&(usize, usize)) -> usize| {
            let mut open = vec![true; n];
            self.pivots.iter().all(|pivot| open.get_mut(place(pivot)).is_some_and(std::mem::take))
        };
        let is_permutation = self.pivots.len() == n && all(|&(row, _)| row) && all(|&(_, column)| column);
        let sequence = is_permutation.then(|| Sequence::along(matrix, self.pivots))?;
        let lengths = [sequence.entries.len(), sequence.lower.len(), sequence.upper.len()];
        (lengths == self.lengths).then_some(sequence)
    }
}
