//! Start values.
//!
//! In: `start` statements and the values of declarations. Out: families of start values, each with the elements of the
//! array that it is for, and findings about things that have no start values.

use super::items::shape;
use super::lowering::Lowering;
use super::names::Entity;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::Start;
use crate::model::family::{Affine, Reach, StartBody, StartFamily};
use crate::origin::Origin;
use crate::syntax::ast::{self, Expression, Given, StartOf};
use crate::syntax::validate::Place;

/// A scalar or an array whose start values are given all at once.
pub(super) struct Whole {
    pub(super) unknown: usize,
    pub(super) order: u32,
    pub(super) reach: Reach,
    pub(super) given: Given,
    pub(super) statement: Origin,
}

impl<'a> Lowering<'a, '_> {
    /// Start values of a scalar or of all elements of an array.
    pub(super) fn start_of_all(
        &mut self,
        position: usize,
        whole: Whole,
        value: Expression,
        indices: &'a [ast::Name],
        extents: &[usize],
    ) {
        let origin = self.written.expressions.origin(value.root);
        let place = self.place_of_start(whole.given);
        self.evaluator.take_as_values(true);
        let values = self.by_index(position, value, indices, extents, place);
        self.evaluator.take_as_values(false);
        let Some((loops, body)) = values else { return };
        let outer = loops.len() - extents.len();
        let element: Vec<Affine> = (outer..loops.len()).map(Affine::variable).collect();
        let body = body.map(|value| StartBody { indices: element.clone(), value });
        let Whole { unknown, order, reach, given, statement } = whole;
        self.model.starts.push(StartFamily {
            unknown,
            order,
            reach,
            kind: kind(given),
            loops,
            body,
            origin,
            statement,
        });
    }

    pub(super) fn start(&mut self, position: usize, it: &'a ast::Start, origin: Origin) {
        let order = match it.of {
            StartOf::Value => Some(0),
            StartOf::Derivative(order) => self.start_order(order, position),
        };
        let unknown = self.start_unknown(it);
        let extents = unknown.and_then(|unknown| self.evaluator.shapes.unknowns.get(unknown).cloned().flatten());
        let (Some(order), Some(unknown), Some(extents), Some(value)) = (order, unknown, extents, it.value) else {
            // Errors in the value are reported nevertheless.
            if it.indices.is_empty() && self.open.is_empty() {
                self.value(it.value, position, Place::StartValue);
            }
            return;
        };
        if it.element.is_empty() {
            let whole = Whole { unknown, order, reach: Reach::Whole, given: it.given, statement: origin };
            return self.start_of_all(position, whole, value, &it.indices, &extents);
        }
        if it.element.len() != extents.len() || !it.indices.is_empty() {
            let message = if it.indices.is_empty() {
                let given = if it.element.len() == 1 {
                    "1 index is".to_string()
                } else {
                    format!("{} indices are", it.element.len())
                };
                format!("`{}` is {}, and {given} given", it.variable.text, shape(&extents))
            } else {
                "an element has one start value, and this is a value by index".to_string()
            };
            let finding = Diagnostic::error(Code::ArrayShape, message).label(it.variable.origin, "not such an element");
            return self.found.push(finding);
        }
        for index in &it.element {
            self.resolve(*index, position, Place::Extent);
        }
        self.resolve(value, position, self.place_of_start(it.given));
        let (loops, body) = self.family(|this| {
            let indices = this.element(&it.variable.text, &it.element, &extents)?;
            this.evaluator.take_as_values(true);
            let value = this.evaluate_scalar(value);
            this.evaluator.take_as_values(false);
            Some(StartBody { indices, value: value?.expr })
        });
        let value_origin = self.written.expressions.origin(value.root);
        if let Some(body) = body {
            let (kind, statement) = (kind(it.given), origin);
            let start = StartFamily {
                unknown,
                order,
                reach: Reach::Element,
                kind,
                loops,
                body,
                origin: value_origin,
                statement,
            };
            self.model.starts.push(start);
        }
    }

    /// The place of a start value: guesses of a model with boundary conditions are functions of time.
    fn place_of_start(&self, given: Given) -> Place {
        match given {
            Given::Guess if self.written.has_conditions() => Place::Guess,
            Given::Guess | Given::Fixed => Place::StartValue,
        }
    }

    /// The unknown that a start value is given for.
    fn start_unknown(&mut self, it: &ast::Start) -> Option<usize> {
        let (name, at) = (it.variable.text.as_str(), it.variable.origin);
        match self.names.get(name) {
            Some(entry) => match entry.entity {
                Entity::Unknown(unknown) => return Some(unknown.index()),
                other => {
                    let message = format!("only unknowns have start values, and `{name}` is {}", other.noun());
                    let finding = Diagnostic::error(Code::InvalidDerivative, message).label(at, "not an unknown");
                    self.found.push(finding.label(entry.origin, format!("`{name}` is declared here")));
                }
            },
            None if self.written.doubtful.iter().any(|doubtful| doubtful == name) => {}
            None => self.found.push(self.resolver.unknown_name(name, at)),
        }
        None
    }

    fn start_order(&mut self, order: Option<Expression>, position: usize) -> Option<u32> {
        let Some(order) = order else { return Some(1) };
        let value = self.value(Some(order), position, Place::Order)?;
        let at = self.written.expressions.origin(order.root);
        match self.evaluator.order_of(value.expr, at) {
            Ok(order) => Some(order),
            Err(finding) => {
                self.found.push(finding);
                None
            }
        }
    }
}

fn kind(given: Given) -> Start {
    match given {
        Given::Fixed => Start::Fixed,
        Given::Guess => Start::Guess,
    }
}
