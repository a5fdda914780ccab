//! Mechanical systems as data.
//!
//! In: what a text declares. Out: the [`Lagrangian`] of a system with its coordinates, energies, forces and holonomic
//! constraints, and the roles that its unknowns have in it.

use std::collections::HashMap;

use super::jets;
use crate::expr::{Dag, Expr, Rational, Symbol, UnknownId};
use crate::origin::Origin;

/// A generalised coordinate.
#[derive(Clone, Copy, Debug)]
pub struct Coordinate {
    /// $q_k$.
    pub unknown: UnknownId,
    /// $u_k$, if the derivative has a name.
    pub velocity: Option<UnknownId>,
    /// Where it is declared as a coordinate.
    pub origin: Origin,
}

impl Coordinate {
    /// $u_k$ as a symbol.
    pub fn rate(self) -> Symbol {
        match self.velocity {
            Some(unknown) => Symbol::Unknown { unknown, order: 0 },
            None => Symbol::Unknown { unknown: self.unknown, order: 1 },
        }
    }
}

/// A function of time, coordinates and velocities.
#[derive(Clone, Copy, Debug)]
pub struct Energy {
    /// Its name in messages: `kinetic energy`.
    pub name: &'static str,
    /// The expression.
    pub value: Expr,
    /// Where it stands.
    pub origin: Origin,
}

/// A holonomic constraint $0 = g(t, q)$.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// $\lambda$.
    pub multiplier: UnknownId,
    /// $g$.
    pub residual: Expr,
    /// The unknowns in it as written, ascending, with their highest orders.
    pub incidence: Vec<(UnknownId, u32)>,
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// Where it stands.
    pub origin: Origin,
}

/// A mechanical system.
#[derive(Clone, Debug, Default)]
pub struct Lagrangian {
    /// $q$.
    pub coordinates: Vec<Coordinate>,
    /// Terms of $L$ with their signs.
    pub energies: Vec<(Rational, Energy)>,
    /// $R$.
    pub dissipation: Option<Energy>,
    /// Terms of $Q$: the coordinate, by its position, and the force.
    pub forces: Vec<(usize, Expr)>,
    /// $g$.
    pub constraints: Vec<Constraint>,
}

/// The role of an unknown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Coordinate,
    Velocity,
    Multiplier,
}

/// The roles of unknowns.
pub(super) struct Roles(HashMap<UnknownId, Role>);

impl Roles {
    pub(super) fn of(system: &Lagrangian) -> Self {
        let coordinates = system.coordinates.iter().map(|c| (c.unknown, Role::Coordinate));
        let velocities = system.coordinates.iter().filter_map(|c| Some((c.velocity?, Role::Velocity)));
        let multipliers = system.constraints.iter().map(|c| (c.multiplier, Role::Multiplier));
        Roles(coordinates.chain(velocities).chain(multipliers).collect())
    }

    /// The unknowns of an expression that have a role, with the orders of their derivatives.
    pub(super) fn of_expression(&self, dag: &Dag, expr: Expr) -> Vec<(Symbol, u32, Role)> {
        let part = |(unknown, order)| Some((Symbol::Unknown { unknown, order }, order, *self.0.get(&unknown)?));
        jets(dag, expr).into_iter().filter_map(part).collect()
    }
}
