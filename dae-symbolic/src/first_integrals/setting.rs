//! What is known about a model when its invariants are examined.
//!
//! In: nothing. Out: the type [`Setting`].

use crate::alias::Eliminated;
use crate::index::Analysis;
use crate::index_reduction::Reduced;
use crate::structure::Structure;

/// What is needed to examine the declared invariants of a model.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The analysis of the model.
    pub analysis: &'a Analysis,
    /// The structure of the equations in `reduced`.
    pub structure: &'a Structure,
    /// The equations of the working system, without the eliminated unknowns, with their derivatives.
    pub reduced: &'a Reduced,
    /// Unknowns that are equal to others or constant.
    pub eliminated: &'a [Eliminated],
    /// The time of the start.
    pub t0: f64,
}
