//! Kinks that come as often as a method makes steps.
//!
//! In: a sum of sines over almost two decades of frequency, rectified. Out: as many steps as without the rectifier, up to a
//! half more, by methods of order 5; and the same accuracy.
//!
//! Steps end at the two hundred kinks of such a signal wherever they affect the states, which costs about one more step
//! each. At order 5, steps are shorter than the distance between kinks. [`Method::Radau`] is not tested here: it solves the
//! smooth problem with order 13 in steps as long as that distance, and the rectified one in two or three times as many.

mod interpreted;

use std::fmt::Write;

use dae::runtime::contract::Dae;
use dae::{Integration, Method, Solution};
use interpreted::system;

const SINES: u32 = 12;
const END: f64 = 50.0;

/// A sum of sines of random phases and amplitudes, whose frequencies lie between about 0.5 and 15.
fn noise(random: &mut fastrand::Rng) -> String {
    let mut sum = String::from("0.1");
    for k in 0..SINES {
        let frequency = 0.5 * 30_f64.powf(f64::from(k) / f64::from(SINES - 1)) * (0.8 + 0.4 * random.f64());
        let (amplitude, phase) = (0.3 + 0.7 * random.f64(), 2.0 * std::f64::consts::PI * random.f64());
        write!(sum, " + {amplitude:?} * sin({frequency:?} * t + {phase:?})").expect("a string");
    }
    sum
}

fn run(system: &dyn Dae, method: Method, tolerance: f64) -> Solution {
    let integration = Integration::new(system).method(method).rtol(tolerance).atol(tolerance);
    integration.run(0.0, END).unwrap_or_else(|error| panic!("{method:?} at {tolerance:e}: {error}"))
}

#[test]
fn a_rectifier_costs_at_most_half_as_many_steps_again() {
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..3 {
        let signal = noise(&mut random);
        let [rectified, smooth] = ["max(0, y)", "y"].map(|u| {
            let text = format!("struct Filter {{ var y; var x = 0; y = {signal}; der(x) = {u} - x; }}");
            system(&text, "original")
        });
        let exact = run(&*rectified, Method::Radau, 1e-11);
        for method in [Method::Radau5, Method::Bdf] {
            for tolerance in [1e-3, 1e-4, 1e-6, 1e-8] {
                let [found, smooth] = [&rectified, &smooth].map(|system| run(&**system, method, tolerance));
                let at = |solution: &Solution| solution.value("x", END).expect("an unknown");
                let error = (at(&found) - at(&exact)).abs();
                let [steps, of_smooth] = [&found, &smooth].map(|solution| solution.statistics.steps);
                let line = format!("{method:?} at {tolerance:e}: {steps} for {of_smooth} steps, error {error:.1e}");
                println!("{line}");
                assert!(2 * steps <= 3 * of_smooth, "{line}");
                assert!(error <= 10.0 * tolerance, "{line}");
            }
        }
    }
}
