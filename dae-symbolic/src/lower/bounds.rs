//! Integers of the text: indices, sizes, ends of ranges.
//!
//! In: values of indices and sizes. Out: an instance in which an index leaves its array, and findings about numbers
//! that are not valid for their purpose. An index is affine in the loop variables, so it is inside its array everywhere
//! if it is inside at the corners of their box.

use super::evaluate::{Evaluator, Task};
use super::items::{Item, Value, shape};
use super::leaves::NoIndex;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Expr, Rational};
use crate::model::family::{Affine, MAX_INSTANCES};
use crate::spelling::indices::index_names;
use crate::syntax::ast::{Limit, Node, NodeId};

impl Evaluator<'_> {
    /// An instance whose index is not in `0..extent`, with each loop variable in turn as small as possible; `None` if
    /// there is none.
    pub(super) fn outside(&self, affine: &Affine, extent: usize) -> Option<Vec<i64>> {
        let inside = |point: &[i64]| (0..extent as i64).contains(&affine.at(point));
        let ranges = self.ranges();
        if ranges.iter().any(|range| range.size() == 0) {
            return None;
        }
        let (low, high) = (affine.extreme(&ranges, -1), affine.extreme(&ranges, 1));
        if inside(&low) && inside(&high) {
            return None;
        }
        // From the corner where the index is outside, each loop variable in turn is moved to its first value for which
        // the index still is.
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
            // The values of this variable for which the index is outside form an interval that ends at `point[level]`.
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

    /// The finding about an index that is not in `0..extent` at a point.
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

    /// The value of a loop variable: its present number, or if it is a leaf its value at a point.
    fn current(&self, level: usize, point: &[i64]) -> i64 {
        let number = self.dag.as_constant(self.loops[level].value.expr).and_then(Rational::to_integer);
        number.unwrap_or_else(|| point.get(level).copied().unwrap_or(0))
    }

    /// The description of a node in a message: `` `T[i][2]` `` for names and their elements, otherwise `this`.
    pub(super) fn described(&self, node: NodeId) -> String {
        let (mut node, mut rest) = (node, String::new());
        loop {
            match self.expressions.node(node) {
                Node::Name(name) => return format!("`{name}{rest}`"),
                &Node::Mode { variable, .. } => {
                    let name = self.modes.get(variable).map_or("?", |declared| &declared.name.text);
                    return format!("`{name}{rest}`");
                }
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
                | Node::At { .. }
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

    /// Reports an array where a number is expected.
    pub(super) fn not_a_number(&mut self, id: NodeId, extents: &[usize], found: &mut Diagnostics) {
        let at = self.expressions.origin(id);
        let name = self.described(id);
        let message = format!("{name} is {}, and a number is expected here", shape(extents));
        let finding = Diagnostic::error(Code::ArrayShape, message).label(at, "not a number");
        let help = self.element_help(id, extents);
        self.report(id, finding.help(help), found);
    }

    /// A hint on how to get a number from the array, in the names of the model.
    fn element_help(&self, id: NodeId, extents: &[usize]) -> String {
        let of_all = "in a `for` or a `sum` over all of them";
        // An element of `der(x)` is written `der(x[i])`.
        let (array, around) = match self.expressions.node(id) {
            Node::Call { function, arguments, .. } if function.text == "der" => match arguments.first() {
                Some(&array) => (array, ["der(", ")"]),
                None => (id, ["", ""]),
            },
            _ => (id, ["", ""]),
        };
        let described = self.described(array);
        let Some(name) = described.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) else {
            return match self.expressions.node(id) {
                Node::List(_) | Node::Repeat { .. } => {
                    let array = shape_of_type(extents);
                    format!("write a number, or declare what it is for as an array, `{array}`")
                }
                _ => format!("take an element, {of_all}"),
            };
        };
        let used = name.matches('[').count();
        let names = index_names(used + extents.len());
        // Names that are already indices of this array are not suggested again.
        let fresh = names.iter().filter(|index| !name.contains(&format!("[{index}]"))).take(extents.len());
        let indices: String = fresh.map(|index| format!("[{index}]")).collect();
        let [before, after] = around;
        format!("take an element, `{before}{name}{indices}{after}`, {of_all}")
    }

    /// An extent: a number of elements.
    pub(super) fn extent(&mut self, value: Expr, node: NodeId, found: &mut Diagnostics) -> Option<usize> {
        let integer = self.dag.as_constant(value).and_then(Rational::to_integer);
        // A computed extent, such as `N - 1` for `N = 1`, may be zero; a literal 0 is a mistake.
        let smallest = usize::from(matches!(self.expressions.node(node), Node::Number(_)));
        let size = integer.and_then(|n| usize::try_from(n).ok()).filter(|n| (smallest..=MAX_INSTANCES).contains(n));
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

/// The type of an array, such as `[[f64; 3]; 2]`.
fn shape_of_type(extents: &[usize]) -> String {
    extents.iter().rev().fold("f64".to_string(), |of, extent| format!("[{of}; {extent}]"))
}
