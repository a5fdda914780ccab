//! `dae analyze`.
//!
//! In: a model file. Out: its report on stdout; findings about a model that is not well-posed on stderr.

use std::io::Write;

use dae_symbolic::compile::compile;
use dae_symbolic::report::Report;
use dae_symbolic::syntax::to_text;

use super::{AnalyzeArguments, Exit, Source, json, print};

pub(super) fn run(arguments: &AnalyzeArguments) -> Result<Exit, Exit> {
    let source = Source::read(&arguments.model.file)?;
    let (report, findings) = analyze(&source, arguments.model.t0);
    if arguments.json {
        print(&json::text(&report)?)?;
    } else if findings.is_none() {
        print(&report.to_string())?;
    }
    match findings {
        None => Ok(Exit::Success),
        Some(findings) => {
            let _ = write!(std::io::stderr(), "{findings}");
            Ok(Exit::Rejected)
        }
    }
}

/// The report, and what to tell the user if the model is not well-posed.
fn analyze(source: &Source, t0: f64) -> (Report, Option<String>) {
    let (model, places) = match dae_symbolic::read_text(&source.text) {
        Ok(read) => read,
        Err(rejection) => return (Report::unreadable(&rejection), Some(rejection.to_text(source.as_text()))),
    };
    match compile(model.clone(), t0) {
        Ok(compiled) => (Report::compiled(&compiled), None),
        Err(rejected) => {
            let findings = to_text(&rejected.diagnostics, &places, source.as_text());
            (Report::rejected(&model, &rejected), Some(findings))
        }
    }
}
