//! A consistent point and regularity there, proved in interval arithmetic.
//!
//! In: the prolongation $g(X) = 0$ and jets $\tilde X$ that fulfil it to rounding. Out: a radius within which there is
//! a point that fulfils it exactly and at which the system Jacobian is nonsingular; or, if the proof does not succeed,
//! whether the Jacobian is regular in floating-point arithmetic, allowing for the uncertainty of the jets.
//!
//! The equations are fewer than the jets, and as many jets as there are degrees of freedom keep their values: those
//! that the model fixes, and others chosen by a pivoted decomposition. For the remaining ones, $X_D$, Krawczyk's
//! operator (Neumaier, *Interval Methods for Systems of Equations*, sect. 5.2) with $C \approx g_{X_D}(\tilde X)^{-1}$
//!
//! $$ K = \tilde X_D - C\, g(\tilde X) + (I - C\, g_{X_D}(\mathbf X)) (\mathbf X_D - \tilde X_D) \subset \operatorname{int} \mathbf X_D $$
//!
//! proves that the box contains exactly one solution, provided the equations are continuous in it. The rows and columns
//! of stage 0 in $g_X$ are the system Jacobian $J$; $\lVert I - C_J\, J(\mathbf X) \rVert_\infty < 1$ proves that it is
//! nonsingular everywhere in the box.

use dae_runtime::contract::{Prolongation, Start};
use dae_runtime::rank::equilibrate;
use dae_runtime::sparse::{Regularity, SparseMatrix, regularity};
use nalgebra::DMatrix;

use super::block_proof::Rows;
use super::enclosures::{Enclosures, Entries, around, top_stage};
use crate::expr::interval::Interval;
use crate::index::certificate::Unproved;
use crate::index::limits;
use crate::model::Model;
use crate::prolongation::Prolonged;

/// What is known about the system Jacobian at computed jets.
pub(super) enum Evidence {
    /// There is a consistent point in the box with this radius, relative to each jet (at least 1), and the Jacobian is
    /// nonsingular in the whole box.
    Proven(f64),
    /// It is regular even if every entry that the uncertainty of the jets could make zero is zero; with the reason why
    /// this is not proved.
    Regular(Unproved),
    /// It cannot be told from a singular matrix.
    Doubtful,
}

/// Examines the system Jacobian near the jets.
pub(super) fn examine(model: &Model, prolonged: &Prolonged, jets: &[f64], t: f64, limits: &limits::Local) -> Evidence {
    let system = Enclosures::new(prolonged, t, limits);
    // A proof for a stand-in function says nothing about the function that it replaces.
    let has_tables = system.has_tables();
    let proved = match model.has_stand_ins() || has_tables {
        true => None,
        false => system.regular_near(jets).or_else(|| system.regular_block_by_block(jets)),
    };
    if let Some(radius) = proved {
        return Evidence::Proven(radius);
    }
    match system.is_regular_at(jets) && system.survives_uncertainty(jets) {
        true => Evidence::Regular(match model.has_stand_ins() {
            true => Unproved::StandIns,
            false if has_tables => Unproved::Tables,
            false if system.is_too_large(jets) => Unproved::TooLarge(limits.dense_equations),
            false => Unproved::TooWide,
        }),
        false => Evidence::Doubtful,
    }
}

impl Enclosures<'_> {
    /// Whether the system Jacobian is nonsingular in the whole enclosure, on all branches that it meets.
    pub(crate) fn is_regular_within(&self, enclosure: &[Interval]) -> bool {
        self.has_all_branches(enclosure) && self.is_nonsingular(enclosure)
    }

    /// Whether the equations are many and do not fall into small blocks.
    fn is_too_large(&self, jets: &[f64]) -> bool {
        self.equations() > self.limits.dense_equations && !self.falls_into_blocks(jets)
    }

    /// The radius, relative to each jet (at least 1), of a box around the jets in which there is a consistent point
    /// with a regular system Jacobian; `None` if there are too many equations, or no radius succeeds.
    fn regular_near(&self, jets: &[f64]) -> Option<f64> {
        let description = self.prolonged.prolongation_description();
        let equations = description.equations.len();
        if equations > self.limits.dense_equations || equations > jets.len() {
            return None;
        }
        let midpoint = self.midpoint(jets);
        let at_midpoint = self.jacobian(&midpoint);
        let dependent = dependent_jets(self.prolonged, &at_midpoint, jets.len())?;
        let residual = self.residual(&midpoint);
        self.limits.radii.into_iter().find(|&radius| {
            let mut enclosure = midpoint.clone();
            for &j in &dependent {
                enclosure[j] = around(jets[j], radius * jets[j].abs().max(1.0));
            }
            let jacobian = self.jacobian(&enclosure);
            self.is_continuous(&enclosure)
                && self.has_all_branches(&enclosure)
                && contains_solution(&dependent, &at_midpoint, &jacobian, &residual, &midpoint, &enclosure).is_some()
                && nonsingular(self.prolonged, &at_midpoint, &jacobian).is_some()
        })
    }

    /// Whether the system Jacobian is regular at exactly these jets, whatever the rounding of its entries: where terms
    /// cancel, the remainder may be rounding only. Taken for granted of many equations that do not fall into small
    /// blocks.
    fn is_regular_at(&self, jets: &[f64]) -> bool {
        let is_large = self.equations() > self.limits.dense_equations;
        self.is_nonsingular(&self.midpoint(jets)) || (is_large && !self.falls_into_blocks(jets))
    }

    fn is_nonsingular(&self, enclosure: &[Interval]) -> bool {
        if self.equations() <= self.limits.dense_equations {
            let jacobian = self.jacobian(enclosure);
            return nonsingular(self.prolonged, &jacobian, &jacobian).is_some();
        }
        let rows = Rows::new(self, enclosure);
        self.nonsingular_block_by_block(&rows, &rows)
    }

    /// Whether the system Jacobian stays regular when the entries that could be zero within the uncertainty of the jets
    /// are set to zero.
    fn survives_uncertainty(&self, jets: &[f64]) -> bool {
        let description = self.prolonged.prolongation_description();
        let enclosure: Vec<Interval> = jets
            .iter()
            .zip(description.jets.iter())
            .map(|(&x, jet)| {
                let known = jet.start == Start::Fixed && x != 0.0;
                around(x, self.limits.uncertainty * if known { x.abs() } else { x.abs().max(jet.nominal) })
            })
            .collect();
        let stage = |(row, column, value): (usize, usize, Interval)| {
            let at_top = description.equations[row].stage == 0 && description.jets[column].stage == 0;
            (at_top && !value.contains(0.0)).then_some((row, column, value))
        };
        let entries: Entries = self.jacobian(&enclosure).into_iter().filter_map(stage).collect();
        let (rows, columns) = top_stage(self.prolonged);
        let n = rows.iter().flatten().count();
        let entries = entries.into_iter().filter_map(|(i, j, value)| Some((rows[i]?, columns[j]?, value.midpoint())));
        let matrix = SparseMatrix::from_entries(n, columns.iter().flatten().count(), entries);
        if !matrix.is_square() || !matrix.is_finite() {
            return false;
        }
        if n > self.limits.dense_equations {
            // Regular if and only if every diagonal block is.
            let found = regularity(&matrix);
            return matches!(found, Regularity::Regular { worst_block, .. } if worst_block < self.limits.condition);
        }
        let mut matrix = matrix.to_dense();
        equilibrate(&mut matrix);
        matrix.inverse().is_some_and(|inverse| matrix.norm_1() * inverse.norm_1() < self.limits.condition)
    }
}

/// Jets, one for every equation, that the equations determine, none of them fixed by the model; `None` if there are no
/// such jets.
fn dependent_jets(prolonged: &Prolonged, jacobian: &Entries, jets: usize) -> Option<Vec<usize>> {
    let description = prolonged.prolongation_description();
    let equations = description.equations.len();
    let mut matrix = DMatrix::zeros(equations, jets);
    for &(row, column, value) in jacobian {
        if description.jets[column].start != Start::Fixed {
            matrix[(row, column)] = value.midpoint();
        }
    }
    if !matrix.iter().all(|x: &f64| x.is_finite()) {
        return None;
    }
    let mut order = DMatrix::from_fn(1, jets, |_, j| j as f64);
    matrix.col_piv_qr().p().permute_columns(&mut order);
    let mut dependent: Vec<usize> = order.iter().take(equations).map(|&j| j as usize).collect();
    dependent.sort_unstable();
    let fixed = |&j: &usize| description.jets[j].start == Start::Fixed;
    (!dependent.iter().any(fixed)).then_some(dependent)
}

fn contains_solution(
    dependent: &[usize],
    at_midpoint: &Entries,
    jacobian: &Entries,
    residual: &[Interval],
    midpoint: &[Interval],
    enclosure: &[Interval],
) -> Option<()> {
    let n = dependent.len();
    let place = |column: usize| dependent.binary_search(&column).ok();
    let inverse = approximate_inverse(n, at_midpoint, Some, place)?;
    let product = remainder(n, &inverse, jacobian, Some, place);
    for i in 0..n {
        let mut image = Interval::ZERO;
        for k in 0..n {
            image = image - Interval::point(inverse[(i, k)]) * residual[k];
            let deviation = enclosure[dependent[k]] - midpoint[dependent[k]];
            image += product[i * n + k] * deviation;
        }
        if !image.is_interior_to(enclosure[dependent[i]] - midpoint[dependent[i]]) {
            return None;
        }
    }
    Some(())
}

/// Whether the block of stage 0 is nonsingular for all values in the enclosure.
fn nonsingular(prolonged: &Prolonged, at_midpoint: &Entries, jacobian: &Entries) -> Option<()> {
    let (rows, columns) = top_stage(prolonged);
    let n = rows.iter().flatten().count();
    if n != columns.iter().flatten().count() {
        return None;
    }
    // Scaled by powers of two, which is exact, so that units do not matter.
    let placed = |&(i, j, value): &(usize, usize, Interval)| Some((rows[i]?, columns[j]?, value.midpoint()));
    let (by_row, by_column) = SparseMatrix::from_entries(n, n, at_midpoint.iter().filter_map(placed)).equilibrate();
    let scaled = |entries: &Entries| -> Entries {
        let factor = |i: usize, j: usize| Interval::point(by_row[i]) * Interval::point(by_column[j]);
        entries.iter().filter_map(|&(i, j, value)| Some((i, j, value * factor(rows[i]?, columns[j]?)))).collect()
    };
    let (at_midpoint, jacobian) = (scaled(at_midpoint), scaled(jacobian));
    let inverse = approximate_inverse(n, &at_midpoint, |row| rows[row], |column| columns[column])?;
    let product = remainder(n, &inverse, &jacobian, |row| rows[row], |column| columns[column]);
    let norm = product.chunks(n).map(|row| row.iter().map(|x| x.magnitude()).sum::<f64>()).fold(0.0, f64::max);
    // The sum is rounded; if it is below one half, the exact one is below 1.
    (norm < 0.5).then_some(())
}

fn approximate_inverse(
    n: usize,
    entries: &Entries,
    row: impl Fn(usize) -> Option<usize>,
    column: impl Fn(usize) -> Option<usize>,
) -> Option<DMatrix<f64>> {
    let mut matrix = DMatrix::zeros(n, n);
    for &(i, j, value) in entries {
        if let (Some(i), Some(j)) = (row(i), column(j)) {
            matrix[(i, j)] = value.midpoint();
        }
    }
    matrix.try_inverse().filter(|inverse| inverse.iter().all(|x| x.is_finite()))
}

/// $I - C A$ for the chosen rows and columns of the sparse interval matrix $A$, row by row.
fn remainder(
    n: usize,
    inverse: &DMatrix<f64>,
    entries: &Entries,
    row: impl Fn(usize) -> Option<usize>,
    column: impl Fn(usize) -> Option<usize>,
) -> Vec<Interval> {
    let mut product = vec![Interval::ZERO; n * n];
    (0..n).for_each(|i| product[i * n + i] = Interval::ONE);
    for &(k, j, value) in entries {
        let (Some(k), Some(j)) = (row(k), column(j)) else { continue };
        for i in 0..n {
            if inverse[(i, k)] != 0.0 {
                product[i * n + j] = product[i * n + j] - Interval::point(inverse[(i, k)]) * value;
            }
        }
    }
    product
}
