//! The symbolic layer.
