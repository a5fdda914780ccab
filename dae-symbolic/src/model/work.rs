//! What the analysis of a model may cost.
//!
//! In: a number of operations, and how many are done. Out: whether any are left. Operations are counted where their
//! number cannot be bounded in advance, before a search or a decomposition is done, from its dimensions: so the same
//! model always gets the same answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of floating-point operations, roughly, that are left for the analysis of a model. Clones share it, so
/// that parts and variants of a model are analysed at the expense of the same total.
#[derive(Clone, Debug)]
pub struct Work {
    left: Arc<AtomicU64>,
}

impl Work {
    /// An allowance of `operations`.
    pub fn new(operations: u64) -> Self {
        Work { left: Arc::new(AtomicU64::new(operations)) }
    }

    /// Counts operations.
    pub fn spend(&self, operations: u64) {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(operations), Ordering::Relaxed);
    }

    /// Counts operations on numbers with many binary digits.
    pub fn spend_with_digits(&self, operations: u64, digits: u64) {
        let words = digits / 64;
        self.spend((5 + words * words / 8) * operations);
    }

    /// Whether no operations are left.
    pub fn is_spent(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }
}

impl Default for Work {
    /// As many as are needed.
    fn default() -> Self {
        Work::new(u64::MAX)
    }
}
