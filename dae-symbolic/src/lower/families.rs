//! Loops, and what they repeat.
//!
//! In: `for` statements and values by index. Out: one template each, in which loop variables are leaves; or, where a range, an
//! exponent or the order of a derivative depends on a loop variable, an expression for each instance.

use super::arrays::Binding;
use super::evaluate::Step;
use super::items::{Base, Item, Value, View, shape};
use super::statements::{Family, Lowering};
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::{Assumption, Expr};
use crate::model::family::{Affine, Body, Loop, MAX_INSTANCES, Table, box_of};
use crate::origin::Origin;
use crate::syntax::ast::{Declaration, Expression, For, Limit, Name, Range, StatementKind};
use crate::syntax::restrict::Place;

/// Loops are nested at most so deep: the number of boxes that a family may fall into is exponential in it.
const MAX_DEPTH: usize = 8;

/// A loop around the statement in hand.
pub(super) struct OpenLoop<'a> {
    name: &'a str,
    range: Option<Range>,
    /// Its values, if they depend on no other loop variable.
    interval: Option<(i64, i64)>,
    /// The first statement after its body.
    end: usize,
    /// Numbers of local names and of local sub-expressions outside of it.
    locals: usize,
    definitions: usize,
    origin: Origin,
}

/// An expression for each point.
type Instances<T> = Vec<(Vec<i64>, T)>;

impl<'a> Lowering<'a, '_> {
    /// Extents of everything that is declared, and the constants that they are made of: arrays of unknowns may be declared after
    /// they are used.
    pub(super) fn shapes(&mut self) {
        let written = self.written;
        let arrays = written.statements.iter().any(|statement| match &statement.kind {
            StatementKind::Variable(it) => !it.extents.is_empty(),
            StatementKind::Parameter(it) | StatementKind::Constant(it) | StatementKind::Definition(it) => {
                !it.extents.is_empty()
            }
            StatementKind::Function(it) => it.extents.iter().any(|extents| !extents.is_empty()),
            StatementKind::For(_) => true,
            StatementKind::Input(_)
            | StatementKind::Supplied(_)
            | StatementKind::Table(_)
            | StatementKind::External(_)
            | StatementKind::Start(_)
            | StatementKind::Equation(_)
            | StatementKind::Derived(_) => false,
        });
        for (position, statement) in written.statements.iter().enumerate() {
            match &statement.kind {
                StatementKind::Variable(it) => {
                    let extents = self.extents_of(&it.name, &it.extents, position);
                    self.evaluator.shapes.unknowns.push(extents);
                }
                StatementKind::Parameter(it) => {
                    let extents = self.extents_of(&it.name, &it.extents, position);
                    self.evaluator.shapes.parameters.push(extents);
                }
                StatementKind::Constant(it) if arrays => self.constant(position, it),
                StatementKind::Function(it) if arrays => self.function(position, it),
                StatementKind::Constant(_)
                | StatementKind::Function(_)
                | StatementKind::Definition(_)
                | StatementKind::Input(_)
                | StatementKind::Supplied(_)
                | StatementKind::Table(_)
                | StatementKind::External(_)
                | StatementKind::Start(_)
                | StatementKind::Equation(_)
                | StatementKind::For(_)
                | StatementKind::Derived(_) => {}
            }
        }
        // Scalars come first, so that in a scalar model leaves are unknowns and parameters.
        let scalars = |shapes: &[Option<Vec<usize>>]| -> Vec<usize> {
            let scalar = |k: &usize| shapes[*k].as_ref().is_some_and(Vec::is_empty);
            (0..shapes.len()).filter(scalar).collect()
        };
        let (unknowns, parameters) =
            (scalars(&self.evaluator.shapes.unknowns), scalars(&self.evaluator.shapes.parameters));
        self.evaluator.leaves.scalars(&unknowns, &parameters);
    }

    /// Extents of something that is declared; `None` if its type could not be read.
    fn extents_of(&mut self, name: &Name, written: &[Expression], position: usize) -> Option<Vec<usize>> {
        let doubtful = self.written.doubtful.contains(&name.text);
        if doubtful { None } else { self.extents(written, position) }
    }

    /// Extents of an array; none for a number; `None` if something is wrong with them.
    pub(super) fn extents(&mut self, written: &[Expression], position: usize) -> Option<Vec<usize>> {
        let mut extents = Vec::with_capacity(written.len());
        for it in written {
            let value = self.value(Some(*it), position, Place::Extent)?;
            extents.push(self.evaluator.extent(value.expr, it.root, self.found)?);
        }
        let size = extents.iter().try_fold(1_usize, |all, extent| all.checked_mul(*extent));
        if size.is_none_or(|size| size > MAX_INSTANCES) {
            let at = self.written.expressions.origin(written.first()?.root);
            let message = format!("an array has at most {MAX_INSTANCES} elements");
            self.found
                .push(Diagnostic::error(Code::InvalidExtent, message).label(at, "too many with the other extent"));
            return None;
        }
        Some(extents)
    }

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
        let values = match body {
            Body::Instances(list) => list.into_iter().map(|(_, value)| value).collect(),
            Body::Template(value) => self.numbers(value, &loops),
        };
        let table = self.evaluator.tables.len();
        self.evaluator.tables.push(Table { name: it.name.text.clone(), extents: extents.clone(), values });
        Some(self.evaluator.views.whole(Base::Table(table), &extents))
    }

    /// A template of numbers and loop variables at all points.
    fn numbers(&mut self, value: Expr, loops: &[Loop]) -> Vec<Expr> {
        use crate::expr::{Symbol, substitute};
        use crate::model::family::Steady;
        let points = box_of(loops);
        let mut values = Vec::with_capacity(points.len());
        for point in points {
            let steady = &self.evaluator.leaves.steady;
            let tables = &self.evaluator.tables;
            let number = |dag: &mut crate::expr::Dag, symbol| {
                let Symbol::Parameter(id) = symbol else { return None };
                match steady.get(id.index())? {
                    Steady::Index(level) => point.get(*level).map(|&i| dag.integer(i)),
                    Steady::Table(access) => {
                        let table = tables.get(access.array)?;
                        let at: Vec<i64> = access.indices.iter().map(|index| index.at(&point)).collect();
                        table.values.get(crate::model::family::position(&table.extents, &at)?).copied()
                    }
                    Steady::Parameter(_) => None,
                }
            };
            let value = substitute(&mut self.evaluator.dag, &[value], number);
            values.extend(value);
        }
        values
    }

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
                self.empty_range(&range, (start, end));
                (interval, usable) = (None, None);
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

    /// The values of a range with the present values of the outer loop variables.
    fn interval(&mut self, range: &Range) -> Option<(i64, i64)> {
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

    /// Closes the loops whose bodies end before a statement.
    pub(super) fn close_loops(&mut self, position: usize) {
        while let Some(last) = self.open.last()
            && last.end <= position
        {
            self.resolver.leave(last.locals);
            self.local_definitions.truncate(last.definitions);
            self.open.pop();
        }
        self.evaluator.varying = false;
        if self.evaluator.loops.len() != self.open.len() {
            self.bind_template();
        }
    }

    /// Makes the variables of the open loops leaves.
    fn bind_template(&mut self) {
        let loops: Vec<Loop> = self.open.iter().map(OpenLoop::hull).collect();
        self.bind(&loops, None);
    }

    /// Makes loop variables leaves, or numbers.
    fn bind(&mut self, loops: &[Loop], point: Option<&[i64]>) {
        self.evaluator.loops.clear();
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

    /// What the open loops repeat: a template if one does, otherwise one for each point. `None` if there is no value.
    pub(super) fn family<T>(&mut self, evaluate: impl FnMut(&mut Self) -> Option<T>) -> Family<T> {
        self.family_over(Vec::new(), evaluate)
    }

    /// The same with further loops inside of the open ones.
    fn family_over<T>(&mut self, inner: Vec<Loop>, mut evaluate: impl FnMut(&mut Self) -> Option<T>) -> Family<T> {
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

    /// The value of an array of which one number is given is that number for every index.
    fn broadcast(&mut self, position: usize, item: Item) -> Option<Item> {
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

    /// The value of a `let`: what its name stands for is noted, what it is for all indices is returned.
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

    /// A number, or an array without type.
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
            Some(Body::Instances(list)) => {
                self.evaluator.varying_statements.insert(position);
                let list = list.into_iter().map(|(point, value)| (point, value.expr)).collect();
                (None, Some(Body::Instances(list)))
            }
            None => (array, None),
        };
        self.evaluator.statements.insert(position, item);
        body.map(|body| (loops, body))
    }

    /// A value for every element: the same one, a list, or a value by index.
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
            self.evaluator.varying = false;
            whole = Some(self.evaluate(value, Vec::new())?).filter(|_| !self.evaluator.varying);
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
    fn element_of(&mut self, item: Item, indices: &[Value]) -> Option<Expr> {
        let mut item = item;
        for index in indices {
            let Item::Array(id) = item else { break };
            let view: View = self.evaluator.views.get(id).clone();
            let affine = self.evaluator.leaves.affine(&self.evaluator.dag, index.expr).ok()?;
            item = match self.evaluator.select(view, *index, &affine) {
                Step::Value(item) => item?,
                Step::Needs(call) => self.evaluator.call_now(call, &self.resolver.meanings, self.found)?,
                Step::Range(_) | Step::Term(_) => return None,
            };
        }
        match item {
            Item::Scalar(value) => Some(value.expr),
            Item::Array(_) => None,
        }
    }

    /// The indices of a `start` statement.
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

impl OpenLoop<'_> {
    fn hull(&self) -> Loop {
        let (start, end) = self.interval.unwrap_or((0, 0));
        Loop { name: self.name.to_string(), start, end }
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
