//! What a report says.
//!
//! In: nothing. Out: the type [`Report`].

use super::cases::CaseReport;
use super::certificate::CertificateReport;
use super::derivation::DerivationReport;
use super::index_concepts::IndexConceptsReport;
use super::initial::InitialReport;
use super::listing::Listing;
use super::modes::ModeReport;
use super::parts::{
    BoundaryProblemReport, DefinitionReport, EliminatedReport, EventReport, FormReport, HiddenReport, InvariantReport,
    OffsetsReport, ProblemReport,
};
use super::recommendation::RecommendationReport;
use super::rewrite::RewriteReport;

/// Everything known about a model, or its errors.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Report {
    /// Name of the model.
    pub name: Option<String>,
    /// Names of its unknowns.
    pub unknowns: Vec<String>,
    /// Its equations in plain mathematics.
    pub equations: Vec<String>,
    /// The names of the equations: `equation 1` is the first that the text writes down, `equation 4[i = 17]` an
    /// instance of the fourth, and `constraint of lambda` one derived from a block. They are the names in all messages
    /// and all kinds of report.
    pub equation_names: Vec<String>,
    /// The line and column at which each equation begins, from 1; empty if that is not known, see
    /// [`Report::with_places`].
    pub equation_places: Vec<[usize; 2]>,
    /// The definitions of the `let`s and inputs whose names occur in the equations and hidden constraints, or in one
    /// another's definitions.
    pub definitions: Vec<DefinitionReport>,
    /// The descriptions that some of the equations were derived from.
    pub derivations: Vec<DerivationReport>,
    /// The index that the pattern suggests.
    pub structural_index: Option<u32>,
    /// `ok`, `non-square` or `structurally singular`.
    pub structural_status: Option<&'static str>,
    /// The degrees of freedom that the pattern suggests.
    pub structural_degrees_of_freedom: Option<usize>,
    /// Whether the system Jacobian of the pattern is singular, identically or at the start values, so that the pattern
    /// misleads.
    pub sigma_jacobian_singular: Option<bool>,
    /// The index, if it is certified.
    pub differentiation_index: Option<u32>,
    /// The least certified upper bound on the index.
    pub index_upper_bound: Option<u32>,
    /// The dimension of the set of consistent states, if it is certified.
    pub degrees_of_freedom: Option<usize>,
    /// The perturbation index, where it is known; `notions.perturbation` gives the grounds, or the reason why not.
    pub perturbation_index: Option<u32>,
    /// The Kronecker index (index of nilpotency) of a linear system with constant coefficients.
    pub kronecker_index: Option<u32>,
    /// The strangeness index, where it is known.
    pub strangeness_index: Option<u32>,
    /// Conditions on parameters or unknowns on which the index depends.
    pub cases: Vec<CaseReport>,
    /// The grounds of the other notions of index.
    pub notions: IndexConceptsReport,
    /// The dimension of the set of consistent states after 0, 1, … differentiations, up to the index; empty if it was
    /// not computed.
    pub manifold_dimensions: Vec<usize>,
    /// Why the pattern of the text does not give the index, if it does not.
    pub explanation: Option<String>,
    /// Equations that were replaced by combinations, because leading parts cancel.
    pub rewrites: Vec<RewriteReport>,
    /// Names of equations that follow from the others.
    pub redundant_equations: Vec<String>,
    /// Canonical offsets of the pattern.
    pub offsets: Option<OffsetsReport>,
    /// Size of the Hessenberg form, 1, 2 or 3, if the text has one and its index is certified.
    pub hessenberg: Option<u8>,
    /// The proof of the index, with its evidence.
    pub certificate: Option<CertificateReport>,
    /// Constraints that the text implies and does not state.
    pub hidden_constraints: Vec<HiddenReport>,
    /// The invariants that the text declares, with what is known about them.
    pub invariants: Vec<InvariantReport>,
    /// The boundary conditions, if the model has any.
    pub boundary: Option<BoundaryProblemReport>,
    /// The initial equations: `initial equation 1: 0 = x + y - 3`.
    pub initial_equations: Vec<String>,
    /// The events that the text declares.
    pub events: Vec<EventReport>,
    /// The modes of the model, if it has several, the one at the start first.
    pub modes: Vec<ModeReport>,
    /// The discrete variables, which change at events only; each is one of the degrees of freedom.
    pub discrete_variables: Vec<String>,
    /// Inputs of the caller and functions outside the model, for which functions in general position stood in.
    pub stand_ins: Vec<String>,
    /// Consistent initial values, the states that may be given start values, and an assessment of the start values of
    /// the model.
    pub initial_values: Option<InitialReport>,
    /// Warnings about a model that can be used nevertheless.
    pub warnings: Vec<String>,
    /// Unknowns that the derived forms do not solve for, because they are equal to others or constant; they are in the
    /// results nevertheless.
    pub eliminated: Vec<EliminatedReport>,
    /// The recommended form.
    pub recommendation: Option<RecommendationReport>,
    /// The forms that the model asks for, and for those that it does not have the reason.
    pub forms: Vec<FormReport>,
    /// What is wrong with the model.
    pub problem: Option<ProblemReport>,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) listing: Listing,
}
