//! Options of an initialisation.
//!
//! In: nothing. Out: how long, and how exactly.

/// Options of an initialisation.
#[derive(Clone, Debug, PartialEq)]
pub struct InitializationOptions {
    /// Upper bound on the number of Gauss–Newton steps per stage.
    pub max_iterations: usize,
    /// Relative size up to which the residual of an equation in which all unknowns are fixed counts as rounding error of the fixed values.
    pub consistency: f64,
}

impl Default for InitializationOptions {
    fn default() -> Self {
        InitializationOptions { max_iterations: 100, consistency: 1e-11 }
    }
}
