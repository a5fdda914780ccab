//! What the packages say of themselves.
//!
//! In: the metadata that `cargo` reads. Out: the version of Rust that is promised is enough for all they depend on.

use std::process::Command;

use serde_json::Value;

#[test]
fn dependencies_need_no_later_rust_than_is_promised() {
    let arguments = ["metadata", "--format-version", "1", "--all-features"];
    let output = Command::new(env!("CARGO")).current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let promised = version(env!("CARGO_PKG_RUST_VERSION"));
    let needed =
        packages.iter().filter_map(|package| Some((version(package["rust_version"].as_str()?), &package["name"])));
    let later: Vec<_> = needed.filter(|(needed, _)| *needed > promised).collect();
    assert!(packages.len() > 20 && later.is_empty(), "{later:?}");
}

/// `1.89` and `1.89.0` are the same.
fn version(text: &str) -> [u32; 3] {
    let mut parts = text.split('.').map(|part| part.parse().unwrap());
    [0; 3].map(|_| parts.next().unwrap_or(0))
}
