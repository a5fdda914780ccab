//! The underlying ordinary differential equation $y' = f(t, y)$ of a model, and the constraints $\varphi(t, y) = 0$
//! that its solutions satisfy, for explicit and projection methods (Hairer & Wanner II, Sect. VII.1, and Sect. VII.2
//! for the projections).
//!
//! In: a formulation $F(t, y, y') = 0$ that determines, at given values of its differential unknowns, their derivatives
//! and all other unknowns, $w = (y_d', y_a)$: every constraint is differentiated until it contains one of these. Out:
//! $w = w(t, y_d)$ with its derivatives, and the model as a formulation $w - w(t, y_d) = 0$, for any integrator.
//!
//! $\partial F/\partial w$ is brought to block-triangular form, and each correction of Newton's iteration is found
//! block by block; a single equation with a single unknown is a block of its own. What the text of the model gives
//! explicitly was substituted before (`index_reduction` of the symbolic layer), so that accelerations of constant
//! masses are not part of the block of the multipliers: tearing would leave the same block.

mod blocks;
mod projection;
mod unsolvable;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::ops::RangeInclusive;

use blocks::{BlockFactors, Columns, Diagonal, blocks, columns, pattern, reached, rows};
use projection::Level;
use unsolvable::Obstacle;
pub use unsolvable::Unsolvable;

use crate::completions::delegate::{forward_invariants_to_inner, forward_switches_to_inner, forward_to_inner};
use crate::contract::class::{Classified, Solved};
use crate::contract::{Blended, Dae, DeclaredIntegrals, Description, Equation, Kind, Leading, Name, Unknown};
use crate::linalg::iteration_matrix::Jacobians;

/// Newton's iteration gives up after this many steps.
const MAX_ITERATIONS: usize = 50;

/// Largest number of corrections of a projection.
const MAX_CORRECTIONS: usize = 20;

/// The Jacobian is evaluated again if a correction is larger than this fraction of the one before.
const SLOW: f64 = 0.1;

/// Corrections that no longer decrease are rounding errors if they are below this fraction of the values.
const ROUNDING: f64 = 1e-9;

/// Along a solution, the guesses are near it. Where Newton's method is certain to converge to a solution next to the
/// guess, the second correction, with the Jacobian of the first, is at most this fraction of the first (P. Deuflhard,
/// *Newton Methods for Nonlinear Problems*, section 2.1); a larger one may lead to another branch, and is rejected. The
/// test is omitted after a first correction of at most `SMALL`, and for equations with kinks, to which the theorem does
/// not apply.
const SURE: f64 = 0.25;
const SMALL: f64 = 1e-6;

/// The first correction of affine equations is taken as exact if it is at most this fraction of the values.
const CLOSE: f64 = 1.0;

/// Quality of the guesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guess {
    /// From anywhere.
    Any,
    /// Next to the solution.
    Near,
}

/// The underlying ordinary differential equation of a formulation, of the class [`Solved`], or
/// [`Hamiltonian`](crate::contract::class::Hamiltonian) where the formulation has that structure.
#[derive(Clone, Debug)]
pub struct UnderlyingOde<D, C = Solved> {
    inner: D,
    class: PhantomData<C>,
    description: Description,
    /// The differential unknowns.
    states: Vec<usize>,
    diagonal: Vec<Diagonal>,
    by_states: Columns,
    by_parameters: Columns,
    /// The constraints, those that are differentiated most often first.
    levels: Vec<Level>,
    work: RefCell<Work>,
}

/// Storage.
#[derive(Clone, Debug)]
struct Work {
    y: Vec<f64>,
    yp: Vec<f64>,
    residual: Vec<f64>,
    jacobians: Jacobians,
    factors: Vec<Option<BlockFactors>>,
    /// The signs of the determinants of the diagonal blocks at the start of a run; empty before.
    orientation: Vec<f64>,
    /// A correction of $w$, or a derivative of $w$; before the solution, the right-hand side.
    solution: Vec<f64>,
    /// The part of a right-hand side that belongs to a block.
    part: Vec<f64>,
    /// $F_y$ or $F_p$, while systems are solved for its columns.
    derivatives: Vec<f64>,
    invariants: Vec<f64>,
}

impl<D: Dae> UnderlyingOde<D> {
    /// Decomposes the formulation into blocks.
    pub fn new(inner: D) -> Self {
        UnderlyingOde::of_class(inner)
    }
}

impl<D: Dae, C> UnderlyingOde<D, C> {
    /// Decomposes the formulation into blocks, and gives the result this class.
    pub fn of_class(inner: D) -> Self {
        let of = inner.description();
        let n = of.unknowns.len();
        let is_state = |j: usize| of.unknowns[j].kind == Kind::Differential;
        let states: Vec<usize> = (0..n).filter(|&j| is_state(j)).collect();
        let rows = rows(of);
        let blocks = blocks(n, &rows);
        let mut place = vec![(0, 0); n];
        for (b, block) in blocks.iter().enumerate() {
            block.unknowns.iter().enumerate().for_each(|(k, &unknown)| place[unknown] = (b, k));
        }
        let block_of = |unknown: usize| place[unknown].0;
        let of_states = reached(&blocks, &of.jacobian_y, is_state);
        let of_parameters = reached(&blocks, &of.jacobian_p, |_| true);
        let by_states = (0..n).map(|k| {
            let itself = (!is_state(k)).then_some(k);
            of_states[block_of(k)].iter().copied().chain(itself).collect::<BTreeSet<usize>>()
        });
        let by_rates = (0..n).map(|k| is_state(k).then_some(k).into_iter().collect());
        let by_parameters = (0..n).map(|k| of_parameters[block_of(k)].clone());
        let described = |unknown: &Unknown| Unknown { index: 1, ..unknown.clone() };
        let solved =
            |k: usize| Equation { name: format!("the equations solved for `{}`", name(of, k)).into(), prolonged: None };
        let description = Description {
            unknowns: of.unknowns.iter().map(described).collect(),
            equations: (0..n).map(solved).collect(),
            leading: Leading::Solved,
            leading_rank: states.len(),
            jacobian_y: pattern(n, by_states),
            jacobian_yp: pattern(n, by_rates),
            jacobian_p: pattern(of.parameters.len(), by_parameters),
            ..of.clone()
        };
        let work = RefCell::new(Work {
            y: vec![0.0; n],
            yp: vec![0.0; n],
            residual: vec![0.0; n],
            jacobians: Jacobians::new(of),
            factors: vec![None; blocks.len()],
            orientation: Vec::new(),
            solution: vec![0.0; n],
            part: Vec::with_capacity(n),
            derivatives: vec![0.0; of.jacobian_y.len().max(of.jacobian_p.len())],
            invariants: vec![0.0; of.invariants.len()],
        });
        let levels = projection::levels(of, inner.prolongation().prolongation_description());
        let by_states = columns(&of.jacobian_y, &description.jacobian_y, is_state);
        let by_parameters = columns(&of.jacobian_p, &description.jacobian_p, |_| true);
        let diagonal = blocks.into_iter().map(|block| Diagonal::new(block, &rows, &place)).collect();
        UnderlyingOde {
            description,
            states,
            diagonal,
            by_states,
            by_parameters,
            levels,
            work,
            inner,
            class: PhantomData,
        }
    }

    /// Positions of the differential unknowns in $y$: the unknowns of the ordinary differential equation.
    pub fn states(&self) -> &[usize] {
        &self.states
    }

    /// Solves for $y_d'$ and $y_a$. `y` has the values of the differential unknowns, which stay, and guesses of the
    /// others, which are replaced; `yp` has guesses of the derivatives, which are replaced, and becomes zero where
    /// there are none.
    ///
    /// # Errors
    /// No solution is found from the guesses; `y` and `yp` are left unchanged.
    pub fn solve(&self, t: f64, y: &mut [f64], yp: &mut [f64]) -> Result<(), Unsolvable> {
        let work = &mut *self.work.borrow_mut();
        self.solved(work, t, (y, yp), Guess::Any).map_err(|obstacle| self.named(work, t, obstacle))?;
        y.copy_from_slice(&work.y);
        yp.copy_from_slice(&work.yp);
        Ok(())
    }

    /// Solves from the given guesses, into `work.y` and `work.yp`.
    fn solved(&self, work: &mut Work, t: f64, (y, yp): (&[f64], &[f64]), guess: Guess) -> Result<(), Obstacle> {
        let unknowns = &self.inner.description().unknowns;
        let is_near = guess == Guess::Near && self.description.switches.is_empty();
        work.y.copy_from_slice(y);
        for ((to, from), unknown) in work.yp.iter_mut().zip(yp).zip(unknowns.iter()) {
            *to = if unknown.kind == Kind::Differential { *from } else { 0.0 };
        }
        let (mut before, mut renew, mut worst) = (f64::INFINITY, true, 0);
        for iteration in 0..MAX_ITERATIONS {
            self.inner.residual(t, &work.y, &work.yp, &mut work.residual);
            if work.residual.iter().any(|r| !r.is_finite()) {
                return Err(Obstacle::NonFinite);
            }
            if renew {
                self.factorize(work, t)?;
            }
            let Work { residual, solution, .. } = work;
            solution.copy_from_slice(residual);
            self.back_substitute(work);
            let mut size = 0.0;
            for (k, unknown) in unknowns.iter().enumerate() {
                let values = if unknown.kind == Kind::Differential { &mut work.yp } else { &mut work.y };
                let correction = work.solution[k].abs() / (values[k].abs() + unknown.nominal.abs());
                if correction > size || correction.is_nan() {
                    (size, worst) = (correction, k);
                }
                values[k] -= work.solution[k];
            }
            renew = size > SLOW * before;
            // Estimate of the next correction.
            let next = if before.is_finite() { size * (size / before).min(1.0) } else { size };
            // Where the guess is not far away, rounding errors of the first correction are those of the solution.
            let is_exact = self.description.is_affine && iteration == 0 && size <= CLOSE;
            let is_solution = is_exact || next <= 4.0 * f64::EPSILON || (size <= ROUNDING && renew);
            if is_solution && !(is_near && self.is_turned(work)) {
                return Ok(());
            }
            let is_elsewhere = is_solution || (is_near && iteration == 1 && before > SMALL && size > SURE * before);
            if !size.is_finite() || is_elsewhere {
                break;
            }
            before = size;
        }
        Err(Obstacle::NoConvergence { unknown: worst })
    }

    /// The signs of the determinants of the diagonal blocks, zero where they are not known.
    fn determinant_signs(work: &Work) -> impl Iterator<Item = f64> {
        work.factors.iter().map(|factors| match factors {
            Some(BlockFactors::Dense(lu)) => lu.determinant_sign(),
            Some(BlockFactors::Sparse(_)) | None => 0.0,
        })
    }

    /// Whether a determinant has another sign than at the start of the run. Along a solution it keeps its sign, since
    /// the equations do not determine $w$ where it is zero. Beyond a zero there may be another solution, which a long
    /// step might reach.
    fn is_turned(&self, work: &Work) -> bool {
        work.orientation.iter().zip(Self::determinant_signs(work)).any(|(before, now)| before * now < 0.0)
    }

    /// What stopped [`UnderlyingOde::solved`], by name.
    fn named(&self, work: &Work, t: f64, obstacle: Obstacle) -> Unsolvable {
        let of = self.inner.description();
        let equation = |row: usize| of.equations[row].name.clone();
        match obstacle {
            Obstacle::Singular { equation: row, unknown } => {
                Unsolvable::Singular { t, equation: equation(row), unknown: name(of, unknown) }
            }
            Obstacle::NonFinite => {
                let mut rows: BTreeSet<usize> =
                    (0..of.equations.len()).filter(|&row| !work.residual[row].is_finite()).collect();
                if rows.is_empty() {
                    rows.extend(self.diagonal.iter().flat_map(|block| block.non_finite(&work.jacobians)));
                }
                Unsolvable::NonFinite { t, equations: rows.into_iter().map(equation).collect() }
            }
            Obstacle::NoConvergence { unknown } => Unsolvable::NoConvergence { t, unknown: name(of, unknown) },
        }
    }

    /// Factors of the diagonal blocks of $\partial F/\partial w$ at `work.y` and `work.yp`.
    fn factorize(&self, work: &mut Work, t: f64) -> Result<(), Obstacle> {
        let Work { y, yp, jacobians, factors, .. } = work;
        jacobians.evaluate(&self.inner, t, y, yp);
        // Derivatives with respect to the differential unknowns are not needed, and may be infinite.
        if self.diagonal.iter().any(|block| block.non_finite(jacobians).next().is_some()) {
            return Err(Obstacle::NonFinite);
        }
        for (block, factors) in self.diagonal.iter().zip(factors) {
            if let Err(at) = block.factorize(jacobians, factors) {
                return Err(Obstacle::Singular {
                    equation: block.equations[at.row],
                    unknown: block.unknowns[at.column],
                });
            }
        }
        Ok(())
    }

    /// Replaces a right-hand side, ordered by equations, by the solution, ordered by unknowns.
    fn back_substitute(&self, work: &mut Work) {
        let Work { jacobians, factors, solution, part, residual: right, .. } = work;
        right.copy_from_slice(solution);
        for (block, factors) in self.diagonal.iter().zip(factors) {
            part.clear();
            part.extend(block.equations.iter().map(|&equation| right[equation]));
            for (row, entry) in &block.left {
                part[*row] -= entry.value(jacobians) * solution[entry.unknown];
            }
            match factors {
                Some(BlockFactors::Dense(lu)) => lu.solve(part),
                Some(BlockFactors::Sparse(factors)) => factors.solve(part),
                None => part.fill(f64::NAN),
            }
            block.unknowns.iter().zip(part.iter()).for_each(|(&unknown, &x)| solution[unknown] = x);
        }
    }

    /// Moves `y` onto the constraints of a level; where that fails, tells which unknown is corrected most.
    fn project_onto(&self, level: &Level, work: &mut Work, t: f64, y: &mut [f64]) -> Result<(), usize> {
        let unknowns = &self.description.unknowns;
        let (mut before, mut worst) = (f64::INFINITY, level.moved.first().copied().unwrap_or(0));
        for _ in 0..MAX_CORRECTIONS {
            self.correction(level, work, t, y);
            let mut size = 0.0;
            for &k in &level.moved {
                let correction = work.solution[k].abs() / (y[k].abs() + unknowns[k].nominal.abs());
                if correction > size || correction.is_nan() {
                    (size, worst) = (correction, k);
                }
            }
            if !size.is_finite() {
                break;
            }
            level.moved.iter().for_each(|&k| y[k] -= work.solution[k]);
            let is_slow = size > SLOW * before;
            // Estimate of the next correction.
            let next = if before.is_finite() { size * (size / before).min(1.0) } else { size };
            if next <= f64::EPSILON || (size <= ROUNDING && is_slow) {
                return Ok(());
            }
            if is_slow && self.renew(work, t, y).is_err() {
                break;
            }
            before = size;
        }
        Err(worst)
    }

    /// Computes the correction for a level, in `work.solution`.
    fn correction(&self, level: &Level, work: &mut Work, t: f64, y: &[f64]) {
        self.inner.invariants(t, y, &mut work.invariants);
        work.solution.fill(0.0);
        level.constraints.iter().for_each(|&(invariant, row)| work.solution[row] = work.invariants[invariant]);
        self.back_substitute(work);
        let pattern = &self.inner.description().jacobian_y;
        for _ in 1..level.differentiations {
            // The change of y_d' is now one of y_d; what that does to y_d'.
            let Work { solution, part, jacobians, .. } = work;
            part.clear();
            part.extend((0..pattern.rows()).map(|row| {
                let of_states =
                    pattern.row(row).filter(|&(k, _)| self.description.unknowns[k].kind == Kind::Differential);
                -of_states.map(|(k, position)| jacobians.y[position] * solution[k]).sum::<f64>()
            }));
            solution.copy_from_slice(part);
            self.back_substitute(work);
        }
    }

    /// Factorises $F_w$ at these differential unknowns.
    fn renew(&self, work: &mut Work, t: f64, y: &[f64]) -> Result<(), Obstacle> {
        self.states.iter().for_each(|&k| work.y[k] = y[k]);
        self.factorize(work, t)
    }

    /// Solves, and leaves the Jacobians and factors at the solution; returns `false` if there is none.
    fn linearized(&self, work: &mut Work, t: f64, y: &[f64], yp: &[f64]) -> bool {
        self.solved(work, t, (y, yp), Guess::Near).is_ok() && self.factorize(work, t).is_ok()
    }

    /// Computes $F_w^{-1}$ times each column of `work.derivatives`, in `values`.
    fn solve_columns(&self, work: &mut Work, columns: &Columns, values: &mut [f64]) {
        for (entries, wanted) in columns.iter().filter(|(_, wanted)| !wanted.is_empty()) {
            work.solution.fill(0.0);
            entries.iter().for_each(|&(row, position)| work.solution[row] += work.derivatives[position]);
            self.back_substitute(work);
            wanted.iter().for_each(|&(row, position)| values[position] = work.solution[row]);
        }
    }
}

#[diagnostic::do_not_recommend]
impl<D: Dae, C> Classified for UnderlyingOde<D, C> {
    type Class = C;

    fn as_dae(&self) -> &dyn Dae {
        self
    }
}

impl<D: Dae, C> Dae for UnderlyingOde<D, C> {
    fn description(&self) -> &Description {
        &self.description
    }

    fn residual(&self, t: f64, y: &[f64], yp: &[f64], residual: &mut [f64]) {
        let work = &mut *self.work.borrow_mut();
        if self.solved(work, t, (y, yp), Guess::Near).is_err() {
            return residual.fill(f64::NAN);
        }
        for (k, unknown) in self.description.unknowns.iter().enumerate() {
            residual[k] = if unknown.kind == Kind::Differential { yp[k] - work.yp[k] } else { y[k] - work.y[k] };
        }
    }

    fn jacobian_y(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        let work = &mut *self.work.borrow_mut();
        if !self.linearized(work, t, y, yp) {
            return values.fill(f64::NAN);
        }
        work.derivatives[..work.jacobians.y.len()].copy_from_slice(&work.jacobians.y);
        self.solve_columns(work, &self.by_states, values);
        let is_state = |column: usize| self.description.unknowns[column].kind == Kind::Differential;
        for (.., position) in self.description.jacobian_y.entries().filter(|&(_, column, _)| !is_state(column)) {
            values[position] = 1.0;
        }
    }

    fn jacobian_yp(&self, _t: f64, _y: &[f64], _yp: &[f64], values: &mut [f64]) {
        values.fill(1.0);
    }

    fn jacobian_t(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        let work = &mut *self.work.borrow_mut();
        if !self.linearized(work, t, y, yp) {
            return values.fill(f64::NAN);
        }
        let Work { y, yp, solution, .. } = work;
        self.inner.jacobian_t(t, y, yp, solution);
        self.back_substitute(work);
        values.copy_from_slice(&work.solution);
    }

    fn jacobian_p(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        let work = &mut *self.work.borrow_mut();
        if !self.linearized(work, t, y, yp) {
            return values.fill(f64::NAN);
        }
        let Work { y, yp, derivatives, .. } = work;
        self.inner.jacobian_p(t, y, yp, &mut derivatives[..self.inner.description().jacobian_p.len()]);
        self.solve_columns(work, &self.by_parameters, values);
    }

    /// Records the branch of the solutions for $w$ on which a run starts.
    fn choose_coordinates(&self, t: f64, y: &[f64], yp: &[f64], anew: bool) -> bool {
        if anew {
            let work = &mut *self.work.borrow_mut();
            work.orientation.clear();
            if self.linearized(work, t, y, yp) {
                work.orientation = Self::determinant_signs(work).collect();
            }
        }
        false
    }

    fn projection_level(&self, invariant: usize) -> Option<u32> {
        self.levels.iter().find(|level| level.contains(invariant)).map(|level| level.differentiations)
    }

    fn project(&self, t: f64, y: &mut [f64], levels: RangeInclusive<u32>) -> Result<(), usize> {
        let work = &mut *self.work.borrow_mut();
        let mut chosen = self.levels.iter().filter(|level| levels.contains(&level.differentiations));
        chosen.try_for_each(|level| self.project_onto(level, work, t, y))
    }

    fn first_integrals(&self) -> Option<&dyn DeclaredIntegrals> {
        self.inner.first_integrals()
    }

    /// The equations of the formulation inside: a solution slides by those, not solved for derivatives.
    fn blended(&self) -> Option<&dyn Blended> {
        self.inner.blended()
    }

    fn canonical(&self) -> Option<&dyn Dae> {
        self.description.hamiltonian.is_ok().then_some(&self.inner)
    }

    forward_to_inner!();
    forward_switches_to_inner!();
    forward_invariants_to_inner!();
}

/// The name of $w_k$.
fn name(of: &Description, k: usize) -> Name {
    let unknown = &of.unknowns[k];
    match unknown.kind {
        Kind::Differential => format!("der({})", unknown.name).into(),
        Kind::Algebraic | Kind::Auxiliary { .. } => unknown.name.clone(),
    }
}
