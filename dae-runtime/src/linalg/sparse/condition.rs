//! Estimate of the norm of an inverse that is not formed.
//!
//! In: how to solve with a matrix and with its transpose. Out: a lower bound on $\lVert A^{-1} \rVert_1$ that is rarely
//! off by more than a factor of three (N. J. Higham, *FORTRAN codes for estimating the one-norm of a real or complex
//! matrix*, ACM TOMS 14 (1988) 381–396; *Accuracy and Stability of Numerical Algorithms*, Algorithm 15.1).

/// Steps beyond which no gain is seen in practice.
const MAX_STEPS: usize = 5;

/// Estimates $\lVert A^{-1} \rVert_1$; infinite where a solve overflows.
pub fn inverse_norm(n: usize, solve: impl Fn(&mut [f64]), solve_transposed: impl Fn(&mut [f64])) -> f64 {
    if n == 0 {
        return 0.0;
    }
    let norm = |x: &[f64]| x.iter().map(|x| x.abs()).sum::<f64>();
    let mut x = vec![1.0 / n as f64; n];
    solve(&mut x);
    let mut estimate = norm(&x);
    let mut signs: Vec<f64> = x.iter().map(|x| 1.0_f64.copysign(*x)).collect();
    for _ in 0..MAX_STEPS {
        let mut z = signs.clone();
        solve_transposed(&mut z);
        let largest = (0..n).fold(0, |best, j| if z[j].abs() > z[best].abs() { j } else { best });
        let mut x = vec![0.0; n];
        x[largest] = 1.0;
        solve(&mut x);
        let found = norm(&x);
        let new_signs: Vec<f64> = x.iter().map(|x| 1.0_f64.copysign(*x)).collect();
        // A NaN compares as false.
        let better = found > estimate;
        estimate = estimate.max(found);
        if !better || new_signs == signs {
            break;
        }
        signs = new_signs;
    }
    // Catches matrices whose entries cancel in all of the above.
    let mut x: Vec<f64> =
        (0..n).map(|i| (1.0 + i as f64 / (n.max(2) - 1) as f64) * if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    solve(&mut x);
    let alternating = 2.0 * norm(&x) / (3.0 * n as f64);
    let found = estimate.max(alternating);
    if found.is_finite() && alternating.is_finite() { found } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::matrix::Matrix;

    #[test]
    fn close_to_the_norm_of_the_inverse() {
        for n in [1, 2, 7, 30] {
            let matrix = Matrix::from_fn(n, n, |i, j| {
                ((i * 7 + j * 13 + i * j) % 23) as f64 / 23.0 + if i == j { 0.7 } else { 0.0 }
            });
            let inverse = matrix.inverse().unwrap();
            let exact = inverse.norm_1();
            let apply = |inverse: &Matrix, x: &mut [f64]| {
                let product = inverse.times(&Matrix::from_column_slice(n, 1, x));
                x.copy_from_slice(product.as_slice());
            };
            let transposed = inverse.transpose();
            let estimate = inverse_norm(n, |x| apply(&inverse, x), |x| apply(&transposed, x));
            assert!(estimate <= exact * (1.0 + 1e-12) && estimate > exact / 3.0, "{n}: {estimate} {exact}");
        }
    }
}
