//! Local error, order and step size of a BDF run.
//!
//! In: the correction $e$ of a step and the differences of the last one. Out: whether to accept the step, and the order
//! and step size to try next.
//!
//! Source: Brenan, Campbell & Petzold, Sect. 5.2.3, in the form of SUNDIALS' IDA (A. C. Hindmarsh et al., ACM TOMS
//! 31 (2005), Sect. 2.3). With $E_j$ the weighted norm of $\sigma_j$ times the $(j+1)$st difference, the order $j$ is
//! judged by $(j+1) E_j \approx \lVert h^{j+1} y^{(j+1)} \rVert$: these numbers decrease with $j$ as long as a higher
//! order pays.
//!
//! **What is tested.** Differential unknowns insofar as they are states, and algebraic unknowns of index 1. The latter
//! follow from the states at every step, and the difference between their predictor and corrector measures an error of
//! extrapolation: testing it keeps the steps short enough for interpolation between their ends, and on one branch of
//! the solution. Algebraic unknowns of higher index and auxiliary unknowns do not count.
//!
//! Where only some combinations of unknowns are states, [`super::filter`] removes the rest.
//!
//! **Poorly resolved oscillations.** Formulas of order 3 and more let some oscillations grow: those of
//! $y' = i\omega y$ with $h\omega$ near one (Hairer & Wanner, section V.1, fig. 1.5). Once an oscillation is as large
//! as the tolerance, it dominates the error estimate, and for the rest of the run the steps are short enough to resolve
//! it: a chain of a thousand links at a tolerance of 1e-4 then takes thirty times as many steps as necessary. Three
//! signs together reveal this: steps with the formula of order 2, which is A-stable, could be almost as long; $e$
//! changes its direction from step to step; and Newton's iteration keeps asking for new matrices, so that the steps are
//! expensive. (Where it does not, short steps are cheap, and keep the errors far below the tolerance.) After
//! [`IN_A_ROW`] such steps the order is limited to 2 for a while, which damps the oscillation. (The test of A. C.
//! Hindmarsh, *Detecting stability barriers in BDF solvers*, in: J. R. Cash, I. Gladwell (eds.), *Computational
//! Ordinary Differential Equations*, Oxford 1992, uses ratios of scaled derivatives, and requires one dominant mode.)

use super::filter::Filter;
use super::history::{Formula, History};
use super::newton::Newton;
use crate::contract::{Description, Kind};
use crate::integrator::error_weights::Weights;

/// Local errors of states are tested against the tolerance divided by this factor, since they add up over a run.
const STRICTNESS: f64 = 5.0;
/// Extrapolated algebraic unknowns may be wrong by this many tolerances: the equations determine these unknowns at the
/// ends of steps, and between them wherever a state is asked for. Besides, a difference of order $k$ may contain $2^k$
/// times the error that Newton's iteration leaves.
const EXTRAPOLATED: f64 = 10.0;

/// Bounds on the factor by which a rejected step is shortened (as in IDA, like [`GROWTH`] and [`SHRINKAGE`]).
const REJECTED: (f64, f64) = (0.25, 0.9);
/// The step grows by this factor or not at all: less growth would cost more in factorisations than it gains.
const GROWTH: f64 = 2.0;
/// The length does not grow within this many steps after the error test of a step of order 1 has failed.
const HELD: usize = 3;
/// Bounds on the factor by which the length shrinks after an accepted step that was almost too long.
const SHRINKAGE: (f64, f64) = (0.5, 0.9);

/// Steps of order 2 could be almost as long as the present ones if they could have this fraction of their length.
const ALMOST: f64 = 0.5;
/// Steps whose errors would let them grow by this factor are not limited by their error.
const KEPT_SHORT: f64 = 1.3;
/// Newton's iteration keeps asking for new matrices while the last one is less than this many steps old.
const RENEWED: usize = 4;
/// Bounds on the cosine of the angle between successive $e$ that show a change of direction: the cosine is near one
/// for a smooth solution, and negative where an iteration ends early.
const TURNING: (f64, f64) = (0.0, 0.85);
/// This many steps in a row that show all three signs are taken for an oscillation.
const IN_A_ROW: usize = 4;
/// The order is then limited to 2 for this many steps, and each further time for twice as many as before.
const DAMPED: usize = 50;

/// What the errors at lower orders suggest for the next order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OrderChange {
    Lower,
    Keep,
}

/// Error estimates of a step at its own order and at lower ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    /// Error of the step in units of the error allowed: the step is accepted if it is at most 1.
    pub(super) test: f64,
    /// $E_k$, and $E_{k-1}$ or, for $k = 1$, zero.
    at_order: f64,
    below: f64,
    /// $E_2$ if the order is higher, otherwise infinite.
    of_second: f64,
    pub(super) change: OrderChange,
}

impl Estimate {
    /// Whether the error limits the steps, and steps of order 2 could be almost as long; `false` up to order 2.
    fn could_be_of_second(&self, order: usize) -> bool {
        let factor = elementary(self.at_order, order);
        order > 2 && factor < KEPT_SHORT && elementary(self.of_second, 2) >= ALMOST * factor
    }
}

/// Whether the direction of `e` has changed from that of `before`, the correction of the last step ([`TURNING`]).
fn turns(tested: &[usize], weights: &Weights, e: &[f64], before: &[f64]) -> bool {
    let product =
        |a: &[f64], b: &[f64]| -> f64 { tested.iter().map(|&i| weights.as_slice()[i].powi(2) * a[i] * b[i]).sum() };
    let cosine = product(e, before) / (product(e, e) * product(before, before)).sqrt();
    TURNING.0 < cosine && cosine < TURNING.1
}

/// Error norms and the choice of order and step size.
pub(super) struct Control {
    tested: Vec<usize>,
    /// Algebraic unknowns of index 1.
    algebraic: Vec<usize>,
    filter: Filter,
    vector: Vec<f64>,
    max_order: usize,
    /// Whether order and step size are still raised at every step: until an attempt fails, the errors suggest a lower
    /// order, or the highest order is reached.
    starting: bool,
    /// Number of failed error tests of the step under way.
    failures: usize,
    /// Number of steps in which the length may not grow yet, after a failed error test of a step of order 1. Where the
    /// error depends on how the length changes, longer steps would otherwise be tried and rejected for ever, and the
    /// order, which is raised only after steps of one length, would remain 1.
    held: usize,
    damping: Damping,
}

/// Detection of poorly resolved oscillations, and their damping at order 2.
struct Damping {
    /// Whether damping is allowed: only if all invariants are enforced. A form that drifts off its constraints drifts
    /// less when errors are far below the tolerance, as with short steps of high order.
    is_allowed: bool,
    /// Number of steps since the matrix was last renewed.
    since_new: usize,
    /// Number of successive steps that show the signs of an oscillation.
    signs: usize,
    /// Number of steps for which the order is still limited to 2.
    left: usize,
    /// Number of steps for which it will be limited the next time.
    next: usize,
}

impl Control {
    /// The control of a run before its first step, with orders up to `max_order`.
    pub(super) fn new(description: &Description, filter: Filter, max_order: usize) -> Self {
        let unknowns = &description.unknowns;
        let tests = |i: &usize| unknowns[*i].kind == Kind::Differential;
        let is_algebraic = |i: &usize| unknowns[*i].kind == Kind::Algebraic && unknowns[*i].index == 1;
        Control {
            tested: (0..unknowns.len()).filter(tests).collect(),
            algebraic: (0..unknowns.len()).filter(is_algebraic).collect(),
            filter,
            vector: vec![0.0; unknowns.len()],
            max_order,
            starting: true,
            failures: 0,
            held: 0,
            damping: Damping {
                is_allowed: description.invariants.iter().all(|invariant| invariant.row.is_some()),
                since_new: 0,
                signs: 0,
                left: 0,
                next: DAMPED,
            },
        }
    }

    /// Replaces the filter: the leading matrix may have changed, as it does with the local coordinates.
    pub(super) fn filter_by(&mut self, filter: Filter) {
        self.filter = filter;
    }

    /// Size of the error in `self.vector`, which is overwritten, in units of the error allowed: the larger of the norm
    /// over algebraic unknowns and, after filtering, that over differential ones.
    fn norm_of_vector(&mut self, description: &Description, newton: &Newton, weights: &Weights) -> f64 {
        let of_algebraic = weights.norm_over(&self.algebraic, &self.vector) / EXTRAPOLATED;
        self.filter.apply(description, newton, &mut self.vector);
        of_algebraic.max(STRICTNESS * weights.norm_over(&self.tested, &self.vector))
    }

    /// Estimates the errors of a step with the correction `e`.
    pub(super) fn estimate(
        &mut self,
        description: &Description,
        history: &History,
        formula: &Formula,
        newton: &Newton,
        weights: &Weights,
        e: &[f64],
    ) -> Estimate {
        let order = formula.order;
        // Filtering overwrites its argument, so the sum of differences is formed anew for each order.
        self.vector.copy_from_slice(e);
        let size = self.norm_of_vector(description, newton, weights);
        let at_order = formula.sigma[order] * size;
        let term = |order: usize, error: f64| (order + 1) as f64 * error;
        let (mut below, mut of_second, mut change) = (0.0, f64::INFINITY, OrderChange::Keep);
        if order > 1 {
            let lower = |order: usize, control: &mut Control| {
                control.vector.copy_from_slice(e);
                for i in order + 1..=formula.order {
                    let scale = formula.beta[i];
                    control.vector.iter_mut().zip(history.difference(i)).for_each(|(v, phi)| *v += scale * phi);
                }
                formula.sigma[order] * control.norm_of_vector(description, newton, weights)
            };
            below = lower(order - 1, self);
            let lowers = if order > 2 {
                let two_below = lower(order - 2, self);
                of_second = match order {
                    3 => below,
                    4 => two_below,
                    _ => lower(2, self),
                };
                term(order - 1, below).max(term(order - 2, two_below)) <= term(order, at_order)
            } else {
                term(order - 1, below) <= 0.5 * term(order, at_order)
            };
            if lowers {
                change = OrderChange::Lower;
            }
        }
        Estimate { test: formula.error_constant * size, at_order, below, of_second, change }
    }

    /// Among the unknowns tested, the one with the largest weighted correction; 0 if none is tested.
    pub(super) fn worst(&self, weights: &Weights, e: &[f64]) -> usize {
        let size = |i: usize| (weights.as_slice()[i] * e[i]).abs();
        self.tested
            .iter()
            .chain(&self.algebraic)
            .copied()
            .reduce(|worst, i| if size(i) > size(worst) { i } else { worst })
            .unwrap_or(0)
    }

    /// Order and step-size factor for the next attempt after a failed error test at order `order`.
    pub(super) fn after_rejection(&mut self, estimate: &Estimate, order: usize) -> (usize, f64) {
        self.starting = false;
        self.failures += 1;
        if order == 1 {
            self.held = HELD;
        }
        let (next, error) = match estimate.change {
            OrderChange::Lower => (order - 1, estimate.below),
            OrderChange::Keep => (order, estimate.at_order),
        };
        match self.failures {
            1 if error.is_finite() => (next, (REJECTED.1 * elementary(error, next)).clamp(REJECTED.0, REJECTED.1)),
            1 | 2 => (next, REJECTED.0),
            _ => (1, REJECTED.0),
        }
    }

    /// Ends the initial growth after a failed iteration.
    pub(super) fn after_trouble(&mut self) {
        self.starting = false;
    }

    /// Order and step-size factor for the next step after an accepted one, which has not entered the history yet.
    pub(super) fn after_success(
        &mut self,
        estimate: &Estimate,
        description: &Description,
        history: &History,
        formula: &Formula,
        newton: &Newton,
        weights: &Weights,
        e: &[f64],
    ) -> (usize, f64) {
        self.failures = 0;
        self.held = self.held.saturating_sub(1);
        let order = formula.order;
        let raised_just_now = order == history.order() + 1;
        if estimate.change == OrderChange::Lower || order == self.max_order {
            self.starting = false;
        }
        if self.starting {
            return (order + 1, GROWTH);
        }
        let damping = &mut self.damping;
        damping.left = damping.left.saturating_sub(1);
        damping.since_new = if newton.is_new() { 0 } else { damping.since_new + 1 };
        let is_sign = damping.is_allowed
            && damping.since_new < RENEWED
            && !raised_just_now
            && estimate.could_be_of_second(order)
            && turns(&self.tested, weights, e, history.difference(order + 1));
        damping.signs = if is_sign { damping.signs + 1 } else { 0 };
        if damping.signs == IN_A_ROW {
            *damping = Damping { signs: 0, left: damping.next, next: 2 * damping.next, ..*damping };
            return (2, elementary(estimate.of_second, 2).clamp(SHRINKAGE.0, 1.0));
        }
        let most = if damping.left > 0 { 2 } else { self.max_order };
        let may_raise = order < most && !raised_just_now && history.constant_steps_with(formula) > order + 1;
        let (next, error) = match estimate.change {
            OrderChange::Lower => (order - 1, estimate.below),
            OrderChange::Keep if may_raise => {
                // Slot `order + 1` holds the `e` of the last step: this `e` minus that one is the difference of the
                // next higher order.
                self.vector.copy_from_slice(e);
                self.vector.iter_mut().zip(history.difference(order + 1)).for_each(|(v, last)| *v -= last);
                let above = self.norm_of_vector(description, newton, weights) / (order + 2) as f64;
                choose(order, estimate, above)
            }
            OrderChange::Keep => (order, estimate.at_order),
        };
        let factor = match elementary(error, next) {
            factor if factor >= GROWTH && self.held == 0 => GROWTH,
            factor if factor <= 1.0 => factor.clamp(SHRINKAGE.0, SHRINKAGE.1),
            _ => 1.0,
        };
        (next, factor)
    }
}

/// The order chosen by the terms $(j+1) E_j$ of this order and its neighbours, and its $E_j$.
fn choose(order: usize, estimate: &Estimate, above: f64) -> (usize, f64) {
    let term = (order + 1) as f64 * estimate.at_order;
    let term_above = (order + 2) as f64 * above;
    if order == 1 {
        return if term_above >= 0.5 * term { (order, estimate.at_order) } else { (order + 1, above) };
    }
    if order as f64 * estimate.below <= term.min(term_above) {
        (order - 1, estimate.below)
    } else if term_above >= term {
        (order, estimate.at_order)
    } else {
        (order + 1, above)
    }
}

/// $(2E)^{-1/(k+1)}$: the step-size factor that makes the error half of what is allowed. The constant added to $2E$
/// keeps it finite.
fn elementary(error: f64, order: usize) -> f64 {
    (2.0 * error + 1e-4).powf(-1.0 / (order + 1) as f64)
}
