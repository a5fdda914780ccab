//! Offsets of the prolongation, and the bound on the index that they give.
//!
//! In: the offsets $c_i$, $d_j$ of a system, and the orders $p_j$ of the text. Out: an upper bound on the
//! differentiation index, if the system Jacobian is regular; and the offsets with which the system is prolonged.

use crate::model::Model;
use crate::structure::Offsets;
use crate::system::{System, written_orders};

/// $\max_i (c_i + r_i) + \max_j (\max(p_j, 1) - d_j)^+$, where equation $i$ of the system contains derivatives of the
/// text up to $r_i$: with $c_i$ differentiations the $x_j^{(d_j)}$ are determined, and what is asked for are the
/// $x_j^{(\max(p_j, 1))}$ of the text. If no equations were combined, $d_j \ge p_j$, and the second term is one if some
/// $d_j = 0$, otherwise zero.
pub(crate) fn upper_bound(model: &Model, system: &System, offsets: &Offsets) -> u32 {
    let orders = system.equations.iter().zip(&offsets.equations);
    let highest = orders.map(|(e, c)| c + e.provenance.differentiations()).max().unwrap_or(0);
    let missing = written_orders(model).into_iter().zip(&offsets.unknowns).map(|(p, &d)| p.max(1).saturating_sub(d));
    highest + missing.max().unwrap_or(0)
}

/// The offsets, all raised by the same number, so that they reach the jets of the text: a combination may have lowered
/// $d_j$ below the order $p_j$ of the text, whose states are to have start values as well; and a start value may be
/// given for a higher derivative.
pub(crate) fn lifted(model: &Model, offsets: &Offsets) -> Offsets {
    let given = model.unknowns.iter().map(|u| u.derivative_starts.iter().map(|&(order, _)| order).max().unwrap_or(0));
    let wanted = written_orders(model).into_iter().zip(given).map(|(p, given)| p.max(given));
    let lift = wanted.zip(&offsets.unknowns).map(|(order, &d)| order.saturating_sub(d)).max().unwrap_or(0);
    let raised = |list: &[u32]| list.iter().map(|&k| k + lift).collect();
    Offsets { equations: raised(&offsets.equations), unknowns: raised(&offsets.unknowns) }
}

/// Offsets for a system whose structure is misleading: its equations as they are, in the jets that occur in the text.
pub(super) fn undifferentiated(model: &Model, system: &System) -> Offsets {
    Offsets { equations: vec![0; system.equations.len()], unknowns: written_orders(model) }
}
