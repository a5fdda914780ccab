//! Coefficients of half-explicit Runge–Kutta methods.
//!
//! In: nothing. Out: an explicit method, and for each stage after the first a second combination of derivatives, which
//! has to satisfy the constraints. Stages are counted from 0.
//!
//! Sources: M. Arnold, *Half-explicit Runge–Kutta methods with explicit stages for differential-algebraic systems of
//! index 2*, BIT 38 (1998); A. Murua, *Partitioned half-explicit Runge–Kutta methods for differential-algebraic systems
//! of index 2*, Computing 59 (1997); order conditions for one combination: V. Brasey, E. Hairer, *Half-explicit
//! Runge–Kutta methods for differential-algebraic systems of index 2*, SIAM J. Numer. Anal. 30 (1993).
//!
//! # How the second combinations follow
//!
//! Let $\delta_i$ be the difference of the algebraic unknowns at stage $i$ from those that the hidden constraint
//! determines at $Y_i$; by the choice of the first stage $\delta_1 = 0$. As long as all $\delta_i$ vanish, the method is
//! the explicit one for the underlying equation $y' = F(y)$, on which $g$ is constant, so that $\bar Y_i$ satisfies
//! $g = 0$ up to the errors of $\bar a_i$ as a quadrature formula over $[0, \bar c_i]$. Hence with $f_z$, $g_y$ at the
//! start of the step
//!
//! $$ g_y f_z \sum_j \bar a_{ij} \delta_j = -\bigl(\text{first error terms of } \bar a_i\bigr), $$
//!
//! and by the weights as the last of these combinations $\sum_i b_i \delta_i = 0$.
//!
//! *Order 4*, with an explicit method of four stages. If $\sum_j \bar a_{ij} c_j = \bar c_i^2/2$, then $\delta_i =
//! h^2 d_i$. The order is 4 if $\sum_i b_i (1 - c_i) d_i = 0$; here $d$ belongs to the trees of $F'' (F, F)$ and of
//! $F' F' F$, and the conditions for both say the same, since the explicit method satisfies the condition with
//! $q_i = \sum_j a_{ij} c_j - c_i^2/2$ in place of $d_i$. For the tree of $F'F'F$, $\sum_j \bar a_{ij} (q_j + c_j^2/2 +
//! d_j) = \bar c_i^3/6$; with $\bar c_2$ and $\bar c_3$ chosen, that and the two conditions on $\bar a_3$ determine it.
//!
//! *Order 5*, with an explicit method that satisfies $\sum_j a_{ij} c_j^k = c_i^{k+1}/(k+1)$, $k = 1, 2$, except for the
//! second stage, and the usual simplifying conditions there ($b_2 = \sum_i b_i c_i a_{i2} = 0$,
//! $\sum_i b_i a_{ij} = b_j (1 - c_j)$). If $\sum_j \bar a_{ij} c_j^k = \bar c_i^{k+1}/(k+1)$, $k = 1, 2$, and
//! $\bar a_{i2} = 0$ for $i > 2$, then $\delta_i = h^3 d_i$ for $i > 2$, and the order is 5 if
//! $\sum_i b_i (1 - c_i) d_i = 0$. The error terms from the second stage give $d_i = -a_{i2}$, which satisfies this;
//! those of quadrature
//!
//! $$ \sum_j \bar a_{ij} (c_j^3 + d_j) = \bar c_i^4/4, \qquad \sum_j b_j (c_j^3 + d_j) = 1/4 . $$
//!
//! For $i = 3$ all coefficients are determined; $\bar c_4$ and $\bar c_5$ may be chosen, and are such that all $d_i$ are
//! small and all coefficients positive.

use crate::methods::runge_kutta::tableau::{Combination, Control, DOPRI5, Estimate, Tableau};

/// A half-explicit Runge–Kutta method.
#[derive(Debug)]
pub(crate) struct HalfExplicit {
    /// Name in messages.
    pub(crate) name: &'static str,
    /// The explicit method for the differential unknowns, with its error estimate and dense output.
    pub(super) explicit: &'static Tableau,
    /// Nodes $\bar c_i$ and rows $\bar a_i$ for the stages after the first; the last row is that of the weights.
    pub(super) constrained_c: &'static [f64],
    pub(super) constrained_a: &'static [Combination],
}

/// Kutta's 3/8 rule; the error estimate is the difference from the method of order 3 that also uses the derivative at
/// the end (Hairer, Nørsett & Wanner I, (II.4.9)).
static KUTTA: Tableau = Tableau {
    name: "Kutta's method",
    order: 4,
    c: &[0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0],
    a: &[&[(0, 1.0 / 3.0)], &[(0, -1.0 / 3.0), (1, 1.0)], &[(0, 1.0), (1, -1.0), (2, 1.0)]],
    b: &[(0, 1.0 / 8.0), (1, 3.0 / 8.0), (2, 3.0 / 8.0), (3, 1.0 / 8.0)],
    error: Estimate::Embedded(&[(0, 1.0 / 24.0), (1, -1.0 / 8.0), (2, 1.0 / 8.0), (3, 1.0 / 8.0), (4, -1.0 / 6.0)]),
    c_of_output: &[],
    a_of_output: &[],
    output: &[],
    control: Control { alpha: 1.0 / 4.0 - 0.75 * 0.04, beta: 0.04, range: (0.2, 10.0) },
};

/// Half-explicit method of order 4.
pub(crate) static HEM4: HalfExplicit = HalfExplicit {
    name: "HEM4",
    explicit: &KUTTA,
    constrained_c: &[1.0 / 2.0, 1.0, 1.0],
    constrained_a: &[
        &[(0, 1.0 / 8.0), (1, 3.0 / 8.0)],
        &[(0, 1.0 / 4.0), (2, 3.0 / 4.0)],
        &[(0, 1.0 / 8.0), (1, 3.0 / 8.0), (2, 3.0 / 8.0), (3, 1.0 / 8.0)],
    ],
};

/// Half-explicit method of order 5, on the basis of DOPRI5.
pub(crate) static HEM5: HalfExplicit = HalfExplicit {
    name: "HEM5",
    explicit: &DOPRI5,
    constrained_c: &[3.0 / 10.0, 9.0 / 20.0, 19.0 / 20.0, 1.0, 1.0],
    constrained_a: &[
        &[(0, 3.0 / 40.0), (1, 9.0 / 40.0)],
        &[(0, 9.0 / 80.0), (2, 27.0 / 80.0)],
        &[(0, 209.0 / 2880.0), (2, 361.0 / 720.0), (3, 361.0 / 960.0)],
        &[(0, 79.0 / 1152.0), (2, 245.0 / 477.0), (3, 55.0 / 192.0), (4, 891.0 / 6784.0)],
        &[(0, 35.0 / 384.0), (2, 500.0 / 1113.0), (3, 125.0 / 192.0), (4, -2187.0 / 6784.0), (5, 11.0 / 84.0)],
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(row: Combination, factor: impl Fn(usize) -> f64) -> f64 {
        row.iter().map(|&(stage, coefficient)| coefficient * factor(stage)).sum()
    }

    /// Solves $\sum_j \bar a_{ij} D_j$ = `right(i)` for the stages whose rows do not contain earlier unknown ones.
    fn solve(it: &HalfExplicit, first: usize, right: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut d = vec![0.0; it.explicit.stages()];
        for stage in first..d.len() {
            let row = it.constrained_a[stage - 1];
            let (_, diagonal) = row.iter().find(|(k, _)| *k == stage).copied().unwrap();
            let known = sum(row, |k| if k < stage { d[k] } else { 0.0 });
            d[stage] = (right(stage) - known) / diagonal;
        }
        d
    }

    #[test]
    fn constraints_are_combined_as_the_order_requires() {
        for (it, first) in [(&HEM4, 1), (&HEM5, 2)] {
            let Tableau { c, a, b, order, .. } = *it.explicit;
            let condition = |name: &str, value: f64, expected: f64| {
                assert!((value - expected).abs() < 1e-14, "{} {name}: {value} {expected}", it.name);
            };
            assert_eq!(it.constrained_a.last().unwrap(), &b);
            let row = |stage: usize| (it.constrained_a[stage - 1], it.constrained_c[stage - 1]);
            for stage in 1..c.len() {
                let (row, node) = row(stage);
                // The second stage of a method of order 5 satisfies one condition less.
                for power in 0..if stage >= first { order - 2 } else { order - 3 } {
                    let k = power as i32;
                    condition("quadrature", sum(row, |j| c[j].powi(k)), node.powi(k + 1) / f64::from(k + 1));
                }
                assert!(stage < first || first == 1 || row.iter().all(|(k, _)| *k != 1), "no second stage");
            }
            // $c_j^{p-2} + d_j$ of quadrature, and its weighted sum with $b_j (1 - c_j)$.
            let power = order as i32 - 2;
            let with_d = solve(it, first, |stage| row(stage).1.powi(power + 1) / f64::from(power + 1));
            let d = |j: usize| if j < first { 0.0 } else { with_d[j] - c[j].powi(power) };
            condition("quadrature in d", sum(b, |j| (1.0 - c[j]) * d(j)), 0.0);
            condition("weights in d", sum(b, d), 0.0);
            // The same for the tree with one more level.
            let inner = |stage: usize, k: i32| if stage == 0 { 0.0 } else { sum(a[stage - 1], |j| c[j].powi(k)) };
            let inner_k = power - 1;
            let factor = 1.0 / f64::from(power * (power + 1));
            let with_d = solve(it, first, |stage| factor * row(stage).1.powi(power + 1));
            let d = |j: usize| if j < first { 0.0 } else { with_d[j] - inner(j, inner_k) };
            condition("next level in d", sum(b, |j| (1.0 - c[j]) * d(j)), 0.0);
            // That from the second stage.
            let second = |j: usize| if j == 0 { 0.0 } else { sum(a[j - 1], |k| if k == 1 { 1.0 } else { 0.0 }) };
            if order == 5 {
                condition("second stage", sum(b, |j| (1.0 - c[j]) * second(j)), 0.0);
            }
        }
    }
}
