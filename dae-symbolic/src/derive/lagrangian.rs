//! Euler–Lagrange equations.
//!
//! In: coordinates $q$, a Lagrangian $L(t, q, q')$, holonomic constraints $0 = g(t, q)$ with a multiplier each,
//! Rayleigh's dissipation function $R$ and forces $Q$. Out: the equations
//!
//! $$ q' = u, \qquad \frac{\mathrm d}{\mathrm d t} L_u - L_q = Q - R_u - G^\top \lambda, \qquad 0 = g, $$
//!
//! first $q' = u$ for velocities that have names, then the equations of motion in the order of the coordinates, then
//! the constraints. This is Hairer & Wanner II, Sect. VII.1, eq. (1.42) for the Lagrangian $L - \lambda^\top g$ of eq.
//! (1.44): a multiplier is the force with which the constraint `0 = g` resists a growing $g$; the residual of
//! `left = right` is $g =$ `left` $-$ `right`. Expanded by the chain rule as in eq. (1.43) it is eq. (1.46),
//! $M u' = f - G^\top \lambda$ with $M = L_{uu}$.

use super::Names;
use super::energy::{check_constraint, check_dissipation, check_energy};
use super::inertia::check_inertia;
use super::mechanical_system::Roles;
pub use super::mechanical_system::{Constraint, Coordinate, Energy, Lagrangian};
use crate::diagnostic::Diagnostics;
use crate::expr::{Dag, Expr, Rational, Symbol, UnknownId, gradient, substitute};
use crate::model::{Domain, Entries, Equation, Mechanics, incidence, residual};
use std::collections::HashMap;

/// The equations of motion, and the parts that they were derived from.
#[derive(Clone, Debug)]
pub struct EulerLagrange {
    /// $q' = u$, the equations of motion, the constraints.
    pub equations: Vec<Equation>,
    /// The parts; positions of equations are counted from the first of the derived ones.
    pub mechanics: Mechanics,
}

/// Derives the equations of a mechanical system.
///
/// # Errors
/// If an energy contains accelerations or multipliers, the dissipation function no velocity, or a constraint
/// velocities, multipliers or no coordinate; or if a motion has neither inertia nor a constraint.
pub fn derive(dag: &mut Dag, system: &Lagrangian, names: Names<'_>) -> Result<EulerLagrange, Diagnostics> {
    let mut found = Diagnostics::new();
    let roles = Roles::of(system);
    let energies = system.energies.iter().map(|(_, energy)| energy).chain(&system.dissipation);
    for energy in energies {
        check_energy(dag, &roles, energy, names, &mut found);
    }
    if let Some(dissipation) = &system.dissipation {
        check_dissipation(dag, &roles, dissipation, &mut found);
    }
    for constraint in &system.constraints {
        check_constraint(dag, &roles, constraint, names, &mut found);
    }
    if !found.is_empty() {
        return Err(found);
    }
    let parts = Parts::of(dag, system);
    check_inertia(dag, system, &parts.mass, &parts.jacobian, names)?;
    Ok(parts.equations(dag, system, names))
}

/// The energy $L_u u - L$: constant if $L$ and the constraints do not depend on time, and no other forces act (Jacobi's
/// integral).
pub fn energy(dag: &mut Dag, mechanics: &Mechanics) -> Expr {
    let lagrangian = mechanics.lagrangian;
    let mut terms = vec![(Rational::MINUS_ONE, lagrangian)];
    for (velocity, partial) in gradient(dag, lagrangian, |symbol| mechanics.velocities.contains(&symbol)) {
        let velocity = dag.symbol(velocity);
        terms.push((Rational::ONE, dag.mul(velocity, partial)));
    }
    dag.sum(terms)
}

/// $L$ and the quantities derived from it.
struct Parts {
    lagrangian: Expr,
    mass: Entries,
    /// $f$.
    force: Vec<Expr>,
    jacobian: Entries,
}

impl Parts {
    fn of(dag: &mut Dag, system: &Lagrangian) -> Self {
        let velocities = Velocities::of(system);
        let lagrangian = dag.sum(system.energies.iter().map(|(sign, energy)| (sign.clone(), energy.value)));
        let lagrangian = velocities.named(dag, lagrangian);
        let mut by_coordinate = HashMap::new();
        let mut by_velocity = HashMap::new();
        for (symbol, partial) in gradient(dag, lagrangian, |symbol| velocities.is_coordinate(symbol)) {
            by_coordinate.insert(symbol, partial);
        }
        for (symbol, partial) in gradient(dag, lagrangian, |symbol| velocities.position(symbol).is_some()) {
            by_velocity.insert(symbol, partial);
        }
        let mut forces = velocities.given_forces(dag, system);
        let mut mass = Entries::new();
        for (k, coordinate) in system.coordinates.iter().enumerate() {
            let place = Symbol::Unknown { unknown: coordinate.unknown, order: 0 };
            forces[k].extend(by_coordinate.get(&place).map(|&partial| (Rational::ONE, partial)));
            let Some(&momentum) = by_velocity.get(&coordinate.rate()) else { continue };
            for (symbol, partial) in gradient(dag, momentum, moves) {
                match velocities.position(symbol) {
                    Some(l) => mass.push((k, l, partial)),
                    None => {
                        let rate = velocities.rate(dag, symbol);
                        let term = dag.mul(partial, rate);
                        forces[k].push((Rational::MINUS_ONE, term));
                    }
                }
            }
        }
        mass.sort_by_key(|&(k, l, _)| (k, l));
        let force = forces.into_iter().map(|terms| dag.sum(terms)).collect();
        Parts { lagrangian, mass, force, jacobian: jacobian(dag, system, &velocities) }
    }

    fn equations(self, dag: &mut Dag, system: &Lagrangian, names: Names<'_>) -> EulerLagrange {
        let mut equations = kinematics(dag, system, names);
        let mut motion: Vec<Vec<(Rational, Expr)>> =
            self.force.iter().map(|&force| vec![(Rational::MINUS_ONE, force)]).collect();
        for &(k, l, entry) in &self.mass {
            let acceleration = acceleration(dag, system.coordinates[l]);
            motion[k].push((Rational::ONE, dag.mul(entry, acceleration)));
        }
        for &(i, k, entry) in &self.jacobian {
            let multiplier = unknown(dag, system.constraints[i].multiplier, 0);
            motion[k].push((Rational::ONE, dag.mul(entry, multiplier)));
        }
        for (terms, coordinate) in motion.into_iter().zip(&system.coordinates) {
            let residual = dag.sum(terms);
            let name = names(Symbol::Unknown { unknown: coordinate.unknown, order: 0 });
            equations.push(Equation {
                name: format!("motion of {name}"),
                docs: vec![format!("Euler–Lagrange equation of `{name}`.")],
                residual,
                incidence: incidence(dag, [residual]),
                domain: Domain::scalar(),
                origin: coordinate.origin,
            });
        }
        equations.extend(system.constraints.iter().map(|constraint| Equation {
            name: format!("constraint of {}", names(Symbol::Unknown { unknown: constraint.multiplier, order: 0 })),
            docs: constraint.docs.clone(),
            residual: constraint.residual,
            incidence: constraint.incidence.clone(),
            domain: Domain::scalar(),
            origin: constraint.origin,
        }));
        let mechanics = Mechanics {
            equations: 0..equations.len(),
            lagrangian: self.lagrangian,
            coordinates: system.coordinates.iter().map(|c| c.unknown).collect(),
            velocities: system.coordinates.iter().map(|c| c.rate()).collect(),
            multipliers: system.constraints.iter().map(|c| c.multiplier).collect(),
            mass: self.mass,
            force: self.force,
            constraints: system.constraints.iter().map(|c| c.residual).collect(),
            jacobian: self.jacobian,
        };
        EulerLagrange { equations, mechanics }
    }
}

fn unknown(dag: &mut Dag, unknown: UnknownId, order: u32) -> Expr {
    dag.symbol(Symbol::Unknown { unknown, order })
}

/// $u_k'$.
fn acceleration(dag: &mut Dag, coordinate: Coordinate) -> Expr {
    match coordinate.velocity {
        Some(velocity) => unknown(dag, velocity, 1),
        None => unknown(dag, coordinate.unknown, 2),
    }
}

/// Whether a symbol changes in time.
fn moves(symbol: Symbol) -> bool {
    matches!(symbol, Symbol::Time | Symbol::Input { .. } | Symbol::Unknown { .. })
}

/// $q' = u$ for velocities that have names.
fn kinematics(dag: &mut Dag, system: &Lagrangian, names: Names<'_>) -> Vec<Equation> {
    let mut equations = Vec::new();
    for coordinate in &system.coordinates {
        let Some(velocity) = coordinate.velocity else { continue };
        let (rate, velocity) = (unknown(dag, coordinate.unknown, 1), unknown(dag, velocity, 0));
        let residual = residual(dag, rate, velocity);
        let name = |symbol| names(symbol);
        let position = name(Symbol::Unknown { unknown: coordinate.unknown, order: 0 });
        equations.push(Equation {
            name: format!("velocity of {position}"),
            docs: vec![format!("`{}` is the velocity of `{position}`.", name(coordinate.rate()))],
            residual,
            incidence: incidence(dag, [residual]),
            domain: Domain::scalar(),
            origin: coordinate.origin,
        });
    }
    equations
}

/// $G$.
fn jacobian(dag: &mut Dag, system: &Lagrangian, velocities: &Velocities) -> Entries {
    let mut entries = Entries::new();
    for (i, constraint) in system.constraints.iter().enumerate() {
        let mut row: Vec<(usize, Expr)> = gradient(dag, constraint.residual, |s| velocities.is_coordinate(s))
            .into_iter()
            .filter_map(|(symbol, partial)| Some((velocities.coordinate(symbol)?, partial)))
            .collect();
        row.sort_by_key(|&(k, _)| k);
        entries.extend(row.into_iter().map(|(k, partial)| (i, k, partial)));
    }
    entries
}

/// The symbols of coordinates and velocities.
struct Velocities {
    coordinates: HashMap<UnknownId, usize>,
    rates: Vec<Symbol>,
    positions: HashMap<Symbol, usize>,
}

impl Velocities {
    fn of(system: &Lagrangian) -> Self {
        let rates: Vec<Symbol> = system.coordinates.iter().map(|c| c.rate()).collect();
        Velocities {
            coordinates: system.coordinates.iter().enumerate().map(|(k, c)| (c.unknown, k)).collect(),
            positions: rates.iter().enumerate().map(|(k, &rate)| (rate, k)).collect(),
            rates,
        }
    }

    /// $k$ if the symbol is $q_k$.
    fn coordinate(&self, symbol: Symbol) -> Option<usize> {
        match symbol {
            Symbol::Unknown { unknown, order: 0 } => self.coordinates.get(&unknown).copied(),
            _ => None,
        }
    }

    fn is_coordinate(&self, symbol: Symbol) -> bool {
        self.coordinate(symbol).is_some()
    }

    /// $k$ if the symbol is $u_k$.
    fn position(&self, symbol: Symbol) -> Option<usize> {
        self.positions.get(&symbol).copied()
    }

    /// The expression with $q'$ written as $u$.
    fn named(&self, dag: &mut Dag, expr: Expr) -> Expr {
        substitute(dag, &[expr], |dag, symbol| match symbol {
            Symbol::Unknown { unknown, order: 1 } => self.coordinates.get(&unknown).map(|&k| dag.symbol(self.rates[k])),
            _ => None,
        })[0]
    }

    /// The derivative of a symbol in time; $u$ for $q$.
    fn rate(&self, dag: &mut Dag, symbol: Symbol) -> Expr {
        if let Some(k) = self.coordinate(symbol) {
            return dag.symbol(self.rates[k]);
        }
        match symbol {
            Symbol::Time => dag.integer(1),
            Symbol::Unknown { unknown, order } => dag.symbol(Symbol::Unknown { unknown, order: order + 1 }),
            Symbol::Input { input, order } => dag.symbol(Symbol::Input { input, order: order + 1 }),
            Symbol::Parameter(_) | Symbol::State(_) | Symbol::StateDerivative(_) => dag.integer(0),
        }
    }

    /// $Q - R_u$, as terms.
    fn given_forces(&self, dag: &mut Dag, system: &Lagrangian) -> Vec<Vec<(Rational, Expr)>> {
        let mut forces = vec![Vec::new(); self.rates.len()];
        for &(k, force) in &system.forces {
            forces[k].push((Rational::ONE, self.named(dag, force)));
        }
        if let Some(dissipation) = &system.dissipation {
            let dissipation = self.named(dag, dissipation.value);
            for (symbol, partial) in gradient(dag, dissipation, |symbol| self.position(symbol).is_some()) {
                if let Some(k) = self.position(symbol) {
                    forces[k].push((Rational::MINUS_ONE, partial));
                }
            }
        }
        forces
    }
}
