//! Where a solution slides.
//!
//! In: the surfaces along which a run has slid. Out: for each time that it did, when.

use crate::contract::Name;

/// A time during which a solution slides along a surface across which the equations jump: there the equations on both
/// sides lead back to it, as in dry friction at rest.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Slide {
    /// The switching function that is zero.
    pub switch: Name,
    /// When it begins.
    pub begin: f64,
    /// When it ends; `None` if the run has ended before.
    pub end: Option<f64>,
}
