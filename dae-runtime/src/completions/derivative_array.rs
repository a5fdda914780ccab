//! Derivative-array forms: the equations with their derivatives, solved for what they determine, at any index and
//! without structural analysis.
//!
//! In: a formulation in the states $u$ and the higher derivatives $z$ that occur in the array, whose rows are the $N$
//! equations of the array
//!
//! $$ G(t, u, z) = 0, \qquad z = (u', w), \quad \dim z = N, $$
//!
//! followed by as many differential equations $H(t, u, u', z) = 0$ as there are states, not all of which are
//! independent of the array. Out: a square regular system. It has as many rows of $H$ as there are degrees of freedom;
//! the other rows of $H$ give way to $K^\top z = \mathrm{const}$, where the columns of $K$ span what the array leaves
//! undetermined of $z$, $G_z K = 0$: of all derivatives that fulfil the array, those nearest to the last ones are
//! taken.
//!
//! With $H = u' - z_1$ these are equations (2.30) of Hairer & Wanner II, Sect. VII.2 (S. L. Campbell, E. Moore, Numer.
//! Math. 69, 1995): $u_b' = f_b(u_b)$, $u_a = \varphi_3(u_b)$, with as many differentiations in the array as the index.
//! With the equations of the model for $H$ and one differentiation fewer they are the strangeness-free form of P.
//! Kunkel, V. Mehrmann (*Differential-Algebraic Equations*, EMS 2006, Hypothesis 4.2), with rows that are selected
//! rather than combined. Only the rows of $H$ are discretised; all constraints, including the hidden ones, are solved
//! at every step. The system has index 1.
//!
//! The rows and $K$ follow from Gaussian elimination with complete pivoting, as in (2.31): first in the columns of $z$,
//! where the rank of $G_z$ is the number of rows minus the number of constraints between states; the remaining rows
//! have entries only in the columns of $u$ and give $u_a$; then in the rows of $H$. The choice is kept until it has
//! become much worse than another would be, and $u$ and $z$ are continuous where it changes. This costs one elimination
//! of the array per step.

use std::cell::RefCell;

use crate::completions::delegate::{forward_invariants_to_inner, forward_switches_to_inner, forward_to_inner};
use crate::contract::class::Classified;
use crate::contract::{Dae, Description, Pattern};
use crate::linalg::complete_pivoting::CompletePivoting;
use crate::linalg::vector::dot;

/// Rows of $H$ are kept while their pivots are at least this fraction of those that complete pivoting would take, so
/// that the pivots do not vanish within the next step.
const MUCH_SMALLER: f64 = 0.2;
/// $K$ is kept while the angle between it and the kernel has at least this cosine.
const TURNED: f64 = 0.9;
/// Largest number of iterations for the derivatives that the initialisation does not give.
const MAX_ITERATIONS: usize = 30;
/// The iteration ends when its steps are rounding errors, relative to the derivatives.
const NEGLIGIBLE: f64 = 1e-15;
/// The iteration also ends when its steps are this small and no longer decrease.
const ROUNDING: f64 = 1e-10;

/// A derivative array, completed to a regular system.
#[derive(Clone, Debug)]
pub struct DerivativeArray<D> {
    inner: D,
    description: Description,
    /// Number of states, $\dim u$.
    states: usize,
    /// Position of each entry of the inner $\partial F/\partial y$ in the Jacobian with rows $K^\top z$.
    copies: Vec<usize>,
    /// For each row of $H$, the positions of the entries of $z$ in it.
    places: Vec<Vec<usize>>,
    work: RefCell<Work>,
}

/// Storage.
#[derive(Clone, Debug)]
struct Work {
    /// For each row of $H$: whether it is discretised, or the column of $K$ that replaces it.
    rows: Vec<Row>,
    /// The columns of $K$, one after the other.
    gauge: Vec<f64>,
    /// $K^\top z$, which is held constant.
    reference: Vec<f64>,
    /// The columns of a new candidate for $K$, orthonormal for scaled $z$.
    kernel: Vec<f64>,
    jacobian_y: Vec<f64>,
    jacobian_yp: Vec<f64>,
    residual: Vec<f64>,
    elimination: CompletePivoting,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Row {
    Discretised,
    Gauge(usize),
}

impl<D: Dae> DerivativeArray<D> {
    /// Completes a derivative array, the first `rows` rows of the formulation; the differential equations follow, and
    /// their rank, the number of degrees of freedom, is the leading rank of its description.
    pub fn new(inner: D, rows: usize) -> Self {
        let of = inner.description();
        let all = of.unknowns.len();
        let states = all - rows;
        let (mut starts, mut columns) = (vec![0], Vec::new());
        let mut copies = vec![0; of.jacobian_y.len()];
        let mut places = Vec::with_capacity(states);
        for row in 0..all {
            let mut entries: Vec<(usize, Option<usize>)> =
                of.jacobian_y.row(row).map(|(column, position)| (column, Some(position))).collect();
            if row >= rows {
                let own: Vec<usize> = entries.iter().map(|&(column, _)| column).collect();
                let missing = (states..all).filter(|column| own.binary_search(column).is_err());
                entries.extend(missing.map(|column| (column, None)));
                entries.sort_unstable_by_key(|&(column, _)| column);
                let first = columns.len();
                let derivatives = entries.iter().enumerate().filter(|(_, (column, _))| *column >= states);
                places.push(derivatives.map(|(k, _)| first + k).collect());
            }
            for (column, position) in entries {
                if let Some(position) = position {
                    copies[position] = columns.len();
                }
                columns.push(column);
            }
            starts.push(columns.len());
        }
        let jacobian_y = Pattern { columns: all, row_starts: starts.into(), column_indices: columns.into() };
        let description = Description { jacobian_y, ..of.clone() };
        let constraints = states - of.leading_rank.min(states);
        let work = Work {
            rows: vec![Row::Discretised; states],
            gauge: vec![0.0; constraints * rows],
            reference: vec![0.0; constraints],
            kernel: vec![0.0; constraints * rows],
            jacobian_y: vec![0.0; of.jacobian_y.len()],
            jacobian_yp: vec![0.0; of.jacobian_yp.len()],
            residual: vec![0.0; all],
            elimination: CompletePivoting::new(all, vec![1.0; all]),
        };
        DerivativeArray { inner, description, states, copies, places, work: RefCell::new(work) }
    }

    /// $N$.
    fn array_rows(&self) -> usize {
        self.description.unknowns.len() - self.states
    }

    /// Number of constraints between states.
    fn constraints(&self) -> usize {
        self.states - self.description.leading_rank.min(self.states)
    }

    /// Sets the magnitudes of the unknowns at the start of a run, those of $z$ first: the value or the nominal value,
    /// whichever is larger.
    fn measure(&self, work: &mut Work, y: &[f64]) {
        let all = self.description.unknowns.iter().zip(y);
        let magnitudes = all.cycle().skip(self.states).map(|(unknown, y)| unknown.nominal.abs().max(y.abs()));
        work.elimination.column_scale.iter_mut().zip(magnitudes).for_each(|(scale, magnitude)| *scale = magnitude);
    }

    /// $(G_z, G_u)$ over $(0, H_{u'})$, scaled.
    fn linearise(&self, work: &mut Work, t: f64, y: &[f64], yp: &[f64]) {
        let (inner, n, rows) = (self.inner.description(), self.states, self.array_rows());
        self.inner.jacobian_y(t, y, yp, &mut work.jacobian_y);
        self.inner.jacobian_yp(t, y, yp, &mut work.jacobian_yp);
        let Work { elimination, jacobian_y, jacobian_yp, .. } = work;
        elimination.matrix.fill(0.0);
        for (row, column, position) in inner.jacobian_y.entries().take_while(|&(row, ..)| row < rows) {
            let column = if column < n { rows + column } else { column - n };
            *elimination.entry(row, column) = jacobian_y[position];
        }
        for row in rows..rows + n {
            for (column, position) in inner.jacobian_yp.row(row) {
                *elimination.entry(row, rows + column) = jacobian_yp[position];
            }
        }
        elimination.equilibrate();
    }

    /// Eliminates the array, which yields its kernel, then the rows of $H$: the present ones if they are good enough,
    /// otherwise any. `None` if there are no pivots left; otherwise whether the present rows are good enough.
    fn eliminate(&self, work: &mut Work) -> Option<bool> {
        let (n, rows, constraints) = (self.states, self.array_rows(), self.constraints());
        let Work { elimination, kernel, rows: choice, .. } = work;
        elimination.begin();
        elimination.complete(rows.checked_sub(constraints)?, 0..rows, 0..rows)?;
        kernel_vectors(elimination, rows, kernel);
        elimination.complete(constraints, 0..rows, rows..rows + n)?;
        let discretised = |row: usize| choice[row - rows] == Row::Discretised;
        let mut will_do = choice.iter().filter(|row| **row == Row::Discretised).count() == n - constraints;
        for _ in constraints..n {
            let (best, size) = elimination.largest(rows..rows + n, rows..rows + n, |_| true)?;
            let at_hand = elimination.largest(rows..rows + n, rows..rows + n, discretised);
            let pivot = at_hand.filter(|&(_, its_size)| will_do && its_size >= MUCH_SMALLER * size);
            will_do &= pivot.is_some();
            elimination.pivot(pivot.map_or(best, |(pivot, _)| pivot));
        }
        Some(will_do)
    }

    /// Whether the kernel has turned away from the columns of $K$. Both are orthonormal in the present scaling, and the
    /// sum of the squared components of the kernel outside their span bounds that of any direction in it.
    fn is_turned(&self, work: &Work) -> bool {
        let rows = self.array_rows();
        let Work { gauge, kernel, elimination, .. } = work;
        let scaled = |a: &[f64], b: &[f64]| -> f64 {
            a.iter().zip(b).zip(&elimination.column_scale).map(|((a, b), scale)| a * b * scale).sum()
        };
        let seen = |direction: &[f64]| gauge.chunks_exact(rows).map(|g| scaled(g, direction).powi(2)).sum::<f64>();
        let unseen: f64 = kernel.chunks_exact(rows).map(|direction| 1.0 - seen(direction)).sum();
        unseen.is_nan() || unseen > 1.0 - TURNED * TURNED
    }

    /// Takes the rows of $H$ that have a pivot, and the kernel for $K$.
    fn choose(&self, work: &mut Work, y: &[f64]) {
        let rows = self.array_rows();
        let Work { rows: choice, elimination, gauge, reference, kernel, .. } = work;
        let mut free = 0..self.constraints();
        for (row, choice) in choice.iter_mut().enumerate() {
            let pivot = !elimination.open_rows[rows + row];
            *choice = if pivot { Row::Discretised } else { free.next().map_or(Row::Discretised, Row::Gauge) };
        }
        let scales = elimination.column_scale[..rows].iter().cycle();
        gauge.iter_mut().zip(kernel.iter()).zip(scales).for_each(|((g, k), scale)| *g = k / scale);
        for (reference, column) in reference.iter_mut().zip(gauge.chunks_exact(rows)) {
            *reference = dot(column, &y[self.states..]);
        }
    }

    /// Finds derivatives that fulfil the array, as far as it determines them, by Newton's method from those at hand;
    /// they become NaN where the array is not finite.
    fn complete(&self, t: f64, y: &mut [f64], yp: &[f64]) {
        let (n, rows) = (self.states, self.array_rows());
        let rank = rows - self.constraints().min(rows);
        let work = &mut *self.work.borrow_mut();
        self.measure(work, y);
        let mut last = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            self.inner.residual(t, y, yp, &mut work.residual);
            self.linearise(work, t, y, yp);
            let Work { elimination, residual, .. } = &mut *work;
            if residual[..rows].iter().any(|value| !value.is_finite()) {
                y[n..].fill(f64::NAN);
                return;
            }
            elimination.right_hand_side(&residual[..rows]);
            elimination.begin();
            if elimination.complete(rank, 0..rows, 0..rows).is_none() {
                return;
            }
            elimination.back_substitute();
            let mut largest: f64 = 0.0;
            for (z, step) in y[n..].iter_mut().zip(&elimination.solution) {
                *z -= step;
                largest = largest.max(step.abs() / z.abs().max(1.0));
            }
            // Steps that are small and no longer decrease are rounding errors.
            if largest.is_nan() || largest <= NEGLIGIBLE || (largest >= 0.5 * last && largest <= ROUNDING) {
                return;
            }
            last = largest;
        }
    }
}

/// An orthonormal basis of what elimination in the first columns leaves undetermined in them.
fn kernel_vectors(elimination: &CompletePivoting, columns: usize, kernel: &mut [f64]) {
    let mut free = (0..columns).filter(|&column| elimination.open_columns[column]);
    for k in 0..kernel.len().checked_div(columns).unwrap_or(0) {
        let (before, rest) = kernel.split_at_mut(k * columns);
        let vector = &mut rest[..columns];
        vector.fill(0.0);
        let Some(column) = free.next() else { return };
        vector[column] = 1.0;
        for &(row, column) in elimination.taken.iter().rev() {
            let entries = elimination.row(row);
            vector[column] = -dot(&entries[..columns], vector) / entries[column];
        }
        // Twice is enough (Kahan; see Parlett, The Symmetric Eigenvalue Problem, sect. 6.9).
        for _ in 0..2 {
            for other in before.chunks_exact(columns) {
                let share = dot(other, vector);
                vector.iter_mut().zip(other).for_each(|(x, other)| *x -= share * other);
            }
            let length = dot(vector, vector).sqrt();
            vector.iter_mut().for_each(|x| *x /= length);
        }
    }
}

#[diagnostic::do_not_recommend]
impl<D: Classified> Classified for DerivativeArray<D> {
    type Class = D::Class;

    fn as_dae(&self) -> &dyn Dae {
        self
    }
}

impl<D: Dae> Dae for DerivativeArray<D> {
    fn description(&self) -> &Description {
        &self.description
    }

    forward_to_inner!();
    forward_switches_to_inner!();
    forward_invariants_to_inner!();

    fn residual(&self, t: f64, y: &[f64], yp: &[f64], residual: &mut [f64]) {
        self.inner.residual(t, y, yp, residual);
        let work = self.work.borrow();
        for (row, value) in work.rows.iter().zip(&mut residual[self.array_rows()..]) {
            if let Row::Gauge(k) = row {
                *value = dot(work.gauge(*k, self.array_rows()), &y[self.states..]) - work.reference[*k];
            }
        }
    }

    fn jacobian_y(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        let work = &mut *self.work.borrow_mut();
        self.inner.jacobian_y(t, y, yp, &mut work.jacobian_y);
        values.fill(0.0);
        for (&place, value) in self.copies.iter().zip(&work.jacobian_y) {
            values[place] = *value;
        }
        let first = self.array_rows();
        for (row, places) in work.rows.iter().zip(&self.places).enumerate() {
            if let (Row::Gauge(k), places) = places {
                let starts = &self.description.jacobian_y.row_starts;
                values[starts[first + row]..starts[first + row + 1]].fill(0.0);
                places.iter().zip(work.gauge(*k, first)).for_each(|(&place, g)| values[place] = *g);
            }
        }
    }

    fn jacobian_yp(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.inner.jacobian_yp(t, y, yp, values);
        self.without_gauges(&self.description.jacobian_yp, values);
    }

    fn jacobian_t(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.inner.jacobian_t(t, y, yp, values);
        for (row, value) in self.work.borrow().rows.iter().zip(&mut values[self.array_rows()..]) {
            if *row != Row::Discretised {
                *value = 0.0;
            }
        }
    }

    fn jacobian_p(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.inner.jacobian_p(t, y, yp, values);
        self.without_gauges(&self.description.jacobian_p, values);
    }

    fn states_from_jets(&self, t: f64, jets: &[f64], y: &mut [f64], yp: &mut [f64]) {
        self.inner.states_from_jets(t, jets, y, yp);
        self.complete(t, y, yp);
        // Derivatives beyond the jets, where a row is solved for one.
        let (work, first) = (&mut *self.work.borrow_mut(), self.array_rows());
        self.inner.residual(t, y, yp, &mut work.residual);
        self.inner.jacobian_yp(t, y, yp, &mut work.jacobian_yp);
        for row in first..first + self.states {
            let mut entries = self.description.jacobian_yp.row(row);
            if let (Some((column, position)), None) = (entries.next(), entries.next())
                && work.jacobian_yp[position] == 1.0
            {
                yp[column] -= work.residual[row];
            }
        }
    }

    fn choose_coordinates(&self, t: f64, y: &[f64], yp: &[f64], anew: bool) -> bool {
        if self.constraints() == 0 {
            return false;
        }
        let work = &mut *self.work.borrow_mut();
        if anew {
            // Nothing is kept from an earlier run.
            work.rows.fill(Row::Discretised);
            self.measure(work, y);
        }
        self.linearise(work, t, y, yp);
        match self.eliminate(work) {
            None => false,
            Some(true) if !anew && !self.is_turned(work) => false,
            Some(_) => {
                self.choose(work, y);
                true
            }
        }
    }
}

impl Work {
    /// A column of $K$.
    fn gauge(&self, k: usize, rows: usize) -> &[f64] {
        &self.gauge[k * rows..(k + 1) * rows]
    }
}

impl<D: Dae> DerivativeArray<D> {
    /// Clears all entries in rows of $K^\top z$: they contain nothing but $z$.
    fn without_gauges(&self, pattern: &Pattern, values: &mut [f64]) {
        let first = self.array_rows();
        for (k, _) in self.work.borrow().rows.iter().enumerate().filter(|(_, row)| **row != Row::Discretised) {
            values[pattern.row_starts[first + k]..pattern.row_starts[first + k + 1]].fill(0.0);
        }
    }
}
