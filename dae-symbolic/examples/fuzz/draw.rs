//! Numbers that follow from a seed: SplitMix64 (Steele, Lea & Flood, *Fast splittable pseudorandom number generators*,
//! OOPSLA 2014). No library is used, because the numbers must never change: `fuzz/README.md` says which executions were
//! run, and any of them can be repeated.

/// A sequence of pseudorandom numbers.
pub(crate) struct Draw {
    state: u64,
}

impl Draw {
    /// The sequence of one execution.
    pub(crate) fn new(seed: u64, number: u64) -> Draw {
        let state = seed.wrapping_mul(0xd134_2543_de82_ef95) ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d);
        let mut draw = Draw { state };
        draw.next();
        draw
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from zero to `n - 1`; zero if `n` is zero.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// True once in `n` times on average.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// An element of a list that is not empty.
    pub(crate) fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// An element of a list; `None` if it is empty.
    pub(crate) fn choose<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }
}
