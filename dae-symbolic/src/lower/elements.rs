//! Values of arrays: one number for all elements, a list, or a value by index.
//!
//! In: the value as it is written, and the extents of what it is given for. Out: a template over the indices, or the
//! elements one by one; tables of constants, and the values of `let`s.

use super::evaluate::Evaluated;
use super::items::{Base, Item, Value, View, shape};
use super::lowering::Lowering;
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::{Dag, Expr, Symbol, substitute};
use crate::model::family::{Affine, Body, Loop, Table, TimeInvariant};
use crate::origin::Origin;
use crate::syntax::ast::{Declaration, Expression, Name};
use crate::syntax::validate::Place;

impl<'a> Lowering<'a, '_> {
    pub(super) fn constant(&mut self, position: usize, it: &'a Declaration) {
        if self.evaluator.statements.contains_key(&position) {
            return;
        }
        let value = self.constant_value(position, it);
        self.evaluator.statements.insert(position, value);
    }

    fn constant_value(&mut self, position: usize, it: &'a Declaration) -> Option<Item> {
        let extents = self.extents_of(&it.name, &it.extents, position)?;
        if extents.is_empty() && it.indices.is_empty() {
            return self.value(it.value, position, Place::Constant).map(Item::Scalar);
        }
        let (loops, body) = self.by_index(position, it.value?, &it.indices, &extents, Place::Constant)?;
        let mut values = Vec::new();
        for point in body.indices(&loops) {
            values.extend(body.at(&point).map(|&value| self.number_at(value, &point)));
        }
        let table = self.evaluator.tables.len();
        self.evaluator.tables.push(Table { name: it.name.text.clone(), extents: extents.clone(), values });
        Some(self.evaluator.views.whole(Base::Table(table), &extents))
    }

    /// The value at a point of an expression of numbers, loop variables and entries of tables.
    fn number_at(&mut self, value: Expr, point: &[i64]) -> Expr {
        let time_invariant = &self.evaluator.leaves.time_invariant;
        let tables = &self.evaluator.tables;
        let number = |dag: &mut Dag, symbol| {
            let Symbol::Parameter(id) = symbol else { return None };
            match time_invariant.get(id.index())? {
                TimeInvariant::Index(level) => point.get(*level).map(|&i| dag.integer(i)),
                TimeInvariant::Table(access) => {
                    let table = tables.get(access.array)?;
                    let at: Vec<i64> = access.indices.iter().map(|index| index.at(point)).collect();
                    table.values.get(crate::model::family::position(&table.extents, &at)?).copied()
                }
                TimeInvariant::Parameter(_) => None,
            }
        };
        substitute(&mut self.evaluator.dag, &[value], number).first().copied().unwrap_or(value)
    }

    /// The item of a `let`; a number that is given for an array is its value at every index.
    pub(super) fn broadcast(&mut self, position: usize, item: Item) -> Option<Item> {
        let extents = self.evaluator.definition_extents.get(&position).cloned().unwrap_or_default();
        let repeated =
            extents.iter().rev().fold((item, Vec::new()), |(item, mut inner): (Item, Vec<usize>), extent| {
                inner.insert(0, *extent);
                (self.evaluator.views.whole(Base::Repeat(item), &inner), inner)
            });
        match item {
            Item::Scalar(_) => Some(repeated.0),
            Item::Array(_) => Some(item),
        }
    }

    /// Records the item that the name of a `let` stands for, and returns its value for all indices.
    pub(super) fn definition_value(&mut self, position: usize, it: &'a Declaration) -> Option<(Vec<Loop>, Body<Expr>)> {
        let extents = self.extents_of(&it.name, &it.extents, position)?;
        let value = it.value?;
        if extents.is_empty() && it.indices.is_empty() {
            return self.plain_definition(position, value);
        }
        self.evaluator.definition_extents.insert(position, extents.clone());
        let family = self.by_index(position, value, &it.indices, &extents, Place::Definition);
        self.bind_template();
        let item = if it.indices.is_empty() {
            let item = family.is_some().then(|| self.evaluate(value, Vec::new())).flatten();
            item.and_then(|item| self.broadcast(position, item))
        } else {
            self.evaluator.declare(position, value.first, value.root);
            Some(self.evaluator.views.whole(Base::Definition(position), &extents))
        };
        self.evaluator.statements.insert(position, item);
        family
    }

    /// The value of a `let` without type: a number, or an array.
    fn plain_definition(&mut self, position: usize, value: Expression) -> Option<(Vec<Loop>, Body<Expr>)> {
        self.resolve(value, position, Place::Definition);
        let mut array = None;
        let (loops, body) = self.family(|this| match this.evaluate(value, Vec::new())? {
            Item::Scalar(mut value) => {
                value.unknowns = this.evaluator.sets.flatten(value.unknowns);
                Some(value)
            }
            item => {
                array = Some(item);
                None
            }
        });
        let (item, body) = match body {
            Some(Body::Template(value)) => (Some(Item::Scalar(value)), Some(Body::Template(value.expr))),
            Some(pieces @ Body::Pieces(_)) => {
                // The value differs from piece to piece: it is evaluated again in each box, or at each point, in which
                // it is used (`local_values`).
                self.evaluator.varying_statements.insert(position);
                (None, Some(pieces.map(|value| value.expr)))
            }
            None => (array, None),
        };
        self.evaluator.statements.insert(position, item);
        body.map(|body| (loops, body))
    }

    /// The value of every element, given by one number for all, a list, or a value by index.
    pub(super) fn by_index(
        &mut self,
        position: usize,
        value: Expression,
        indices: &'a [Name],
        extents: &[usize],
        place: Place,
    ) -> Option<(Vec<Loop>, Body<Expr>)> {
        if !indices.is_empty() && indices.len() != extents.len() {
            let at = indices.first().map_or(Origin::NONE, |name| name.origin);
            let given = if indices.len() == 1 { "1 index".to_string() } else { format!("{} indices", indices.len()) };
            let message = format!("the value has {given}, and this is {}", shape(extents));
            let finding = Diagnostic::error(Code::ArrayShape, message).label(at, "indices do not fit");
            self.found.push(finding.help("write as many index names as the array has extents"));
            return None;
        }
        let locals = self.resolver.locals();
        self.resolver.declare_indices(indices, self.found);
        self.resolve(value, position, place);
        self.resolver.leave(locals);
        let names = ["i", "j"].into_iter().map(str::to_string);
        let names: Vec<String> =
            if indices.is_empty() { names.collect() } else { indices.iter().map(|name| name.text.clone()).collect() };
        let inner: Vec<Loop> =
            extents.iter().zip(names).map(|(&extent, name)| Loop { name, start: 0, end: extent as i64 }).collect();
        let outer = self.open.len();
        // A list is evaluated once, not once for each of its elements.
        let mut whole = None;
        if indices.is_empty() {
            self.bind_template();
            let item = self.evaluate(value, Vec::new());
            let undecided = self.evaluator.varying || self.evaluator.cut.is_some();
            whole = if undecided { None } else { Some(item?) };
        }
        if let Some(item) = whole
            && !self.fits(item, extents, value)
        {
            return None;
        }
        let (loops, body) = self.family_over(inner, |this| {
            let here: Vec<Value> = this.evaluator.loops[outer..].iter().map(|binding| binding.value).collect();
            if !indices.is_empty() {
                let arguments = here.into_iter().map(Item::Scalar).collect();
                let item = this.evaluate(value, arguments)?;
                return match item {
                    Item::Scalar(value) => Some(value.expr),
                    Item::Array(_) => {
                        let extents = this.evaluator.views.extents(item).to_vec();
                        this.evaluator.not_a_number(value.root, &extents, this.found);
                        None
                    }
                };
            }
            let item = match whole {
                Some(item) if !this.evaluator.instance || outer == 0 => item,
                _ => this.evaluate(value, Vec::new())?,
            };
            this.element_of(item, &here)
        });
        body.map(|body| (loops, body))
    }

    /// Whether a value that is given without indices fits the extents.
    fn fits(&mut self, item: Item, extents: &[usize], value: Expression) -> bool {
        let given = self.evaluator.views.extents(item).to_vec();
        if given.is_empty() || given == extents {
            return true;
        }
        let at = self.written.expressions.origin(value.root);
        let message = format!("the value is {}, and what it is given for is {}", shape(&given), shape(extents));
        let finding = Diagnostic::error(Code::ArrayShape, message).label(at, "sizes differ");
        self.found.push(if extents.is_empty() {
            finding
        } else {
            finding.help("give one number for all, as many as there are elements, or a value by index: `|i| …`")
        });
        false
    }

    /// The element of an item at indices that are inside; a number is its own element.
    pub(super) fn element_of(&mut self, item: Item, indices: &[Value]) -> Option<Expr> {
        let mut item = item;
        for index in indices {
            let Item::Array(id) = item else { break };
            let view: View = self.evaluator.views.get(id).clone();
            let affine = self.evaluator.leaves.affine(&self.evaluator.dag, index.expr).ok()?;
            item = match self.evaluator.select(view, *index, &affine) {
                Evaluated::Value(item) => item?,
                Evaluated::Needs(call) => self.evaluator.call_now(call, &self.resolver.meanings, self.found)?,
                Evaluated::Range(_) | Evaluated::Term(_) => return None,
            };
        }
        match item {
            Item::Scalar(value) => Some(value.expr),
            Item::Array(_) => None,
        }
    }

    /// The indices of an element that a statement names; `None`, with a finding, if they are invalid or out of bounds.
    pub(super) fn element(&mut self, name: &str, written: &[Expression], extents: &[usize]) -> Option<Vec<Affine>> {
        let mut indices = Vec::with_capacity(written.len());
        for (it, extent) in written.iter().zip(extents) {
            let value = self.evaluate_scalar(*it)?;
            let affine = match self.evaluator.leaves.affine(&self.evaluator.dag, value.expr) {
                Ok(affine) => affine,
                Err(why) => {
                    let finding = self.evaluator.no_index(why, it.root);
                    self.evaluator.report(it.root, finding, self.found);
                    return None;
                }
            };
            if let Some(point) = self.evaluator.outside(&affine, *extent) {
                let finding = self.evaluator.out_of_bounds(&affine, &point, *extent, &format!("`{name}`"), it.root);
                self.evaluator.report(it.root, finding, self.found);
                return None;
            }
            indices.push(affine);
        }
        Some(indices)
    }
}
