//! Constrained mechanical systems on a Lie group.
//!
//! In: a system of the caller, as an implementation of [`MechanicalSystem`]. Out: accelerations and multipliers at a
//! consistent state, and solutions of the linear systems of a step. Source: M. Arnold, O. Brüls & A. Cardona, *Error
//! analysis of generalized-α Lie group time integration methods for constrained mechanical systems*, Numer. Math. 129
//! (2015).

use crate::lie::mechanics::configuration::{ConfigurationSpace, Vector};
use crate::lie::mechanics::error::MechanicsError;
use crate::lie::space::Matrix;

/// The configuration of a system.
pub type PointOf<Y, const K: usize, const M: usize> =
    <<Y as MechanicalSystem<K, M>>::Space as ConfigurationSpace<K>>::Point;

/// The equations of motion of index 3, with $K$ velocities and $M$ constraints ($M = 0$ for none),
/// $$\dot q = q\\,\tilde v, \qquad M(q)\\,\dot v = -g(q, v, t) - B(q)^\mathsf{T} \lambda, \qquad \Phi(q) = 0,$$
/// where $B$ is the gradient of the constraints: $\frac{\mathrm{d}}{\mathrm{d}t}\Phi(q) = B(q)\\,v$. $M$ is symmetric
/// and positive definite, and $B$ has full rank.
///
/// The derivatives `stiffness` and `damping` are those of Newton's iteration, which converges quadratically if they are
/// exact; the solution does not depend on them.
pub trait MechanicalSystem<const K: usize, const M: usize> {
    /// The group of configurations.
    type Space: ConfigurationSpace<K>;

    /// The group of configurations.
    fn space(&self) -> &Self::Space;

    /// $M(q)$.
    fn mass(&self, q: &PointOf<Self, K, M>) -> Matrix<K, K>;

    /// $g(q, v, t)$: internal, inertial and applied forces, with the sign of a force on the left-hand side.
    fn force(&self, t: f64, q: &PointOf<Self, K, M>, v: &Vector<K>) -> Vector<K>;

    /// $\Phi(q)$.
    fn constraint(&self, q: &PointOf<Self, K, M>) -> Vector<M>;

    /// $B(q)$.
    fn gradient(&self, q: &PointOf<Self, K, M>) -> Matrix<M, K>;

    /// $\dot B v$, so that $\ddot\Phi = B \dot v + \dot B v$: the derivative of $B(q)\\,v$ along $\dot q = q\\,\tilde
    /// v$ at a fixed $v$. It is used at the start only.
    fn curvature(&self, q: &PointOf<Self, K, M>, v: &Vector<K>) -> Vector<M>;

    /// The derivative of $M(q)\\,\dot v + g(q, v, t) + B(q)^\mathsf{T}\lambda$ with respect to $q$: the matrix $K_t$
    /// for which that along $q \circ \exp(\epsilon\tilde w)$ at $\epsilon = 0$ is $K_t w$.
    fn stiffness(
        &self,
        t: f64,
        q: &PointOf<Self, K, M>,
        v: &Vector<K>,
        acceleration: &Vector<K>,
        lambda: &Vector<M>,
    ) -> Matrix<K, K>;

    /// $\partial g / \partial v$.
    fn damping(&self, t: f64, q: &PointOf<Self, K, M>, v: &Vector<K>) -> Matrix<K, K>;
}

/// $\dot v$ and $\lambda$ at a state that satisfies $\Phi = 0$ and $Bv = 0$.
pub(super) fn accelerations<Y: MechanicalSystem<K, M>, const K: usize, const M: usize>(
    system: &Y,
    t: f64,
    q: &PointOf<Y, K, M>,
    v: &Vector<K>,
) -> Result<(Vector<K>, Vector<M>), MechanicsError> {
    let b = system.gradient(q);
    SaddlePoint { s: &system.mass(q), b: &b, c: &b, t }.solve(&system.force(t, q, v), &system.curvature(q, v))
}

/// The matrix $\begin{pmatrix} S & B^\mathsf{T} \\\\ C & 0 \end{pmatrix}$ at time $t$.
pub(super) struct SaddlePoint<'a, const K: usize, const M: usize> {
    pub(super) s: &'a Matrix<K, K>,
    pub(super) b: &'a Matrix<M, K>,
    pub(super) c: &'a Matrix<M, K>,
    pub(super) t: f64,
}

/// A condition number above which linear equations are called dependent.
const LARGEST_CONDITION: f64 = 1e14;

impl<const K: usize, const M: usize> SaddlePoint<'_, K, M> {
    /// $(x, \mu)$ with $S x + B^\mathsf{T} \mu = -r$ and $C x = -\phi$, by elimination of $x$: as $S$ grows like
    /// $h^{-2}$ and $S^{-1}$ falls, neither block is badly scaled.
    pub(super) fn solve(&self, r: &Vector<K>, phi: &Vector<M>) -> Result<(Vector<K>, Vector<M>), MechanicsError> {
        let t = self.t;
        let is_finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        let matrices = [self.s.as_slice(), self.b.as_slice(), self.c.as_slice()];
        if !(is_finite(r.as_slice()) && is_finite(phi.as_slice()) && matrices.into_iter().all(is_finite)) {
            return Err(MechanicsError::NonFinite { t });
        }
        let inverse = inverse(self.s).ok_or(MechanicsError::SingularMass { t })?;
        let by_b = inverse * self.b.transpose();
        let mu = if M == 0 {
            Vector::zeros()
        } else {
            let schur = self::inverse(&(self.c * by_b)).ok_or(MechanicsError::DependentConstraints { t })?;
            schur * (phi - self.c * (inverse * r))
        };
        Ok((-(inverse * r + by_b * mu), mu))
    }
}

/// The inverse of a matrix that is well conditioned.
fn inverse<const K: usize>(a: &Matrix<K, K>) -> Option<Matrix<K, K>> {
    let norm = |a: &Matrix<K, K>| a.column_iter().map(|column| column.lp_norm(1)).fold(0.0, f64::max);
    a.try_inverse().filter(|inverse| norm(a) * norm(inverse) <= LARGEST_CONDITION)
}
