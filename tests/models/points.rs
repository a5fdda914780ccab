//! Random points near the consistent initial values of a model, where all its expressions are defined.

use dae::Dae;
use dae::runtime::initialize::{InitializationOptions, consistent_initialization};
use fastrand::Rng;

/// Uniform in $[-1, 1)$.
pub(crate) fn symmetric(random: &mut Rng) -> f64 {
    2.0 * random.f64() - 1.0
}

pub(crate) fn near(random: &mut Rng, centre: &[f64], radius: f64) -> Vec<f64> {
    centre.iter().map(|c| c + radius * symmetric(random)).collect()
}

/// Arguments for the functions of the contract.
pub(crate) struct Point {
    pub(crate) t: f64,
    pub(crate) y: Vec<f64>,
    pub(crate) yp: Vec<f64>,
    pub(crate) jets: Vec<f64>,
}

/// Random points around the consistent initial values of the model.
pub(crate) fn points(form: &dyn Dae, count: usize) -> Vec<Point> {
    let n = form.description().unknowns.len();
    let options = InitializationOptions::default();
    let initial = consistent_initialization(form.prolongation(), 0.0, &options).unwrap().jets;
    let (mut y, mut yp) = (vec![0.0; n], vec![0.0; n]);
    form.states_from_jets(0.0, &initial, &mut y, &mut yp);
    let mut random = Rng::with_seed(1);
    let mut point = || Point {
        t: 0.01 * symmetric(&mut random),
        y: near(&mut random, &y, 0.05),
        yp: near(&mut random, &yp, 0.5),
        jets: near(&mut random, &initial, 0.05),
    };
    (0..count).map(|_| point()).collect()
}
