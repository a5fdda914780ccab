//! The essential underlying ordinary differential equation, U. M. Ascher, L. R. Petzold, SIAM J. Sci. Comput. 14
//! (1993), eqs. (2.8) to (2.13).
//!
//! In: the rows of index 1, and all constraints below them. Out: a form whose only differential unknowns are
//!
//! $$ u = R(t)\,y, \qquad R\,D = 0, $$
//!
//! $y$ being the $x_j^{(k)}$ with $k$ below the highest order of $x_j$ in rows and constraints, and the columns of $D$
//! the directions in which the multipliers of the text act on them (`B` of `directions.rs`). There are as many $u$ as
//! degrees of freedom. With all derivatives that occur as unknowns, the rows are
//!
//! | rows | give |
//! |---|---|
//! | $F = 0$ | the highest derivatives and the multipliers |
//! | $\Phi = 0$, $u - R y = 0$ | $y$: together the inverse (2.9) of the transformation, $y = S u - F r$ |
//! | $u' - R' y - R\,\dot y = 0$ | the differential equation (2.12), $\dot y$ being unknowns like the others |
//!
//! so that the index is 1 and a method discretises $u$. $R$ has unit columns for the entries of $y$ that are not pivots
//! of $D$ at the start; a row in which a single multiplier is eliminated is multiplied by the pivot. Any other choice
//! is a regular multiple of this $R$ (2.17). It depends on time and parameters only: where directions depend on
//! unknowns, $R y$ is not such a transformation, and the form does not exist.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use dae_runtime::contract::Kind;

use super::classify::classify;
use super::directions::{Column, DirectionContext, complete_pivots};
use super::layout::Layout;
use super::recipe::Metric;
use super::selection::{Material, Row};
use super::{Form, FormEquation, FormError, FormInvariant, FormUnknown, Formulation, Source, reduced, unused_name};
use crate::expr::{Expr, Rational, Symbol, differentiate, symbols};
use crate::model::{Domain, Model, derivative_name};

/// Builds the form.
pub(super) fn formulate(model: &mut Model, material: &Material<'_>, form: &Form) -> Result<Formulation, FormError> {
    if model.has_families() {
        let message = "every member of a family would be transformed by itself".into();
        return Err(FormError { form: form.clone(), message, origin: model.origin });
    }
    let selection = reduced::index1(model, material, form)?.enforce(|_| true);
    let layout = Layout::of_jets(model, material, &selection);
    layout.declare(&mut model.dag);
    let setting = DirectionContext { form, metric: Metric::Multipliers, material, layout: &layout };
    let moving = moving(&layout);
    let transformation = transformation(model, &setting, &selection.enforced, &moving)?;
    let mut formulation = Formulation {
        form: form.clone(),
        unknowns: layout.unknowns(model),
        equations: layout.rows(&mut model.dag, &selection.rows, form)?,
        invariants: Vec::new(),
        first_integrals: Vec::new(),
        eliminated: layout.eliminated(model, material.eliminated),
        completion: None,
        hamiltonian: Err(super::NOT_SOLVED.into()),
    };
    let constraints = layout.rows(&mut model.dag, &selection.enforced, form)?;
    for constraint in constraints {
        let FormEquation { name, residual: value, prolonged, domain, .. } = constraint.clone();
        let row = Some(formulation.equations.len());
        formulation.invariants.push(FormInvariant { name, value, row, prolonged, domain });
        formulation.equations.push(constraint);
    }
    let mut taken: HashSet<String> = formulation.unknowns.iter().map(|unknown| unknown.name.clone()).collect();
    for (k, row) in transformation.iter().enumerate() {
        define(model, &mut formulation, row, unused_name(&mut taken, format!("u_{}", k + 1)));
    }
    classify(&model.dag, &mut formulation);
    Ok(formulation)
}

/// The states whose derivatives are states too, with these derivatives.
fn moving(layout: &Layout) -> BTreeMap<u32, u32> {
    let jets = layout.jets().into_iter();
    jets.filter_map(|(j, order)| Some((layout.state(j, order)?, layout.state(j, order + 1)?))).collect()
}

/// A row of $R$: for each entry the state, its derivative, and the coefficient.
type Combination = Vec<(u32, u32, Expr)>;

/// $R$, by elimination in $D$ with the pivots that are largest at the start.
fn transformation(
    model: &mut Model,
    setting: &DirectionContext<'_>,
    enforced: &[Row],
    moving: &BTreeMap<u32, u32>,
) -> Result<Vec<Combination>, FormError> {
    let columns: Vec<Column> = setting
        .columns(model, enforced)?
        .into_iter()
        .map(|column| column.into_iter().filter(|(state, _)| moving.contains_key(state)).collect())
        .collect();
    for (row, column) in enforced.iter().zip(&columns) {
        let depends = symbols(&model.dag, column.iter().map(|(_, value)| *value)).into_iter();
        let varying = depends.into_iter().find(|symbol| !matches!(symbol, Symbol::Time | Symbol::Parameter(_)));
        if let Some(symbol) = varying {
            let name = match symbol {
                Symbol::State(state) => setting.layout.name(model, state),
                other => model.symbol_name(other),
            };
            let message = format!("the directions in which multipliers act on {} depend on `{name}`", row.name);
            return Err(setting.refuse(row, message));
        }
    }
    let states: Vec<u32> = moving.keys().copied().collect();
    let place = |state: u32| states.binary_search(&state).unwrap_or(states.len());
    let mut at_start = vec![vec![0.0; states.len()]; columns.len()];
    for (values, column) in at_start.iter_mut().zip(&columns) {
        for &(state, value) in column {
            values[place(state)] = setting.at_start(model, value);
        }
    }
    let dependent: BTreeSet<usize> = complete_pivots(at_start).into_iter().map(|(_, place)| place).collect();
    if let Some(row) = enforced.first().filter(|_| dependent.len() < columns.len()) {
        return Err(setting.refuse(row, "the directions of the multipliers depend on one another at the start".into()));
    }
    let dependent: Vec<usize> = dependent.into_iter().collect();
    let free: Vec<usize> = (0..states.len()).filter(|place| dependent.binary_search(place).is_err()).collect();
    let order: Vec<usize> = dependent.iter().chain(&free).copied().collect();
    let matrix = columns.iter().map(|column| {
        let value = |it: usize| column.iter().find(|(state, _)| place(*state) == it).map(|&(_, value)| value);
        order.iter().enumerate().filter_map(|(k, &it)| Some((k, value(it)?))).collect::<BTreeMap<usize, Expr>>()
    });
    let solution = match enforced.first() {
        None => Vec::new(),
        Some(row) => setting.solve(model, matrix.collect(), dependent.len(), states.len()).ok_or_else(|| {
            setting.refuse(row, "the directions of the multipliers have no pivots at the start".into())
        })?,
    };
    let one = model.dag.integer(1);
    let entry = |constraint: &Column, it: usize| {
        constraint.iter().find(|(state, _)| *state == states[it]).map(|&(_, value)| value)
    };
    let mut rows = Vec::with_capacity(free.len());
    for (k, &own) in free.iter().enumerate() {
        let terms = dependent.iter().zip(&solution).map(|(&it, values)| (it, values[k]));
        let terms: Vec<(usize, Expr)> = terms.filter(|(_, value)| !model.dag.is_zero(*value)).collect();
        let multiplied = match terms[..] {
            [(pivot, _)] => {
                let mut acting = columns.iter().filter(|column| entry(column, pivot).is_some());
                let only = acting.next().filter(|_| acting.next().is_none());
                only.and_then(|column| Some((pivot, entry(column, own)?, entry(column, pivot)?)))
            }
            _ => None,
        };
        let row: Vec<(usize, Expr)> = match multiplied {
            // This row stays regular where the pivot passes through zero.
            Some((pivot, at_own, at_pivot)) => vec![(own, at_pivot), (pivot, model.dag.neg(at_own))],
            None => [(own, one)].into_iter().chain(terms.into_iter().map(|(it, x)| (it, model.dag.neg(x)))).collect(),
        };
        rows.push(row.into_iter().map(|(it, value)| (states[it], moving[&states[it]], value)).collect());
    }
    Ok(rows)
}

/// Adds $u$ with the two rows that define it and its derivative.
fn define(model: &mut Model, formulation: &mut Formulation, row: &Combination, name: String) {
    let dag = &mut model.dag;
    let own = formulation.unknowns.len() as u32;
    let (mut value, mut derivative_row) = (Vec::new(), Vec::new());
    for &(state, derivative, coefficient) in row {
        let [state, derivative] = [state, derivative].map(|it| dag.symbol(Symbol::State(it)));
        let in_time = differentiate(dag, coefficient, Symbol::Time);
        value.push((Rational::MINUS_ONE, dag.mul(coefficient, state)));
        derivative_row.push((Rational::MINUS_ONE, dag.mul(in_time, state)));
        derivative_row.push((Rational::MINUS_ONE, dag.mul(coefficient, derivative)));
    }
    value.push((Rational::ONE, dag.symbol(Symbol::State(own))));
    derivative_row.push((Rational::ONE, dag.symbol(Symbol::StateDerivative(own))));
    let rows = [("definition of", value), ("differential equation of", derivative_row)];
    let first = formulation.equations.len();
    for (what, terms) in rows {
        formulation.equations.push(FormEquation {
            name: format!("{what} {name}"),
            residual: dag.sum(terms),
            prolonged: None,
            origin: model.origin,
            domain: Domain::scalar(),
        });
    }
    formulation.unknowns.push(FormUnknown {
        rate: derivative_name(&name, 1),
        name,
        source: Source::Defined { value: first, derivative: first + 1 },
        kind: Kind::Differential,
        index: 1,
        nominal: 1.0,
        is_discrete: false,
        domain: Domain::scalar(),
    });
}
