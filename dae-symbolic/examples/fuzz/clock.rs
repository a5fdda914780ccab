//! The time for which a thread has been running.
//!
//! In: a thread, or work that it does. Out: its running time, in which other processes have no part.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The time for which a thread has been running since it began, as Linux counts it.
pub(crate) struct Clock {
    file: Option<PathBuf>,
}

impl Clock {
    /// The clock of the calling thread, which any thread can read.
    pub(crate) fn of_this_thread() -> Clock {
        // The target of the link contains the number of this thread.
        let thread = std::fs::read_link("/proc/thread-self").ok();
        Clock { file: thread.map(|thread| Path::new("/proc").join(thread).join("schedstat")) }
    }

    /// The time so far; `None` where the system does not tell it.
    pub(crate) fn running(&self) -> Option<Duration> {
        let text = std::fs::read_to_string(self.file.as_ref()?).ok()?;
        text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
    }
}

/// The time for which the calling thread is running while it executes `run`; elapsed time where the system does not
/// tell.
pub(crate) fn processor_time(clock: &Clock, run: impl FnOnce()) -> Duration {
    let (start, before) = (Instant::now(), clock.running());
    run();
    before.zip(clock.running()).map_or_else(|| start.elapsed(), |(before, after)| after - before)
}
