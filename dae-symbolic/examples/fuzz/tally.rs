//! What executions have reached so far.

use std::fmt;
use std::time::{Duration, Instant};

use crate::exercise::Reached;
use crate::mutate::Level;

/// Counts of executions; those that panic are counted only as findings.
pub(crate) struct Tally {
    start: u64,
    begin: Instant,
    /// Executions by how far they got (`Reached::depth`), for inputs changed as texts and for those changed as models.
    reached: [[u64; 5]; 2],
    /// The slowest execution: its time and number.
    slowest: (Duration, u64),
    /// Panics, and inputs that took too long.
    pub(crate) findings: u64,
}

impl Tally {
    pub(crate) fn new(start: u64) -> Tally {
        Tally { start, begin: Instant::now(), reached: [[0; 5]; 2], slowest: (Duration::ZERO, 0), findings: 0 }
    }

    pub(crate) fn count(&mut self, reached: &Reached, level: Level) {
        self.reached[usize::from(level == Level::Model)][reached.depth()] += 1;
    }

    pub(crate) fn time(&mut self, time: Duration, number: u64) {
        self.slowest = self.slowest.max((time, number));
    }

    pub(crate) fn executions(&self) -> u64 {
        self.reached.iter().flatten().sum()
    }

    pub(crate) fn add(&mut self, other: &Tally) {
        let sums = self.reached.iter_mut().flatten();
        sums.zip(other.reached.iter().flatten()).for_each(|(sum, count)| *sum += count);
        self.slowest = self.slowest.max(other.slowest);
        self.findings += other.findings;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let executions = self.executions();
        let rate = executions as f64 / self.begin.elapsed().as_secs_f64();
        let (time, number) = self.slowest;
        write!(f, "{executions} executions from {}, {rate:.0} per second", self.start)?;
        for (name, [unreadable, readable, rejected, analysed, certified]) in
            ["texts", "models"].iter().zip(self.reached)
        {
            write!(
                f,
                "; {name}: unreadable {unreadable}, readable {readable}, ill-posed {rejected}, analysed {analysed}, \
                 with an index {certified}"
            )?;
        }
        write!(f, "; slowest {:.2} s (#{number}), findings {}", time.as_secs_f64(), self.findings)
    }
}
