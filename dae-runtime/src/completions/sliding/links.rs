//! Surfaces that the constraints make one.
//!
//! In: surfaces that a solution is on. Out: which of their functions are multiples of one another wherever the constraints
//! hold, as those of the speeds on both sides of a gear. A solution leaves such surfaces together, and the equations do not
//! tell their weights apart: these are taken to be equal, or to add up to one if the functions have opposite signs. If all
//! jumps act on the same motion, that leaves it every combination of both sides that there is.

use super::rates::{Mode, Rates};
use super::structure::Structure;
use super::surfaces::Surfaces;
use crate::linalg::pivoted_qr::PivotedQr;

/// Gradients of unit length that are closer than this to combinations of others are dependent.
const DEPENDENT: f64 = 1e-8;
/// Gradients of unit length point in one direction if they differ by less than this.
const PARALLEL: f64 = 1e-9;

/// A surface that is one with an earlier one, the leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// The leader, by its place among the surfaces of the structure.
    pub(super) leader: usize,
    /// Whether their functions have opposite signs.
    pub(super) is_opposite: bool,
}

impl Link {
    /// The mode of one of both surfaces where the other has this mode.
    fn mode(self, other: Mode) -> Mode {
        match other {
            Mode::Negative if self.is_opposite => Mode::Positive,
            Mode::Positive if self.is_opposite => Mode::Negative,
            mode => mode,
        }
    }

    /// The entries of the row that holds the weight of the surface at that of the leader: of the leader and of itself.
    pub(super) fn entries(self) -> [f64; 2] {
        [if self.is_opposite { 1.0 } else { -1.0 }, 1.0]
    }

    /// What these weights miss that by.
    pub(super) fn residual(self, leader: f64, weight: f64) -> f64 {
        if self.is_opposite { weight + leader - 1.0 } else { weight - leader }
    }
}

impl Structure {
    /// The places of the surfaces that are not led by others.
    pub(super) fn leaders(&self) -> Vec<usize> {
        (0..self.at.len()).filter(|&place| self.links[place].is_none()).collect()
    }

    /// Gives a surface of the structure a mode, and all that are one with it the same.
    pub(super) fn set(&self, modes: &mut [Mode], surface: usize, mode: Mode) {
        let Ok(place) = self.at.binary_search(&surface) else { return };
        let (leader, mode) = self.links[place].map_or((place, mode), |link| (link.leader, link.mode(mode)));
        modes[self.at[leader]] = mode;
        for (place, link) in self.links.iter().enumerate() {
            if let Some(link) = link.filter(|link| link.leader == leader) {
                modes[self.at[place]] = link.mode(mode);
            }
        }
    }
}

impl Surfaces<'_> {
    /// For each surface of the structure the earlier one that it is one with, near a state.
    pub(super) fn links(&self, structure: &Structure, t: f64, y: &[f64], weights: &[f64]) -> Vec<Option<Link>> {
        let (n, m) = (y.len(), structure.at.len());
        let mut links: Vec<Option<Link>> = vec![None; m];
        if m < 2 {
            return links;
        }
        let sides: Vec<Mode> = self.values(t, y).into_iter().map(Mode::of).collect();
        // Multiples of one another change at proportional rates, with time as well.
        let Ok(rates) = Rates::of(self, structure, t, [y, &vec![0.0; n]], &sides) else { return links };
        let (mut rows, _, lengths) = self.scaled_gradients(structure, t, y, weights);
        let constraints = rows.split_off(m);
        let factors = PivotedQr::new(&constraints, n, |k| structure.has_rate[k], DEPENDENT);
        // What the constraints leave of a gradient of length one, and the length of that.
        let free = |place: usize| {
            let mut gradient = vec![0.0; n];
            rows[place].iter().for_each(|&(k, entry)| gradient[k] = entry);
            let along = |&row: &usize| constraints[row].iter().map(|&(k, entry)| entry * gradient[k]).sum();
            let along: Vec<f64> = factors.order.iter().map(along).collect();
            let mut held = vec![0.0; n];
            factors.least_norm(&along, &mut held);
            gradient.iter_mut().zip(&held).for_each(|(entry, held)| *entry -= held);
            let length = gradient.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
            gradient.iter_mut().for_each(|entry| *entry /= length);
            (length > DEPENDENT).then_some((gradient, length * lengths[place]))
        };
        let free: Vec<Option<(Vec<f64>, f64)>> = (0..m).map(free).collect();
        for place in 1..m {
            let link = |leader: usize| {
                let ((own, own_length), (other, length)) = (free[place].as_ref()?, free[leader].as_ref()?);
                let factor = own.iter().zip(other).map(|(a, b)| a * b).sum::<f64>().signum();
                let is_parallel = own.iter().zip(other).all(|(a, b)| (a - factor * b).abs() <= PARALLEL);
                let [own_rate, rate] = [rates.rates[place] / own_length, rates.rates[leader] / length];
                let size = rates.sizes[place] / own_length + rates.sizes[leader] / length;
                let is_one = is_parallel && (own_rate - factor * rate).abs() <= PARALLEL * size;
                is_one.then_some(Link { leader, is_opposite: factor < 0.0 })
            };
            links[place] = (0..place).filter(|&leader| links[leader].is_none()).find_map(link);
        }
        links
    }

    /// The surfaces `at`, and those of the ones `near` a state that are one with some of them.
    pub(crate) fn with_linked(
        &self,
        (t, y): (f64, &[f64]),
        modes: &[Mode],
        at: &[usize],
        near: &[usize],
    ) -> Vec<usize> {
        let all: Vec<usize> = (0..modes.len()).filter(|k| at.contains(k) || near.contains(k)).collect();
        if all.len() == at.len() {
            return at.to_vec();
        }
        let Ok(structure) = self.structure(&all, (t, y), modes) else { return at.to_vec() };
        let leader = |place: usize| structure.links[place].map_or(place, |link| link.leader);
        let places = 0..all.len();
        let is_one = |&place: &usize| {
            at.contains(&all[place])
                || places.clone().any(|other| at.contains(&all[other]) && leader(other) == leader(place))
        };
        places.clone().filter(is_one).map(|place| all[place]).collect()
    }
}
