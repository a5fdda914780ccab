//! Models derived from another description.
//!
//! In: energies with constraints and forces, dynamics with costs, or a generator on a Lie group, as expressions. Out: the equations they stand for,
//! and the parts of the textbook form as data ([`crate::model::Derivation`]). Nothing here knows the text; `lower`
//! passes on what it found there.
//!
//! | file | what | source |
//! |---|---|---|
//! | `mechanical_system.rs`, `lagrangian.rs`, `energy.rs`, `inertia.rs` | Euler–Lagrange equations with multipliers | Hairer & Wanner II, Sect. VII.1, eqs. (1.41)–(1.46) |
//! | `hamiltonian.rs` | canonical equations with multipliers | E. Hairer, *Solving Differential Equations on Manifolds*, 2011, sect. V.4 |
//! | `optimal_control.rs` | state, adjoint and stationarity equations with boundary conditions; constraints by multipliers and barriers | Hairer & Wanner II, Sect. VII.1, eqs. (1.33)–(1.39) |
//! | `lie_group.rs`, `lie_algebra.rs`, `lie_start.rs` | matrices on Lie groups, with proofs that generators are in the Lie algebra | Hairer, *Solving Differential Equations on Manifolds* (2011), sect. II.4 |

mod energy;
pub mod hamiltonian;
mod inertia;
pub mod lagrangian;
mod lie_algebra;
pub mod lie_group;
pub mod lie_start;
mod mechanical_system;
pub mod optimal_control;

use crate::expr::{Dag, Expr, Symbol, UnknownId, symbols};

/// The names of symbols in messages.
pub type Names<'a> = &'a dyn Fn(Symbol) -> String;

/// The unknowns and derivatives of unknowns that occur in an expression, ascending.
fn jets(dag: &Dag, expr: Expr) -> Vec<(UnknownId, u32)> {
    let jet = |symbol| match symbol {
        Symbol::Unknown { unknown, order } => Some((unknown, order)),
        _ => None,
    };
    symbols(dag, [expr]).into_iter().filter_map(jet).collect()
}
