//! The structure of a Hamiltonian system with holonomic constraints.
//!
//! In: nothing. Out: which unknowns and rows of a formulation are positions, momenta, multipliers and their equations.

use std::borrow::Cow;

/// Where the parts of a constrained Hamiltonian system
///
/// $$ q' = H_p(p, q), \qquad p' = -H_q(p, q) - G(q)^{\mathsf T} \lambda, \qquad 0 = g(q), \qquad G = g_q $$
///
/// are in a formulation (Hairer, *Solving Differential Equations on Manifolds*, section V.4). In place of $p$ there may
/// be other variables $w = B p$ with a constant matrix $B$, such as velocities; and multipliers may be scaled by
/// functions of $q$. Neither changes what the methods compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HamiltonianStructure {
    /// $q$, as entries of $y$.
    pub positions: Cow<'static, [usize]>,
    /// $p$ or $w$, as entries of $y$, in the order of the positions.
    pub momenta: Cow<'static, [usize]>,
    /// $\lambda$, as entries of $y$.
    pub multipliers: Cow<'static, [usize]>,
    /// The rows of $F$ that determine $q'$, and no other derivatives.
    pub position_equations: Cow<'static, [usize]>,
    /// The rows of $F$ that determine $p'$ or $w'$, with a constant matrix, and no other derivatives.
    pub momentum_equations: Cow<'static, [usize]>,
    /// $g$, as invariants.
    pub constraints: Cow<'static, [usize]>,
    /// Whether $H = T(p) + U(q)$ with a quadratic $T$: velocities are a constant matrix times momenta, and forces depend
    /// on positions only.
    pub has_constant_masses: bool,
    /// Whether the multipliers of the rows that determine $w'$ act along the columns of $G^{\mathsf T}$, so that these
    /// take the place of $\partial F/\partial\lambda$: no row is scaled otherwise than the others.
    pub has_normal_forces: bool,
}
