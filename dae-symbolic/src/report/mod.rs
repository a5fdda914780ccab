//! What is known about a model, as data to be read by people and programs.
//!
//! In: a compiled model, or the reason why there is none. Out: a [`Report`]. Its [`Display`](std::fmt::Display) is for
//! people; with the feature `serde` it can be serialised, and the names of its fields are a promise to programs that
//! read them. Fields that do not apply are `None` or empty; equations are counted from 1 as in messages; residues of
//! the prime field are decimal strings, because they exceed what readers of JSON keep exactly.
//!
//! `structural_*` and `offsets` belong to the pattern of the text as written; `differentiation_index`,
//! `index_upper_bound` and `degrees_of_freedom` are what the certificate supports, for the first-order form, in which
//! an unknown that occurs with derivatives up to order $p$ counts as $\max(p, 1)$ states.
//!
//! The fields of [`Report`] are the keys of `dae analyze --json`, each with its type and meaning. Nested objects:
//!
//! | key | object |
//! |---|---|
//! | `derivations[]` | [`DerivationReport`] with its `kind`: [`MechanicsReport`] ([`EntryReport`]), [`HamiltonianReport`], [`OptimalControlReport`] ([`PathConstraintReport`], [`BoundaryReport`]), [`LieGroupReport`] |
//! | `cases[]` | [`CaseReport`] |
//! | `notions` | [`IndexConceptsReport`]: `kronecker` ([`KroneckerReport`]), `frozen` ([`FrozenReport`]), reasons, warnings |
//! | `rewrites[]` | [`RewriteReport`] |
//! | `offsets`, `certificate.offsets` | [`OffsetsReport`] |
//! | `certificate` | [`CertificateReport`]: `generic` ([`GenericReport`], [`PointValue`]), `local` ([`LocalReport`]), `lower` ([`LowerReport`]), `array` ([`ArrayReport`], [`RanksReport`]) |
//! | `hidden_constraints[]` | [`HiddenReport`] |
//! | `invariants[]` | [`InvariantReport`] |
//! | `boundary` | [`BoundaryProblemReport`]: `conditions[]` ([`ConditionReport`]) |
//! | `events[]` | [`EventReport`] |
//! | `modes[]` | [`ModeReport`]: `changes[]` ([`ModeChangeReport`]) |
//! | `initial_values` | [`InitialReport`]: `states[]` ([`StateReport`]), `choices[]` ([`ChoiceReport`]), `redundant[]` ([`RedundantReport`]) |
//! | `definitions[]`, `eliminated[]`, `forms[]` | [`DefinitionReport`], [`EliminatedReport`], [`FormReport`] |
//! | `recommendation` | [`RecommendationReport`]: `measures` ([`Measures`](crate::recommendation::Measures)), `conditioning` ([`Conditioning`](crate::recommendation::Conditioning)) |
//! | `problem` | [`ProblemReport`] |

mod array;
mod cases;
mod certificate;
mod chains;
mod contents;
mod derivation;
mod document;
mod evidence;
mod facts;
mod families;
mod formulations;
mod html;
mod index_concepts;
mod initial;
mod latex;
mod lie_group;
mod listing;
mod mathematics;
mod modes;
mod no_consistent_point;
mod parts;
mod picture;
mod recommendation;
mod rewrite;
mod sentences;
mod text;

pub use array::{ArrayReport, RanksReport};
pub use cases::CaseReport;
pub use certificate::{CertificateReport, GenericReport, LocalReport, LowerReport, PointValue};
pub use contents::Report;
pub use derivation::{
    BoundaryReport, DerivationReport, EntryReport, HamiltonianReport, MechanicsReport, OptimalControlReport,
    PathConstraintReport,
};
pub use index_concepts::{FrozenReport, IndexConceptsReport, KroneckerReport};
pub use initial::{ChoiceReport, InitialReport, RedundantReport, StateReport};
pub use lie_group::LieGroupReport;
pub use modes::{ModeChangeReport, ModeReport};
pub use parts::{
    BoundaryProblemReport, ConditionReport, DefinitionReport, EliminatedReport, EventReport, FormReport, HiddenReport,
    InvariantReport, OffsetsReport, ProblemReport,
};
pub use recommendation::RecommendationReport;
pub use rewrite::RewriteReport;

use crate::spelling::names::Markup;
use document::Document;
use listing::Listing;
use no_consistent_point::no_consistent_point;

use crate::diagnostic::Diagnostics;
use crate::expr::{Notation, print_with};
use crate::index::{Problem, ProblemKind, Verdict, structure_of_text};
use crate::index_concepts::{IndexConcepts, Kronecker, Weierstrass, examine};
use crate::initial_values::{contradictions, initial_values};
#[cfg(feature = "syntax")]
use crate::lower::Rejection;
use crate::model::Model;
#[cfg(feature = "syntax")]
use crate::modes::MultiMode;
#[cfg(feature = "syntax")]
use crate::origin::Origin;
use crate::pipeline::{Compiled, Rejected, definitions_in};
use crate::structure::Structure;
#[cfg(feature = "syntax")]
use crate::syntax::SourceMap;

impl Report {
    /// The report of a model that compiles.
    pub fn compiled(compiled: &Compiled) -> Report {
        let (analysis, model) = (&compiled.analysis, &compiled.model);
        let certificate = &analysis.certificate;
        let discrete = model.unknowns.iter().filter(|unknown| unknown.is_discrete);
        let (differentiation_index, index_upper_bound) = match certificate.verdict() {
            Verdict::Exact(index) => (Some(index), Some(index)),
            Verdict::AtMost { bound, .. } => (None, Some(bound)),
            Verdict::NotCertified { .. } => (None, None),
        };
        let text = Report::of_text(model);
        let hidden_constraints: Vec<HiddenReport> = compiled.hidden.iter().map(HiddenReport::new).collect();
        let eliminated: Vec<EliminatedReport> =
            compiled.eliminated.iter().map(|it| EliminatedReport::new(compiled, it)).collect();
        let listing = text.listing.clone().with_hidden(model, &hidden_constraints);
        let texts = text.equations.iter().chain(hidden_constraints.iter().map(|constraint| &constraint.text));
        let definitions = definitions_in(model, texts.map(String::as_str));
        Report {
            listing: listing.with_eliminated(model, &eliminated).with_definitions(&definitions),
            definitions: definitions.into_iter().map(DefinitionReport::new).collect(),
            sigma_jacobian_singular: analysis.written.jacobian_singular,
            differentiation_index,
            index_upper_bound,
            degrees_of_freedom: certificate.degrees_of_freedom(),
            manifold_dimensions: analysis.manifold_dimensions(),
            explanation: analysis.explanation.clone(),
            rewrites: analysis.rewrites.iter().map(|rewrite| RewriteReport::new(model, rewrite)).collect(),
            redundant_equations: analysis.redundant.iter().map(|&k| model.equation_name(k)).collect(),
            hessenberg: analysis.hessenberg,
            certificate: Some(CertificateReport::new(model, analysis)),
            hidden_constraints,
            invariants: compiled.first_integrals.iter().map(|it| InvariantReport::new(model, it)).collect(),
            boundary: compiled.boundary.as_ref().map(|it| BoundaryProblemReport::new(model, it)),
            initial_equations: compiled.initial_spelled.clone(),
            events: EventReport::all(model),
            discrete_variables: discrete.map(|unknown| unknown.name.clone()).collect(),
            eliminated,
            stand_ins: model.stand_ins(),
            warnings: messages(&compiled.warnings).into_iter().chain(no_consistent_point(compiled)).collect(),
            recommendation: Some(RecommendationReport::new(compiled.recommendation())),
            forms: model.forms.iter().map(|form| FormReport::new(compiled, form)).collect(),
            initial_values: initial_values(compiled).as_ref().map(InitialReport::new),
            problem: contradiction(compiled),
            ..text
        }
        .with_index_concepts(&examine(model, Some(analysis), compiled.t0))
    }

    /// The report with the place of every equation in the text that the model was read from; without places if that of
    /// some equation is not known.
    #[cfg(feature = "syntax")]
    #[must_use]
    pub fn with_places(self, places: &SourceMap) -> Report {
        let start = |&origin: &Origin| places.location(origin).map(|at| [at.start.line, at.start.column]);
        let equation_places: Option<Vec<[usize; 2]>> = self.listing.origins.iter().map(start).collect();
        Report { equation_places: equation_places.unwrap_or_default(), ..self }
    }

    /// The report with what is known about the model in each of its modes; the other parts are about the mode at the start.
    #[cfg(feature = "syntax")]
    #[must_use]
    pub fn with_modes(self, modes: &MultiMode) -> Report {
        Report { modes: ModeReport::all(modes), ..self }
    }

    /// A LaTeX article about a model that compiles.
    pub fn latex(&self, compiled: &Compiled) -> String {
        latex::article(self, &Document::compiled(compiled, Markup::Latex))
    }

    /// A LaTeX article about a model that was rejected.
    pub fn latex_of_text(&self, model: &Model) -> String {
        latex::article(self, &Document::rejected(model, Markup::Latex))
    }

    /// A self-contained HTML page about a model that compiles.
    pub fn html(&self, compiled: &Compiled) -> String {
        html::page(self, &Document::compiled(compiled, Markup::MathMl))
    }

    /// A self-contained HTML page about a model that was rejected.
    pub fn html_of_text(&self, model: &Model) -> String {
        html::page(self, &Document::rejected(model, Markup::MathMl))
    }

    fn with_index_concepts(self, concepts: &IndexConcepts) -> Report {
        let weierstrass = concepts.kronecker.as_ref().and_then(Kronecker::weierstrass);
        Report {
            perturbation_index: concepts.perturbation.as_ref().and_then(|p| p.index),
            kronecker_index: weierstrass.map(Weierstrass::index),
            strangeness_index: concepts.strangeness.as_ref().map(|s| s.index),
            cases: concepts.cases.iter().map(|case| CaseReport::new(case, self.differentiation_index)).collect(),
            notions: IndexConceptsReport::new(concepts, self.differentiation_index, self.problem.is_some()),
            ..self
        }
    }

    /// The report of a model that was rejected.
    pub fn rejected(model: &Model, rejected: &Rejected) -> Report {
        let text = Report::of_text(model);
        let problem = rejected.problem.as_ref();
        // These are models whose pattern has a transversal, and which are rejected because terms cancel: it misleads.
        let cancels = |p: &&Problem| {
            matches!(p.kind, ProblemKind::StructurallySingular | ProblemKind::SingularPencil | ProblemKind::NotUnique)
        };
        let misleading = text.structural_index.and(problem.filter(cancels)).map(|_| true);
        Report {
            sigma_jacobian_singular: misleading,
            problem: Some(ProblemReport {
                kind: problem.map_or(INVALID_TEXT, |p| p.kind.name()),
                equations: problem.map_or_else(Vec::new, |p| p.equations.clone()),
                unknowns: problem.map_or_else(Vec::new, |p| p.unknowns.clone()),
                messages: messages(&rejected.diagnostics),
            }),
            ..text
        }
        .with_index_concepts(&examine(model, None, rejected.t0))
    }

    /// The report of a text that is not a model.
    #[cfg(feature = "syntax")]
    pub fn unreadable(rejection: &Rejection) -> Report {
        let stub = rejection.stub.as_ref();
        Report {
            name: stub.map(|stub| stub.name.text.clone()),
            unknowns: stub
                .map_or_else(Vec::new, |stub| stub.unknowns.iter().map(|(name, _)| name.text.clone()).collect()),
            problem: Some(ProblemReport {
                kind: INVALID_TEXT,
                equations: Vec::new(),
                unknowns: Vec::new(),
                messages: messages(&rejection.diagnostics),
            }),
            ..Report::default()
        }
    }

    /// The part of a report that the text alone determines.
    fn of_text(model: &Model) -> Report {
        let structure = structure_of_text(model);
        let status = match &structure {
            Ok(_) => "ok",
            Err((problem, _)) if problem.kind == ProblemKind::StructurallySingular => "structurally singular",
            Err(_) => "non-square",
        };
        let structure: Option<Structure> = structure.ok();
        let definitions = model.definition_names().into_iter().collect();
        let spelled =
            |residual| print_with(&model.dag, residual, Notation::Text, &definitions, |s| model.symbol_name(s));
        let equations: Vec<String> = model.equations.iter().map(|e| format!("0 = {}", spelled(e.residual))).collect();
        let offsets = structure.as_ref().map(|s| OffsetsReport::new(&s.offsets));
        Report {
            listing: Listing::of_text(model, &equations, offsets.as_ref()),
            name: Some(model.name.clone()),
            unknowns: model.unknowns.iter().map(|unknown| unknown.name.clone()).collect(),
            equations,
            equation_names: (0..model.equations.len()).map(|k| model.equation_name(k)).collect(),
            derivations: DerivationReport::of(model),
            structural_index: structure.as_ref().map(|s| s.structural_index),
            structural_status: Some(status),
            structural_degrees_of_freedom: structure.as_ref().map(|s| s.degrees_of_freedom),
            offsets,
            ..Report::default()
        }
    }
}

/// The problem of fixed start values that contradict the equations; `None` if none do.
fn contradiction(compiled: &Compiled) -> Option<ProblemReport> {
    let found = contradictions(compiled);
    found.has_errors().then(|| ProblemReport {
        kind: "contradictory start values",
        equations: Vec::new(),
        unknowns: Vec::new(),
        messages: messages(&found),
    })
}

/// The kind of problem of a text that is not a model.
const INVALID_TEXT: &str = "invalid text";

fn messages(diagnostics: &Diagnostics) -> Vec<String> {
    diagnostics.iter().map(|finding| format!("{}: {}", finding.code, finding.message)).collect()
}
