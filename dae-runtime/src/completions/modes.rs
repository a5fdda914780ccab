//! A formulation in every mode of its model.
//!
//! In: formulations of a model with modes, one for each mode, or something that makes them as modes are entered. Out: one
//! [`Dae`], that of the mode at the start, with [`Dae::modes`].

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
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
    /// Those in other modes, or why a mode has none; empty for a mode that has not been entered.
    others: HashMap<Mode, OnceCell<Made>>,
    /// What makes those that have not been entered.
    maker: Option<Box<dyn ModeMaker>>,
    /// The names that all of them have, if they are made as they are entered.
    names: Vec<Name>,
}

/// A formulation, or why there is none.
type Made = Result<Box<dyn Dae>, Name>;

/// Makes the formulations of a model in its modes as runs enter these: for a model with more modes than can be analysed
/// beforehand.
pub trait ModeMaker {
    /// The formulation in a mode.
    ///
    /// # Errors
    /// It has none there; the error says why.
    fn make(&self, mode: &[usize]) -> Result<Box<dyn Dae>, Name>;

    /// Why a run cannot go from one mode to another: [`Modes::obstacle`].
    fn obstacle(&self, from: &[usize], to: &[usize]) -> Option<Name>;
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
        MultiModeForm { description, inner: start, others: HashMap::new(), maker: None, names: Vec::new() }
    }

    /// Begins with the formulation `start`, and makes those in other modes as they are entered. Those of `names` that the
    /// formulation at the start has are the entries of solutions; all others have to have them, too.
    pub fn made_when_entered(
        description: ModesDescription,
        start: Box<dyn Dae>,
        names: &HashSet<Name>,
        maker: Box<dyn ModeMaker>,
    ) -> Self {
        let counts = description.variables.iter().map(|variable| variable.alternatives.len());
        let modes = counts.fold(vec![Mode::new()], |modes, count| {
            let with = |mode: &Mode, alternative| mode.iter().copied().chain([alternative]).collect();
            modes.iter().flat_map(|mode| (0..count).map(move |it| with(mode, it))).collect()
        });
        let others = modes.into_iter().map(|mode| (mode, OnceCell::new())).collect();
        let names = names_of(start.as_ref()).filter(|name| names.contains(name)).collect();
        MultiModeForm { description, inner: start, others, maker: Some(maker), names }
    }

    /// Adds the formulation in another mode.
    pub fn add(&mut self, mode: Mode, dae: Box<dyn Dae>) {
        self.others.insert(mode, OnceCell::from(Ok(dae)));
    }

    /// Says why there is no formulation in another mode; a run that enters it ends with this reason.
    pub fn add_missing(&mut self, mode: Mode, reason: impl Into<Name>) {
        self.others.insert(mode, OnceCell::from(Err(reason.into())));
    }
}

#[diagnostic::do_not_recommend]
impl Classified for MultiModeForm {
    type Class = Open;

    fn as_dae(&self) -> &dyn Dae {
        self
    }
}

impl MultiModeForm {
    /// The formulations in other modes that have been made.
    fn made(&self) -> impl Iterator<Item = &(dyn Dae + 'static)> {
        self.others.values().filter_map(OnceCell::get).flatten().map(AsRef::as_ref)
    }
}

/// The names of which a formulation has a value.
fn names_of(dae: &dyn Dae) -> impl Iterator<Item = Name> + '_ {
    let description = dae.description();
    let of_unknowns = description.unknowns.iter().map(|it| it.name.clone());
    of_unknowns.chain(description.eliminated.iter().map(|it| it.name.clone()))
}

impl Modes for MultiModeForm {
    fn modes_description(&self) -> &ModesDescription {
        &self.description
    }

    fn names(&self) -> Vec<Name> {
        if self.maker.is_some() {
            return self.names.clone();
        }
        let mut names: Vec<Name> = names_of(self.inner.as_ref()).collect();
        for dae in self.made() {
            let known: HashSet<Name> = names_of(dae).collect();
            names.retain(|name| known.contains(name));
        }
        names
    }

    fn obstacle(&self, from: &[usize], to: &[usize]) -> Option<Name> {
        self.maker.as_ref()?.obstacle(from, to)
    }

    fn in_mode(&self, mode: &[usize]) -> Result<&dyn Dae, Name> {
        if mode == self.description.start {
            return Ok(self.inner.as_ref());
        }
        let made = self.others.get(mode).and_then(|cell| match &self.maker {
            Some(maker) => Some(cell.get_or_init(|| {
                let mut dae = maker.make(mode)?;
                dae.set_parameters(self.parameters());
                Ok(dae)
            })),
            None => cell.get(),
        });
        match made {
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
        let made = self.others.values_mut().filter_map(OnceCell::get_mut);
        made.flatten().for_each(|dae| dae.set_parameters(values));
    }

    fn eliminated(&self, t: f64, y: &[f64], values: &mut [f64]) {
        self.inner.eliminated(t, y, values);
    }

    fn input_error(&self) -> Option<InputError> {
        self.inner.input_error().or_else(|| self.made().find_map(|dae| dae.input_error()))
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
