//! Passes any valid UTF-8 text through every stage that reads a model, guided by coverage.
//!
//! In: texts that libFuzzer keeps because they reach new code, changed by the mutators of the driver
//! (`dae-symbolic/examples/fuzz/mutate`), and one time in eight by libFuzzer's own. Out: inputs that panic, or take
//! longer than `-timeout` allows.
#![no_main]

#[allow(dead_code, reason = "what the driver needs beside")]
#[path = "../../dae-symbolic/examples/fuzz/corpus.rs"]
mod corpus;
#[allow(dead_code, reason = "what the driver needs beside")]
#[path = "../../dae-symbolic/examples/fuzz/draw.rs"]
mod draw;
#[path = "../exercise.rs"]
mod exercise;
#[allow(dead_code, reason = "what the driver needs beside")]
#[path = "../../dae-symbolic/examples/fuzz/mutate/mod.rs"]
mod mutate;
#[allow(dead_code, reason = "what the driver needs beside")]
#[path = "../../dae-symbolic/examples/fuzz/tokens.rs"]
mod tokens;

use std::sync::OnceLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use mutate::{Mutator, truncate};

fuzz_target!(|text: &str| {
    let _ = exercise::exercise(text, exercise::Output::Everything);
    // Otherwise, the table of spans of this thread would grow with every text.
    proc_macro2::extra::invalidate_current_thread_spans();
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let text = std::str::from_utf8(&data[..size]).ok().filter(|_| !seed.is_multiple_of(8));
    let Some(text) = text else { return fuzzer_mutate(data, size, max_size) };
    let mut changed = mutator().changed(text, u64::from(seed));
    truncate(&mut changed, max_size);
    data[..changed.len()].copy_from_slice(changed.as_bytes());
    changed.len()
});

fn mutator() -> &'static Mutator {
    static MUTATOR: OnceLock<Mutator> = OnceLock::new();
    MUTATOR.get_or_init(|| {
        let texts = corpus::texts();
        let is_model: Vec<bool> = texts.iter().map(|text| dae_symbolic::read_text(text).is_ok()).collect();
        Mutator::new(&texts, |k| is_model[k], 1)
    })
}
