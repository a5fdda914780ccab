//! Values of boundary conditions: unknowns at times, and integrals over time.
//!
//! In: unknowns and times. Out: the leaves of conditions, numbered as
//! [`BoundaryConditions`](crate::model::BoundaryConditions) says, and the integrands, which become unknowns.

use super::items::Value;
use crate::expr::{Expr, Symbol, UnknownId};
use crate::model::{PointTime, PointValue};
use crate::origin::Origin;

/// An end of the interval in which a boundary value problem is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Start,
    End,
}

impl End {
    pub(super) fn of_name(name: &str) -> Option<End> {
        match name {
            "t0" => Some(End::Start),
            "t_end" => Some(End::End),
            _ => None,
        }
    }

    /// Its position among the times of conditions.
    pub(super) fn position(self) -> usize {
        match self {
            End::Start => 0,
            End::End => 1,
        }
    }

    pub(super) fn symbol(self) -> Symbol {
        Symbol::StateDerivative(self.position() as u32)
    }
}

/// An integral over time: an unknown of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Integral {
    pub(super) unknown: UnknownId,
    pub(super) integrand: Value,
    pub(super) origin: Origin,
}

/// The leaves of conditions.
pub(super) struct Points {
    pub(super) values: Vec<PointValue>,
    pub(super) times: Vec<PointTime>,
    pub(super) integrals: Vec<Integral>,
}

impl Default for Points {
    fn default() -> Self {
        Points { values: Vec::new(), times: vec![PointTime::Start, PointTime::End], integrals: Vec::new() }
    }
}

impl Points {
    /// The position of a time.
    pub(super) fn time(&mut self, value: Expr) -> usize {
        let time = PointTime::Interior(value);
        self.times.iter().position(|known| *known == time).unwrap_or_else(|| {
            self.times.push(time);
            self.times.len() - 1
        })
    }

    pub(super) fn value(&mut self, value: PointValue) -> Symbol {
        let position = self.values.iter().position(|known| *known == value).unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        });
        Symbol::State(position as u32)
    }
}
