//! Jacobians at one point.
//!
//! In: a formulation, time, state and derivative. Out: values of $F_y$ and $F_{y'}$ on their patterns, and the
//! magnitudes of auxiliary unknowns.

use super::equilibration::power_of_two;
use crate::contract::{Dae, Description};

/// Values of $F_y$ and $F_{y'}$ at one point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jacobians {
    /// Values of $F_y$ on its pattern.
    pub(crate) y: Vec<f64>,
    /// Values of $F_{y'}$ on its pattern.
    pub(crate) yp: Vec<f64>,
    /// Magnitudes of the auxiliary unknowns, rounded down to powers of two; one for other unknowns.
    pub(super) magnitudes: Vec<f64>,
}

impl Jacobians {
    /// Room for the Jacobians of a formulation.
    pub(crate) fn new(description: &Description) -> Self {
        Jacobians {
            y: vec![0.0; description.jacobian_y.len()],
            yp: vec![0.0; description.jacobian_yp.len()],
            magnitudes: vec![1.0; description.unknowns.len()],
        }
    }

    /// Evaluates both Jacobians and, for auxiliary unknowns, the magnitudes.
    pub(crate) fn evaluate(&mut self, dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64]) {
        dae.jacobian_y(t, y, yp, &mut self.y);
        dae.jacobian_yp(t, y, yp, &mut self.yp);
        for ((magnitude, y), unknown) in self.magnitudes.iter_mut().zip(y).zip(dae.description().unknowns.iter()) {
            if unknown.kind.is_auxiliary() {
                // `max` ignores a value that is NaN.
                *magnitude = power_of_two(unknown.nominal.abs().max(y.abs()).min(f64::MAX));
            }
        }
    }

    /// Takes over the values of others of the same formulation, without allocation.
    pub(crate) fn copy_from(&mut self, other: &Jacobians) {
        self.y.copy_from_slice(&other.y);
        self.yp.copy_from_slice(&other.yp);
        self.magnitudes.copy_from_slice(&other.magnitudes);
    }

    /// Whether all values of both Jacobians are finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.y.iter().chain(&self.yp).all(|x| x.is_finite())
    }

    /// Row and column of each entry that is not finite, row by row, those of $F_y$ first in each row.
    pub(crate) fn non_finite(&self, description: &Description) -> impl Iterator<Item = (usize, usize)> {
        let of_row = |row: usize| {
            let y = description.jacobian_y.row(row).map(|(column, place)| (column, self.y[place]));
            let yp = description.jacobian_yp.row(row).map(|(column, place)| (column, self.yp[place]));
            y.chain(yp).map(move |(column, value)| (row, column, value))
        };
        let entries = (0..description.equations.len()).flat_map(of_row);
        entries.filter(|(_, _, value)| !value.is_finite()).map(|(row, column, _)| (row, column))
    }
}
