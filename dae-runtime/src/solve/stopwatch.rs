//! Wall-clock time, where there is a clock.
//!
//! In: the start of a piece of work. Out: seconds since then; none on WebAssembly without an operating system, in a
//! browser for instance, where the clock of the standard library panics.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant;

/// A clock that runs from its construction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch {
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    start: Instant,
}

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
impl Stopwatch {
    pub(crate) fn start() -> Self {
        Stopwatch { start: Instant::now() }
    }

    /// Seconds since the start; `None` without a clock.
    pub(crate) fn seconds(&self) -> Option<f64> {
        Some(self.start.elapsed().as_secs_f64())
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
impl Stopwatch {
    pub(crate) fn start() -> Self {
        Stopwatch {}
    }

    /// Seconds since the start; `None` without a clock.
    pub(crate) fn seconds(&self) -> Option<f64> {
        None
    }
}
