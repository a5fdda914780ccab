//! How an integration begins.
//!
//! In: a formulation, start values, options. Out: a [`Radau5`] before its first step, or what is wrong with them.

use super::control::Controller;
use super::stages::{Matrices, Stages};
use super::tableau::Tableau;
use super::{Freshness, PATIENCE_AT_KINKS, Radau5};
use crate::clock::Clock;
use crate::closing::Closing;
use crate::contract::{Dae, Description, Kind, Unknown};
use crate::linear::{IterationMatrix, Jacobians};
use crate::multipliers::Multipliers;
use crate::stall::Stall;
use crate::stepper::{Failure, Options, Statistics, Tolerance, check_residual, check_start};
use crate::switching::Switching;
use crate::weights::Weights;

impl<'d> Radau5<'d> {
    /// An integration from consistent `y0`, `yp0` at `t0` to `t_end`, which may be earlier.
    pub fn new(
        dae: &'d dyn Dae,
        t0: f64,
        y0: &[f64],
        yp0: &[f64],
        t_end: f64,
        options: &Options,
    ) -> Result<Self, Failure> {
        let description = dae.description();
        let n = description.unknowns.len();
        check_start(description, t0, y0, yp0, t_end)?;
        options.check(n)?;
        dae.choose_coordinates(t0, y0, yp0, true);
        let (rtol, atol) = transform_tolerances(options, &description.unknowns);
        // As in RADAU5: tight tolerances need more accurate stages than loose ones, but none below rounding.
        let newton_tolerance = (10.0 * f64::EPSILON / rtol.max(f64::EPSILON)).max(rtol.sqrt().min(0.03));
        let mut radau = Radau5 {
            dae,
            tableau: Tableau::new(),
            clock: Clock::new(t0, t_end),
            control: options.control,
            max_step: options.max_step,
            max_steps: options.max_steps,
            y: y0.to_vec(),
            yp: yp0.to_vec(),
            patience: if description.switches.is_empty() { usize::MAX } else { PATIENCE_AT_KINKS },
            candidate: vec![0.0; n],
            jacobians: Jacobians::new(description),
            freshness: Freshness::Outdated,
            matrices: Matrices { real: IterationMatrix::new(n), complex: IterationMatrix::new(n) },
            factorized_for: 0.0,
            weights: Weights::new(description, rtol, &atol),
            stages: Stages::new(description, newton_tolerance, options.control),
            closing: Closing::new(description, options.closing_correction),
            multipliers: Multipliers::new(description, options.closing_correction),
            controller: Controller::default(),
            stall: Stall::new(description),
            rtol: options.rtol,
            switching: Switching::default(),
            at_switch: None,
            error: vec![0.0; n],
            slope: vec![0.0; n],
            h: 0.0,
            // As if a step of length one along the tangent came before: the prediction of the first step.
            last_step: 1.0,
            dense: [y0.to_vec(), tangent(description, yp0), vec![0.0; n], vec![0.0; n]],
            statistics: Statistics::default(),
        };
        radau.check_residual()?;
        radau.h = radau.first_step(options).max(radau.clock.resolution()).min(options.max_step);
        Ok(radau)
    }

    /// $F$ must be finite where the first step starts.
    fn check_residual(&mut self) -> Result<(), Failure> {
        self.dae.residual(self.clock.time(), &self.y, &self.yp, &mut self.error);
        self.statistics.residuals += 1;
        check_residual(self.dae.description(), self.clock.time(), &self.error)
    }

    /// Length of the first step: one per cent of the time in which $y$ would change by its own size (Hairer, Nørsett &
    /// Wanner I, section II.4), and no more than a thousandth of the interval.
    fn first_step(&mut self, options: &Options) -> f64 {
        if let Some(h) = options.prescribed_first_step() {
            return h;
        }
        self.weights.update(&self.y, 1.0);
        let unknowns = &self.dae.description().unknowns;
        let norm = |v: &[f64]| {
            let terms = unknowns.iter().zip(v).zip(self.weights.as_slice());
            terms.filter(|((u, _), _)| u.kind == Kind::Differential).map(|((_, v), w)| (v * w).powi(2)).sum::<f64>()
        };
        let (size, speed) = (norm(&self.y).sqrt().max(1.0), norm(&self.yp).sqrt());
        let longest = 1e-3 * self.clock.span();
        if speed.is_finite() && speed > 0.0 { (0.01 * size / speed).min(longest) } else { longest }
    }
}

/// Slopes of the unknowns that have one.
fn tangent(description: &Description, yp0: &[f64]) -> Vec<f64> {
    let slope = |(unknown, slope): (&Unknown, &f64)| if unknown.kind == Kind::Differential { *slope } else { 0.0 };
    description.unknowns.iter().zip(yp0).map(slope).collect()
}

/// $0.1\\,\mathrm{rtol}^{2/3}$, and absolute tolerances in proportion.
fn transform_tolerances(options: &Options, unknowns: &[Unknown]) -> (f64, Tolerance) {
    let leading = if options.rtol > 0.0 { options.rtol } else { options.atol.largest() };
    let factor = 0.1 * leading.powf(-1.0 / 3.0);
    let mut atol = options.atol.of(unknowns);
    atol.iter_mut().for_each(|atol| *atol *= factor);
    (factor * options.rtol, Tolerance::PerComponent(atol))
}
