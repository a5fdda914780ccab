//! What a run of Radau IIA is to achieve: its orders, and tolerances as the error estimate needs them.
//!
//! In: options. Out: the numbers of stages to choose from ([`StageRange`]), and transformed tolerances, as weights.

use crate::contract::{Description, Unknown};
use crate::integrator::error_weights::Weights;
use crate::integrator::stepper::{Failure, Options, StepControl};

/// The orders between which a run chooses, in numbers of stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StageRange {
    pub(crate) least: usize,
    pub(crate) most: usize,
}

impl StageRange {
    /// The largest number of stages of any method.
    pub(crate) const MOST: usize = 7;
    /// Order 5.
    pub(crate) const THREE: StageRange = StageRange { least: 3, most: 3 };

    /// Orders 5 to 13, or a smaller range where the options say so.
    pub(crate) fn of(options: &Options) -> Result<StageRange, Failure> {
        let most = match (options.max_order, options.control) {
            (None, StepControl::Adaptive) => Self::MOST,
            (None, StepControl::Fixed(_)) => 3,
            (Some(1), _) => 1,
            (Some(5), _) => 3,
            (Some(9), _) => 5,
            (Some(13), _) => Self::MOST,
            (Some(order), _) => {
                let message =
                    format!("Radau IIA has the orders 1, 5, 9 and 13; a highest order of {order} is none of them");
                return Err(Failure::InvalidOption { message });
            }
        };
        match options.control {
            StepControl::Adaptive => Ok(StageRange { least: most.min(3), most }),
            StepControl::Fixed(_) => Ok(StageRange { least: most, most }),
        }
    }
}

/// What is to be as accurate as the tolerances require.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accuracy {
    /// The ends of the steps.
    OfSteps,
    /// The polynomials between them too.
    OfPolynomials,
}

/// Accuracy required of steps and their stages.
pub(crate) struct Tolerances {
    /// Weights of the estimated errors.
    pub(crate) weights: Weights,
    /// Tolerance of the stages, in these weights.
    pub(crate) of_stages: f64,
    /// Level of rounding errors, in these weights.
    pub(crate) rounding: f64,
}

impl Tolerances {
    pub(crate) fn new(
        description: &Description,
        stages: StageRange,
        options: &Options,
        accuracy: Accuracy,
    ) -> Tolerances {
        let exponent = match accuracy {
            Accuracy::OfSteps if stages.least > 1 => 2.0 / 3.0,
            // With one stage the method has the order of its estimate.
            Accuracy::OfSteps | Accuracy::OfPolynomials => 1.0,
        };
        let (rtol, atol) = transform_tolerances(options, &description.unknowns, exponent);
        let transformed = 0.1 * tightest(options, &description.unknowns).powf(exponent);
        let rounding = 10.0 * f64::EPSILON / transformed.max(f64::EPSILON);
        // As in RADAU5: tight tolerances need more accurate stages than loose ones, but not beyond rounding.
        let of_stages = rounding.max(transformed.powf(1.0 / exponent - 1.0).min(0.03));
        Tolerances { weights: Weights::new(description, rtol, atol), of_stages, rounding }
    }
}

/// The tightest tolerance of any unknown, relative to its magnitude, and at most 1.
fn tightest(options: &Options, unknowns: &[Unknown]) -> f64 {
    let atol = options.atol.of(unknowns);
    let parts = unknowns.iter().zip(atol).map(|(unknown, atol)| relative(options.rtol, atol, unknown));
    parts.fold(f64::INFINITY, f64::min).min(1.0)
}

/// The larger of the relative tolerance and the absolute one in units of the unknown.
fn relative(rtol: f64, atol: f64, unknown: &Unknown) -> f64 {
    rtol.max(atol / unknown.nominal.abs().max(f64::MIN_POSITIVE))
}

/// Replaces the relative tolerance $\tau$ by $0.1\\,\tau^e$ with the exponent $e$, and absolute tolerances in
/// proportion. For an unknown whose absolute tolerance, relative to its magnitude, is larger, that sets the proportion.
fn transform_tolerances(options: &Options, unknowns: &[Unknown], exponent: f64) -> (Vec<f64>, Vec<f64>) {
    let atol = options.atol.of(unknowns);
    let factor = |(unknown, &atol): (&Unknown, &f64)| 0.1 * relative(options.rtol, atol, unknown).powf(exponent - 1.0);
    let factors: Vec<f64> = unknowns.iter().zip(&atol).map(factor).collect();
    let scaled = |tolerance: &[f64]| factors.iter().zip(tolerance).map(|(factor, tol)| factor * tol).collect();
    (scaled(&vec![options.rtol; unknowns.len()]), scaled(&atol))
}
