//! Splines of odd degree through given points.
//!
//! In: points with ascending abscissae. Out: the interpolating spline of degree $p = 2m - 1$, which is $p - 1$ times
//! continuously differentiable, its value and its derivatives, at numbers and on intervals.
//!
//! The end conditions are *not-a-knot*: the first $m$ pieces are one polynomial, and so are the last $m$, so that the
//! spline reproduces polynomials of degree $p$ (C. de Boor, *A Practical Guide to Splines*, 1978, ch. IV and XIII). The
//! collocation matrix of B-splines is totally positive and banded; elimination without pivoting is stable and costs
//! $O(n p^2)$ (de Boor & Pinkus, *Numer. Math.* 27, 1977). The result is kept as a polynomial per piece, in powers of
//! the distance from its left end.
//!
//! Beyond the first and last point the outermost polynomials continue: as smooth as inside, and meaningless far away.

use std::borrow::Cow;
use std::fmt;

use crate::interval::{Interval, TaylorModel};

/// Rounding error of a coefficient, relative to the largest value of the table divided by a power of its narrowest
/// interval.
const ROUNDING: f64 = 1e3 * f64::EPSILON;
/// If more pieces than this are met, they are not examined one by one.
const MAX_PIECES: usize = 64;

/// A piecewise polynomial.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "Parts"))]
pub struct Spline {
    degree: usize,
    /// Ends of the pieces, one more than there are pieces.
    breaks: Cow<'static, [f64]>,
    /// Piece by piece, $c_0, \dots, c_p$ of $\sum_k c_k (x - x_i)^k$.
    coefficients: Cow<'static, [f64]>,
}

/// A spline as read, before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Parts {
    degree: usize,
    breaks: Vec<f64>,
    coefficients: Vec<f64>,
}

#[cfg(feature = "serde")]
impl TryFrom<Parts> for Spline {
    type Error = SplineError;

    fn try_from(Parts { degree, breaks, coefficients }: Parts) -> Result<Spline, SplineError> {
        let needed = breaks.len().saturating_sub(1).saturating_mul(degree.saturating_add(1));
        if breaks.len() < 2 || coefficients.len() != needed {
            return Err(SplineError::Parts { breaks: breaks.len(), coefficients: coefficients.len(), degree });
        }
        if let Some(point) = breaks.iter().position(|x| !x.is_finite()) {
            return Err(SplineError::NotFinite { point });
        }
        if let Some(piece) = breaks.windows(2).position(|ends| ends[0] >= ends[1]) {
            return Err(SplineError::NotAscending { point: piece + 1 });
        }
        if let Some(place) = coefficients.iter().position(|c| !c.is_finite()) {
            return Err(SplineError::NotFinite { point: place / (degree + 1) });
        }
        Ok(Spline { degree, breaks: breaks.into(), coefficients: coefficients.into() })
    }
}

/// Why there is no spline through some points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplineError {
    /// A spline of this degree needs more points.
    TooFewPoints {
        /// Number of points given.
        given: usize,
        /// Number of points needed.
        needed: usize,
    },
    /// The abscissa of this point (counted from zero) is not above that of the point before.
    NotAscending {
        /// Number of the point.
        point: usize,
    },
    /// A coordinate of this point (counted from zero) is not finite, or a coefficient of the piece that begins there.
    NotFinite {
        /// Number of the point.
        point: usize,
    },
    /// The data read are no spline: there are fewer than two breaks, or not `degree + 1` coefficients for every
    /// interval between two breaks.
    Parts {
        /// Number of breaks.
        breaks: usize,
        /// Number of coefficients.
        coefficients: usize,
        /// The degree read.
        degree: usize,
    },
    /// The degree is not odd.
    EvenDegree {
        /// The degree given.
        degree: usize,
    },
}

impl fmt::Display for SplineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SplineError::TooFewPoints { given, needed } => {
                write!(f, "a spline of degree {} needs {needed} points, and {given} are given", needed - 1)
            }
            SplineError::NotAscending { point } => {
                write!(f, "point {} does not lie to the right of the one before", point + 1)
            }
            SplineError::NotFinite { point } => write!(f, "point {} is not finite", point + 1),
            SplineError::Parts { breaks, coefficients, degree } => {
                write!(f, "{coefficients} coefficients are no spline of degree {degree} with {breaks} breaks")
            }
            SplineError::EvenDegree { degree } => write!(f, "the degree {degree} of a spline must be odd"),
        }
    }
}

impl std::error::Error for SplineError {}

impl Spline {
    /// A spline whose coefficients are known: `degree + 1` of them for each interval between two breaks.
    pub const fn from_parts(degree: usize, breaks: &'static [f64], coefficients: &'static [f64]) -> Spline {
        Spline { degree, breaks: Cow::Borrowed(breaks), coefficients: Cow::Borrowed(coefficients) }
    }

    /// The cubic spline through the points.
    ///
    /// # Errors
    /// There are fewer than four points, or they are not ascending or not finite.
    pub fn cubic(points: &[(f64, f64)]) -> Result<Spline, SplineError> {
        Spline::interpolate(points, 3)
    }

    /// The spline of the given odd degree through the points.
    ///
    /// # Errors
    /// The degree is even, or there are not more points than the degree, or they are not ascending or not finite.
    pub fn interpolate(points: &[(f64, f64)], degree: usize) -> Result<Spline, SplineError> {
        check(points, degree)?;
        let knots = knots(points, degree);
        let weights = collocate(points, degree, &knots);
        let inner = knots.len() - degree;
        let mut coefficients = Vec::with_capacity((inner - degree - 1) * (degree + 1));
        for span in degree..inner - 1 {
            coefficients.extend(taylor(&knots, &weights, degree, span));
        }
        let breaks: Vec<f64> = knots[degree..inner].to_vec();
        Ok(Spline { degree, breaks: breaks.into(), coefficients: coefficients.into() })
    }

    /// The degree of the pieces.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Number of times that it is continuously differentiable.
    pub fn smoothness(&self) -> usize {
        self.degree.saturating_sub(1)
    }

    /// Ends of the pieces.
    pub fn breaks(&self) -> &[f64] {
        &self.breaks
    }

    /// The coefficients of all pieces, ascending powers of the distance from the left end.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// The number, from zero, of the piece used at `x`: at a break the piece to the right, beyond the ends the
    /// outermost.
    pub fn piece(&self, x: f64) -> usize {
        let pieces = self.breaks.len() - 1;
        self.breaks[1..pieces].partition_point(|&right| right <= x)
    }

    /// The value at `x`.
    pub fn value(&self, x: f64) -> f64 {
        self.derivative(x, 0)
    }

    /// The derivative of the given order at `x`; at a break that of the piece to the right.
    pub fn derivative(&self, x: f64, order: usize) -> f64 {
        let piece = self.piece(x);
        let distance = x - self.breaks[piece];
        let width = self.degree + 1;
        let coefficients = &self.coefficients[piece * width..(piece + 1) * width];
        // Horner's scheme; k (k - 1) … (k - order + 1) is the factor from differentiation.
        (order..width).rev().fold(0.0, |sum, k| {
            let factor: f64 = (k + 1 - order..=k).map(|j| j as f64).product();
            sum * distance + factor * coefficients[k]
        })
    }

    /// An interval that contains the derivative of the given order everywhere on `x`; the entire line if `x` meets too
    /// many pieces.
    ///
    /// The hull over the pieces, each by Horner's scheme. Their coefficients are rounded: those of the exact spline
    /// through the points are taken to lie within a margin around them, which is an estimate.
    pub fn enclosure(&self, x: Interval, order: usize) -> Interval {
        if x == Interval::ENTIRE {
            return Interval::ENTIRE;
        }
        let (breaks, width) = (&self.breaks, self.degree + 1);
        let (first, last) = (self.piece(x.lo()), self.piece(x.hi()));
        if last - first >= MAX_PIECES {
            return Interval::ENTIRE;
        }
        let largest = self.coefficients.iter().step_by(width).fold(0.0_f64, |largest, c| largest.max(c.abs()));
        let narrowest = breaks.windows(2).map(|ends| ends[1] - ends[0]).fold(f64::INFINITY, f64::min);
        let on_piece = |piece: usize| {
            let lo = if piece == first { x.lo() } else { breaks[piece] };
            let hi = if piece == last { x.hi() } else { breaks[piece + 1] };
            let Some(part) = Interval::new(lo, hi) else { return Interval::ENTIRE };
            let distance = part - Interval::point(breaks[piece]);
            let coefficients = &self.coefficients[piece * width..(piece + 1) * width];
            (order..width).rev().fold(Interval::ZERO, |sum, k| {
                let factor: f64 = (k + 1 - order..=k).map(|j| j as f64).product();
                let error = ROUNDING * largest / narrowest.powi(k as i32);
                let margin = Interval::new(-error, error).unwrap_or(Interval::ENTIRE);
                sum * distance + Interval::point(factor) * (Interval::point(coefficients[k]) + margin)
            })
        };
        (first..=last).map(on_piece).reduce(Interval::hull).unwrap_or(Interval::ENTIRE)
    }

    /// The derivative of the given order on a Taylor model. The derivative of order `degree` jumps at breaks: only its
    /// range is known.
    pub fn taylor_model(&self, x: TaylorModel, order: usize) -> TaylorModel {
        if order < self.degree {
            x.function(|x| self.enclosure(x, order), |x| self.enclosure(x, order + 1))
        } else {
            self.enclosure(x.range(), order).into()
        }
    }
}

fn check(points: &[(f64, f64)], degree: usize) -> Result<(), SplineError> {
    if degree.is_multiple_of(2) {
        return Err(SplineError::EvenDegree { degree });
    }
    if let Some(point) = points.iter().position(|(x, y)| !x.is_finite() || !y.is_finite()) {
        return Err(SplineError::NotFinite { point });
    }
    if let Some(before) = points.windows(2).position(|pair| pair[0].0 >= pair[1].0) {
        return Err(SplineError::NotAscending { point: before + 1 });
    }
    if points.len() <= degree {
        return Err(SplineError::TooFewPoints { given: points.len(), needed: degree + 1 });
    }
    Ok(())
}

/// The knots: the ends, each `degree + 1` times, and between them the points without the $m - 1$ nearest to each end.
fn knots(points: &[(f64, f64)], degree: usize) -> Vec<f64> {
    let (n, skipped) = (points.len(), degree.div_ceil(2));
    let ends = |x: f64| std::iter::repeat_n(x, degree + 1);
    let inner = points[skipped..n - skipped].iter().map(|point| point.0);
    ends(points[0].0).chain(inner).chain(ends(points[n - 1].0)).collect()
}

/// The values at `x` of the B-splines of the given degree that do not vanish on the knot interval `span`
/// (Piegl & Tiller, *The NURBS Book*, algorithm A2.2).
fn basis(knots: &[f64], degree: usize, span: usize, x: f64) -> Vec<f64> {
    let mut values = vec![1.0];
    for d in 1..=degree {
        let mut saved = 0.0;
        for (r, value) in values.iter_mut().enumerate() {
            let (right, left) = (knots[span + r + 1] - x, x - knots[span + 1 + r - d]);
            let part = *value / (right + left);
            *value = saved + right * part;
            saved = left * part;
        }
        values.push(saved);
    }
    values
}

/// The knot interval in which `x` lies; the last one at the right end.
fn span_of(knots: &[f64], degree: usize, x: f64) -> usize {
    let last = knots.len() - degree - 2;
    let above = knots[..=last].partition_point(|&knot| knot <= x);
    above.saturating_sub(1).clamp(degree, last)
}

/// The coefficients of the B-splines whose sum passes through the points.
fn collocate(points: &[(f64, f64)], degree: usize, knots: &[f64]) -> Vec<f64> {
    let n = points.len();
    // Each row is stored from its first column on; elimination goes down a column, and a row grows if the pivot row
    // reaches farther.
    let mut rows: Vec<(usize, Vec<f64>)> = Vec::with_capacity(n);
    let mut weights: Vec<f64> = points.iter().map(|point| point.1).collect();
    for &(x, _) in points {
        let span = span_of(knots, degree, x);
        rows.push((span - degree, basis(knots, degree, span, x)));
    }
    for k in 0..n {
        let (above, below) = rows.split_at_mut(k + 1);
        let (first, pivot_row) = &above[k];
        let pivot = pivot_row[k - first];
        for (offset, (start, row)) in below.iter_mut().take(degree).enumerate() {
            if *start > k {
                break;
            }
            let factor = row[k - *start] / pivot;
            if factor == 0.0 {
                continue;
            }
            for column in k..first + pivot_row.len() {
                if row.len() <= column - *start {
                    row.resize(column - *start + 1, 0.0);
                }
                row[column - *start] -= factor * pivot_row[column - first];
            }
            weights[k + 1 + offset] -= factor * weights[k];
        }
    }
    for k in (0..n).rev() {
        let (first, row) = &rows[k];
        let known: f64 = (k + 1..(first + row.len()).min(n)).map(|column| row[column - first] * weights[column]).sum();
        weights[k] = (weights[k] - known) / row[k - first];
    }
    weights
}

/// The coefficients of the polynomial on the knot interval `span`, from derivatives at its left end:
/// $d^{(k)}_j = (p - k + 1) (d^{(k-1)}_{j+1} - d^{(k-1)}_j) / (t_{j+p+1} - t_{j+k})$ (de Boor, ch. X, eq. (15)).
fn taylor(knots: &[f64], weights: &[f64], degree: usize, span: usize) -> Vec<f64> {
    let x = knots[span];
    let mut local: Vec<f64> = weights[span - degree..=span].to_vec();
    let mut coefficients = Vec::with_capacity(degree + 1);
    let mut factorial = 1.0;
    for k in 0..=degree {
        let basis = basis(knots, degree - k, span, x);
        let derivative: f64 = basis.iter().zip(&local).map(|(b, d)| b * d).sum();
        coefficients.push(derivative / factorial);
        factorial *= (k + 1) as f64;
        let remaining = (degree - k) as f64;
        local = (0..local.len() - 1)
            .map(|i| {
                let j = span - degree + i + k + 1;
                remaining * (local[i + 1] - local[i]) / (knots[j + degree - k] - knots[j])
            })
            .collect();
    }
    coefficients
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(n: usize, f: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        // Unevenly spaced.
        (0..n).map(|k| k as f64 / 4.0 + (k % 3) as f64 * 0.04).map(|x| (x, f(x))).collect()
    }

    #[test]
    fn polynomials_of_the_degree_are_reproduced() {
        for degree in [1, 3, 5, 7] {
            let f = |x: f64| (0..=degree as i32).map(|k| (x - 0.7).powi(k) / f64::from(k + 1)).sum::<f64>();
            let slope = |x: f64| {
                (1..=degree as i32).map(|k| f64::from(k) * (x - 0.7).powi(k - 1) / f64::from(k + 1)).sum::<f64>()
            };
            for n in [degree + 1, degree + 2, 12] {
                let spline = Spline::interpolate(&points(n, f), degree).unwrap();
                // Beyond the ends as well.
                for x in [-0.3, 0.0, 0.31, 0.7, 1.1, 2.9, 3.3] {
                    let scale = 1.0 + f(x).abs() + slope(x).abs();
                    assert!((spline.value(x) - f(x)).abs() < 1e-9 * scale, "{degree} {n} {x}");
                    assert!((spline.derivative(x, 1) - slope(x)).abs() < 1e-8 * scale, "{degree} {n} {x}");
                }
            }
        }
    }

    #[test]
    fn passes_through_the_points_and_is_smooth_there() {
        for degree in [3, 5, 7] {
            let given = points(30, |x| (3.0 * x).sin());
            let spline = Spline::interpolate(&given, degree).unwrap();
            for &(x, y) in &given {
                assert!((spline.value(x) - y).abs() < 1e-12, "{degree} at {x}");
            }
            assert_eq!(spline.breaks().len(), given.len() - degree + 1);
            for &x in &spline.breaks()[1..spline.breaks().len() - 1] {
                for order in 0..spline.smoothness() {
                    let (left, right) = (spline.derivative(x.next_down(), order), spline.derivative(x, order));
                    assert!(
                        (left - right).abs() < 1e-7 * 3f64.powi(order as i32),
                        "{degree} {x} {order}: {left} {right}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_error_has_the_order_of_the_spline() {
        for degree in [3usize, 5] {
            let error = |n: usize| {
                let h = 2.0 / (n - 1) as f64;
                let given: Vec<(f64, f64)> = (0..n).map(|k| k as f64 * h).map(|x| (x, x.exp())).collect();
                let spline = Spline::interpolate(&given, degree).unwrap();
                (0..200).map(|k| k as f64 / 100.0).map(|x| (spline.value(x) - x.exp()).abs()).fold(0.0, f64::max)
            };
            let order = (error(17) / error(33)).log2();
            assert!((order - (degree + 1) as f64).abs() < 0.6, "{degree}: {order}");
        }
    }

    #[test]
    fn what_is_no_table_is_refused() {
        let line = [(0.0, 1.0), (1.0, 2.0), (2.0, 3.0), (3.0, 4.0)];
        assert_eq!(Spline::interpolate(&line, 5), Err(SplineError::TooFewPoints { given: 4, needed: 6 }));
        assert_eq!(Spline::interpolate(&line, 2), Err(SplineError::EvenDegree { degree: 2 }));
        let mut other = line;
        other[2].0 = 1.0;
        assert_eq!(Spline::cubic(&other), Err(SplineError::NotAscending { point: 2 }));
        other[2].0 = f64::NAN;
        assert_eq!(Spline::cubic(&other), Err(SplineError::NotFinite { point: 2 }));
        assert_eq!(Spline::cubic(&[]), Err(SplineError::TooFewPoints { given: 0, needed: 4 }));
    }
}
