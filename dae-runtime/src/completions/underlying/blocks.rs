//! $\partial F/\partial w$ in block-triangular form.
//!
//! In: the patterns of a formulation, and values of its Jacobians. Out: diagonal blocks in the order in which they are
//! solved, and their factors.

use std::collections::BTreeSet;

use crate::contract::{Description, Kind, Pattern};
use crate::linalg::iteration_matrix::{Deficiency, Jacobians, Lu, Singular, deficiency};
use crate::linalg::sparse::{Factors, SparseMatrix};
use crate::linalg::structure::{Block, Incidence, Matching, block_triangular_form};

/// Blocks with more equations than this have sparse factors.
const LARGEST_DENSE: usize = 100;

/// An entry of $\partial F/\partial w$: the component of $w$, and its position among the values of $F_{y'}$ or $F_y$.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) unknown: usize,
    /// Whether it is an entry of $F_{y'}$.
    of_rate: bool,
    position: usize,
}

/// A diagonal block of $\partial F/\partial w$, and the entries to its left.
#[derive(Clone, Debug)]
pub(super) struct Diagonal {
    pub(super) equations: Vec<usize>,
    pub(super) unknowns: Vec<usize>,
    /// Row and column within the block, and the entry.
    inside: Vec<(usize, usize, Entry)>,
    /// Row within the block, and the entry of an earlier block's unknown.
    pub(super) left: Vec<(usize, Entry)>,
}

/// Factors of a diagonal block.
#[derive(Clone, Debug)]
pub(super) enum BlockFactors {
    Dense(Lu<f64>),
    Sparse(Factors),
}

/// For each column of a derivative, the entries of $F_y$ or $F_p$ on the pattern of the inner formulation, and the
/// entries of the derivative of $w$ on the pattern of the description; each as row and position.
pub(super) type Columns = Vec<(Vec<(usize, usize)>, Vec<(usize, usize)>)>;

impl Entry {
    pub(super) fn value(&self, jacobians: &Jacobians) -> f64 {
        if self.of_rate { jacobians.yp[self.position] } else { jacobians.y[self.position] }
    }
}

impl Diagonal {
    /// Collects the entries of a block; `place` has the block of each unknown and its column there.
    pub(super) fn new(block: Block, rows: &[Vec<Entry>], place: &[(usize, usize)]) -> Self {
        let (mut inside, mut left) = (Vec::new(), Vec::new());
        for (row, &equation) in block.equations.iter().enumerate() {
            for &entry in &rows[equation] {
                let (of, column) = place[entry.unknown];
                match place[block.unknowns[0]].0 == of {
                    true => inside.push((row, column, entry)),
                    false => left.push((row, entry)),
                }
            }
        }
        Diagonal { equations: block.equations, unknowns: block.unknowns, inside, left }
    }

    /// The equations that have an entry which is not finite.
    pub(super) fn non_finite<'b>(&'b self, jacobians: &'b Jacobians) -> impl Iterator<Item = usize> + 'b {
        let inside = self.inside.iter().map(|(row, _, entry)| (*row, entry));
        let entries = inside.chain(self.left.iter().map(|(row, entry)| (*row, entry)));
        entries.filter(|(_, entry)| !entry.value(jacobians).is_finite()).map(|(row, _)| self.equations[row])
    }

    /// Factorises the block with these Jacobians, or reports where it is singular.
    pub(super) fn factorize(
        &self,
        jacobians: &Jacobians,
        factors: &mut Option<BlockFactors>,
    ) -> Result<(), Deficiency> {
        let n = self.equations.len();
        let entries = self.inside.iter().map(|(row, column, entry)| (*row, *column, entry.value(jacobians)));
        if n > LARGEST_DENSE {
            let sparse = Factors::of(&SparseMatrix::from_entries(n, n, entries));
            *factors = sparse.ok().map(BlockFactors::Sparse);
            return if factors.is_some() { Ok(()) } else { Err(Deficiency { row: 0, column: 0 }) };
        }
        let fill = |matrix: &mut [f64]| {
            matrix.fill(0.0);
            entries.clone().for_each(|(row, column, value)| matrix[column * n + row] += value);
        };
        let mut lu = match factors.take() {
            Some(BlockFactors::Dense(lu)) => lu,
            Some(BlockFactors::Sparse(_)) | None => Lu::new(n),
        };
        fill(lu.matrix_mut());
        if let Err(Singular::Column(at) | Singular::Row(at) | Singular::NonFinite(at)) = lu.factorize() {
            fill(lu.matrix_mut());
            return Err(deficiency(n, lu.matrix_mut()).unwrap_or(Deficiency { row: at, column: at }));
        }
        *factors = Some(BlockFactors::Dense(lu));
        Ok(())
    }
}

/// The rows of $\partial F/\partial w$.
pub(super) fn rows(of: &Description) -> Vec<Vec<Entry>> {
    let of_row = |row: usize| {
        let rates = of.jacobian_yp.row(row).map(|(unknown, position)| Entry { unknown, of_rate: true, position });
        let others = of.jacobian_y.row(row).filter(|&(column, _)| of.unknowns[column].kind != Kind::Differential);
        rates.chain(others.map(|(unknown, position)| Entry { unknown, of_rate: false, position })).collect()
    };
    (0..of.equations.len()).map(of_row).collect()
}

/// The order in which $w$ is solved for; all at once if the pattern is structurally singular.
pub(super) fn blocks(n: usize, rows: &[Vec<Entry>]) -> Vec<Block> {
    let columns = |row: &Vec<Entry>| row.iter().map(|entry| entry.unknown).collect::<Vec<usize>>();
    let together = || vec![Block { equations: (0..n).collect(), unknowns: (0..n).collect(), depends_on: Vec::new() }];
    let Ok(pattern) = Incidence::from_rows(n, rows.iter().map(columns)) else { return together() };
    match Matching::maximum(&pattern).transversal() {
        Some(transversal) => block_triangular_form(&pattern, &transversal),
        None => together(),
    }
}

/// For each block, the columns of `pattern` on which the unknowns that it determines depend.
pub(super) fn reached(blocks: &[Block], pattern: &Pattern, counts: impl Fn(usize) -> bool) -> Vec<BTreeSet<usize>> {
    let mut list: Vec<BTreeSet<usize>> = Vec::with_capacity(blocks.len());
    for block in blocks {
        let own = block.equations.iter().flat_map(|&equation| pattern.row(equation).map(|(column, _)| column));
        let mut columns: BTreeSet<usize> = own.filter(|&column| counts(column)).collect();
        block.depends_on.iter().for_each(|&other| columns.extend(&list[other]));
        list.push(columns);
    }
    list
}

pub(super) fn columns(inner: &Pattern, outer: &Pattern, counts: impl Fn(usize) -> bool) -> Columns {
    let mut list: Columns = vec![Default::default(); outer.columns];
    inner.entries().for_each(|(row, column, position)| list[column].0.push((row, position)));
    let wanted = outer.entries().filter(|&(_, column, _)| counts(column));
    wanted.for_each(|(row, column, position)| list[column].1.push((row, position)));
    list
}

/// The pattern with these rows.
pub(super) fn pattern(columns: usize, rows: impl Iterator<Item = BTreeSet<usize>>) -> Pattern {
    let (mut starts, mut indices) = (vec![0], Vec::new());
    for row in rows {
        indices.extend(row);
        starts.push(indices.len());
    }
    Pattern { columns, row_starts: starts.into(), column_indices: indices.into() }
}
