//! Models in files of their own: [`include`](fn@include), and [`compile`] for build scripts.
//!
//! In: the path of a file with the body of a `dae!`. Out: generated items, as tokens or in a Rust file, or an error
//! that prints like rustc's, with file, line and column. This is the only module of the crate that reads and writes
//! files and uses the environment.
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

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

use crate::expand::expand_text;
use crate::syntax::{SourceText, compile_error};

/// Why no Rust file was written.
#[non_exhaustive]
pub enum BuildError {
    /// A file could not be read or written.
    File {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// The environment variable `OUT_DIR` is not set: this is not a build script.
    NoOutputDirectory,
    /// The path does not name a file.
    NoFileName {
        /// The path.
        path: PathBuf,
    },
    /// The model has errors, printed with their places.
    Model {
        /// The message for the user.
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

/// The text of [`Display`](fmt::Display), because this is what Rust prints if `main` returns the error.
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

/// Compiles a model from a build script: `models/pendulum.dae`, relative to the package, becomes
/// `$OUT_DIR/pendulum.rs`. Cargo is told to run the build script again when the model changes.
///
/// # Errors
/// If `OUT_DIR` is not set, the path names no file, the model has errors, or a file cannot be read or written.
pub fn compile(model: impl AsRef<Path>) -> Result<(), BuildError> {
    println!("cargo:rerun-if-changed={}", model.as_ref().display());
    let directory = std::env::var_os("OUT_DIR").ok_or(BuildError::NoOutputDirectory)?;
    compile_into(model, directory).map(|_| ())
}

/// Compiles a model to a Rust file of the same name in a directory and returns its path.
///
/// # Errors
/// If the path names no file, the model has errors, or a file cannot be read or written.
pub fn compile_into(model: impl AsRef<Path>, directory: impl AsRef<Path>) -> Result<PathBuf, BuildError> {
    let model = model.as_ref();
    let file = |path: &Path, error| BuildError::File { path: path.to_path_buf(), error };
    let stem = model.file_stem().ok_or_else(|| BuildError::NoFileName { path: model.to_path_buf() })?;
    let text = std::fs::read_to_string(model).map_err(|error| file(model, error))?;
    let source = SourceText { file: &model.display().to_string(), text: &text };
    let code = expand_text(source).map_err(|error| BuildError::Model { message: error.message })?;
    let target = directory.as_ref().join(stem).with_extension("rs");
    std::fs::write(&target, code).map_err(|error| file(&target, error))?;
    Ok(target)
}

/// Expands the argument of an `include_model!`: the path of a model in quotes, relative to the package. The compiler is
/// made to expand it again when the file changes.
pub fn include(argument: TokenStream) -> TokenStream {
    let (path, span) = match path_of(argument) {
        Ok(found) => found,
        Err(span) => {
            let message = "the path of a model in quotes is expected: \"models/pendulum.dae\"";
            return compile_error(message, (span, span));
        }
    };
    // Cargo sets this; without it, the path is relative to the working directory.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let file = package.join(&path);
    let expanded =
        std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display())).and_then(|text| {
            let _tokens = PlainTokens::choose();
            expand_text(SourceText { file: &path, text: &text }).map_err(|error| error.message)
        });
    match expanded.and_then(|code| code.parse::<TokenStream>().map_err(|error| error.to_string())) {
        Ok(items) => {
            let tracked = format!("const _: &[u8] = ::core::include_bytes!({:?});", file.display().to_string());
            let mut tokens: TokenStream = tracked.parse().unwrap_or_default();
            tokens.extend(items);
            tokens
        }
        Err(message) => compile_error(&format!("\n{message}"), (span, span)),
    }
}

/// Tokens of the compiler do not know their position in a text; those of a plain program do. Tokens of the latter kind
/// are made while a value of this type lives, and only then, even if the expansion panics.
struct PlainTokens;

impl PlainTokens {
    fn choose() -> Self {
        proc_macro2::fallback::force();
        PlainTokens
    }
}

impl Drop for PlainTokens {
    fn drop(&mut self) {
        proc_macro2::fallback::unforce();
    }
}

/// The value of a single literal in plain quotes, and its span; otherwise the span at fault.
fn path_of(argument: TokenStream) -> Result<(String, Span), Span> {
    let mut tokens = argument.into_iter();
    let span = match tokens.next() {
        // Tokens that a macro of the user's passes on come in a group without delimiters.
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => return path_of(group.stream()),
        Some(TokenTree::Literal(literal)) if tokens.next().is_none() => {
            let text = literal.to_string();
            let path = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
            match path.filter(|path| !path.contains('\\')) {
                Some(path) => return Ok((path.to_string(), literal.span())),
                None => literal.span(),
            }
        }
        Some(token) => token.span(),
        None => Span::call_site(),
    };
    Err(span)
}
