//! What a recipe says.
//!
//! In: nothing. Out: [`Recipe`], the type of the last column of the table of forms: which rows a form has, which of the
//! constraints below them it enforces by multipliers and in which metric, and what the runtime adds; or a function that
//! makes the whole form.

use super::selection::{Material, Selection};
use super::{Completion, Form, FormError, Formulation};
use crate::model::Model;

/// Selects the rows of a form, and the constraints below them.
pub(super) type Select = fn(&mut Model, &Material<'_>, &Form) -> Result<Selection, FormError>;
/// Makes a whole form.
pub(super) type Make = fn(&mut Model, &Material<'_>, &Form) -> Result<Formulation, FormError>;

/// How a form is made.
#[derive(Clone, Copy)]
pub(super) struct Recipe {
    pub(super) equations: Equations,
    pub(super) rows: Rows,
    /// The constraints below the rows that are rows too, each with a multiplier.
    pub(super) enforced: Lower,
    pub(super) metric: Metric,
    pub(super) completion: Option<Completion>,
}

/// Where the rows of a form come from.
#[derive(Clone, Copy)]
pub(super) enum Rows {
    /// Equations and derivatives of equations, which this function selects.
    Selected(Select),
    /// This function makes the whole form.
    Own(Make),
}

/// The equations that a form is made from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Equations {
    /// The equations of the text, whatever the structure says.
    OfText,
    /// The equations of the working system with their derivatives, without the unknowns that are aliases or constant.
    Reduced,
}

/// Some of the constraints below the rows of a form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lower {
    Nothing,
    /// The undifferentiated ones: equations of the text, or combinations in their place.
    OfText,
    All,
}

/// In which metric the multipliers of a form project onto the constraints, or in which directions they act.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Metric {
    /// Along the gradients of the constraints.
    Euclidean,
    /// Along the gradients with respect to the highest derivatives alone.
    HighestDerivatives,
    /// Along the gradients in the metric of the leading matrix.
    Mass,
    /// In the directions of the multipliers of the text.
    Multipliers,
    /// In the directions given with the name of the form.
    Given,
    /// In directions that the runtime chooses.
    AtRunTime,
}
