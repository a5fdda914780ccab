//! Orthogonal decompositions $Q R$ by Householder's reflections.
//!
//! In: a matrix, column by column. Out: $R$ and the reflections in its place, and products with $Q$ and $Q^\top$ (Golub &
//! Van Loan, *Matrix Computations*, algorithms 5.1.1 and 5.2.1).

use crate::linalg::vector::{add, dot, norm};

/// Reduces as many columns of a matrix with `rows` rows as there are `factors` to triangular form, by reflections
/// $I - f\, d d^\top$ with $d = (1, \dots)$, and applies these to the other columns. The directions $d$ are left below the
/// diagonal.
pub(super) fn triangularize(rows: usize, matrix: &mut [f64], factors: &mut [f64]) {
    for (k, factor) in factors.iter_mut().enumerate() {
        let (done, rest) = matrix.split_at_mut((k + 1) * rows);
        let column = &mut done[k * rows + k..];
        let size = norm(column);
        let pivot = if column[0] > 0.0 { -size } else { size };
        let head = column[0] - pivot;
        column[0] = pivot;
        if size == 0.0 {
            continue;
        }
        column[1..].iter_mut().for_each(|entry| *entry /= head);
        *factor = -head / pivot;
        for other in rest.chunks_exact_mut(rows) {
            reflect_one(*factor, &column[1..], &mut other[k..]);
        }
    }
}

/// Applies $Q^\top$ to a vector.
pub(super) fn reflect(matrix: &[f64], factors: &[f64], vector: &mut [f64]) {
    for (k, (&factor, column)) in factors.iter().zip(matrix.chunks_exact(vector.len().max(1))).enumerate() {
        reflect_one(factor, &column[k + 1..], &mut vector[k..]);
    }
}

/// Applies $Q$ to a vector.
pub(super) fn reflect_back(matrix: &[f64], factors: &[f64], vector: &mut [f64]) {
    for (k, (&factor, column)) in factors.iter().zip(matrix.chunks_exact(vector.len().max(1))).enumerate().rev() {
        reflect_one(factor, &column[k + 1..], &mut vector[k..]);
    }
}

/// Applies the reflection with this factor, and this direction after its first entry.
fn reflect_one(factor: f64, direction: &[f64], vector: &mut [f64]) {
    let (first, others) = vector.split_at_mut(1);
    let multiple = factor * (first[0] + dot(direction, others));
    first[0] -= multiple;
    add(-multiple, direction, others);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::matrix::Matrix;

    #[test]
    fn one_transformation_undoes_the_other() {
        let mut matrix = Matrix::from_fn(5, 3, |i, j| ((3 * i + 7 * j) % 5) as f64 - 1.5);
        let original = matrix.clone();
        let mut factors = [0.0; 3];
        triangularize(5, matrix.as_mut_slice(), &mut factors);
        for j in 0..3 {
            let mut column = original.column(j).to_vec();
            reflect(matrix.as_slice(), &factors, &mut column);
            assert!((0..5).all(|i| (column[i] - if i <= j { matrix[(i, j)] } else { 0.0 }).abs() < 1e-14));
            reflect_back(matrix.as_slice(), &factors, &mut column);
            assert!(column.iter().zip(original.column(j)).all(|(a, b)| (a - b).abs() < 1e-14));
        }
    }
}
