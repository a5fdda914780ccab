//! Canonical offsets (Pryce 2001, Sect. 3): how often each equation has to be differentiated.
//!
//! In: the signature matrix and a highest-value transversal $T$. Out: the least $c, d \ge 0$ with
//! $$ d_j - c_i \ge \sigma_{ij} \quad\text{for all entries}, \qquad d_j - c_i = \sigma_{ij} \quad\text{on } T. $$
//! Equation $f_i$ is needed up to its $c_i$-th derivative, and the derivatives determine $x_j^{(d_j)}$.
//!
//! Pryce iterates $d_j \leftarrow \max_i (\sigma_{ij} + c_i)$, $c_i \leftarrow d_{T(i)} - \sigma_{i T(i)}$ from $c = 0$.
//! The limit is the length of the longest path to $f_i$ in the graph of the equations that has an arc $k \to i$ of
//! length $\sigma_{kj} - \sigma_{ij}$, $j = T(i)$, for each entry $(k, j)$. Chains make the iteration quadratic, so
//! the paths are found directly: with *any* valid offsets $\bar c, \bar d$, which come with the transversal,
//! the slacks $\bar d_j - \bar c_k - \sigma_{kj} \ge 0$ are lengths of the same arcs up to a potential, and
//! $$ c_i = \bar c_i - \min_k \bigl(\bar c_k + \operatorname{dist}(k, i)\bigr), $$
//! one search by Dijkstra from all equations at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::incidence::Incidence;
use super::signature::SignatureMatrix;
use super::transversal::HighestValueTransversal;

/// A pair $(c, d)$.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offsets {
    /// $c_i$: how often equation $i$ is differentiated.
    pub equations: Vec<u32>,
    /// $d_j$: the order of the derivative of unknown $j$ that the differentiated equations determine.
    pub unknowns: Vec<u32>,
}

impl Offsets {
    /// $\max_i c_i$, and one more if some $d_j = 0$ (Pryce 2001, Sect. 5.3): a bound of the differentiation index
    /// wherever the system Jacobian is nonsingular.
    pub fn structural_index(&self) -> u32 {
        let algebraic = self.unknowns.contains(&0);
        self.equations.iter().max().map_or(0, |&most| most + u32::from(algebraic))
    }

    /// $\sum_j d_j - \sum_i c_i$, the value of the transversal: the dimension of the set of consistent values wherever
    /// the system Jacobian is nonsingular.
    pub fn degrees_of_freedom(&self) -> usize {
        let sum = |offsets: &[u32]| offsets.iter().map(|&offset| offset as usize).sum::<usize>();
        sum(&self.unknowns) - sum(&self.equations)
    }

    /// Where the system Jacobian $\partial f_i^{(c_i)} / \partial x_j^{(d_j)} = \partial f_i / \partial x_j^{(d_j - c_i)}$
    /// can be nonzero: the entries with $d_j - c_i = \sigma_{ij}$.
    pub fn jacobian_pattern(&self, sigma: &SignatureMatrix) -> Incidence {
        let pattern = sigma.pattern();
        pattern.filtered(|equation, position| self.slack_at(sigma, equation, position) == 0)
    }

    /// $d_j - c_i - \sigma_{ij}$ of the entry of `equation` at a position of the pattern.
    pub(super) fn slack_at(&self, sigma: &SignatureMatrix, equation: usize, position: usize) -> u32 {
        let unknown = sigma.pattern().unknown_at(position);
        self.unknowns[unknown] - self.equations[equation] - sigma.order_at(position)
    }
}

/// The least offsets of a signature matrix, starting from the valid ones of its transversal.
pub fn canonical_offsets(sigma: &SignatureMatrix, valid: &HighestValueTransversal) -> Offsets {
    let HighestValueTransversal { transversal, offsets } = valid;
    // What each equation's offset exceeds the least one by is the distance that the others leave it at.
    let mut excess = offsets.equations.clone();
    let mut queue: BinaryHeap<_> = excess.iter().enumerate().map(|(equation, &at)| Reverse((at, equation))).collect();
    while let Some(Reverse((distance, equation))) = queue.pop() {
        if distance > excess[equation] {
            continue;
        }
        for position in sigma.pattern().positions(equation) {
            let next = transversal.equation_of(sigma.pattern().unknown_at(position));
            let offer = distance + offsets.slack_at(sigma, equation, position);
            if offer < excess[next] {
                excess[next] = offer;
                queue.push(Reverse((offer, next)));
            }
        }
    }
    let equations = (0..excess.len()).map(|equation| offsets.equations[equation] - excess[equation]).collect();
    let unknowns =
        (0..excess.len()).map(|unknown| offsets.unknowns[unknown] - excess[transversal.equation_of(unknown)]).collect();
    Offsets { equations, unknowns }
}
