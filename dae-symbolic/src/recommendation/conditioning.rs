//! The conditioning constants of a linear problem, Ascher & Petzold (1993), sect. 2.
//!
//! In: a linear model of the form (2.3), $x^{(m)} = \sum_j A_j x^{(j-1)} + B y + q$, $0 = C x + r$. Out: with the rows
//! of $R$ an orthonormal basis of the vectors orthogonal to the columns of $B$, $RB = 0$,
//!
//! | | | |
//! |---|---|---|
//! | $K_1$ | $\lVert (CB)^{-1} \rVert$ | (2.5) |
//! | $K_2$ | $\lVert \binom{R}{C}^{-1} \rVert$ | (2.6) |
//! | $K_3$ | the largest of $\lVert B^{(j)} \rVert$, $\lVert C^{(j)} \rVert$, $\lVert R^{(j)} \rVert$, $j = 0, \dots, m$ | (2.7) |
//! | $K_4$ | the largest $\lVert \Phi(t, s) \rVert$, $s \le t$, of the essential underlying ordinary differential equation | after (2.14) |
//!
//! as maxima over an interval. $\Phi$ is the fundamental solution of (2.20), $w_j' = R x^{(j)} + R' x^{(j-1)}$ for
//! $w_j = R x^{(j-1)}$, that is, Green's function of its initial value problem together with its derivatives. $R$ is
//! unique up to rotations; its derivatives are those of the basis that rotates least,
//! $R' = -R B' (B^\top B)^{-1} B^\top$, since $R' B + R B' = 0$ and $R' R^\top = 0$.

use nalgebra::DMatrix;

use super::flow::{Flow, SWEEPS, kernel};
use super::local::{Local, binomial, is_finite, norm};
use crate::formulation::Source;
use crate::model::Model;

/// The least number of steps over the interval, and the number of steps per radian by which $R$ turns.
const STEPS: (usize, f64) = (32, 2.0);

/// The largest number of steps, and the largest product of the number of steps and the third power of the number of
/// states.
const MAX_STEPS: usize = 4096;
const MAX_WORK: usize = 20_000_000;

/// The largest order $m$ for which $K_4$ is computed: beyond it, difference quotients would be nested more than twice.
const MAX_ORDER: u32 = 3;

/// The exponential of a matrix with a larger norm is not computed: every doubling of the norm takes one more squaring.
const MAX_NORM: f64 = 1e9;

/// The approximate number of initial times $s$ of Green's function.
const STARTS: usize = 32;

/// The step of difference quotients.
const DIFFERENCE: f64 = 1e-5;

/// The conditioning constants.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Conditioning {
    /// $K_1$.
    pub k1: f64,
    /// $K_2$.
    pub k2: f64,
    /// $K_3$.
    pub k3: f64,
    /// $K_4$; `None` where the essential underlying ordinary differential equation has no unknowns or too many, too
    /// high an order or coefficients that vary too fast, or cannot be evaluated.
    pub k4: Option<f64>,
    /// The interval.
    pub interval: (f64, f64),
}

/// The matrices at a time, with their derivatives.
struct Sample {
    t: f64,
    c: Vec<DMatrix<f64>>,
    b: Vec<DMatrix<f64>>,
    r: Vec<DMatrix<f64>>,
}

/// The constants over an interval; `None` if the model has another form, or a constant does not exist.
pub(super) fn conditioning(
    model: &mut Model,
    local: &Local,
    flow: &Flow,
    (from, to): (f64, f64),
) -> Option<Conditioning> {
    let m = *local.levels.first()?;
    local.levels.iter().all(|&level| level == m).then_some(())?;
    // Velocities with an equation of their own count as x', not as x.
    let columns: Vec<usize> = (0..local.moving.len()).filter(|&k| local.orders[k] == m).collect();
    let mut sample = |t: f64| -> Option<Sample> {
        // The model is linear, so that no jets occur in its coefficients.
        let (c, b) = local.values(model, m as usize, t, &|_, _| None);
        let c: Vec<DMatrix<f64>> = c.iter().map(|c| c.select_columns(&columns)).collect();
        let b: Vec<DMatrix<f64>> = b?.iter().map(|b| b.select_rows(&columns)).collect();
        c.iter().chain(&b).all(is_finite).then_some(())?;
        let r = basis(&b)?;
        Some(Sample { t, c, b, r })
    };
    let grid = |n: usize| (0..=n).map(move |k| from + (to - from) * k as f64 / n as f64);
    let coarse: Vec<Sample> = grid(STEPS.0).map(&mut sample).collect::<Option<_>>()?;
    let turning = coarse.iter().map(|it| norm(&it.r[1])).fold(0.0, f64::max);
    let steps = STEPS.0.max((STEPS.1 * turning * (to - from).abs()).min(1e9) as usize);
    let states = flow.states().len().max(1);
    let is_fine = steps <= MAX_STEPS.min(MAX_WORK / states.pow(3));
    // Ends and middles of the steps.
    let samples = if is_fine { grid(2 * steps).map(&mut sample).collect::<Option<_>>()? } else { coarse };
    let (mut k1, mut k2, mut k3) = (0.0_f64, 0.0_f64, 0.0_f64);
    for Sample { c, b, r, .. } in &samples {
        k1 = larger(k1, norm(&(&c[0] * &b[0]).try_inverse()?));
        (r[0].nrows() + c[0].nrows() == columns.len()).then_some(())?;
        let mut stacked = DMatrix::zeros(columns.len(), columns.len());
        stacked.rows_mut(0, r[0].nrows()).copy_from(&r[0]);
        stacked.rows_mut(r[0].nrows(), c[0].nrows()).copy_from(&c[0]);
        k2 = larger(k2, norm(&stacked.try_inverse()?));
        k3 = c.iter().chain(b).chain(r).map(norm).fold(k3, larger);
    }
    let unknowns: Vec<usize> = columns.into_iter().map(|k| local.moving[k]).collect();
    [k1, k2, k3].iter().all(|k| k.is_finite()).then_some(())?;
    let k4 = if is_fine && m <= MAX_ORDER { green(flow, samples, &unknowns, m as usize) } else { None };
    Some(Conditioning { k1, k2, k3, k4, interval: (from, to) })
}

/// The larger of two numbers; NaN if one of them is.
fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// $R$ and its derivatives from $B$ and its derivatives.
fn basis(b: &[DMatrix<f64>]) -> Option<Vec<DMatrix<f64>>> {
    // P = (BᵀB)⁻¹Bᵀ from BᵀB P = Bᵀ, then R' = -R B' P, both by Leibniz' rule.
    let square = |k: usize| {
        let term = |i: usize| b[i].transpose() * &b[k - i] * binomial(k, i);
        (1..=k).fold(term(0), |sum, i| sum + term(i))
    };
    let inverse = square(0).try_inverse()?;
    let mut p: Vec<DMatrix<f64>> = Vec::with_capacity(b.len());
    for k in 0..b.len() {
        let right = (1..=k).fold(b[k].transpose(), |sum, i| sum - square(i) * &p[k - i] * binomial(k, i));
        p.push(&inverse * right);
    }
    let mut r: Vec<DMatrix<f64>> = vec![kernel(&(&b[0] * b[0].transpose()))?.transpose()];
    for k in 0..b.len() - 1 {
        let mut next = DMatrix::zeros(r[0].nrows(), r[0].ncols());
        for i in 0..=k {
            for j in 0..=k - i {
                let factor = binomial(k, i) * binomial(k - i, j);
                next -= &r[i] * &b[j + 1] * &p[k - i - j] * factor;
            }
        }
        r.push(next);
    }
    Some(r)
}

/// $K_4$, by the exponential midpoint rule.
fn green(flow: &Flow, mut samples: Vec<Sample>, unknowns: &[usize], m: usize) -> Option<f64> {
    let rows = samples[0].r[0].nrows();
    if rows == 0 {
        return None;
    }
    // Each basis is rotated to be as close as possible to the one before.
    for k in 1..samples.len() {
        let overlap = (&samples[k - 1].r[0] * samples[k].r[0].transpose()).try_svd(true, true, f64::EPSILON, SWEEPS)?;
        let rotation = overlap.u? * overlap.v_t?;
        samples[k].r.iter_mut().for_each(|r| *r = &rotation * &*r);
    }
    let h = samples[2].t - samples[0].t;
    let mut factors = Vec::with_capacity(samples.len() / 2);
    for Sample { t, r, .. } in samples.iter().skip(1).step_by(2) {
        let z = derivatives(flow, unknowns, m + 1, *t)?;
        let (mut w, mut rates) = (DMatrix::zeros(rows * m, z[0].ncols()), DMatrix::zeros(rows * m, z[0].ncols()));
        for k in 0..m {
            w.rows_mut(k * rows, rows).copy_from(&(&r[0] * &z[k]));
            rates.rows_mut(k * rows, rows).copy_from(&(&r[0] * &z[k + 1] + &r[1] * &z[k]));
        }
        let tangent = flow.tangent(*t)?;
        let on_constraints = w * &tangent;
        on_constraints.is_square().then_some(())?;
        let matrix = rates * &tangent * on_constraints.try_inverse()? * h;
        (norm(&matrix) <= MAX_NORM).then_some(())?;
        factors.push(exponential(&matrix));
    }
    let mut largest: f64 = 1.0;
    for start in (0..factors.len()).step_by((factors.len() / STARTS).max(1)) {
        let mut solution = DMatrix::identity(rows * m, rows * m);
        for factor in &factors[start..] {
            solution = factor * solution;
            is_finite(&solution).then_some(())?;
            largest = largest.max(norm(&solution));
        }
    }
    Some(largest)
}

/// $e^A$ of a matrix of moderate norm: the Taylor polynomial of the exponential at $2^{-s} A$, whose norm is at most
/// one half, squared $s$ times (Golub & Van Loan, *Matrix Computations*, sect. 11.3).
fn exponential(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let squarings = (2.0 * norm(matrix)).log2().ceil().max(0.0) as i32;
    let scaled = matrix * 0.5_f64.powi(squarings);
    // Horner's scheme; the next term is below rounding: 2^-16 / 16! < 1e-18.
    let one = DMatrix::identity(matrix.nrows(), matrix.ncols());
    let polynomial = (1..16).rev().fold(one.clone(), |sum, k| &one + &scaled * sum / f64::from(k));
    (0..squarings).fold(polynomial, |power, _| &power * &power)
}

/// $x, x', \dots$ as linear functions of the states: from $x^{(k)} = Z_k y$ follows $x^{(k+1)} = (Z_k' + Z_k J) y$.
fn derivatives(flow: &Flow, unknowns: &[usize], count: usize, t: f64) -> Option<Vec<DMatrix<f64>>> {
    let states = flow.states();
    let mut first = DMatrix::zeros(unknowns.len(), states.len());
    for (row, &j) in unknowns.iter().enumerate() {
        first[(row, states.iter().position(|&state| flow.sources[state] == Source::Jet { unknown: j, order: 0 })?)] =
            1.0;
    }
    let mut list = vec![first];
    for k in 1..count {
        let mut next = &list[k - 1] * flow.jacobian(t)?;
        if k > 1 {
            let at = |t: f64| derivatives(flow, unknowns, k, t).and_then(|mut list| list.pop());
            next += (at(t + DIFFERENCE)? - at(t - DIFFERENCE)?) / (2.0 * DIFFERENCE);
        }
        list.push(next);
    }
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_of_rotations_are_rotations() {
        for angle in [0.0, 0.3, 2.0, -40.0] {
            let found = exponential(&DMatrix::from_row_slice(2, 2, &[0.0, -angle, angle, 0.0]));
            let expected = DMatrix::from_row_slice(2, 2, &[angle.cos(), -angle.sin(), angle.sin(), angle.cos()]);
            assert!(norm(&(found - expected)) < 1e-13, "{angle}");
        }
    }
}
