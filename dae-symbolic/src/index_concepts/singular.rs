//! The diagnostic for a singular pencil.
//!
//! In: a model for which the analysis has found no index. Out: if it is linear with constant coefficients and its
//! pencil is singular, a finding with the null vectors: such a system has no solution or infinitely many for given
//! initial values (Hairer & Wanner II, Sect. VII.1, after eq. (1.2)), whatever its right-hand side is. With more
//! equations than unknowns this requires a right null vector.

use super::{NullVectors, null_vectors};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::model::Model;

impl NullVectors {
    /// The meaning of the null vectors, one sentence each.
    fn notes(&self) -> Vec<String> {
        let free = (!self.solution.is_empty()).then(|| {
            let vector = self.solution.join(", ");
            format!("{vector} may be added to any solution, for every function φ(t)")
        });
        let dependent = self.combination.as_ref().map(|c| format!("in the combination {c} all unknowns cancel"));
        free.into_iter().chain(dependent).collect()
    }
}

/// The findings about a rejected model; if its pencil is singular, with the null vectors as notes.
pub fn with_null_vectors(model: &Model, found: Diagnostics) -> Diagnostics {
    let Some(vectors) = null_vectors(model) else { return found };
    let mut notes = vectors.notes();
    let mut list: Vec<Diagnostic> = found.into_iter().collect();
    if let Some(first) = list.first_mut() {
        first.notes.append(&mut notes);
    }
    list.into_iter().collect()
}

/// The finding about a model that was not rejected, if its pencil is singular.
pub fn singular_pencil(model: &Model) -> Option<Diagnostics> {
    let vectors = null_vectors(model)?;
    // Surplus equations always depend on the others, and may follow from them.
    if model.equations.len() > model.unknowns.len() && vectors.solution.is_empty() {
        return None;
    }
    let mut diagnostic = Diagnostic::error(
        Code::SingularPencil,
        "the equations are linear with a singular pencil: no solution is determined, whatever the right-hand sides are",
    )
    .label(model.origin, "");
    diagnostic.notes = vectors.notes();
    let help = "replace one of the equations by one that says something new";
    Some(Diagnostics::from(diagnostic.help(help)))
}
