//! Syntax tree to expressions.
//!
//! In: nodes with their meanings. Out: canonical expressions and the sets of unknowns they contain as written. The
//! nodes of an expression are contiguous and children come first, so evaluation is one loop; a call of a function of
//! the model starts another loop on an explicit stack. The value of a call is remembered by function and arguments:
//! chains of functions that call each other twice cost what their distinct values cost.

use super::arrays::Binding;
use super::incidence::{SetId, Sets};
use super::items::{Base, Item, Value, Views, shape};
use super::leaves::Leaves;
use super::resolve::Meaning;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{self, Dag, Expr, External, Node as Kernel, Rational, Symbol};
use crate::model::MAX_ORDER;
use crate::model::family::Table;
use crate::origin::Origin;
use crate::syntax::ast::{Expression, Expressions, Node, NodeId, Power, Sign};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Nodes of function bodies, sums and instances that are evaluated at most: inlining can grow without bound in a few lines of
/// text.
const MAX_INLINED: usize = 1_000_000;

/// Exponents of `powi` are at most this large.
const MAX_EXPONENT: i64 = 1000;

/// A call: the statement of the function or of the sub-expression by index, and the values of the arguments.
pub(super) type Call = (usize, Vec<Item>);

/// An expression under evaluation; values are missing where something is wrong.
pub(super) struct Task {
    first: usize,
    root: usize,
    values: Vec<Option<Item>>,
    call: Option<Call>,
    /// Sums over ranges under way, the innermost last.
    ranges: Vec<RangeSum>,
}

/// A sum over a range whose body is being evaluated.
struct RangeSum {
    /// Position of its head among the values of the task.
    head: usize,
    next: i64,
    end: i64,
    terms: Vec<Option<Value>>,
}

impl Task {
    fn new(first: NodeId, root: NodeId, call: Option<Call>) -> Self {
        let (first, root) = (first.index(), root.index());
        Task { first, root, values: Vec::with_capacity(root + 1 - first), call, ranges: Vec::new() }
    }

    pub(super) fn item(&self, id: NodeId) -> Option<Item> {
        self.values.get(id.index().checked_sub(self.first)?).copied().flatten()
    }

    fn argument(&self, position: usize) -> Option<Item> {
        self.call.as_ref()?.1.get(position).copied()
    }
}

/// What one step of an evaluation gives.
pub(super) enum Step {
    Value(Option<Item>),
    /// The value of this call is needed first.
    Needs(Call),
    /// A sum over a range starts.
    Range(Option<(i64, i64)>),
    /// One term of a sum over a range is there.
    Term(Option<Value>),
}

/// Extents of everything that is declared; missing where something is wrong with them.
#[derive(Default)]
pub(super) struct Shapes {
    pub(super) unknowns: Vec<Option<Vec<usize>>>,
    pub(super) parameters: Vec<Option<Vec<usize>>>,
    /// Of the arguments of functions, by statement.
    pub(super) functions: HashMap<usize, Vec<Option<Vec<usize>>>>,
}

/// What a call evaluates.
#[derive(Clone, Copy)]
struct Inline {
    first: NodeId,
    root: NodeId,
    /// Whether its value depends on nothing but its arguments.
    pure: bool,
}

/// The pass.
pub(super) struct Evaluator<'a> {
    pub(super) dag: Dag,
    pub(super) sets: Sets,
    pub(super) views: Views,
    pub(super) leaves: Leaves,
    pub(super) tables: Vec<Table>,
    pub(super) shapes: Shapes,
    pub(super) expressions: &'a Expressions,
    bodies: HashMap<usize, Inline>,
    /// Values of the constants and sub-expressions evaluated so far, by statement.
    pub(super) statements: HashMap<usize, Option<Item>>,
    /// Extents of the sub-expressions that are arrays, by statement.
    pub(super) definition_extents: HashMap<usize, Vec<usize>>,
    /// Sub-expressions for which a template does not do.
    pub(super) varying_statements: HashSet<usize>,
    /// Loops around what is evaluated, the outermost first.
    pub(super) loops: Vec<Binding>,
    /// Whether the loop variables have numbers as values.
    pub(super) instance: bool,
    /// Set where a template does not do, because it depends on the values of loop variables.
    pub(super) varying: bool,
    /// Tables and external functions declared so far, by statement.
    pub(super) externals: HashMap<usize, Arc<External>>,
    calls: HashMap<Call, Option<Item>>,
    inlined: usize,
    reported: HashSet<NodeId>,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(expressions: &'a Expressions) -> Self {
        Evaluator {
            dag: Dag::new(),
            sets: Sets::new(),
            views: Views::default(),
            leaves: Leaves::default(),
            tables: Vec::new(),
            shapes: Shapes::default(),
            expressions,
            bodies: HashMap::new(),
            statements: HashMap::new(),
            definition_extents: HashMap::new(),
            varying_statements: HashSet::new(),
            loops: Vec::new(),
            instance: false,
            varying: false,
            externals: HashMap::new(),
            calls: HashMap::new(),
            inlined: 0,
            reported: HashSet::new(),
        }
    }

    /// Makes known what a call of a statement evaluates: the nodes up to `root`, arguments standing for what is not in them.
    pub(super) fn declare(&mut self, statement: usize, first: NodeId, root: NodeId) {
        let pure = self.loops.is_empty();
        self.bodies.insert(statement, Inline { first, root, pure });
    }

    /// The value of an expression, if nothing is wrong with it; `arguments` are the indices of a value by index.
    pub(super) fn expression(
        &mut self,
        it: Expression,
        arguments: Vec<Item>,
        meanings: &[Meaning],
        found: &mut Diagnostics,
    ) -> Option<Item> {
        self.run(Task::new(it.first, it.root, Some((usize::MAX, arguments))), meanings, found)
    }

    /// The value of a call.
    pub(super) fn call_now(&mut self, call: Call, meanings: &[Meaning], found: &mut Diagnostics) -> Option<Item> {
        let Inline { first, root, .. } = *self.bodies.get(&call.0)?;
        self.run(Task::new(first, root, Some(call)), meanings, found)
    }

    fn run(&mut self, task: Task, meanings: &[Meaning], found: &mut Diagnostics) -> Option<Item> {
        let mut stack = vec![task];
        let mut result = None;
        while let Some(task) = stack.last_mut() {
            let position = task.first + task.values.len();
            if position > task.root {
                result = task.values.pop().flatten();
                let done = stack.pop();
                if let Some(caller) = stack.last_mut() {
                    caller.values.push(result);
                    self.remember(done.and_then(|task| task.call), result);
                }
                continue;
            }
            match self.step(task, self.expressions.at(position), meanings, found) {
                Step::Value(value) => task.values.push(value),
                Step::Needs(call) => self.inline(call, &mut stack),
                Step::Range(range) => self.open_range(task, range),
                Step::Term(term) => self.next_term(task, term),
            }
        }
        result
    }

    /// Remembers the value of a call, unless it depends on more than its arguments.
    fn remember(&mut self, call: Option<Call>, result: Option<Item>) {
        let Some(call) = call else { return };
        let pure = self.bodies.get(&call.0).is_some_and(|body| body.pure);
        if pure && (result.is_some() || !self.varying) {
            self.calls.insert(call, result);
        }
    }

    /// Starts the evaluation of a function body.
    fn inline(&mut self, call: Call, stack: &mut Vec<Task>) {
        match self.bodies.get(&call.0) {
            Some(Inline { first, root, .. }) => {
                self.inlined += root.index() + 1 - first.index();
                stack.push(Task::new(*first, *root, Some(call)));
            }
            None => {
                self.calls.insert(call, None);
            }
        }
    }

    /// The value of a call that is known, or the need for it.
    pub(super) fn inlined(&mut self, call: Call) -> Step {
        match self.calls.get(&call) {
            Some(value) => Step::Value(*value),
            None if !self.is_exhausted() => Step::Needs(call),
            None => Step::Value(None),
        }
    }

    /// Starts a sum over a range: its head has the value of the variable while the body is evaluated.
    fn open_range(&mut self, task: &mut Task, range: Option<(i64, i64)>) {
        let head = task.values.len();
        if let Some((start, end)) = range
            && start < end
        {
            task.ranges.push(RangeSum { head, next: start + 1, end, terms: Vec::new() });
            let value = self.number(start);
            task.values.push(Some(Item::Scalar(value)));
            return;
        }
        // Nothing is summed: the body has no value, and the sum is zero.
        let body = self.body_length(task.first + head);
        task.values.extend(std::iter::repeat_n(None, body + 1));
        let zero = range.map(|_| Item::Scalar(self.number(0)));
        task.values.push(zero);
    }

    /// Number of nodes between the head of a sum and the sum.
    fn body_length(&self, head: usize) -> usize {
        let is_sum = |position: usize| match self.expressions.node(self.expressions.at(position)) {
            Node::RangeSum { head: of, .. } => of.index() == head,
            _ => false,
        };
        (head + 1..self.expressions.len()).take_while(|position| !is_sum(*position)).count()
    }

    /// Notes a term and goes on with the next index, or ends the sum.
    fn next_term(&mut self, task: &mut Task, term: Option<Value>) {
        let Some(range) = task.ranges.last_mut() else { return task.values.push(None) };
        range.terms.push(term);
        if range.next < range.end && !self.is_exhausted() {
            let (head, next) = (range.head, range.next);
            range.next += 1;
            task.values.truncate(head);
            let value = self.number(next);
            task.values.push(Some(Item::Scalar(value)));
            return;
        }
        let complete = range.next >= range.end;
        let terms: Option<Vec<Value>> = task.ranges.pop().and_then(|range| range.terms.into_iter().collect());
        let sum = terms.filter(|_| complete).map(|terms| {
            let unknowns = self.sets.union(terms.iter().map(|term| term.unknowns));
            let expr = self.dag.sum(terms.iter().map(|term| (Rational::ONE, term.expr)));
            Item::Scalar(Value { expr, unknowns })
        });
        task.values.push(sum);
    }

    fn step(&mut self, task: &Task, id: NodeId, meanings: &[Meaning], found: &mut Diagnostics) -> Step {
        let node = self.expressions.node(id);
        let value = match meanings[id.index()] {
            Meaning::Form => return self.form(task, id, node, found),
            Meaning::Invalid => None,
            Meaning::Statement(statement) => self.statement_value(statement),
            Meaning::Parameter(id) => self.parameter(id.index()),
            Meaning::Input(input) => Some(Item::Scalar(self.leaf(Symbol::Input { input, order: 0 }))),
            Meaning::Unknown(unknown) => self.unknown(unknown.index(), 0),
            Meaning::Loop(level) => self.loops.get(level).map(|binding| Item::Scalar(binding.value)),
            Meaning::Argument(position) => task.argument(position),
            Meaning::Local(root) => task.item(root),
            Meaning::Apply(function) => self.arguments(task, node, found).map(|values| {
                let exprs: Vec<Expr> = values.iter().map(|value| value.expr).collect();
                Item::Scalar(Value {
                    expr: self.dag.apply(function, &exprs),
                    unknowns: self.sets.union(values.iter().map(|v| v.unknowns)),
                })
            }),
            Meaning::IntegerPower => self.integer_power(task, node, found).map(Item::Scalar),
            Meaning::External(statement) => self.external(task, node, statement, found).map(Item::Scalar),
            Meaning::Call(statement) => return self.call(task, id, statement, found),
            Meaning::Derivative => self.derivative(task, node, found),
        };
        Step::Value(value)
    }

    /// The value of a constant or sub-expression; in a template it may depend on the values of loop variables.
    fn statement_value(&mut self, statement: usize) -> Option<Item> {
        let value = self.statements.get(&statement).copied().flatten();
        self.varying |= value.is_none() && !self.instance && self.varying_statements.contains(&statement);
        value
    }

    fn external(&mut self, task: &Task, node: &Node, statement: usize, found: &mut Diagnostics) -> Option<Value> {
        let function = self.externals.get(&statement)?.clone();
        let values = self.arguments(task, node, found)?;
        let exprs: Vec<Expr> = values.iter().map(|value| value.expr).collect();
        let expr = self.dag.call(expr::Call::new(function), &exprs);
        Some(Value { expr, unknowns: self.sets.union(values.iter().map(|value| value.unknowns)) })
    }

    pub(super) fn leaf(&mut self, symbol: Symbol) -> Value {
        let unknowns = match symbol {
            Symbol::Unknown { unknown, order } => self.sets.occurrence(unknown, order),
            _ => SetId::EMPTY,
        };
        Value { expr: self.dag.symbol(symbol), unknowns }
    }

    fn form(&mut self, task: &Task, id: NodeId, node: &Node, found: &mut Diagnostics) -> Step {
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
                self.conditional(task, node, found)
            }
            Node::Name(_) | Node::Call { .. } => None,
            Node::Index { array, index } => return self.index(task, *array, *index, found),
            Node::List(items) => return Step::Value(self.list(task, id, items, found)),
            Node::Repeat { value, count } => return Step::Value(self.repeat(task, *value, *count, found)),
            Node::RangeHead { start, end, limit, .. } => {
                return Step::Range(self.interval(task, (*start, *end, *limit), found));
            }
            Node::RangeSum { head, body } => {
                let term = self.scalar(task, *body, found);
                self.inlined += id.index() - head.index();
                if self.is_exhausted() {
                    self.too_large("the sums of this model grow too large when they are written out", id, found);
                }
                return Step::Term(term);
            }
        };
        Step::Value(value.map(Item::Scalar))
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

    /// Reports something about a node once, however often the function it belongs to is called.
    pub(super) fn report(&mut self, node: NodeId, finding: Diagnostic, found: &mut Diagnostics) {
        if self.reported.insert(node) {
            found.push(finding);
        }
    }

    fn integer_power(&mut self, task: &Task, node: &Node, found: &mut Diagnostics) -> Option<Value> {
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

    /// Whether a number is needed and a loop variable stands in its place: then each instance has an expression of its own.
    fn must_be_number(&mut self, expr: Expr) -> bool {
        let depends = self.dag.as_constant(expr).is_none() && self.leaves.is_of_loops(&self.dag, expr);
        self.varying |= depends;
        depends
    }

    /// `der(x)`, `der(x, 2)`, of an unknown, an input, or an array of unknowns.
    fn derivative(&mut self, task: &Task, node: &Node, found: &mut Diagnostics) -> Option<Item> {
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
        let Node::Call { arguments, function, .. } = self.expressions.node(id) else { return Step::Value(None) };
        let values: Option<Vec<Item>> = arguments.iter().map(|id| task.item(*id)).collect();
        let Some(values) = values else { return Step::Value(None) };
        let wanted = self.shapes.functions.get(&statement).cloned().unwrap_or_default();
        for (position, (value, node)) in values.iter().zip(arguments).enumerate() {
            let extents = self.views.extents(*value).to_vec();
            match wanted.get(position) {
                Some(Some(wanted)) if *wanted == extents => {}
                Some(None) => return Step::Value(None),
                Some(Some(wanted)) if !wanted.is_empty() => {
                    let message =
                        format!("`{}` takes {} here, and this is {}", function.text, shape(wanted), shape(&extents));
                    let at = self.expressions.origin(*node);
                    let finding = Diagnostic::error(Code::ArrayShape, message).label(at, "does not fit");
                    self.report(*node, finding, found);
                    return Step::Value(None);
                }
                _ if extents.is_empty() => {}
                _ => {
                    self.not_a_number(*node, &extents, found);
                    return Step::Value(None);
                }
            }
        }
        if self.is_exhausted() {
            self.too_large("the functions of this model grow too large when they are inlined", id, found);
        }
        self.inlined((statement, values))
    }

    /// Whether too much is inlined already.
    pub(super) fn is_exhausted(&self) -> bool {
        self.inlined > MAX_INLINED
    }

    /// Counts the evaluation of an expression for one instance.
    pub(super) fn count(&mut self, it: Expression) {
        self.inlined += it.root.index() + 1 - it.first.index();
    }

    pub(super) fn too_large(&mut self, message: &str, id: NodeId, found: &mut Diagnostics) {
        let at = self.expressions.origin(id);
        let finding = Diagnostic::error(Code::InliningTooLarge, message).label(at, "while inlining this");
        if self.reported.is_empty() {
            self.report(id, finding.help("make intermediate results unknowns with equations of their own"), found);
        }
    }

    /// Values of nodes that must be numbers, if nothing is wrong with any of them.
    pub(super) fn scalars(&mut self, task: &Task, ids: &[NodeId], found: &mut Diagnostics) -> Option<Vec<Value>> {
        let values: Vec<_> = ids.iter().map(|id| self.scalar(task, *id, found)).collect();
        values.into_iter().collect()
    }

    /// Values of the arguments of a call, if nothing is wrong with any of them.
    fn arguments(&mut self, task: &Task, node: &Node, found: &mut Diagnostics) -> Option<Vec<Value>> {
        let Node::Call { arguments, .. } = node else { return None };
        self.scalars(task, arguments, found)
    }
}
