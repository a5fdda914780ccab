//! A flat list of tokens.
//!
//! In: a tree of tokens. Out: a flat list with explicit opening and closing tokens, and a position in it. The tree is
//! walked with an explicit stack. Groups without delimiter, which `macro_rules!` puts around a match of `$e:expr`, stay
//! as invisible parentheses unless they hold at most one token, which needs none.

use super::ast::Comparison;
use proc_macro2::{Delimiter, Group, Spacing, Span, TokenStream, TokenTree, token_stream};

/// A token; an operator of several characters is a single one.
#[derive(Clone, Debug)]
pub(super) enum Token {
    Word(String),
    Literal(String),
    Operator(&'static str),
    /// Opens a group that the token at the given position closes.
    Open(Delimiter, usize),
    Close(Delimiter),
}

/// The token at a position, as seen by the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look<'a> {
    Word(&'a str),
    Literal(&'a str),
    Operator(&'static str),
    Open(Delimiter),
    Close(Delimiter),
    End,
}

/// The operators of Rust that are longer than one character, and `**`, which other languages have; longest first.
const COMPOUND: [&str; 25] = [
    "<<=", ">>=", "...", "..=", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "^=", "|=", "&=",
    "**", "->", "=>", "::", "<<", ">>", "..",
];

/// The operator of one character; `?` for a character that is not one.
fn single(character: char) -> &'static str {
    const ALL: &str = "+-*/%^&|!<>=~.,;:@#$'\\`";
    ALL.find(character).and_then(|at| ALL.get(at..at + 1)).unwrap_or("?")
}

/// A position in a flat list of tokens.
#[derive(Debug)]
pub(super) struct Cursor {
    tokens: Vec<Token>,
    position: usize,
}

impl Cursor {
    /// Flattens `stream`; the spans are those in which each token starts and ends, the same for a word or a bracket.
    pub(super) fn new(stream: TokenStream) -> (Self, Vec<(Span, Span)>) {
        let flat = flatten(stream);
        (Cursor { tokens: flat.tokens, position: 0 }, flat.spans)
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Position of the token before the current one; 0 for the first.
    pub(super) fn previous(&self) -> usize {
        self.position.saturating_sub(1)
    }

    pub(super) fn set_position(&mut self, position: usize) {
        self.position = position;
    }

    /// The token `ahead` positions after the current one.
    pub(super) fn look(&self, ahead: usize) -> Look<'_> {
        let at = self.position + ahead;
        match self.tokens.get(at) {
            Some(Token::Word(text)) => Look::Word(text),
            Some(Token::Literal(text)) => Look::Literal(text),
            Some(Token::Operator(text)) => Look::Operator(text),
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

    /// Whether `word` stands anywhere before the given position.
    pub(super) fn is_after_word(&self, position: usize, word: &str) -> bool {
        self.tokens[..position.min(self.tokens.len())].iter().any(|t| matches!(t, Token::Word(text) if text == word))
    }

    /// Moves past the current token, if there is one.
    pub(super) fn advance(&mut self) {
        self.position = (self.position + 1).min(self.tokens.len());
    }

    /// Moves past the operator `text` if it is the current token; returns whether it is.
    pub(super) fn accept(&mut self, text: &str) -> bool {
        let found = self.at_operator(text);
        if found {
            self.advance();
        }
        found
    }

    /// Position of the token that closes the group opened by the current one; `None` if that opens none.
    pub(super) fn closing(&self) -> Option<usize> {
        match self.tokens.get(self.position) {
            Some(Token::Open(_, close)) => Some(*close),
            _ => None,
        }
    }

    /// Whether a group opens `ahead` tokens after the current one and is followed by `operator`.
    pub(super) fn group_ends_before(&self, ahead: usize, operator: &str) -> bool {
        let Some(Token::Open(_, close)) = self.tokens.get(self.position + ahead) else { return false };
        matches!(self.tokens.get(close + 1), Some(Token::Operator(text)) if *text == operator)
    }

    /// How far ahead the comparison operators before the next `;` are that stand outside of groups.
    pub(super) fn comparisons(&self) -> Vec<usize> {
        let (mut at, mut found) = (self.position, Vec::new());
        loop {
            match self.tokens.get(at) {
                Some(Token::Operator(";")) | None => return found,
                Some(Token::Open(delimiter, close)) if *delimiter != Delimiter::None => at = *close,
                Some(Token::Close(delimiter)) if *delimiter != Delimiter::None => return found,
                Some(Token::Operator(text)) if Comparison::from_operator(text).is_some() => {
                    found.push(at - self.position);
                }
                Some(_) => {}
            }
            at += 1;
        }
    }

    /// Whether there are braces before the next `;` or `=`, and the first of them hold statements or nothing, not an
    /// expression.
    pub(super) fn opens_statements(&self) -> bool {
        let mut from = self.position;
        loop {
            let Some((open, close)) = self.next_braces(from) else { return false };
            if open + 1 == close || self.has_statement(open + 1, close) {
                return true;
            }
            let first = self.after_docs(open + 1);
            let next_is_operand = matches!(
                self.tokens.get(first + 1),
                Some(Token::Word(_) | Token::Literal(_) | Token::Open(Delimiter::Parenthesis | Delimiter::None, _))
            );
            match self.tokens.get(first) {
                Some(Token::Word(word)) if word == "for" => return true,
                Some(Token::Word(word)) if next_is_operand && matches!(word.as_str(), "when" | "modes") => return true,
                // Statements or an expression, as the inner one.
                Some(Token::Word(word)) if word == "if" => from = first,
                _ => return false,
            }
        }
    }

    /// The position after documentation and other attributes, and after the opening of groups without delimiter.
    fn after_docs(&self, mut at: usize) -> usize {
        loop {
            match (self.tokens.get(at), self.tokens.get(at + 1)) {
                (Some(Token::Open(Delimiter::None, _)), _) => at += 1,
                (Some(Token::Operator("#")), Some(Token::Open(Delimiter::Bracket, close))) => at = close + 1,
                _ => return at,
            }
        }
    }

    /// The next braces before a `;` or `=`.
    fn next_braces(&self, mut at: usize) -> Option<(usize, usize)> {
        loop {
            match self.tokens.get(at)? {
                Token::Open(Delimiter::Brace, close) => return Some((at, *close)),
                Token::Open(_, close) => at = close + 1,
                Token::Operator(";" | "=") | Token::Close(_) => return None,
                _ => at += 1,
            }
        }
    }

    /// Whether there is a `;`, `=` or `~` outside of inner brackets.
    fn has_statement(&self, mut at: usize, close: usize) -> bool {
        while at < close {
            match self.tokens.get(at) {
                Some(Token::Operator(";" | "=" | "~")) => return true,
                Some(Token::Open(_, close)) => at = close + 1,
                Some(_) => at += 1,
                None => return false,
            }
        }
        false
    }

    /// The tokens from position `start` up to `end` as text.
    pub(super) fn text(&self, start: usize, end: usize) -> String {
        let mut text = String::new();
        // Whether a space separates the token from the one before it.
        let mut spaced = false;
        let mut after_operand = false;
        for token in self.tokens.get(start..end).unwrap_or_default() {
            let (word, before, after, operand) = match token {
                Token::Word(word) | Token::Literal(word) => (word.as_str(), true, true, true),
                Token::Operator("." | "::") => (operator_text(token), false, false, false),
                Token::Operator("," | ";") => (operator_text(token), false, true, false),
                // A sign has no operand before it.
                Token::Operator(_) => (operator_text(token), true, after_operand, false),
                Token::Open(delimiter, _) => (brackets(*delimiter).0, !after_operand, false, false),
                Token::Close(delimiter) => (brackets(*delimiter).1, false, true, true),
            };
            if spaced && before && !text.is_empty() {
                text.push(' ');
            }
            text.push_str(word);
            (spaced, after_operand) = (after, operand);
        }
        text
    }

    /// Moves past the openings and closings of groups without delimiter.
    pub(super) fn skip_invisible(&mut self) {
        while matches!(self.look(0), Look::Open(Delimiter::None) | Look::Close(Delimiter::None)) {
            self.position += 1;
        }
    }
}

fn operator_text(token: &Token) -> &'static str {
    match token {
        Token::Operator(text) => text,
        Token::Word(_) | Token::Literal(_) | Token::Open(..) | Token::Close(_) => "",
    }
}

fn brackets(delimiter: Delimiter) -> (&'static str, &'static str) {
    match delimiter {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    }
}

/// The longest operator with which a run of punctuation starts; `?` if there is none.
fn operator(run: &[(char, Span)]) -> &'static str {
    let starts = |operator: &&&str| {
        operator.len() <= run.len() && operator.chars().zip(run).all(|(character, (found, _))| character == *found)
    };
    match run {
        [] => "?",
        [(alone, _)] => single(*alone),
        [(first, _), ..] => COMPOUND.iter().find(starts).copied().unwrap_or_else(|| single(*first)),
    }
}

/// A group whose tokens are being read, and the tokens that follow it.
struct Level {
    rest: token_stream::IntoIter,
    delimiter: Delimiter,
    open: usize,
    close: Span,
}

/// The list under construction.
#[derive(Default)]
struct Flat {
    tokens: Vec<Token>,
    /// The spans in which each token starts and ends.
    spans: Vec<(Span, Span)>,
    /// Adjacent punctuation that is not yet split into operators.
    run: Vec<(char, Span)>,
}

impl Flat {
    fn push(&mut self, token: Token, first: Span, last: Span) {
        self.tokens.push(token);
        self.spans.push((first, last));
    }

    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        let mut rest = run.as_slice();
        while let [(_, first), ..] = rest {
            let text = operator(rest);
            let (own, others) = rest.split_at(text.len());
            self.push(Token::Operator(text), *first, own.last().map_or(*first, |(_, last)| *last));
            rest = others;
        }
    }

    fn open(&mut self, group: &Group, rest: token_stream::IntoIter) -> Level {
        let (delimiter, open) = (group.delimiter(), self.tokens.len());
        self.push(Token::Open(delimiter, open), group.span_open(), group.span_open());
        Level { rest, delimiter, open, close: group.span_close() }
    }

    fn close(&mut self, level: &Level) {
        let inner = self.tokens.len() - level.open - 1;
        if level.delimiter == Delimiter::None && inner <= 1 {
            self.tokens.remove(level.open);
            self.spans.remove(level.open);
            return;
        }
        self.tokens[level.open] = Token::Open(level.delimiter, self.tokens.len());
        self.push(Token::Close(level.delimiter), level.close, level.close);
    }
}

fn flatten(stream: TokenStream) -> Flat {
    let mut flat = Flat::default();
    let mut levels: Vec<Level> = Vec::new();
    let mut rest = stream.into_iter();
    loop {
        let next = rest.next();
        if let Some(TokenTree::Punct(punct)) = &next {
            flat.run.push((punct.as_char(), punct.span()));
            if punct.spacing() == Spacing::Joint {
                continue;
            }
        }
        flat.end_run();
        match next {
            Some(TokenTree::Punct(_)) => {}
            Some(TokenTree::Group(group)) => {
                levels.push(flat.open(&group, rest));
                rest = group.stream().into_iter();
            }
            Some(TokenTree::Ident(word)) => flat.push(Token::Word(word.to_string()), word.span(), word.span()),
            Some(TokenTree::Literal(literal)) => {
                flat.push(Token::Literal(literal.to_string()), literal.span(), literal.span());
            }
            None => {
                let Some(level) = levels.pop() else { return flat };
                flat.close(&level);
                rest = level.rest;
            }
        }
    }
}
