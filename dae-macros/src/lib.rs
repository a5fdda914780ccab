//! The `dae!` macro: a doorway to `dae-symbolic`, which does the work.
//!
//! In: the tokens of a model. Out: Rust items, or errors at the tokens at fault.

use proc_macro::TokenStream;

/// Turns a differential-algebraic model into a type whose formulations the runtime integrates.
///
/// The grammar and the generated items are described in the documentation of the crate `dae`.
#[proc_macro]
pub fn dae(model: TokenStream) -> TokenStream {
    dae_symbolic::expand(model.into()).into()
}
