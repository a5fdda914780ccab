//! Exponentials of matrices, and skew-symmetric matrices of vectors in $\mathbb{R}^3$.
//!
//! In: matrices of Lie algebras. Out: their exponentials, in closed form for $\mathfrak{so}(2)$, $\mathfrak{so}(3)$ and
//! $\mathfrak{se}(3)$. Sources: Hairer (2011), exercise III.4 (Rodrigues' formula); R. M. Murray, Z. Li & S. S. Sastry,
//! *A Mathematical Introduction to Robotic Manipulation*, CRC Press 1994, eq. (2.36) ($\mathfrak{se}(3)$); N. J.
//! Higham, SIAM J. Matrix Anal. Appl. 26 (2005) (all others).

use nalgebra::{Matrix3, Vector3};

use crate::lie::space::Matrix;

/// The matrix $\hat\omega$ with $\hat\omega x = \omega \times x$.
pub fn hat(omega: &Vector3<f64>) -> Matrix3<f64> {
    omega.cross_matrix()
}

/// The vector $\omega$ of $\hat\omega$, from the skew-symmetric part of `a`.
pub fn vee(a: &Matrix3<f64>) -> Vector3<f64> {
    Vector3::new(a[(2, 1)] - a[(1, 2)], a[(0, 2)] - a[(2, 0)], a[(1, 0)] - a[(0, 1)]) * 0.5
}

/// $\exp(A)$ by Padé approximation with scaling and squaring. Meant for implementations of
/// [`HomogeneousSpace::exp`](crate::lie::HomogeneousSpace::exp); entries that are not finite, or above $10^8$, give a
/// matrix of NaN.
///
/// The diagonal approximation of degree $m$ is $(V - U)^{-1}(V + U) = I + 2(V - U)^{-1} U$ with $V$ and $U$ the even
/// and the odd part of $\sum_j b_j A^j$. It is orthogonal for skew-symmetric $A$, and symplectic if $JA$ is symmetric.
pub fn matrix_exponential<const N: usize>(a: &Matrix<N, N>) -> Matrix<N, N> {
    if !is_moderate(a) {
        return Matrix::repeat(f64::NAN);
    }
    let norm = a.column_iter().map(|column| column.lp_norm(1)).fold(0.0, f64::max);
    let (degree, largest) = PADE.into_iter().find(|(_, largest)| norm <= *largest).unwrap_or(PADE[PADE.len() - 1]);
    let squarings = if norm > largest { (norm / largest).log2().ceil() as i32 } else { 0 };
    let a = a * 0.5_f64.powi(squarings);
    let (squared, mut power) = (a * a, Matrix::<N, N>::identity());
    let (mut even, mut odd) = (power, power * 0.5);
    let mut b = 0.5;
    for j in (2..degree).step_by(2) {
        power *= squared;
        b *= ratio(degree, j);
        even += power * b;
        b *= ratio(degree, j + 1);
        odd += power * b;
    }
    odd = a * odd;
    let Some(inverse) = (even - odd).try_inverse() else { return Matrix::repeat(f64::NAN) };
    let mut exponential = Matrix::identity() + inverse * odd * 2.0;
    for _ in 0..squarings {
        exponential *= exponential;
    }
    exponential
}

/// Degrees of Padé approximations, and the norms up to which their errors are below rounding errors: N. J. Higham, *The
/// scaling and squaring method for the matrix exponential revisited*, SIAM J. Matrix Anal. Appl. 26 (2005), table 2.3.
const PADE: [(u32, f64); 5] = [
    (3, 1.495585217958292e-2),
    (5, 2.53939833006323e-1),
    (7, 9.504178996162932e-1),
    (9, 2.097847961257068),
    (13, 5.371920351148152),
];

/// $b_j / b_{j-1}$ for $b_j = \frac{(2m-j)!\\,m!}{(2m)!\\,(m-j)!\\,j!}$, the coefficients of degree $m$.
fn ratio(degree: u32, j: u32) -> f64 {
    f64::from(degree + 1 - j) / f64::from((2 * degree + 1 - j) * j)
}

/// Whether all entries are finite and small enough for an exponential with digits: that of a rotation by $10^8$ has
/// half of them.
pub(super) fn is_moderate<const N: usize>(a: &Matrix<N, N>) -> bool {
    a.iter().all(|entry| entry.abs() <= 1e8)
}

/// Rodrigues' formula (Hairer 2011, exercise III.4),
/// $$\exp(\Omega) = I + \frac{\sin\alpha}{\alpha}\\,\Omega +
/// \frac12\Bigl(\frac{\sin(\alpha/2)}{\alpha/2}\Bigr)^2\Omega^2, \qquad \alpha^2 = \tfrac12 \lVert\Omega\rVert_F^2,$$
/// for skew-symmetric matrices of at most three rows, where $\Omega^3 = -\alpha^2\Omega$.
pub(super) fn rodrigues<const N: usize>(omega: &Matrix<N, N>) -> Matrix<N, N> {
    let angle = omega.norm() * std::f64::consts::FRAC_1_SQRT_2;
    Matrix::identity() + omega * sinc(angle) + omega * omega * (0.5 * sinc(0.5 * angle).powi(2))
}

/// The rotation $\exp(\hat\omega)$, and $V(\omega) = \int_0^1 \exp(s\hat\omega)\\,ds$, which is $I +
/// \frac{1-\cos\alpha}{\alpha^2}\hat\omega + \frac{\alpha-\sin\alpha}{\alpha^3}\hat\omega^2$ with $\alpha = |\omega|$:
/// the exponential in $SE(3)$ of $(u, \omega)$ turns by the first and shifts by $V u$.
pub(crate) fn screw(omega: &Vector3<f64>) -> (Matrix3<f64>, Matrix3<f64>) {
    let (angle, hat) = (omega.norm(), hat(omega));
    let v = Matrix3::identity() + hat * (0.5 * sinc(0.5 * angle).powi(2)) + hat * hat * third(angle);
    (rodrigues(&hat), v)
}

/// $\sin x / x$.
fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x.sin() / x }
}

/// $(x - \sin x)/x^3 = \frac{1}{3!} - \frac{x^2}{5!} + \dots$, by that series where the difference would lose digits.
fn third(x: f64) -> f64 {
    if x.abs() > 1.0 {
        return (x - x.sin()) / x.powi(3);
    }
    let term = |sum: f64, k: i32| (1.0 - x * x * sum) / f64::from(2 * k * (2 * k + 1));
    (1..=9).rev().fold(0.0, term)
}
