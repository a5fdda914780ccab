//! LIMEX passes the suite of all integrators, as far as it concerns systems of index 1.

mod conformance;
mod problems;

use conformance::Promise;
use dae_runtime::Method;

conforms!(
    index_1 Method::Limex,
    Promise { ggl: 0.0, transistor_amplifier: 5.0, error_per_tolerance: 100.0, dense_output: (Some(3), 32, 3.0) }
);
