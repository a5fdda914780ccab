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
    /// Those in other modes that were made beforehand, or why a mode has none.
    others: HashMap<Mode, Made>,
    /// What makes those that were not.
    on_entry: Option<OnEntry>,
}

/// Formulations that are made as modes are entered.
struct OnEntry {
    maker: Box<dyn ModeMaker>,
    /// The names that all formulations are to have.
    names: Vec<Name>,
    /// The modes that have been entered, in that order.
    first: OnceCell<Box<Entered>>,
}

/// A mode that has been entered, and the next one.
struct Entered {
    mode: Mode,
    made: Made,
    next: OnceCell<Box<Entered>>,
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

    /// Why a run cannot go from one mode to another by these events: [`Modes::obstacle`].
    fn obstacle(&self, from: &[usize], to: &[usize], events: &[Name]) -> Option<Name>;
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
        MultiModeForm { description, inner: start, others: HashMap::new(), on_entry: None }
    }

    /// Begins with the formulation `start`, and makes those in other modes as they are entered. Those of `names` that the
    /// formulation at the start has are the entries of solutions; the formulations in all other modes must have them, too.
    pub fn made_when_entered(
        description: ModesDescription,
        start: Box<dyn Dae>,
        names: &HashSet<Name>,
        maker: Box<dyn ModeMaker>,
    ) -> Self {
        let names = names_of(start.as_ref()).filter(|name| names.contains(name)).collect();
        let on_entry = Some(OnEntry { maker, names, first: OnceCell::new() });
        MultiModeForm { description, inner: start, others: HashMap::new(), on_entry }
    }

    /// Adds the formulation in another mode.
    pub fn add(&mut self, mode: Mode, dae: Box<dyn Dae>) {
        self.others.insert(mode, Ok(dae));
    }

    /// Says why there is no formulation in another mode; a run that enters it ends with this reason.
    pub fn add_missing(&mut self, mode: Mode, reason: impl Into<Name>) {
        self.others.insert(mode, Err(reason.into()));
    }

    /// The formulations in other modes that have been made.
    fn made(&self) -> impl Iterator<Item = &(dyn Dae + 'static)> {
        let entered = self.on_entry.iter().flat_map(OnEntry::entered).map(|it| &it.made);
        self.others.values().chain(entered).flatten().map(AsRef::as_ref)
    }
}

impl OnEntry {
    fn entered(&self) -> impl Iterator<Item = &Entered> {
        std::iter::successors(self.first.get().map(AsRef::as_ref), |it| it.next.get().map(AsRef::as_ref))
    }

    /// The formulation in a mode, which is made if it has not been entered before.
    fn in_mode(&self, mode: &[usize], parameters: &[f64]) -> &Made {
        let mut place = &self.first;
        loop {
            let it = place.get_or_init(|| {
                let made = self.make(mode, parameters);
                Box::new(Entered { mode: mode.to_vec(), made, next: OnceCell::new() })
            });
            if it.mode == mode {
                return &it.made;
            }
            place = &it.next;
        }
    }

    fn make(&self, mode: &[usize], parameters: &[f64]) -> Made {
        let mut dae = self.maker.make(mode)?;
        dae.set_parameters(parameters);
        let known: HashSet<Name> = names_of(dae.as_ref()).collect();
        match self.names.iter().find(|name| !known.contains(*name)) {
            Some(name) => Err(format!("there the formulation has no value of `{name}`").into()),
            None => Ok(dae),
        }
    }

    fn set_parameters(&mut self, values: &[f64]) {
        let mut place = &mut self.first;
        while let Some(it) = place.get_mut() {
            it.made.iter_mut().for_each(|dae| dae.set_parameters(values));
            place = &mut it.next;
        }
    }
}

/// The names of which a formulation has a value.
fn names_of(dae: &dyn Dae) -> impl Iterator<Item = Name> + '_ {
    let description = dae.description();
    let of_unknowns = description.unknowns.iter().map(|it| it.name.clone());
    of_unknowns.chain(description.eliminated.iter().map(|it| it.name.clone()))
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

    fn names(&self) -> Vec<Name> {
        if let Some(on_entry) = &self.on_entry {
            return on_entry.names.clone();
        }
        let mut names: Vec<Name> = names_of(self.inner.as_ref()).collect();
        for dae in self.made() {
            let known: HashSet<Name> = names_of(dae).collect();
            names.retain(|name| known.contains(name));
        }
        names
    }

    fn obstacle(&self, from: &[usize], to: &[usize], events: &[Name]) -> Option<Name> {
        self.on_entry.as_ref()?.maker.obstacle(from, to, events)
    }

    fn in_mode(&self, mode: &[usize]) -> Result<&dyn Dae, Name> {
        if mode == self.description.start {
            return Ok(self.inner.as_ref());
        }
        let made = match (self.others.get(mode), &self.on_entry) {
            (Some(made), _) => made,
            (None, Some(on_entry)) => on_entry.in_mode(mode, self.parameters()),
            (None, None) => return Err("no event was found to enter it".into()),
        };
        made.as_ref().map(AsRef::as_ref).map_err(Name::clone)
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
        self.on_entry.iter_mut().for_each(|it| it.set_parameters(values));
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
