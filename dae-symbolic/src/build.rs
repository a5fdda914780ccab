//! The door for build scripts: a `.dae` file to a Rust file.
//!
//! In: the path of a file with the body of a `dae!`. Out: the file that generated items are written to, or an error that prints as
//! rustc's would, with file, line and column. This is the one place of the crate that reads and writes files and
//! looks at the environment.
//!
//! `build.rs` of the user:
//!
//! ```no_run
//! fn main() -> Result<(), dae_symbolic::build::BuildError> {
//!     dae_symbolic::build::compile("models/pendulum.dae")
//! }
//! ```
//!
//! and where the model is used:
//!
//! ```ignore
//! include!(concat!(env!("OUT_DIR"), "/pendulum.rs"));
//! ```

use std::fmt;
use std::path::{Path, PathBuf};

use crate::expand::expand_text;
use crate::syntax::SourceText;

/// Why no Rust file was written.
pub enum BuildError {
    /// A file could not be read or written.
    File {
        /// Which.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// The environment variable `OUT_DIR` is not set: this is not a build script.
    NoOutputDirectory,
    /// The path names no file.
    NoFileName {
        /// The path.
        path: PathBuf,
    },
    /// The model has errors, printed with their places.
    Model {
        /// What to tell the user.
        message: String,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::File { path, error } => write!(f, "{}: {error}", path.display()),
            BuildError::NoOutputDirectory => {
                f.write_str("OUT_DIR is not set: `compile` is for build scripts, `compile_into` for everything else")
            }
            BuildError::NoFileName { path } => write!(f, "{} is not the path of a file", path.display()),
            BuildError::Model { message } => write!(f, "\n{message}"),
        }
    }
}

/// As [`Display`](fmt::Display): this is what Rust prints if `main` returns the error.
impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BuildError::File { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// Compiles a model from a build script: `models/pendulum.dae`, relative to the package, becomes `$OUT_DIR/pendulum.rs`. Cargo
/// is told to run the build script again when the model changes.
///
/// # Errors
/// If the model has errors or a file cannot be read or written.
pub fn compile(model: impl AsRef<Path>) -> Result<(), BuildError> {
    println!("cargo:rerun-if-changed={}", model.as_ref().display());
    let directory = std::env::var_os("OUT_DIR").ok_or(BuildError::NoOutputDirectory)?;
    compile_into(model, directory).map(|_| ())
}

/// Compiles a model to a Rust file of the same name in a directory and returns its path.
///
/// # Errors
/// If the model has errors or a file cannot be read or written.
pub fn compile_into(model: impl AsRef<Path>, directory: impl AsRef<Path>) -> Result<PathBuf, BuildError> {
    let model = model.as_ref();
    let file = |path: &Path, error| BuildError::File { path: path.to_path_buf(), error };
    let stem = model.file_stem().ok_or_else(|| BuildError::NoFileName { path: model.to_path_buf() })?;
    let text = std::fs::read_to_string(model).map_err(|error| file(model, error))?;
    let source = SourceText { file: &model.display().to_string(), text: &text };
    let code = expand_text(source).map_err(|message| BuildError::Model { message })?;
    let target = directory.as_ref().join(stem).with_extension("rs");
    std::fs::write(&target, code).map_err(|error| file(&target, error))?;
    Ok(target)
}
