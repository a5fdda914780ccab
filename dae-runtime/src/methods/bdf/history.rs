//! Past values as modified divided differences, and the formulas that follow from their spacing.
//!
//! In: accepted values at past times. Out: predictor, fixed-leading-coefficient BDF formula, error constants,
//! dense output.
//!
//! Source: K. R. Jackson, R. Sacks-Davis, *An alternative implementation of variable step-size multistep formulas
//! for stiff ODEs*, ACM TOMS 6 (1980); K. E. Brenan, S. L. Campbell, L. R. Petzold, *Numerical Solution of
//! Initial-Value Problems in DAEs*, Sect. 5.2. With the step to $t_n = t_{n-1} + h$ under way, and indices from zero,
//!
//! $$ \psi_i = t_n - t_{n-1-i}, \qquad \varphi_i = \psi_0 \cdots \psi_{i-1}\\, y[t_n, \dots, t_{n-i}], \qquad
//!    \alpha_i = h/\psi_i, \qquad \beta_i = \prod_{j<i} \psi_j/\psi_j^{\text{old}} . $$
//!
//! The $\varphi_i$ of the last step, scaled by $\beta_i$, are $\varphi_i^\ast$; the predictor through the last $k+1$
//! values has $y^{(0)} = \sum_{i \le k} \varphi_i^\ast$, $y'^{(0)} = \sum_{i \le k} \gamma_i \varphi_i^\ast$ with
//! $\gamma_i = \gamma_{i-1} + \alpha_{i-1}/h$, $\gamma_0 = 0$. The corrector polynomial agrees with that of the
//! predictor at $t_n - h, \dots, t_n - kh$, which gives the same leading coefficient at every step ratio:
//!
//! $$ y_n = y^{(0)} + e, \qquad y_n' = y'^{(0)} + c\\,e, \qquad c = \frac1h \sum_{j=1}^{k} \frac1j . $$

use crate::integrator::stepper::MAX_ORDER;

/// Number of differences kept: those of orders 0 to 5, and one more, by which an order above the current one is judged.
const STORED: usize = MAX_ORDER + 2;

/// Coefficients of one attempted step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Formula {
    pub(super) order: usize,
    /// Signed length of the step.
    pub(super) h: f64,
    psi: [f64; STORED],
    /// $\beta_i$: $\varphi_i^\ast$ is $\beta_i$ times the stored difference.
    pub(super) beta: [f64; STORED],
    gamma: [f64; STORED],
    /// $\sigma_k$: the error of the formula of order $k$ is estimated as $\sigma_k$ times the $(k+1)$st difference.
    pub(super) sigma: [f64; STORED],
    /// $c = \partial y_n'/\partial y_n$.
    pub(super) leading: f64,
    /// The factor of $e$ in the error test: the larger of the constants of the local truncation error and of the
    /// interpolation error.
    pub(super) error_constant: f64,
}

/// Differences of the accepted values.
#[derive(Clone, Debug)]
pub(super) struct History {
    n: usize,
    phi: Vec<f64>,
    psi: [f64; STORED],
    order: usize,
    h: f64,
    /// Accepted steps in a row with this order and step size, counted up to the order plus 2.
    constant_steps: usize,
}

impl History {
    /// Allocates room for the values of `n` unknowns.
    pub(super) fn new(n: usize) -> Self {
        History { n, phi: vec![0.0; STORED * n], psi: [1.0; STORED], order: 0, h: 1.0, constant_steps: 0 }
    }

    /// Takes values at times `h` (signed) apart, the oldest first, for formulas of order `order`. With only `order`
    /// values, the degree of the first predictor is `order - 1`.
    pub(super) fn fill(&mut self, values: &[Vec<f64>], h: f64, order: usize) {
        let (n, count) = (self.n, values.len().min(MAX_ORDER + 1));
        self.phi.fill(0.0);
        for (i, value) in values.iter().rev().take(count).enumerate() {
            self.phi[i * n..(i + 1) * n].copy_from_slice(value);
        }
        // Row i becomes the i-th backward difference, which is what phi_i is at constant step size.
        for level in 1..count {
            for i in (level..count).rev() {
                let (newer, older) = self.phi.split_at_mut(i * n);
                older[..n].iter_mut().zip(&newer[(i - 1) * n..]).for_each(|(older, newer)| *older = newer - *older);
            }
        }
        for (i, psi) in self.psi.iter_mut().enumerate() {
            *psi = (i + 1) as f64 * h;
        }
        (self.order, self.h, self.constant_steps) = (order, h, 0);
    }

    /// $\varphi_i$ of the last accepted step; for `i` one above the order of that step, its $e$.
    pub(super) fn difference(&self, i: usize) -> &[f64] {
        &self.phi[i * self.n..(i + 1) * self.n]
    }

    /// Order of the last accepted step or, before there is one, the order given to [`History::fill`].
    pub(super) fn order(&self) -> usize {
        self.order
    }

    /// Number of successive steps with equal order and step size once the one under way is accepted, counted up to the
    /// order plus 2.
    pub(super) fn constant_steps_with(&self, formula: &Formula) -> usize {
        let same = formula.h == self.h && formula.order == self.order;
        if same { (self.constant_steps + 1).min(formula.order + 2) } else { 1 }
    }

    /// Coefficients of a step of order `order` and signed length `h`.
    pub(super) fn formula(&self, order: usize, h: f64) -> Formula {
        let mut formula = Formula { order, h, ..Formula::default() };
        let mut alpha = [0.0; STORED];
        (formula.psi[0], formula.beta[0], formula.sigma[0], alpha[0]) = (h, 1.0, 1.0, 1.0);
        for i in 1..=order {
            formula.psi[i] = self.psi[i - 1] + h;
            formula.beta[i] = formula.beta[i - 1] * formula.psi[i - 1] / self.psi[i - 1];
            alpha[i] = h / formula.psi[i];
            formula.sigma[i] = i as f64 * formula.sigma[i - 1] * alpha[i];
            formula.gamma[i] = formula.gamma[i - 1] + alpha[i - 1] / h;
        }
        let alpha_s: f64 = -(1..=order).map(|j| 1.0 / j as f64).sum::<f64>();
        let alpha_0: f64 = -alpha[..order].iter().sum::<f64>();
        formula.leading = -alpha_s / h;
        formula.error_constant = (alpha[order] + alpha_s - alpha_0).abs().max(alpha[order]);
        formula
    }

    /// Computes value and derivative of the predictor at the new time.
    pub(super) fn predict(&self, formula: &Formula, y: &mut [f64], yp: &mut [f64]) {
        y.fill(0.0);
        yp.fill(0.0);
        // Differences of high order first, since they tend to be small.
        for i in (0..=formula.order).rev() {
            let (beta, slope) = (formula.beta[i], formula.beta[i] * formula.gamma[i]);
            for (j, phi) in self.difference(i).iter().enumerate() {
                y[j] += beta * phi;
                yp[j] += slope * phi;
            }
        }
    }

    /// Takes in an accepted step whose value is the predictor plus `e`; `y` is this value as reported, without the
    /// rounding errors of the sum.
    pub(super) fn accept(&mut self, formula: &Formula, e: &[f64], y: &[f64]) {
        let (n, order) = (self.n, formula.order);
        self.constant_steps = self.constant_steps_with(formula);
        for i in 1..=order {
            self.phi[i * n..(i + 1) * n].iter_mut().for_each(|phi| *phi *= formula.beta[i]);
        }
        self.phi[(order + 1) * n..(order + 2) * n].copy_from_slice(e);
        for i in (1..=order).rev() {
            let (lower, upper) = self.phi.split_at_mut((i + 1) * n);
            for (phi, next) in lower[i * n..].iter_mut().zip(&upper[..n]) {
                *phi += next;
            }
        }
        self.phi[..n].copy_from_slice(y);
        self.psi[..=order].copy_from_slice(&formula.psi[..=order]);
        (self.order, self.h) = (order, formula.h);
    }

    /// Computes monomial coefficients, in $s = (t - t_n)/h$ with $t_n$ the last time, of the polynomial through the
    /// last values: $y(t) = \sum_i \varphi_i \prod_{j<i} \frac{t - t_n + \psi_{j-1}}{\psi_j}$ with $\psi_{-1} = 0$.
    pub(super) fn monomials(&self, coefficients: &mut [f64]) {
        let n = self.n;
        coefficients.fill(0.0);
        let mut basis = [0.0; STORED];
        basis[0] = 1.0;
        for i in 0..=self.order {
            for k in 0..=i {
                for j in 0..n {
                    coefficients[k * n + j] += basis[k] * self.phi[i * n + j];
                }
            }
            let node = if i == 0 { 0.0 } else { self.psi[i - 1] };
            for k in (0..=i + 1).rev() {
                let below = if k == 0 { 0.0 } else { basis[k - 1] };
                basis[k] = (self.h * below + node * basis[k]) / self.psi[i];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes steps of very different lengths along a polynomial of degree five.
    #[test]
    fn reproduces_polynomials_of_its_degree() {
        let p = |t: f64| 1.0 - t + 2.0 * t.powi(2) - 0.5 * t.powi(3) + 0.1 * t.powi(4) + 0.3 * t.powi(5);
        let dp = |t: f64| -1.0 + 4.0 * t - 1.5 * t.powi(2) + 0.4 * t.powi(3) + 1.5 * t.powi(4);
        let (mut t, mut y, mut yp) = (0.2, [0.0], [0.0]);
        let values: Vec<Vec<f64>> = (0..5).map(|i| vec![p(t - 0.1 * (4 - i) as f64)]).collect();
        let mut history = History::new(1);
        history.fill(&values, 0.1, 5);
        for (attempt, h) in [0.1, 0.13, 0.05, 0.1, 0.1, 0.2, 0.07].into_iter().enumerate() {
            let formula = history.formula(5, h);
            history.predict(&formula, &mut y, &mut yp);
            let e = p(t + h) - y[0];
            if attempt > 0 {
                // Six past values by now: the predictor is exact, and so is the corrector.
                assert!(e.abs() < 1e-13 && (yp[0] - dp(t + h)).abs() < 1e-11, "{e}");
            }
            t += h;
            history.accept(&formula, &[e], &[p(t)]);
            let mut c = [0.0; 6];
            history.monomials(&mut c);
            for s in [-1.0, -0.4, 0.0] {
                let value = c.iter().rev().fold(0.0, |sum, c| sum * s + c);
                assert!((value - p(t + s * h)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn coefficients_at_constant_step_are_those_of_bdf() {
        // BDF2: (3 y_n - 4 y_{n-1} + y_{n-2}) / (2 h); the error is estimated as 1/3 of the third difference.
        let mut history = History::new(1);
        history.fill(&[vec![5.0], vec![2.0]], 0.5, 2);
        let formula = history.formula(2, 0.5);
        let (mut y, mut yp) = ([0.0], [0.0]);
        history.predict(&formula, &mut y, &mut yp);
        let corrected = yp[0] + formula.leading * (7.0 - y[0]);
        assert!((corrected - (3.0 * 7.0 - 4.0 * 2.0 + 5.0) / (2.0 * 0.5)).abs() < 1e-13);
        assert!((formula.error_constant - 1.0 / 3.0).abs() < 1e-15);
    }
}
