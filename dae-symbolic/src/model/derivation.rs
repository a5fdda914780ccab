//! The descriptions that equations of a model were derived from, kept for reports and for integrators that know more
//! than $F(t, x, x') = 0$.
//!
//! In: what `derive` found. Out: the parts of the textbook forms, as expressions of the model.

use std::ops::Range;

use super::{LieGroup, Model, Start};
use crate::expr::{Expr, Symbol, UnknownId};

/// A description from which equations were derived.
#[derive(Clone, Debug, PartialEq)]
pub enum Derivation {
    /// A constrained mechanical system.
    Mechanics(Mechanics),
    /// A Hamiltonian system.
    Canonical(Canonical),
    /// A problem of optimal control.
    OptimalControl(OptimalControl),
    /// A matrix that moves on a Lie group.
    LieGroup(LieGroup),
}

/// The entries $(i, k, a_{ik})$ of a matrix that are not zero, row by row.
pub type Entries = Vec<(usize, usize, Expr)>;

/// $M(q) u' = f(t, q, u) - G^\top \lambda$, $0 = g(t, q)$, $G = \partial g/\partial q$
/// (Hairer & Wanner II, Sect. VII.1, eqs. (1.44)–(1.46)).
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

/// $q' = H_p$, $p' = -H_q + Q - G^\top \lambda$, $0 = g(t, q)$, $G = \partial g/\partial q$
/// (E. Hairer, *Solving Differential Equations on Manifolds*, 2011, sect. V.4).
#[derive(Clone, Debug, PartialEq)]
pub struct Canonical {
    /// Where its equations stand among those of the model.
    pub equations: Range<usize>,
    /// $H$.
    pub hamiltonian: Expr,
    /// $q$.
    pub coordinates: Vec<UnknownId>,
    /// $p$.
    pub momenta: Vec<UnknownId>,
    /// $\lambda$.
    pub multipliers: Vec<UnknownId>,
    /// $Q$, by coordinate.
    pub forces: Vec<Expr>,
    /// $g$.
    pub constraints: Vec<Expr>,
    /// $G$.
    pub jacobian: Entries,
}

/// $y' = f$, $v' = -H_y^\top$, $0 = H_u^\top$ with $H = v^\top f + \varphi$ (Hairer & Wanner II, Sect. VII.1, eq. (1.39)), and
/// $\mu^\top g$ or barriers for constraints on the path.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimalControl {
    /// Where its equations stand among those of the model.
    pub equations: Range<usize>,
    /// $y$.
    pub states: Vec<UnknownId>,
    /// $v$.
    pub adjoints: Vec<UnknownId>,
    /// $u$.
    pub controls: Vec<UnknownId>,
    /// $g$ and $\mu$.
    pub constraints: Vec<PathConstraint>,
    /// $H$.
    pub hamiltonian: Expr,
    /// $\varphi$.
    pub running_cost: Option<Expr>,
    /// $\psi$.
    pub terminal_cost: Option<Expr>,
    /// $t_0$ and $t_1$, of constants and parameters.
    pub horizon: (Expr, Expr),
    /// $\psi_y$, by state; `None` for zero.
    pub end: Vec<Option<Expr>>,
}

/// A constraint $g(t, y, u) = 0$ or $g(t, y, u) \le 0$ on the path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathConstraint {
    /// $\mu$.
    pub multiplier: UnknownId,
    /// $g$.
    pub value: Expr,
    /// Whether it is $g \le 0$.
    pub is_inequality: bool,
}

/// An end of the horizon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// $t_0$.
    Start,
    /// $t_1$.
    End,
}

/// A boundary condition: the value of an unknown at an end of the horizon.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundaryCondition {
    /// The unknown.
    pub unknown: UnknownId,
    /// The end of the horizon.
    pub at: Boundary,
    /// The value, a function of the states at that end; `None` for zero.
    pub value: Option<Expr>,
}

impl OptimalControl {
    /// The conditions of the two-point boundary value problem, as many as states and adjoints: at $t_0$, states with a
    /// fixed start value have this value, and the adjoints of the others are zero; at $t_1$, the adjoints are $\psi_y$.
    pub fn boundary_conditions(&self, model: &Model) -> Vec<BoundaryCondition> {
        let at_start = self.states.iter().zip(&self.adjoints).map(|(&state, &adjoint)| {
            let start = model.unknowns.get(state.index()).and_then(|unknown| unknown.start.as_ref());
            match start.filter(|start| start.kind == Start::Fixed) {
                Some(start) => BoundaryCondition { unknown: state, at: Boundary::Start, value: Some(start.value) },
                None => BoundaryCondition { unknown: adjoint, at: Boundary::Start, value: None },
            }
        });
        let at_end = self.adjoints.iter().zip(&self.end);
        let at_end = at_end.map(|(&unknown, &value)| BoundaryCondition { unknown, at: Boundary::End, value });
        at_start.chain(at_end).collect()
    }
}
