//! Passes one input through every stage that reads a model.
//!
//! In: any text, and the output to ask for. Out: how far the text gets; a panic is a finding. Shared by the example
//! `fuzz`, the target of `cargo fuzz`, and the test that repeats the inputs of earlier findings.

use std::collections::BTreeSet;

use dae_runtime::signal::Input;
use dae_runtime::solve::{Integration, Method, Record};
use dae_symbolic::emit::{emit, emit_modes};
use dae_symbolic::form::Form;
use dae_symbolic::index::Verdict;
use dae_symbolic::initial_values::contradictions;
use dae_symbolic::modes::{MultiMode, compile_modes};
use dae_symbolic::pipeline::Compiled;
use dae_symbolic::report::Report;
use dae_symbolic::syntax::{SourceText, to_text};
use dae_symbolic::{Text, expand, read_text};
use proc_macro2::TokenStream;

/// The largest number of equations, and of unknowns, of a model that is analysed. Larger models are only read: their
/// analysis takes long without hanging.
const MAX_SIZE: usize = 200;
/// The largest number of modes of a model that is analysed, whether or not they can be entered.
const MAX_MODES: usize = 6;

/// The output asked for once a model is analysed and formulated. Each costs about as much as the analysis of a small model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "some users of this file ask for everything")]
pub(crate) enum Output {
    /// None: the text is read, and its diagnostics are printed.
    Reading,
    /// The report as text and as data.
    Report,
    /// The report in LaTeX and HTML.
    Pages,
    /// The generated code of all formulations, part of which is checked to consist of Rust tokens.
    Code,
    /// The expansion of the macro, from tokens to tokens.
    Macro,
    /// One formulation in the interpreter: initialisation and a few steps, or events.
    Values,
    /// All of the above.
    Everything,
}

impl Output {
    /// The output that `number` selects: a single one, so that the analysis takes most of the time.
    #[allow(dead_code, reason = "some users of this file ask for everything")]
    pub(crate) fn of(number: u64) -> Output {
        match number % 16 {
            0..5 => Output::Report,
            5..7 => Output::Pages,
            7..11 => Output::Code,
            11 => Output::Macro,
            _ => Output::Values,
        }
    }

    fn wants(self, output: Output) -> bool {
        self == output || self == Output::Everything
    }
}

/// How far a text gets, and what is reported about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reached {
    /// It is not a model: the codes of the diagnostics.
    Unreadable(BTreeSet<&'static str>),
    /// It is a model that was only read.
    Readable,
    /// It is ill-posed: the codes of the diagnostics and the kind of problem.
    Rejected(BTreeSet<&'static str>, &'static str),
    /// It is analysed, but no index is certified: the reason without its details, and the formulations.
    Analysed(String, Vec<String>),
    /// It has a certified index or upper bound of the index: this number, the reason if it is only a bound, whether
    /// equations were combined, and the formulations.
    Certified(u32, String, bool, Vec<String>),
}

#[allow(dead_code, reason = "not every user of this file counts")]
impl Reached {
    /// Whether the model can be used.
    pub(crate) fn is_accepted(&self) -> bool {
        matches!(self, Reached::Analysed(..) | Reached::Certified(..))
    }

    /// The position of the variant, from 0 for unreadable texts to 4 for certified models.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Reached::Unreadable(_) => 0,
            Reached::Readable => 1,
            Reached::Rejected(..) => 2,
            Reached::Analysed(..) => 3,
            Reached::Certified(..) => 4,
        }
    }
}

/// The basic forms, and one of the others, which `number` selects.
fn forms(number: usize) -> Vec<Form> {
    const OTHERS: [&str; 14] = [
        "stabilized(B)",
        "stabilized(unit)",
        "projected(B)",
        "projected(C)",
        "pa",
        "pb",
        "pc",
        "overdetermined",
        "baumgarte(2)",
        "state_space",
        "tangent",
        "underlying",
        "derivative_array",
        "strangeness_free",
    ];
    let other = OTHERS[number % OTHERS.len()].parse::<Form>();
    Form::BASIC.into_iter().chain(other).collect()
}

/// Reads the text, analyses and formulates the model, and produces the requested output.
pub(crate) fn exercise(text: &str, output: Output) -> Reached {
    let source = SourceText { file: "model.dae", text };
    let (model, sources) = match read_text(text) {
        Ok(read) => read,
        Err(rejection) => {
            write_macro(text, output);
            assert!(!rejection.to_text(source).is_empty(), "a rejection says why");
            if output != Output::Reading {
                assert!(!Report::unreadable(&rejection).to_string().is_empty(), "a report says why");
            }
            return Reached::Unreadable(rejection.diagnostics.iter().map(|finding| finding.code.text()).collect());
        }
    };
    if output == Output::Reading || model.equations.len().max(model.unknowns.len()) > MAX_SIZE {
        return Reached::Readable;
    }
    let Ok(read) = Text::read_text(text) else { panic!("a text that has been read is not read again") };
    if read.mode_count() > MAX_MODES {
        return Reached::Readable;
    }
    write_macro(text, output);
    let kept = output.wants(Output::Report) || output.wants(Output::Pages);
    let modes = match compile_modes(&read, Some(&forms(text.len())), 0.0) {
        Ok(modes) => modes,
        Err(rejected) => {
            assert!(!to_text(&rejected.diagnostics, &sources, source).is_empty(), "a rejection says why");
            if kept {
                let report = Report::rejected(&model, &rejected);
                print(&report, output, || (report.latex_of_text(&model), report.html_of_text(&model)));
            }
            let codes = rejected.diagnostics.iter().map(|finding| finding.code.text()).collect();
            return Reached::Rejected(codes, rejected.problem.map_or("none", |problem| problem.kind.name()));
        }
    };
    let compiled = &modes.start.compiled;
    if kept {
        let report = Report::compiled(compiled).with_modes(&modes);
        print(&report, output, || (report.latex(compiled), report.html(compiled)));
    }
    if output.wants(Output::Values) {
        run(&modes, text.len());
    }
    let reached = reached(compiled);
    if output.wants(Output::Code) {
        write(modes, text.len());
    }
    reached
}

/// Expands the text as the macro does, if this is requested and the text consists of Rust tokens.
fn write_macro(text: &str, output: Output) {
    if output.wants(Output::Macro)
        && let Ok(tokens) = text.parse::<TokenStream>()
    {
        assert!(!expand(tokens).is_empty(), "a macro says something");
    }
}

/// The report in the requested format.
fn print(report: &Report, output: Output, pages: impl FnOnce() -> (String, String)) {
    if output.wants(Output::Report) {
        assert!(!report.to_string().is_empty(), "a report says something");
        #[cfg(feature = "serde")]
        assert!(serde_json::to_string(report).is_ok(), "a report is data");
    }
    if output.wants(Output::Pages) {
        let (latex, html) = pages();
        assert!(!latex.is_empty() && !html.is_empty(), "pages say something");
    }
}

/// Generates the code of all formulations. Lexing it would take most of the time, so only the code of about one text in
/// four is checked to consist of Rust tokens.
fn write(modes: MultiMode, number: usize) {
    let is_consistent = contradictions(&modes.start.compiled).is_empty();
    let code = if modes.has_modes() { emit_modes(modes) } else { emit(&modes.start.compiled) };
    let code = code.expect("a whole model tells what all members are like");
    if is_consistent && number.is_multiple_of(4) {
        assert!(code.parse::<TokenStream>().is_ok(), "generated code is made of Rust tokens");
    }
}

/// Integrates one formulation for a few steps, which need not succeed, and evaluates the Jacobians that the integrator
/// does not need.
fn run(modes: &MultiMode, number: usize) {
    let compiled = &modes.start.compiled;
    let Some(form) = compiled.forms.get(number % compiled.forms.len().max(1)) else { return };
    let inputs: Vec<(&str, Input)> = compiled
        .needs
        .iter()
        .map(|need| (need.input.as_str(), Input::with_derivatives(need.order, |t, order| t + order as f64)))
        .collect();
    let Ok(dae) = modes.formulation(&form.form, &inputs) else { return };
    // Events are to occur.
    let has_events = dae.prolongation().declared_events().is_some();
    let (steps, length) = if has_events { (30, 1.0) } else { (4, 0.1) };
    let method = if number.is_multiple_of(2) { Method::Radau5 } else { Method::Bdf };
    let _ = Integration::new(dae.as_ref())
        .method(method)
        .max_steps(steps)
        .record(Record::Steps)
        .run(compiled.t0, compiled.t0 + length);
    let description = dae.description();
    let size = description.unknowns.len();
    let (y, yp) = (vec![0.5; size], vec![-0.5; size]);
    dae.jacobian_p(compiled.t0, &y, &yp, &mut vec![0.0; description.jacobian_p.len()]);
    dae.invariants_jacobian(compiled.t0, &y, &mut vec![0.0; description.invariants_jacobian.len()]);
}

fn reached(compiled: &Compiled) -> Reached {
    let forms = compiled.forms.iter().map(|form| form.form.to_string()).collect();
    let rewritten = !compiled.analysis.rewrites.is_empty();
    // The first words distinguish the reasons; names and numbers follow.
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
