//! Location of surfaces across which $F$ jumps.
//!
//! In: the switching functions at the start of a step, and at the ends of attempts at it. Out: the length at which the
//! step ends just before the first of them vanishes. Kinks of $F$ are located likewise, if a step that passes one has
//! too large an error.
//!
//! An attempt that ends beyond the surface satisfies the equations of the other side there, although most of its length
//! may lie on this side: with a jump $\Delta f$ of $y'$ its end is in error by $O(h\,\Delta f)$. So only attempts that
//! end on this side tell where the surface is. It is approached from this side, by inverse interpolation through them;
//! an attempt that ends beyond it serves as a bound. Where a method predicts the end of a step well, one that is
//! predicted to end beyond a jump is not attempted at all.

use crate::contract::Dae;

/// A step has reached a surface if its end is nearer than a certain fraction of the length that was tried: `NEAR` times
/// the relative tolerance, within the bounds `NEAREST`. Over so short a time the unknowns change proportionally less
/// than over the whole step, and by less than the iteration error.
const NEAR: f64 = 1e-2;
const NEAREST: (f64, f64) = (1e-10, 1e-6);
/// Attempts end before the estimated place of a surface by this fraction of the estimate's error.
const MARGIN: f64 = 0.1;
/// A surface that was only predicted to be passed is still ahead if it is this many times farther away than one that
/// counts as reached.
const AHEAD: f64 = 10.0;
/// After this number of attempts, the distance at which a surface counts as reached is doubled at each further one, up to
/// the larger of `NEAREST`: where a switching function changes by less than its iteration error over that distance, its
/// sign at the end of an attempt is accidental.
const ATTEMPTS_BEFORE_DOUBLING: usize = 20;
/// Largest number of attempts to end a step at a kink; then the step is left to the error test.
const ATTEMPTS_AT_KINK: usize = 8;

/// Outcome of an attempt at a step with respect to the switching functions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum StepOutcome {
    /// No surface is passed.
    Free,
    /// The attempt ends just before a surface.
    Reached,
    /// The start of the step is already just before a surface.
    AtStart,
    /// A step of this length, positive, is to be tried.
    Retry(f64),
}

/// How an attempt is known to end beyond a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Evidence {
    /// It was predicted to, and has not been made.
    #[default]
    Foreseen,
    /// It was predicted to, and its equations could not be solved.
    Unsolved,
    /// Its equations were solved.
    Solved,
}

/// The surfaces that a run does not step over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Discontinuities {
    /// Distance from a surface at which a step ends, as a fraction of the length that was tried.
    near: f64,
    /// The switching functions watched: those of jumps, and kinks while they are searched for.
    watched: Vec<usize>,
    /// Number of functions of jumps among them, which come first.
    jumps: usize,
    /// The functions at whose zeros $F$ has kinks.
    kinks: Vec<usize>,
    /// Values of the watched functions at the start of the step.
    start: Vec<f64>,
    /// Values of the watched functions at the end of the last attempt.
    end: Vec<f64>,
    /// Attempts that end before any surface, the longest last: length and values.
    inside: Vec<(f64, Vec<f64>)>,
    /// Length of the shortest attempt that ends beyond a surface, and the length at which a secant from the start meets
    /// that surface.
    beyond: Option<(f64, f64)>,
    /// The watched functions at the end of that attempt.
    beyond_values: Vec<f64>,
    /// How it is known to end there.
    evidence: Evidence,
    /// Position in `watched` of the switching function that vanishes first.
    first: usize,
    attempts: usize,
    /// The length to which [`Self::near`] refers: that of the longest attempt that ended beyond a surface, at this step
    /// or at those just before it that approached the same surface.
    scale: f64,
}

impl Discontinuities {
    /// Watches the functions of the unknowns across whose zeros $F$ jumps, from a state on; `rtol` is the relative
    /// tolerance of the run.
    pub(crate) fn new(dae: &dyn Dae, rtol: f64, t: f64, y: &[f64], yp: &[f64]) -> Self {
        let switches = &dae.description().switches;
        let of_unknowns = (0..switches.len()).filter(|&k| !switches[k].of_time);
        let (watched, kinks): (Vec<usize>, Vec<usize>) = of_unknowns.partition(|&k| switches[k].jumps);
        let near = (NEAR * rtol).clamp(NEAREST.0, NEAREST.1);
        let (jumps, values) = (watched.len(), || vec![0.0; watched.len()]);
        let (start, end) = (values(), values());
        let mut switching = Discontinuities { near, start, end, watched, jumps, kinks, ..Discontinuities::default() };
        if switching.is_watching() {
            dae.watched_functions(t, y, yp, &mut switching.start);
        }
        switching
    }

    /// Whether there is anything to watch.
    pub(crate) fn is_watching(&self) -> bool {
        !self.watched.is_empty()
    }

    /// Starts a step where the last attempt ended.
    pub(crate) fn advance(&mut self) {
        std::mem::swap(&mut self.start, &mut self.end);
        let approaches = self.beyond.is_some();
        self.forget();
        self.scale = if approaches { self.scale } else { 0.0 };
    }

    /// Discards the results of the attempts at a step, and stops watching kinks.
    pub(crate) fn forget(&mut self) {
        self.inside.clear();
        (self.beyond, self.attempts) = (None, 0);
        self.watched.truncate(self.jumps);
        self.start.truncate(self.jumps);
        self.end.truncate(self.jumps);
    }

    /// Outcome of an attempt of length `h` whose error is too large: if it has passed kinks, they may be the reason,
    /// and are searched for like jumps until a step is made. `None` if it has passed none.
    pub(crate) fn after_error(
        &mut self,
        dae: &dyn Dae,
        h: f64,
        [start, end]: [(f64, &[f64], &[f64]); 2],
        resolution: f64,
    ) -> Option<StepOutcome> {
        self.forget();
        if self.kinks.is_empty() {
            return None;
        }
        self.watched.extend_from_slice(&self.kinks);
        (self.start, self.end) = (values(dae, &self.watched, start), values(dae, &self.watched, end));
        match self.check(h, true, resolution) {
            StepOutcome::Free => {
                self.forget();
                None
            }
            outcome => Some(outcome),
        }
    }

    /// Outcome of an attempt of length `h`, positive, that ends at the state `at`; lengths below `resolution` cannot be
    /// resolved. An attempt whose iteration failed (`solved` is false) was predicted to end there.
    pub(crate) fn outcome(
        &mut self,
        dae: &dyn Dae,
        h: f64,
        at: (f64, &[f64], &[f64]),
        solved: bool,
        resolution: f64,
    ) -> StepOutcome {
        if self.watched.is_empty() {
            return StepOutcome::Free;
        }
        if self.watched.len() == self.jumps {
            dae.watched_functions(at.0, at.1, at.2, &mut self.end);
        } else {
            self.end = values(dae, &self.watched, at);
        }
        if self.is_at_kink() && self.attempts > ATTEMPTS_AT_KINK {
            StepOutcome::Free
        } else {
            self.check(h, solved, resolution)
        }
    }

    /// The distance from a surface at which it counts as reached.
    fn distance_reached(&self) -> f64 {
        let doublings = self.attempts.saturating_sub(ATTEMPTS_BEFORE_DOUBLING).min(64) as i32;
        (self.near * 2.0_f64.powi(doublings)).min(NEAREST.1) * self.scale
    }

    /// The length to try instead of `h`, positive, if a step of that length, of which no attempt has been made, is
    /// predicted to end beyond a jump, at the state `at`.
    pub(crate) fn foresee(&mut self, dae: &dyn Dae, h: f64, at: (f64, &[f64], &[f64]), resolution: f64) -> Option<f64> {
        if self.attempts > 0 || self.watched.len() > self.jumps {
            return None;
        }
        dae.watched_functions(at.0, at.1, at.2, &mut self.end);
        let (part, first) = self.first_passed()?;
        let retry = (1.0 - MARGIN) * part * h;
        if retry <= (self.near * h).max(resolution) || retry.is_nan() {
            return None;
        }
        (self.first, self.attempts) = (first, 1);
        self.note_beyond(h, part, Evidence::Foreseen);
        Some(retry)
    }

    /// Takes note of an attempt of length `h` that ends beyond a surface, which by a secant it meets after a part of
    /// its length.
    fn note_beyond(&mut self, h: f64, part: f64, evidence: Evidence) {
        self.beyond = Some((h, part * h));
        self.beyond_values.clone_from(&self.end);
        self.evidence = evidence;
        self.scale = self.scale.max(h);
    }

    /// Outcome of an attempt, from the values of the watched functions.
    fn check(&mut self, h: f64, solved: bool, resolution: f64) -> StepOutcome {
        let passed = self.first_passed();
        let suspected = if solved { self.beyond.is_some() } else { !self.inside.is_empty() };
        match passed {
            Some((_, first)) => self.first = first,
            None if suspected => {}
            None => return StepOutcome::Free,
        }
        self.attempts += 1;
        let is_inside = solved && passed.is_none();
        if is_inside {
            self.inside.push((h, self.end.clone()));
            self.inside.sort_by(|a, b| a.0.total_cmp(&b.0));
        } else {
            if solved {
                // Because of rounding or iteration errors, longer attempts may have ended on this side.
                self.inside.retain(|(length, _)| *length < h);
            }
            let evidence = if solved { Evidence::Solved } else { Evidence::Unsolved };
            self.note_beyond(h, passed.map_or(1.0, |(part, _)| part), evidence);
        }
        self.next(h, resolution, is_inside)
    }

    /// The fraction of an attempt after which, by a secant, the first of the watched functions changes its sign, and
    /// the position of that function; `None` if all keep their signs.
    fn first_passed(&self) -> Option<(f64, usize)> {
        let end = &self.end;
        let stays = |a: f64, b: f64| a == 0.0 || a.signum() * b > 0.0;
        let passed = (0..end.len()).filter(|&k| !stays(self.start[k], end[k]));
        passed.map(|k| (self.start[k] / (self.start[k] - end[k]), k)).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Whether an attempt of length `h` at this step was solved, and ends before all surfaces.
    pub(crate) fn has_inside(&self, h: f64) -> bool {
        self.inside.iter().any(|(length, _)| *length == h)
    }

    /// The switching function that the last outcome refers to.
    pub(crate) fn first(&self) -> Option<usize> {
        self.watched.get(self.first).copied()
    }

    /// Whether the function that vanishes first is that of a kink.
    fn is_at_kink(&self) -> bool {
        self.first >= self.jumps
    }

    /// What to do after an attempt of length `h`, in view of the attempts on either side of a surface.
    fn next(&self, h: f64, resolution: f64, is_inside: bool) -> StepOutcome {
        let Some((beyond, guess)) = self.beyond else { return StepOutcome::Free };
        let near = self.distance_reached().max(resolution);
        let last = self.inside.last().map_or(0.0, |(h, _)| *h);
        let between = |s: f64| s > last && s <= beyond;
        let found = self.surface().filter(|&(s, _)| between(s));
        if is_inside && h == last && beyond - h <= near && self.evidence != Evidence::Solved {
            // The prediction was wrong if the surface is still far ahead; those of the next step will be better.
            let is_ahead = self.distance().is_some_and(|distance| distance > AHEAD * near);
            return if is_ahead { StepOutcome::Free } else { StepOutcome::Reached };
        }
        if is_inside && h == last && found.map_or(beyond, |(s, _)| s) - h <= near {
            return StepOutcome::Reached;
        }
        if is_inside && h == last && found.is_none() && self.evidence == Evidence::Foreseen {
            return StepOutcome::Free;
        }
        // Until there are attempts on this side, the secant to one beyond is used.
        let middle = 0.5 * (last + beyond);
        let (surface, error) = found.unwrap_or(if last == 0.0 { (guess, guess) } else { (middle, 0.0) });
        if beyond - last <= near {
            return if last == 0.0 { StepOutcome::AtStart } else { StepOutcome::Retry(last) };
        }
        let aimed = surface - (MARGIN * error).max(0.5 * near);
        let retry = if between(surface) && aimed > last { aimed } else { middle };
        if retry <= near { StepOutcome::AtStart } else { StepOutcome::Retry(retry) }
    }

    /// Distance of the first surface from the end of the longest attempt on this side, by a secant long enough not to
    /// be affected by the iteration error; `None` if no function approaches zero.
    fn distance(&self) -> Option<f64> {
        let (last, first) = (self.inside.last()?, self.inside.first()?);
        let (length, other) = if first.0 < last.0 { (first.0, &first.1) } else { (0.0, &self.start) };
        let distance = |k: usize| last.1[k] * (last.0 - length) / (other[k] - last.1[k]);
        let approaching = (0..self.start.len()).filter(|&k| other[k].abs() > last.1[k].abs());
        approaching.map(distance).filter(|distance| *distance >= 0.0).min_by(f64::total_cmp)
    }

    /// The length at which the first surface is met, by inverse interpolation through the longest attempts on this
    /// side, and its uncertainty: the difference from interpolation of the next lower degree. `None` if no surface is
    /// ahead.
    fn surface(&self) -> Option<(f64, f64)> {
        let attempts = self.inside.iter().rev().map(|(h, values)| (*h, values));
        let points: Vec<(f64, &Vec<f64>)> = attempts.chain([(0.0, &self.start)]).take(3).collect();
        let &[a, b, ..] = &points[..] else { return None };
        let estimate = |k: usize| {
            let at = |(h, values): (f64, &Vec<f64>)| (h, values[k]);
            let linear = secant(at(a), at(b));
            let Some(&c) = points.get(2) else { return (linear, linear - a.0) };
            let (b, c) = (at(b).1, at(c));
            let curved = linear + (secant(at(a), c) - linear) * b / (b - c.1);
            (curved, (curved - linear).abs())
        };
        // Across a kink F is continuous, and an attempt that ends beyond it tells which function has the zero.
        let may_vanish =
            |k: &usize| self.evidence != Evidence::Solved || *k < self.jumps || a.1[*k] * self.beyond_values[*k] <= 0.0;
        let approaching = (0..self.start.len()).filter(|&k| b.1[k].abs() > a.1[k].abs()).filter(may_vanish);
        let ahead = |(s, _): &(f64, f64)| s.is_finite() && *s > a.0;
        approaching.map(estimate).filter(ahead).min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// Values of some of the switching functions.
fn values(dae: &dyn Dae, which: &[usize], (t, y, yp): (f64, &[f64], &[f64])) -> Vec<f64> {
    let mut all = vec![0.0; dae.description().switches.len()];
    dae.switching_functions(t, y, yp, &mut all);
    which.iter().map(|&k| all[k]).collect()
}

/// The zero of the line through two points.
fn secant(a: (f64, f64), b: (f64, f64)) -> f64 {
    a.0 + (b.0 - a.0) * a.1 / (a.1 - b.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes attempts at a step of length one until it is decided where it ends; `values` gives the functions at the
    /// end of an attempt, of which the first `jumps` are those of jumps, and whether it was solved there.
    fn locate<const N: usize>(jumps: usize, values: impl Fn(f64) -> ([f64; N], bool)) -> (StepOutcome, f64, usize) {
        let start = values(0.0).0.to_vec();
        let mut switching =
            Discontinuities { near: 1e-9, watched: (0..N).collect(), jumps, start, ..Discontinuities::default() };
        let (mut h, mut attempts) = (1.0, 0);
        loop {
            let (end, solved) = values(h);
            attempts += 1;
            switching.end = end.to_vec();
            match switching.check(h, solved, 1e-15) {
                StepOutcome::Retry(other) => h = other,
                decided => return (decided, h, attempts),
            }
        }
    }

    #[test]
    fn surfaces_are_found_from_this_side() {
        let root = 0.3;
        // Straight and bent either way; beyond the root the values belong to other equations, or there are none.
        for bend in [0.0, 0.9, -0.9, 3.0] {
            for beyond in [1.0, 30.0, 0.01, -1.0, f64::NAN] {
                let function = |h: f64| (h - root) * (1.0 + bend * (h - root));
                let value = |h: f64| match function(h) {
                    value if h < root => ([value], true),
                    value if beyond > 0.0 => ([beyond * value.abs()], true),
                    _ if beyond < 0.0 => ([1.0], false),
                    _ => ([f64::NAN], true),
                };
                let (outcome, h, attempts) = locate(1, value);
                assert_eq!(outcome, StepOutcome::Reached, "{bend}, {beyond}");
                assert!(h < root && root - h < 2e-9 && attempts < 20, "{bend}, {beyond}: {:e}, {attempts}", root - h);
            }
        }
    }

    /// The sign is that of the iteration error up to a distance much larger than the one at which a surface counts as
    /// reached; each attempt has another error.
    #[test]
    fn a_surface_in_noise_is_reached() {
        for noise in [1e-9, 1e-8, 1e-7] {
            let seed = std::cell::Cell::new(1_u32);
            let values = |h: f64| {
                seed.set(seed.get().wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
                let error = if h == 0.0 { 0.0 } else { f64::from(seed.get()) / f64::from(u32::MAX) - 0.5 };
                ([0.3 - h + noise * error], true)
            };
            let (outcome, h, attempts) = locate(1, values);
            assert_eq!(outcome, StepOutcome::Reached, "{noise:e}");
            assert!((h - 0.3).abs() <= noise + 2e-9 && attempts < 40, "{noise:e}: {h}, {attempts}");
        }
    }

    #[test]
    fn a_kink_is_found_beside_functions_that_approach_zero_and_turn() {
        let root = 0.3;
        for (turn, least) in [(0.25, 1e-3), (0.29, 1e-4), (0.35, 1e-2)] {
            let values = |h: f64| ([h - root + 0.3 * (h - root).powi(2), least + (h - turn).powi(2)], true);
            let (outcome, h, attempts) = locate(0, values);
            assert_eq!(outcome, StepOutcome::Reached, "{turn}, {least}");
            assert!(h < root && root - h < 2e-9 && attempts < 8, "{turn}, {least}: {:e}, {attempts}", root - h);
        }
    }

    #[test]
    fn a_step_that_starts_at_a_surface_is_not_made() {
        assert_eq!(locate(1, |h| ([h - 1e-12], true)).0, StepOutcome::AtStart);
        assert_eq!(locate(1, |h| ([h - 2.0], true)).0, StepOutcome::Free);
        // A function that is zero at the start is on neither side.
        assert_eq!(locate(1, |h| ([h], true)).0, StepOutcome::Free);
    }
}
