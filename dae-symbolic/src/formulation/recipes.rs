//! The recipe by which each form is made.
//!
//! In: a form. Out: its [`Recipe`], from the table of [`crate::form`].

use dae_runtime::state_space::Coordinates;

use super::recipe::{Equations, Lower, Make, Metric, Recipe, Rows, Select};
use super::selection::Material;
use super::{Completion, Form, FormError, Formulation, baumgarte, derivative_array, essential, original, reduced};
use crate::form::for_each_form;
use crate::model::Model;

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

    /// A form made by a function of its own.
    fn own(equations: Equations, make: Make) -> Self {
        Recipe { equations, rows: Rows::Own(make), ..Recipe::new(reduced::index1) }
    }

    /// Index 1 with all constraints, in local coordinates.
    fn in_coordinates(coordinates: Coordinates) -> Self {
        let enforcing = Recipe::new(reduced::index1).enforcing(Lower::All, Metric::AtRunTime);
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

/// The recipe of a form that only stands for another one.
fn stands_for_another(model: &mut Model, _: &Material<'_>, form: &Form) -> Result<Formulation, FormError> {
    let message = "it stands for another one".into();
    Err(FormError { form: form.clone(), message, origin: model.origin })
}
