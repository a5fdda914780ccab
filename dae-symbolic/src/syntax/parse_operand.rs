//! Operands: numbers, names, and opening brackets.
//!
//! In: the cursor where an operand must stand. Out: the operand, or another frame on the stack.

use super::ast::{CallForm, Name, Node};
use super::cursor::Look;
use super::frames::{Opener, Operand, Stack, Unary};
use super::parser::{Parsed, Parser, Reported};
use super::validate;
use proc_macro2::Delimiter;

impl Parser {
    /// One step where an operand must stand: the operand, or `None` after `if`, an opening bracket, `-` or `!`.
    pub(super) fn operand(&mut self, stack: &mut Stack) -> Parsed<Option<Operand>> {
        let start = self.cursor.position();
        match self.cursor.look(0) {
            Look::Literal(text) => {
                let text = text.to_string();
                self.number(&text).map(Some)
            }
            Look::Word("if") => {
                self.open_conditional(stack);
                Ok(None)
            }
            Look::Word(_) | Look::Operator("::") => self.word(stack),
            Look::Open(Delimiter::Parenthesis | Delimiter::None) => {
                self.cursor.advance();
                stack.push(Opener::Group { open: start }, start + 1);
                Ok(None)
            }
            Look::Open(Delimiter::Bracket) => {
                self.cursor.advance();
                stack.push(Opener::List { open: start, items: Vec::new() }, start + 1);
                Ok(None)
            }
            Look::Operator(operator @ ("-" | "!")) => {
                self.cursor.advance();
                stack.top.unary.push((if operator == "-" { Unary::Minus } else { Unary::Not }, start));
                Ok(None)
            }
            other => {
                let other = match other {
                    Look::Operator(text) => Some(text),
                    _ => None,
                };
                Err(self.no_operand(other))
            }
        }
    }

    fn no_operand(&mut self, operator: Option<&str>) -> Reported {
        let at = self.here();
        let finding = match self.cursor.look(0) {
            Look::Open(Delimiter::Brace) => Some(validate::block(at)),
            _ => operator.and_then(|text| validate::prefix(text, at)),
        };
        match finding {
            Some(finding) => self.fail(finding),
            None => self.unexpected("an expression"),
        }
    }

    fn number(&mut self, text: &str) -> Parsed<Operand> {
        let start = self.cursor.position();
        let at = self.here();
        let value = validate::number(text, at).map_err(|finding| self.fail(finding))?;
        self.cursor.advance();
        Ok(self.leaf(Node::Number(value), start))
    }

    /// A node for the tokens from `start` to the one before the current one.
    fn leaf(&mut self, node: Node, start: usize) -> Operand {
        let origin = self.since(start);
        Operand { node: self.expressions.push(node, origin), start, end: self.cursor.previous() }
    }

    /// A name, a constant, or the beginning of a call.
    fn word(&mut self, stack: &mut Stack) -> Parsed<Option<Operand>> {
        let start = self.cursor.position();
        let segments = self.path()?;
        let at = self.since(start);
        let call = self.cursor.look(0) == Look::Open(Delimiter::Parenthesis);
        let known: Vec<&str> = segments.iter().map(String::as_str).collect();
        let name = match (known.as_slice(), call) {
            (["std" | "core", "f64", "consts", name @ ("PI" | "E")], false)
            | (["f64" | "std" | "core", "consts", name @ ("PI" | "E")] | ["consts", name @ ("PI" | "E")], false)
            | (["f64", name], true)
            | ([name], _) => *name,
            _ => return Err(self.fail(validate::path(&known.join("::"), at))),
        };
        if call && name == "sum" && self.range_follows() {
            return self.open_range(stack, start);
        }
        if call {
            let function = Name { text: name.to_string(), origin: at };
            return self
                .open_call(stack, Opener::Call { function, form: CallForm::Function, start, arguments: Vec::new() });
        }
        if self.cursor.at_operator("!") && matches!(self.cursor.look(1), Look::Open(_)) {
            return Err(self.fail(validate::macro_call(name, at)));
        }
        let node = match name {
            "t" => Node::Time,
            "PI" => Node::Pi,
            "E" => Node::Euler,
            name => Node::Name(name.to_string()),
        };
        Ok(Some(self.leaf(node, start)))
    }

    /// Names joined by `::`; usually one.
    fn path(&mut self) -> Parsed<Vec<String>> {
        let mut segments = Vec::new();
        self.cursor.accept("::");
        loop {
            let Look::Word(word) = self.cursor.look(0) else {
                return Err(self.unexpected("a name"));
            };
            let word = word.to_string();
            let at = self.here();
            if let Some(finding) = validate::operand_word(&word, at) {
                return Err(self.fail(finding));
            }
            let leads_path = matches!(word.as_str(), "crate" | "self" | "super") && self.cursor.path_follows();
            if leads_path {
                segments.push(word);
                self.cursor.advance();
                self.cursor.accept("::");
                continue;
            }
            if validate::is_keyword(&word) || validate::STATEMENT_WORDS.contains(&word.as_str()) {
                return Err(self.unexpected("an expression"));
            }
            segments.push(word);
            self.cursor.advance();
            if !self.cursor.accept("::") {
                return Ok(segments);
            }
        }
    }

    /// Moves past the opening parenthesis of a call; a call without arguments is complete at once.
    pub(super) fn open_call(&mut self, stack: &mut Stack, opener: Opener) -> Parsed<Option<Operand>> {
        self.cursor.advance();
        stack.push(opener, self.cursor.position());
        if matches!(self.cursor.look(0), Look::Close(_)) {
            return Ok(self.close(stack, None));
        }
        Ok(None)
    }
}
