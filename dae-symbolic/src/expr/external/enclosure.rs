//! Enclosures of external functions.
//!
//! In: intervals or Taylor models for the arguments. Out: an interval or a Taylor model that contains all values.

use super::{Call, Source};
use crate::expr::interval::{Interval, TaylorModel};

impl Call {
    /// An interval that contains all values for arguments in these intervals; the entire line for functions without
    /// values here, whatever stands in for them.
    pub(crate) fn enclosure(&self, arguments: &[Interval]) -> Interval {
        match (&self.function.source, arguments) {
            (Source::Table(table), &[argument]) => table.spline().enclosure(argument, self.order() as usize),
            (Source::Table(_) | Source::Code(_) | Source::Input | Source::Supplied(_), _) => Interval::ENTIRE,
        }
    }

    /// An interval that contains all values for arguments in these intervals; for functions without values here, all
    /// values of the stand-in.
    pub(crate) fn enclosure_with_stand_in(&self, arguments: &[Interval]) -> Interval {
        match self.function.source {
            Source::Code(_) | Source::Input if !arguments.contains(&Interval::ENTIRE) => {
                self.stand_in(arguments.iter().copied())
            }
            _ => self.enclosure(arguments),
        }
    }

    /// A Taylor model of the values along a part of a step; for functions without values here, of the stand-in.
    pub(crate) fn taylor_model(&self, arguments: &[TaylorModel]) -> TaylorModel {
        match (&self.function.source, arguments) {
            (Source::Table(table), &[argument]) => table.spline().taylor_model(argument, self.order() as usize),
            _ => self
                .enclosure_with_stand_in(&arguments.iter().map(|argument| argument.range()).collect::<Vec<_>>())
                .into(),
        }
    }
}
