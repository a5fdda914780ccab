//! Findings for a terminal, with colours, in the style of rustc (by the library `annotate-snippets`).
//!
//! In: findings, the source map, file name and text. Out: text with ANSI styles, which the stream removes where they
//! are not wanted; labels of one line stand below it together, and wide characters count by their width.
//!
//! For the command line alone: the output of the macro and of build scripts becomes a message of the compiler, without
//! styles and without another library to compile (`render_text.rs`).

use super::render_text::SourceText;
use super::source::SourceMap;
use crate::diagnostic::{Diagnostic, Diagnostics, Label, Severity};
use crate::origin::{Location, Position};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use std::ops::Range;

/// All findings, a blank line between them, a newline at the end.
pub fn to_styled_text(diagnostics: &Diagnostics, sources: &SourceMap, source: SourceText<'_>) -> String {
    let lines = Lines::of(source.text);
    let renderer = Renderer::styled();
    let rendered =
        diagnostics.iter().map(|finding| renderer.render(&[group(finding, sources, source.file, &lines)]) + "\n");
    rendered.collect::<Vec<_>>().join("\n")
}

fn group<'a>(finding: &'a Diagnostic, sources: &SourceMap, file: &'a str, lines: &Lines<'a>) -> Group<'a> {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let kinds = std::iter::once(AnnotationKind::Primary).chain(std::iter::repeat(AnnotationKind::Context));
    let annotation = |(label, kind): (&'a Label, AnnotationKind)| -> Option<Annotation<'a>> {
        let place = kind.span(lines.range(sources.location(label.origin)?));
        Some(if label.text.is_empty() { place } else { place.label(&label.text) })
    };
    let annotations: Vec<Annotation<'_>> = finding.labels.iter().zip(kinds).filter_map(annotation).collect();
    let mut group = level
        .primary_title(&finding.message)
        .id(finding.code.text())
        .elements((!annotations.is_empty()).then(|| Snippet::source(lines.text).path(file).annotations(annotations)));
    group = group.elements(finding.notes.iter().map(|note| Level::NOTE.message(note)));
    group.elements(finding.help.iter().map(|help| Level::HELP.message(help)))
}

/// A text and where its lines begin.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(end, _)| end + 1)).collect();
        Lines { text, starts }
    }

    /// The bytes from a place's first character to its last one.
    fn range(&self, location: Location) -> Range<usize> {
        self.byte(location.start)..self.byte(location.end)
    }

    /// Columns count characters, a byte-order mark included.
    fn byte(&self, position: Position) -> usize {
        let start = self.starts.get(position.line - 1).copied().unwrap_or(self.text.len());
        let rest = &self.text[start..];
        start + rest.char_indices().nth(position.column - 1).map_or(rest.len(), |(byte, _)| byte)
    }
}
