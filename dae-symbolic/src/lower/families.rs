//! Loops, and what they repeat.
//!
//! In: `for` statements and values by index. Out: one template each, in which loop variables are leaves; or, where a range, an
//! exponent or the order of a derivative depends on a loop variable, an expression for each instance.

use super::loops::OpenLoop;
use super::statements::{Family, Lowering};
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::Assumption;
use crate::model::family::{Body, Loop, MAX_INSTANCES, box_of};
use crate::origin::Origin;

/// An expression for each point.
type Instances<T> = Vec<(Vec<i64>, T)>;

impl<'a> Lowering<'a, '_> {
    /// What the open loops repeat: a template if one does, otherwise one for each point. `None` if there is no value.
    pub(super) fn family<T>(&mut self, evaluate: impl FnMut(&mut Self) -> Option<T>) -> Family<T> {
        self.family_over(Vec::new(), evaluate)
    }

    /// The same with further loops inside of the open ones.
    pub(super) fn family_over<T>(
        &mut self,
        inner: Vec<Loop>,
        mut evaluate: impl FnMut(&mut Self) -> Option<T>,
    ) -> Family<T> {
        let mut loops: Vec<Loop> = self.open.iter().map(OpenLoop::hull).collect();
        loops.extend(inner.iter().cloned());
        let constant = self.open.iter().all(|open| open.interval.is_some());
        if constant {
            self.bind(&loops, None);
            self.evaluator.varying = false;
            let assumed = self.evaluator.dag.assumptions().len();
            let value = evaluate(self);
            if loops.is_empty() || !(self.evaluator.varying || self.assumes_about_loops(assumed)) {
                return (loops, value.map(Body::Template));
            }
        }
        let Some(points) = self.points(&inner, &loops) else { return (loops, None) };
        if points.is_empty() {
            self.no_instance();
            return (loops, None);
        }
        let mut list: Instances<T> = Vec::with_capacity(points.len());
        let mut complete = true;
        for point in points {
            self.bind(&loops, Some(&point));
            self.local_values();
            match evaluate(self) {
                Some(value) => list.push((point, value)),
                None => complete = false,
            }
            if self.evaluator.is_exhausted() {
                self.too_large();
                break;
            }
        }
        self.bind(&loops, None);
        self.local_values();
        hull(&mut loops, list.iter().map(|(point, _)| point.as_slice()));
        (loops, complete.then_some(Body::Instances(list)))
    }

    /// Whether something was simplified since under a condition on loop variables alone: $i/i$ is 1 where $i$ is not zero.
    fn assumes_about_loops(&self, since: usize) -> bool {
        let Self { evaluator, .. } = self;
        evaluator.dag.assumptions()[since..].iter().any(|assumption| match assumption {
            Assumption::NonZero(e) | Assumption::NonNegative(e) | Assumption::Positive(e) => {
                evaluator.leaves.is_of_loops(&evaluator.dag, *e)
            }
        })
    }

    /// All values of the loop variables, inner ranges with the values of the outer ones.
    fn points(&mut self, inner: &[Loop], loops: &[Loop]) -> Option<Vec<Vec<i64>>> {
        let mut points = vec![Vec::new()];
        for level in 0..self.open.len() {
            let mut longer = Vec::new();
            for point in points {
                let (start, end) = match (self.open[level].interval, self.open[level].range) {
                    (Some(interval), _) => interval,
                    (None, Some(range)) => {
                        self.bind(&loops[..level], Some(&point));
                        self.interval(&range)?
                    }
                    (None, None) => return None,
                };
                longer.extend((start..end).map(|i| point.iter().copied().chain([i]).collect::<Vec<i64>>()));
                if longer.len() > MAX_INSTANCES {
                    self.too_many(level);
                    return None;
                }
            }
            points = longer;
        }
        let inner = box_of(inner);
        if points.len().saturating_mul(inner.len()) > MAX_INSTANCES {
            self.too_many(self.open.len().saturating_sub(1));
            return None;
        }
        let with = |point: &Vec<i64>| -> Vec<Vec<i64>> {
            inner.iter().map(|rest| point.iter().chain(rest).copied().collect()).collect()
        };
        Some(points.iter().flat_map(with).collect())
    }

    fn too_large(&mut self) {
        if self.found.has_errors() {
            return;
        }
        let at = self.open.last().map_or(Origin::NONE, |open| open.origin);
        let message = "the instances of this loop grow too large, as each of them has an expression of its own";
        let finding = Diagnostic::error(Code::InliningTooLarge, message).label(at, "while writing out this loop");
        self.found.push(finding.help("ranges, exponents and orders that do not depend on loop variables cost nothing"));
    }

    /// A range that is empty for all values of the outer loop variables.
    fn no_instance(&mut self) {
        if self.found.has_errors() {
            return;
        }
        let at = self.open.last().map_or(Origin::NONE, |open| open.origin);
        let message = "the range is empty for all values of the loop variables around it";
        self.found.push(Diagnostic::error(Code::InvalidExtent, message).label(at, "the end").help("mend the range"));
    }

    fn too_many(&mut self, level: usize) {
        let at = self.open.get(level).map_or(Origin::NONE, |open| open.origin);
        let message = format!("loops have at most {MAX_INSTANCES} instances");
        self.found.push(Diagnostic::error(Code::InvalidExtent, message).label(at, "too many"));
    }

    /// Evaluates the sub-expressions of the open loops again, with the present values of the loop variables.
    fn local_values(&mut self) {
        for k in 0..self.local_definitions.len() {
            let (position, it) = self.local_definitions[k];
            let value = it.value.filter(|_| it.indices.is_empty());
            if let Some(value) = value {
                let item = self.evaluate(value, Vec::new());
                let item = item.and_then(|item| self.broadcast(position, item));
                self.evaluator.statements.insert(position, item);
            }
        }
    }
}

/// The smallest box around points.
fn hull<'p>(loops: &mut [Loop], points: impl Iterator<Item = &'p [i64]>) {
    let mut any = false;
    for point in points {
        for (range, &i) in loops.iter_mut().zip(point) {
            (range.start, range.end) = if any { (range.start.min(i), range.end.max(i + 1)) } else { (i, i + 1) };
        }
        any = true;
    }
}
