//! Executions that do not end.
//!
//! In: the beginning and end of every execution. Out: if the thread of an execution goes on *running* for more than
//! twice the limit after the limit has elapsed, the input is written to `fuzz/found/`, and the process ends, because
//! nothing else stops a thread. Where the system does not tell how long a thread has been running, elapsed time counts,
//! with a margin for a busy machine.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::clock::Clock;
use crate::corpus::keep;

/// The current execution: when it began, its number, its input, and the running time of its thread ([`Clock`]) when it
/// was first found to exceed the limit, `None` before.
struct Current {
    since: Instant,
    number: u64,
    input: String,
    slow: Option<Duration>,
}

/// The current execution of a thread, which another thread watches.
pub(crate) struct Watchdog {
    current: Arc<Mutex<Option<Current>>>,
}

impl Watchdog {
    /// Starts a thread that looks at the calling thread's current execution every half second.
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
