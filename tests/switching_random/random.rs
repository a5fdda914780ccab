//! Numbers drawn from a seed.
//!
//! In: a seed. Out: pseudorandom numbers (S. Vigna's SplitMix64), the same on every machine. No library is used,
//! because the sequence has to stay the same: README gives the results of 50,004 runs with it, and of as many with
//! another seed.

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// A number between `lo` and `hi`, rounded to four digits, so that its text is exact.
    pub(crate) fn between(&mut self, lo: f64, hi: f64) -> f64 {
        let x = lo + (hi - lo) * (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        format!("{x:.3e}").parse().expect("a number")
    }

    pub(crate) fn choose<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}
