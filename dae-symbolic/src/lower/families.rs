//! Loops, and the expressions that they repeat.
//!
//! In: `for` statements and values by index. Out: one template each, in which loop variables are leaves; where a
//! condition depends on one loop variable, a template for each of the boxes in which the condition has one answer;
//! where a condition depends on several, or a range, an exponent or the order of a derivative on any, an expression for
//! each instance.

use super::enclosing::OpenLoop;
use super::lowering::{Family, Lowering};
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::Assumption;
use crate::model::family::{Body, Loop, MAX_INSTANCES, Piece, box_of};
use crate::origin::Origin;

/// A box of values of loop variables: the first and one past the last of each.
type Domain = Vec<(i64, i64)>;

impl<'a> Lowering<'a, '_> {
    /// The expression that the open loops repeat: one template if possible, otherwise one for each of several boxes.
    /// There is no body if the expression has an error.
    pub(super) fn family<T>(&mut self, evaluate: impl FnMut(&mut Self) -> Option<T>) -> Family<T> {
        self.family_over(Vec::new(), evaluate)
    }

    /// The expression that the open loops and the `inner` loops within them repeat, as [`Lowering::family`] gives it.
    pub(super) fn family_over<T>(
        &mut self,
        inner: Vec<Loop>,
        mut evaluate: impl FnMut(&mut Self) -> Option<T>,
    ) -> Family<T> {
        let mut loops: Vec<Loop> = self.open.iter().map(OpenLoop::hull).collect();
        loops.extend(inner.iter().cloned());
        let constant = self.open.iter().all(|open| open.interval.is_some());
        let mut pieces = if constant { self.by_boxes(&loops, &mut evaluate) } else { None };
        if pieces.is_none() {
            let Some(points) = self.points(&inner, &loops) else { return (loops, None) };
            pieces = Some(self.by_points(&loops, points, &mut evaluate));
        }
        self.evaluator.repeats = false;
        self.bind(&loops, None);
        let Some(Some(mut pieces)) = pieces else { return (loops, None) };
        let whole: Domain = loops.iter().map(|range| (range.start, range.end)).collect();
        if pieces.len() == 1 && pieces[0].domain == whole {
            return (loops, pieces.pop().map(|piece| Body::Template(piece.body)));
        }
        self.forget_local_values();
        pieces.sort_by(|a, b| a.domain.cmp(&b.domain));
        hull(&mut loops, &pieces);
        (loops, Some(Body::Pieces(pieces)))
    }

    /// A template for each of the boxes into which conditions on loop variables cut the whole. The outer option is
    /// `None` if an expression varies from point to point, the inner one if there is an error.
    fn by_boxes<T>(
        &mut self,
        loops: &[Loop],
        evaluate: &mut impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Option<Vec<Piece<T>>>> {
        let mut boxes: Vec<Vec<Loop>> = vec![loops.to_vec()];
        let mut pieces = Some(Vec::new());
        while let Some(here) = boxes.pop() {
            if here.iter().any(|range| range.size() == 0) {
                continue;
            }
            self.bind(&here, None);
            let assumed = self.evaluator.dag.assumptions().len();
            let chosen = self.is_chosen();
            let value = if chosen == Some(true) {
                self.local_values();
                evaluate(self)
            } else {
                None
            };
            self.evaluator.repeats = true;
            if let Some(cut) = self.evaluator.cut.take() {
                let (mut below, mut above) = (here.clone(), here);
                (below[cut.level].end, above[cut.level].start) = (cut.at, cut.at);
                boxes.extend([above, below]);
            } else if !loops.is_empty() && (self.evaluator.varying || self.assumes_about_loops(assumed)) {
                return None;
            } else if chosen != Some(false) {
                let domain = here.iter().map(|range| (range.start, range.end)).collect();
                let piece = value.map(|body| Piece { domain, body });
                pieces = pieces.zip(piece).map(|(mut pieces, piece): (Vec<_>, _)| {
                    pieces.push(piece);
                    pieces
                });
            }
            if self.evaluator.is_exhausted() {
                self.too_large();
                break;
            }
        }
        Some(pieces)
    }

    /// An expression for each point at which the branches hold; `None` if one of them has an error.
    pub(super) fn by_points<T>(
        &mut self,
        loops: &[Loop],
        points: Vec<Vec<i64>>,
        evaluate: &mut impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<Piece<T>>> {
        let mut pieces = Vec::with_capacity(points.len());
        let mut complete = true;
        for point in points {
            self.bind(loops, Some(&point));
            if self.is_chosen() == Some(false) {
                continue;
            }
            self.local_values();
            let domain = point.iter().map(|&i| (i, i + 1)).collect();
            match evaluate(self) {
                Some(body) => pieces.push(Piece { domain, body }),
                None => complete = false,
            }
            if self.evaluator.is_exhausted() {
                self.too_large();
                break;
            }
        }
        complete.then_some(pieces)
    }

    /// Whether a simplification after the first `since` assumptions assumes a condition on loop variables alone: that
    /// $i/i$ is 1 assumes that $i$ is not zero.
    fn assumes_about_loops(&self, since: usize) -> bool {
        let Self { evaluator, .. } = self;
        evaluator.dag.assumptions()[since..].iter().any(|assumption| match assumption {
            Assumption::NonZero(e) | Assumption::NonNegative(e) | Assumption::Positive(e) => {
                evaluator.leaves.is_of_loops(&evaluator.dag, *e)
            }
        })
    }

    /// All points of the loops, the range of each for the values of the outer variables; `None` if a range has an
    /// error, or there are too many points.
    pub(super) fn points(&mut self, inner: &[Loop], loops: &[Loop]) -> Option<Vec<Vec<i64>>> {
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

    fn too_many(&mut self, level: usize) {
        let at = self.open.get(level).map_or(Origin::NONE, |open| open.origin);
        let message = format!("loops have at most {MAX_INSTANCES} instances");
        self.found.push(Diagnostic::error(Code::InvalidExtent, message).label(at, "too many"));
    }

    /// Evaluates the sub-expressions of the open loops and branches again, with the present values of the loop
    /// variables or in the present box.
    fn local_values(&mut self) {
        for k in 0..self.local_definitions.len() {
            let (position, it) = self.local_definitions[k];
            let Some(value) = it.value.filter(|_| it.indices.is_empty()) else { continue };
            (self.evaluator.varying, self.evaluator.cut) = (false, None);
            let item = self.evaluate(value, Vec::new());
            let item = item.and_then(|item| self.broadcast(position, item));
            self.evaluator.statements.insert(position, item);
            match self.evaluator.cut.take() {
                Some(cut) => self.evaluator.cuts.insert(position, cut),
                None => self.evaluator.cuts.remove(&position),
            };
        }
        self.evaluator.varying = false;
    }

    /// Forgets the values of the sub-expressions of the open loops and branches, which hold in the last box only.
    pub(super) fn forget_local_values(&mut self) {
        // A value by index is evaluated where it is used.
        for &(position, _) in self.local_definitions.iter().filter(|(_, it)| it.indices.is_empty()) {
            self.evaluator.statements.insert(position, None);
            self.evaluator.varying_statements.insert(position);
        }
    }
}

/// Shrinks the ranges of loops to the smallest box around the pieces.
fn hull<T>(loops: &mut [Loop], pieces: &[Piece<T>]) {
    for (level, range) in loops.iter_mut().enumerate() {
        let ends = pieces.iter().map(|piece| piece.domain[level]);
        let around = ends.reduce(|(start, end), (other, last)| (start.min(other), end.max(last)));
        (range.start, range.end) = around.unwrap_or((range.start, range.start));
    }
}
