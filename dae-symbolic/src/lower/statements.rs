//! Statements to the parts of a family model.
//!
//! In: statements in the order of the text. Out: a family model, complete if there are no errors, and findings.

use super::evaluate::Evaluator;
use super::external;
use super::items::Value;
use super::lowering::Lowering;
use super::names::Names;
use super::resolve::Resolver;
use super::starts::Whole;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Call, Dag, Symbol, evaluate_one, symbols};
use crate::form::Form;
use crate::model::family::{
    Body, DefinitionFamily, EquationBody, EquationFamily, FamilyModel, ParameterArray, Reach, UnknownArray,
};
use crate::model::{DeclaredInvariant, Events, Input, numbered_equation, residual};
use crate::origin::Origin;
use crate::syntax::ast::{self, AskedForm, Declaration, Expression, Statement, StatementKind, Variable};
use crate::syntax::validate::Place;
use std::collections::{HashMap, HashSet};

/// Lowers all statements; the family model is of use only if no errors are found.
pub(super) fn lower(written: &ast::Model, found: &mut Diagnostics) -> FamilyModel {
    let names = Names::of(written, found);
    let mut lowering = start(written, &names, found);
    for (position, statement) in written.statements.iter().enumerate() {
        lowering.close_branches(position);
        lowering.close_loops(position);
        lowering.statement(position, statement);
    }
    lowering.finish()
}

/// The instances of mode variables, in the order of the text; `None` where something is wrong with the loops around them, which
/// is found as the statements are lowered.
pub(super) fn mode_instances(written: &ast::Model) -> Vec<Option<Vec<Vec<i64>>>> {
    let mut found = Diagnostics::new();
    let names = Names::of(written, &mut found);
    start(written, &names, &mut found).mode_instances()
}

/// The pass before the first statement, with the shapes of everything that is declared.
fn start<'f>(written: &'f ast::Model, names: &'f Names<'f>, found: &'f mut Diagnostics) -> Lowering<'f, 'f> {
    let mut lowering = Lowering {
        written,
        names,
        resolver: Resolver::new(written, names),
        evaluator: Evaluator::new(written),
        model: empty(written),
        open: Vec::new(),
        branches: Vec::new(),
        local_definitions: Vec::new(),
        definition_names: HashSet::new(),
        written_equations: 0,
        initial_end: 0,
        parts: HashMap::new(),
        found,
    };
    lowering.shapes();
    lowering
}

fn empty(written: &ast::Model) -> FamilyModel {
    FamilyModel {
        dag: Dag::new(),
        name: written.name.text.clone(),
        origin: written.name.origin,
        docs: written.docs.clone(),
        visibility: written.visibility.clone(),
        parameters: Vec::new(),
        unknowns: Vec::new(),
        inputs: Vec::new(),
        tables: Vec::new(),
        definitions: Vec::new(),
        starts: Vec::new(),
        equations: Vec::new(),
        initial_equations: Vec::new(),
        accesses: Vec::new(),
        time_invariant: Vec::new(),
        derivations: Vec::new(),
        invariants: Vec::new(),
        boundary: None,
        events: Events::default(),
        forms: Form::DEFAULT.to_vec(),
        form_origins: Vec::new(),
    }
}

impl<'a> Lowering<'a, '_> {
    fn statement(&mut self, position: usize, statement: &'a Statement) {
        match &statement.kind {
            StatementKind::Constant(it) => self.constant(position, it),
            StatementKind::Parameter(it) => self.parameter(position, it, &statement.docs),
            StatementKind::Input(it) => self.input(position, it, &statement.docs),
            StatementKind::Supplied(name) => self.supplied(name, &statement.docs),
            StatementKind::Table(it) => self.table(position, it),
            StatementKind::External(it) => self.external(position, it),
            StatementKind::Definition(it) => self.definition(position, it, &statement.docs),
            StatementKind::Function(it) => self.function(position, it),
            StatementKind::Variable(it) => self.variable(position, it, &statement.docs),
            StatementKind::Start(it) => self.start(position, it, statement.origin),
            StatementKind::Equation(it) => self.equation(position, it, statement),
            StatementKind::For(it) => self.open_loop(position, it),
            StatementKind::Branch(it) => self.open_branch(position, it),
            StatementKind::When(it) => self.when(position, it),
            StatementKind::Initial(it) => self.open_initial(position, it),
            StatementKind::Inactive { is_equation } => self.written_equations += usize::from(*is_equation),
            // What an alternative holds is a branch, or left out: a text is lowered in one mode.
            StatementKind::Modes(_) | StatementKind::Alternative(_) => {}
            StatementKind::Invariant(it) => self.invariant(position, it, &statement.docs),
            StatementKind::Derived(it) => self.derived(position, it),
            StatementKind::LieGroup(it) => self.lie_group(position, it),
            StatementKind::Forms(it) => self.forms(it, statement.origin),
        }
    }

    fn forms(&mut self, asked: &[AskedForm], origin: Origin) {
        if let Some(&first) = self.model.form_origins.first() {
            let finding = Diagnostic::error(Code::DuplicateName, "the forms are asked for twice")
                .label(origin, "asked for again")
                .label(first, "first asked for here")
                .help("write one `forms(…);` with all of them");
            self.found.push(finding);
            return;
        }
        (self.model.forms, self.model.form_origins) =
            asked.iter().map(|asked| (asked.form.clone(), asked.origin)).unzip();
    }

    pub(super) fn function(&mut self, position: usize, it: &'a ast::Function) {
        if self.evaluator.shapes.functions.contains_key(&position) {
            return;
        }
        let shapes = it.extents.iter().map(|extents| self.extents(extents, position)).collect();
        self.evaluator.shapes.functions.insert(position, shapes);
        self.resolver.function(it, position, self.found);
        let Some(value) = it.value else { return };
        let Some(first) = it.definitions.first().map_or(Some(value), |definition| definition.value) else { return };
        self.evaluator.declare(position, first.first, value.root);
    }

    fn parameter(&mut self, position: usize, it: &'a Declaration, docs: &[String]) {
        let extents = self.evaluator.shapes.parameters.get(self.model.parameters.len()).cloned().flatten();
        let default = extents.as_ref().and_then(|extents| {
            let (_, body) = self.by_index(position, it.value?, &it.indices, extents, Place::Parameter)?;
            Some(body)
        });
        let zero = self.zero();
        self.model.parameters.push(ParameterArray {
            name: it.name.text.clone(),
            docs: docs.to_vec(),
            extents: extents.unwrap_or_default(),
            default: default.unwrap_or(Body::Template(zero)),
            origin: it.name.origin,
        });
    }

    fn input(&mut self, position: usize, it: &'a Declaration, docs: &[String]) {
        if !it.extents.is_empty() || !it.indices.is_empty() {
            let finding = Diagnostic::error(Code::ArrayShape, "an input is a number, not an array");
            self.found.push(finding.label(it.name.origin, "declared as an array").help("declare one input for each"));
        }
        let value = self.value(it.value, position, Place::Input);
        let definition = value.map_or_else(|| self.zero(), |value| value.expr);
        let (name, origin) = (it.name.text.clone(), it.name.origin);
        if symbols(&self.evaluator.dag, [definition]).iter().any(|it| matches!(it, Symbol::Unknown { .. })) {
            let message = format!("`{name}` jumps at events, and an input is a function of time");
            let finding = Diagnostic::error(Code::InvalidEvent, message).label(origin, "an input");
            self.found.push(finding.help(format!("declare it as a sub-expression: `let {name} = …;`")));
        }
        self.model.inputs.push(Input { name, docs: docs.to_vec(), definition, origin });
    }

    fn supplied(&mut self, name: &ast::Name, docs: &[String]) {
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

    fn variable(&mut self, position: usize, it: &'a Variable, docs: &[String]) {
        let unknown = self.model.unknowns.len();
        let extents = self.evaluator.shapes.unknowns.get(unknown).cloned().flatten();
        if let (Some((given, Some(value))), Some(extents)) = (it.start, &extents) {
            let whole = Whole { unknown, order: 0, reach: Reach::Declaration, given, statement: it.name.origin };
            self.start_of_all(position, whole, value, &it.indices, extents);
        }
        let nominal = it.nominal.map_or(1.0, |nominal| self.nominal(nominal, position));
        self.model.unknowns.push(UnknownArray {
            name: it.name.text.clone(),
            docs: docs.to_vec(),
            extents: extents.unwrap_or_default(),
            nominal,
            is_discrete: it.is_discrete,
            origin: it.name.origin,
        });
        if it.is_discrete {
            self.constancy(unknown, it.name.origin);
        }
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

    fn definition(&mut self, position: usize, it: &'a Declaration, docs: &[String]) {
        let inside = !(self.open.is_empty() && self.branches.is_empty());
        let family = self.definition_value(position, it);
        if inside {
            self.resolver.declare_definition(&it.name, position, self.found);
            self.local_definitions.push((position, it));
        }
        // A name with different meanings in different loops would not help the reader: only the first is kept.
        let Some((loops, body)) = family else { return };
        if !self.definition_names.insert(&it.name.text) {
            return;
        }
        let (name, origin) = (it.name.text.clone(), it.name.origin);
        self.model.definitions.push(DefinitionFamily { name, docs: docs.to_vec(), loops, body, origin });
    }

    fn equation(&mut self, position: usize, it: &'a ast::Equation, statement: &Statement) {
        for side in [it.left, it.right].into_iter().flatten() {
            self.resolve(side, position, Place::Equation);
        }
        let zero = Value { expr: self.zero(), unknowns: super::incidence::SetId::EMPTY };
        let (loops, body) = self.family(|this| {
            let left = it.left.and_then(|side| this.evaluate_scalar(side));
            let right = it.right.and_then(|side| this.evaluate_scalar(side));
            // An equation with an error keeps its place, so that the count of equations is right.
            let (left, right) = (left.unwrap_or(zero), right.unwrap_or(zero));
            let unknowns = this.evaluator.sets.union([left.unknowns, right.unknowns]);
            Some(EquationBody {
                residual: residual(&mut this.evaluator.dag, left.expr, right.expr),
                incidence: this.evaluator.sets.highest_orders(unknowns),
            })
        });
        let body = body.unwrap_or(Body::Pieces(Vec::new()));
        let is_initial = position < self.initial_end;
        let list = if is_initial { &mut self.model.initial_equations } else { &mut self.model.equations };
        let name = match is_initial {
            true => format!("initial {}", numbered_equation(list.len())),
            false => numbered_equation(self.written_equations),
        };
        list.push(EquationFamily { name, docs: statement.docs.clone(), loops, body, origin: statement.origin });
        self.written_equations += usize::from(!is_initial);
    }

    fn invariant(&mut self, position: usize, it: &Declaration, docs: &[String]) {
        if !it.extents.is_empty() || !it.indices.is_empty() {
            let finding = Diagnostic::error(Code::ArrayShape, "an invariant is a number, not an array");
            self.found
                .push(finding.label(it.name.origin, "declared as an array").help("declare one invariant for each"));
            return;
        }
        let Some(value) = self.value(it.value, position, Place::Invariant) else { return };
        let (name, origin) = (it.name.text.clone(), it.name.origin);
        self.model.invariants.push(DeclaredInvariant { name, docs: docs.to_vec(), value: value.expr, origin });
    }

    /// Reports initial equations beside conditions at several times.
    fn finish_initial(&mut self) {
        let Some(first) = self.model.initial_equations.first() else { return };
        if self.written.has_conditions() {
            let message = "a boundary value problem has no initial equations";
            let finding = Diagnostic::error(Code::InvalidInitial, message).label(first.origin, "an initial equation");
            self.found
                .push(finding.help("write it in `boundary { … }`, with values at the start: `x(t0) + y(t0) = 3;`"));
        }
    }

    fn finish(mut self) -> FamilyModel {
        self.finish_boundary();
        self.finish_initial();
        self.finish_floors();
        self.finish_events();
        self.model.dag = self.evaluator.dag;
        self.model.tables = self.evaluator.tables;
        self.model.accesses = self.evaluator.leaves.accesses;
        self.model.time_invariant = self.evaluator.leaves.time_invariant;
        self.model
    }
}
