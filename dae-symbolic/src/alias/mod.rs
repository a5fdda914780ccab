//! Unknowns that equations equate with others up to sign, or with constants.
//!
//! In: the working system. Out: an [`Elimination`]: for each unknown $z$ given by $z = \pm x$ or $z = c$, with $c$ made
//! of numbers and parameters, its replacement, and the system with $z$ replaced in every other equation; $z^{(k)}$
//! becomes $\pm x^{(k)}$ or zero. The remaining equations may have this form again (a current that a zero current makes
//! equal to another), so this is repeated.
//!
//! In the system Jacobian this is elimination with $\pm 1$, or a rational number, as pivot: its determinant changes by
//! that factor only, so regularity, degrees of freedom and index do not change. Index, degrees of freedom and initial
//! values are those of the text in any case; only the forms derived from it become smaller, and they give the values of
//! the eliminated unknowns.
//!
//! Models with families (of unknowns, equations or parameters) are left alone, because the members of a family would
//! no longer be alike; so are equations that are combinations put in place of equations of the text.

mod groups;
mod relation;
mod starts;

pub use relation::AliasOf;
pub use starts::reconcile;

use crate::expr::{Dag, Expr, Symbol, UnknownId, substitute};
use crate::model::Model;
use crate::structure::{SignatureMatrix, Structure, analyse};
use crate::system::{System, written_orders};
use groups::Groups;
use relation::relation;

/// The largest number of rounds of replacement.
const MAX_ROUNDS: usize = 8;

/// An eliminated unknown and its replacement.
#[derive(Clone, Debug, PartialEq)]
pub struct Eliminated {
    /// $z$.
    pub unknown: usize,
    /// The equation of the working system that gives it.
    pub equation: usize,
    /// What replaces it.
    pub alias_of: AliasOf,
}

/// A system in which some unknowns occur only in the equation that gives them.
#[derive(Clone, Debug, PartialEq)]
pub struct Elimination {
    /// The eliminated unknowns, ascending.
    pub eliminated: Vec<Eliminated>,
    /// The system; equations that give an unknown read $z \mp x = 0$ or $z - c = 0$.
    pub system: System,
    /// The structure of the system.
    pub structure: Structure,
}

/// Finds what can be eliminated; `None` if there is nothing, if nothing would be left, or if the model has families.
pub fn eliminate(model: &mut Model, system: &System) -> Option<Elimination> {
    if model.has_families() {
        return None;
    }
    let mut system = system.clone();
    let mut groups = Groups::new(preference(model));
    let mut given = vec![None; system.unknowns];
    let mut gives = vec![false; system.equations.len()];
    for _ in 0..MAX_ROUNDS {
        let mut found = false;
        for (i, equation) in system.equations.iter().enumerate() {
            let is_open = equation.is_text() && !gives[i];
            let Some(relation) = Some(equation.residual).filter(|_| is_open).and_then(|f| relation(&mut model.dag, f))
            else {
                continue;
            };
            if let Some(unknown) = groups.join(&mut model.dag, relation) {
                given[unknown] = Some(i);
                gives[i] = true;
                found = true;
            }
        }
        if !found {
            break;
        }
        replace(&mut model.dag, &mut system, &mut groups, &gives);
    }
    let count = given.iter().flatten().count();
    if count == 0 || count == system.unknowns {
        return None;
    }
    let eliminated: Vec<Eliminated> = given
        .iter()
        .enumerate()
        .filter_map(|(unknown, equation)| {
            Some(Eliminated { unknown, equation: (*equation)?, alias_of: groups.alias_of(&mut model.dag, unknown)? })
        })
        .collect();
    for it in &eliminated {
        let value = it.alias_of.jet(&mut model.dag, 0);
        let unknown = model.dag.symbol(Symbol::Unknown { unknown: UnknownId(it.unknown as u32), order: 0 });
        system.equations[it.equation].residual = model.dag.sub(unknown, value);
    }
    let rows = system.equations.iter().map(|e| crate::system::highest_orders(&model.dag, [e.residual]));
    let structure = analyse(&SignatureMatrix::from_rows(system.unknowns, rows).ok()?).ok()?;
    Some(Elimination { eliminated, system, structure })
}

/// The preference for an unknown of a group to stay, larger is better: first the one with derivatives of higher order,
/// then one with a nominal value of its own, then the earlier one.
fn preference(model: &Model) -> Vec<(u32, bool, std::cmp::Reverse<usize>)> {
    let orders = written_orders(model).into_iter().zip(&model.unknowns).enumerate();
    orders.map(|(j, (order, unknown))| (order, unknown.nominal != 1.0, std::cmp::Reverse(j))).collect()
}

/// Replaces the eliminated unknowns in all equations except those that give them.
fn replace(dag: &mut Dag, system: &mut System, groups: &mut Groups, gives: &[bool]) {
    let open: Vec<usize> = (0..system.equations.len()).filter(|&i| !gives[i]).collect();
    let residuals: Vec<Expr> = open.iter().map(|&i| system.equations[i].residual).collect();
    let replaced = substitute(dag, &residuals, |dag, symbol| match symbol {
        Symbol::Unknown { unknown, order } => {
            let alias_of = groups.alias_of(dag, unknown.index())?;
            Some(alias_of.jet(dag, order))
        }
        _ => None,
    });
    open.into_iter().zip(replaced).for_each(|(i, residual)| system.equations[i].residual = residual);
}
