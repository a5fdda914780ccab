//! Start of an integration.
//!
//! In: a formulation, start values, options. Out: an integration before its first step, or an error in them; tolerances
//! as the error estimate needs them, and the length of the first step.

use super::accuracy::{Accuracy, StageRange, Tolerances};
use super::control::{Controller, Scales};
use super::order::OrderControl;
use super::polynomial::Polynomial;
use super::stages::{Limits, Matrices, NOISE, Stages, UNOBSERVED, max_iterations, patience};
use super::tableau::Tableau;
use super::{Freshness, Order, PATIENCE_AT_KINKS, Radau};
use crate::contract::{Description, Kind, Unknown};
use crate::integrator::clock::Clock;
use crate::integrator::error_weights::Weights;
use crate::integrator::held::Held;
use crate::integrator::multipliers::Multipliers;
use crate::integrator::resolvent::Resolvent;
use crate::integrator::sides::Sides;
use crate::integrator::stepper::{Failure, Options, Stepper};
use crate::integrator::{Integrator, Run, RunStart};
use crate::linalg::iteration_matrix::{IterationMatrix, Jacobians};

/// Starts an integration of variable order (5, 9 and 13), or of the orders that `options.max_order` allows.
pub(crate) fn start<'d>(
    dae: impl Into<Held<'d>>,
    start: RunStart<'_>,
    options: &Options,
) -> Result<Box<dyn Stepper + 'd>, Failure> {
    let (run, radau) = begin(dae, start, options, StageRange::of(options)?, Accuracy::OfSteps)?;
    Ok(Box::new(Integrator::new(run, radau)))
}

/// Starts an integration of order 5 with the Jacobian of the first step evaluated at its predicted end: if it starts at
/// a surface across which $F$ jumps, the equations are those beyond it.
pub(crate) fn beyond<'d>(
    dae: impl Into<Held<'d>>,
    start: RunStart<'_>,
    options: &Options,
) -> Result<Box<dyn Stepper + 'd>, Failure> {
    let (mut run, mut radau) = begin(dae, start, options, StageRange::THREE, Accuracy::OfSteps)?;
    let (h, _) = run.clock.fit(run.h);
    radau.evaluate_at_end(&mut run, h);
    if radau.jacobians.is_finite() {
        radau.freshness = Freshness::Current;
    }
    Ok(Box::new(Integrator::new(run, radau)))
}

/// A run and the scheme that it begins with.
pub(crate) fn begin<'d>(
    dae: impl Into<Held<'d>>,
    start: RunStart<'_>,
    options: &Options,
    stages: StageRange,
    accuracy: Accuracy,
) -> Result<(Run<'d>, Radau), Failure> {
    let dae = dae.into();
    Run::check(&*dae, start, options)?;
    let (radau, weights) = Radau::new(dae.description(), start, options, stages, accuracy);
    let mut run = Run::new(dae.clone(), start, options, weights)?;
    run.weights.relax_multipliers(&*dae, start.t0, start.y0, start.yp0);
    run.weights.update(start.y0, 1.0);
    let first = first_step(dae.description(), start, &run.weights, &run.clock);
    run.begin_with(first, options);
    Ok((run, radau))
}

impl Radau {
    /// The scheme before its first step, and the weights of a run that begins with its lowest order.
    fn new(
        description: &Description,
        start: RunStart<'_>,
        options: &Options,
        stages: StageRange,
        accuracy: Accuracy,
    ) -> (Self, Weights) {
        let n = description.unknowns.len();
        let Tolerances { weights, of_stages: tolerance, .. } = Tolerances::new(description, stages, options, accuracy);
        let order = |stages: usize| {
            let max_iterations = max_iterations(stages, options.control);
            let patience = patience(options.control);
            let limits = Limits { tolerance, max_iterations, patience, unobserved: UNOBSERVED, noise: NOISE };
            let scales = Scales { exponent: 1.0 / (stages + 1) as f64, max_iterations };
            Order { tableau: Tableau::of(stages), limits, scales }
        };
        let orders: Vec<Order> = (stages.least..=stages.most).step_by(2).map(order).collect();
        let mut radau = Radau {
            orders,
            current: 0,
            order_control: OrderControl::default(),
            jacobians: Jacobians::new(description),
            freshness: Freshness::Outdated,
            seen_for: 0.0,
            sides: Sides::new(description),
            trusts_polynomial: false,
            matrices: Matrices {
                real: IterationMatrix::new(start.plan),
                complex: (0..stages.most / 2).map(|_| IterationMatrix::new(start.plan)).collect(),
            },
            factorized_for: 0.0,
            leading: 0.0,
            stages: Stages::new(description, stages.most),
            multipliers: Multipliers::new(description, options.projection),
            controller: if start.is_repeated { Controller::within_a_run() } else { Controller::default() },
            error: vec![0.0; n],
            prescribed: prescribed(description),
            accuracy,
            differential: (0..n).filter(|&k| description.unknowns[k].kind == Kind::Differential).collect(),
            resolvent: Resolvent::of(description),
            point: vec![0.0; n],
            slope: vec![0.0; n],
            patience: if description.switches.is_empty() { usize::MAX } else { PATIENCE_AT_KINKS },
            last_error: 1.0,
            last: 0,
            polynomial: Polynomial::new(n, stages.most),
            before_surface: Polynomial::new(n, stages.most),
            has_before_surface: false,
            attempt: Polynomial::new(n, stages.most),
            at_start: vec![0.0; n],
            seen: vec![0.0; n],
        };
        // The prediction of the first step.
        radau.polynomial.set_tangent(start.y0, |slopes| tangent(description, start.yp0, slopes));
        (radau, weights)
    }
}

/// The unknowns of index 1 that are exact at the ends of steps, whatever they do in between: algebraic unknowns, and
/// those that a constraint prescribes as a function of time.
fn prescribed(description: &Description) -> Vec<usize> {
    let enforced = (0..description.invariants.len()).filter(|&k| description.invariants[k].row.is_some());
    let single = |k: usize| {
        let mut columns = description.invariants_jacobian.row(k).map(|(column, _)| column);
        columns.next().filter(|_| columns.next().is_none())
    };
    let given: Vec<usize> = enforced.filter_map(single).collect();
    let unknowns = description.unknowns.iter().enumerate().filter(|(_, unknown)| unknown.index == 1);
    let is_one = |k: usize, unknown: &Unknown| match unknown.kind {
        Kind::Algebraic => true,
        Kind::Differential => given.contains(&k),
        Kind::Auxiliary { .. } => false,
    };
    unknowns.filter(|&(k, unknown)| is_one(k, unknown)).map(|(k, _)| k).collect()
}

/// Derivatives of the differential unknowns.
fn tangent(description: &Description, yp0: &[f64], slopes: &mut [f64]) {
    for ((target, unknown), slope) in slopes.iter_mut().zip(description.unknowns.iter()).zip(yp0) {
        *target = if unknown.kind == Kind::Differential { *slope } else { 0.0 };
    }
}

/// Length of the first step: one per cent of the time in which $y$ would change by its own size (Hairer, Nørsett &
/// Wanner I, section II.4), and no more than a thousandth of the interval.
pub(crate) fn first_step(description: &Description, start: RunStart<'_>, weights: &Weights, clock: &Clock) -> f64 {
    let norm = |v: &[f64]| {
        let terms = description.unknowns.iter().zip(v).zip(weights.as_slice());
        terms.filter(|((u, _), _)| u.kind == Kind::Differential).map(|((_, v), w)| (v * w).powi(2)).sum::<f64>()
    };
    let (size, speed) = (norm(start.y0).sqrt().max(1.0), norm(start.yp0).sqrt());
    let longest = 1e-3 * clock.span();
    if speed.is_finite() && speed > 0.0 { (0.01 * size / speed).min(longest) } else { longest }
}
