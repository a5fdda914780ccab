//! The descriptions that equations were derived from, for a report.
//!
//! In: the derivations of a model. Out: their parts in plain mathematics.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};

use super::lie_group::LieGroupReport;
use super::sentences::folded as hung;
use crate::expr::{Expr, Notation, Symbol, UnknownId, print_with};
use crate::model::{
    Boundary, BoundaryCondition, Canonical, Derivation, Mechanics, Model, OptimalControl, PathConstraint,
};
use crate::spelling::lists::folded;

/// A description from which equations of the model were derived.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "snake_case"))]
pub enum DerivationReport {
    /// $M(q) u' = f - G^\top \lambda$, $0 = g$.
    Mechanics(MechanicsReport),
    /// $q' = H_p$, $p' = -H_q + Q - G^\top \lambda$, $0 = g$.
    Hamiltonian(HamiltonianReport),
    /// $y' = f$, $v' = -H_y$, $0 = H_u$.
    OptimalControl(OptimalControlReport),
    /// $Y' = A(t, Y)\, Y$.
    LieGroup(LieGroupReport),
}

/// A Hamiltonian system.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct HamiltonianReport {
    /// Positions of its equations in [`Report::equations`](super::Report::equations), from 1.
    pub equations: Vec<usize>,
    /// Their names.
    pub equation_names: Vec<String>,
    /// The Hamiltonian $H$.
    pub hamiltonian: String,
    /// The coordinates $q$.
    pub coordinates: Vec<String>,
    /// The momenta $p$, by coordinate.
    pub momenta: Vec<String>,
    /// The multipliers $\lambda$.
    pub multipliers: Vec<String>,
    /// The forces $Q$, by coordinate.
    pub forces: Vec<String>,
    /// The constraints $g$, by multiplier.
    pub constraints: Vec<String>,
    /// The entries of $G = \partial g / \partial q$ that are not zero, by multiplier and coordinate.
    pub constraint_jacobian: Vec<EntryReport>,
}

/// A constrained mechanical system.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MechanicsReport {
    /// Positions of its equations in [`Report::equations`](super::Report::equations), from 1.
    pub equations: Vec<usize>,
    /// Their names.
    pub equation_names: Vec<String>,
    /// The Lagrangian $L$.
    pub lagrangian: String,
    /// The coordinates $q$.
    pub coordinates: Vec<String>,
    /// The velocities $u$, by coordinate.
    pub velocities: Vec<String>,
    /// The multipliers $\lambda$.
    pub multipliers: Vec<String>,
    /// The entries of the mass matrix $M$ that are not zero, by coordinates.
    pub mass_matrix: Vec<EntryReport>,
    /// The forces $f$, by coordinate.
    pub force: Vec<String>,
    /// The constraints $g$, by multiplier.
    pub constraints: Vec<String>,
    /// The entries of $G = \partial g / \partial q$ that are not zero, by multiplier and coordinate.
    pub constraint_jacobian: Vec<EntryReport>,
}

/// A problem of optimal control.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct OptimalControlReport {
    /// Positions of its equations in [`Report::equations`](super::Report::equations), from 1.
    pub equations: Vec<usize>,
    /// Their names.
    pub equation_names: Vec<String>,
    /// The Hamiltonian $H$.
    pub hamiltonian: String,
    /// The states $y$.
    pub states: Vec<String>,
    /// The adjoints $v$, by state.
    pub adjoints: Vec<String>,
    /// The controls $u$.
    pub controls: Vec<String>,
    /// The constraints on the path.
    pub constraints: Vec<PathConstraintReport>,
    /// The ends $t_0$ and $t_1$ of the horizon.
    pub horizon: [String; 2],
    /// The conditions at the ends of the horizon, of states with start values and all adjoints; empty if the model has
    /// conditions of its own, which replace some of them.
    pub boundary_conditions: Vec<BoundaryReport>,
}

/// A constraint of a problem of optimal control, $g = 0$ or $g \le 0$ at all times.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PathConstraintReport {
    /// The multiplier.
    pub multiplier: String,
    /// The function $g$.
    pub value: String,
    /// How it is related to zero: `=` or `<=`.
    pub relation: &'static str,
}

/// A boundary condition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BoundaryReport {
    /// The unknown.
    pub unknown: String,
    /// The end of the horizon: `start` or `end`.
    pub at: &'static str,
    /// Its value there.
    pub value: String,
}

/// An entry of a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct EntryReport {
    /// Name of the unknown of the row.
    pub row: String,
    /// Name of the unknown of the column.
    pub column: String,
    /// The value in plain mathematics.
    pub value: String,
}

impl DerivationReport {
    pub(super) fn of(model: &Model) -> Vec<DerivationReport> {
        let definitions = model.definition_names().into_iter().collect();
        let spelling = Spelling { model, definitions };
        let report = |derivation: &Derivation| match derivation {
            Derivation::Mechanics(it) => DerivationReport::Mechanics(spelling.mechanics(it)),
            Derivation::Canonical(it) => DerivationReport::Hamiltonian(spelling.hamiltonian(it)),
            Derivation::OptimalControl(it) => DerivationReport::OptimalControl(spelling.optimal_control(it)),
            Derivation::LieGroup(it) => {
                let name = |k| model.equation_name(k);
                DerivationReport::LieGroup(LieGroupReport::of(it, name, |value| spelling.text(value)))
            }
        };
        model.derivations.iter().map(report).collect()
    }
}

struct Spelling<'a> {
    model: &'a Model,
    definitions: HashMap<Expr, String>,
}

impl Spelling<'_> {
    fn text(&self, value: Expr) -> String {
        print_with(&self.model.dag, value, Notation::Text, &self.definitions, |s| self.model.symbol_name(s))
    }

    fn unknowns(&self, list: &[UnknownId]) -> Vec<String> {
        list.iter().map(|&unknown| self.model.symbol_name(Symbol::Unknown { unknown, order: 0 })).collect()
    }

    /// The entries of a matrix whose columns belong to coordinates.
    fn entries(&self, list: &[(usize, usize, Expr)], rows: &[String], coordinates: &[String]) -> Vec<EntryReport> {
        let entry = |&(row, column, value): &(usize, usize, Expr)| EntryReport {
            row: rows[row].clone(),
            column: coordinates[column].clone(),
            value: self.text(value),
        };
        list.iter().map(entry).collect()
    }

    fn hamiltonian(&self, it: &Canonical) -> HamiltonianReport {
        let (coordinates, multipliers) = (self.unknowns(&it.coordinates), self.unknowns(&it.multipliers));
        HamiltonianReport {
            equations: it.equations.clone().map(|k| k + 1).collect(),
            equation_names: it.equations.clone().map(|k| self.model.equation_name(k)).collect(),
            hamiltonian: self.text(it.hamiltonian),
            momenta: self.unknowns(&it.momenta),
            forces: it.forces.iter().map(|&force| self.text(force)).collect(),
            constraints: it.constraints.iter().map(|&g| self.text(g)).collect(),
            constraint_jacobian: self.entries(&it.jacobian, &multipliers, &coordinates),
            coordinates,
            multipliers,
        }
    }

    fn mechanics(&self, it: &Mechanics) -> MechanicsReport {
        let (coordinates, multipliers) = (self.unknowns(&it.coordinates), self.unknowns(&it.multipliers));
        let entries = |list: &[(usize, usize, Expr)], rows: &[String]| self.entries(list, rows, &coordinates);
        MechanicsReport {
            equations: it.equations.clone().map(|k| k + 1).collect(),
            equation_names: it.equations.clone().map(|k| self.model.equation_name(k)).collect(),
            lagrangian: self.text(it.lagrangian),
            velocities: it.velocities.iter().map(|&u| self.model.symbol_name(u)).collect(),
            mass_matrix: entries(&it.mass, &coordinates),
            force: it.force.iter().map(|&f| self.text(f)).collect(),
            constraints: it.constraints.iter().map(|&g| self.text(g)).collect(),
            constraint_jacobian: entries(&it.jacobian, &multipliers),
            coordinates,
            multipliers,
        }
    }

    fn optimal_control(&self, it: &OptimalControl) -> OptimalControlReport {
        let condition = |condition: BoundaryCondition| BoundaryReport {
            unknown: self.unknowns(&[condition.unknown]).concat(),
            at: match condition.at {
                Boundary::Start => "start",
                Boundary::End => "end",
            },
            value: condition.value.map_or_else(|| "0".to_string(), |value| self.text(value)),
        };
        let conditions = match &self.model.boundary {
            None => it.boundary_conditions(self.model),
            Some(_) => Vec::new(),
        };
        OptimalControlReport {
            equations: it.equations.clone().map(|k| k + 1).collect(),
            equation_names: it.equations.clone().map(|k| self.model.equation_name(k)).collect(),
            hamiltonian: self.text(it.hamiltonian),
            states: self.unknowns(&it.states),
            adjoints: self.unknowns(&it.adjoints),
            controls: self.unknowns(&it.controls),
            constraints: it.constraints.iter().map(|it| self.path_constraint(it)).collect(),
            horizon: [self.text(it.horizon.0), self.text(it.horizon.1)],
            boundary_conditions: conditions.into_iter().map(condition).collect(),
        }
    }
}

impl Spelling<'_> {
    fn path_constraint(&self, it: &PathConstraint) -> PathConstraintReport {
        PathConstraintReport {
            multiplier: self.unknowns(&[it.multiplier]).concat(),
            value: self.text(it.value),
            relation: if it.is_inequality { "<=" } else { "=" },
        }
    }
}

impl Display for DerivationReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            DerivationReport::Mechanics(it) => it.fmt(f),
            DerivationReport::Hamiltonian(it) => it.fmt(f),
            DerivationReport::OptimalControl(it) => it.fmt(f),
            DerivationReport::LieGroup(it) => it.fmt(f),
        }
    }
}

impl Display for MechanicsReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "Mechanics: M·u' = f - Gᵀ·λ, 0 = g")?;
        let list = |names: &[String]| folded(names).join(", ");
        f.write_str(&hung("  equations: ", &list(&self.equation_names)))?;
        writeln!(f, "  q = {}", list(&self.coordinates))?;
        writeln!(f, "  u = {}", list(&self.velocities))?;
        if !self.multipliers.is_empty() {
            writeln!(f, "  λ = {}", list(&self.multipliers))?;
        }
        for EntryReport { row, column, value } in &self.mass_matrix {
            writeln!(f, "  M({row}, {column}) = {value}")?;
        }
        for EntryReport { row, column, value } in &self.constraint_jacobian {
            writeln!(f, "  G({row}, {column}) = {value}")?;
        }
        Ok(())
    }
}

impl Display for HamiltonianReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "Hamiltonian: q' = H_p, p' = -H_q + Q - Gᵀ·λ, 0 = g")?;
        let list = |names: &[String]| folded(names).join(", ");
        f.write_str(&hung("  equations: ", &list(&self.equation_names)))?;
        writeln!(f, "  q = {}", list(&self.coordinates))?;
        writeln!(f, "  p = {}", list(&self.momenta))?;
        if !self.multipliers.is_empty() {
            writeln!(f, "  λ = {}", list(&self.multipliers))?;
        }
        writeln!(f, "  H = {}", self.hamiltonian)?;
        for (coordinate, force) in self.coordinates.iter().zip(&self.forces).filter(|(_, force)| *force != "0") {
            writeln!(f, "  Q({coordinate}) = {force}")?;
        }
        for EntryReport { row, column, value } in &self.constraint_jacobian {
            writeln!(f, "  G({row}, {column}) = {value}")?;
        }
        Ok(())
    }
}

impl Display for OptimalControlReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "Optimal control: y' = f, v' = -H_y, 0 = H_u")?;
        let list = |names: &[String]| folded(names).join(", ");
        f.write_str(&hung("  equations: ", &list(&self.equation_names)))?;
        writeln!(f, "  y = {}", list(&self.states))?;
        writeln!(f, "  v = {}", list(&self.adjoints))?;
        writeln!(f, "  u = {}", list(&self.controls))?;
        for PathConstraintReport { multiplier, value, relation } in &self.constraints {
            writeln!(f, "  {value} {relation} 0, multiplier {multiplier}")?;
        }
        writeln!(f, "  H = {}", self.hamiltonian)?;
        for BoundaryReport { unknown, at, value } in &self.boundary_conditions {
            let time = if *at == "start" { &self.horizon[0] } else { &self.horizon[1] };
            writeln!(f, "  {unknown}({time}) = {value}")?;
        }
        Ok(())
    }
}
