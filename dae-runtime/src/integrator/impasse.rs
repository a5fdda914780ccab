//! Detection of a run that creeps along where there is no solution.
//!
//! In: derivatives at accepted steps. Out: whether to give up.
//!
//! The error of an unknown of index $k \ge 2$ is tested with a factor $h^{k-1}$. Where such a system loses its solution
//! (at an impasse, where $g_y f_z$ becomes singular), steps become so short that this test, and that of states which
//! move by less than their tolerance, says nothing: multipliers become arbitrary, derivatives jump from step to step,
//! and the integration creeps along. On a resolved solution this does not happen, and at a jump of a multiplier (a kink
//! of the data) only for a few steps.

use crate::contract::{Description, Kind};
use crate::integrator::error_weights::Weights;

/// Smaller changes of $h y'$ between two steps, in units of the tolerances, are rounding errors of a solution at rest.
const ROUNDING: f64 = 1e-4;
/// States that change by more than this many tolerances in a step are in motion.
const MOTION: f64 = 10.0;
/// Steps are short if they are shorter than this fraction of the longest.
const SHORT: f64 = 1e-3;
/// The run is given up when suspicious steps outnumber ordinary ones by more than this.
const PATIENCE: u32 = 50;

/// Counts suspicious steps.
#[derive(Clone, Debug)]
pub(crate) struct Impasse {
    /// States whose derivatives are watched; empty if no unknown has index 2 or more.
    states: Vec<usize>,
    suspicion: u32,
    longest: f64,
}

impl Impasse {
    pub(crate) fn new(description: &Description) -> Self {
        let higher_index = description.unknowns.iter().any(|unknown| unknown.index > 1);
        let states = description.unknowns.iter().enumerate();
        let states = states.filter(|(_, u)| higher_index && u.kind == Kind::Differential && u.index == 1);
        Impasse { states: states.map(|(i, _)| i).collect(), suspicion: 0, longest: 0.0 }
    }

    /// Examines an accepted step of length `h` with the derivatives `before` and `after` it.
    pub(crate) fn watch(&mut self, weights: &Weights, h: f64, before: &[f64], after: &[f64]) {
        let (mut old, mut new, mut change) = (0.0, 0.0, 0.0);
        for &i in &self.states {
            let w = weights.as_slice()[i];
            old += (w * before[i]).powi(2);
            new += (w * after[i]).powi(2);
            change += (w * (after[i] - before[i])).powi(2);
        }
        let (old, new, change) = (f64::sqrt(old), f64::sqrt(new), f64::sqrt(change));
        self.longest = self.longest.max(h.abs());
        let short = h.abs() < SHORT * self.longest;
        let h = h.abs() / (self.states.len().max(1) as f64).sqrt();
        let rests = h * old.max(new) < MOTION && h * change > ROUNDING;
        let turns = change > 0.5 * (old + new);
        if !(short && rests) {
            self.suspicion = self.suspicion.saturating_sub(1);
        } else if turns {
            self.suspicion += 1;
        }
    }

    /// Whether to give up.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.suspicion > PATIENCE
    }
}
