//! Partitioned Runge–Kutta methods for any Hamiltonian: all stages at once.
//!
//! In: a system ([`System`]), a pair of tableaux, a step. Out: its end.
//!
//! The unknowns are the derivatives at the stages, $K_j = q'_j$ and $L_j = p'_j$, and the multipliers $\lambda_j$ of all
//! stages that influence positions (Hairer, Lubich & Wanner, *Geometric Numerical Integration*, (VII.1.26) to
//! (VII.1.28)):
//!
//! $$ K_j = H_p(P_j, Q_j), \qquad L_j = -H_q(P_j, Q_j) - G(Q_j)^{\mathsf T} \lambda_j, \qquad
//!    0 = g\Bigl(q_0 + h \sum_j c_{ij} K_j\Bigr), $$
//!
//! with $Q_i = q_0 + h \sum_j a_{ij} K_j$ and $P_i = p_0 + h \sum_j \hat a_{ij} L_j$. Newton's iteration uses the
//! derivatives at the start of the step. Afterwards momenta are projected along $G(q_1)^{\mathsf T}$ onto
//! $G(q_1) H_p(p_1, q_1) = 0$.

use super::projection::Projection;
use super::system::{System, add_product};
use super::tableau::Pair;
use crate::integrator::StepError;
use crate::linalg::iteration_matrix::Lu;
use crate::methods::iteration::Iteration;

/// Makes steps of one pair of tableaux.
#[derive(Debug)]
pub(super) struct Stages {
    pair: Pair,
    /// $K_1, \dots, K_s$, then $L_1, \dots, L_s$, then the multipliers, times $h$.
    unknowns: Vec<f64>,
    residual: Vec<f64>,
    matrix: Lu<f64>,
    /// Multipliers of the last step, from which the next one starts.
    multipliers: Vec<f64>,
    /// A stage, or the end of the step.
    positions: Vec<f64>,
    momenta: Vec<f64>,
    /// Changes of the positions, and of the momenta, at the end of the step by the last correction.
    changes: [Vec<f64>; 2],
    pub(super) projection: Projection,
}

impl Stages {
    pub(super) fn new(system: &System<'_>, pair: Pair) -> Self {
        let (n, m, s, constrained) = (system.n, system.m, pair.stages(), pair.constrained.len());
        let size = 2 * s * n + constrained * m;
        Stages {
            pair,
            unknowns: vec![0.0; size],
            residual: vec![0.0; size],
            matrix: Lu::new(size),
            multipliers: vec![0.0; s * m],
            positions: vec![0.0; n],
            momenta: vec![0.0; n],
            changes: [vec![0.0; n], vec![0.0; n]],
            projection: Projection::new(n, m),
        }
    }

    /// Forgets the multipliers of the last step, which may be useless after an error.
    pub(super) fn forget(&mut self) {
        self.multipliers.fill(0.0);
    }

    /// Replaces positions and momenta at `t` by those after a step of length `h`; after an error they are as before.
    pub(super) fn step(
        &mut self,
        system: &mut System<'_>,
        t: f64,
        h: f64,
        (q, p): (&mut [f64], &mut [f64]),
    ) -> Result<(), StepError> {
        let (n, m, s) = (system.n, system.m, self.pair.stages());
        system.weigh(q, p);
        let guess = &self.multipliers[..m];
        system.move_to(q, p, Some(guess));
        system.evaluate(t)?;
        system.linearize(t);
        self.assemble(system, h);
        self.matrix.factorize().map_err(|_| StepError::Singular)?;
        for j in 0..s {
            self.unknowns[j * n..(j + 1) * n].copy_from_slice(&system.velocity);
            self.unknowns[(s + j) * n..(s + j + 1) * n].copy_from_slice(&system.force);
        }
        let (mut iteration, mut before) = (Iteration::new(), f64::INFINITY);
        loop {
            self.evaluate(system, t, h, (q, p))?;
            self.matrix.solve(&mut self.residual);
            self.unknowns.iter_mut().zip(&self.residual).for_each(|(x, change)| *x -= change);
            for (multiplier, change) in self.multipliers.iter_mut().zip(&self.residual[2 * s * n..]) {
                *multiplier -= change / h;
            }
            let Stages { positions, momenta, changes: [of_positions, of_momenta], pair, unknowns, residual, .. } = self;
            of_positions.fill(0.0);
            of_momenta.fill(0.0);
            positions.copy_from_slice(q);
            momenta.copy_from_slice(p);
            let last = &pair.constrained[pair.constrained.len() - 1];
            for (j, (b, b_of_momenta)) in last.iter().zip(&pair.end_of_momenta).enumerate() {
                let (of_q, of_p) = (j * n..(j + 1) * n, (s + j) * n..(s + j + 1) * n);
                add_product(&residual[of_q.clone()], n, &[*b], -h, of_positions);
                add_product(&residual[of_p.clone()], n, &[*b_of_momenta], -h, of_momenta);
                add_product(&unknowns[of_q], n, &[*b], h, positions);
                add_product(&unknowns[of_p], n, &[*b_of_momenta], h, momenta);
            }
            let size = of_momenta.iter().fold(0.0, |size: f64, change| size.max(change.abs()));
            // In momenta, rounding errors are larger, by multipliers times the step size, and then projected away.
            let is_over =
                iteration.is_over(of_positions, system.weights_of_positions(), &system.structure.positions)?;
            if is_over && size >= 0.5 * before {
                break;
            }
            before = size;
        }
        let Stages { projection, positions, momenta, .. } = self;
        system.move_to(positions, momenta, None);
        system.linearize(t + h);
        projection.linearize(system)?;
        system.evaluate(t + h)?;
        projection.project(system, t + h, positions, momenta)?;
        q.copy_from_slice(&self.positions);
        p.copy_from_slice(&self.momenta);
        Ok(())
    }

    /// Fills in the matrix of Newton's iteration, from the derivatives at the start of the step.
    fn assemble(&mut self, system: &System<'_>, h: f64) {
        let (n, m, s) = (system.n, system.m, self.pair.stages());
        let size = self.unknowns.len();
        let matrix = self.matrix.matrix_mut();
        matrix.fill(0.0);
        let mut add = |row: usize, column: usize, value: f64| matrix[column * size + row] += value;
        for i in 0..s {
            for j in 0..s {
                let (a, a_of_momenta) = (h * self.pair.of_positions[i][j], h * self.pair.of_momenta[i][j]);
                for column in 0..n {
                    for row in 0..n {
                        let place = column * n + row;
                        let (of_q, of_p) = (j * n + column, (s + j) * n + column);
                        add(i * n + row, of_q, a * system.velocity_by_positions[place]);
                        add(i * n + row, of_p, a_of_momenta * system.velocity_by_momenta[place]);
                        add((s + i) * n + row, of_q, a * system.force_by_positions[place]);
                        add((s + i) * n + row, of_p, a_of_momenta * system.force_by_momenta[place]);
                    }
                }
            }
            for row in 0..n {
                add(i * n + row, i * n + row, -1.0);
                add((s + i) * n + row, (s + i) * n + row, -1.0);
            }
        }
        for (i, weights) in self.pair.constrained.iter().enumerate() {
            for constraint in 0..m {
                let place = 2 * s * n + i * m + constraint;
                for row in 0..n {
                    add((s + i) * n + row, place, system.directions[constraint * n + row] / h);
                    for (j, weight) in weights.iter().enumerate() {
                        add(place, j * n + row, weight * system.gradient[row * m + constraint]);
                    }
                }
            }
        }
    }

    /// Evaluates the equations of the stages, in `residual`.
    fn evaluate(&mut self, system: &mut System<'_>, t: f64, h: f64, (q, p): (&[f64], &[f64])) -> Result<(), StepError> {
        let (n, m, s) = (system.n, system.m, self.pair.stages());
        let Stages { pair, unknowns, residual, multipliers, positions, momenta, .. } = self;
        for i in 0..s {
            positions.copy_from_slice(q);
            momenta.copy_from_slice(p);
            for j in 0..s {
                add_product(&unknowns[j * n..(j + 1) * n], n, &[pair.of_positions[i][j]], h, positions);
                add_product(&unknowns[(s + j) * n..(s + j + 1) * n], n, &[pair.of_momenta[i][j]], h, momenta);
            }
            let of_stage = if i < pair.constrained.len() { Some(&multipliers[i * m..(i + 1) * m]) } else { None };
            system.move_to(positions, momenta, of_stage);
            system.evaluate(t)?;
            for k in 0..n {
                residual[i * n + k] = system.velocity[k] - unknowns[i * n + k];
                residual[(s + i) * n + k] = system.force[k] - unknowns[(s + i) * n + k];
            }
        }
        for (i, weights) in pair.constrained.iter().enumerate() {
            positions.copy_from_slice(q);
            for (j, weight) in weights.iter().enumerate() {
                add_product(&unknowns[j * n..(j + 1) * n], n, &[*weight], h, positions);
            }
            system.move_positions(positions);
            system.constrain(t);
            let place = 2 * s * n + i * m;
            for (residual, constraint) in residual[place..place + m].iter_mut().zip(&system.constraints) {
                *residual = constraint / h;
            }
        }
        Ok(())
    }
}
