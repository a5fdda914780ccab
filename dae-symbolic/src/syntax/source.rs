//! The table from each [`Origin`] to the tokens that it stands for.
//!
//! In: the spans of all tokens and the ranges of tokens to which the parser gave origins. Out: spans for
//! compiler messages, lines and columns for terminal messages, and the order of places in the text.

use crate::origin::{Location, Origin, Position};
use proc_macro2::Span;

/// Spans of the tokens a model was read from, and the ranges of tokens that origins stand for.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// The spans in which each token starts and ends: that of its first and of its last character for an operator, the
    /// same one twice for any other token.
    spans: Vec<(Span, Span)>,
    ranges: Vec<(u32, u32)>,
    /// The path of the crate `dae` in generated code, if the model gives one: `#[dae(crate = path)]`.
    pub(super) crate_path: Option<String>,
}

impl SourceMap {
    pub(super) fn new(spans: Vec<(Span, Span)>) -> Self {
        SourceMap { spans, ranges: Vec::new(), crate_path: None }
    }

    /// Generated code with the path of the crate `dae` that the model gives, if it gives one.
    pub fn located(&self, code: String) -> String {
        match &self.crate_path {
            Some(path) => code.replace("::dae::__private", &format!("{path}::__private")),
            None => code,
        }
    }

    /// An origin for the tokens `first..=last`.
    pub(super) fn range(&mut self, first: usize, last: usize) -> Origin {
        let origin = Origin::new(self.ranges.len() as u32);
        self.ranges.push((first as u32, last.max(first) as u32));
        origin
    }

    /// An origin for a span that is not that of a token in the list.
    pub(super) fn foreign(&mut self, span: Span) -> Origin {
        self.spans.push((span, span));
        let token = self.spans.len() - 1;
        self.range(token, token)
    }

    fn tokens(&self, origin: Origin) -> Option<(u32, u32)> {
        self.ranges.get(origin.index()?).copied()
    }

    /// The spans in which `origin` starts and ends; those of the call site if it has no tokens.
    pub fn spans(&self, origin: Origin) -> (Span, Span) {
        let call_site = (Span::call_site(), Span::call_site());
        let token = |token: u32| self.spans.get(token as usize).copied().unwrap_or(call_site);
        self.tokens(origin).map_or(call_site, |(first, last)| (token(first).0, token(last).1))
    }

    /// The lines and columns where `origin` starts and ends; `None` if it has no tokens, or their spans have no lines.
    pub fn location(&self, origin: Origin) -> Option<Location> {
        self.tokens(origin)?;
        let (first, last) = self.spans(origin);
        let (start, end) = (position(first.start()), position(last.end()));
        (start.line > 0).then_some(Location { start, end: end.max(start) })
    }

    /// A key that sorts origins in the order of the text, those without tokens last.
    pub fn order(&self, origin: Origin) -> (u32, u32) {
        self.tokens(origin).unwrap_or((u32::MAX, u32::MAX))
    }

    /// Whether token `second` starts on a later line than token `first` ends.
    pub(super) fn on_later_line(&self, first: usize, second: usize) -> bool {
        match (self.spans.get(first), self.spans.get(second)) {
            (Some((_, first)), Some((second, _))) => first.end().line < second.start().line,
            _ => false,
        }
    }
}

fn position(at: proc_macro2::LineColumn) -> Position {
    Position { line: at.line, column: at.column + 1 }
}
