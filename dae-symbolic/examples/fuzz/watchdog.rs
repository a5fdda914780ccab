//! Inputs that do not come to an end.
//!
//! In: the beginning and end of every execution. Out: an input that has been running for sixty times the limit (the machine may be busy) is written to
//! `fuzz/found/`, and the process ends: nothing else stops a thread.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::corpus::keep;

/// What runs, since when.
type Current = Option<(Instant, u64, String)>;

/// A thread that looks at the clock.
pub(crate) struct Watchdog {
    current: Arc<Mutex<Current>>,
}

impl Watchdog {
    /// Looks every half second.
    pub(crate) fn start(limit: Duration) -> Self {
        let current = Arc::new(Mutex::new(Current::None));
        let watched = Arc::clone(&current);
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(500));
                let current = watched.lock().unwrap_or_else(PoisonError::into_inner);
                let Some((since, number, input)) = current.as_ref() else { continue };
                if since.elapsed() > 60 * limit {
                    let file = keep("found", input);
                    eprintln!(
                        "execution {number} does not end\n  {}\nresume with --start {}",
                        file.display(),
                        number + 1
                    );
                    std::process::exit(2);
                }
            }
        });
        Watchdog { current }
    }

    /// Execution `number` begins.
    pub(crate) fn begin(&self, number: u64, input: &str) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        *current = Some((Instant::now(), number, input.to_string()));
    }

    /// It has ended.
    pub(crate) fn end(&self) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
