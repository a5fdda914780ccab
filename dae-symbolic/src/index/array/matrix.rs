//! The Jacobian of the array at a point: its blocks and their ranks.
//!
//! In: the linearised array. Out: [`ArrayRanks`] for any number of differentiations up to that of the array: numerical
//! ones with the gap that supports them, or exact ones of a prime field.

use dae_runtime::matrix::Matrix;
use dae_runtime::rank::{Confidence, RankError, block_ranks_scaled_by};

use super::derivative_array::{DerivativeArray, Linearised};
use super::taylor::Residue;
use crate::expr::prime_field::sparse_rank;

/// The number of floating-point operations to decompose a matrix, roughly: most entries are zero.
pub(super) fn decomposition(rows: usize, columns: usize) -> u64 {
    (rows * columns * rows.min(columns) / 10) as u64
}

/// Ranks of the derivative array with $m$ differentiations at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArrayRanks {
    /// $m$.
    pub differentiations: u32,
    /// Number of rows.
    pub rows: usize,
    /// Number of unknowns, the size of $u'$.
    pub unknowns: usize,
    /// Number of states, the size of $u$.
    pub states: usize,
    /// $\operatorname{rank} G_w$.
    pub higher: usize,
    /// $\operatorname{rank} (G_{u'}, G_w)$.
    pub rates: usize,
    /// $\operatorname{rank} (G_u, G_{u'}, G_w)$.
    pub all: usize,
    /// The ratio of the smallest kept to the largest dropped pivot, the worst of the three ranks; infinite for exact
    /// ranks.
    pub gap: f64,
    /// The ratio of the largest dropped pivot to the largest pivot; zero for exact ranks.
    pub dropped: f64,
    /// Whether the ranks can be trusted.
    pub clear: bool,
}

impl ArrayRanks {
    /// A1: $u'$ is determined by $t$ and $u$.
    pub fn is_one_full(&self) -> bool {
        self.rates == self.unknowns + self.higher
    }

    /// A3: no row depends on the others.
    pub fn has_full_row_rank(&self) -> bool {
        self.all == self.rows
    }

    /// Dimension of the set of states that are consistent with the array.
    pub fn manifold_dimension(&self) -> usize {
        self.states + self.rates - self.all
    }

    /// Whether all three ranks equal those of `other`.
    pub fn agrees_with(&self, other: &ArrayRanks) -> bool {
        (self.higher, self.rates, self.all) == (other.higher, other.rates, other.all)
    }
}

/// $(G_w, G_{u'}, G_u)$ at a point: columns in this order, $w$ from its highest derivatives down.
#[derive(Clone, Debug)]
pub struct ArrayJacobian {
    /// Values.
    pub values: Matrix,
    /// The values without the entries that cannot be told from zero.
    pub certain: Matrix,
    /// Numbers of columns of $G_w$, $G_{u'}$ and $G_u$.
    pub widths: [usize; 3],
    differentiations: u32,
}

/// The columns of the jets.
pub(super) struct Columns {
    /// Columns by unknown and order.
    place: Vec<Vec<usize>>,
    pub(super) widths: [usize; 3],
}

impl Columns {
    pub(super) fn new(array: &DerivativeArray, m: u32) -> Columns {
        let n = array.rates.len();
        let mut place: Vec<Vec<usize>> = array.rates.iter().map(|&rate| vec![0; (rate + m) as usize + 1]).collect();
        let mut next = 0;
        for above in (0..=m as usize).rev() {
            for j in 0..n {
                place[j][array.rates[j] as usize + above] = next;
                next += 1;
            }
        }
        for j in 0..n {
            for order in (0..array.rates[j] as usize).rev() {
                place[j][order] = next;
                next += 1;
            }
        }
        Columns { place, widths: [n * m as usize, n, array.states()] }
    }

    pub(super) fn of(&self, unknown: usize, order: usize) -> usize {
        self.place[unknown][order]
    }

    pub(super) fn count(&self) -> usize {
        self.widths.iter().sum()
    }
}

impl ArrayJacobian {
    /// The rows with at most `m` differentiations. `moved` is the array at jets that differ from those of `at` by their
    /// uncertainty: entries that this change could make zero are zero in `certain`.
    pub fn new(array: &DerivativeArray, at: &Linearised<f64>, moved: &Linearised<f64>, m: u32) -> ArrayJacobian {
        let columns = Columns::new(array, m);
        let count = array.equations.len();
        let filled = |at: &Linearised<f64>| {
            let mut matrix = Matrix::zeros(count * (m as usize + 1), columns.count());
            array.entries(at, m, |l, i, j, k, value| matrix[(l * count + i, columns.of(j, k))] += value);
            matrix
        };
        let (values, moved) = (filled(at), filled(moved));
        let keep = |x: f64, y: f64| if x.abs() <= (y - x).abs() { 0.0 } else { x };
        // A coefficient such as √2·√3 - √6 does not move with the jets, and is zero all the same.
        let rounding: Vec<f64> =
            (0..values.rows()).map(|row| array.limits.entry * values.largest_in_row(row)).collect();
        let certain = Matrix::from_fn(values.rows(), values.columns(), |i, j| {
            let kept = keep(values[(i, j)], moved[(i, j)]);
            if kept.abs() <= rounding[i] { 0.0 } else { kept }
        });
        ArrayJacobian { values, certain, widths: columns.widths, differentiations: m }
    }

    /// The ranks; clear if dropped pivots are no larger than rounding, and entries that cannot be told from zero do not
    /// matter.
    pub fn ranks(&self, states: usize, unknowns: usize) -> Result<ArrayRanks, RankError> {
        let found = block_ranks_scaled_by(&self.values, &self.certain, &self.widths)?;
        let mut clear = found.iter().all(|rank| rank.confidence == Confidence::Clear);
        if clear && self.certain != self.values {
            let certain = block_ranks_scaled_by(&self.certain, &self.certain, &self.widths)?;
            clear = found.iter().zip(&certain).all(|(a, b)| a.rank == b.rank);
        }
        Ok(ArrayRanks {
            differentiations: self.differentiations,
            rows: self.values.rows(),
            unknowns,
            states,
            higher: found[0].rank,
            rates: found[1].rank,
            all: found[2].rank,
            gap: found.iter().map(|rank| rank.gap).fold(f64::INFINITY, f64::min),
            dropped: found
                .iter()
                .map(|rank| rank.largest_dropped / (rank.smallest_kept * rank.condition))
                .fold(0.0, f64::max),
            clear,
        })
    }
}

/// The rows with at most `m` differentiations over the prime field, columns in the order of [`ArrayJacobian`].
pub(super) fn exact_rows(array: &DerivativeArray, at: &Linearised<Residue>, m: u32) -> Vec<Vec<(usize, u64)>> {
    let columns = Columns::new(array, m);
    let count = array.equations.len();
    let mut rows: Vec<Vec<(usize, u64)>> = vec![Vec::new(); count * (m as usize + 1)];
    array.entries(at, m, |l, i, j, k, value| {
        if value.0 != 0 {
            rows[l * count + i].push((columns.of(j, k), value.0));
        }
    });
    rows
}

impl DerivativeArray {
    /// All rows over the prime field, as lists of column and residue.
    pub fn exact_rows(&self, at: &Linearised<Residue>) -> Vec<Vec<(usize, u64)>> {
        exact_rows(self, at, self.differentiations)
    }
}

/// Exact ranks of the rows with at most `m` differentiations.
pub(super) fn exact_ranks(array: &DerivativeArray, at: &Linearised<Residue>, m: u32) -> ArrayRanks {
    let columns = Columns::new(array, m);
    let rows = exact_rows(array, at, m);
    let [higher, rates, _] = columns.widths;
    let below = |end: usize| {
        let part = |row: &Vec<(usize, u64)>| row.iter().copied().filter(|&(column, _)| column < end).collect();
        sparse_rank(&rows.iter().map(part).collect::<Vec<_>>())
    };
    ArrayRanks {
        differentiations: m,
        rows: rows.len(),
        unknowns: array.rates.len(),
        states: array.states(),
        higher: below(higher),
        rates: below(higher + rates),
        all: below(columns.count()),
        gap: f64::INFINITY,
        dropped: 0.0,
        clear: true,
    }
}
