//! Findings for the compiler.
//!
//! In: findings and the source map. Out: one `compile_error!` per error, spanning the tokens at fault. A
//! `compile_error!` has one place, so further places become notes with their line and column.

use super::source::SourceMap;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use std::fmt::Write;

/// `compile_error!`s for all errors among the findings; warnings have no counterpart in a macro and are left out.
pub fn to_compile_errors(diagnostics: &Diagnostics, sources: &SourceMap) -> TokenStream {
    let errors = diagnostics.iter().filter(|finding| finding.severity == Severity::Error);
    errors.flat_map(|finding| compile_error(finding, sources)).collect()
}

/// The message the compiler prints below `error:`.
fn message(finding: &Diagnostic, sources: &SourceMap) -> String {
    let mut text = format!("[{}] {}", finding.code, finding.message);
    // Writing to a `String` cannot fail.
    for label in finding.labels.iter().skip(1) {
        let _ = match sources.location(label.origin) {
            Some(place) => {
                write!(text, "\n  note: {} (line {}, column {})", label.text, place.start.line, place.start.column)
            }
            None => write!(text, "\n  note: {}", label.text),
        };
    }
    for note in &finding.notes {
        let _ = write!(text, "\n  note: {note}");
    }
    if let Some(help) = &finding.help {
        let _ = write!(text, "\n  help: {help}");
    }
    text
}

/// `::core::compile_error! { "…" }`: the compiler marks everything from the first token's span to the last one's.
fn compile_error(finding: &Diagnostic, sources: &SourceMap) -> Vec<TokenTree> {
    let (first, last) = sources.spans(finding.origin());
    let mut literal = Literal::string(&message(finding, sources));
    literal.set_span(last);
    let mut body = Group::new(Delimiter::Brace, TokenTree::from(literal).into());
    body.set_span(last);
    let mut tokens = Vec::with_capacity(8);
    for word in ["core", "compile_error"] {
        tokens.push(punctuation(':', Spacing::Joint, first));
        tokens.push(punctuation(':', Spacing::Alone, first));
        tokens.push(Ident::new(word, first).into());
    }
    tokens.push(punctuation('!', Spacing::Alone, first));
    tokens.push(body.into());
    tokens
}

fn punctuation(character: char, spacing: Spacing, span: Span) -> TokenTree {
    let mut punct = Punct::new(character, spacing);
    punct.set_span(span);
    punct.into()
}
