//! The operations of the language: numbers, sums, products, powers, derivatives.
//!
//! In: a node whose operands have values. Out: its value, and findings about divisors that are zero and about invalid
//! exponents and orders.

use super::{Evaluated, Evaluator, Task};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Expr, Node as Kernel, Rational, Symbol};
use crate::lower::incidence::SetId;
use crate::lower::items::{Base, Item, Value};
use crate::model::MAX_ORDER;
use crate::origin::Origin;
use crate::syntax::ast::{Node, NodeId, Power, Sign};

/// Exponents of `powi` are at most this large in magnitude.
const MAX_EXPONENT: i64 = 1000;

impl Evaluator<'_> {
    pub(super) fn form(&mut self, task: &Task, id: NodeId, node: &Node, found: &mut Diagnostics) -> Evaluated {
        let plain = |expr| Some(Value { expr, unknowns: SetId::EMPTY });
        let value = match node {
            Node::Number(value) => plain(self.dag.constant(value.clone())),
            Node::Time => plain(self.dag.symbol(Symbol::Time)),
            Node::Pi => plain(self.dag.pi()),
            Node::Euler => plain(self.dag.euler()),
            Node::Negation(operand) => {
                self.scalar(task, *operand, found).map(|value| Value { expr: self.dag.neg(value.expr), ..value })
            }
            Node::Sum(terms) => self.sum(task, terms, found),
            Node::Product(factors) => self.product(task, factors, found),
            Node::Comparison(..) | Node::All(_) | Node::Any(_) | Node::Not(_) | Node::Conditional { .. } => {
                self.conditional(task, id, node, found)
            }
            Node::Name(_) | Node::Call { .. } | Node::At { .. } => None,
            &Node::Mode { variable, is_indexed: true } => return Evaluated::Value(self.alternatives(variable)),
            &Node::Mode { variable, is_indexed: false } => self.alternative(variable, id, found),
            Node::Index { array, index } => return self.index(task, *array, *index, found),
            Node::List(items) => return Evaluated::Value(self.list(task, id, items, found)),
            Node::Repeat { value, count } => return Evaluated::Value(self.repeat(task, *value, *count, found)),
            Node::RangeHead { start, end, limit, .. } => {
                return Evaluated::Range(self.interval(task, (*start, *end, *limit), found));
            }
            Node::RangeSum { head, body } => {
                let term = self.scalar(task, *body, found);
                self.inlined += id.index() - head.index();
                if self.is_exhausted() {
                    self.too_large("the sums of this model grow too large when they are written out", id, found);
                }
                return Evaluated::Term(term);
            }
        };
        Evaluated::Value(value.map(Item::Scalar))
    }

    fn sum(&mut self, task: &Task, terms: &[(Sign, NodeId)], found: &mut Diagnostics) -> Option<Value> {
        let values: Vec<_> = terms.iter().map(|(sign, id)| Some((*sign, self.scalar(task, *id, found)?))).collect();
        let values: Option<Vec<_>> = values.into_iter().collect();
        let values = values?;
        let unknowns = self.sets.union(values.iter().map(|(_, value)| value.unknowns));
        let expr = self.dag.sum(values.iter().map(|(sign, value)| match sign {
            Sign::Plus => (Rational::ONE, value.expr),
            Sign::Minus => (Rational::MINUS_ONE, value.expr),
        }));
        Some(Value { expr, unknowns })
    }

    fn product(&mut self, task: &Task, factors: &[(Power, NodeId)], found: &mut Diagnostics) -> Option<Value> {
        let mut values = Vec::with_capacity(factors.len());
        for (power, id) in factors {
            let value = self.scalar(task, *id, found)?;
            if *power == Power::Divide && self.dag.is_zero(value.expr) {
                self.division_by_zero(*id, found);
                return None;
            }
            values.push((value, if *power == Power::Divide { -1 } else { 1 }));
        }
        let unknowns = self.sets.union(values.iter().map(|(value, _)| value.unknowns));
        let expr = self.dag.product(values.iter().map(|(value, power)| (value.expr, *power)));
        Some(Value { expr, unknowns })
    }

    fn division_by_zero(&mut self, divisor: NodeId, found: &mut Diagnostics) {
        let at = self.expressions.origin(divisor);
        let finding = Diagnostic::error(Code::DivisionByZero, "division by zero").label(at, "this is exactly zero");
        self.report(divisor, finding, found);
    }

    pub(super) fn integer_power(&mut self, task: &Task, node: &Node, found: &mut Diagnostics) -> Option<Value> {
        let Node::Call { arguments, .. } = node else { return None };
        let &[base, exponent] = arguments.as_slice() else { return None };
        let (value, power) = (self.scalar(task, base, found)?, self.scalar(task, exponent, found)?);
        if self.must_be_number(power.expr) {
            return None;
        }
        let integer = self.dag.as_constant(power.expr).and_then(Rational::to_integer);
        let Some(power) = integer.filter(|power| power.abs() <= MAX_EXPONENT).and_then(|n| i32::try_from(n).ok())
        else {
            let at = self.expressions.origin(exponent);
            let message = format!("the exponent of `powi` is an integer from -{MAX_EXPONENT} to {MAX_EXPONENT}");
            let finding = Diagnostic::error(Code::InvalidExponent, message).label(at, "not such a number");
            self.report(exponent, finding.help("write an integer or a constant, or use `powf`"), found);
            return None;
        };
        if power < 0 && self.dag.is_zero(value.expr) {
            self.division_by_zero(base, found);
            return None;
        }
        Some(Value { expr: self.dag.powi(value.expr, power), ..value })
    }

    /// Whether an expression that must be a number depends on a loop variable: then each instance has an expression of
    /// its own.
    pub(super) fn must_be_number(&mut self, expr: Expr) -> bool {
        let depends = self.dag.as_constant(expr).is_none() && self.leaves.is_of_loops(&self.dag, expr);
        self.varying |= depends;
        depends
    }

    /// `der(x)` or `der(x, 2)` of an unknown, an input, or an array of unknowns.
    pub(super) fn derivative(&mut self, task: &Task, node: &Node, found: &mut Diagnostics) -> Option<Item> {
        let Node::Call { arguments, .. } = node else { return None };
        let order = self.order(task, arguments.get(1).copied(), found)?;
        match task.item(*arguments.first()?)? {
            Item::Scalar(value) => {
                let symbol = match self.dag.node(value.expr) {
                    Kernel::Symbol(Symbol::Unknown { unknown, .. }) => Symbol::Unknown { unknown: *unknown, order },
                    Kernel::Symbol(Symbol::Input { input, .. }) => Symbol::Input { input: *input, order },
                    _ => return None,
                };
                Some(Item::Scalar(self.leaf(symbol)))
            }
            Item::Array(id) => {
                let mut view = self.views.get(id).clone();
                let Base::Unknown { array, .. } = view.base else { return None };
                view.base = Base::Unknown { array, order };
                Some(self.views.intern(view))
            }
        }
    }

    /// The order of a derivative, 1 if it is not written.
    fn order(&mut self, task: &Task, order: Option<NodeId>, found: &mut Diagnostics) -> Option<u32> {
        let Some(order) = order else { return Some(1) };
        let value = self.scalar(task, order, found)?;
        if self.must_be_number(value.expr) {
            return None;
        }
        let at = self.expressions.origin(order);
        match self.order_of(value.expr, at) {
            Ok(order) => Some(order),
            Err(finding) => {
                self.report(order, finding, found);
                None
            }
        }
    }

    /// The value of an expression as the order of a derivative, or the finding that it is not one.
    pub(in crate::lower) fn order_of(&self, expr: Expr, at: Origin) -> Result<u32, Diagnostic> {
        let integer = self.dag.as_constant(expr).and_then(Rational::to_integer);
        let order = integer.and_then(|value| u32::try_from(value).ok()).filter(|order| (1..=MAX_ORDER).contains(order));
        order.ok_or_else(|| {
            let message = format!("the order of a derivative is an integer from 1 to {MAX_ORDER}");
            let finding = Diagnostic::error(Code::InvalidDerivative, message).label(at, "not such a number");
            finding.help("write an integer or a constant; the derivative of order zero of `x` is `x`")
        })
    }
}
