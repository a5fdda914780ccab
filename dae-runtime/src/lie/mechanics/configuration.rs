//! Configuration spaces: vectors, and poses of a rigid body.
//!
//! In: a configuration, velocities in the Lie algebra. Out: the configuration to which they lead. Sources: O. Brüls &
//! A. Cardona, *On the use of Lie group time integrators in multibody dynamics*, J. Comput. Nonlinear Dynam. 5 (2010);
//! Hairer (2011), section III.3 (derivative of the exponential).

use nalgebra::{Matrix3, Vector3};

use crate::lie::exponential::screw;
use crate::lie::groups::SpecialOrthogonal;
use crate::lie::space::{HomogeneousSpace, Matrix};

/// A column of `K` numbers.
pub type Vector<const K: usize> = Matrix<K, 1>;

/// A Lie group of configurations, of dimension $K$, whose Lie algebra is identified with $\mathbb{R}^K$ by $v \mapsto
/// \tilde v$. Velocities are those seen from the moving body: $\dot q = q\\,\tilde v$.
pub trait ConfigurationSpace<const K: usize> {
    /// A configuration.
    type Point: Clone;

    /// $q \circ \exp(\tilde\delta)$.
    fn advance(&self, q: &Self::Point, delta: &Vector<K>) -> Self::Point;

    /// $[v, w]$, the vector of the commutator of $\tilde v$ and $\tilde w$; zero in a vector space.
    fn bracket(&self, v: &Vector<K>, w: &Vector<K>) -> Vector<K>;

    /// How far `q` is from the group: zero in it, at the level of rounding errors if these separate them,
    /// infinite if a number in `q` is not finite.
    fn defect(&self, q: &Self::Point) -> f64;
}

/// The tangent operator
/// $$T(\delta) = \sum_{j \ge 0} \frac{(-1)^j}{(j+1)!}\\,\mathrm{ad}\_\delta^j, \qquad \mathrm{ad}\_\delta w = [\delta,
/// w],$$
/// with which $\exp(\tilde\delta)^{-1}\\,\mathrm{d}\exp(\tilde\delta)$ in a direction $w$ is that of $T(\delta)\\,w$.
/// The series converges for every $\delta$, and is summed until terms are below rounding errors.
pub fn tangent_operator<S: ConfigurationSpace<K> + ?Sized, const K: usize>(
    space: &S,
    delta: &Vector<K>,
) -> Matrix<K, K> {
    let mut ad = Matrix::<K, K>::zeros();
    for k in 0..K {
        let mut unit = Vector::<K>::zeros();
        unit[k] = 1.0;
        ad.set_column(k, &space.bracket(delta, &unit));
    }
    let (mut sum, mut term) = (Matrix::<K, K>::identity(), Matrix::<K, K>::identity());
    // Entries of a step that is worth making are below ten, where fifty terms are enough.
    for j in 1..100_u32 {
        term = term * ad * (-1.0 / f64::from(j + 1));
        sum += term;
        if term.amax() < f64::EPSILON * 1e-2 {
            break;
        }
    }
    sum
}

/// The vector space $\mathbb{R}^K$: $q \circ \exp(\tilde\delta) = q + \delta$.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VectorSpace;

/// Position of the centre of mass, or of another point of a rigid body, and orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The point, in space.
    pub position: Vector3<f64>,
    /// The matrix $R \in SO(3)$ that maps vectors fixed in the body to space.
    pub rotation: Matrix3<f64>,
}

/// $\mathbb{R}^3 \times SO(3)$: velocities $(\dot x, \Omega)$, that of the point in space, and that of rotation in the
/// body: $\dot R = R\\,\hat\Omega$.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct R3TimesSo3;

/// $SE(3)$: velocities $(u, \Omega)$, both in the body: $\dot x = R u$, $\dot R = R\\,\hat\Omega$.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Se3;

impl<const K: usize> ConfigurationSpace<K> for VectorSpace {
    type Point = Vector<K>;

    fn advance(&self, q: &Vector<K>, delta: &Vector<K>) -> Vector<K> {
        q + delta
    }

    fn bracket(&self, _: &Vector<K>, _: &Vector<K>) -> Vector<K> {
        Vector::zeros()
    }

    fn defect(&self, q: &Vector<K>) -> f64 {
        if q.iter().all(|x| x.is_finite()) { 0.0 } else { f64::INFINITY }
    }
}

impl ConfigurationSpace<6> for R3TimesSo3 {
    type Point = Pose;

    fn advance(&self, q: &Pose, delta: &Vector<6>) -> Pose {
        let (shift, turn) = halves(delta);
        Pose { position: q.position + shift, rotation: q.rotation * screw(&turn).0 }
    }

    fn bracket(&self, v: &Vector<6>, w: &Vector<6>) -> Vector<6> {
        joined(&Vector3::zeros(), &halves(v).1.cross(&halves(w).1))
    }

    fn defect(&self, q: &Pose) -> f64 {
        defect(q)
    }
}

impl ConfigurationSpace<6> for Se3 {
    type Point = Pose;

    fn advance(&self, q: &Pose, delta: &Vector<6>) -> Pose {
        let (shift, turn) = halves(delta);
        let (rotation, v) = screw(&turn);
        Pose { position: q.position + q.rotation * (v * shift), rotation: q.rotation * rotation }
    }

    fn bracket(&self, v: &Vector<6>, w: &Vector<6>) -> Vector<6> {
        let ((u, omega), (x, theta)) = (halves(v), halves(w));
        joined(&(omega.cross(&x) - theta.cross(&u)), &omega.cross(&theta))
    }

    fn defect(&self, q: &Pose) -> f64 {
        defect(q)
    }
}

fn defect(q: &Pose) -> f64 {
    let is_finite = q.position.iter().chain(q.rotation.iter()).all(|x| x.is_finite());
    if is_finite { SpecialOrthogonal.defect(&q.rotation) } else { f64::INFINITY }
}

/// The first three and the last three entries.
fn halves(v: &Vector<6>) -> (Vector3<f64>, Vector3<f64>) {
    (v.fixed_rows::<3>(0).into_owned(), v.fixed_rows::<3>(3).into_owned())
}

fn joined(first: &Vector3<f64>, last: &Vector3<f64>) -> Vector<6> {
    Vector::<6>::new(first.x, first.y, first.z, last.x, last.y, last.z)
}
