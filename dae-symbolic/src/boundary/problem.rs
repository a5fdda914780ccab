//! A boundary value problem as data.
//!
//! In: nothing. Out: the type [`BoundaryProblem`].

use crate::expr::Symbol;
use crate::model::{BoundaryConditions, Condition, Model};

/// Positions of the ends among the times of conditions.
pub(super) const START: usize = 0;
pub(super) const END: usize = 1;

/// Where a condition comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A fixed start value.
    Start,
    /// The block of boundary conditions.
    Text,
    /// The problem of optimal control.
    Control,
}

/// A condition with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedCondition {
    /// `y(t0) = 1`, or `start of y` for a fixed start value.
    pub name: String,
    /// Both sides; the symbols are those of [`BoundaryProblem::boundary`].
    pub condition: Condition,
    /// Where it comes from.
    pub source: Source,
}

/// A boundary value problem.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundaryProblem {
    /// What the symbols of conditions stand for, and what is free; its conditions are those of the text only.
    pub boundary: BoundaryConditions,
    /// All conditions.
    pub conditions: Vec<NamedCondition>,
}

impl BoundaryProblem {
    /// All conditions as equations.
    pub fn spelled(&self, model: &Model) -> Vec<String> {
        self.conditions.iter().map(|it| self.boundary.equation(model, &it.condition)).collect()
    }

    /// The names of free quantities.
    pub fn free(&self, model: &Model) -> Vec<String> {
        let parameters = self.boundary.free_parameters.iter();
        let names = parameters.map(|&(parameter, _)| model.symbol_name(Symbol::Parameter(parameter)));
        names.chain(self.boundary.free_end.map(|_| "t_end".to_string())).collect()
    }
}
