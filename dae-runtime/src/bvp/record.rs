//! A record of states with polynomials between them.
//!
//! In: times, and the state at any place between two of them. Out: a [`Solution`].

use std::f64::consts::PI;

use crate::contract::Dae;
use crate::integrator::stepper::Projection;
use crate::linalg::matrix::{Factors, Matrix};
use crate::solution::Solution;

/// Polynomials through the states at places of an interval that include its ends, as fractions: the extrema of Chebyshev's
/// polynomial of the same degree.
pub(super) struct Interpolation {
    places: Vec<f64>,
    /// Factors of the matrix of the powers of $s = \theta - 1$ at the places.
    powers: Option<Factors>,
}

impl Interpolation {
    pub(super) fn of_degree(degree: usize) -> Interpolation {
        let places: Vec<f64> = (0..=degree).map(|k| 0.5 * (1.0 - (PI * k as f64 / degree as f64).cos())).collect();
        let powers = Matrix::from_fn(degree + 1, degree + 1, |i, k| (places[i] - 1.0).powi(k as i32));
        Interpolation { powers: powers.factors(), places }
    }

    /// The places.
    pub(super) fn places(&self) -> &[f64] {
        &self.places
    }

    /// The record at these times, from the state and its derivative at the `j`-th place of the `i`-th interval.
    pub(super) fn record(
        &self,
        dae: &dyn Dae,
        t: &[f64],
        mut state_at: impl FnMut(usize, usize) -> (Vec<f64>, Vec<f64>),
    ) -> Solution {
        let degree = self.places.len() - 1;
        let (mut left, slope) = state_at(0, 0);
        let n = left.len();
        let mut solution = Solution::new(dae, t[0], &left, &slope, &Projection::Off.levels());
        let mut residuals = vec![0.0; dae.description().invariants.len()];
        let mut note = |solution: &mut Solution, t: f64, y: &[f64]| {
            dae.invariants(t, y, &mut residuals);
            solution.note_invariants(&residuals);
        };
        solution.push(t[0], &left);
        note(&mut solution, t[0], &left);
        for (i, &end) in t[1..].iter().enumerate() {
            let (right, slope) = state_at(i, degree);
            let mut values: Vec<Vec<f64>> = vec![left];
            values.extend((1..degree).map(|j| state_at(i, j).0));
            values.push(right.clone());
            solution.push(end, &right);
            solution.begin_polynomials();
            if let Some(powers) = &self.powers {
                let mut coefficients = vec![0.0; (degree + 1) * n];
                for k in 0..n {
                    let mut column: Vec<f64> = values.iter().map(|values| values[k]).collect();
                    powers.solve(&mut column);
                    column.iter().enumerate().for_each(|(power, value)| coefficients[power * n + k] = *value);
                }
                solution.push_polynomial([-1.0, 0.0], &coefficients);
            }
            solution.end_at(end, &right, &slope);
            note(&mut solution, end, &right);
            left = right;
        }
        solution
    }
}
