//! The whole state of the model at a point of the interval, from its differential unknowns.
//!
//! In: values of the differential unknowns of a formulation at a time, which need not satisfy the constraints exactly.
//! Out: consistent jets near by, and how they change with the differential unknowns and shared quantities.
//!
//! Jets are consistent where the prolongation holds, $A(t, J) = 0$. Of these the ones are taken whose differential
//! unknowns $E J$ are nearest to the given $y$:
//!
//! $$ \min_J \lVert E J - y \rVert, \qquad A(t, J) = 0 . $$
//!
//! With an orthonormal basis $Z$ of the null space of $A_J$, whose dimension is the number of degrees of freedom, and
//! $Q R = E Z$, a step of Newton's method is $\delta J = \delta_0 + Z R^{-1} Q^\top (y - E J - E \delta_0)$ with
//! $A_J \delta_0 = -A$. The columns of $Q$ span the tangent space of the consistent values of the differential unknowns;
//! where $y$ is to be consistent itself, its part orthogonal to them has to vanish.

use crate::contract::Dae;
use crate::initialize::{InitializationOptions, consistent_restart};
use crate::linalg::matrix::Matrix;
use crate::linalg::vector::larger;

use super::elimination::{reflect, reflect_back, triangularize};
use super::layout::Layout;
use super::obstacle::Deficiency;
use super::problem::Problem;
use super::shared::Shared;

/// A linearisation of the consistent jets around some jets.
#[derive(Clone, Debug)]
pub(super) struct Linearized {
    /// The change of the jets where $y$ and the shared quantities stay.
    pub(super) step: Vec<f64>,
    /// $\partial J/\partial y$.
    pub(super) by_state: Matrix,
    /// $\partial J/\partial \theta$.
    pub(super) by_shared: Matrix,
    /// Orthonormal rows $N$ for which $N\, \delta y = $ `normal_residual` $+$ `normal_shared` $\delta\theta$ makes $y$
    /// consistent; as many as there are constraints on differential unknowns.
    pub(super) normal: Matrix,
    pub(super) normal_residual: Vec<f64>,
    pub(super) normal_shared: Matrix,
}

/// Relative size below which a direction of freedom does not show in the differential unknowns.
const HIDDEN: f64 = 1e-14;

impl Linearized {
    /// Linearises around `jets` at time `t`, which moves by `moves` times the change of a free end.
    pub(super) fn new(
        dae: &dyn Dae,
        layout: &Layout,
        shared: &Shared,
        [t, moves]: [f64; 2],
        y: &[f64],
        jets: &[f64],
    ) -> Result<Linearized, Deficiency> {
        let prolongation = dae.prolongation();
        let d = prolongation.prolongation_description();
        let (n, rows, m, thetas) = (d.jets.len(), d.equations.len(), layout.differential.len(), shared.count());
        let mut residual = vec![0.0; rows];
        prolongation.prolonged_residual(t, jets, &mut residual);
        let mut values = vec![0.0; d.jacobian.len()];
        prolongation.prolonged_jacobian(t, jets, &mut values);
        if residual.iter().chain(&values).any(|value| !value.is_finite()) {
            return Err(Deficiency::NotFinite(t));
        }
        // A^T, with jets in units of their sizes and equations in units of their largest term.
        let units: Vec<f64> = d.jets.iter().zip(jets).map(|(jet, value)| jet.nominal.max(value.abs())).collect();
        let mut transposed = Matrix::zeros(n, rows);
        for (row, column, place) in d.jacobian.entries() {
            transposed[(column, row)] += values[place] * units[column];
        }
        let mut sizes = vec![1.0; rows];
        for (row, size) in sizes.iter_mut().enumerate() {
            let largest = transposed.column(row).iter().fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
            if largest == 0.0 {
                return Err(Deficiency::Point(t));
            }
            *size = largest;
            transposed.as_mut_slice()[row * n..(row + 1) * n].iter_mut().for_each(|entry| *entry /= largest);
        }
        let mut reflections = vec![0.0; rows];
        triangularize(n, transposed.as_mut_slice(), &mut reflections);
        if (0..rows).any(|k| transposed[(k, k)].abs() < HIDDEN) {
            return Err(Deficiency::Point(t));
        }
        // The solution of least norm of A_J x = b: R^T u = b, x = Q (u, 0).
        let least_norm = |b: &[f64]| {
            let mut x = vec![0.0; n];
            for k in 0..rows {
                let known: f64 = (0..k).map(|i| transposed[(i, k)] * x[i]).sum();
                x[k] = (b[k] / sizes[k] - known) / transposed[(k, k)];
            }
            reflect_back(transposed.as_slice(), &reflections, &mut x);
            x.iter_mut().zip(&units).for_each(|(x, unit)| *x *= unit);
            x
        };
        let freedom = n - rows;
        let mut null = Matrix::zeros(n, freedom);
        for (k, column) in null.as_mut_slice().chunks_exact_mut(n.max(1)).enumerate() {
            column[rows + k] = 1.0;
            reflect_back(transposed.as_slice(), &reflections, column);
            column.iter_mut().zip(&units).for_each(|(entry, unit)| *entry *= unit);
        }
        if freedom > m {
            return Err(Deficiency::Point(t));
        }
        // Q R = E Z, with differential unknowns in units of their nominal values.
        let unit_of = |k: usize| d.jets[layout.jets[k]].nominal;
        let mut tangent = Matrix::from_fn(m, freedom, |k, j| null[(layout.jets[k], j)] / unit_of(k));
        let mut tangent_reflections = vec![0.0; freedom];
        triangularize(m, tangent.as_mut_slice(), &mut tangent_reflections);
        if (0..freedom).any(|k| tangent[(k, k)].abs() < HIDDEN) {
            return Err(Deficiency::Point(t));
        }
        // The jets with the least change from given differential unknowns, and the part of these that is left.
        let follow = |particular: &mut [f64], given: &[f64]| -> Vec<f64> {
            let mut gap: Vec<f64> = (0..m).map(|k| (given[k] - particular[layout.jets[k]]) / unit_of(k)).collect();
            reflect(tangent.as_slice(), &tangent_reflections, &mut gap);
            let rest = gap.split_off(freedom);
            for k in (0..freedom).rev() {
                gap[k] /= tangent[(k, k)];
                let value = gap[k];
                (0..k).for_each(|i| gap[i] -= tangent[(i, k)] * value);
            }
            for (j, factor) in gap.iter().enumerate() {
                particular.iter_mut().zip(null.column(j)).for_each(|(value, entry)| *value += factor * entry);
            }
            rest
        };
        let negative: Vec<f64> = residual.iter().map(|value| -value).collect();
        let mut step = least_norm(&negative);
        let offset: Vec<f64> = (0..m).map(|k| y[k] - jets[layout.jets[k]]).collect();
        let normal_residual: Vec<f64> = follow(&mut step, &offset).iter().map(|rest| -rest).collect();
        let mut by_state = Matrix::zeros(n, m);
        let mut normal = Matrix::zeros(m - freedom, m);
        for k in 0..m {
            let mut given = vec![0.0; m];
            given[k] = 1.0;
            let column = &mut by_state.as_mut_slice()[k * n..(k + 1) * n];
            let rest = follow(column, &given);
            rest.iter().enumerate().for_each(|(i, rest)| normal[(i, k)] = *rest);
        }
        let mut by_shared = Matrix::zeros(n, thetas);
        let mut normal_shared = Matrix::zeros(m - freedom, thetas);
        let derivatives = shared.of_prolongation(dae, [t, moves], jets);
        for (column, derivative) in derivatives.iter().enumerate() {
            let negative: Vec<f64> = derivative.iter().map(|value| -value).collect();
            let mut change = least_norm(&negative);
            let rest = follow(&mut change, &vec![0.0; m]);
            rest.iter().enumerate().for_each(|(i, rest)| normal_shared[(i, column)] = -rest);
            by_shared.as_mut_slice()[column * n..(column + 1) * n].copy_from_slice(&change);
        }
        Ok(Linearized { step, by_state, by_shared, normal, normal_residual, normal_shared })
    }
}

/// Number of steps towards the nearest consistent jets.
const TOWARDS_NEAREST: usize = 6;
/// Largest number of steps towards consistent jets.
const STEPS: usize = 15;
/// Changes of this many rounding errors end the iteration.
const ROUNDING: f64 = 100.0;
/// Changes of this relative size are at rounding level where they do not decrease.
const NEARLY: f64 = 1e-9;

/// Moves jets to the consistent ones whose differential unknowns are nearest to `y`; the others start from their values.
/// Returns the last linearisation, or `None` if none are found.
pub(super) fn consistent_jets(
    dae: &dyn Dae,
    layout: &Layout,
    shared: &Shared,
    t: f64,
    y: &[f64],
    jets: &mut [f64],
) -> Option<Linearized> {
    layout.jets.iter().zip(y).for_each(|(&jet, y)| jets[jet] = *y);
    let guess = jets.to_vec();
    iterate(dae, layout, shared, t, y, jets).or_else(|| {
        // Far from consistent values, the stages of an initialisation lead to some.
        let n = dae.description().unknowns.len();
        let (mut state, mut slope) = (vec![0.0; n], vec![0.0; n]);
        dae.states_from_jets(t, &guess, &mut state, &mut slope);
        layout.differential.iter().zip(y).for_each(|(&place, y)| state[place] = *y);
        let anywhere = |_: usize| f64::INFINITY;
        let options = InitializationOptions::default();
        let found = consistent_restart(dae, t, &mut state, &mut slope, |_| false, anywhere, &options).ok()?;
        jets.copy_from_slice(&found);
        iterate(dae, layout, shared, t, y, jets)
    })
}

/// [`consistent_jets`], and the state and the derivative of the formulation there.
pub(super) fn consistent_state(
    problem: &Problem<'_>,
    t: f64,
    y: &[f64],
    jets: &mut [f64],
) -> Option<(Vec<f64>, Vec<f64>, Linearized)> {
    let linearized = consistent_jets(&*problem.dae, &problem.layout, &problem.shared, t, y, jets)?;
    let n = problem.description().unknowns.len();
    let (mut state, mut slope) = (vec![0.0; n], vec![0.0; n]);
    problem.dae.states_from_jets(t, jets, &mut state, &mut slope);
    let is_finite = state.iter().chain(&slope).all(|value| value.is_finite());
    is_finite.then_some((state, slope, linearized))
}

/// Newton's iteration for [`consistent_jets`].
fn iterate(dae: &dyn Dae, layout: &Layout, shared: &Shared, t: f64, y: &[f64], jets: &mut [f64]) -> Option<Linearized> {
    let units: Vec<f64> = dae.prolongation().prolongation_description().jets.iter().map(|jet| jet.nominal).collect();
    let (mut previous, mut last) = (f64::INFINITY, None);
    for k in 0..STEPS {
        // Far from consistent values the steps approach the nearest ones slowly: some near by serve as well.
        let here: Vec<f64> = layout.jets.iter().map(|&jet| jets[jet]).collect();
        let y = if k < TOWARDS_NEAREST { y } else { &here };
        let linearized = Linearized::new(dae, layout, shared, [t, 0.0], y, jets).ok()?;
        let changes = jets.iter().zip(&linearized.step).zip(&units);
        let size = changes.map(|((jet, step), unit)| step.abs() / (unit + jet.abs())).fold(0.0, larger);
        if !size.is_finite() {
            return None;
        }
        jets.iter_mut().zip(&linearized.step).for_each(|(jet, step)| *jet += step);
        if size <= ROUNDING * f64::EPSILON || size <= NEARLY && size >= 0.5 * previous {
            return Some(linearized);
        }
        previous = size;
        last = Some(linearized);
    }
    last.filter(|_| previous <= NEARLY)
}
