//! The underlying ordinary differential equation, linearised, and its solutions that satisfy the constraints.
//!
//! In: the compiled underlying form. Out: $J = \partial f / \partial y$ and a basis $T$ of the tangent space
//! $\ker \varphi_y$; the frozen part of the model is $\tau' = T^\top J T\,\tau$ up to the motion of $T$.

use dae_runtime::contract::Dae;
use dae_runtime::underlying::UnderlyingOde;
use nalgebra::DMatrix;

use super::local::is_finite;
use crate::eval::Interpreter;
use crate::formulation::CompiledForm;
use crate::formulation::Source;
use crate::prolongation::Prolonged;

/// Singular values below this fraction of the largest count as zero.
const RANK: f64 = 1e-10;
/// Bound on the iterations for singular values; matrices of these sizes take a few per row.
pub(super) const SWEEPS: usize = 10_000;

/// The underlying ordinary differential equation, evaluated at the start.
pub(super) struct Flow {
    ode: UnderlyingOde<Interpreter>,
    y: Vec<f64>,
    yp: Vec<f64>,
    /// Where each of its unknowns comes from.
    pub(super) sources: Vec<Source>,
}

impl Flow {
    /// The equation at a consistent point given as jets of the prolongation; `None` if the equations do not give the
    /// derivatives there.
    pub(super) fn new(form: &CompiledForm, prolonged: &Prolonged, jets: &[f64], t0: f64) -> Option<Flow> {
        let n = form.formulation.unknowns.len();
        let inner = Interpreter::new(form.program.clone(), prolonged.clone());
        let ode = UnderlyingOde::new(inner);
        let (mut y, mut yp) = (vec![0.0; n], vec![0.0; n]);
        ode.states_from_jets(t0, jets, &mut y, &mut yp);
        ode.solve(t0, &mut y, &mut yp).ok()?;
        let sources = form.formulation.unknowns.iter().map(|unknown| unknown.source).collect();
        Some(Flow { ode, y, yp, sources })
    }

    /// Positions of the differential unknowns.
    pub(super) fn states(&self) -> &[usize] {
        self.ode.states()
    }

    /// The largest $|y_j'| / (|y_j| + \text{nominal})$.
    pub(super) fn speed(&self) -> f64 {
        let unknowns = &self.ode.description().unknowns;
        let relative = |&j: &usize| self.yp[j].abs() / (self.y[j].abs() + unknowns[j].nominal.abs());
        self.states().iter().map(relative).fold(0.0, f64::max)
    }

    /// The place of each unknown among the differential ones.
    fn places(&self) -> Vec<Option<usize>> {
        let mut places = vec![None; self.ode.description().unknowns.len()];
        self.states().iter().enumerate().for_each(|(k, &j)| places[j] = Some(k));
        places
    }

    /// $J$ at time `t` and the start values, square in the differential unknowns.
    pub(super) fn jacobian(&self, t: f64) -> Option<DMatrix<f64>> {
        let (pattern, places, n) = (&self.ode.description().jacobian_y, self.places(), self.states().len());
        let mut values = vec![0.0; pattern.len()];
        self.ode.jacobian_y(t, &self.y, &self.yp, &mut values);
        let mut jacobian = DMatrix::zeros(n, n);
        for (row, column, position) in pattern.entries() {
            if let (Some(row), Some(column)) = (places[row], places[column]) {
                jacobian[(row, column)] = -values[position];
            }
        }
        is_finite(&jacobian).then_some(jacobian)
    }

    /// $T$ at time `t` and the start values, with orthonormal columns.
    pub(super) fn tangent(&self, t: f64) -> Option<DMatrix<f64>> {
        let (description, places, n) = (self.ode.description(), self.places(), self.states().len());
        let mut values = vec![0.0; description.invariants_jacobian.len()];
        self.ode.invariants_jacobian(t, &self.y, &mut values);
        // At least as many rows as columns, so that the decomposition has all right singular vectors.
        let mut gradients = DMatrix::zeros(description.invariants.len().max(n), n);
        for (row, column, position) in description.invariants_jacobian.entries() {
            if let Some(column) = places[column] {
                gradients[(row, column)] = values[position];
            }
        }
        kernel(&gradients)
    }
}

/// An orthonormal basis of the kernel; `None` where an entry is not finite, or the iteration for singular values does
/// not converge.
pub(super) fn kernel(matrix: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let n = matrix.ncols();
    is_finite(matrix).then_some(())?;
    if n == 0 {
        return Some(DMatrix::zeros(0, 0));
    }
    let decomposition = matrix.clone().try_svd(false, true, f64::EPSILON, SWEEPS)?;
    let (values, right) = (&decomposition.singular_values, decomposition.v_t.as_ref()?);
    let zero = RANK * values.max();
    let vectors: Vec<_> = (0..n).filter(|&k| values[k] <= zero).map(|k| right.row(k).transpose()).collect();
    Some(if vectors.is_empty() { DMatrix::zeros(n, 0) } else { DMatrix::from_columns(&vectors) })
}
