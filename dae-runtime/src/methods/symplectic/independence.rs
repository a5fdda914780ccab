//! Whether constraints are about to depend on one another.
//!
//! In: $\ln |\det (G H_{pp} G^{\mathsf T})|$ at the ends of steps. Out: whether the determinant vanishes within the next
//! step.
//!
//! Where a motion passes through a configuration in which a combination of the rows of $G$ vanishes, the square root of
//! the determinant falls to zero linearly in time. Steps of fixed size hardly ever end at such a configuration, and the
//! matrix is regular on either side of it; but the equations do not determine how the motion goes on from there.

/// The determinant over the last step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Independence {
    /// Its logarithm at the end of the last step.
    logarithm: Option<f64>,
    /// The change of its logarithm over the last step, and the length of that.
    change: f64,
    length: f64,
}

impl Independence {
    /// Takes the logarithm at the end of a step.
    pub(super) fn note(&mut self, logarithm: f64, length: f64) {
        self.change = self.logarithm.map_or(0.0, |before| logarithm - before);
        self.length = length;
        self.logarithm = Some(logarithm);
    }

    /// Whether the square root of the determinant, linearly extrapolated, vanishes within a step.
    pub(super) fn ends_within(&self, step: f64) -> bool {
        // It was larger by this factor, less one.
        let fall = (-0.5 * self.change).exp_m1();
        self.length != 0.0 && fall * (step / self.length) >= 1.0
    }
}
