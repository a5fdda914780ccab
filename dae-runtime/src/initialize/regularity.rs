//! Whether the equations determine the highest derivatives at a consistent point.
//!
//! In: the prolongation and jets that fulfil it. Out: the condition number of the system Jacobian (the block of stage
//! 0), or an error that names the equations and unknowns that make it singular. Small matrices are assessed by their
//! inverse or, in doubt, by their singular values; large ones block by block ([`crate::linalg::sparse::regularity`]).

use crate::linalg::matrix::Matrix;

use super::error::InitializationError;
use crate::contract::{Prolongation, ProlongationDescription};
use crate::linalg::rank::{self, Confidence, SingularValues};
use crate::linalg::sparse::{self, Regularity, SparseMatrix};

/// Matrices up to this order are examined as a whole.
const DENSE: usize = 100;

/// If the condition number of a small matrix in the 1-norm is below this, singular values are not computed.
const SURELY_REGULAR: f64 = 1e7;
/// Smaller entries of a null vector are not reported.
const PARTICIPATES: f64 = 0.1;

/// The rows and columns of stage 0.
pub(super) struct LastStage<'a> {
    description: &'a ProlongationDescription,
    rows: Vec<usize>,
    columns: Vec<usize>,
    matrix: SparseMatrix,
}

impl<'a> LastStage<'a> {
    pub(super) fn at(prolongation: &'a dyn Prolongation, t0: f64, jets: &[f64]) -> Self {
        let description = prolongation.prolongation_description();
        let rows = positions(description.equations.iter().map(|equation| equation.stage == 0));
        let columns = positions(description.jets.iter().map(|jet| jet.stage == 0));
        let mut values = vec![0.0; description.jacobian.len()];
        if !rows.is_empty() {
            prolongation.prolonged_jacobian(t0, jets, &mut values);
        }
        let matrix = entries(description, &rows, &columns, &values);
        LastStage { description, rows, columns, matrix }
    }

    /// Whether the matrix is small, and its condition number beyond doubt: then it need not be computed.
    pub(super) fn is_surely_regular(&self) -> bool {
        let is_small = self.matrix.is_square() && self.rows.len() <= DENSE;
        is_small && self.equilibrated().is_condition_within(SURELY_REGULAR)
    }

    /// Condition number of the equilibrated matrix, in the 1-norm or, where it is large, in the 2-norm; or the equations
    /// and unknowns that make the matrix singular.
    pub(super) fn condition(&self) -> Result<f64, InitializationError> {
        let LastStage { description, rows, columns, matrix } = self;
        if rows.is_empty() {
            // Start values that are given outright.
            return Ok(1.0);
        }
        if rows.len().max(columns.len()) > DENSE && matrix.is_square() {
            return large(description, matrix, rows, columns);
        }
        let matrix = self.equilibrated();
        let names = |rank_error| match rank_error {
            rank::RankError::NonFinite { row, column } => InitializationError::NonFiniteDerivative {
                equation: description.equations[rows[row]].name.clone(),
                unknown: description.jets[columns[column]].name.clone(),
            },
            rank::RankError::NoConvergence => {
                InitializationError::SingularJacobian { equations: vec![], unknowns: vec![] }
            }
        };
        if let (true, Some(condition)) = (matrix.is_square(), condition_by_inverse(&matrix))
            && condition < SURELY_REGULAR
        {
            return Ok(condition);
        }
        let decomposition = SingularValues::of(&matrix).map_err(names)?;
        let found = decomposition.rank();
        // A matrix that is merely close to singular gets the benefit of the doubt, and its condition number is reported.
        let singular = found.rank < columns.len() && found.confidence == Confidence::Clear;
        if !singular {
            return Ok(decomposition.condition());
        }
        let left = SingularValues::of(&matrix.transpose()).map_err(names)?.right_vectors_from(found.rank);
        let right = decomposition.right_vectors_from(found.rank);
        let participants =
            |vectors: &Matrix| positions((0..vectors.rows()).map(|row| vectors.largest_in_row(row) > PARTICIPATES));
        Err(InitializationError::SingularJacobian {
            equations: participants(&left).iter().map(|&i| description.equations[rows[i]].name.clone()).collect(),
            unknowns: participants(&right).iter().map(|&j| description.jets[columns[j]].name.clone()).collect(),
        })
    }

    fn equilibrated(&self) -> Matrix {
        let mut matrix = self.matrix.to_dense();
        rank::equilibrate(&mut matrix);
        matrix
    }
}

/// $\lVert A \rVert_1 \lVert A^{-1} \rVert_1$; `None` if a pivot vanishes or the computation overflows.
fn condition_by_inverse(matrix: &Matrix) -> Option<f64> {
    let condition = matrix.norm_1() * matrix.inverse()?.norm_1();
    condition.is_finite().then_some(if matrix.is_empty() { 1.0 } else { condition })
}

/// The entries in these rows and columns.
fn entries(description: &ProlongationDescription, rows: &[usize], columns: &[usize], values: &[f64]) -> SparseMatrix {
    let mut place = vec![None; description.jets.len()];
    for (k, &column) in columns.iter().enumerate() {
        place[column] = Some(k);
    }
    let entries = rows.iter().enumerate().flat_map(|(i, &row)| {
        let place = &place;
        description.jacobian.row(row).filter_map(move |(j, position)| Some((i, place[j]?, values[position])))
    });
    SparseMatrix::from_entries(rows.len(), columns.len(), entries)
}

fn large(
    description: &ProlongationDescription,
    matrix: &SparseMatrix,
    rows: &[usize],
    columns: &[usize],
) -> Result<f64, InitializationError> {
    let equation = |i: usize| description.equations[rows[i]].name.clone();
    if let Some((row, column, _)) = matrix.entries().find(|(.., value)| !value.is_finite()) {
        let unknown = description.jets[columns[column]].name.clone();
        return Err(InitializationError::NonFiniteDerivative { equation: equation(row), unknown });
    }
    match sparse::regularity(matrix) {
        Regularity::Regular { condition, .. } => Ok(condition),
        Regularity::Singular { rows, columns: undetermined } => Err(InitializationError::SingularJacobian {
            equations: rows.into_iter().map(equation).collect(),
            unknowns: undetermined.into_iter().map(|j| description.jets[columns[j]].name.clone()).collect(),
        }),
        Regularity::NotDecided { order, row } => {
            Err(InitializationError::TooLarge { equation: equation(row), equations: order })
        }
    }
}

fn positions(chosen: impl Iterator<Item = bool>) -> Vec<usize> {
    chosen.enumerate().filter(|&(_, chosen)| chosen).map(|(position, _)| position).collect()
}
