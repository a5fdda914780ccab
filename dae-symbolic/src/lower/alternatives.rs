//! The alternatives of mode variables, in the text in one mode.
//!
//! In: mode variables, of which a block in a `for` has an instance for each value of the loop variables, and the
//! alternative of each instance. Out: the instances; the position of an alternative as a number, for the present values of
//! the loop variables or in the present box, which is cut where instances have different ones; transitions of events.

use super::decisions::Cut;
use super::evaluate::Evaluator;
use super::items::{Base, Item, Value};
use super::lowering::Lowering;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::ModeTransition;
use crate::model::family::Affine;
use crate::syntax::ast::{Expression, ModeVariable, Name, StatementKind, When, WhenItemKind};

impl Evaluator<'_> {
    /// The alternative of the instance of the loops around the expression. In a box in which instances have different ones
    /// there is none: it is recorded where the box has to be cut.
    pub(super) fn alternative(&mut self, variable: usize) -> Option<Value> {
        let declared = self.modes.get(variable)?;
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

    /// The alternatives of all instances as an array.
    pub(super) fn alternatives(&mut self, variable: usize) -> Option<Item> {
        let declared = self.modes.get(variable)?;
        if declared.loops == 0 {
            return self.alternative(variable).map(Item::Scalar);
        }
        let extent = |level: usize| {
            let largest = declared.instances.iter().filter_map(|at| at.get(level)).max();
            largest.map_or(0, |&largest| usize::try_from(largest + 1).unwrap_or(0))
        };
        let extents: Vec<usize> = (0..declared.loops).map(extent).collect();
        Some(self.views.whole(Base::Alternatives(variable), &extents))
    }

    /// The alternative of an instance by its indices; none where that is another one for each value of the loop variables.
    pub(super) fn alternative_at(&mut self, variable: usize, indices: &[Affine]) -> Option<Value> {
        if indices.iter().any(|index| !index.coefficients.is_empty()) {
            self.varying = true;
            return None;
        }
        let at: Vec<i64> = indices.iter().map(|index| index.constant).collect();
        let instance = self.modes.get(variable)?.instance(&at)?;
        let alternative = *self.mode.get(instance)?;
        Some(self.number(alternative as i64))
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
    /// The instances of mode variables, in the order of the text: the values of the variables of the loops around them.
    pub(super) fn mode_instances(&mut self) -> Vec<Vec<Vec<i64>>> {
        let mut instances = Vec::new();
        for (position, statement) in self.written.statements.iter().enumerate() {
            self.close_branches(position);
            self.close_loops(position);
            match &statement.kind {
                StatementKind::For(it) => self.open_loop(position, it),
                StatementKind::Branch(it) => self.open_branch(position, it),
                StatementKind::Modes(_) => {
                    let loops: Vec<_> = self.open.iter().map(super::enclosing::OpenLoop::hull).collect();
                    let points = self.points(&[], &loops).unwrap_or_default();
                    let pieces = self.by_points(&loops, points, &mut |_| Some(())).unwrap_or_default();
                    let point = |domain: Vec<(i64, i64)>| domain.into_iter().map(|(value, _)| value).collect();
                    instances.push(pieces.into_iter().map(|piece| point(piece.domain)).collect());
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
                self.found.push(needs_indices(declared).label(item.origin, "which of them?"));
                return None;
            }
            indices.iter().for_each(|&index| self.resolve(index, position, crate::syntax::validate::Place::Extent));
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
        let declared = self.written.modes.get(variable)?;
        let instance = match indices {
            [] => self.instance_here(variable),
            [.., last] => {
                let mut at = Vec::with_capacity(indices.len());
                for &index in indices {
                    let value = self.evaluate_scalar(index)?.expr;
                    at.extend(self.evaluator.dag.as_constant(value).and_then(crate::expr::Rational::to_integer));
                }
                let instance = declared.instance(&at);
                if instance.is_none() {
                    let name = crate::model::family::element_name(&declared.name.text, &at);
                    let finding = Diagnostic::error(Code::InvalidModes, format!("there is no `{name}`"))
                        .label(self.written.expressions.origin(last.root), "not in the range of the loop")
                        .label(declared.name.origin, "declared here");
                    self.evaluator.report(last.root, finding, self.found);
                    return None;
                }
                instance
            }
        };
        if let Some(position) = declared.position(&alternative.text) {
            return Some(ModeTransition { variable: instance?, alternative: position, origin: alternative.origin });
        }
        let names: Vec<String> = declared.alternatives.iter().map(|name| format!("`{}`", name.text)).collect();
        let message = match alternative.text.as_str() {
            "" => format!("`{}` is a mode variable, and gets the name of an alternative", declared.name.text),
            name => format!("`{}` has no alternative `{name}`", declared.name.text),
        };
        let finding = Diagnostic::error(Code::InvalidModes, message)
            .label(alternative.origin, "not an alternative")
            .label(declared.name.origin, "declared here");
        self.found.push(finding.help(format!("its alternatives are {}", names.join(", "))));
        None
    }
}

/// The finding that a mode variable stands in a loop, and is named without saying which instance is meant.
pub(super) fn needs_indices(declared: &ModeVariable) -> Diagnostic {
    let name = &declared.name.text;
    let indices: String = ["[i]", "[j]", "[k]", "[l]"].into_iter().cycle().take(declared.loops).collect();
    let message = match declared.loops {
        0 => format!("`{name}` is one mode variable, not one of several"),
        _ => format!("`{name}` stands in a loop, and is a mode variable for each of its values"),
    };
    let finding = Diagnostic::error(Code::InvalidModes, message).label(declared.name.origin, "declared here");
    match declared.loops {
        0 => finding.help(format!("write `{name}` without an index")),
        _ => finding.help(format!("write `{name}{indices}`: the name alone is known in the body of its loop only")),
    }
}
