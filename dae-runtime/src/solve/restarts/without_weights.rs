//! Steps along surfaces, without the weights.
//!
//! In: a stepper of the unknowns of a formulation and of the weights of surfaces along which its solution slides. Out:
//! a stepper of the unknowns of the formulation, whose states are on the surfaces to the last digit as far as rounding
//! allows: at rest, a speed is zero.

use std::rc::Rc;

use crate::completions::sliding::Sliding;
use crate::integrator::stepper::{DenseAccuracy, Failure, Statistics, Stepper, SwitchRejections};

/// A stepper that shows the first of its unknowns.
pub(super) struct WithoutWeights<'d> {
    all: Box<dyn Stepper + 'd>,
    along: Rc<Sliding<'d>>,
    /// The number of unknowns and of invariants that are shown.
    shown: usize,
    invariants: usize,
    /// For each switching function of the stepper that of the formulation.
    switches: Vec<usize>,
    /// Whether the solution slides along any surface.
    is_sliding: bool,
    /// The last state that is shown, $y$ and $y'$.
    last: [Vec<f64>; 2],
    state: Vec<f64>,
    slope: Vec<f64>,
    coefficients: Vec<f64>,
}

impl<'d> WithoutWeights<'d> {
    /// Shows this many unknowns and invariants, and the switching functions of the formulation.
    pub(super) fn new(
        all: Box<dyn Stepper + 'd>,
        along: Rc<Sliding<'d>>,
        [shown, invariants]: [usize; 2],
        switches: Vec<usize>,
    ) -> Self {
        let count = all.state().len();
        let (state, slope) = (vec![0.0; count], vec![0.0; count]);
        let mut stepper = WithoutWeights {
            all,
            along,
            shown,
            invariants,
            switches,
            is_sliding: count > shown,
            last: [vec![0.0; shown], vec![0.0; shown]],
            state,
            slope,
            coefficients: Vec::new(),
        };
        stepper.show();
        stepper
    }

    /// Takes in the last state of the stepper.
    fn show(&mut self) {
        let [y, yp] = &mut self.last;
        y.copy_from_slice(&self.all.state()[..self.shown]);
        yp.copy_from_slice(&self.all.derivative()[..self.shown]);
        self.along.round_onto((self.all.time(), y, yp), self.all.error_weights());
    }
}

impl Stepper for WithoutWeights<'_> {
    fn step(&mut self) -> Result<(), Failure> {
        self.all.step()?;
        self.show();
        Ok(())
    }

    fn stop_at(&mut self, t: f64) {
        self.all.stop_at(t);
    }

    fn locate_switches(&mut self) {
        self.all.locate_switches();
    }

    fn at_switch(&self) -> Option<usize> {
        self.all.at_switch()
    }

    fn time(&self) -> f64 {
        self.all.time()
    }

    fn state(&self) -> &[f64] {
        &self.last[0]
    }

    fn derivative(&self) -> &[f64] {
        &self.last[1]
    }

    fn invariants(&self) -> Option<&[f64]> {
        self.all.invariants().and_then(|invariants| invariants.get(..self.invariants))
    }

    fn order(&self) -> usize {
        self.all.order()
    }

    fn statistics(&self) -> Statistics {
        self.all.statistics()
    }

    fn add_switch_rejections(&self, all: &mut [SwitchRejections]) {
        let mut of_stepper = vec![SwitchRejections::default(); self.switches.len()];
        self.all.add_switch_rejections(&mut of_stepper);
        self.switches.iter().zip(of_stepper).for_each(|(&switch, it)| all[switch] += it);
    }

    fn dense_accuracy(&self) -> DenseAccuracy {
        self.all.dense_accuracy()
    }

    fn interpolate(&mut self, t: f64, y: &mut [f64]) {
        self.all.interpolate(t, &mut self.state);
        y.copy_from_slice(&self.state[..self.shown]);
        let mut slope = self.last[1].clone();
        self.along.round_onto((t, y, &mut slope), self.all.error_weights());
    }

    fn correct(&mut self, t: f64, y: &mut [f64], slope: &mut [f64]) -> bool {
        self.all.interpolate(t, &mut self.state);
        self.slope.fill(0.0);
        self.state[..self.shown].copy_from_slice(y);
        self.slope[..self.shown].copy_from_slice(slope);
        let is_corrected = self.all.correct(t, &mut self.state, &mut self.slope);
        y.copy_from_slice(&self.state[..self.shown]);
        slope.copy_from_slice(&self.slope[..self.shown]);
        is_corrected
    }

    fn error_weights(&self) -> &[f64] {
        &self.all.error_weights()[..self.shown]
    }

    fn respond(&self, residual: &mut [f64]) {
        let mut all = residual.to_vec();
        all.resize(self.all.state().len(), 0.0);
        self.all.respond(&mut all);
        residual.copy_from_slice(&all[..self.shown]);
    }

    fn with_weights(&mut self) -> Option<&mut dyn Stepper> {
        Some(self.all.as_mut())
    }

    fn is_sliding(&self) -> bool {
        self.is_sliding
    }

    fn dense_degree(&self) -> usize {
        self.all.dense_degree()
    }

    fn dense_coefficients(&mut self, coefficients: &mut [f64]) {
        self.coefficients.resize((self.all.dense_degree() + 1) * self.state.len(), 0.0);
        self.all.dense_coefficients(&mut self.coefficients);
        let all = self.coefficients.chunks_exact(self.state.len());
        for (shown, all) in coefficients.chunks_exact_mut(self.shown).zip(all) {
            shown.copy_from_slice(&all[..self.shown]);
        }
    }
}
