//! The linear equations of a stage, block after block.
//!
//! In: the entries of a stage's matrix, and its blocks. Out: solutions of least norm ([`super::least_norm`]).

use crate::linalg::structure::Part;

use super::least_norm::{LeastNorm, Unsolvable};
use super::scalar::Scalar;

/// The factors of the blocks, and the rows, by which later blocks depend on earlier ones.
#[derive(Clone, Debug)]
pub(super) struct BlockSolver<S> {
    /// For each equation the unknowns in it, with their entries.
    rows: Vec<Vec<(usize, S)>>,
    blocks: Vec<(Part, LeastNorm<S>)>,
    unknowns: usize,
}

/// An equation, and why its block has no factors.
pub(super) type UnsolvableEquation = (usize, Unsolvable);

impl<S: Scalar> BlockSolver<S> {
    /// Factors of the matrix with these rows, one for each equation of the model, empty if it is not of the stage.
    pub(super) fn new(
        rows: Vec<Vec<(usize, S)>>,
        blocks: &[Part],
        unknowns: usize,
    ) -> Result<BlockSolver<S>, UnsolvableEquation> {
        let mut factors = Vec::with_capacity(blocks.len());
        for block in blocks {
            let columns = block.unknowns.len();
            let mut entries = vec![S::zero(); block.equations.len() * columns];
            for (row, &i) in block.equations.iter().enumerate() {
                for &(j, entry) in &rows[i] {
                    if let Ok(column) = block.unknowns.binary_search(&j) {
                        entries[row * columns + column] = entry;
                    }
                }
            }
            let solver = LeastNorm::new(block.equations.len(), columns, entries)
                .map_err(|unsolvable| (block.equations[unsolvable.row()], unsolvable))?;
            factors.push((block.clone(), solver));
        }
        Ok(BlockSolver { rows, blocks: factors, unknowns })
    }

    /// The solution for these right-hand sides, one for each equation of the model. Unknowns in no block are zero.
    pub(super) fn solve(&self, right: &[S]) -> Vec<S> {
        let mut z = vec![S::zero(); self.unknowns];
        for (block, factors) in &self.blocks {
            // Unknowns of this block and of later ones are still zero.
            let known = |&i: &usize| self.rows[i].iter().fold(right[i], |rest, &(j, entry)| rest - entry * z[j]);
            let rest: Vec<S> = block.equations.iter().map(known).collect();
            block.unknowns.iter().zip(factors.solve(&rest)).for_each(|(&j, value)| z[j] = value);
        }
        z
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_blocks_use_earlier_ones() {
        // 2 z0 = 4; z0 + z1 + z2 = 8: the second block has a choice, and takes what is shortest.
        let rows = vec![vec![(0, 2.0)], vec![(0, 1.0), (1, 1.0), (2, 1.0)]];
        let part = |equation, unknowns: &[usize]| Part { equations: vec![equation], unknowns: unknowns.to_vec() };
        let z = BlockSolver::new(rows, &[part(0, &[0]), part(1, &[1, 2])], 4).unwrap().solve(&[4.0, 8.0]);
        for (z, expected) in z.iter().zip([2.0, 3.0, 3.0, 0.0]) {
            assert!((z - expected).abs() < 1e-14, "{z}");
        }
    }
}
