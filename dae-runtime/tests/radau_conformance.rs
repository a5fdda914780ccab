//! Radau IIA of variable order passes the suite of all integrators.

mod conformance;
mod problems;

use conformance::Promise;
use dae_runtime::Method;

conforms!(
    Method::Radau,
    Promise { ggl: 8.0, transistor_amplifier: 6.0, error_per_tolerance: 20.0, dense_output: (Some(9), 8, 6.0) }
);
