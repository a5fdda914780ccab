//! Enclosures of values that account for every rounding error.
//!
//! In: boxes and expressions. Out: intervals that contain the value of the expression at every point of the box, in the
//! arithmetic of [`dae_runtime::interval`]. An enclosure with a finite bound proves that the expression is defined on
//! the whole box.

mod evaluate;
mod functions;

use super::Rational;

pub use dae_runtime::interval::{Interval, LIBRARY_ULPS, TaylorModel};
pub use evaluate::evaluate_interval;
pub use functions::{apply, apply_along};

/// An interval that contains a rational number: the number itself where it is known to be a floating-point number,
/// otherwise the nearest one and one or two neighbours on either side.
pub fn rational(q: &Rational) -> Interval {
    let nearest = q.to_f64();
    match q.to_machine() {
        Some((n, d)) if n.unsigned_abs() <= 1 << 53 && d.count_ones() == 1 => Interval::point(nearest),
        // Numerator and denominator are exact, and their quotient is correctly rounded.
        Some((n, d)) if n.unsigned_abs() <= 1 << 53 && d <= 1 << 53 => Interval::around(nearest, 1),
        _ => Interval::around(nearest, 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rational_numbers_lie_between_neighbours() {
        assert_eq!(rational(&Rational::new(3, 8).unwrap()), Interval::point(0.375));
        let tenth = rational(&Rational::new(1, 10).unwrap());
        assert_eq!((tenth.lo(), tenth.hi()), (0.1f64.next_down(), 0.1f64.next_up()));
    }
}
