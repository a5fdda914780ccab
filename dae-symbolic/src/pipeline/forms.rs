//! The formulations that a model asks for.
//!
//! In: the model with its analysis. Out: every form it has, ready to run, and why it does not have the others.

use crate::alias::{Elimination, eliminate};
use crate::first_integrals::{FirstIntegral, Setting};
use crate::formulation::{CompiledForm, Form, FormError, Material, Materials, spell};
use crate::index::Analysis;
use crate::index_reduction::{Reduced, reduce};
use crate::model::Model;
use crate::prolongation::Prolonged;
use crate::recommendation::{Recommendation, recommend};
use crate::system::System;

/// A model reduced in both ways: with all its unknowns, and without those that are equal to others or constant.
pub(super) struct Reductions {
    pub(super) reduced: Reduced,
    pub(super) smaller: Option<(Elimination, Reduced)>,
    written: System,
}

impl Reductions {
    pub(super) fn of(model: &mut Model, analysis: &Analysis) -> Reductions {
        let reduced = reduce(&mut model.dag, &analysis.system, &analysis.structure.offsets);
        let smaller = if analysis.certificate.has_reduction() { smaller(model, analysis) } else { None };
        Reductions { reduced, smaller, written: System::of_text(model) }
    }

    /// The equations without eliminated unknowns, for the examination of first integrals.
    pub(super) fn examined<'a>(&'a self, analysis: &'a Analysis, t0: f64) -> Setting<'a> {
        match &self.smaller {
            Some((it, reduced)) => {
                Setting { analysis, structure: &it.structure, reduced, eliminated: &it.eliminated, t0 }
            }
            None => Setting { analysis, structure: &analysis.structure, reduced: &self.reduced, eliminated: &[], t0 },
        }
    }

    /// Calls a function with the material that forms are made from.
    pub(super) fn with_materials<T>(
        &self,
        analysis: &Analysis,
        prolonged: &Prolonged,
        t0: f64,
        first_integrals: &[FirstIntegral],
        f: impl FnOnce(&Materials<'_>) -> T,
    ) -> T {
        let start = |unknown: usize, order: u32| {
            let jets = analysis.jets.as_ref()?;
            jets.get(analysis.prolonged.jet(unknown, order)?).copied()
        };
        let text = Material {
            text: &self.written,
            system: &analysis.system,
            structure: &analysis.structure,
            reduced: &self.reduced,
            eliminated: &[],
            start: &start,
            t0,
            first_integrals,
            index: analysis.sufficient_differentiations(),
        };
        let derived = self.smaller.as_ref().map_or(text, |(it, reduced)| Material {
            system: &it.system,
            structure: &it.structure,
            reduced,
            eliminated: &it.eliminated,
            ..text
        });
        f(&Materials { analysis, prolonged, text, derived })
    }
}

/// The forms that the model asks for, the recommendation if it asks for one, and why it does not have the others.
pub(super) fn all(
    model: &mut Model,
    materials: &Materials<'_>,
) -> (Vec<CompiledForm>, Option<Recommendation>, Vec<FormError>) {
    let (mut forms, mut recommendation, mut unavailable): (Vec<CompiledForm>, _, _) = (Vec::new(), None, Vec::new());
    let mut asked = model.forms.clone();
    // If no form was asked for by name and the usual ones do not exist, the original one is made.
    if model.form_origins.is_empty() && asked == Form::DEFAULT && !materials.analysis.certificate.has_reduction() {
        asked.push(Form::Original);
    }
    for form in asked {
        let wanted = match form {
            Form::Recommended => recommendation.insert(recommend(model, materials, &forms)).form.clone(),
            _ => form.clone(),
        };
        if forms.iter().any(|made| made.form == wanted) {
            continue;
        }
        match materials.compile(model, &wanted, &forms) {
            Ok(compiled) => forms.push(compiled),
            Err(error) if form == wanted => unavailable.push(error),
            Err(FormError { message, origin, .. }) => {
                let message = format!("it would be {wanted}, and there is none: {message}");
                unavailable.push(FormError { form, message, origin });
            }
        }
    }
    (forms, recommendation, unavailable)
}

/// The system without unknowns that are equal to others or constant, if there are any.
fn smaller(model: &mut Model, analysis: &Analysis) -> Option<(Elimination, Reduced)> {
    let elimination = eliminate(model, &analysis.system)?;
    let reduced = reduce(&mut model.dag, &elimination.system, &elimination.structure.offsets);
    Some((elimination, reduced))
}

/// The initial equations as text.
pub(super) fn initial_spelled(model: &Model) -> Vec<String> {
    let names = model.definition_names().into_iter().collect();
    let equations = model.initial_equations.iter();
    equations.map(|it| spell(model, &it.name, it.residual, &names, |s| model.symbol_name(s))).collect()
}

/// The rows of the prolongation.
pub(super) fn prolonged_spelled(model: &Model, prolonged: &Prolonged) -> Vec<String> {
    let equations = prolonged.residuals.iter().zip(prolonged.description.equations.iter());
    let names = model.definition_names().into_iter().collect();
    equations.map(|(&f, e)| spell(model, &e.name, f, &names, |s| model.symbol_name(s))).collect()
}
