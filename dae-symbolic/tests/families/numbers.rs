//! Coefficients that depend on the index, and instances that are exceptional because of them.

use dae_symbolic::expr::{Function, Rational};
use dae_symbolic::model::{Model, ModelBuilder, Start};

use super::twin::{assert_agree, expansion, member, set_member, tokens};

/// $\dot x_i = -\tfrac{i}{3} x_i + \sin((i - 2) x_{n-1-i}) + i + \tfrac12$: the first term vanishes for $i = 0$ and has
/// the coefficient $-1$ for $i = 3$; the sine vanishes for $i = 2$.
fn decay(n: usize) -> Model {
    let mut builder = ModelBuilder::new("Decay");
    let ids: Vec<_> = (0..n).map(|i| builder.unknown(format!("x_{i}"))).collect();
    for (i, &id) in ids.iter().enumerate() {
        let index = i as i64;
        let one = builder.dag().integer(1);
        builder.start(id, 0, Start::Fixed, one);
        let (own, other) = (builder.jet(id, 0), builder.jet(ids[n - 1 - i], 0));
        let turned = builder.dag().scale(Rational::from(index - 2), other);
        let sine = builder.dag().apply(Function::Sin, &[turned]);
        let shift = builder.dag().constant(Rational::new(2 * index + 1, 2).unwrap());
        let rate = Rational::new(-index, 3).unwrap();
        let right = builder.dag().sum([(rate, own), (Rational::ONE, sine), (Rational::ONE, shift)]);
        let left = builder.jet(id, 1);
        builder.equation(left, right);
    }
    let mut model = builder.finish().unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    for (i, unknown) in model.unknowns.iter_mut().enumerate() {
        set_member(unknown, member(0, &[i as i64], &[n]));
    }
    for (i, equation) in model.equations.iter_mut().enumerate() {
        equation.domain = member(0, &[i as i64], &[n]);
    }
    model
}

#[test]
fn families_say_what_scalars_say() {
    for n in [1, 6, 11] {
        assert_agree(&decay(n));
    }
}

#[test]
fn expansion_does_not_grow() {
    assert_eq!(tokens(decay(30)), tokens(decay(70)));
    assert!(expansion(decay(30)).contains("i as f64"));
}

/// $\dot x_i = |x_i - x_{i+1}|$, $\dot x_{n-1} = 0$: a switching function for each pair.
fn kinks(n: usize) -> Model {
    let mut builder = ModelBuilder::new("Kinks");
    let ids: Vec<_> = (0..n).map(|i| builder.unknown(format!("x_{i}"))).collect();
    for i in 0..n {
        let index = builder.dag().integer(i as i64 % 2);
        builder.start(ids[i], 0, Start::Fixed, index);
        let left = builder.jet(ids[i], 1);
        let right = if i + 1 < n {
            let (own, next) = (builder.jet(ids[i], 0), builder.jet(ids[i + 1], 0));
            let difference = builder.dag().sub(own, next);
            builder.dag().apply(Function::Abs, &[difference])
        } else {
            builder.dag().integer(0)
        };
        builder.equation(left, right);
    }
    let mut model = builder.finish().unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    for (i, unknown) in model.unknowns.iter_mut().enumerate() {
        set_member(unknown, member(0, &[i as i64], &[n]));
    }
    for (i, equation) in model.equations.iter_mut().enumerate() {
        equation.domain = member(0, &[i as i64], &[n]);
    }
    model
}

#[test]
fn switching_functions_roll() {
    assert_agree(&kinks(6));
    let text = expansion(kinks(6));
    assert!(text.contains("switches.put(i, "), "{text}");
}
