//! Boundary conditions: equations between values of the solution at several times.
//!
//! In: the text. Out: conditions as data. In their expressions, and in no others of a model,
//!
//! * [`Symbol::State`](crate::expr::Symbol) with the number $k$ is the value [`BoundaryConditions::values`]`[k]`,
//! * [`Symbol::StateDerivative`](crate::expr::Symbol) with the number $i$ is the time
//!   [`BoundaryConditions::times`]`[i]`.

use super::{Model, derivative_name};
use crate::expr::{Expr, Notation, ParameterId, Symbol, UnknownId, print_with};
use crate::origin::Origin;
use std::collections::HashMap;

/// The boundary conditions of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundaryConditions {
    /// Where they stand.
    pub origin: Origin,
    /// The default ends, functions of constants and parameters.
    pub horizon: Option<(Expr, Expr)>,
    /// The conditions in the order of the text.
    pub conditions: Vec<Condition>,
    /// What [`Symbol::State`] stands for in conditions.
    pub values: Vec<PointValue>,
    /// What [`Symbol::StateDerivative`] stands for in conditions: [`PointTime::Start`], [`PointTime::End`], and times in
    /// between.
    pub times: Vec<PointTime>,
    /// Parameters that the conditions determine, with the places where the text says so. In a family model, the numbers
    /// are those of arrays of parameters.
    pub free_parameters: Vec<(ParameterId, Origin)>,
    /// The place where the text says that the conditions determine the end.
    pub free_end: Option<Origin>,
}

/// A condition `left = right`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// Its left side.
    pub left: Expr,
    /// Its right side.
    pub right: Expr,
    /// Where it stands.
    pub origin: Origin,
}

/// The value $x_j^{(k)}$ at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointValue {
    /// $j$.
    pub unknown: UnknownId,
    /// $k$.
    pub order: u32,
    /// The position of the time.
    pub time: usize,
}

/// A time at which conditions refer to the solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointTime {
    /// `t0`.
    Start,
    /// `t_end`.
    End,
    /// A time in between, a function of constants and parameters.
    Interior(Expr),
}

impl BoundaryConditions {
    /// No conditions, at the ends.
    pub fn none(origin: Origin) -> Self {
        BoundaryConditions {
            origin,
            horizon: None,
            conditions: Vec::new(),
            values: Vec::new(),
            times: vec![PointTime::Start, PointTime::End],
            free_parameters: Vec::new(),
            free_end: None,
        }
    }

    /// The leaf of a value, which is added if it is not there yet; `time` is 0 for the start, and 1 for the end.
    pub fn leaf(&mut self, unknown: UnknownId, order: u32, time: usize) -> Symbol {
        let value = PointValue { unknown, order, time };
        let position = self.values.iter().position(|known| *known == value).unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        });
        Symbol::State(position as u32)
    }

    /// The name of a time: `t0`, `t_end`, `0.5`.
    pub fn time_name(&self, model: &Model, time: usize) -> String {
        match self.times.get(time) {
            Some(PointTime::Start) => "t0".into(),
            Some(PointTime::End) => "t_end".into(),
            Some(PointTime::Interior(value)) => spelled(model, *value, |symbol| model.symbol_name(symbol)),
            None => "?".into(),
        }
    }

    /// The name of a symbol of a condition: `der(x)(t0)`.
    pub fn symbol_name(&self, model: &Model, symbol: Symbol) -> String {
        match symbol {
            Symbol::State(k) => self.values.get(k as usize).map_or_else(String::new, |value| {
                let unknown = model.unknowns.get(value.unknown.index()).map_or("?", |unknown| &unknown.name);
                format!("{}({})", derivative_name(unknown, value.order), self.time_name(model, value.time))
            }),
            Symbol::StateDerivative(i) => self.time_name(model, i as usize),
            other => model.symbol_name(other),
        }
    }

    /// A condition as text.
    pub fn equation(&self, model: &Model, condition: &Condition) -> String {
        let side = |side| spelled(model, side, |symbol| self.symbol_name(model, symbol));
        format!("{} = {}", side(condition.left), side(condition.right))
    }
}

fn spelled(model: &Model, value: Expr, name: impl Fn(Symbol) -> String) -> String {
    print_with(&model.dag, value, Notation::Text, &HashMap::new(), name)
}
