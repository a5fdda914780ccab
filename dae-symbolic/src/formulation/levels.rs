//! The number of times that each equation is differentiated.
//!
//! In: offsets and blocks. Out: for every equation the level $l_i$ at which the index is 1.
//!
//! Differentiating equation $i$ $c_i$ times makes the system Jacobian regular in the highest derivatives $x_j^{(d_j)}$.
//! If all $d_j \ge 1$ in a block, then with $c_i - 1$ differentiations its equations still determine all
//! $x_j^{(d_j - 1)}$ that are not free, and one more differentiation the rest: index 1. The block may stop there unless
//! some other block needs the highest derivatives $x_j^{(d_j)}$ themselves (a tight entry $d_j - c_i = \sigma_{ij}$)
//! and does not stop there as well.

use crate::structure::Structure;

/// The index-1 level of each equation.
pub(super) fn index1_levels(structure: &Structure) -> Vec<u32> {
    let offsets = &structure.offsets;
    let mut block_of_equation = vec![0; offsets.equations.len()];
    let mut block_of_unknown = vec![0; offsets.unknowns.len()];
    for (b, block) in structure.blocks.iter().enumerate() {
        block.equations.iter().for_each(|&i| block_of_equation[i] = b);
        block.unknowns.iter().for_each(|&j| block_of_unknown[j] = b);
    }
    // The blocks that need the highest derivatives of each block.
    let mut needed_by = vec![Vec::new(); structure.blocks.len()];
    for (i, j) in structure.jacobian.entries() {
        let (from, to) = (block_of_unknown[j], block_of_equation[i]);
        if from != to {
            needed_by[from].push(to);
        }
    }
    // Users come later in the order of solution.
    let mut stops = vec![false; structure.blocks.len()];
    for b in (0..structure.blocks.len()).rev() {
        let differential = structure.blocks[b].unknowns.iter().all(|&j| offsets.unknowns[j] >= 1);
        stops[b] = differential && needed_by[b].iter().all(|&user| stops[user]);
    }
    let level = |(i, &c): (usize, &u32)| if stops[block_of_equation[i]] { c.saturating_sub(1) } else { c };
    offsets.equations.iter().enumerate().map(level).collect()
}
