//! The command `dae`: the index report of a model, its generated code, a simulation without a compiler.
//!
//! In: the body of a `dae!` in a `.dae` file. Out: text or JSON on stdout, messages on stderr, and an exit code (see
//! [`cli::Exit`]).

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run().into()
}
