//! Interval arithmetic.
