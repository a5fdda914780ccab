//! A model that uses every operator and function of the language but `if`, and names that generated code uses itself.

use std::collections::BTreeSet;

use dae::symbolic::expr::Function;

use super::macro_body;

dae::dae! {
    /// No physics: every operator, derivatives that enter nonlinearly, an input that is differentiated, awkward names.
    pub struct Operators {
        forms(original, index1, index2, ggl);
        const HALF = 1 / 2;
        /// A parameter in capitals.
        param R = 1.5;
        param time = 0.7;
        param values = R * HALF;
        input drive = cos(R * t) + t.powi(3) / 6;
        fn bump(s) { let q = s * s; exp(-q) / (1 + q) }

        #[nominal(10)]
        var state ~ 0.5;
        var rate ~ 0.3;
        var jets = 0.4;
        var residual ~ 0.2;
        var s1 ~ 0.6;
        var der_x ~ 0.1;
        var x ~ 0.8;
        start der(jets) ~ 0.25;
        let shared = sqrt(1 + x.powi(2)) + bump(state);

        der(state).powi(3) + der(state) = sin(rate) * cos(state) + tan(x / 4) - drive;
        0 = rate + asin(rate / 5) - acos(jets / 5) + atan(state) - shared / 3 + R.ln() * R.floor();
        der(jets, 2) = -sinh(jets) - tanh(der(jets)) * cosh(x / 2) + exp(-state) + hypot(x, values);
        der(residual) * shared = ln(2 + residual.powi(2)) + log2(3 + s1.powi(2)) - log10(4 + x.powi(2)) + cbrt(2 + x);
        der(s1) = asinh(s1) - acosh(2 + s1.powi(2)) + atanh(x / 9) + powf(1 + s1.powi(2), time) + x.powi(-2) - PI / E;
        0 = x - drive - abs(2 + state.powi(2)) / 4 + min(residual, 5) - max(s1, -5) / 7;
        der_x = exp_m1(x / 3) + ln_1p(x.powi(2)) - atan2(x, 2 + R) * signum(3 + x.powi(2)) - der(x) / 5 + shared;
    }
}

/// Every function but `if`, which the model in `piecewise.rs` uses.
#[test]
fn every_function_is_in_the_model_and_in_the_documentation() {
    let functions: BTreeSet<&str> =
        Function::ALL.into_iter().filter(|f| *f != Function::If).map(Function::name).collect();
    let model = macro_body(include_str!("operators.rs"));
    let words: BTreeSet<&str> = model.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    assert_eq!(functions.difference(&words).next(), None, "not in the model");
    let text = include_str!("../../src/language/mod.rs");
    let listed = text.split_once("`powi ").and_then(|(_, rest)| rest.split_once('`')).expect("the list of functions").0;
    let listed: BTreeSet<&str> = listed.split_whitespace().filter(|word| *word != "//!").collect();
    assert_eq!(functions, listed, "`src/language/mod.rs` lists other functions");
}
