//! Models that a command reads.
//!
//! In: the path of a model file, and a form. Out: the compiled model with its source; or, on stderr, why there is none.

use std::io::Write;
use std::path::Path;
use std::rc::Rc;

use dae_runtime::contract::Dae;
use dae_runtime::signal::Input;
use dae_symbolic::Text;
use dae_symbolic::form::Form;
use dae_symbolic::formulation::FormError;
use dae_symbolic::modes::{MultiMode, NoFormulation, compile_modes, compile_start, formulation_on_entry};
use dae_symbolic::pipeline::{Compiled, compile};
use dae_symbolic::syntax::{SourceText, to_styled_text};

use super::{Exit, ModelArguments, fail, files, tell};

/// The text of a model file.
pub(super) struct Source {
    file: String,
    pub(super) text: String,
}

impl Source {
    pub(super) fn read(path: &Path) -> Result<Source, Exit> {
        let file = path.display().to_string();
        let text = files::read(path, files::MODEL)
            .map_err(|error| fail(Exit::Rejected, format_args!("`{file}` cannot be read: {error}")))?;
        Ok(Source { file, text })
    }

    pub(super) fn as_text(&self) -> SourceText<'_> {
        SourceText { file: &self.file, text: &self.text }
    }
}

/// The largest number of modes that are all analysed before a run; if there are more, each is analysed as the run enters it.
const BEFORE_A_RUN: usize = 100;

/// Which modes are analysed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AnalysedModes {
    /// All that events can enter.
    All,
    /// Each as a run enters it, if there are many.
    AsEntered,
}

/// A compiled model, and its source.
pub(super) struct Loaded {
    pub(super) modes: MultiMode,
    analysed: AnalysedModes,
    source: Source,
    text: Rc<Text>,
}

impl Loaded {
    /// Reads a model and compiles it with a form, which it need not have; prints its warnings, or why it is rejected,
    /// on stderr.
    pub(super) fn read(arguments: &ModelArguments, form: &Form, analysed: AnalysedModes) -> Result<Loaded, Exit> {
        Loaded::compile(arguments, form, analysed).map(Loaded::warned)
    }

    fn compile(arguments: &ModelArguments, form: &Form, analysed: AnalysedModes) -> Result<Loaded, Exit> {
        Loaded::of(&arguments.file, arguments.t0, form, analysed)
    }

    /// Reads a model and compiles it at a time with a form, which it need not have; its warnings are left to the caller.
    pub(super) fn of(file: &Path, t0: f64, form: &Form, analysed: AnalysedModes) -> Result<Loaded, Exit> {
        let source = Source::read(file)?;
        let text = Text::read_text(&source.text).map_err(|rejection| {
            tell(&to_styled_text(&rejection.diagnostics, &rejection.sources, source.as_text()));
            Exit::Rejected
        })?;
        let analysed = if text.mode_count() > BEFORE_A_RUN { analysed } else { AnalysedModes::All };
        let forms = Some(std::slice::from_ref(form));
        let modes = match analysed {
            AnalysedModes::All => compile_modes(&text, forms, t0),
            AnalysedModes::AsEntered => compile_start(&text, forms, t0),
        };
        let modes = modes.map_err(|rejected| {
            tell(&to_styled_text(&rejected.diagnostics, &text.sources, source.as_text()));
            Exit::Rejected
        })?;
        Ok(Loaded { modes, analysed, source, text: Rc::new(text) })
    }

    /// A formulation, interpreted, with inputs.
    pub(super) fn formulation(&self, form: &Form, inputs: &[(&str, Input)]) -> Result<Box<dyn Dae>, NoFormulation> {
        match self.analysed {
            AnalysedModes::All => self.modes.formulation(form, inputs),
            AnalysedModes::AsEntered => formulation_on_entry(&self.text, &self.modes, form, inputs),
        }
    }

    /// The model, in the mode at the start if it has modes.
    pub(super) fn compiled(&self) -> &Compiled {
        &self.modes.start.compiled
    }

    /// Refuses a model with modes.
    pub(super) fn without_modes(self, what: &str) -> Result<Loaded, Exit> {
        match self.modes.has_modes() {
            false => Ok(self),
            true => Err(fail(Exit::Rejected, format_args!("{what} has no modes, and this model has several"))),
        }
    }

    /// Prints the warnings about the model on stderr.
    pub(super) fn warned(self) -> Loaded {
        tell(&to_styled_text(&self.compiled().warnings, &self.text.sources, self.source.as_text()));
        self
    }

    /// Reads a model and compiles it with the form for callers that choose none: GGL, or, with a note on stderr, the
    /// text as it stands if the model does not have that form.
    pub(super) fn read_default(arguments: &ModelArguments) -> Result<Loaded, Exit> {
        let preferred = Loaded::read(arguments, &Form::Ggl, AnalysedModes::AsEntered)?;
        let Some(error) = preferred.compiled().unavailable.first() else { return Ok(preferred) };
        let original = Loaded::compile(arguments, &Form::Original, AnalysedModes::AsEntered)?;
        if original.compiled().forms.is_empty() {
            return Err(preferred.refuse(&Form::Ggl));
        }
        let _ = writeln!(std::io::stderr(), "note: {error}; the text is integrated as it stands, in its original form");
        Ok(original)
    }

    /// Says on stderr why the model does not have the form.
    pub(super) fn refuse(&self, form: &Form) -> Exit {
        let compiled = self.compiled();
        let Some(error) = compiled.unavailable.iter().find(|error| error.form == *form) else {
            return fail(Exit::Rejected, format_args!("no {form} form"));
        };
        let place = self.place(error).map_or_else(String::new, |place| format!("\n  --> {place}"));
        let basic = compile(compiled.model.clone().with_forms(Form::BASIC), compiled.t0);
        let available = basic.map_or_else(|_| Vec::new(), |it| it.forms.iter().map(|f| f.form.to_string()).collect());
        let help = match available.is_empty() {
            true => String::new(),
            false => format!("\n  = help: the model has these forms: {}", available.join(", ")),
        };
        fail(Exit::Rejected, format_args!("{error}{place}{help}"))
    }

    fn place(&self, error: &FormError) -> Option<String> {
        let start = self.text.sources.location(error.origin)?.start;
        Some(format!("{}:{}:{}", self.source.file, start.line, start.column))
    }
}
