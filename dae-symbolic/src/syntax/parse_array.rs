//! Arrays, ranges and `for`: the parts of the grammar that concern indices.
//!
//! In: the cursor at such a part. Out: its nodes, or the head of a statement. Brackets and `sum(… => …)` inside
//! expressions are frames of the stack of `parse_expression.rs`, so nothing recurses here either.

use super::ast::{Expression, For, Limit, Name, Node, Range, StatementKind};
use super::cursor::Look;
use super::frames::{Frame, Next, Opener, Operand, RangeStage, Stack};
use super::parse_model::Ending;
use super::parser::{Parsed, Parser, Reported};
use super::validate;
use crate::diagnostic::{Code, Diagnostic};
use proc_macro2::Delimiter;

/// The number of indices that an array can have.
pub(super) const MAX_DIMENSIONS: usize = 2;

impl Parser {
    /// `: f64`, `: [f64; N]`, `: [[f64; M]; N]` or nothing: extents of an array, the outermost first.
    pub(super) fn optional_shape(&mut self) -> Parsed<Vec<Expression>> {
        if !self.cursor.accept(":") {
            return Ok(Vec::new());
        }
        let start = self.cursor.position();
        let mut closes = Vec::new();
        self.cursor.skip_invisible();
        while let (Look::Open(Delimiter::Bracket), Some(close)) = (self.cursor.look(0), self.cursor.closing()) {
            closes.push(close);
            self.cursor.advance();
            self.cursor.skip_invisible();
        }
        self.expect_f64()?;
        let mut extents = Vec::new();
        while let Some(close) = closes.pop() {
            self.expect(";", "`;` and the number of elements")?;
            extents.push(self.expression()?);
            if self.cursor.position() != close {
                return Err(self.unexpected("`]`"));
            }
            self.cursor.advance();
        }
        if extents.len() > MAX_DIMENSIONS {
            let at = self.since(start);
            return Err(self.fail(validate::dimensions(at)));
        }
        extents.reverse();
        Ok(extents)
    }

    /// The extents of a declared name; if they cannot be read, the name is marked as doubtful.
    pub(super) fn shape_of(&mut self, name: &str) -> Parsed<Vec<Expression>> {
        let shape = self.optional_shape();
        if shape.is_err() {
            self.doubtful.push(name.to_string());
        }
        shape
    }

    /// A value, or a value by index: `|i| value`, `|i, j| value`.
    pub(super) fn value_by_index(&mut self) -> Parsed<(Vec<Name>, Expression)> {
        let mut indices = Vec::new();
        if self.cursor.accept("|") {
            loop {
                indices.push(self.declared_name("the name of an index")?);
                if !self.cursor.accept(",") {
                    break;
                }
            }
            self.expect("|", "`|` after the names of the indices")?;
        }
        let start = self.cursor.position();
        let value = self.expression()?;
        if indices.len() > MAX_DIMENSIONS {
            let at = self.sources.range(start, start);
            return Err(self.fail(validate::dimensions(at)));
        }
        Ok((indices, value))
    }

    /// `for i in range {`; the caller reads the body.
    pub(super) fn for_head(&mut self) -> Parsed<(StatementKind, Ending)> {
        self.cursor.advance();
        let variable = self.declared_name("the name of the loop variable")?;
        if !self.cursor.at_word("in") {
            return Err(self.unexpected("`in` and a range"));
        }
        self.cursor.advance();
        let start = self.expression_of(Opener::Bound)?;
        let limit = match self.cursor.look(0) {
            Look::Operator("..") => Limit::Exclusive,
            Look::Operator("..=") => Limit::Inclusive,
            _ => {
                let at = self.expressions.origin(start.root);
                return Err(self.fail(validate::no_range(at)));
            }
        };
        self.cursor.advance();
        let end = self.expression_of(Opener::Bound)?;
        let close = self.expect_open(Delimiter::Brace, "`{` and the equations of the loop")?;
        let range = Some(Range { start, end, limit });
        Ok((StatementKind::For(For { variable, range, statements: 0 }), Ending::Opens(close)))
    }

    /// Whether `(name in` follows.
    pub(super) fn range_follows(&self) -> bool {
        matches!((self.cursor.look(1), self.cursor.look(2)), (Look::Word(_), Look::Word("in")))
    }

    /// Moves past `(variable in` of a sum.
    pub(super) fn open_range(&mut self, stack: &mut Stack, start: usize) -> Parsed<Option<Operand>> {
        self.cursor.advance();
        let variable = self.declared_name("the name of the summation variable")?;
        self.cursor.advance();
        stack.push(Opener::Range { variable, start, stage: RangeStage::Start }, self.cursor.position());
        Ok(None)
    }

    /// Whether the current token ends a part of a sum over a range, or the value of `[value; count]`.
    pub(super) fn at_end_of_stage(&self, frame: &Frame) -> bool {
        let Look::Operator(operator) = self.cursor.look(0) else { return false };
        match &frame.opener {
            Opener::Range { stage: RangeStage::Start, .. } => matches!(operator, ".." | "..="),
            Opener::Range { stage: RangeStage::End { .. }, .. } => operator == "=>",
            Opener::List { items, .. } => operator == ";" && items.is_empty(),
            _ => false,
        }
    }

    /// Moves past the token that ends a part of a sum over a range, or the value of `[value; count]`.
    pub(super) fn end_of_stage(&mut self, stack: &mut Stack, value: Operand) -> Parsed<Next> {
        let limit = if self.cursor.at_operator("..") { Limit::Exclusive } else { Limit::Inclusive };
        self.cursor.advance();
        let part = self.condition(&mut stack.top, value)?;
        match &mut stack.top.opener {
            Opener::Range { variable, stage, .. } => {
                *stage = match *stage {
                    RangeStage::Start | RangeStage::Body { .. } => RangeStage::End { start: part.node, limit },
                    RangeStage::End { start, limit } => {
                        let head = Node::RangeHead { variable: variable.clone(), start, end: part.node, limit };
                        RangeStage::Body { head: self.expressions.push(head, variable.origin) }
                    }
                };
            }
            opener => {
                if let Opener::List { open, .. } = *opener {
                    *opener = Opener::Repeat { open, value: part.node };
                }
            }
        }
        stack.top.restart(self.cursor.position());
        Ok(Next::Operand)
    }

    /// Checks that the construct may be closed here.
    pub(super) fn complete_stage(&mut self, frame: &Frame) -> Parsed<()> {
        match frame.opener {
            Opener::Range { stage: RangeStage::Start, .. } => Err(self.unexpected("`..` and the end of the range")),
            Opener::Range { stage: RangeStage::End { .. }, .. } => Err(self.unexpected("`=>` and what is summed")),
            _ => Ok(()),
        }
    }

    /// `q[i, j]`
    pub(super) fn comma_in_index(&mut self) -> Reported {
        let at = self.here();
        let finding = Diagnostic::error(Code::UnexpectedToken, "two indices have brackets of their own")
            .label(at, "expected `]`")
            .help("write `T[i][j]`");
        self.fail(finding)
    }

    /// The node of a bracket or range that ends at token `end`.
    pub(super) fn close_array(&mut self, opener: Opener, last: Option<Operand>, end: usize) -> Option<Operand> {
        let (node, start) = match opener {
            Opener::Index { array, start } => (Node::Index { array, index: last?.node }, start),
            Opener::At { value, start } => (Node::At { value, time: last?.node }, start),
            Opener::List { open, mut items } => {
                items.extend(last.map(|item| item.node));
                (Node::List(items), open)
            }
            Opener::Repeat { open, value } => (Node::Repeat { value, count: last?.node }, open),
            Opener::Range { start, stage: RangeStage::Body { head }, .. } => {
                (Node::RangeSum { head, body: last?.node }, start)
            }
            Opener::Range { .. }
            | Opener::Statement
            | Opener::Body
            | Opener::Bound
            | Opener::Condition
            | Opener::If(_)
            | Opener::Group { .. }
            | Opener::Call { .. } => {
                return last;
            }
        };
        let origin = self.sources.range(start, end);
        Some(Operand { node: self.expressions.push(node, origin), start, end })
    }

    /// The indices of an element of an array, `[i][j]`; none if no bracket stands here.
    pub(super) fn element(&mut self) -> Parsed<Vec<Expression>> {
        let mut indices = Vec::new();
        while let (Look::Open(Delimiter::Bracket), Some(close)) = (self.cursor.look(0), self.cursor.closing()) {
            self.cursor.advance();
            indices.push(self.expression()?);
            if self.cursor.position() != close {
                return Err(self.unexpected("an operator or `]`"));
            }
            self.cursor.advance();
        }
        Ok(indices)
    }
}
