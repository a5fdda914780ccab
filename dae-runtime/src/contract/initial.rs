//! Equations that hold at the start of a run only.
//!
//! In: nothing. Out: the contract by which a model gives its initial equations, [`InitialEquations`], and their
//! description.

use std::borrow::Cow;

use super::{Name, Pattern};

/// An initial equation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitialEquation {
    /// `initial equation 2`.
    pub name: Name,
    /// The stage of the latest jet in it: at this stage the equation can first be evaluated.
    pub stage: i32,
}

/// Everything about initial equations that does not change from call to call.
#[derive(Clone, Debug, PartialEq)]
pub struct InitialDescription {
    /// The equations, in the order of the text.
    pub equations: Cow<'static, [InitialEquation]>,
    /// Pattern of their derivatives with respect to the jets.
    pub jacobian: Pattern,
    /// Pattern of their derivatives with respect to the parameters.
    pub jacobian_p: Pattern,
}

/// The initial equations $E(t_0, X, p) = 0$ of a model, in the jets $X$
/// ([`Prolongation`](super::Prolongation)). They take degrees of freedom away, as fixed start values do.
pub trait InitialEquations {
    /// Names, stages and patterns.
    fn initial_description(&self) -> &InitialDescription;

    /// $E$ at the given jets.
    fn initial_residual(&self, t: f64, jets: &[f64], residual: &mut [f64]);

    /// $\partial E/\partial X$.
    fn initial_jacobian(&self, t: f64, jets: &[f64], values: &mut [f64]);

    /// $\partial E/\partial p$. There is nothing to write where no parameter enters.
    fn initial_jacobian_p(&self, _t: f64, _jets: &[f64], _values: &mut [f64]) {}
}
