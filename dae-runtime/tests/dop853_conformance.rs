//! DOP853 passes the suite of all integrators, as far as it concerns formulations that are solved for their derivatives.

mod conformance;
mod problems;

use conformance::Promise;
use dae_runtime::Method;

conforms!(
    explicit Method::Dop853,
    Promise { ggl: 0.0, transistor_amplifier: 0.0, error_per_tolerance: 100.0, dense_output: (None, 16, 8.0) }
);
