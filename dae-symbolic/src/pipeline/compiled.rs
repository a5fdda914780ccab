//! What the pipeline finds.
//!
//! In: the results of all stages. Out: [`Compiled`], everything known about a model; or why it does not compile
//! ([`Rejected`]).

use super::forms::Reductions;
use crate::alias::Eliminated;
use crate::boundary::BoundaryProblem;
use crate::diagnostic::Diagnostics;
use crate::expr::Expr;
use crate::external_functions::InputNeed;
use crate::first_integrals::FirstIntegral;
use crate::formulation::{CompiledForm, FormError, LieProgram, Materials};
use crate::index::{Analysis, Problem};
use crate::model::Model;
use crate::prolongation::Prolonged;
use crate::recommendation::{Recommendation, recommend};

/// A constraint that the text implies but does not state.
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
    /// The invariants that the text declares, with what is known about them.
    pub first_integrals: Vec<FirstIntegral>,
    /// The boundary conditions, if the model has any.
    pub boundary: Option<BoundaryProblem>,
    /// Constraints between the states that follow by differentiation.
    pub hidden: Vec<HiddenConstraint>,
    /// The model with the derivatives of its equations.
    pub prolonged: Prolonged,
    /// The equations of the prolongation as text.
    pub prolonged_spelled: Vec<String>,
    /// The initial equations as text: `initial equation 1: 0 = x + y - 3`.
    pub initial_spelled: Vec<String>,
    /// The formulations the model has.
    pub forms: Vec<CompiledForm>,
    /// Why the model does not have the other formulations.
    pub unavailable: Vec<FormError>,
    /// The recommended formulation, if the text asks for it.
    pub recommended: Option<Recommendation>,
    /// Unknowns that the derived forms do not solve for, because they are equal to others or constant.
    pub eliminated: Vec<Eliminated>,
    /// Warnings about a model that can be used nevertheless.
    pub warnings: Diagnostics,
    /// The requirements on the inputs of the caller.
    pub needs: Vec<InputNeed>,
    /// The model as an equation on a Lie group, if its unknowns are one matrix on it.
    pub lie: Option<LieProgram>,
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
    pub fn recommendation(&self) -> Recommendation {
        let mut model = self.model.clone();
        let reductions = Reductions::of(&mut model, &self.analysis);
        let advised = |materials: &Materials<'_>| recommend(&mut model, materials, &self.forms);
        reductions.with_materials(&self.analysis, &self.prolonged, self.t0, &self.first_integrals, advised)
    }
}

impl Rejected {
    pub(super) fn text(t0: f64, diagnostics: Diagnostics) -> Rejected {
        Rejected { problem: None, t0, diagnostics }
    }
}
