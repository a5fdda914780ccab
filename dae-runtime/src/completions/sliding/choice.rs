//! How a solution goes on from surfaces across which $F$ jumps.
//!
//! In: a state on some surfaces. Out: for each of them whether the solution slides along it or leaves it, and to which
//! side; or that it can go on in several ways.
//!
//! With $r_k = d\sigma_k/dt$ in the direction of the run and the weights $s_k$, a solution goes on with
//!
//! $$ r_k = 0,\ 0 < s_k < 1 \qquad\text{or}\qquad r_k \ge 0,\ s_k = 1 \qquad\text{or}\qquad r_k \le 0,\ s_k = 0 $$
//!
//! for each of the surfaces: a complementarity problem in $r(s)$, linear where weights do not multiply one another. It
//! has exactly one solution if $-\partial r/\partial s$ is a P-matrix (R. W. Cottle, J.-S. Pang, R. E. Stone, *The
//! Linear Complementarity Problem*, 1992). For few surfaces all combinations are examined; sliding along a single
//! surface counts only if both sides lead to it, while an intersection may hold a solution that goes around it in a
//! spiral. For many surfaces, those that contradict the conditions are exchanged one after the other.

use super::rates::{Mode, Rates};
use super::structure::{Structure, Unsuitable};
use super::surfaces::Surfaces;
use crate::contract::Name;

/// Up to this many surfaces all combinations are examined.
const FEW: usize = 3;
/// A derivative of a switching function is zero if it is below this fraction of the sum of its terms, and a weight is
/// on a side if it is this close to it.
pub(super) const ZERO: f64 = 1e-9;
/// Surfaces are independent of one another if the weight of each responds to the other by less than this fraction of
/// its response to its own.
const INDEPENDENT: f64 = 1e-9;
/// Combinations of many surfaces are exchanged at most this many times, apart from once for each surface.
const EXCHANGES: usize = 20;
/// The number of exchanges of all contradictory surfaces at once; then one at a time.
const AT_ONCE: usize = 10;

/// Why it is not known how a solution goes on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Undecided {
    /// Derivatives on the surfaces are not known.
    Unsuitable(Unsuitable),
    /// The solution can go on in either way.
    Ambiguous([Name; 2]),
    /// No combination satisfies the conditions.
    None,
}

/// How well a combination satisfies the conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// It contradicts them.
    Not,
    /// Some surface is left with zero velocity, or a weight is that of a side.
    Weak,
    /// It satisfies them with strict inequalities.
    Strict,
}

impl Surfaces<'_> {
    /// The modes of all surfaces in which the solution goes on from the state `y` near the surfaces `at`, moved onto
    /// them, with the present modes of all others; `yp` is a guess, and so are the modes of `at` if these are many.
    pub(crate) fn choose(
        &self,
        near: (f64, &[f64], &[f64]),
        modes: &[Mode],
        at: &[usize],
        direction: f64,
    ) -> Result<Vec<Mode>, Undecided> {
        self.choose_among(near, modes, at, direction, |_| true)
    }

    /// The same where the solution leaves some of the surfaces.
    pub(crate) fn choose_leaving(
        &self,
        near: (f64, &[f64], &[f64]),
        modes: &[Mode],
        at: &[usize],
        direction: f64,
    ) -> Result<Vec<Mode>, Undecided> {
        self.choose_among(near, modes, at, direction, |modes| at.iter().any(|&k| modes[k] != Mode::Sliding))
    }

    /// The same among those combinations of a few surfaces that are admitted.
    fn choose_among(
        &self,
        (t, y, yp): (f64, &[f64], &[f64]),
        modes: &[Mode],
        at: &[usize],
        direction: f64,
        admits: impl Fn(&[Mode]) -> bool,
    ) -> Result<Vec<Mode>, Undecided> {
        let structure = self.structure(at, (t, y), modes).map_err(Undecided::Unsuitable)?;
        let mut y = y.to_vec();
        self.move_onto(&structure, t, &mut y, &modes.iter().map(|mode| mode.weight()).collect::<Vec<_>>());
        let rates = |modes: &[Mode]| {
            let paired = self.paired(&structure, (t, &y, yp), modes)?;
            Rates::of(self, paired.as_ref().unwrap_or(&structure), t, [&y, yp], modes)
        };
        if structure.leaders().len() > FEW {
            return exchanged(rates, modes, &structure, direction);
        }
        let mut fits: Vec<(Fit, Vec<Mode>)> = Vec::new();
        let mut failure = Undecided::None;
        let combinations = combinations(modes, &structure, &structure.leaders());
        for modes in combinations.into_iter().filter(|modes| structure.admits(modes) && admits(modes)) {
            match rates(&modes) {
                Ok(rates) => match fit(&rates, &modes, &structure, direction) {
                    Fit::Not => {}
                    fit => fits.push((fit, modes)),
                },
                Err(unsuitable) => failure = Undecided::Unsuitable(unsuitable),
            }
        }
        let strict = fits.iter().filter(|(fit, _)| *fit == Fit::Strict).count();
        if strict > 1 {
            let mut names = fits.iter().filter(|(fit, _)| *fit == Fit::Strict);
            let mut name = || names.next().map_or("-".into(), |(_, modes)| self.named(modes, at));
            return Err(Undecided::Ambiguous([name(), name()]));
        }
        let chosen = fits.iter().position(|(fit, _)| strict == 0 || *fit == Fit::Strict);
        chosen.map(|place| fits.swap_remove(place).1).ok_or(failure)
    }

    /// Two ways in which a solution that slides along surfaces in these modes can go on, if it no longer has to: `None`
    /// while it has to.
    pub(super) fn exits(
        &self,
        structure: &Structure,
        (t, y, yp): (f64, &[f64], &[f64]),
        modes: &[Mode],
        direction: f64,
    ) -> Option<[Name; 2]> {
        if structure.is_paired() {
            return None;
        }
        let leaders = structure.leaders();
        let at: Vec<usize> = leaders.iter().map(|&place| structure.at[place]).collect();
        let rates = |modes: &[Mode]| Rates::of(self, structure, t, [y, yp], modes);
        let sliding = rates(modes).ok()?;
        let of_leaders = |response: Vec<f64>| leaders.iter().map(|&place| response[place]).collect();
        let responses: Vec<Vec<f64>> = leaders.iter().map(|&place| of_leaders(sliding.response(place))).collect();
        for group in groups(&responses) {
            let of_group: Vec<usize> = group.iter().map(|&place| at[place]).collect();
            if let [place] = group[..] {
                if responses[place][place] * direction >= 0.0 {
                    let side = |mode| with(modes, structure, at[place], mode);
                    return Some([Mode::Negative, Mode::Positive].map(|mode| self.named(&side(mode), &of_group)));
                }
                continue;
            }
            // A weight that is that of a side is about to leave.
            let is_between = |&k: &usize| sliding.weights[k] > ZERO && sliding.weights[k] < 1.0 - ZERO;
            if group.len() > FEW || !of_group.iter().all(is_between) {
                continue;
            }
            let places: Vec<usize> = group.iter().map(|&place| leaders[place]).collect();
            let leaves = |modes: &Vec<Mode>| of_group.iter().any(|&k| modes[k] != Mode::Sliding);
            let exit = combinations(modes, structure, &places)
                .into_iter()
                .filter(leaves)
                .find(|modes| rates(modes).is_ok_and(|rates| fit(&rates, modes, structure, direction) == Fit::Strict));
            if let Some(exit) = exit {
                return Some([modes, &exit].map(|modes| self.named(modes, &of_group)));
            }
        }
        None
    }

    /// `x - y > 0 and z = 0`.
    fn named(&self, modes: &[Mode], at: &[usize]) -> Name {
        let relation = |&k: &usize| {
            let relation = match modes[k] {
                Mode::Negative => "<",
                Mode::Positive => ">",
                Mode::Sliding => "=",
            };
            format!("{} {relation} 0", self.name(k))
        };
        at.iter().map(relation).collect::<Vec<_>>().join(" and ").into()
    }
}

/// Modes with that of a surface replaced, and those of all that are one with it.
fn with(modes: &[Mode], structure: &Structure, surface: usize, mode: Mode) -> Vec<Mode> {
    let mut modes = modes.to_vec();
    structure.set(&mut modes, surface, mode);
    modes
}

/// All combinations of modes for the surfaces at these places of the structure.
fn combinations(modes: &[Mode], structure: &Structure, places: &[usize]) -> Vec<Vec<Mode>> {
    places.iter().fold(vec![modes.to_vec()], |all, &place| {
        let surface = structure.at[place];
        let each = |mode: Mode| all.iter().map(move |modes| with(modes, structure, surface, mode)).collect::<Vec<_>>();
        [Mode::Sliding, Mode::Positive, Mode::Negative].into_iter().flat_map(each).collect()
    })
}

/// How well modes satisfy the conditions on the surfaces of the structure.
fn fit(rates: &Rates, modes: &[Mode], structure: &Structure, direction: f64) -> Fit {
    let mut all = Fit::Strict;
    let leaders = structure.leaders();
    let is_single = leaders.iter().filter(|&&place| modes[structure.at[place]] == Mode::Sliding).count() == 1;
    for place in leaders {
        let k = structure.at[place];
        let (rate, zero) = (rates.rates[place] * direction, ZERO * rates.sizes[place]);
        let outwards = match modes[k] {
            Mode::Negative => -rate,
            Mode::Positive => rate,
            Mode::Sliding => {
                let is_between = rates.weights[k] > ZERO && rates.weights[k] < 1.0 - ZERO;
                let is_held = !is_single || rates.response(place)[place] * direction < 0.0;
                let is_limit = rates.weights[k] >= -ZERO && rates.weights[k] <= 1.0 + ZERO;
                if !is_held || !is_limit {
                    return Fit::Not;
                }
                // On one side the solution remains on the surface.
                all = if is_between { all } else { Fit::Weak };
                continue;
            }
        };
        if outwards < -zero || outwards.is_nan() {
            return Fit::Not;
        }
        all = if outwards <= zero { Fit::Weak } else { all };
    }
    all
}

/// The combination that results from the given one by exchanging modes that contradict the conditions.
fn exchanged(
    rates: impl Fn(&[Mode]) -> Result<Rates, Unsuitable>,
    modes: &[Mode],
    structure: &Structure,
    direction: f64,
) -> Result<Vec<Mode>, Undecided> {
    let leaders = structure.leaders();
    let mut modes = leaders.iter().map(|&place| structure.at[place]).fold(modes.to_vec(), |modes, surface| {
        let mode = modes[surface];
        with(&modes, structure, surface, mode)
    });
    for exchange in 0..EXCHANGES + leaders.len() {
        let found = rates(&modes).map_err(Undecided::Unsuitable)?;
        let better = |&place: &usize| {
            let k = structure.at[place];
            let (rate, zero) = (found.rates[place] * direction, ZERO * found.sizes[place]);
            match modes[k] {
                Mode::Negative if rate > zero => Some((k, Mode::Sliding)),
                Mode::Positive if rate < -zero => Some((k, Mode::Sliding)),
                Mode::Sliding if found.weights[k] < -ZERO => Some((k, Mode::Negative)),
                Mode::Sliding if found.weights[k] > 1.0 + ZERO => Some((k, Mode::Positive)),
                Mode::Negative | Mode::Positive | Mode::Sliding => None,
            }
        };
        let mut exchanges: Vec<(usize, Mode)> = leaders.iter().filter_map(better).collect();
        if exchanges.is_empty() {
            return Ok(modes);
        }
        exchanges.truncate(if exchange < AT_ONCE { exchanges.len() } else { 1 });
        modes = exchanges.into_iter().fold(modes, |modes, (surface, mode)| with(&modes, structure, surface, mode));
    }
    Err(Undecided::None)
}

/// Places of surfaces whose weights respond to one another, directly or by way of others.
fn groups(responses: &[Vec<f64>]) -> Vec<Vec<usize>> {
    let m = responses.len();
    let couples = |i: usize, j: usize| {
        let size = responses[i][i].abs().max(responses[j][j].abs());
        responses[i][j].abs().max(responses[j][i].abs()) > INDEPENDENT * size
    };
    let (mut groups, mut is_met) = (Vec::new(), vec![false; m]);
    for first in 0..m {
        if std::mem::replace(&mut is_met[first], true) {
            continue;
        }
        let mut group = vec![first];
        let mut next = 0;
        while let Some(&i) = group.get(next) {
            for j in 0..m {
                if !is_met[j] && couples(i, j) {
                    is_met[j] = true;
                    group.push(j);
                }
            }
            next += 1;
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::completions::sliding::structure::Link;

    #[test]
    fn weights_that_respond_to_one_another_are_a_group() {
        let responses =
            vec![vec![-1.0, 0.0, 0.0, 0.5], vec![0.0, -1.0, 0.0, 0.0], vec![0.0; 4], vec![0.0, 0.0, 0.0, -2.0]];
        assert_eq!(groups(&responses), [vec![0, 3], vec![1], vec![2]]);
    }

    #[test]
    fn every_combination_once() {
        let modes = [Mode::Negative; 4];
        let link = Link { leader: 0, is_opposite: true, is_one: true };
        let structure = Structure {
            has_rate: vec![],
            is_differentiated: vec![],
            at: vec![0, 2, 3],
            links: vec![None, None, Some(link)],
            dependent: vec![],
        };
        let all = combinations(&modes, &structure, &structure.leaders());
        assert_eq!(all.len(), 9);
        assert!(all.iter().all(|modes| modes[1] == Mode::Negative));
        assert!((1..9).all(|k| !all[..k].contains(&all[k])));
        let opposite = |modes: &Vec<Mode>| match modes[0] {
            Mode::Negative => modes[3] == Mode::Positive,
            Mode::Positive => modes[3] == Mode::Negative,
            Mode::Sliding => modes[3] == Mode::Sliding,
        };
        assert!(all.iter().all(opposite));
    }
}
