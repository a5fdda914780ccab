//! What equations of a model were derived from, kept for reports and for integrators that know more than $F(t, x, x') = 0$.
//!
//! In: what `derive` found. Out: the parts of the textbook form, as expressions of the model.

use std::ops::Range;

use crate::expr::{Expr, Symbol, UnknownId};

/// A description from which equations were derived.
#[derive(Clone, Debug, PartialEq)]
pub enum Derivation {
    /// A constrained mechanical system.
    Mechanics(Mechanics),
}

/// The entries $(i, k, a_{ik})$ of a matrix that are not zero, row by row.
pub type Entries = Vec<(usize, usize, Expr)>;

/// $M(q) u' = f(t, q, u) - G^\top \lambda$, $0 = g(t, q)$, $G = \partial g/\partial q$
/// (`000_fbf9ee3ffe929a9e` eqs. (1.44)–(1.46)).
#[derive(Clone, Debug, PartialEq)]
pub struct Mechanics {
    /// Where its equations stand among those of the model.
    pub equations: Range<usize>,
    /// $L$, with $q'$ written as $u$ where velocities have names.
    pub lagrangian: Expr,
    /// $q$.
    pub coordinates: Vec<UnknownId>,
    /// $u$: unknowns, or the derivatives of the coordinates.
    pub velocities: Vec<Symbol>,
    /// $\lambda$.
    pub multipliers: Vec<UnknownId>,
    /// $M = L_{uu}$.
    pub mass: Entries,
    /// $f = L_q - (\mathrm d L_u/\mathrm d t - M u') + Q$.
    pub force: Vec<Expr>,
    /// $g$.
    pub constraints: Vec<Expr>,
    /// $G$.
    pub jacobian: Entries,
}
