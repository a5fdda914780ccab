//! A prolongation with other start values.
//!
//! In: a prolongation, which of its fixed values are to stay, and how far to move the others. Out: the prolongation's
//! equations with those start values, to be initialised as in the runtime.

use std::borrow::Cow;
use std::cell::Cell;

use dae_runtime::contract::{InitialEquations, Prolongation, ProlongationDescription, Start};
use dae_runtime::initialize::{Initial, InitializationError, InitializationOptions, consistent_initialization};

use crate::prolongation::Prolonged;

/// Distances of starting points from the guesses, in units of the nominal values, from which a solution is sought
/// before a contradiction is reported.
const AMPLITUDES: [f64; 6] = [0.0, 0.1, 0.5, 1.0, 3.0, 10.0];

/// The number of residuals that may be computed to find a contradiction; a compiler should not hang over a message.
const BUDGET: usize = 1_500_000;

/// What is left of the budget.
pub(super) struct Budget(Cell<usize>);

impl Budget {
    pub(super) fn new() -> Budget {
        Budget(Cell::new(BUDGET))
    }

    pub(super) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}

/// The equations of a prolongation from other start values.
struct Relaxed<'a> {
    inner: &'a Prolonged,
    description: ProlongationDescription,
    start: Vec<f64>,
    budget: &'a Budget,
}

impl Prolongation for Relaxed<'_> {
    fn prolongation_description(&self) -> &ProlongationDescription {
        &self.description
    }

    fn start_values(&self, _t: f64, jets: &mut [f64]) {
        jets.copy_from_slice(&self.start);
    }

    fn prolonged_residual(&self, t: f64, jets: &[f64], residual: &mut [f64]) {
        self.budget.0.set(self.budget.0.get().saturating_sub(residual.len()));
        self.inner.prolonged_residual(t, jets, residual);
    }

    fn prolonged_jacobian(&self, t: f64, jets: &[f64], values: &mut [f64]) {
        self.inner.prolonged_jacobian(t, jets, values);
    }

    fn prolonged_jacobian_p(&self, t: f64, jets: &[f64], values: &mut [f64]) {
        self.inner.prolonged_jacobian_p(t, jets, values);
    }

    fn start_jacobian_p(&self, t: f64, values: &mut [f64]) {
        self.inner.start_jacobian_p(t, values);
    }

    fn initial_equations(&self) -> Option<&dyn InitialEquations> {
        self.inner.initial_equations()
    }
}

/// Whether some start values, and the initial equations, agree with the equations.
pub(super) enum Agreement {
    /// The start values agree with the equations, or no fixed value is to blame.
    Possible,
    /// The start values or the initial equations contradict the equations.
    Contradiction(InitializationError),
    /// The initialisation did not converge from any starting point.
    Unsettled,
}

/// Looks for a consistent point with the jets of `fixed` at their start values, from the guesses of the model and from
/// points around them.
pub(super) fn agreement(prolonged: &Prolonged, t0: f64, fixed: &[usize], budget: &Budget) -> Agreement {
    let mut first = None;
    for (attempt, outcome) in attempts(prolonged, t0, fixed, budget).enumerate() {
        match outcome {
            Err(error @ InitializationError::Conflict { .. }) => {
                first.get_or_insert(error);
            }
            Err(error @ InitializationError::NoSolution { .. }) if prolonged.initial.is_some() => {
                first.get_or_insert(error);
            }
            Err(InitializationError::NoConvergence { .. }) => {}
            // Started away from the guesses, the initialisation may fail in any way.
            Err(
                InitializationError::NonFinite { .. }
                | InitializationError::NonFiniteDerivative { .. }
                | InitializationError::NonFiniteStart { .. }
                | InitializationError::NoSolution { .. },
            ) if attempt > 0 => {}
            Ok(_) | Err(_) => return Agreement::Possible,
        }
    }
    // With a spent budget, points that were not tried may agree.
    first.filter(|_| !budget.is_spent()).map_or(Agreement::Unsettled, Agreement::Contradiction)
}

/// The initialisation with the jets of `fixed` at their start values, from the guesses of the model and from points
/// around them, while the budget lasts.
pub(super) fn attempts<'p>(
    prolonged: &'p Prolonged,
    t0: f64,
    fixed: &'p [usize],
    budget: &'p Budget,
) -> impl Iterator<Item = Result<Initial, InitializationError>> + 'p {
    let tried = AMPLITUDES.into_iter().enumerate().take_while(|_| !budget.is_spent());
    tried.map(move |(attempt, amplitude)| {
        let relaxed = Relaxed::new(prolonged, t0, fixed, (attempt, amplitude), budget);
        consistent_initialization(&relaxed, t0, &InitializationOptions::default())
    })
}

impl<'a> Relaxed<'a> {
    fn new(
        inner: &'a Prolonged,
        t0: f64,
        fixed: &[usize],
        (attempt, amplitude): (usize, f64),
        budget: &'a Budget,
    ) -> Self {
        let mut description = inner.prolongation_description().clone();
        let mut start = vec![0.0; description.jets.len()];
        inner.start_values(t0, &mut start);
        let mut jets = description.jets.into_owned();
        for (k, jet) in jets.iter_mut().enumerate() {
            if jet.start == Start::Fixed && !fixed.contains(&k) {
                jet.start = Start::Guess;
            }
            if jet.start != Start::Fixed {
                // Golden-ratio sequence: different for every jet, the same in every run.
                let fraction = ((k + 1) as f64 * 0.618_033_988_749_895 + 0.37 * attempt as f64).fract();
                start[k] += amplitude * jet.nominal * (2.0 * fraction - 1.0);
            }
        }
        description.jets = Cow::Owned(jets);
        Relaxed { inner, description, start, budget }
    }
}
