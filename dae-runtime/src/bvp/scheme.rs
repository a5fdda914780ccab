//! Collocation schemes: nodes, weights, and the polynomials through them.
//!
//! In: the nodes' family and their number $s$. Out: integrals of the Lagrange polynomials of the nodes, and expansions in
//! shifted Legendre polynomials $\tilde P_j(\theta) = P_j(2\theta - 1)$.
//!
//! The nodes of Gauss are the zeros of $\tilde P_s$, those of Radau IIA the zeros of $\tilde P_s - \tilde P_{s-1}$
//! (Hairer & Wanner II, Sect. IV.5). With $K(\theta) = \sum_l K_l L_l(\theta) = \sum_j \kappa_j \tilde P_j(\theta)$,
//!
//! $$ \int_0^\theta \tilde P_0 = \theta, \qquad
//!    \int_0^\theta \tilde P_j = \frac{\tilde P_{j+1}(\theta) - \tilde P_{j-1}(\theta)}{2(2j+1)} \quad (j \ge 1) $$
//!
//! give $a_{il} = \int_0^{c_i} L_l$ and the last coefficient of the collocation polynomial, which measures its error.

use std::f64::consts::PI;
use std::sync::OnceLock;

use crate::linalg::matrix::Matrix;

/// The nodes of a collocation method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nodes {
    /// Gauss: order $2s$ at the ends of intervals, symmetric in time.
    Gauss,
    /// Radau IIA: order $2s - 1$ at the ends of intervals; the last node is the end of the interval.
    Radau,
}

/// Largest number of nodes.
pub(super) const MOST: usize = 9;

/// Iterations of Newton's method for a node, more than it needs.
const ITERATIONS: usize = 50;

/// A collocation scheme on $[0, 1]$.
#[derive(Debug)]
pub(super) struct Scheme {
    /// Nodes $c_i$, ascending.
    pub(super) c: Vec<f64>,
    /// For each node, $a_{il} = \int_0^{c_i} L_l$.
    pub(super) a: Vec<Vec<f64>>,
    /// $A^{-1}$.
    pub(super) a_inverse: Matrix,
    /// $b_l = \int_0^1 L_l$.
    pub(super) b: Vec<f64>,
    /// Row $j$ maps values at the nodes to $\kappa_j$.
    legendre: Matrix,
}

impl Scheme {
    /// The scheme with `stages` nodes, from 1 to [`MOST`]; derived at the first call.
    pub(super) fn of(nodes: Nodes, stages: usize) -> &'static Scheme {
        static DERIVED: [[OnceLock<Scheme>; MOST]; 2] = [const { [const { OnceLock::new() }; MOST] }; 2];
        let family = usize::from(nodes == Nodes::Radau);
        DERIVED[family][stages - 1].get_or_init(|| Scheme::new(nodes, stages))
    }

    fn new(nodes: Nodes, s: usize) -> Scheme {
        let c = zeros(nodes, s);
        let values = Matrix::from_fn(s, s, |i, j| legendre(c[i], j)[j]);
        let identity = || Matrix::identity(s);
        let legendre = values.inverse().unwrap_or_else(identity);
        let mut scheme = Scheme { c, a: Vec::new(), a_inverse: identity(), b: Vec::new(), legendre };
        scheme.a = scheme.c.iter().map(|&c| scheme.integrals(c)).collect();
        scheme.a_inverse = Matrix::from_fn(s, s, |i, l| scheme.a[i][l]).inverse().unwrap_or_else(identity);
        scheme.b = scheme.integrals(1.0);
        scheme
    }

    /// Number of nodes.
    pub(super) fn stages(&self) -> usize {
        self.c.len()
    }

    /// $\int_0^\theta L_l$ for all $l$.
    pub(super) fn integrals(&self, theta: f64) -> Vec<f64> {
        let s = self.stages();
        let p = legendre(theta, s);
        let integral = |j: usize| match j {
            0 => theta,
            _ => (p[j + 1] - p[j - 1]) / (2.0 * (2.0 * j as f64 + 1.0)),
        };
        (0..s).map(|l| (0..s).map(|j| integral(j) * self.legendre[(j, l)]).sum()).collect()
    }

    /// $L_l(\theta)$ for all $l$.
    pub(super) fn values(&self, theta: f64) -> Vec<f64> {
        let s = self.stages();
        let p = legendre(theta, s);
        (0..s).map(|l| (0..s).map(|j| p[j] * self.legendre[(j, l)]).sum()).collect()
    }

    /// Factors by which derivatives at the nodes, times the length of the interval, give the coefficient of $\tilde P_s$
    /// of the collocation polynomial, which has degree $s$.
    pub(super) fn last_coefficient(&self) -> Vec<f64> {
        let s = self.stages();
        let factor = match s {
            1 => 0.5,
            _ => 1.0 / (2.0 * (2.0 * (s as f64 - 1.0) + 1.0)),
        };
        self.legendre.row(s - 1).map(|entry| factor * entry).collect()
    }
}

/// $\tilde P_0, \dots, \tilde P_{s}$, and one more, at $\theta$.
fn legendre(theta: f64, s: usize) -> Vec<f64> {
    let x = 2.0 * theta - 1.0;
    let mut p = vec![1.0, x];
    for k in 1..=s {
        let degree = k as f64;
        p.push(((2.0 * degree + 1.0) * x * p[k] - degree * p[k - 1]) / (degree + 1.0));
    }
    p
}

/// The nodes: zeros by Newton's method, from approximations that separate them.
fn zeros(nodes: Nodes, s: usize) -> Vec<f64> {
    let value = |c: f64| {
        let p = legendre(c, s);
        match nodes {
            Nodes::Gauss => p[s],
            Nodes::Radau => p[s] - p[s - 1],
        }
    };
    let mut found: Vec<f64> = if nodes == Nodes::Radau { vec![1.0] } else { Vec::new() };
    for i in found.len()..s {
        let angle = match nodes {
            Nodes::Gauss => PI * (i as f64 + 0.75) / (s as f64 + 0.5),
            Nodes::Radau => PI * 2.0 * i as f64 / (2.0 * s as f64 - 1.0),
        };
        let mut c = 0.5 * (1.0 + angle.cos());
        for _ in 0..ITERATIONS {
            // Zeros that are known are divided out, so that none is found twice. That the slope is a difference costs
            // iterations, and no accuracy.
            let step = 1e-6;
            let slope = (value(c + step) - value(c - step)) / (2.0 * step);
            let known: f64 = found.iter().map(|zero| 1.0 / (c - zero)).sum();
            let quotient = value(c);
            let change = quotient / (slope - quotient * known);
            c -= change;
            if change.abs() < f64::EPSILON {
                break;
            }
        }
        found.push(c);
    }
    found.sort_by(f64::total_cmp);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_integrated_exactly_up_to_the_order() {
        for s in 1..=MOST {
            for (nodes, order) in [(Nodes::Gauss, 2 * s), (Nodes::Radau, 2 * s - 1)] {
                let scheme = Scheme::of(nodes, s);
                for degree in 0..order {
                    let terms = scheme.b.iter().zip(&scheme.c).map(|(b, c)| b * c.powi(degree as i32));
                    let error = terms.sum::<f64>() - 1.0 / (degree as f64 + 1.0);
                    assert!(error.abs() < 1e-14, "{nodes:?} {s}: {degree} off by {error:e}");
                }
                for degree in 0..s {
                    for theta in [0.0, 0.3, 0.9] {
                        let terms = scheme.integrals(theta).into_iter().zip(&scheme.c);
                        let integral: f64 = terms.map(|(w, c)| w * c.powi(degree as i32)).sum();
                        let exact = f64::powi(theta, degree as i32 + 1) / (degree as f64 + 1.0);
                        assert!((integral - exact).abs() < 1e-13, "{nodes:?} {s}: {degree} at {theta}");
                        let values = scheme.values(theta).into_iter().zip(&scheme.c);
                        let value: f64 = values.map(|(w, c)| w * c.powi(degree as i32)).sum();
                        assert!((value - theta.powi(degree as i32)).abs() < 1e-12);
                    }
                }
            }
        }
    }

    #[test]
    fn the_last_coefficient_is_that_of_the_collocation_polynomial() {
        for s in 1..=MOST {
            let scheme = Scheme::of(Nodes::Gauss, s);
            // The derivative of the shifted Legendre polynomial of degree s, by differences of its exact integral.
            let value = |theta: f64| legendre(theta, s)[s];
            let slope = |theta: f64| {
                let step = 1e-5;
                (value(theta + step) - value(theta - step)) / (2.0 * step)
            };
            let terms = scheme.last_coefficient().into_iter().zip(&scheme.c);
            let coefficient: f64 = terms.map(|(factor, &c)| factor * slope(c)).sum();
            assert!((coefficient - 1.0).abs() < 1e-7, "{s}: {coefficient}");
        }
    }
}
