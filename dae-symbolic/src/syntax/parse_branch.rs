//! `if` around statements, and `initial`.
//!
//! In: the cursor at `if`, `else` or `initial`. Out: the head of a branch, or of the block of initial equations; the caller
//! reads its body.

use super::ast::{Branch, Initial, StatementKind};
use super::cursor::Look;
use super::frames::Opener;
use super::parse_model::Ending;
use super::parser::{Parsed, Parser};
use super::validate;
use proc_macro2::Delimiter;

impl Parser {
    /// `initial {`
    pub(super) fn initial_head(&mut self) -> Parsed<(StatementKind, Ending)> {
        self.cursor.advance();
        let close = self.expect_open(Delimiter::Brace, "`{` and the equations that hold at the start")?;
        Ok((StatementKind::Initial(Initial { statements: 0 }), Ending::Opens(close)))
    }

    /// `if condition {`
    pub(super) fn branch_head(&mut self) -> Parsed<(StatementKind, Ending)> {
        self.cursor.advance();
        let condition = Some(self.expression_of(Opener::Condition)?);
        let close = self.expect_open(Delimiter::Brace, "`{` and the equations that hold then")?;
        let branch = Branch { before: Vec::new(), condition, statements: 0 };
        Ok((StatementKind::Branch(branch), Ending::Opens(close)))
    }

    /// `else if condition {` or `else {` after the branch `earlier`; returns the head, and the position of the closing
    /// brace.
    pub(super) fn else_head(&mut self, earlier: Branch) -> Parsed<(StatementKind, usize)> {
        let mut before = earlier.before;
        let at = self.here();
        // A branch without a condition is an `else { … }`, after which there is no further one.
        let Some(condition) = earlier.condition else { return Err(self.unexpected("a statement")) };
        before.push(condition);
        if before.len() >= validate::MAX_BRANCHES {
            return Err(self.fail(validate::branches(at)));
        }
        self.cursor.advance();
        let condition = match self.cursor.look(0) {
            Look::Word("if") => {
                self.cursor.advance();
                Some(self.expression_of(Opener::Condition)?)
            }
            _ => None,
        };
        let close = self.expect_open(Delimiter::Brace, "`if`, or `{` and the equations that hold otherwise")?;
        Ok((StatementKind::Branch(Branch { before, condition, statements: 0 }), close))
    }
}
