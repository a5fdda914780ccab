//! Index and degrees of freedom of linear systems with constant coefficients, by definition.
//!
//! In: rows $\sum_{j,k} a_{ijk}\, x_j^{(k)} = g_i(t)$ with integers $a_{ijk}$. Out: the least $m$ for which the array
//! of $m$ derivatives of every row is 1-full with respect to $u' = (x_j^{(\max(p_j, 1))})_j$,
//! $\operatorname{rank}(G_{u'}, G_w) = n + \operatorname{rank} G_w$ (Campbell & Gear, *Numer. Math.* 72, 1995), and the
//! dimension of the set of consistent states. Ranks are computed modulo a large prime; they are those over the
//! rationals unless the prime divides an invariant factor of the matrix, which is most unlikely for integers as small
//! as these.

use crate::case::Truth;
use crate::polynomial::Poly;

/// $2^{61} - 1$.
const PRIME: u64 = (1 << 61) - 1;

/// Index and degrees of freedom by the derivative array; `None` if no array is 1-full: the pencil is singular.
pub(crate) fn truth_of(unknowns: usize, rows: &[Poly]) -> Option<Truth> {
    let jets: Vec<Vec<(usize, u32)>> = rows.iter().map(Poly::jets).collect();
    let order = |j: usize| jets.iter().flatten().filter(|jet| jet.0 == j).map(|jet| jet.1).max().unwrap_or(0);
    let states: Vec<u32> = (0..unknowns).map(|j| order(j).max(1)).collect();
    let total: u32 = states.iter().sum();
    // A regular pencil has index at most the number of its states.
    let most = total + 1;
    let array = Array::new(&states, rows, most);
    let index = (0..most).find(|&m| array.is_one_full(m))?;
    // No index is this large, so that further differentiations would add no constraint on the states.
    let constraints = array.rank_above(most, i64::MIN) - array.rank_above(most, 0);
    Some(Truth::WellPosed { index, degrees: total as usize - constraints })
}

/// A derivative array: its rows, each with the number of differentiations and its entries.
struct Array {
    unknowns: usize,
    rows: Vec<(u32, Vec<Entry>)>,
}

/// The unknown $j$, the order minus $\max(p_j, 1)$, and the coefficient.
type Entry = (usize, i64, i64);

impl Array {
    fn new(states: &[u32], rows: &[Poly], most: u32) -> Self {
        let mut array = Array { unknowns: states.len(), rows: Vec::new() };
        for row in rows {
            let jets = row.jets();
            for m in 0..=most {
                let entry =
                    |&(j, k): &(usize, u32)| (j, i64::from(k + m) - i64::from(states[j]), row.linear_coefficient(j, k));
                array.rows.push((m, jets.iter().map(entry).collect()));
            }
        }
        array
    }

    /// The rank of the columns of orders at least $\max(p_j, 1) +$ `above`, in the array of $m$ differentiations.
    fn rank_above(&self, m: u32, above: i64) -> usize {
        let mut columns = std::collections::BTreeMap::new();
        let mut matrix: Vec<Vec<(usize, u64)>> = Vec::new();
        for (_, entries) in self.rows.iter().filter(|(differentiations, _)| *differentiations <= m) {
            let mut row = Vec::new();
            for &(j, order, coefficient) in entries.iter().filter(|&&(_, order, _)| order >= above) {
                let next = columns.len();
                let column = *columns.entry((order, j)).or_insert(next);
                row.push((column, coefficient.rem_euclid(PRIME as i64) as u64));
            }
            matrix.push(row);
        }
        let width = columns.len();
        let dense = matrix.into_iter().map(|row| {
            let mut values = vec![0; width];
            row.into_iter().for_each(|(column, value)| values[column] = value);
            values
        });
        rank(dense.collect())
    }

    fn is_one_full(&self, m: u32) -> bool {
        self.rank_above(m, 0) == self.unknowns + self.rank_above(m, 1)
    }
}

/// The rank by Gaussian elimination modulo `PRIME`.
fn rank(mut rows: Vec<Vec<u64>>) -> usize {
    let width = rows.first().map_or(0, Vec::len);
    let mut rank = 0;
    for column in 0..width {
        let Some(pivot) = (rank..rows.len()).find(|&row| rows[row][column] != 0) else { continue };
        rows.swap(rank, pivot);
        let (done, rest) = rows.split_at_mut(rank + 1);
        let pivot = &done[rank];
        let inverse = power(pivot[column], PRIME - 2);
        for row in rest.iter_mut().filter(|row| row[column] != 0) {
            let factor = PRIME - product(row[column], inverse);
            for (value, above) in row.iter_mut().zip(pivot).skip(column) {
                *value = (*value + product(factor, *above)) % PRIME;
            }
        }
        rank += 1;
    }
    rank
}

fn product(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = product(result, base);
        }
        base = product(base, base);
        exponent >>= 1;
    }
    result
}
