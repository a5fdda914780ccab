//! Functions that round, and the integer parts that are unknowns.
//!
//! In: names of functions; arguments that change in time. Out: their number of arguments; the discrete variables that take
//! their places (`floors.rs`).

use crate::expr::{Expr, UnknownId};
use crate::origin::Origin;

/// A function that rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounding {
    /// The largest integer that is not larger.
    Floor,
    /// The smallest integer that is not smaller.
    Ceil,
    /// The nonnegative remainder.
    RemEuclid,
}

impl Rounding {
    /// The function of this name.
    pub(super) fn of_name(name: &str) -> Option<Rounding> {
        match name {
            "floor" => Some(Rounding::Floor),
            "ceil" => Some(Rounding::Ceil),
            "rem_euclid" => Some(Rounding::RemEuclid),
            _ => None,
        }
    }

    /// Its number of arguments.
    pub(super) fn arity(self) -> usize {
        match self {
            Rounding::Floor | Rounding::Ceil => 1,
            Rounding::RemEuclid => 2,
        }
    }
}

/// A discrete variable that is the integer part of an argument.
#[derive(Clone, Copy)]
pub(super) struct Floor {
    pub(super) array: usize,
    pub(super) unknown: UnknownId,
    pub(super) argument: Expr,
    pub(super) origin: Origin,
}

/// The discrete variables that are integer parts.
#[derive(Default)]
pub(super) struct Floors {
    pub(super) list: Vec<Floor>,
    /// Whether anything has been rounded so far.
    pub(super) are_any: bool,
    /// Whether expressions are values at an event, or at the start.
    pub(super) are_values: bool,
}
