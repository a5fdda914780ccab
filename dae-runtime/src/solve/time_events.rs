//! Times at which functions of time change their branch.
//!
//! In: a formulation with switching functions, some of which depend on time alone, and times at which the caller knows
//! of such changes. Out: sign changes in an interval, to rounding error: each as the last time before and the first one
//! after it; the same for any functions of time.

use super::zeros::dip;
use crate::contract::Dae;

/// The last time before a zero of a switching function and the first one after it, in floating-point numbers. In
/// between it is zero, and the branch taken there depends on whether the text says `<` or `<=`. For a time that the
/// caller gives, the times at a distance of [`margin`] on either side.
pub(super) struct Crossing {
    /// The switching function; `None` for a time that the caller gives.
    pub(super) switch: Option<usize>,
    pub(super) before: f64,
    pub(super) after: f64,
}

/// Steps end this many rounding errors before a time that the caller gives, and continue as many after it, so that the
/// last stage, whose time is a sum, is not on the other side. A given time closer than twice that to a crossing is
/// merged with it.
const MARGIN: f64 = 4.0;
/// Number of points at which switching functions of time are sampled.
const SAMPLES: usize = 2048;

/// Functions of time alone.
struct OfTime<'f> {
    /// Writes the values of all functions at a time.
    functions: &'f mut dyn FnMut(f64, &mut [f64]),
    values: Vec<f64>,
}

impl OfTime<'_> {
    fn all(&mut self, t: f64) -> Vec<f64> {
        (self.functions)(t, &mut self.values);
        self.values.clone()
    }

    fn value(&mut self, function: usize, t: f64) -> f64 {
        (self.functions)(t, &mut self.values);
        self.values[function]
    }

    /// The last time from `inside` towards `outside` at which a function has this sign, if it has it at `inside` and not at `outside`.
    fn last_with(&mut self, function: usize, sign: i8, mut inside: f64, mut outside: f64) -> f64 {
        loop {
            let middle = 0.5 * (inside + outside);
            if middle == inside || middle == outside {
                return inside;
            }
            let has = sign_of(self.value(function, middle)) == sign;
            if has { inside = middle } else { outside = middle }
        }
    }

    fn sign_change(&mut self, function: usize, [a, b]: [f64; 2], signs: [i8; 2]) -> SignChange {
        let (before, after) = (self.last_with(function, signs[0], a, b), self.last_with(function, signs[1], b, a));
        SignChange { function, before, after, leaves_negative: signs[0] < 0 }
    }
}

fn sign_of(value: f64) -> i8 {
    i8::from(value > 0.0) - i8::from(value < 0.0)
}

/// The distance from `t`, a time that the caller gives, at which a step ends before it and the next begins after it, in
/// a run from `t0`.
pub(super) fn margin(t: f64, t0: f64) -> f64 {
    MARGIN * f64::EPSILON * t.abs().max((t - t0).abs())
}

impl Crossing {
    /// The sign changes of switching functions of time, except at the start, and the times given, the last first. Where
    /// a function changes its sign twice between neighbouring sampling points and is not smooth there, both changes may
    /// be missed.
    pub(super) fn all(dae: &dyn Dae, [t0, t_end]: [f64; 2], [y, yp]: [&[f64]; 2], given: &[f64]) -> Vec<Crossing> {
        let direction = if t_end < t0 { -1.0 } else { 1.0 };
        let mut list = Self::of_time(dae, [t0, t_end], [y, yp]);
        for &t in given {
            let margin = margin(t, t0);
            let (before, after) = (t - direction * margin, t + direction * margin);
            let is_close = |other: f64| (other - t).abs() <= 2.0 * margin;
            if let Some(crossing) = list.iter_mut().find(|it| is_close(it.before) || is_close(it.after)) {
                // One piece ends before both, and the next begins after both.
                crossing.before = if (before - crossing.before) * direction < 0.0 { before } else { crossing.before };
                crossing.after = if (after - crossing.after) * direction > 0.0 { after } else { crossing.after };
            } else if !is_close(t0) && !is_close(t_end) && (t - t0) * direction > 0.0 && (t_end - t) * direction > 0.0 {
                list.push(Crossing { switch: None, before, after });
            }
        }
        list.retain(|crossing| crossing.before != t0);
        list.sort_by(|a, b| (direction * b.before).total_cmp(&(direction * a.before)));
        list
    }

    /// The crossing of a switching function at the very start, if there is one.
    pub(super) fn at_start(dae: &dyn Dae, [t0, t_end]: [f64; 2], state: [&[f64]; 2]) -> Option<Crossing> {
        Self::of_time(dae, [t0, t_end], state).into_iter().find(|crossing| crossing.before == t0)
    }

    /// The crossings of the switching functions of time.
    fn of_time(dae: &dyn Dae, ends: [f64; 2], [y, yp]: [&[f64]; 2]) -> Vec<Crossing> {
        let switches = &dae.description().switches;
        let of_time: Vec<usize> = (0..switches.len()).filter(|&k| switches[k].of_time).collect();
        let mut all = vec![0.0; switches.len()];
        let mut functions = |t: f64, values: &mut [f64]| {
            dae.switching_functions(t, y, yp, &mut all);
            values.iter_mut().zip(&of_time).for_each(|(value, &k)| *value = all[k]);
        };
        let crossing =
            |it: SignChange| Crossing { switch: Some(of_time[it.function]), before: it.before, after: it.after };
        sign_changes(of_time.len(), SAMPLES, ends, &mut functions).into_iter().map(crossing).collect()
    }
}

/// The last time before a sign change of a function of time, and the first one after it; in between the function is zero.
pub(super) struct SignChange {
    pub(super) function: usize,
    pub(super) before: f64,
    pub(super) after: f64,
    /// Whether the function is negative before.
    pub(super) leaves_negative: bool,
}

/// The sign changes of `count` functions of time between two times, found from this number of samples, a step of the
/// search after the other.
pub(super) fn sign_changes(
    count: usize,
    samples: usize,
    [t0, t_end]: [f64; 2],
    functions: &mut dyn FnMut(f64, &mut [f64]),
) -> Vec<SignChange> {
    if count == 0 || t0 == t_end {
        return Vec::new();
    }
    let mut functions = OfTime { functions, values: vec![0.0; count] };
    let time = |k: usize| if k == samples { t_end } else { t0 + (t_end - t0) * (k as f64 / samples as f64) };
    let mut list = Vec::new();
    let (mut earlier, mut last) = (functions.all(t0), functions.all(t0));
    for k in 1..=samples {
        let next = functions.all(time(k));
        for function in 0..count {
            let [before, at, after] = [earlier[function], last[function], next[function]];
            let signs = [sign_of(at), sign_of(after)];
            if signs[0] != signs[1] {
                list.push(functions.sign_change(function, [time(k - 1), time(k)], signs));
            }
            let is_nearest = k > 1 && at.abs() < before.abs() && at.abs() <= after.abs();
            if is_nearest && signs[0] == signs[1] && sign_of(before) == signs[0] && signs[0] != 0 {
                let ends = [time(k - 2), time(k)];
                if let Some((dip, _)) = dip(ends, f64::from(signs[0]), &mut |t| functions.value(function, t)) {
                    let inside = sign_of(functions.value(function, dip));
                    list.push(functions.sign_change(function, [ends[0], dip], [signs[0], inside]));
                    list.push(functions.sign_change(function, [dip, ends[1]], [inside, signs[0]]));
                }
            }
        }
        (earlier, last) = (last, next);
    }
    list
}
