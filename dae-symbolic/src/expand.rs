//! The body of a `dae!` to Rust items: all that the macro does.
//!
//! In: the tokens the user wrote. Out: the items of [`emit`](crate::emit) with the user's spans where those help (the name of the
//! model wherever it occurs, the parameters where they are fields), or one `compile_error!` per finding and a stand-in for the
//! model, so that nothing else in the user's crate turns red.

use std::collections::HashMap;

use proc_macro2::{Group, Span, TokenStream, TokenTree, token_stream};

use crate::compile::{self, Rejected};
use crate::diagnostic::Diagnostics;
use crate::emit::{emit, emit_stub};
use crate::formulation::Form;
use crate::freedom::contradictions;
use crate::lower::{Rejection, Stub, read, read_text};
use crate::model::{Domain, Model};
use crate::syntax::{SourceMap, SourceText, ast, to_compile_errors, to_text};

/// Time at which the start values of a model hold while it is compiled.
const START: f64 = 0.0;

/// Expands the body of a `dae!`.
pub fn expand(tokens: TokenStream) -> TokenStream {
    let (model, sources) = match read(tokens) {
        Ok(read) => read,
        Err(rejection) => {
            let Rejection { diagnostics, sources, stub } = *rejection;
            return rejected(&diagnostics, &sources, stub.as_ref());
        }
    };
    let known = Stub::of_model(&model);
    match compile::compile(model, START) {
        Ok(compiled) => {
            let contradictions = contradictions(&compiled);
            if contradictions.has_errors() {
                return rejected(&contradictions, &sources, Some(&known));
            }
            items(&sources.located(emit(&compiled, &Form::ALL)), &known, &sources)
        }
        Err(Rejected { diagnostics, .. }) => rejected(&diagnostics, &sources, Some(&known)),
    }
}

/// Expands a text with the body of a `dae!`, a `.dae` file, to Rust text.
///
/// # Errors
/// What is wrong with it, as rustc would print it.
pub fn expand_text(source: SourceText<'_>) -> Result<String, String> {
    let (model, sources) = read_text(source.text).map_err(|rejection| rejection.to_text(source))?;
    let spelled = |diagnostics: &Diagnostics| to_text(diagnostics, &sources, source);
    let compiled = compile::compile(model, START).map_err(|rejected| spelled(&rejected.diagnostics))?;
    let contradictions = contradictions(&compiled);
    if contradictions.has_errors() {
        return Err(spelled(&contradictions));
    }
    Ok(sources.located(emit(&compiled, &Form::ALL)))
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
            format!("::core::compile_error! {{ {message:?} }}").parse().unwrap_or_default()
        }
    }
}

impl Stub {
    fn of_model(model: &Model) -> Self {
        // Elements of an array have the name of the array with indices; the first of them stands for it.
        let base = |text: &str| text.split('[').next().unwrap_or_default().to_string();
        let name = |text: &str, origin| ast::Name { text: base(text), origin };
        let first = |domain: &Domain| domain.member.as_ref().is_none_or(|m| m.indices.iter().all(|i| *i == 0));
        let parameters = || model.parameters.iter().filter(|p| first(&p.domain));
        let arrays = parameters().filter(|p| !p.domain.extents.is_empty());
        Stub {
            arrays: arrays.map(|p| (base(&p.name), p.domain.extents.clone())).collect(),
            name: name(&model.name, model.origin),
            visibility: model.visibility.clone(),
            parameters: parameters().map(|p| name(&p.name, p.origin)).collect(),
            inputs: model.supplied_inputs().into_iter().map(|(k, text)| name(&text, model.inputs[k].origin)).collect(),
            unknowns: model.unknowns.iter().filter(|u| first(&u.domain)).map(|u| name(&u.name, u.origin)).collect(),
        }
    }
}

/// A group under way.
struct Level {
    group: Group,
    rest: token_stream::IntoIter,
    done: Vec<TokenTree>,
}

/// Gives the name of the model and the types and methods derived from it the span of that name, and the fields of the
/// model the spans of its parameters. Everything else keeps the span of the macro call.
fn respan(tokens: TokenStream, known: &Stub, sources: &SourceMap) -> TokenStream {
    let model = sources.spans(known.name.origin).0;
    let fields: HashMap<&str, Span> =
        known.parameters.iter().map(|name| (name.text.as_str(), sources.spans(name.origin).0)).collect();
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
                let is_field = || levels.len() == 1 && starts_model(&levels[0].done, &known.name.text);
                if text == known.name.text || is_form_method(&text, &done) {
                    ident.set_span(model);
                } else if let Some(&span) = fields.get(text.as_str()).filter(|_| is_field()) {
                    ident.set_span(span);
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

/// Whether the tokens end in `struct Name`, so that what follows in braces are the fields of the model.
fn starts_model(tokens: &[TokenTree], name: &str) -> bool {
    matches!(tokens, [.., TokenTree::Ident(keyword), TokenTree::Ident(named)] if keyword == "struct" && named == name)
}

/// Whether a word after `fn` names one of the formulations.
fn is_form_method(word: &str, before: &[TokenTree]) -> bool {
    let named = matches!(before, [.., TokenTree::Ident(keyword)] if keyword == "fn");
    named && Form::ALL.iter().any(|form| form.name() == word)
}
