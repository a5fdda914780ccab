//! A fixed value that contradicts the value forced by the equations and all other fixed values.
//!
//! In: a prolongation whose initialisation did not converge. Out: a fixed jet such that, if it is not fixed, there is a
//! consistent point, at which the other fixed values force another value on it; and the equations by which they do so.
//!
//! At a consistent point with the derivative $G_X$ of the prolongation, and $P$ the rows that pick the other fixed
//! jets, jet $j$ is determined where $e_j = G_X^\top w + P^\top v$ has a solution; equations with a share in $w$ take
//! part.

use dae_runtime::contract::Prolongation;
use dae_runtime::matrix::Matrix;
use dae_runtime::rank::SingularValues;

use super::relaxed::{Budget, attempts};
use crate::prolongation::Prolonged;

/// Relative difference beyond which two values count as different.
const DIFFERENT: f64 = 1e-6;
/// Residual up to which the linear system counts as solved.
const SOLVED: f64 = 1e-7;
/// Equations with a smaller share than this, relative to the largest, do not take part.
const SHARE: f64 = 1e-6;

/// A fixed jet that is forced to another value, and the equations that force it (rows of the prolongation).
pub(super) struct Forced {
    pub(super) jet: usize,
    pub(super) rows: Vec<usize>,
}

/// Looks for a fixed jet that is forced to another value, the latest stage first; `None` if none is found within the
/// budget.
pub(super) fn forced(prolonged: &Prolonged, t0: f64, fixed: &[usize], budget: &Budget) -> Option<Forced> {
    let jets = &prolonged.description.jets;
    let mut start = vec![0.0; jets.len()];
    prolonged.start_values(t0, &mut start);
    let mut order: Vec<usize> = fixed.to_vec();
    order.sort_by_key(|&jet| std::cmp::Reverse(jets[jet].stage));
    order.into_iter().find_map(|jet| {
        let others: Vec<usize> = fixed.iter().copied().filter(|&k| k != jet).collect();
        let scale = jets[jet].nominal.max(start[jet].abs());
        let differs = |point: &[f64]| (point[jet] - start[jet]).abs() > DIFFERENT * scale;
        let mut points = attempts(prolonged, t0, &others, budget);
        let point = points.next()?.ok()?.jets;
        let never = differs(&point) && points.flatten().all(|other| differs(&other.jets));
        if !never || budget.is_spent() {
            return None;
        }
        Some(Forced { jet, rows: determined_by(prolonged, t0, &point, &others, jet)? })
    })
}

fn determined_by(prolonged: &Prolonged, t0: f64, point: &[f64], others: &[usize], jet: usize) -> Option<Vec<usize>> {
    let description = &prolonged.description;
    let mut values = vec![0.0; description.jacobian.len()];
    prolonged.prolonged_jacobian(t0, point, &mut values);
    let (rows, columns) = (description.equations.len(), description.jets.len());
    // Transposed: one column for each equation and each other fixed jet.
    let mut matrix = Matrix::zeros(columns, rows + others.len());
    for (row, column, position) in description.jacobian.entries() {
        matrix[(column, row)] = values[position] * description.jets[column].nominal;
    }
    others.iter().enumerate().for_each(|(k, &other)| matrix[(other, rows + k)] = 1.0);
    let mut unit = vec![0.0; columns];
    unit[jet] = 1.0;
    let decomposition = SingularValues::of(&matrix).ok()?;
    let weights = decomposition.least_norm(decomposition.rank().rank, &unit);
    let product = |j: usize| matrix.row(j).zip(&weights).map(|(a, w)| a * w).sum::<f64>();
    if (0..columns).any(|j| (product(j) - unit[j]).abs() > SOLVED) {
        return None;
    }
    let largest = weights[..rows].iter().fold(0.0_f64, |size, w| size.max(w.abs()));
    Some((0..rows).filter(|&row| weights[row].abs() > SHARE * largest).collect())
}
