//! A transistor amplifier, index 1, stiff and driven by an input.
//!
//! Every unknown occurs differentiated, and yet three combinations of them are algebraic: where a capacitor lies
//! between two nodes, the voltage across it is a state, while the voltages of the nodes are not. Integrates 0.2 s by
//! Radau IIA and by BDF, and compares with the reference values of the test set for IVP solvers.

use std::error::Error;

use dae::{Integration, Method};

dae::dae! {
    /// Transistor amplifier of the test set for IVP solvers (Mazzia & Magherini): index 1, stiff, driven by an input.
    pub struct TransistorAmplifier {
        forms(original, index1, ggl);
        param ub = 6.0;
        param uf = 0.026;
        param alpha = 0.99;
        param beta = 1e-6;
        param r0 = 1000.0;
        param r = 9000.0;
        param c1 = 1e-6;
        param c2 = 2e-6;
        param c3 = 3e-6;
        param c4 = 4e-6;
        param c5 = 5e-6;
        input ue = 0.1 * sin(200.0 * PI * t);
        fn h(u) { beta * (exp(u / uf) - 1) }

        var y1 ~ 0.0;
        var y2 ~ 3.0;
        var y3 = 3.0;
        var y4 ~ 6.0;
        var y5 ~ 3.0;
        var y6 = 3.0;
        var y7 ~ 6.0;
        var y8 ~ 0.0;

        -c1 * der(y1) + c1 * der(y2) = (y1 - ue) / r0;
        c1 * der(y1) - c1 * der(y2) = y2 / r + (y2 - ub) / r + (1 - alpha) * h(y2 - y3);
        -c2 * der(y3) = y3 / r - h(y2 - y3);
        -c3 * der(y4) + c3 * der(y5) = (y4 - ub) / r + alpha * h(y2 - y3);
        c3 * der(y4) - c3 * der(y5) = y5 / r + (y5 - ub) / r + (1 - alpha) * h(y5 - y6);
        -c4 * der(y6) = y6 / r - h(y5 - y6);
        -c5 * der(y7) + c5 * der(y8) = (y7 - ub) / r + alpha * h(y5 - y6);
        c5 * der(y7) - c5 * der(y8) = y8 / r;
    }
}

/// `y1`, …, `y8` at $t = 0.2$ (problem `transamp` of the test set).
const REFERENCE: [f64; 8] = [
    -0.556_214_501_226_270_9e-2,
    3.006_522_471_903_042,
    2.849_958_788_608_128,
    2.926_422_536_206_241,
    2.704_617_865_010_554,
    2.761_837_778_393_145,
    4.770_927_631_616_772,
    1.236_995_868_091_548,
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", TransistorAmplifier::REPORT);
    println!("method    tolerance    output y8(0.2)   correct digits    steps");
    let form = TransistorAmplifier::default().original();
    for method in [Method::Radau5, Method::Bdf] {
        for tolerance in [1e-4, 1e-6, 1e-8] {
            let solution = Integration::new(&form).method(method).rtol(tolerance).atol(tolerance).run(0.0, 0.2)?;
            let errors = solution.end_state.iter().zip(REFERENCE).map(|(y, r)| (y - r).abs() / (1.0 + r.abs()));
            let digits = -errors.fold(0.0, f64::max).log10();
            let (output, steps) = (solution.end_state[7], solution.statistics.steps);
            println!("{:<10}{tolerance:9.0e}{output:18.9}{digits:17.1}{steps:9}", format!("{method:?}"));
        }
    }
    Ok(())
}
