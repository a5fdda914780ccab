//! The first values of a run with constant step and order.
//!
//! In: start values, a step size. Out: as many equidistant values as the order asks for.
//!
//! A formula of order $k$ needs $k$ values. Beginning with order 1 would leave an error of order $h^2$ in all that
//! follows, so the missing values come from the one-step method of order 5.

use crate::radau5::Radau5;
use crate::stepper::{Failure, Stepper};

/// Radau steps until there are enough values.
pub(super) struct Starter<'d> {
    pub(super) radau: Radau5<'d>,
    h: f64,
    /// Values at equidistant times, the oldest first.
    values: Vec<Vec<f64>>,
    count: usize,
}

impl<'d> Starter<'d> {
    /// Room for `order` values at steps of length `h`.
    pub(super) fn new(radau: Radau5<'d>, h: f64, order: usize) -> Self {
        let mut values = vec![vec![0.0; radau.state().len()]; order];
        values[0].copy_from_slice(radau.state());
        Starter { radau, h, values, count: 1 }
    }

    /// One more value.
    pub(super) fn step(&mut self) -> Result<(), Failure> {
        let before = self.radau.time();
        self.radau.step()?;
        let length = (self.radau.time() - before).abs();
        // A step that was cut to land somewhere begins a new sequence.
        if (length - self.h).abs() > 1e-9 * self.h {
            self.count = 0;
        }
        self.values[self.count].copy_from_slice(self.radau.state());
        self.count += 1;
        Ok(())
    }

    /// The values once there are enough, the oldest first.
    pub(super) fn complete(&self) -> Option<&[Vec<f64>]> {
        (self.count >= self.values.len()).then_some(&self.values)
    }
}
