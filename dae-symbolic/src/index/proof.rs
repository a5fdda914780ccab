//! A consistent point and regularity there, proved in interval arithmetic.
//!
//! In: the prolongation $g(X) = 0$ and jets $\tilde X$ that fulfil it to rounding. Out: a radius within which there is a point that
//! fulfils it exactly and at which the system Jacobian is nonsingular; or nothing, if the proof does not succeed.
//!
//! The equations are fewer than the jets; as many jets as there are degrees of freedom keep their values, chosen by a
//! pivoted decomposition among those that the model does not fix. For the others, $X_D$, Krawczyk's operator (Neumaier,
//! *Interval Methods for Systems of Equations*, sect. 5.2) with $C \approx g_{X_D}(\tilde X)^{-1}$
//!
//! $$ K = \tilde X_D - C\, g(\tilde X) + (I - C\, g_{X_D}(\mathbf X)) (\mathbf X_D - \tilde X_D) \subset \operatorname{int} \mathbf X_D $$
//!
//! proves that the box contains exactly one solution. The rows and columns of stage 0 in $g_X$ are the system Jacobian $J$;
//! $\lVert I - C_J\, J(\mathbf X) \rVert_\infty < 1$ proves that it is nonsingular everywhere in the box.

use dae_runtime::contract::{Prolongation, Start};
use nalgebra::DMatrix;

use crate::expr::interval::{Interval, evaluate_interval};
use crate::expr::{Expr, Symbol};
use crate::model::Model;
use crate::program::Derivative;
use crate::prolong::Prolonged;

/// Larger prolongations are left to floating-point arithmetic.
const MAX_EQUATIONS: usize = 150;
/// Radii that are tried, relative to the size of each jet (at least 1).
const RADII: [f64; 3] = [1e-13, 1e-11, 1e-8];

/// The radius of a box around the jets in which there is a consistent point with a regular system Jacobian.
pub(super) fn regular_near(model: &mut Model, prolonged: &Prolonged, jets: &[f64], t: f64) -> Option<f64> {
    let description = prolonged.prolongation_description();
    let equations = description.equations.len();
    if equations > MAX_EQUATIONS || equations > jets.len() {
        return None;
    }
    let residuals = model.expand_inputs(&prolonged.residuals);
    let column = |symbol| match symbol {
        Symbol::Unknown { unknown, order } => prolonged.jet(unknown.index(), order),
        _ => None,
    };
    let entries = Derivative::entries(&mut model.dag, &residuals, column);
    let system = Enclosures { model, prolonged, residuals, entries, t };
    let midpoint: Vec<Interval> = jets.iter().map(|&x| Interval::point(x)).collect();
    let at_midpoint = system.jacobian(&midpoint);
    let dependent = dependent_jets(prolonged, &at_midpoint, jets.len())?;
    let residual = system.residual(&midpoint);
    RADII.into_iter().find(|&radius| {
        let mut enclosure = midpoint.clone();
        for &j in &dependent {
            let r = radius * jets[j].abs().max(1.0);
            enclosure[j] = Interval::point(jets[j]) + Interval::new(-r, r).unwrap_or(Interval::ZERO);
        }
        let jacobian = system.jacobian(&enclosure);
        contains_solution(&dependent, &at_midpoint, &jacobian, &residual, &midpoint, &enclosure)
            .and_then(|()| nonsingular(prolonged, &at_midpoint, &jacobian))
            .is_some()
    })
}

/// A sparse matrix of intervals: `(row, column, value)`.
type Entries = Vec<(usize, usize, Interval)>;

struct Enclosures<'a> {
    model: &'a Model,
    prolonged: &'a Prolonged,
    residuals: Vec<Expr>,
    entries: Vec<(usize, usize, Expr)>,
    t: f64,
}

impl Enclosures<'_> {
    fn evaluate(&self, roots: &[Expr], jets: &[Interval]) -> Vec<Interval> {
        evaluate_interval(&self.model.dag, roots, |symbol| match symbol {
            Symbol::Time => Interval::point(self.t),
            Symbol::Parameter(p) => Interval::point(self.prolonged.parameters[p.index()]),
            Symbol::Unknown { unknown, order } => {
                self.prolonged.jet(unknown.index(), order).map_or(Interval::ENTIRE, |k| jets[k])
            }
            Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => Interval::ENTIRE,
        })
    }

    fn residual(&self, jets: &[Interval]) -> Vec<Interval> {
        self.evaluate(&self.residuals, jets)
    }

    fn jacobian(&self, jets: &[Interval]) -> Entries {
        let values: Vec<Expr> = self.entries.iter().map(|&(.., value)| value).collect();
        let values = self.evaluate(&values, jets);
        self.entries.iter().zip(values).map(|(&(row, column, _), value)| (row, column, value)).collect()
    }
}

/// As many jets as equations, such that the equations determine them; jets that the model fixes only where it must be.
fn dependent_jets(prolonged: &Prolonged, jacobian: &Entries, jets: usize) -> Option<Vec<usize>> {
    /// Fixed jets count as this much less able to take a change.
    const RELUCTANCE: f64 = 1e-3;
    let description = prolonged.prolongation_description();
    let equations = description.equations.len();
    let mut matrix = DMatrix::zeros(equations, jets);
    for &(row, column, value) in jacobian {
        let reluctance = if description.jets[column].start == Start::Fixed { RELUCTANCE } else { 1.0 };
        matrix[(row, column)] = reluctance * value.midpoint();
    }
    if !matrix.iter().all(|x: &f64| x.is_finite()) {
        return None;
    }
    let mut order = DMatrix::from_fn(1, jets, |_, j| j as f64);
    matrix.col_piv_qr().p().permute_columns(&mut order);
    let mut dependent: Vec<usize> = order.iter().take(equations).map(|&j| j as usize).collect();
    dependent.sort_unstable();
    Some(dependent)
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
            image = image + product[i * n + k] * deviation;
        }
        if !image.is_interior_to(enclosure[dependent[i]] - midpoint[dependent[i]]) {
            return None;
        }
    }
    Some(())
}

/// Whether the block of stage 0 is nonsingular for all values in the enclosure.
fn nonsingular(prolonged: &Prolonged, at_midpoint: &Entries, jacobian: &Entries) -> Option<()> {
    let description = prolonged.prolongation_description();
    let positions = |stages: Vec<i32>| {
        let mut next = 0;
        let count = |stage: &i32| {
            (*stage == 0).then(|| {
                next += 1;
                next - 1
            })
        };
        stages.iter().map(count).collect::<Vec<Option<usize>>>()
    };
    let rows = positions(description.equations.iter().map(|e| e.stage).collect());
    let columns = positions(description.jets.iter().map(|j| j.stage).collect());
    let n = rows.iter().flatten().count();
    if n != columns.iter().flatten().count() {
        return None;
    }
    let inverse = approximate_inverse(n, at_midpoint, |row| rows[row], |column| columns[column])?;
    let product = remainder(n, &inverse, jacobian, |row| rows[row], |column| columns[column]);
    let norm = product.chunks(n).map(|row| row.iter().map(|x| x.magnitude()).sum::<f64>()).fold(0.0, f64::max);
    // The sum is rounded; n of them stay far from 1 if the norm is below one half.
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
