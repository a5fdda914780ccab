//! Whether a large square matrix is regular, diagonal block by diagonal block.
//!
//! In: a sparse matrix. Out: a [`Regularity`]. After equilibration the matrix is brought to block-triangular form: it
//! is regular exactly when every diagonal block is, whatever stands beside them, and blocks are small in most models. A
//! block is clearly regular when the estimate of its condition number is small; otherwise its singular values decide,
//! all of them for a block of moderate order, the smallest few by inverse iteration (Golub & Van Loan, *Matrix
//! Computations*, Sect. 8.2.2) for a larger one. Their scale is that of the whole matrix, whose largest entries are 1,
//! so that a block of rounding errors is not taken to be regular.

use crate::linalg::matrix::Matrix;

use super::error::FactorError;
use super::factors::Factors;
use super::{SparseMatrix, inverse_norm};
use crate::linalg::rank::{Confidence, SingularValues};
use crate::linalg::structure::{Block, Incidence, Matching, block_triangular_form, dulmage_mendelsohn};
use crate::linalg::vector::{dot, norm};

/// Condition number below which a block is clearly regular.
const SURELY_REGULAR: f64 = 1e10;
/// Blocks up to this order have all their singular values computed when there is doubt.
const DENSE: usize = 200;
/// Size of the largest entries of the equilibrated matrix.
const REFERENCE: f64 = 1.0;
/// Smaller entries of a null vector are not reported.
const PARTICIPATES: f64 = 0.1;
/// Number of smallest singular values of a large block that are examined, and number of steps of the inverse iteration
/// that finds them.
const SMALLEST: usize = 4;
const STEPS: usize = 6;
/// A large block is singular if a singular value is at most this multiple of the rounding unit times its order and
/// norm.
const CLEARLY_ZERO: f64 = 1e3;

/// The verdict on a square matrix.
#[derive(Clone, Debug, PartialEq)]
pub enum Regularity {
    /// It is regular.
    Regular {
        /// Estimated condition number of the equilibrated matrix.
        condition: f64,
        /// The largest condition number of its diagonal blocks, in the scale of the whole matrix.
        worst_block: f64,
    },
    /// It is singular.
    Singular {
        /// Rows that depend on one another.
        rows: Vec<usize>,
        /// Columns that are left undetermined.
        columns: Vec<usize>,
    },
    /// A block is so large, and its entries so scattered, that it was not factorised.
    NotDecided {
        /// Order of the block.
        order: usize,
        /// One row of the block.
        row: usize,
    },
}

/// Examines a square matrix.
pub fn regularity(matrix: &SparseMatrix) -> Regularity {
    let mut matrix = matrix.clone();
    matrix.equilibrate();
    let pattern = matrix.pattern();
    let Some(transversal) = Matching::maximum(&pattern).transversal() else {
        return structurally_singular(&pattern);
    };
    let blocks = block_triangular_form(&pattern, &transversal);
    let mut place = vec![usize::MAX; matrix.columns()];
    let mut factored = Vec::with_capacity(blocks.len());
    let mut worst_block = 1.0_f64;
    for block in blocks {
        for (k, &column) in block.unknowns.iter().enumerate() {
            place[column] = k;
        }
        let order = block.equations.len();
        let diagonal = matrix.part(&block.equations, order, |column| {
            // Columns of other blocks have places too: only those of this block count.
            block.unknowns.get(place[column]).filter(|&&own| own == column).map(|_| place[column])
        });
        match examine(&diagonal) {
            BlockRegularity::Regular(factors, condition) => {
                worst_block = worst_block.max(condition);
                factored.push((block, factors));
            }
            BlockRegularity::Singular { rows, columns } => {
                let named = |own: &[usize], positions: Vec<usize>| {
                    let mut named: Vec<usize> = positions.into_iter().map(|k| own[k]).collect();
                    named.sort_unstable();
                    named
                };
                return Regularity::Singular {
                    rows: named(&block.equations, rows),
                    columns: named(&block.unknowns, columns),
                };
            }
            BlockRegularity::TooLarge => return Regularity::NotDecided { order, row: block.equations[0] },
        }
    }
    let inverse = inverse_norm(
        matrix.rows(),
        |b| substitute(&matrix, &factored, b),
        |b| substitute_transposed(&matrix, &factored, b),
    );
    let condition = if matrix.rows() == 0 { 1.0 } else { matrix.norm() * inverse };
    Regularity::Regular { condition, worst_block }
}

fn structurally_singular(pattern: &Incidence) -> Regularity {
    let parts = dulmage_mendelsohn(pattern);
    Regularity::Singular { rows: parts.overdetermined.equations, columns: parts.underdetermined.unknowns }
}

enum BlockRegularity {
    /// Regular, with its factors and its condition number.
    Regular(Factors, f64),
    Singular {
        rows: Vec<usize>,
        columns: Vec<usize>,
    },
    TooLarge,
}

fn examine(block: &SparseMatrix) -> BlockRegularity {
    let norm = block.norm().max(REFERENCE);
    match Factors::of(block) {
        Ok(factors) => {
            let condition = norm * factors.inverse_norm();
            if condition < SURELY_REGULAR {
                return BlockRegularity::Regular(factors, condition);
            }
            let names = if block.rows() <= DENSE { null_vectors(block) } else { smallest_vectors(block, &factors) };
            match names {
                Some((rows, columns)) => BlockRegularity::Singular { rows, columns },
                // A matrix that is merely close to singular gets the benefit of the doubt, and its condition number is
                // reported.
                None => BlockRegularity::Regular(factors, condition),
            }
        }
        Err(FactorError::TooLarge) => BlockRegularity::TooLarge,
        Err(FactorError::Singular) => {
            let everything = || ((0..block.rows()).collect(), (0..block.columns()).collect());
            let named = if block.rows() <= DENSE { null_vectors(block) } else { perturbed_vectors(block) };
            let (rows, columns) = named.unwrap_or_else(everything);
            BlockRegularity::Singular { rows, columns }
        }
    }
}

/// Rows and columns that take part in the null vectors; `None` unless the matrix is clearly rank-deficient.
fn null_vectors(block: &SparseMatrix) -> Option<(Vec<usize>, Vec<usize>)> {
    let dense = block.to_dense();
    let right = SingularValues::of(&dense).ok()?;
    let found = right.rank_against(REFERENCE);
    if found.rank == dense.columns() || found.confidence != Confidence::Clear {
        return None;
    }
    let left = SingularValues::of(&dense.transpose()).ok()?.right_vectors_from(found.rank);
    let right = right.right_vectors_from(found.rank);
    let participants = |vectors: &Matrix| members((0..vectors.rows()).map(|row| vectors.largest_in_row(row)));
    Some((participants(&left), participants(&right)))
}

/// Rows and columns that take part in the null vectors of a large block, given its factors, by inverse iteration with
/// $A^T A$ on a few vectors at once; `None` if there are no null vectors, or the iteration overflows.
fn smallest_vectors(block: &SparseMatrix, factors: &Factors) -> Option<(Vec<usize>, Vec<usize>)> {
    let n = block.rows();
    let size = SMALLEST.min(n);
    let mut right = start_vectors(n, size);
    let mut left = right.clone();
    for _ in 0..STEPS {
        for (u, v) in left.iter_mut().zip(&right) {
            u.copy_from_slice(v);
            factors.solve_transposed(u);
        }
        orthonormalise(&mut left)?;
        for (v, u) in right.iter_mut().zip(&left) {
            v.copy_from_slice(u);
            factors.solve(v);
        }
        orthonormalise(&mut right)?;
    }
    let zero = CLEARLY_ZERO * n as f64 * f64::EPSILON * REFERENCE.max(block.norm());
    let null_right: Vec<&Vec<f64>> = right.iter().filter(|v| norm(&block.times(v)) <= zero).collect();
    let null_left: Vec<&Vec<f64>> = left.iter().filter(|u| norm(&block.transposed_times(u)) <= zero).collect();
    let participants = |vectors: &[&Vec<f64>]| {
        let largest = vectors.iter().flat_map(|v| v.iter()).fold(0.0_f64, |a, b| a.max(b.abs()));
        members((0..n).map(|i| vectors.iter().map(|v| v[i].abs()).fold(0.0, f64::max) / largest))
    };
    let singular = !null_right.is_empty() && !null_left.is_empty();
    singular.then(|| (participants(&null_left), participants(&null_right)))
}

/// Rows and columns that take part in the null vectors of a large block whose elimination ended at a zero pivot, by
/// inverse iteration with the factors of a nearby matrix: multiples of the rounding unit are added along a transversal.
/// `None` if that fails.
fn perturbed_vectors(block: &SparseMatrix) -> Option<(Vec<usize>, Vec<usize>)> {
    let n = block.rows();
    let shift = n as f64 * f64::EPSILON * REFERENCE;
    let transversal = Matching::maximum(&block.pattern()).transversal()?;
    let diagonal = (0..n).map(|i| (i, transversal.unknown_of(i), shift * (1.0 + (i % 7) as f64 / 7.0)));
    let perturbed = SparseMatrix::from_entries(n, n, block.entries().chain(diagonal));
    smallest_vectors(block, &Factors::of(&perturbed).ok()?)
}

fn members(sizes: impl Iterator<Item = f64>) -> Vec<usize> {
    sizes.enumerate().filter(|&(_, size)| size > PARTICIPATES).map(|(index, _)| index).collect()
}

/// Vectors without structure, the same in every run.
fn start_vectors(n: usize, count: usize) -> Vec<Vec<f64>> {
    let entry = |k: usize, i: usize| ((i + 1) as f64 * (0.618_033_988_749_895 + 0.1 * k as f64)).fract() - 0.5;
    (0..count).map(|k| (0..n).map(|i| entry(k, i)).collect()).collect()
}

/// Gram–Schmidt, twice; `None` where a vector vanishes or overflows.
fn orthonormalise(vectors: &mut [Vec<f64>]) -> Option<()> {
    for k in 0..vectors.len() {
        let (before, rest) = vectors.split_at_mut(k);
        let current = rest.first_mut()?;
        for _ in 0..2 {
            let largest = current.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
            if !(largest > 0.0 && largest.is_finite()) {
                return None;
            }
            current.iter_mut().for_each(|x| *x /= largest);
            for other in before.iter() {
                let share = dot(other, current);
                current.iter_mut().zip(other).for_each(|(x, other)| *x -= share * other);
            }
            let length = norm(current);
            if !(length > 0.0 && length.is_finite()) {
                return None;
            }
            current.iter_mut().for_each(|x| *x /= length);
        }
    }
    Some(())
}

/// $A^{-1} b$: block after block, each with its right-hand side reduced by the earlier ones.
fn substitute(matrix: &SparseMatrix, blocks: &[(Block, Factors)], b: &mut [f64]) {
    let mut x = vec![0.0; b.len()];
    for (block, factors) in blocks {
        // Unknowns of this block and of later ones are still zero.
        let rest = |&i: &usize| b[i] - matrix.row(i).map(|(j, value)| value * x[j]).sum::<f64>();
        let mut local: Vec<f64> = block.equations.iter().map(rest).collect();
        factors.solve(&mut local);
        for (&j, value) in block.unknowns.iter().zip(local) {
            x[j] = value;
        }
    }
    b.copy_from_slice(&x);
}

/// $A^{-T} b$: the blocks in the opposite order, each reducing the right-hand sides of earlier ones.
fn substitute_transposed(matrix: &SparseMatrix, blocks: &[(Block, Factors)], b: &mut [f64]) {
    let mut rest = b.to_vec();
    for (block, factors) in blocks.iter().rev() {
        let mut local: Vec<f64> = block.unknowns.iter().map(|&j| rest[j]).collect();
        factors.solve_transposed(&mut local);
        for (&i, &value) in block.equations.iter().zip(&local) {
            for (j, entry) in matrix.row(i) {
                rest[j] -= entry * value;
            }
            b[i] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `copies` blocks of order 3 with the determinant given, each coupled to the one before.
    fn blocks(copies: usize, determinant: impl Fn(usize) -> f64) -> SparseMatrix {
        let entries = (0..copies).flat_map(|k| {
            let at = 3 * k;
            let mut entries = vec![
                (at, at, 2.0),
                (at, at + 1, 1.0),
                (at + 1, at + 2, 1.0),
                (at + 1, at, 1.0),
                (at + 2, at + 1, 1.0),
                // det = 2 (0 a - 1) - 1 (1 a - 0) = -2 - a.
                (at + 2, at + 2, -2.0 - determinant(k)),
            ];
            if k > 0 {
                entries.extend([(at, at - 1, 3.0), (at + 1, at - 2, -1.0)]);
            }
            entries
        });
        SparseMatrix::from_entries(3 * copies, 3 * copies, entries)
    }

    #[test]
    fn the_condition_is_that_of_the_whole() {
        let matrix = blocks(8, |k| 1.0 + k as f64 / 4.0);
        let Regularity::Regular { condition, worst_block } = regularity(&matrix) else { panic!() };
        let mut scaled = matrix.to_dense();
        crate::linalg::rank::equilibrate(&mut scaled);
        let exact = scaled.norm_1() * scaled.inverse().unwrap().norm_1();
        assert!(condition <= exact * (1.0 + 1e-12) && condition > exact / 3.0, "{condition} {exact}");
        assert!(worst_block <= exact);
    }

    #[test]
    fn a_singular_block_is_named_alone() {
        let Regularity::Singular { rows, columns } = regularity(&blocks(500, |k| if k == 77 { 0.0 } else { 1.0 }))
        else {
            panic!()
        };
        assert_eq!((rows, columns), (vec![231, 232, 233], vec![231, 232, 233]));
    }

    #[test]
    fn long_sequences_are_regular_however_fast_they_grow() {
        let n = 3000;
        let growing = (0..n).flat_map(|i| [Some((i, i, 1.0)), (i > 0).then(|| (i, i - 1, -3.0))].into_iter().flatten());
        let found = regularity(&SparseMatrix::from_entries(n, n, growing));
        assert!(matches!(found, Regularity::Regular { worst_block, .. } if worst_block < 10.0), "{found:?}");
    }

    /// A ring of `n` second differences, singular because constants are in its null space; `shift` makes it regular.
    fn ring(n: usize, shift: f64) -> SparseMatrix {
        let entries = (0..n).flat_map(|i| [(i, i, 2.0 + shift), (i, (i + 1) % n, -1.0), (i, (i + n - 1) % n, -1.0)]);
        SparseMatrix::from_entries(n, n, entries)
    }

    #[test]
    fn a_large_singular_block_is_seen() {
        let n = 1000;
        assert!(matches!(regularity(&ring(n, 1e-3)), Regularity::Regular { .. }));
        let Regularity::Singular { rows, columns } = regularity(&ring(n, 0.0)) else { panic!() };
        assert_eq!((rows.len(), columns.len()), (n, n));
    }

    #[test]
    fn structure_alone_can_be_singular() {
        // Three equations in two unknowns, and an unknown nowhere.
        let matrix = SparseMatrix::from_entries(3, 3, [(0, 0, 1.0), (1, 0, 1.0), (1, 1, 1.0), (2, 1, 1.0)]);
        let expected = Regularity::Singular { rows: vec![0, 1, 2], columns: vec![2] };
        assert_eq!(regularity(&matrix), expected);
    }
}
