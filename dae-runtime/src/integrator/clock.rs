//! The independent variable of a run: compensated, directed, and exact where it has to be.
//!
//! In: step lengths. Out: the time after them, with the rounding errors of long runs carried along (Kahan), and the
//! decision whether a step is adjusted to end exactly at the end time or at a stop.

/// Time of a run between accepted steps.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    t: f64,
    /// Exact sum of the steps minus `t`.
    carry: f64,
    end: f64,
    stop: f64,
    direction: f64,
    span: f64,
}

impl Clock {
    /// A run from `t0` to `end`, which may be earlier.
    pub(crate) fn new(t0: f64, end: f64) -> Self {
        let direction = if end < t0 { -1.0 } else { 1.0 };
        Clock { t: t0, carry: 0.0, end, stop: end, direction, span: (end - t0).abs() }
    }

    /// The current time.
    pub(crate) fn time(&self) -> f64 {
        self.t
    }

    /// `1.0` or `-1.0`.
    pub(crate) fn direction(&self) -> f64 {
        self.direction
    }

    /// Length of the whole run.
    pub(crate) fn span(&self) -> f64 {
        self.span
    }

    /// Whether the end time is reached.
    pub(crate) fn is_over(&self) -> bool {
        self.t == self.end
    }

    /// Makes a step end exactly at `t` if that lies ahead and before the end time, otherwise at the end time.
    pub(crate) fn stop_at(&mut self, t: f64) {
        let ahead = (t - self.t) * self.direction > 0.0 && (self.end - t) * self.direction > 0.0;
        self.stop = if ahead { t } else { self.end };
    }

    /// Signed length of a step that was meant to be `h` (positive) long: cut, or stretched by at most one per cent, to
    /// end at the next stop if it would come that close; and whether it ends there.
    pub(crate) fn fit(&self, h: f64) -> (f64, Landing) {
        let left = (self.stop - self.t) - self.carry;
        if 1.01 * h >= left.abs() { (left, Landing::Stop) } else { (self.direction * h, Landing::Free) }
    }

    /// Makes a step with a length from [`Clock::fit`].
    pub(crate) fn advance(&mut self, h: f64, landing: Landing) {
        match landing {
            Landing::Stop => {
                (self.t, self.carry) = (self.stop, 0.0);
                self.stop = self.end;
            }
            Landing::Free => {
                let h = h + self.carry;
                let sum = self.t + h;
                self.carry = h - (sum - self.t);
                self.t = sum;
            }
        }
    }

    /// The smallest step size that the time can resolve: a few units in the last place, so that stages remain distinct;
    /// near $t = 0$, where floating-point numbers have no such limit, a length that no solution on this interval
    /// requires.
    pub(crate) fn resolution(&self) -> f64 {
        (16.0 * f64::EPSILON * self.t.abs()).max(1e-30 * self.span).max(f64::MIN_POSITIVE)
    }

    /// Whether a step can have this length; `NaN` is never one.
    pub(crate) fn resolves(&self, h: f64) -> bool {
        h >= self.resolution()
    }
}

/// Where a step ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Landing {
    /// Exactly at the end time or a stop.
    Stop,
    /// Wherever its length leads.
    Free,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_steps_lose_nothing() {
        let mut clock = Clock::new(0.0, 2e5);
        for _ in 0..1_000_000 {
            let (h, landing) = clock.fit(0.1);
            clock.advance(h, landing);
        }
        assert!((clock.time() - 1e6 * 0.1).abs() < 1e-9);
    }

    #[test]
    fn lands_on_stops_and_on_the_end_backwards() {
        let mut clock = Clock::new(1.0, -1.0);
        clock.stop_at(0.3);
        let mut times = Vec::new();
        while !clock.is_over() {
            let (h, landing) = clock.fit(0.6);
            clock.advance(h, landing);
            times.push(clock.time());
        }
        assert_eq!(times.len(), 5);
        assert_eq!((times[1], times[4]), (0.3, -1.0));
    }

    #[test]
    fn an_empty_interval_is_over_at_once() {
        assert!(Clock::new(3.0, 3.0).is_over());
    }
}
