//! Damped Gauss–Newton on some equations of a prolongation for some of its jets.
//!
//! In: the [`Decomposition`] of the equations into components that share no moving jet, and the jets. Out: jets at
//! which the equations hold to rounding, and for every component where they do not the reason ([`Stuck`]).
//!
//! One iteration: with rows scaled so that the largest entry in the columns of moving jets, measured in units of their
//! nominal values, is 1, take the step of least change and halve it until the scaled residual has decreased (Nocedal &
//! Wright, *Numerical Optimization*, Sect. 10.3). Every component has its own damping and its own termination; the
//! equations of all components are evaluated together.
//!
//! Equation $i$ holds *to rounding* when $|f_i| \le c\\,\varepsilon \sum_j |\partial f_i/\partial x_j\\, x_j|$, where
//! the sum is the size of the terms that cancel in it, or when a change of a moving jet by $\varepsilon$ times its
//! nominal value would make it zero.

use super::components::{Component, Decomposition};
use super::error::{FixedValue, InitializationError, Mismatch};
use super::options::InitializationOptions;
use super::sparse::{StepError, structured_change};
use crate::contract::{Prolongation, ProlongationDescription, Start};
use crate::linalg::sparse::SparseMatrix;

/// Rounding error allowed to a sum of a few terms, in rounding units, beyond one unit per term.
const ROUNDING: f64 = 4.0;
/// Where no step helps, an equation holds if a change by this many rounding errors would make it zero: the derivatives of
/// $x - \sqrt{x^2 + y}$ do not show the size of the terms that cancel.
const FEW: f64 = 8.0;
/// Relative decrease of the scaled residual that suffices, per fraction of the full step.
const DECREASE: f64 = 1e-4;
/// Number of step lengths tried, each half of the one before.
const HALVINGS: i32 = 40;
/// Equations and jets with a smaller share in a contradiction are not named.
const SHARE: f64 = 1e-3;

/// Largest number of iterations for a linear system; the later ones remove rounding errors.
const LINEAR_STEPS: usize = 3;

/// Where the solution of a component got stuck.
pub(super) struct Stuck {
    /// The component, by its position in the decomposition.
    pub(super) component: usize,
    rows: Vec<usize>,
    /// Residuals of the rows where it stopped, scaled.
    scaled_residual: Vec<f64>,
    row_scale: Vec<f64>,
    /// Unscaled derivatives of the rows with respect to all jets.
    jacobian: Vec<Vec<(usize, f64)>>,
    jets: Vec<f64>,
    /// Whether the residual is orthogonal to the columns of all jets that may move.
    stationary: bool,
    iterations: usize,
}

/// The prolongation with room for its values.
pub(super) struct System<'a> {
    prolongation: &'a dyn Prolongation,
    t: f64,
    options: &'a InitializationOptions,
    residual: Vec<f64>,
    values: Vec<f64>,
    iterations: usize,
}

/// The equations of a component at one iterate.
struct Iterate {
    residual: Vec<f64>,
    /// $\sum_j |\partial f_i/\partial x_j\\, x_j|$.
    magnitude: Vec<f64>,
    /// Number of entries that are not zero.
    terms: Vec<usize>,
    row_scale: Vec<f64>,
    /// The smallest change of a single moving jet, in units of its nominal value, that would make the residual zero;
    /// infinite where nothing moves.
    mended_by: Vec<f64>,
}

/// A step of a component that is being shortened.
struct Search {
    component: usize,
    here: Iterate,
    step: Vec<f64>,
    from: Vec<f64>,
    /// Norm of the scaled residual where it starts.
    before: f64,
}

impl<'a> System<'a> {
    pub(super) fn new(prolongation: &'a dyn Prolongation, t: f64, options: &'a InitializationOptions) -> Self {
        let description = prolongation.prolongation_description();
        System {
            prolongation,
            t,
            options,
            residual: vec![0.0; description.equations.len()],
            values: vec![0.0; description.jacobian.len()],
            iterations: 0,
        }
    }

    pub(super) fn description(&self) -> &'a ProlongationDescription {
        self.prolongation.prolongation_description()
    }

    pub(super) fn iterations(&self) -> usize {
        self.iterations
    }

    /// Moves jets until the equations of the `chosen` components hold; returns the components where that fails.
    pub(super) fn solve(
        &mut self,
        parts: &Decomposition,
        chosen: &[usize],
        jets: &mut [f64],
    ) -> Result<Vec<Stuck>, InitializationError> {
        let mut active = chosen.to_vec();
        let mut stuck = Vec::new();
        for iteration in 0.. {
            if active.is_empty() {
                break;
            }
            self.prolongation.prolonged_residual(self.t, jets, &mut self.residual);
            self.prolongation.prolonged_jacobian(self.t, jets, &mut self.values);
            let mut ended: Vec<(usize, Iterate)> = Vec::new();
            let mut searches = Vec::new();
            for &k in &active {
                let component = &parts.components[k];
                let here = self.iterate(component, parts, jets)?;
                if here.holds(1.0) {
                    continue;
                }
                let step = match iteration < self.options.max_iterations {
                    true => self.step(component, parts, &here)?,
                    false => None,
                };
                match step {
                    Some(step) => searches.push(self.search(k, component, here, step, jets)),
                    None => ended.push((k, here)),
                }
            }
            self.iterations += usize::from(!searches.is_empty());
            // The derivatives at this iterate, for the components that no step helps.
            let jacobian = self.values.clone();
            let (moved, failed) = self.shorten(searches, parts, jets);
            ended.extend(failed);
            for (k, here) in ended {
                if !here.holds_to(self.options.consistency) && !here.holds(FEW) {
                    stuck.push(self.stuck(k, &parts.components[k], parts, here, &jacobian, jets, iteration));
                }
            }
            active = moved;
        }
        stuck.sort_by_key(|stuck| stuck.component);
        Ok(stuck)
    }

    /// Evaluates the derivatives of the equations with respect to the jets, for [`System::solve_linearised`].
    pub(super) fn linearise(&mut self, jets: &[f64]) {
        self.prolongation.prolonged_jacobian(self.t, jets, &mut self.values);
    }

    /// Moves the derivatives of the jets in some direction, in which the equations themselves have the derivatives
    /// `by_direction`, until the linearised equations of the `chosen` components hold. Returns one equation of each
    /// component where they do not hold even to the fraction `solved` of their terms.
    pub(super) fn solve_linearised(
        &mut self,
        parts: &Decomposition,
        chosen: &[usize],
        by_direction: &[f64],
        solved: f64,
        derivatives: &mut [f64],
    ) -> Result<Vec<usize>, InitializationError> {
        let description = self.description();
        let mut unsolved = Vec::new();
        for component in chosen.iter().map(|&k| &parts.components[k]) {
            for iteration in 0.. {
                for &row in &component.rows {
                    let terms = description.jacobian.row(row).map(|(j, place)| self.values[place] * derivatives[j]);
                    self.residual[row] = by_direction[row] + terms.sum::<f64>();
                }
                let here = self.iterate(component, parts, derivatives)?;
                if here.holds(1.0) {
                    break;
                }
                let step = if iteration < LINEAR_STEPS { self.step(component, parts, &here)? } else { None };
                let Some(step) = step else {
                    let units = |i: usize| {
                        let entries = description.jacobian.row(component.rows[i]);
                        entries.map(|(j, place)| self.values[place].abs() * description.jets[j].nominal).sum::<f64>()
                    };
                    let size = |i: usize| by_direction[component.rows[i]].abs() + here.magnitude[i] + solved * units(i);
                    let fails = (0..component.rows.len()).find(|&i| here.residual[i].abs() > solved * size(i));
                    unsolved.extend(fails.map(|i| component.rows[i]));
                    break;
                };
                for (&j, step) in component.moving.iter().zip(&step) {
                    derivatives[j] += description.jets[j].nominal * step;
                }
            }
        }
        Ok(unsolved)
    }

    /// Residual and scales of the rows of a component.
    fn iterate(
        &self,
        component: &Component,
        parts: &Decomposition,
        jets: &[f64],
    ) -> Result<Iterate, InitializationError> {
        let description = self.description();
        let count = component.rows.len();
        let mut here = Iterate {
            residual: Vec::with_capacity(count),
            magnitude: Vec::with_capacity(count),
            terms: Vec::with_capacity(count),
            row_scale: Vec::with_capacity(count),
            mended_by: Vec::with_capacity(count),
        };
        for &row in &component.rows {
            let residual = self.residual[row];
            let (mut magnitude, mut largest, mut terms) = (0.0, 0.0_f64, 0);
            let equation = || description.equations[row].name.clone();
            if !residual.is_finite() {
                return Err(InitializationError::NonFinite { equation: equation() });
            }
            for (j, position) in description.jacobian.row(row) {
                let (entry, moves) = (self.values[position], parts.place(j).is_some());
                if !entry.is_finite() {
                    // A derivative with respect to a fixed jet is not needed: a tank may be empty at the start, and its
                    // outflow the root of its level.
                    if moves {
                        let unknown = description.jets[j].name.clone();
                        return Err(InitializationError::NonFiniteDerivative { equation: equation(), unknown });
                    }
                    continue;
                }
                magnitude += (entry * jets[j]).abs();
                terms += usize::from(entry != 0.0);
                if moves {
                    largest = largest.max(entry.abs() * description.jets[j].nominal);
                }
            }
            // A row that nothing moves is compared with its own terms.
            let size = if largest > 0.0 { largest } else { magnitude.max(f64::MIN_POSITIVE.sqrt()) };
            here.row_scale.push(1.0 / size);
            here.mended_by.push(if largest > 0.0 { residual.abs() / largest } else { f64::INFINITY });
            here.residual.push(residual);
            here.magnitude.push(magnitude);
            here.terms.push(terms);
        }
        Ok(here)
    }

    /// The step of least change; `None` if no jet may move, or the computation overflows.
    fn step(
        &self,
        component: &Component,
        parts: &Decomposition,
        here: &Iterate,
    ) -> Result<Option<Vec<f64>>, InitializationError> {
        if component.moving.is_empty() {
            return Ok(None);
        }
        let description = self.description();
        let entries = component.rows.iter().enumerate().flat_map(|(i, &row)| {
            description.jacobian.row(row).filter_map(move |(j, position)| {
                let nominal = description.jets[j].nominal;
                Some((i, parts.place(j)?, here.row_scale[i] * self.values[position] * nominal))
            })
        });
        let matrix = SparseMatrix::from_entries(component.rows.len(), component.moving.len(), entries);
        let rhs: Vec<f64> = here.residual.iter().zip(&here.row_scale).map(|(r, scale)| -r * scale).collect();
        match structured_change(&matrix, component, &rhs) {
            Ok(step) => Ok(Some(step)),
            Err(StepError::NotFinite) => Ok(None),
            Err(StepError::TooLarge(equations)) => {
                let equation = description.equations[component.rows[0]].name.clone();
                Err(InitializationError::TooLarge { equation, equations })
            }
        }
    }

    fn search(&self, k: usize, component: &Component, here: Iterate, step: Vec<f64>, jets: &[f64]) -> Search {
        let from = component.moving.iter().map(|&j| jets[j]).collect();
        let before = norm(here.residual.iter().zip(&here.row_scale).map(|(r, scale)| r * scale));
        Search { component: k, here, step, from, before }
    }

    /// Halves the steps until the residuals have decreased. Returns the components that moved, and those for which no
    /// step helps.
    fn shorten(
        &mut self,
        mut searches: Vec<Search>,
        parts: &Decomposition,
        jets: &mut [f64],
    ) -> (Vec<usize>, Vec<(usize, Iterate)>) {
        let description = self.description();
        let (mut moved, mut failed) = (Vec::new(), Vec::new());
        for halving in 0..HALVINGS {
            if searches.is_empty() {
                break;
            }
            let fraction = 0.5_f64.powi(halving);
            for search in &searches {
                let moving = &parts.components[search.component].moving;
                for ((&j, from), step) in moving.iter().zip(&search.from).zip(&search.step) {
                    jets[j] = from + fraction * description.jets[j].nominal * step;
                }
            }
            self.prolongation.prolonged_residual(self.t, jets, &mut self.residual);
            let mut rest = Vec::new();
            for search in searches {
                let component = &parts.components[search.component];
                let scaled =
                    component.rows.iter().zip(&search.here.row_scale).map(|(&row, scale)| self.residual[row] * scale);
                // A residual that is not a number compares as false.
                let decreased = norm(scaled) <= (1.0 - DECREASE * fraction) * search.before;
                if !decreased {
                    rest.push(search);
                    continue;
                }
                let stays = component.moving.iter().zip(&search.from).all(|(&j, &from)| jets[j] == from);
                match stays {
                    true => failed.push((search.component, search.here)),
                    false => moved.push(search.component),
                }
            }
            searches = rest;
        }
        for search in searches {
            for (&j, from) in parts.components[search.component].moving.iter().zip(&search.from) {
                jets[j] = *from;
            }
            failed.push((search.component, search.here));
        }
        moved.sort_unstable();
        (moved, failed)
    }

    fn stuck(
        &self,
        k: usize,
        component: &Component,
        parts: &Decomposition,
        here: Iterate,
        values: &[f64],
        jets: &[f64],
        iterations: usize,
    ) -> Stuck {
        let description = self.description();
        let jacobian: Vec<Vec<(usize, f64)>> = component
            .rows
            .iter()
            .map(|&row| description.jacobian.row(row).map(|(j, position)| (j, values[position])).collect())
            .collect();
        let scaled_residual: Vec<f64> = here.residual.iter().zip(&here.row_scale).map(|(r, scale)| r * scale).collect();
        // B^T r = 0 up to what a halving line search can resolve: in the scaling of the steps, or in that of whole
        // rows, which reveals a derivative that vanishes on the way (x = 1.5 fixed on the unit circle, y going to 0; or
        // all derivatives small compared with the residual).
        let whole: Vec<f64> = (0..component.rows.len())
            .map(|i| {
                let sizes = jacobian[i].iter().map(|&(j, entry)| entry.abs() * description.jets[j].nominal);
                1.0 / sizes.fold(here.residual[i].abs().max(f64::MIN_POSITIVE), f64::max)
            })
            .collect();
        let stationary = [&here.row_scale, &whole].iter().any(|scale| {
            let mut slope = vec![0.0; component.moving.len()];
            for (i, row) in jacobian.iter().enumerate() {
                for &(j, entry) in row {
                    if let Some(place) = parts.place(j) {
                        slope[place] += entry * scale[i] * scale[i] * here.residual[i] * description.jets[j].nominal;
                    }
                }
            }
            let size = norm(here.residual.iter().zip(scale.iter()).map(|(r, scale)| r * scale));
            slope.iter().fold(0.0_f64, |a, b| a.max(b.abs())) <= 10.0 * SHARE * size
        });
        Stuck {
            component: k,
            rows: component.rows.clone(),
            scaled_residual,
            row_scale: here.row_scale,
            jacobian,
            jets: jets.to_vec(),
            stationary,
            iterations,
        }
    }
}

impl Iterate {
    /// Whether all equations hold to rounding, or to changes of a moving jet by this many rounding errors of its nominal
    /// value.
    fn holds(&self, changes: f64) -> bool {
        (0..self.residual.len()).all(|i| {
            let unit = (ROUNDING + self.terms[i] as f64) * f64::EPSILON;
            self.residual[i].abs() <= unit * self.magnitude[i] || self.mended_by[i] <= changes * f64::EPSILON
        })
    }

    fn holds_to(&self, unit: f64) -> bool {
        (0..self.residual.len()).all(|i| self.residual[i].abs() <= unit * self.magnitude[i])
    }
}

impl Stuck {
    /// Explains the contradiction: at a stationary point the scaled residual $r$ is a left null vector of what may
    /// move, so it is itself the combination of equations that cannot be satisfied, and the fixed jets $x_j$ with
    /// $(r^T A)_j \ne 0$ are those that enter it.
    pub(super) fn explain(self, system: &System<'_>) -> InitializationError {
        let description = system.description();
        let size = self.scaled_residual.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        let name = |i: usize| description.equations[self.rows[i]].name.clone();
        if !self.stationary {
            let worst = (0..self.rows.len()).find(|&i| self.scaled_residual[i].abs() >= size).unwrap_or(0);
            return InitializationError::NoConvergence {
                equation: name(worst),
                residual: self.scaled_residual[worst] / self.row_scale[worst],
                iterations: self.iterations,
            };
        }
        let square = self.scaled_residual.iter().map(|r| r * r).sum::<f64>();
        let equations = (0..self.rows.len())
            .filter(|&i| self.scaled_residual[i].abs() > SHARE * size)
            // All of r put into equation i: (r.r)/r_i.
            .map(|i| Mismatch { equation: name(i), residual: square / self.scaled_residual[i] / self.row_scale[i] })
            .collect();
        let mut influence = vec![0.0; description.jets.len()];
        for (i, row) in self.jacobian.iter().enumerate() {
            for &(j, entry) in row {
                influence[j] += self.scaled_residual[i] * self.row_scale[i] * entry * description.jets[j].nominal;
            }
        }
        let fixed: Vec<FixedValue> = (0..description.jets.len())
            .filter(|&j| description.jets[j].start == Start::Fixed && influence[j].abs() > SHARE * size)
            .map(|j| FixedValue { jet: description.jets[j].name.clone(), value: self.jets[j] })
            .collect();
        if fixed.is_empty() {
            InitializationError::NoSolution { equations }
        } else {
            InitializationError::Conflict { fixed, equations }
        }
    }
}

fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| value * value).sum::<f64>().sqrt()
}
