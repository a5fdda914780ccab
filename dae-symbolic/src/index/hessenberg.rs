//! Hessenberg forms.
//!
//! In: the text and its structure. Out: the size of the form, Hairer & Wanner II, Sect. VII.1, eqs. (1.13)–(1.15):
//!
//! $$ (1)\; y' = f(y, z),\ 0 = g(y, z) \qquad (2)\; y' = f(y, z),\ 0 = g(y) \qquad
//!    (3)\; y' = f(y, z),\ z' = k(y, z, u),\ 0 = g(y). $$
//!
//! Differential equations may contain their one derivative anywhere, multiplied by anything.

use super::certificate::{Certificate, Verdict};
use crate::expr::UnknownId;
use crate::model::Model;
use crate::structure::Structure;

/// The size of the form, 1, 2 or 3; `None` if the text has no such form, or no exact index is certified.
pub(super) fn classify(model: &Model, structure: &Structure, certificate: &Certificate) -> Option<u8> {
    let Verdict::Exact(index @ 1..=3) = certificate.verdict() else { return None };
    let constraints: Vec<usize> = (0..model.equations.len()).filter(|&i| order_of(model, i) == 0).collect();
    let differential = derivatives_by_equation(model)?;
    let of = |list: &mut dyn Iterator<Item = UnknownId>| {
        let mut found = vec![false; model.unknowns.len()];
        list.for_each(|j| found[j.index()] = true);
        found
    };
    let is_differential = of(&mut differential.iter().map(|&(_, j)| j));
    let own = |i: usize| model.equations[i].incidence.iter().map(|&(j, _)| j);
    // Every constraint is differentiated as many times as the form says, and no purely algebraic equation hides among
    // them.
    if constraints.is_empty() || constraints.iter().any(|&i| structure.offsets.equations[i] != index - 1) {
        return None;
    }
    let is_algebraic = |j: UnknownId| !is_differential[j.index()];
    if is_differential.iter().filter(|it| !**it).count() != constraints.len() {
        return None;
    }
    if index == 1 {
        return Some(1);
    }
    if constraints.iter().any(|&i| own(i).any(is_algebraic)) {
        return None;
    }
    if index == 2 {
        return Some(2);
    }
    // Size 3: the derivatives of the unknowns in the constraints do not depend directly on the algebraic unknowns.
    let is_position = of(&mut constraints.iter().flat_map(|&i| own(i)));
    let direct = |&(i, j): &(usize, UnknownId)| is_position[j.index()] && own(i).any(is_algebraic);
    (!differential.iter().any(direct)).then_some(3)
}

fn order_of(model: &Model, equation: usize) -> u32 {
    model.equations[equation].incidence.iter().map(|&(_, order)| order).max().unwrap_or(0)
}

/// The differential equations, each with the one unknown whose first derivative it contains; `None` if one contains
/// several derivatives or a higher one, or two contain the derivative of the same unknown.
fn derivatives_by_equation(model: &Model) -> Option<Vec<(usize, UnknownId)>> {
    let mut list: Vec<(usize, UnknownId)> = Vec::new();
    for (i, equation) in model.equations.iter().enumerate() {
        let mut rates = equation.incidence.iter().filter(|&&(_, order)| order > 0);
        match (rates.next(), rates.next()) {
            (None, _) => {}
            (Some(&(j, 1)), None) if list.iter().all(|&(_, k)| k != j) => list.push((i, j)),
            _ => return None,
        }
    }
    Some(list)
}
