//! A point at which the derivative array is evaluated.
//!
//! In: start values, the jets of a prolongation, or another point. Out: an [`ArrayPoint`], Taylor coefficients of all
//! unknowns at a time.

use crate::expr::prime_field::arithmetic::draw;
use crate::expr::{Symbol, evaluate_one};
use crate::model::Model;
use crate::prolongation::Prolonged;

/// A time and the Taylor coefficients of the unknowns there.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayPoint {
    /// $t$.
    pub t: f64,
    /// $X_{j,k} = x_j^{(k)}/k!$.
    pub taylor: Vec<Vec<f64>>,
}

impl ArrayPoint {
    /// $x_j^{(k)}$, zero beyond the known orders.
    pub fn derivative(&self, unknown: usize, order: usize) -> f64 {
        let factorial: f64 = (1..=order).map(|k| k as f64).product();
        self.taylor[unknown].get(order).map_or(0.0, |x| x * factorial)
    }

    /// The start values of the model, and zero where it gives none.
    pub fn of_start_values(model: &Model, parameters: &[f64], t: f64) -> ArrayPoint {
        let value = |e| {
            evaluate_one(&model.dag, e, |symbol| match symbol {
                Symbol::Parameter(p) => parameters.get(p.index()).copied().unwrap_or(f64::NAN),
                // Guesses of a boundary value problem may be functions of time.
                Symbol::Time => t,
                _ => f64::NAN,
            })
        };
        let families = model.unknowns.iter().map(|unknown| {
            let highest = unknown.derivative_starts.iter().map(|&(order, _)| order).max().unwrap_or(0);
            (0..=highest).map(|k| unknown.start_value(k).map_or(0.0, |s| value(s.value))).collect::<Vec<f64>>()
        });
        ArrayPoint::of_derivatives(t, families.collect())
    }

    /// The jets of a prolongation.
    pub fn of_jets(prolonged: &Prolonged, jets: &[f64], t: f64) -> ArrayPoint {
        let first = &prolonged.first_jet;
        let ends = first.iter().skip(1).copied().chain([jets.len()]);
        let families = first.iter().zip(ends).map(|(&start, end)| jets[start..end].to_vec()).collect();
        ArrayPoint::of_derivatives(t, families)
    }

    /// Derivatives $x_j^{(k)}$ by unknown and order as Taylor coefficients.
    pub fn of_derivatives(t: f64, mut families: Vec<Vec<f64>>) -> ArrayPoint {
        for family in &mut families {
            let mut factorial = 1.0;
            for (k, x) in family.iter_mut().enumerate().skip(1) {
                factorial *= k as f64;
                *x /= factorial;
            }
        }
        ArrayPoint { t, taylor: families }
    }

    /// The Taylor polynomials of all unknowns, expanded at $t + h$.
    pub fn after(&self, h: f64) -> ArrayPoint {
        let shifted = |series: &Vec<f64>| {
            // Horner's scheme, repeated: the coefficients of the polynomials of the time s since the point in powers of
            // (s - h).
            let mut shifted = series.clone();
            for first in 0..shifted.len() {
                for k in (first..shifted.len() - 1).rev() {
                    shifted[k] += h * shifted[k + 1];
                }
            }
            shifted
        };
        ArrayPoint { t: self.t + h, taylor: self.taylor.iter().map(shifted).collect() }
    }

    /// The coefficients of unknown $j$ below the order `orders(j)` changed by `relative` times their size, or the
    /// nominal value if that is larger, times a number between $-1$ and $1$ that depends on `seed`.
    pub fn beside(&self, model: &Model, relative: f64, seed: u64, orders: impl Fn(usize) -> usize) -> ArrayPoint {
        let mut point = self.clone();
        for (j, series) in point.taylor.iter_mut().enumerate() {
            let nominal = model.unknowns[j].nominal;
            for (k, x) in series.iter_mut().enumerate().take(orders(j)) {
                let fraction = draw(seed, &[j as u64, k as u64]) as f64 / (1_u64 << 60) as f64 - 1.0;
                *x += relative * fraction * x.abs().max(nominal);
            }
        }
        point
    }
}
