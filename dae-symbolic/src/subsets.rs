//! Subsets of a given size.
//!
//! In: the size of the subsets and of the set. Out: all such sets of positions, ascending, in lexicographic order (D.
//! E. Knuth, *The Art of Computer Programming* 4A, sect. 7.2.1.3, algorithm L), one after the other, since their number
//! may be huge.

/// The sets of `count` of the positions `0..of`, each ascending; none if there are fewer positions.
pub(crate) fn subsets(of: usize, count: usize) -> impl Iterator<Item = Vec<usize>> {
    let first: Option<Vec<usize>> = (count <= of).then(|| (0..count).collect());
    std::iter::successors(first, move |chosen| {
        let place = (0..count).rev().find(|&k| chosen[k] < of - count + k)?;
        let mut next = chosen.clone();
        next[place] += 1;
        (place + 1..count).for_each(|k| next[k] = next[k - 1] + 1);
        Some(next)
    })
}

#[cfg(test)]
mod tests {
    use super::subsets;

    #[test]
    fn all_of_them_in_order() {
        let list: Vec<Vec<usize>> = subsets(4, 2).collect();
        assert_eq!(list, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(subsets(10, 4).count(), 210);
        assert_eq!(subsets(3, 3).collect::<Vec<_>>(), [[0, 1, 2]]);
        assert_eq!(subsets(3, 0).collect::<Vec<_>>(), [[0; 0]]);
        assert_eq!(subsets(2, 3).count(), 0);
    }
}
