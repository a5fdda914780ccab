//! Coefficients of partitioned Runge–Kutta methods for constrained Hamiltonian systems, and of compositions.
//!
//! In: nothing. Out: [`Pair`]s of tableaux, one for positions and one for momenta, and the steps of compositions.

/// A pair of tableaux: $q$ by $a$, $p$ by $\hat a$. Constraints hold after steps with the weights `constrained`, one
/// row for each multiplier; the last row leads to the positions at the end of the step, $\hat b$ to the momenta before
/// their projection.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) of_positions: Vec<Vec<f64>>,
    pub(super) of_momenta: Vec<Vec<f64>>,
    pub(super) constrained: Vec<Vec<f64>>,
    pub(super) end_of_momenta: Vec<f64>,
}

impl Pair {
    /// Number of stages.
    pub(super) fn stages(&self) -> usize {
        self.end_of_momenta.len()
    }

    /// The symplectic Euler method: explicit in the positions, implicit in the momenta.
    pub(super) fn symplectic_euler() -> Self {
        let one = || vec![vec![1.0]];
        Pair { of_positions: vec![vec![0.0]], of_momenta: one(), constrained: one(), end_of_momenta: vec![1.0] }
    }

    /// Lobatto IIIA for positions, IIIB for momenta, with these nodes (Hairer, Lubich & Wanner, *Geometric Numerical
    /// Integration*, sections II.1.4 and VII.1.4; L. O. Jay, SIAM J. Numer. Anal. 33 (1996) 368): order $2s - 2$. With
    /// two nodes, this is RATTLE.
    pub(super) fn lobatto(nodes: &[f64]) -> Self {
        let a = collocation(nodes);
        let b = a.last().cloned().unwrap_or_default();
        // The conditions for symplecticity, (VI.4.3) there, with the weights of IIIA for both.
        let of_momenta = |i: usize| (0..b.len()).map(|j| b[j] * (1.0 - a[j][i] / b[i])).collect();
        Pair {
            of_momenta: (0..b.len()).map(of_momenta).collect(),
            constrained: a[1..].to_vec(),
            of_positions: a,
            end_of_momenta: b,
        }
    }
}

/// The coefficients $a_{ij} = \int_0^{c_i} \ell_j$ of collocation with these nodes.
fn collocation(nodes: &[f64]) -> Vec<Vec<f64>> {
    let integral = |j: usize, end: f64| {
        // The coefficients of the Lagrange polynomial, lowest first.
        let mut polynomial = vec![1.0];
        for (k, &node) in nodes.iter().enumerate().filter(|&(k, _)| k != j) {
            let _ = k;
            let scale = 1.0 / (nodes[j] - node);
            polynomial.push(0.0);
            for i in (0..polynomial.len()).rev() {
                let lower = if i > 0 { polynomial[i - 1] } else { 0.0 };
                polynomial[i] = scale * (lower - node * polynomial[i]);
            }
        }
        polynomial.iter().enumerate().rev().fold(0.0, |sum, (i, c)| (sum + c / (i + 1) as f64) * end)
    };
    nodes.iter().map(|&end| (0..nodes.len()).map(|j| integral(j, end)).collect()).collect()
}

/// The nodes of the Lobatto formulas of order 4.
pub(super) const THREE_NODES: [f64; 3] = [0.0, 0.5, 1.0];

/// Symmetric compositions $\Phi_{\gamma_s h} \circ \dots \circ \Phi_{\gamma_1 h}$ of a symmetric method of order 2: the
/// first half of the factors, and the one in the middle, which makes their sum 1.
///
/// Order 4: M. Suzuki, Phys. Lett. A 146 (1990) 319. Orders 6 and 8: W. Kahan & R.-C. Li, Math. Comput. 66 (1997) 1089.
/// See Hairer, Lubich & Wanner, *Geometric Numerical Integration*, section V.3.2.
pub(super) fn composition(order: usize) -> Vec<f64> {
    let suzuki = 1.0 / (4.0 - 4.0_f64.cbrt());
    let half: &[f64] = match order {
        4 => &[suzuki, suzuki],
        6 => &[0.392_161_444_007_314_1, 0.332_599_136_789_359_43, -0.706_246_172_557_639_3, 0.082_213_596_293_550_8],
        8 => &[
            0.130_202_483_088_890_07,
            0.561_162_981_775_108_4,
            -0.389_474_962_644_847_27,
            0.158_841_906_555_155_6,
            -0.395_903_894_133_237_57,
            0.184_539_640_978_315_7,
            0.258_374_387_686_322_04,
            0.295_011_723_609_310_3,
        ],
        _ => &[],
    };
    let middle = 1.0 - 2.0 * half.iter().sum::<f64>();
    half.iter().copied().chain([middle]).chain(half.iter().rev().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lobatto_coefficients_are_the_published_ones() {
        let Pair { of_positions, of_momenta, .. } = Pair::lobatto(&THREE_NODES);
        let published = [
            [[0.0, 0.0, 0.0], [5.0 / 24.0, 1.0 / 3.0, -1.0 / 24.0], [1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0]],
            [[1.0 / 6.0, -1.0 / 6.0, 0.0], [1.0 / 6.0, 1.0 / 3.0, 0.0], [1.0 / 6.0, 5.0 / 6.0, 0.0]],
        ];
        for (found, published) in [of_positions, of_momenta].iter().zip(&published) {
            for (found, published) in found.iter().flatten().zip(published.iter().flatten()) {
                assert!((found - published).abs() < 1e-15, "{found} {published}");
            }
        }
    }

    /// Hairer, Lubich & Wanner, section V.3.2: sums of odd powers up to the order vanish, except for the first.
    #[test]
    fn odd_powers_of_composition_steps_cancel() {
        for order in [2, 4, 6, 8] {
            let steps = composition(order);
            for power in (1..order as i32).step_by(2) {
                let sum: f64 = steps.iter().map(|step| step.powi(power)).sum();
                assert!((sum - f64::from(power == 1)).abs() < 1e-13, "order {order}: {power} {sum}");
            }
        }
    }
}
