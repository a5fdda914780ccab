//! The example `ascher_petzold` against the same computations in 40-digit arithmetic.

use std::collections::BTreeMap;

#[allow(dead_code)]
#[path = "../examples/ascher_petzold.rs"]
mod example;

/// Runs that end above this value have blown up: their end values are amplified rounding errors.
const BLOWN_UP: f64 = 1e4;
/// Residuals below this value are zero up to rounding.
const ROUNDING: f64 = 1e-10;
/// The absolute error allowed of a figure, which is a difference of numbers of order one, each with the rounding errors
/// of a hundred steps or more.
const OF_DIFFERENCES: f64 = 1e-13;

/// The rows of the reference file by key.
fn reference() -> BTreeMap<String, Vec<f64>> {
    let text: serde_json::Value =
        serde_json::from_str(include_str!("references/ascher_petzold.json")).expect("the file is JSON");
    serde_json::from_value(text["rows"].clone()).expect("lists of numbers")
}

#[test]
fn rows_agree_with_exact_arithmetic() {
    let mut computed: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let runs = [(1, 1000.0, 0.01), (2, 1000.0, 0.01), (3, 1.0, 0.01), (3, 100.0, 0.01), (3, 1000.0, 0.01)];
    let fast = [(4, 1.0, 0.01), (4, 1.0, 0.001), (4, 100.0, 0.1), (4, 100.0, 0.01), (4, 100.0, 0.001)];
    for (example, nu, h) in runs.into_iter().chain(fast) {
        computed.extend(example::rows(example, nu, h).expect("the example runs"));
    }
    let (mut compared, mut blown_up) = (0, 0);
    for (key, expected) in reference() {
        let found = &computed[&key];
        if expected.iter().any(|figure| *figure > BLOWN_UP) {
            assert!(found.iter().any(|figure| *figure > BLOWN_UP), "{key}: {found:?} instead of {expected:?}");
            blown_up += 1;
            continue;
        }
        for (&found, &expected) in found.iter().zip(&expected) {
            let close = (found - expected).abs()
                <= (1e-6 * expected).max(OF_DIFFERENCES) + ROUNDING * f64::from(expected < ROUNDING);
            assert!(close, "{key}: {found:e} instead of {expected:e}");
            compared += 1;
        }
    }
    assert_eq!((compared > 300, blown_up > 10), (true, true), "{compared} figures, {blown_up} runs");
}
