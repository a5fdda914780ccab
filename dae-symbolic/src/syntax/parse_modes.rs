//! `modes` blocks.
//!
//! In: the cursor at `modes`, or at an alternative in such a block. Out: the head of either; the caller reads its body.

use proc_macro2::Delimiter;

use super::ast::{Alternative, Modes, StatementKind};
use super::cursor::Look;
use super::parse_model::Ending;
use super::parser::{Parsed, Parser};
use crate::diagnostic::{Code, Diagnostic};

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
        let is_head = matches!(self.cursor.look(0), Look::Word(_)) && self.cursor.look(1) == Look::Open(Delimiter::Brace);
        if !is_head {
            let at = self.here();
            let finding = Diagnostic::error(Code::InvalidModes, "a `modes` block holds alternatives")
                .label(at, "expected the name of an alternative and `{`")
                .help("write `modes valve { open { p1 = p2; } shut { q = 0; } }`; what holds in all modes stands outside");
            return Err(self.fail(finding));
        }
        let name = self.declared_name("the name of an alternative")?;
        let close = self.expect_open(Delimiter::Brace, "`{` and the equations of the alternative")?;
        Ok((StatementKind::Alternative(Alternative { name, statements: 0 }), Ending::Opens(close)))
    }
}
