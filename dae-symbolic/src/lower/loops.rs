//! Loops around the current statement.
//!
//! In: the head of a `for`. Out: an open loop, which closes after its body, and whose variable is a leaf of templates
//! or has a number as value.

use super::enclosing::OpenLoop;
use super::evaluate::Binding;
use super::lowering::Lowering;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::family::Loop;
use crate::syntax::ast::{Expression, For, Limit, Node, Range};
use crate::syntax::validate::Place;

/// The largest nesting depth of loops: the number of boxes into which a family may be cut is exponential in it.
const MAX_DEPTH: usize = 8;

impl<'a> Lowering<'a, '_> {
    /// Opens a `for`.
    pub(super) fn open_loop(&mut self, position: usize, it: &'a For) {
        let (locals, definitions) = (self.resolver.locals(), self.local_definitions.len());
        let (mut interval, mut usable) = (None, it.range);
        if let Some(range) = it.range {
            self.resolve(range.start, position, Place::Extent);
            self.resolve(range.end, position, Place::Extent);
            self.bind_template();
            interval = self.interval(&range);
            if let Some((start, end)) = interval
                && start >= end
            {
                if self.is_literal(range.start) && self.is_literal(range.end) {
                    self.empty_range(&range, (start, end));
                    usable = None;
                }
                interval = usable.map(|_| (start, start));
            }
        }
        let level = self.open.len();
        if level >= MAX_DEPTH {
            let finding = Diagnostic::error(Code::InvalidExtent, format!("`for` is nested more than {MAX_DEPTH} deep"));
            self.found.push(finding.label(it.variable.origin, "one too many").help("write the inner equations out"));
            (interval, usable) = (None, None);
        }
        self.resolver.declare_loop(&it.variable, level, self.found);
        let origin = it.range.map_or(it.variable.origin, |range| self.written.expressions.origin(range.end.root));
        self.open.push(OpenLoop {
            name: &it.variable.text,
            range: usable,
            interval,
            end: position + 1 + it.statements,
            locals,
            definitions,
            origin,
        });
    }

    /// Whether an end of a range consists of numbers alone.
    fn is_literal(&self, end: Expression) -> bool {
        self.written.expressions.walk(end).all(|(_, node)| match node {
            Node::Number(_) | Node::Negation(_) | Node::Sum(_) | Node::Product(_) => true,
            Node::Name(_)
            | Node::Mode { .. }
            | Node::Time
            | Node::Pi
            | Node::Euler
            | Node::Comparison(..)
            | Node::All(_)
            | Node::Any(_)
            | Node::Not(_)
            | Node::Conditional { .. }
            | Node::Call { .. }
            | Node::Index { .. }
            | Node::At { .. }
            | Node::List(_)
            | Node::Repeat { .. }
            | Node::RangeHead { .. }
            | Node::RangeSum { .. } => false,
        })
    }

    /// Reports a range that is empty whatever the constants of the model are.
    fn empty_range(&mut self, range: &Range, (start, end): (i64, i64)) {
        let at = self.written.expressions.origin(range.end.root);
        let from = self.written.expressions.origin(range.start.root);
        let text = match range.limit {
            Limit::Exclusive => format!("{start}..{end}"),
            Limit::Inclusive => format!("{start}..={}", end - 1),
        };
        let finding = Diagnostic::error(Code::InvalidExtent, format!("the range `{text}` is empty"));
        self.found
            .push(finding.label(at, "the end").label(from, "the start").help("remove the loop, or mend its range"));
    }

    /// The half-open interval of a range, for the present values of the outer loop variables; `None` if an end has an
    /// error, or depends on a loop variable that is a leaf.
    pub(super) fn interval(&mut self, range: &Range) -> Option<(i64, i64)> {
        let start = self.evaluate_scalar(range.start);
        let end = self.evaluate_scalar(range.end);
        let (start, end) = (start?.expr, end?.expr);
        let first = self.evaluator.bound(start, range.start.root, self.found);
        let last = self.evaluator.bound(end, range.end.root, self.found);
        let end = match range.limit {
            Limit::Exclusive => last?,
            Limit::Inclusive => last? + 1,
        };
        Some((first?, end))
    }

    /// Closes the innermost loop.
    pub(super) fn leave_loop(&mut self) {
        if let Some(last) = self.open.pop() {
            self.resolver.leave(last.locals);
            self.local_definitions.truncate(last.definitions);
        }
    }

    /// Closes the loops whose bodies end before a statement.
    pub(super) fn close_loops(&mut self, position: usize) {
        while let Some(last) = self.open.last()
            && last.end <= position
        {
            self.leave_loop();
        }
        self.evaluator.varying = false;
        if self.evaluator.loops.len() != self.open.len() {
            self.bind_template();
        }
    }

    /// Makes the variables of the open loops leaves.
    pub(super) fn bind_template(&mut self) {
        let loops: Vec<Loop> = self.open.iter().map(OpenLoop::hull).collect();
        self.bind(&loops, None);
    }

    /// Makes the variables of the loops numbers, the coordinates of a point, or leaves if there is no point.
    pub(super) fn bind(&mut self, loops: &[Loop], point: Option<&[i64]>) {
        self.evaluator.loops.clear();
        self.evaluator.enter_box();
        self.evaluator.instance = point.is_some();
        for (level, range) in loops.iter().enumerate() {
            let value = match point.and_then(|point| point.get(level)) {
                Some(&number) => self.evaluator.number(number),
                None => self.evaluator.loop_leaf(level),
            };
            let mut range = range.clone();
            if let Some(&number) = point.and_then(|point| point.get(level)) {
                (range.start, range.end) = (number, number + 1);
            }
            self.evaluator.loops.push(Binding { range, value });
        }
    }
}
