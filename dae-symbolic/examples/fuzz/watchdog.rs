//! Inputs that do not come to an end.
//!
//! In: the beginning and end of every execution. Out: an input for which its thread has been *running* for three times
//! the limit is written to `fuzz/found/`, and the process ends: nothing else stops a thread. Where the system does not
//! tell how long a thread was running, elapsed time counts, with a margin for a busy machine.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::corpus::keep;

/// The current execution, when it began, and for how long its thread had been running when it was first found to be slow.
struct Current {
    since: Instant,
    number: u64,
    input: String,
    slow: Option<Duration>,
}

/// A thread that looks at the clock.
pub(crate) struct Watchdog {
    current: Arc<Mutex<Option<Current>>>,
}

impl Watchdog {
    /// Watches the calling thread, every half second.
    pub(crate) fn start(limit: Duration) -> Self {
        let current = Arc::new(Mutex::new(None::<Current>));
        let watched = Arc::clone(&current);
        let clock = Clock::of_this_thread();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(500));
                let mut current = watched.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(current) = current.as_mut() else { continue };
                if current.since.elapsed() < limit {
                    continue;
                }
                let is_over = match clock.running() {
                    Some(now) => now.saturating_sub(*current.slow.get_or_insert(now)) > 2 * limit,
                    None => current.since.elapsed() > 60 * limit,
                };
                if is_over {
                    let (number, file) = (current.number, keep("found", &current.input));
                    println!("execution {number} does not end\n  {}", file.display());
                    std::process::exit(2);
                }
            }
        });
        Watchdog { current }
    }

    /// Execution `number` begins.
    pub(crate) fn begin(&self, number: u64, input: &str) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        *current = Some(Current { since: Instant::now(), number, input: input.to_string(), slow: None });
    }

    /// The current execution has ended.
    pub(crate) fn end(&self) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// How long a thread was running, as Linux counts it.
pub(crate) struct Clock {
    file: Option<PathBuf>,
}

impl Clock {
    pub(crate) fn of_this_thread() -> Clock {
        // The link leads to the number of the thread, so that others can look.
        let thread = std::fs::read_link("/proc/thread-self").ok();
        Clock { file: thread.map(|thread| Path::new("/proc").join(thread).join("schedstat")) }
    }

    pub(crate) fn running(&self) -> Option<Duration> {
        let text = std::fs::read_to_string(self.file.as_ref()?).ok()?;
        text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
    }
}
