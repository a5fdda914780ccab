//! State-space forms: the constraints of a formulation as a manifold, integrated in local coordinates that change with
//! the solution.
//!
//! In: a formulation of index 1 whose last rows are the constraints $\varphi(t, y) = 0$ that it implies, with as many
//! unknowns $\mu$ at the end that do not yet occur anywhere. Out: the formulation with
//!
//! $$ F(t, y, y' + D\mu) = 0, \qquad \varphi(t, y) = 0, $$
//!
//! where $D$ is constant between changes of coordinates. With rows $R$ that span the orthogonal complement of $D$, $R D
//! = 0$, only $R\,y'$ is discretised: $u = R\,y$ are the coordinates, the other components of $y$ follow from the
//! constraints, and $\mu$, zero on solutions, is the discretisation error of the latter components, in the directions
//! $D$. So the discrete equations are those of the state-space form $u' = R\,f(t, y(u))$ (Ascher & Petzold 1993, sect.
//! 3.3; Hairer & Wanner II, Sect. VII.2, eq. (2.30)), while $y$ is continuous where coordinates change, so that a
//! multistep method need not be restarted.
//!
//! | [`Coordinates`] | $D$ | the coordinates |
//! |---|---|---|
//! | `Partition` | unit vectors, by complete pivoting in $\varphi_y$ | some of the unknowns (Wehage & Haug, J. Mech. Des. 104, 1982) |
//! | `Tangent` | $\varphi_y^\top$ at a reference point | those of the tangent space there (Potra & Yen, Mech. Struct. Mach. 19, 1991) |
//!
//! With unit vectors, $y_j' + \mu_k$ are the *dummy derivatives* of S. E. Mattsson, G. Söderlind, SIAM J. Sci. Comput.
//! 14 (1993): unknowns that stand in place of $y_j'$ for the dependent $y_j$.
//!
//! Of $\varphi_y$ only the entries at the highest derivatives count, those whose jets have the stage of their equation:
//! dependent velocities belong to velocity constraints. Coordinates are changed when $\varphi_y D$ is much closer to a
//! singular matrix than when they were chosen; only then does the choice allocate.

use std::cell::RefCell;

use crate::completions::delegate::{forward_invariants_to_inner, forward_to_inner};
use crate::contract::class::Classified;
use crate::contract::{Dae, Description, Pattern, Role, Unknown};
use crate::linalg::complete_pivoting::CompletePivoting;
use crate::linalg::iteration_matrix::Lu;
use crate::linalg::structure::{Incidence, Matching};

/// Coordinates are changed when the estimated smallest singular value of $\varphi_y D$ is no larger than this fraction
/// of its value when they were chosen.
const WORSE: f64 = 0.5;

/// The choice of local coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinates {
    /// Some of the unknowns.
    Partition,
    /// Coordinates of the tangent space.
    Tangent,
}

/// An entry of $\varphi_y$ that may be an entry of $D$: $D_{jk} \ne 0$.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// $k$.
    constraint: usize,
    /// Position of $\partial\varphi_k / \partial y_j$ among the derivatives of the invariants.
    position: usize,
    /// $j$.
    state: usize,
}

/// A formulation in local coordinates.
#[derive(Clone, Debug)]
pub struct StateSpace<D> {
    inner: D,
    coordinates: Coordinates,
    description: Description,
    /// For each multiplier, in the order in which they stand at the end of $y$, the invariant that it enforces.
    constraints: Vec<usize>,
    /// Candidates for entries of $D$, by constraint and position.
    candidates: Vec<Candidate>,
    /// The candidates of each state.
    of_state: Vec<Vec<usize>>,
    /// Position of each entry of the inner $\partial F/\partial y$ in the Jacobian with the multipliers.
    copies: Vec<usize>,
    /// For every derivative with respect to a multiplier: its position, and its terms $\partial F/\partial y'_j \cdot
    /// D_{jk}$.
    terms: Vec<(usize, Vec<(usize, usize)>)>,
    work: RefCell<Work>,
}

/// Storage.
#[derive(Clone, Debug)]
struct Work {
    /// Entries of $D$, by candidate.
    directions: Vec<f64>,
    /// The measure of $\varphi_y D$ when coordinates were chosen; zero before.
    chosen_at: f64,
    /// $y' + D\mu$.
    yp: Vec<f64>,
    jacobian_y: Vec<f64>,
    jacobian_yp: Vec<f64>,
    /// $\varphi_y$.
    invariants: Vec<f64>,
    small: Lu<f64>,
    column: Vec<f64>,
    elimination: CompletePivoting,
}

impl<D: Dae> StateSpace<D> {
    /// Enforces constraints in local coordinates.
    pub fn new(inner: D, coordinates: Coordinates) -> Self {
        let of = inner.description();
        let enforced = |unknown: &Unknown| match unknown.role {
            Role::Multiplier { row } => of.invariants.iter().position(|it| it.row == Some(row)),
            Role::Jet(_) | Role::HigherDerivative | Role::Defined { .. } | Role::Weight { .. } => None,
        };
        let constraints: Vec<usize> = of.unknowns.iter().filter_map(enforced).collect();
        let m = constraints.len();
        let n = of.unknowns.len() - m;
        let candidates = candidates(&inner, &constraints, n);
        let mut acting: Vec<Vec<(usize, usize)>> = vec![Vec::new(); n];
        for (c, candidate) in candidates.iter().enumerate() {
            acting[candidate.state].push((candidate.constraint, c));
        }
        let of_state = acting.iter().map(|list| list.iter().map(|&(_, c)| c).collect()).collect();
        let (mut starts, mut columns) = (vec![0], Vec::new());
        let (mut copies, mut terms) = (vec![0; of.jacobian_y.len()], Vec::new());
        for row in 0..of.jacobian_y.rows() {
            for (column, position) in of.jacobian_y.row(row) {
                copies[position] = columns.len();
                columns.push(column);
            }
            let mut by_multiplier: Vec<Vec<(usize, usize)>> = vec![Vec::new(); m];
            for (column, position) in of.jacobian_yp.row(row) {
                acting[column].iter().for_each(|&(constraint, c)| by_multiplier[constraint].push((position, c)));
            }
            for (constraint, list) in by_multiplier.into_iter().enumerate().filter(|(_, list)| !list.is_empty()) {
                terms.push((columns.len(), list));
                columns.push(n + constraint);
            }
            starts.push(columns.len());
        }
        let jacobian_y =
            Pattern { columns: of.unknowns.len(), row_starts: starts.into(), column_indices: columns.into() };
        let description = Description { jacobian_y, ..of.clone() };
        let work = Work {
            directions: vec![0.0; candidates.len()],
            chosen_at: 0.0,
            yp: vec![0.0; of.unknowns.len()],
            jacobian_y: vec![0.0; of.jacobian_y.len()],
            jacobian_yp: vec![0.0; of.jacobian_yp.len()],
            invariants: vec![0.0; of.invariants_jacobian.len()],
            small: Lu::new(m),
            column: vec![0.0; m],
            elimination: CompletePivoting::new(m, vec![1.0; n]),
        };
        let work = RefCell::new(work);
        StateSpace { inner, coordinates, description, constraints, candidates, of_state, copies, terms, work }
    }

    /// Position of the first multiplier.
    fn multipliers(&self) -> usize {
        self.description.unknowns.len() - self.constraints.len()
    }

    /// Calls a function with $y' + D\mu$ in `Work::yp`.
    fn corrected(&self, y: &[f64], yp: &[f64], f: impl FnOnce(&mut Work)) {
        let (n, work) = (self.multipliers(), &mut *self.work.borrow_mut());
        work.yp.copy_from_slice(yp);
        for (candidate, direction) in self.candidates.iter().zip(&work.directions) {
            work.yp[candidate.state] += direction * y[n + candidate.constraint];
        }
        f(work);
    }

    /// Distance of $\varphi_y D$ from a singular matrix once the rows of $\varphi_y$ are scaled to largest entries of
    /// one: the reciprocal of the largest entry of its inverse; zero if it is singular.
    fn measure(&self, work: &mut Work) -> f64 {
        let m = self.constraints.len();
        let matrix = work.small.matrix_mut();
        matrix.fill(0.0);
        let pattern = &self.inner.description().invariants_jacobian;
        for (k, size) in work.column.iter_mut().enumerate() {
            *size = largest(pattern, &work.invariants, self.constraints[k]);
        }
        for (candidate, &direction) in self.candidates.iter().zip(&work.directions).filter(|(_, d)| **d != 0.0) {
            // Every constraint that contains the state, not only the one whose multiplier acts on it.
            for other in self.of_state[candidate.state].iter().map(|&c| &self.candidates[c]) {
                let entry = work.invariants[other.position] / work.column[other.constraint];
                matrix[candidate.constraint * m + other.constraint] += entry * direction;
            }
        }
        if work.small.factorize().is_err() {
            return 0.0;
        }
        let mut worst: f64 = 0.0;
        for k in 0..m {
            work.column.fill(0.0);
            work.column[k] = 1.0;
            work.small.solve(&mut work.column);
            worst = worst.max(work.column.iter().map(|x| x.abs()).fold(0.0, f64::max));
        }
        if worst > 0.0 && worst.is_finite() { 1.0 / worst } else { 0.0 }
    }

    /// Chooses coordinates from the derivatives of the constraints in `work`.
    fn choose(&self, work: &mut Work) {
        match self.coordinates {
            Coordinates::Tangent => {
                for (k, _) in self.constraints.iter().enumerate() {
                    let range = self.candidates_of(k);
                    let squares: f64 =
                        self.candidates[range.clone()].iter().map(|c| work.invariants[c.position].powi(2)).sum();
                    let size = squares.sqrt().max(f64::MIN_POSITIVE);
                    for c in range {
                        work.directions[c] = work.invariants[self.candidates[c].position] / size;
                    }
                }
            }
            Coordinates::Partition => self.partition(work),
        }
    }

    fn candidates_of(&self, constraint: usize) -> std::ops::Range<usize> {
        let start = self.candidates.partition_point(|c| c.constraint < constraint);
        let end = self.candidates.partition_point(|c| c.constraint <= constraint);
        start..end
    }

    /// Gaussian elimination with complete pivoting on $\varphi_y$ with scaled rows: the pivot columns are the dependent
    /// unknowns.
    fn partition(&self, work: &mut Work) {
        let (n, m) = (self.multipliers(), self.constraints.len());
        let Work { elimination, invariants, directions, .. } = work;
        directions.fill(0.0);
        elimination.matrix.fill(0.0);
        for candidate in &self.candidates {
            *elimination.entry(candidate.constraint, candidate.state) = invariants[candidate.position];
        }
        elimination.equilibrate();
        elimination.begin();
        if elimination.complete(m, 0..m, 0..n).is_none() {
            return;
        }
        // Each dependent unknown has to belong to a constraint in which it occurs; elimination yields the unknowns, but
        // not their constraints.
        let chosen = |c: &&Candidate| !elimination.open_columns[c.state];
        let rows = (0..m).map(|k| {
            let of = self.candidates[self.candidates_of(k)].iter().filter(chosen);
            of.map(|c| c.state).collect::<Vec<usize>>()
        });
        let Ok(pattern) = Incidence::from_rows(n, rows) else { return };
        let matching = Matching::maximum(&pattern);
        for (candidate, direction) in self.candidates.iter().zip(directions) {
            if matching.unknown_of(candidate.constraint) == Some(candidate.state) {
                *direction = 1.0;
            }
        }
    }
}

/// Largest absolute value in a row, at least the smallest positive number.
fn largest(pattern: &Pattern, values: &[f64], row: usize) -> f64 {
    pattern.row(row).map(|(_, position)| values[position].abs()).fold(f64::MIN_POSITIVE, f64::max)
}

/// The entries of $\varphi_y$, in unknowns whose derivatives occur, that belong to the highest derivatives in their
/// constraint, or all of these entries if none do; by constraint and position.
fn candidates<D: Dae>(inner: &D, constraints: &[usize], n: usize) -> Vec<Candidate> {
    let of = inner.description();
    let mut has_rate = vec![false; n];
    of.jacobian_yp.entries().for_each(|(_, column, _)| has_rate[column] = true);
    let prolongation = inner.prolongation().prolongation_description();
    let stage_of = |state: usize| of.unknowns[state].role.jet().map(|jet| prolongation.jets[jet].stage);
    let mut list = Vec::new();
    for (constraint, &invariant) in constraints.iter().enumerate() {
        let stage = of.invariants[invariant].prolonged.map(|equation| prolongation.equations[equation].stage);
        let row = of.invariants_jacobian.row(invariant).filter(|&(column, _)| has_rate[column]);
        let all: Vec<(usize, usize)> = row.collect();
        let highest = |&&(column, _): &&(usize, usize)| stage_of(column) == stage;
        let highest: Vec<(usize, usize)> = all.iter().filter(highest).copied().collect();
        let chosen = if stage.is_none() || highest.is_empty() { all } else { highest };
        list.extend(chosen.into_iter().map(|(state, position)| Candidate { constraint, position, state }));
    }
    list
}

#[diagnostic::do_not_recommend]
impl<D: Classified> Classified for StateSpace<D> {
    type Class = D::Class;

    fn as_dae(&self) -> &dyn Dae {
        self
    }
}

impl<D: Dae> Dae for StateSpace<D> {
    fn description(&self) -> &Description {
        &self.description
    }

    forward_to_inner!();
    forward_invariants_to_inner!();

    fn residual(&self, t: f64, y: &[f64], yp: &[f64], residual: &mut [f64]) {
        self.corrected(y, yp, |work| self.inner.residual(t, y, &work.yp, residual));
    }

    fn jacobian_y(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.corrected(y, yp, |work| {
            self.inner.jacobian_y(t, y, &work.yp, &mut work.jacobian_y);
            self.inner.jacobian_yp(t, y, &work.yp, &mut work.jacobian_yp);
            for (&place, value) in self.copies.iter().zip(&work.jacobian_y) {
                values[place] = *value;
            }
            for (place, terms) in &self.terms {
                let term = |&(position, c): &(usize, usize)| work.jacobian_yp[position] * work.directions[c];
                values[*place] = terms.iter().map(term).sum();
            }
        });
    }

    fn jacobian_yp(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.corrected(y, yp, |work| self.inner.jacobian_yp(t, y, &work.yp, values));
    }

    fn jacobian_t(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.corrected(y, yp, |work| self.inner.jacobian_t(t, y, &work.yp, values));
    }

    fn jacobian_p(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.corrected(y, yp, |work| self.inner.jacobian_p(t, y, &work.yp, values));
    }

    fn switching_functions(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.corrected(y, yp, |work| self.inner.switching_functions(t, y, &work.yp, values));
    }

    fn switches_jacobian_p(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.corrected(y, yp, |work| self.inner.switches_jacobian_p(t, y, &work.yp, values));
    }

    fn watched_functions(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.corrected(y, yp, |work| self.inner.watched_functions(t, y, &work.yp, values));
    }

    fn choose_coordinates(&self, t: f64, y: &[f64], _yp: &[f64], anew: bool) -> bool {
        // Without constraints there is nothing to choose.
        if self.constraints.is_empty() {
            return false;
        }
        let work = &mut *self.work.borrow_mut();
        self.inner.invariants_jacobian(t, y, &mut work.invariants);
        if !anew && self.measure(work) > WORSE * work.chosen_at {
            return false;
        }
        self.choose(work);
        work.chosen_at = self.measure(work);
        true
    }
}
