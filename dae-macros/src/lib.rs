//! The macros `dae!` and `include_model!`: a doorway to `dae-symbolic`, which does the work.
//!
//! In: the tokens of a model, or the path of a file with it. Out: Rust items, or errors at the tokens at fault.

#![cfg_attr(docsrs, feature(doc_cfg))]

use proc_macro::TokenStream;

/// Turns a differential-algebraic model into a type whose formulations the runtime integrates.
///
/// The language and the generated items are described in the module `language` of the crate `dae`.
#[proc_macro]
pub fn dae(model: TokenStream) -> TokenStream {
    dae_symbolic::expand(model.into()).into()
}

/// [`dae!`] of a model in a file of its own: `include_model!("models/pendulum.dae")`, with the path relative to the
/// package. Errors give the line and column in that file.
#[proc_macro]
pub fn include_model(path: TokenStream) -> TokenStream {
    dae_symbolic::build::include(path.into()).into()
}
