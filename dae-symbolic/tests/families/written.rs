//! The examples with arrays, as written, for several sizes.

use std::time::Instant;

use dae_symbolic::emit::emit;
use dae_symbolic::form::Form;
use dae_symbolic::model::Model;
use dae_symbolic::pipeline::compile;
use dae_symbolic::read_text;

use super::twin::{assert_agree, tokens};

const CHAIN: &str = include_str!("../../../examples/models/chain.dae");
const PLATE: &str = include_str!("../../../examples/models/plate.dae");

/// The example of size `n` instead of 6.
fn model(text: &str, n: usize) -> Model {
    assert!(text.contains("const N = 6;"));
    let text = text.replace("const N = 6;", &format!("const N = {n};"));
    read_text(&text).unwrap_or_else(|rejection| panic!("{}", rejection.diagnostics)).0
}

#[test]
fn families_say_what_scalars_say() {
    assert_agree(&model(CHAIN, 5));
    assert_agree(&model(PLATE, 4));
}

#[test]
fn expansions_do_not_grow() {
    assert_eq!(tokens(model(CHAIN, 10)), tokens(model(CHAIN, 25)));
    // With 11 and 13 intervals: the documentation of an edge tells instances apart where a fraction of π can be reduced.
    assert_eq!(tokens(model(PLATE, 10)), tokens(model(PLATE, 12)));
}

/// Prints time and size for sizes up to `LARGEST`, 100 unless set, and writes the expansions to the directory `EXPANSIONS` if set.
#[test]
#[ignore = "prints"]
fn timing() {
    let largest: usize = std::env::var("LARGEST").map_or(100, |n| n.parse().unwrap());
    println!("            N    read (s)   compile (s)   emit (s)    bytes   tokens");
    for (name, text, power) in [("chain", CHAIN, 1), ("plate", PLATE, 2)] {
        for n in [8_usize, 10, 12, 30, 100, 300, 1000].into_iter().filter(|n| n.pow(power) <= largest) {
            let start = Instant::now();
            let model = model(text, n);
            let read = start.elapsed();
            let compiled = compile(model.with_forms(Form::BASIC), 0.0)
                .unwrap_or_else(|rejected| panic!("{}", rejected.diagnostics));
            let analysed = start.elapsed();
            let code = emit(&compiled).unwrap();
            let times = [read, analysed - read, start.elapsed() - analysed].map(|time| time.as_secs_f64());
            let count = super::twin::token_count(code.parse().unwrap());
            println!("{name:8}{n:5}{:12.3}{:14.3}{:11.3}{:9}{count:9}", times[0], times[1], times[2], code.len());
            if let Ok(directory) = std::env::var("EXPANSIONS") {
                std::fs::write(format!("{directory}/{name}_{n}.rs"), code).unwrap();
            }
        }
    }
}
