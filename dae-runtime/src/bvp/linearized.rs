//! Linearised consistent jets.
//!
//! In: jets near consistent ones, and values of the differential unknowns of a formulation, which need not satisfy the
//! constraints exactly. Out: a step of Newton's method towards consistent jets, and how they change with the differential
//! unknowns and shared quantities.
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

use crate::contract::{Dae, ProlongationDescription};
use crate::linalg::matrix::Matrix;

use super::householder::{reflect, reflect_back, triangularize};
use super::layout::Layout;
use super::obstacle::Deficiency;
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
        let (n, m, thetas) = (d.jets.len(), layout.differential.len(), shared.count());
        let mut residual = vec![0.0; d.equations.len()];
        prolongation.prolonged_residual(t, jets, &mut residual);
        let mut values = vec![0.0; d.jacobian.len()];
        prolongation.prolonged_jacobian(t, jets, &mut values);
        if residual.iter().chain(&values).any(|value| !value.is_finite()) {
            return Err(Deficiency::NotFinite(t));
        }
        let equations = Equations::new(d, jets, &values).ok_or(Deficiency::Point(t))?;
        let tangent = Tangent::new(d, layout, equations.null_space()).ok_or(Deficiency::Point(t))?;
        let mut step = equations.least_norm(residual.iter().map(|value| -value));
        let offset: Vec<f64> = y.iter().zip(&layout.jets).map(|(y, &jet)| y - jets[jet]).collect();
        let normal_residual: Vec<f64> = tangent.follow(&mut step, &offset).iter().map(|rest| -rest).collect();
        let mut by_state = Matrix::zeros(n, m);
        let mut normal = Matrix::zeros(normal_residual.len(), m);
        for (k, column) in by_state.as_mut_slice().chunks_exact_mut(n.max(1)).enumerate() {
            let mut given = vec![0.0; m];
            given[k] = 1.0;
            let rest = tangent.follow(column, &given);
            rest.iter().enumerate().for_each(|(i, rest)| normal[(i, k)] = *rest);
        }
        let mut by_shared = Matrix::zeros(n, thetas);
        let mut normal_shared = Matrix::zeros(normal_residual.len(), thetas);
        for (k, derivative) in shared.of_prolongation(dae, [t, moves], jets).iter().enumerate() {
            let mut change = equations.least_norm(derivative.iter().map(|value| -value));
            let rest = tangent.follow(&mut change, &vec![0.0; m]);
            rest.iter().enumerate().for_each(|(i, rest)| normal_shared[(i, k)] = -rest);
            by_shared.as_mut_slice()[k * n..(k + 1) * n].copy_from_slice(&change);
        }
        Ok(Linearized { step, by_state, by_shared, normal, normal_residual, normal_shared })
    }
}

/// The decomposition of $A_J^\top$, with jets in units of their sizes and equations in units of their largest terms.
struct Equations {
    /// The units of the jets.
    units: Vec<f64>,
    /// The units of the equations.
    sizes: Vec<f64>,
    transposed: Matrix,
    reflections: Vec<f64>,
}

impl Equations {
    /// `None` if the equations are dependent.
    fn new(d: &ProlongationDescription, jets: &[f64], values: &[f64]) -> Option<Equations> {
        let (n, rows) = (d.jets.len(), d.equations.len());
        let units: Vec<f64> = d.jets.iter().zip(jets).map(|(jet, value)| jet.nominal.max(value.abs())).collect();
        let mut transposed = Matrix::zeros(n, rows);
        for (row, column, place) in d.jacobian.entries() {
            transposed[(column, row)] += values[place] * units[column];
        }
        let mut sizes = Vec::with_capacity(rows);
        for column in transposed.as_mut_slice().chunks_exact_mut(n.max(1)) {
            let largest = column.iter().fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
            if largest == 0.0 {
                return None;
            }
            column.iter_mut().for_each(|entry| *entry /= largest);
            sizes.push(largest);
        }
        let mut reflections = vec![0.0; rows];
        triangularize(n, transposed.as_mut_slice(), &mut reflections);
        let is_regular = (0..rows).all(|k| transposed[(k, k)].abs() >= HIDDEN);
        is_regular.then_some(Equations { units, sizes, transposed, reflections })
    }

    /// The solution of least norm of $A_J x = b$: $R^\top u = b$, $x = Q (u, 0)$.
    fn least_norm(&self, b: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut x = vec![0.0; self.units.len()];
        for (k, b) in b.enumerate() {
            let known: f64 = (0..k).map(|i| self.transposed[(i, k)] * x[i]).sum();
            x[k] = (b / self.sizes[k] - known) / self.transposed[(k, k)];
        }
        self.turn_back(&mut x);
        x
    }

    /// $Z$.
    fn null_space(&self) -> Matrix {
        let (n, rows) = (self.units.len(), self.sizes.len());
        let mut null = Matrix::zeros(n, n - rows);
        for (k, column) in null.as_mut_slice().chunks_exact_mut(n.max(1)).enumerate() {
            column[rows + k] = 1.0;
            self.turn_back(column);
        }
        null
    }

    /// Applies $Q$, and goes back to the units of the model.
    fn turn_back(&self, x: &mut [f64]) {
        reflect_back(self.transposed.as_slice(), &self.reflections, x);
        x.iter_mut().zip(&self.units).for_each(|(x, unit)| *x *= unit);
    }
}

/// The tangent space of the consistent values of the differential unknowns: the decomposition of $E Z$, with differential
/// unknowns in units of their nominal values.
struct Tangent<'l> {
    /// $Z$.
    null: Matrix,
    /// The entries of the jet vector that the differential unknowns are.
    places: &'l [usize],
    /// The units of the differential unknowns.
    units: Vec<f64>,
    factors: Matrix,
    reflections: Vec<f64>,
}

impl<'l> Tangent<'l> {
    /// `None` if the differential unknowns do not determine the jets.
    fn new(d: &ProlongationDescription, layout: &'l Layout, null: Matrix) -> Option<Tangent<'l>> {
        let (m, freedom) = (layout.jets.len(), null.columns());
        if freedom > m {
            return None;
        }
        let units: Vec<f64> = layout.jets.iter().map(|&jet| d.jets[jet].nominal).collect();
        let mut factors = Matrix::from_fn(m, freedom, |k, j| null[(layout.jets[k], j)] / units[k]);
        let mut reflections = vec![0.0; freedom];
        triangularize(m, factors.as_mut_slice(), &mut reflections);
        let is_regular = (0..freedom).all(|k| factors[(k, k)].abs() >= HIDDEN);
        is_regular.then_some(Tangent { null, places: &layout.jets, units, factors, reflections })
    }

    /// Adds to a change of the jets what brings the change of the differential unknowns nearest to the one `given`;
    /// returns the part of that which is orthogonal to the tangent space.
    fn follow(&self, particular: &mut [f64], given: &[f64]) -> Vec<f64> {
        let freedom = self.null.columns();
        let differences = given.iter().zip(self.places).zip(&self.units);
        let mut gap: Vec<f64> = differences.map(|((given, &jet), unit)| (given - particular[jet]) / unit).collect();
        reflect(self.factors.as_slice(), &self.reflections, &mut gap);
        let rest = gap.split_off(freedom);
        for k in (0..freedom).rev() {
            gap[k] /= self.factors[(k, k)];
            let value = gap[k];
            (0..k).for_each(|i| gap[i] -= self.factors[(i, k)] * value);
        }
        for (j, factor) in gap.iter().enumerate() {
            particular.iter_mut().zip(self.null.column(j)).for_each(|(value, entry)| *value += factor * entry);
        }
        rest
    }
}
