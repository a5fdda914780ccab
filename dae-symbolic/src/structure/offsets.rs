//! Canonical offsets (Pryce 2001): how many times each equation has to be differentiated.
//!
//! In: the signature matrix and the pair $(c, d)$ that [`highest_value_transversal`](super::highest_value_transversal)
//! returns. Out: the structural index, the degrees of freedom, and the pattern of the system Jacobian.
//!
//! A pair of offsets is *valid* if, with equality on some transversal $T$,
//! $$ d_j - c_i \ge \sigma_{ij}, \qquad c, d \ge 0. $$
//! Equation $f_i$ is then needed up to its $c_i$-th derivative, and the derivatives determine $x_j^{(d_j)}$. Among all
//! valid pairs one, the *canonical* $(c^\ast, d^\ast)$, is least in every component. Pryce finds it by iterating
//! $d_j \leftarrow \max_i (\sigma_{ij} + c_i)$, $c_i \leftarrow d_{T(i)} - \sigma_{i T(i)}$ from $c = 0$, which is
//! quadratic on chains. Here it comes with the transversal.
//!
//! # Why the offsets of the transversal are canonical
//!
//! Let $T^\ast$ be a transversal that is tight with the canonical offsets. The offsets start at or below
//! $(c^\ast, d^\ast)$, with $d_j = \max_i \sigma_{ij}$ and $c_i = \min_j (d_j - \sigma_{ij})$: for $j = T^\ast(i)$ this
//! is at most $d_j^\ast - \sigma_{ij} = c_i^\ast$. They rise only in steps of this kind (a longer raise is several of
//! them): tight paths from the equations without an unknown reach the equations $R$ and their tight unknowns, but no
//! unknown without an equation; the offsets of all that are reached rise by one.
//!
//! No step goes too far. Let $S \subseteq R$ be the equations that have $c_i = c_i^\ast$ already, and $j = T^\ast(i)$
//! for an $i \in S$. Then
//! $$ d_j^\ast = c_i^\ast + \sigma_{ij} = c_i + \sigma_{ij} \le d_j \le d_j^\ast, $$
//! so $(i, j)$ is tight now, and $j$ is reached. No $k \in R$ outside $S$ is tight with $j$, because
//! $d_j = d_j^\ast \ge c_k^\ast + \sigma_{kj} \gt c_k + \sigma_{kj}$. So the $|S|$ unknowns $T^\ast(S)$, each of which
//! is reached and therefore matched with a tight equation of $R$, are matched with all of $S$. A matched equation is
//! reached through its unknown alone, so the paths neither start in $S$ nor enter it: $S$ is empty. Nor does an unknown
//! with $d_j = d_j^\ast$ rise, because the equation matched with it would be in $S$. This is Pantelides' algorithm in
//! leaps.

use super::Incidence;
use super::signature::SignatureMatrix;

/// A pair $(c, d)$, one number for each equation and each unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offsets {
    /// $c_i$, the number of times that equation $i$ is differentiated.
    pub equations: Vec<u32>,
    /// $d_j$: the order of the derivative of unknown $j$ that the differentiated equations determine.
    pub unknowns: Vec<u32>,
}

impl Offsets {
    /// $\max_i c_i$, and one more if some $d_j = 0$ (Pryce 2001): a bound on the differentiation index
    /// wherever the system Jacobian is nonsingular.
    pub(super) fn structural_index(&self) -> u32 {
        let algebraic = self.unknowns.contains(&0);
        self.equations.iter().max().map_or(0, |&most| most + u32::from(algebraic))
    }

    /// $\sum_j d_j - \sum_i c_i$, the value of the transversal: the dimension of the set of consistent values wherever
    /// the system Jacobian is nonsingular.
    pub(super) fn degrees_of_freedom(&self) -> usize {
        let sum = |offsets: &[u32]| offsets.iter().map(|&offset| offset as usize).sum::<usize>();
        sum(&self.unknowns) - sum(&self.equations)
    }

    /// The pattern of the system Jacobian $\partial f_i^{(c_i)} / \partial x_j^{(d_j)} = \partial f_i / \partial
    /// x_j^{(d_j - c_i)}$: the entries with $d_j - c_i = \sigma_{ij}$.
    pub(super) fn jacobian_pattern(&self, sigma: &SignatureMatrix) -> Incidence {
        let pattern = sigma.pattern();
        pattern.filtered(|equation, position| self.slack_at(sigma, equation, position) == 0)
    }

    /// $d_j - c_i - \sigma_{ij}$ of the entry of `equation` at a position of the pattern.
    pub(super) fn slack_at(&self, sigma: &SignatureMatrix, equation: usize, position: usize) -> u32 {
        let unknown = sigma.pattern().unknown_at(position);
        self.unknowns[unknown] - self.equations[equation] - sigma.order_at(position)
    }
}
