//! Inputs that fuzzing found, and the corpus it starts from: nothing panics, and nothing takes longer than two seconds.
//!
//! In: `fuzz/found/`, and every fourth text of `fuzz/corpus/`. Out: what the example `fuzz` asserts about every input,
//! on a stack of the same size.

#[path = "../../fuzz/exercise.rs"]
mod exercise;

#[path = "../examples/fuzz/clock.rs"]
mod clock;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clock::{Clock, processor_time};
use exercise::{Output, exercise};

/// The limit holds for optimised code; without optimisation everything takes about twenty times as long.
const LIMIT: Duration = if cfg!(debug_assertions) { Duration::from_secs(40) } else { Duration::from_secs(2) };
const STACK: usize = 2 * 1024 * 1024;

fn repeat(folder: &str, every: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder is in the tree");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{}", folder.display());
    for path in paths.into_iter().step_by(every) {
        let text = std::fs::read_to_string(&path).expect("a text");
        let run = move || processor_time(&Clock::of_this_thread(), || drop(exercise(&text, Output::Everything)));
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread");
        let time = thread.join().unwrap_or_else(|_| panic!("{}", path.display()));
        assert!(time < LIMIT, "{} takes {time:?}", path.display());
    }
}

#[test]
fn what_fuzzing_found_stays_mended() {
    repeat("found", 1);
}

#[test]
fn the_corpus_passes() {
    repeat("corpus", 4);
}
