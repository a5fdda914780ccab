//! Elimination of dense matrices with the diagonal entries as pivots in their natural order, in place of generated
//! code; nothing ensures that these pivots are usable.

use dae_runtime::contract::{Code, UnrolledLu};
use dae_runtime::iteration_matrix::Scalar;

static PIVOTS: [(usize, usize); super::MAX] = {
    let mut pivots = [(0, 0); super::MAX];
    let mut k = 0;
    while k < pivots.len() {
        pivots[k] = (k, k);
        k += 1;
    }
    pivots
};

/// The elimination for systems of `n` unknowns.
pub fn natural_order(n: usize) -> UnrolledLu {
    UnrolledLu {
        pivots: &PIVOTS[..n],
        lengths: [n * n, lower_start(n), lower_start(n)],
        real: Code { factorize, solve },
        complex: Code { factorize, solve },
    }
}

/// Where row `k` starts in $L$, which is stored by rows without its diagonal.
fn lower_start(k: usize) -> usize {
    k * k.saturating_sub(1) / 2
}

/// Where row `k` starts in $U$, which is stored by rows without its diagonal.
fn upper_start(n: usize, k: usize) -> usize {
    lower_start(n) - lower_start(n - k)
}

fn factorize<S: Scalar>(values: &[S], lower: &mut [S], upper: &mut [S], inverse: &mut [S]) {
    let n = inverse.len();
    for k in 0..n {
        let mut row = values[n * k..n * (k + 1)].to_vec();
        for j in 0..k {
            let multiplier = row[j] * inverse[j];
            lower[lower_start(k) + j] = multiplier;
            for i in j + 1..n {
                row[i] -= multiplier * upper[upper_start(n, j) + i - j - 1];
            }
        }
        inverse[k] = row[k].recip();
        upper[upper_start(n, k)..upper_start(n, k + 1)].copy_from_slice(&row[k + 1..]);
    }
}

fn solve<S: Scalar>(lower: &[S], upper: &[S], inverse: &[S], x: &mut [S]) {
    let n = inverse.len();
    for k in 0..n {
        for j in 0..k {
            let known = x[j];
            x[k] -= lower[lower_start(k) + j] * known;
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            let known = x[j];
            x[k] -= upper[upper_start(n, k) + j - k - 1] * known;
        }
        x[k] *= inverse[k];
    }
}
