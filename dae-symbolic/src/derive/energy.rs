//! Checks of what energies and constraints depend on.
//!
//! In: an energy or a constraint, and the roles of the unknowns. Out: findings. The Euler–Lagrange equations apply only
//! if energies contain neither accelerations nor multipliers, and constraints neither velocities nor multipliers.
//! Both may also contain unknowns without a role, which other equations determine.

use super::Names;
use super::mechanical_system::{Constraint, Energy, Role, Roles};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::Dag;

/// Checks that an energy, or the dissipation function, contains neither derivatives beyond velocities nor multipliers.
pub(super) fn check_energy(dag: &Dag, roles: &Roles, energy: &Energy, names: Names<'_>, found: &mut Diagnostics) {
    for (symbol, order, role) in roles.of_expression(dag, energy.value) {
        let (what, help) = match role {
            Role::Coordinate if order > 1 => (
                "a derivative beyond the velocity",
                "energies depend on coordinates and velocities only; forces that depend on accelerations are written `force(…) = …;`",
            ),
            Role::Velocity if order > 0 => (
                "an acceleration",
                "energies depend on coordinates and velocities only; forces that depend on accelerations are written `force(…) = …;`",
            ),
            Role::Multiplier => {
                ("a multiplier", "write the constraint alone: its forces with the multiplier are derived from it")
            }
            Role::Coordinate | Role::Velocity => continue,
        };
        let message = format!("the {} contains `{}`, {what}", energy.name, names(symbol));
        let finding = Diagnostic::error(Code::InvalidEnergy, message).label(energy.origin, "in this expression");
        found.push(finding.help(help));
    }
}

/// Checks that the dissipation contains a velocity.
pub(super) fn check_dissipation(dag: &Dag, roles: &Roles, dissipation: &Energy, found: &mut Diagnostics) {
    let roles = roles.of_expression(dag, dissipation.value);
    if !roles.iter().any(|&(_, order, role)| role == Role::Velocity || order > 0) {
        let message = "the dissipation function contains no velocity, so that no force follows from it";
        let finding = Diagnostic::error(Code::InvalidEnergy, message).label(dissipation.origin, "no velocity in it");
        found.push(finding.note("the force on a coordinate is minus the derivative of the function by its velocity"));
    }
}

/// Checks that a constraint contains a coordinate, and neither velocities nor multipliers. Only one fault is reported.
pub(super) fn check_constraint(
    dag: &Dag,
    roles: &Roles,
    constraint: &Constraint,
    names: Names<'_>,
    found: &mut Diagnostics,
) {
    let mut coordinate = false;
    for (symbol, order, role) in roles.of_expression(dag, constraint.residual) {
        let name = names(symbol);
        let finding = match role {
            Role::Coordinate if order == 0 => {
                coordinate = true;
                continue;
            }
            Role::Coordinate | Role::Velocity => {
                let what = match (role, order) {
                    (Role::Coordinate, 1) | (Role::Velocity, 0) => format!("the velocity `{name}`"),
                    _ => format!("a derivative of `{name}` beyond the velocity"),
                };
                Diagnostic::error(Code::InvalidConstraint, format!("the constraint contains {what}"))
                    .label(constraint.origin, "not a constraint between coordinates")
                    .note("constraints of a Lagrangian are holonomic: they depend on time and coordinates")
                    .help(
                        "if it is the derivative of a constraint between coordinates, write that one; for a nonholonomic one \
                         `a·velocities = b` write the equation beside the block, with a multiplier `mu` of its own, and its forces as \
                         `force(q) = -mu * a;` for every coordinate `q`",
                    )
            }
            Role::Multiplier => {
                Diagnostic::error(Code::InvalidConstraint, format!("the constraint contains the multiplier `{name}`"))
                    .label(constraint.origin, "not a constraint between coordinates")
                    .help("write an equation that determines a multiplier beside the block")
            }
        };
        return found.push(finding);
    }
    if !coordinate {
        let finding = Diagnostic::error(Code::InvalidConstraint, "the constraint contains no coordinate")
            .label(constraint.origin, "its multiplier would act on nothing")
            .help("write it as an equation beside the block");
        found.push(finding);
    }
}
