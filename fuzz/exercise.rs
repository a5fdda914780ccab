//! One input through everything that reads a model.
//!
//! In: any text. Out: what it reaches; a panic is a finding. Shared by the example `fuzz`, the target of `cargo fuzz` and the test that
//! repeats what was found.

use std::collections::BTreeSet;

use dae_symbolic::compile::compile;
use dae_symbolic::emit::emit;
use dae_symbolic::formulation::Form;
use dae_symbolic::index::Verdict;
use dae_symbolic::read_text;
use dae_symbolic::report::Report;
use dae_symbolic::syntax::{SourceText, to_text};

/// How far a text gets, and what is said about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reached {
    /// It is no model: the codes of the findings.
    Unreadable(BTreeSet<&'static str>),
    /// It is ill-posed: codes and kind of problem.
    Rejected(BTreeSet<&'static str>, &'static str),
    /// It is analysed without a certificate: the reason without its details, and the formulations there are.
    Analysed(String, Vec<&'static str>),
    /// It has an index or an upper bound: that, the reason for the bound, whether equations were combined, and the formulations.
    Certified(u32, String, bool, Vec<&'static str>),
}

#[allow(dead_code, reason = "not every user of this file counts")]
impl Reached {
    /// Whether the model can be used.
    pub(crate) fn is_accepted(&self) -> bool {
        matches!(self, Reached::Analysed(..) | Reached::Certified(..))
    }

    /// The number of the variant.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Reached::Unreadable(_) => 0,
            Reached::Rejected(..) => 1,
            Reached::Analysed(..) => 2,
            Reached::Certified(..) => 3,
        }
    }
}

/// Reads, analyses, formulates, emits and reports.
pub(crate) fn exercise(text: &str) -> Reached {
    let source = SourceText { file: "model.dae", text };
    let (model, sources) = match read_text(text) {
        Ok(read) => read,
        Err(rejection) => {
            let printed = rejection.to_text(source);
            let report = Report::unreadable(&rejection).to_string();
            assert!(!printed.is_empty() && !report.is_empty(), "a rejection says why");
            return Reached::Unreadable(rejection.diagnostics.iter().map(|finding| finding.code.text()).collect());
        }
    };
    let compiled = match compile(model.clone(), 0.0) {
        Ok(compiled) => compiled,
        Err(rejected) => {
            let printed = to_text(&rejected.diagnostics, &sources, source);
            let report = Report::rejected(&model, &rejected).to_string();
            assert!(!printed.is_empty() && !report.is_empty(), "a rejection says why");
            let codes = rejected.diagnostics.iter().map(|finding| finding.code.text()).collect();
            return Reached::Rejected(codes, rejected.problem.map_or("none", |problem| problem.kind.name()));
        }
    };
    let report = Report::compiled(&compiled).to_string();
    let code = emit(&compiled, &Form::ALL).unwrap_or_default();
    // Lexing all generated code would take most of the time; one in eight shows what there is to see.
    if text.len().is_multiple_of(8) {
        assert!(code.parse::<proc_macro2::TokenStream>().is_ok(), "generated code is made of Rust tokens");
    }
    assert!(!report.is_empty(), "a report says something");
    let forms = compiled.forms.iter().map(|form| form.form.name()).collect();
    let rewritten = !compiled.analysis.rewrites.is_empty();
    // The first words tell the reasons apart; what follows are names and numbers.
    let words =
        |reason: &str| reason.split(|c: char| c.is_ascii_digit() || c == '`' || c == ':').next().map(String::from);
    match compiled.analysis.certificate.verdict() {
        Verdict::Exact(index) => Reached::Certified(index, String::new(), rewritten, forms),
        Verdict::AtMost { bound, reason } => {
            Reached::Certified(bound, words(&reason).unwrap_or_default(), rewritten, forms)
        }
        Verdict::NotCertified { reason } => Reached::Analysed(words(&reason).unwrap_or_default(), forms),
    }
}
