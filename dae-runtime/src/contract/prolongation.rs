//! The model with the derivatives of its equations, from which consistent values are computed.
//!
//! In: nothing. Out: the contract [`Prolongation`] and its description: the jets, the equations in them, and the stages
//! at which they are solved.

use std::borrow::Cow;

use super::{Boundary, DeclaredEvents, InitialEquations, Name, Pattern};

/// How a start value is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Start {
    /// Written `= value`: initialisation must not change it.
    Fixed,
    /// Written `~ value`: initialisation starts from it and changes it as little as possible.
    Guess,
    /// Not given: the guess is zero, and changing it costs nothing.
    Free,
}

/// One entry of the jet vector, $x_j^{(k)}$.
#[derive(Clone, Debug, PartialEq)]
pub struct Jet {
    /// `x`, `der(x)`, `der(x, 2)`.
    pub name: Name,
    /// $k$.
    pub order: u32,
    /// Stage at which it is determined, $k - d_j \le 0$ with the canonical offset $d_j$ of the unknown.
    pub stage: i32,
    /// What the model says about its start value.
    pub start: Start,
    /// Typical magnitude.
    pub nominal: f64,
}

/// One equation of the prolongation, $f_i^{(l)}$, $0 \le l \le c_i$.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JetEquation {
    /// `equation 5`, `der(equation 5)`, …
    pub name: Name,
    /// Number, counted from zero, of the equation in the model's text that it is, or that it replaces if it is a
    /// combination of several.
    pub equation: usize,
    /// $l$, the number of differentiations of that equation.
    pub order: u32,
    /// Stage at which it is solved, $l - c_i \le 0$ with the canonical offset $c_i$ of the equation.
    pub stage: i32,
}

/// Everything about a prolongation that does not change from call to call.
#[derive(Clone, Debug, PartialEq)]
pub struct ProlongationDescription {
    /// Name of the model.
    pub model: Name,
    /// The jet vector, unknown by unknown, order by order from 0 without a gap.
    pub jets: Cow<'static, [Jet]>,
    /// The equations, in order of stage.
    pub equations: Cow<'static, [JetEquation]>,
    /// Pattern of the derivatives of the equations with respect to the jets. Equations of stage $s$ contain jets of
    /// stage $\le s$ only.
    pub jacobian: Pattern,
    /// Pattern of the derivatives of the equations with respect to the parameters.
    pub jacobian_p: Pattern,
    /// Pattern of the derivatives of the start values with respect to the parameters: a row for each jet.
    pub start_jacobian_p: Pattern,
}

impl ProlongationDescription {
    /// The position of the derivative of a jet, if that is a jet too.
    pub fn derivative_of(&self, jet: usize) -> Option<usize> {
        let next = self.jets.get(jet + 1)?;
        (next.order == self.jets[jet].order + 1).then_some(jet + 1)
    }
}

/// The model and the derivatives of its equations: the system whose zeros are the consistent initial values.
pub trait Prolongation {
    /// Names, stages and patterns.
    fn prolongation_description(&self) -> &ProlongationDescription;

    /// Start values that the model gives for the current parameters; zero where it gives none.
    fn start_values(&self, t: f64, jets: &mut [f64]);

    /// The equations at the given jets.
    fn prolonged_residual(&self, t: f64, jets: &[f64], residual: &mut [f64]);

    /// Derivatives of the equations with respect to the jets.
    fn prolonged_jacobian(&self, t: f64, jets: &[f64], values: &mut [f64]);

    /// Derivatives of the equations with respect to the parameters. There is nothing to write where no parameter
    /// enters.
    fn prolonged_jacobian_p(&self, _t: f64, _jets: &[f64], _values: &mut [f64]) {}

    /// Derivatives of the start values with respect to the parameters. There is nothing to write where no parameter
    /// enters.
    fn start_jacobian_p(&self, _t: f64, _values: &mut [f64]) {}

    /// The equations that hold at the start of a run only, if the text has any.
    fn initial_equations(&self) -> Option<&dyn InitialEquations> {
        None
    }

    /// The boundary conditions, if the model has any.
    fn boundary(&self) -> Option<&dyn Boundary> {
        None
    }

    /// The events that the text of the model declares, if there are any.
    fn declared_events(&self) -> Option<&dyn DeclaredEvents> {
        None
    }
}
