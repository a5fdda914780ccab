//! SIGINT and SIGTERM.
//!
//! In: signals. Out: before anything has been computed, a signal ends the process at once; later, the first signal asks
//! the run to stop, so that what has been computed is written, and the second one ends the process. SIGHUP is not
//! handled, so that `nohup` works.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::Exit;

/// What signals have asked for.
pub(super) struct Interruption {
    /// Whether the next signal ends the process.
    fatal: Arc<AtomicBool>,
    asked: Arc<AtomicBool>,
}

impl Interruption {
    /// Starts to listen for signals.
    pub(super) fn listen() -> io::Result<Self> {
        let (fatal, asked) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicBool::new(false)));
        for signal in [SIGINT, SIGTERM] {
            // They act in this order: a signal ends the process only if `fatal` was set before it came.
            flag::register_conditional_shutdown(signal, Exit::Stopped.code().into(), fatal.clone())?;
            flag::register(signal, fatal.clone())?;
            flag::register(signal, asked.clone())?;
        }
        Ok(Interruption { fatal, asked })
    }

    /// Notes that there are results to keep.
    pub(super) fn under_way(&self) {
        if !self.is_asked_for() {
            self.fatal.store(false, Ordering::SeqCst);
        }
    }

    /// Whether the run is to stop.
    pub(super) fn is_asked_for(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }
}
