//! Transistor amplifier, index 1: every unknown occurs differentiated, yet the leading matrix has rank 5 of 8.
//!
//! Source: Bari/CWI "Test Set for IVP Solvers" (Mazzia & Magherini), problem `transamp`.

use super::{Model, Problem, Scalar};
use dae_runtime::contract::{Kind::Differential, Leading};

/// Node voltages `y1` to `y8`.
pub struct TransistorAmplifier;

impl Model for TransistorAmplifier {
    fn residual<S: Scalar>(&self, t: S, y: &[S], yp: &[S], out: &mut [S]) {
        let (ub, alpha, r0, r) = (6.0, 0.99, 1.0 / 1000.0, 1.0 / 9000.0);
        let ue = (t * (200.0 * std::f64::consts::PI)).sin() * 0.1;
        let transistor = |u: S| ((u * (1.0 / 0.026)).exp() - 1.0) * 1e-6;
        let (h1, h2) = (transistor(y[1] - y[2]), transistor(y[4] - y[5]));
        let current = |i: usize, k: usize| (yp[i] - yp[k]) * 1e-6;
        out[0] = current(1, 0) - (y[0] - ue) * r0;
        out[1] = current(0, 1) - (y[1] * 2.0 - ub) * r - h1 * (1.0 - alpha);
        out[2] = -yp[2] * 2e-6 - y[2] * r + h1;
        out[3] = current(4, 3) * 3.0 - (y[3] - ub) * r - h1 * alpha;
        out[4] = current(3, 4) * 3.0 - (y[4] * 2.0 - ub) * r - h2 * (1.0 - alpha);
        out[5] = -yp[5] * 4e-6 - y[5] * r + h2;
        out[6] = current(7, 6) * 5.0 - (y[6] - ub) * r - h2 * alpha;
        out[7] = current(6, 7) * 5.0 - y[7] * r;
    }
}

/// The amplifier with consistent start values.
pub fn transistor_amplifier() -> Problem<TransistorAmplifier> {
    let names = ["y1", "y2", "y3", "y4", "y5", "y6", "y7", "y8"];
    let (c2, c4) = (-3.0 / (2e-6 * 9000.0), -3.0 / (4e-6 * 9000.0));
    Problem::new(
        "transistor amplifier",
        TransistorAmplifier,
        &names.map(|name| (name, Differential, 1)),
        &[],
        (Leading::Constant, 5),
        (
            0.0,
            &[0.0, 3.0, 3.0, 6.0, 3.0, 3.0, 6.0, 0.0],
            &[51.338775, 51.338775, c2, -24.9757667, -24.9757667, c4, -10.00564453, -10.00564453],
        ),
    )
}

/// The state at $t = 0.2$ as published with the test set.
pub const REFERENCE: (f64, [f64; 8]) = (
    0.2,
    [
        -0.5562145012262709e-002,
        0.3006522471903042e+001,
        0.2849958788608128e+001,
        0.2926422536206241e+001,
        0.2704617865010554e+001,
        0.2761837778393145e+001,
        0.4770927631616772e+001,
        0.1236995868091548e+001,
    ],
);
