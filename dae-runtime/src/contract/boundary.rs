//! Conditions on a solution at several times.
//!
//! In: nothing. Out: the contract by which a model gives its boundary conditions, [`Boundary`], and their description.
//!
//! Conditions are functions of the jets ([`Prolongation`](super::Prolongation)) at the *points*, the times at which they
//! refer to the solution, so that they may contain any unknown of the model and any derivative that its equations
//! contain, whatever the formulation that is solved.

use std::borrow::Cow;

use super::{Name, Pattern};

/// A time at which boundary conditions refer to the solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Point {
    /// The start $t_0$.
    Start,
    /// A time in between, as it is written in the text: `0.5`.
    Interior(Name),
    /// The end $t_e$.
    End,
}

/// Everything about boundary conditions that does not change from call to call.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundaryDescription {
    /// The points: [`Point::Start`] first, [`Point::End`] last, both in any case.
    pub points: Cow<'static, [Point]>,
    /// What the conditions are called in messages: `y(t0) = 1`, or `start of y` for a fixed start value.
    pub conditions: Cow<'static, [Name]>,
    /// Parameters that the conditions determine, by position. Their values are first guesses.
    pub free_parameters: Cow<'static, [usize]>,
    /// Whether the conditions determine the end $t_e$. What the caller gives is a first guess.
    pub has_free_end: bool,
    /// Pattern of $\partial B/\partial J$: a row for each condition, and the entries of the jet vector for each point,
    /// one point after the other.
    pub jacobian: Pattern,
    /// Pattern of $\partial B/\partial p$.
    pub jacobian_p: Pattern,
    /// Pattern of $\partial B/\partial (t_0, \dots, t_e)$, a column for each point: the dependence on times that the
    /// conditions contain themselves, with the jets held.
    pub jacobian_t: Pattern,
}

/// The boundary conditions $B(t_0, \dots, t_e, J_0, \dots, J_e, p) = 0$ of a model, as many as it has degrees of freedom,
/// free parameters, and free ends. Fixed start values are among them.
pub trait Boundary {
    /// Names, points and patterns.
    fn boundary_description(&self) -> &BoundaryDescription;

    /// The times of the points between the start and the end, in the order of the description: functions of the
    /// parameters.
    fn interior_points(&self, _times: &mut [f64]) {}

    /// First guess of the solution at time `t` between the ends: the jets for which the text gives a start value or a
    /// guess, as functions of time; zero for the others.
    fn boundary_guess(&self, ends: [f64; 2], t: f64, jets: &mut [f64]);

    /// The default ends $t_0$ and $t_e$, if the text gives them.
    fn default_ends(&self) -> Option<[f64; 2]> {
        None
    }

    /// $B$ at the times of all points, with the jets at all points, one point after the other.
    fn boundary_residual(&self, times: &[f64], jets: &[f64], residual: &mut [f64]);

    /// $\partial B/\partial J$.
    fn boundary_jacobian(&self, times: &[f64], jets: &[f64], values: &mut [f64]);

    /// $\partial B/\partial p$.
    fn boundary_jacobian_p(&self, times: &[f64], jets: &[f64], values: &mut [f64]);

    /// $\partial B/\partial (t_0, \dots, t_e)$.
    fn boundary_jacobian_t(&self, times: &[f64], jets: &[f64], values: &mut [f64]);
}
