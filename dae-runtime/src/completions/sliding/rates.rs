//! Derivatives on surfaces.
//!
//! In: a state on surfaces across which $F$ jumps; for each of them a side, or that the solution slides along it. Out:
//! $y'$, the values of the unknowns without derivatives, the weights of the surfaces along which the solution slides,
//! and $r_k = d\sigma_k/dt$ for the others.
//!
//! With the equations $\bar F$ between the sides ([`crate::contract::Blended`]), those that are to be differentiated
//! ([`super::structure`]) in their differentiated form $\bar F_t + \bar F_y y'$, these are the solutions of
//!
//! $$ \bar F(t, y, y', s) = 0, \qquad \sigma_t + \sigma_y y' = r, \qquad r_k = 0 \text{ or } s_k \in \{0, 1\}, $$
//!
//! by Newton's iteration, which takes one step where $\bar F$ is affine. Of surfaces that depend on one another
//! ([`super::links`]), one has an equation for its weight instead.

use super::structure::{Structure, Unsuitable};
use super::surfaces::Surfaces;
use crate::linalg::sparse::{Factors, SparseMatrix};

/// Largest number of iterations.
const MAX_ITERATIONS: usize = 20;
/// The iteration has converged if the change is below the first number relative to the size; or below the second, and
/// no longer decreases.
const CONVERGED: (f64, f64) = (1e-13, 1e-8);

/// Where a solution is with respect to a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// On the side $\sigma < 0$, or leaving the surface to that side.
    Negative,
    /// On the side $\sigma > 0$, or leaving the surface to that side.
    Positive,
    /// Sliding along the surface.
    Sliding,
}

impl Mode {
    /// The weight on a side.
    pub(super) fn weight(self) -> f64 {
        match self {
            Mode::Negative => 0.0,
            Mode::Positive => 1.0,
            Mode::Sliding => 0.5,
        }
    }

    /// The side on which a switching function has this value.
    pub(crate) fn of(value: f64) -> Mode {
        if value < 0.0 { Mode::Negative } else { Mode::Positive }
    }
}

/// Derivatives at a state on surfaces.
pub(crate) struct Rates {
    /// $y$, with the unknowns that have no derivatives as the equations determine them.
    pub(crate) y: Vec<f64>,
    /// $y'$.
    pub(crate) yp: Vec<f64>,
    /// The weights of all surfaces.
    pub(crate) weights: Vec<f64>,
    /// $r_k$ for the surfaces that the solution is on.
    pub(super) rates: Vec<f64>,
    /// The sum of the absolute values of the terms of $d\sigma_k/dt$.
    pub(super) sizes: Vec<f64>,
    factors: Factors,
}

impl Rates {
    /// At the state `y` on the surfaces of `structure`, with modes for all surfaces; `yp` is a first guess.
    pub(super) fn of(
        surfaces: &Surfaces<'_>,
        structure: &Structure,
        t: f64,
        [y, yp]: [&[f64]; 2],
        modes: &[Mode],
    ) -> Result<Rates, Unsuitable> {
        let mut system = System::new(surfaces, structure, t, [y, yp], modes);
        let mut before = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            system.evaluate();
            let factors = Factors::of(&system.matrix()).map_err(|_| Unsuitable::Singular)?;
            let mut change = system.residuals();
            factors.solve(&mut change);
            let size = system.take(&change);
            if !size.is_finite() {
                return Err(Unsuitable::Singular);
            }
            if size <= CONVERGED.0 || (size <= CONVERGED.1 && size >= 0.1 * before) {
                return Ok(system.finish(factors));
            }
            before = size;
        }
        Err(Unsuitable::Singular)
    }

    /// The change of the weights where $d\sigma_k/dt$ changes by one for the `place`-th of the surfaces: column `place`
    /// of the inverse of $\partial r/\partial s$.
    pub(super) fn response(&self, place: usize) -> Vec<f64> {
        let n = self.y.len();
        let mut change = vec![0.0; n + self.rates.len()];
        change[n + place] = 1.0;
        self.factors.solve(&mut change);
        change.split_off(n)
    }
}

/// The equations for the derivatives.
struct System<'a, 'd> {
    surfaces: &'a Surfaces<'d>,
    structure: &'a Structure,
    modes: &'a [Mode],
    t: f64,
    /// $(y, s)$ for all surfaces.
    state: Vec<f64>,
    yp: Vec<f64>,
    rates: Vec<f64>,
    residual: Vec<f64>,
    by_state: Vec<f64>,
    by_rate: Vec<f64>,
    by_time: Vec<f64>,
    surfaces_by_state: Vec<f64>,
    surfaces_by_time: Vec<f64>,
}

impl<'a, 'd> System<'a, 'd> {
    fn new(
        surfaces: &'a Surfaces<'d>,
        structure: &'a Structure,
        t: f64,
        [y, yp]: [&[f64]; 2],
        modes: &'a [Mode],
    ) -> Self {
        let description = surfaces.blended.blended_description();
        let mut state = y.to_vec();
        state.extend(modes.iter().map(|mode| mode.weight()));
        let has_rate = |(yp, &has_rate): (&f64, &bool)| if has_rate { *yp } else { 0.0 };
        let mut system = System {
            surfaces,
            structure,
            modes,
            t,
            state,
            yp: yp.iter().zip(&structure.has_rate).map(has_rate).collect(),
            rates: vec![0.0; structure.at.len()],
            residual: vec![0.0; y.len()],
            by_state: vec![0.0; description.jacobian_y.len()],
            by_rate: vec![0.0; description.jacobian_yp.len()],
            by_time: vec![0.0; y.len()],
            surfaces_by_state: vec![0.0; description.surfaces_jacobian.len()],
            surfaces_by_time: vec![0.0; modes.len()],
        };
        surfaces.blended.surfaces_jacobian(t, y, &mut system.surfaces_by_state);
        surfaces.blended.surfaces_jacobian_t(t, y, &mut system.surfaces_by_time);
        system
    }

    fn n(&self) -> usize {
        self.yp.len()
    }

    fn is_sliding(&self, place: usize) -> bool {
        self.modes[self.structure.at[place]] == Mode::Sliding
    }

    fn evaluate(&mut self) {
        let System { surfaces, t, state, yp, .. } = self;
        let blended = surfaces.blended;
        blended.blended_residual(*t, state, yp, &mut self.residual);
        blended.blended_jacobian_y(*t, state, yp, &mut self.by_state);
        blended.blended_jacobian_yp(*t, state, yp, &mut self.by_rate);
        blended.blended_jacobian_t(*t, state, yp, &mut self.by_time);
    }

    fn matrix(&self) -> SparseMatrix {
        let (n, m) = (self.n(), self.structure.at.len());
        let Structure { has_rate, is_differentiated, at, links, .. } = self.structure;
        let description = self.surfaces.blended.blended_description();
        let by_state = description.jacobian_y.entries().filter_map(|(row, column, place)| {
            let value = self.by_state[place];
            if column >= n {
                let weight = at.binary_search(&(column - n)).ok().filter(|&weight| self.is_sliding(weight))?;
                return Some((row, n + weight, value));
            }
            (is_differentiated[row] || !has_rate[column]).then_some((row, column, value))
        });
        let by_rate = description.jacobian_yp.entries().filter(|(row, ..)| !is_differentiated[*row]);
        let by_rate = by_rate.map(|(row, column, place)| (row, column, self.by_rate[place]));
        let of_surfaces = at.iter().enumerate().flat_map(|(place, &surface)| {
            let entries = description.surfaces_jacobian.row(surface);
            let entries = entries.map(move |(column, at)| (n + place, column, self.surfaces_by_state[at]));
            let link = links[place].filter(|_| self.is_sliding(place));
            let of_link = link.map(|link| (link.leader, link.entries()));
            let of_link = of_link.into_iter().flat_map(move |(leader, entries)| {
                [(n + place, n + leader, entries[0]), (n + place, n + place, entries[1])]
            });
            let own = (!self.is_sliding(place)).then_some((n + place, n + place, -1.0));
            entries.filter(move |_| link.is_none()).chain(own).chain(of_link)
        });
        SparseMatrix::from_entries(n + m, n + m, by_state.chain(by_rate).chain(of_surfaces))
    }

    fn residuals(&self) -> Vec<f64> {
        let (n, description) = (self.n(), self.surfaces.blended.blended_description());
        let mut residuals = self.residual.clone();
        for row in (0..n).filter(|&row| self.structure.is_differentiated[row]) {
            let entries = description.jacobian_y.row(row).filter(|(column, _)| *column < n);
            let along: f64 = entries.map(|(column, place)| self.by_state[place] * self.yp[column]).sum();
            residuals[row] = self.by_time[row] + along;
        }
        let weight = |place: usize| self.state[n + self.structure.at[place]];
        let of_surface = |(place, &surface): (usize, &usize)| match self.structure.links[place] {
            Some(link) if self.is_sliding(place) => link.residual(weight(link.leader), weight(place)),
            Some(_) | None => {
                self.terms(surface).sum::<f64>() - if self.is_sliding(place) { 0.0 } else { self.rates[place] }
            }
        };
        residuals.extend(self.structure.at.iter().enumerate().map(of_surface));
        residuals
    }

    /// The terms of $\sigma_t + \sigma_y y'$.
    fn terms(&self, surface: usize) -> impl Iterator<Item = f64> + '_ {
        let entries = self.surfaces.blended.blended_description().surfaces_jacobian.row(surface);
        let along = entries.map(|(column, place)| self.surfaces_by_state[place] * self.yp[column]);
        std::iter::once(self.surfaces_by_time[surface]).chain(along)
    }

    /// Subtracts a change; returns its size relative to what it changes.
    fn take(&mut self, change: &[f64]) -> f64 {
        let n = self.n();
        let mut size = 0.0_f64;
        for (k, change) in change.iter().enumerate() {
            let target = match k.checked_sub(n) {
                None if self.structure.has_rate[k] => &mut self.yp[k],
                None => &mut self.state[k],
                Some(place) if self.is_sliding(place) => &mut self.state[n + self.structure.at[place]],
                Some(place) => &mut self.rates[place],
            };
            *target -= change;
            // A maximum would ignore what is not a number.
            let relative = change.abs() / (1.0 + target.abs());
            size = if relative > size || relative.is_nan() { relative } else { size };
        }
        size
    }

    fn finish(self, factors: Factors) -> Rates {
        let n = self.n();
        let size = |&surface: &usize| self.terms(surface).map(f64::abs).sum();
        let sizes = self.structure.at.iter().map(size).collect();
        let System { mut state, yp, rates, .. } = self;
        let weights = state.split_off(n);
        Rates { y: state, yp, weights, rates, sizes, factors }
    }
}
