//! Consistent values after a change of the state.
//!
//! In: a state and its derivative during a run, and which entries have been changed. Out: a state with these entries
//! that satisfies the constraints, including hidden ones.
//!
//! This is an initialisation of the model in which changed entries are fixed, and so are states of earlier stages
//! (positions, if a velocity was changed); other differential unknowns are guesses, and everything else follows.

use super::{Direction, InitializationError, InitializationOptions, consistent_jets, derivatives_of_jets};
use crate::contract::{Dae, Kind, Name, Prolongation, ProlongationDescription, Start, Unknown};

/// Replaces a state and its derivative by consistent ones, and returns the jets there. Since formulations keep
/// constraints only to a tolerance, an entry that is to stay may move by `allowed` if there is no other way.
pub(crate) fn consistent_restart(
    dae: &dyn Dae,
    t: f64,
    y: &mut [f64],
    yp: &mut [f64],
    is_changed: impl Fn(usize) -> bool,
    allowed: impl Fn(usize) -> f64,
    options: &InitializationOptions,
) -> Result<Vec<f64>, InitializationError> {
    let (mut restart, places) = Restart::new(dae, t, y, yp);
    let stays = restart.stays(dae, &places, &is_changed);
    restart.mark(|i| if stays[i] { Start::Fixed } else { Start::Guess }, dae, &places);
    let jets = match consistent_jets(&restart, t, options) {
        Ok(jets) => jets,
        Err(error) => {
            // The state satisfies constraints only to a tolerance: let all of it move a little, or else the part that
            // was not changed.
            let nearly = [false, true].into_iter().find_map(|keeps_changed| {
                let is_kept = |i: usize| keeps_changed && is_changed(i) || dae.description().unknowns[i].is_discrete;
                let meant = |i: usize| if is_kept(i) { Start::Fixed } else { Start::Guess };
                restart.mark(meant, dae, &places);
                let jets = consistent_jets(&restart, t, options).ok()?;
                let moved = |(i, place): (usize, &Option<usize>)| {
                    place.is_some_and(|jet| stays[i] && (jets[jet] - y[i]).abs() > allowed(i))
                };
                (!places.values.iter().enumerate().any(moved)).then_some(jets)
            });
            nearly.ok_or(error)?
        }
    };
    dae.states_from_jets(t, &jets, y, yp);
    Ok(jets)
}

/// Which entries of a state keep their derivatives; the others stay as near to theirs as they can.
#[derive(Clone, Copy)]
pub(crate) enum KeptDerivatives<'a> {
    /// Those whose values a restart keeps when it changes the entries for which the function is true.
    AsInRestart(&'a dyn Fn(usize) -> bool),
    /// The entries for which the function is true: those that are changed.
    Changed(&'a dyn Fn(usize) -> bool),
    /// None.
    Nothing,
}

/// How the entries of a state and the equations of the prolongation change with a quantity.
pub(crate) struct Change<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) equations: Vec<f64>,
    /// Name of the quantity, for messages.
    pub(crate) name: &'a Name,
}

/// Derivatives of a state that was made consistent, and of its time derivative, for a given change of the entries of
/// the state and of the equations of the prolongation. `point` consists of the state, its time derivative and the jets.
pub(crate) fn restarted_derivatives(
    dae: &dyn Dae,
    t: f64,
    point: [&[f64]; 3],
    held: KeptDerivatives<'_>,
    change: Change<'_>,
) -> Result<Derivatives, InitializationError> {
    Ok(restarted_derivatives_in(dae, t, point, held, vec![change])?.swap_remove(0))
}

/// Derivatives of the state and of its time derivative.
type Derivatives = (Vec<f64>, Vec<f64>);

/// Derivatives as in [`restarted_derivatives`], for several changes of the entries and equations.
pub(crate) fn restarted_derivatives_in(
    dae: &dyn Dae,
    t: f64,
    [y, yp, jets]: [&[f64]; 3],
    held: KeptDerivatives<'_>,
    changes: Vec<Change<'_>>,
) -> Result<Vec<Derivatives>, InitializationError> {
    let (mut restart, places) = Restart::new(dae, t, y, yp);
    let direction = |Change { values, equations, name }| {
        let mut start = vec![0.0; jets.len()];
        for (place, value) in places.values.iter().zip(values) {
            if let Some(jet) = *place {
                start[jet] = *value;
            }
        }
        Direction { name, start, equations }
    };
    let directions: Vec<Direction<'_>> = changes.into_iter().map(direction).collect();
    let stays: Vec<bool> = match held {
        KeptDerivatives::AsInRestart(is_changed) => restart.stays(dae, &places, is_changed),
        KeptDerivatives::Changed(is_changed) => (0..y.len()).map(is_changed).collect(),
        KeptDerivatives::Nothing => vec![false; y.len()],
    };
    restart.mark(|i| if stays[i] { Start::Fixed } else { Start::Guess }, dae, &places);
    let found = derivatives_of_jets(&restart, t, jets, &directions, NEARLY)?;
    let of = |derivatives: Vec<f64>| {
        let at =
            |places: &[Option<usize>]| places.iter().map(|place| place.map_or(0.0, |jet| derivatives[jet])).collect();
        (at(&places.values), at(&places.slopes))
    };
    Ok(found.into_iter().map(of).collect())
}

/// Which jets the entries of $y$ and of $y'$ are, and the eliminated unknowns.
pub(crate) struct JetPlaces {
    pub(crate) values: Vec<Option<usize>>,
    pub(crate) slopes: Vec<Option<usize>>,
    pub(crate) eliminated: Vec<Option<usize>>,
}

impl JetPlaces {
    /// Finds the jets of a formulation. Auxiliary unknowns have none, because they need not equal the derivatives for
    /// which they stand.
    pub(crate) fn of(dae: &dyn Dae) -> Self {
        let (description, prolongation) = (dae.description(), dae.prolongation().prolongation_description());
        let is_determined = |unknown: &&Unknown| !unknown.kind.is_auxiliary();
        let value = |unknown: &Unknown| Some(unknown).filter(is_determined)?.role.jet();
        let values: Vec<Option<usize>> = description.unknowns.iter().map(value).collect();
        let slopes = values.iter().map(|jet| prolongation.derivative_of((*jet)?)).collect();
        JetPlaces { values, slopes, eliminated: description.eliminated.iter().map(|it| it.jet).collect() }
    }
}

/// A prolongation with other start values.
pub(super) struct Restart<'p> {
    inner: &'p dyn Prolongation,
    description: ProlongationDescription,
    start: Vec<f64>,
}

/// Sensitivities satisfy the linearised constraints only to a tolerance: residuals up to this fraction of their terms
/// need no correction.
pub(super) const NEARLY: f64 = 1e-3;

impl<'p> Restart<'p> {
    /// A prolongation with the start values `jets`, meant as `start` says.
    pub(super) fn at(inner: &'p dyn Prolongation, jets: Vec<f64>, start: impl Fn(usize) -> Start) -> Self {
        let mut description = inner.prolongation_description().clone();
        description.jets.to_mut().iter_mut().enumerate().for_each(|(k, jet)| jet.start = start(k));
        Restart { inner, description, start: jets }
    }

    /// Whether an entry of the state is a state of the model: its derivative occurs in the formulation or, where that
    /// defines its differential unknowns itself, in the model.
    fn is_state(&self, dae: &dyn Dae, places: &JetPlaces, i: usize) -> bool {
        let description = dae.description();
        let occurs = || places.values[i].is_some_and(|jet| self.description.derivative_of(jet).is_some());
        description.unknowns[i].kind == Kind::Differential || description.has_defined_unknowns() && occurs()
    }

    /// Whether each entry stays: discrete ones do, those that were changed, and the states of earlier stages, among them
    /// those of which changed entries are the derivatives.
    fn stays(&self, dae: &dyn Dae, places: &JetPlaces, is_changed: &dyn Fn(usize) -> bool) -> Vec<bool> {
        let count = dae.description().unknowns.len();
        let stage = |i: usize| places.values[i].map_or(0, |jet| self.description.jets[jet].stage);
        let lowest = (0..count).filter(|&i| is_changed(i)).map(stage).min().unwrap_or(i32::MIN);
        let is_discrete = |i: usize| dae.description().unknowns[i].is_discrete;
        let stays = |i: usize| is_changed(i) || is_discrete(i) || self.is_state(dae, places, i) && stage(i) < lowest;
        (0..count).map(stays).collect()
    }

    /// Restarts from a state and its derivative; also returns which jets these are.
    fn new(dae: &'p dyn Dae, t: f64, y: &[f64], yp: &[f64]) -> (Self, JetPlaces) {
        let inner = dae.prolongation();
        let mut restart = Restart { inner, description: inner.prolongation_description().clone(), start: Vec::new() };
        let places = JetPlaces::of(dae);
        restart.begin_at(dae, t, &places, y, yp);
        (restart, places)
    }

    /// Takes the jets that a state and its derivative give, and the others from the model.
    fn begin_at(&mut self, dae: &dyn Dae, t: f64, places: &JetPlaces, y: &[f64], yp: &[f64]) {
        self.start = vec![0.0; self.description.jets.len()];
        self.inner.start_values(t, &mut self.start);
        // A derivative that is also a state has its value from there.
        let slopes = places.slopes.iter().zip(yp).zip(dae.description().unknowns.iter());
        let slopes = slopes.filter(|(_, unknown)| unknown.kind == Kind::Differential).map(|(known, _)| known);
        let known = slopes.chain(places.values.iter().zip(y));
        for (place, value) in known {
            if let Some(jet) = *place {
                self.start[jet] = *value;
            }
        }
        for (place, eliminated) in places.eliminated.iter().zip(dae.description().eliminated.iter()) {
            if let (Some(jet), Some(value)) = (*place, eliminated.alias_of.value(y)) {
                self.start[jet] = value;
            }
        }
    }

    /// Sets how the start values of differential unknowns are meant; other jets follow from the equations.
    fn mark(&mut self, start: impl Fn(usize) -> Start, dae: &dyn Dae, places: &JetPlaces) {
        let mut meant = vec![Start::Free; self.description.jets.len()];
        for (i, place) in places.values.iter().enumerate() {
            if let Some(jet) = *place {
                let start = start(i);
                let counts = start == Start::Fixed || self.is_state(dae, places, i);
                meant[jet] = if counts { start } else { Start::Free };
            }
        }
        self.description.jets.to_mut().iter_mut().zip(meant).for_each(|(jet, start)| jet.start = start);
    }
}

impl Prolongation for Restart<'_> {
    fn prolongation_description(&self) -> &ProlongationDescription {
        &self.description
    }

    fn start_values(&self, _t: f64, jets: &mut [f64]) {
        jets.copy_from_slice(&self.start);
    }

    fn prolonged_residual(&self, t: f64, jets: &[f64], residual: &mut [f64]) {
        self.inner.prolonged_residual(t, jets, residual);
    }

    fn prolonged_jacobian(&self, t: f64, jets: &[f64], values: &mut [f64]) {
        self.inner.prolonged_jacobian(t, jets, values);
    }

    fn prolonged_jacobian_p(&self, t: f64, jets: &[f64], values: &mut [f64]) {
        self.inner.prolonged_jacobian_p(t, jets, values);
    }

    fn start_jacobian_p(&self, t: f64, values: &mut [f64]) {
        self.inner.start_jacobian_p(t, values);
    }
}
