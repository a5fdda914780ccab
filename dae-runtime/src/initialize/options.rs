//! Options of an initialisation.
//!
//! In: nothing. Out: how long to iterate, and how exactly equations have to hold.

/// Options of an initialisation.
#[derive(Clone, Debug, PartialEq)]
pub struct InitializationOptions {
    /// Upper bound on the number of Gauss–Newton steps per stage.
    pub max_iterations: usize,
    /// Size, relative to the terms of an equation, up to which a residual that no step reduces any further counts as
    /// rounding error, for instance of fixed values.
    pub consistency: f64,
}

impl Default for InitializationOptions {
    fn default() -> Self {
        InitializationOptions { max_iterations: 100, consistency: 1e-11 }
    }
}
