//! Derived models are the models written by hand: proved, equation by equation.
//!
//! In: blocks with energies and costs, and the equations of the textbooks. Out: the difference of every pair of equations (or their sum)
//! vanishes identically.

#![cfg(feature = "syntax")]

use dae_symbolic::expr::{Expr, Symbol, UnknownId, transfer, vanishes};
use dae_symbolic::model::Model;
use dae_symbolic::read_text;
use dae_symbolic::syntax::SourceText;

fn model(text: &str) -> Model {
    match read_text(text) {
        Ok((model, _)) => model,
        Err(rejection) => panic!("{}", rejection.to_text(SourceText { file: "model.dae", text })),
    }
}

/// An equation of `other` in the expressions of `model`, names standing for the same things.
fn in_terms_of(model: &mut Model, other: &Model, value: Expr) -> Expr {
    let parameter = |name: &str| model.parameters.iter().position(|p| p.name == name).expect("the same parameters");
    let unknown = |name: &str| model.unknowns.iter().position(|u| u.name == name).expect("the same unknowns");
    let table: Vec<u32> = other.parameters.iter().map(|p| parameter(&p.name) as u32).collect();
    let unknowns: Vec<u32> = other.unknowns.iter().map(|u| unknown(&u.name) as u32).collect();
    let counterpart = |symbol| {
        Some(match symbol {
            Symbol::Parameter(p) => Symbol::Parameter(dae_symbolic::expr::ParameterId(table[p.index()])),
            Symbol::Unknown { unknown, order } => {
                Symbol::Unknown { unknown: UnknownId(unknowns[unknown.index()]), order }
            }
            other => other,
        })
    };
    transfer(&other.dag, value, &mut model.dag, counterpart).expect("every symbol has a counterpart")
}

/// Proves that two texts have the same equations, in the same order, up to the sign.
fn proves_equal(derived: &str, by_hand: &str) {
    let (mut derived, by_hand) = (model(derived), model(by_hand));
    assert_eq!(derived.equations.len(), by_hand.equations.len());
    for (k, equation) in by_hand.equations.iter().enumerate() {
        let expected = in_terms_of(&mut derived, &by_hand, equation.residual);
        let found = derived.equations[k].residual;
        let (difference, sum) = (derived.dag.sub(found, expected), derived.dag.add(found, expected));
        let proved = vanishes(&mut derived.dag, difference) || vanishes(&mut derived.dag, sum);
        assert!(proved, "equation {} of {}", k + 1, derived.name);
        assert!(!vanishes(&mut derived.dag, expected), "an equation that says something");
    }
}

#[test]
fn pendulum() {
    proves_equal(
        include_str!("../../examples/models/lagrangian_pendulum.dae"),
        include_str!("derive/pendulum_by_hand.dae"),
    );
}

#[test]
fn double_pendulum() {
    proves_equal(
        include_str!("../../examples/models/double_pendulum.dae"),
        include_str!("derive/double_pendulum_by_hand.dae"),
    );
}

#[test]
fn double_pendulum_in_angles() {
    proves_equal(
        include_str!("derive/double_pendulum_angles.dae"),
        include_str!("derive/double_pendulum_angles_by_hand.dae"),
    );
}

#[test]
fn slider_crank() {
    proves_equal(
        include_str!("../../examples/models/slider_crank.dae"),
        include_str!("derive/slider_crank_by_hand.dae"),
    );
}

/// A wrong sign is found.
#[test]
fn a_different_model_is_not_proved_equal() {
    let wrong =
        include_str!("derive/slider_crank_by_hand.dae").replace("- 2 * RHO * V2 * c12d", "+ 2 * RHO * V2 * c12d");
    let (mut derived, by_hand) = (model(include_str!("../../examples/models/slider_crank.dae")), model(&wrong));
    let expected = in_terms_of(&mut derived, &by_hand, by_hand.equations[1].residual);
    let difference = derived.dag.sub(derived.equations[1].residual, expected);
    let sum = derived.dag.add(derived.equations[1].residual, expected);
    assert!(!vanishes(&mut derived.dag, difference) && !vanishes(&mut derived.dag, sum));
}
