//! The step of least change in a large component.
//!
//! In: a sparse matrix $B$ as in `least_change`, the steps in which its pattern is solved, a right-hand side. Out: the
//! step of least change, as there. Small steps are left to `least_change`; for large underdetermined ones the
//! saddle-point system
//!
//! $$ \begin{pmatrix} D & B^T \\\\ B & -\tau^2 I \end{pmatrix} \begin{pmatrix} z \\\\ \mu \end{pmatrix} = \begin{pmatrix} 0 \\\\ b \end{pmatrix} $$
//!
//! is solved, where the diagonal matrix $D$ is 1 for costly columns and nearly 0 for free ones (Å. Björck, *Numerical
//! Methods for Least Squares Problems*, Sect. 4.3.2): for $\tau = 0$ it yields $B z = b$ with least $z^T D z$. Whether
//! the rows are independent shows in the solution: it has to satisfy both equations, and not to be too large compared
//! with $b$. Otherwise $\tau > 0$ gives a least-squares solution, which iterative refinement moves towards the one of
//! least change (ibid., Sect. 2.7.2; every iteration divides the error along a singular value $\sigma$ by $1 + \sigma^2
//! / \tau^2$). A contradiction then shows where the Gauss–Newton iteration gets stuck.

use super::components::{Component, StepKind, is_small};
use super::least_change::{ABLE, least_change};
use crate::linalg::rank::RankError;
use crate::linalg::sparse::{FactorError, Factors, SparseMatrix};
use crate::linalg::vector::norm;

/// Components with at most this many equations, and at most twice as many moving jets, fall back to dense linear
/// algebra where the sparse one finds no solution.
const DENSE_FALLBACK: usize = 400;
/// Square blocks with a larger condition number do not count as regular.
const SURELY_REGULAR: f64 = 1e10;
/// Weight of the free columns, so small that guesses move by no more than rounding errors where free jets can move
/// instead.
const FREE_WEIGHT: f64 = 1e-12;
/// Changes of guesses up to this fraction of the whole step are artefacts of that weight: such guesses stay.
const OWED: f64 = 1e-10;
/// Bounds on the residual and on the size of a solution for the rows to count as independent.
const FULFILLED: f64 = 1e-8;
const MODERATE: f64 = 1e7;
/// $\tau$, and the number of refinements of the least-squares solution.
const REGULARISATION: f64 = 1e-5;
const REFINEMENTS: usize = 8;

/// Why there is no step.
pub(super) enum StepError {
    /// Numbers overflow, or a decomposition fails.
    NotFinite,
    /// Too many equations have to be solved together; their number.
    TooLarge(usize),
}

impl From<RankError> for StepError {
    fn from(_: RankError) -> Self {
        StepError::NotFinite
    }
}

/// Solves for the step of a component.
pub(super) fn structured_change(
    matrix: &SparseMatrix,
    component: &Component,
    b: &[f64],
) -> Result<Vec<f64>, StepError> {
    if component.is_small() {
        return Ok(least_change(&matrix.to_dense(), &component.free, &component.costly, b)?);
    }
    let found = step_by_step(matrix, component, b);
    if let Ok(Some(z)) = found {
        return Ok(z);
    }
    if matrix.rows() <= DENSE_FALLBACK && matrix.columns() <= 2 * DENSE_FALLBACK {
        return Ok(least_change(&matrix.to_dense(), &component.free, &component.costly, b)?);
    }
    found?;
    regularised(matrix, &costs(component, ABLE * ABLE), b)
}

/// Solves step by step in the order of the pattern; `None` where a step has no clear solution.
fn step_by_step(matrix: &SparseMatrix, component: &Component, b: &[f64]) -> Result<Option<Vec<f64>>, StepError> {
    let mut z = vec![0.0; matrix.columns()];
    let mut place = vec![usize::MAX; matrix.columns()];
    let is_free = marked(component);
    for step in &component.steps {
        let rest = |&i: &usize| b[i] - matrix.row(i).map(|(j, value)| value * z[j]).sum::<f64>();
        let rhs: Vec<f64> = step.rows.iter().map(rest).collect();
        for (k, &column) in step.columns.iter().enumerate() {
            place[column] = k;
        }
        let part = matrix.part(&step.rows, step.columns.len(), |column| {
            step.columns.get(place[column]).filter(|&&own| own == column).map(|_| place[column])
        });
        let (free, costly): (Vec<usize>, Vec<usize>) = (0..step.columns.len()).partition(|&k| is_free[step.columns[k]]);
        let found = match step.kind {
            StepKind::Square => square(&part, &rhs)?,
            StepKind::Over | StepKind::Under if is_small(part.rows(), part.columns()) => {
                Some(least_change(&part.to_dense(), &free, &costly, &rhs)?)
            }
            StepKind::Under => saddle_point(&part, &free, &rhs)?,
            StepKind::Over => None,
        };
        let Some(found) = found else { return Ok(None) };
        for (&column, value) in step.columns.iter().zip(found) {
            z[column] = value;
        }
    }
    Ok(Some(z))
}

fn marked(component: &Component) -> Vec<bool> {
    let mut is_free = vec![false; component.moving.len()];
    for &k in &component.free {
        is_free[k] = true;
    }
    is_free
}

/// The solution with a square block; `None` if that is not clearly regular.
fn square(block: &SparseMatrix, b: &[f64]) -> Result<Option<Vec<f64>>, StepError> {
    let mut scaled = block.clone();
    let (row_factors, column_factors) = scaled.equilibrate();
    let factors = match Factors::of(&scaled) {
        Ok(factors) => factors,
        Err(FactorError::Singular) => return Ok(None),
        Err(FactorError::TooLarge) => return Err(StepError::TooLarge(block.rows())),
    };
    let condition = scaled.norm() * factors.inverse_norm();
    // A block that is small compared with the rest of its rows is not trusted either.
    let size = block.entries().fold(0.0_f64, |size, (_, _, value)| size.max(value.abs()));
    if condition.is_nan() || condition > SURELY_REGULAR || size < 1.0 / SURELY_REGULAR {
        return Ok(None);
    }
    let mut z: Vec<f64> = b.iter().zip(&row_factors).map(|(b, factor)| b * factor).collect();
    factors.solve(&mut z);
    z.iter_mut().zip(&column_factors).for_each(|(z, factor)| *z *= factor);
    Ok(z.iter().all(|z| z.is_finite()).then_some(z))
}

/// The solution of least change with an underdetermined part; `None` if its rows are not clearly independent.
fn saddle_point(matrix: &SparseMatrix, free: &[usize], b: &[f64]) -> Result<Option<Vec<f64>>, StepError> {
    let n = matrix.columns();
    let mixed = !free.is_empty() && free.len() < n;
    let mut largest = vec![0.0_f64; n];
    matrix.entries().for_each(|(_, j, value)| largest[j] = largest[j].max(value.abs()));
    let cost = |weight: f64| {
        let mut cost = vec![1.0; n];
        if mixed {
            free.iter().filter(|&&k| largest[k] > ABLE).for_each(|&k| cost[k] = weight);
        }
        cost
    };
    let size = norm(b);
    let Some(mut z) = saddle_solution(matrix, &cost(FREE_WEIGHT), b)? else { return Ok(None) };
    let farthest = free.iter().map(|&k| z[k].abs()).fold(0.0, f64::max);
    if mixed && farthest > size / ABLE {
        // Free unknowns would run far away to spare guesses a small change.
        return saddle_solution(matrix, &cost(ABLE * ABLE), b);
    }
    if mixed {
        let owed = OWED * z.iter().fold(0.0_f64, |a, z| a.max(z.abs()));
        let mut is_free = vec![false; n];
        free.iter().for_each(|&k| is_free[k] = true);
        z.iter_mut().zip(is_free).filter(|(z, is_free)| !is_free && z.abs() <= owed).for_each(|(z, _)| *z = 0.0);
    }
    Ok(Some(z))
}

/// The solution of the saddle-point system with $\tau = 0$; `None` if there is none of sufficient accuracy and moderate
/// size.
fn saddle_solution(matrix: &SparseMatrix, cost: &[f64], b: &[f64]) -> Result<Option<Vec<f64>>, StepError> {
    let n = matrix.columns();
    let factors = match Factors::of(&saddle(matrix, cost, 0.0)) {
        Ok(factors) => factors,
        Err(FactorError::Singular) => return Ok(None),
        Err(FactorError::TooLarge) => return Err(StepError::TooLarge(matrix.rows())),
    };
    let mut x = vec![0.0; n];
    x.extend_from_slice(b);
    factors.solve(&mut x);
    // One step of refinement.
    let gradient = matrix.transposed_times(&x[n..]);
    let product = matrix.times(&x[..n]);
    let mut correction: Vec<f64> = (0..n).map(|k| -cost[k] * x[k] - gradient[k]).collect();
    correction.extend(b.iter().zip(&product).map(|(b, product)| b - product));
    factors.solve(&mut correction);
    x.iter_mut().zip(&correction).for_each(|(x, correction)| *x += correction);
    let (z, multipliers) = x.split_at(n);
    let off: Vec<f64> = matrix.times(z).iter().zip(b).map(|(product, b)| product - b).collect();
    let gradient = matrix.transposed_times(multipliers);
    let skew: Vec<f64> = (0..n).map(|k| cost[k] * z[k] + gradient[k]).collect();
    let size = norm(b);
    let solved = norm(&off) <= FULFILLED * size && norm(&skew) <= FULFILLED * norm(z);
    // NaN compares as false.
    Ok((solved && norm(z) <= MODERATE * size).then(|| z.to_vec()))
}

/// A least-squares solution of little change, whatever the rank.
fn regularised(matrix: &SparseMatrix, cost: &[f64], b: &[f64]) -> Result<Vec<f64>, StepError> {
    let n = matrix.columns();
    let factors = match Factors::of(&saddle(matrix, cost, REGULARISATION)) {
        Ok(factors) => factors,
        Err(FactorError::Singular) => return Err(StepError::NotFinite),
        Err(FactorError::TooLarge) => return Err(StepError::TooLarge(matrix.rows())),
    };
    let mut z = vec![0.0; n];
    for _ in 0..REFINEMENTS {
        let product = matrix.times(&z);
        let mut x = vec![0.0; n];
        x.extend(b.iter().zip(&product).map(|(b, product)| b - product));
        factors.solve(&mut x);
        z.iter_mut().zip(&x).for_each(|(z, x)| *z += x);
    }
    match z.iter().all(|z| z.is_finite()) {
        true => Ok(z),
        false => Err(StepError::NotFinite),
    }
}

fn costs(component: &Component, weight: f64) -> Vec<f64> {
    let mixed = !component.free.is_empty() && !component.costly.is_empty();
    let mut cost = vec![1.0; component.moving.len()];
    if mixed {
        component.free.iter().for_each(|&k| cost[k] = weight);
    }
    cost
}

fn saddle(matrix: &SparseMatrix, cost: &[f64], tau: f64) -> SparseMatrix {
    let (m, n) = (matrix.rows(), matrix.columns());
    let weights = cost.iter().enumerate().map(|(k, &cost)| (k, k, cost));
    let rows = matrix.entries().flat_map(|(i, j, value)| [(n + i, j, value), (j, n + i, value)]);
    let regularisation = (0..m).map(|i| (n + i, n + i, -tau * tau));
    SparseMatrix::from_entries(m + n, m + n, weights.chain(rows).chain(regularisation))
}

#[cfg(test)]
mod tests {
    use super::super::components::BlockStep;
    use super::*;

    /// Coefficients without structure, the same in every run.
    fn coefficient(i: usize, j: usize) -> f64 {
        ((i * 37 + j * 101 + i * j) as f64 * 0.618_033_988_749_895).fract() * 2.0 - 1.0
    }

    /// `m` rows with five entries each in `2 m + 8` columns, every third of which is free; the rows `repeated` occur
    /// twice.
    fn problem(m: usize, repeated: &[usize]) -> (SparseMatrix, Component, Vec<f64>) {
        let n = 2 * m + 8;
        let rows: Vec<usize> = (0..m).chain(repeated.iter().copied()).collect();
        let entries = rows.iter().enumerate().flat_map(|(place, &i)| {
            let entry = move |j: usize| if j == 2 * i { 1.0 } else { 0.7 * coefficient(i, j) };
            (2 * i..2 * i + 5).map(move |j| (place, j, entry(j)))
        });
        let matrix = SparseMatrix::from_entries(rows.len(), n, entries);
        let (free, costly) = (0..n).partition(|j| j % 3 == 0);
        let step = BlockStep { kind: StepKind::Under, rows: (0..rows.len()).collect(), columns: (0..n).collect() };
        let component =
            Component { rows: (0..rows.len()).collect(), moving: (0..n).collect(), free, costly, steps: vec![step] };
        let b = rows.iter().map(|&i| coefficient(i, 1000)).collect();
        (matrix, component, b)
    }

    fn farthest(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn free_and_costly_columns_share_as_in_dense_linear_algebra() {
        let (matrix, component, b) = problem(90, &[]);
        let dense = least_change(&matrix.to_dense(), &component.free, &component.costly, &b).unwrap();
        let Ok(sparse) = structured_change(&matrix, &component, &b) else { panic!() };
        assert!(!component.is_small());
        // Changes of guesses due to the weight of the free columns were left out.
        assert!(farthest(&matrix.times(&sparse), &b) < 1e-9);
        assert!(farthest(&sparse, &dense) < 1e-8, "{:e}", farthest(&sparse, &dense));
    }

    #[test]
    fn dependent_rows_that_agree_are_fulfilled() {
        let (matrix, component, b) = problem(500, &[3, 250, 499]);
        let Ok(found) = structured_change(&matrix, &component, &b) else { panic!() };
        assert!(farthest(&matrix.times(&found), &b) < 1e-9);
    }

    #[test]
    fn dependent_rows_that_disagree_are_met_in_the_mean() {
        let (matrix, component, mut b) = problem(500, &[3, 250, 499]);
        b[501] += 2.0;
        let Ok(found) = structured_change(&matrix, &component, &b) else { panic!() };
        let off: Vec<f64> = matrix.times(&found).iter().zip(&b).map(|(product, b)| product - b).collect();
        assert!((off[250] - 1.0).abs() < 1e-6 && (off[501] + 1.0).abs() < 1e-6, "{} {}", off[250], off[501]);
        let others = (0..503).filter(|i| ![250, 501].contains(i)).map(|i| off[i].abs()).fold(0.0, f64::max);
        assert!(others < 1e-6, "{others:e}");
    }

    #[test]
    fn a_nearly_vanishing_free_column_does_not_run_away() {
        // Every row: a guess with factor 1, a free jet with factor 1e-9, and a neighbour.
        let (m, n) = (100, 200);
        let rows = (0..m).flat_map(|i| [(i, i, 1.0), (i, (i + 1) % m, 0.3), (i, m + i, 1e-9)]);
        let matrix = SparseMatrix::from_entries(m, n, rows);
        let step = BlockStep { kind: StepKind::Under, rows: (0..m).collect(), columns: (0..n).collect() };
        let (costly, free) = (0..n).partition(|&j| j < m);
        let component = Component { rows: (0..m).collect(), moving: (0..n).collect(), free, costly, steps: vec![step] };
        let Ok(found) = structured_change(&matrix, &component, &vec![0.5; m]) else { panic!() };
        assert!(farthest(&found[..m], &vec![0.5 / 1.3; m]) < 1e-6);
        assert!(found[m..].iter().all(|z| z.abs() < 1e-2));
    }
}
