//! Matrices on Lie groups, for a report.
//!
//! In: a group with its matrix and generator. Out: its parts in plain mathematics.

use std::fmt::{self, Display, Formatter};

use super::sentences::folded as hung;
use crate::expr::Expr;
use crate::model::LieGroup;
use crate::spelling::lists::folded;

/// A matrix on a Lie group: $Y' = A(t, Y)\, Y$ with $A$ in the Lie algebra.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LieGroupReport {
    /// Positions of its equations in [`Report::equations`](super::Report::equations), from 1.
    pub equations: Vec<usize>,
    /// Their names.
    pub equation_names: Vec<String>,
    /// The group, or the manifold on which it acts: `SO(3)`.
    pub space: String,
    /// The Lie algebra in which $A$ is, which is proved: `so(3)`.
    pub algebra: String,
    /// The equation: `Y' = A(t)·Y`.
    pub equation: String,
    /// The name of $Y$.
    pub matrix: String,
    /// Whether $A$ is proved not to depend on $Y$.
    pub linear: bool,
    /// $A$, row by row.
    pub generator: Vec<Vec<String>>,
}

impl LieGroupReport {
    /// The report on a group; `name` names equations, `text` spells expressions.
    pub(super) fn of(it: &LieGroup, name: impl Fn(usize) -> String, text: impl Fn(Expr) -> String) -> Self {
        LieGroupReport {
            equations: it.equations.clone().map(|k| k + 1).collect(),
            equation_names: it.equations.clone().map(name).collect(),
            space: it.space_name(),
            algebra: it.algebra_name(),
            equation: it.equation(),
            matrix: it.name.clone(),
            linear: it.is_linear,
            generator: it.generator.chunks(it.rows).map(|row| row.iter().map(|&entry| text(entry)).collect()).collect(),
        }
    }
}

impl Display for LieGroupReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let free = if self.linear { format!(" and free of {}", self.matrix) } else { String::new() };
        writeln!(f, "Lie group {}: {}", self.space, self.equation)?;
        f.write_str(&hung("  equations: ", &folded(&self.equation_names).join(", ")))?;
        writeln!(f, "  certified: A is in {}{free}", self.algebra)?;
        for (i, row) in self.generator.iter().enumerate() {
            for (j, value) in row.iter().enumerate().filter(|(_, value)| *value != "0") {
                writeln!(f, "  A[{i}][{j}] = {value}")?;
            }
        }
        Ok(())
    }
}
