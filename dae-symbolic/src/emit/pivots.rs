//! Pivots for the iteration matrices of a formulation, before it runs.
//!
//! In: a compiled formulation. Out: the pivots and the pattern of the factors, if the formulation can be evaluated when
//! the model is compiled.
//!
//! A pivot should stay away from zero in the whole run, of which only the start is known. So the formulation is
//! evaluated at its start and in a neighbourhood of that, with steps of lengths from long to very short: pivots are
//! chosen that are large enough in all of these and keep their signs ([`common_factorization`]); failing that, with
//! shorter steps only, or at the start only. They may still fail during a run, for instance backwards in time, so that
//! the runtime watches the growth of the factors.

use std::array::from_fn;
use std::f64::consts::FRAC_PI_2;

use dae_runtime::contract::{Dae, Pattern};
use dae_runtime::initialize::{InitializationOptions, consistent_initialization};
use dae_runtime::iteration_matrix::{StepStart, SymbolicFactorization, common_factorization};
use dae_runtime::signal::Input;

use crate::eval::Interpreter;
use crate::formulation::CompiledForm;
use crate::pipeline::Compiled;

/// The number of states at which pivots are examined.
const STATES: usize = 8;
/// Lengths of the steps from these states, in units of the time in which the formulation changes: for stiff equations,
/// and for others.
const LENGTHS: [[f64; STATES]; 2] =
    [[1e-2, 1e-4, 1.0, 1e-3, 1e2, 1e-5, 1e-1, 1e4], [1e-2, 1e-4, 1e-1, 1e-3, 1e-2, 1e-5, 1e-3, 1e-1]];
/// The factor by which the time from the start grows from one state to the next.
const LATER: f64 = 3.0;
/// The largest distances of the states from the start, in units of its values; for each state, the first at which a run
/// may reach it is used.
const DISTANCES: [f64; 4] = [2.0, 0.5, 0.1, 0.02];
/// States at which a row is larger than at the start by more than this factor are taken to be out of reach of a run.
const LARGEST_GROWTH: f64 = 100.0;

/// The pivots of a formulation that the runtime integrates as it is.
///
/// `None` if the runtime completes the formulation; if the factorisation takes more than `most_work` multiplications;
/// if the formulation cannot be evaluated, because functions of the caller are not known here, or no consistent start
/// is found; and for an excerpt of a model, whose matrix is not that of the model.
pub(super) fn pivots(compiled: &Compiled, form: &CompiledForm, most_work: usize) -> Option<SymbolicFactorization> {
    let n = form.program.description.unknowns.len();
    if form.formulation.completion.is_some() || compiled.model.is_excerpt() || n > most_work {
        return None;
    }
    // Waves stand in for inputs of the caller.
    let wave = Input::with_derivatives(usize::MAX, |t, order| (t + 1.0 + order as f64 * FRAC_PI_2).sin());
    let inputs: Vec<(&str, Input)> = compiled.needs.iter().map(|need| (need.input.as_str(), wave.clone())).collect();
    let dae = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
    let dae = dae.with_inputs(&compiled.needs, &inputs).ok().filter(|dae| dae.input_error().is_none())?;
    let t0 = compiled.t0;
    let (mut y, mut yp) = (vec![0.0; n], vec![0.0; n]);
    dae.states_from_jets(t0, &jets(compiled, &dae)?, &mut y, &mut yp);
    let at_start = RowSizes::of(&dae, t0, &y, &yp);
    let time = at_start.typical_time();
    let states: [(f64, Vec<f64>, Vec<f64>); STATES] = from_fn(|k| {
        let t = if k == 0 { t0 } else { t0 + time * LATER.powi(k as i32) };
        let mut near = DISTANCES.iter().map(|distance| {
            let distance = if k == 0 { 0.0 } else { *distance };
            (t, moved(&y, distance, 2 * k), moved(&yp, distance, 2 * k + 1))
        });
        let is_near = |(t, y, yp): &(f64, Vec<f64>, Vec<f64>)| RowSizes::of(&dae, *t, y, yp).is_near(&at_start, time);
        near.find(is_near).unwrap_or_else(|| (t0, y.clone(), yp.clone()))
    });
    let step = |k: usize, length: f64| {
        let (t, y, yp) = &states[k];
        StepStart { t: *t, y, yp, h: time * length }
    };
    let common =
        |lengths: [f64; STATES]| common_factorization::<STATES>(&dae, from_fn(|k| step(k, lengths[k])), most_work);
    LENGTHS.into_iter().find_map(common).or_else(|| common_factorization(&dae, [step(0, LENGTHS[0][0])], most_work))
}

/// The consistent jets that the analysis has found or, if they do not belong to this prolongation, those that
/// initialisation finds.
fn jets(compiled: &Compiled, dae: &Interpreter) -> Option<Vec<f64>> {
    let prolongation = dae.prolongation();
    let count = prolongation.prolongation_description().jets.len();
    match &compiled.analysis.jets {
        Some(jets) if jets.len() == count => Some(jets.clone()),
        _ => Some(consistent_initialization(prolongation, compiled.t0, &InitializationOptions::default()).ok()?.jets),
    }
}

/// Every value moved by up to `distance` times the larger of its own magnitude and the typical one.
fn moved(values: &[f64], distance: f64, number: usize) -> Vec<f64> {
    let square = values.iter().map(|value| value * value).sum::<f64>() / values.len().max(1) as f64;
    let typical = if square > 0.0 && square.is_finite() { square.sqrt() } else { 1.0 };
    let moved = |(i, value): (usize, &f64)| value + distance * value.abs().max(typical) * scattered(number, i);
    values.iter().enumerate().map(moved).collect()
}

/// A number between −1 and 1 that looks random but is always the same: SplitMix64 (Steele, Lea & Flood, *Fast
/// splittable pseudorandom number generators*, 2014).
fn scattered(number: usize, i: usize) -> f64 {
    let mut z = ((number as u64) << 32 | i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Largest entries of the rows of both Jacobians.
struct RowSizes {
    y: Vec<f64>,
    yp: Vec<f64>,
}

impl RowSizes {
    fn of(dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64]) -> RowSizes {
        let largest = |pattern: &Pattern, values: &[f64]| {
            let row = |row| pattern.row(row).map(|(_, place)| values[place].abs());
            // `max` would ignore a NaN.
            let larger = |a: f64, b: f64| if b > a || b.is_nan() { b } else { a };
            (0..pattern.rows()).map(|i| row(i).fold(0.0, larger)).collect()
        };
        let description = dae.description();
        let mut values = vec![0.0; description.jacobian_y.len()];
        dae.jacobian_y(t, y, yp, &mut values);
        let by_y = largest(&description.jacobian_y, &values);
        let mut values = vec![0.0; description.jacobian_yp.len()];
        dae.jacobian_yp(t, y, yp, &mut values);
        RowSizes { y: by_y, yp: largest(&description.jacobian_yp, &values) }
    }

    /// The median of the time scales of the equations, the ratios of their row sizes by $y'$ and by $y$; one if there
    /// is none.
    fn typical_time(&self) -> f64 {
        let times = self.yp.iter().zip(&self.y).map(|(yp, y)| yp / y);
        let mut times: Vec<f64> = times.filter(|time| *time > 0.0 && time.is_finite()).collect();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or(1.0)
    }

    fn is_near(&self, start: &RowSizes, time: f64) -> bool {
        let size = |rows: &RowSizes, i: usize| rows.y[i].max(rows.yp[i] / time);
        // A comparison with NaN is false.
        (0..self.y.len()).all(|i| size(self, i) <= LARGEST_GROWTH * size(start, i).max(f64::MIN_POSITIVE))
            && self.y.iter().chain(&self.yp).all(|size| size.is_finite())
    }
}
