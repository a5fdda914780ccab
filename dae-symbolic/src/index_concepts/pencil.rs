//! Matrix pencils.
//!
//! In: rational matrices $E$, $A$ of $E u' + A u = d(t)$, row by row. Out: the pencil $sE + A$, its transpose, and
//! polynomial combinations of its rows.

use crate::expr::echelon::SparseVector;

/// A sparse vector of rational numbers.
pub type Sparse = SparseVector<usize>;

/// A pencil $sE + A$, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pencil {
    /// The number of columns.
    pub columns: usize,
    /// The rows of $E$ and $A$, in pairs.
    pub rows: Vec<(Sparse, Sparse)>,
}

/// A vector of polynomials: coefficients by entry and power.
pub type PolynomialVector = SparseVector<(usize, u32)>;

impl Pencil {
    /// $sE^\top + A^\top$.
    pub(super) fn transposed(&self) -> Pencil {
        let mut rows = vec![(Sparse::new(), Sparse::new()); self.columns];
        for (i, (e, a)) in self.rows.iter().enumerate() {
            for (&j, q) in e {
                rows[j].0.insert(i, q.clone());
            }
            for (&j, q) in a {
                rows[j].1.insert(i, q.clone());
            }
        }
        Pencil { columns: self.rows.len(), rows }
    }
}

/// The vector without entries that are zero.
pub(super) fn nonzero(vector: &Sparse) -> Sparse {
    vector.iter().filter(|(_, q)| !q.is_zero()).map(|(&j, q)| (j, q.clone())).collect()
}

/// The derivative of a combination of rows, $s$ times its vector: all powers are raised by one.
pub(super) fn differentiated(vector: &PolynomialVector) -> PolynomialVector {
    vector.iter().map(|(&(i, power), q)| ((i, power + 1), q.clone())).collect()
}
