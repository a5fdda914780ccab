//! The number of times that each equation is differentiated.
//!
//! In: offsets and blocks. Out: for every equation its *level* $l_i$, the number of differentiations with which the
//! system has index 1.
//!
//! The equations $f_i^{(c_i)}$ determine the highest derivatives $x_j^{(d_j)}$, because the system Jacobian is regular.
//! If all $d_j \ge 1$ in a block, one differentiation fewer is enough there: its equations with $c_i \ge 1$ are then
//! constraints on the $x_j^{(d_j - 1)}$, and one further differentiation of these gives all $x_j^{(d_j)}$: index 1. The
//! block may stop there if every other block whose equations contain its highest derivatives (by a tight entry,
//! $d_j - c_i = \sigma_{ij}$) stops one differentiation early as well.

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
    // For each block, the other blocks whose equations contain its highest derivatives.
    let mut needed_by = vec![Vec::new(); structure.blocks.len()];
    for (i, j) in structure.jacobian.entries() {
        let (from, to) = (block_of_unknown[j], block_of_equation[i]);
        if from != to {
            needed_by[from].push(to);
        }
    }
    // The blocks that need a block come later in the order of solution, so the last block is decided first.
    let mut stops = vec![false; structure.blocks.len()];
    for b in (0..structure.blocks.len()).rev() {
        let differential = structure.blocks[b].unknowns.iter().all(|&j| offsets.unknowns[j] >= 1);
        stops[b] = differential && needed_by[b].iter().all(|&user| stops[user]);
    }
    let level = |(i, &c): (usize, &u32)| if stops[block_of_equation[i]] { c.saturating_sub(1) } else { c };
    offsets.equations.iter().enumerate().map(level).collect()
}
