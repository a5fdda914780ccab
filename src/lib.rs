//! Differential-algebraic equations written in Rust.
