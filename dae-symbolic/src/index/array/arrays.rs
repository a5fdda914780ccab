//! The derivative arrays of a model, for any number of differentiations.
//!
//! In: a model. Out: its equations with inputs and parameters replaced, ready to be differentiated, and whether they
//! are affine in the unknowns.

use super::derivative_array::DerivativeArray;
use crate::defaults::default_parameters;
use crate::expr::{Expr, Symbol, piecewise, symbols};
use crate::index::limits;
use crate::model::Model;
use crate::system::written_orders;

/// The derivative arrays of a model.
pub(super) struct Arrays<'a> {
    pub(super) model: &'a mut Model,
    pub(super) parameters: Vec<f64>,
    /// The equations with inputs and parameters replaced by their definitions.
    pub(super) equations: Vec<Expr>,
    pub(super) rates: Vec<u32>,
    /// Whether the Jacobian of the equations and the piecewise functions in them depend on no unknown.
    pub(super) affine: bool,
    pub(super) limits: &'a limits::Array,
}

impl<'a> Arrays<'a> {
    pub(super) fn new(model: &'a mut Model, limits: &'a limits::Array) -> Self {
        let parameters = default_parameters(model);
        let residuals: Vec<Expr> = model.equations.iter().map(|e| e.residual).collect();
        let equations = model.expand_inputs(&residuals);
        let equations = model.with_default_parameters(&equations);
        let rates = written_orders(model).into_iter().map(|order| order.max(1)).collect();
        let mut arrays = Arrays { model, parameters, equations, rates, affine: false, limits };
        arrays.affine = arrays.array(0).is_some_and(|array| {
            let dag = &arrays.model.dag;
            let switches = piecewise(dag, &arrays.equations);
            let free = |s: &Symbol| !matches!(s, Symbol::Unknown { .. });
            symbols(dag, array.partial_derivatives().chain(switches)).iter().all(free)
        });
        arrays
    }

    /// The array with `m` differentiations; `None` if derivatives of functions grow out of hand.
    pub(super) fn array(&mut self, m: u32) -> Option<DerivativeArray> {
        let (equations, rates) = (self.equations.clone(), self.rates.clone());
        DerivativeArray::of_equations(&mut self.model.dag, equations, rates, m, self.limits)
    }
}
