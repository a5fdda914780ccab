//! Numbers with about 106 bits: the unevaluated sum of two numbers of 53 bits.
//!
//! In: numbers. Out: [`DoubleDouble`] and its arithmetic; elementary functions and decimal digits are in files of their
//! own.
//!
//! A number is $a = a_1 + a_2$ with $a_1 = \mathrm{fl}(a_1 + a_2)$. Sums and products of two numbers of 53 bits are
//! represented without error (T. J. Dekker, *A floating-point technique for extending the available precision*, Numer.
//! Math. 18 (1971), 224–242; D. E. Knuth, *The Art of Computer Programming* 2, sect. 4.2.2, theorem B); from these
//! follow the operations on pairs (Y. Hida, X. S. Li, D. H. Bailey, *Algorithms for quad-double precision floating
//! point arithmetic*, ARITH-15, 2001, sect. 3), whose relative errors are a few times $2^{-106}$. Products are formed by
//! splitting factors, because a fused multiplication is a slow function call on many processors; they are `NaN` beyond
//! $2^{996}$.

mod decimal;
mod functions;

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

pub use decimal::InvalidDecimal;

/// A number with about 106 bits, or 31 decimal digits, and the range of `f64`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DoubleDouble {
    high: f64,
    low: f64,
}

/// $a + b = s + e$ exactly; the sum comes first (Knuth).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// $a + b = s + e$ exactly if $|a| \ge |b|$ (Dekker).
fn quick_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// $a$ as a sum of two numbers of at most 26 bits each (Dekker).
fn split(a: f64) -> (f64, f64) {
    const FACTOR: f64 = 134_217_729.0; // 2^27 + 1
    let product = FACTOR * a;
    let high = product - (product - a);
    (high, a - high)
}

/// $a b = p + e$ exactly (Dekker).
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let ((a1, a2), (b1, b2)) = (split(a), split(b));
    (product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2)
}

impl DoubleDouble {
    /// 0.
    pub const ZERO: DoubleDouble = DoubleDouble { high: 0.0, low: 0.0 };
    /// 1.
    pub const ONE: DoubleDouble = DoubleDouble { high: 1.0, low: 0.0 };
    /// $\pi$.
    pub const PI: DoubleDouble = DoubleDouble { high: std::f64::consts::PI, low: 1.224_646_799_147_353_2e-16 };
    /// Euler's number $e$.
    pub const E: DoubleDouble = DoubleDouble { high: std::f64::consts::E, low: 1.445_646_891_729_250_2e-16 };
    /// $\ln 2$.
    pub const LN_2: DoubleDouble = DoubleDouble { high: std::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };
    /// $2^{-104}$, a bound on relative rounding errors of sums, products and quotients.
    pub const EPSILON: f64 = 4.930_380_657_631_324e-32;

    /// The sum of two numbers, rounded to a pair.
    pub fn of_sum(a: f64, b: f64) -> DoubleDouble {
        let (high, low) = two_sum(a, b);
        DoubleDouble { high, low }
    }

    /// The product of two numbers, without error unless it underflows.
    pub fn of_product(a: f64, b: f64) -> DoubleDouble {
        let (high, low) = two_product(a, b);
        DoubleDouble { high, low }
    }

    fn normalized(high: f64, low: f64) -> DoubleDouble {
        let (high, low) = quick_two_sum(high, low);
        DoubleDouble { high, low }
    }

    /// The nearest `f64`.
    pub fn high(self) -> f64 {
        self.high
    }

    /// The difference to the nearest `f64`.
    pub fn low(self) -> f64 {
        self.low
    }

    /// Whether it is a number, and not infinite.
    pub fn is_finite(self) -> bool {
        self.high.is_finite() && self.low.is_finite()
    }

    /// $|a|$.
    pub fn abs(self) -> DoubleDouble {
        if self.high < 0.0 || (self.high == 0.0 && self.low < 0.0) { -self } else { self }
    }

    /// $a b$ for an `f64` $b$.
    pub fn times(self, b: f64) -> DoubleDouble {
        let (high, low) = two_product(self.high, b);
        DoubleDouble::normalized(high, low + self.low * b)
    }

    /// $a^2$.
    pub fn squared(self) -> DoubleDouble {
        let (high, low) = two_product(self.high, self.high);
        DoubleDouble::normalized(high, low + 2.0 * (self.high * self.low))
    }

    /// $2^k a$.
    pub fn times_power_of_two(self, k: i32) -> DoubleDouble {
        // In two halves, because 2^k itself may overflow or underflow where the result does not.
        let (first, second) = (2.0_f64.powi(k / 2), 2.0_f64.powi(k - k / 2));
        DoubleDouble { high: self.high * first * second, low: self.low * first * second }
    }
}

impl From<f64> for DoubleDouble {
    fn from(high: f64) -> Self {
        DoubleDouble { high, low: 0.0 }
    }
}

impl PartialOrd for DoubleDouble {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match self.high.partial_cmp(&other.high) {
            Some(Ordering::Equal) => self.low.partial_cmp(&other.low),
            decided => decided,
        }
    }
}

impl Neg for DoubleDouble {
    type Output = DoubleDouble;

    fn neg(self) -> DoubleDouble {
        DoubleDouble { high: -self.high, low: -self.low }
    }
}

impl Add for DoubleDouble {
    type Output = DoubleDouble;

    fn add(self, other: DoubleDouble) -> DoubleDouble {
        let (high, mut low) = two_sum(self.high, other.high);
        let (middle, rest) = two_sum(self.low, other.low);
        low += middle;
        let (high, low) = quick_two_sum(high, low);
        DoubleDouble::normalized(high, low + rest)
    }
}

impl Sub for DoubleDouble {
    type Output = DoubleDouble;

    fn sub(self, other: DoubleDouble) -> DoubleDouble {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = DoubleDouble;

    fn mul(self, other: DoubleDouble) -> DoubleDouble {
        let (high, low) = two_product(self.high, other.high);
        DoubleDouble::normalized(high, low + (self.high * other.low + self.low * other.high))
    }
}

impl Div for DoubleDouble {
    type Output = DoubleDouble;

    fn div(self, other: DoubleDouble) -> DoubleDouble {
        // Long division in three steps (Hida, Li & Bailey).
        let first = self.high / other.high;
        let rest = self - other.times(first);
        let second = rest.high / other.high;
        let rest = rest - other.times(second);
        let third = rest.high / other.high;
        DoubleDouble::normalized(first, second) + DoubleDouble::from(third)
    }
}

impl AddAssign for DoubleDouble {
    fn add_assign(&mut self, other: DoubleDouble) {
        *self = *self + other;
    }
}

impl SubAssign for DoubleDouble {
    fn sub_assign(&mut self, other: DoubleDouble) {
        *self = *self - other;
    }
}
