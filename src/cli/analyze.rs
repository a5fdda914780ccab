//! `dae analyze`.
//!
//! In: a model file. Out: its report on stdout, as text, JSON, LaTeX or HTML, or its blocks as a graph; findings about
//! a model that is not well-posed, or whose fixed start values contradict it, on stderr.

use dae_symbolic::form::Form;
use dae_symbolic::initial_values::contradictions;
use dae_symbolic::model::Model;
use dae_symbolic::modes::{MultiMode, compile_modes};
use dae_symbolic::pipeline::Rejected;
use dae_symbolic::report::Report;
use dae_symbolic::syntax::{SourceMap, to_styled_text};
use dae_symbolic::{Rejection, Text};

use super::loaded::Source;
use super::{AnalyzeArguments, Exit, dot, fail, json, print, tell};

/// The outcome of compiling a model.
enum Outcome {
    /// It has formulations, in every mode that has to be well-posed.
    Compiled(Box<MultiMode>),
    /// It is not well-posed.
    Rejected(Box<Model>, Rejected),
    /// The text is not a model: the report, and a message for the user.
    Unreadable(Box<Report>, String),
}

pub(super) fn run(arguments: &AnalyzeArguments) -> Result<Exit, Exit> {
    let source = Source::read(&arguments.model.file)?;
    let mut places = SourceMap::default();
    let outcome = analyze(&source, arguments.model.t0, &mut places);
    let (report, findings) = outcome.report(&source, &places);
    if let Some(text) = outcome.shown(arguments, &report, findings.is_some())? {
        print(&text)?;
    }
    match findings {
        None => Ok(Exit::Success),
        Some(findings) => {
            tell(&findings);
            Ok(Exit::Rejected)
        }
    }
}

fn analyze(source: &Source, t0: f64, places: &mut SourceMap) -> Outcome {
    let text = match Text::read_text(&source.text) {
        Ok(read) => read,
        Err(rejection) => {
            let findings = to_styled_text(&rejection.diagnostics, &rejection.sources, source.as_text());
            return Outcome::Unreadable(Box::new(Report::unreadable(&rejection)), findings);
        }
    };
    let outcome = match text.model(&text.start()) {
        // If the text asks for none, the forms that need no choices.
        Ok(model) => match compile_modes(&text, model.form_origins.is_empty().then_some(&Form::BASIC), t0) {
            Ok(modes) => Outcome::Compiled(Box::new(modes)),
            Err(rejected) => Outcome::Rejected(Box::new(model), rejected),
        },
        Err(mut diagnostics) => {
            diagnostics.sort_by_place(|origin| text.sources.order(origin));
            let rejection = Rejection { diagnostics, sources: text.sources, stub: Some(text.stub) };
            let findings = to_styled_text(&rejection.diagnostics, &rejection.sources, source.as_text());
            return Outcome::Unreadable(Box::new(Report::unreadable(&rejection)), findings);
        }
    };
    *places = text.sources;
    outcome
}

impl Outcome {
    /// The report, and a message for the user if the model has errors.
    fn report(&self, source: &Source, places: &SourceMap) -> (Report, Option<String>) {
        match self {
            Outcome::Compiled(modes) => {
                let compiled = &modes.start.compiled;
                let found = contradictions(compiled);
                let findings = found.has_errors().then(|| to_styled_text(&found, places, source.as_text()));
                (Report::compiled(compiled).with_modes(modes).with_places(places), findings)
            }
            Outcome::Rejected(model, rejected) => {
                let findings = to_styled_text(&rejected.diagnostics, places, source.as_text());
                (Report::rejected(model, rejected).with_places(places), Some(findings))
            }
            Outcome::Unreadable(report, findings) => ((**report).clone(), Some(findings.clone())),
        }
    }

    /// The report in the format asked for. `None` if there is none: no text report of a model with errors, since the
    /// findings say everything; no graph of a model that is not well-posed; of a text that is not a model, only JSON.
    fn shown(&self, arguments: &AnalyzeArguments, report: &Report, has_findings: bool) -> Result<Option<String>, Exit> {
        if arguments.json {
            return json::text(report).map(Some);
        }
        if arguments.dot {
            let Outcome::Compiled(modes) = self else { return Ok(None) };
            if modes.has_modes() {
                return Ok(Some(dot::modes(modes)));
            }
            let compiled = &modes.start.compiled;
            let without = "the text has no block-triangular form: its equations cannot be paired with its unknowns";
            return dot::text(&compiled.model).map(Some).ok_or_else(|| fail(Exit::Rejected, without));
        }
        if !arguments.latex && !arguments.html {
            return Ok((!has_findings).then(|| report.to_string()));
        }
        Ok(match (self, arguments.latex) {
            (Outcome::Compiled(modes), true) => Some(report.latex(&modes.start.compiled)),
            (Outcome::Compiled(modes), false) => Some(report.html(&modes.start.compiled)),
            (Outcome::Rejected(model, _), true) => Some(report.latex_of_text(model)),
            (Outcome::Rejected(model, _), false) => Some(report.html_of_text(model)),
            (Outcome::Unreadable(..), _) => None,
        })
    }
}
