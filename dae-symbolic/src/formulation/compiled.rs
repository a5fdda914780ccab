//! Formulations as programs.
//!
//! In: the model with its analysis, and a form. Out: the formulation, ready to run, with its rows in plain mathematics.

use std::collections::{HashMap, HashSet};

use dae_runtime::contract::Kind;

use super::recipe::Equations;
use super::recipes::recipe;
use super::{Completion, Form, FormError, FormProgram, Formulation, Material, formulate, state_names};
use crate::expr::{Expr, Notation, Symbol, print_with};
use crate::index::{Analysis, generic_rank};
use crate::model::{Model, Numbering};
use crate::program::Derivative;
use crate::prolongation::Prolonged;

/// One formulation, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledForm {
    /// Which formulation it is.
    pub form: Form,
    /// The formulation as data.
    pub formulation: Formulation,
    /// The formulation as programs.
    pub program: FormProgram,
    /// The rows in plain mathematics.
    pub spelled: Vec<String>,
    /// The invariants in plain mathematics.
    pub invariants_spelled: Vec<String>,
    /// The first integrals in plain mathematics.
    pub integrals_spelled: Vec<String>,
    /// The unknowns that are not solved for, in plain mathematics.
    pub eliminated_spelled: Vec<String>,
}

/// The material that the forms of a model are made from.
pub(crate) struct Materials<'a> {
    pub(crate) analysis: &'a Analysis,
    pub(crate) prolonged: &'a Prolonged,
    /// The material of the forms whose rows are equations of the text, not of the structural index reduction.
    pub(crate) text: Material<'a>,
    /// The material of all other forms.
    pub(crate) derived: Material<'a>,
}

impl Materials<'_> {
    /// Makes a form of the model; if a form with the same equations has already been made under another name, its
    /// programs are reused.
    pub(crate) fn compile(
        &self,
        model: &mut Model,
        form: &Form,
        made: &[CompiledForm],
    ) -> Result<CompiledForm, FormError> {
        let material = match recipe(form).equations {
            Equations::OfText => &self.text,
            Equations::Reduced => &self.derived,
        };
        compile_form(model, self.analysis, self.prolonged, material, (form, made))
    }
}

impl CompiledForm {
    /// A copy of the compiled form under the name of another form.
    fn renamed(&self, form: &Form) -> CompiledForm {
        let mut renamed = CompiledForm { form: form.clone(), ..self.clone() };
        renamed.formulation.form = form.clone();
        renamed.program.description.form = form.to_string().into();
        renamed
    }
}

fn compile_form(
    model: &mut Model,
    analysis: &Analysis,
    prolonged: &Prolonged,
    material: &Material<'_>,
    (form, made): (&Form, &[CompiledForm]),
) -> Result<CompiledForm, FormError> {
    let origin = model.origin;
    let refuse = |message: &str| FormError { form: form.clone(), message: message.into(), origin };
    if recipe(form).equations == Equations::Reduced && !analysis.certificate.has_reduction() {
        return Err(refuse("the system Jacobian is singular, so that the constraints to differentiate are not known"));
    }
    let formulation = formulate(model, material, form)?;
    if let Some(same) = made.iter().find(|made| made.formulation.is_same_but_for_name(&formulation)) {
        return Ok(same.renamed(form));
    }
    let residuals: Vec<Expr> = formulation.equations.iter().map(|e| e.residual).collect();
    let leading = Derivative::entries(&mut model.dag, &residuals, |symbol| match symbol {
        Symbol::StateDerivative(state) => Some(state as usize),
        _ => None,
    });
    let rank = generic_rank(model, residuals.len(), &leading);
    let rank = match formulation.completion {
        // Only this many of its differential equations will be chosen.
        Some(Completion::DerivativeArray { .. }) => analysis.certificate.degrees_of_freedom().unwrap_or(0),
        _ => leading_rank(model, &formulation, rank),
    };
    let program = FormProgram::new(model, &formulation, prolonged, rank)
        .map_err(|_| refuse("the members of a family that were left out are unlike the others"))?;
    let names = state_names(model, &formulation).into_iter().collect();
    let states: HashSet<&str> = formulation.unknowns.iter().map(|u| u.name.as_str()).collect();
    let name = |symbol| match (symbol, formulation.symbol_name(model, symbol)) {
        // The derivative of a state whose name is also that of another state.
        (Symbol::StateDerivative(i), rate) if states.contains(rate.as_str()) => {
            format!("d/dt {}", formulation.unknowns[i as usize].name)
        }
        (_, name) => name,
    };
    let spell = |of: &str, residual: Expr| spell(model, of, residual, &names, name);
    let spelled = formulation.equations.iter().map(|e| spell(&e.name, e.residual)).collect();
    let invariants_spelled = formulation.invariants.iter().map(|i| spell(&i.name, i.value)).collect();
    let value = |value: Expr| print_with(&model.dag, value, Notation::Text, &names, name);
    let integrals = formulation.first_integrals.iter();
    let integrals_spelled = integrals.map(|it| format!("{} = {}", it.name, value(it.value))).collect();
    let eliminated_spelled =
        formulation.eliminated.iter().map(|it| format!("{} = {}", it.name, value(it.value))).collect();
    Ok(CompiledForm {
        form: form.clone(),
        formulation,
        program,
        spelled,
        invariants_spelled,
        integrals_spelled,
        eliminated_spelled,
    })
}

/// The rank of $\partial F/\partial y'$; zero where it is not known, as every differential unknown may then be
/// algebraic in disguise. An excerpt gives the rank of the whole model only if none of its differential unknowns is
/// algebraic in disguise.
fn leading_rank(model: &Model, formulation: &Formulation, rank: Option<usize>) -> usize {
    let differential = formulation.unknowns.iter().filter(|u| u.kind == Kind::Differential).map(|u| &u.domain);
    match rank {
        Some(rank) if !model.is_excerpt() => rank,
        Some(rank) if rank == differential.clone().count() => Numbering::of(differential).map_or(0, |it| it.total()),
        Some(_) | None => 0,
    }
}

/// `equation 5: 0 = …`.
pub(crate) fn spell(
    model: &Model,
    name: &str,
    residual: Expr,
    names: &HashMap<Expr, String>,
    symbol: impl Fn(Symbol) -> String,
) -> String {
    format!("{name}: 0 = {}", print_with(&model.dag, residual, Notation::Text, names, symbol))
}
