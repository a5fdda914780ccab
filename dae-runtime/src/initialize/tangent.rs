//! Derivatives of consistent initial values.
//!
//! In: a prolongation $G(X, p) = 0$ with consistent jets $X$, and the derivatives, in some direction, of its start values and of $G$ with $X$ held. Out:
//! the derivatives of $X$ in that direction.
//!
//! The linearised equations $G_X \dot X + \dot G = 0$ are solved as the equations themselves are: stage by stage, what is fixed changes as its start value
//! does, and so do guesses, as far as that goes: they move by as little as they can. Where the equations determine what is not
//! fixed this is the derivative of the initialisation; where guesses are left a choice it is that of the consistent point nearest to them, in the limit of
//! guesses that are consistent.

use super::gauss_newton::System;
use super::parts::Decomposition;
use super::{InitializationError, InitializationOptions, stages};
use crate::contract::{Jet, Name, Prolongation, Start};

/// A direction in which start values and equations change.
pub(crate) struct Direction<'a> {
    /// What changes, for messages.
    pub(crate) name: &'a Name,
    /// Derivatives of the start values of the jets.
    pub(crate) start: Vec<f64>,
    /// Derivatives of the equations with the jets held.
    pub(crate) equations: Vec<f64>,
}

/// Derivatives of consistent jets.
pub(crate) fn derivative_of_jets(
    prolongation: &dyn Prolongation,
    t: f64,
    jets: &[f64],
    direction: &Direction<'_>,
) -> Result<Vec<f64>, InitializationError> {
    let description = prolongation.prolongation_description();
    let options = InitializationOptions::default();
    let mut system = System::new(prolongation, t, &options);
    system.linearise(jets);
    let start = |(jet, start): (&Jet, &f64)| if jet.start == Start::Free { 0.0 } else { *start };
    let start: Vec<f64> = description.jets.iter().zip(&direction.start).map(start).collect();
    let mut derivatives = start.clone();
    for stage in stages(description) {
        let unsolved = derivatives.clone();
        let alone = Decomposition::of(description, |s| s == stage);
        if system.solve_linearised(&alone, &direction.equations, &mut derivatives)?.is_none() {
            continue;
        }
        // A later stage restricts an earlier one.
        derivatives = unsolved;
        let jointly = Decomposition::of(description, |s| s <= stage);
        for (j, jet) in description.jets.iter().enumerate() {
            if jet.start == Start::Guess {
                derivatives[j] = start[j];
            }
        }
        if let Some(row) = system.solve_linearised(&jointly, &direction.equations, &mut derivatives)? {
            let jets = description.jacobian.row(row).map(|(j, _)| &description.jets[j]);
            return Err(InitializationError::NotDifferentiable {
                by: direction.name.clone(),
                equation: description.equations[row].name.clone(),
                fixed: jets.filter(|jet| jet.start == Start::Fixed).map(|jet| jet.name.clone()).collect(),
            });
        }
    }
    Ok(derivatives)
}
