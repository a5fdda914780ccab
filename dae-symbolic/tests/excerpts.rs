//! Generated code of long families from an excerpt of them, against that from all their members.

use dae_symbolic::compile::{Compiled, compile, compile_excerpt};
use dae_symbolic::emit::emit;
use dae_symbolic::formulation::Form;
use dae_symbolic::{Families, read_families_text, scalar_model};

const CHAIN: &str = include_str!("../../examples/models/chain.dae");
const PLATE: &str = include_str!("../../examples/models/plate.dae");

fn sized(text: &str, n: usize) -> String {
    text.replace("const N = 6;", &format!("const N = {n};"))
}

fn families(text: &str) -> Families {
    read_families_text(text).unwrap_or_else(|found| panic!("{}", found.diagnostics))
}

fn whole(text: &str) -> Compiled {
    let model = scalar_model(families(text).model).unwrap_or_else(|found| panic!("{found}"));
    compile(model, 0.0).unwrap_or_else(|rejected| panic!("{}", rejected.diagnostics))
}

/// Line by line, so that a difference can be found.
fn assert_same(text: &str) {
    let excerpt = compile_excerpt(&families(text).model, 0.0).expect("an excerpt tells everything");
    let whole = whole(text);
    assert!(2 * excerpt.model.equations.len() <= whole.model.equations.len());
    assert_eq!(excerpt.analysis.certificate.verdict(), whole.analysis.certificate.verdict());
    let (a, b) = (emit(&excerpt, &Form::ALL).unwrap(), emit(&whole, &Form::ALL).unwrap());
    for (line, (a, b)) in a.lines().zip(b.lines()).enumerate() {
        assert_eq!(a, b, "line {line}");
    }
    assert_eq!(a.len(), b.len());
}

#[test]
fn a_chain() {
    assert_same(&sized(CHAIN, 90));
}

#[test]
fn a_plate() {
    assert_same(&sized(PLATE, 50));
}
