//! Sign changes of switching functions between the ends of a step.
//!
//! In: an accepted step, as a polynomial, and the switching functions. Out: an earlier time at which the step has to
//! end. This may lie between two sign changes of one function: they leave both ends of the step on the same side, and
//! neither a comparison of signs nor an error estimate need notice them. Or it lies just before a kink on which the
//! states at the end of the step depend, since an error estimate for smooth functions does not account for it; or just
//! before a jump, in a step that has no error test.
//!
//! Enclosures of the functions along the polynomial, on the whole step and, where they contain zero, recursively on
//! parts of it (R. E. Moore, R. B. Kearfott, M. J. Cloud, *Introduction to Interval Analysis*, SIAM 2009), prove that
//! there is no sign change. They are Taylor models, which also say in which parts zeros may lie: only these are
//! enclosed again. What they leave undecided lies in parts too narrow to be divided further ([`NEAR`]), or is smaller
//! than the noise that the tolerances allow.
//!
//! Functions without enclosures (those that contain functions or inputs of the caller), and those for which more parts
//! of a step have been divided than [`BUDGET`] allows, are sampled: at a few times of the step, and more densely where
//! their values come near zero in comparison with their range ([`SAMPLES`]). That is no proof.

mod functions;

use crate::contract::Kind;
use crate::integrator::held::Held;
use crate::integrator::stepper::{Options, Stepper};
use crate::linalg::iteration_matrix::Jacobians;
use functions::Functions;

/// Parts of a step of this width are not divided any further: this fraction of the relative tolerance, within the
/// bounds `NEAREST`. A function that is beyond its zero for a shorter time may be overlooked. No step is made to end
/// within twice this width of its end, or within the square root of this width of its start. A kink at a distance
/// $\delta$ from either changes the solution by $O(\delta^2)$ only; but near the end, the value at a stage beyond the
/// kink counts for the whole step, which makes the error $O(\delta)$.
const NEAR: f64 = 1e-2;
const NEAREST: (f64, f64) = (1e-10, 1e-6);
/// Noise is measured at the end of every part of a step that is at least this wide and may contain zeros, and of a
/// narrower one before noise is the reason not to divide it.
const SAME_NOISE: f64 = 1.0 / 64.0;
/// A part is halved if zeros may lie in more than this fraction of it.
const MOST: f64 = 0.5;
/// Parts of a step that are wider than one over this number are divided where functions without enclosures may have
/// zeros.
const SAMPLES: f64 = 64.0;
/// The number of parts of a step that may be divided for a function, at first and at most. Once more have been divided,
/// the function is only sampled for the rest of the step, and its budget for the next step is halved, down to the
/// second number; otherwise it is doubled.
const BUDGET: (usize, usize) = (96, 6);
/// The number of times that steps from one time are searched, at first and at most: what is found in every one, however
/// short, is at that time, or there is something in the polynomial that does not become shorter with the step. Then the
/// number for the next step is halved, down to the second number; otherwise it is doubled.
const SEARCHES: (usize, usize) = (100, 6);
/// Once more than this many parts of a step have been enclosed, every function for which another one would have to be
/// divided is only sampled.
const MOST_PARTS: usize = 768;
/// A step need not end at a kink that changes no differential unknown at the end of the step by more than this fraction
/// of its tolerance.
const NEGLIGIBLE: f64 = 0.1;
/// A kink at which a partial derivative of an algebraic equation changes by more than this fraction is never
/// negligible.
const BENT: f64 = 1e-2;

/// Where a step is to end, apart from between two sign changes of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sought {
    /// Before kinks; before jumps, the stepper itself has ended the step.
    Kinks,
    /// Before jumps, which a step without an error test would pass unnoticed, except that of the function `beyond`,
    /// which it is to pass.
    Jumps { beyond: Option<usize> },
    /// Nowhere: kinks and jumps are left to the error test.
    Nothing,
}

/// The last known sign of a function, and the time at which it was last found to have changed, if it has.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    /// Zero while it is not known.
    sign: i8,
    /// The time up to which it is known to have that sign.
    until: f64,
    changed: Option<f64>,
}

/// A part of a step; times count from the end of the step in units of its length.
#[derive(Clone, Copy, Debug)]
struct Part {
    ends: [f64; 2],
    /// Whether functions with enclosures are already known to have no zeros in it, apart from noise.
    is_clear: bool,
}

/// The search of steps for sign changes.
pub(super) struct Between<'d> {
    functions: Functions<'d>,
    /// Whether $F$ has a kink, rather than a jump, at the zeros of each function.
    kinks: Vec<bool>,
    near: f64,
    /// Number of parts of this step that may be divided for each function.
    budget: Vec<usize>,
    /// The time at which the last step began, the number of steps from there that have been searched, and the number
    /// that may be.
    searched: (f64, usize, usize),
    /// Number of parts of this step that have been divided for each function.
    spent: Vec<usize>,
    /// The tolerances of the caller; a method may test errors against others.
    rtol: f64,
    atol: Vec<f64>,
    /// The values of the functions at the end of the last part that was not divided, where the next one begins.
    values_before: Vec<f64>,
    sides: Vec<Side>,
    /// For each function, the time up to which it was too close to zero to tell its sign when a part was divided for
    /// the sake of others: until then, values below its noise count as zero.
    vague: Vec<f64>,
    /// Parts of the step that remain to be searched, the earliest one last.
    parts: Vec<Part>,
}

impl<'d> Between<'d> {
    /// The search for a formulation; `None` if no function depends on the unknowns.
    pub(super) fn new(dae: impl Into<Held<'d>>, options: &Options) -> Option<Self> {
        let dae = dae.into();
        let description = dae.description();
        let count = description.switches.len();
        Some(Between {
            functions: Functions::new(dae.clone())?,
            kinks: description.switches.iter().map(|switch| !switch.jumps).collect(),
            near: (NEAR * options.rtol).clamp(NEAREST.0, NEAREST.1),
            budget: vec![BUDGET.0; count],
            searched: (f64::NAN, 0, SEARCHES.0),
            spent: vec![0; count],
            rtol: options.rtol,
            atol: options.atol.of(&description.unknowns),
            values_before: vec![0.0; count],
            sides: vec![Side::default(); count],
            vague: vec![-1.0; count],
            parts: Vec::new(),
        })
    }

    /// The time at which the last step, which began at `before`, has to end so that no function changes its sign twice
    /// in it and nothing of what is sought lies inside it, and the function because of which it has to; `None` if it
    /// need not end earlier than it did.
    pub(super) fn search(&mut self, stepper: &mut dyn Stepper, before: f64, sought: Sought) -> Option<(f64, usize)> {
        let (from, count, most) = self.searched;
        self.searched = match from == before {
            true => (from, count + 1, most),
            false if count > most => (before, 1, (most / 2).max(SEARCHES.1)),
            false => (before, 1, (2 * most).min(SEARCHES.0)),
        };
        if self.searched.1 > self.searched.2 {
            return None;
        }
        self.functions.take(stepper, before);
        for (budget, spent) in self.budget.iter_mut().zip(&mut self.spent) {
            *budget = if *spent > *budget { (*budget / 2).max(BUDGET.1) } else { (2 * *budget).min(BUDGET.0) };
            *spent = 0;
        }
        self.parts.clear();
        let whole = Part { ends: [-1.0, 0.0], is_clear: false };
        self.parts.push(whole);
        self.functions.enclose(whole.ends);
        if self.functions.is_excluded() {
            return None;
        }
        self.functions.look_at(-1.0);
        self.values_before.copy_from_slice(&self.functions.values);
        for k in 0..self.sides.len() {
            self.vague[k] = -1.0;
            // A step that begins just before a zero begins on the side of the step before it: noise does not count.
            self.sides[k] = Side { sign: sign(self.functions.values[k], 0.0), until: -1.0, changed: None };
        }
        let mut examined = 0;
        while let Some(part) = self.parts.pop() {
            let [a, b] = part.ends;
            if part.is_clear {
                // Where a clear part begins, the functions are beyond what the part before may have left undecided.
                self.functions.look_at(a);
                if let Some(found) = self.note_signs(a, part, sought, stepper) {
                    return Some(found);
                }
                self.functions.look_at(b);
                self.functions.sample_others(part.ends);
            } else {
                examined += 1;
                self.functions.look_at(b);
                // The first part is the whole step, which has been enclosed already.
                if examined > 1 {
                    self.functions.enclose(part.ends);
                }
                // Before noise is the reason not to divide a part, it is measured at the end of that part: where a
                // function turns, noise is smaller than farther away.
                let is_wide = b - a >= SAME_NOISE && !self.functions.is_excluded();
                if is_wide || (0..self.sides.len()).any(|k| self.is_noise(k, b - a)) {
                    self.functions.measure_noise(stepper);
                }
                self.spend(b - a, examined);
                self.functions.sample(part.ends);
            }
            if (0..self.sides.len()).any(|k| self.is_open(k, b - a)) {
                self.divide(part.ends);
            } else if let Some(found) = self.note_signs(b, part, sought, stepper) {
                return Some(found);
            }
        }
        None
    }

    /// Charges one evaluation on a part of the step to every function whose sign its enclosure leaves open there. A
    /// function that has used up its budget is no longer enclosed, but sampled.
    fn spend(&mut self, width: f64, examined: usize) {
        for k in 0..self.sides.len() {
            if self.functions.enclosed[k] && self.is_open(k, width) {
                self.spent[k] = if examined > MOST_PARTS { self.budget[k] + 1 } else { self.spent[k] + 1 };
                if self.spent[k] > self.budget[k] {
                    self.functions.give_up(k);
                }
            }
        }
    }

    /// Takes in the signs of the functions at `s`, an end of a part that is not divided; returns the time at which the
    /// step has to end, if it has to end earlier than it did, and the function because of which.
    fn note_signs(&mut self, s: f64, part: Part, sought: Sought, stepper: &dyn Stepper) -> Option<(f64, usize)> {
        self.values_before.copy_from_slice(&self.functions.values);
        for k in 0..self.sides.len() {
            if !self.functions.searched[k] {
                continue;
            }
            let is_vague = match part.is_clear && self.functions.enclosed[k] {
                true => part.ends[1] <= self.vague[k],
                false => self.functions.may_vanish(k),
            };
            // At the end of the step, as at its start, the side on which the run continues counts.
            let noise = if is_vague && s < 0.0 { self.functions.noise[k] } else { 0.0 };
            if let Some(t) = self.note_sign(k, s, sign(self.functions.values[k], noise), sought, stepper) {
                return Some((self.functions.step.at(t), k));
            }
        }
        None
    }

    /// Whether a part of this width has to be divided for a function.
    fn is_open(&self, k: usize, width: f64) -> bool {
        match self.functions.enclosed[k] {
            true => self.functions.may_vanish(k) && width > self.near && !self.is_noise(k, width),
            false => self.functions.may_vanish(k) && width * SAMPLES > 1.0,
        }
    }

    /// Whether the only reason not to divide a part of this width for a function is that the function is smaller there
    /// than its noise.
    fn is_noise(&self, k: usize, width: f64) -> bool {
        self.functions.enclosed[k]
            && self.functions.may_vanish(k)
            && width > self.near
            && self.functions.enclosures[k].magnitude() <= self.functions.noise[k]
    }

    /// Divides a part into those to be searched next: the ranges in which functions for which it is open may have
    /// zeros, and what lies between these ranges; or into halves, if little lies between.
    fn divide(&mut self, [a, b]: [f64; 2]) {
        let (mut zeros, mut of_enclosed) = (Vec::new(), Vec::new());
        for k in 0..self.sides.len() {
            if self.is_open(k, b - a) {
                let ends = self.zeros_of(k, [a, b]);
                zeros.push(ends);
                of_enclosed.extend(self.functions.enclosed[k].then_some(ends));
            } else if self.functions.may_vanish(k) {
                self.vague[k] = self.vague[k].max(b);
            }
        }
        zeros.sort_by(|left, right| left[0].total_cmp(&right[0]));
        zeros.dedup_by(|next, last| {
            let do_overlap = next[0] <= last[1];
            last[1] = if do_overlap { last[1].max(next[1]) } else { last[1] };
            do_overlap
        });
        let mut ends: Vec<f64> = vec![a, b];
        if zeros.iter().map(|[from, to]| to - from).sum::<f64>() > MOST * (b - a) {
            ends.push(0.5 * (a + b));
        } else {
            ends.extend(zeros.into_iter().flatten());
        }
        ends.sort_by(f64::total_cmp);
        for ends in ends.windows(2).rev().filter(|ends| ends[0] < ends[1]) {
            let is_clear = of_enclosed.iter().all(|[from, to]| *to <= ends[0] || ends[1] <= *from);
            self.parts.push(Part { ends: [ends[0], ends[1]], is_clear });
        }
    }

    /// The range of a part in which a function may have zeros, by its Taylor model. For a function without enclosures,
    /// a neighbourhood of the zero found by linear interpolation, whose error is of the order of the square of the
    /// width; the whole part if the signs at both ends are the same.
    fn zeros_of(&self, k: usize, [a, b]: [f64; 2]) -> [f64; 2] {
        let (middle, radius, width) = (0.5 * (a + b), 0.5 * (b - a), b - a);
        // With a margin, so that the values at the ends of the range have the signs of either side.
        let [from, to] = if self.functions.enclosed[k] {
            let [from, to] = self.functions.models[k].zeros_within(0.5 * self.functions.noise[k]);
            [middle + radius * from - 0.25 * self.near, middle + radius * to + 0.25 * self.near]
        } else {
            let [before, now] = [self.values_before[k], self.functions.values[k]];
            let zero = a + width * before / (before - now);
            let distance = (0.5 * width * width).min(0.125 * width).max(0.25 * self.near);
            // Values may be infinite.
            if before * now < 0.0 && zero.is_finite() { [zero - distance, zero + distance] } else { [a, b] }
        };
        [from.clamp(a, b), to.clamp(a, b)]
    }

    /// Takes in the sign of a function at `b`, an end of a part that is not divided; returns a time between two changes
    /// of its sign, or just before what is sought; `None` if there is no such time, or only one too near an end of the
    /// step.
    fn note_sign(&mut self, k: usize, b: f64, sign: i8, sought: Sought, stepper: &dyn Stepper) -> Option<f64> {
        let side = &mut self.sides[k];
        if sign == 0 || sign == side.sign {
            side.until = if sign == 0 { side.until } else { b };
            return None;
        }
        let (is_change, last) = (side.sign != 0, side.until);
        (side.sign, side.until) = (sign, b);
        if !is_change {
            return None;
        }
        let is_inside = |s: &f64| *s > self.near.sqrt() - 1.0 && *s < -2.0 * self.near;
        match side.changed.replace(b) {
            Some(changed) => Some(0.5 * (changed + last)).filter(is_inside),
            None => match sought {
                Sought::Kinks if self.kinks[k] => {
                    Some(last).filter(is_inside).filter(|last| !self.is_negligible([*last, b], stepper))
                }
                Sought::Jumps { beyond } if !self.kinks[k] && beyond != Some(k) => Some(last).filter(is_inside),
                Sought::Kinks | Sought::Jumps { .. } | Sought::Nothing => None,
            },
        }
    }

    /// Whether the end of the step hardly depends on a kink between two times: with the equations before the kink it
    /// would differ by $K^{-1} \Delta F$, $K$ being the iteration matrix of the step, and $\Delta F$ the jump of the
    /// derivatives of $F$ at the kink times the changes of $t$, $y$ and $y'$ since then.
    fn is_negligible(&self, [before, beyond]: [f64; 2], stepper: &dyn Stepper) -> bool {
        let (dae, step) = (&*self.functions.dae, self.functions.step);
        let description = dae.description();
        let n = description.unknowns.len();
        let (mut y, mut yp) = (vec![0.0; n], vec![0.0; n]);
        let mut derivatives = |s: f64| {
            self.functions.states(s, &mut y, &mut yp);
            let (mut jacobians, mut by_time) = (Jacobians::new(description), vec![0.0; n]);
            jacobians.evaluate(dae, step.at(s), &y, &yp);
            dae.jacobian_t(step.at(s), &y, &yp, &mut by_time);
            (jacobians, by_time)
        };
        // The state at the earlier time, evaluated last, remains in `y` and `yp`.
        let [(new, new_by_time), (old, old_by_time)] = [beyond, before].map(&mut derivatives);
        // Beyond a kink, an algebraic equation may have no solution, or a different one.
        let is_algebraic = |row: usize| description.jacobian_yp.row(row).next().is_none();
        let bends = |(row, _, place): (usize, usize, usize)| {
            let [a, b] = [old.y[place], new.y[place]];
            is_algebraic(row) && (a - b).abs() > BENT * a.abs().max(b.abs())
        };
        if description.jacobian_y.entries().any(bends) {
            return false;
        }
        let since = -before * step.length;
        let mut change: Vec<f64> = new_by_time.iter().zip(&old_by_time).map(|(new, old)| (new - old) * since).collect();
        for (row, column, place) in description.jacobian_y.entries() {
            change[row] += (new.y[place] - old.y[place]) * (stepper.state()[column] - y[column]);
        }
        for (row, column, place) in description.jacobian_yp.entries() {
            change[row] += (new.yp[place] - old.yp[place]) * (stepper.derivative()[column] - yp[column]);
        }
        stepper.respond(&mut change);
        (0..n)
            .filter(|&i| description.unknowns[i].kind == Kind::Differential)
            .all(|i| change[i].abs() <= NEGLIGIBLE * (self.atol[i] + self.rtol * stepper.state()[i].abs()))
    }
}

fn sign(value: f64, noise: f64) -> i8 {
    i8::from(value > noise) - i8::from(value < -noise)
}
