//! Manifolds on which a matrix Lie group acts from the left, and what a method has to know of them.
//!
//! In: a group or a manifold of a caller, as an implementation of [`HomogeneousSpace`]. Out: the contract between
//! spaces and methods. Source: Hairer (2011), section II.4; for manifolds that are not groups, H. Munthe-Kaas, *High
//! order Runge–Kutta methods on manifolds*, Appl. Numer. Math. 29 (1999).

use nalgebra::SMatrix;

/// A matrix of `R` rows and `C` columns, whose size is part of its type.
pub type Matrix<const R: usize, const C: usize> = SMatrix<f64, R, C>;

/// What is called rounding error: start values may be off the manifold, and $A$ off the Lie algebra, by this much,
/// relative to their entries.
pub const ROUNDING: f64 = 1e-12;

/// A manifold $\mathcal{M}$ of $N \times K$ matrices, on which a group $G$ of $N \times N$ matrices acts by
/// multiplication from the left.
///
/// Solutions of $Y' = A(t, Y)\\, Y$ stay on it if $A$ is in the Lie algebra $\mathfrak{g}$ of $G$ (Hairer 2011, theorem
/// II.4.4). For a group itself, $\mathcal{M} = G$ and $K = N$. For vectors of length one, $\mathcal{M}$ is a sphere,
/// $K = 1$ and $G = SO(N)$.
///
/// A group of the caller is a type with these five methods:
///
/// ```
/// use dae_runtime::lie::{HomogeneousSpace, Matrix, matrix_exponential};
///
/// /// Upper triangular matrices with ones on the diagonal.
/// struct Heisenberg;
///
/// impl HomogeneousSpace<3, 3> for Heisenberg {
///     fn name(&self) -> String {
///         "the Heisenberg group".into()
///     }
///     fn defect(&self, y: &Matrix<3, 3>) -> f64 {
///         self.algebra_defect(&(y - Matrix::identity()))
///     }
///     fn algebra_defect(&self, a: &Matrix<3, 3>) -> f64 {
///         (a - a.upper_triangle()).amax().max(a.diagonal().amax())
///     }
///     fn exp(&self, omega: &Matrix<3, 3>) -> Matrix<3, 3> {
///         matrix_exponential(omega)
///     }
///     fn project(&self, y: &Matrix<3, 3>) -> Option<Matrix<3, 3>> {
///         let mut projected = y.upper_triangle();
///         projected.set_diagonal(&Matrix::<3, 1>::repeat(1.0));
///         Some(projected)
///     }
/// }
/// ```
pub trait HomogeneousSpace<const N: usize, const K: usize> {
    /// The name in messages, `SO(3)` for instance.
    fn name(&self) -> String;

    /// How far `y` is from $\mathcal{M}$: zero on it, and at the level of rounding errors if only those separate them,
    /// however large the entries of `y` are.
    fn defect(&self, y: &Matrix<N, K>) -> f64;

    /// How far `a` is from $\mathfrak{g}$, in units of the entries of `a`.
    fn algebra_defect(&self, a: &Matrix<N, N>) -> f64;

    /// The exponential $\exp(\Omega) \in G$ of $\Omega \in \mathfrak{g}$, with finite entries of moderate size.
    fn exp(&self, omega: &Matrix<N, N>) -> Matrix<N, N>;

    /// A point of $\mathcal{M}$ near `y`, whose distance to `y` is at most a constant times that of `y` to
    /// $\mathcal{M}$; `None` if `y` is too far away. Without an implementation there is none, and
    /// [`Projected`](crate::lie::Projected) methods end with an error.
    fn project(&self, _y: &Matrix<N, K>) -> Option<Matrix<N, K>> {
        None
    }
}

/// Row and column of an entry that is not finite.
pub(super) fn non_finite<const R: usize, const C: usize>(a: &Matrix<R, C>) -> Option<(usize, usize)> {
    let place = a.iter().position(|entry| !entry.is_finite())?;
    Some((place % R, place / R))
}

/// Whether `value` is not known to be at most `bound`: what is not a number is not.
pub(super) fn exceeds(value: f64, bound: f64) -> bool {
    value.is_nan() || value > bound
}
