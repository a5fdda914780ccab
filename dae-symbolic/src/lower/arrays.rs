//! Indexing.
//!
//! In: items and the values of indices. Out: elements, rows, and findings about indices that are invalid, are outside
//! their array, or are given to a number. An index that is affine in the loop variables is checked for the whole box
//! over which they run.

use super::evaluate::{Evaluated, Evaluator, Task};
use super::incidence::SetId;
use super::items::{Base, Item, Value, View, shape};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Expr, Symbol};
use crate::model::family::{Access, Affine, Loop, TimeInvariant, position};
use crate::syntax::ast::NodeId;

impl Evaluator<'_> {
    /// A number as a value.
    pub(super) fn number(&mut self, value: i64) -> Value {
        Value { expr: self.dag.integer(value), unknowns: SetId::EMPTY }
    }

    /// The leaf of a loop variable.
    pub(super) fn loop_leaf(&mut self, level: usize) -> Value {
        let id = self.leaves.time_invariant(TimeInvariant::Index(level));
        Value { expr: self.dag.symbol(Symbol::Parameter(id)), unknowns: SetId::EMPTY }
    }

    /// The derivative of a whole array of unknowns, or of a scalar unknown; the unknowns themselves for order 0.
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
            let id = self.leaves.time_invariant(TimeInvariant::Parameter(Access { array, indices: Vec::new() }));
            return Some(Item::Scalar(self.leaf(Symbol::Parameter(id))));
        }
        Some(self.views.whole(Base::Parameter(array), &extents))
    }

    /// `array[index]`.
    pub(super) fn index(&mut self, task: &Task, array: NodeId, index: NodeId, found: &mut Diagnostics) -> Evaluated {
        let (Some(item), Some(value)) = (task.item(array), self.scalar(task, index, found)) else {
            return Evaluated::Value(None);
        };
        let Item::Array(view) = item else {
            let at = self.expressions.origin(array);
            let message = format!("{} is a number and has no elements", self.described(array));
            let finding = Diagnostic::error(Code::ArrayShape, message).label(at, "not an array");
            self.report(array, finding.help("declare an array with `[f64; N]`, or remove the index"), found);
            return Evaluated::Value(None);
        };
        let view = self.views.get(view).clone();
        if let Base::Alternatives(variable) = view.base {
            return Evaluated::Value(self.alternative_at(view, (variable, value, index), found));
        }
        let Some(affine) = self.checked_index(&view, value.expr, array, index, found) else {
            return Evaluated::Value(None);
        };
        if self.is_exhausted() {
            self.too_large("the sub-expressions of this model grow too large when they are inlined", index, found);
        }
        self.select(view, value, &affine)
    }

    /// The element or row of an array at an index that is inside it.
    pub(super) fn select(&mut self, mut view: View, value: Value, affine: &Affine) -> Evaluated {
        match &view.base {
            Base::Repeat(item) => return Evaluated::Value(Some(*item)),
            Base::List(items) => {
                if !affine.coefficients.is_empty() {
                    self.varying = true;
                    return Evaluated::Value(None);
                }
                let item = usize::try_from(affine.constant).ok().and_then(|k| items.get(k).copied());
                return Evaluated::Value(item);
            }
            Base::Unknown { .. }
            | Base::Parameter(_)
            | Base::Table(_)
            | Base::Definition(_)
            | Base::Alternatives(_) => {}
        }
        view.extents.remove(0);
        view.indices.push(value);
        if !view.extents.is_empty() {
            return Evaluated::Value(Some(self.views.intern(view)));
        }
        self.element(&view)
    }

    /// The element at the indices given.
    fn element(&mut self, view: &View) -> Evaluated {
        if let Base::Definition(statement) = view.base {
            return self.inlined((statement, view.indices.iter().map(|value| Item::Scalar(*value)).collect()));
        }
        let indices: Option<Vec<Affine>> =
            view.indices.iter().map(|value| self.leaves.affine(&self.dag, value.expr).ok()).collect();
        let Some(indices) = indices else { return Evaluated::Value(None) };
        let value = match view.base {
            Base::Unknown { array, order } => {
                let unknown = self.leaves.access(Access { array, indices });
                Some(self.leaf(Symbol::Unknown { unknown, order }))
            }
            Base::Parameter(array) => {
                let id = self.leaves.time_invariant(TimeInvariant::Parameter(Access { array, indices }));
                Some(self.leaf(Symbol::Parameter(id)))
            }
            Base::Table(array) => self.entry(array, indices),
            Base::Definition(_) | Base::List(_) | Base::Repeat(_) | Base::Alternatives(_) => None,
        };
        Evaluated::Value(value.map(Item::Scalar))
    }

    /// An entry of a table: its value if the indices are numbers, a leaf otherwise.
    fn entry(&mut self, array: usize, indices: Vec<Affine>) -> Option<Value> {
        let table = self.tables.get(array)?;
        if indices.iter().all(|index| index.coefficients.is_empty()) {
            let at: Vec<i64> = indices.iter().map(|index| index.constant).collect();
            let expr = *table.values.get(position(&table.extents, &at)?)?;
            return Some(Value { expr, unknowns: SetId::EMPTY });
        }
        let id = self.leaves.time_invariant(TimeInvariant::Table(Access { array, indices }));
        Some(self.leaf(Symbol::Parameter(id)))
    }

    /// The index, if it is one and is inside the array for all values of the loop variables; otherwise a finding.
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

    pub(super) fn ranges(&self) -> Vec<Loop> {
        self.loops.iter().map(|binding| binding.range.clone()).collect()
    }

    /// `[a, b, c]`.
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

    /// `[value; count]`.
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
}
