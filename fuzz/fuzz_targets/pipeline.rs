//! Any bytes that are text, through everything that reads a model.
#![no_main]

#[path = "../exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = exercise::exercise(text, exercise::Output::Everything);
    proc_macro2::extra::invalidate_current_thread_spans();
});
