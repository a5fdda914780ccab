//! Family model to scalar model.
//!
//! In: a verified [`FamilyModel`]. Out: the [`Model`] in which every element of an array is an unknown (`q[3]`) or parameter of its
//! own and every instance of a family an equation (`equation 4[i = 17]`), each with the link back to its family
//! ([`Member`](crate::model::Member)). Elements stand row by row, array by array; instances in ascending order, family by family.
//! Or the same of an [`Excerpt`], in which what is on both sides of a gap is joined.
//!
//! A template is translated to a list of operations once, what does not depend on a loop variable is built once, and the rest is
//! built anew for each instance: the cost is linear in the size of the result.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::verify::over;
use super::{Access, Affine, Body, Excerpt, FamilyModel, Loop, Reach, Steady, box_of, element_name, position};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Call, Dag, Expr, Function, Node, ParameterId, Rational, Symbol, UnknownId, reachable};
use crate::model::{
    Definition, Derivation, Domain, Entries, Equation, Gap, Input, Mechanics, Member, Model, OptimalControl, Parameter,
    StartValue, Unknown, derivative_name,
};
use crate::origin::Origin;

/// Instances of all expressions together have at most this many operations.
const MAX_OPERATIONS: usize = 20_000_000;

/// Makes every element and every instance a scalar of its own.
///
/// # Errors
/// If an element has two start values, an access does not fit its array, or the instances are too many.
pub fn instantiate(family: FamilyModel) -> Result<Model, Diagnostics> {
    let whole = Excerpt::whole(&family);
    instantiate_excerpt(family, &whole)
}

/// The same for the members that an excerpt has.
///
/// # Errors
/// See [`instantiate`].
pub fn instantiate_excerpt(family: FamilyModel, excerpt: &Excerpt) -> Result<Model, Diagnostics> {
    let scalar = family.is_scalar();
    let mut work = Instantiation::new(&family, scalar, excerpt);
    let equations = work.equations();
    let definitions = work.definitions();
    let parameters = work.parameters();
    let unknowns = work.unknowns();
    let inputs = work.inputs();
    let derivations = work.derivations();
    let Instantiation { dag, found, .. } = work;
    if !found.is_empty() {
        return Err(found);
    }
    // A scalar model keeps its graph.
    let dag = if scalar { family.dag } else { dag };
    let FamilyModel { name, origin, docs, visibility, .. } = family;
    Ok(Model { dag, name, origin, docs, visibility, parameters, unknowns, inputs, definitions, equations, derivations })
}

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
    /// Whether each depends on a loop variable.
    varies: Vec<bool>,
    values: Vec<Expr>,
}

struct Instantiation<'a> {
    family: &'a FamilyModel,
    excerpt: &'a Excerpt,
    /// Whether expressions stay what they are.
    scalar: bool,
    dag: Dag,
    /// Number of the first element of each array.
    first_unknown: Vec<usize>,
    first_parameter: Vec<usize>,
    operations: usize,
    found: Diagnostics,
}

impl<'a> Instantiation<'a> {
    fn new(family: &'a FamilyModel, scalar: bool, excerpt: &'a Excerpt) -> Self {
        let first = |sizes: Vec<usize>| {
            let starts = sizes.iter().scan(0, |before, size| {
                let first = *before;
                *before += size;
                Some(first)
            });
            starts.collect()
        };
        let size = |(extents, gaps): (&[usize], &Arc<[Gap]>)| folded_extents(extents, gaps).iter().product();
        let unknowns = family.unknowns.iter().map(|u| &u.extents[..]).zip(&excerpt.unknowns);
        let parameters = family.parameters.iter().map(|p| &p.extents[..]).zip(&excerpt.parameters);
        Instantiation {
            family,
            excerpt,
            scalar,
            dag: Dag::new(),
            first_unknown: first(unknowns.map(size).collect()),
            first_parameter: first(parameters.map(size).collect()),
            operations: 0,
            found: Diagnostics::new(),
        }
    }

    fn equations(&mut self) -> Vec<Equation> {
        let mut equations = Vec::new();
        for (number, family) in self.family.equations.iter().enumerate() {
            let gaps = &self.excerpt.equations[number];
            let points = kept(family.body.indices(&family.loops), gaps);
            let residuals = self.instances(&family.body, |body| body.residual, &points, gaps, family.origin);
            let extents: Vec<usize> = family.loops.iter().map(Loop::size).collect();
            for (point, residual) in points.into_iter().zip(residuals) {
                let Some(body) = family.body.at(&point) else { continue };
                let mut incidence: Vec<(UnknownId, u32)> = Vec::with_capacity(body.incidence.len());
                for &(access, order) in &body.incidence {
                    incidence.extend(self.unknown(access, &point, gaps).map(|unknown| (unknown, order)));
                }
                highest_orders(&mut incidence);
                let label = equation_label(number, &family.loops, &point);
                equations.push(Equation {
                    docs: family.docs.clone(),
                    residual,
                    incidence,
                    domain: self.domain(&extents, number, point, gaps, label),
                    origin: family.origin,
                });
            }
        }
        equations
    }

    /// The link to a family; in a model without families there is none to give.
    fn domain(&self, extents: &[usize], number: usize, indices: Vec<i64>, gaps: &Arc<[Gap]>, label: String) -> Domain {
        if self.scalar {
            return Domain::scalar();
        }
        let member = Member { family: number as u32, indices, label, gaps: gaps.clone() };
        Domain { extents: extents.to_vec(), member: Some(Arc::new(member)) }
    }

    fn definitions(&mut self) -> Vec<Definition> {
        let mut definitions = Vec::new();
        for (family, gaps) in self.family.definitions.iter().zip(&self.excerpt.definitions) {
            let points = kept(family.body.indices(&family.loops), gaps);
            let values = self.instances(&family.body, |&body| body, &points, gaps, family.origin);
            definitions.extend(points.iter().zip(values).map(|(point, value)| Definition {
                name: element_name(&family.name, point),
                docs: family.docs.clone(),
                value,
                origin: family.origin,
            }));
        }
        definitions
    }

    fn parameters(&mut self) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        for (array, family) in self.family.parameters.iter().enumerate() {
            let gaps = &self.excerpt.parameters[array];
            let points = kept(box_of(&over(&family.extents)), gaps);
            let defaults = self.instances(&family.default, |&body| body, &points, gaps, family.origin);
            for (point, default) in points.into_iter().zip(defaults) {
                let name = element_name(&family.name, &point);
                parameters.push(Parameter {
                    docs: family.docs.clone(),
                    default,
                    domain: self.domain(&family.extents, array, point, gaps, name.clone()),
                    name,
                    origin: family.origin,
                });
            }
        }
        parameters
    }

    fn unknowns(&mut self) -> Vec<Unknown> {
        let mut unknowns = Vec::new();
        for (array, family) in self.family.unknowns.iter().enumerate() {
            let gaps = &self.excerpt.unknowns[array];
            for point in kept(box_of(&over(&family.extents)), gaps) {
                let name = element_name(&family.name, &point);
                unknowns.push(Unknown {
                    docs: family.docs.clone(),
                    domain: self.domain(&family.extents, array, point, gaps, name.clone()),
                    name,
                    start: None,
                    derivative_starts: Vec::new(),
                    nominal: family.nominal,
                    origin: family.origin,
                });
            }
        }
        for reach in [Reach::Whole, Reach::Element] {
            self.starts(reach, &mut unknowns);
        }
        unknowns
    }

    /// Start values of one reach, in place of those that are there already.
    fn starts(&mut self, reach: Reach, unknowns: &mut [Unknown]) {
        let mut given: BTreeMap<(UnknownId, u32), Origin> = BTreeMap::new();
        let starts = self.family.starts.iter().zip(&self.excerpt.starts);
        for (start, gaps) in starts.filter(|(start, _)| start.reach == reach) {
            let points = kept(start.body.indices(&start.loops), gaps);
            let values = self.instances(&start.body, |body| body.value, &points, gaps, start.origin);
            for (point, value) in points.iter().zip(values) {
                let Some(body) = start.body.at(point) else { continue };
                let access = Access { array: start.unknown, indices: body.indices.clone() };
                let Some(id) = self.element(&access, point, gaps) else { continue };
                let unknown = &mut unknowns[id.index()];
                if let Some(first) = given.insert((id, start.order), start.origin) {
                    let name = derivative_name(&unknown.name, start.order);
                    self.found.push(duplicate_start(&name, start.statement, first));
                    break;
                }
                give_start(unknown, start.order, StartValue { value, kind: start.kind, origin: start.origin });
            }
        }
    }

    fn inputs(&mut self) -> Vec<Input> {
        let mut inputs = self.family.inputs.clone();
        for input in &mut inputs {
            let body = Body::Template(input.definition);
            let values = self.instances(&body, |&body| body, &[Vec::new()], &Arc::default(), input.origin);
            if let Some(value) = values.first() {
                input.definition = *value;
            }
        }
        inputs
    }

    /// What equations were derived from, over the unknowns of the scalar model.
    fn derivations(&mut self) -> Vec<Derivation> {
        if self.scalar {
            return self.family.derivations.clone();
        }
        let instances: Vec<usize> =
            self.family.equations.iter().map(|family| family.body.indices(&family.loops).len()).collect();
        let first = |family: usize| instances.iter().take(family).sum();
        let list = self.family.derivations.iter().map(|derivation| match derivation {
            Derivation::Mechanics(it) => {
                let leaf = |symbol| match symbol {
                    Symbol::Unknown { unknown, order } => {
                        let unknown = self.unknown(unknown, &[], &[]).unwrap_or(unknown);
                        Symbol::Unknown { unknown, order }
                    }
                    other => other,
                };
                let velocities = it.velocities.iter().map(|&symbol| leaf(symbol)).collect();
                let ids = |ids: &[UnknownId]| ids.iter().filter_map(|&id| self.unknown(id, &[], &[])).collect();
                let (coordinates, multipliers) = (ids(&it.coordinates), ids(&it.multipliers));
                let mut expr = |&value: &Expr| self.written_once(value);
                let lagrangian = expr(&it.lagrangian);
                let force = it.force.iter().map(&mut expr).collect();
                let constraints = it.constraints.iter().map(&mut expr).collect();
                let mut entries = |entries: &Entries| entries.iter().map(|(i, k, e)| (*i, *k, expr(e))).collect();
                Derivation::Mechanics(Mechanics {
                    equations: first(it.equations.start)..first(it.equations.end),
                    lagrangian,
                    coordinates,
                    velocities,
                    multipliers,
                    mass: entries(&it.mass),
                    jacobian: entries(&it.jacobian),
                    force,
                    constraints,
                })
            }
            Derivation::OptimalControl(it) => {
                let ids = |ids: &[UnknownId]| ids.iter().filter_map(|&id| self.unknown(id, &[], &[])).collect();
                let (states, adjoints, controls) = (ids(&it.states), ids(&it.adjoints), ids(&it.controls));
                let mut expr = |value: Expr| self.written_once(value);
                Derivation::OptimalControl(OptimalControl {
                    equations: first(it.equations.start)..first(it.equations.end),
                    states,
                    adjoints,
                    controls,
                    hamiltonian: expr(it.hamiltonian),
                    running_cost: it.running_cost.map(&mut expr),
                    terminal_cost: it.terminal_cost.map(&mut expr),
                    horizon: (expr(it.horizon.0), expr(it.horizon.1)),
                    end: it.end.iter().map(|end| end.map(&mut expr)).collect(),
                })
            }
        });
        list.collect()
    }

    /// An expression without loop variables.
    fn written_once(&mut self, value: Expr) -> Expr {
        let mut template = self.template(value);
        self.instance(&mut template, &[], &[], Origin::NONE)
    }

    /// The values of the templates of a body at all points.
    fn instances<T>(
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
            Symbol::Parameter(id) => self.family.steady.get(id.index()).is_some_and(|steady| match steady {
                Steady::Parameter(access) | Steady::Table(access) => indexed(access),
                Steady::Index(_) => true,
            }),
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
            Symbol::Parameter(id) => self.steady(id, point, gaps),
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

    fn steady(&mut self, id: ParameterId, point: &[i64], gaps: &[Gap]) -> Option<Expr> {
        match self.family.steady.get(id.index())? {
            Steady::Parameter(access) => {
                let extents = &self.family.parameters.get(access.array)?.extents;
                let element = folded_position(extents, &self.excerpt.parameters[access.array], access, point, gaps)?;
                let id = ParameterId((self.first_parameter[access.array] + element) as u32);
                Some(self.dag.symbol(Symbol::Parameter(id)))
            }
            Steady::Table(access) => {
                let table = self.family.tables.get(access.array)?;
                let value = *table.values.get(position(&table.extents, &at(access, point))?)?;
                self.number(value)
            }
            Steady::Index(level) => point.get(*level).map(|&value| self.dag.integer(value)),
        }
    }

    /// An entry of a table: an expression of numbers.
    fn number(&mut self, value: Expr) -> Option<Expr> {
        if let Some(value) = self.family.dag.as_constant(value) {
            let value = value.clone();
            return Some(self.dag.constant(value));
        }
        Some(self.written_once(value))
    }

    fn unknown(&self, access: UnknownId, point: &[i64], gaps: &[Gap]) -> Option<UnknownId> {
        self.element(self.family.accesses.get(access.index())?, point, gaps)
    }

    fn element(&self, access: &Access, point: &[i64], gaps: &[Gap]) -> Option<UnknownId> {
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

/// The points that are not left out.
fn kept(mut points: Vec<Vec<i64>>, gaps: &[Gap]) -> Vec<Vec<i64>> {
    points.retain(|point| point.iter().zip(gaps).all(|(index, gap)| !gap.left_out.contains(index)));
    points
}

fn folded_extents(extents: &[usize], gaps: &[Gap]) -> Vec<usize> {
    extents.iter().zip(gaps).map(|(extent, gap)| extent - gap.size()).collect()
}

/// The position of an element among those that are not left out. An index relative to a loop variable is so in the excerpt: what is next
/// to the members left out is the member on the other side.
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

/// Sorts, and keeps the highest order of each unknown.
fn highest_orders(incidence: &mut Vec<(UnknownId, u32)>) {
    incidence.sort_unstable_by_key(|&(unknown, order)| (unknown, std::cmp::Reverse(order)));
    incidence.dedup_by_key(|(unknown, _)| *unknown);
}

/// `equation 4`, `equation 4[i = 17]`.
fn equation_label(number: usize, loops: &[Loop], point: &[i64]) -> String {
    let name = format!("equation {}", number + 1);
    if loops.is_empty() {
        return name;
    }
    let indices: Vec<String> = loops.iter().zip(point).map(|(range, i)| format!("{} = {i}", range.name)).collect();
    format!("{name}[{}]", indices.join(", "))
}

/// Gives an unknown a start value in place of one that it has.
fn give_start(unknown: &mut Unknown, order: u32, value: StartValue) {
    if order == 0 {
        unknown.start = Some(value);
        return;
    }
    match unknown.derivative_starts.binary_search_by_key(&order, |(given, _)| *given) {
        Ok(place) => unknown.derivative_starts[place].1 = value,
        Err(place) => unknown.derivative_starts.insert(place, (order, value)),
    }
}

fn duplicate_start(name: &str, second: Origin, first: Origin) -> Diagnostic {
    let finding = Diagnostic::error(Code::DuplicateStart, format!("`{name}` has two start values"));
    finding.label(second, "second start value").label(first, "first start value").help("remove one of them")
}
