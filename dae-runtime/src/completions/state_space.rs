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
//! multistep method need not be restarted. The equations between the sides of surfaces ([`Blended`]), along which solutions
//! slide, contain $y' + D\mu$ in place of $y'$ likewise.
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
use crate::contract::{Blended, BlendedDescription, Dae, Description, Pattern, Role, Unknown};
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
    /// $\partial F/\partial y$ with the multipliers.
    by_state: ByState,
    /// The equations between the sides of surfaces, if the inner formulation has them.
    between: Option<Between>,
    work: RefCell<Work>,
}

/// How the derivatives of rows in $(y, \mu)$ are made of those that the inner formulation has.
#[derive(Clone, Debug)]
struct ByState {
    /// Position of each entry of the inner Jacobian in that with the multipliers.
    copies: Vec<usize>,
    /// For every derivative with respect to a multiplier: its position, and its terms $\partial F/\partial y'_j \cdot
    /// D_{jk}$.
    terms: Vec<(usize, Vec<(usize, usize)>)>,
    /// Number of entries of the inner Jacobian in $y'$.
    rates: usize,
}

/// The equations between the sides of surfaces.
#[derive(Clone, Debug)]
struct Between {
    description: BlendedDescription,
    by_state: ByState,
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
    /// Jacobians of the inner formulation, or of its equations between the sides of surfaces.
    jacobian_y: Vec<f64>,
    jacobian_yp: Vec<f64>,
    /// $\varphi_y$.
    invariants: Vec<f64>,
    small: Lu<f64>,
    column: Vec<f64>,
    elimination: CompletePivoting,
}

impl ByState {
    /// From the patterns of rows in $y$ and in $y'$, and for each state the multipliers that act on it, `m` in all, with the
    /// candidates by which they do; with the pattern of the rows in $(y, \mu)$ and in what comes after them.
    fn of(by_y: &Pattern, by_yp: &Pattern, (acting, m): (&[Vec<(usize, usize)>], usize)) -> (ByState, Pattern) {
        let n = acting.len();
        let (mut starts, mut columns) = (vec![0], Vec::new());
        let (mut copies, mut terms) = (vec![0; by_y.len()], Vec::new());
        for row in 0..by_y.rows() {
            // The columns are those of y, the multipliers and, between sides, weights; the inner rows have none of the second.
            let (of_state, after): (Vec<_>, Vec<_>) = by_y.row(row).partition(|&(column, _)| column < n);
            let mut copy = |columns: &mut Vec<usize>, list: Vec<(usize, usize)>| {
                for (column, position) in list {
                    copies[position] = columns.len();
                    columns.push(column);
                }
            };
            copy(&mut columns, of_state);
            let mut by_multiplier: Vec<Vec<(usize, usize)>> = vec![Vec::new(); m];
            for (column, position) in by_yp.row(row).filter(|&(column, _)| column < n) {
                acting[column].iter().for_each(|&(constraint, c)| by_multiplier[constraint].push((position, c)));
            }
            for (constraint, list) in by_multiplier.into_iter().enumerate().filter(|(_, list)| !list.is_empty()) {
                terms.push((columns.len(), list));
                columns.push(n + constraint);
            }
            copy(&mut columns, after);
            starts.push(columns.len());
        }
        let pattern = Pattern { columns: by_y.columns, row_starts: starts.into(), column_indices: columns.into() };
        (ByState { copies, terms, rates: by_yp.len() }, pattern)
    }

    /// Writes the Jacobian in $(y, \mu)$ of rows; `inner` writes those in $y$ and $y'$ at the derivatives that it is given.
    fn write(&self, work: &mut Work, values: &mut [f64], inner: impl FnOnce(&[f64], &mut [f64], &mut [f64])) {
        let Work { yp, jacobian_y, jacobian_yp, directions, .. } = work;
        inner(yp, &mut jacobian_y[..self.copies.len()], &mut jacobian_yp[..self.rates]);
        for (&place, value) in self.copies.iter().zip(&*jacobian_y) {
            values[place] = *value;
        }
        for (place, terms) in &self.terms {
            values[*place] = terms.iter().map(|&(position, c)| jacobian_yp[position] * directions[c]).sum();
        }
    }
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
        let (by_state, jacobian_y) = ByState::of(&of.jacobian_y, &of.jacobian_yp, (&acting, m));
        let description = Description { jacobian_y, ..of.clone() };
        let between = inner.blended().map(|blended| {
            let inner = blended.blended_description();
            let (by_state, jacobian_y) = ByState::of(&inner.jacobian_y, &inner.jacobian_yp, (&acting, m));
            Between { description: BlendedDescription { jacobian_y, ..inner.clone() }, by_state }
        });
        let sizes = |it: &ByState| [it.copies.len(), it.rates];
        let of_between = between.as_ref().map_or([0; 2], |it| sizes(&it.by_state));
        let [entries, rates] = std::array::from_fn(|k| sizes(&by_state)[k].max(of_between[k]));
        let work = Work {
            directions: vec![0.0; candidates.len()],
            chosen_at: 0.0,
            yp: vec![0.0; of.unknowns.len()],
            jacobian_y: vec![0.0; entries],
            jacobian_yp: vec![0.0; rates],
            invariants: vec![0.0; of.invariants_jacobian.len()],
            small: Lu::new(m),
            column: vec![0.0; m],
            elimination: CompletePivoting::new(m, vec![1.0; n]),
        };
        let work = RefCell::new(work);
        StateSpace { inner, coordinates, description, constraints, candidates, of_state, by_state, between, work }
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

    /// Calls a function with the inner equations between the sides of surfaces, if there are any, and $y' + D\mu$.
    fn at_sides(&self, ys: &[f64], yp: &[f64], f: impl FnOnce(&dyn Blended, &mut Work)) {
        if let Some(inner) = self.inner.blended() {
            self.corrected(ys, yp, |work| f(inner, work));
        }
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
        let row = of
            .invariants_jacobian
            .row(invariant)
            .filter(|&(column, _)| has_rate[column] && !of.unknowns[column].is_discrete);
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
            self.by_state.write(work, values, |yp, of_state, of_rates| {
                self.inner.jacobian_y(t, y, yp, of_state);
                self.inner.jacobian_yp(t, y, yp, of_rates);
            });
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

    fn blended(&self) -> Option<&dyn Blended> {
        self.between.as_ref().map(|_| self as &dyn Blended)
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

/// The equations $\bar F(t, y, y' + D\mu, s) = 0$ between the sides of surfaces.
impl<D: Dae> Blended for StateSpace<D> {
    fn blended_description(&self) -> &BlendedDescription {
        const NONE: &BlendedDescription = &BlendedDescription::NONE;
        self.between.as_ref().map_or(NONE, |between| &between.description)
    }

    fn blended_residual(&self, t: f64, ys: &[f64], yp: &[f64], residual: &mut [f64]) {
        self.at_sides(ys, yp, |inner, work| inner.blended_residual(t, ys, &work.yp, residual));
    }

    fn blended_jacobian_y(&self, t: f64, ys: &[f64], yp: &[f64], values: &mut [f64]) {
        let Some(between) = &self.between else { return };
        self.at_sides(ys, yp, |inner, work| {
            between.by_state.write(work, values, |yp, of_state, of_rates| {
                inner.blended_jacobian_y(t, ys, yp, of_state);
                inner.blended_jacobian_yp(t, ys, yp, of_rates);
            });
        });
    }

    fn blended_jacobian_yp(&self, t: f64, ys: &[f64], yp: &[f64], values: &mut [f64]) {
        self.at_sides(ys, yp, |inner, work| inner.blended_jacobian_yp(t, ys, &work.yp, values));
    }

    fn blended_jacobian_t(&self, t: f64, ys: &[f64], yp: &[f64], values: &mut [f64]) {
        self.at_sides(ys, yp, |inner, work| inner.blended_jacobian_t(t, ys, &work.yp, values));
    }

    fn surfaces(&self, t: f64, y: &[f64], values: &mut [f64]) {
        self.inner.blended().into_iter().for_each(|inner| inner.surfaces(t, y, values));
    }

    fn surfaces_jacobian(&self, t: f64, y: &[f64], values: &mut [f64]) {
        self.inner.blended().into_iter().for_each(|inner| inner.surfaces_jacobian(t, y, values));
    }

    fn surfaces_jacobian_t(&self, t: f64, y: &[f64], values: &mut [f64]) {
        self.inner.blended().into_iter().for_each(|inner| inner.surfaces_jacobian_t(t, y, values));
    }
}
