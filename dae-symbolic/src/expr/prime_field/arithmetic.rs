//! Arithmetic modulo the Mersenne prime $p = 2^{61} - 1$.
//!
//! In: residues below $p$. Out: residues below $p$; inverses and roots where they exist. Also the deterministic source
//! of residues (splitmix64: Steele, Lea & Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014).

use super::super::Rational;

/// $p = 2^{61} - 1$.
pub const PRIME: u64 = (1 << 61) - 1;

/// The residue class of any machine word.
pub fn reduce(a: u64) -> u64 {
    let folded = (a & PRIME) + (a >> 61);
    if folded >= PRIME { folded - PRIME } else { folded }
}

/// $a + b$.
pub fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= PRIME { sum - PRIME } else { sum }
}

/// $-a$.
pub fn neg(a: u64) -> u64 {
    if a == 0 { 0 } else { PRIME - a }
}

/// $a - b$.
pub fn sub(a: u64, b: u64) -> u64 {
    if a >= b { a - b } else { a + (PRIME - b) }
}

/// $a b$; as $2^{61} \equiv 1$, the upper half of the product is added to the lower one.
pub fn mul(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let sum = (product as u64 & PRIME) + (product >> 61) as u64;
    if sum >= PRIME { sum - PRIME } else { sum }
}

/// $a^n$.
pub fn pow(mut a: u64, mut n: u64) -> u64 {
    let mut power = 1;
    while n > 0 {
        if n & 1 == 1 {
            power = mul(power, a);
        }
        n >>= 1;
        if n > 0 {
            a = mul(a, a);
        }
    }
    power
}

/// $1/a$, or `None` for zero (extended Euclid).
pub fn inv(a: u64) -> Option<u64> {
    let (mut r, mut s) = ((PRIME as i64, a as i64), (0i64, 1i64));
    while r.1 != 0 {
        let quotient = r.0 / r.1;
        r = (r.1, r.0 - quotient * r.1);
        s = (s.1, s.0 - quotient * s.1);
    }
    let inverse = if s.0 < 0 { s.0 + PRIME as i64 } else { s.0 };
    (a != 0).then_some(inverse as u64)
}

/// The quotient $n/d$ of small integers that has this residue; `None` if there is none. With $|n|, d < 2^{30}$ there is
/// at most one, and it is found among the remainders of Euclid's algorithm (Wang, *A p-adic algorithm for univariate
/// partial fractions*, SYMSAC 1981).
pub fn reconstructed(a: u64) -> Option<Rational> {
    const BOUND: i64 = 1 << 30;
    let (mut r, mut s) = ((PRIME as i64, a as i64), (0i64, 1i64));
    while r.1 >= BOUND {
        let quotient = r.0 / r.1;
        r = (r.1, r.0 - quotient * r.1);
        s = (s.1, s.0 - quotient * s.1);
    }
    (s.1.abs() < BOUND).then(|| Rational::new(r.1, s.1)).flatten()
}

/// The quadratic character: 1 for squares, $p - 1$ for the other units, 0 for zero (Euler's criterion).
pub fn quadratic_character(a: u64) -> u64 {
    pow(a, (PRIME - 1) / 2)
}

/// The square root that is a square itself; `None` if there is none. As $p \equiv 3 \pmod 4$ it is $a^{(p+1)/4}$; so
/// chosen, the root of a product of squares is the product of the roots.
pub fn sqrt(a: u64) -> Option<u64> {
    // (p + 1)/4 is 2^59: squarings only.
    let root = (0..59).fold(a, |power, _| mul(power, power));
    (mul(root, root) == a).then_some(root)
}

/// A cube root; `None` if there is none. $p - 1 = 9m$ with $m$ prime to 3, so that the cube of $x = a^{1/3 \bmod m}$ is
/// $a$ times a cube root of unity, which is the cube of a ninth root of unity.
pub fn cbrt(a: u64) -> Option<u64> {
    const M: u64 = (PRIME - 1) / 9;
    // 3k = 1 mod m.
    const K: u64 = if M % 3 == 2 { M.div_ceil(3) } else { (2 * M).div_ceil(3) };
    const { assert!(!M.is_multiple_of(3) && K as u128 * 3 % M as u128 == 1) };
    if a == 0 {
        return Some(0);
    }
    let near = pow(a, K);
    let unity = ninth_root_of_unity();
    let mut root = near;
    for _ in 0..9 {
        if mul(mul(root, root), root) == a {
            return Some(root);
        }
        root = mul(root, unity);
    }
    None
}

/// A primitive ninth root of unity: $g^m$ for the least $g$ that is not a cube.
fn ninth_root_of_unity() -> u64 {
    let mut g = 2;
    while pow(g, (PRIME - 1) / 3) == 1 {
        g += 1;
    }
    pow(g, (PRIME - 1) / 9)
}

/// A residue drawn from the seed and all the words: evenly distributed and reproducible.
pub fn draw(seed: u64, words: &[u64]) -> u64 {
    let hash = words.iter().fold(splitmix64(seed), |state, word| splitmix64(state ^ splitmix64(*word)));
    reduce(hash)
}

/// One output of splitmix64 at the given state.
fn splitmix64(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A point $(\cos, \sin)$ of the circle $c^2 + s^2 = 1$ over the field; the points form a group of order
/// $p + 1 = 2^{61}$.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rotation {
    pub(super) cos: u64,
    pub(super) sin: u64,
}

impl Rotation {
    pub(super) const IDENTITY: Rotation = Rotation { cos: 1, sin: 0 };

    /// $\left(\frac{1-s^2}{1+s^2}, \frac{2s}{1+s^2}\right)$; $-1$ is not a square, so the denominator is a unit.
    pub(super) fn from_half_tangent(s: u64) -> Rotation {
        let square = mul(s, s);
        match inv(add(1, square)) {
            Some(r) => Rotation { cos: mul(sub(1, square), r), sin: mul(add(s, s), r) },
            None => Rotation::IDENTITY,
        }
    }

    /// The eighth of a turn, $\pi/4$: $\cos = \sin = \sqrt2/2$ with the root that [`sqrt`] gives.
    pub(super) fn eighth() -> Rotation {
        let root = sqrt(2).unwrap_or(0);
        let half = mul(root, PRIME.div_ceil(2));
        Rotation { cos: half, sin: half }
    }

    /// The opposite angle.
    pub(super) fn reversed(self) -> Rotation {
        Rotation { cos: self.cos, sin: neg(self.sin) }
    }

    /// The sum of the angles, by the addition formulas.
    pub(super) fn then(self, other: Rotation) -> Rotation {
        Rotation {
            cos: sub(mul(self.cos, other.cos), mul(self.sin, other.sin)),
            sin: add(mul(self.sin, other.cos), mul(self.cos, other.sin)),
        }
    }

    /// $n$ times the angle.
    pub(super) fn times(mut self, mut n: u64) -> Rotation {
        let mut multiple = Rotation::IDENTITY;
        while n > 0 {
            if n & 1 == 1 {
                multiple = multiple.then(self);
            }
            self = self.then(self);
            n >>= 1;
        }
        multiple
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_axioms_on_random_residues() {
        for k in 0..200 {
            let (a, b, c) = (draw(1, &[k]), draw(2, &[k]), draw(3, &[k]));
            assert_eq!(mul(a, add(b, c)), add(mul(a, b), mul(a, c)));
            assert_eq!(sub(add(a, b), b), a);
            assert_eq!(mul(a, inv(a).unwrap()), 1);
            assert_eq!(pow(a, PRIME - 2), inv(a).unwrap());
            assert_eq!(u128::from(mul(a, b)), u128::from(a) * u128::from(b) % u128::from(PRIME));
        }
        assert_eq!(inv(0), None);
        assert_eq!(reduce(u64::MAX), 7);
        assert_eq!(reduce(PRIME), 0);
    }

    #[test]
    fn roots() {
        let (mut squares, mut cubes) = (0, 0);
        for k in 0..300 {
            let a = draw(7, &[k]);
            if let Some(root) = sqrt(a) {
                squares += 1;
                assert_eq!(mul(root, root), a);
                assert_eq!(quadratic_character(root), 1);
            }
            assert_eq!(sqrt(a).is_some(), quadratic_character(a) == 1);
            if let Some(root) = cbrt(a) {
                cubes += 1;
                assert_eq!(pow(root, 3), a);
            }
            assert_eq!(cbrt(a).is_some(), pow(a, (PRIME - 1) / 3) == 1);
        }
        assert!((120..180).contains(&squares) && (70..130).contains(&cubes), "{squares} {cubes}");
    }

    #[test]
    fn rotations() {
        let r = Rotation::from_half_tangent(draw(5, &[0]));
        assert_eq!(add(mul(r.cos, r.cos), mul(r.sin, r.sin)), 1);
        assert_eq!(r.times(5).then(r.times(6)), r.times(11));
        assert_eq!(r.times(PRIME + 1), Rotation::IDENTITY);
        assert_eq!(Rotation::eighth().times(2), Rotation { cos: 0, sin: 1 });
    }
}
