//! Findings as plain text in the style of rustc: for errors in build scripts, and in models that a macro includes from
//! files.
//!
//! In: findings, the source map, file name and text. Out: text with line, column, the source line and carets.

use super::source::SourceMap;
use crate::diagnostic::{Diagnostic, Diagnostics, Label, Severity};
use crate::origin::Location;
use std::fmt::Write;

/// A text and the name of the file it was read from.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'a> {
    /// Name of the file, as it is to be printed.
    pub file: &'a str,
    /// Its whole content.
    pub text: &'a str,
}

/// All findings, with a blank line between any two and a newline at the end.
pub fn to_text(diagnostics: &Diagnostics, sources: &SourceMap, source: SourceText<'_>) -> String {
    let lines: Vec<&str> = source.text.lines().collect();
    let mut out = String::new();
    for (index, finding) in diagnostics.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        // Writing to a `String` cannot fail.
        let _ = write_finding(&mut out, finding, sources, source.file, &lines);
    }
    out
}

fn write_finding(
    out: &mut String,
    finding: &Diagnostic,
    sources: &SourceMap,
    file: &str,
    lines: &[&str],
) -> std::fmt::Result {
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    writeln!(out, "{severity}[{}]: {}", finding.code, finding.message)?;
    let located = |label: &Label| sources.location(label.origin).map(|location| (location, label.text.clone()));
    let labels: Vec<(Location, String)> = finding.labels.iter().filter_map(located).collect();
    let widest = labels.iter().map(|(location, _)| location.start.line).max().unwrap_or(0);
    let width = widest.to_string().len();
    for (index, (location, text)) in labels.iter().enumerate() {
        let arrow = if index == 0 { "-->" } else { ":::" };
        let (line, column) = (location.start.line, location.start.column);
        writeln!(out, "{:width$}{arrow} {file}:{line}:{column}", "")?;
        writeln!(out, "{:width$} |", "")?;
        let shown = lines.get(line - 1).copied().unwrap_or_default();
        writeln!(out, "{}", format!("{line:width$} | {shown}").trim_end())?;
        let mark = if index == 0 { "^" } else { "-" };
        writeln!(out, "{:width$} | {}", "", marker(*location, shown, mark, text).trim_end())?;
    }
    if !labels.is_empty() && (!finding.notes.is_empty() || finding.help.is_some()) {
        writeln!(out, "{:width$} |", "")?;
    }
    for note in &finding.notes {
        writeln!(out, "{:width$} = note: {note}", "")?;
    }
    if let Some(help) = &finding.help {
        writeln!(out, "{:width$} = help: {help}", "")?;
    }
    Ok(())
}

/// What stands below a source line: blanks up to the place (tabs kept, so that the marks line up), marks under the part
/// of the place that is on its first line, and the text of the label.
fn marker(location: Location, shown: &str, mark: &str, text: &str) -> String {
    let start = location.start.column - 1;
    let indent: String = shown.chars().take(start).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let end = if location.end.line == location.start.line { location.end.column - 1 } else { shown.chars().count() };
    let marks = mark.repeat(end.saturating_sub(start).max(1));
    format!("{indent}{marks} {text}")
}
