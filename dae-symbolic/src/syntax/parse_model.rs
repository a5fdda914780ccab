//! Parses a model.
//!
//! In: all tokens of a `dae!`. Out: the syntax tree of its statements. An error in a statement is reported, what was
//! understood of the statement is kept (so that its name counts as declared), and the rest of it is skipped: the errors
//! of all statements are reported in one go.

use super::ast::{Alternative, Equation, Expression, For, Initial, Model, Modes, Name, Statement, StatementKind};
use super::attributes::Attributes;
use super::cursor::Look;
use super::parser::{Parsed, Parser, describe};
use super::validate::{self, Within};
use crate::diagnostic::{Code, Diagnostic};
use crate::origin::Origin;
use proc_macro2::Delimiter;

/// How a statement ended, and what must follow it.
pub(super) enum Ending {
    /// Its `;` must follow.
    Semicolon,
    /// Its `;` must follow, and it stands for these statements, too.
    StandsFor(Vec<StatementKind>),
    /// It ended with a closing brace and needs no `;` (a function, or a block from which equations are derived).
    Block,
    /// The statements of its body follow, up to the closing brace at this position (a `for`, `if`, `modes` or `initial`).
    Opens(usize),
    /// It had an error: the rest of it is to be skipped.
    Broken,
}

/// Statements between braces, with the positions of their closing brace, of the one that closes the block around them,
/// and of the statement whose body they are; `None` for the body of the model.
#[derive(Clone, Copy)]
struct Block {
    close: usize,
    end: usize,
    head: Option<usize>,
    /// What it is, or stands in.
    within: Within,
}

impl Parser {
    /// Parses all tokens; `None` if not even the name of the model could be read.
    pub(super) fn model(&mut self) -> Option<Model> {
        let attributes = self.attributes().unwrap_or_default();
        if let Some((_, at)) = attributes.nominal {
            self.misplaced_nominal(at);
        }
        let (name, visibility) = self.header().ok()?;
        let mut statements = Vec::new();
        if let Ok(close) = self.body_open() {
            self.statements(close, &mut statements);
            self.cursor.set_position(close + 1);
            self.end_of_text();
        }
        let expressions = std::mem::take(&mut self.expressions);
        Some(Model {
            name,
            docs: attributes.docs,
            visibility,
            statements,
            expressions,
            doubtful: std::mem::take(&mut self.doubtful),
            modes: Vec::new(),
            mode: Vec::new(),
        })
    }

    /// `pub struct Name`
    fn header(&mut self) -> Parsed<(Name, String)> {
        let visibility = self.visibility();
        if !self.cursor.at_word("struct") {
            let found = describe(self.cursor.look(0));
            let at = self.here();
            let message = format!("expected `struct`, found {found}");
            let finding = Diagnostic::error(Code::UnexpectedToken, message)
                .label(at, "expected `struct`")
                .help("a model is written `pub struct Name { … }`");
            return Err(self.fail(finding));
        }
        self.cursor.advance();
        self.cursor.skip_invisible();
        let name = self.declared_name("the name of the model")?;
        Ok((name, visibility))
    }

    /// `pub`, `pub(crate)`, `pub(in path)` or nothing, as text.
    fn visibility(&mut self) -> String {
        self.cursor.skip_invisible();
        let mut text = String::new();
        if self.cursor.at_word("pub") {
            text.push_str("pub");
            self.cursor.advance();
            if let (Look::Open(Delimiter::Parenthesis), Some(close)) = (self.cursor.look(0), self.cursor.closing()) {
                while self.cursor.position() <= close {
                    match self.cursor.look(0) {
                        Look::Open(_) => text.push('('),
                        Look::Close(_) => text.push(')'),
                        Look::Word("in") => text.push_str("in "),
                        Look::Word(word) => text.push_str(word),
                        Look::Operator(operator) => text.push_str(operator),
                        Look::Literal(_) | Look::End => {}
                    }
                    self.cursor.advance();
                }
            }
        }
        self.cursor.skip_invisible();
        text
    }

    fn body_open(&mut self) -> Parsed<usize> {
        if self.cursor.at_operator("<") {
            let at = self.here();
            let finding = Diagnostic::error(Code::UnsupportedConstruct, "a model cannot be generic")
                .label(at, "not allowed here")
                .help("what varies between uses of a model is a `param`");
            return Err(self.fail(finding));
        }
        self.expect_open(Delimiter::Brace, "`{` and the statements of the model")
    }

    fn end_of_text(&mut self) {
        if self.cursor.look(0) == Look::End {
            return;
        }
        let at = self.here();
        let finding = Diagnostic::error(Code::UnexpectedToken, "a `dae!` holds one model, and there is more after it")
            .label(at, "expected nothing after the model")
            .help("write one `dae!` per model");
        self.fail(finding);
    }

    /// Parses the statements up to the brace at `close`; the bodies of `for` and `if` that are open are on a stack.
    fn statements(&mut self, close: usize, statements: &mut Vec<Statement>) {
        let mut blocks: Vec<Block> = vec![Block { close, end: close, head: None, within: Within::Model }];
        while let Some(&block) = blocks.last() {
            self.cursor.skip_invisible();
            if self.cursor.position() >= block.close {
                blocks.pop();
                blocks.extend(self.end_block(block, statements));
                continue;
            }
            if self.cursor.accept(";") {
                continue;
            }
            let start = self.cursor.position();
            match self.attributes() {
                Ok(attributes) => {
                    if let Some(close) = self.documented_statement(start, attributes, block, statements) {
                        let head = statements.len() - 1;
                        let within = block.within.body_of(&statements[head].kind);
                        blocks.push(Block { close, end: block.close, head: Some(head), within });
                    }
                }
                Err(_) => {
                    self.doubt(start);
                    self.recover(start, block.close);
                }
            }
        }
    }

    /// Moves past the closing brace of a block, and records in its head the number of statements in it, nested ones
    /// included. Returns the block of the `else` that follows an `if`, if there is one.
    fn end_block(&mut self, block: Block, statements: &mut Vec<Statement>) -> Option<Block> {
        let head = block.head?;
        self.cursor.set_position(block.close + 1);
        let inside = statements.len() - 1 - head;
        let earlier = match &mut statements[head].kind {
            StatementKind::For(For { statements, .. })
            | StatementKind::Modes(Modes { statements, .. })
            | StatementKind::Initial(Initial { statements, .. })
            | StatementKind::Alternative(Alternative { statements, .. }) => {
                *statements = inside;
                return None;
            }
            StatementKind::Branch(it) => {
                it.statements = inside;
                it.clone()
            }
            _ => return None,
        };
        self.cursor.skip_invisible();
        if !self.cursor.at_word("else") {
            return None;
        }
        let start = self.cursor.position();
        match self.else_head(earlier) {
            Ok((kind, close)) => {
                let origin = self.since(start);
                statements.push(Statement { docs: Vec::new(), origin, kind });
                Some(Block { close, head: Some(statements.len() - 1), ..block })
            }
            Err(_) => {
                self.recover(start, block.end);
                None
            }
        }
    }

    fn documented_statement(
        &mut self,
        outset: usize,
        mut attributes: Attributes,
        block: Block,
        statements: &mut Vec<Statement>,
    ) -> Option<usize> {
        let close = block.close;
        self.cursor.skip_invisible();
        let start = self.cursor.position();
        let nominal = attributes.nominal.take();
        if let Some((_, at)) = nominal
            && !self.cursor.at_word("var")
        {
            self.misplaced_nominal(at);
        }
        let is_of_modes = |head: usize| matches!(statements[head].kind, StatementKind::Modes(_));
        let understood = match block.head.is_some_and(is_of_modes) {
            true => self.alternative_head(),
            false => self.statement(nominal.map(|(value, _)| value)),
        };
        let understood = match understood {
            Ok((kind @ StatementKind::Alternative(_), ending)) => Ok((kind, ending)),
            Ok((kind, _)) if !block.within.holds(&kind) => {
                let at = self.since(start);
                Err(self.fail(block.within.misplaced(&kind, at)))
            }
            other => other,
        };
        let Ok((kind, ending)) = understood else {
            self.doubt(start);
            self.recover(outset, close);
            return None;
        };
        let origin = self.since(start);
        statements.push(Statement { docs: attributes.docs, origin, kind });
        let ended = match ending {
            Ending::Semicolon => self.semicolon(),
            Ending::StandsFor(kinds) => {
                let docs = statements.last().map_or_else(Vec::new, |head| head.docs.clone());
                statements.extend(kinds.into_iter().map(|kind| Statement { docs: docs.clone(), origin, kind }));
                self.semicolon()
            }
            Ending::Block => Ok(()),
            Ending::Opens(close) => return Some(close),
            Ending::Broken => {
                self.recover(outset, close);
                return None;
            }
        };
        if ended.is_err() && !self.at_new_statement(self.cursor.position()) {
            self.doubt(self.cursor.position());
            self.recover(outset, close);
        }
        None
    }

    pub(super) fn misplaced_nominal(&mut self, at: Origin) {
        let finding = Diagnostic::error(Code::InvalidAttribute, "only unknowns have a nominal value")
            .label(at, "not allowed here")
            .help("write it before a `var` statement");
        self.fail(finding);
    }

    /// An equation: two expressions with `=` between them.
    pub(super) fn equation(&mut self) -> Parsed<(StatementKind, Ending)> {
        let broken = |left| Ok((StatementKind::Equation(Equation { left, right: None }), Ending::Broken));
        let Ok(left) = self.expression() else { return broken(None) };
        let declares = self.cursor.at_operator("~") || self.cursor.at_operator(":");
        match self.equals(left) {
            Ok(()) => {}
            Err(reported) if declares => return Err(reported),
            Err(_) => return broken(Some(left)),
        }
        let Ok(right) = self.expression() else { return broken(Some(left)) };
        if self.cursor.at_operator("=") {
            let at = self.here();
            let finding = Diagnostic::error(Code::UnexpectedToken, "an equation has one `=`, and this one has two")
                .label(at, "second `=`")
                .help("write two equations, each with its own `;`");
            self.fail(finding);
            return broken(Some(left));
        }
        Ok((StatementKind::Equation(Equation { left: Some(left), right: Some(right) }), Ending::Semicolon))
    }

    fn equals(&mut self, left: Expression) -> Parsed<()> {
        let whole = self.expressions.origin(left.root);
        match self.cursor.look(0) {
            Look::Operator("=") => {
                self.cursor.advance();
                Ok(())
            }
            Look::Operator("~") => {
                let at = self.here();
                let finding = Diagnostic::error(Code::UnexpectedToken, "`~` gives a guess, and this is an equation")
                    .label(at, "expected `=`")
                    .help("declare with `var name ~ guess;` or `start der(name) ~ guess;`; write equations with `=`");
                Err(self.fail(finding))
            }
            Look::Operator(":") => {
                let finding = Diagnostic::error(Code::UnexpectedToken, "this is neither an equation nor a declaration")
                    .label(whole, "what is it?")
                    .help("declare an unknown with `var name ~ guess;`, a parameter with `param name = value;`");
                Err(self.fail(finding))
            }
            Look::Word(_) | Look::Literal(_) | Look::Open(_) if !self.at_new_statement(self.cursor.position()) => {
                Err(self.missing_operator("`;`"))
            }
            _ => {
                let finding = Diagnostic::error(Code::MissingEquals, "this is no equation: there is no `=`")
                    .label(whole, "expected `left = right`")
                    .help("if it must vanish, write `0 = …;`");
                Err(self.fail(finding))
            }
        }
    }

    /// Moves past the `;` of a statement or reports that it is missing.
    pub(super) fn semicolon(&mut self) -> Parsed<()> {
        self.cursor.skip_invisible();
        if self.cursor.accept(";") {
            return Ok(());
        }
        let here = self.cursor.position();
        match self.cursor.look(0) {
            Look::Close(_) | Look::End => {}
            _ if self.at_new_statement(here) => {}
            Look::Operator(",") => {
                let at = self.here();
                let finding = Diagnostic::error(Code::MissingSemicolon, "statements end with `;`, not with `,`")
                    .label(at, "expected `;`")
                    .help("write one declaration per statement, each with its own `;`");
                if self.sources.on_later_line(here, here + 1) {
                    self.cursor.advance();
                }
                return Err(self.fail(finding));
            }
            Look::Word(_) | Look::Literal(_) | Look::Open(_) => return Err(self.missing_operator("`;`")),
            _ => return Err(self.unexpected("`;`")),
        }
        let at = self.before();
        let finding = Diagnostic::error(Code::MissingSemicolon, "missing `;` at the end of the statement")
            .label(at, "`;` expected after this")
            .help("end the statement with `;`");
        Err(self.fail(finding))
    }

    /// Whether a statement seems to start at the current token: at a word that opens one, or at an operand or attribute
    /// on a new line.
    fn at_new_statement(&self, here: usize) -> bool {
        let operand = matches!(self.cursor.look(0), Look::Word(_) | Look::Literal(_) | Look::Open(_))
            || self.cursor.at_operator("#");
        self.at_word_of_statement() || (operand && here > 0 && self.sources.on_later_line(here - 1, here))
    }

    /// Skips the rest of a broken statement: past its `;` or its block, or up to the next word that opens a statement.
    fn recover(&mut self, start: usize, close: usize) {
        let failed = self.cursor.position();
        self.cursor.set_position(start);
        let mut block = false;
        while self.cursor.position() < close {
            let at = self.cursor.position();
            match self.cursor.look(0) {
                Look::Operator(";") => return self.cursor.advance(),
                Look::Open(Delimiter::None) | Look::Close(_) => self.cursor.advance(),
                Look::Open(delimiter) => {
                    let after = self.cursor.closing().map_or(at, |close| close);
                    self.cursor.set_position(after + 1);
                    if block && delimiter == Delimiter::Brace && !self.cursor.at_word("else") {
                        return;
                    }
                }
                Look::Word("fn" | "extern" | "for" | "while" | "loop" | "if" | "else" | "match") if at == start => {
                    block = true;
                    self.cursor.advance();
                }
                _ if at > start && at > failed && self.at_word_of_statement() => return,
                _ => self.cursor.advance(),
            }
        }
    }

    /// Remembers the names before the `=`, `~` or `;` of a statement that could not be read.
    fn doubt(&mut self, start: usize) {
        let failed = self.cursor.position();
        self.cursor.set_position(start);
        loop {
            match self.cursor.look(0) {
                Look::Operator("=" | "~" | ";") | Look::Close(_) | Look::End => break,
                Look::Open(_) => {
                    let close = self.cursor.closing().unwrap_or(failed);
                    self.cursor.set_position(close);
                }
                Look::Word(word) if !validate::is_keyword(word) => self.doubtful.push(word.to_string()),
                _ => {}
            }
            self.cursor.advance();
        }
        self.cursor.set_position(failed);
    }

    fn at_word_of_statement(&self) -> bool {
        matches!((self.cursor.look(0), self.cursor.look(1)), (Look::Word(word), Look::Word(_))
            if word == "invariant" || validate::STATEMENT_WORDS.contains(&word))
    }
}
