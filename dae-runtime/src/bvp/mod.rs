//! Boundary value problems.
//!
//! In: a formulation of index 1 or 2 of a model with boundary conditions ([`crate::contract::Boundary`]), tolerances, a
//! first guess. Out: a [`BvpSolution`] with a mesh and an estimate of its error, or a [`BvpError`] with the last iterate.
//!
//! ```
//! # use dae_runtime::contract::Dae;
//! use dae_runtime::bvp::Bvp;
//! # fn demo(crane: &(impl Dae + Clone)) -> Result<(), Box<dyn std::error::Error>> {
//!
//! let found = Bvp::new(crane).rtol(1e-8).solve(0.0, 2.0)?;
//! println!("{} intervals, error {:.1e}: u(1) = {:?}", found.mesh.len() - 1, found.error_estimate, found.value("u", 1.0));
//! # Ok(())
//! # }
//! ```
//!
//! # Method
//!
//! Projected collocation at the nodes of Gauss, or collocation at those of Radau IIA (folder `collocation`). The linear
//! systems are almost block diagonal, and are solved in time linear in the number of intervals (`condensed`,
//! `elimination`). Newton's iteration is damped by the natural monotonicity test (`newton`). The error is estimated as the
//! difference from a solution of lower order on the same mesh (`collocation/estimate`), and meshes distribute it evenly
//! (`mesh`, `collocation/adaptive`). Where rounding errors of the equations would change the solution by more than the
//! tolerance (`collocation/rounding`), or solutions grow by so much that the linear equations cannot be solved, that is an
//! error too ([`Cause::IllConditioned`]). Multiple shooting is an independent second method (folder `shooting`).
//!
//! # Which form
//!
//! The boundary conditions are those of the model, whatever the form. Forms that enforce constraints (`ggl`) converge from
//! poorer guesses than `index1`, in which constraints hold at the start and are differentiated elsewhere: the swing-up of a
//! cart-pole in Cartesian coordinates is solved from straight lines in `ggl`, and not in `index1`. The latter serves where
//! constraints are combinations of equations with derivatives.
//!
//! # How large the meshes are
//!
//! The table compares the number of intervals with that of COLNEW on the singularly perturbed problems of the test set of
//! F. Mazzia and J. R. Cash (*A Fortran test set for boundary value problem solvers*, AIP Conf. Proc. 1648, 2015), where the
//! true error of every component is at most $10^{-10}$ of its largest value, or of one if that is larger. This module has
//! its default numbers of nodes. COLNEW (`bvode` of Scilab 6.1) has four collocation points, and its smallest mesh is shown
//! of those for tolerances half a decade apart and eight first meshes.
//!
//! | problem, parameter | this module | COLNEW |
//! |---|---|---|
//! | 1, 0.01 | 12 | 128 |
//! | 4, 0.02 | 19 | 160 |
//! | 6, 0.01 | 30 | 208 |
//! | 9, 0.02 | 43 | 300 |
//! | 15, 0.003 | 40 | 304 |
//! | 17, 0.001 | 32 | 224 |
//! | 20, 0.06 | 26 | 160 |
//! | 23 (Troesch), 10 | 44 | 160 |
//! | 24, 0.05 | 22 | 224 |
//! | 32, 100 | 18 | 52 |
//! | 33 (swirling flow), 0.01 | 17 | 56 |
//! | 34 (Bratu), 1 | 10 | 20 |
//!
//! For problems 32 and 33 COLNEW is given equations of order four, and six collocation points, with which its meshes are
//! smallest. On 40 problems its meshes are 2 to 11 times as large as those here; with four nodes here, too, they are 0.5 to 1.8
//! times as large. The example `boundary_value_problems` prints mesh, error and time for the whole collection.

mod collocation;
mod condensed;
mod conditions;
mod elimination;
mod error;
mod guess;
mod householder;
mod iterate;
mod layout;
mod linearized;
mod mesh;
mod newton;
mod norm;
mod obstacle;
mod options;
mod point;
mod problem;
mod record;
mod scheme;
mod shared;
mod shooting;
mod solution;
mod solve;
mod table;
mod tolerances;

use std::fmt;

use crate::contract::{Dae, Description, Name};
use crate::integrator::stepper::Tolerance;
use crate::solution::Solution;

pub use error::{BvpError, Cause};
use guess::Guess;
pub use options::BvpMethod;
use options::{Continuation, Options};
pub use solution::{BvpSolution, BvpStatistics};
use table::Table;

/// A boundary value problem to be configured and solved.
#[must_use = "a boundary value problem is not solved until `solve` is called"]
pub struct Bvp<'d> {
    dae: Box<dyn Dae + 'd>,
    options: Options<'d>,
}

impl fmt::Debug for Bvp<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let description: &Description = self.dae.description();
        f.debug_struct("Bvp")
            .field("model", &description.model)
            .field("form", &description.form)
            .field("rtol", &self.options.rtol)
            .field("atol", &self.options.atol)
            .field("method", &self.options.method)
            .field("stages", &self.options.stages)
            .finish_non_exhaustive()
    }
}

impl<'d> Bvp<'d> {
    /// The problem of this formulation with the conditions of its model. It is a copy that takes the values of free
    /// parameters that are found: the formulation given keeps its own.
    pub fn new<D: Dae + Clone + 'd>(form: &D) -> Self {
        Bvp::of(Box::new(form.clone()))
    }

    /// [`Bvp::new`] of a formulation that is known only at run time.
    pub fn of(dae: Box<dyn Dae + 'd>) -> Self {
        Bvp { dae, options: Options::default() }
    }

    /// Sets the relative tolerance, $10^{-6}$ unless set; the absolute one is [`Bvp::atol`]. It refers to the largest value
    /// of an unknown in an interval of the mesh, since the relative error of an unknown that passes through zero is
    /// unbounded there.
    pub fn rtol(mut self, rtol: f64) -> Self {
        self.options.rtol = rtol;
        self
    }

    /// Sets the absolute tolerance of all unknowns, as a fraction of the nominal value of each; $10^{-6}$ unless set.
    pub fn atol(mut self, atol: f64) -> Self {
        self.options.atol = Tolerance::Scalar(atol);
        self
    }

    /// Sets the absolute tolerance of one unknown, in its unit, as
    /// [`Integration::atol_of`](crate::solve::Integration::atol_of).
    pub fn atol_of(mut self, unknown: impl Into<Name>, atol: f64) -> Self {
        self.options.tolerances.push((unknown.into(), atol));
        self
    }

    /// Chooses the method.
    pub fn method(mut self, method: BvpMethod) -> Self {
        self.options.method = method;
        self
    }

    /// Sets the number of collocation nodes in each interval, from 2 to 9. Unless set, it is 4, 5 or 7, depending on the
    /// relative tolerance. Shooting has no nodes.
    pub fn stages(mut self, stages: usize) -> Self {
        self.options.stages = Some(stages);
        self
    }

    /// Sets the number of intervals of the first mesh, 10 unless set.
    pub fn intervals(mut self, intervals: usize) -> Self {
        self.options.intervals = intervals;
        self
    }

    /// Sets the largest number of intervals, 10,000 unless set; the first mesh has no more either.
    pub fn max_intervals(mut self, intervals: usize) -> Self {
        self.options.most_intervals = intervals;
        self.options.intervals = self.options.intervals.min(intervals);
        self
    }

    /// Solves on the first mesh only, whatever the error: success then does not mean that the tolerance is met, and
    /// [`BvpSolution::error_estimate`] says how large the error is.
    pub fn fixed_mesh(mut self) -> Self {
        self.options.has_fixed_mesh = true;
        self
    }

    /// Leaves the ends of intervals where collocation ends, without a projection onto the constraints of unknowns of
    /// index 2. Methods of Gauss then lose their order there.
    pub fn without_projection(mut self) -> Self {
        self.options.projects = false;
        self
    }

    /// Requests the derivatives of the solution with respect to these parameters, by name, with all conditions kept. They
    /// are in [`Solution::sensitivities`], at the ends of intervals.
    pub fn sensitivities<N: Into<Name>>(mut self, by: impl IntoIterator<Item = N>) -> Self {
        self.options.sensitivities = by.into_iter().map(Into::into).collect();
        self
    }

    /// Starts from a solution: of a similar problem, or of an integration with dense output. Unknowns are matched by name.
    pub fn guess(mut self, solution: &'d Solution) -> Self {
        self.options.guess = Guess::Solution(solution);
        self
    }

    /// Starts from values of unknowns at some times, in order, with straight lines between them. If the problem has another
    /// interval, it is mapped to that of the times. Unknowns without a column start from the guess of the text. If the
    /// times make at least as many intervals as [`Bvp::intervals`], they are the first mesh.
    pub fn guess_table(
        mut self,
        times: impl Into<Vec<f64>>,
        columns: impl IntoIterator<Item = (impl Into<Name>, Vec<f64>)>,
    ) -> Self {
        let columns = columns.into_iter().map(|(name, values)| (name.into(), values)).collect();
        self.options.guess = Guess::Table(Table::new(times.into(), columns));
        self
    }

    /// Starts from an earlier solution, its mesh and its free parameters. A free end starts from the end given to
    /// [`Bvp::solve`], which may be [`BvpSolution::end`] of the earlier solution.
    pub fn warm_start(mut self, solution: &'d BvpSolution) -> Self {
        self.options.guess = Guess::Bvp(solution);
        self
    }

    /// Approaches the problem by continuation: solves it first with this value of the parameter, for which the guess is
    /// meant, and moves the parameter from there to its own value. Several parameters move together.
    ///
    /// Without it, a problem is solved from its guess, and if that fails, by continuation in parameters whose absolute
    /// values are far from one, from one on.
    pub fn continuation(mut self, parameter: impl Into<Name>, from: f64) -> Self {
        let mut given = match self.options.continuation {
            Continuation::Given(given) => given,
            Continuation::Automatic | Continuation::Off => Vec::new(),
        };
        given.push((parameter.into(), from));
        self.options.continuation = Continuation::Given(given);
        self
    }

    /// Solves the problem from its guess or not at all.
    pub fn without_continuation(mut self) -> Self {
        self.options.continuation = Continuation::Off;
        self
    }

    /// Calls a function after each mesh, with its number of intervals and the estimated error in units of the error
    /// allowed, which is infinite where the equations were not solved; `false` stops.
    pub fn on_mesh(mut self, observer: impl FnMut(usize, f64) -> bool + 'd) -> Self {
        self.options.observer = Some(Box::new(observer));
        self
    }

    /// Solves the problem between `t0` and `t_end`, which is a first guess if the model has a free end, and may be
    /// earlier than `t0`.
    ///
    /// # Errors
    /// The problem is not well posed, an option is meaningless, or no solution was found that is accurate enough. In the
    /// last case the error contains the last iterate.
    pub fn solve(self, t0: f64, t_end: f64) -> Result<BvpSolution, BvpError> {
        solve::solve(self.dae, self.options, [t0, t_end])
    }
}
