//! The language: rejected texts with what is printed about them, accepted ones with their meaning.

#![cfg(feature = "syntax")]

#[path = "language/accepted.rs"]
mod accepted;
#[path = "language/choices.rs"]
mod choices;
#[path = "language/families.rs"]
mod families;
#[path = "language/grammar.rs"]
mod grammar;
#[path = "language/limits.rs"]
mod limits;
#[path = "language/rejected.rs"]
mod rejected;
#[cfg(feature = "terminal")]
#[path = "language/styled.rs"]
mod styled;
