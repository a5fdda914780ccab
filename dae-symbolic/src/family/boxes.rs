//! Boxes of points with equal keys.
//!
//! In: a key for each point of a box, row by row. Out: smaller boxes that cover it, each with one key. In each
//! dimension, the innermost first, neighbours that agree are joined. The work is nearly linear, and a box of $k$
//! dimensions whose keys differ at its faces alone becomes $3^k$ boxes, whatever its size.

use std::collections::HashMap;

/// A box and the key of its points.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Box {
    /// First and one past the last value in each dimension.
    pub domain: Vec<(i64, i64)>,
    /// The key of all its points.
    pub key: usize,
}

impl Box {
    /// Number of points.
    pub fn size(&self) -> usize {
        self.domain.iter().map(|(start, end)| usize::try_from(end - start).unwrap_or(0)).product()
    }
}

/// Covers a box by smaller ones with one key each, in the order of their first points; `keys` has one entry per point.
pub fn boxes(whole: &[(i64, i64)], keys: &[usize]) -> Vec<Box> {
    let mut rows: Vec<Vec<Box>> = keys.iter().map(|&key| vec![Box { domain: Vec::new(), key }]).collect();
    for &(start, end) in whole.iter().rev() {
        let length = usize::try_from(end - start).unwrap_or(0).max(1);
        rows = rows.chunks(length).map(|row| join(start, row)).collect();
    }
    let mut all: Vec<Box> = rows.into_iter().flatten().collect();
    all.sort();
    all
}

/// Joins the boxes of neighbouring values of one loop variable that are equal in all inner dimensions.
fn join(start: i64, row: &[Vec<Box>]) -> Vec<Box> {
    let mut done: Vec<Box> = Vec::new();
    let mut open: HashMap<&Box, usize> = HashMap::new();
    for (i, inner) in (start..).zip(row) {
        for member in inner {
            match open.get(member) {
                Some(&at) if done[at].domain[0].1 == i => done[at].domain[0].1 = i + 1,
                _ => {
                    let domain = std::iter::once((i, i + 1)).chain(member.domain.iter().copied()).collect();
                    open.insert(member, done.len());
                    done.push(Box { domain, key: member.key });
                }
            }
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_one_dimension() {
        let found = boxes(&[(2, 8)], &[1, 1, 0, 0, 0, 1]);
        let expected = [((2, 4), 1), ((4, 7), 0), ((7, 8), 1)];
        assert_eq!(found, expected.map(|(ends, key)| Box { domain: vec![ends], key }));
    }

    #[test]
    fn faces_of_a_square_make_nine_boxes() {
        for n in [3_i64, 4, 30] {
            let place = |i: i64| usize::from(i > 0) + usize::from(i == n - 1);
            let keys: Vec<usize> = (0..n * n).map(|k| 3 * place(k / n) + place(k % n)).collect();
            let found = boxes(&[(0, n), (0, n)], &keys);
            assert_eq!(found.len(), 9);
            assert_eq!(found.iter().map(Box::size).sum::<usize>(), keys.len());
        }
    }

    #[test]
    fn a_diagonal_is_made_of_points() {
        let keys: Vec<usize> = (0..16).map(|k| usize::from(k / 4 == k % 4)).collect();
        let found = boxes(&[(0, 4), (0, 4)], &keys);
        assert_eq!(found.iter().filter(|b| b.key == 1).count(), 4);
        assert_eq!(found.iter().map(Box::size).sum::<usize>(), 16);
        let at = |i: i64, j: i64| found.iter().filter(|b| contains(b, &[i, j])).map(|b| b.key).collect::<Vec<_>>();
        for k in 0..16 {
            assert_eq!(at(k / 4, k % 4), [keys[k as usize]]);
        }
    }

    #[test]
    fn a_scalar_is_one_box() {
        assert_eq!(boxes(&[], &[7]), [Box { domain: Vec::new(), key: 7 }]);
    }

    fn contains(it: &Box, point: &[i64]) -> bool {
        it.domain.iter().zip(point).all(|((start, end), i)| (*start..*end).contains(i))
    }
}
