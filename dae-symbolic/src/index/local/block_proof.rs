//! A consistent point and regularity there, proved in interval arithmetic block by block.
//!
//! In: the prolongation $g(X) = 0$ and jets $\tilde X$ that fulfil it to rounding. Out: a radius as in `proof.rs`,
//! whatever the number of equations, if the blocks in which they can be solved one after the other are small.
//!
//! A block is some equations $R$ and as many jets $D$; the other jets in them belong to earlier blocks, keep their
//! values, or occur with a factor that vanishes at $\tilde X$. Krawczyk's operator with the block-diagonal
//! preconditioner made of $C \approx g_{R,D}(\tilde X)^{-1}$ is, for one block,
//!
//! $$ K = - C\, g_R(\tilde X) - C \sum_{j \notin D} g_{R,j}(\mathbf X) (\mathbf X_j - \tilde X_j) + (I - C\, g_{R,D}(\mathbf X)) (\mathbf X_D - \tilde X_D). $$
//!
//! If it lies in the interior of $\mathbf X_D - \tilde X_D$ for every block, $X \mapsto X - C g(X)$ maps the box into
//! itself, and has a fixed point there, at which $g = 0$, because every $C$ is nonsingular. The radii are those of the
//! same recursion in floating-point arithmetic, block after block, with a margin. The system Jacobian is nonsingular in
//! the box if every block on the diagonal of its block-triangular form is.

use dae_runtime::contract::{Prolongation, Start};
use dae_runtime::structure::{
    Incidence, Matching, Part, block_triangular_form, connected_components, dulmage_mendelsohn,
};
use nalgebra::DMatrix;

use super::enclosures::{Enclosures, around, top_stage};
use crate::expr::interval::Interval;
use crate::index::limits;

/// Equations and the jets, equally many, that they determine once the jets of earlier blocks are known.
struct Block {
    rows: Vec<usize>,
    jets: Vec<usize>,
    /// $C$.
    inverse: DMatrix<f64>,
}

impl Enclosures<'_> {
    /// The radius, relative to the size of each jet (at least 1), of a box around the jets in which there is a
    /// consistent point with a regular system Jacobian.
    pub(super) fn regular_block_by_block(&self, jets: &[f64]) -> Option<f64> {
        let midpoint = self.midpoint(jets);
        let rows = Rows::new(self, &midpoint);
        let blocks = self.blocks_in_order(&rows)?;
        let residual = self.residual(&midpoint);
        self.limits.margins.into_iter().find_map(|margin| {
            let radii = radii(&blocks, &rows, &residual, jets, (margin, self.limits.least_radius));
            let relative = |(radius, x): (&f64, &f64)| radius / x.abs().max(1.0);
            let radius = radii.iter().zip(jets).map(relative).fold(0.0, f64::max);
            // A comparison with NaN is false.
            let meaningful = radius <= self.limits.most_radius;
            if !meaningful {
                return None;
            }
            let deviation: Vec<Interval> = radii.iter().map(|&radius| around(0.0, radius)).collect();
            let enclosure: Vec<Interval> = midpoint.iter().zip(&deviation).map(|(&middle, &by)| middle + by).collect();
            let jacobian = Rows::new(self, &enclosure);
            let proved = self.is_continuous(&enclosure)
                && self.has_all_branches(&enclosure)
                && blocks.iter().all(|block| maps_into_itself(block, &jacobian, &residual, &deviation))
                && self.nonsingular_block_by_block(&rows, &jacobian);
            proved.then_some(radius)
        })
    }

    /// Whether there are blocks that are small enough for a proof.
    pub(super) fn falls_into_blocks(&self, jets: &[f64]) -> bool {
        self.blocks_in_order(&Rows::new(self, &self.midpoint(jets))).is_some()
    }

    /// The blocks of every stage in order of solution; `None` if one is too large or singular, or fixed values leave an
    /// equation without a jet.
    fn blocks_in_order(&self, rows: &Rows) -> Option<Vec<Block>> {
        let description = self.prolonged.prolongation_description();
        let mut stages: Vec<i32> = description.equations.iter().map(|equation| equation.stage).collect();
        stages.sort_unstable();
        stages.dedup();
        let mut blocks = Vec::new();
        for stage in stages {
            let equations: Vec<usize> =
                (0..description.equations.len()).filter(|&i| description.equations[i].stage == stage).collect();
            let may_move = |j: usize| description.jets[j].stage == stage && description.jets[j].start != Start::Fixed;
            let pattern = rows.pattern(&equations, description.jets.len(), may_move)?;
            let parts = dulmage_mendelsohn(&pattern);
            if !parts.overdetermined.equations.is_empty() {
                return None;
            }
            for (own_rows, jets) in in_order(&pattern, &parts.square, self.limits)? {
                let own_rows = own_rows.into_iter().map(|i| equations[i]).collect();
                blocks.push(Block::new(rows, own_rows, jets)?);
            }
            let under = restricted(&pattern, &parts.underdetermined)?;
            for part in connected_components(&under) {
                let own_rows: Vec<usize> =
                    part.equations.iter().map(|&i| equations[parts.underdetermined.equations[i]]).collect();
                let candidates: Vec<usize> = part.unknowns.iter().map(|&j| parts.underdetermined.unknowns[j]).collect();
                let jets = determined(rows, &own_rows, &candidates, self.limits)?;
                blocks.push(Block::new(rows, own_rows, jets)?);
            }
        }
        Some(blocks)
    }

    /// Whether every block on the diagonal of the system Jacobian is nonsingular for all values in the enclosure.
    pub(super) fn nonsingular_block_by_block(&self, at_midpoint: &Rows, jacobian: &Rows) -> bool {
        let description = self.prolonged.prolongation_description();
        let (rows, columns) = top_stage(self.prolonged);
        let top: Vec<usize> = (0..rows.len()).filter(|&i| rows[i].is_some()).collect();
        let jets: Vec<usize> = (0..columns.len()).filter(|&j| columns[j].is_some()).collect();
        let all = Part { equations: (0..top.len()).collect(), unknowns: jets };
        let is_top = |j: usize| columns[j].is_some();
        let blocks = jacobian
            .pattern(&top, description.jets.len(), is_top)
            .filter(|_| all.equations.len() == all.unknowns.len())
            .and_then(|pattern| in_order(&pattern, &all, self.limits));
        blocks.is_some_and(|blocks| {
            blocks.into_iter().all(|(own_rows, jets)| {
                let own_rows = own_rows.into_iter().map(|i| top[i]).collect();
                Block::new(at_midpoint, own_rows, jets).is_some_and(|block| is_contraction(&block, jacobian))
            })
        })
    }
}

/// A sparse matrix of intervals by rows.
pub(super) struct Rows {
    starts: Vec<usize>,
    entries: Vec<(usize, Interval)>,
}

impl Rows {
    /// The Jacobian of the prolongation in an enclosure.
    pub(super) fn new(enclosures: &Enclosures<'_>, jets: &[Interval]) -> Rows {
        let pattern = &enclosures.prolonged.description.jacobian;
        let columns = pattern.column_indices.iter().copied();
        Rows { starts: pattern.row_starts.to_vec(), entries: columns.zip(enclosures.jacobian_values(jets)).collect() }
    }

    fn row(&self, i: usize) -> &[(usize, Interval)] {
        &self.entries[self.starts[i]..self.starts[i + 1]]
    }

    /// The pattern of those entries of some rows that may be nonzero, in the columns wanted.
    fn pattern(&self, rows: &[usize], columns: usize, wanted: impl Fn(usize) -> bool) -> Option<Incidence> {
        let row = |&i: &usize| {
            let entries = self.row(i).iter().filter(|&&(j, value)| wanted(j) && value != Interval::ZERO);
            entries.map(|&(j, _)| j).collect::<Vec<_>>()
        };
        Incidence::from_rows(columns, rows.iter().map(row)).ok()
    }
}

/// The equations and unknowns of a part, renumbered.
fn restricted(pattern: &Incidence, part: &Part) -> Option<Incidence> {
    let mut place = vec![None; pattern.unknowns()];
    for (k, &unknown) in part.unknowns.iter().enumerate() {
        place[unknown] = Some(k);
    }
    let row = |&i: &usize| pattern.row(i).iter().filter_map(|&j| place[j]).collect::<Vec<_>>();
    Incidence::from_rows(part.unknowns.len(), part.equations.iter().map(row)).ok()
}

/// The blocks of a square part in order of solution; `None` if it has no transversal or a block is too large.
fn in_order(pattern: &Incidence, part: &Part, limits: &limits::Local) -> Option<Vec<(Vec<usize>, Vec<usize>)>> {
    let square = restricted(pattern, part)?;
    let transversal = Matching::maximum(&square).transversal()?;
    let own = |block: dae_runtime::structure::Block| {
        let equations: Vec<usize> = block.equations.iter().map(|&i| part.equations[i]).collect();
        let unknowns = block.unknowns.iter().map(|&j| part.unknowns[j]).collect();
        (equations.len() <= limits.block_equations).then_some((equations, unknowns))
    };
    block_triangular_form(&square, &transversal).into_iter().map(own).collect()
}

/// Candidate columns, one for every row, that the rows determine; `None` if there are too many rows or candidates.
fn determined(rows: &Rows, own_rows: &[usize], candidates: &[usize], limits: &limits::Local) -> Option<Vec<usize>> {
    if own_rows.len() > limits.block_equations || candidates.len() > limits.block_candidates {
        return None;
    }
    let matrix = midpoints(rows, own_rows, candidates)?;
    let mut order = DMatrix::from_fn(1, candidates.len(), |_, j| j as f64);
    matrix.col_piv_qr().p().permute_columns(&mut order);
    let mut chosen: Vec<usize> = order.iter().take(own_rows.len()).map(|&k| candidates[k as usize]).collect();
    chosen.sort_unstable();
    Some(chosen)
}

/// Some rows and columns in floating-point arithmetic; `None` if an entry is not finite. `columns` may be in any order.
fn midpoints(rows: &Rows, own_rows: &[usize], columns: &[usize]) -> Option<DMatrix<f64>> {
    let place = places(columns);
    let mut matrix = DMatrix::zeros(own_rows.len(), columns.len());
    for (i, &row) in own_rows.iter().enumerate() {
        for &(j, value) in rows.row(row) {
            if let Some(k) = place(j) {
                matrix[(i, k)] = value.midpoint();
            }
        }
    }
    matrix.iter().all(|x: &f64| x.is_finite()).then_some(matrix)
}

/// The place of a column in a list; `None` if it is not in it.
fn places(columns: &[usize]) -> impl Fn(usize) -> Option<usize> {
    let mut sorted: Vec<(usize, usize)> = columns.iter().enumerate().map(|(k, &column)| (column, k)).collect();
    sorted.sort_unstable();
    move |column| sorted.binary_search_by_key(&column, |&(column, _)| column).ok().map(|found| sorted[found].1)
}

impl Block {
    fn new(rows: &Rows, own_rows: Vec<usize>, jets: Vec<usize>) -> Option<Block> {
        let inverse = midpoints(rows, &own_rows, &jets)?.try_inverse()?;
        inverse.iter().all(|x| x.is_finite()).then_some(Block { rows: own_rows, jets, inverse })
    }
}

/// $r_D = \mu (|C| (|g_R| + |g_{R,P}| r_P)) + r_0$, block after block: $P$ are the jets of earlier blocks, $\mu$ is the
/// margin and $r_0$ the least radius.
fn radii(blocks: &[Block], rows: &Rows, residual: &[Interval], jets: &[f64], (margin, least): (f64, f64)) -> Vec<f64> {
    let mut radii = vec![0.0; jets.len()];
    for block in blocks {
        // The radii of the block's own jets are still zero.
        let expected = |&row: &usize| {
            let coupled = rows.row(row).iter().map(|&(j, value)| value.magnitude() * radii[j]);
            residual[row].magnitude() + coupled.sum::<f64>()
        };
        let expected: Vec<f64> = block.rows.iter().map(expected).collect();
        for (k, &jet) in block.jets.iter().enumerate() {
            let deviation: f64 = expected.iter().enumerate().map(|(i, e)| block.inverse[(k, i)].abs() * e).sum();
            radii[jet] = margin * deviation + least * jets[jet].abs().max(1.0);
        }
    }
    radii
}

/// $I - C A$ for the block's own columns, row by row, and the sum of the other terms of $K$.
fn operator(
    block: &Block,
    jacobian: &Rows,
    constant: impl Fn(usize) -> Interval,
    deviation: impl Fn(usize) -> Interval,
) -> (Vec<Interval>, Vec<Interval>) {
    let n = block.jets.len();
    let place = places(&block.jets);
    let mut product = vec![Interval::ZERO; n * n];
    (0..n).for_each(|i| product[i * n + i] = Interval::ONE);
    let mut rest = vec![Interval::ZERO; n];
    for (k, &row) in block.rows.iter().enumerate() {
        let mut known = constant(row);
        for &(j, value) in jacobian.row(row) {
            let Some(column) = place(j) else {
                known += value * deviation(j);
                continue;
            };
            for i in 0..n {
                if block.inverse[(i, k)] != 0.0 {
                    let entry = &mut product[i * n + column];
                    *entry = *entry - Interval::point(block.inverse[(i, k)]) * value;
                }
            }
        }
        for (i, rest) in rest.iter_mut().enumerate() {
            *rest = *rest - Interval::point(block.inverse[(i, k)]) * known;
        }
    }
    (product, rest)
}

/// Krawczyk's test for one block.
fn maps_into_itself(block: &Block, jacobian: &Rows, residual: &[Interval], deviation: &[Interval]) -> bool {
    let n = block.jets.len();
    let (product, rest) = operator(block, jacobian, |row| residual[row], |j| deviation[j]);
    (0..n).all(|i| {
        let terms = block.jets.iter().enumerate().map(|(k, &jet)| product[i * n + k] * deviation[jet]);
        terms.fold(rest[i], |sum, term| sum + term).is_interior_to(deviation[block.jets[i]])
    })
}

/// Whether $\lVert I - C A \rVert_\infty < 1$, so that the block is nonsingular in the whole enclosure.
fn is_contraction(block: &Block, jacobian: &Rows) -> bool {
    let n = block.jets.len();
    let (product, _) = operator(block, jacobian, |_| Interval::ZERO, |_| Interval::ZERO);
    // The sums are rounded; if one is below one half, the exact one is below 1.
    product.chunks(n).all(|row| row.iter().map(|x| x.magnitude()).sum::<f64>() < 0.5)
}
