//! Times at equal distances.
//!
//! In: start, end, number of steps. Out: the ends of steps, the last of which is the end to the bit.

/// `steps` steps of equal length from `start` to `end`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    start: f64,
    end: f64,
    pub(super) steps: usize,
}

impl Grid {
    /// `None` if times are not finite or equal, or steps too many to be told apart.
    pub(super) fn new(start: f64, end: f64, steps: usize) -> Option<Grid> {
        let grid = Grid { start, end, steps };
        let is_finite = start.is_finite() && end.is_finite() && (end - start).is_finite();
        let is_resolved = steps > 0 && start != start + grid.h() && end != end - grid.h();
        (is_finite && is_resolved).then_some(grid)
    }

    /// The signed length of a step.
    pub(super) fn h(&self) -> f64 {
        (self.end - self.start) / self.steps as f64
    }

    /// The end of the `k`-th step, or the start if `k` is zero.
    pub(super) fn time(&self, k: usize) -> f64 {
        let part = k as f64 / self.steps as f64;
        if k == self.steps { self.end } else { self.start + part * (self.end - self.start) }
    }
}
