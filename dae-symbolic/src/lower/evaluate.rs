//! Syntax tree to expressions.
//!
//! In: nodes with their meanings. Out: canonical expressions and the sets of unknowns they contain as written. The
//! nodes of an expression are contiguous and children come first, so evaluation is one loop; a call of a function of
//! the model starts another loop on an explicit stack. The value of a call is remembered by function and arguments:
//! chains of functions that call each other twice cost what their distinct values cost.

use super::incidence::{SetId, Sets};
use super::resolve::Meaning;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{self, Dag, Expr, External, Rational, Symbol};
use crate::model::MAX_ORDER;
use crate::origin::Origin;
use crate::syntax::ast::{Expression, Expressions, Function, Node, NodeId, Power, Sign};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Nodes of function bodies that are evaluated at most: inlining can grow without bound in a few lines of text.
const MAX_INLINED: usize = 1_000_000;

/// Exponents of `powi` are at most this large.
const MAX_EXPONENT: i64 = 1000;

/// The value of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Value {
    pub(super) expr: Expr,
    pub(super) unknowns: SetId,
}

/// A call: the statement of the function, and the values of the arguments.
type Call = (usize, Vec<Value>);

/// An expression under evaluation; values are missing where something is wrong.
pub(super) struct Task {
    first: usize,
    root: usize,
    values: Vec<Option<Value>>,
    call: Option<Call>,
}

impl Task {
    fn new(first: NodeId, root: NodeId, call: Option<Call>) -> Self {
        let (first, root) = (first.index(), root.index());
        Task { first, root, values: Vec::with_capacity(root + 1 - first), call }
    }

    pub(super) fn value(&self, id: NodeId) -> Option<Value> {
        self.values.get(id.index().checked_sub(self.first)?).copied().flatten()
    }

    fn argument(&self, position: usize) -> Option<Value> {
        self.call.as_ref()?.1.get(position).copied()
    }
}

/// What one step of an evaluation gives.
enum Step {
    Value(Option<Value>),
    /// The value of this call is needed first.
    Needs(Call),
}

/// The pass.
pub(super) struct Evaluator<'a> {
    pub(super) dag: Dag,
    pub(super) sets: Sets,
    expressions: &'a Expressions,
    functions: HashMap<usize, &'a Function>,
    /// Values of the constants and sub-expressions evaluated so far, by statement.
    pub(super) statements: HashMap<usize, Option<Value>>,
    /// Tables and external functions declared so far, by statement.
    pub(super) externals: HashMap<usize, Arc<External>>,
    calls: HashMap<Call, Option<Value>>,
    inlined: usize,
    reported: HashSet<NodeId>,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(expressions: &'a Expressions) -> Self {
        Evaluator {
            dag: Dag::new(),
            sets: Sets::new(),
            expressions,
            functions: HashMap::new(),
            statements: HashMap::new(),
            externals: HashMap::new(),
            calls: HashMap::new(),
            inlined: 0,
            reported: HashSet::new(),
        }
    }

    /// Makes a function known.
    pub(super) fn declare(&mut self, statement: usize, function: &'a Function) {
        self.functions.insert(statement, function);
    }

    /// The value of an expression, if nothing is wrong with it.
    pub(super) fn expression(
        &mut self,
        it: Expression,
        meanings: &[Meaning],
        found: &mut Diagnostics,
    ) -> Option<Value> {
        let mut stack = vec![Task::new(it.first, it.root, None)];
        let mut result = None;
        while let Some(task) = stack.last_mut() {
            let position = task.first + task.values.len();
            if position > task.root {
                result = task.values.pop().flatten();
                if let Some(Task { call: Some(call), .. }) = stack.pop() {
                    self.calls.insert(call, result);
                }
                continue;
            }
            match self.step(task, self.expressions.at(position), meanings, found) {
                Step::Value(value) => task.values.push(value),
                Step::Needs(call) => self.inline(call, &mut stack),
            }
        }
        result
    }

    /// Starts the evaluation of a function body.
    fn inline(&mut self, call: Call, stack: &mut Vec<Task>) {
        let body = self.functions.get(&call.0).and_then(|function| {
            let value = function.value?;
            let first = function.definitions.first().map_or(Some(value), |definition| definition.value)?;
            Some((first.first, value.root))
        });
        match body {
            Some((first, root)) => {
                self.inlined += root.index() + 1 - first.index();
                stack.push(Task::new(first, root, Some(call)));
            }
            None => {
                self.calls.insert(call, None);
            }
        }
    }

    fn step(&mut self, task: &Task, id: NodeId, meanings: &[Meaning], found: &mut Diagnostics) -> Step {
        let node = self.expressions.node(id);
        let value = match meanings[id.index()] {
            Meaning::Form => self.form(task, node, found),
            Meaning::Invalid => None,
            Meaning::Statement(statement) => self.statements.get(&statement).copied().flatten(),
            Meaning::Parameter(id) => Some(self.leaf(Symbol::Parameter(id))),
            Meaning::Input(input) => Some(self.leaf(Symbol::Input { input, order: 0 })),
            Meaning::Unknown(unknown) => Some(self.leaf(Symbol::Unknown { unknown, order: 0 })),
            Meaning::Argument(position) => task.argument(position),
            Meaning::Local(root) => task.value(root),
            Meaning::Apply(function) => arguments(task, node).map(|values| {
                let exprs: Vec<Expr> = values.iter().map(|value| value.expr).collect();
                Value {
                    expr: self.dag.apply(function, &exprs),
                    unknowns: self.sets.union(values.iter().map(|v| v.unknowns)),
                }
            }),
            Meaning::IntegerPower => self.integer_power(task, node, found),
            Meaning::External(statement) => self.external(task, node, statement),
            Meaning::Call(statement) => return self.call(task, id, statement, found),
            Meaning::UnknownDerivative(unknown) => {
                self.order(task, node, found).map(|order| self.leaf(Symbol::Unknown { unknown, order }))
            }
            Meaning::InputDerivative(input) => {
                self.order(task, node, found).map(|order| self.leaf(Symbol::Input { input, order }))
            }
        };
        Step::Value(value)
    }

    fn external(&mut self, task: &Task, node: &Node, statement: usize) -> Option<Value> {
        let function = self.externals.get(&statement)?.clone();
        let values = arguments(task, node)?;
        let exprs: Vec<Expr> = values.iter().map(|value| value.expr).collect();
        let expr = self.dag.call(expr::Call::new(function), &exprs);
        Some(Value { expr, unknowns: self.sets.union(values.iter().map(|value| value.unknowns)) })
    }

    fn leaf(&mut self, symbol: Symbol) -> Value {
        let unknowns = match symbol {
            Symbol::Unknown { unknown, order } => self.sets.occurrence(unknown, order),
            _ => SetId::EMPTY,
        };
        Value { expr: self.dag.symbol(symbol), unknowns }
    }

    fn form(&mut self, task: &Task, node: &Node, found: &mut Diagnostics) -> Option<Value> {
        let plain = |expr| Some(Value { expr, unknowns: SetId::EMPTY });
        match node {
            Node::Number(value) => plain(self.dag.constant(value.clone())),
            Node::Time => plain(self.dag.symbol(Symbol::Time)),
            Node::Pi => plain(self.dag.pi()),
            Node::Euler => plain(self.dag.euler()),
            Node::Negation(operand) => {
                let value = task.value(*operand)?;
                Some(Value { expr: self.dag.neg(value.expr), ..value })
            }
            Node::Sum(terms) => {
                let values: Option<Vec<_>> = terms.iter().map(|(sign, id)| Some((*sign, task.value(*id)?))).collect();
                let values = values?;
                let unknowns = self.sets.union(values.iter().map(|(_, value)| value.unknowns));
                let expr = self.dag.sum(values.iter().map(|(sign, value)| match sign {
                    Sign::Plus => (Rational::ONE, value.expr),
                    Sign::Minus => (Rational::MINUS_ONE, value.expr),
                }));
                Some(Value { expr, unknowns })
            }
            Node::Product(factors) => self.product(task, factors, found),
            Node::Comparison(..) | Node::All(_) | Node::Any(_) | Node::Not(_) | Node::Conditional { .. } => {
                self.conditional(task, node)
            }
            Node::Name(_) | Node::Call { .. } => None,
        }
    }

    fn product(&mut self, task: &Task, factors: &[(Power, NodeId)], found: &mut Diagnostics) -> Option<Value> {
        let mut values = Vec::with_capacity(factors.len());
        for (power, id) in factors {
            let value = task.value(*id)?;
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

    /// Reports something about a node once, however often the function it belongs to is called.
    fn report(&mut self, node: NodeId, finding: Diagnostic, found: &mut Diagnostics) {
        if self.reported.insert(node) {
            found.push(finding);
        }
    }

    fn integer_power(&mut self, task: &Task, node: &Node, found: &mut Diagnostics) -> Option<Value> {
        let Node::Call { arguments, .. } = node else { return None };
        let &[base, exponent] = arguments.as_slice() else { return None };
        let (value, power) = (task.value(base)?, task.value(exponent)?);
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

    /// The order of a derivative, 1 if it is not written.
    fn order(&mut self, task: &Task, node: &Node, found: &mut Diagnostics) -> Option<u32> {
        let Node::Call { arguments, .. } = node else { return None };
        let Some(&order) = arguments.get(1) else { return Some(1) };
        let value = task.value(order)?;
        let at = self.expressions.origin(order);
        match self.order_of(value.expr, at) {
            Ok(order) => Some(order),
            Err(finding) => {
                self.report(order, finding, found);
                None
            }
        }
    }

    /// An expression as the order of a derivative.
    pub(super) fn order_of(&self, expr: Expr, at: Origin) -> Result<u32, Diagnostic> {
        let integer = self.dag.as_constant(expr).and_then(Rational::to_integer);
        let order = integer.and_then(|value| u32::try_from(value).ok()).filter(|order| (1..=MAX_ORDER).contains(order));
        order.ok_or_else(|| {
            let message = format!("the order of a derivative is an integer from 1 to {MAX_ORDER}");
            let finding = Diagnostic::error(Code::InvalidDerivative, message).label(at, "not such a number");
            finding.help("write an integer or a constant; the derivative of order zero of `x` is `x`")
        })
    }

    fn call(&mut self, task: &Task, id: NodeId, statement: usize, found: &mut Diagnostics) -> Step {
        let Some(values) = arguments(task, self.expressions.node(id)) else { return Step::Value(None) };
        let call = (statement, values);
        if let Some(value) = self.calls.get(&call) {
            return Step::Value(*value);
        }
        if self.inlined <= MAX_INLINED {
            return Step::Needs(call);
        }
        let at = self.expressions.origin(id);
        let message = "the functions of this model grow too large when they are inlined";
        let finding = Diagnostic::error(Code::InliningTooLarge, message).label(at, "while inlining this call");
        if self.reported.is_empty() {
            self.report(id, finding.help("make intermediate results unknowns with equations of their own"), found);
        }
        Step::Value(None)
    }
}

/// Values of the arguments of a call, if nothing is wrong with any of them.
fn arguments(task: &Task, node: &Node) -> Option<Vec<Value>> {
    let Node::Call { arguments, .. } = node else { return None };
    arguments.iter().map(|id| task.value(*id)).collect()
}
