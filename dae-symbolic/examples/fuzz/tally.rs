//! What executions have reached so far.

use std::fmt;
use std::time::{Duration, Instant};

use crate::exercise::Reached;

/// Counts.
pub(crate) struct Tally {
    start: u64,
    begin: Instant,
    /// By how far they got.
    reached: [u64; 4],
    /// How long it took, and which.
    slowest: (Duration, u64),
    /// Panics and what took too long.
    pub(crate) findings: u64,
}

impl Tally {
    pub(crate) fn new(start: u64) -> Tally {
        Tally { start, begin: Instant::now(), reached: [0; 4], slowest: (Duration::ZERO, 0), findings: 0 }
    }

    pub(crate) fn count(&mut self, reached: &Reached) {
        self.reached[reached.depth()] += 1;
    }

    pub(crate) fn time(&mut self, time: Duration, number: u64) {
        self.slowest = self.slowest.max((time, number));
    }

    pub(crate) fn executions(&self) -> u64 {
        self.reached.iter().sum()
    }

    pub(crate) fn add(&mut self, other: &Tally) {
        self.reached.iter_mut().zip(other.reached).for_each(|(sum, count)| *sum += count);
        self.slowest = self.slowest.max(other.slowest);
        self.findings += other.findings;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let executions = self.executions();
        let rate = executions as f64 / self.begin.elapsed().as_secs_f64();
        let [unreadable, rejected, analysed, certified] = self.reached;
        let (time, number) = self.slowest;
        write!(
            f,
            "{executions} executions from {}, {rate:.0} per second; unreadable {unreadable}, ill-posed {rejected}, analysed {analysed}, \
             with an index {certified}; slowest {:.2} s (#{number}), findings {}",
            self.start,
            time.as_secs_f64(),
            self.findings
        )
    }
}
