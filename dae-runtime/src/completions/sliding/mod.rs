//! Solutions that slide along surfaces across which $F$ jumps.
//!
//! In: a formulation with the equations between the sides of its surfaces ([`crate::contract::Blended`]), and the
//! surfaces along which the solution slides. Out: the formulation
//!
//! $$ \bar F(t, y, y', s) = 0, \qquad \sigma_k(t, y) = 0, $$
//!
//! whose unknowns are $y$ and the weights $s_k$ of these surfaces; on all other surfaces it stays on a side, whatever
//! the sign of the switching function. Its switching functions are those of the formulation, except on the surfaces
//! along which it slides, and $s_k$ and $1 - s_k$, apart from rounding errors: where one of these vanishes, the
//! solution leaves the surface. Weights are of index 2 where the equations $\bar F$ are of index 1 or 2 (L. Dieci, L.
//! Lopez, J. Comput. Appl. Math. 236, 2012; N. Guglielmi, E. Hairer, SIAM J. Appl. Dyn. Syst. 14, 2015, and 21, 2022).
//!
//! | file | what |
//! |---|---|
//! | `surfaces` | the formulation with its equations between the sides |
//! | `structure` | which equations are differentiated, so that derivatives on surfaces are determined |
//! | `links` | surfaces that depend on one another by the constraints |
//! | `rates` | derivatives on surfaces, and weights |
//! | `choice` | how a solution goes on from surfaces |
//! | `onto` | states moved onto surfaces |
//! | `description` | unknowns, rows and patterns |

mod choice;
mod description;
mod links;
mod onto;
mod rates;
mod structure;
mod surfaces;

use std::cell::RefCell;

pub(crate) use choice::Undecided;
use choice::ZERO;
use description::{Described, OfSurface};
pub(crate) use rates::{Mode, Rates};
use structure::Structure;
pub(crate) use structure::Unsuitable;
pub(crate) use surfaces::Surfaces;

use crate::contract::{Dae, Description, Name, Prolongation};
use crate::interval::TaylorModel;

/// Where the equations along surfaces become singular, a weight is that of a side if it is this near to it.
const NEARLY: f64 = 1e-6;

/// A state is on a surface but for rounding errors if it is this fraction of its tolerance away.
const ROUNDED: f64 = 1e-3;
/// The largest number of corrections by which it is moved onto the surface.
const ROUNDINGS: usize = 3;

/// A formulation that slides along surfaces.
pub(crate) struct Sliding<'d> {
    surfaces: Surfaces<'d>,
    description: Description,
    structure: Structure,
    modes: Vec<Mode>,
    of_rows: Vec<usize>,
    of_surfaces: Vec<OfSurface>,
    /// The invariants of the inner formulation that jump across surfaces, and their rows.
    jumping: Vec<(usize, usize)>,
    /// Places among the values of the watched functions of the inner formulation of those that are still watched.
    watched: Vec<usize>,
    scratch: RefCell<Scratch>,
}

/// Values of the inner formulation.
struct Scratch {
    /// $(y, s)$ for all surfaces.
    state: Vec<f64>,
    by_state: Vec<f64>,
    /// $\bar F$, and the derivatives that it is evaluated for where it contains none.
    residual: Vec<f64>,
    zeros: Vec<f64>,
    /// $\sigma$ and its gradients.
    values: Vec<f64>,
    gradients: Vec<f64>,
    watched: Vec<f64>,
}

impl<'d> Sliding<'d> {
    /// Sliding along the surfaces whose mode is [`Mode::Sliding`], from a state near them on.
    pub(crate) fn new(
        surfaces: Surfaces<'d>,
        modes: Vec<Mode>,
        near: (f64, &[f64]),
    ) -> Result<Sliding<'d>, Unsuitable> {
        let (inner, patterns) = (surfaces.inner.description(), surfaces.blended.blended_description());
        let at: Vec<usize> = (0..modes.len()).filter(|&k| modes[k] == Mode::Sliding).collect();
        let structure = surfaces.structure(&at, near, &modes)?;
        let guess = vec![0.0; near.1.len()];
        let structure = surfaces.paired(&structure, (near.0, near.1, &guess), &modes)?.unwrap_or(structure);
        let Described { description, of_rows, of_surfaces, jumping } = Described::new(&surfaces, &structure)?;
        let watched = inner.switches.iter().enumerate().filter(|(_, switch)| switch.is_watched());
        let is_slid = |switch: usize| at.iter().any(|&k| surfaces.switch(k) == switch);
        let watched: Vec<bool> = watched.map(|(switch, _)| !is_slid(switch)).collect();
        let scratch = Scratch {
            state: vec![0.0; inner.unknowns.len() + modes.len()],
            by_state: vec![0.0; patterns.jacobian_y.len()],
            residual: vec![0.0; inner.unknowns.len()],
            zeros: vec![0.0; inner.unknowns.len()],
            values: vec![0.0; modes.len()],
            gradients: vec![0.0; patterns.surfaces_jacobian.len()],
            watched: vec![0.0; watched.len()],
        };
        Ok(Sliding {
            surfaces,
            description,
            structure,
            modes,
            of_rows,
            of_surfaces,
            jumping,
            watched: (0..watched.len()).filter(|&place| watched[place]).collect(),
            scratch: RefCell::new(scratch),
        })
    }

    /// The number of unknowns without the weights.
    pub(crate) fn size(&self) -> usize {
        self.structure.has_rate.len()
    }

    /// The modes of all surfaces.
    pub(crate) fn modes(&self) -> &[Mode] {
        &self.modes
    }

    /// Whether the surfaces depend on one another, and some weights are held together that might go on alone.
    pub(crate) fn is_paired(&self) -> bool {
        self.structure.is_paired()
    }

    /// Whether all weights at a state near the surfaces are those of combinations, and of no side.
    pub(crate) fn is_held(&self, (t, y, yp): (f64, &[f64], &[f64])) -> bool {
        let is_between = |weight: f64| weight > NEARLY && weight < 1.0 - NEARLY;
        self.consistent(t, y, yp).is_ok_and(|rates| self.structure.at.iter().all(|&k| is_between(rates.weights[k])))
    }

    /// The modes after the solution has left this surface, and all that are one with it, to a side.
    pub(crate) fn modes_beyond(&self, surface: usize, side: Mode) -> Vec<Mode> {
        let mut modes = self.modes.clone();
        self.structure.set(&mut modes, surface, side);
        modes
    }

    /// The surfaces along which it slides, as switching functions of the inner formulation.
    pub(crate) fn slid(&self) -> impl Iterator<Item = usize> + '_ {
        self.structure.at.iter().map(|&k| self.surfaces.switch(k))
    }

    /// The surface that a solution leaves where one of the switching functions of this formulation vanishes, and the
    /// side; `None` if that is a function of the inner formulation.
    pub(crate) fn exit(&self, switch: usize) -> Option<(usize, Mode)> {
        let place = switch.checked_sub(self.surfaces.inner.description().switches.len())?;
        let side = if place.is_multiple_of(2) { Mode::Negative } else { Mode::Positive };
        Some((*self.structure.at.get(place / 2)?, side))
    }

    /// A surface whose weight in a state is that of a side, but for errors, and that side.
    pub(crate) fn on_side(&self, state: &[f64]) -> Option<(usize, Mode)> {
        let weights = self.structure.at.iter().zip(&state[self.size()..]);
        let mut on_side = weights.filter_map(|(&surface, &weight)| match weight {
            _ if weight.abs() <= NEARLY => Some((surface, Mode::Negative)),
            _ if (1.0 - weight).abs() <= NEARLY => Some((surface, Mode::Positive)),
            _ => None,
        });
        on_side.next()
    }

    /// A surface whose weight in a state is that of no combination, and the side to which the solution leaves it.
    pub(crate) fn left(&self, state: &[f64]) -> Option<(usize, Mode)> {
        let weights = self.structure.at.iter().zip(&state[self.size()..]);
        let mut left = weights.filter_map(|(&surface, &weight)| match exits_of(weight) {
            [negative, _] if negative < 0.0 => Some((surface, Mode::Negative)),
            [_, positive] if positive < 0.0 => Some((surface, Mode::Positive)),
            _ => None,
        });
        left.next()
    }

    /// The state moved onto the surfaces, and the derivatives and weights there.
    pub(crate) fn consistent(&self, t: f64, y: &[f64], yp: &[f64]) -> Result<Rates, Unsuitable> {
        let mut y = y.to_vec();
        let weights: Vec<f64> = self.modes.iter().map(|mode| mode.weight()).collect();
        self.surfaces.move_onto(&self.structure, t, &mut y, &weights);
        Rates::of(&self.surfaces, &self.structure, t, [&y, yp], &self.modes)
    }

    /// Moves a state that is on the surfaces, but for rounding errors, to where their functions are zero, as far as rounding
    /// allows, and its derivative to where their rates are: one unknown for each surface.
    pub(crate) fn round_onto(&self, (t, y, yp): (f64, &mut [f64], &mut [f64]), error_weights: &[f64]) {
        let pattern = &self.surfaces.blended.blended_description().surfaces_jacobian;
        let Scratch { values, gradients, .. } = &mut *self.scratch.borrow_mut();
        let mut moved: Vec<usize> = Vec::new();
        for place in self.structure.leaders() {
            let surface = self.structure.at[place];
            self.surfaces.blended.surfaces_jacobian(t, y, gradients);
            let free = pattern.row(surface).filter(|(k, _)| self.structure.has_rate[*k] && !moved.contains(k));
            let sizes = free.map(|(k, at)| (k, gradients[at], (gradients[at] / error_weights[k]).abs()));
            let Some((k, slope, size)) = sizes.max_by(|a, b| a.2.total_cmp(&b.2)) else { continue };
            moved.push(k);
            for _ in 0..ROUNDINGS {
                self.surfaces.blended.surfaces(t, y, values);
                let value = values[surface];
                if value != 0.0 && value.abs() <= ROUNDED * size {
                    y[k] -= value / slope;
                }
            }
            self.surfaces.blended.surfaces_jacobian_t(t, y, values);
            let along: f64 = pattern.row(surface).map(|(k, at)| gradients[at] * yp[k]).sum();
            let rate = values[surface] + along;
            yp[k] -= rate / slope;
        }
    }

    /// The state with weights from the rates of a consistent state.
    pub(crate) fn start(&self, rates: &Rates) -> [Vec<f64>; 2] {
        let weights = self.structure.at.iter().map(|&k| rates.weights[k]);
        let y = rates.y.iter().copied().chain(weights).collect();
        let yp = rates.yp.iter().copied().chain(self.structure.at.iter().map(|_| 0.0)).collect();
        [y, yp]
    }

    /// Two ways in which the solution can go on from a state, if it no longer has to slide along all of the surfaces.
    pub(crate) fn exits(&self, at: (f64, &[f64], &[f64]), direction: f64) -> Option<[Name; 2]> {
        self.surfaces.exits(&self.structure, at, &self.modes, direction)
    }

    /// Enters a state into the scratch space.
    fn enter<'s>(&self, scratch: &'s mut Scratch, y: &[f64]) -> &'s mut Scratch {
        let (y, weights) = y.split_at(self.size());
        let (of_y, of_weights) = scratch.state.split_at_mut(self.size());
        of_y.copy_from_slice(y);
        of_weights.iter_mut().zip(&self.modes).for_each(|(weight, mode)| *weight = mode.weight());
        self.structure.at.iter().zip(weights).for_each(|(&k, weight)| of_weights[k] = *weight);
        scratch
    }

    /// The entries of the rows of the surfaces along which it slides.
    fn entries_of_surfaces(&self, scratch: &mut Scratch, t: f64, y: &[f64], values: &mut [f64]) {
        self.surfaces.blended.surfaces_jacobian(t, &y[..self.size()], &mut scratch.gradients);
        values.iter_mut().zip(&self.of_surfaces).for_each(|(value, entry)| {
            *value = match *entry {
                OfSurface::Gradient(place) => scratch.gradients[place],
                OfSurface::Number(number) => number,
            };
        });
    }

    /// The rows of the surfaces along which it slides: their functions, and the weights of those that are one with others.
    fn rows_of_surfaces(&self, scratch: &mut Scratch, t: f64, y: &[f64], values: &mut [f64]) {
        let (y, weights) = y.split_at(self.size());
        self.surfaces.blended.surfaces(t, y, &mut scratch.values);
        for (place, (value, &k)) in values.iter_mut().zip(&self.structure.at).enumerate() {
            let link = self.structure.links[place];
            *value = link.map_or(scratch.values[k], |link| link.residual(weights[link.leader], weights[place]));
        }
    }
}

/// The functions in whose zeros a solution leaves a surface: a weight that is that of a side holds it there.
fn exits_of(weight: f64) -> [f64; 2] {
    [weight + ZERO, 1.0 + ZERO - weight]
}

impl Dae for Sliding<'_> {
    fn description(&self) -> &Description {
        &self.description
    }

    fn parameters(&self) -> &[f64] {
        self.surfaces.inner.parameters()
    }

    /// The inner formulation is borrowed for a run, in which parameters do not change.
    fn set_parameters(&mut self, _values: &[f64]) {}

    fn residual(&self, t: f64, y: &[f64], yp: &[f64], residual: &mut [f64]) {
        let scratch = &mut *self.scratch.borrow_mut();
        let (rows, of_surfaces) = residual.split_at_mut(self.size());
        self.enter(scratch, y);
        self.surfaces.blended.blended_residual(t, &scratch.state, &yp[..self.size()], rows);
        self.rows_of_surfaces(scratch, t, y, of_surfaces);
    }

    fn jacobian_y(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        let scratch = &mut *self.scratch.borrow_mut();
        let (rows, of_surfaces) = values.split_at_mut(self.of_rows.len());
        let Scratch { state, by_state, .. } = self.enter(scratch, y);
        self.surfaces.blended.blended_jacobian_y(t, state, &yp[..self.size()], by_state);
        rows.iter_mut().zip(&self.of_rows).for_each(|(value, &place)| *value = by_state[place]);
        self.entries_of_surfaces(scratch, t, y, of_surfaces);
    }

    fn jacobian_yp(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        let scratch = &mut *self.scratch.borrow_mut();
        self.enter(scratch, y);
        self.surfaces.blended.blended_jacobian_yp(t, &scratch.state, &yp[..self.size()], values);
    }

    fn jacobian_t(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        let scratch = &mut *self.scratch.borrow_mut();
        let (rows, of_surfaces) = values.split_at_mut(self.size());
        self.enter(scratch, y);
        self.surfaces.blended.blended_jacobian_t(t, &scratch.state, &yp[..self.size()], rows);
        self.surfaces.blended.surfaces_jacobian_t(t, &y[..self.size()], &mut scratch.values);
        let rows = of_surfaces.iter_mut().zip(&self.structure.at).zip(&self.structure.links);
        rows.for_each(|((value, &k), link)| *value = if link.is_none() { scratch.values[k] } else { 0.0 });
    }

    /// No derivatives with respect to parameters are needed while a solution slides.
    fn jacobian_p(&self, _t: f64, _y: &[f64], _yp: &[f64], _values: &mut [f64]) {}

    fn invariants(&self, t: f64, y: &[f64], values: &mut [f64]) {
        let (of_inner, own) = values.split_at_mut(self.surfaces.inner.description().invariants.len());
        let scratch = &mut *self.scratch.borrow_mut();
        self.surfaces.inner.invariants(t, &y[..self.size()], of_inner);
        if !self.jumping.is_empty() {
            let Scratch { state, residual, zeros, .. } = self.enter(scratch, y);
            self.surfaces.blended.blended_residual(t, state, zeros, residual);
            self.jumping.iter().for_each(|&(invariant, row)| of_inner[invariant] = residual[row]);
        }
        self.surfaces.blended.surfaces(t, &y[..self.size()], &mut scratch.values);
        let leaders = self.structure.at.iter().zip(&self.structure.links).filter(|(_, link)| link.is_none());
        own.iter_mut().zip(leaders).for_each(|(value, (&k, _))| *value = scratch.values[k]);
    }

    fn invariants_jacobian(&self, t: f64, y: &[f64], values: &mut [f64]) {
        let (of_inner, own) = values.split_at_mut(self.surfaces.inner.description().invariants_jacobian.len());
        self.surfaces.inner.invariants_jacobian(t, &y[..self.size()], of_inner);
        let scratch = &mut *self.scratch.borrow_mut();
        self.surfaces.blended.surfaces_jacobian(t, &y[..self.size()], &mut scratch.gradients);
        let gradients = self.of_surfaces.iter().filter_map(|entry| match *entry {
            OfSurface::Gradient(place) => Some(scratch.gradients[place]),
            OfSurface::Number(_) => None,
        });
        own.iter_mut().zip(gradients).for_each(|(value, gradient)| *value = gradient);
    }

    fn switching_functions(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        let (y, weights) = y.split_at(self.size());
        let (of_inner, exits) = values.split_at_mut(self.surfaces.inner.description().switches.len());
        self.surfaces.inner.switching_functions(t, y, &yp[..self.size()], of_inner);
        self.slid().for_each(|switch| of_inner[switch] = 1.0);
        exits.chunks_exact_mut(2).zip(weights).for_each(|(exits, weight)| exits.copy_from_slice(&exits_of(*weight)));
    }

    fn watched_functions(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        let scratch = &mut *self.scratch.borrow_mut();
        let (y, weights) = y.split_at(self.size());
        self.surfaces.inner.watched_functions(t, y, &yp[..self.size()], &mut scratch.watched);
        let (of_inner, exits) = values.split_at_mut(self.watched.len());
        of_inner.iter_mut().zip(&self.watched).for_each(|(value, &place)| *value = scratch.watched[place]);
        exits.chunks_exact_mut(2).zip(weights).for_each(|(exits, weight)| exits.copy_from_slice(&exits_of(*weight)));
    }

    fn switch_enclosures(&self, t: TaylorModel, y: &[TaylorModel], yp: &[TaylorModel], values: &mut [TaylorModel]) {
        let (y, weights) = y.split_at(self.size());
        let (of_inner, exits) = values.split_at_mut(self.surfaces.inner.description().switches.len());
        self.surfaces.inner.switch_enclosures(t, y, &yp[..self.size()], of_inner);
        let one = TaylorModel::point(1.0);
        self.slid().for_each(|switch| of_inner[switch] = one);
        let zero = TaylorModel::point(ZERO);
        exits.chunks_exact_mut(2).zip(weights).for_each(|(exits, &weight)| {
            exits[0] = weight + zero;
            exits[1] = one + zero - weight;
        });
    }

    fn prolongation(&self) -> &dyn Prolongation {
        self.surfaces.inner.prolongation()
    }

    fn choose_coordinates(&self, t: f64, y: &[f64], yp: &[f64], anew: bool) -> bool {
        self.surfaces.inner.choose_coordinates(t, &y[..self.size()], &yp[..self.size()], anew)
    }
}
