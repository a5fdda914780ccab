//! Switching functions along a step.
//!
//! In: an accepted step as a polynomial. Out: the values of the functions at a time, enclosures of them on a part of
//! the step, or the range of samples for those without enclosures, and their changes due to the errors of the unknowns.
//! Times are in units of the step from its end.

use std::iter::successors;

use crate::contract::Dae;
use crate::integrator::polynomial::evaluate;
use crate::integrator::stepper::Stepper;
use crate::interval::{Interval, TaylorModel};

/// Values due to changes of the unknowns by this fraction of their tolerances count as zero.
const NOISE: f64 = 0.1;
/// A function without enclosures is evaluated at the ends of this many equal parts of a step, or of a part of a step.
const LOOKS: (usize, usize) = (8, 2);
/// It is taken to leave the range of these values by no more than this multiple of its width.
const MARGIN: f64 = 2.0;
/// Rounding errors of a polynomial expanded about another point, for each degree, relative to the sum of its coefficients' magnitudes.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The functions, and their values and enclosures where they were last evaluated.
pub(super) struct Functions<'d> {
    pub(super) dae: &'d dyn Dae,
    /// Which of them depend on more than time.
    pub(super) searched: Vec<bool>,
    pub(super) step: StepInterval,
    /// Coefficients of the polynomial, ascending.
    coefficients: Vec<f64>,
    /// Coefficients of the same polynomial about the middle of a part.
    around: Vec<f64>,
    /// Rounding errors of these and of the coefficients of its derivative, for each unknown.
    rounding: Vec<[f64; 2]>,
    y: Vec<TaylorModel>,
    yp: Vec<TaylorModel>,
    /// Taylor models of the functions on a part of the step.
    pub(super) models: Vec<TaylorModel>,
    /// Intervals that contain their values there, where they have enclosures.
    pub(super) enclosures: Vec<Interval>,
    /// Enclosures of the functions under changes of the unknowns that count as noise.
    changes: Vec<TaylorModel>,
    /// The widths of these enclosures.
    pub(super) noise: Vec<f64>,
    /// Which functions have enclosures that are used.
    pub(super) enclosed: Vec<bool>,
    time: f64,
    point: [Vec<f64>; 2],
    pub(super) values: Vec<f64>,
}

impl<'d> Functions<'d> {
    /// The switching functions of a formulation; `None` if none depends on the unknowns.
    pub(super) fn new(dae: &'d dyn Dae) -> Option<Self> {
        let description = dae.description();
        let searched: Vec<bool> = description.switches.iter().map(|switch| !switch.of_time).collect();
        let (n, count) = (description.unknowns.len(), searched.len());
        (n > 0 && searched.contains(&true)).then(|| Functions {
            dae,
            searched,
            step: StepInterval { now: 0.0, length: 0.0 },
            coefficients: Vec::new(),
            around: Vec::new(),
            rounding: vec![[0.0; 2]; n],
            y: vec![TaylorModel::ZERO; n],
            yp: vec![TaylorModel::ZERO; n],
            models: vec![TaylorModel::ENTIRE; count],
            enclosures: vec![Interval::ENTIRE; count],
            changes: vec![TaylorModel::ENTIRE; count],
            noise: vec![0.0; count],
            enclosed: vec![true; count],
            time: 0.0,
            point: [vec![0.0; n], vec![0.0; n]],
            values: vec![0.0; count],
        })
    }

    /// Turns to the last step, which began at `before`.
    pub(super) fn take(&mut self, stepper: &dyn Stepper, before: f64) {
        self.step = StepInterval { now: stepper.time(), length: stepper.time() - before };
        self.coefficients.resize((stepper.dense_degree() + 1) * self.y.len(), 0.0);
        stepper.dense_coefficients(&mut self.coefficients);
        self.enclosed.fill(true);
        let n = self.y.len();
        let degree = stepper.dense_degree() as f64;
        self.rounding.fill([0.0; 2]);
        for (k, coefficients) in self.coefficients.chunks_exact(n).enumerate() {
            for ([value, slope], coefficient) in self.rounding.iter_mut().zip(coefficients) {
                let size = ROUNDING * degree * coefficient.abs();
                *value += size;
                *slope += k as f64 * size / self.step.length.abs();
            }
        }
    }

    /// Computes the unknowns and their derivatives at a time.
    pub(super) fn states(&self, s: f64, y: &mut [f64], yp: &mut [f64]) {
        evaluate(&self.coefficients, s, self.step.length, y, yp);
    }

    /// Treats this function as one without enclosures from now on.
    pub(super) fn give_up(&mut self, k: usize) {
        (self.enclosed[k], self.enclosures[k]) = (false, Interval::ENTIRE);
    }

    /// Whether the enclosures prove that no function has a zero.
    pub(super) fn is_excluded(&self) -> bool {
        self.enclosures.iter().zip(&self.searched).all(|(enclosure, searched)| !searched || enclosure.mignitude() > 0.0)
    }

    /// Whether a function may have a zero in a part.
    pub(super) fn may_vanish(&self, k: usize) -> bool {
        self.searched[k] && self.enclosures[k].mignitude() == 0.0
    }

    /// Computes Taylor models of the polynomial and its derivative on a part of the step, and from these of the functions.
    pub(super) fn enclose(&mut self, [a, b]: [f64; 2]) {
        let (n, middle, radius) = (self.y.len(), 0.5 * (a + b), 0.5 * (b - a));
        self.around.clear();
        self.around.extend_from_slice(&self.coefficients);
        let degree = self.coefficients.len() / n - 1;
        // Horner's scheme, once for each coefficient of the polynomial around the middle.
        for k in 0..degree {
            for j in (k..degree).rev() {
                for i in 0..n {
                    self.around[j * n + i] += middle * self.around[(j + 1) * n + i];
                }
            }
        }
        // In units of half the width of the part.
        let powers = successors(Some(1.0), |power| Some(power * radius));
        for (coefficients, power) in self.around.chunks_exact_mut(n).zip(powers) {
            coefficients.iter_mut().for_each(|coefficient| *coefficient *= power);
        }
        let scale = 1.0 / (radius * self.step.length);
        for i in 0..n {
            let coefficient = |k: usize| self.around[k * n + i];
            let [of_value, of_slope] = self.rounding[i];
            self.y[i] = along(degree + 1, of_value, coefficient);
            self.yp[i] = along(degree, of_slope, |k| (k + 1) as f64 * coefficient(k + 1) * scale);
        }
        let time = TaylorModel::new(self.step.at(middle), radius * self.step.length, 0.0);
        self.dae.switch_enclosures(time, &self.y, &self.yp, &mut self.models);
        for k in 0..self.enclosures.len() {
            self.enclosures[k] = if self.enclosed[k] { self.models[k].range() } else { Interval::ENTIRE };
        }
    }

    /// Whether a function that is searched has no enclosures.
    fn has_others(&self) -> bool {
        self.enclosed.iter().zip(&self.searched).any(|(enclosed, searched)| *searched && !enclosed)
    }

    /// Replaces missing enclosures by the ranges of values on a part of the step, widened. The last evaluation is at the end of the part.
    pub(super) fn sample(&mut self, [a, b]: [f64; 2]) {
        if !self.has_others() {
            return;
        }
        let looks = if b - a == 1.0 { LOOKS.0 } else { LOOKS.1 };
        let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); self.values.len()];
        for j in 0..=looks {
            self.look_at(if j == looks { b } else { a + (b - a) * j as f64 / looks as f64 });
            let values = ranges.iter_mut().zip(&self.values);
            values.for_each(|(range, value)| *range = (range.0.min(*value), range.1.max(*value)));
        }
        for ((enclosure, enclosed), (least, most)) in self.enclosures.iter_mut().zip(&self.enclosed).zip(ranges) {
            if !enclosed {
                let margin = MARGIN * (most - least);
                *enclosure = Interval::new(least - margin, most + margin).unwrap_or(Interval::ENTIRE);
            }
        }
    }

    /// Measures the changes of the functions when the unknowns change by a fraction of their tolerances, at the point
    /// of the last evaluation.
    pub(super) fn measure_noise(&mut self, stepper: &dyn Stepper) {
        let [states, slopes] = &self.point;
        let states = self.y.iter_mut().zip(&mut self.yp).zip(states.iter().zip(slopes));
        for (((y, yp), (state, slope)), weight) in states.zip(stepper.error_weights()) {
            *y = TaylorModel::new(*state, 0.0, NOISE / weight);
            *yp = TaylorModel::new(*slope, 0.0, NOISE / (weight * self.step.length.abs()));
        }
        self.dae.switch_enclosures(TaylorModel::point(self.time), &self.y, &self.yp, &mut self.changes);
        for k in 0..self.noise.len() {
            let width = self.changes[k].range().width();
            self.noise[k] = if width.is_finite() { width } else { 0.0 };
            // Finite neither here nor on the part that ends here.
            if !width.is_finite() && self.enclosures[k] == Interval::ENTIRE {
                self.enclosed[k] = false;
            }
        }
    }

    /// Evaluates the functions at one time.
    pub(super) fn look_at(&mut self, s: f64) {
        let [y, yp] = &mut self.point;
        evaluate(&self.coefficients, s, self.step.length, y, yp);
        self.time = self.step.at(s);
        self.dae.switching_functions(self.time, y, yp, &mut self.values);
    }

    /// Samples the other functions on a part where those with enclosures are known to have no zero.
    pub(super) fn sample_others(&mut self, ends: [f64; 2]) {
        for (enclosure, enclosed) in self.enclosures.iter_mut().zip(&self.enclosed) {
            *enclosure = if *enclosed { Interval::ONE } else { Interval::ENTIRE };
        }
        self.sample(ends);
    }
}

/// A step.
#[derive(Clone, Copy)]
pub(super) struct StepInterval {
    now: f64,
    pub(super) length: f64,
}

impl StepInterval {
    /// A time in units of the step from its end.
    pub(super) fn at(self, s: f64) -> f64 {
        self.now + s * self.length
    }
}

/// $\sum_k c_k s^k$ for $s \in [-1, 1]$, where even powers lie between 0 and 1, with room for rounding errors.
fn along(terms: usize, rounding: f64, coefficient: impl Fn(usize) -> f64) -> TaylorModel {
    let (mut centre, mut slope, mut remainder) = (0.0, 0.0, rounding);
    for k in 0..terms {
        let c = coefficient(k);
        match k {
            0 => centre = c,
            1 => slope = c,
            _ if k % 2 == 0 => {
                centre += 0.5 * c;
                remainder += 0.5 * c.abs();
            }
            _ => remainder += c.abs(),
        }
    }
    TaylorModel::new(centre, slope, remainder)
}
