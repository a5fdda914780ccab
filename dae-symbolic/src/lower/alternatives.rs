//! The alternatives of mode variables, in the text in one mode.
//!
//! In: mode variables, of which a block in a `for` has an instance for each value of the loop variables, and the
//! alternative of each instance. Out: the instances; the position of an alternative as a number, for the present values of
//! the loop variables or in the present box, which is cut where instances have different ones; transitions of events.

use super::decisions::Cut;
use super::enclosing::OpenLoop;
use super::evaluate::Evaluator;
use super::items::{Base, Item, Value, View};
use super::lowering::Lowering;
use super::names::{needs_indices, no_alternative};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::Rational;
use crate::model::ModeTransition;
use crate::model::family::element_name;
use crate::syntax::ast::{Expression, ModeVariable, Name, NodeId, StatementKind, When, WhenItemKind};
use crate::syntax::validate::Place;

impl Evaluator<'_> {
    /// The alternative of the instance of the loops around the expression. In a box in which instances have different ones
    /// there is none: it is recorded where the box has to be cut.
    pub(super) fn alternative(&mut self, variable: usize, node: NodeId, found: &mut Diagnostics) -> Option<Value> {
        let declared = self.modes.get(variable).filter(|declared| declared.are_known)?;
        if declared.instances.is_empty() {
            let at = self.expressions.origin(node);
            self.report(node, no_instance(declared, &[]).label(at, "no such mode variable"), found);
            return None;
        }
        let ranges: Vec<(i64, i64)> =
            self.loops.iter().take(declared.loops).map(|binding| (binding.range.start, binding.range.end)).collect();
        let is_here = |at: &[i64]| at.iter().zip(&ranges).all(|(value, (start, end))| (start..end).contains(&value));
        let here = declared.range().zip(&declared.instances).filter(|(_, at)| is_here(at));
        let here: Vec<(&[i64], usize)> =
            here.filter_map(|(instance, at)| Some((at.as_slice(), *self.mode.get(instance)?))).collect();
        self.decided_by_box |= !self.instance && !self.loops.is_empty();
        match first_change(&here, ranges.len()) {
            Some(cut) => {
                self.cut.get_or_insert(cut);
                None
            }
            None => here.first().map(|&(_, alternative)| self.number(alternative as i64)),
        }
    }

    /// The alternatives of all instances as an array, to be indexed.
    pub(super) fn alternatives(&mut self, variable: usize) -> Option<Item> {
        let declared = self.modes.get(variable).filter(|declared| declared.are_known)?;
        match declared.loops {
            0 => None,
            // Instances need not fill a box: indices are looked up, not compared with extents.
            loops => Some(self.views.whole(Base::Alternatives(variable), &vec![1; loops])),
        }
    }

    /// The alternative of an instance by its indices, the last one of which is `value`; none where that is another one for
    /// each value of the loop variables.
    pub(super) fn alternative_at(
        &mut self,
        mut view: View,
        (variable, value, index): (usize, Value, NodeId),
        found: &mut Diagnostics,
    ) -> Option<Item> {
        if let Err(why) = self.leaves.affine(&self.dag, value.expr) {
            let finding = self.no_index(why, index);
            self.report(index, finding, found);
            return None;
        }
        view.extents.remove(0);
        view.indices.push(value);
        if !view.extents.is_empty() {
            return Some(self.views.intern(view));
        }
        let number = |value: &Value| self.dag.as_constant(value.expr).and_then(Rational::to_integer);
        let Some(at) = view.indices.iter().map(number).collect::<Option<Vec<i64>>>() else {
            self.varying = true;
            return None;
        };
        let declared = self.modes.get(variable)?;
        let Some(instance) = declared.instance(&at) else {
            let finding =
                no_instance(declared, &at).label(self.expressions.origin(index), "not in the range of the loop");
            self.report(index, finding, found);
            return None;
        };
        let alternative = *self.mode.get(instance)?;
        Some(Item::Scalar(self.number(alternative as i64)))
    }
}

/// Where a box has to be cut that contains these instances; `None` if they all have the same alternative.
fn first_change(here: &[(&[i64], usize)], levels: usize) -> Option<Cut> {
    let (_, first) = here.first()?;
    if here.iter().all(|(_, alternative)| alternative == first) {
        return None;
    }
    // By the values of one loop variable, the instances with one value have other alternatives than those with another.
    (0..levels).find_map(|level| {
        let slice = |value: i64| {
            let with = here.iter().filter(move |(at, _)| at[level] == value);
            with.map(move |(at, alternative)| ([&at[..level], &at[level + 1..]].concat(), *alternative))
        };
        let mut values: Vec<i64> = here.iter().map(|(at, _)| at[level]).collect();
        values.sort_unstable();
        values.dedup();
        let &[first, ref others @ ..] = values.as_slice() else { return None };
        let at = others.iter().copied().find(|&value| !slice(value).eq(slice(first)))?;
        Some(Cut { level, at })
    })
}

impl<'a> Lowering<'a, '_> {
    /// The instances of mode variables, in the order of the text: the values of the variables of the loops around them; `None`
    /// where a loop or branch around them has an error.
    pub(super) fn mode_instances(&mut self) -> Vec<Option<Vec<Vec<i64>>>> {
        let mut instances = Vec::new();
        for (position, statement) in self.written.statements.iter().enumerate() {
            self.close_branches(position);
            self.close_loops(position);
            match &statement.kind {
                StatementKind::Constant(it) => self.constant(position, it),
                StatementKind::Function(it) => self.function(position, it),
                StatementKind::For(it) => self.open_loop(position, it),
                StatementKind::Branch(it) => self.open_branch(position, it),
                StatementKind::Modes(_) => {
                    let loops: Vec<_> = self.open.iter().map(OpenLoop::hull).collect();
                    let points = self.points(&[], &loops);
                    let pieces = points.and_then(|points| self.by_points(&loops, points, &mut |_| Some(())));
                    let point = |domain: Vec<(i64, i64)>| domain.into_iter().map(|(value, _)| value).collect();
                    let known = pieces.filter(|_| !self.found.has_errors());
                    instances.push(known.map(|list| list.into_iter().map(|piece| point(piece.domain)).collect()));
                }
                _ => {}
            }
        }
        instances
    }

    /// The present instance of a mode variable in whose block a statement stands.
    pub(super) fn instance_here(&self, variable: usize) -> Option<usize> {
        let declared = self.written.modes.get(variable)?;
        let at = self.evaluator.loops.iter().take(declared.loops).map(|binding| binding.range.start);
        declared.instance(&at.collect::<Vec<i64>>())
    }

    /// Gives the indices of mode variables in an event their meanings; a finding and `None` where a variable needs indices.
    pub(super) fn resolve_transitions(&mut self, position: usize, it: &When) -> Option<()> {
        for item in it.items.iter().chain(it.limit.iter().flat_map(|limit| &limit.items)) {
            let WhenItemKind::Enter { variable, indices, .. } = &item.kind else { continue };
            let declared = self.written.modes.get(*variable)?;
            if indices.len() != declared.loops && !(indices.is_empty() && declared.is_unique_at(position)) {
                self.found.push(needs_indices(declared, indices.len()).label(item.origin, "which of them?"));
                return None;
            }
            indices.iter().for_each(|&index| self.resolve(index, position, Place::Extent));
        }
        Some(())
    }

    /// A mode variable that gets an alternative.
    pub(super) fn transition(
        &mut self,
        variable: usize,
        indices: &[Expression],
        alternative: &Name,
    ) -> Option<ModeTransition> {
        let declared = self.written.modes.get(variable).filter(|declared| declared.are_known)?;
        let mut at = Vec::with_capacity(indices.len());
        for &index in indices {
            let value = self.evaluate_scalar(index)?.expr;
            let Some(value) = self.evaluator.dag.as_constant(value).and_then(Rational::to_integer) else {
                let finding = Diagnostic::error(Code::InvalidModes, "the index of a mode variable is an integer");
                let finding = finding.label(self.written.expressions.origin(index.root), "not an integer");
                self.evaluator.report(index.root, finding, self.found);
                return None;
            };
            at.push(value);
        }
        let instance = match indices {
            [] => self.instance_here(variable),
            [..] => declared.instance(&at),
        };
        let Some(instance) = instance else {
            let place = indices.last().map_or(alternative.origin, |index| self.written.expressions.origin(index.root));
            self.found.push(no_instance(declared, &at).label(place, "no such mode variable"));
            return None;
        };
        if let Some(position) = declared.position(&alternative.text) {
            return Some(ModeTransition { variable: instance, alternative: position, origin: alternative.origin });
        }
        self.found.push(no_alternative(declared, &alternative.text, alternative.origin));
        None
    }
}

/// The finding that a mode variable has no such instance.
fn no_instance(declared: &ModeVariable, at: &[i64]) -> Diagnostic {
    let message = format!("there is no `{}`", element_name(&declared.name.text, at));
    let finding = Diagnostic::error(Code::InvalidModes, message).label(declared.name.origin, "its block");
    finding.help(
        "a block in a `for` or `if` is a mode variable for each value of the loop variables for which it stands there",
    )
}
