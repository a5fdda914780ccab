//! The texts that are mutated: models of the tree, accepted or rejected. Shared by the driver and the target of
//! `cargo fuzz`.
//!
//! In: `fuzz/corpus/`, the models of the examples, the cases of the language tests, and the bodies of `dae!` in tests
//! and examples. Out: texts in a fixed order, without repetitions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Inputs that once failed.
pub(crate) fn found() -> Vec<String> {
    files(&directory("found"), "dae")
}

/// All texts except long ones, each of which would take as much time as many short ones.
pub(crate) fn texts() -> Vec<String> {
    const LONGEST: usize = 4000;
    let root = root();
    let mut texts = Vec::new();
    for folder in [directory("corpus"), root.join("examples/models"), root.join("dae-symbolic/tests/language/models")] {
        texts.extend(files(&folder, "dae"));
    }
    let rejected = root.join("dae-symbolic/tests/language/rejected.txt");
    let cases = std::fs::read_to_string(&rejected).unwrap_or_else(|error| panic!("{}: {error}", rejected.display()));
    texts.extend(cases.split("=== ").skip(1).filter_map(|case| {
        let (_, rest) = case.split_once('\n')?;
        rest.split_once("--- printed").map(|(text, _)| text.to_string())
    }));
    for folder in ["compile_fail", "models", "."] {
        for text in files(&root.join("tests").join(folder), "rs") {
            texts.extend(bodies(&text));
        }
    }
    for text in files(&root.join("examples"), "rs") {
        texts.extend(bodies(&text));
    }
    let mut seen = BTreeSet::new();
    texts.retain(|text| text.len() <= LONGEST && seen.insert(text.clone()));
    texts
}

/// The root of the tree: each package that uses this file is in a folder directly below it.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folder `fuzz/<name>` of the tree.
fn directory(name: &str) -> PathBuf {
    root().join("fuzz").join(name)
}

/// The contents of the files in a folder with the given extension, ordered by name; unreadable files are left out.
fn files(folder: &Path, ending: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let chosen = paths.into_iter().filter(|path| path.extension().is_some_and(|found| found == ending));
    chosen.filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

/// The text between the braces of every `dae! { … }`.
fn bodies(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in text.split("dae! {").skip(1) {
        let mut depth = 1;
        let end = part.char_indices().find(|&(_, c)| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        found.extend(end.map(|(end, _)| part[..end].trim_start_matches('\n').to_string()));
    }
    found
}

/// Writes a text to a folder of `fuzz/` under a name made from its hash, and returns the path; a failure is printed.
pub(crate) fn keep(folder: &str, text: &str) -> PathBuf {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    let path = directory(folder).join(format!("{hash:016x}.dae"));
    if let Err(error) = std::fs::write(&path, text) {
        eprintln!("{}: {error}\n{text}", path.display());
    }
    path
}
