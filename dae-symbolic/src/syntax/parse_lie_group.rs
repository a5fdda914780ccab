//! Tokens to the blocks that name a matrix on a Lie group.
//!
//! In: the cursor at `lie_group SO(3) {`. Out: the group and the statements of the block. The words that open these
//! statements have a meaning in such a block only. A statement with an error is reported and skipped up to its `;`, and
//! after an error in the head the block is read all the same.

use super::ast::{Expression, Generator, LieGroup, Name, StatementKind};
use super::cursor::Look;
use super::parse_model::Ending;
use super::parser::{Parsed, Parser, Reported};
use super::{suggest, validate};
use crate::diagnostic::{Code, Diagnostic};
use proc_macro2::Delimiter;

/// The words that open the statements of the block.
const STATEMENTS: [&str; 2] = ["matrix", "generator"];

impl Parser {
    /// Whether a block about a Lie group opens here: an unknown may have the same name.
    pub(super) fn at_lie_group(&self) -> bool {
        self.cursor.at_word("lie_group") && matches!(self.cursor.look(1), Look::Word(_) | Look::Open(Delimiter::Brace))
    }

    /// `lie_group SO(3) { … }`
    pub(super) fn lie_group(&mut self) -> Parsed<(StatementKind, Ending)> {
        let start = self.cursor.position();
        self.cursor.advance();
        let (space, sizes, mut doubtful) = match self.space() {
            Ok((space, sizes)) => (Some(space), sizes, false),
            Err(reported) if !self.brace_follows() => return Err(reported),
            Err(_) => (None, Vec::new(), true),
        };
        let opening = self.since(start);
        let close = self.expect_open(Delimiter::Brace, "`{`, the matrix and its generator")?;
        let (mut matrices, mut generators) = (Vec::new(), Vec::new());
        doubtful |= !self.each_item(close, |this, _| this.part_of_group(&mut matrices, &mut generators));
        let block = LieGroup { opening, space, sizes, matrices, generators, doubtful };
        Ok((StatementKind::LieGroup(block), Ending::Block))
    }

    /// `SO(3)`, `Stiefel(4, 2)`
    fn space(&mut self) -> Parsed<(Name, Vec<Expression>)> {
        self.cursor.skip_invisible();
        let Look::Word(word) = self.cursor.look(0) else {
            return Err(self.unexpected("a group, `SO(3)` for instance"));
        };
        let text = word.to_string();
        let name = Name { text, origin: self.here() };
        self.cursor.advance();
        let close = self.expect_open(Delimiter::Parenthesis, "`(` and the size of the matrices")?;
        let mut sizes = vec![self.expression()?];
        while self.cursor.accept(",") {
            self.cursor.skip_invisible();
            if self.cursor.position() == close {
                break;
            }
            sizes.push(self.expression()?);
        }
        self.cursor.skip_invisible();
        if self.cursor.position() != close {
            return Err(self.unexpected("`)`"));
        }
        self.cursor.advance();
        Ok((name, sizes))
    }

    /// Moves to the brace that opens the block after a head with an error; `false` if there is none in this statement.
    fn brace_follows(&mut self) -> bool {
        loop {
            match self.cursor.look(0) {
                Look::Open(Delimiter::Brace) => return true,
                Look::Operator(";") | Look::End => return false,
                Look::Open(Delimiter::None) | Look::Close(_) => self.cursor.advance(),
                Look::Open(_) => {
                    let Some(close) = self.cursor.closing() else { return false };
                    self.cursor.set_position(close + 1);
                }
                Look::Word(word) if validate::STATEMENT_WORDS.contains(&word) => return false,
                Look::Word(_) | Look::Literal(_) | Look::Operator(_) => self.cursor.advance(),
            }
        }
    }

    /// `matrix Y;` or `generator = value;`
    fn part_of_group(&mut self, matrices: &mut Vec<Name>, generators: &mut Vec<Generator>) -> Parsed<()> {
        let attributes = self.attributes()?;
        if let Some((_, at)) = attributes.nominal {
            self.misplaced_nominal(at);
        }
        self.cursor.skip_invisible();
        let start = self.cursor.position();
        match self.cursor.look(0) {
            Look::Word("matrix") => {
                self.cursor.advance();
                matrices.push(self.declared_name("the name of the matrix, an array of unknowns")?);
            }
            Look::Word("generator") => {
                self.cursor.advance();
                self.expect("=", "`=` and the matrix A of Y' = A·Y")?;
                let (indices, value) = self.value_by_index()?;
                let origin = self.since(start);
                generators.push(Generator { origin, indices, value });
            }
            _ => return Err(self.no_part_of_group()),
        }
        self.semicolon()
    }

    /// Reports a token that opens no statement of the block.
    fn no_part_of_group(&mut self) -> Reported {
        let word = match self.cursor.look(0) {
            Look::Word(word) => Some(word.to_string()),
            _ => None,
        };
        let at = self.here();
        let subject = word.as_ref().map_or_else(|| "this".to_string(), |word| format!("`{word}`"));
        let message = format!("{subject} opens no statement of a `lie_group` block");
        let finding = Diagnostic::error(Code::UnexpectedToken, message).label(at, "not known here");
        let near = word.as_ref().and_then(|word| suggest::nearest(word, STATEMENTS));
        let finding = match (near, &word) {
            (Some(near), _) => finding.help(format!("did you mean `{near}`?")),
            (None, Some(word)) if validate::STATEMENT_WORDS.contains(&word.as_str()) => {
                finding.help("declarations stand in the model itself, before or after the block")
            }
            (None, _) => finding.help("write `matrix Y;` and `generator = …;`, other equations beside the block"),
        };
        self.fail(finding.note("its statements open with `matrix`, `generator`"))
    }
}
