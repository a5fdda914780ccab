//! Jets that fulfil the derivative array.
//!
//! In: the array and jets to start from. Out: jets at which every row vanishes to rounding, moved as little as possible
//! from the start: by damped steps (`damped_newton.rs`), by undamped ones (`undamped_newton.rs`) where these lead
//! nowhere, and by damped ones from changed start values.
//!
//! The search also corrects points near the model's own (`rank_test.rs`): a second point of the same solution from the
//! Taylor polynomial evaluated a step further, and neighbouring consistent points from random ones.

use dae_runtime::contract::Start;

use super::derivative_array::DerivativeArray;
use super::error::ArrayError;
use super::point::ArrayPoint;
use super::system::{ArraySystem, Consistent};
use super::undamped_newton::undamped_newton;
use crate::model::Model;

/// Relative changes of the start, tried in turn where a derivative happens to vanish at it.
const ELSEWHERE: [f64; 3] = [0.03, 0.2, 1.0];

/// Jets that fulfil the array, from `start`; missing coefficients start at zero.
pub fn consistent_point(
    model: &Model,
    parameters: &[f64],
    array: &DerivativeArray,
    start: &ArrayPoint,
    how: Consistent,
) -> Result<ArrayPoint, ArrayError> {
    let system = ArraySystem::new(model, parameters, array, how);
    let mut from = start.clone();
    for (j, series) in from.taylor.iter_mut().enumerate() {
        series.resize(array.coefficients(j), 0.0);
    }
    let first = match system.search(&from) {
        Ok(point) => return Ok(point),
        Err(error) => error,
    };
    if let Some(point) = undamped_newton(&system, &from) {
        return Ok(point);
    }
    if how == Consistent::Alike {
        return Err(first);
    }
    // A derivative that happens to vanish at the guess (a length at the origin) stops a method that follows
    // derivatives.
    let elsewhere = ELSEWHERE.iter().enumerate().find_map(|(attempt, &size)| {
        let mut beside = from.beside(model, size, attempt as u64, |j| array.rates[j] as usize);
        for (j, series) in beside.taylor.iter_mut().enumerate() {
            for (k, x) in series.iter_mut().enumerate().filter(|&(k, _)| system.kind(j, k) == Start::Fixed) {
                *x = from.taylor[j][k];
            }
        }
        system.search(&beside).ok()
    });
    elsewhere.ok_or(first)
}
