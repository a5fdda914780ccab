//! Several rigid bodies.
//!
//! In: the configuration space of one body. Out: that of several, whose velocities stand one after the other.

use crate::lie::mechanics::configuration::{ConfigurationSpace, Vector};

/// The product of `COUNT` copies of a space of dimension six, of dimension $K = 6 \cdot$ `COUNT`; with another $K$ it
/// does not compile. The velocities of the first body come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bodies<S, const COUNT: usize>(pub S);

impl<S: ConfigurationSpace<6>, const COUNT: usize, const K: usize> ConfigurationSpace<K> for Bodies<S, COUNT> {
    type Point = [S::Point; COUNT];

    fn advance(&self, q: &Self::Point, delta: &Vector<K>) -> Self::Point {
        const { assert!(K == 6 * COUNT, "a body has six velocities") }
        std::array::from_fn(|body| self.0.advance(&q[body], &part(delta, body)))
    }

    fn bracket(&self, v: &Vector<K>, w: &Vector<K>) -> Vector<K> {
        let mut bracket = Vector::<K>::zeros();
        for body in 0..COUNT {
            bracket.fixed_rows_mut::<6>(6 * body).copy_from(&self.0.bracket(&part(v, body), &part(w, body)));
        }
        bracket
    }

    fn defect(&self, q: &Self::Point) -> f64 {
        q.iter().map(|q| self.0.defect(q)).fold(0.0, f64::max)
    }
}

/// The velocities of one body.
fn part<const K: usize>(v: &Vector<K>, body: usize) -> Vector<6> {
    v.fixed_rows::<6>(6 * body).into_owned()
}
