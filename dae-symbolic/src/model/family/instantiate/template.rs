//! The expressions of instances.
//!
//! In: a template, which is an expression with loop variables. Out: its instance at each point of the loops, in the
//! graph of the scalar model.

use std::sync::Arc;

use super::super::{Access, Affine, Body, TimeInvariant, position};
use super::instantiation::{Instantiation, folded_extents};
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::{Call, Expr, Function, Node, ParameterId, Rational, Symbol, UnknownId, reachable};
use crate::model::Gap;
use crate::origin::Origin;

/// The instances of all expressions together have at most this many operations.
const MAX_OPERATIONS: usize = 20_000_000;

/// An operation of a template; operands are positions of earlier ones.
enum Operation {
    Constant(Rational),
    Pi,
    Euler,
    Leaf(Symbol),
    Sum(Rational, Vec<(Rational, usize)>),
    Product(Vec<(usize, i32)>),
    Apply(Function, Vec<usize>),
    Call(Call, Vec<usize>),
}

/// An expression as a list of operations, the last one its value.
struct Template {
    operations: Vec<Operation>,
    /// Whether each operation depends on a loop variable.
    varies: Vec<bool>,
    values: Vec<Expr>,
}

impl Instantiation<'_> {
    /// The only instance of an expression without loop variables.
    pub(super) fn written_once(&mut self, value: Expr) -> Expr {
        let mut template = self.template(value);
        self.instance(&mut template, &[], &[], Origin::NONE)
    }

    /// The instances of a body at the points; those at which it has none are left out.
    pub(super) fn instances<T>(
        &mut self,
        body: &Body<T>,
        root: impl Fn(&T) -> Expr,
        points: &[Vec<i64>],
        gaps: &Arc<[Gap]>,
        origin: Origin,
    ) -> Vec<Expr> {
        let roots: Vec<Expr> = body.all().into_iter().map(root).collect();
        if self.scalar {
            return roots;
        }
        let mut templates: Vec<Option<Template>> = roots.iter().map(|_| None).collect();
        let value = |point: &Vec<i64>| {
            let number = body.number(point)?;
            let mut template = templates[number].take().unwrap_or_else(|| self.template(roots[number]));
            let value = self.instance(&mut template, point, gaps, origin);
            templates[number] = Some(template);
            Some(value)
        };
        points.iter().filter_map(value).collect()
    }

    fn template(&self, root: Expr) -> Template {
        let dag = &self.family.dag;
        let nodes = reachable(dag, [root]);
        let place = |expr: &Expr| nodes.binary_search(expr).unwrap_or(0);
        let mut varies: Vec<bool> = Vec::with_capacity(nodes.len());
        let mut operations = Vec::with_capacity(nodes.len());
        for &expr in &nodes {
            let operation = match dag.node(expr) {
                Node::Constant(value) => Operation::Constant(value.clone()),
                Node::Pi => Operation::Pi,
                Node::Euler => Operation::Euler,
                Node::Symbol(symbol) => Operation::Leaf(*symbol),
                Node::Sum { constant, terms } => {
                    Operation::Sum(constant.clone(), terms.iter().map(|(q, e)| (q.clone(), place(e))).collect())
                }
                Node::Product(factors) => Operation::Product(factors.iter().map(|(e, n)| (place(e), *n)).collect()),
                Node::Call(call, arguments) => Operation::Call(call.clone(), arguments.iter().map(place).collect()),
                Node::Apply(function, arguments) => Operation::Apply(*function, arguments.iter().map(place).collect()),
            };
            varies.push(match &operation {
                Operation::Leaf(symbol) => self.leaf_varies(*symbol),
                _ => dag.children(expr).any(|child| varies[place(&child)]),
            });
            operations.push(operation);
        }
        Template { operations, varies, values: Vec::new() }
    }

    fn leaf_varies(&self, symbol: Symbol) -> bool {
        let indexed = |access: &Access| access.indices.iter().any(|index| !index.coefficients.is_empty());
        match symbol {
            Symbol::Unknown { unknown, .. } => self.family.accesses.get(unknown.index()).is_some_and(indexed),
            Symbol::Parameter(id) => {
                self.family.time_invariant.get(id.index()).is_some_and(|time_invariant| match time_invariant {
                    TimeInvariant::Parameter(access) | TimeInvariant::Table(access) => indexed(access),
                    TimeInvariant::Index(_) => true,
                })
            }
            Symbol::Time | Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => false,
        }
    }

    fn instance(&mut self, template: &mut Template, point: &[i64], gaps: &[Gap], origin: Origin) -> Expr {
        let first = template.values.is_empty();
        self.operations += template.operations.len();
        if self.operations > MAX_OPERATIONS {
            self.too_large(origin);
            return self.dag.integer(0);
        }
        for k in 0..template.operations.len() {
            if !first && !template.varies[k] {
                continue;
            }
            let values = &template.values;
            let value = match &template.operations[k] {
                Operation::Constant(value) => self.dag.constant(value.clone()),
                Operation::Pi => self.dag.pi(),
                Operation::Euler => self.dag.euler(),
                Operation::Leaf(symbol) => self.leaf(*symbol, point, gaps, origin),
                Operation::Sum(constant, terms) => {
                    let constant = self.dag.constant(constant.clone());
                    let terms = terms.iter().map(|(q, term)| (q.clone(), values[*term]));
                    self.dag.sum(terms.chain([(Rational::ONE, constant)]))
                }
                Operation::Product(factors) => self.dag.product(factors.iter().map(|(base, n)| (values[*base], *n))),
                Operation::Call(call, arguments) => {
                    let arguments: Vec<Expr> = arguments.iter().map(|argument| values[*argument]).collect();
                    self.dag.call(call.clone(), &arguments)
                }
                Operation::Apply(function, arguments) => {
                    let arguments: Vec<Expr> = arguments.iter().map(|argument| values[*argument]).collect();
                    self.dag.apply(*function, &arguments)
                }
            };
            if first {
                template.values.push(value);
            } else {
                template.values[k] = value;
            }
        }
        template.values.last().copied().unwrap_or_else(|| self.dag.integer(0))
    }

    fn leaf(&mut self, symbol: Symbol, point: &[i64], gaps: &[Gap], origin: Origin) -> Expr {
        let value = match symbol {
            Symbol::Unknown { unknown, order } => {
                self.unknown(unknown, point, gaps).map(|unknown| self.dag.symbol(Symbol::Unknown { unknown, order }))
            }
            Symbol::Parameter(id) => self.time_invariant(id, point, gaps),
            Symbol::Time | Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => {
                Some(self.dag.symbol(symbol))
            }
        };
        value.unwrap_or_else(|| {
            let finding = Diagnostic::error(Code::IndexOutOfBounds, "an index is outside of its array");
            self.found.push(finding.label(origin, "here"));
            self.dag.integer(0)
        })
    }

    fn time_invariant(&mut self, id: ParameterId, point: &[i64], gaps: &[Gap]) -> Option<Expr> {
        match self.family.time_invariant.get(id.index())? {
            TimeInvariant::Parameter(access) => {
                let extents = &self.family.parameters.get(access.array)?.extents;
                let element = folded_position(extents, &self.excerpt.parameters[access.array], access, point, gaps)?;
                let id = ParameterId((self.first_parameter[access.array] + element) as u32);
                Some(self.dag.symbol(Symbol::Parameter(id)))
            }
            TimeInvariant::Table(access) => {
                let table = self.family.tables.get(access.array)?;
                let value = *table.values.get(position(&table.extents, &at(access, point))?)?;
                self.number(value)
            }
            TimeInvariant::Index(level) => point.get(*level).map(|&value| self.dag.integer(value)),
        }
    }

    /// An entry of a table, which is an expression of numbers.
    fn number(&mut self, value: Expr) -> Option<Expr> {
        if let Some(value) = self.family.dag.as_constant(value) {
            let value = value.clone();
            return Some(self.dag.constant(value));
        }
        Some(self.written_once(value))
    }

    pub(super) fn unknown(&self, access: UnknownId, point: &[i64], gaps: &[Gap]) -> Option<UnknownId> {
        self.element(self.family.accesses.get(access.index())?, point, gaps)
    }

    pub(super) fn element(&self, access: &Access, point: &[i64], gaps: &[Gap]) -> Option<UnknownId> {
        let extents = &self.family.unknowns.get(access.array)?.extents;
        let element = folded_position(extents, &self.excerpt.unknowns[access.array], access, point, gaps)?;
        Some(UnknownId((self.first_unknown[access.array] + element) as u32))
    }

    fn too_large(&mut self, origin: Origin) {
        if self.found.is_empty() {
            let message = "the instances of this model grow too large";
            let finding = Diagnostic::error(Code::InliningTooLarge, message).label(origin, "while writing out this");
            self.found
                .push(finding.help("make sums that occur in every instance unknowns with equations of their own"));
        }
    }
}

/// The position of an element among those that are not left out. An index relative to a loop variable stays relative in
/// the excerpt: a member next to the gap has the member on the other side as its neighbour.
fn folded_position(extents: &[usize], own: &[Gap], access: &Access, point: &[i64], gaps: &[Gap]) -> Option<usize> {
    if own.iter().all(Gap::is_empty) {
        return position(extents, &at(access, point));
    }
    let folded = |index: &Affine, gap: &Gap| match index.coefficients.as_slice() {
        &[(level, 1)] => gaps.get(level)?.folded(*point.get(level)?).map(|value| value + index.constant),
        _ => gap.folded(index.at(point)),
    };
    let indices: Option<Vec<i64>> = access.indices.iter().zip(own).map(|(index, gap)| folded(index, gap)).collect();
    position(&folded_extents(extents, own), &indices?)
}

fn at(access: &Access, point: &[i64]) -> Vec<i64> {
    access.indices.iter().map(|index| index.at(point)).collect()
}
