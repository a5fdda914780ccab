//! Sums over arrays in scalar equations: loops for the sum, and for the long row of its derivatives.

use dae_symbolic::model::Model;
use dae_symbolic::read_text;

use super::twin::{assert_agree, expansion, tokens};

/// Oscillators that are pulled towards their mean position `middle` and driven by `level`, a function of weighted sums
/// over all of them.
fn coupled(n: usize) -> Model {
    let text = format!(
        "struct Coupled {{
            const N = {n};
            param k = 2.0;
            param w: [f64; N] = |i| 1 + i / 4;
            var x: [f64; N] = |i| i / 10;
            var v: [f64; N] ~ 0;
            var middle ~ 0;
            var level ~ 0;
            for i in 0..N {{
                der(x[i]) = v[i];
                der(v[i]) = -k * (x[i] - middle) + sin(level);
            }}
            N * middle = sum(i in 0..N => x[i]);
            level * (2 + sum(i in 0..N => w[i])) = sum(i in 0..N => w[i] * x[i].powi(2)) + exp(sum(i in 0..N => v[i] / N));
        }}"
    );
    read_text(&text).unwrap_or_else(|rejection| panic!("{}", rejection.diagnostics)).0
}

#[test]
fn families_say_what_scalars_say() {
    for n in [3, 9, 30] {
        assert_agree(&coupled(n));
    }
}

#[test]
fn expansion_does_not_grow() {
    assert_eq!(tokens(coupled(30)), tokens(coupled(77)));
    let text = expansion(coupled(30));
    assert!(text.contains("totals[0] += ") && text.contains("for i in 0..30 {"), "{text}");
}
