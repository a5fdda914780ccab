//! Surfaces that depend on one another by the constraints.
//!
//! In: surfaces that a solution is on. Out: which of their functions are multiples of one another wherever the constraints
//! hold, as those of the speeds on both sides of a gear; and which are combinations of several, as the speeds of two stacked
//! blocks and their difference.
//!
//! A solution leaves the surfaces of multiples together, and the equations do not tell their weights apart: these are taken
//! to be equal, or to add up to one if the functions have opposite signs.
//!
//! Where a solution slides along surfaces of which one function is a combination of the others, the equations have a line of
//! solutions for the weights. Of these, the one is taken whose largest distance from 1/2 is least: there are weights between
//! 0 and 1 if and only if these are. Two weights have that distance there, and are held at it; which two is found anew when
//! a weight reaches 0 or 1.

use super::rates::{Mode, Rates};
use super::structure::{Link, Structure, Unsuitable};
use super::surfaces::Surfaces;
use crate::linalg::pivoted_qr::{PivotedQr, SparseRow, dependencies};

/// Gradients of unit length that are closer than this to combinations of others are dependent.
const DEPENDENT: f64 = 1e-8;
/// Gradients of unit length point in one direction if they differ by less than this.
const PARALLEL: f64 = 1e-9;

impl Link {
    /// The mode of one of the two surfaces where the other has this mode.
    fn mode(self, other: Mode) -> Mode {
        match other {
            Mode::Negative if self.is_opposite => Mode::Positive,
            Mode::Positive if self.is_opposite => Mode::Negative,
            mode => mode,
        }
    }
}

impl Structure {
    /// Whether the modes agree with the dependencies: where a solution is on all surfaces of one but for one, it is on that,
    /// too.
    pub(super) fn admits(&self, modes: &[Mode]) -> bool {
        let is_beside = |&&place: &&usize| modes[self.at[place]] != Mode::Sliding;
        self.dependent.iter().all(|set| set.iter().filter(is_beside).count() != 1)
    }

    /// Gives a surface of the structure a mode, and all that are one with it the same.
    pub(super) fn set(&self, modes: &mut [Mode], surface: usize, mode: Mode) {
        let Ok(place) = self.at.binary_search(&surface) else { return };
        let link = self.links[place].filter(|link| link.is_one);
        let (leader, mode) = link.map_or((place, mode), |link| (link.leader, link.mode(mode)));
        modes[self.at[leader]] = mode;
        for (place, link) in self.links.iter().enumerate() {
            if let Some(link) = link.filter(|link| link.is_one && link.leader == leader) {
                modes[self.at[place]] = link.mode(mode);
            }
        }
    }
}

impl Surfaces<'_> {
    /// The structure on the surfaces `at`, near a state.
    pub(super) fn structure(
        &self,
        at: &[usize],
        (t, y): (f64, &[f64]),
        modes: &[Mode],
    ) -> Result<Structure, Unsuitable> {
        let mut structure = Structure::of(self.inner, self.blended.blended_description(), at)?;
        let weights: Vec<f64> = modes.iter().map(|mode| mode.weight()).collect();
        self.link(&mut structure, t, y, &weights);
        Ok(structure)
    }

    /// Finds which surfaces of the structure depend on one another, near a state.
    fn link(&self, structure: &mut Structure, t: f64, y: &[f64], weights: &[f64]) {
        let (n, m) = (y.len(), structure.at.len());
        if m < 2 {
            return;
        }
        let sides: Vec<Mode> = self.values(t, y).into_iter().map(Mode::of).collect();
        // Functions that depend on one another change at such rates, with time as well.
        let Ok(rates) = Rates::of(self, structure, t, [y, &vec![0.0; n]], &sides) else { return };
        let (mut rows, _, lengths) = self.scaled_gradients(structure, t, y, weights);
        let constraints = rows.split_off(m);
        let factors = PivotedQr::new(&constraints, n, |k| structure.has_rate[k], DEPENDENT);
        // What the constraints leave of a gradient, and the rate of the function with the sum of its terms, in units of the
        // length of that.
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
            let whole = length * lengths[place];
            (length > DEPENDENT).then_some((gradient, rates.rates[place] / whole, rates.sizes[place] / whole))
        };
        let free: Vec<Option<(Vec<f64>, f64, f64)>> = (0..m).map(free).collect();
        for place in 1..m {
            let link = |leader: usize| {
                let ((own, own_rate, own_size), (other, rate, size)) = (free[place].as_ref()?, free[leader].as_ref()?);
                let factor = own.iter().zip(other).map(|(a, b)| a * b).sum::<f64>().signum();
                let is_parallel = own.iter().zip(other).all(|(a, b)| (a - factor * b).abs() <= PARALLEL);
                let is_one = is_parallel && (own_rate - factor * rate).abs() <= PARALLEL * (own_size + size);
                is_one.then_some(Link { leader, is_opposite: factor < 0.0, is_one })
            };
            structure.links[place] = (0..place).filter(|&leader| structure.links[leader].is_none()).find_map(link);
        }
        let leaders: Vec<usize> = structure.leaders().into_iter().filter(|&place| free[place].is_some()).collect();
        let gradient = |&place: &usize| {
            let entries = free[place].iter().flat_map(|(gradient, ..)| gradient.iter().copied().enumerate());
            entries.filter(|(_, entry)| *entry != 0.0).collect::<SparseRow>()
        };
        let gradients: Vec<SparseRow> = leaders.iter().map(gradient).collect();
        for combination in dependencies(&gradients, n, PARALLEL) {
            let terms = combination.iter().filter_map(|&(k, factor)| Some((factor, free[leaders[k]].as_ref()?)));
            let [rate, size] = terms.fold([0.0, 0.0], |[sum, all], (factor, (_, rate, size))| {
                [sum + factor * rate, all + factor.abs() * size]
            });
            if rate.abs() <= PARALLEL * size {
                let mut set: Vec<usize> = combination.iter().map(|&(k, _)| leaders[k]).collect();
                set.sort_unstable();
                structure.dependent.push(set);
            }
        }
    }

    /// The structure with two weights held together, if in these modes a solution slides along surfaces that depend on one
    /// another; `None` if it does not.
    ///
    /// # Errors
    /// The equations leave more open than that.
    pub(super) fn paired(
        &self,
        structure: &Structure,
        (t, y, yp): (f64, &[f64], &[f64]),
        modes: &[Mode],
    ) -> Result<Option<Structure>, Unsuitable> {
        let slides = |set: &&Vec<usize>| set.iter().all(|&place| modes[structure.at[place]] == Mode::Sliding);
        let mut sets = structure.dependent.iter().filter(slides);
        let Some(set) = sets.next() else { return Ok(None) };
        if sets.next().is_some() {
            return Err(Unsuitable::Singular);
        }
        let mut best: Option<(f64, Structure)> = None;
        for (k, &leader) in set.iter().enumerate() {
            for (&place, is_opposite) in set[k + 1..].iter().flat_map(|place| [(place, false), (place, true)]) {
                let mut paired = structure.clone();
                paired.links[place] = Some(Link { leader, is_opposite, is_one: false });
                let Ok(rates) = Rates::of(self, &paired, t, [y, yp], modes) else { continue };
                let distances = set.iter().map(|&place| (rates.weights[structure.at[place]] - 0.5).abs());
                let largest = distances.fold(0.0, f64::max);
                if best.as_ref().is_none_or(|(least, _)| largest < *least) {
                    best = Some((largest, paired));
                }
            }
        }
        best.map(|(_, paired)| Some(paired)).ok_or(Unsuitable::Singular)
    }

    /// The surfaces `at`, and those of the ones `near` a state on which it is because it is on these.
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
        let mut is_on: Vec<bool> = all.iter().map(|surface| at.contains(surface)).collect();
        // Surfaces that are one with these, those that depend on them, and those that are one with them.
        let with_leaders = |is_on: &mut [bool]| {
            let led: Vec<usize> = (0..all.len()).filter(|&place| is_on[place]).map(leader).collect();
            (0..all.len()).for_each(|place| is_on[place] |= led.contains(&leader(place)));
        };
        with_leaders(&mut is_on);
        for set in &structure.dependent {
            let beside: Vec<usize> = set.iter().copied().filter(|&place| !is_on[place]).collect();
            if let [last] = beside[..] {
                is_on[last] = true;
            }
        }
        with_leaders(&mut is_on);
        all.into_iter().zip(is_on).filter(|(_, is_on)| *is_on).map(|(surface, _)| surface).collect()
    }
}
