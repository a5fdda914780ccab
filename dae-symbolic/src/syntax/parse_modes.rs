//! `modes` blocks, and complementary expressions.
//!
//! In: the cursor at `modes`, at an alternative in such a block, or at `complementary`. Out: the head of either of the
//! first two, whose body the caller reads; two expressions with the conditions that they are negative.

use proc_macro2::Delimiter;

use super::ast::{Alternative, Comparison, Complement, Complementary, Expression, Modes, Name, Node, StatementKind};
use super::cursor::Look;
use super::parse_model::Ending;
use super::parser::{Parsed, Parser};
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::Rational;

impl Parser {
    /// Whether `modes name {` or `modes name = start {` follows.
    pub(super) fn at_modes(&self) -> bool {
        self.cursor.at_word("modes")
            && matches!(
                (self.cursor.look(1), self.cursor.look(2)),
                (Look::Word(_), Look::Open(Delimiter::Brace) | Look::Operator("="))
            )
    }

    /// `modes name {` or `modes name = start {`
    pub(super) fn modes_head(&mut self) -> Parsed<(StatementKind, Ending)> {
        self.cursor.advance();
        let name = self.declared_name("the name of the mode variable")?;
        let start = if self.cursor.accept("=") { Some(self.declared_name("the mode at the start")?) } else { None };
        let close = self.expect_open(Delimiter::Brace, "`{` and the alternatives")?;
        Ok((StatementKind::Modes(Modes { name, start, statements: 0 }), Ending::Opens(close)))
    }

    /// `name {`, in a `modes` block.
    pub(super) fn alternative_head(&mut self) -> Parsed<(StatementKind, Ending)> {
        let is_head =
            matches!(self.cursor.look(0), Look::Word(_)) && self.cursor.look(1) == Look::Open(Delimiter::Brace);
        if !is_head {
            let at = self.here();
            let finding = Diagnostic::error(Code::InvalidModes, "a `modes` block holds alternatives")
                .label(at, "expected the name of an alternative and `{`")
                .help(
                    "write `modes valve { open { p1 = p2; } shut { q = 0; } }`; what holds in all modes stands outside",
                );
            return Err(self.fail(finding));
        }
        let name = self.declared_name("the name of an alternative")?;
        let close = self.expect_open(Delimiter::Brace, "`{` and the equations of the alternative")?;
        Ok((StatementKind::Alternative(Alternative { name, statements: 0 }), Ending::Opens(close)))
    }

    /// Whether `complementary name(` follows.
    pub(super) fn at_complementary(&self) -> bool {
        self.cursor.at_word("complementary")
            && matches!((self.cursor.look(1), self.cursor.look(2)), (Look::Word(_), Look::Open(Delimiter::Parenthesis)))
    }

    /// `complementary name(first, second)`
    pub(super) fn complementary(&mut self) -> Parsed<(StatementKind, Ending)> {
        self.cursor.advance();
        let name = self.declared_name("the name of the mode variable")?;
        let close = self.expect_open(Delimiter::Parenthesis, "`(` and two expressions")?;
        let first = self.complement(&name)?;
        if !self.cursor.accept(",") {
            return Err(self.unexpected("`,` and the second expression"));
        }
        let second = self.complement(&name)?;
        if self.cursor.position() != close {
            return Err(self.unexpected("`)`"));
        }
        self.cursor.advance();
        Ok((StatementKind::Complementary(Complementary { name, sides: [first, second] }), Ending::Semicolon))
    }

    /// One of two complementary expressions: itself, and the condition that it is negative.
    fn complement(&mut self, name: &Name) -> Parsed<Complement> {
        let start = self.cursor.position();
        let value = self.expression()?;
        let (end, text) = (self.cursor.position(), self.cursor.text(start, self.cursor.position()));
        // The nodes of an expression follow one another: those of the condition are read again.
        self.cursor.set_position(start);
        let Expression { first, root } = self.expression()?;
        self.cursor.set_position(end);
        let origin = self.expressions.origin(root);
        let zero = self.expressions.push(Node::Number(Rational::ZERO), origin);
        let is_negative = self.expressions.push(Node::Comparison(Comparison::Less, root, zero), origin);
        let is_negative = Expression { first, root: is_negative };
        let zero = self.expressions.push(Node::Number(Rational::ZERO), name.origin);
        let zero = Expression { first: zero, root: zero };
        Ok(Complement { value, zero, is_negative, condition: format!("{text} < 0") })
    }
}
