//! A constrained Hamiltonian system, evaluated.
//!
//! In: a formulation with the structure of one ([`HamiltonianStructure`]); positions and momenta. Out: velocities $H_p$, forces,
//! the directions in which multipliers act, constraints, and the derivatives of all these.
//!
//! Forces may contain constraint forces $G^{\mathsf T} \lambda$ with any multipliers: the methods determine multipliers
//! of their own, which absorb the difference.

use crate::contract::{Dae, HamiltonianStructure};
use crate::integrator::StepError;
use crate::linalg::iteration_matrix::Lu;

/// Entries of a matrix within a larger one: row, column, and position among the values of the latter.
type Entries = Vec<(usize, usize, usize)>;

/// What [`System::linearize`] evaluates besides $G$.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Derivatives {
    /// Nothing: $\partial q'/\partial p$ is constant, and the directions follow from $G$.
    None,
    /// The directions of the multipliers.
    Directions,
    All,
}

/// The system, and its values at the point of the last evaluation. Matrices are stored column by column.
pub(super) struct System<'d> {
    pub(super) dae: &'d dyn Dae,
    pub(super) structure: &'d HamiltonianStructure,
    /// Number of positions.
    pub(super) n: usize,
    /// Number of constraints.
    pub(super) m: usize,
    /// Typical magnitudes of positions, then of momenta.
    nominal: Vec<f64>,
    /// The inverses of the magnitudes at the start of a step.
    weights: Vec<f64>,
    /// $q'$, and $p'$ without constraint forces.
    pub(super) velocity: Vec<f64>,
    pub(super) force: Vec<f64>,
    /// $g$.
    pub(super) constraints: Vec<f64>,
    /// $G$.
    pub(super) gradient: Vec<f64>,
    /// The change of $p'$ by a change of the multipliers: $-G^{\mathsf T}$, or $-M^{-1} G^{\mathsf T}$ for velocities.
    pub(super) directions: Vec<f64>,
    /// $\partial q'/\partial p$, $\partial q'/\partial q$, $\partial p'/\partial p$, $\partial p'/\partial q$.
    pub(super) velocity_by_momenta: Vec<f64>,
    pub(super) velocity_by_positions: Vec<f64>,
    pub(super) force_by_momenta: Vec<f64>,
    pub(super) force_by_positions: Vec<f64>,
    entries: [Entries; 6],
    /// The factors of $\partial F/\partial p'$; `None` if it is the identity.
    mass: Option<Lu<f64>>,
    y: Vec<f64>,
    yp: Vec<f64>,
    residual: Vec<f64>,
    invariants: Vec<f64>,
    jacobian: Vec<f64>,
    invariants_jacobian: Vec<f64>,
    derivatives: Derivatives,
    /// Evaluations of $F$, and of its derivatives.
    pub(super) evaluations: [usize; 2],
}

/// The entries of `pattern` in these rows and columns.
fn entries(pattern: &crate::contract::Pattern, rows: &[usize], columns: &[usize]) -> Entries {
    let mut found = Entries::new();
    for (i, &row) in rows.iter().enumerate() {
        for (column, place) in pattern.row(row) {
            found.extend(columns.iter().position(|&it| it == column).map(|j| (i, j, place)));
        }
    }
    found
}

/// Adds the matrix of these entries times a vector and `factor`.
#[inline]
fn add_entries(entries: &Entries, values: &[f64], x: &[f64], factor: f64, sum: &mut [f64]) {
    entries.iter().for_each(|&(i, j, place)| sum[i] += factor * values[place] * x[j]);
}

/// Copies entries into a matrix of so many rows, times `factor`.
#[inline]
fn gather(entries: &Entries, values: &[f64], factor: f64, rows: usize, matrix: &mut [f64]) {
    if entries.len() < matrix.len() {
        matrix.fill(0.0);
    }
    entries.iter().for_each(|&(i, j, place)| matrix[j * rows + i] = factor * values[place]);
}

impl<'d> System<'d> {
    /// The system in a formulation; `None` if that is not known to be Hamiltonian. `y` is a consistent state at `t`. With
    /// `is_full`, derivatives with respect to positions are evaluated as well.
    pub(super) fn of(dae: &'d dyn Dae, t: f64, y: &[f64], is_full: bool) -> Option<Self> {
        let dae = dae.canonical()?;
        let of = dae.description();
        let structure = of.hamiltonian.as_ref().ok()?;
        let HamiltonianStructure { positions, momenta, multipliers, position_equations, momentum_equations, .. } =
            structure;
        let (n, m) = (positions.len(), structure.constraints.len());
        let fits = |places: &[usize], count: usize, below: usize| {
            places.len() == count && places.iter().all(|&place| place < below)
        };
        let (unknowns, rows) = (of.unknowns.len(), of.equations.len());
        let is_complete = fits(positions, n, unknowns)
            && fits(momenta, n, unknowns)
            && fits(multipliers, m, unknowns)
            && fits(position_equations, n, rows)
            && fits(momentum_equations, n, rows)
            && fits(&structure.constraints, m, of.invariants.len());
        if !is_complete {
            return None;
        }
        let by_y = |rows: &[usize], columns: &[usize]| entries(&of.jacobian_y, rows, columns);
        let entries_of = [
            entries(&of.invariants_jacobian, &structure.constraints, positions),
            by_y(momentum_equations, multipliers),
            by_y(position_equations, momenta),
            by_y(position_equations, positions),
            by_y(momentum_equations, momenta),
            by_y(momentum_equations, positions),
        ];
        let nominal = positions.iter().chain(momenta.iter()).map(|&k| of.unknowns[k].nominal.abs()).collect();
        let mut system = System {
            dae,
            structure,
            n,
            m,
            nominal,
            weights: vec![0.0; 2 * n],
            velocity: vec![0.0; n],
            force: vec![0.0; n],
            constraints: vec![0.0; m],
            gradient: vec![0.0; m * n],
            directions: vec![0.0; n * m],
            velocity_by_momenta: vec![0.0; n * n],
            velocity_by_positions: vec![0.0; n * n],
            force_by_momenta: vec![0.0; n * n],
            force_by_positions: vec![0.0; n * n],
            entries: entries_of,
            mass: None,
            y: y.to_vec(),
            yp: vec![0.0; y.len()],
            residual: vec![0.0; of.equations.len()],
            invariants: vec![0.0; of.invariants.len()],
            jacobian: vec![0.0; of.jacobian_y.len()],
            invariants_jacobian: vec![0.0; of.invariants_jacobian.len()],
            derivatives: match structure {
                _ if is_full => Derivatives::All,
                HamiltonianStructure { has_normal_forces: true, .. } => Derivatives::None,
                _ => Derivatives::Directions,
            },
            evaluations: [0, 0],
        };
        multipliers.iter().for_each(|&k| system.y[k] = 0.0);
        dae.jacobian_y(t, &system.y, &system.yp, &mut system.jacobian);
        system.factorize_mass(t).then_some(system)
    }

    /// Factorises the constant matrix of $p'$; returns whether it is regular.
    fn factorize_mass(&mut self, t: f64) -> bool {
        let pattern = &self.dae.description().jacobian_yp;
        let mut values = vec![0.0; pattern.len()];
        self.dae.jacobian_yp(t, &self.y, &self.yp, &mut values);
        let mut mass = Lu::new(self.n);
        let entries = entries(pattern, &self.structure.momentum_equations, &self.structure.momenta);
        gather(&entries, &values, 1.0, self.n, mass.matrix_mut());
        let n = self.n;
        let is_identity = mass.matrix_mut().iter().enumerate().all(|(k, &a)| a == f64::from(k % n == k / n));
        let is_regular = is_identity || mass.factorize().is_ok();
        self.mass = Some(mass).filter(|_| !is_identity);
        is_regular
    }

    /// Sets the point; without multipliers, they are zero.
    #[inline]
    pub(super) fn move_to(&mut self, q: &[f64], p: &[f64], multipliers: Option<&[f64]>) {
        self.move_positions(q);
        self.structure.momenta.iter().zip(p).for_each(|(&k, &value)| self.y[k] = value);
        for (i, &k) in self.structure.multipliers.iter().enumerate() {
            self.y[k] = multipliers.map_or(0.0, |values| values[i]);
        }
    }

    /// Sets the positions.
    #[inline]
    pub(super) fn move_positions(&mut self, q: &[f64]) {
        self.structure.positions.iter().zip(q).for_each(|(&k, &value)| self.y[k] = value);
    }

    /// Takes the magnitudes at the start of a step.
    pub(super) fn weigh(&mut self, q: &[f64], p: &[f64]) {
        let values = q.iter().chain(p).zip(&self.nominal).zip(&mut self.weights);
        values.for_each(|((value, nominal), weight)| *weight = 1.0 / (value.abs() + nominal));
    }

    /// The inverses of the magnitudes of positions.
    pub(super) fn weights_of_positions(&self) -> &[f64] {
        &self.weights[..self.n]
    }

    /// The inverses of the magnitudes of momenta.
    pub(super) fn weights_of_momenta(&self) -> &[f64] {
        &self.weights[self.n..]
    }

    /// Evaluates velocity and force; the latter contains the constraint forces of the multipliers that are set.
    #[inline]
    pub(super) fn evaluate(&mut self, t: f64) -> Result<(), StepError> {
        self.dae.residual(t, &self.y, &self.yp, &mut self.residual);
        self.evaluations[0] += 1;
        let HamiltonianStructure { position_equations, momentum_equations, .. } = self.structure;
        let rows = position_equations.iter().zip(&mut self.velocity);
        let mut sum = 0.0;
        let mut take = |(&row, value): (&usize, &mut f64)| {
            *value = -self.residual[row];
            sum += *value;
        };
        rows.for_each(&mut take);
        momentum_equations.iter().zip(&mut self.force).for_each(&mut take);
        if let Some(mass) = &self.mass {
            mass.solve(&mut self.force);
        }
        if sum.is_finite() {
            return Ok(());
        }
        let mut equations = position_equations.iter().chain(momentum_equations.iter()).copied();
        match equations.find(|&row| !self.residual[row].is_finite()) {
            Some(equation) => Err(StepError::NonFinite { equation }),
            None => Ok(()),
        }
    }

    /// Adds the change of the velocities by a change of the momenta, times a factor.
    #[inline]
    pub(super) fn add_velocities(&self, change: &[f64], factor: f64, sum: &mut [f64]) {
        add_entries(&self.entries[2], &self.jacobian, change, -factor, sum);
    }

    /// Changes the velocity as the force does in this time.
    #[inline]
    pub(super) fn kick_velocity(&mut self, time: f64) {
        add_entries(&self.entries[2], &self.jacobian, &self.force, -time, &mut self.velocity);
    }

    /// Evaluates the constraints.
    #[inline]
    pub(super) fn constrain(&mut self, t: f64) {
        self.dae.invariants(t, &self.y, &mut self.invariants);
        let values = self.structure.constraints.iter().zip(&mut self.constraints);
        values.for_each(|(&k, value)| *value = self.invariants[k]);
    }

    /// Evaluates $G$.
    #[inline]
    pub(super) fn evaluate_gradient(&mut self, t: f64) {
        self.dae.invariants_jacobian(t, &self.y, &mut self.invariants_jacobian);
        gather(&self.entries[0], &self.invariants_jacobian, 1.0, self.m, &mut self.gradient);
    }

    /// Evaluates $G$ and, as far as they are needed, the other derivatives.
    #[inline]
    pub(super) fn linearize(&mut self, t: f64) {
        let (n, m) = (self.n, self.m);
        self.evaluate_gradient(t);
        self.evaluations[1] += 1;
        let [_, directions, velocity_by_p, velocity_by_q, force_by_p, force_by_q] = &self.entries;
        if self.derivatives == Derivatives::None {
            for (j, direction) in self.directions.chunks_exact_mut(n.max(1)).enumerate() {
                direction.iter_mut().enumerate().for_each(|(i, x)| *x = -self.gradient[i * m + j]);
            }
        } else {
            self.dae.jacobian_y(t, &self.y, &self.yp, &mut self.jacobian);
            gather(directions, &self.jacobian, -1.0, n, &mut self.directions);
        }
        if self.derivatives == Derivatives::All {
            gather(velocity_by_p, &self.jacobian, -1.0, n, &mut self.velocity_by_momenta);
            gather(velocity_by_q, &self.jacobian, -1.0, n, &mut self.velocity_by_positions);
            gather(force_by_p, &self.jacobian, -1.0, n, &mut self.force_by_momenta);
            gather(force_by_q, &self.jacobian, -1.0, n, &mut self.force_by_positions);
        }
        if let Some(mass) = &self.mass {
            let solve = |matrix: &mut [f64]| matrix.chunks_exact_mut(n).for_each(|column| mass.solve(column));
            solve(&mut self.directions);
            if self.derivatives == Derivatives::All {
                solve(&mut self.force_by_momenta);
                solve(&mut self.force_by_positions);
            }
        }
    }
}

/// Adds a matrix of so many rows, stored column by column, times a vector.
#[inline]
pub(super) fn add_product(matrix: &[f64], rows: usize, x: &[f64], factor: f64, sum: &mut [f64]) {
    for (column, x) in matrix.chunks_exact(rows.max(1)).zip(x) {
        sum.iter_mut().zip(column).for_each(|(sum, entry)| *sum += factor * x * entry);
    }
}
