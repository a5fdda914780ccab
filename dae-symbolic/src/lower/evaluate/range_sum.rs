//! Sums over ranges.
//!
//! In: the range of a sum, and its terms one after the other. Out: their sum. The nodes of the body stand between the
//! head of the sum and the sum itself, and are evaluated once for each index.

use super::task::RangeSum;
use super::{Evaluator, Task};
use crate::expr::Rational;
use crate::lower::items::{Item, Value};
use crate::syntax::ast::Node;

impl Evaluator<'_> {
    /// Starts a sum over a range. The value of its head is that of the variable while the body is evaluated.
    pub(super) fn open_range(&mut self, task: &mut Task, range: Option<(i64, i64)>) {
        let head = task.values.len();
        if let Some((start, end)) = range
            && start < end
        {
            task.ranges.push(RangeSum { head, next: start + 1, end, terms: Vec::new() });
            let value = self.number(start);
            task.values.push(Some(Item::Scalar(value)));
            return;
        }
        // Nothing is summed: the body has no value, and the sum is zero, or has no value if its range has none.
        let body = self.body_length(task.first + head);
        task.values.extend(std::iter::repeat_n(None, body + 1));
        let zero = range.map(|_| Item::Scalar(self.number(0)));
        task.values.push(zero);
    }

    /// Number of nodes between the head of a sum and the sum.
    fn body_length(&self, head: usize) -> usize {
        let is_sum = |position: usize| match self.expressions.node(self.expressions.at(position)) {
            Node::RangeSum { head: of, .. } => of.index() == head,
            _ => false,
        };
        (head + 1..self.expressions.len()).take_while(|position| !is_sum(*position)).count()
    }

    /// Records a term and continues with the next index, or ends the sum.
    pub(super) fn next_term(&mut self, task: &mut Task, term: Option<Value>) {
        let Some(range) = task.ranges.last_mut() else { return task.values.push(None) };
        range.terms.push(term);
        if range.next < range.end && !self.is_exhausted() {
            let (head, next) = (range.head, range.next);
            range.next += 1;
            task.values.truncate(head);
            let value = self.number(next);
            task.values.push(Some(Item::Scalar(value)));
            return;
        }
        let complete = range.next >= range.end;
        let terms: Option<Vec<Value>> = task.ranges.pop().and_then(|range| range.terms.into_iter().collect());
        let sum = terms.filter(|_| complete).map(|terms| {
            let unknowns = self.sets.union(terms.iter().map(|term| term.unknowns));
            let expr = self.dag.sum(terms.iter().map(|term| (Rational::ONE, term.expr)));
            Item::Scalar(Value { expr, unknowns })
        });
        task.values.push(sum);
    }
}
