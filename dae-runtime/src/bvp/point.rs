//! The whole state of the model at a point of the interval, from its differential unknowns.
//!
//! In: values of the differential unknowns of a formulation at a time, which need not satisfy the constraints exactly.
//! Out: consistent jets near by, by the steps of [`super::linearized`].

use crate::contract::Dae;
use crate::initialize::{InitializationOptions, consistent_restart};
use crate::linalg::vector::larger;

use super::layout::Layout;
use super::linearized::Linearized;
use super::problem::Problem;
use super::shared::Shared;

/// Number of steps towards the nearest consistent jets.
const TOWARDS_NEAREST: usize = 6;
/// Largest number of steps towards consistent jets.
const STEPS: usize = 15;
/// Changes of this many rounding errors end the iteration.
const ROUNDING: f64 = 100.0;
/// Changes of this relative size are at rounding level where they do not decrease.
const NEARLY: f64 = 1e-9;

/// Moves jets to the consistent ones whose differential unknowns are nearest to `y`; the others start from their values.
/// Returns the last linearisation, or `None` if none are found.
pub(super) fn consistent_jets(
    dae: &dyn Dae,
    layout: &Layout,
    shared: &Shared,
    t: f64,
    y: &[f64],
    jets: &mut [f64],
) -> Option<Linearized> {
    layout.jets.iter().zip(y).for_each(|(&jet, y)| jets[jet] = *y);
    let guess = jets.to_vec();
    iterate(dae, layout, shared, t, y, jets).or_else(|| {
        // Far from consistent values, the stages of an initialisation lead to some.
        let n = dae.description().unknowns.len();
        let (mut state, mut slope) = (vec![0.0; n], vec![0.0; n]);
        dae.states_from_jets(t, &guess, &mut state, &mut slope);
        layout.differential.iter().zip(y).for_each(|(&place, y)| state[place] = *y);
        let anywhere = |_: usize| f64::INFINITY;
        let options = InitializationOptions::default();
        let found = consistent_restart(dae, t, &mut state, &mut slope, |_| false, anywhere, &options).ok()?;
        jets.copy_from_slice(&found);
        iterate(dae, layout, shared, t, y, jets)
    })
}

/// [`consistent_jets`], and the state and the derivative of the formulation there.
pub(super) fn consistent_state(
    problem: &Problem<'_>,
    t: f64,
    y: &[f64],
    jets: &mut [f64],
) -> Option<(Vec<f64>, Vec<f64>, Linearized)> {
    let linearized = consistent_jets(&*problem.dae, &problem.layout, &problem.shared, t, y, jets)?;
    let n = problem.description().unknowns.len();
    let (mut state, mut slope) = (vec![0.0; n], vec![0.0; n]);
    problem.dae.states_from_jets(t, jets, &mut state, &mut slope);
    let is_finite = state.iter().chain(&slope).all(|value| value.is_finite());
    is_finite.then_some((state, slope, linearized))
}

/// Newton's iteration for [`consistent_jets`].
fn iterate(dae: &dyn Dae, layout: &Layout, shared: &Shared, t: f64, y: &[f64], jets: &mut [f64]) -> Option<Linearized> {
    let units: Vec<f64> = dae.prolongation().prolongation_description().jets.iter().map(|jet| jet.nominal).collect();
    let (mut previous, mut last) = (f64::INFINITY, None);
    for k in 0..STEPS {
        // Far from consistent values the steps approach the nearest ones slowly: some near by serve as well.
        let here: Vec<f64> = layout.jets.iter().map(|&jet| jets[jet]).collect();
        let y = if k < TOWARDS_NEAREST { y } else { &here };
        let linearized = Linearized::new(dae, layout, shared, [t, 0.0], y, jets).ok()?;
        let changes = jets.iter().zip(&linearized.step).zip(&units);
        let size = changes.map(|((jet, step), unit)| step.abs() / (unit + jet.abs())).fold(0.0, larger);
        if !size.is_finite() {
            return None;
        }
        jets.iter_mut().zip(&linearized.step).for_each(|(jet, step)| *jet += step);
        if size <= ROUNDING * f64::EPSILON || size <= NEARLY && size >= 0.5 * previous {
            return Some(linearized);
        }
        previous = size;
        last = Some(linearized);
    }
    last.filter(|_| previous <= NEARLY)
}
