//! $A = L U$ of a square sparse matrix, with row exchanges.
//!
//! In: a [`SparseMatrix`]. Out: [`Factors`], with which systems in $A$ and $A^T$ are solved. Small matrices, and
//! without the feature `sparse` all matrices, are eliminated within a band; the others by `faer` (column ordering
//! COLAMD).

use super::SparseMatrix;
use super::band::BandFactors;
use super::error::FactorError;

/// Factors of a square matrix.
#[derive(Clone, Debug)]
pub struct Factors {
    n: usize,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Band(Box<BandFactors>),
    #[cfg(feature = "sparse")]
    General(Box<faer::sparse::linalg::solvers::Lu<usize, f64>>),
}

impl Factors {
    /// Factorises a square matrix.
    pub fn of(matrix: &SparseMatrix) -> Result<Factors, FactorError> {
        let n = matrix.rows();
        if !matrix.is_square() || !matrix.is_finite() {
            return Err(FactorError::Singular);
        }
        Ok(Factors { n, kind: kind(matrix)? })
    }

    /// Number of rows.
    pub fn order(&self) -> usize {
        self.n
    }

    /// Replaces $b$ by $A^{-1} b$.
    pub fn solve(&self, b: &mut [f64]) {
        match &self.kind {
            Kind::Band(factors) => factors.solve(b),
            #[cfg(feature = "sparse")]
            Kind::General(factors) => general::solve(factors, b),
        }
    }

    /// Replaces $b$ by $A^{-T} b$.
    pub fn solve_transposed(&self, b: &mut [f64]) {
        match &self.kind {
            Kind::Band(factors) => factors.solve_transposed(b),
            #[cfg(feature = "sparse")]
            Kind::General(factors) => general::solve_transposed(factors, b),
        }
    }

    /// An estimate of $\lVert A^{-1} \rVert_1$.
    pub fn inverse_norm(&self) -> f64 {
        super::condition::inverse_norm(self.n, |b| self.solve(b), |b| self.solve_transposed(b))
    }
}

#[cfg(not(feature = "sparse"))]
fn kind(matrix: &SparseMatrix) -> Result<Kind, FactorError> {
    Ok(Kind::Band(Box::new(BandFactors::of(matrix)?)))
}

#[cfg(feature = "sparse")]
fn kind(matrix: &SparseMatrix) -> Result<Kind, FactorError> {
    /// Matrices up to this order are eliminated within a band, even if it is full.
    const SMALL: usize = 64;
    match matrix.rows() <= SMALL {
        true => Ok(Kind::Band(Box::new(BandFactors::of(matrix)?))),
        false => Ok(Kind::General(Box::new(general::factors(matrix)?))),
    }
}

#[cfg(feature = "sparse")]
mod general {
    //! The interface to `faer`.

    use faer::MatMut;
    use faer::linalg::solvers::SolveCore;
    use faer::sparse::linalg::solvers::Lu;
    use faer::sparse::{SparseColMat, Triplet};

    use super::{FactorError, SparseMatrix};

    pub(super) fn factors(matrix: &SparseMatrix) -> Result<Lu<usize, f64>, FactorError> {
        let n = matrix.rows();
        let entries: Vec<Triplet<usize, usize, f64>> =
            matrix.entries().map(|(i, j, value)| Triplet::new(i, j, value)).collect();
        let columns =
            SparseColMat::<usize, f64>::try_new_from_triplets(n, n, &entries).map_err(|_| FactorError::TooLarge)?;
        columns.sp_lu().map_err(|error| match error {
            faer::sparse::linalg::LuError::SymbolicSingular { .. } => FactorError::Singular,
            faer::sparse::linalg::LuError::Generic(_) => FactorError::TooLarge,
        })
    }

    pub(super) fn solve(factors: &Lu<usize, f64>, b: &mut [f64]) {
        let n = b.len();
        factors.solve_in_place_with_conj(faer::Conj::No, MatMut::from_column_major_slice_mut(b, n, 1));
    }

    pub(super) fn solve_transposed(factors: &Lu<usize, f64>, b: &mut [f64]) {
        let n = b.len();
        factors.solve_transpose_in_place_with_conj(faer::Conj::No, MatMut::from_column_major_slice_mut(b, n, 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ladder of 200 rungs with a few long-range entries.
    fn ladder() -> SparseMatrix {
        let n = 400;
        let entries = (0..n).flat_map(|i| {
            let value = move |j: usize| ((3 * i + 7 * j) % 11) as f64 - 5.3;
            [i.saturating_sub(2), i.saturating_sub(1), (i + 2).min(n - 1)].into_iter().map(move |j| (i, j, value(j)))
        });
        SparseMatrix::from_entries(n, n, entries)
    }

    #[test]
    fn solutions_and_transposed_solutions() {
        let matrix = ladder();
        let factors = Factors::of(&matrix).unwrap();
        let x: Vec<f64> = (0..factors.order()).map(|i| (i as f64).sin()).collect();
        let off = |b: &[f64]| b.iter().zip(&x).map(|(b, x)| (b - x).abs()).fold(0.0, f64::max);
        let tolerance = 1e-14 * factors.inverse_norm() * matrix.norm();
        let mut b = matrix.times(&x);
        factors.solve(&mut b);
        assert!(off(&b) < tolerance, "{}", off(&b));
        let mut b = matrix.transposed_times(&x);
        factors.solve_transposed(&mut b);
        assert!(off(&b) < tolerance, "{}", off(&b));
    }

    #[test]
    fn a_column_of_zeros_has_no_factors() {
        let matrix = SparseMatrix::from_entries(100, 100, (0..99).flat_map(|i| [(i, i, 1.0), (i + 1, i, 1.0)]));
        let solved = Factors::of(&matrix).map(|factors| {
            let mut b = vec![1.0; 100];
            factors.solve(&mut b);
            b.iter().all(|b| b.is_finite())
        });
        assert_ne!(solved, Ok(true));
    }
}
