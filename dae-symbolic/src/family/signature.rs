//! The signature matrix of all instances.
//!
//! In: a family model. Out: for each instance the unknowns in it with the highest order of their derivatives (Pryce
//! 2001), by evaluating the affine indices of the accesses in its template. No scalar expression is built.
//!
//! This is the pattern of the simplified templates. A factor made of loop variables and constants that vanishes in an
//! instance, as in `i * q[i]` for `i = 0`, is taken into account: the products with it vanish there; where several
//! terms of an instance cancel only after its numbers are put in, the pattern has a superfluous entry, as any pattern
//! may.

use std::collections::BTreeMap;

use crate::expr::{Dag, Expr, Node, Symbol, UnknownId, reachable, substitute};
use crate::model::family::{Access, FamilyModel, TimeInvariant, position};
use crate::structure::{InvalidStructure, SignatureMatrix};

/// Instances by their accesses.
#[derive(Debug)]
pub struct FamilyRows {
    /// The signature matrix; rows family by family, unknowns array by array.
    pub sigma: SignatureMatrix,
    /// The number of the first instance of each family.
    pub first_equation: Vec<usize>,
    /// The number of the first element of each array.
    pub first_unknown: Vec<usize>,
    /// For each family its instances.
    pub instances: Vec<Vec<Instance>>,
}

/// One instance of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Values of the loop variables.
    pub point: Vec<i64>,
    /// Accesses of its template that do not vanish in it, with the highest order of their derivatives and the element
    /// that they refer to; ascending.
    pub accesses: Vec<(UnknownId, u32, usize)>,
}

/// The rows of all instances.
///
/// # Errors
/// If the orders are too high for the structural analysis.
pub fn rows(model: &FamilyModel) -> Result<FamilyRows, InvalidStructure> {
    let first_unknown = starts(model.unknowns.iter().map(|unknown| unknown.extents.iter().product()));
    let instances: Vec<Vec<Instance>> = model
        .equations
        .iter()
        .map(|family| {
            let points = family.body.indices(&family.loops);
            let mut templates: Vec<Template> =
                family.body.all().into_iter().map(|body| Template::new(model, body.residual)).collect();
            let instance = |point: Vec<i64>| {
                let template = family.body.number(&point).and_then(|number| templates.get_mut(number));
                let accesses = template.map(|template| template.accesses(model, &point));
                let element = |(access, order): (UnknownId, u32)| {
                    let access_of = &model.accesses[access.index()];
                    element(model, &first_unknown, access_of, &point).map(|element| (access, order, element))
                };
                let accesses = accesses.unwrap_or_default().into_iter().filter_map(element).collect();
                Instance { point, accesses }
            };
            points.into_iter().map(instance).collect()
        })
        .collect();
    let first_equation = starts(instances.iter().map(Vec::len));
    let unknowns = model.unknowns.iter().map(|unknown| unknown.extents.iter().product::<usize>()).sum();
    let row = |instance: &Instance| -> Vec<(usize, u32)> {
        instance.accesses.iter().map(|&(_, order, element)| (element, order)).collect()
    };
    let sigma = SignatureMatrix::from_rows(unknowns, instances.iter().flatten().map(row))?;
    Ok(FamilyRows { sigma, first_equation, first_unknown, instances })
}

fn starts(sizes: impl Iterator<Item = usize>) -> Vec<usize> {
    let running = sizes.scan(0, |before, size| {
        let first = *before;
        *before += size;
        Some(first)
    });
    running.collect()
}

/// The number of the element that an access refers to at a point.
fn element(model: &FamilyModel, first_unknown: &[usize], access: &Access, point: &[i64]) -> Option<usize> {
    let extents = &model.unknowns.get(access.array)?.extents;
    let at: Vec<i64> = access.indices.iter().map(|index| index.at(point)).collect();
    Some(first_unknown[access.array] + position(extents, &at)?)
}

/// A template, prepared for finding the accesses of its instances.
struct Template {
    /// All accesses with their highest orders, ascending.
    all: Vec<(UnknownId, u32)>,
    residual: Expr,
    /// Factors made of loop variables and constants.
    factors: Vec<Expr>,
    /// Accesses, by the set of factors that vanish.
    known: BTreeMap<Vec<bool>, Vec<(UnknownId, u32)>>,
    scratch: Dag,
}

impl Template {
    fn new(model: &FamilyModel, residual: Expr) -> Self {
        let nodes = reachable(&model.dag, [residual]);
        let numeric = nodes.iter().map(|&expr| (expr, of_loops(model, expr))).collect::<BTreeMap<_, _>>();
        let is_numeric = |expr: Expr| numeric.get(&expr).copied().unwrap_or(false);
        let mut factors: Vec<Expr> = Vec::new();
        for &expr in &nodes {
            if let Node::Product(parts) = model.dag.node(expr)
                && !is_numeric(expr)
            {
                factors.extend(parts.iter().map(|(base, _)| *base).filter(|base| is_numeric(*base)));
            }
        }
        factors.sort_unstable();
        factors.dedup();
        let scratch = if factors.is_empty() { Dag::new() } else { model.dag.clone() };
        let all = accesses_of(&model.dag, residual);
        Template { all, residual, factors, known: BTreeMap::new(), scratch }
    }

    /// Accesses of the instance at a point.
    fn accesses(&mut self, model: &FamilyModel, point: &[i64]) -> Vec<(UnknownId, u32)> {
        if self.factors.is_empty() {
            return self.all.clone();
        }
        let values = substitute(&mut self.scratch, &self.factors, |dag, symbol| number(model, dag, symbol, point));
        let vanish: Vec<bool> = values.iter().map(|value| self.scratch.is_zero(*value)).collect();
        if !vanish.contains(&true) {
            return self.all.clone();
        }
        if let Some(known) = self.known.get(&vanish) {
            return known.clone();
        }
        // Products with a factor that vanishes are removed; all other factors stay.
        let gone: Vec<Expr> = self.factors.iter().zip(&vanish).filter(|(_, gone)| **gone).map(|(f, _)| *f).collect();
        let rest = without(&mut self.scratch, self.residual, &gone);
        let accesses = accesses_of(&self.scratch, rest);
        self.known.insert(vanish, accesses.clone());
        accesses
    }
}

/// Whether an expression is made of loop variables, entries of tables and numbers, and not of numbers alone.
fn of_loops(model: &FamilyModel, expr: Expr) -> bool {
    let symbols = crate::expr::symbols(&model.dag, [expr]);
    let numeric = |symbol: Symbol| match symbol {
        Symbol::Parameter(id) => {
            matches!(model.time_invariant.get(id.index()), Some(TimeInvariant::Index(_) | TimeInvariant::Table(_)))
        }
        Symbol::Time
        | Symbol::Input { .. }
        | Symbol::Unknown { .. }
        | Symbol::State(_)
        | Symbol::StateDerivative(_) => false,
    };
    !symbols.is_empty() && symbols.into_iter().all(numeric)
}

/// The value of a leaf at a point; `None` unless it is a loop variable or an entry of a table.
fn number(model: &FamilyModel, dag: &mut Dag, symbol: Symbol, point: &[i64]) -> Option<Expr> {
    let Symbol::Parameter(id) = symbol else { return None };
    match model.time_invariant.get(id.index())? {
        TimeInvariant::Index(level) => point.get(*level).map(|&i| dag.integer(i)),
        TimeInvariant::Table(access) => {
            let table = model.tables.get(access.array)?;
            let at: Vec<i64> = access.indices.iter().map(|index| index.at(point)).collect();
            // The DAG extends that of the model, whose expressions have the same numbers in it.
            table.values.get(position(&table.extents, &at)?).copied()
        }
        TimeInvariant::Parameter(_) => None,
    }
}

/// The expression without the products that have one of the given factors.
fn without(dag: &mut Dag, root: Expr, gone: &[Expr]) -> Expr {
    let mut image: BTreeMap<Expr, Expr> = BTreeMap::new();
    for expr in reachable(dag, [root]) {
        let of = |e: &Expr| image[e];
        let new = match dag.node(expr).clone() {
            Node::Constant(_) | Node::Pi | Node::Euler | Node::Symbol(_) => expr,
            Node::Product(factors) if factors.iter().any(|(base, n)| *n > 0 && gone.contains(base)) => dag.integer(0),
            Node::Product(factors) => dag.product(factors.iter().map(|(base, n)| (of(base), *n)).collect::<Vec<_>>()),
            Node::Sum { constant, terms } => {
                let constant = dag.constant(constant);
                let terms = terms.iter().map(|(q, term)| (q.clone(), of(term)));
                dag.sum(terms.chain([(crate::expr::Rational::ONE, constant)]).collect::<Vec<_>>())
            }
            Node::Call(call, arguments) => {
                let arguments: Vec<Expr> = arguments.iter().map(of).collect();
                dag.call(call, &arguments)
            }
            Node::Apply(function, arguments) => {
                let arguments: Vec<Expr> = arguments.iter().map(of).collect();
                dag.apply(function, &arguments)
            }
        };
        image.insert(expr, new);
    }
    image[&root]
}

/// Accesses with their highest orders, ascending.
fn accesses_of(dag: &Dag, expr: Expr) -> Vec<(UnknownId, u32)> {
    crate::model::incidence(dag, [expr])
}
