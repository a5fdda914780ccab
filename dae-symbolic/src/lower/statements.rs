//! Statements to the parts of a model.
//!
//! In: statements in the order of the text. Out: a model that has everything whose statement is right, and findings.

use super::evaluate::{Evaluator, Value};
use super::external;
use super::names::{Entity, Names};
use super::resolve::Resolver;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Call, Dag, Expr, Symbol, UnknownId, evaluate_one};
use crate::model::{self, Definition, Domain, Input, Model, Parameter, Start, StartValue, Unknown, residual};
use crate::origin::Origin;
use crate::syntax::ast::{self, Declaration, Expression, Given, Name, Statement, StatementKind, Variable};
use crate::syntax::restrict::Place;
use std::collections::HashMap;

/// Lowers all statements.
pub(super) fn lower(written: &ast::Model, found: &mut Diagnostics) -> Model {
    let names = Names::of(written, found);
    let mut lowering = Lowering {
        written,
        names: &names,
        resolver: Resolver::new(written, &names),
        evaluator: Evaluator::new(&written.expressions),
        model: empty(written),
        starts: Vec::new(),
        parts: HashMap::new(),
        found,
    };
    for (position, statement) in written.statements.iter().enumerate() {
        lowering.statement(position, statement);
    }
    lowering.finish()
}

fn empty(written: &ast::Model) -> Model {
    Model {
        dag: Dag::new(),
        name: written.name.text.clone(),
        origin: written.name.origin,
        docs: written.docs.clone(),
        visibility: written.visibility.clone(),
        parameters: Vec::new(),
        unknowns: Vec::new(),
        inputs: Vec::new(),
        definitions: Vec::new(),
        equations: Vec::new(),
        derivations: Vec::new(),
    }
}

pub(super) struct Lowering<'a> {
    pub(super) written: &'a ast::Model,
    pub(super) names: &'a Names<'a>,
    pub(super) resolver: Resolver<'a>,
    pub(super) evaluator: Evaluator<'a>,
    pub(super) model: Model,
    /// Start values of derivatives, whose unknowns may be declared later: unknown, order, value, statement.
    starts: Vec<(usize, u32, StartValue, Origin)>,
    /// The parts that unknowns play in derived equations, and where that is said.
    pub(super) parts: HashMap<UnknownId, (Origin, &'static str)>,
    pub(super) found: &'a mut Diagnostics,
}

impl<'a> Lowering<'a> {
    fn statement(&mut self, position: usize, statement: &'a Statement) {
        match &statement.kind {
            StatementKind::Constant(it) => {
                let value = self.value(it.value, position, Place::Constant);
                self.evaluator.statements.insert(position, value);
            }
            StatementKind::Parameter(it) => self.parameter(position, it, &statement.docs),
            StatementKind::Input(it) => self.input(position, it, &statement.docs),
            StatementKind::Supplied(name) => self.supplied(name, &statement.docs),
            StatementKind::Table(it) => self.table(position, it),
            StatementKind::External(it) => self.external(position, it),
            StatementKind::Definition(it) => self.definition(position, it, &statement.docs),
            StatementKind::Function(it) => {
                self.resolver.function(it, position, self.found);
                self.evaluator.declare(position, it);
            }
            StatementKind::Variable(it) => self.variable(position, it, &statement.docs),
            StatementKind::Start(it) => self.start(position, it, statement.origin),
            StatementKind::Equation(it) => self.equation(position, it, statement),
            StatementKind::Derived(it) => self.derived(position, it),
        }
    }

    /// The value of an expression, if it is there and nothing is wrong with it.
    pub(super) fn value(&mut self, it: Option<Expression>, position: usize, place: Place) -> Option<Value> {
        let it = it?;
        self.resolver.expression(it, position, place, self.found);
        self.evaluator.expression(it, &self.resolver.meanings, self.found)
    }

    /// Ids are positions, so something with an error is kept with a stand-in; the model is not used then.
    fn value_or_zero(&mut self, it: Option<Expression>, position: usize, place: Place) -> Expr {
        let value = self.value(it, position, place);
        value.map_or_else(|| self.evaluator.dag.integer(0), |value| value.expr)
    }

    fn parameter(&mut self, position: usize, it: &Declaration, docs: &[String]) {
        let default = self.value_or_zero(it.value, position, Place::Parameter);
        let (name, origin) = (it.name.text.clone(), it.name.origin);
        let domain = Domain::scalar();
        self.model.parameters.push(Parameter { name, docs: docs.to_vec(), default, domain, origin });
    }

    fn input(&mut self, position: usize, it: &Declaration, docs: &[String]) {
        let definition = self.value_or_zero(it.value, position, Place::Input);
        let (name, origin) = (it.name.text.clone(), it.name.origin);
        self.model.inputs.push(Input { name, docs: docs.to_vec(), definition, origin });
    }

    fn supplied(&mut self, name: &Name, docs: &[String]) {
        let time = self.evaluator.dag.symbol(Symbol::Time);
        let definition = self.evaluator.dag.call(Call::new(external::input(name)), &[time]);
        let (name, origin) = (name.text.clone(), name.origin);
        self.model.inputs.push(Input { name, docs: docs.to_vec(), definition, origin });
    }

    fn table(&mut self, position: usize, it: &ast::Table) {
        let Some(points) = &it.points else { return };
        let mut number = |expression| {
            let value = self.value(Some(expression), position, Place::Constant)?;
            Some(evaluate_one(&self.evaluator.dag, value.expr, |_| f64::NAN))
        };
        let points: Option<Vec<(f64, f64)>> = points.iter().map(|&(x, y)| Some((number(x)?, number(y)?))).collect();
        let table = points.and_then(|points| external::table(&it.name, points, self.found));
        self.evaluator.externals.extend(table.map(|table| (position, table)));
    }

    fn external(&mut self, position: usize, it: &ast::External) {
        self.resolver.externals.insert(position, it.arguments.len());
        let function = external::code(it, self.found);
        self.evaluator.externals.extend(function.map(|function| (position, function)));
    }

    fn definition(&mut self, position: usize, it: &Declaration, docs: &[String]) {
        let value = self
            .value(it.value, position, Place::Definition)
            .map(|value| Value { unknowns: self.evaluator.sets.flatten(value.unknowns), ..value });
        self.evaluator.statements.insert(position, value);
        if let Some(value) = value {
            let (name, origin) = (it.name.text.clone(), it.name.origin);
            self.model.definitions.push(Definition { name, docs: docs.to_vec(), value: value.expr, origin });
        }
    }

    fn variable(&mut self, position: usize, it: &Variable, docs: &[String]) {
        let start = it.start.and_then(|(given, value)| self.start_value(given, value, position));
        let nominal = it.nominal.map_or(1.0, |nominal| self.nominal(nominal, position));
        self.model.unknowns.push(Unknown {
            name: it.name.text.clone(),
            docs: docs.to_vec(),
            domain: Domain::scalar(),
            start,
            derivative_starts: Vec::new(),
            nominal,
            origin: it.name.origin,
        });
    }

    fn start_value(&mut self, given: Given, value: Option<Expression>, position: usize) -> Option<StartValue> {
        let origin = self.written.expressions.origin(value?.root);
        let value = self.value(value, position, Place::StartValue)?.expr;
        let kind = match given {
            Given::Fixed => Start::Fixed,
            Given::Guess => Start::Guess,
        };
        Some(StartValue { value, kind, origin })
    }

    fn nominal(&mut self, nominal: Expression, position: usize) -> f64 {
        let Some(value) = self.value(Some(nominal), position, Place::Nominal) else { return 1.0 };
        let magnitude = self.evaluator.dag.as_constant(value.expr).map(|value| value.to_f64());
        magnitude.filter(|value| value.is_finite() && *value > 0.0).unwrap_or_else(|| {
            let at = self.written.expressions.origin(nominal.root);
            let finding = Diagnostic::error(Code::InvalidNominal, "a nominal value is a positive number");
            self.found.push(finding.label(at, "not a positive number").help("write the typical magnitude: `1e-3`"));
            1.0
        })
    }

    fn start(&mut self, position: usize, it: &ast::Start, origin: Origin) {
        let order = self.start_order(it, position);
        let value = self.start_value(it.given, it.value, position);
        let name = it.variable.text.as_str();
        let at = it.variable.origin;
        let unknown = match self.names.get(name) {
            Some(entry) => match entry.entity {
                Entity::Unknown(unknown) => unknown,
                other => {
                    let message = format!("only unknowns have start values, and `{name}` is {}", other.noun());
                    let finding = Diagnostic::error(Code::InvalidDerivative, message).label(at, "not an unknown");
                    self.found.push(finding.label(entry.origin, format!("`{name}` is declared here")));
                    return;
                }
            },
            None if self.written.doubtful.iter().any(|doubtful| doubtful == name) => return,
            None => return self.found.push(self.resolver.unknown_name(name, at)),
        };
        if let (Some(order), Some(value)) = (order, value) {
            self.starts.push((unknown.index(), order, value, origin));
        }
    }

    fn start_order(&mut self, it: &ast::Start, position: usize) -> Option<u32> {
        let Some(order) = it.order else { return Some(1) };
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

    fn equation(&mut self, position: usize, it: &ast::Equation, statement: &Statement) {
        let left = self.value(it.left, position, Place::Equation);
        let right = self.value(it.right, position, Place::Equation);
        let zero = Value { expr: self.evaluator.dag.integer(0), unknowns: super::incidence::SetId::EMPTY };
        // An equation with an error keeps its place, so that the count of equations is right.
        let (left, right) = (left.unwrap_or(zero), right.unwrap_or(zero));
        let unknowns = self.evaluator.sets.union([left.unknowns, right.unknowns]);
        self.model.equations.push(model::Equation {
            docs: statement.docs.clone(),
            residual: residual(&mut self.evaluator.dag, left.expr, right.expr),
            incidence: self.evaluator.sets.highest_orders(unknowns),
            domain: Domain::scalar(),
            origin: statement.origin,
        });
    }

    fn finish(mut self) -> Model {
        for (unknown, order, value, origin) in std::mem::take(&mut self.starts) {
            let Some(unknown) = self.model.unknowns.get_mut(unknown) else { continue };
            match unknown.derivative_starts.binary_search_by_key(&order, |(given, _)| *given) {
                Err(place) => unknown.derivative_starts.insert(place, (order, value)),
                Ok(place) => {
                    let name = model::derivative_name(&unknown.name, order);
                    let message = format!("`{name}` has two start values");
                    let finding = Diagnostic::error(Code::DuplicateStart, message).label(origin, "second start value");
                    let first = unknown.derivative_starts[place].1.origin;
                    self.found.push(finding.label(first, "first start value").help("remove one of them"));
                }
            }
        }
        self.model.dag = self.evaluator.dag;
        self.model
    }
}
