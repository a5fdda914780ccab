//! Quantities that the text of a model declares not to change along solutions.
//!
//! In: nothing. Out: the contract by which a formulation gives their values and derivatives.

use std::borrow::Cow;

use super::{Name, Pattern};

/// Names of first integrals, and where their gradients are not zero.
#[derive(Clone, Debug, PartialEq)]
pub struct IntegralsDescription {
    /// Their names.
    pub names: Cow<'static, [Name]>,
    /// Pattern of $\partial I/\partial y$: a row for each first integral, entries of $y$ with derivatives only.
    pub jacobian: Pattern,
}

impl IntegralsDescription {
    /// No first integrals.
    pub const NONE: IntegralsDescription = IntegralsDescription {
        names: Cow::Borrowed(&[]),
        jacobian: Pattern { columns: 0, row_starts: Cow::Borrowed(&[0]), column_indices: Cow::Borrowed(&[]) },
    };
}

/// The first integrals $I(t, y)$ of a formulation.
pub trait DeclaredIntegrals {
    /// Names and pattern.
    fn integrals_description(&self) -> &IntegralsDescription;

    /// $I(t, y)$.
    fn integrals(&self, t: f64, y: &[f64], values: &mut [f64]);

    /// $\partial I/\partial y$.
    fn integrals_jacobian(&self, t: f64, y: &[f64], values: &mut [f64]);

    /// $\partial I/\partial t$, with $y$ held.
    fn integrals_jacobian_t(&self, t: f64, y: &[f64], values: &mut [f64]);
}
