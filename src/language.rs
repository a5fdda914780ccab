//! The language.
