//! Indexing.
//!
//! In: items and the values of indices. Out: elements, rows, and findings about indices that are none, are outside of their
//! array, or belong to a number. An index that is affine in the loop variables is checked for the whole box they run over.

use super::evaluate::{Evaluator, Step, Task};
use super::incidence::SetId;
use super::items::{Base, Item, Value, View, shape};
use super::leaves::NoIndex;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Expr, Rational, Symbol};
use crate::model::family::{Access, Affine, Loop, MAX_INSTANCES, Steady, position};
use crate::syntax::ast::{Limit, Node, NodeId};

/// A loop around what is evaluated.
#[derive(Clone)]
pub(super) struct Binding {
    pub(super) range: Loop,
    /// The loop variable as a leaf, or the number it has at the moment.
    pub(super) value: Value,
}

impl Evaluator<'_> {
    /// A number as a value.
    pub(super) fn number(&mut self, value: i64) -> Value {
        Value { expr: self.dag.integer(value), unknowns: SetId::EMPTY }
    }

    /// The leaf of a loop variable.
    pub(super) fn loop_leaf(&mut self, level: usize) -> Value {
        let id = self.leaves.steady(Steady::Index(level));
        Value { expr: self.dag.symbol(Symbol::Parameter(id)), unknowns: SetId::EMPTY }
    }

    /// A whole array of unknowns, or a scalar unknown.
    pub(super) fn unknown(&mut self, array: usize, order: u32) -> Option<Item> {
        let extents = self.shapes.unknowns.get(array)?.clone()?;
        if extents.is_empty() {
            let access = self.leaves.access(Access { array, indices: Vec::new() });
            return Some(Item::Scalar(self.leaf(Symbol::Unknown { unknown: access, order })));
        }
        Some(self.views.whole(Base::Unknown { array, order }, &extents))
    }

    /// A whole array of parameters, or a scalar parameter.
    pub(super) fn parameter(&mut self, array: usize) -> Option<Item> {
        let extents = self.shapes.parameters.get(array)?.clone()?;
        if extents.is_empty() {
            let id = self.leaves.steady(Steady::Parameter(Access { array, indices: Vec::new() }));
            return Some(Item::Scalar(self.leaf(Symbol::Parameter(id))));
        }
        Some(self.views.whole(Base::Parameter(array), &extents))
    }

    /// `array[index]`
    pub(super) fn index(&mut self, task: &Task, array: NodeId, index: NodeId, found: &mut Diagnostics) -> Step {
        let (Some(item), Some(value)) = (task.item(array), self.scalar(task, index, found)) else {
            return Step::Value(None);
        };
        let Item::Array(view) = item else {
            let at = self.expressions.origin(array);
            let message = format!("{} is a number and has no elements", self.described(array));
            let finding = Diagnostic::error(Code::ArrayShape, message).label(at, "not an array");
            self.report(array, finding.help("declare an array with `[f64; N]`, or remove the index"), found);
            return Step::Value(None);
        };
        let view = self.views.get(view).clone();
        let Some(affine) = self.checked_index(&view, value.expr, array, index, found) else {
            return Step::Value(None);
        };
        if self.is_exhausted() {
            self.too_large("the sub-expressions of this model grow too large when they are inlined", index, found);
        }
        self.select(view, value, &affine)
    }

    /// The element or row of an array at an index that is inside.
    pub(super) fn select(&mut self, mut view: View, value: Value, affine: &Affine) -> Step {
        match &view.base {
            Base::Repeat(item) => return Step::Value(Some(*item)),
            Base::List(items) => {
                if !affine.coefficients.is_empty() {
                    self.varying = true;
                    return Step::Value(None);
                }
                let item = usize::try_from(affine.constant).ok().and_then(|k| items.get(k).copied());
                return Step::Value(item);
            }
            Base::Unknown { .. } | Base::Parameter(_) | Base::Table(_) | Base::Definition(_) => {}
        }
        view.extents.remove(0);
        view.indices.push(value);
        if !view.extents.is_empty() {
            return Step::Value(Some(self.views.intern(view)));
        }
        self.element(&view)
    }

    /// The element at the indices given.
    fn element(&mut self, view: &View) -> Step {
        if let Base::Definition(statement) = view.base {
            return self.inlined((statement, view.indices.iter().map(|value| Item::Scalar(*value)).collect()));
        }
        let indices: Option<Vec<Affine>> =
            view.indices.iter().map(|value| self.leaves.affine(&self.dag, value.expr).ok()).collect();
        let Some(indices) = indices else { return Step::Value(None) };
        let value = match view.base {
            Base::Unknown { array, order } => {
                let unknown = self.leaves.access(Access { array, indices });
                Some(self.leaf(Symbol::Unknown { unknown, order }))
            }
            Base::Parameter(array) => {
                let id = self.leaves.steady(Steady::Parameter(Access { array, indices }));
                Some(self.leaf(Symbol::Parameter(id)))
            }
            Base::Table(array) => self.entry(array, indices),
            Base::Definition(_) | Base::List(_) | Base::Repeat(_) => None,
        };
        Step::Value(value.map(Item::Scalar))
    }

    /// An entry of a table: its value if the indices are numbers, a leaf otherwise.
    fn entry(&mut self, array: usize, indices: Vec<Affine>) -> Option<Value> {
        let table = self.tables.get(array)?;
        if indices.iter().all(|index| index.coefficients.is_empty()) {
            let at: Vec<i64> = indices.iter().map(|index| index.constant).collect();
            let expr = *table.values.get(position(&table.extents, &at)?)?;
            return Some(Value { expr, unknowns: SetId::EMPTY });
        }
        let id = self.leaves.steady(Steady::Table(Access { array, indices }));
        Some(self.leaf(Symbol::Parameter(id)))
    }

    /// The index, if it is one and is inside of the array for all values of the loop variables.
    fn checked_index(
        &mut self,
        view: &View,
        value: Expr,
        array: NodeId,
        index: NodeId,
        found: &mut Diagnostics,
    ) -> Option<Affine> {
        let affine = match self.leaves.affine(&self.dag, value) {
            Ok(affine) => affine,
            Err(why) => {
                let finding = self.no_index(why, index);
                self.report(index, finding, found);
                return None;
            }
        };
        let extent = view.extents.first().copied().unwrap_or(0);
        if let Some(point) = self.outside(&affine, extent) {
            let name = self.described(array);
            let finding = self.out_of_bounds(&affine, &point, extent, &name, index);
            self.report(index, finding, found);
            return None;
        }
        Some(affine)
    }

    fn ranges(&self) -> Vec<Loop> {
        self.loops.iter().map(|binding| binding.range.clone()).collect()
    }

    /// The first instance whose index is not in `0..extent`.
    pub(super) fn outside(&self, affine: &Affine, extent: usize) -> Option<Vec<i64>> {
        let inside = |point: &[i64]| (0..extent as i64).contains(&affine.at(point));
        let ranges = self.ranges();
        let (low, high) = (affine.extreme(&ranges, -1), affine.extreme(&ranges, 1));
        if inside(&low) && inside(&high) {
            return None;
        }
        // The point where the index leaves the array first, one loop variable at a time; the others stay where it is extreme.
        let mut point = if inside(&low) { high } else { low };
        for (level, range) in ranges.iter().enumerate() {
            let at = |i: i64| {
                let mut moved = point.clone();
                moved[level] = i;
                moved
            };
            let (mut first, mut last) = (range.start, point[level]);
            if last > first && !inside(&at(first)) {
                last = first;
            }
            // The set of indices outside, on this side, is an interval that ends at `point`.
            while first < last {
                let middle = first + (last - first) / 2;
                if inside(&at(middle)) {
                    first = middle + 1;
                } else {
                    last = middle;
                }
            }
            point[level] = last;
        }
        Some(point)
    }

    pub(super) fn no_index(&self, why: NoIndex, index: NodeId) -> Diagnostic {
        let at = self.expressions.origin(index);
        let (message, label) = match why {
            NoIndex::Foreign => {
                ("an index is made of numbers, constants and loop variables", "not known at compile time")
            }
            NoIndex::Fraction => ("an index is an integer", "not an integer"),
            NoIndex::NotAffine => {
                ("an index is a sum of loop variables times integers", "not affine in the loop variables")
            }
        };
        let finding = Diagnostic::error(Code::InvalidIndex, message).label(at, label);
        finding.help("write an index like `3`, `i + 1`, `N - 1 - i` or `2 * i`")
    }

    /// An index that is not in `0..extent` at a point.
    pub(super) fn out_of_bounds(
        &self,
        affine: &Affine,
        point: &[i64],
        extent: usize,
        name: &str,
        index: NodeId,
    ) -> Diagnostic {
        let at = self.expressions.origin(index);
        let elements = if extent == 1 { "1 element".to_string() } else { format!("{extent} elements") };
        let value = affine.at(point);
        let involved = affine.coefficients.iter().map(|&(level, _)| level);
        let fixed = (0..self.loops.len()).filter(|_| affine.coefficients.is_empty());
        let levels: Vec<usize> = if self.instance { fixed.collect() } else { involved.collect() };
        let named = |level: &usize| format!("{} = {}", self.loops[*level].range.name, self.current(*level, point));
        let instance: Vec<String> = levels.iter().map(named).collect();
        let message = if instance.is_empty() {
            format!("the index {value} is outside of {name}, which has {elements}")
        } else {
            format!("for {} the index {value} is outside of {name}, which has {elements}", instance.join(", "))
        };
        let finding = Diagnostic::error(Code::IndexOutOfBounds, message).label(at, "out of bounds");
        finding.help(format!("indices run from 0 to {}", extent - usize::from(extent > 0)))
    }

    /// The value of a loop variable: at a point of the template, or the number it has at the moment.
    fn current(&self, level: usize, point: &[i64]) -> i64 {
        let number = self.dag.as_constant(self.loops[level].value.expr).and_then(Rational::to_integer);
        number.unwrap_or_else(|| point.get(level).copied().unwrap_or(0))
    }

    /// What a node is called in a message.
    pub(super) fn described(&self, node: NodeId) -> String {
        let (mut node, mut rest) = (node, String::new());
        loop {
            match self.expressions.node(node) {
                Node::Name(name) => return format!("`{name}{rest}`"),
                Node::Index { array, index } => {
                    let index = match self.expressions.node(*index) {
                        Node::Name(name) => format!("[{name}]"),
                        Node::Number(value) => format!("[{value}]"),
                        _ => "[…]".to_string(),
                    };
                    rest.insert_str(0, &index);
                    node = *array;
                }
                Node::Number(_)
                | Node::Time
                | Node::Pi
                | Node::Euler
                | Node::Negation(_)
                | Node::Sum(_)
                | Node::Product(_)
                | Node::Call { .. }
                | Node::List(_)
                | Node::Repeat { .. }
                | Node::RangeHead { .. }
                | Node::RangeSum { .. }
                | Node::Comparison(..)
                | Node::All(_)
                | Node::Any(_)
                | Node::Not(_)
                | Node::Conditional { .. } => return "this".to_string(),
            }
        }
    }

    /// The value of a node that must be a number.
    pub(super) fn scalar(&mut self, task: &Task, id: NodeId, found: &mut Diagnostics) -> Option<Value> {
        match task.item(id)? {
            Item::Scalar(value) => Some(value),
            Item::Array(_) => {
                let extents = task.item(id).map(|item| self.views.extents(item).to_vec()).unwrap_or_default();
                self.not_a_number(id, &extents, found);
                None
            }
        }
    }

    /// An array where a number is expected.
    pub(super) fn not_a_number(&mut self, id: NodeId, extents: &[usize], found: &mut Diagnostics) {
        let at = self.expressions.origin(id);
        let name = self.described(id);
        let message = format!("{name} is {}, and a number is expected here", shape(extents));
        let finding = Diagnostic::error(Code::ArrayShape, message).label(at, "not a number");
        self.report(id, finding.help("take an element, `q[i]`, in a `for` or a `sum` over all of them"), found);
    }

    /// `[a, b, c]`
    pub(super) fn list(&mut self, task: &Task, id: NodeId, items: &[NodeId], found: &mut Diagnostics) -> Option<Item> {
        if items.is_empty() {
            let at = self.expressions.origin(id);
            let finding = Diagnostic::error(Code::InvalidExtent, "an array has at least one element");
            self.report(id, finding.label(at, "no element"), found);
            return None;
        }
        let values: Option<Vec<Item>> = items.iter().map(|item| task.item(*item)).collect();
        let values = values?;
        let inner = self.views.extents(values[0]).to_vec();
        for (item, value) in items.iter().zip(&values) {
            let extents = self.views.extents(*value);
            if *extents != *inner {
                let message = format!("this is {}, and the first element is {}", shape(extents), shape(&inner));
                let at = self.expressions.origin(*item);
                let finding = Diagnostic::error(Code::ArrayShape, message).label(at, "differs from the first element");
                self.report(*item, finding, found);
                return None;
            }
        }
        let extents: Vec<usize> = [items.len()].into_iter().chain(inner).collect();
        Some(self.views.whole(Base::List(values), &extents))
    }

    /// `[value; count]`
    pub(super) fn repeat(
        &mut self,
        task: &Task,
        value: NodeId,
        count: NodeId,
        found: &mut Diagnostics,
    ) -> Option<Item> {
        let number = self.scalar(task, count, found)?;
        let size = self.extent(number.expr, count, found)?;
        let item = task.item(value)?;
        let extents: Vec<usize> = [size].into_iter().chain(self.views.extents(item).iter().copied()).collect();
        Some(self.views.whole(Base::Repeat(item), &extents))
    }

    /// A number of elements.
    pub(super) fn extent(&mut self, value: Expr, node: NodeId, found: &mut Diagnostics) -> Option<usize> {
        let integer = self.dag.as_constant(value).and_then(Rational::to_integer);
        let size = integer.and_then(|n| usize::try_from(n).ok()).filter(|n| (1..=MAX_INSTANCES).contains(n));
        if size.is_none() {
            let at = self.expressions.origin(node);
            let message = format!("the size of an array is a constant integer from 1 to {MAX_INSTANCES}");
            let label =
                self.dag.as_constant(value).map_or("not a constant".to_string(), |value| format!("this is {value}"));
            self.report(node, Diagnostic::error(Code::InvalidExtent, message).label(at, label), found);
        }
        size
    }

    /// An end of a range; `None` without a finding if it depends on a loop variable.
    pub(super) fn bound(&mut self, value: Expr, node: NodeId, found: &mut Diagnostics) -> Option<i64> {
        let integer = self.dag.as_constant(value).and_then(Rational::to_integer);
        if integer.is_some_and(|n| n.unsigned_abs() <= MAX_INSTANCES as u64) {
            return integer;
        }
        if integer.is_none() && self.leaves.is_of_loops(&self.dag, value) {
            self.varying = true;
            return None;
        }
        let at = self.expressions.origin(node);
        let label =
            self.dag.as_constant(value).map_or("not a constant".to_string(), |value| format!("this is {value}"));
        let message = format!("the ends of a range are constant integers of at most {MAX_INSTANCES}");
        let finding = Diagnostic::error(Code::InvalidExtent, message).label(at, label);
        self.report(node, finding.help("use numbers, `const`s and the variables of outer loops"), found);
        None
    }

    /// The integers of a range, as a half-open interval.
    pub(super) fn interval(
        &mut self,
        task: &Task,
        (start, end, limit): (NodeId, NodeId, Limit),
        found: &mut Diagnostics,
    ) -> Option<(i64, i64)> {
        let (first, last) = (self.scalar(task, start, found), self.scalar(task, end, found));
        let (first, last) = (first?.expr, last?.expr);
        let (first, last) = (self.bound(first, start, found), self.bound(last, end, found));
        let end = match limit {
            Limit::Exclusive => last?,
            Limit::Inclusive => last? + 1,
        };
        Some((first?, end))
    }
}
