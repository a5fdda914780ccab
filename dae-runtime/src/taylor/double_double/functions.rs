//! Elementary functions of numbers with about 106 bits.
//!
//! In: a [`DoubleDouble`]. Out: its image, with a relative error of some units of $2^{-104}$ (near zeros of sine and
//! cosine other than 0 an absolute one). Arguments are reduced until a short Taylor series suffices; inverse functions
//! begin with the value in `f64` and correct it by addition theorems, which is Newton's iteration with exact second
//! digits (Hida, Li & Bailey 2001, sect. 4).

use super::DoubleDouble;
use std::f64::consts::FRAC_PI_2;

/// $\pi/2$ as a sum of three numbers, for the reduction of arguments of sine and cosine.
const HALF_PI: [f64; 3] = [FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33];
/// $\exp$ is computed of the argument divided by $2^9$.
const HALVINGS: i32 = 9;
/// Terms of a series that are relatively smaller do not count.
const NEGLIGIBLE: f64 = 1e-34;
/// $\tanh a$ is $\pm 1$ to 106 bits beyond this.
const SATURATED: f64 = 40.0;

impl DoubleDouble {
    /// $\sqrt a$, `NaN` for negative $a$ (A. H. Karp, P. Markstein, *High-precision division and square root*, ACM
    /// TOMS 23, 1997).
    pub fn sqrt(self) -> DoubleDouble {
        if self.high == 0.0 {
            return DoubleDouble::ZERO;
        }
        let inverse = self.high.sqrt().recip();
        let root = self.high * inverse;
        let rest = self - DoubleDouble::of_product(root, root);
        let first = DoubleDouble::of_sum(root, rest.high() * inverse * 0.5);
        // Another step of Newton's iteration, for the last bits.
        let rest = self - first.squared();
        first + DoubleDouble::from(rest.high() * inverse * 0.5)
    }

    /// $a^{1/3}$.
    pub fn cbrt(self) -> DoubleDouble {
        let root = DoubleDouble::from(self.high.cbrt());
        if self.high == 0.0 {
            return root;
        }
        let square = root.squared();
        root - (square * root - self) / square.times(3.0)
    }

    /// $e^a$.
    pub fn exp(self) -> DoubleDouble {
        let (power, k) = self.reduced_exponential();
        (power + DoubleDouble::ONE).times_power_of_two(k)
    }

    /// $e^a - 1$, accurate for small $a$.
    pub fn exp_m1(self) -> DoubleDouble {
        let (power, k) = self.reduced_exponential();
        if k == 0 { power } else { (power + DoubleDouble::ONE).times_power_of_two(k) - DoubleDouble::ONE }
    }

    /// $(e^r - 1, k)$ with $a = r + k \ln 2$, $|r| \le \tfrac12 \ln 2$.
    fn reduced_exponential(self) -> (DoubleDouble, i32) {
        // Beyond this the result is zero or infinite, and `NaN` stays.
        let k = (self.high / DoubleDouble::LN_2.high()).round().clamp(-1100.0, 1100.0);
        let r = (self - DoubleDouble::LN_2.times(k)).times_power_of_two(-HALVINGS);
        if r.high.abs() > 1.0 {
            let limit = if r.high > 0.0 { f64::INFINITY } else { -1.0 };
            return (DoubleDouble::from(limit), 0);
        }
        let mut term = r;
        let mut power = r;
        for n in 2..20 {
            term = term * r / DoubleDouble::from(f64::from(n));
            power += term;
            if term.high.abs() <= NEGLIGIBLE * r.high.abs() {
                break;
            }
        }
        for _ in 0..HALVINGS {
            // (1 + p)^2 - 1
            power = power.times_power_of_two(1) + power.squared();
        }
        (power, k as i32)
    }

    /// $\ln a$, `NaN` for negative $a$.
    pub fn ln(self) -> DoubleDouble {
        let less = self - DoubleDouble::ONE;
        if less.high.abs() < 0.1 {
            return less.ln_1p();
        }
        let first = DoubleDouble::from(self.high.ln());
        if !first.is_finite() {
            return first;
        }
        first + self * (-first).exp() - DoubleDouble::ONE
    }

    /// $\ln(1 + a)$, accurate for small $a$: $2 \operatorname{artanh} \frac{a}{2 + a}$ by its series.
    pub fn ln_1p(self) -> DoubleDouble {
        if self.high.abs() >= 0.1 || self.high.is_nan() {
            let sum = self + DoubleDouble::ONE;
            let first = DoubleDouble::from(sum.high.ln());
            return if first.is_finite() { first + sum * (-first).exp() - DoubleDouble::ONE } else { first };
        }
        let z = self / (self + DoubleDouble::from(2.0));
        let square = z.squared();
        let (mut power, mut sum) = (z, z);
        for n in 1..40 {
            power = power * square;
            let term = power / DoubleDouble::from(f64::from(2 * n + 1));
            sum += term;
            if term.high.abs() <= NEGLIGIBLE * z.high.abs() {
                break;
            }
        }
        sum.times_power_of_two(1)
    }

    /// $\sin a$ and $\cos a$, for $|a|$ up to about $10^9$; beyond that digits are lost.
    pub fn sin_cos(self) -> (DoubleDouble, DoubleDouble) {
        let k = (self.high / FRAC_PI_2).round();
        let r = HALF_PI.iter().fold(self, |r, &part| r - DoubleDouble::of_product(k, part));
        let (sine, cosine) = (r.alternating_series(1), r.alternating_series(0));
        match k.rem_euclid(4.0) {
            1.0 => (cosine, -sine),
            2.0 => (-sine, -cosine),
            3.0 => (-cosine, sine),
            // `NaN` as well, where both series are.
            _ => (sine, cosine),
        }
    }

    /// $\sum_k (-1)^k r^{2k + s} / (2k + s)!$: the sine for $s = 1$, the cosine for $s = 0$; $|r| \le \pi/4$.
    fn alternating_series(self, s: i32) -> DoubleDouble {
        let square = self.squared();
        let first = if s == 1 { self } else { DoubleDouble::ONE };
        let (mut term, mut sum) = (first, first);
        for k in 1..20 {
            let n = f64::from(2 * k + s);
            term = -(term * square) / DoubleDouble::from(n * (n - 1.0));
            sum += term;
            if term.high.abs() <= NEGLIGIBLE * first.high.abs() {
                break;
            }
        }
        sum
    }

    /// The angle of the point with the abscissa $x$ and this ordinate.
    pub fn atan2(self, x: DoubleDouble) -> DoubleDouble {
        let first = DoubleDouble::from(self.high.atan2(x.high));
        let (sine, cosine) = first.sin_cos();
        let across = self * cosine - x * sine;
        if across.high == 0.0 {
            return first;
        }
        // The tangent of the rest; its cube is below 2^-150.
        first + across / (x * cosine + self * sine)
    }

    /// $\arctan a$.
    pub fn atan(self) -> DoubleDouble {
        self.atan2(DoubleDouble::ONE)
    }

    /// $\arcsin a$, `NaN` for $|a| > 1$.
    pub fn asin(self) -> DoubleDouble {
        self.atan2(self.other_leg())
    }

    /// $\arccos a$, `NaN` for $|a| > 1$.
    pub fn acos(self) -> DoubleDouble {
        self.other_leg().atan2(self)
    }

    /// $\sqrt{1 - a^2}$.
    fn other_leg(self) -> DoubleDouble {
        ((DoubleDouble::ONE - self) * (DoubleDouble::ONE + self)).sqrt()
    }

    /// $\sinh a$.
    pub fn sinh(self) -> DoubleDouble {
        let less = self.exp_m1();
        let sum = if less.high > 1e30 { less } else { less + less / (less + DoubleDouble::ONE) };
        sum.times_power_of_two(-1)
    }

    /// $\cosh a$.
    pub fn cosh(self) -> DoubleDouble {
        let power = self.abs().exp();
        let sum = if power.high > 1e30 { power } else { power + DoubleDouble::ONE / power };
        sum.times_power_of_two(-1)
    }

    /// $\tanh a$.
    pub fn tanh(self) -> DoubleDouble {
        if self.high.abs() > SATURATED {
            return DoubleDouble::from(self.high.signum());
        }
        let less = self.times_power_of_two(1).exp_m1();
        less / (less + DoubleDouble::from(2.0))
    }

    /// $\operatorname{arsinh} a$.
    pub fn asinh(self) -> DoubleDouble {
        let a = self.abs();
        let root = (a.squared() + DoubleDouble::ONE).sqrt();
        let value = (a + a.squared() / (root + DoubleDouble::ONE)).ln_1p();
        if self.high < 0.0 { -value } else { value }
    }

    /// $\operatorname{arcosh} a$, `NaN` for $a < 1$.
    pub fn acosh(self) -> DoubleDouble {
        let less = self - DoubleDouble::ONE;
        (less + (less.times(2.0) + less.squared()).sqrt()).ln_1p()
    }

    /// $\operatorname{artanh} a$, `NaN` for $|a| > 1$.
    pub fn atanh(self) -> DoubleDouble {
        (self.times(2.0) / (DoubleDouble::ONE - self)).ln_1p().times_power_of_two(-1)
    }

    /// $a^b = e^{b \ln a}$ for positive $a$.
    pub fn powf(self, b: DoubleDouble) -> DoubleDouble {
        (b * self.ln()).exp()
    }
}
