//! Where a step would pass a surface across which $F$ jumps.
//!
//! In: the switching functions at the start of a step, and at the ends of attempts at it. Out: the length at which the step ends just before the first
//! of them vanishes.
//!
//! An attempt that ends beyond the surface satisfies the equations of the other side with a history from this one, and a difference of
//! $h\,\Delta f$ lies between the two: only attempts that end on this side tell where it is. So the surface is approached from here, by secants through
//! attempts on this side, and one on the other side is a bound.

use crate::contract::Dae;

/// A step ends at a surface if it comes nearer than this part of its length.
const NEAR: f64 = 1e-10;
/// Where it is sent: nearer by this factor.
const AIM: f64 = 0.1;
/// Both distances are wider by this factor after each attempt that ended beyond nevertheless.
const WIDEN: f64 = 8.0;
/// Attempts at one step; after that it is left to the error test.
const ATTEMPTS: usize = 40;

/// What an attempt at a step means for the switching functions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Passage {
    /// No surface is passed.
    Free,
    /// The attempt ends just before a surface.
    Reached,
    /// The start of the step is already just before a surface.
    AtStart,
    /// A step of this length, positive, is to be tried.
    Retry(f64),
}

/// The surfaces that a run does not step over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Switching {
    /// Which switching functions.
    watched: Vec<usize>,
    /// All of them.
    values: Vec<f64>,
    /// Those that are watched at the start of the step.
    start: Vec<f64>,
    /// Attempts that end before any surface, the longest last: length and values.
    inside: Vec<(f64, Vec<f64>)>,
    /// Length of the shortest attempt that ends beyond one, and how far beyond by a secant from the start.
    beyond: Option<(f64, f64)>,
    /// The switching function that vanishes first.
    first: usize,
    /// Attempts that ended beyond a surface although they were to end before it.
    overshoots: i32,
    attempts: usize,
}

impl Switching {
    /// Watches the functions of the unknowns across whose zeros $F$ jumps, from a state on.
    pub(crate) fn new(dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64]) -> Self {
        let switches = &dae.description().switches;
        let watched: Vec<usize> = (0..switches.len()).filter(|&k| switches[k].jumps && !switches[k].of_time).collect();
        let mut switching = Switching { values: vec![0.0; switches.len()], watched, ..Switching::default() };
        switching.begin(dae, t, y, yp);
        switching
    }

    /// Whether there is anything to look at.
    pub(crate) fn is_watching(&self) -> bool {
        !self.watched.is_empty()
    }

    /// A step starts at this state.
    pub(crate) fn begin(&mut self, dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64]) {
        if self.watched.is_empty() {
            return;
        }
        self.start = self.evaluate(dae, t, y, yp);
        self.inside.clear();
        (self.beyond, self.overshoots, self.attempts) = (None, 0, 0);
    }

    fn evaluate(&mut self, dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64]) -> Vec<f64> {
        dae.switching_functions(t, y, yp, &mut self.values);
        self.watched.iter().map(|&k| self.values[k]).collect()
    }

    /// What an attempt of length `h`, positive, means that ends at the state `at`, lengths below `resolution` being none. An attempt whose iteration
    /// failed (`solved` is false) was predicted to end there.
    pub(crate) fn passage(
        &mut self,
        dae: &dyn Dae,
        h: f64,
        at: (f64, &[f64], &[f64]),
        solved: bool,
        resolution: f64,
    ) -> Passage {
        if self.watched.is_empty() || self.attempts > ATTEMPTS {
            return Passage::Free;
        }
        let end = self.evaluate(dae, at.0, at.1, at.2);
        let passed = self.first_passed(&end);
        let suspected = if solved { self.beyond.is_some() } else { !self.inside.is_empty() };
        match passed {
            Some((_, first)) => self.first = first,
            None if suspected => {}
            None => return Passage::Free,
        }
        self.attempts += 1;
        let is_inside = solved && passed.is_none();
        if is_inside {
            self.inside.push((h, end));
            self.inside.sort_by(|a, b| a.0.total_cmp(&b.0));
        } else {
            self.overshoots += i32::from(self.beyond.is_some());
            self.beyond = Some((h, passed.map_or(1.0, |(part, _)| part) * h));
        }
        self.next(h, resolution, is_inside)
    }

    /// The part of an attempt after which, by a secant, the first switching function that changes its sign has done so, and which it is.
    fn first_passed(&self, end: &[f64]) -> Option<(f64, usize)> {
        let stays = |a: f64, b: f64| a == 0.0 || a.signum() * b > 0.0;
        let passed = (0..end.len()).filter(|&k| !stays(self.start[k], end[k]));
        passed.map(|k| (self.start[k] / (self.start[k] - end[k]), k)).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The switching function that the last passage was about.
    pub(crate) fn first(&self) -> usize {
        self.watched[self.first]
    }

    /// What to do after an attempt of length `h` while one that ends beyond a surface is known.
    fn next(&self, h: f64, resolution: f64, is_inside: bool) -> Passage {
        let Some((beyond, guess)) = self.beyond else { return Passage::Free };
        let near = (NEAR * beyond).max(resolution);
        let back = near * AIM * WIDEN.powi(self.overshoots);
        let last = self.inside.last().map_or(0.0, |(h, _)| *h);
        let between = |&s: &f64| s > last && s <= beyond;
        let surface = self.surface().filter(between);
        if is_inside && h == last && surface.unwrap_or(beyond) - h <= near.max(2.0 * back) {
            return Passage::Reached;
        }
        if beyond - last <= near {
            return if last == 0.0 { Passage::AtStart } else { Passage::Retry(last) };
        }
        let aimed = surface.or(Some(guess).filter(between)).map(|s| s - back).filter(|&s| s > last);
        let retry = aimed.unwrap_or(0.5 * (last + beyond));
        if retry <= near { Passage::AtStart } else { Passage::Retry(retry) }
    }

    /// Where the first surface lies by the secants through the two longest attempts on this side.
    fn surface(&self) -> Option<f64> {
        let (h, end) = self.inside.last()?;
        let (earlier, before) = match self.inside.len() {
            1 => (0.0, &self.start),
            many => (self.inside[many - 2].0, &self.inside[many - 2].1),
        };
        let roots = before.iter().zip(end).filter(|&(a, b)| a.abs() > b.abs());
        roots.map(|(a, b)| h + (h - earlier) * b / (a - b)).min_by(f64::total_cmp)
    }
}
