//! Metadata and contents of the packages.
//!
//! In: the metadata that `cargo` reads, and the files that have to be in every package. Out: no dependency needs a
//! later version of Rust than the one that is promised; each package has the metadata that a registry shows, and
//! contains neither tests nor their data.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

#[test]
fn dependencies_need_no_later_rust_than_is_promised() {
    let metadata = metadata(&["--all-features"]);
    let packages = metadata["packages"].as_array().unwrap();
    let promised = version(env!("CARGO_PKG_RUST_VERSION"));
    let needed =
        packages.iter().filter_map(|package| Some((version(package["rust_version"].as_str()?), &package["name"])));
    let later: Vec<_> = needed.filter(|(needed, _)| *needed > promised).collect();
    assert!(packages.len() > 20 && later.is_empty(), "{later:?}");
}

#[test]
fn packages_describe_themselves() {
    let metadata = metadata(&["--no-deps"]);
    let packages = metadata["packages"].as_array().unwrap();
    assert_eq!(packages.len(), 4);
    for package in packages {
        let name = package["name"].as_str().unwrap();
        assert!(name.starts_with("daekit"), "{name}");
        for key in ["description", "documentation", "license", "readme", "rust_version"] {
            assert!(package[key].is_string(), "{name} has no {key}");
        }
        for key in ["keywords", "categories"] {
            assert!((1..=5).contains(&package[key].as_array().unwrap().len()), "{name}: {key}");
        }
        let docs = &package["metadata"]["docs"]["rs"];
        assert_eq!(docs["all-features"], Value::Bool(true), "{name}");
        assert!(docs["rustdoc-args"].as_array().unwrap().contains(&"katex-header.html".into()), "{name}");
        let library = package["targets"].as_array().unwrap().iter().find(|it| it["kind"][0] != "bin").unwrap();
        assert_eq!(library["name"].as_str().unwrap().replace('_', "-"), name.replace("daekit", "dae"));
    }
}

/// A package is one folder: files that all packages need are in each of them.
#[test]
fn packages_contain_licences_and_no_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (package, folder) in [
        ("daekit", "."),
        ("daekit-macros", "dae-macros"),
        ("daekit-symbolic", "dae-symbolic"),
        ("daekit-runtime", "dae-runtime"),
    ] {
        let list = cargo(&["package", "--list", "--allow-dirty", "--offline", "-p", package]);
        let files: Vec<&str> = list.lines().collect();
        for name in ["LICENSE-APACHE", "LICENSE-MIT", "katex-header.html", "README.md"] {
            assert!(files.contains(&name), "{package} has no {name}");
            if name != "README.md" {
                let [shared, own] = [root.join(name), root.join(folder).join(name)].map(|it| fs::read(it).unwrap());
                assert!(shared == own, "{name} of {package} differs from that of the workspace");
            }
        }
        assert!(files.iter().any(|file| file.starts_with("src/")), "{package}: {files:?}");
        let unwanted =
            files.iter().find(|file| ["tests/", "benches/", "fuzz/", "."].iter().any(|it| file.starts_with(it)));
        assert!(unwanted.is_none_or(|file| *file == ".cargo_vcs_info.json"), "{package} contains {unwanted:?}");
    }
}

fn metadata(arguments: &[&str]) -> Value {
    let arguments: Vec<&str> = ["metadata", "--format-version", "1"].iter().chain(arguments).copied().collect();
    serde_json::from_str(&cargo(&arguments)).unwrap()
}

/// Runs `cargo`, and returns what it prints.
fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A version as three numbers: `1.89` is `1.89.0`.
fn version(text: &str) -> [u32; 3] {
    let mut parts = text.split('.').map(|part| part.parse().unwrap());
    [0; 3].map(|_| parts.next().unwrap_or(0))
}
