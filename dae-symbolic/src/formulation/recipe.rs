//! The recipe by which each form is made.
//!
//! In: a form. Out: its [`Recipe`], from the table of [`crate::form`]: which rows it has, which of the constraints
//! below them it enforces by multipliers and in which metric, and what the runtime adds; or a function that makes the
//! whole form.

use dae_runtime::state_space::Coordinates;

use super::assemble::stands_for_another;
use super::selection::{Material, Selection};
use super::{Completion, FormError, Formulation, baumgarte, derivative_array, essential, original, reduced};
use crate::form::{Form, for_each_form};
use crate::model::Model;

/// Selects the rows of a form, and the constraints below them.
type Select = fn(&mut Model, &Material<'_>, &Form) -> Result<Selection, FormError>;
/// Makes a whole form.
type Make = fn(&mut Model, &Material<'_>, &Form) -> Result<Formulation, FormError>;

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
    /// The equations of the working system with their derivatives, without unknowns that are equal to others or constant.
    Reduced,
}

/// Some of the constraints below the rows of a form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lower {
    Nothing,
    /// The constraints that are equations of the text.
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
    Told,
    /// In directions that the runtime chooses.
    Chosen,
}

impl Recipe {
    /// Rows of the reduced system.
    fn new(select: Select) -> Self {
        Recipe {
            equations: Equations::Reduced,
            rows: Rows::Selected(select),
            enforced: Lower::Nothing,
            metric: Metric::Euclidean,
            completion: None,
        }
    }

    /// Rows of the text.
    fn of_text(select: Select) -> Self {
        Recipe { equations: Equations::OfText, ..Recipe::new(select) }
    }

    /// A form that a function of its own makes.
    fn own(equations: Equations, make: Make) -> Self {
        Recipe { equations, rows: Rows::Own(make), ..Recipe::new(reduced::index1) }
    }

    /// Index 1 with all constraints, in local coordinates.
    fn in_coordinates(coordinates: Coordinates) -> Self {
        let enforcing = Recipe::new(reduced::index1).enforcing(Lower::All, Metric::Chosen);
        enforcing.completed(Completion::Chart(coordinates))
    }

    fn enforcing(self, enforced: Lower, metric: Metric) -> Self {
        Recipe { enforced, metric, ..self }
    }

    fn completed(self, completion: Completion) -> Self {
        Recipe { completion: Some(completion), ..self }
    }
}

macro_rules! define_recipes {
    ($($(#[$documentation:meta])* $variant:ident $(($choice:ident))?: $name:literal, $sentence:literal => $recipe:tt;)*) => {
        /// The recipe of a form.
        pub(super) fn recipe(form: &Form) -> Recipe {
            match form {
                $(Form::$variant { .. } => $recipe,)*
            }
        }
    };
}

for_each_form!(define_recipes);
