//! Enclosures of functions from outside.
//!
//! In: intervals for the arguments. Out: an interval that contains all values.

use super::{Call, Source};
use crate::expr::interval::Interval;

impl Call {
    /// Values on intervals.
    pub(crate) fn enclosure(&self, arguments: &[Interval]) -> Interval {
        match (&self.function.source, arguments) {
            (Source::Table(table), &[argument]) => table.spline().enclosure(argument, self.order() as usize),
            (Source::Code(_) | Source::Input, _) if !arguments.contains(&Interval::ENTIRE) => {
                self.stand_in(arguments.iter().copied())
            }
            (Source::Table(_) | Source::Code(_) | Source::Input | Source::Supplied(_), _) => Interval::ENTIRE,
        }
    }
}
