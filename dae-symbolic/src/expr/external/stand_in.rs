//! Stand-ins for functions that have no values yet.
//!
//! In: the name of a function and the number of times that it is differentiated with respect to each argument. Out:
//! values, in numbers and in intervals, of this derivative of
//!
//! $$ f(a) = \kappa + \sum_i \bigl(\beta_i a_i + \tfrac14 \sin(w_i a_i + \varphi_i)\bigr)
//!    + \tfrac14 \sin\Bigl(\sum_i v_i a_i + \psi\Bigr), \qquad 1 \le \beta_i < 2, \quad \tfrac12 \le w_i, v_i < \tfrac32, $$
//!
//! with constants drawn from the function's name.

use std::ops::{Add, Mul};

use super::{Call, name_key};
use crate::expr::Function;
use crate::expr::interval::{self, Interval};
use crate::expr::prime_field::arithmetic::draw;

impl Call {
    /// The value of the stand-in, in numbers or in intervals.
    pub(super) fn stand_in<T: Real>(&self, arguments: impl Iterator<Item = T>) -> T {
        let name = name_key(&self.function.name);
        // From one half up to three halves.
        let number = |kind: u64, k: usize| T::from(0.5 + draw(0, &[name, kind, k as u64]) as f64 / (1u64 << 61) as f64);
        let order = self.order();
        let mut total = if order == 0 { number(0, 0) } else { T::from(0.0) };
        let (mut angle, mut factor) = (number(1, 0), T::from(0.25));
        for (k, (a, &n)) in arguments.zip(self.orders.iter()).enumerate() {
            let (w, v, slope) = (number(2, k), number(3, k), T::from(0.5) + number(5, k));
            // A term in one argument vanishes when it is differentiated with respect to another.
            if n == order {
                total = total + T::from(0.25) * power(w, n) * (w * a + number(4, k)).sine_derivative(n);
                total = match n {
                    0 => total + slope * a,
                    1 => total + slope,
                    _ => total,
                };
            }
            angle = angle + v * a;
            factor = factor * power(v, n);
        }
        total + factor * angle.sine_derivative(order)
    }
}

/// Numbers and intervals.
pub(super) trait Real: Copy + Add<Output = Self> + Mul<Output = Self> + From<f64> {
    /// The derivative of the sine of the given order.
    fn sine_derivative(self, order: u32) -> Self;
}

impl Real for f64 {
    fn sine_derivative(self, order: u32) -> f64 {
        match order % 4 {
            0 => self.sin(),
            1 => self.cos(),
            2 => -self.sin(),
            _ => -self.cos(),
        }
    }
}

impl Real for Interval {
    fn sine_derivative(self, order: u32) -> Interval {
        let of = |function| interval::apply(function, self, self, self);
        match order % 4 {
            0 => of(Function::Sin),
            1 => of(Function::Cos),
            2 => -of(Function::Sin),
            _ => -of(Function::Cos),
        }
    }
}

fn power<T: Real>(base: T, n: u32) -> T {
    (0..n).fold(T::from(1.0), |power, _| power * base)
}
