//! Positions and numbers that depend on loop indices.
//!
//! In: loop indices. Out: integers $b + \sum_k s_k i_k$ and quotients of such integers by a fixed one.

/// $b + \sum_k s_k i_k$ over the loops of a block, outermost first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Affine {
    /// $b$.
    pub base: i64,
    /// $s_k$, one per loop.
    pub strides: Vec<i64>,
}

impl Affine {
    /// A constant position.
    pub fn fixed(base: usize) -> Affine {
        Affine { base: base as i64, strides: Vec::new() }
    }

    /// The value; loops beyond those given do not count.
    pub fn at(&self, indices: &[i64]) -> i64 {
        self.base + self.strides.iter().zip(indices).map(|(stride, index)| stride * index).sum::<i64>()
    }

    /// Its value as a position in a slice.
    pub fn position(&self, indices: &[i64]) -> usize {
        self.at(indices) as usize
    }

    /// Whether no loop index changes it.
    pub fn is_fixed(&self) -> bool {
        self.strides.iter().all(|&stride| stride == 0)
    }

    /// The value moved by a constant.
    pub fn plus(&self, offset: i64) -> Affine {
        Affine { base: self.base + offset, strides: self.strides.clone() }
    }
}

/// $(b + \sum_k s_k i_k) / d$. Numerator and denominator are exact in `f64`, so that the value is correctly rounded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AffineNumber {
    /// $b + \sum_k s_k i_k$.
    pub numerator: Affine,
    /// $d > 0$.
    pub denominator: i64,
}

impl AffineNumber {
    /// Its value.
    pub fn at(&self, indices: &[i64]) -> f64 {
        self.numerator.at(indices) as f64 / self.denominator as f64
    }
}

/// A loop: its index runs over this range.
pub type Range = std::ops::Range<i64>;

/// Calls `visit` with every point of a box, the last index fastest; once with no index for a box without loops.
pub fn for_each_point(domain: &[Range], mut visit: impl FnMut(&[i64])) {
    if domain.iter().any(Range::is_empty) {
        return;
    }
    let mut indices: Vec<i64> = domain.iter().map(|range| range.start).collect();
    loop {
        visit(&indices);
        let Some(k) = (0..domain.len()).rev().find(|&k| indices[k] + 1 < domain[k].end) else { return };
        indices[k] += 1;
        for (index, range) in indices.iter_mut().zip(domain).skip(k + 1) {
            *index = range.start;
        }
    }
}
