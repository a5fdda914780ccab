//! What all parsing functions have in common.
//!
//! In: tokens. Out: the [`Parser`] with its cursor, origins for ranges of tokens, and findings. A parsing function that
//! fails has reported why and returns [`Reported`]; the function that reads statements then skips to the next one.

use super::ast::Expressions;
use super::cursor::{Cursor, Look};
use super::source::SourceMap;
use super::validate;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::origin::Origin;
use proc_macro2::{Delimiter, TokenStream};

/// A failure that has been reported already.
#[derive(Debug)]
pub(super) struct Reported;

pub(super) type Parsed<T> = Result<T, Reported>;

pub(super) struct Parser {
    pub(super) cursor: Cursor,
    pub(super) sources: SourceMap,
    pub(super) expressions: Expressions,
    pub(super) diagnostics: Diagnostics,
    /// Names in statements that could not be read.
    pub(super) doubtful: Vec<String>,
}

impl Parser {
    pub(super) fn new(tokens: TokenStream) -> Self {
        let (cursor, spans) = Cursor::new(tokens);
        Parser {
            cursor,
            sources: SourceMap::new(spans),
            expressions: Expressions::default(),
            diagnostics: Diagnostics::new(),
            doubtful: Vec::new(),
        }
    }

    /// Reports a finding.
    pub(super) fn fail(&mut self, finding: Diagnostic) -> Reported {
        self.diagnostics.push(finding);
        Reported
    }

    /// Origin of the current token; at the end of the text, of the token before it.
    pub(super) fn here(&mut self) -> Origin {
        let at = self.cursor.position();
        match self.cursor.look(0) {
            Look::End => self.before(),
            _ => self.sources.range(at, at),
        }
    }

    /// Origin of the token before the current one.
    pub(super) fn before(&mut self) -> Origin {
        let at = self.cursor.previous();
        self.sources.range(at, at)
    }

    /// Origin of everything from token `start` to the one before the current one.
    pub(super) fn since(&mut self, start: usize) -> Origin {
        self.sources.range(start, self.cursor.previous())
    }

    /// Reports that `expected` was expected instead of the current token.
    pub(super) fn unexpected(&mut self, expected: &str) -> Reported {
        let found = describe(self.cursor.look(0));
        let at = self.here();
        let message = format!("expected {expected}, found {found}");
        self.fail(Diagnostic::error(Code::UnexpectedToken, message).label(at, format!("expected {expected}")))
    }

    /// Moves past the operator `text` or reports that `expected` is missing.
    pub(super) fn expect(&mut self, text: &str, expected: &str) -> Parsed<()> {
        if self.cursor.accept(text) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    /// Moves past an opening bracket and returns the position of its counterpart, or reports that none opens here.
    pub(super) fn expect_open(&mut self, delimiter: Delimiter, expected: &str) -> Parsed<usize> {
        match (self.cursor.look(0) == Look::Open(delimiter), self.cursor.closing()) {
            (true, Some(close)) => {
                self.cursor.advance();
                Ok(close)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    pub(super) fn expect_f64(&mut self) -> Parsed<()> {
        if self.cursor.at_word("f64") {
            self.cursor.advance();
            return Ok(());
        }
        let at = self.here();
        Err(self.fail(validate::type_annotation(at)))
    }
}

/// A token as messages name it.
pub(super) fn describe(look: Look<'_>) -> String {
    let text = match look {
        Look::Word(text) | Look::Literal(text) => text,
        Look::Operator(text) => text,
        Look::Open(Delimiter::Parenthesis) => "(",
        Look::Open(Delimiter::Brace) => "{",
        Look::Open(Delimiter::Bracket) => "[",
        Look::Close(Delimiter::Parenthesis) => ")",
        Look::Close(Delimiter::Brace) => "}",
        Look::Close(Delimiter::Bracket) => "]",
        Look::Open(Delimiter::None) => return "an expression".to_string(),
        Look::Close(Delimiter::None) => return "the end of an expression".to_string(),
        Look::End => return "the end of the text".to_string(),
    };
    format!("`{text}`")
}
