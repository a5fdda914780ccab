//! What each switching function costs a run.
//!
//! In: the signs of the switching functions at the ends of accepted steps; steps that are repeated, and pieces that
//! begin, because of one of them. Out: the numbers of each.

use std::collections::HashMap;

use crate::contract::{Dae, Name};
use crate::integrator::stepper::{Stepper, SwitchRejections};
use crate::solution::SwitchStatistics;

/// The numbers of the switching functions of a formulation.
pub(super) struct BySwitch {
    entries: Vec<SwitchStatistics>,
    /// The last value of each function that is a number other than zero; zero before there is one.
    sides: Vec<f64>,
    values: Vec<f64>,
}

impl BySwitch {
    /// Begins at a consistent state.
    pub(super) fn new(dae: &dyn Dae, (t, y, yp): (f64, &[f64], &[f64])) -> Self {
        let entries = SwitchStatistics::of_functions(dae.description());
        let mut sides = vec![0.0; entries.len()];
        if !entries.is_empty() {
            dae.switching_functions(t, y, yp, &mut sides);
            sides.iter_mut().filter(|side| side.is_nan()).for_each(|side| *side = 0.0);
        }
        BySwitch { values: vec![0.0; entries.len()], entries, sides }
    }

    /// Whether there are no switching functions.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Continues a run in another mode of the model: functions of the same name are on the same sides.
    pub(super) fn continue_from(&mut self, before: &BySwitch) {
        let names = before.entries.iter().map(|it| &it.name);
        let known: HashMap<&Name, f64> = names.zip(before.sides.iter().copied()).collect();
        for (it, side) in self.entries.iter().zip(&mut self.sides) {
            *side = known.get(&it.name).copied().unwrap_or(*side);
        }
    }

    /// Takes in the end of an accepted step. Where the run knows on which side of a function it is, `known` says so, by
    /// any number of that sign; zero if it is on neither.
    pub(super) fn note_signs(
        &mut self,
        dae: &dyn Dae,
        (t, y, yp): (f64, &[f64], &[f64]),
        known: impl Iterator<Item = (usize, f64)>,
    ) {
        dae.switching_functions(t, y, yp, &mut self.values);
        known.for_each(|(switch, side)| self.values[switch] = side);
        for ((it, side), &value) in self.entries.iter_mut().zip(&mut self.sides).zip(&self.values) {
            if value != 0.0 && !value.is_nan() {
                it.crossings += usize::from(*side != 0.0 && (*side < 0.0) != (value < 0.0));
                *side = value;
            }
        }
    }

    /// Takes note of a piece that begins because of a function.
    pub(super) fn note_restart(&mut self, switch: usize) {
        self.entries[switch].restarts += 1;
    }

    /// Takes note of a step that is repeated because of a function.
    pub(super) fn note_repetition(&mut self, switch: usize) {
        self.entries[switch].switch_rejections += 1;
    }

    /// Adds the rejected attempts of a stepper.
    pub(super) fn add(&mut self, stepper: &dyn Stepper) {
        add(&mut self.entries, stepper);
    }

    /// The numbers up to now, with those of the present stepper.
    pub(super) fn with(&self, stepper: &dyn Stepper) -> Vec<SwitchStatistics> {
        let mut entries = self.entries.clone();
        add(&mut entries, stepper);
        entries
    }
}

fn add(entries: &mut [SwitchStatistics], stepper: &dyn Stepper) {
    if entries.is_empty() {
        return;
    }
    let mut rejections = vec![SwitchRejections::default(); entries.len()];
    stepper.add_switch_rejections(&mut rejections);
    for (entry, it) in entries.iter_mut().zip(rejections) {
        entry.switch_rejections += it.switch;
        entry.error_rejections += it.error;
        entry.convergence_rejections += it.convergence;
    }
}
