//! Order and step size of extrapolation methods.
//!
//! In: error estimates of the columns of the table of a step. Out: whether the step is accepted, and which order and
//! length the next one has.
//!
//! Sources: P. Deuflhard, *Order and stepsize control in extrapolation methods*, Numer. Math. 41 (1983); Hairer, Nørsett
//! & Wanner I, section II.9, and SEULEX, Hairer & Wanner II, section IV.9.
//!
//! With $k$ columns, the error is estimated by $\mathrm{err}_k = \lVert T_{k,k} - T_{k,k-1} \rVert = O(h^k)$, and the
//! length at which it would be as large as allowed is $H_k = h\\,\sigma_1 (\sigma_2/\mathrm{err}_k)^{1/k}$. Work per
//! length $W_k = A_k/H_k$, where $A_k$ is the work for $k$ columns, is to be least. The error between the ends of the step
//! counts like that at its end, where it becomes smaller with the order as well: otherwise an order would be chosen for
//! which the step is then rejected.

/// $\sigma_1$ and $\sigma_2$.
const SAFETY: (f64, f64) = (0.94, 0.65);
/// Bounds on the ratio of successive lengths.
const RANGE: (f64, f64) = (0.1, 5.0);
/// Steps converge in this column at the earliest.
const LEAST: usize = 3;
/// The order is lowered if that reduces the work per length by this factor, and raised if the order before had more
/// than the present one by the inverse of the second.
const LOWER: f64 = 0.8;
const RAISE: f64 = 0.9;

/// The work of a basic method, in evaluations of $F$.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    /// Once in a step.
    pub(super) step: f64,
    /// For each sequence of basic steps.
    pub(super) sequence: f64,
    /// For each basic step.
    pub(super) basic_step: f64,
}

/// What is to be done after a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The step is accurate enough.
    Accept,
    /// Another column is to be computed.
    Continue,
    /// The step is to be repeated.
    Reject,
}

/// State of the controller. Columns are counted from 1.
#[derive(Clone, Debug)]
pub(super) struct Control {
    /// $A_k$ at position $k$, for one column more than there can be.
    work: Vec<f64>,
    /// $H_k/h$ at position $k$, for the columns of the last attempt.
    factors: Vec<f64>,
    /// The column in which the next step is expected to converge.
    target: usize,
    /// The lowest column in which a step may converge, and the highest.
    least: usize,
    most: usize,
    /// Whether the last attempt was rejected.
    is_repeated: bool,
    /// Whether no step has been accepted yet.
    is_first: bool,
}

impl Control {
    /// For at most `most` columns, of which the $j$-th has $n_j = j$ basic steps.
    pub(super) fn new(work: Work, most: usize) -> Control {
        let mut total = vec![work.step];
        for steps in 1..=most + 1 {
            total.push(total[steps - 1] + work.sequence + steps as f64 * work.basic_step);
        }
        Control {
            work: total,
            factors: vec![1.0; most + 2],
            target: most.min(LEAST),
            least: most.min(LEAST),
            most,
            is_repeated: false,
            is_first: true,
        }
    }

    /// What to do with an error of `error` in units of the error allowed, after `column` columns.
    pub(super) fn judge(&mut self, column: usize, error: f64) -> Verdict {
        self.factors[column] = factor(column, error);
        let last = if self.is_first { self.most } else { (self.target + 1).min(self.most) };
        let is_window = column >= self.least && (self.is_first || column + 1 >= self.target);
        if is_window && error <= 1.0 {
            return Verdict::Accept;
        }
        if column >= last || error.is_nan() {
            return Verdict::Reject;
        }
        // The expected reduction of the error by the columns that are left.
        let reduction: f64 = (column + 1..=last).map(|steps| (steps as f64).powi(2)).product();
        if is_window && error > reduction { Verdict::Reject } else { Verdict::Continue }
    }

    /// Notes that the error after `column` columns is at least `error`.
    pub(super) fn correct(&mut self, column: usize, error: f64) {
        self.factors[column] = self.factors[column].min(factor(column, error));
    }

    /// Work per length, in arbitrary units, with `column` columns.
    fn per_length(&self, column: usize) -> f64 {
        self.work[column] / self.factors[column]
    }

    /// The factor by which the next step is longer, after one accepted with `column` columns.
    pub(super) fn after_success(&mut self, column: usize) -> f64 {
        let mut target = column;
        if column > self.least && self.per_length(column - 1) < LOWER * self.per_length(column) {
            target = column - 1;
        } else if column < self.most
            && (column == self.least || self.per_length(column) < RAISE * self.per_length(column - 1))
        {
            target = column + 1;
        }
        let mut factor = self.factors[target.min(column)];
        if target > column {
            factor *= self.work[target] / self.work[column];
        }
        if std::mem::take(&mut self.is_repeated) {
            target = target.min(self.target);
            factor = factor.min(1.0);
        }
        (self.target, self.is_first) = (target.max(self.least), false);
        factor.min(RANGE.1)
    }

    /// The factor by which the step is to be shortened, after an attempt rejected with `column` columns.
    pub(super) fn after_rejection(&mut self, column: usize) -> f64 {
        let mut target = column.min(self.target).max(self.least);
        if target > self.least && self.per_length(target - 1) < LOWER * self.per_length(target) {
            target -= 1;
        }
        (self.target, self.is_repeated) = (target, true);
        self.factors[target.min(column)].clamp(RANGE.0, 0.9)
    }

    /// After an attempt whose equations could not be solved.
    pub(super) fn after_trouble(&mut self) {
        self.is_repeated = true;
    }
}

/// $H_k/h$ for an error in units of the error allowed.
pub(super) fn factor(column: usize, error: f64) -> f64 {
    let factor = SAFETY.0 * (SAFETY.1 / error).powf(1.0 / column as f64);
    if factor.is_nan() { RANGE.0 } else { factor.clamp(RANGE.0, RANGE.1) }
}
