//! Numbers that depend on a loop variable.
//!
//! In: a template. Out: its parts that are made of numbers and loop variables, and for each the values of the loop
//! variable at which it differs from its neighbours: where it vanishes, becomes one, or simplifies differently, and
//! where it bends. Members between such values differ by affine numbers only.
//!
//! The arithmetic is exact: each value is what an instance will contain.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::expr::{Dag, Expr, Function, Node, Rational, Symbol, reachable, substitute};
use crate::model::family::{FamilyModel, TimeInvariant};

/// The numbers of a template.
pub(super) struct Numbers<'a> {
    model: &'a FamilyModel,
    nodes: &'a [Expr],
    scratch: Dag,
    /// The loop variables that an expression made of numbers and loop variables depends on.
    levels: BTreeMap<Expr, BTreeSet<usize>>,
}

/// The form of the value of a part.
#[derive(Clone, PartialEq)]
enum Look {
    Zero,
    One,
    MinusOne,
    Number,
    /// An expression that is evaluated at run time: the kinds of all its operations.
    Applied(Vec<Operation>),
}

#[derive(Clone, Copy, PartialEq)]
enum Operation {
    Number,
    Pi,
    Euler,
    Symbol,
    Sum(usize, bool),
    Product(usize, i32),
    Apply(Function),
    Call,
}

impl<'a> Numbers<'a> {
    /// `nodes` are the template, operands before users.
    pub(super) fn new(model: &'a FamilyModel, nodes: &'a [Expr]) -> Self {
        let mut levels: BTreeMap<Expr, BTreeSet<usize>> = BTreeMap::new();
        for &expr in nodes {
            let own = match model.dag.node(expr) {
                Node::Constant(_) | Node::Pi | Node::Euler => Some(BTreeSet::new()),
                Node::Symbol(Symbol::Parameter(id)) => match &model.time_invariant[id.index()] {
                    TimeInvariant::Index(level) => Some(BTreeSet::from([*level])),
                    TimeInvariant::Table(access) => {
                        let indices = access.indices.iter().flat_map(|index| &index.coefficients);
                        Some(indices.map(|&(level, _)| level).collect())
                    }
                    TimeInvariant::Parameter(_) => None,
                },
                Node::Symbol(_) | Node::Call(..) => None,
                Node::Sum { .. } | Node::Product(_) | Node::Apply(..) => {
                    let of = |child: Expr| levels.get(&child).cloned();
                    let parts: Option<Vec<BTreeSet<usize>>> = model.dag.children(expr).map(of).collect();
                    parts.map(|parts| parts.into_iter().flatten().collect())
                }
            };
            levels.extend(own.map(|own| (expr, own)));
        }
        Numbers { model, nodes, scratch: model.dag.clone(), levels }
    }

    /// The largest parts that depend on loop variables, with these variables; `None` in place of a part that cannot be
    /// examined.
    pub(super) fn parts(&mut self) -> Vec<(Option<Expr>, Vec<usize>)> {
        let mut found = Vec::new();
        for &expr in self.nodes {
            if self.levels.contains_key(&expr) {
                continue;
            }
            match self.model.dag.node(expr) {
                Node::Sum { constant, terms } => {
                    let own = terms.iter().filter(|(_, term)| self.levels.contains_key(term)).cloned();
                    let own: Vec<(Rational, Expr)> = own.collect();
                    let levels = self.levels_of(own.iter().map(|&(_, term)| term));
                    let constant = self.scratch.constant(constant.clone());
                    let part = self.scratch.sum(own.into_iter().chain([(Rational::ONE, constant)]));
                    found.push((Some(part), levels));
                }
                Node::Product(factors) => {
                    let own = factors.iter().filter(|(base, _)| self.levels.contains_key(base)).copied();
                    let own: Vec<(Expr, i32)> = own.collect();
                    let levels = self.levels_of(own.iter().map(|&(base, _)| base));
                    let part = self.scratch.product(own);
                    found.push((Some(part), levels));
                }
                Node::Apply(function, arguments) => {
                    for (place, &argument) in arguments.iter().enumerate() {
                        // The exponent decides whether a power is a product, a root or a function.
                        let exponent = *function == Function::Powf && place == 1;
                        found.push(((!exponent).then_some(argument), self.levels_of([argument])));
                    }
                }
                Node::Call(_, arguments) => {
                    found.extend(arguments.iter().map(|&argument| (Some(argument), self.levels_of([argument]))));
                }
                Node::Constant(_) | Node::Pi | Node::Euler | Node::Symbol(_) => {}
            }
        }
        if let Some(&root) = self.nodes.last() {
            found.push((Some(root), self.levels_of([root])));
        }
        found.retain(|(_, levels)| !levels.is_empty());
        found
    }

    fn levels_of(&self, parts: impl IntoIterator<Item = Expr>) -> Vec<usize> {
        let levels: BTreeSet<usize> =
            parts.into_iter().filter_map(|part| self.levels.get(&part)).flatten().copied().collect();
        levels.into_iter().collect()
    }

    /// The values at which a part that depends on one loop variable differs from its neighbours.
    pub(super) fn landmarks(&mut self, part: Expr, level: usize, range: Range<i64>) -> Vec<i64> {
        let mut found = Vec::new();
        let mut before: Option<Look> = None;
        let mut values: Vec<Rational> = Vec::new();
        for i in range {
            let value = self.value(part, level, i);
            let look = self.look(value);
            if before.as_ref().is_some_and(|before| *before != look) {
                found.push(i);
            }
            match self.scratch.as_constant(value) {
                Some(number) => values.push(number.clone()),
                None => values.clear(),
            }
            if let [.., a, b, c] = values.as_slice()
                && b.sub(a) != c.sub(b)
            {
                found.push(i - 1);
                found.push(i);
            }
            before = Some(look);
        }
        found
    }

    fn value(&mut self, part: Expr, level: usize, i: i64) -> Expr {
        let model = self.model;
        let number = |dag: &mut Dag, symbol: Symbol| {
            let Symbol::Parameter(id) = symbol else { return None };
            match model.time_invariant.get(id.index())? {
                TimeInvariant::Index(of) if *of == level => Some(dag.integer(i)),
                // All entries are equal, or nothing is left out. The scratch DAG extends that of the model, so that
                // its expressions have the same numbers.
                TimeInvariant::Table(access) => model.tables.get(access.array)?.values.first().copied(),
                TimeInvariant::Index(_) | TimeInvariant::Parameter(_) => None,
            }
        };
        substitute(&mut self.scratch, &[part], number)[0]
    }

    fn look(&self, value: Expr) -> Look {
        if let Some(number) = self.scratch.as_constant(value) {
            return match number {
                number if number.is_zero() => Look::Zero,
                number if number.is_one() => Look::One,
                number if number.neg().is_one() => Look::MinusOne,
                _ => Look::Number,
            };
        }
        let operation = |expr: Expr| match self.scratch.node(expr) {
            Node::Constant(_) => Operation::Number,
            Node::Pi => Operation::Pi,
            Node::Euler => Operation::Euler,
            Node::Symbol(_) => Operation::Symbol,
            Node::Sum { constant, terms } => Operation::Sum(terms.len(), constant.is_zero()),
            Node::Product(factors) => Operation::Product(factors.len(), factors.iter().map(|&(_, n)| n).sum()),
            Node::Apply(function, _) => Operation::Apply(*function),
            Node::Call(..) => Operation::Call,
        };
        Look::Applied(reachable(&self.scratch, [value]).into_iter().map(operation).collect())
    }
}
