//! The command `dae`, run as users run it.
//!
//! In: models of the repository and broken ones written here. Out: keys, numbers, exit codes and messages. One file per
//! subcommand, and one each for the reports of `analyze` that people read, for rejected models and for files.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

pub(crate) fn dae(arguments: &[&str]) -> Output {
    let command =
        Command::new(env!("CARGO_BIN_EXE_dae")).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    command.expect("the command runs")
}

pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

pub(crate) fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stdout(output)))
}

pub(crate) fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    keys
}

pub(crate) fn sorted<const N: usize>(mut keys: [&str; N]) -> [&str; N] {
    keys.sort_unstable();
    keys
}

pub(crate) fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Writes a file of this name with the text into the scratch directory, and returns its path.
pub(crate) fn file(name: &str, text: &str) -> String {
    let path = scratch(name);
    std::fs::write(&path, text).expect("the target directory is writable");
    path.display().to_string()
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

pub(crate) const PENDULUM: &str = "examples/models/pendulum.dae";
pub(crate) const AMPLIFIER: &str = "examples/models/transistor_amplifier.dae";
pub(crate) const CAR_AXIS: &str = "examples/models/car_axis.dae";

mod analyze;
mod expand;
mod files;
mod rejected;
mod reports;
mod simulate;
mod solve_bvp;
