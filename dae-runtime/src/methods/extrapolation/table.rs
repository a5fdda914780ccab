//! Polynomial extrapolation of results with several step sizes to step size zero.
//!
//! In: results with the step sizes $h/n_1, h/n_2, \dots$, one after the other. Out: the last row of the table of Aitken
//! and Neville (Hairer, Nørsett & Wanner I, (II.9.4)), for results whose errors have an expansion in powers of the step
//! size:
//!
//! $$ T_{j,1} = y_{h/n_j}, \qquad
//!    T_{j,k+1} = T_{j,k} + \frac{T_{j,k} - T_{j-1,k}}{n_j/n_{j-k} - 1}, \qquad T_{j,k} = y + O(h^{k+1}) . $$

/// The last row of a table.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// $T_{j,k}$ at position $k - 1$.
    row: Vec<Vec<f64>>,
    /// $n_1, \dots, n_j$.
    steps: Vec<usize>,
    /// $T_{j-1,j-1}$.
    before: Vec<f64>,
}

impl Table {
    /// Room for results of `n` entries with up to `rows` step sizes.
    pub(super) fn new(n: usize, rows: usize) -> Table {
        Table { row: vec![vec![0.0; n]; rows], steps: Vec::with_capacity(rows), before: vec![0.0; n] }
    }

    /// Begins another table.
    pub(super) fn clear(&mut self) {
        self.steps.clear();
    }

    /// Adds the result with `steps` steps, entry by entry.
    pub(super) fn push(&mut self, steps: usize, value: impl Fn(usize) -> f64) {
        let last = self.steps.len();
        let n = self.before.len();
        if last > 0 {
            self.before.copy_from_slice(&self.row[last - 1]);
        }
        for i in 0..n {
            let mut entry = value(i);
            for k in 0..last {
                let ratio = steps as f64 / self.steps[last - 1 - k] as f64;
                let before = std::mem::replace(&mut self.row[k][i], entry);
                entry += (entry - before) / (ratio - 1.0);
            }
            self.row[last][i] = entry;
        }
        self.steps.push(steps);
    }

    /// $T_{j,j}$; the first result where there is but one.
    pub(super) fn best(&self) -> &[f64] {
        &self.row[self.steps.len().max(1) - 1]
    }

    /// $T_{j-1,j-1}$, the best entry of the row before, if there is one.
    pub(super) fn best_before(&self) -> &[f64] {
        &self.before
    }

    /// $T_{j,j} - T_{j,j-1}$.
    pub(super) fn error(&self, error: &mut [f64]) {
        let last = self.steps.len().max(2) - 1;
        for ((error, best), before) in error.iter_mut().zip(&self.row[last]).zip(&self.row[last - 1]) {
            *error = best - before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_extrapolated_exactly() {
        let of = |h: f64| 3.0 - 2.0 * h + 5.0 * h * h - h * h * h;
        let mut table = Table::new(1, 5);
        for _ in 0..2 {
            table.clear();
            for n in 1..=4 {
                table.push(n, |_| of(1.0 / n as f64));
            }
            assert!((table.best()[0] - 3.0).abs() < 1e-13);
        }
        let mut error = [0.0];
        table.error(&mut error);
        assert!(error[0].abs() > 1e-3, "the result before is of lower order");
        let before = table.best()[0];
        table.push(5, |_| of(0.2));
        assert_eq!(table.best_before(), [before]);
        table.error(&mut error);
        assert!((table.best()[0] - 3.0).abs() < 1e-13 && error[0].abs() < 1e-13);
    }
}
