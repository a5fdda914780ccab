//! A formulation in every mode of its model.
//!
//! In: formulations of a model with modes, one for each mode. Out: one [`Dae`], that of the mode at the start, with
//! [`Dae::modes`].

use std::collections::HashMap;
use std::fmt;
use std::ops::RangeInclusive;

use super::delegate::{forward_equations_to_inner, forward_invariants_to_inner, forward_switches_to_inner};
use crate::contract::class::{Classified, Open};
use crate::contract::{Dae, Description, Mode, Modes, ModesDescription, Name, Prolongation};
use crate::inputs::signal::InputError;

/// A formulation of a model in each of its modes. It is that of the mode at the start; a run
/// ([`Integration`](crate::solve::Integration)) goes on with those of other modes where events enter these.
pub struct MultiModeForm {
    description: ModesDescription,
    /// The formulation in the mode at the start.
    inner: Box<dyn Dae>,
    /// Those in other modes, or why a mode has none.
    others: HashMap<Mode, Result<Box<dyn Dae>, Name>>,
}

impl fmt::Debug for MultiModeForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MultiModeForm")
            .field("form", &self.inner.description().form)
            .field("modes", &self.description)
            .finish_non_exhaustive()
    }
}

impl MultiModeForm {
    /// The formulation `start` in the mode at the start; those in other modes are added.
    pub fn new(description: ModesDescription, start: Box<dyn Dae>) -> Self {
        MultiModeForm { description, inner: start, others: HashMap::new() }
    }

    /// Adds the formulation in another mode.
    pub fn add(&mut self, mode: Mode, dae: Box<dyn Dae>) {
        self.others.insert(mode, Ok(dae));
    }

    /// Says why there is no formulation in another mode; a run that enters it ends with this reason.
    pub fn add_missing(&mut self, mode: Mode, reason: impl Into<Name>) {
        self.others.insert(mode, Err(reason.into()));
    }
}

#[diagnostic::do_not_recommend]
impl Classified for MultiModeForm {
    type Class = Open;

    fn as_dae(&self) -> &dyn Dae {
        self
    }
}

impl Modes for MultiModeForm {
    fn modes_description(&self) -> &ModesDescription {
        &self.description
    }

    fn reachable(&self) -> Vec<Mode> {
        std::iter::once(&self.description.start).chain(self.others.keys()).cloned().collect()
    }

    fn in_mode(&self, mode: &[usize]) -> Result<&dyn Dae, Name> {
        if mode == self.description.start {
            return Ok(self.inner.as_ref());
        }
        match self.others.get(mode) {
            Some(Ok(dae)) => Ok(dae.as_ref()),
            Some(Err(reason)) => Err(reason.clone()),
            None => Err("no event was found to enter it".into()),
        }
    }
}

impl Dae for MultiModeForm {
    forward_equations_to_inner!();
    forward_invariants_to_inner!();
    forward_switches_to_inner!();

    fn description(&self) -> &Description {
        self.inner.description()
    }

    fn parameters(&self) -> &[f64] {
        self.inner.parameters()
    }

    fn set_parameters(&mut self, values: &[f64]) {
        self.inner.set_parameters(values);
        self.others.values_mut().flatten().for_each(|dae| dae.set_parameters(values));
    }

    fn eliminated(&self, t: f64, y: &[f64], values: &mut [f64]) {
        self.inner.eliminated(t, y, values);
    }

    fn input_error(&self) -> Option<InputError> {
        let others = self.others.values().flatten().find_map(|dae| dae.input_error());
        self.inner.input_error().or(others)
    }

    fn choose_coordinates(&self, t: f64, y: &[f64], yp: &[f64], anew: bool) -> bool {
        self.inner.choose_coordinates(t, y, yp, anew)
    }

    fn projection_level(&self, invariant: usize) -> Option<u32> {
        self.inner.projection_level(invariant)
    }

    fn project(&self, t: f64, y: &mut [f64], levels: RangeInclusive<u32>) -> Result<(), usize> {
        self.inner.project(t, y, levels)
    }

    fn modes(&self) -> Option<&dyn Modes> {
        Some(self)
    }

    fn prolongation(&self) -> &dyn Prolongation {
        self.inner.prolongation()
    }
}
