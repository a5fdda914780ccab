//! Coefficients of Radau IIA with any odd number of stages, derived from the nodes.
//!
//! In: the number of stages $s$. Out: everything a step of order $2s - 1$ needs.
//!
//! The nodes are the zeros of $P_s(2c - 1) - P_{s-1}(2c - 1)$ with Legendre's polynomials, the last of them $c_s = 1$
//! (Hairer & Wanner II, section IV.5). The stages are values of the collocation polynomial $p$ with $p(0) = 0$,
//! $p(c_i) = Z_i$. Its derivative at the nodes $x = (0, c_1, \dots, c_s)$ is a linear map of its values, the
//! differentiation matrix $D$ of barycentric interpolation,
//!
//! $$ D_{ij} = \frac{w_j}{w_i} \frac{1}{x_i - x_j}, \quad D_{ii} = \sum_{k \ne i} \frac{1}{x_i - x_k}, \quad
//!    w_j = \prod_{k \ne j} \frac{1}{x_j - x_k}. $$
//!
//! Collocation says $Z = h A K$ with $K_i = p'(c_i)/h$, hence $A^{-1}$ is $D$ without the row and the column of the
//! node 0, and the row of the node 0 gives $p'(0)$, from which the error is estimated.
//!
//! The denominator of the stability function is that of the Padé approximation $(s-1, s)$ to $e^z$ (theorem IV.3.12),
//! so the eigenvalues of $A^{-1}$ are the zeros of
//!
//! $$ \sum_{j=0}^{s} (-1)^{s-j} \frac{s\\,(2s-1-j)!}{j!\\,(s-j)!}\\, \mu^j , $$
//!
//! a real one $\gamma$ and $(s-1)/2$ complex pairs $\alpha_k \pm i \beta_k$. $T$ consists of the eigenvectors with last
//! component one (real part and minus the imaginary part of those that belong to $\alpha_k + i\beta_k$), so that
//! $T^{-1} A^{-1} T = \operatorname{diag}\Bigl(\gamma,
//! \begin{pmatrix} \alpha_k & -\beta_k \\\\ \beta_k & \alpha_k \end{pmatrix}\Bigr)$
//! as in section IV.8.

use std::sync::OnceLock;

use num_complex::Complex;

use crate::linalg::iteration_matrix::Lu;
use crate::linalg::matrix::Matrix;

use super::accuracy::StageRange;

/// Sign changes between nodes are searched for on a grid that is finer than their distances.
const GRID: usize = 1000;
/// Iterations of Newton's method and of bisection, more than they need.
const ITERATIONS: usize = 100;
/// Number of points at which the node polynomial is sampled.
const SAMPLES: usize = 200;

/// The coefficients of a method.
#[derive(Clone, Debug)]
pub(crate) struct Tableau {
    /// Nodes, ascending.
    pub(crate) c: Vec<f64>,
    /// $A^{-1}$.
    pub(crate) inverse: Matrix,
    /// $p'(0) = \sum_i d_i Z_i$.
    pub(crate) start: Vec<f64>,
    /// Real eigenvalue of $A^{-1}$.
    pub(crate) gamma: f64,
    /// Complex eigenvalues of $A^{-1}$ in the upper half plane.
    pub(crate) pairs: Vec<Complex<f64>>,
    /// Eigenvectors.
    pub(crate) t: Matrix,
    /// Inverse of the matrix of eigenvectors.
    pub(crate) t_inverse: Matrix,
    /// Maps $(-Z_s, Z_1 - Z_s, \dots, Z_{s-1} - Z_s)$ to the coefficients of $s, s^2, \dots$ of $p(1 + s) - p(1)$.
    pub(crate) dense: Matrix,
    /// The largest value of $|\theta \prod_i (\theta - c_i)|$ in a step.
    pub(super) largest_between: f64,
}

impl Tableau {
    /// The tableau for `stages` stages, an odd number up to [`StageRange::MOST`]; derived at the first call.
    pub(crate) fn of(stages: usize) -> &'static Tableau {
        const ORDERS: usize = StageRange::MOST / 2 + 1;
        static DERIVED: [OnceLock<Tableau>; ORDERS] = [const { OnceLock::new() }; ORDERS];
        DERIVED[stages / 2].get_or_init(|| Tableau::new(stages))
    }

    fn new(stages: usize) -> Self {
        let c = nodes(stages);
        let d = differentiation_matrix(&[&[0.0], &c[..]].concat());
        let inverse = Matrix::from_fn(stages, stages, |i, j| d[(i + 1, j + 1)]);
        let (gamma, pairs) = eigenvalues(stages);
        let part = |vector: &[Complex<f64>], part: fn(&Complex<f64>) -> f64| vector.iter().map(part).collect();
        let mut columns: Vec<Vec<f64>> = vec![part(&eigenvector(&inverse, gamma.into()), |x| x.re)];
        for &pair in &pairs {
            let vector = eigenvector(&inverse, pair);
            columns.extend([part(&vector, |x| x.re), part(&vector, |x| -x.im)]);
        }
        let t = Matrix::from_column_slice(stages, stages, &columns.concat());
        let end = |i: usize| if i == 0 { -1.0 } else { c[i - 1] - 1.0 };
        let powers = Matrix::from_fn(stages, stages, |i, k| end(i).powi(k as i32 + 1));
        let start = (1..=stages).map(|j| d[(0, j)]).collect();
        let (t_inverse, dense) = (inverted(&t), inverted(&powers));
        let mut tableau = Tableau { start, gamma, pairs, t_inverse, dense, c, inverse, t, largest_between: 0.0 };
        let between = (1..SAMPLES).map(|k| tableau.node_polynomial(k as f64 / SAMPLES as f64).abs());
        tableau.largest_between = between.fold(0.0, f64::max);
        tableau
    }

    /// $\omega(\theta) = \theta \prod_i (\theta - c_i)$.
    pub(crate) fn node_polynomial(&self, theta: f64) -> f64 {
        self.c.iter().fold(theta, |product, c| product * (theta - c))
    }

    /// Number of stages $s$.
    pub(crate) fn stages(&self) -> usize {
        self.c.len()
    }
}

/// The inverse of a matrix; those here are far from singular.
fn inverted(matrix: &Matrix) -> Matrix {
    matrix.inverse().unwrap_or_else(|| Matrix::zeros(matrix.rows(), matrix.columns()))
}

/// $P_s(x) - P_{s-1}(x)$.
fn radau_polynomial(s: usize, x: f64) -> f64 {
    let (mut before, mut value) = (1.0, x);
    for k in 1..s {
        let k = k as f64;
        (before, value) = (value, ((2.0 * k + 1.0) * x * value - k * before) / (k + 1.0));
    }
    value - before
}

/// The nodes, by bisection between sign changes; the last one is known.
fn nodes(stages: usize) -> Vec<f64> {
    let mut nodes = Vec::with_capacity(stages);
    let function = |c: f64| radau_polynomial(stages, 2.0 * c - 1.0);
    // A last interval ends before the node 1.
    for k in 0..GRID - 1 {
        let (mut low, mut high) = (k as f64 / GRID as f64, (k + 1) as f64 / GRID as f64);
        let (at_low, at_high) = (function(low), function(high));
        if at_low * at_high > 0.0 {
            continue;
        }
        for _ in 0..ITERATIONS {
            let middle = 0.5 * (low + high);
            if function(middle) * at_low > 0.0 { low = middle } else { high = middle }
        }
        nodes.push(0.5 * (low + high));
    }
    nodes.push(1.0);
    nodes
}

/// The differentiation matrix $D$.
fn differentiation_matrix(x: &[f64]) -> Matrix {
    let others = |i: usize| (0..x.len()).filter(move |&k| k != i);
    let weight = |j: usize| others(j).map(|k| 1.0 / (x[j] - x[k])).product::<f64>();
    Matrix::from_fn(x.len(), x.len(), |i, j| {
        if i == j { others(i).map(|k| 1.0 / (x[i] - x[k])).sum() } else { weight(j) / weight(i) / (x[i] - x[j]) }
    })
}

/// The real eigenvalue, and those in the upper half plane by ascending imaginary part: all zeros of the polynomial at
/// once by the Durand–Kerner method, $\mu_i \leftarrow \mu_i - p(\mu_i) / \prod_{j \ne i} (\mu_i - \mu_j)$.
fn eigenvalues(stages: usize) -> (f64, Vec<Complex<f64>>) {
    let factorial = |n: usize| (1..=n).map(|k| k as f64).product::<f64>();
    let coefficient = |j: usize| {
        let sign = if (stages - j).is_multiple_of(2) { 1.0 } else { -1.0 };
        sign * stages as f64 * factorial(2 * stages - 1 - j) / (factorial(j) * factorial(stages - j))
    };
    let coefficients: Vec<f64> = (0..=stages).map(coefficient).collect();
    let value = |z: Complex<f64>| coefficients.iter().rev().fold(Complex::from(0.0), |sum, c| sum * z + c);
    // On a circle about the mean of the zeros, and not symmetric about the real axis.
    let start = |k: usize| {
        let angle = std::f64::consts::TAU * k as f64 / stages as f64 + 0.4;
        Complex::from(stages as f64) + Complex::from_polar(stages as f64, angle)
    };
    let mut zeros: Vec<Complex<f64>> = (0..stages).map(start).collect();
    for _ in 0..ITERATIONS {
        for i in 0..stages {
            let product: Complex<f64> = (0..stages).filter(|&j| j != i).map(|j| zeros[i] - zeros[j]).product();
            let correction = value(zeros[i]) / product;
            zeros[i] -= correction;
        }
    }
    zeros.sort_by(|a, b| a.im.abs().total_cmp(&b.im.abs()));
    let mut pairs: Vec<Complex<f64>> = zeros[1..].iter().copied().filter(|zero| zero.im > 0.0).collect();
    pairs.sort_by(|a, b| a.im.total_cmp(&b.im));
    (zeros[0].re, pairs)
}

/// The null vector of $A^{-1} - \mu$ with last component one, from all rows but the last.
fn eigenvector(matrix: &Matrix, eigenvalue: Complex<f64>) -> Vec<Complex<f64>> {
    let s = matrix.rows();
    let entry = |i: usize, j: usize| Complex::from(matrix[(i, j)]) - if i == j { eigenvalue } else { Complex::ZERO };
    let mut system = Lu::new(s - 1);
    for (position, value) in system.matrix_mut().iter_mut().enumerate() {
        *value = entry(position % (s - 1), position / (s - 1));
    }
    let mut vector: Vec<Complex<f64>> = (0..s - 1).map(|i| -entry(i, s - 1)).collect();
    if system.factorize().is_ok() {
        system.solve(&mut vector);
    }
    vector.push(Complex::ONE);
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAGES: [usize; 4] = [1, 3, 5, 7];

    #[test]
    fn inverse_belongs_to_the_collocation_method() {
        for s in STAGES {
            // Simplifying assumption C(s): sum_j a_ij c_j^(k-1) = c_i^k / k, here as A^-1 (c^k / k) = c^(k-1).
            let tableau = Tableau::new(s);
            let powers = |k: i32, divisor: f64| tableau.c.iter().map(|c| c.powi(k) / divisor).collect::<Vec<f64>>();
            for k in 1..=s as i32 {
                let image = tableau.inverse.times(&Matrix::from_column_slice(s, 1, &powers(k, f64::from(k))));
                let expected = powers(k - 1, 1.0);
                assert!(image.as_slice().iter().zip(expected).all(|(image, c)| (image - c).abs() < 1e-13));
            }
            // B(2s - 1): the last row of A integrates polynomials of degree 2s - 2.
            let weights = inverted(&tableau.inverse);
            for k in 1..2 * s as i32 {
                let integral: f64 = weights.row(s - 1).zip(powers(k - 1, 1.0)).map(|(b, c)| b * c).sum();
                assert!((integral - 1.0 / f64::from(k)).abs() < 1e-14, "{s} {k}");
            }
        }
    }

    #[test]
    fn transformation_makes_the_matrix_block_diagonal() {
        for s in STAGES {
            let Tableau { inverse, gamma, pairs, t, t_inverse, .. } = Tableau::new(s);
            let mut blocks = Matrix::zeros(s, s);
            blocks[(0, 0)] = gamma;
            for (k, pair) in pairs.iter().enumerate() {
                let (i, j) = (2 * k + 1, 2 * k + 2);
                (blocks[(i, i)], blocks[(i, j)], blocks[(j, i)], blocks[(j, j)]) =
                    (pair.re, -pair.im, pair.im, pair.re);
            }
            let product = t_inverse.times(&inverse).times(&t);
            let error =
                product.as_slice().iter().zip(blocks.as_slice()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error < 1e-11, "{s}: {error:e}");
        }
    }

    /// For order 5, the numbers of radau5.f, which normalises the real eigenvector differently; for 9 and 13, those of radau.f.
    #[test]
    fn numbers_are_those_of_the_codes_of_hairer_and_wanner() {
        let Tableau { c, gamma, t, start, .. } = Tableau::new(3);
        let root6 = 6f64.sqrt();
        assert!((c[0] - (4.0 - root6) / 10.0).abs() < 1e-15 && (c[1] - (4.0 + root6) / 10.0).abs() < 1e-15);
        assert!((gamma - 3.637834252744496).abs() < 1e-14);
        assert!((t[(0, 0)] - 9.123_239_487_089_295e-2 / 0.966_048_182_615_093).abs() < 1e-14);
        assert!((t[(1, 2)] - 0.382_942_112_757_261_9).abs() < 1e-14);
        let published = [(13.0 + 7.0 * root6) / 3.0, (13.0 - 7.0 * root6) / 3.0, 1.0 / 3.0];
        assert!(start.iter().zip(published).all(|(d, e)| (d - e).abs() < 1e-14));

        let Tableau { c, gamma, start, .. } = Tableau::new(5);
        assert!((c[0] - 0.571_041_961_145_176_8e-1).abs() < 1e-15, "{}", c[0]);
        assert!((gamma - 6.286_704_751_729_277).abs() < 1e-13, "{gamma}");
        assert!((start[0] - 27.780_933_944_064_637).abs() < 1e-10 && (start[4] - 0.2).abs() < 1e-14, "{start:?}");

        let Tableau { c, gamma, start, .. } = Tableau::new(7);
        assert!((c[0] - 0.293_164_271_597_849e-1).abs() < 1e-15, "{}", c[0]);
        assert!((gamma - 8.936_832_788_405_216).abs() < 1e-12, "{gamma}");
        assert!((start[6] - 1.0 / 7.0).abs() < 1e-13, "{start:?}");
    }
}
