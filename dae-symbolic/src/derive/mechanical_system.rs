//! Mechanical systems as data.
//!
//! In: energies, forces and constraints as expressions. Out: a mechanical system, the type [`Lagrangian`], and the
//! roles that unknowns have in it.

use std::collections::HashMap;

use super::jets;
use crate::expr::{Dag, Expr, Rational, Symbol, UnknownId};
use crate::origin::Origin;

/// A generalised coordinate.
#[derive(Clone, Copy, Debug)]
pub struct Coordinate {
    /// $q_k$.
    pub unknown: UnknownId,
    /// $u_k$, if $q_k'$ has a name of its own.
    pub velocity: Option<UnknownId>,
    /// Where it is declared as a coordinate.
    pub origin: Origin,
}

impl Coordinate {
    /// $u_k$ as a symbol; $q_k'$ where it has no name.
    pub fn rate(self) -> Symbol {
        match self.velocity {
            Some(unknown) => Symbol::Unknown { unknown, order: 0 },
            None => Symbol::Unknown { unknown: self.unknown, order: 1 },
        }
    }
}

/// A function of time, coordinates and velocities: an energy, or the dissipation function.
#[derive(Clone, Copy, Debug)]
pub struct Energy {
    /// Its name in messages: `kinetic energy`.
    pub name: &'static str,
    /// The expression.
    pub value: Expr,
    /// Where it stands.
    pub origin: Origin,
}

/// A constraint: $0 = g(t, q)$ in mechanics, $g(t, y, u)$ in optimal control.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// The multiplier $\lambda$, or $\mu$.
    pub multiplier: UnknownId,
    /// $g$.
    pub residual: Expr,
    /// The unknowns that occur in it as written, ascending, each with its highest order of derivative.
    pub incidence: Vec<(UnknownId, u32)>,
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// Where it stands.
    pub origin: Origin,
}

/// A mechanical system.
#[derive(Clone, Debug, Default)]
pub struct Lagrangian {
    /// The coordinates $q$.
    pub coordinates: Vec<Coordinate>,
    /// The terms of the Lagrangian $L$, with their signs.
    pub energies: Vec<(Rational, Energy)>,
    /// Rayleigh's dissipation function $R$, if there is one.
    pub dissipation: Option<Energy>,
    /// The terms of the forces $Q$, each with the position of the coordinate on which it acts.
    pub forces: Vec<(usize, Expr)>,
    /// The constraints $0 = g(t, q)$.
    pub constraints: Vec<Constraint>,
}

/// The role of an unknown in a mechanical system.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Coordinate,
    Velocity,
    Multiplier,
}

/// The roles of the unknowns that have one.
pub(super) struct Roles(HashMap<UnknownId, Role>);

impl Roles {
    pub(super) fn of(system: &Lagrangian) -> Self {
        let coordinates = system.coordinates.iter().map(|c| (c.unknown, Role::Coordinate));
        let velocities = system.coordinates.iter().filter_map(|c| Some((c.velocity?, Role::Velocity)));
        let multipliers = system.constraints.iter().map(|c| (c.multiplier, Role::Multiplier));
        Roles(coordinates.chain(velocities).chain(multipliers).collect())
    }

    /// The jets in an expression whose unknowns have a role, each with its order and that role.
    pub(super) fn of_expression(&self, dag: &Dag, expr: Expr) -> Vec<(Symbol, u32, Role)> {
        let part = |(unknown, order)| Some((Symbol::Unknown { unknown, order }, order, *self.0.get(&unknown)?));
        jets(dag, expr).into_iter().filter_map(part).collect()
    }
}
