//! Enclosures of functions from outside.
//!
//! In: intervals for the arguments. Out: an interval that contains all values; of a table by the pieces of its spline, whose coefficients are
//! rounded: those of the spline through the points of the text are taken to lie within a margin around them, which is an estimate.

use super::{Call, Source};
use crate::expr::interval::Interval;
use dae_runtime::spline::Spline;

impl Call {
    /// Values on intervals.
    pub(crate) fn enclosure(&self, arguments: &[Interval]) -> Interval {
        match (&self.function.source, arguments) {
            (Source::Table(table), &[argument]) => spline_enclosure(table.spline(), argument, self.order() as usize),
            (Source::Code(_) | Source::Input, _) if !arguments.contains(&Interval::ENTIRE) => {
                self.stand_in(arguments.iter().copied())
            }
            (Source::Table(_) | Source::Code(_) | Source::Input | Source::Supplied(_), _) => Interval::ENTIRE,
        }
    }
}

/// Rounding errors of a coefficient, relative to the largest value of the table over a power of its narrowest interval.
const ROUNDING: f64 = 1e3 * f64::EPSILON;
/// Pieces beyond this are not looked at one by one.
const MAX_PIECES: usize = 64;

/// The hull over the pieces that the argument meets, each by Horner's scheme.
fn spline_enclosure(spline: &Spline, argument: Interval, order: usize) -> Interval {
    if argument == Interval::ENTIRE {
        return Interval::ENTIRE;
    }
    let (breaks, width) = (spline.breaks(), spline.degree() + 1);
    let (first, last) = (spline.piece(argument.lo()), spline.piece(argument.hi()));
    if last - first >= MAX_PIECES {
        return Interval::ENTIRE;
    }
    let largest = spline.coefficients().iter().step_by(width).fold(0.0_f64, |largest, c| largest.max(c.abs()));
    let narrowest = breaks.windows(2).map(|ends| ends[1] - ends[0]).fold(f64::INFINITY, f64::min);
    let on_piece = |piece: usize| {
        let lo = if piece == first { argument.lo() } else { breaks[piece] };
        let hi = if piece == last { argument.hi() } else { breaks[piece + 1] };
        let Some(part) = Interval::new(lo, hi) else { return Interval::ENTIRE };
        let distance = part - Interval::point(breaks[piece]);
        let coefficients = &spline.coefficients()[piece * width..(piece + 1) * width];
        (order..width).rev().fold(Interval::ZERO, |sum, k| {
            let factor: f64 = (k + 1 - order..=k).map(|j| j as f64).product();
            let error = ROUNDING * largest / narrowest.powi(k as i32);
            let margin = Interval::new(-error, error).unwrap_or(Interval::ENTIRE);
            sum * distance + Interval::point(factor) * (Interval::point(coefficients[k]) + margin)
        })
    };
    (first..=last).map(on_piece).reduce(Interval::hull).unwrap_or(Interval::ENTIRE)
}
