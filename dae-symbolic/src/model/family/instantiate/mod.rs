//! Family model to scalar model.
//!
//! In: a verified [`FamilyModel`]. Out: the [`Model`] in which every element of an array is an unknown (`q[3]`) or
//! parameter of its own and every instance of a family an equation (`equation 4[i = 17]`), each with the link back to
//! its family ([`Member`](crate::model::Member)). Elements stand row by row, array by array; instances in ascending
//! order, family by family. The model of an [`Excerpt`] lacks the members left out, and those on both sides of a gap
//! are neighbours.
//!
//! A template is translated to a list of operations once; subexpressions that do not depend on a loop variable are
//! built once, and the others for each instance: the cost is linear in the size of the result.

mod instantiation;
mod template;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::instantiation::Instantiation;
use super::verify::over;
use super::{Access, Body, EquationFamily, Excerpt, FamilyModel, Loop, Reach, box_of, element_name};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Expr, ParameterId, Symbol, UnknownId};
use crate::model::{
    BoundaryConditions, Canonical, DeclaredInvariant, Definition, Derivation, Domain, Entries, Equation, Events, Gap,
    Input, LieGroup, Mechanics, Member, Model, OptimalControl, Parameter, PathConstraint, PointTime, Start, StartValue,
    Trigger, Unknown, Work, derivative_name,
};
use crate::origin::Origin;

/// Turns every element and every instance into a scalar of its own.
///
/// # Errors
/// If an element has two start values, an access does not fit its array, or the instances are too many.
pub fn instantiate(family: FamilyModel) -> Result<Model, Diagnostics> {
    let whole = Excerpt::whole(&family);
    instantiate_excerpt(family, &whole)
}

/// Turns the elements and instances that an excerpt has into scalars.
///
/// # Errors
/// If an element has two start values, an access does not fit its array, or the instances are too many.
pub fn instantiate_excerpt(family: FamilyModel, excerpt: &Excerpt) -> Result<Model, Diagnostics> {
    let scalar = family.is_scalar();
    let mut work = Instantiation::new(&family, scalar, excerpt);
    let equations = work.equations();
    let initial_equations = work.initial_equations();
    let definitions = work.definitions();
    let parameters = work.parameters();
    let unknowns = work.unknowns();
    let inputs = work.inputs();
    let derivations = work.derivations();
    let invariants = work.invariants();
    let boundary = work.boundary();
    let events = work.events();
    let Instantiation { dag, found, .. } = work;
    if !found.is_empty() {
        return Err(found);
    }
    // A scalar model keeps its graph.
    let dag = if scalar { family.dag } else { dag };
    let FamilyModel { name, origin, docs, visibility, forms, form_origins, .. } = family;
    Ok(Model {
        dag,
        name,
        origin,
        docs,
        visibility,
        parameters,
        unknowns,
        inputs,
        definitions,
        equations,
        initial_equations,
        derivations,
        invariants,
        boundary,
        events,
        forms,
        form_origins,
        work: Work::default(),
    })
}

impl Instantiation<'_> {
    fn equations(&mut self) -> Vec<Equation> {
        let families = self.family.equations.iter().zip(&self.excerpt.equations).enumerate();
        families.flat_map(|(number, (family, gaps))| self.equations_of(family, number, gaps)).collect()
    }

    /// Of these, an excerpt leaves out none.
    fn initial_equations(&mut self) -> Vec<Equation> {
        let families = self.family.initial_equations.iter().enumerate();
        let list = families.flat_map(|(number, family)| {
            let gaps: Arc<[Gap]> = family.loops.iter().map(|_| Gap::default()).collect();
            self.equations_of(family, number, &gaps)
        });
        list.collect()
    }

    /// The instances of a family, which has this number in its list.
    fn equations_of(&mut self, family: &EquationFamily, number: usize, gaps: &Arc<[Gap]>) -> Vec<Equation> {
        let mut equations = Vec::new();
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
            let name = equation_name(&family.name, &family.loops, &point);
            equations.push(Equation {
                docs: family.docs.clone(),
                residual,
                incidence,
                domain: self.domain(&extents, number, point, gaps, name.clone()),
                origin: family.origin,
                name,
            });
        }
        equations
    }

    /// The link to a family; none in a model without arrays and loops.
    fn domain(&self, extents: &[usize], number: usize, indices: Vec<i64>, gaps: &Arc<[Gap]>, label: String) -> Domain {
        if self.scalar {
            return Domain::scalar();
        }
        let member = Member { family: number as u32, indices, label, gaps: gaps.clone() };
        Domain { extents: extents.to_vec(), member: Some(Arc::new(member)) }
    }

    fn definitions(&mut self) -> Vec<Definition> {
        let mut definitions = Vec::new();
        for (number, family) in self.family.definitions.iter().enumerate() {
            let gaps = &self.excerpt.definitions[number];
            let points = kept(family.body.indices(&family.loops), gaps);
            let values = self.instances(&family.body, |&body| body, &points, gaps, family.origin);
            let extents: Vec<usize> = family.loops.iter().map(Loop::size).collect();
            for (point, value) in points.into_iter().zip(values) {
                let name = element_name(&family.name, &point);
                definitions.push(Definition {
                    docs: family.docs.clone(),
                    value,
                    domain: self.domain(&extents, number, point, gaps, name.clone()),
                    origin: family.origin,
                    name,
                });
            }
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
                    is_discrete: family.is_discrete,
                    origin: family.origin,
                });
            }
        }
        for reach in [Reach::Declaration, Reach::Whole, Reach::Element] {
            self.starts(reach, &mut unknowns);
        }
        unknowns
    }

    /// Gives unknowns the start values that were written with one [`Reach`]; they replace earlier ones.
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
                let declared = unknown.start.as_ref().filter(|declared| {
                    let fixed = declared.kind == Start::Fixed && start.kind == Start::Fixed;
                    reach == Reach::Whole && start.order == 0 && fixed && declared.value != value
                });
                let first = declared.map(|declared| declared.origin);
                if let Some(first) = given.insert((id, start.order), start.origin).or(first) {
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

    fn invariants(&mut self) -> Vec<DeclaredInvariant> {
        let mut invariants = self.family.invariants.clone();
        if !self.scalar {
            invariants.iter_mut().for_each(|invariant| invariant.value = self.written_once(invariant.value));
        }
        invariants
    }

    /// The boundary conditions, over the unknowns and parameters of the scalar model.
    fn boundary(&mut self) -> Option<BoundaryConditions> {
        let mut boundary = self.family.boundary.clone()?;
        let elements = boundary.free_parameters.iter().flat_map(|&(array, origin)| {
            let count = self.family.parameters.get(array.index()).map_or(0, |it| it.extents.iter().product());
            let first = self.first_parameter.get(array.index()).copied().unwrap_or(0);
            (first..first + count).map(move |element| (ParameterId(element as u32), origin))
        });
        boundary.free_parameters = elements.collect();
        if self.scalar {
            return Some(boundary);
        }
        boundary.horizon = boundary.horizon.map(|(from, to)| (self.written_once(from), self.written_once(to)));
        for condition in &mut boundary.conditions {
            (condition.left, condition.right) = (self.written_once(condition.left), self.written_once(condition.right));
        }
        for value in &mut boundary.values {
            value.unknown = self.unknown(value.unknown, &[], &[]).unwrap_or(value.unknown);
        }
        for time in &mut boundary.times {
            if let PointTime::Interior(value) = time {
                *value = self.written_once(*value);
            }
        }
        Some(boundary)
    }

    /// The events, over the unknowns and parameters of the scalar model.
    fn events(&mut self) -> Events {
        let mut events = self.family.events.clone();
        if self.scalar {
            return events;
        }
        for event in &mut events.list {
            match &mut event.trigger {
                Trigger::Condition { holds, crossing } => {
                    (*holds, *crossing) = (self.written_once(*holds), self.written_once(*crossing));
                }
                Trigger::Limit { .. } => {}
                Trigger::Sample { first, period } => {
                    (*first, *period) = (first.map(|first| self.written_once(first)), self.written_once(*period));
                }
            }
            for change in &mut event.changes {
                change.unknown = self.unknown(change.unknown, &[], &[]).unwrap_or(change.unknown);
                change.value = self.written_once(change.value);
            }
        }
        let unknowns = events.before.iter_mut().map(|(unknown, _)| unknown).chain(&mut events.held);
        for unknown in unknowns {
            *unknown = self.unknown(*unknown, &[], &[]).unwrap_or(*unknown);
        }
        events
    }

    /// The descriptions that equations were derived from, over the unknowns of the scalar model.
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
            Derivation::Canonical(it) => {
                let ids = |ids: &[UnknownId]| ids.iter().filter_map(|&id| self.unknown(id, &[], &[])).collect();
                let (coordinates, momenta, multipliers) =
                    (ids(&it.coordinates), ids(&it.momenta), ids(&it.multipliers));
                let mut expr = |&value: &Expr| self.written_once(value);
                let forces = it.forces.iter().map(&mut expr).collect();
                let constraints = it.constraints.iter().map(&mut expr).collect();
                Derivation::Canonical(Canonical {
                    equations: first(it.equations.start)..first(it.equations.end),
                    hamiltonian: expr(&it.hamiltonian),
                    coordinates,
                    momenta,
                    multipliers,
                    forces,
                    constraints,
                    jacobian: it.jacobian.iter().map(|(i, k, entry)| (*i, *k, expr(entry))).collect(),
                })
            }
            Derivation::OptimalControl(it) => {
                let ids = |ids: &[UnknownId]| ids.iter().filter_map(|&id| self.unknown(id, &[], &[])).collect();
                let (states, adjoints, controls) = (ids(&it.states), ids(&it.adjoints), ids(&it.controls));
                let multipliers: Vec<UnknownId> = it.constraints.iter().map(|it| it.multiplier).collect();
                let multipliers = ids(&multipliers);
                let mut expr = |value: Expr| self.written_once(value);
                Derivation::OptimalControl(OptimalControl {
                    equations: first(it.equations.start)..first(it.equations.end),
                    states,
                    adjoints,
                    controls,
                    constraints: it
                        .constraints
                        .iter()
                        .zip(multipliers)
                        .map(|(it, multiplier)| PathConstraint { multiplier, value: expr(it.value), ..it.clone() })
                        .collect(),
                    hamiltonian: expr(it.hamiltonian),
                    running_cost: it.running_cost.map(&mut expr),
                    terminal_cost: it.terminal_cost.map(&mut expr),
                    horizon: (expr(it.horizon.0), expr(it.horizon.1)),
                    end: it.end.iter().map(|end| end.map(&mut expr)).collect(),
                })
            }
            Derivation::LieGroup(it) => Derivation::LieGroup(LieGroup {
                equations: first(it.equations.start)..first(it.equations.end),
                matrix: it.matrix.iter().filter_map(|&id| self.unknown(id, &[], &[])).collect(),
                generator: it.generator.iter().map(|&entry| self.written_once(entry)).collect(),
                ..it.clone()
            }),
        });
        list.collect()
    }
}

/// The points that are not in a gap.
fn kept(mut points: Vec<Vec<i64>>, gaps: &[Gap]) -> Vec<Vec<i64>> {
    points.retain(|point| point.iter().zip(gaps).all(|(index, gap)| !gap.left_out.contains(index)));
    points
}

/// Sorts, and keeps the highest order of each unknown.
fn highest_orders(incidence: &mut Vec<(UnknownId, u32)>) {
    incidence.sort_unstable_by_key(|&(unknown, order)| (unknown, std::cmp::Reverse(order)));
    incidence.dedup_by_key(|(unknown, _)| *unknown);
}

/// `equation 4`, `equation 4[i = 17]`.
fn equation_name(name: &str, loops: &[Loop], point: &[i64]) -> String {
    if loops.is_empty() {
        return name.to_string();
    }
    let indices: Vec<String> = loops.iter().zip(point).map(|(range, i)| format!("{} = {i}", range.name)).collect();
    format!("{name}[{}]", indices.join(", "))
}

/// Gives an unknown a start value, replacing any that it has.
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
