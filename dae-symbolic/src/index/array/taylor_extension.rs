//! Higher derivatives at a consistent point, one order after the other.
//!
//! In: a system whose Jacobian $J$ is regular at a consistent point, its offsets, and its jets there: $x_j^{(k)}$ with
//! $k \le d_j + s_0$. Out: further derivatives, up to the orders wanted. The equations $f_i^{(c_i + s)} = 0$ contain
//! the $x_j^{(d_j + s)}$, $s \ge 1$, linearly, with the matrix $J$ (Pryce, *A simple structural analysis method for
//! DAEs*, BIT 41, 2001, eq. (3.7)): no search is needed, and nothing can go astray.

use nalgebra::{DMatrix, DVector};

use super::derivative_array::DerivativeArray;
use super::point::ArrayPoint;
use super::taylor;
use crate::expr::Expr;
use crate::index::limits;
use crate::model::Model;
use crate::structure::Offsets;
use crate::system::{System, written_orders};

/// Adds the Taylor coefficients of $x_j^{(d_j + s)}$ for $s$ up to `stages` where they are missing; stops where they
/// cannot be found.
pub(crate) fn continued(
    model: &mut Model,
    system: &System,
    offsets: &Offsets,
    parameters: &[f64],
    mut point: ArrayPoint,
    stages: u32,
    limits: &limits::Array,
) -> ArrayPoint {
    let n = system.unknowns;
    let known = |point: &ArrayPoint, s: u32| {
        point.taylor.iter().zip(&offsets.unknowns).all(|(series, &d)| series.len() > (d + s) as usize)
    };
    let Some(first) = (0..=stages).find(|&s| !known(&point, s)) else { return point };
    if n > limits.extended_unknowns || system.equations.len() != n || first == 0 {
        return point;
    }
    let residuals: Vec<Expr> = system.equations.iter().map(|e| e.residual).collect();
    let residuals = model.expand_inputs(&residuals);
    let highest = offsets.equations.iter().max().copied().unwrap_or(0) + stages;
    let rates = written_orders(model);
    let array = DerivativeArray::of_equations(&mut model.dag, residuals, rates, highest, limits);
    let Some(array) = array else { return point };
    for s in first..=stages {
        for (series, &d) in point.taylor.iter_mut().zip(&offsets.unknowns) {
            series.resize((d + s) as usize + 1, 0.0);
        }
        let at = array.at(&model.dag, parameters, &point);
        let row = |i: usize| (offsets.equations[i] + s) as usize;
        let right = DVector::from_fn(n, |i, _| -at.residuals[i][row(i)]);
        let mut matrix = DMatrix::zeros(n, n);
        for (&(i, j, q), series) in array.partials.iter().zip(&at.partials) {
            // The entry of this stage's row at the highest derivative is the coefficient of order zero.
            if let Some(value) = series.first().filter(|_| q + offsets.equations[i] == offsets.unknowns[j]) {
                matrix[(i, j)] += value * taylor::falling::<f64>((offsets.unknowns[j] + s) as usize, q as usize);
            }
        }
        let Some(found) = matrix.full_piv_lu().solve(&right).filter(|x| x.iter().all(|x| x.is_finite())) else { break };
        for ((series, &d), x) in point.taylor.iter_mut().zip(&offsets.unknowns).zip(found.iter()) {
            series[(d + s) as usize] += x;
        }
    }
    point
}
