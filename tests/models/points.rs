//! Random points near the consistent initial values of a model, where all its expressions are defined.

use dae::Dae;
use dae::runtime::initialize::{InitializationOptions, consistent_initialization};

/// SplitMix64 (Steele, Lea & Flood, *Fast splittable pseudorandom number generators*, 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Uniform in $[-1, 1)$.
    pub(crate) fn symmetric(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn near(&mut self, centre: &[f64], radius: f64) -> Vec<f64> {
        centre.iter().map(|c| c + radius * self.symmetric()).collect()
    }
}

/// Arguments of the contract's functions.
pub(crate) struct Point {
    pub(crate) t: f64,
    pub(crate) y: Vec<f64>,
    pub(crate) yp: Vec<f64>,
    pub(crate) jets: Vec<f64>,
}

/// Points around the initial values of the model.
pub(crate) fn points(form: &dyn Dae, count: usize) -> Vec<Point> {
    let n = form.description().unknowns.len();
    let options = InitializationOptions::default();
    let initial = consistent_initialization(form.prolongation(), 0.0, &options).unwrap().jets;
    let (mut y, mut yp) = (vec![0.0; n], vec![0.0; n]);
    form.states_from_jets(0.0, &initial, &mut y, &mut yp);
    let mut random = Random(1);
    let mut point = || Point {
        t: 0.01 * random.symmetric(),
        y: random.near(&y, 0.05),
        yp: random.near(&yp, 0.5),
        jets: random.near(&initial, 0.05),
    };
    (0..count).map(|_| point()).collect()
}
