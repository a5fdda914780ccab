//! Findings for the compiler.
//!
//! In: findings and the source map. Out: one `compile_error!` per error, spanning the tokens at fault. A
//! `compile_error!` has one place, so further places become notes, with line and column where these are known.

use super::source::SourceMap;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use std::fmt::Write;

/// `compile_error!`s for all errors among the findings; warnings have no counterpart in a macro and are left out.
pub fn to_compile_errors(diagnostics: &Diagnostics, sources: &SourceMap) -> TokenStream {
    let errors = diagnostics.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| compile_error(&message(finding, sources), sources.spans(finding.origin()))).collect()
}

/// The message that the compiler prints after `error:`.
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
pub(crate) fn compile_error(message: &str, (first, last): (Span, Span)) -> TokenStream {
    let mut message = Literal::string(message);
    message.set_span(last);
    let path = quote_spanned! { first=> ::core::compile_error! };
    let body = quote_spanned! { last=> { #message } };
    quote! { #path #body }
}
