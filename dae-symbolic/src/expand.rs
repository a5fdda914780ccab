//! From the body of a `dae!` to Rust items: all that the macro does.
//!
//! In: the tokens the user wrote. Out: the items of [`emit`](crate::emit) with the user's spans where those help (the
//! name of the model wherever it occurs, parameters where they are fields, unknowns where they are methods, paths of
//! Rust functions), or one `compile_error!` per finding and a stub for the model, so that the user sees no other
//! errors.

use std::collections::HashMap;
use std::fmt;

use proc_macro2::{Group, Span, TokenStream, TokenTree, token_stream};

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::emit::{emit, emit_modes, emit_stub};
use crate::form::Form;
use crate::initial_values::contradictions;
use crate::lower::{Rejection, Stub, Text, scalar_model};
use crate::model::Torn;
use crate::modes::compile_modes;
use crate::origin::Origin;
use crate::pipeline::{Compiled, compile, compile_excerpt};
use crate::syntax::{SourceMap, SourceText, compile_error, to_compile_errors, to_text};

/// Time at which the start values of a model hold while it is compiled.
const START: f64 = 0.0;

/// Expands the body of a `dae!`.
pub fn expand(tokens: TokenStream) -> TokenStream {
    let text = match Text::read(tokens) {
        Ok(text) => text,
        Err(rejection) => {
            let Rejection { diagnostics, sources, stub } = *rejection;
            return rejected(&diagnostics, &sources, stub.as_ref());
        }
    };
    match code(&text) {
        Ok(code) => items(&text.sources.located(code), &text.stub, &text.sources),
        Err(mut diagnostics) => {
            diagnostics.sort_by_place(|origin| text.sources.order(origin));
            rejected(&diagnostics, &text.sources, Some(&text.stub))
        }
    }
}

/// Expands a text with the body of a `dae!`, a `.dae` file, to Rust text.
///
/// # Errors
/// If the text has errors: all of them, for a terminal.
pub fn expand_text(source: SourceText<'_>) -> Result<String, ExpansionError> {
    let text =
        Text::read_text(source.text).map_err(|rejection| ExpansionError { message: rejection.to_text(source) })?;
    let sources = &text.sources;
    let spelled = |mut diagnostics: Diagnostics| {
        diagnostics.sort_by_place(|origin| sources.order(origin));
        to_text(&diagnostics, sources, source)
    };
    code(&text)
        .map(|code| sources.located(code))
        .map_err(|diagnostics| ExpansionError { message: spelled(diagnostics) })
}

/// The errors in the text of a model, for a terminal.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExpansionError {
    /// All findings with their places, as rustc would print them.
    pub message: String,
}

impl fmt::Display for ExpansionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The text of [`Display`](fmt::Display), because this is what Rust prints if `main` returns the error.
impl fmt::Debug for ExpansionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for ExpansionError {}

/// The code of a model, from an excerpt of it where that suffices.
fn code(text: &Text) -> Result<String, Diagnostics> {
    if text.variable_count() > 0 {
        return code_of_modes(text);
    }
    let families = text.families(&[])?;
    if let Some(compiled) = compile_excerpt(&families, START)
        && let Ok(text) = emit(&compiled)
    {
        return Ok(text);
    }
    let model = scalar_model(families)?;
    let compiled = compile(model, START).map_err(|rejected| rejected.diagnostics)?;
    let contradictions = contradictions(&compiled);
    if contradictions.has_errors() {
        return Err(contradictions);
    }
    let missing = missing_forms(&compiled);
    if missing.has_errors() {
        return Err(missing);
    }
    emit(&compiled).map_err(|Torn| torn(compiled.model.origin))
}

/// The code of a model with modes.
fn code_of_modes(text: &Text) -> Result<String, Diagnostics> {
    let modes = compile_modes(text, None, START).map_err(|rejected| rejected.diagnostics)?;
    let mut found = contradictions(&modes.start.compiled);
    for it in modes.all() {
        if let Ok(compiled) = it.compiled {
            for finding in missing_forms(compiled).iter() {
                found.push(finding.clone().note(format!("in the mode `{}`", it.name)));
            }
        }
    }
    match found.has_errors() {
        true => Err(found),
        false => emit_modes(modes).map_err(|Torn| torn(Origin::NONE)),
    }
}

fn torn(origin: Origin) -> Diagnostics {
    let message = "a whole model was taken for an excerpt; this is an error of `dae`, please report it";
    Diagnostic::error(Code::InliningTooLarge, message).label(origin, "").into()
}

/// Errors for the forms that the text asks for but the model does not have.
fn missing_forms(compiled: &Compiled) -> Diagnostics {
    let mut found = Diagnostics::default();
    let asked = compiled.model.forms.iter().zip(&compiled.model.form_origins);
    for (form, &origin) in asked {
        let Some(error) = compiled.unavailable.iter().find(|error| error.form == *form) else { continue };
        let finding = Diagnostic::error(Code::MissingForm, error.to_string()).label(origin, "asked for here");
        found.push(match error.origin == Origin::NONE || error.origin == compiled.model.origin {
            true => finding,
            false => finding.label(error.origin, "because of this"),
        });
    }
    found
}

fn rejected(diagnostics: &Diagnostics, sources: &SourceMap, stub: Option<&Stub>) -> TokenStream {
    let mut tokens = to_compile_errors(diagnostics, sources);
    if let Some(stub) = stub {
        tokens.extend(items(&sources.located(emit_stub(stub)), stub, sources));
    }
    tokens
}

/// The tokens of generated text with the spans of the names in it that the user wrote.
fn items(text: &str, known: &Stub, sources: &SourceMap) -> TokenStream {
    match text.parse() {
        Ok(tokens) => respan(tokens, known, sources),
        Err(error) => {
            let message = format!(
                "generated code is not made of Rust tokens ({error}); this is an error of `dae`, please report it"
            );
            compile_error(&message, (Span::call_site(), Span::call_site()))
        }
    }
}

/// A group under construction.
struct Level {
    group: Group,
    rest: token_stream::IntoIter,
    done: Vec<TokenTree>,
}

/// Gives the name of the model and the types and methods derived from it the span of that name, the fields of the model
/// the spans of its parameters, the methods of its solutions those of its unknowns, and Rust functions those of their
/// paths in the text. Everything else keeps the span of the macro call.
fn respan(tokens: TokenStream, known: &Stub, sources: &SourceMap) -> TokenStream {
    let model = sources.spans(known.name.origin).0;
    let fields: HashMap<&str, Span> =
        known.parameters.iter().map(|name| (name.text.as_str(), sources.spans(name.origin).0)).collect();
    let methods: HashMap<&str, Span> =
        known.unknowns.iter().map(|(name, _)| (name.text.as_str(), sources.spans(name.origin).0)).collect();
    let solution = format!("{}Solution", known.name.text);
    let paths: Vec<(Vec<&str>, (Span, Span))> =
        known.paths.iter().map(|path| (segments(&path.text), sources.spans(path.origin))).collect();
    let mut levels: Vec<Level> = Vec::new();
    let (mut rest, mut done) = (tokens.into_iter(), Vec::new());
    loop {
        match rest.next() {
            Some(TokenTree::Group(group)) => {
                let inner = group.stream().into_iter();
                levels.push(Level {
                    group,
                    rest: std::mem::replace(&mut rest, inner),
                    done: std::mem::take(&mut done),
                });
            }
            Some(TokenTree::Ident(mut ident)) => {
                let text = ident.to_string();
                let is_inside = |keyword, name| levels.len() == 1 && ends_in(&levels[0].done, keyword, name);
                if text == known.name.text || is_form_method(&text, &done, &known.forms) {
                    ident.set_span(model);
                } else if let Some(&span) = fields.get(text.as_str()).filter(|_| is_inside("struct", &known.name.text))
                {
                    ident.set_span(span);
                } else if let Some(&span) = methods.get(text.as_str())
                    && is_inside("impl", &solution)
                    && follows_fn(&done)
                {
                    ident.set_span(span);
                } else if let Some((path, spans)) = paths.iter().find(|(path, _)| ends_a_path(&done, &text, path)) {
                    let first = done.len() + 1 - tokens_of(path);
                    done[first..].iter_mut().for_each(|token| token.set_span(spans.0));
                    ident.set_span(spans.1);
                }
                done.push(ident.into());
            }
            Some(other) => done.push(other),
            None => {
                let Some(level) = levels.pop() else { return done.into_iter().collect() };
                let mut group = Group::new(level.group.delimiter(), done.into_iter().collect());
                group.set_span(level.group.span());
                (rest, done) = (level.rest, level.done);
                done.push(group.into());
            }
        }
    }
}

/// Whether the tokens end in the given keyword and name, so that the braces after them contain the fields of a struct
/// or its methods.
fn ends_in(tokens: &[TokenTree], keyword: &str, name: &str) -> bool {
    matches!(tokens, [.., TokenTree::Ident(first), TokenTree::Ident(second)] if first == keyword && second == name)
}

/// The words of a path such as `gas::density`; the first is empty if the path begins with `::`.
fn segments(path: &str) -> Vec<&str> {
    path.split("::").collect()
}

/// The number of tokens of a path: one for each word, and two for each `::`.
fn tokens_of(path: &[&str]) -> usize {
    3 * path.len() - 2 - usize::from(path[0].is_empty())
}

/// Whether the word `last`, after the tokens `before`, completes the given path.
fn ends_a_path(before: &[TokenTree], last: &str, path: &[&str]) -> bool {
    let [parents @ .., name] = path else { return false };
    let Some(first) = (before.len() + 1).checked_sub(tokens_of(path)) else { return false };
    let is_within =
        matches!(before[..first].last(), Some(TokenTree::Punct(punct)) if [':', '.'].contains(&punct.as_char()));
    let mut tokens = before[first..].iter();
    *name == last
        && !is_within
        && parents.iter().all(|parent| {
            let is_word = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word == parent);
            let is_colon = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':');
            (parent.is_empty() || tokens.next().is_some_and(is_word))
                && tokens.next().is_some_and(is_colon)
                && tokens.next().is_some_and(is_colon)
        })
}

/// Whether the next word is the name of a function.
fn follows_fn(before: &[TokenTree]) -> bool {
    matches!(before, [.., TokenTree::Ident(keyword)] if keyword == "fn")
}

/// Whether a word after `fn` names one of the formulations.
fn is_form_method(word: &str, before: &[TokenTree], forms: &[Form]) -> bool {
    follows_fn(before) && forms.iter().any(|form| form.identifier() == word)
}
