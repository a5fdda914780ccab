//! Linear algebra of an implicit step: the iteration matrix $a\\,F_{y'} + b\\,F_y$, real or complex, and its factors.
//!
//! In: Jacobian values on the patterns of a [`Description`], two scalars and a step size. Out: solutions of linear
//! systems, or the row and column where the matrix is singular. All storage is allocated by the constructors.
//!
//! Three scalings make the factorisation independent of the step size and of the units of the model:
//!
//! * the column of an unknown of index $k$ is multiplied by $h^{-(k-1)}$, that is, the system is solved for
//!   $h^{k-1}\\Delta y_j$. Otherwise the condition grows like $h^{-k}$ (Petzold & Lötstedt 1986);
//! * the column of an auxiliary unknown is multiplied by its magnitude, the larger of its value and its nominal value,
//!   since any value may serve;
//! * rows are then equilibrated to largest entries between one and two.
//!
//! All use powers of two, so that they cause no rounding errors.
//!
//! | file | what |
//! |---|---|
//! | `markowitz` | selection and ordering of the pivots of a sparse matrix |
//! | `sequence` | the pattern of the factors for given pivots |
//! | `loop_free` | code for one sequence, if generated code includes it |
//! | `sparse` | factors along a sequence, by that code or by loops |
//! | `dense` | factors with partial pivoting, where a sparse elimination does not pay |
//! | `schedule` | the choice between these |

mod dense;
mod loop_free;
mod markowitz;
mod schedule;
mod sequence;
mod sparse;

use std::rc::Rc;

use crate::complete_pivoting::Elimination;
use crate::contract::{Dae, Description, Kind};
pub(crate) use dense::Lu;
use dense::equilibrate_rows;
pub use loop_free::Scalar;
pub(crate) use schedule::Schedule;
pub use schedule::{Factorization, StepStart, steady_sequence};
pub use sequence::Sequence;
use sparse::{PivotTooSmall, SparseLu};

/// Up to this order complete pivoting finds out what makes a matrix singular.
const LARGEST_COMPLETE: usize = 500;

/// The matrix is singular to working precision, or not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Singular {
    /// No usable pivot is left for this column.
    Column(usize),
    /// This row is zero.
    Row(usize),
    /// This row contains a value that is not finite.
    NonFinite(usize),
}

/// The power of two below a positive number, kept far from overflow of itself and its inverse.
fn power_of_two(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    f64::from_bits(x.clamp(1e-300, 1e300).to_bits() & EXPONENT)
}

/// A row that the others already determine, and a column that they do not determine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deficiency {
    /// The dependent row.
    pub(crate) row: usize,
    /// The undetermined column.
    pub(crate) column: usize,
}

/// Finds out by complete pivoting whether a real matrix (column-major, overwritten) is singular to working precision,
/// and where. For reporting a failure, not for the step: it allocates.
pub(crate) fn deficiency(n: usize, matrix: &mut [f64]) -> Option<Deficiency> {
    let mut scale = vec![1.0; n];
    if let Err(Singular::Row(row) | Singular::NonFinite(row)) = equilibrate_rows(n, matrix, &mut scale) {
        let column = matrix.chunks_exact(n).position(|c| c.iter().all(|x| *x == 0.0)).unwrap_or(row);
        return Some(Deficiency { row, column });
    }
    for column in matrix.chunks_exact_mut(n.max(1)) {
        let size = column.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
        if size > 0.0 {
            column.iter_mut().for_each(|x| *x /= size);
        }
    }
    let mut elimination = Elimination::new(n, vec![1.0; n]);
    for (column, entries) in matrix.chunks_exact(n.max(1)).enumerate() {
        entries.iter().enumerate().for_each(|(row, &x)| *elimination.entry(row, column) = x);
    }
    let threshold = 8.0 * n as f64 * f64::EPSILON;
    for _ in 0..n {
        match elimination.largest(0..n, 0..n, |_| true) {
            Some((pivot, size)) if size > threshold => elimination.pivot(pivot),
            Some(((row, column), _)) => return Some(Deficiency { row, column }),
            None => {
                let first = |open: &[bool]| open.iter().position(|&open| open).unwrap_or(0);
                let (row, column) = (first(&elimination.open_rows), first(&elimination.open_columns));
                return Some(Deficiency { row, column });
            }
        }
    }
    None
}

/// Values of $F_y$ and $F_{y'}$ at one point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jacobians {
    /// Values of $F_y$ on its pattern.
    pub(crate) y: Vec<f64>,
    /// Values of $F_{y'}$ on its pattern.
    pub(crate) yp: Vec<f64>,
    /// Magnitudes of the auxiliary unknowns, powers of two; one for other unknowns.
    magnitudes: Vec<f64>,
}

impl Jacobians {
    /// Room for the Jacobians of a formulation.
    pub(crate) fn new(description: &Description) -> Self {
        Jacobians {
            y: vec![0.0; description.jacobian_y.len()],
            yp: vec![0.0; description.jacobian_yp.len()],
            magnitudes: vec![1.0; description.unknowns.len()],
        }
    }

    /// Evaluates both Jacobians.
    pub(crate) fn evaluate(&mut self, dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64]) {
        dae.jacobian_y(t, y, yp, &mut self.y);
        dae.jacobian_yp(t, y, yp, &mut self.yp);
        for ((magnitude, y), unknown) in self.magnitudes.iter_mut().zip(y).zip(dae.description().unknowns.iter()) {
            if unknown.kind == Kind::Auxiliary {
                // `max` ignores a NaN.
                *magnitude = power_of_two(unknown.nominal.abs().max(y.abs()).min(f64::MAX));
            }
        }
    }

    /// Whether every value is finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.y.iter().chain(&self.yp).all(|x| x.is_finite())
    }

    /// Row and column of the entries that are not finite, row by row.
    pub(crate) fn non_finite(&self, description: &Description) -> impl Iterator<Item = (usize, usize)> {
        let of_row = |row: usize| {
            let y = description.jacobian_y.row(row).map(|(column, place)| (column, self.y[place]));
            let yp = description.jacobian_yp.row(row).map(|(column, place)| (column, self.yp[place]));
            y.chain(yp).map(move |(column, value)| (row, column, value))
        };
        let entries = (0..description.equations.len()).flat_map(of_row);
        entries.filter(|(_, _, value)| !value.is_finite()).map(|(row, column, _)| (row, column))
    }
}

/// The matrix $a\\,F_{y'} + b\\,F_y$ of Newton's iteration with scaled columns, and its factors.
#[derive(Clone, Debug)]
pub(crate) struct IterationMatrix<S> {
    schedule: Rc<Schedule>,
    /// Values on the pattern of the schedule.
    values: Vec<S>,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    /// Largest entries of the columns.
    column_size: Vec<f64>,
    factors: Factors<S>,
    factorizations: usize,
}

#[derive(Clone, Debug)]
enum Factors<S> {
    None,
    Dense(Lu<S>),
    Sparse(SparseLu<S>),
}

impl<S: Scalar> IterationMatrix<S> {
    /// Room for matrices and their factors.
    pub(crate) fn new(schedule: &Rc<Schedule>) -> Self {
        let factors = match &schedule.sequence {
            Some(sequence) => Factors::Sparse(SparseLu::new(Rc::clone(sequence), schedule.code.as_ref().map(S::code))),
            None => Factors::Dense(Lu::new(schedule.order())),
        };
        IterationMatrix { factors, ..IterationMatrix::unfactorized(schedule) }
    }

    fn unfactorized(schedule: &Rc<Schedule>) -> Self {
        let n = schedule.order();
        IterationMatrix {
            schedule: Rc::clone(schedule),
            values: vec![S::ZERO; schedule.columns.len()],
            row_scale: vec![1.0; n],
            column_scale: vec![1.0; n],
            column_size: vec![0.0; n],
            factors: Factors::None,
            factorizations: 0,
        }
    }

    /// Fills in $a\\,F_{y'} + b\\,F_y$ with the columns scaled for steps of length `h`.
    pub(crate) fn assemble(&mut self, description: &Description, a: S, b: S, jacobians: &Jacobians, h: f64) {
        scale_by_index(description, h, &mut self.column_scale);
        self.column_scale.iter_mut().zip(&jacobians.magnitudes).for_each(|(scale, magnitude)| *scale *= magnitude);
        self.values.fill(S::ZERO);
        for (pattern, places, values, factor) in [
            (&description.jacobian_yp, &self.schedule.of_yp, &jacobians.yp, a),
            (&description.jacobian_y, &self.schedule.of_y, &jacobians.y, b),
        ] {
            for ((&place, &column), value) in places.iter().zip(pattern.column_indices.iter()).zip(values) {
                self.values[place] += factor.scale(value * self.column_scale[column]);
            }
        }
    }

    /// Factorises what was assembled.
    pub(crate) fn factorize(&mut self) -> Result<(), Singular> {
        self.factorizations += 1;
        if let Factors::Dense(lu) = &mut self.factors {
            self.schedule.scatter(&self.values, lu.matrix_mut());
            return lu.factorize();
        }
        self.equilibrate()?;
        if let Factors::Sparse(lu) = &mut self.factors
            && lu.factorize(&self.values, &self.column_size).is_ok()
            && !lu.has_grown()
        {
            return Ok(());
        }
        // Pivots chosen for other values are unsuitable.
        let sequence = Sequence::of(self.schedule.rows(), &self.values);
        let mut lu = SparseLu::new(Rc::new(sequence.map_err(|found| Singular::Column(found.column))?), None);
        let factorized = lu.factorize(&self.values, &self.column_size);
        self.factors = Factors::Sparse(lu);
        factorized.map_err(|PivotTooSmall { column }| Singular::Column(column))
    }

    /// Divides each row by the power of two next below its largest entry, and records the sizes of the columns.
    fn equilibrate(&mut self) -> Result<(), Singular> {
        let schedule = &self.schedule;
        self.column_size.fill(0.0);
        for row in 0..schedule.order() {
            let range = schedule.starts[row]..schedule.starts[row + 1];
            let values = &mut self.values[range.clone()];
            let mut size = 0.0_f64;
            for value in values.iter() {
                let norm = value.norm_1();
                if !norm.is_finite() {
                    return Err(Singular::NonFinite(row));
                }
                size = size.max(norm);
            }
            if size == 0.0 {
                return Err(Singular::Row(row));
            }
            self.row_scale[row] = 1.0 / power_of_two(size);
            for (value, &column) in values.iter_mut().zip(&schedule.columns[range]) {
                *value = value.scale(self.row_scale[row]);
                self.column_size[column] = self.column_size[column].max(value.norm_1());
            }
        }
        Ok(())
    }

    /// Whether it is factorised by the code of the formulation.
    pub(crate) fn is_loop_free(&self) -> bool {
        matches!(&self.factors, Factors::Sparse(lu) if lu.is_loop_free())
    }

    /// Number of factorisations so far: tells whether what was computed with the factors is out of date.
    pub(crate) fn factorizations(&self) -> usize {
        self.factorizations
    }

    /// Replaces the right-hand side by the solution of the unscaled system.
    pub(crate) fn solve(&self, x: &mut [S]) {
        match &self.factors {
            Factors::None => x.fill(S::ZERO),
            Factors::Dense(lu) => lu.solve(x),
            Factors::Sparse(lu) => {
                x.iter_mut().zip(&self.row_scale).for_each(|(x, &scale)| *x = x.scale(scale));
                lu.solve(x);
            }
        }
        x.iter_mut().zip(&self.column_scale).for_each(|(x, &scale)| *x = x.scale(scale));
    }

    /// Replaces the right-hand side by the solution of the transposed unscaled system.
    pub(crate) fn solve_transposed(&self, x: &mut [S]) {
        x.iter_mut().zip(&self.column_scale).for_each(|(x, &scale)| *x = x.scale(scale));
        match &self.factors {
            Factors::None => x.fill(S::ZERO),
            Factors::Dense(lu) => lu.solve_transposed(x),
            Factors::Sparse(lu) => {
                lu.solve_transposed(x);
                x.iter_mut().zip(&self.row_scale).for_each(|(x, &scale)| *x = x.scale(scale));
            }
        }
    }
}

impl IterationMatrix<f64> {
    /// Where the assembled (not yet factorised) matrix is singular to working precision, if it is.
    pub(crate) fn deficiency(&mut self) -> Option<Deficiency> {
        let n = self.schedule.order();
        if n <= LARGEST_COMPLETE {
            let mut matrix = vec![0.0; n * n];
            self.schedule.scatter(&self.values, &mut matrix);
            return deficiency(n, &mut matrix);
        }
        match self.equilibrate() {
            Err(Singular::Row(row) | Singular::NonFinite(row)) => Some(Deficiency { row, column: row }),
            Err(Singular::Column(column)) => Some(Deficiency { row: column, column }),
            Ok(()) => {
                let found = Sequence::of(self.schedule.rows(), &self.values).err()?;
                Some(Deficiency { row: found.row, column: found.column })
            }
        }
    }
}

/// $h^{-(k-1)}$ for each unknown of index $k$, with $h$ rounded to a power of two.
fn scale_by_index(description: &Description, h: f64, scale: &mut [f64]) {
    let inverse = 1.0 / power_of_two(h.abs());
    for (scale, unknown) in scale.iter_mut().zip(description.unknowns.iter()) {
        *scale = inverse.powi(i32::from(unknown.index) - 1);
    }
}
