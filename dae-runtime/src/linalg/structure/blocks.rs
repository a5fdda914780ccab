//! Block-triangular form: the order and the groups in which equations can be solved (Duff & Reid 1978).
//!
//! In: which unknown occurs in which equation, and a transversal. Out: the smallest groups of equations that have to be
//! solved together, each after the groups whose unknowns it uses.
//!
//! Solved for the unknown that the transversal gives it, an equation depends on the equations of its other unknowns.
//! The groups are the strongly connected components of the graph of these dependencies, and are the same for every
//! transversal. `petgraph` finds them by Kosaraju's algorithm, without recursion, in the order in which a depth-first
//! search through the equations leaves them: each after all those it leads to.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::Reversed;

use super::incidence::Incidence;
use super::matching::Transversal;

/// Equations to be solved together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The equations, ascending.
    pub equations: Vec<usize>,
    /// The unknowns they determine; the `k`-th is the transversal's unknown of the `k`-th equation.
    pub unknowns: Vec<usize>,
    /// The blocks, all earlier ones, whose unknowns occur in the equations; ascending.
    pub depends_on: Vec<usize>,
}

/// The blocks of a square pattern in order of solution: the equations of a block contain only its unknowns and
/// those of the blocks it depends on.
pub fn block_triangular_form(pattern: &Incidence, transversal: &Transversal) -> Vec<Block> {
    let components = strongly_connected_components(pattern, transversal);
    let mut block_of = vec![0; transversal.len()];
    for (block, equations) in components.iter().enumerate() {
        for &equation in equations {
            block_of[equation] = block;
        }
    }
    let describe = |(block, equations): (usize, Vec<usize>)| {
        let used = equations.iter().flat_map(|&equation| pattern.row(equation));
        let mut depends_on: Vec<usize> =
            used.map(|&unknown| block_of[transversal.equation_of(unknown)]).filter(|&other| other != block).collect();
        depends_on.sort_unstable();
        depends_on.dedup();
        let unknowns = equations.iter().map(|&equation| transversal.unknown_of(equation)).collect();
        Block { equations, unknowns, depends_on }
    };
    components.into_iter().enumerate().map(describe).collect()
}

/// The components, each ascending, each after those it leads to.
fn strongly_connected_components(pattern: &Incidence, transversal: &Transversal) -> Vec<Vec<usize>> {
    let n = transversal.len();
    let mut graph = DiGraph::<(), ()>::with_capacity(n, pattern.len());
    (0..n).for_each(|_| _ = graph.add_node(()));
    for (equation, unknown) in pattern.entries() {
        graph.add_edge(NodeIndex::new(equation), NodeIndex::new(transversal.equation_of(unknown)), ());
    }
    // On the reversed graph, so that the search that gives the order follows the entries of the equations as they
    // stand.
    let mut components = kosaraju_scc(Reversed(&graph));
    components.reverse();
    let ascending = |component: Vec<NodeIndex>| {
        let mut equations: Vec<usize> = component.into_iter().map(NodeIndex::index).collect();
        equations.sort_unstable();
        equations
    };
    components.into_iter().map(ascending).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Matching;
    use super::*;

    const LENGTH: usize = 100_000;

    fn blocks(rows: impl Iterator<Item = [usize; 2]>) -> Vec<Block> {
        let pattern = Incidence::from_rows(LENGTH, rows).unwrap();
        let transversal = Matching::maximum(&pattern).transversal().unwrap();
        block_triangular_form(&pattern, &transversal)
    }

    #[test]
    fn a_long_row_is_solved_from_its_end() {
        let blocks = blocks((0..LENGTH).map(|i| [i, (i + 1).min(LENGTH - 1)]));
        assert_eq!(blocks.len(), LENGTH);
        for (block, equation) in blocks.iter().zip((0..LENGTH).rev()) {
            assert_eq!(block.equations, [equation]);
        }
    }

    #[test]
    fn a_long_circle_is_one_block() {
        let blocks = blocks((0..LENGTH).map(|i| [i, (i + 1) % LENGTH]));
        assert_eq!(blocks.len(), 1);
        assert!(blocks[0].equations.iter().copied().eq(0..LENGTH) && blocks[0].depends_on.is_empty());
    }
}
