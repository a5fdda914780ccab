//! Start values of unknowns that are equal.
//!
//! In: a model. Out: the model, with a guess for the representative of a group if it had no start value and another
//! unknown of the group has one; or an error for every contradiction, at the default parameters, between fixed start
//! values of unknowns that the text equates up to sign, or between a fixed start value and the constant that the text
//! equates the unknown with.
//!
//! Consistent initialisation goes from low derivatives to high ones and determines the differentiated unknown before
//! its aliases; without a guess it would start from zero, whatever the start value of an alias is.

use super::groups::Groups;
use super::preference;
use super::relation::{AliasOf, Relation, relation};
use crate::defaults::default_parameters;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Expr, Symbol, evaluate_one};
use crate::model::{Model, Start, StartValue, derivative_name};
use crate::origin::Origin;
use std::collections::HashMap;

/// Values with a smaller difference, relative to one plus the larger magnitude, are equal up to rounding.
const ROUNDING: f64 = 1e-12;

/// A fixed start value in terms of the representative.
struct Fixed {
    name: String,
    value: f64,
    /// The value in the text, for the unknown itself.
    own: f64,
    origin: Origin,
}

/// Moves start values to the representatives of groups.
///
/// # Errors
/// If fixed start values cannot hold together.
pub fn reconcile(model: &mut Model) -> Result<(), Diagnostics> {
    let mut groups = Groups::new(preference(model));
    // For every unknown in a group, an equation that puts it there.
    let mut because: HashMap<usize, Origin> = HashMap::new();
    for k in 0..model.equations.len() {
        let (residual, origin) = (model.equations[k].residual, model.equations[k].origin);
        let Some(relation) = relation(&mut model.dag, residual) else { continue };
        let (j, k) = match relation {
            Relation::Equal(j, k, _) => (j, k),
            Relation::Constant(j, _) => (j, j),
        };
        if groups.join(&mut model.dag, relation).is_some() {
            [j, k].into_iter().for_each(|j| _ = because.entry(j).or_insert(origin));
        }
    }
    if because.is_empty() {
        return Ok(());
    }
    let found = contradictions(model, &mut groups, &because);
    if !found.is_empty() {
        return Err(found);
    }
    move_starts(model, &mut groups, &because);
    Ok(())
}

fn contradictions(model: &mut Model, groups: &mut Groups, because: &HashMap<usize, Origin>) -> Diagnostics {
    let parameters = default_parameters(model);
    let mut found = Diagnostics::new();
    let mut first: HashMap<(usize, u32), Fixed> = HashMap::new();
    for j in 0..model.unknowns.len() {
        let Some(&equation) = because.get(&j) else { continue };
        let (root, factor) = groups.find(j);
        let alias_of = groups.alias_of(&mut model.dag, j);
        for (order, start) in starts(model, j).into_iter().filter(|(_, start)| start.kind == Start::Fixed) {
            let own = number(model, &parameters, start.value);
            let name = derivative_name(&model.unknowns[j].name, order);
            let fixed = Fixed { name, value: factor.to_f64() * own, own, origin: start.origin };
            if let Some(constant @ AliasOf::Constant(_)) = &alias_of {
                let value = constant.jet(&mut model.dag, order);
                let value = number(model, &parameters, value);
                if differ(value, own) {
                    found.push(not_constant(&fixed, value, equation));
                }
                continue;
            }
            match first.get(&(root, order)) {
                Some(earlier) if differ(earlier.value, fixed.value) => found.push(unequal(earlier, &fixed, equation)),
                Some(_) => {}
                None => _ = first.insert((root, order), fixed),
            }
        }
    }
    found
}

/// Gives representatives without a start value that of another unknown of their group as a guess, a fixed one if there
/// is one.
fn move_starts(model: &mut Model, groups: &mut Groups, because: &HashMap<usize, Origin>) {
    for kind in [Start::Fixed, Start::Guess] {
        for j in 0..model.unknowns.len() {
            let (root, factor) = groups.find(j);
            if root == j || !because.contains_key(&j) {
                continue;
            }
            for (order, start) in starts(model, j) {
                if start.kind != kind || model.unknowns[root].start_value(order).is_some() {
                    continue;
                }
                let value = model.dag.scale(factor.clone(), start.value);
                let moved = StartValue { value, kind: Start::Guess, origin: start.origin };
                let of_root = &mut model.unknowns[root];
                if order == 0 {
                    of_root.start = Some(moved);
                } else {
                    of_root.derivative_starts.push((order, moved));
                    of_root.derivative_starts.sort_by_key(|(order, _)| *order);
                }
            }
        }
    }
}

fn starts(model: &Model, unknown: usize) -> Vec<(u32, StartValue)> {
    let unknown = &model.unknowns[unknown];
    let own = unknown.start.iter().map(|start| (0, start.clone()));
    own.chain(unknown.derivative_starts.iter().cloned()).collect()
}

fn number(model: &Model, parameters: &[f64], value: Expr) -> f64 {
    evaluate_one(&model.dag, value, |symbol| match symbol {
        Symbol::Parameter(p) => parameters.get(p.index()).copied().unwrap_or(f64::NAN),
        _ => f64::NAN,
    })
}

/// Whether two numbers certainly differ; not if one is NaN, which the initialisation reports.
fn differ(a: f64, b: f64) -> bool {
    (a - b).abs() > ROUNDING * (1.0 + a.abs().max(b.abs()))
}

fn unequal(first: &Fixed, second: &Fixed, equation: Origin) -> Diagnostic {
    let message = format!(
        "`{}` and `{}` are equal up to sign, and their fixed start values contradict each other",
        first.name, second.name
    );
    Diagnostic::error(Code::ContradictingStarts, message)
        .label(second.origin, format!("`{}` starts at {}", second.name, second.own))
        .label(first.origin, format!("`{}` starts at {}", first.name, first.own))
        .label(equation, "because of this equation")
        .help("fix one of them, and leave the other a guess: `~` instead of `=`")
}

fn not_constant(fixed: &Fixed, value: f64, equation: Origin) -> Diagnostic {
    let message = format!("`{}` is {value}, and its fixed start value {} contradicts that", fixed.name, fixed.own);
    Diagnostic::error(Code::ContradictingStarts, message)
        .label(fixed.origin, "this value")
        .label(equation, "because of this equation")
        .help("leave the start value out")
}
