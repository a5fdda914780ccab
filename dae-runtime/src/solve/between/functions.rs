//! Switching functions along a step.
//!
//! In: an accepted step as a polynomial. Out: the values of the functions at a time within the step; on a part of the
//! step, enclosures of them or, for functions without enclosures, ranges of samples; and how much the errors of the
//! unknowns change them. Times count from the end of the step in units of its length, from -1 to 0.

use std::iter::successors;

use crate::integrator::held::Held;
use crate::integrator::polynomial::evaluate;
use crate::integrator::stepper::Stepper;
use crate::interval::{Interval, TaylorModel};

/// A function counts as zero where changes of the unknowns by this fraction of their tolerances change it by as much as
/// its value.
const NOISE: f64 = 0.1;
/// A function without enclosures is sampled at the ends of this many equal subintervals: of a whole step, and of a part
/// of one.
const LOOKS: (usize, usize) = (8, 2);
/// A function without enclosures is assumed to exceed the range of its samples, on either side, by no more than this
/// multiple of the range's width.
const MARGIN: f64 = 2.0;
/// A bound on the rounding errors of a polynomial expanded about another point, per degree and relative to the sum of
/// the magnitudes of its coefficients.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The switching functions, with their values at the last time and their enclosures on the last part examined.
pub(super) struct Functions<'d> {
    pub(super) dae: Held<'d>,
    /// Which functions depend on the unknowns: only these are searched for zeros.
    pub(super) searched: Vec<bool>,
    pub(super) step: StepInterval,
    /// Coefficients of the polynomial of the step, power by power, ascending.
    coefficients: Vec<f64>,
    /// Coefficients of this polynomial about the middle of a part, for times in units of half the part's width.
    around: Vec<f64>,
    /// For each unknown, bounds on the rounding errors of the expanded polynomial and of its derivative.
    rounding: Vec<[f64; 2]>,
    y: Vec<TaylorModel>,
    yp: Vec<TaylorModel>,
    /// Taylor models of the functions on a part of the step.
    pub(super) models: Vec<TaylorModel>,
    /// Intervals that contain their values there; for functions without enclosures, estimates from samples.
    pub(super) enclosures: Vec<Interval>,
    /// Taylor models of the functions at one time, with the unknowns changed by the fraction [`NOISE`] of their
    /// tolerances either way.
    changes: Vec<TaylorModel>,
    /// The widths of the ranges of these models; zero where they are infinite.
    pub(super) noise: Vec<f64>,
    /// Which functions are enclosed in this step; the others are sampled.
    pub(super) enclosed: Vec<bool>,
    time: f64,
    point: [Vec<f64>; 2],
    pub(super) values: Vec<f64>,
}

impl<'d> Functions<'d> {
    /// The switching functions of a formulation; `None` if none depends on the unknowns.
    pub(super) fn new(dae: Held<'d>) -> Option<Self> {
        let held = dae.clone();
        let description = held.description();
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

    /// Turns to the last step of `stepper`, which began at `before`; all functions are enclosed again.
    pub(super) fn take(&mut self, stepper: &mut dyn Stepper, before: f64) {
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

    /// Computes the unknowns and their derivatives at the time `s`.
    pub(super) fn states(&self, s: f64, y: &mut [f64], yp: &mut [f64]) {
        evaluate(&self.coefficients, s, self.step.length, y, yp);
    }

    /// Treats this function as one without enclosures for the rest of the step.
    pub(super) fn give_up(&mut self, k: usize) {
        (self.enclosed[k], self.enclosures[k]) = (false, Interval::ENTIRE);
    }

    /// Whether the enclosures prove that no function searched has a zero in the part.
    pub(super) fn is_excluded(&self) -> bool {
        self.enclosures.iter().zip(&self.searched).all(|(enclosure, searched)| !searched || enclosure.mignitude() > 0.0)
    }

    /// Whether a function is searched and may have a zero in the part enclosed or sampled last.
    pub(super) fn may_vanish(&self, k: usize) -> bool {
        self.searched[k] && self.enclosures[k].mignitude() == 0.0
    }

    /// Computes Taylor models of the polynomial and its derivative on a part of the step, and from these the Taylor
    /// models and enclosures of the functions.
    pub(super) fn enclose(&mut self, [a, b]: [f64; 2]) {
        let (n, middle, radius) = (self.y.len(), 0.5 * (a + b), 0.5 * (b - a));
        self.around.clear();
        self.around.extend_from_slice(&self.coefficients);
        let degree = self.coefficients.len() / n - 1;
        // Horner's scheme, repeated: each pass gives one coefficient of the polynomial about the middle.
        for k in 0..degree {
            for j in (k..degree).rev() {
                for i in 0..n {
                    self.around[j * n + i] += middle * self.around[(j + 1) * n + i];
                }
            }
        }
        // From times in units of the step to times in units of half the width of the part.
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

    /// Whether any function searched is sampled instead of enclosed.
    fn has_others(&self) -> bool {
        self.enclosed.iter().zip(&self.searched).any(|(enclosed, searched)| *searched && !enclosed)
    }

    /// Replaces missing enclosures by the ranges of samples on a part of the step, widened by [`MARGIN`]. The last
    /// sample is at the end of the part.
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

    /// Measures how much the functions change, at the point of the last evaluation, when the unknowns change by the
    /// fraction [`NOISE`] of their tolerances and their derivatives by as much per length of the step.
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
            // An enclosure that is finite neither here nor on the part that ends here is of no use.
            if !width.is_finite() && self.enclosures[k] == Interval::ENTIRE {
                self.enclosed[k] = false;
            }
        }
    }

    /// Evaluates the functions at the time `s`.
    pub(super) fn look_at(&mut self, s: f64) {
        let [y, yp] = &mut self.point;
        evaluate(&self.coefficients, s, self.step.length, y, yp);
        self.time = self.step.at(s);
        self.dae.switching_functions(self.time, y, yp, &mut self.values);
    }

    /// Samples the functions without enclosures on a part in which those with enclosures are known to have no zero.
    pub(super) fn sample_others(&mut self, ends: [f64; 2]) {
        for (enclosure, enclosed) in self.enclosures.iter_mut().zip(&self.enclosed) {
            *enclosure = if *enclosed { Interval::ONE } else { Interval::ENTIRE };
        }
        self.sample(ends);
    }
}

/// The time interval of a step: its end, and its length, which is negative where the run goes backwards.
#[derive(Clone, Copy)]
pub(super) struct StepInterval {
    now: f64,
    pub(super) length: f64,
}

impl StepInterval {
    /// The time at `s`, which counts from the end of the step in units of its length.
    pub(super) fn at(self, s: f64) -> f64 {
        self.now + s * self.length
    }
}

/// A Taylor model of $\sum_k c_k s^k$ for $s \in [-1, 1]$, where even powers lie between 0 and 1; `rounding` bounds the
/// rounding errors.
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
