//! From differentiated constraints to a formulation.
//!
//! In: the model, the material that formulations are made from, and a form. Out: unknowns, rows and invariants over
//! states.

use super::canonical;
use super::classify::classify;
use super::directions::DirectionContext;
use super::layout::Layout;
use super::recipe::{Equations, Lower, Metric, Rows};
use super::recipes::recipe;
use super::selection::{Material, Selection};
use super::{
    Completion, Form, FormError, FormIntegral, FormInvariant, Formulation, NOT_SOLVED, frozen, hamiltonian, multipliers,
};
use crate::expr::{Dag, Expr, Symbol, has_symbol};
use crate::first_integrals::FirstIntegral;
use crate::model::Model;

/// Builds a formulation.
///
/// # Errors
/// If the model has no such form.
pub fn formulate(model: &mut Model, material: &Material<'_>, form: &Form) -> Result<Formulation, FormError> {
    let recipe = recipe(form);
    let select = match recipe.rows {
        Rows::Selected(select) => select,
        Rows::Own(make) => return make(model, material, form),
    };
    let mut selection = match (select(model, material, form)?, recipe.enforced) {
        (selection, Lower::Nothing) => selection,
        (selection, Lower::OfText) => selection.enforce(|row| row.place.1 == 0),
        (selection, Lower::All) => selection.enforce(|_| true),
    };
    let layout = Layout::of(model, material, &selection);
    layout.declare(&mut model.dag);
    let mut formulation = Formulation {
        form: form.clone(),
        unknowns: layout.unknowns(model),
        equations: layout.rows(&mut model.dag, &selection.rows, form)?,
        invariants: Vec::new(),
        first_integrals: Vec::new(),
        eliminated: layout.eliminated(model, material.eliminated),
        completion: recipe.completion,
        hamiltonian: Err(NOT_SOLVED.into()),
    };
    formulation.equations.extend(layout.order_reduction(model));
    let setting = DirectionContext { form, metric: recipe.metric, material, layout: &layout };
    let Selection { enforced, implied, .. } = &mut selection;
    multipliers::keep_independent(model, &setting, enforced, implied)?;
    // Directions that are chosen during a run are not in the rows: classify before the multipliers are appended.
    if recipe.metric == Metric::AtRunTime {
        classify(&model.dag, &mut formulation);
    }
    multipliers::append(model, &setting, &mut formulation, &selection.enforced)?;
    if recipe.metric != Metric::AtRunTime {
        classify(&model.dag, &mut formulation);
    }
    if recipe.equations == Equations::OfText && material.system.equations.iter().any(|equation| !equation.is_text()) {
        weigh_by_pencil(&mut model.dag, &mut formulation, material.index);
    }
    formulation.invariants = invariants(model, &layout, &selection, &formulation);
    if formulation.completion == Some(Completion::Underlying) {
        formulation.hamiltonian = match hamiltonian::structure(model, &formulation) {
            Ok(structure) => Ok(structure),
            Err(reason) => canonical::structure(model, &formulation, reason),
        };
        formulation.first_integrals = first_integrals(model, material, &layout, form)?;
    }
    Ok(formulation)
}

/// The declared first integrals, in states.
fn first_integrals(
    model: &mut Model,
    material: &Material<'_>,
    layout: &Layout,
    form: &Form,
) -> Result<Vec<FormIntegral>, FormError> {
    let origin = model.origin;
    let dag = &mut model.dag;
    let one = |integral: &FirstIntegral| {
        let value = layout.express(dag, integral.value);
        match value.filter(|&value| !has_symbol(dag, value, |s| matches!(s, Symbol::StateDerivative(_)))) {
            Some(value) => Ok(FormIntegral { name: integral.name.clone(), value }),
            None => {
                let message = format!("the invariant `{}` contains a derivative that is no state", integral.name);
                Err(FormError { form: form.clone(), message, origin })
            }
        }
    };
    material.first_integrals.iter().map(one).collect()
}

/// Indices of the unknowns where leading parts of the equations cancel, which the sparsity pattern does not show.
fn weigh_by_pencil(dag: &mut Dag, formulation: &mut Formulation, most: Option<u32>) {
    let residuals: Vec<Expr> = formulation.equations.iter().map(|equation| equation.residual).collect();
    let Some(differentiations) = frozen::differentiations(dag, &residuals) else { return };
    for (unknown, differentiations) in formulation.unknowns.iter_mut().zip(differentiations) {
        let index = (1 + differentiations).min(most.unwrap_or(u32::MAX).max(1));
        unknown.index = u8::try_from(index).unwrap_or(u8::MAX);
    }
}

/// Rows without $y'$ are enforced constraints; lower constraints that can be written in states are implied.
fn invariants(
    model: &mut Model,
    layout: &Layout,
    selection: &Selection,
    formulation: &Formulation,
) -> Vec<FormInvariant> {
    let free_of_rates = |dag: &Dag, value| !has_symbol(dag, value, |s| matches!(s, Symbol::StateDerivative(_)));
    let mut list = Vec::new();
    let rows = match formulation.completion {
        // The rows are solved, not enforced.
        Some(Completion::Underlying) => &[],
        _ => formulation.equations.as_slice(),
    };
    for (row, equation) in rows.iter().enumerate() {
        if free_of_rates(&model.dag, equation.residual) {
            let (name, domain) = (equation.name.clone(), equation.domain.clone());
            let (value, prolonged) = (equation.residual, equation.prolonged);
            list.push(FormInvariant { name, value, row: Some(row), prolonged, domain });
        }
    }
    for row in &selection.implied {
        if let Some(value) = layout.express(&mut model.dag, row.value).filter(|&v| free_of_rates(&model.dag, v)) {
            let (name, domain) = (row.name.clone(), row.domain.clone());
            list.push(FormInvariant { name, value, row: None, prolonged: row.prolonged, domain });
        }
    }
    list
}
