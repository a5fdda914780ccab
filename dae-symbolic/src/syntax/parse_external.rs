//! Parses declarations of functions that the model does not define by an expression.
//!
//! In: the cursor at `table`, `extern` or `input`. Out: the statement, without its `;`.

use super::ast::{Expression, External, ExternalDerivative, Name, Path, StatementKind, Table};
use super::cursor::Look;
use super::parse_model::Ending;
use super::parser::{Parsed, Parser, Reported};
use super::validate;
use proc_macro2::Delimiter;

impl Parser {
    /// Whether an `input` without a value stands here.
    pub(super) fn at_supplied_input(&self) -> bool {
        let ends = |ahead| matches!(self.cursor.look(ahead), Look::Operator(";"));
        matches!(self.cursor.look(1), Look::Word(_))
            && (ends(2) || (self.cursor.look(2) == Look::Operator(":") && ends(4)))
    }

    /// `input name`
    pub(super) fn supplied_input(&mut self) -> Parsed<(StatementKind, Ending)> {
        self.cursor.advance();
        let name = self.declared_name("a name")?;
        self.optional_number_type()?;
        Ok((StatementKind::Supplied(name), Ending::Semicolon))
    }

    /// Whether a table is declared here: the word alone does not tell, because `table` is not reserved.
    pub(super) fn at_table(&self) -> bool {
        matches!(self.cursor.look(1), Look::Word(_)) && matches!(self.cursor.look(2), Look::Operator("=" | ";" | ":"))
    }

    /// `table name = [(x, y), …]`
    pub(super) fn table(&mut self) -> Parsed<(StatementKind, Ending)> {
        self.cursor.advance();
        let name = self.declared_name("the name of a table")?;
        match self.points() {
            Ok(points) => Ok((StatementKind::Table(Table { name, points: Some(points) }), Ending::Semicolon)),
            Err(Reported) => Ok((StatementKind::Table(Table { name, points: None }), Ending::Broken)),
        }
    }

    fn points(&mut self) -> Parsed<Vec<(Expression, Expression)>> {
        self.expect("=", "`=`")?;
        let close = self.expect_open(Delimiter::Bracket, "`[` and the points of the table")?;
        let mut points = Vec::new();
        while self.cursor.position() < close {
            let end = self.expect_open(Delimiter::Parenthesis, "a point `(x, y)`")?;
            let x = self.expression()?;
            self.expect(",", "`,` and the value there")?;
            let y = self.expression()?;
            self.cursor.accept(",");
            if self.cursor.position() != end {
                return Err(self.unexpected("`)`"));
            }
            self.cursor.advance();
            points.push((x, y));
            if self.cursor.position() < close {
                self.expect(",", "`,` or `]`")?;
            }
        }
        self.cursor.advance();
        Ok(points)
    }

    /// `extern fn name(a, b) = path, der(a) = path, …`
    pub(super) fn external(&mut self) -> Parsed<(StatementKind, Ending)> {
        self.cursor.advance();
        self.cursor.advance();
        let name = self.declared_name("the name of a function")?;
        let mut external = External { name, arguments: Vec::new(), value: None, derivatives: Vec::new() };
        let understood = self.external_tail(&mut external).is_ok();
        let ending = if understood { Ending::Semicolon } else { Ending::Broken };
        Ok((StatementKind::External(external), ending))
    }

    fn external_tail(&mut self, external: &mut External) -> Parsed<()> {
        let close = self.expect_open(Delimiter::Parenthesis, "`(` and the arguments of the function")?;
        while self.cursor.position() < close {
            let argument = self.declared_name("the name of an argument")?;
            external.arguments.push(argument);
            self.optional_number_type()?;
            if self.cursor.position() < close {
                self.expect(",", "`,` or `)`")?;
            }
        }
        self.cursor.advance();
        if self.cursor.accept("->") {
            self.expect_f64()?;
        }
        if self.cursor.look(0) == Look::Open(Delimiter::Brace) {
            let at = self.here();
            return Err(self.fail(validate::external_body(at)));
        }
        self.expect("=", "`=` and the path of a Rust function")?;
        external.value = Some(self.rust_path()?);
        while self.cursor.accept(",") {
            if self.cursor.at_operator(";") {
                break;
            }
            let derivative = self.external_derivative()?;
            external.derivatives.push(derivative);
        }
        Ok(())
    }

    /// `der(a, b) = path`
    fn external_derivative(&mut self) -> Parsed<ExternalDerivative> {
        let start = self.cursor.position();
        if !self.cursor.at_word("der") {
            return Err(self.unexpected("`der(argument) = path`"));
        }
        self.cursor.advance();
        let close = self.expect_open(Delimiter::Parenthesis, "`(` and the argument it is differentiated by")?;
        let mut by: Vec<Name> = Vec::new();
        while self.cursor.position() < close {
            match (self.cursor.look(0), by.last().cloned()) {
                // In `der(x, 2)`, the number says how many times to differentiate.
                (Look::Literal(text), Some(last)) => {
                    let Some(times @ 1..=16) = text.parse::<usize>().ok() else {
                        return Err(self.unexpected("an argument, or how often (1 to 16)"));
                    };
                    by.extend(std::iter::repeat_n(last, times - 1));
                    self.cursor.advance();
                }
                _ => by.push(self.declared_name("the name of an argument")?),
            }
            if self.cursor.position() < close {
                self.expect(",", "`,` or `)`")?;
            }
        }
        self.cursor.advance();
        let origin = self.since(start);
        self.expect("=", "`=` and the path of a Rust function")?;
        Ok(ExternalDerivative { by, origin, path: self.rust_path()? })
    }

    /// `: f64`, or nothing
    fn optional_number_type(&mut self) -> Parsed<()> {
        if self.cursor.accept(":") { self.expect_f64() } else { Ok(()) }
    }

    /// `path::to::function`, or with `::` before it
    fn rust_path(&mut self) -> Parsed<Path> {
        let start = self.cursor.position();
        let mut text = String::new();
        if self.cursor.accept("::") {
            text.push_str("::");
        }
        loop {
            match self.cursor.look(0) {
                Look::Word(word) if !validate::is_keyword(word) || validate::PATH_WORDS.contains(&word) => {
                    text.push_str(word);
                }
                _ => return Err(self.unexpected("the path of a Rust function")),
            }
            self.cursor.advance();
            if !self.cursor.accept("::") {
                break;
            }
            text.push_str("::");
        }
        Ok(Path { text, origin: self.since(start) })
    }
}
