//! Events that accumulate.
//!
//! In: the times at which an event has occurred. Out: the time at which it accumulates, if its intervals shrink like a
//! geometric sequence: then the event at its limit occurs there, and it occurs no more until then.

use super::Events;

/// Ratios of successive intervals are compared, so that four times are needed.
const TIMES: usize = 4;
/// Ratios that differ by no more than this fraction are that of a geometric sequence.
const STEADY: f64 = 1e-2;
/// A limit is passed to when what is left of the time to it is no more than this fraction of the elapsed time: what
/// follows changes the solution by less than that, and the time of the limit has as many digits more as the ratios have.
const NEAR: f64 = 1e-6;

impl Events<'_, '_> {
    /// Notes that an event occurs now. Plans the event at its limit if that is near; returns whether there is one.
    pub(super) fn note_accumulation(&mut self, event: usize) -> bool {
        let limit = self.list.of_model(event).and_then(|(declared, number)| declared.limit_of(number));
        let Some(limit) = limit else { return false };
        let recent = &mut self.recent[event];
        recent.push_back(self.t);
        if recent.len() > TIMES {
            recent.pop_front();
        }
        let times: Vec<f64> = recent.iter().copied().collect();
        let intervals: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let &[first, second, third] = intervals.as_slice() else { return true };
        let [earlier, ratio] = [second / first, third / second];
        let is_steady = ratio < 1.0 && (ratio - earlier).abs() <= STEADY * ratio;
        let left = third * ratio / (1.0 - ratio);
        let resolution = self.resolution(self.t);
        if (is_steady && left <= NEAR * (self.t - self.t0).abs()) || third <= 8.0 * resolution {
            let t = (self.t + if left.is_finite() && left > 0.0 { left } else { 0.0 }).max(self.t.next_up());
            if let Some(declared) = &mut self.list.declared {
                declared.plan_limit(limit, t);
            }
        }
        true
    }
}
