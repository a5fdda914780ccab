//! Canonical equations.
//!
//! In: coordinates $q$ with momenta $p$, a Hamiltonian $H(t, p, q)$, holonomic constraints $0 = g(t, q)$ with a multiplier
//! each, and forces $Q$. Out: the equations
//!
//! $$ q' = H_p, \qquad p' = -H_q + Q - G^\top \lambda, \qquad 0 = g, \qquad G = \frac{\partial g}{\partial q}, $$
//!
//! first $q'$, then $p'$, both in the order of the coordinates, then the constraints (E. Hairer, *Solving Differential
//! Equations on Manifolds*, 2011, sect. V.4). The residual of a constraint `left = right` is $g =$ `left` $-$ `right`.

use std::collections::HashMap;

use super::mechanical_system::{Constraint, Energy};
use super::{Names, jets};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Dag, Expr, Rational, Symbol, UnknownId, gradient};
use crate::model::{Canonical, Domain, Entries, Equation, incidence};
use crate::origin::Origin;

/// A coordinate with its momentum.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// $q_k$.
    pub coordinate: UnknownId,
    /// $p_k$.
    pub momentum: UnknownId,
    /// Where the coordinate is declared as one.
    pub origin: Origin,
}

/// A Hamiltonian system with constraints and forces.
#[derive(Clone, Debug, Default)]
pub struct Hamiltonian {
    /// $q$ and $p$.
    pub pairs: Vec<Pair>,
    /// The terms of $H$.
    pub energies: Vec<Energy>,
    /// The terms of the forces $Q$, each with the position of the coordinate on which it acts.
    pub forces: Vec<(usize, Expr)>,
    /// The constraints $0 = g(t, q)$.
    pub constraints: Vec<Constraint>,
}

/// The canonical equations, and the parts that they were derived from.
#[derive(Clone, Debug)]
pub struct CanonicalEquations {
    /// $q' = H_p$, $p' = -H_q + Q - G^\top \lambda$, the constraints.
    pub equations: Vec<Equation>,
    /// The parts; positions of equations are counted from the first of the derived ones.
    pub canonical: Canonical,
}

/// The role of an unknown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Coordinate,
    Momentum,
    Multiplier,
}

/// Derives the equations.
///
/// # Errors
/// If an energy contains derivatives or multipliers, or a constraint anything but time and coordinates.
pub fn derive(dag: &mut Dag, system: &Hamiltonian, names: Names<'_>) -> Result<CanonicalEquations, Diagnostics> {
    let mut found = Diagnostics::new();
    let coordinates = system.pairs.iter().map(|pair| (pair.coordinate, Role::Coordinate));
    let momenta = system.pairs.iter().map(|pair| (pair.momentum, Role::Momentum));
    let multipliers = system.constraints.iter().map(|constraint| (constraint.multiplier, Role::Multiplier));
    let roles: HashMap<UnknownId, Role> = coordinates.chain(momenta).chain(multipliers).collect();
    for energy in &system.energies {
        check_energy(dag, &roles, energy, names, &mut found);
    }
    for constraint in &system.constraints {
        check_constraint(dag, &roles, constraint, names, &mut found);
    }
    if !found.is_empty() {
        return Err(found);
    }
    let hamiltonian = dag.sum(system.energies.iter().map(|energy| (Rational::ONE, energy.value)));
    Ok(equations(dag, system, hamiltonian, names))
}

fn check_energy(
    dag: &Dag,
    roles: &HashMap<UnknownId, Role>,
    energy: &Energy,
    names: Names<'_>,
    found: &mut Diagnostics,
) {
    for (unknown, order) in jets(dag, energy.value) {
        let (what, help) = match roles.get(&unknown) {
            Some(Role::Coordinate) if order == 1 => (
                "a velocity",
                "a Hamiltonian depends on coordinates and momenta: write it in momenta, or give energies in velocities in a `lagrangian` block",
            ),
            Some(Role::Coordinate | Role::Momentum) if order > 0 => {
                ("a derivative", "a Hamiltonian depends on time, coordinates and momenta only")
            }
            Some(Role::Multiplier) => {
                ("a multiplier", "write the constraint alone: its forces with the multiplier are derived from it")
            }
            Some(Role::Coordinate | Role::Momentum) | None => continue,
        };
        let name = names(Symbol::Unknown { unknown, order });
        let message = format!("the {} contains `{name}`, {what}", energy.name);
        let finding = Diagnostic::error(Code::InvalidEnergy, message).label(energy.origin, "in this expression");
        found.push(finding.help(help));
    }
}

/// Only one fault of a constraint is reported.
fn check_constraint(
    dag: &Dag,
    roles: &HashMap<UnknownId, Role>,
    constraint: &Constraint,
    names: Names<'_>,
    found: &mut Diagnostics,
) {
    let mut coordinate = false;
    for (unknown, order) in jets(dag, constraint.residual) {
        let name = names(Symbol::Unknown { unknown, order });
        let (what, help) = match roles.get(&unknown) {
            Some(Role::Coordinate) if order == 0 => {
                coordinate = true;
                continue;
            }
            Some(Role::Coordinate | Role::Momentum) => {
                let what = if roles[&unknown] == Role::Momentum { "the momentum" } else { "the velocity" };
                let help = "if it follows from a constraint between coordinates by differentiation, write that one; for a nonholonomic \
                            one write the equation beside the block, with a multiplier `mu` of its own, and its forces as `force(q) = -mu * a;` \
                            for every coordinate `q`";
                (what, help)
            }
            Some(Role::Multiplier) => {
                ("the multiplier", "write an equation that determines a multiplier beside the block")
            }
            None => continue,
        };
        let message = format!("the constraint contains {what} `{name}`");
        let finding = Diagnostic::error(Code::InvalidConstraint, message)
            .label(constraint.origin, "not a constraint between coordinates");
        return found.push(
            finding.note("constraints of a Hamiltonian are holonomic: they depend on time and coordinates").help(help),
        );
    }
    if !coordinate {
        let finding = Diagnostic::error(Code::InvalidConstraint, "the constraint contains no coordinate")
            .label(constraint.origin, "its multiplier would act on nothing");
        found.push(finding.help("write it as an equation beside the block"));
    }
}

fn equations(dag: &mut Dag, system: &Hamiltonian, hamiltonian: Expr, names: Names<'_>) -> CanonicalEquations {
    let unknown = |unknown: UnknownId| Symbol::Unknown { unknown, order: 0 };
    let is_own = |symbol| system.pairs.iter().any(|p| unknown(p.coordinate) == symbol || unknown(p.momentum) == symbol);
    let partials: HashMap<Symbol, Expr> = gradient(dag, hamiltonian, is_own).into_iter().collect();
    let jacobian = jacobian(dag, system);
    let mut forces = vec![Vec::new(); system.pairs.len()];
    system.forces.iter().for_each(|&(k, force)| forces[k].push((Rational::ONE, force)));
    let forces: Vec<Expr> = forces.into_iter().map(|terms| dag.sum(terms)).collect();
    let mut equations = Vec::new();
    let mut add = |dag: &Dag, name: String, docs: String, residual: Expr, origin: Origin| {
        let (incidence, domain) = (incidence(dag, [residual]), Domain::scalar());
        equations.push(Equation { name, docs: vec![docs], residual, incidence, domain, origin });
    };
    for pair in &system.pairs {
        let mut terms = vec![(Rational::ONE, dag.symbol(Symbol::Unknown { unknown: pair.coordinate, order: 1 }))];
        terms.extend(partials.get(&unknown(pair.momentum)).map(|&partial| (Rational::MINUS_ONE, partial)));
        let (residual, name) = (dag.sum(terms), names(unknown(pair.coordinate)));
        let doc =
            format!("The derivative of `{name}` is that of the Hamiltonian by `{}`.", names(unknown(pair.momentum)));
        add(dag, format!("velocity of {name}"), doc, residual, pair.origin);
    }
    for (k, pair) in system.pairs.iter().enumerate() {
        let mut terms = vec![(Rational::ONE, dag.symbol(Symbol::Unknown { unknown: pair.momentum, order: 1 }))];
        terms.extend(partials.get(&unknown(pair.coordinate)).map(|&partial| (Rational::ONE, partial)));
        terms.push((Rational::MINUS_ONE, forces[k]));
        for &(i, _, entry) in jacobian.iter().filter(|&&(_, l, _)| l == k) {
            let multiplier = dag.symbol(unknown(system.constraints[i].multiplier));
            terms.push((Rational::ONE, dag.mul(entry, multiplier)));
        }
        let (residual, name) = (dag.sum(terms), names(unknown(pair.coordinate)));
        let doc = format!("The forces on `{name}` change `{}`.", names(unknown(pair.momentum)));
        add(dag, format!("motion of {name}"), doc, residual, pair.origin);
    }
    equations.extend(system.constraints.iter().map(|constraint| Equation {
        name: format!("constraint of {}", names(unknown(constraint.multiplier))),
        docs: constraint.docs.clone(),
        residual: constraint.residual,
        incidence: constraint.incidence.clone(),
        domain: Domain::scalar(),
        origin: constraint.origin,
    }));
    let canonical = Canonical {
        equations: 0..equations.len(),
        hamiltonian,
        coordinates: system.pairs.iter().map(|pair| pair.coordinate).collect(),
        momenta: system.pairs.iter().map(|pair| pair.momentum).collect(),
        multipliers: system.constraints.iter().map(|constraint| constraint.multiplier).collect(),
        forces,
        constraints: system.constraints.iter().map(|constraint| constraint.residual).collect(),
        jacobian,
    };
    CanonicalEquations { equations, canonical }
}

/// $G$.
fn jacobian(dag: &mut Dag, system: &Hamiltonian) -> Entries {
    let place = |symbol| match symbol {
        Symbol::Unknown { unknown, order: 0 } => system.pairs.iter().position(|pair| pair.coordinate == unknown),
        _ => None,
    };
    let mut entries = Entries::new();
    for (i, constraint) in system.constraints.iter().enumerate() {
        let partials = gradient(dag, constraint.residual, |symbol| place(symbol).is_some()).into_iter();
        let mut row: Vec<(usize, Expr)> =
            partials.filter_map(|(symbol, partial)| Some((place(symbol)?, partial))).collect();
        row.sort_by_key(|&(k, _)| k);
        entries.extend(row.into_iter().map(|(k, partial)| (i, k, partial)));
    }
    entries
}
