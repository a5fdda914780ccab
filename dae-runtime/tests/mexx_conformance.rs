//! MEXX passes the suite of all integrators, as far as it concerns non-stiff systems in Hessenberg form.

mod conformance;
mod problems;

use conformance::Promise;
use dae_runtime::Method;

const PROMISE: Promise =
    Promise { ggl: 8.0, transistor_amplifier: 0.0, error_per_tolerance: 100.0, dense_output: (Some(3), 32, 3.0) };

conforms!(half_explicit Method::Mexx, PROMISE);
conforms!(Method::Mexx, PROMISE; error_is_proportional_to_tolerance);
