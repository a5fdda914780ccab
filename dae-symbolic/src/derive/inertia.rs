//! Whether every motion has inertia or is constrained.
//!
//! In: mass matrix $M$ and constraint Jacobian $G$. Out: nothing, or the coordinates at fault. A motion $w \ne 0$ with
//! $M w = 0$ and $G w = 0$ has neither inertia nor a constraint: its Euler–Lagrange equation does not determine an
//! acceleration. There is none where the matrix of $M$ on top of $G$ has full column rank, which is decided at points
//! of a prime field: full rank at one of them proves full rank generically; only a smaller rank at all three counts. A
//! singular $M$ on its own is not an error: massless coordinates that constraints tie to others are legitimate.

use super::Names;
use super::mechanical_system::Lagrangian;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::prime_field::{FieldPoint, sparse_rank};
use crate::expr::{Dag, Expr, Symbol};
use crate::model::Entries;

/// Points at which the rank must be deficient before it counts as such.
const POINTS: u64 = 3;

/// Rejects systems with motions that have neither inertia nor a constraint.
pub(super) fn check_inertia(
    dag: &Dag,
    system: &Lagrangian,
    mass: &Entries,
    jacobian: &Entries,
    names: Names<'_>,
) -> Result<(), Diagnostics> {
    let n = system.coordinates.len();
    let name = |k: usize| names(Symbol::Unknown { unknown: system.coordinates[k].unknown, order: 0 });
    let columns = columns(n, mass, jacobian);
    let mut found = Diagnostics::new();
    for k in (0..n).filter(|&k| columns[k].is_empty()) {
        let message = format!("the coordinate `{}` has no kinetic energy: the mass matrix is singular", name(k));
        let finding = Diagnostic::error(Code::SingularMass, message)
            .label(system.coordinates[k].origin, "its velocity does not occur in the kinetic energy as a square")
            .help("add its kinetic energy; if it has no inertia, take it out of the coordinates and write its equation beside the block");
        found.push(finding);
    }
    if !found.is_empty() {
        return Err(found);
    }
    let deficient =
        |count: usize| (0..POINTS).all(|seed| rank(dag, &columns[..count], seed).is_some_and(|r| r < count));
    if !deficient(n) {
        return Ok(());
    }
    let k = (1..=n).find(|&count| deficient(count)).unwrap_or(n) - 1;
    let others: Vec<String> =
        (0..k).filter(|&l| meets(&columns[k], &columns[l])).map(|l| format!("`{}`", name(l))).collect();
    let message =
        format!("the mass matrix is singular: `{}` has no inertia of its own beside {}", name(k), others.join(", "));
    let finding = Diagnostic::error(Code::SingularMass, message)
        .label(system.coordinates[k].origin, "its velocity enters the kinetic energy only together with others")
        .help("add the missing kinetic energy, or describe the system by fewer coordinates");
    Err(finding.into())
}

/// The nonzero entries of each column of $M$ on top of $G$.
fn columns(n: usize, mass: &Entries, jacobian: &Entries) -> Vec<Vec<(usize, Expr)>> {
    let mut columns = vec![Vec::new(); n];
    for &(k, l, entry) in mass {
        columns[l].push((k, entry));
    }
    for &(i, k, entry) in jacobian {
        columns[k].push((n + i, entry));
    }
    columns
}

fn meets(a: &[(usize, Expr)], b: &[(usize, Expr)]) -> bool {
    a.iter().any(|(row, _)| b.iter().any(|(other, _)| row == other))
}

/// The rank of the columns at a point; `None` if they have no value there.
fn rank(dag: &Dag, columns: &[Vec<(usize, Expr)>], seed: u64) -> Option<usize> {
    let entries: Vec<Expr> = columns.iter().flatten().map(|&(_, entry)| entry).collect();
    let values = FieldPoint::new(seed).evaluate(dag, &entries).ok()?.values;
    let mut values = values.into_iter();
    let transposed: Vec<Vec<(usize, u64)>> =
        columns.iter().map(|column| column.iter().map(|&(row, _)| row).zip(values.by_ref()).collect()).collect();
    Some(sparse_rank(&transposed))
}
