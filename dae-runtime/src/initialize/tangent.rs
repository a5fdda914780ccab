//! Derivatives of consistent initial values.
//!
//! In: a prolongation $G(X, p) = 0$ with consistent jets $X$, and the derivatives in some direction of its start
//! values, and of $G$ with $X$ held fixed. Out: the derivatives of $X$ in that direction.
//!
//! The linearised equations $G_X \dot X + \dot G = 0$ are solved as the equations themselves are, stage by stage. Fixed
//! jets change as their start values do, and guesses as nearly so as the equations allow. Where the equations determine
//! all that is not fixed, this is the derivative of the initialisation; where guesses are left a choice, it is the
//! derivative of the consistent point nearest to them, in the limit of consistent guesses.

use super::components::Decomposition;
use super::gauss_newton::System;
use super::{InitializationError, InitializationOptions, stages};
use crate::contract::{Jet, Name, Prolongation, Start};

/// A direction in which start values and equations change.
pub(crate) struct Direction<'a> {
    /// What changes, for messages.
    pub(crate) name: &'a Name,
    /// Derivatives of the start values of the jets.
    pub(crate) start: Vec<f64>,
    /// Derivatives of the equations with the jets held fixed.
    pub(crate) equations: Vec<f64>,
}

/// Fraction of their terms to which linearised equations have to hold at consistent initial values.
pub(crate) const EXACTLY: f64 = 1e-9;

/// Derivatives of consistent jets in several directions; the linearised equations have to hold to the fraction `solved`
/// of their terms.
pub(crate) fn derivatives_of_jets(
    prolongation: &dyn Prolongation,
    t: f64,
    jets: &[f64],
    directions: &[Direction<'_>],
    solved: f64,
) -> Result<Vec<Vec<f64>>, InitializationError> {
    let description = prolongation.prolongation_description();
    let options = InitializationOptions::default();
    let mut system = System::new(prolongation, t, &options);
    system.linearise(jets);
    let stages = stages(description);
    let alone: Vec<Decomposition> =
        stages.iter().map(|stage| Decomposition::of(description, |s| s == *stage)).collect();
    let derivative = |direction: &Direction<'_>| {
        let start = |(jet, start): (&Jet, &f64)| if jet.start == Start::Free { 0.0 } else { *start };
        let start: Vec<f64> = description.jets.iter().zip(&direction.start).map(start).collect();
        let mut derivatives = start.clone();
        for (stage, alone) in stages.iter().zip(&alone) {
            let unsolved = derivatives.clone();
            let all: Vec<usize> = (0..alone.components.len()).collect();
            let equations = &direction.equations;
            let rows = system.solve_linearised(alone, &all, equations, solved, &mut derivatives)?;
            if rows.is_empty() {
                continue;
            }
            // This stage restricts earlier ones: they are solved together, for the equations concerned.
            let jointly = Decomposition::of(description, |s| s <= *stage);
            let has = |k: &usize| rows.iter().any(|row| jointly.components[*k].rows.contains(row));
            let chosen: Vec<usize> = (0..jointly.components.len()).filter(has).collect();
            for &j in chosen.iter().flat_map(|&k| &jointly.components[k].moving) {
                let is_guess = description.jets[j].start == Start::Guess;
                derivatives[j] = if is_guess { start[j] } else { unsolved[j] };
            }
            let rows = system.solve_linearised(&jointly, &chosen, equations, solved, &mut derivatives)?;
            if let Some(&row) = rows.first() {
                let jets = description.jacobian.row(row).map(|(j, _)| &description.jets[j]);
                return Err(InitializationError::NotDifferentiable {
                    by: direction.name.clone(),
                    equation: description.equations[row].name.clone(),
                    fixed: jets.filter(|jet| jet.start == Start::Fixed).map(|jet| jet.name.clone()).collect(),
                });
            }
        }
        Ok(derivatives)
    };
    directions.iter().map(derivative).collect()
}
