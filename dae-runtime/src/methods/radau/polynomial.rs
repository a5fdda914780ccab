//! The collocation polynomial of a step.
//!
//! In: the stages of a step. Out: values and derivatives within the step and beyond it, start values for the stages of
//! the next one, the coefficients of dense output.

use super::stages::Origin;
use super::tableau::Tableau;
use crate::integrator::polynomial::evaluate;

/// Extrapolated to no more than this many of its lengths; beyond that its tangent is used.
const EXTRAPOLATION: f64 = 10.0;

/// $p(t_1 + s\\,h) = \sum_k c_k s^k$ on the step $[t_1 - h, t_1]$.
#[derive(Default)]
pub(crate) struct Polynomial {
    /// $c_0, c_1, \dots$, one after the other; allocated for the method with most stages.
    coefficients: Vec<f64>,
    degree: usize,
    /// $h$, signed.
    length: f64,
    n: usize,
}

impl Polynomial {
    /// Room for `n` unknowns and at most `most` stages.
    pub(crate) fn new(n: usize, most: usize) -> Self {
        Polynomial { coefficients: vec![0.0; (most + 1) * n], degree: 0, length: 1.0, n }
    }

    /// Sets the polynomial to a step of length one along the tangent, which `slopes` writes.
    pub(crate) fn set_tangent(&mut self, y: &[f64], slopes: impl FnOnce(&mut [f64])) {
        let (constant, linear) = self.coefficients.split_at_mut(self.n);
        constant.copy_from_slice(y);
        slopes(&mut linear[..self.n]);
        (self.degree, self.length) = (1, 1.0);
    }

    /// Sets the polynomial through the start of a step, the stages but the last, and `end`.
    pub(crate) fn set_stages(&mut self, tableau: &Tableau, z: &[Vec<f64>], start: Origin<'_>, end: &[f64]) {
        let (s, n) = (tableau.stages(), self.n);
        self.coefficients[..n].copy_from_slice(end);
        for power in 0..tableau.dense.rows() {
            let row = tableau.dense.row(power);
            let coefficients = &mut self.coefficients[(power + 1) * n..(power + 2) * n];
            for (k, coefficient) in coefficients.iter_mut().enumerate() {
                let last = end[k] - start.y[k];
                let inner: f64 = z[..s - 1].iter().zip(row.clone().skip(1)).map(|(z, d)| d * (z[k] - last)).sum();
                *coefficient = inner - tableau.dense[(power, 0)] * last;
            }
        }
        (self.degree, self.length) = (s, start.h);
    }

    pub(crate) fn degree(&self) -> usize {
        self.degree
    }

    /// Signed length of its step.
    pub(crate) fn length(&self) -> f64 {
        self.length
    }

    /// $c_k$.
    pub(crate) fn coefficient(&self, k: usize) -> &[f64] {
        &self.coefficients[k * self.n..][..self.n]
    }

    /// $c_0, \dots, c_d$, one after the other.
    pub(crate) fn coefficients(&self) -> &[f64] {
        &self.coefficients[..(self.degree + 1) * self.n]
    }

    /// Value and derivative at $s$, in units of its length from its end.
    pub(crate) fn evaluate(&self, s: f64, value: &mut [f64], slope: &mut [f64]) {
        evaluate(self.coefficients(), s, self.length, value, slope);
    }

    /// Its differences from its end at the nodes `c` of a step of length `h` that follows.
    pub(crate) fn predict(&self, h: f64, c: &[f64], z: &mut [Vec<f64>]) {
        let ratio = h / self.length;
        let degree = if ratio.abs() > EXTRAPOLATION { 1 } else { self.degree };
        for (z, c) in z.iter_mut().zip(c) {
            z.fill(0.0);
            for k in (1..=degree).rev() {
                z.iter_mut().zip(self.coefficient(k)).for_each(|(z, power)| *z = c * ratio * (*z + power));
            }
        }
    }
}
