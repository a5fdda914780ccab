//! Conditions, and expressions that depend on them.
//!
//! In: the cursor at a comparison, a logical operator or `if`. Out: nodes for conditions and conditionals. Above the
//! two levels of arithmetic there are three more (comparison, `&&` and `||`); a frame of the parser holds their
//! finished parts. Once an expression is complete, one loop over its nodes checks that conditions and numbers stand
//! where they belong.

use super::ast::{Comparison, Expression, Expressions, Node, NodeId};
use super::cursor::Look;
use super::frames::{Cases, Frame, Next, Opener, Operand, Part, Stack};
use super::parser::{Parsed, Parser, Reported};
use super::validate;
use crate::diagnostic::Diagnostic;
use proc_macro2::Delimiter;
use std::ops::RangeInclusive;

impl Parser {
    /// Moves past `if` and starts its condition.
    pub(super) fn open_conditional(&mut self, stack: &mut Stack) {
        let start = self.cursor.position();
        self.cursor.advance();
        let cases = Cases { start, part: Part::Condition, cases: Vec::new(), condition: None };
        stack.push(Opener::If(cases), self.cursor.position());
    }

    /// A comparison or logical operator after an operand.
    pub(super) fn logical(&mut self, stack: &mut Stack, value: Operand) -> Parsed<Next> {
        let Look::Operator(operator) = self.cursor.look(0) else { return Err(self.unexpected("an operator")) };
        let frame = &mut stack.top;
        match Comparison::from_operator(operator) {
            Some(_) if frame.logic.compared.is_some() => {
                let at = self.here();
                return Err(self.fail(validate::chained_comparison(at)));
            }
            Some(comparison) => {
                let left = self.sum(frame, value);
                frame.logic.compared = Some((comparison, left));
            }
            None => {
                let condition = self.comparison(frame, value);
                frame.logic.conditions.push(condition.node);
                if operator == "||" {
                    let alternative = self.alternative(frame, condition.end);
                    frame.logic.alternatives.push(alternative);
                    frame.logic.alternative_start = self.cursor.position() + 1;
                }
            }
        }
        self.cursor.advance();
        frame.next_sum(self.cursor.position());
        Ok(Next::Operand)
    }

    /// Ends a sum, and the comparison whose right side it is.
    fn comparison(&mut self, frame: &mut Frame, value: Operand) -> Operand {
        let right = self.sum(frame, value);
        let Some((comparison, left)) = frame.logic.compared.take() else { return right };
        let origin = self.sources.range(left.start, right.end);
        let node = self.expressions.push(Node::Comparison(comparison, left.node, right.node), origin);
        Operand { node, start: left.start, end: right.end }
    }

    /// Ends conditions joined by `&&`.
    fn alternative(&mut self, frame: &mut Frame, end: usize) -> NodeId {
        let conditions = std::mem::take(&mut frame.logic.conditions);
        match conditions.as_slice() {
            [single] => *single,
            _ => {
                let origin = self.sources.range(frame.logic.alternative_start, end);
                self.expressions.push(Node::All(conditions), origin)
            }
        }
    }

    /// Ends everything that a frame holds.
    pub(super) fn condition(&mut self, frame: &mut Frame, value: Operand) -> Parsed<Operand> {
        let last = self.comparison(frame, value);
        frame.logic.conditions.push(last.node);
        let alternative = self.alternative(frame, last.end);
        let mut alternatives = std::mem::take(&mut frame.logic.alternatives);
        let node = if alternatives.is_empty() {
            alternative
        } else {
            alternatives.push(alternative);
            let origin = self.sources.range(frame.logic.start, last.end);
            self.expressions.push(Node::Any(alternatives), origin)
        };
        Ok(Operand { node, start: frame.logic.start, end: last.end })
    }

    /// A brace after an operand inside a conditional: the end of a condition, or of the value of a case.
    pub(super) fn end_of_case(&mut self, stack: &mut Stack, value: Operand) -> Parsed<Next> {
        let opens = self.cursor.look(0) == Look::Open(Delimiter::Brace);
        let whole = self.condition(&mut stack.top, value)?;
        let Opener::If(cases) = &mut stack.top.opener else { return Err(self.unexpected("an operator")) };
        match (cases.part, opens) {
            (Part::Condition, true) => {
                cases.condition = Some(whole.node);
                cases.part = Part::Value;
                self.start_part(stack)?;
                Ok(Next::Operand)
            }
            (Part::Condition, false) => Err(self.unexpected("`{` and the value where the condition holds")),
            (Part::Value | Part::Otherwise, true) => Err(self.unexpected("an operator or `}`")),
            (Part::Value, false) => {
                cases.cases.extend(cases.condition.take().map(|condition| (condition, whole.node)));
                let start = cases.start;
                self.cursor.advance();
                self.after_case(stack, start)?;
                Ok(Next::Operand)
            }
            (Part::Otherwise, false) => {
                self.cursor.advance();
                self.close_conditional(stack, whole.node)
            }
        }
    }

    /// An operator of equations or statements inside a conditional.
    pub(super) fn misplaced_in_conditional(&mut self, stack: &Stack, operator: &str) -> Reported {
        let at = self.here();
        let in_condition = matches!(&stack.top.opener, Opener::If(cases) if cases.part == Part::Condition);
        match (in_condition, operator) {
            (true, "=") => self.fail(validate::assignment(at)),
            (true, _) => self.unexpected("`{` and the value where the condition holds"),
            (false, _) => self.fail(validate::statement_in_case(at)),
        }
    }

    /// Moves past a bracket or word and starts the next part.
    fn start_part(&mut self, stack: &mut Stack) -> Parsed<()> {
        self.cursor.advance();
        if self.cursor.at_word("let") {
            let at = self.here();
            return Err(self.fail(validate::block(at)));
        }
        stack.top.restart(self.cursor.position());
        Ok(())
    }

    /// `else if` or `else {` after a case.
    fn after_case(&mut self, stack: &mut Stack, start: usize) -> Parsed<()> {
        if !self.cursor.at_word("else") {
            let at = self.since(start);
            return Err(self.fail(validate::without_else(at)));
        }
        self.cursor.advance();
        let part = match self.cursor.look(0) {
            Look::Word("if") => Part::Condition,
            Look::Open(Delimiter::Brace) => Part::Otherwise,
            _ => return Err(self.unexpected("`if` or `{` after `else`")),
        };
        if let Opener::If(cases) = &mut stack.top.opener {
            cases.part = part;
        }
        self.start_part(stack)
    }

    fn close_conditional(&mut self, stack: &mut Stack, otherwise: NodeId) -> Parsed<Next> {
        let end = self.cursor.previous();
        match stack.pop() {
            Some(Opener::If(Cases { start, cases, .. })) => {
                let origin = self.sources.range(start, end);
                let goes_on = matches!(
                    self.cursor.look(0),
                    Look::Operator("+" | "-" | "*" | "/" | "&&" | "||" | "<" | "<=" | ">" | ">=" | "==" | "!=")
                        | Look::Open(Delimiter::Bracket)
                );
                if goes_on && stack.heads_a_block(start) {
                    let at = self.here();
                    return Err(self.fail(validate::statement_of_rust(at, origin)));
                }
                let node = self.expressions.push(Node::Conditional { cases, otherwise }, origin);
                Ok(Next::Continue(Operand { node, start, end }))
            }
            // The opener has just been examined.
            _ => Ok(Next::Finished(otherwise)),
        }
    }

    /// The expression, if conditions and numbers stand where they belong in it.
    pub(super) fn checked(&mut self, it: Expression, wanted: Sort) -> Parsed<Expression> {
        match misplaced(&self.expressions, it, wanted) {
            Some(finding) => Err(self.fail(finding)),
            None => Ok(it),
        }
    }
}

/// The sort that an operand has, or has to have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Number,
    Condition,
}

fn sort(node: &Node) -> Sort {
    match node {
        Node::Comparison(..) | Node::All(_) | Node::Any(_) | Node::Not(_) => Sort::Condition,
        _ => Sort::Number,
    }
}

/// The first condition where a number belongs, or the other way round.
fn misplaced(expressions: &Expressions, it: Expression, wanted: Sort) -> Option<Diagnostic> {
    for (id, node) in expressions.walk(it) {
        let found = operands(node).into_iter().find(|&(operand, wanted)| sort(expressions.node(operand)) != wanted);
        if let Some((operand, wanted)) = found {
            let at = expressions.origin(operand);
            return Some(match wanted {
                Sort::Condition => {
                    validate::no_condition(at, matches!(node, Node::Not(_)).then(|| expressions.origin(id)))
                }
                Sort::Number => validate::no_number(at),
            });
        }
    }
    let at = expressions.origin(it.root);
    match (sort(expressions.node(it.root)), wanted) {
        (Sort::Condition, Sort::Number) => Some(validate::no_number(at)),
        (Sort::Number, Sort::Condition) => Some(validate::no_condition(at, None)),
        (Sort::Number, Sort::Number) | (Sort::Condition, Sort::Condition) => None,
    }
}

/// The nodes of the expression with this root.
pub(crate) fn nodes_below(expressions: &Expressions, root: NodeId) -> RangeInclusive<usize> {
    let mut first = root;
    // Nodes stand after their operands, so that the first node of an expression is found along first operands.
    loop {
        let operand = match expressions.node(first) {
            Node::RangeSum { head, .. } => Some(*head),
            node => operands(node).into_iter().map(|(id, _)| id).min(),
        };
        match operand {
            Some(operand) => first = operand,
            None => return first.index()..=root.index(),
        }
    }
}

/// The operands of a node, and the sort that each of them must have.
fn operands(node: &Node) -> Vec<(NodeId, Sort)> {
    let all = |ids: &[NodeId], sort| ids.iter().map(|&id| (id, sort)).collect();
    match node {
        Node::Sum(terms) => terms.iter().map(|&(_, id)| (id, Sort::Number)).collect(),
        Node::Product(factors) => factors.iter().map(|&(_, id)| (id, Sort::Number)).collect(),
        Node::Negation(id) => vec![(*id, Sort::Number)],
        Node::Comparison(_, left, right) => all(&[*left, *right], Sort::Number),
        Node::Call { arguments, .. } => all(arguments, Sort::Number),
        Node::All(ids) | Node::Any(ids) => all(ids, Sort::Condition),
        Node::Not(id) => vec![(*id, Sort::Condition)],
        Node::Conditional { cases, otherwise } => {
            let of_case =
                |&(condition, value): &(NodeId, NodeId)| [(condition, Sort::Condition), (value, Sort::Number)];
            cases.iter().flat_map(of_case).chain([(*otherwise, Sort::Number)]).collect()
        }
        Node::Index { array, index } => all(&[*array, *index], Sort::Number),
        Node::At { value, time } => all(&[*value, *time], Sort::Number),
        Node::List(items) => all(items, Sort::Number),
        Node::Repeat { value, count } => all(&[*value, *count], Sort::Number),
        Node::RangeHead { start, end, .. } => all(&[*start, *end], Sort::Number),
        Node::RangeSum { body, .. } => all(&[*body], Sort::Number),
        Node::Number(_) | Node::Name(_) | Node::Mode { .. } | Node::Time | Node::Pi | Node::Euler => Vec::new(),
    }
}
