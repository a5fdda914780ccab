//! Random numbers that are the same on every machine.
//!
//! In: a seed. Out: SplitMix64 (Steele, Lea & Flood, OOPSLA 2014) and small draws from it. No library is used, because
//! a system is known by the name of its generator and its number, as in the file names of `fuzz/corpus`, and has to
//! stay the same.

/// A generator of random numbers.
pub(crate) struct Random {
    state: u64,
}

impl Random {
    /// The random numbers for system `number` of the generator `name`; another `base` gives another system.
    pub(crate) fn of_system(name: &str, base: u64, number: u64) -> Self {
        // The FNV-1a hash of the name keeps the numbers of generators apart, and mixing after each part keeps those of
        // systems apart.
        let name =
            name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        let mixed = |state: u64, part: u64| Random { state: state ^ part }.next();
        Random { state: [base, number].into_iter().fold(name, mixed) }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of $0, \dots, n - 1$; 0 if $n = 0$.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// One of `low`, …, `high`.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high + 1 - low)
    }

    /// True with probability $1/n$.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// A small integer other than zero.
    pub(crate) fn nonzero(&mut self) -> i64 {
        *self.choose(&[-3, -2, -1, 1, 2, 3])
    }

    /// A multiple of $1/64$ in $[-1, 1]$.
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.below(129) as f64 - 64.0) / 64.0
    }

    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}
