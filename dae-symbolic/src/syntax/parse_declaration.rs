//! Parses a statement: chooses the function for its kind, and reads declarations.
//!
//! In: the cursor at the first token of a statement. Out: the statement, without its `;`.

use super::ast::{
    Declaration, DerivedKind, Expression, Function, Given, Name, Start, StartOf, StatementKind, Variable,
};
use super::cursor::Look;
use super::frames::Opener;
use super::parse_model::Ending;
use super::parser::{Parsed, Parser};
use super::validate;
use crate::diagnostic::{Code, Diagnostic};
use proc_macro2::Delimiter;

impl Parser {
    /// Parses one statement of any kind; `nominal` is the value of a `#[nominal(…)]` before it, which a `var` takes.
    pub(super) fn statement(&mut self, nominal: Option<Expression>) -> Parsed<(StatementKind, Ending)> {
        let declares = matches!(self.cursor.look(1), Look::Word(_) | Look::Literal(_) | Look::Open(Delimiter::None));
        let Look::Word(word) = self.cursor.look(0) else {
            return self.equation();
        };
        if let (Some(kind), Look::Open(Delimiter::Brace)) = (DerivedKind::of_word(word), self.cursor.look(1)) {
            return self.derived(kind);
        }
        if self.at_lie_group() {
            return self.lie_group();
        }
        match word {
            "const" => self.declaration(StatementKind::Constant),
            "param" => self.declaration(StatementKind::Parameter),
            "input" if self.at_supplied_input() => self.supplied_input(),
            "input" => self.declaration(StatementKind::Input),
            "table" if self.at_table() => self.table(),
            "extern" if self.cursor.look(1) == Look::Word("fn") => self.external(),
            "let" => self.declaration(StatementKind::Definition),
            "fn" => self.function(),
            "var" | "discrete" => self.variable(nominal),
            "when" => self.when(),
            "initial" if self.cursor.look(1) == Look::Open(Delimiter::Brace) => self.initial_head(),
            "modes" if self.at_modes() => self.modes_head(),
            "complementary" if self.at_complementary() => self.complementary(),
            "start" => self.start(),
            "invariant" if declares => self.declaration(StatementKind::Invariant),
            "forms" if self.at_forms() => self.forms(),
            "for" => self.for_head(),
            "if" if self.cursor.opens_statements() => self.branch_head(),
            word if declares || validate::is_keyword(word) => {
                let word = word.to_string();
                let at = self.here();
                match validate::statement_word(&word, at) {
                    Some(finding) => Err(self.fail(finding)),
                    None => self.equation(),
                }
            }
            _ => self.equation(),
        }
    }

    /// Moves past a name that may be declared, and returns it; `expected` describes it in messages.
    pub(super) fn declared_name(&mut self, expected: &str) -> Parsed<Name> {
        let Look::Word(word) = self.cursor.look(0) else {
            return Err(self.unexpected(expected));
        };
        let text = word.to_string();
        let origin = self.here();
        if let Some(finding) = validate::name(&text, origin) {
            return Err(self.fail(finding));
        }
        self.cursor.advance();
        Ok(Name { text, origin })
    }

    /// `word name = value`
    fn declaration(&mut self, kind: fn(Declaration) -> StatementKind) -> Parsed<(StatementKind, Ending)> {
        self.cursor.advance();
        if self.cursor.at_word("mut") {
            let at = self.here();
            let finding = Diagnostic::error(Code::UnsupportedConstruct, "nothing in a model is mutable")
                .label(at, "not allowed here")
                .help("remove `mut`; what changes with time is a `var`");
            return Err(self.fail(finding));
        }
        let name = self.declared_name("a name")?;
        let mut declaration = Declaration { name, extents: Vec::new(), indices: Vec::new(), value: None };
        let ending = match self.declared_value(&mut declaration) {
            Ok(()) => Ending::Semicolon,
            Err(_) => Ending::Broken,
        };
        Ok((kind(declaration), ending))
    }

    /// `: f64 = value`, the type optional
    fn declared_value(&mut self, it: &mut Declaration) -> Parsed<()> {
        it.extents = self.shape_of(&it.name.text)?;
        let name = &it.name;
        let finding = match self.cursor.look(0) {
            Look::Operator("=") => {
                self.cursor.advance();
                let (indices, value) = self.value_by_index()?;
                (it.indices, it.value) = (indices, Some(value));
                return Ok(());
            }
            Look::Operator("~") => {
                let at = self.here();
                Diagnostic::error(Code::UnexpectedToken, format!("`{}` is given, not guessed", name.text))
                    .label(at, "expected `=`")
                    .help("write `=`; only start values of unknowns can be guesses")
            }
            Look::Operator(";") | Look::Close(_) | Look::End => {
                Diagnostic::error(Code::MissingEquals, format!("`{}` has no value", name.text))
                    .label(name.origin, "expected `= value` after this")
                    .help("give it a value with `=`")
            }
            _ => return Err(self.unexpected("`=`")),
        };
        Err(self.fail(finding))
    }

    /// `var name`, `var name = value`, `var name ~ value`, `discrete name = value`
    fn variable(&mut self, nominal: Option<Expression>) -> Parsed<(StatementKind, Ending)> {
        let is_discrete = self.cursor.at_word("discrete");
        self.cursor.advance();
        let name = self.declared_name("the name of an unknown")?;
        let (extents, indices) = (Vec::new(), Vec::new());
        let mut variable = Variable { name, extents, indices, start: None, nominal, is_discrete };
        let ending = match self.variable_tail(&mut variable) {
            Ok(()) => Ending::Semicolon,
            Err(_) => Ending::Broken,
        };
        Ok((StatementKind::Variable(variable), ending))
    }

    /// `: f64 = value` or `: f64 ~ value`, all of it optional
    fn variable_tail(&mut self, variable: &mut Variable) -> Parsed<()> {
        variable.extents = self.shape_of(&variable.name.text)?;
        if variable.is_discrete && !self.cursor.at_operator("=") {
            return Err(self.discrete_without_start(&variable.name));
        }
        let Some(given) = self.given() else {
            return match self.cursor.look(0) {
                Look::Operator(operator) if !matches!(operator, ";" | ",") => Err(self.unexpected("`=`, `~` or `;`")),
                _ => Ok(()),
            };
        };
        variable.start = Some((given, None));
        let (indices, value) = self.value_by_index()?;
        variable.indices = indices;
        variable.start = Some((given, Some(value)));
        Ok(())
    }

    fn given(&mut self) -> Option<Given> {
        if self.cursor.accept("=") {
            Some(Given::Fixed)
        } else if self.cursor.accept("~") {
            Some(Given::Guess)
        } else {
            None
        }
    }

    /// `start name = value`, `start der(name, order) = value`; also with `~`, for elements, and without the order
    fn start(&mut self) -> Parsed<(StatementKind, Ending)> {
        self.cursor.advance();
        if !self.cursor.at_word("der") {
            let variable = self.declared_name("the name of an unknown, or `der(name)`")?;
            let element = self.element()?;
            return self.start_tail(variable, element, StartOf::Value);
        }
        self.cursor.advance();
        let close = self.expect_open(Delimiter::Parenthesis, "`(` and the name of an unknown")?;
        self.cursor.skip_invisible();
        let variable = self.declared_name("the name of an unknown")?;
        let element = self.element()?;
        let order = if self.cursor.accept(",") { Some(self.expression()?) } else { None };
        if self.cursor.position() != close {
            return Err(self.unexpected("`)`"));
        }
        self.cursor.advance();
        self.start_tail(variable, element, StartOf::Derivative(order))
    }

    /// `= value`, `~ value`
    fn start_tail(&mut self, variable: Name, element: Vec<Expression>, of: StartOf) -> Parsed<(StatementKind, Ending)> {
        let Some(given) = self.given() else {
            return Err(self.unexpected("`=` or `~` and the start value"));
        };
        let (indices, value) = self.value_by_index()?;
        let start = Start { variable, element, of, indices, given, value: Some(value) };
        Ok((StatementKind::Start(start), Ending::Semicolon))
    }

    /// `fn name(a, b) { let c = …; … }`, with or without types
    fn function(&mut self) -> Parsed<(StatementKind, Ending)> {
        self.cursor.advance();
        let name = self.declared_name("the name of a function")?;
        let mut function =
            Function { name, arguments: Vec::new(), extents: Vec::new(), definitions: Vec::new(), value: None };
        let understood = self.function_tail(&mut function).is_ok();
        let ending = if understood { Ending::Block } else { Ending::Broken };
        Ok((StatementKind::Function(function), ending))
    }

    fn function_tail(&mut self, function: &mut Function) -> Parsed<()> {
        let close = self.expect_open(Delimiter::Parenthesis, "`(` and the arguments of the function")?;
        while self.cursor.position() < close {
            let argument = self.declared_name("the name of an argument")?;
            function.arguments.push(argument);
            let extents = self.optional_shape()?;
            function.extents.push(extents);
            if self.cursor.position() < close {
                self.expect(",", "`,` or `)`")?;
            }
        }
        self.cursor.advance();
        if self.cursor.accept("->") {
            self.expect_f64()?;
        }
        let close = self.expect_open(Delimiter::Brace, "`{` and the value of the function")?;
        while self.cursor.at_word("let") {
            let (kind, ending) = self.declaration(StatementKind::Definition)?;
            if let StatementKind::Definition(definition) = kind {
                function.definitions.push(definition);
            }
            match ending {
                Ending::Semicolon => self.semicolon()?,
                Ending::StandsFor(_) | Ending::Block | Ending::Opens(_) | Ending::Broken => {
                    return Err(super::parser::Reported);
                }
            }
        }
        let value = self.function_value(close)?;
        function.value = Some(value);
        Ok(())
    }

    fn function_value(&mut self, close: usize) -> Parsed<Expression> {
        let value = self.expression_of(Opener::Body)?;
        if self.cursor.position() == close {
            self.cursor.advance();
            return Ok(value);
        }
        if self.cursor.at_operator(";") {
            let at = self.here();
            let finding = Diagnostic::error(Code::UnexpectedToken, "the value of a function has no `;` after it")
                .label(at, "remove this")
                .help("a body is `let` statements and one expression, its value, at the end");
            return Err(self.fail(finding));
        }
        Err(self.unexpected("an operator or `}`"))
    }
}
