//! Kind and index of every unknown of a formulation.
//!
//! In: the rows. Out: whether the derivative of an unknown occurs, and its index: one more than the number of differentiations after
//! which it is determined.
//!
//! The rows are first-order equations of their own, with offsets $c$, $d$ and blocks. At stage $s \le 0$ the equations $f_i^{(c_i + s)}$ of a
//! block determine its jets $x_j^{(d_j + s)}$, and $x_j$ itself is determined at stage $-d_j$. What that takes is
//!
//! $$ D_b(s) = \max \Bigl( D_b(s - 1),\ \max_{i \in b} (c_i + s),\ \max D_{b'}(s') \Bigr), $$
//!
//! the last over jets of earlier blocks $b'$ that occur in these equations, $s'$ being their stage there. So an equation that uses a
//! variable of a constrained block without its derivative does not inherit the index of that block's multipliers.

use std::collections::HashSet;

use dae_runtime::contract::Kind;

use super::Formulation;
use crate::expr::{Dag, Symbol, symbols};
use crate::structure::{SignatureMatrix, Structure, analyse};

/// Fills in kinds and indices.
pub(super) fn classify(dag: &Dag, formulation: &mut Formulation) {
    let mut rows = Vec::with_capacity(formulation.equations.len());
    let mut differential = HashSet::new();
    for equation in &formulation.equations {
        let mut orders: Vec<(usize, u32)> = Vec::new();
        for symbol in symbols(dag, [equation.residual]) {
            match symbol {
                Symbol::State(state) => orders.push((state as usize, 0)),
                Symbol::StateDerivative(state) => {
                    differential.insert(state as usize);
                    orders.push((state as usize, 1));
                }
                Symbol::Time | Symbol::Parameter(_) | Symbol::Input { .. } | Symbol::Unknown { .. } => {}
            }
        }
        rows.push(orders);
    }
    for (state, unknown) in formulation.unknowns.iter_mut().enumerate() {
        unknown.kind = if differential.contains(&state) { Kind::Differential } else { Kind::Algebraic };
    }
    let Ok(sigma) = SignatureMatrix::from_rows(formulation.unknowns.len(), rows) else { return };
    let Ok(structure) = analyse(&sigma) else { return };
    for (unknown, index) in formulation.unknowns.iter_mut().zip(indices(&sigma, &structure)) {
        unknown.index = u8::try_from(index).unwrap_or(u8::MAX);
    }
}

fn indices(sigma: &SignatureMatrix, structure: &Structure) -> Vec<u32> {
    let (c, d) = (&structure.offsets.equations, &structure.offsets.unknowns);
    let mut block_of = vec![0; d.len()];
    for (b, block) in structure.blocks.iter().enumerate() {
        block.unknowns.iter().for_each(|&j| block_of[j] = b);
    }
    let lowest = c.iter().chain(d).copied().max().unwrap_or(0);
    // By block and by depth below stage 0: D_b(-depth).
    let mut differentiations: Vec<Vec<u32>> = Vec::with_capacity(structure.blocks.len());
    for (b, block) in structure.blocks.iter().enumerate() {
        let mut own = vec![0; lowest as usize + 1];
        for depth in (0..=lowest).rev() {
            let mut most = own.get(depth as usize + 1).copied().unwrap_or(0);
            for &i in block.equations.iter().filter(|&&i| c[i] >= depth) {
                let order = c[i] - depth;
                most = most.max(order);
                for (k, highest) in sigma.row(i).filter(|&(k, _)| block_of[k] != b) {
                    // The offsets bound the order, so that the stage is at most 0.
                    let below = d[k].saturating_sub(highest + order);
                    most = most.max(differentiations[block_of[k]][below as usize]);
                }
            }
            own[depth as usize] = most;
        }
        differentiations.push(own);
    }
    (0..d.len()).map(|j| 1 + differentiations[block_of[j]][d[j] as usize]).collect()
}
