//! Tokens in a row.
//!
//! In: a tree of tokens. Out: a flat list with explicit opening and closing tokens, and a position in it. The tree is
//! walked with an explicit stack. Groups without delimiter, which `macro_rules!` puts around what `$e:expr` matched,
//! stay as invisible parentheses unless they hold a single token, which needs none.

use proc_macro2::{Delimiter, Spacing, Span, TokenStream, TokenTree, token_stream};

/// One token.
#[derive(Clone, Debug)]
pub(super) enum Token {
    Word(String),
    Literal(String),
    Punctuation(char, Spacing),
    /// Opens a group that the token at the given position closes.
    Open(Delimiter, usize),
    Close(Delimiter),
}

/// What stands at a position, operators of several characters taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look<'a> {
    Word(&'a str),
    Literal(&'a str),
    Operator(&'static str),
    Open(Delimiter),
    Close(Delimiter),
    End,
}

/// Operators of Rust longer than one character, longest first, and `**`, which people expect.
const COMPOUND: [&str; 24] = [
    "<<=", ">>=", "...", "..=", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "^=", "|=", "&=",
    "**", "->", "=>", "::", "<<", ">>",
];
const RANGE: &str = "..";
const SINGLE: [&str; 24] = [
    "+", "-", "*", "/", "%", "^", "&", "|", "!", "<", ">", "=", "~", ".", ",", ";", ":", "?", "@", "#", "$", "'", "\\",
    "`",
];

/// A position in a flat list of tokens.
#[derive(Debug)]
pub(super) struct Cursor {
    tokens: Vec<Token>,
    position: usize,
}

impl Cursor {
    /// Flattens `stream`; the spans are those of the tokens, one each.
    pub(super) fn new(stream: TokenStream) -> (Self, Vec<Span>) {
        let (tokens, spans) = flatten(stream);
        (Cursor { tokens, position: 0 }, spans)
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Position of the token before the current one.
    pub(super) fn previous(&self) -> usize {
        self.position.saturating_sub(1)
    }

    pub(super) fn set_position(&mut self, position: usize) {
        self.position = position;
    }

    /// What stands `ahead` tokens after the current one.
    pub(super) fn look(&self, ahead: usize) -> Look<'_> {
        let at = self.position + ahead;
        match self.tokens.get(at) {
            Some(Token::Word(text)) => Look::Word(text),
            Some(Token::Literal(text)) => Look::Literal(text),
            Some(Token::Punctuation(..)) => Look::Operator(self.operator(at)),
            Some(Token::Open(delimiter, _)) => Look::Open(*delimiter),
            Some(Token::Close(delimiter)) => Look::Close(*delimiter),
            None => Look::End,
        }
    }

    /// Whether `::` comes after the current token.
    pub(super) fn path_follows(&self) -> bool {
        self.look(1) == Look::Operator("::")
    }

    pub(super) fn at_operator(&self, text: &str) -> bool {
        matches!(self.look(0), Look::Operator(found) if found == text)
    }

    pub(super) fn at_word(&self, text: &str) -> bool {
        matches!(self.look(0), Look::Word(found) if found == text)
    }

    /// Moves past what [`Self::look`] shows.
    pub(super) fn advance(&mut self) {
        self.position += self.width();
    }

    /// Number of tokens of what [`Self::look`] shows.
    pub(super) fn width(&self) -> usize {
        match self.look(0) {
            Look::Operator(text) => text.len(),
            Look::End => 0,
            _ => 1,
        }
    }

    /// Moves past `text` if it stands here.
    pub(super) fn accept(&mut self, text: &str) -> bool {
        let found = self.at_operator(text);
        if found {
            self.advance();
        }
        found
    }

    /// Position of the token that closes the group opened at the current one.
    pub(super) fn closing(&self) -> Option<usize> {
        match self.tokens.get(self.position) {
            Some(Token::Open(_, close)) => Some(*close),
            _ => None,
        }
    }

    /// Moves past openings and closings that have no character.
    pub(super) fn skip_invisible(&mut self) {
        while matches!(self.look(0), Look::Open(Delimiter::None) | Look::Close(Delimiter::None)) {
            self.position += 1;
        }
    }

    fn operator(&self, at: usize) -> &'static str {
        let mut text = [0; 3];
        let mut length = 0;
        while let Some(Token::Punctuation(character, spacing)) = self.tokens.get(at + length) {
            text[length] = u8::try_from(*character).unwrap_or(b'?');
            length += 1;
            if length == text.len() || *spacing == Spacing::Alone {
                break;
            }
        }
        let text = &text[..length];
        let starts = |operator: &&&str| text.starts_with(operator.as_bytes());
        let all = COMPOUND.iter().chain([&RANGE]).chain(&SINGLE);
        all.clone().find(starts).copied().unwrap_or("?")
    }
}

struct Level {
    rest: token_stream::IntoIter,
    delimiter: Delimiter,
    open: usize,
    close_span: Span,
}

fn flatten(stream: TokenStream) -> (Vec<Token>, Vec<Span>) {
    let (mut tokens, mut spans) = (Vec::new(), Vec::new());
    let mut levels: Vec<Level> = Vec::new();
    let mut rest = stream.into_iter();
    loop {
        match rest.next() {
            Some(TokenTree::Group(group)) => {
                let delimiter = group.delimiter();
                let level = Level { rest, delimiter, open: tokens.len(), close_span: group.span_close() };
                levels.push(level);
                tokens.push(Token::Open(delimiter, 0));
                spans.push(group.span_open());
                rest = group.stream().into_iter();
            }
            Some(TokenTree::Ident(word)) => {
                tokens.push(Token::Word(word.to_string()));
                spans.push(word.span());
            }
            Some(TokenTree::Literal(literal)) => {
                tokens.push(Token::Literal(literal.to_string()));
                spans.push(literal.span());
            }
            Some(TokenTree::Punct(punct)) => {
                tokens.push(Token::Punctuation(punct.as_char(), punct.spacing()));
                spans.push(punct.span());
            }
            None => {
                let Some(level) = levels.pop() else { break };
                close(&level, &mut tokens, &mut spans);
                rest = level.rest;
            }
        }
    }
    (tokens, spans)
}

fn close(level: &Level, tokens: &mut Vec<Token>, spans: &mut Vec<Span>) {
    let inner = tokens.len() - level.open - 1;
    if level.delimiter == Delimiter::None && inner <= 1 {
        tokens.remove(level.open);
        spans.remove(level.open);
        return;
    }
    tokens[level.open] = Token::Open(level.delimiter, tokens.len());
    tokens.push(Token::Close(level.delimiter));
    spans.push(level.close_span);
}
