//! The `dae!` macro.
