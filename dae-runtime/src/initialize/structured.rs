//! The step of least change in a large component.
//!
//! In: a sparse matrix $B$ as in `least_change`, the steps in which its pattern is solved, a right-hand side. Out: the same as
//! there. Small steps are left to `least_change`; large underdetermined ones are the saddle-point system
//!
//! $$ \begin{pmatrix} D & B^T \\\\ B & -\tau^2 I \end{pmatrix} \begin{pmatrix} z \\\\ \mu \end{pmatrix} = \begin{pmatrix} 0 \\\\ b \end{pmatrix} $$
//!
//! with $D = 1$ for costly columns and nearly 0 for free ones (Å. Björck, *Numerical Methods for Least Squares Problems*, Sect. 4.3.2):
//! for $\tau = 0$ it yields $B z = b$ with least $z^T D z$. Whether the rows are independent shows in the solution: it has to fulfil
//! both equations and to be of the size of $b$. If it does not, $\tau > 0$ gives a least-squares solution, which iterated
//! refinement moves towards the one of least change (ibid., Sect. 2.7.2; every iteration divides the error along a singular value
//! $\sigma$ by $1 + \sigma^2 / \tau^2$). A contradiction then shows where the Gauss–Newton iteration gets stuck.

use super::least_change::{ABLE, least_change};
use super::parts::{Component, StepKind, is_small};
use crate::rank::RankError;
use crate::sparse::{FactorError, Factors, SparseMatrix};

/// Components up to this number of equations fall back to dense linear algebra where their rank is not clear.
const DENSE_FALLBACK: usize = 400;
/// Square blocks with a larger condition are not taken to be regular.
const SURELY_REGULAR: f64 = 1e10;
/// Weight of the free columns: what a guess moves in their place, relative to what they do, is rounding.
const FREE_WEIGHT: f64 = 1e-12;
/// Changes of guesses that are smaller, relative to the whole step, are owed to that weight: then they stay.
const OWED: f64 = 1e-10;
/// How well a solution has to fulfil the equations, and how large it may be, to count as that of independent rows.
const FULFILLED: f64 = 1e-8;
const MODERATE: f64 = 1e7;
/// $\tau$, and how often the least-squares solution is refined.
const REGULARISATION: f64 = 1e-5;
const REFINEMENTS: usize = 8;

/// Why there is no step.
pub(super) enum StepError {
    /// Numbers overflow.
    NotFinite,
    /// So many equations that have to be solved together cannot be.
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
    if let Some(z) = step_by_step(matrix, component, b)? {
        return Ok(z);
    }
    if matrix.rows() <= DENSE_FALLBACK && matrix.columns() <= 2 * DENSE_FALLBACK {
        return Ok(least_change(&matrix.to_dense(), &component.free, &component.costly, b)?);
    }
    regularised(matrix, &costs(component, ABLE * ABLE), b)
}

/// In the order of the pattern; `None` where a step has no clear solution.
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

/// The solution with a square block that is regular beyond doubt.
fn square(block: &SparseMatrix, b: &[f64]) -> Result<Option<Vec<f64>>, StepError> {
    let mut scaled = block.clone();
    scaled.equilibrate();
    let condition = match Factors::of(&scaled) {
        Ok(factors) => scaled.norm() * factors.inverse_norm(),
        Err(FactorError::Singular) => return Ok(None),
        Err(FactorError::TooLarge) => return Err(StepError::TooLarge(block.rows())),
    };
    // A block that is small against the rest of its rows is not trusted either.
    let size = block.entries().fold(0.0_f64, |size, (_, _, value)| size.max(value.abs()));
    if condition.is_nan() || condition > SURELY_REGULAR || size < 1.0 / SURELY_REGULAR {
        return Ok(None);
    }
    let Ok(factors) = Factors::of(block) else { return Ok(None) };
    let mut z = b.to_vec();
    factors.solve(&mut z);
    Ok(z.iter().all(|z| z.is_finite()).then_some(z))
}

/// Least change with rows that are clearly independent.
fn saddle_point(matrix: &SparseMatrix, free: &[usize], b: &[f64]) -> Result<Option<Vec<f64>>, StepError> {
    let n = matrix.columns();
    let mixed = !free.is_empty() && free.len() < n;
    let cost = |weight: f64| {
        let mut cost = vec![1.0; n];
        if mixed {
            free.iter().for_each(|&k| cost[k] = weight);
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

/// The solution of the saddle-point system with $\tau = 0$ if it is one and of moderate size.
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
    // Not-a-number compares as false.
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

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}
