//! BDF passes the suite of all integrators.

mod conformance;
mod problems;

use conformance::Promise;
use dae_runtime::Method;

conforms!(
    Method::Bdf,
    Promise { ggl: 7.0, transistor_amplifier: 5.0, error_per_tolerance: 100.0, dense_output: (Some(3), 32, 3.0) }
);
