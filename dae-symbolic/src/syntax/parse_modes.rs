//! `modes` blocks, and complementary expressions.
//!
//! In: the cursor at `modes`, at an alternative in such a block, or at `complementary`. Out: the head of either of the
//! first two, whose body the caller reads; the block for which the last one is short.

use proc_macro2::Delimiter;

use super::ast::{
    Alternative, Comparison, Equation, Expression, Modes, Name, Node, StatementKind, Trigger, When, WhenItem,
    WhenItemKind,
};
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
        Ok((StatementKind::Modes(Modes { name, start, is_complementary: false, statements: 0 }), Ending::Opens(close)))
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

    /// `complementary name(first, second)`: one of two expressions is zero, and the other is not negative. It is short for
    ///
    /// ```text
    /// modes name {
    ///     first { first = 0; when second < 0 { name = second; } }
    ///     second { second = 0; when first < 0 { name = first; } }
    /// }
    /// ```
    pub(super) fn complementary(&mut self) -> Parsed<(StatementKind, Ending)> {
        self.cursor.advance();
        let name = self.declared_name("the name of the mode variable")?;
        let close = self.expect_open(Delimiter::Parenthesis, "`(` and two expressions")?;
        let [first, not_second] = self.zero_or_negative(&name, "first")?;
        if !self.cursor.accept(",") {
            return Err(self.unexpected("`,` and the second expression"));
        }
        let [second, not_first] = self.zero_or_negative(&name, "second")?;
        if self.cursor.position() != close {
            return Err(self.unexpected("`)`"));
        }
        self.cursor.advance();
        let alternative = |text: &str| {
            let name = Name { text: text.to_string(), origin: name.origin };
            StatementKind::Alternative(Alternative { name, statements: 2 })
        };
        let body = vec![alternative("first"), first, not_first, alternative("second"), second, not_second];
        let head = StatementKind::Modes(Modes { name, start: None, is_complementary: true, statements: body.len() });
        Ok((head, Ending::StandsFor(body)))
    }

    /// For one of two complementary expressions, the equation that it is zero in its alternative, and the event that it
    /// becomes negative in the other one.
    fn zero_or_negative(&mut self, name: &Name, alternative: &str) -> Parsed<[StatementKind; 2]> {
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
        let mut leaf = |node| {
            let id = self.expressions.push(node, name.origin);
            Some(Expression { first: id, root: id })
        };
        let zero = leaf(Node::Number(Rational::ZERO));
        let entered = [leaf(Node::Name(name.text.clone())), leaf(Node::Name(alternative.to_string()))];
        let kind = WhenItemKind::Change(Equation { left: entered[0], right: entered[1] });
        let when = When {
            opening: name.origin,
            trigger: Trigger::Condition(Expression { first, root: is_negative }),
            name: format!("{text} < 0"),
            within: None,
            depends_on_mode: false,
            items: vec![WhenItem { origin: name.origin, kind }],
            limit: None,
        };
        let equation = Equation { left: Some(value), right: zero };
        Ok([StatementKind::Equation(equation), StatementKind::When(when)])
    }
}
