//! The signature matrix $\Sigma$ (Pryce 2001).
//!
//! In: for each equation $f_i$ its unknowns $x_j$, each with the highest order of its derivatives in it, $\sigma_{ij}$.
//! Out: the sparse matrix $\Sigma = (\sigma_{ij})$; where $x_j$ does not occur in $f_i$ nothing is stored, the
//! $-\infty$ of the paper.

use super::{Incidence, InvalidStructure};

/// Bound on $\sum_i \max_j \sigma_{ij}$. Offsets are sums of such orders along a path, so all of them, and sums of
/// a few of them, fit in a `u32`.
pub const MAX_TOTAL_ORDER: u32 = 1 << 28;

/// The highest order of each unknown in each equation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureMatrix {
    pattern: Incidence,
    /// $\sigma_{ij}$ in the order of the pattern's entries.
    orders: Vec<u32>,
}

impl SignatureMatrix {
    /// The matrix whose row `i` has the entries `(unknown, order)` of `rows[i]`, in any order; of several orders of
    /// the same unknown the highest counts.
    ///
    /// # Errors
    /// If an unknown is out of range, or the highest orders of the rows add up to more than [`MAX_TOTAL_ORDER`].
    pub fn from_rows<Row>(unknowns: usize, rows: impl IntoIterator<Item = Row>) -> Result<Self, InvalidStructure>
    where
        Row: IntoIterator<Item = (usize, u32)>,
    {
        let mut pattern = Incidence::without_equations(unknowns);
        let mut orders = Vec::new();
        let mut total_order = 0u32;
        for row in rows {
            let mut row: Vec<(usize, u32)> = row.into_iter().collect();
            row.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
            row.dedup_by_key(|entry| entry.0);
            let columns: Vec<usize> = row.iter().map(|entry| entry.0).collect();
            pattern.push_row(&columns)?;
            total_order = total_order.saturating_add(row.iter().map(|entry| entry.1).max().unwrap_or(0));
            orders.extend(row.iter().map(|entry| entry.1));
        }
        if total_order > MAX_TOTAL_ORDER {
            return Err(InvalidStructure::OrdersTooHigh);
        }
        Ok(Self { pattern, orders })
    }

    /// Number of equations.
    pub fn equations(&self) -> usize {
        self.pattern.equations()
    }

    /// Number of unknowns.
    pub fn unknowns(&self) -> usize {
        self.pattern.unknowns()
    }

    /// The pattern: the unknowns that occur, at any order, in each equation.
    pub fn pattern(&self) -> &Incidence {
        &self.pattern
    }

    /// The entries $(j, \sigma_{ij})$ of equation $i$, by ascending unknown.
    pub fn row(&self, equation: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.pattern.positions(equation).map(|position| (self.pattern.unknown_at(position), self.orders[position]))
    }

    /// $\sigma_{ij}$ of the entry stored at a position of the pattern.
    pub(super) fn order_at(&self, position: usize) -> u32 {
        self.orders[position]
    }

    /// The highest order of each unknown in any equation, $\max_i \sigma_{ij}$; 0 for one that never occurs.
    pub fn highest_orders(&self) -> Vec<u32> {
        let mut highest = vec![0; self.unknowns()];
        for equation in 0..self.equations() {
            for (unknown, order) in self.row(equation) {
                highest[unknown] = order.max(highest[unknown]);
            }
        }
        highest
    }
}
