//! The state of the pass over statements.
//!
//! In: a statement's expressions. Out: their meanings and values; the family model as far as it is complete, with the
//! loops and branches that are open.

use std::collections::{HashMap, HashSet};

use super::enclosing::{OpenBranch, OpenLoop};
use super::evaluate::Evaluator;
use super::items::{Item, Value};
use super::names::Names;
use super::resolve::Resolver;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Expr, UnknownId};
use crate::model::Start;
use crate::model::family::{Body, FamilyModel, Loop, Reach, StartBody, StartFamily, UnknownArray};
use crate::origin::Origin;
use crate::syntax::ast::{self, Declaration, Expression};
use crate::syntax::validate::Place;

/// The pass over the statements.
pub(super) struct Lowering<'a, 'f> {
    pub(super) written: &'a ast::Model,
    pub(super) names: &'f Names<'a>,
    pub(super) resolver: Resolver<'a>,
    pub(super) evaluator: Evaluator<'a>,
    pub(super) model: FamilyModel,
    /// The loops around the current statement, the outermost first.
    pub(super) open: Vec<OpenLoop<'a>>,
    /// The branches around the current statement, the outermost first.
    pub(super) branches: Vec<OpenBranch>,
    /// Sub-expressions declared in the open loops and branches.
    pub(super) local_definitions: Vec<(usize, &'a Declaration)>,
    pub(super) definition_names: HashSet<&'a str>,
    /// The number of equations outside of blocks so far.
    pub(super) written_equations: usize,
    /// The first statement after the block of initial equations.
    pub(super) initial_end: usize,
    /// The roles of unknowns in blocks, each with the place where the block names the unknown.
    pub(super) parts: HashMap<UnknownId, (Origin, &'static str)>,
    pub(super) found: &'f mut Diagnostics,
}

impl Lowering<'_, '_> {
    /// Gives the nodes of an expression their meanings.
    pub(super) fn resolve(&mut self, it: Expression, position: usize, place: Place) {
        self.resolver.expression(it, position, place, self.found);
    }

    /// The value of a resolved expression, if it has no errors.
    pub(super) fn evaluate(&mut self, it: Expression, arguments: Vec<Item>) -> Option<Item> {
        if self.evaluator.instance || self.evaluator.repeats {
            self.evaluator.count(it);
        }
        let item = self.evaluator.expression(it, arguments, &self.resolver.meanings, self.found);
        if item.is_none() && !self.evaluator.varying && self.evaluator.cut.is_none() && !self.found.has_errors() {
            let at = self.written.expressions.origin(it.root);
            let finding = Diagnostic::error(Code::ArrayShape, "this expression has no value");
            self.found.push(finding.label(at, "cannot be evaluated"));
        }
        item
    }

    /// The value of a resolved expression that is a number.
    pub(super) fn evaluate_scalar(&mut self, it: Expression) -> Option<Value> {
        let item = self.evaluate(it, Vec::new())?;
        match item {
            Item::Scalar(value) => Some(value),
            Item::Array(_) => {
                let extents = self.evaluator.views.extents(item).to_vec();
                self.evaluator.not_a_number(it.root, &extents, self.found);
                None
            }
        }
    }

    /// Resolves an expression and gives its value, which is a number.
    pub(super) fn value(&mut self, it: Option<Expression>, position: usize, place: Place) -> Option<Value> {
        let it = it?;
        self.resolve(it, position, place);
        self.evaluate_scalar(it)
    }

    /// The first of these names that nothing has.
    pub(super) fn free_name(&self, mut names: impl Iterator<Item = String>) -> String {
        let is_free = |name: &String| {
            let is_unknown = self.model.unknowns.iter().any(|unknown| unknown.name == *name);
            !is_unknown && self.names.get(name).is_none() && !self.definition_names.contains(name.as_str())
        };
        names.find(is_free).unwrap_or_default()
    }

    /// Adds an unknown that the text does not declare, the one with this number, with a fixed start value.
    pub(super) fn add_unknown(&mut self, number: usize, it: UnknownArray, start: Expr) {
        self.model.starts.push(StartFamily {
            unknown: number,
            order: 0,
            reach: Reach::Declaration,
            kind: Start::Fixed,
            loops: Vec::new(),
            body: Body::Template(StartBody { indices: Vec::new(), value: start }),
            origin: it.origin,
            statement: it.origin,
        });
        self.model.unknowns.push(it);
    }

    /// A stand-in for the value of something with an error, which keeps its place because ids are positions; the model
    /// is not used then.
    pub(super) fn zero(&mut self) -> Expr {
        self.evaluator.dag.integer(0)
    }
}

/// Loops, and the body that they repeat; no body if it has an error.
pub(super) type Family<T> = (Vec<Loop>, Option<Body<T>>);
