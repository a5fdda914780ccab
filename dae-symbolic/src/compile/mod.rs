//! The pipeline, one line per stage.
//!
//! In: a verified model. Out: everything the other end can ask for: the analysis, the formulations as programs, and their
//! spelling. Contracts between the stages:
//!
//! 1. `model`: names are resolved, every symbol is declared, inputs are symbols of their own.
//! 2. `check_values`: defaults and start values are numbers. `alias::reconcile`: fixed start values of equal unknowns agree.
//!    `index::analyse`: the working system is square (redundant equations are set aside); after this point the offsets hold for it, and the
//!    certificate says what is proved. A singular system Jacobian leaves only the original form.
//! 3. `alias::eliminate`: unknowns that are equal to others or constant occur in no other equation; the original form is made of the
//!    text. `index_reduction`: differentiated constraints; after this point no expression contains a derivative that the model defines explicitly.
//! 4. `formulation::formulate`: states are chosen; after this point expressions are over states, their derivatives, time,
//!    parameters and inputs.
//! 5. `formulation::FormProgram`: inputs are expanded; after this point nothing refers to the DAG.

mod definitions;
mod excerpt;
mod forms;
mod hidden;
mod summary;
mod values;

#[cfg(feature = "report")]
pub(crate) use definitions::Named;
pub(crate) use definitions::definitions_in;
pub use excerpt::compile_excerpt;
use forms::Reductions;
use hidden::hidden_constraints;
use summary::summary;
use values::check_values;

use crate::alias::{Eliminated, reconcile};
use crate::diagnostic::Diagnostics;
use crate::expr::Expr;
use crate::external_functions::{self, InputNeed};
use crate::formulation::{CompiledForm, FormError, FormProgram, Materials};
use crate::index::{Analysis, Limits, Problem, ProblemKind, analyse, contradiction, differentiated_kinks};
use crate::index_concepts::{singular_pencil, with_null_vectors};
use crate::model::Model;
use crate::prolongation::{Prolonged, prolong_alike};
use crate::recommendation::{Advice, advise};

/// A constraint that the text implies and does not state.
#[derive(Clone, Debug, PartialEq)]
pub struct HiddenConstraint {
    /// `der(equation 5)`.
    pub name: String,
    /// The equation of the text it comes from, counted from zero.
    pub equation: usize,
    /// The number of times that the equation was differentiated.
    pub order: u32,
    /// The right-hand side of `0 = x·u + y·v`.
    pub residual: Expr,
    /// `0 = x·u + y·v`.
    pub text: String,
    /// The text of the constraint in LaTeX.
    pub latex: String,
}

/// Everything known about a model.
#[derive(Debug)]
pub struct Compiled {
    /// The model.
    pub model: Model,
    /// Time at which the start values of the model hold.
    pub t0: f64,
    /// Structure, index, certificate.
    pub analysis: Analysis,
    /// Constraints between the states that follow by differentiation.
    pub hidden: Vec<HiddenConstraint>,
    /// The model with the derivatives of its equations.
    pub prolonged: Prolonged,
    /// The equations of the prolongation as text.
    pub prolonged_spelled: Vec<String>,
    /// The formulations the model has.
    pub forms: Vec<CompiledForm>,
    /// Why the model does not have the other formulations.
    pub unavailable: Vec<FormError>,
    /// The recommended formulation, if the text asks for it.
    pub recommended: Option<Advice>,
    /// Unknowns that the derived forms do not solve for, because they are equal to others or constant.
    pub eliminated: Vec<Eliminated>,
    /// Warnings about a model that can be used nevertheless.
    pub warnings: Diagnostics,
    /// The requirements on the inputs of the caller.
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
    /// The findings for the user.
    pub diagnostics: Diagnostics,
}

impl Compiled {
    /// The recommended form, and the reason: [`crate::recommendation`].
    pub fn advice(&self) -> Advice {
        let mut model = self.model.clone();
        let reductions = Reductions::of(&mut model, &self.analysis);
        let advised = |materials: &Materials<'_>| advise(&mut model, materials, &self.forms);
        reductions.with_materials(&self.analysis, &self.prolonged, self.t0, advised)
    }
}

impl Rejected {
    fn text(t0: f64, diagnostics: Diagnostics) -> Rejected {
        Rejected { problem: None, t0, diagnostics }
    }
}

/// Runs the pipeline. `t0` is the time at which the model's start values hold.
///
/// # Errors
/// If the model is ill-posed.
pub fn compile(mut model: Model, t0: f64) -> Result<Compiled, Rejected> {
    external_functions::settle_tables(&mut model).map_err(|found| Rejected::text(t0, found))?;
    check_values(&model).map_err(|found| Rejected::text(t0, found))?;
    reconcile(&mut model).map_err(|found| Rejected::text(t0, found))?;
    let limits = Limits::DEFAULT;
    let analysis = match analyse(&mut model, t0, &limits) {
        Ok(analysis) => analysis,
        Err((problem, found)) => {
            let open = problem.kind == ProblemKind::Undecided;
            let most = limits.contradiction.differentiations;
            let shown = if open { contradiction(&mut model, t0, most, &limits.contradiction) } else { None };
            let (problem, found) = shown.unwrap_or((problem, found));
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
    if let Some(most) = analysis.differentiations_in_doubt(&limits.contradiction)
        && let Some((problem, diagnostics)) = contradiction(&mut model, t0, most, &limits.contradiction)
    {
        return Err(Rejected { problem: Some(problem), t0, diagnostics });
    }
    formulated(model, analysis, t0)
}

/// Stages 3 to 5.
fn formulated(mut model: Model, analysis: Analysis, t0: f64) -> Result<Compiled, Rejected> {
    let reductions = Reductions::of(&mut model, &analysis);
    let hidden = hidden_constraints(&mut model, &analysis, &reductions.reduced);
    let prolonged = prolonged(&mut model, &analysis);
    let (forms, recommended, unavailable) =
        reductions.with_materials(&analysis, &prolonged, t0, |materials| forms::all(&mut model, materials));
    let warnings = differentiated_kinks(&mut model, &analysis);
    let programs: Vec<&FormProgram> = forms.iter().map(|form| &form.program).collect();
    let needs =
        external_functions::needs(&mut model, &analysis, &programs).map_err(|found| Rejected::text(t0, found))?;
    let prolonged_spelled = forms::prolonged_spelled(&model, &prolonged);
    let mut compiled = Compiled {
        model,
        t0,
        analysis,
        hidden,
        prolonged,
        prolonged_spelled,
        forms,
        unavailable,
        recommended,
        eliminated: reductions.smaller.map_or_else(Vec::new, |(it, _)| it.eliminated),
        warnings,
        needs,
        summary: Vec::new(),
    };
    compiled.summary = summary(&compiled);
    Ok(compiled)
}

/// The equations for consistent initial values: the derivative array where nothing else is known.
fn prolonged(model: &mut Model, analysis: &Analysis) -> Prolonged {
    if let (false, Some(index)) = (analysis.certificate.has_reduction(), analysis.sufficient_differentiations())
        && let system = analysis.equations_of_text(model)
        && let Ok(array) = prolong_alike(model, &system, index)
    {
        return array;
    }
    analysis.prolonged.clone()
}
