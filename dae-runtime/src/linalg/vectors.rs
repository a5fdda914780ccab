//! Many vectors of the same length.
//!
//! In: their number and their length. Out: [`Vectors`], in one piece of memory.

use std::ops::{Index, IndexMut};

/// Vectors of the same length, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Vectors {
    count: usize,
    length: usize,
    entries: Vec<f64>,
}

impl Vectors {
    /// `count` vectors of zeros.
    pub(crate) fn zeros(count: usize, length: usize) -> Self {
        Vectors { count, length, entries: vec![0.0; count * length] }
    }

    /// Vectors of this length; what is missing of one is zero.
    pub(crate) fn of_length<V: AsRef<[f64]>>(length: usize, vectors: impl IntoIterator<Item = V>) -> Self {
        let mut all = Vectors { count: 0, length, entries: Vec::new() };
        for vector in vectors {
            all.count += 1;
            all.entries.extend_from_slice(vector.as_ref());
            all.entries.resize(all.count * length, 0.0);
        }
        all
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The vectors.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &[f64]> + ExactSizeIterator + Clone {
        (0..self.count).map(|i| &self[i])
    }

    /// The entries of all, vector after vector.
    pub(crate) fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// The entries of all, mutable.
    pub(crate) fn entries_mut(&mut self) -> &mut [f64] {
        &mut self.entries
    }
}

impl Index<usize> for Vectors {
    type Output = [f64];

    fn index(&self, i: usize) -> &[f64] {
        &self.entries[i * self.length..(i + 1) * self.length]
    }
}

impl IndexMut<usize> for Vectors {
    fn index_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.entries[i * self.length..(i + 1) * self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_one_after_the_other() {
        let mut vectors = Vectors::of_length(2, [vec![1.0, 2.0], vec![3.0]]);
        vectors[1][1] = 4.0;
        assert_eq!((vectors.len(), vectors.entries()), (2, &[1.0, 2.0, 3.0, 4.0][..]));
        assert_eq!(vectors.iter().map(|it| it.iter().sum::<f64>()).collect::<Vec<f64>>(), [3.0, 7.0]);
        // Vectors without entries are vectors, too.
        assert_eq!(Vectors::zeros(3, 0).iter().count(), 3);
    }
}
