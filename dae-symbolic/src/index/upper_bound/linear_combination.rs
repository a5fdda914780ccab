//! Misleading structure: equations are combined until the system Jacobian is generically regular, or no combination
//! helps.
//!
//! In: the text, or as many of its equations as there are unknowns. Out: the working system, its structure, whether its
//! Jacobian is generically nonsingular, and every replacement on the way with the equation before and after.

use super::generic;
use super::offsets::{lifted, undifferentiated};
use super::pivots::nonzero_at_start;
use super::rewrite::Rewrite;
use super::structure::structure_of_system;
use crate::diagnostic::Diagnostics;
use crate::expr::Expr;
use crate::index::certificate::GenericRegularity;
use crate::index::limits;
use crate::index::problem::{self, Problem};
use crate::model::Model;
use crate::structure::{Offsets, Structure};
use crate::system::{Combination, System, combine};

/// The working system and whether its Jacobian is generically nonsingular.
pub(crate) struct WorkingSystem {
    pub(crate) system: System,
    pub(crate) structure: Structure,
    pub(crate) rewrites: Vec<Rewrite>,
    /// The expressions that must not vanish for the replacements to be equivalent.
    pub(crate) pivots: Vec<Expr>,
    pub(crate) generic: GenericRegularity,
    /// Whether the system Jacobian of the equations before any rewriting is identically singular; `None` if that is
    /// undecided.
    pub(crate) singular_as_written: Option<bool>,
}

/// The system with its equations as they are, none combined.
pub(crate) fn as_written(
    model: &mut Model,
    system: System,
    limits: &limits::UpperBound,
) -> Result<WorkingSystem, (Problem, Diagnostics)> {
    let structure = structure_of_system(model, &system)?;
    let generic = generic_regularity(model, &system, &structure, limits);
    let singular_as_written = match generic {
        GenericRegularity::Nonsingular { .. } => Some(false),
        GenericRegularity::Singular { .. } => Some(true),
        GenericRegularity::Undecided { .. } => None,
    };
    let (rewrites, pivots) = (Vec::new(), Vec::new());
    Ok(WorkingSystem { system, structure, rewrites, pivots, generic, singular_as_written })
}

/// Combines equations while the system Jacobian is identically singular and there is a combination that lowers the
/// structural degrees of freedom.
pub(crate) fn combine_until_regular(
    model: &mut Model,
    system: System,
    limits: &limits::UpperBound,
) -> Result<WorkingSystem, (Problem, Diagnostics)> {
    let mut now = as_written(model, system, limits)?;
    while matches!(now.generic, GenericRegularity::Singular { .. }) {
        if !now.step(model, limits)? {
            break;
        }
    }
    Ok(now)
}

impl WorkingSystem {
    /// Whether the system Jacobian is generically nonsingular.
    pub(crate) fn is_regular(&self) -> bool {
        matches!(self.generic, GenericRegularity::Nonsingular { .. })
    }

    /// The offsets of the prolongation.
    pub(crate) fn offsets(&self, model: &Model) -> Offsets {
        match self.is_regular() {
            true => lifted(model, &self.structure.offsets),
            false => undifferentiated(model, &self.system),
        }
    }

    /// Replaces one equation; returns whether there was a combination that lowers the structural degrees of freedom.
    /// The error is that of a combination after which the system is structurally singular, if no other combination
    /// serves.
    fn step(&mut self, model: &mut Model, limits: &limits::UpperBound) -> Result<bool, (Problem, Diagnostics)> {
        let nonzero = |model: &Model, e| nonzero_at_start(model, e, limits);
        let candidates = combine(model, &self.system, &self.structure.offsets, nonzero);
        let mut rejected = None;
        for (combined, combination) in candidates {
            let Combination { equation, pivot, before, after } = combination;
            let lower = match structure_of_system(model, &combined) {
                Ok(lower) => lower,
                Err((problem, found)) => {
                    let found = problem::after_combination(model, &combined.equations[equation], found);
                    rejected = rejected.or(Some((problem, found)));
                    continue;
                }
            };
            // A combination that cancels leading parts lowers the structural degrees of freedom; any other is passed
            // over, so that this ends.
            if lower.degrees_of_freedom >= self.structure.degrees_of_freedom {
                continue;
            }
            let replaced = &combined.equations[equation];
            self.rewrites.push(Rewrite {
                equation: replaced.text,
                combination: replaced.provenance.clone(),
                cancelling: cancelling(&replaced.provenance.terms),
                before,
                after,
                nonzero: pivot.map(|pivot| model.dag.primitive_part(pivot)),
            });
            self.pivots.extend(pivot);
            (self.system, self.structure) = (combined, lower);
            self.generic = generic_regularity(model, &self.system, &self.structure, limits);
            return Ok(true);
        }
        rejected.map_or(Ok(false), Err)
    }
}

fn cancelling(terms: &[(Expr, usize, u32)]) -> Vec<usize> {
    let mut equations: Vec<usize> = terms.iter().map(|&(_, k, _)| k).collect();
    equations.dedup();
    equations
}

fn generic_regularity(
    model: &mut Model,
    system: &System,
    structure: &Structure,
    limits: &limits::UpperBound,
) -> GenericRegularity {
    let jacobian = system.jacobian(&mut model.dag, &structure.offsets);
    generic::regularity(model, structure.transversal.len(), &jacobian, limits.points)
}
