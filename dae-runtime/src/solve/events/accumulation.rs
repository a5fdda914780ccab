//! Events that accumulate.
//!
//! In: the times at which an event has occurred. Out: the time at which it accumulates, if its intervals shrink like a
//! geometric sequence: then the event at its limit occurs there, and it occurs no more until then. The derivatives of that
//! time follow from those of the times of the event.

use super::Events;

/// Ratios of successive intervals are compared, so that four times are needed.
const TIMES: usize = 4;
/// Ratios that differ by no more than this fraction are that of a geometric sequence.
const STEADY: f64 = 1e-2;
/// A limit is passed to when what is left of the time to it is no more than this fraction of the elapsed time: what
/// follows changes the solution by less than that, and the time of the limit has as many digits more as the ratios have.
const NEAR: f64 = 1e-6;

impl Events<'_, '_> {
    /// Notes that an event occurs now, at a time with these derivatives. Plans the event at its limit if that is near;
    /// returns whether there is one.
    pub(super) fn note_accumulation(&mut self, event: usize, by_time: &[f64]) -> bool {
        let limit = self.list.of_model(event).and_then(|(declared, number)| declared.limit_of(number));
        let Some(limit) = limit else { return false };
        let resolution = self.resolution(self.t);
        let recent = &mut self.recent[event];
        recent.push_back((self.t, by_time.to_vec()));
        if recent.len() > TIMES {
            recent.pop_front();
        }
        let times: Vec<f64> = recent.iter().map(|(t, _)| *t).collect();
        let intervals: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let &[first, second, third] = intervals.as_slice() else { return true };
        let [earlier, ratio] = [second / first, third / second];
        let is_steady = ratio < 1.0 && (ratio - earlier).abs() <= STEADY * ratio;
        let left = third * ratio / (1.0 - ratio);
        if (is_steady && left <= NEAR * (self.t - self.t0).abs()) || third <= 8.0 * resolution {
            let has_more = left.is_finite() && left > 0.0;
            let t = (self.t + if has_more { left } else { 0.0 }).max(self.t.next_up());
            // What is left is b²/(a - b) with the last intervals a and b.
            let by_quantity = |k: usize| {
                let at = |n: usize| recent[n].1.get(k).copied().unwrap_or(0.0);
                let (of_second, of_third, rest) = (at(2) - at(1), at(3) - at(2), second - third);
                let of_left = (2.0 * third * of_third - left * (of_second - of_third)) / rest;
                at(3) + if has_more { of_left } else { 0.0 }
            };
            let (count, own) = (by_time.len(), self.list.own.len());
            self.limit_derivatives[own + limit] = Some((0..count).map(by_quantity).collect());
            if let Some(declared) = &mut self.list.declared {
                declared.plan_limit(limit, t);
            }
        }
        true
    }
}
