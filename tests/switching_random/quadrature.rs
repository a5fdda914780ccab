//! Integrals of piecewise smooth functions.
//!
//! In: a function, and functions at whose zeros it is not smooth. Out: its integral, by the five-point Gauss rule on
//! many parts of each smooth piece, with errors near rounding.

/// The number of times at which signs are compared: these are far closer together than the zeros of the functions
/// drawn.
const SAMPLES: usize = 100_000;
/// The number of parts of a piece.
const PARTS: usize = 40;

pub(crate) type Function = Box<dyn Fn(f64) -> f64>;

/// The points 0 and `end` and all zeros between them, in ascending order.
fn breaks(switches: &[Function], end: f64) -> Vec<f64> {
    let mut found = vec![0.0, end];
    for switch in switches {
        let (mut before, mut at) = (0.0, switch(0.0));
        for k in 1..=SAMPLES {
            let t = end * k as f64 / SAMPLES as f64;
            let value = switch(t);
            if at * value < 0.0 {
                let (mut a, mut b) = (before, t);
                while 0.5 * (a + b) > a && 0.5 * (a + b) < b {
                    let middle = 0.5 * (a + b);
                    if switch(middle) * at > 0.0 { a = middle } else { b = middle }
                }
                found.push(b);
            } else if value == 0.0 {
                found.push(t);
            }
            (before, at) = (t, value);
        }
    }
    found.sort_by(f64::total_cmp);
    found
}

/// The integral of `f` from 0 to `end`.
pub(crate) fn integral(f: &dyn Fn(f64) -> f64, switches: &[Function], end: f64) -> f64 {
    let root = |sign: f64| (5.0 + sign * 2.0 * (10.0f64 / 7.0).sqrt()).sqrt() / 3.0;
    let weight = |sign: f64| (322.0 + sign * 13.0 * 70.0f64.sqrt()) / 900.0;
    let rule = [
        (0.0, 128.0 / 225.0),
        (root(-1.0), weight(1.0)),
        (-root(-1.0), weight(1.0)),
        (root(1.0), weight(-1.0)),
        (-root(1.0), weight(-1.0)),
    ];
    let pieces = breaks(switches, end);
    let part = |a: f64, b: f64| -> f64 {
        let (middle, radius) = (0.5 * (a + b), 0.5 * (b - a));
        rule.iter().map(|(x, w)| w * radius * f(middle + radius * x)).sum()
    };
    let piece = |w: &[f64]| -> f64 {
        let at = |k: usize| w[0] + (w[1] - w[0]) * k as f64 / PARTS as f64;
        (0..PARTS).map(|k| part(at(k), at(k + 1))).sum()
    };
    pieces.windows(2).map(piece).sum()
}
