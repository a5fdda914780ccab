//! Syntax tree to expressions.
//!
//! In: nodes with their meanings. Out: canonical expressions and the sets of unknowns they contain as written. The
//! nodes of an expression are contiguous and children come first, so evaluation is one loop; a call of a function of
//! the model starts another loop on an explicit stack. The value of a call is remembered by function and arguments, so
//! that a chain of functions, each calling the next one twice, costs no more than its distinct calls.

mod operations;
mod range_sum;
mod task;

pub(super) use task::{Binding, Evaluated, Task};

use super::around_events::AroundEvents;
use super::decisions::{Cut, Skips};
use super::incidence::{SetId, Sets};
use super::items::{Item, Value, Views, shape};
use super::leaves::Leaves;
use super::points::Points;
use super::resolve::Meaning;
use super::rounding::Floors;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{self, Dag, Expr, External, Symbol};
use crate::model::family::Table;
use crate::syntax::ast::{Expression, Expressions, ModeVariable, Model, Node, NodeId};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use task::Call;

/// The largest number of nodes of function bodies, sums and instances that are evaluated: a few lines of text can make
/// inlining grow without bound.
const MAX_INLINED: usize = 1_000_000;

/// Extents of everything that is declared; `None` where they have errors.
#[derive(Default)]
pub(super) struct Shapes {
    pub(super) unknowns: Vec<Option<Vec<usize>>>,
    pub(super) parameters: Vec<Option<Vec<usize>>>,
    /// Extents of the arguments of functions, by statement.
    pub(super) functions: HashMap<usize, Vec<Option<Vec<usize>>>>,
}

/// The expression that a call evaluates.
#[derive(Clone, Copy)]
struct Inline {
    first: NodeId,
    root: NodeId,
    /// Whether its value depends on nothing but its arguments.
    pure: bool,
}

/// The pass over expressions that gives their nodes values.
pub(super) struct Evaluator<'a> {
    pub(super) dag: Dag,
    pub(super) sets: Sets,
    pub(super) views: Views,
    pub(super) leaves: Leaves,
    pub(super) tables: Vec<Table>,
    pub(super) shapes: Shapes,
    pub(super) expressions: &'a Expressions,
    /// The mode variables, and the alternatives of their instances.
    pub(super) modes: &'a [ModeVariable],
    pub(super) mode: &'a [usize],
    bodies: HashMap<usize, Inline>,
    /// Values of the constants and sub-expressions evaluated so far, by statement.
    pub(super) statements: HashMap<usize, Option<Item>>,
    /// Extents of the sub-expressions that are arrays, by statement.
    pub(super) definition_extents: HashMap<usize, Vec<usize>>,
    /// Sub-expressions that have no template, by statement.
    pub(super) varying_statements: HashSet<usize>,
    /// Loops around the expression under evaluation, the outermost first.
    pub(super) loops: Vec<Binding>,
    /// Whether the loop variables have numbers as values.
    pub(super) instance: bool,
    /// Set where a template is impossible, because the expression depends on the values of loop variables.
    pub(super) varying: bool,
    /// Set where the box of loop variables has to be cut for a condition on them.
    pub(super) cut: Option<Cut>,
    /// Cuts that sub-expressions need, by statement.
    pub(super) cuts: HashMap<usize, Cut>,
    /// Whether the current expression has already been evaluated in another box.
    pub(super) repeats: bool,
    /// Whether remembered values of calls may hold in this box only.
    pub(super) decided_by_box: bool,
    /// The nodes that conditions leave out.
    pub(super) skips: Skips,
    /// Tables and external functions declared so far, by statement.
    pub(super) externals: HashMap<usize, Arc<External>>,
    /// Values at times, and integrals, of boundary conditions.
    pub(super) points: Points,
    /// Values before events, and most recent values.
    pub(super) around: AroundEvents,
    /// Discrete variables that are integer parts.
    pub(super) floors: Floors,
    calls: HashMap<Call, Option<Item>>,
    inlined: usize,
    reported: HashSet<NodeId>,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(written: &'a Model) -> Self {
        let expressions = &written.expressions;
        Evaluator {
            dag: Dag::new(),
            sets: Sets::new(),
            views: Views::default(),
            leaves: Leaves::default(),
            tables: Vec::new(),
            shapes: Shapes::default(),
            expressions,
            modes: &written.modes,
            mode: &written.mode,
            bodies: HashMap::new(),
            statements: HashMap::new(),
            definition_extents: HashMap::new(),
            varying_statements: HashSet::new(),
            loops: Vec::new(),
            instance: false,
            varying: false,
            cut: None,
            cuts: HashMap::new(),
            repeats: false,
            decided_by_box: false,
            skips: Skips::of(expressions),
            externals: HashMap::new(),
            points: Points::default(),
            around: AroundEvents::default(),
            floors: Floors::default(),
            calls: HashMap::new(),
            inlined: 0,
            reported: HashSet::new(),
        }
    }

    /// Declares the expression that a call of a statement evaluates: the nodes from `first` to `root`.
    pub(super) fn declare(&mut self, statement: usize, first: NodeId, root: NodeId) {
        let pure = self.loops.is_empty();
        self.bodies.insert(statement, Inline { first, root, pure });
    }

    /// The value of an expression, if it has no errors; `arguments` are the indices of a value by index.
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
            if position > task.first
                && let Some(last) = self.left_out(task, self.expressions.at(position - 1))
            {
                task.values.resize(last.index() + 1 - task.first, None);
                continue;
            }
            match self.step(task, self.expressions.at(position), meanings, found) {
                Evaluated::Value(value) => task.values.push(value),
                Evaluated::Needs(call) => self.inline(call, &mut stack),
                Evaluated::Range(range) => self.open_range(task, range),
                Evaluated::Term(term) => self.next_term(task, term),
            }
        }
        result
    }

    /// Starts the evaluation in another box: forgets the values of calls that may differ there.
    pub(super) fn enter_box(&mut self) {
        if std::mem::take(&mut self.decided_by_box) {
            self.calls.clear();
        }
        (self.varying, self.cut) = (false, None);
    }

    /// Forgets the values of calls: the same calls have other values from here on.
    pub(super) fn forget_calls(&mut self) {
        self.calls.clear();
    }

    /// Remembers the value of a call, unless it depends on more than its arguments or is only missing in this box.
    fn remember(&mut self, call: Option<Call>, result: Option<Item>) {
        let Some(call) = call else { return };
        let pure = self.bodies.get(&call.0).is_some_and(|body| body.pure);
        if pure && (result.is_some() || !(self.varying || self.cut.is_some())) {
            self.calls.insert(call, result);
        }
    }

    /// Starts the evaluation of the expression that a call evaluates.
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

    /// The value of a call if it is known, otherwise a request for it.
    pub(super) fn inlined(&mut self, call: Call) -> Evaluated {
        match self.calls.get(&call) {
            Some(value) => Evaluated::Value(*value),
            None if !self.is_exhausted() => Evaluated::Needs(call),
            None => Evaluated::Value(None),
        }
    }

    fn step(&mut self, task: &Task, id: NodeId, meanings: &[Meaning], found: &mut Diagnostics) -> Evaluated {
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
            Meaning::Rounded(rounding) => self.rounded((task, id), node, rounding, found).map(Item::Scalar),
            Meaning::IntegerPower => self.integer_power(task, node, found).map(Item::Scalar),
            Meaning::External(statement) => self.external(task, node, statement, found).map(Item::Scalar),
            Meaning::Call(statement) => return self.call(task, id, statement, found),
            Meaning::Derivative => self.derivative(task, node, found),
            Meaning::End(end) => Some(Item::Scalar(self.leaf(end.symbol()))),
            Meaning::UnknownAt(unknown) => {
                let item = self.unknown(unknown.index(), 0);
                self.at_time(task, id, item, found).map(Item::Scalar)
            }
            Meaning::StatementAt(statement) => {
                let item = self.statement_value(statement);
                self.at_time(task, id, item, found).map(Item::Scalar)
            }
            Meaning::At => self.at_time(task, id, None, found).map(Item::Scalar),
            Meaning::Integral => self.integral(task, node, found).map(Item::Scalar),
            Meaning::Before => self.before(task, node, found).map(Item::Scalar),
            Meaning::Held => self.held(task, node, found).map(Item::Scalar),
        };
        Evaluated::Value(value)
    }

    /// The value of a constant or sub-expression. In a template it is `None` where it depends on the values of loop
    /// variables: then the cut that it needs is recorded, or that it varies from point to point.
    fn statement_value(&mut self, statement: usize) -> Option<Item> {
        let value = self.statements.get(&statement).copied().flatten();
        if value.is_none() && !self.instance {
            match self.cuts.get(&statement) {
                Some(&cut) => {
                    self.cut.get_or_insert(cut);
                }
                None => self.varying |= self.varying_statements.contains(&statement),
            }
        }
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

    /// Reports something about a node once, however often the function it belongs to is called.
    pub(super) fn report(&mut self, node: NodeId, finding: Diagnostic, found: &mut Diagnostics) {
        if self.reported.insert(node) {
            found.push(finding);
        }
    }

    fn call(&mut self, task: &Task, id: NodeId, statement: usize, found: &mut Diagnostics) -> Evaluated {
        let Node::Call { arguments, function, .. } = self.expressions.node(id) else { return Evaluated::Value(None) };
        let values: Option<Vec<Item>> = arguments.iter().map(|id| task.item(*id)).collect();
        let Some(values) = values else { return Evaluated::Value(None) };
        let wanted = self.shapes.functions.get(&statement).cloned().unwrap_or_default();
        for (position, (value, node)) in values.iter().zip(arguments).enumerate() {
            let extents = self.views.extents(*value).to_vec();
            match wanted.get(position) {
                Some(Some(wanted)) if *wanted == extents => {}
                Some(None) => return Evaluated::Value(None),
                Some(Some(wanted)) if !wanted.is_empty() => {
                    let message =
                        format!("`{}` takes {} here, and this is {}", function.text, shape(wanted), shape(&extents));
                    let at = self.expressions.origin(*node);
                    let finding = Diagnostic::error(Code::ArrayShape, message).label(at, "does not fit");
                    self.report(*node, finding, found);
                    return Evaluated::Value(None);
                }
                _ if extents.is_empty() => {}
                _ => {
                    self.not_a_number(*node, &extents, found);
                    return Evaluated::Value(None);
                }
            }
        }
        if self.is_exhausted() {
            self.too_large("the functions of this model grow too large when they are inlined", id, found);
        }
        self.inlined((statement, values))
    }

    /// Whether too much has been inlined.
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

    /// Values of nodes that must be numbers, if none of them has errors.
    pub(super) fn scalars(&mut self, task: &Task, ids: &[NodeId], found: &mut Diagnostics) -> Option<Vec<Value>> {
        let values: Vec<_> = ids.iter().map(|id| self.scalar(task, *id, found)).collect();
        values.into_iter().collect()
    }

    /// Values of the arguments of a call, if none of them has errors.
    fn arguments(&mut self, task: &Task, node: &Node, found: &mut Diagnostics) -> Option<Vec<Value>> {
        let Node::Call { arguments, .. } = node else { return None };
        self.scalars(task, arguments, found)
    }
}
