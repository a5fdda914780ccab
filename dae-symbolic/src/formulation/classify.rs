//! Kind and index of every unknown of a formulation.
//!
//! In: the rows. Out: whether the derivative of an unknown occurs, and its index: one more than the number of
//! differentiations after which it is determined.
//!
//! The rows are analysed as a first-order system with its own offsets $c$, $d$ and blocks. At stage $s \le 0$ the
//! equations $f_i^{(c_i + s)}$ of a block determine its jets $x_j^{(d_j + s)}$, and $x_j$ itself is determined at stage
//! $-d_j$. The number of differentiations that this takes is
//!
//! $$ D_b(s) = \max \Bigl( D_b(s - 1),\ \max_{i \in b} (c_i + s),\ \max D_{b'}(s') \Bigr), $$
//!
//! the last over jets of earlier blocks $b'$ that occur in these equations, $s'$ being their stage there. So an
//! equation that uses a variable of a constrained block without its derivative does not inherit the index of that
//! block's multipliers.

use std::collections::BTreeSet;

use dae_runtime::contract::Kind;

use super::Formulation;
use crate::expr::{Dag, Symbol, symbols};
use crate::structure::{SignatureMatrix, Structure, analyse, block_triangular_form};

/// Fills in kinds and, unless the rows are structurally singular, indices.
pub(super) fn classify(dag: &Dag, formulation: &mut Formulation) {
    let mut rows = Vec::with_capacity(formulation.equations.len());
    for equation in &formulation.equations {
        let mut orders: Vec<(usize, u32)> = Vec::new();
        for symbol in symbols(dag, [equation.residual]) {
            match symbol {
                Symbol::State(state) => orders.push((state as usize, 0)),
                Symbol::StateDerivative(state) => orders.push((state as usize, 1)),
                Symbol::Time | Symbol::Parameter(_) | Symbol::Input { .. } | Symbol::Unknown { .. } => {}
            }
        }
        rows.push(orders);
    }
    let differential = differential_states(dag, formulation);
    for (state, unknown) in formulation.unknowns.iter_mut().enumerate() {
        unknown.kind = if differential.contains(&state) { Kind::Differential } else { Kind::Algebraic };
    }
    let Ok(sigma) = SignatureMatrix::from_rows(formulation.unknowns.len(), rows) else { return };
    let Ok(structure) = analyse(&sigma) else { return };
    for (unknown, index) in formulation.unknowns.iter_mut().zip(indices(&sigma, &structure)) {
        unknown.index = u8::try_from(index).unwrap_or(u8::MAX);
    }
}

/// The unknowns whose derivatives occur.
pub(super) fn differential_states(dag: &Dag, formulation: &Formulation) -> BTreeSet<usize> {
    let symbols = symbols(dag, formulation.equations.iter().map(|equation| equation.residual));
    let rate = |symbol: Symbol| match symbol {
        Symbol::StateDerivative(state) => Some(state as usize),
        _ => None,
    };
    symbols.into_iter().filter_map(rate).collect()
}

fn indices(sigma: &SignatureMatrix, structure: &Structure) -> Vec<u32> {
    let (c, d) = (&structure.offsets.equations, &structure.offsets.unknowns);
    let blocks = block_triangular_form(&structure.jacobian, &structure.transversal);
    let mut block_of = vec![0; d.len()];
    for (b, block) in blocks.iter().enumerate() {
        block.unknowns.iter().for_each(|&j| block_of[j] = b);
    }
    let lowest = c.iter().chain(d).copied().max().unwrap_or(0);
    // By depth below stage 0 and by block: D_b(-depth). Lower stages first, and within a stage in the order of
    // solution.
    let mut differentiations = vec![vec![0; blocks.len()]; lowest as usize + 2];
    for depth in (0..=lowest).rev() {
        for (b, block) in blocks.iter().enumerate() {
            let mut most = differentiations[depth as usize + 1][b];
            for &i in block.equations.iter().filter(|&&i| c[i] >= depth) {
                let order = c[i] - depth;
                most = most.max(order);
                for (k, highest) in sigma.row(i).filter(|&(k, _)| block_of[k] != b) {
                    // The offsets bound the order, so that the stage is at most that of the equation.
                    let below = d[k].saturating_sub(highest + order);
                    most = most.max(differentiations[below as usize][block_of[k]]);
                }
            }
            differentiations[depth as usize][b] = most;
        }
    }
    (0..d.len()).map(|j| 1 + differentiations[d[j] as usize][block_of[j]]).collect()
}
