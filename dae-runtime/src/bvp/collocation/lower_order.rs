//! A solution of lower order beside one that was found.
//!
//! In: a solution with $s$ nodes in each interval. Out: the one with $s - 1$ nodes on the same mesh, found by one step of
//! Newton's method from the first.
//!
//! The linear equations of that step are solved with iterative refinement, and it is verified that their solution closes
//! the gaps between intervals: where solutions grow by more than can be told from rounding errors, the factors may give
//! something else, and what follows from them is meaningless.

use crate::bvp::iterate::Iterate;
use crate::bvp::mesh::Mesh;
use crate::bvp::scheme::{Nodes, Scheme};
use crate::bvp::tolerances::Tolerances;
use crate::linalg::vectors::Vectors;

use super::equations::{Factorized, Residuals};
use super::polynomials::Collocation;

/// Linear equations are solved if what remains of their residuals is this many times their rounding errors.
const SOLVED: f64 = 1e3;
/// Number of times that their solution is refined.
const REFINEMENTS: usize = 3;

/// The solution with one node fewer.
pub(super) struct LowerOrder<'p, 'd> {
    pub(super) collocation: Collocation<'p, 'd>,
    pub(super) iterate: Iterate,
    /// Factors of the linearisation, with fewer nodes, at the solution of higher order.
    pub(super) factors: Factorized,
    /// Room for residuals.
    pub(super) residuals: Residuals,
    /// Whether it solves the linearised equations.
    pub(super) is_solved: bool,
}

impl<'p, 'd> LowerOrder<'p, 'd> {
    /// The solution near `iterate`; `None` if the linearised equations are singular.
    pub(super) fn near(
        higher: &Collocation<'p, 'd>,
        nodes: Nodes,
        mesh: &Mesh,
        iterate: &Iterate,
        allowed: &Tolerances,
    ) -> Option<LowerOrder<'p, 'd>> {
        let collocation =
            Collocation { problem: higher.problem, scheme: Scheme::of(nodes, higher.scheme.stages() - 1) };
        let weights: Vec<Vec<f64>> = collocation.scheme.c.iter().map(|&c| higher.scheme.values(c)).collect();
        let [m, na, _] = collocation.sizes();
        let at_nodes = |i: usize| -> Vec<f64> {
            weights.iter().flat_map(|weights| higher.others_with(iterate, i, weights)).collect()
        };
        let nodes = Vectors::of_length(weights.len() * (m + na), (0..mesh.intervals()).map(at_nodes));
        let mut iterate = Iterate { nodes, ..iterate.clone() };
        if collocation.problem.layout.is_projected() && iterate.directions.is_empty() {
            return None;
        }
        let mut residuals = collocation.residuals(mesh, &iterate).ok()?;
        let factors = collocation.factorize(mesh, &iterate, &residuals).ok()?;
        let (mut changes, mut is_solved) = (Vec::new(), false);
        while !is_solved && changes.len() <= REFINEMENTS {
            let change = collocation.correction(mesh, &factors, &residuals)?;
            is_solved = collocation.remain(mesh, &iterate, &change, &mut residuals, allowed) <= SOLVED;
            changes.push(change);
        }
        changes.iter().for_each(|change| iterate.add(1.0, change));
        Some(LowerOrder { collocation, iterate, factors, residuals, is_solved })
    }
}
