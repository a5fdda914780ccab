//! Coefficients of Radau IIA of order 5, derived from its nodes.
//!
//! In: the nodes $c = \bigl(\tfrac{4-\sqrt 6}{10}, \tfrac{4+\sqrt 6}{10}, 1\bigr)$. Out: everything a step needs.
//!
//! The stages are values of the collocation polynomial $p$ with $p(0) = 0$, $p(c_i) = Z_i$. Its derivative at the nodes
//! $x = (0, c_1, c_2, c_3)$ is a linear map of its values, the differentiation matrix $D$ of barycentric interpolation,
//!
//! $$ D_{ij} = \frac{w_j}{w_i} \frac{1}{x_i - x_j}, \quad D_{ii} = \sum_{k \ne i} \frac{1}{x_i - x_k}, \quad
//!    w_j = \prod_{k \ne j} \frac{1}{x_j - x_k}. $$
//!
//! Collocation says $Z = h A K$ with $K_i = p'(c_i)/h$, hence $A^{-1}$ is $D$ without the row and the column of the node 0, and
//! the row of the node 0 gives $p'(0)$, from which the error is estimated.
//!
//! The denominator of the stability function is that of the Padé approximation $(2, 3)$ to $e^z$, so the eigenvalues
//! of $A^{-1}$ solve $\mu^3 - 9\mu^2 + 36\mu - 60 = 0$, and with $\mu = 3 + x$: $x^3 + 9x - 6 = 0$. Cardano's formula gives,
//! with $p = 9^{1/3}$ and $q = 3^{1/3}$,
//!
//! $$ \gamma = 3 + p - q, \qquad
//!    \alpha \pm i\beta = 3 - \tfrac12 (p - q) \pm \tfrac{i\sqrt 3}{2} (p + q). $$
//!
//! $T$ consists of the eigenvectors with last component one (real part and minus the imaginary part of the one that
//! belongs to $\alpha + i\beta$), so that $T^{-1} A^{-1} T = \operatorname{diag}\Bigl(\gamma, \begin{pmatrix} \alpha &
//! -\beta \\\\ \beta & \alpha \end{pmatrix}\Bigr)$ as in Hairer & Wanner, section IV.8.

use nalgebra::{Complex, Matrix3, Vector3};

/// The coefficients.
#[derive(Clone, Debug)]
pub(super) struct Tableau {
    /// Nodes.
    pub(super) c: [f64; 3],
    /// $A^{-1}$.
    pub(super) inverse: Matrix3<f64>,
    /// $p'(0) = \sum_i d_i Z_i$.
    pub(super) start: Vector3<f64>,
    /// Real eigenvalue of $A^{-1}$.
    pub(super) gamma: f64,
    /// Complex eigenvalue of $A^{-1}$ in the upper half plane.
    pub(super) alpha_beta: Complex<f64>,
    /// Eigenvectors.
    pub(super) t: Matrix3<f64>,
    /// Their inverse.
    pub(super) t_inverse: Matrix3<f64>,
    /// From $(-Z_3, Z_1 - Z_3, Z_2 - Z_3)$ to the coefficients of $s, s^2, s^3$ of $p(1 + s) - p(1)$.
    pub(super) dense: Matrix3<f64>,
}

impl Tableau {
    pub(super) fn new() -> Self {
        let root6 = 6f64.sqrt();
        let c = [(4.0 - root6) / 10.0, (4.0 + root6) / 10.0, 1.0];
        let d = differentiation_matrix([0.0, c[0], c[1], c[2]]);
        let inverse = Matrix3::from_fn(|i, j| d[i + 1][j + 1]);
        let (root9, root3) = (9f64.cbrt(), 3f64.cbrt());
        let gamma = 3.0 + root9 - root3;
        let alpha_beta = Complex::new(3.0 - (root9 - root3) / 2.0, 3f64.sqrt() / 2.0 * (root9 + root3));
        let real = eigenvector(&inverse, Complex::new(gamma, 0.0)).map(|x| x.re);
        let complex = eigenvector(&inverse, alpha_beta);
        let t = Matrix3::from_columns(&[real, complex.map(|x| x.re), complex.map(|x| -x.im)]);
        let s = Vector3::new(-1.0, c[0] - 1.0, c[1] - 1.0);
        let powers = Matrix3::from_columns(&[s, s.map(|s| s * s), s.map(|s| s * s * s)]);
        Tableau {
            c,
            inverse,
            start: Vector3::new(d[0][1], d[0][2], d[0][3]),
            gamma,
            alpha_beta,
            t,
            t_inverse: invert(&t),
            dense: invert(&powers),
        }
    }
}

/// $D$ for four nodes.
fn differentiation_matrix(x: [f64; 4]) -> [[f64; 4]; 4] {
    let others = |i: usize| (0..4).filter(move |&k| k != i);
    let weight = |j: usize| others(j).map(|k| 1.0 / (x[j] - x[k])).product::<f64>();
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            if i == j { others(i).map(|k| 1.0 / (x[i] - x[k])).sum() } else { weight(j) / weight(i) / (x[i] - x[j]) }
        })
    })
}

/// The null vector of $A^{-1} - \mu$ with last component one: orthogonal to two of its rows.
fn eigenvector(matrix: &Matrix3<f64>, eigenvalue: Complex<f64>) -> Vector3<Complex<f64>> {
    let row = |i: usize| {
        Vector3::from_fn(|j, _| Complex::from(matrix[(i, j)]) - if i == j { eigenvalue } else { Complex::ZERO })
    };
    let vector = row(0).cross(&row(1));
    vector / vector[2]
}

/// Inverse by cross products of the columns.
fn invert(matrix: &Matrix3<f64>) -> Matrix3<f64> {
    let column = |j: usize| matrix.column(j).into_owned();
    let [a, b, c] = [column(0), column(1), column(2)];
    let rows = [b.cross(&c), c.cross(&a), a.cross(&b)].map(|v| v.transpose());
    Matrix3::from_rows(&rows) / a.dot(&b.cross(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_belongs_to_the_collocation_method() {
        // Simplifying assumption C(3): sum_j a_ij c_j^(k-1) = c_i^k / k, here as A^-1 (c^k / k) = c^(k-1).
        let tableau = Tableau::new();
        let c = Vector3::from(tableau.c);
        for k in 1..=3 {
            let image = tableau.inverse * c.map(|c| c.powi(k) / f64::from(k));
            assert!((image - c.map(|c| c.powi(k - 1))).amax() < 1e-14);
        }
        // B(5): the last row of A integrates polynomials of degree 4.
        let weights = invert(&tableau.inverse).row(2).into_owned();
        for k in 1..=5 {
            let integral = weights.dot(&c.map(|c| c.powi(k - 1)).transpose());
            assert!((integral - 1.0 / f64::from(k)).abs() < 1e-15);
        }
    }

    #[test]
    fn transformation_makes_the_matrix_block_diagonal() {
        let Tableau { inverse, gamma, alpha_beta, t, t_inverse, .. } = Tableau::new();
        let (a, b) = (alpha_beta.re, alpha_beta.im);
        let blocks = Matrix3::new(gamma, 0.0, 0.0, 0.0, a, -b, 0.0, b, a);
        assert!((t_inverse * inverse * t - blocks).amax() < 1e-13);
        // The numbers of radau5.f, which normalises the real eigenvector differently.
        assert!((gamma - 3.637834252744496).abs() < 1e-15);
        assert!((t[(0, 0)] - 9.123_239_487_089_295e-2 / 0.966_048_182_615_093).abs() < 1e-14);
        assert!((t[(1, 2)] - 0.382_942_112_757_261_9).abs() < 1e-14);
    }

    #[test]
    fn start_derivative_is_that_of_the_error_estimate_of_radau5() {
        let root6 = 6f64.sqrt();
        let published = Vector3::new(13.0 + 7.0 * root6, 13.0 - 7.0 * root6, 1.0) / 3.0;
        assert!((Tableau::new().start - published).amax() < 1e-14);
    }
}
