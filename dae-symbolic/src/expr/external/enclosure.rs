//! Enclosures of functions from outside.
//!
//! In: intervals or Taylor models for the arguments. Out: one that contains all values.

use super::{Call, Source};
use crate::expr::interval::{Interval, TaylorModel};

impl Call {
    /// Values on intervals: the entire line where the function has none yet, whatever stands in for it.
    pub(crate) fn enclosure(&self, arguments: &[Interval]) -> Interval {
        match (&self.function.source, arguments) {
            (Source::Table(table), &[argument]) => table.spline().enclosure(argument, self.order() as usize),
            (Source::Table(_) | Source::Code(_) | Source::Input | Source::Supplied(_), _) => Interval::ENTIRE,
        }
    }

    /// Values on intervals; of the stand-in where the function has none yet.
    pub(crate) fn enclosure_with_stand_in(&self, arguments: &[Interval]) -> Interval {
        match self.function.source {
            Source::Code(_) | Source::Input if !arguments.contains(&Interval::ENTIRE) => {
                self.stand_in(arguments.iter().copied())
            }
            _ => self.enclosure(arguments),
        }
    }

    /// Values along a part of a step; of the stand-in where the function has none yet.
    pub(crate) fn taylor_model(&self, arguments: &[TaylorModel]) -> TaylorModel {
        match (&self.function.source, arguments) {
            (Source::Table(table), &[argument]) => table.spline().taylor_model(argument, self.order() as usize),
            _ => self
                .enclosure_with_stand_in(&arguments.iter().map(|argument| argument.range()).collect::<Vec<_>>())
                .into(),
        }
    }
}
