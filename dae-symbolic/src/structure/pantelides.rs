//! Pantelides' algorithm (1988): which equations to differentiate, found one differentiation at a time.
//!
//! In: the signature matrix. Out: the number of differentiations $c_i$ of each equation and the order $d_j$ of the
//! highest derivative of each unknown after them. These are the canonical offsets (Pryce 2001), so the algorithm serves
//! to check the analysis.
//!
//! Equations are assigned to highest derivatives one after the other. If no augmenting path from an equation is found,
//! the search has coloured equations that together contain fewer highest derivatives than there are of them. These
//! equations are differentiated, which raises the highest derivatives of the coloured unknowns, and the search is
//! repeated.
//! It ends if and only if some transversal exists (Pantelides 1988), so that is tested first. The work grows with
//! $\sum_i c_i$; [`highest_value_transversal`](super::highest_value_transversal) is the fast way to the same numbers.

use super::Matching;
use super::offsets::Offsets;
use super::signature::SignatureMatrix;

/// The number of differentiations of each equation and the resulting highest order of each unknown; `None` for a
/// structurally singular matrix, where the algorithm would not end.
pub fn pantelides(sigma: &SignatureMatrix) -> Option<Offsets> {
    Matching::maximum(sigma.pattern()).transversal()?;
    let mut assignment = Assignment {
        sigma,
        offsets: Offsets { equations: vec![0; sigma.equations()], unknowns: sigma.highest_orders() },
        equation_of: vec![None; sigma.unknowns()],
        coloured: vec![false; sigma.unknowns()],
    };
    for equation in 0..sigma.equations() {
        while let Search::Failed { equations, unknowns } = assignment.augment_path(equation) {
            for equation in equations {
                assignment.offsets.equations[equation] += 1;
            }
            for unknown in unknowns {
                assignment.offsets.unknowns[unknown] += 1;
            }
        }
    }
    Some(assignment.offsets)
}

/// How the search for an augmenting path ended.
enum Search {
    Assigned,
    /// The equations and unknowns that the search coloured.
    Failed {
        equations: Vec<usize>,
        unknowns: Vec<usize>,
    },
}

/// The equations as differentiated so far, and the highest derivatives they are assigned to.
struct Assignment<'a> {
    sigma: &'a SignatureMatrix,
    offsets: Offsets,
    /// ASSIGN of the paper: the equation that each unknown's highest derivative belongs to. Differentiating an
    /// equation and its unknown together leaves it valid.
    equation_of: Vec<Option<usize>>,
    /// The unknowns that the current search has coloured; none between searches.
    coloured: Vec<bool>,
}

impl Assignment<'_> {
    /// AUGMENTPATH of the paper: assigns a highest derivative to `root`, reassigning others if need be.
    fn augment_path(&mut self, root: usize) -> Search {
        let pattern = self.sigma.pattern();
        let mut equations = vec![root];
        let mut unknowns = Vec::new();
        // The path so far: each equation with the positions it has not tried yet.
        let mut path = vec![(root, pattern.positions(root))];
        let mut search = None;
        while let Some((equation, untried)) = path.last_mut() {
            let step = untried.find(|&position| {
                let is_highest_derivative = self.offsets.slack_at(self.sigma, *equation, position) == 0;
                is_highest_derivative && !self.coloured[pattern.unknown_at(position)]
            });
            let Some(position) = step else {
                path.pop();
                continue;
            };
            let unknown = pattern.unknown_at(position);
            self.coloured[unknown] = true;
            unknowns.push(unknown);
            match self.equation_of[unknown] {
                Some(next) => {
                    equations.push(next);
                    path.push((next, pattern.positions(next)));
                }
                None => {
                    // The last position an equation tried is the one before its untried ones.
                    for (equation, untried) in path.drain(..) {
                        self.equation_of[pattern.unknown_at(untried.start - 1)] = Some(equation);
                    }
                    search = Some(Search::Assigned);
                }
            }
        }
        for &unknown in &unknowns {
            self.coloured[unknown] = false;
        }
        search.unwrap_or(Search::Failed { equations, unknowns })
    }
}
