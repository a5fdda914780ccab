//! The pipeline, one line per stage.
//!
//! In: a verified model. Out: everything the other end can ask for: the analysis, the formulations as programs, and their
//! spelling. Contracts between the stages:
//!
//! 1. `model`: names are resolved, every symbol is declared, inputs are symbols of their own.
//! 2. `alias::reconcile`: fixed start values of equal unknowns agree. `index::analyse`: the working system is square (redundant equations
//!    are set aside); after this point the offsets hold for it, and the certificate says what is proved. A singular system Jacobian leaves
//!    only the original form.
//! 3. `alias::eliminate`: unknowns that are equal to others or constant occur in no other equation; the original form is made of the
//!    text. `reduce`: differentiated constraints; after this point no expression contains a derivative that the model defines explicitly.
//! 4. `formulation::formulate`: states are chosen; after this point expressions are over states, their derivatives, time,
//!    parameters and inputs.
//! 5. `formulation::FormProgram`: inputs are expanded; after this point nothing refers to the DAG.

use std::collections::HashMap;

use crate::alias::{Eliminated, Elimination, eliminate, reconcile};
use crate::diagnostic::Diagnostics;
use crate::expr::{Expr, Notation, Symbol, print_with};
use crate::externals::{self, InputNeed};
use crate::formulation::{Form, FormEquation, FormError, FormProgram, Formulation, Source, formulate, state_names};
use crate::index::{Analysis, Problem, ProblemKind, analyse, differentiated_kinks, generic_rank};
use crate::model::{Model, derivative_name};
use crate::notions::{singular_pencil, with_null_vectors};
use crate::program::Derivative;
use crate::prolong::Prolonged;
use crate::reduce::{Reduced, reduce};
use crate::spelling::in_notation;
use crate::structure::Structure;
use crate::summary::summary;
use crate::system::System;

/// A constraint that the text implies and does not state.
#[derive(Clone, Debug, PartialEq)]
pub struct HiddenConstraint {
    /// `der(equation 5)`.
    pub name: String,
    /// The equation of the text it comes from, from zero.
    pub equation: usize,
    /// How often that was differentiated.
    pub order: u32,
    /// The right-hand side of `0 = x·u + y·v`.
    pub residual: Expr,
    /// `0 = x·u + y·v`.
    pub text: String,
    /// The same in LaTeX.
    pub latex: String,
}

/// One formulation, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledForm {
    /// Which.
    pub form: Form,
    /// As data.
    pub formulation: Formulation,
    /// As programs.
    pub program: FormProgram,
    /// Its rows in plain mathematics.
    pub spelled: Vec<String>,
}

/// Everything known about a model.
pub struct Compiled {
    /// The model.
    pub model: Model,
    /// Time at which its start values hold.
    pub t0: f64,
    /// Structure, index, certificate.
    pub analysis: Analysis,
    /// Constraints between the states that follow by differentiation.
    pub hidden: Vec<HiddenConstraint>,
    /// The model with the derivatives of its equations.
    pub prolonged: Prolonged,
    /// Their spelling.
    pub prolonged_spelled: Vec<String>,
    /// The formulations the model has.
    pub forms: Vec<CompiledForm>,
    /// Why it does not have the others.
    pub unavailable: Vec<FormError>,
    /// Unknowns that the derived forms do not solve for, because they are equal to others or constant.
    pub eliminated: Vec<Eliminated>,
    /// What the user should know although the model can be used.
    pub warnings: Diagnostics,
    /// What the inputs of the caller must give.
    pub needs: Vec<InputNeed>,
    /// Index, degrees of freedom and hidden constraints in a few lines, for the documentation of generated code.
    pub summary: Vec<String>,
}

/// Why a model does not compile.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The ill-posed part, if that is the reason.
    pub problem: Option<Problem>,
    /// Time at which the start values of the model hold.
    pub t0: f64,
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

impl Rejected {
    fn text(t0: f64, diagnostics: Diagnostics) -> Rejected {
        Rejected { problem: None, t0, diagnostics }
    }
}

/// Runs the pipeline. `t0` is the time at which the model's start values hold.
pub fn compile(mut model: Model, t0: f64) -> Result<Compiled, Rejected> {
    externals::settle_tables(&mut model).map_err(|found| Rejected::text(t0, found))?;
    reconcile(&mut model).map_err(|found| Rejected::text(t0, found))?;
    let analysis = match analyse(&mut model, t0) {
        Ok(analysis) => analysis,
        Err((problem, found)) => {
            let diagnostics = with_null_vectors(&model, found);
            return Err(Rejected { problem: Some(problem), t0, diagnostics });
        }
    };
    if !analysis.certificate.is_regular()
        && let Some(diagnostics) = singular_pencil(&model)
    {
        let (equations, unknowns) = (Vec::new(), Vec::new());
        let problem = Problem { kind: ProblemKind::SingularPencil, equations, unknowns };
        return Err(Rejected { problem: Some(problem), t0, diagnostics });
    }
    let reduced = reduce(&mut model.dag, &analysis.system, &analysis.structure.offsets);
    let smaller = if analysis.certificate.has_reduction() { smaller(&mut model, &analysis) } else { None };
    let hidden = if analysis.certificate.has_reduction() {
        hidden_constraints(&mut model, &analysis, &reduced)
    } else {
        Vec::new()
    };
    let mut forms = Vec::new();
    let mut unavailable = Vec::new();
    for form in Form::ALL {
        let text =
            Working { system: &analysis.system, structure: &analysis.structure, reduced: &reduced, eliminated: &[] };
        let working = match &smaller {
            Some((it, reduced)) if form != Form::Original => {
                Working { system: &it.system, structure: &it.structure, reduced, eliminated: &it.eliminated }
            }
            _ => text,
        };
        match compile_form(&mut model, &analysis, working, form) {
            Ok(compiled) => forms.push(compiled),
            Err(error) => unavailable.push(error),
        }
    }
    let warnings = differentiated_kinks(&mut model, &analysis);
    let programs: Vec<&FormProgram> = forms.iter().map(|form| &form.program).collect();
    let needs = externals::needs(&mut model, &analysis, &programs).map_err(|found| Rejected::text(t0, found))?;
    let prolonged = analysis.prolonged.clone();
    let prolonged_spelled = prolonged_spelled(&model, &analysis);
    let mut compiled = Compiled {
        model,
        t0,
        analysis,
        hidden,
        prolonged,
        prolonged_spelled,
        forms,
        unavailable,
        eliminated: smaller.map_or_else(Vec::new, |(it, _)| it.eliminated),
        warnings,
        needs,
        summary: Vec::new(),
    };
    compiled.summary = summary(&compiled);
    Ok(compiled)
}

/// What a form is made of: the text, or the text without what is equal to something else.
#[derive(Clone, Copy)]
struct Working<'a> {
    system: &'a System,
    structure: &'a Structure,
    reduced: &'a Reduced,
    eliminated: &'a [Eliminated],
}

/// The system without unknowns that are equal to others or constant, if there are any.
fn smaller(model: &mut Model, analysis: &Analysis) -> Option<(Elimination, Reduced)> {
    let elimination = eliminate(model, &analysis.system)?;
    let reduced = reduce(&mut model.dag, &elimination.system, &elimination.structure.offsets);
    Some((elimination, reduced))
}

fn compile_form(
    model: &mut Model,
    analysis: &Analysis,
    working: Working<'_>,
    form: Form,
) -> Result<CompiledForm, FormError> {
    let refuse = |message: &str| FormError { form, message: message.into(), origin: model.origin };
    if form != Form::Original && !analysis.certificate.has_reduction() {
        return Err(refuse("the system Jacobian is singular, so that the constraints to differentiate are not known"));
    }
    let unplaced = refuse("an expression contains a derivative that no state stands for");
    let formulation = formulate(model, working.system, working.structure, working.reduced, working.eliminated, form)?;
    check_independent(model, &formulation)?;
    let residuals: Vec<Expr> = formulation.equations.iter().map(|e| e.residual).collect();
    let leading = Derivative::entries(&mut model.dag, &residuals, |symbol| match symbol {
        Symbol::StateDerivative(state) => Some(state as usize),
        _ => None,
    });
    // Zero where it is not known: then every differential unknown may be algebraic in disguise.
    let rank = generic_rank(model, residuals.len(), &leading).unwrap_or(0);
    let program = FormProgram::new(model, &formulation, &analysis.prolonged, rank).map_err(|_| unplaced)?;
    let names = state_names(model, &formulation).into_iter().collect();
    let name = |symbol| formulation.symbol_name(model, symbol);
    let spell = |e: &FormEquation| spell(model, &e.name, e.residual, &names, name);
    let spelled = formulation.equations.iter().map(spell).collect();
    Ok(CompiledForm { form, formulation, program, spelled })
}

/// $\Phi_y D = \Phi_y \Phi_y^\top$ is nonsingular exactly when the constraints that have a multiplier each are independent.
fn check_independent(model: &mut Model, formulation: &Formulation) -> Result<(), FormError> {
    let multipliers = formulation.unknowns.iter().filter(|u| u.source == Source::Multiplier).count();
    let constraints = &formulation.equations[formulation.equations.len() - multipliers..];
    let values: Vec<Expr> = constraints.iter().map(|e| e.residual).collect();
    let jacobian = Derivative::entries(&mut model.dag, &values, |symbol| match symbol {
        Symbol::State(state) => Some(state as usize),
        _ => None,
    });
    // All at once first: in nearly every model that settles it.
    let rank = |model: &mut Model, count: usize| {
        let rows: Vec<_> = jacobian.iter().filter(|&&(row, ..)| row < count).copied().collect();
        generic_rank(model, count, &rows)
    };
    if multipliers == 0 || rank(model, multipliers) == Some(multipliers) {
        return Ok(());
    }
    let dependent = (1..=multipliers).find(|&count| rank(model, count) != Some(count)).unwrap_or(multipliers);
    let dependent = &constraints[dependent - 1];
    Err(FormError {
        form: formulation.form,
        message: format!("{} is not known to be independent of the constraints before it", dependent.name),
        origin: dependent.origin,
    })
}

/// `equation 5: 0 = …`.
fn spell(
    model: &Model,
    name: &str,
    residual: Expr,
    names: &HashMap<Expr, String>,
    symbol: impl Fn(Symbol) -> String,
) -> String {
    format!("{name}: 0 = {}", print_with(&model.dag, residual, Notation::Text, names, symbol))
}

/// Derivatives of equations that contain no highest derivative: each restricts the consistent states.
fn hidden_constraints(model: &mut Model, analysis: &Analysis, reduced: &Reduced) -> Vec<HiddenConstraint> {
    let offsets = &analysis.structure.offsets;
    let mut hidden = Vec::new();
    for (i, derivatives) in reduced.derivatives.iter().enumerate() {
        // A combination is itself a constraint that the text does not state.
        let stated = usize::from(analysis.system.equations[i].is_text());
        for (order, &residual) in derivatives.iter().enumerate().skip(stated) {
            let orders = crate::system::highest_orders(&model.dag, residual);
            if orders.iter().any(|&(j, order)| order > 0 && order == offsets.unknowns[j]) {
                continue;
            }
            let residual = model.dag.primitive_part(residual);
            let spelled = |notation| {
                let definitions = model.definition_names().into_iter();
                let names = definitions.map(|(e, name)| (e, in_notation(&name, notation))).collect();
                print_with(&model.dag, residual, notation, &names, |s| in_notation(&model.symbol_name(s), notation))
            };
            let equation = &analysis.system.equations[i];
            hidden.push(HiddenConstraint {
                name: derivative_name(&equation.provenance.name(), order as u32),
                equation: equation.text,
                order: order as u32,
                residual,
                text: format!("0 = {}", spelled(Notation::Text)),
                latex: format!("0 = {}", spelled(Notation::Latex)),
            });
        }
    }
    hidden
}

fn prolonged_spelled(model: &Model, analysis: &Analysis) -> Vec<String> {
    let equations = analysis.prolonged.residuals.iter().zip(analysis.prolonged.description.equations.iter());
    let names = model.definition_names().into_iter().collect();
    equations.map(|(&f, e)| spell(model, &e.name, f, &names, |s| model.symbol_name(s))).collect()
}
