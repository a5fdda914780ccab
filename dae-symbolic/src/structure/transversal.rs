//! Highest-value transversal by shortest augmenting paths (Jonker & Volgenant 1987; Duff & Koster 2001).
//!
//! In: the signature matrix. Out: a transversal $T$ of the greatest value $\sum_{(i,j) \in T} \sigma_{ij}$, and the
//! proof that none is greater: the canonical offsets, the least $c, d \ge 0$ with
//! $$ d_j - c_i \ge \sigma_{ij}, \qquad\text{with equality on } T, $$
//! a solution of the dual linear programme (Pryce 2001). Summed over any transversal, the inequality bounds its value
//! by $\sum_j d_j - \sum_i c_i$, which $T$ attains. That they are the least is shown in `offsets.rs`.
//!
//! The pairs of the matching are always *tight* entries, those with equality. A phase measures the distances of
//! unknowns from the equations without an unknown, an entry being as long as its slack $d_j - c_i - \sigma_{ij}$;
//! raises the offsets of all that is nearer than the nearest unknown without an equation, which makes a path to that
//! unknown tight; and augments along a maximal set of disjoint tight paths. All equations search at once, which bounds
//! the number of raises: a raise by $\Delta$ lowers $\sum_j d_j - \sum_i c_i$, which is at first at most $n$ times the
//! highest order $s$, by $\Delta$ for each equation still without an unknown, so that $O(\sqrt{n s})$ raises are
//! enough.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::offsets::Offsets;
use super::signature::SignatureMatrix;
use super::{Matching, Transversal};

/// A transversal of greatest value and the canonical offsets; `None` if the matrix has no transversal at all.
pub fn highest_value_transversal(sigma: &SignatureMatrix) -> Option<(Transversal, Offsets)> {
    let mut offsets = initial_offsets(sigma);
    let mut matching = Matching::empty(sigma.equations(), sigma.unknowns());
    let mut free = matching.free_equations();
    augment_tight(sigma, &offsets, &mut matching, &free);
    free.retain(|&equation| matching.unknown_of(equation).is_none());
    while !free.is_empty() {
        raise_offsets(sigma, &matching, &free, &mut offsets)?;
        augment_tight(sigma, &offsets, &mut matching, &free);
        free.retain(|&equation| matching.unknown_of(equation).is_none());
    }
    Some((matching.transversal()?, offsets))
}

/// Feasible offsets with a tight entry in every row and column that is not empty: $d_j = \max_i \sigma_{ij}$,
/// $c_i = \min_j (d_j - \sigma_{ij})$.
fn initial_offsets(sigma: &SignatureMatrix) -> Offsets {
    let unknowns = sigma.highest_orders();
    let least_slack = |equation| sigma.row(equation).map(|(unknown, order)| unknowns[unknown] - order).min();
    let equations = (0..sigma.equations()).map(|equation| least_slack(equation).unwrap_or(0)).collect();
    Offsets { equations, unknowns }
}

fn augment_tight(sigma: &SignatureMatrix, offsets: &Offsets, matching: &mut Matching, free: &[usize]) {
    matching.augment_disjoint(sigma.pattern(), free, |_, equation, position| {
        offsets.slack_at(sigma, equation, position) == 0
    });
}

/// Raises the offsets until a tight path leads from a free equation to a free unknown; `None` if there is no path.
fn raise_offsets(sigma: &SignatureMatrix, matching: &Matching, free: &[usize], offsets: &mut Offsets) -> Option<()> {
    let mut search = Search {
        sigma,
        matching,
        distance: vec![u32::MAX; sigma.unknowns()],
        queue: BinaryHeap::new(),
        nearest_free: u32::MAX,
    };
    // Equations, the unknowns they are matched with, and their final distances.
    let mut settled: Vec<(usize, Option<usize>, u32)> = Vec::new();
    for &equation in free {
        search.relax(offsets, equation, 0);
        settled.push((equation, None, 0));
    }
    while let Some((unknown, distance)) = search.pop() {
        let Some(equation) = matching.equation_of(unknown) else { continue };
        search.relax(offsets, equation, distance);
        settled.push((equation, Some(unknown), distance));
    }
    let nearest = Some(search.nearest_free).filter(|&distance| distance < u32::MAX)?;
    for (equation, unknown, distance) in settled {
        // Slacks are not negative, so nothing was settled beyond the nearest free unknown.
        let raise = nearest - distance;
        offsets.equations[equation] += raise;
        if let Some(unknown) = unknown {
            offsets.unknowns[unknown] += raise;
        }
    }
    Some(())
}

/// Dijkstra's search from the free equations.
struct Search<'a> {
    sigma: &'a SignatureMatrix,
    matching: &'a Matching,
    distance: Vec<u32>,
    queue: BinaryHeap<Reverse<(u32, usize)>>,
    nearest_free: u32,
}

impl Search<'_> {
    /// Shortens the distances of the unknowns of an equation, which is itself at the distance `start`.
    fn relax(&mut self, offsets: &Offsets, equation: usize, start: u32) {
        for position in self.sigma.pattern().positions(equation) {
            let unknown = self.sigma.pattern().unknown_at(position);
            let distance = start + offsets.slack_at(self.sigma, equation, position);
            if distance >= self.nearest_free || distance >= self.distance[unknown] {
                continue;
            }
            self.distance[unknown] = distance;
            match self.matching.equation_of(unknown) {
                None => self.nearest_free = distance,
                Some(_) => self.queue.push(Reverse((distance, unknown))),
            }
        }
    }

    /// The next nearest matched unknown, if it is nearer than the nearest free one.
    fn pop(&mut self) -> Option<(usize, u32)> {
        while let Some(Reverse((distance, unknown))) = self.queue.pop() {
            if distance >= self.nearest_free {
                return None;
            }
            if distance == self.distance[unknown] {
                return Some((unknown, distance));
            }
        }
        None
    }
}
