//! Lengths and error tests of steps.
//!
//! In: the structure of a model, tolerances, and series. Out: how far the series lead, and whether the point they lead
//! to agrees with the equations.
//!
//! Tested are all unknowns, and those derivatives $x_j^{(k)}$, $k < d_j$, that the equations of their stage do not
//! determine (the underdetermined part of the coarse decomposition of the stage): everything else follows from these.
//! With the last terms of the series, $m = M - 1$ and $m = M = d_j + p - 1$,
//!
//! $$ h = \min \Big( \mathrm{tol}_{jk} \Big/ \tbinom mk \Big|\frac{x_j^{(m)}}{m!}\Big| \Big)^{1/(m - k)} $$
//!
//! is the length at which neither exceeds the tolerance (Jorba & Zou 2005, sect. 3.2), where $\mathrm{tol}_{jk} =
//! \mathrm{atol}\,\nu_j / k! + \mathrm{rtol}\,|x_j^{(k)} / k!|$ with the nominal value $\nu_j$. That the last terms are
//! small proves nothing about later ones; therefore the predicted point is compared with the point of the constraints to
//! which it is moved, and, at stage 0, its highest derivatives with those that the equations give there: a difference
//! $\delta$ of $x_j^{(d_j)}$ is a defect, and $h \delta / (p + 1)$ the error of $x_j^{(d_j - 1)}$ that it indicates.

use super::contract::{Jets, TaylorDescription};
use super::options::TaylorOptions;
use super::scalar::Scalar;
use super::series::absolute_sums;

/// Differences of this many rounding errors of the sum of a series are not errors of the series.
const ROUNDING: f64 = 1e3;
/// The part of the length at which the last terms reach the tolerance.
const SAFETY: f64 = 0.9;

/// A derivative $x_j^{(k)}$ that is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tested {
    j: usize,
    k: usize,
    /// Whether the equations leave it free, so that errors of it stay.
    is_free: bool,
}

/// The error test of a model.
#[derive(Clone, Debug)]
pub(super) struct Control {
    rtol: f64,
    atol: f64,
    /// $p$.
    pub(super) order: usize,
    /// The tested derivatives $x_j^{(k)}$.
    tested: Vec<Tested>,
    /// The unknowns of which the highest derivative is tested for a defect.
    defects: Vec<usize>,
    /// Of each unknown, relative to its size, by how much prediction and equations differ for rounding errors, as seen
    /// so far. Only for unknowns that the equations determine from others.
    noise: Vec<f64>,
}

/// The largest difference between a predicted point and the equations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Difference {
    /// In units of the tolerance.
    pub(super) error: f64,
    /// The unknown.
    pub(super) unknown: usize,
    /// The difference relative to the size of the unknown, if that is determined anew by the equations.
    relative: Option<f64>,
}

impl Control {
    /// The error test of a model, of which the equations do not determine the derivatives $x_j^{(k)}$ in `free`.
    pub(super) fn new(description: &TaylorDescription, free: &[(usize, usize)], options: &TaylorOptions) -> Control {
        let unknowns = 0..description.unknowns.len();
        let itself = |j| Tested { j, k: 0, is_free: free.contains(&(j, 0)) };
        let derivatives = free.iter().filter(|&&(_, k)| k > 0).map(|&(j, k)| Tested { j, k, is_free: true });
        let defects = free.iter().filter(|&&(j, k)| k + 1 == description.unknowns[j].offset).map(|&(j, _)| j);
        Control {
            rtol: options.rtol,
            atol: options.atol,
            order: options.chosen_order(),
            tested: unknowns.map(itself).chain(derivatives).collect(),
            defects: defects.collect(),
            noise: vec![0.0; description.unknowns.len()],
        }
    }

    /// The tolerance of the coefficient of order $k$ of an unknown, in scaled time.
    fn tolerance(&self, nominal: f64, unit: f64, k: usize, size: f64) -> f64 {
        (1..=k).fold(self.atol * nominal, |absolute, n| absolute * unit / n as f64) + self.rtol * size
    }

    /// The length, in units of the series, at which the last terms reach the tolerance, infinite if they are zero; and
    /// the unknown that does so first.
    pub(super) fn reach<S: Scalar>(&self, description: &TaylorDescription, jets: &Jets<S>) -> (f64, usize) {
        let mut reach = (f64::INFINITY, 0);
        for &Tested { j, k, .. } in &self.tested {
            let unknown = &description.unknowns[j];
            let series = jets.of(j);
            let tolerance = self.tolerance(unknown.nominal, jets.unit, k, series[k].to_f64().abs());
            let end = unknown.offset + self.order - 1;
            for m in end.saturating_sub(1).max(k + 1)..=end {
                let term = binomial(m, k) * series[m].to_f64().abs();
                if term > 0.0 {
                    let length = (tolerance / term).powf(1.0 / (m - k) as f64);
                    reach = if length < reach.0 { (length, j) } else { reach };
                }
            }
        }
        (SAFETY * reach.0, reach.1)
    }

    /// The difference between a predicted point and the point of the equations, in units of the tolerance. `series` are
    /// those from which the prediction was made, $\theta$ away.
    pub(super) fn difference<S: Scalar>(
        &self,
        description: &TaylorDescription,
        (series, theta): (&Jets<S>, f64),
        predicted: &Jets<S>,
        found: &Jets<S>,
    ) -> Difference {
        let mut worst = Difference { error: 0.0, unknown: 0, relative: None };
        let ratio = found.unit / series.unit;
        let mut take = |j: usize, k: usize, factor: f64, tolerance_at: usize, is_free: bool| {
            let unknown = &description.unknowns[j];
            let length = unknown.offset + self.order;
            let mut sums = vec![0.0; k.max(tolerance_at) + 1];
            absolute_sums(&series.of(j)[..length], theta, &mut sums);
            // In units of the new series.
            sums.iter_mut().enumerate().for_each(|(k, sum)| *sum *= ratio.powi(k as i32));
            let difference = (found.of(j)[k] - predicted.of(j)[k]).to_f64().abs();
            let size = found.of(j)[tolerance_at].to_f64().abs().max(predicted.of(j)[tolerance_at].to_f64().abs());
            let rounding = ROUNDING * S::EPSILON * sums[k] + if is_free { 0.0 } else { self.noise[j] * sums[k] };
            let tolerance = self.tolerance(unknown.nominal, found.unit, tolerance_at, size) + factor * rounding;
            let error = factor * difference / tolerance;
            if difference > 0.0 && (error > worst.error || !error.is_finite()) {
                let relative = (!is_free).then(|| difference / sums[k]);
                let error = if error.is_finite() { error } else { f64::INFINITY };
                worst = Difference { error, unknown: j, relative };
            }
        };
        for &Tested { j, k, is_free } in &self.tested {
            take(j, k, 1.0, k, is_free);
        }
        let h = (theta / ratio).abs();
        for &j in &self.defects {
            let d = description.unknowns[j].offset;
            take(j, d, d as f64 * h / (self.order + 1) as f64, d - 1, true);
        }
        worst
    }

    /// Whether two differences, the second after a step of half the length, show rounding errors: errors of series
    /// would have fallen with a power of the length. They are remembered, so that later steps are not halved in vain.
    pub(super) fn is_rounding<S: Scalar>(&mut self, before: Difference, now: Difference) -> bool {
        let is_steady = before.unknown == now.unknown && now.error >= 0.5 * before.error && self.order > 2;
        let limit = S::EPSILON.sqrt();
        match now.relative.filter(|&relative| is_steady && relative < limit) {
            Some(relative) => {
                self.noise[now.unknown] = 2.0 * relative;
                true
            }
            None => false,
        }
    }
}

/// $\binom mk$.
fn binomial(m: usize, k: usize) -> f64 {
    (1..=k).fold(1.0, |product, n| product * (m - k + n) as f64 / n as f64)
}
