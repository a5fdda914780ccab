//! Constraints enforced by multipliers.
//!
//! In: a formulation, constraints $\Phi(t, y) = 0$ and directions $D$. Out: the formulation with $\Phi = 0$ as rows and
//!
//! $$ F(t, y, y' + D \mu) = 0, $$
//!
//! Gear, Gupta and Leimkuhler, J. Comput. Appl. Math. 12/13, 1985; Hairer & Wanner II, Sect. VII.1, eq. (1.48); in
//! general Ascher & Petzold (1993), eqs. (2.18) and (3.27). On solutions $\mu = 0$, because $\Phi_y D$ is nonsingular;
//! and $\mu$ has index 2. Constraints that depend on the others at every point are implied by them, and are not
//! enforced.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use dae_runtime::contract::Kind;

use super::directions::{Column, DirectionContext};
use super::selection::Row;
use super::{FormEquation, FormError, FormUnknown, Formulation, Source, unused_name};
use crate::expr::{Expr, Rational, Symbol, gradient, substitute_each, symbols};
use crate::index::generic_rank;
use crate::model::{Model, Numbering, Torn, derivative_name};
use crate::origin::Origin;

/// Moves constraints that the others imply from `enforced` to `implied`.
pub(super) fn keep_independent(
    model: &mut Model,
    setting: &DirectionContext<'_>,
    enforced: &mut Vec<Row>,
    implied: &mut Vec<Row>,
) -> Result<(), FormError> {
    let mut gradients: Vec<Column> = Vec::with_capacity(enforced.len());
    for row in enforced.iter() {
        let residual = setting
            .layout
            .express(&mut model.dag, row.value)
            .ok_or_else(|| setting.layout.not_expressed(row, setting.form))?;
        let partials = gradient(&mut model.dag, residual, |s| matches!(s, Symbol::State(_)));
        gradients.push(partials.into_iter().filter_map(|(symbol, value)| Some((state_of(symbol)?, value))).collect());
    }
    let mut kept: Vec<usize> = (0..enforced.len()).collect();
    if rank(model, &gradients, &kept) == Some(kept.len()) {
        return Ok(());
    }
    kept.clear();
    let mut dependent = BTreeSet::new();
    for k in 0..enforced.len() {
        kept.push(k);
        if rank(model, &gradients, &kept) != Some(kept.len()) {
            kept.pop();
            dependent.insert(k);
        }
    }
    if let Some(&k) = dependent.first().filter(|_| model.has_families()) {
        let message = format!("{} is not known to be independent of the constraints before it", enforced[k].name);
        return Err(setting.refuse(&enforced[k], message));
    }
    let rows = std::mem::take(enforced).into_iter().enumerate();
    for (k, row) in rows {
        if dependent.contains(&k) { implied.push(row) } else { enforced.push(row) }
    }
    Ok(())
}

/// The generic rank of the chosen rows; `None` if it is not known.
fn rank(model: &mut Model, rows: &[Column], chosen: &[usize]) -> Option<usize> {
    let entries =
        chosen.iter().enumerate().flat_map(|(row, &k)| rows[k].iter().map(move |&(j, value)| (row, j, value)));
    let entries: Vec<(usize, usize, Expr)> = entries.map(|(row, j, value)| (row, j as usize, value)).collect();
    generic_rank(model, chosen.len(), &entries)
}

fn state_of(symbol: Symbol) -> Option<u32> {
    match symbol {
        Symbol::State(state) => Some(state),
        _ => None,
    }
}

/// Appends the constraints, each with a multiplier. Without constraints nothing changes.
pub(super) fn append(
    model: &mut Model,
    setting: &DirectionContext<'_>,
    formulation: &mut Formulation,
    enforced: &[Row],
) -> Result<(), FormError> {
    if enforced.is_empty() {
        return Ok(());
    }
    let columns = setting.columns(model, enforced)?;
    let constraints = setting.layout.rows(&mut model.dag, enforced, setting.form)?;
    check_rates(model, setting, formulation, &constraints, &columns)?;
    check_regular(model, setting, &constraints, &columns)?;
    let numbers = Numbering::of(constraints.iter().map(|constraint| &constraint.domain));
    let numbers = numbers.map_err(|Torn| FormError {
        form: setting.form.clone(),
        message: "the members of a family that were left out are unlike the others".into(),
        origin: Origin::NONE,
    })?;
    let names = formulation.unknowns.iter().map(|u| &u.name).chain(formulation.eliminated.iter().map(|it| &it.name));
    let mut taken: HashSet<String> = names.cloned().collect();
    let mut corrections: BTreeMap<u32, Vec<(Rational, Expr)>> = BTreeMap::new();
    let first_row = formulation.equations.len();
    for (k, (constraint, column)) in constraints.iter().zip(&columns).enumerate() {
        let multiplier = formulation.unknowns.len() as u32;
        let name = unused_name(&mut taken, format!("mu_{}", numbers.place_of(k) + 1));
        formulation.unknowns.push(FormUnknown {
            rate: derivative_name(&name, 1),
            name,
            source: Source::Multiplier { row: first_row + k },
            kind: Kind::Algebraic,
            index: 2,
            nominal: 1.0,
            is_discrete: false,
            domain: constraint.domain.clone(),
        });
        let multiplier = model.dag.symbol(Symbol::State(multiplier));
        for &(state, value) in column {
            let term = model.dag.mul(value, multiplier);
            corrections.entry(state).or_default().push((Rational::ONE, term));
        }
    }
    let residuals: Vec<Expr> = formulation.equations.iter().map(|equation| equation.residual).collect();
    let corrected = substitute_each(&mut model.dag, &residuals, |dag, symbol| match symbol {
        Symbol::StateDerivative(state) => {
            let correction = corrections.get(&state)?;
            let rate = dag.symbol(symbol);
            Some(dag.sum(correction.iter().cloned().chain([(Rational::ONE, rate)])))
        }
        _ => None,
    });
    for (equation, residual) in formulation.equations.iter_mut().zip(corrected) {
        equation.residual = residual;
    }
    formulation.equations.extend(constraints);
    Ok(())
}

/// Checks that corrected derivatives occur: correcting one that does not has no effect.
fn check_rates(
    model: &Model,
    setting: &DirectionContext<'_>,
    formulation: &Formulation,
    constraints: &[FormEquation],
    columns: &[Column],
) -> Result<(), FormError> {
    let rate = |symbol| match symbol {
        Symbol::StateDerivative(state) => Some(state),
        _ => None,
    };
    let residuals = formulation.equations.iter().map(|e| e.residual);
    let occurring: HashSet<u32> = symbols(&model.dag, residuals).into_iter().filter_map(rate).collect();
    for (constraint, column) in constraints.iter().zip(columns) {
        if let Some(&(state, _)) = column.iter().find(|(state, _)| !occurring.contains(state)) {
            let name = &formulation.unknowns[state as usize].name;
            let message = format!("{} restricts `{name}`, whose derivative does not occur", constraint.name);
            return Err(FormError { form: setting.form.clone(), message, origin: constraint.origin });
        }
    }
    Ok(())
}

/// Checks that $\Phi_y D$ determines the multipliers. For $D = \Phi_y^\top$ it does so where the constraints are
/// independent.
fn check_regular(
    model: &mut Model,
    setting: &DirectionContext<'_>,
    constraints: &[FormEquation],
    columns: &[Column],
) -> Result<(), FormError> {
    if columns.is_empty() || setting.is_regular() {
        return Ok(());
    }
    let mut entries = Vec::new();
    for (i, constraint) in constraints.iter().enumerate() {
        let partials = gradient(&mut model.dag, constraint.residual, |s| matches!(s, Symbol::State(_)));
        let partials: BTreeMap<u32, Expr> =
            partials.into_iter().filter_map(|(symbol, value)| Some((state_of(symbol)?, value))).collect();
        for (k, column) in columns.iter().enumerate() {
            let products: Vec<(Rational, Expr)> = column
                .iter()
                .filter_map(|(state, d)| partials.get(state).map(|&partial| (partial, *d)))
                .map(|(partial, d)| (Rational::ONE, model.dag.mul(partial, d)))
                .collect();
            if !products.is_empty() {
                entries.push((i, k, model.dag.sum(products)));
            }
        }
    }
    if generic_rank(model, constraints.len(), &entries) == Some(constraints.len()) {
        return Ok(());
    }
    let message = "in these directions the multipliers are not determined by the constraints".to_string();
    Err(FormError { form: setting.form.clone(), message, origin: constraints[0].origin })
}
