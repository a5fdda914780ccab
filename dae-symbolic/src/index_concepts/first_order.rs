//! The first-order form of a model, and whether it is linear.
//!
//! In: a model. Out: its states $u_{jk} = x_j^{(k)}$, $0 \le k < \max(p_j, 1)$, for unknowns $x_j$ that occur up to
//! order $p_j$, and the coefficients of the first-order form $E u' + A u + \dots = 0$, which consists of the equations
//! of the text and of $u_{jk}' = u_{j,k+1}$ between the states of one unknown. Every notion of index in this folder
//! refers to that form.

use crate::expr::{Dag, Expr, Symbol, UnknownId, gradient, piecewise, symbols};
use crate::model::Model;
use crate::system::written_orders;

/// A coefficient $\partial f_i / \partial x_j^{(k)}$ of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Coefficient {
    pub(super) equation: usize,
    pub(super) unknown: usize,
    pub(super) order: u32,
    /// Parameters are replaced by their defaults, inputs by their definitions.
    pub(super) value: Expr,
}

/// What the coefficients depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Linearity {
    /// Nothing: $E u' + A u = d(t)$ with constant $E$ and $A$.
    Constant,
    /// Time alone.
    TimeVarying,
    /// The unknowns.
    Nonlinear,
}

/// The first-order form of a model.
#[derive(Clone, Debug)]
pub(super) struct FirstOrder {
    /// $\max(p_j, 1)$ by unknown.
    pub(super) orders: Vec<u32>,
    /// The position of the first state of each unknown.
    pub(super) first_state: Vec<usize>,
    /// Number of states.
    pub(super) states: usize,
    /// Nonzero coefficients of the text, equation by equation.
    pub(super) coefficients: Vec<Coefficient>,
    /// What the coefficients depend on.
    pub(super) linearity: Linearity,
    /// Whether a parameter was replaced by its default in the coefficients.
    pub(super) with_parameters: bool,
}

/// Whether an entry belongs to $E$ or $A$.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// $E$.
    Leading,
    /// $A$.
    State,
}

impl FirstOrder {
    /// The first-order form of a model.
    pub(super) fn of_model(model: &mut Model) -> FirstOrder {
        let orders: Vec<u32> = written_orders(model).into_iter().map(|p| p.max(1)).collect();
        let mut states = 0;
        let mut first_state = Vec::with_capacity(orders.len());
        for &order in &orders {
            first_state.push(states);
            states += order as usize;
        }
        let mut places = Vec::new();
        let mut values = Vec::new();
        for equation in 0..model.equations.len() {
            let residual = model.equations[equation].residual;
            for (symbol, partial) in gradient(&mut model.dag, residual, |s| matches!(s, Symbol::Unknown { .. })) {
                if let Symbol::Unknown { unknown: UnknownId(unknown), order } = symbol {
                    places.push((equation, unknown as usize, order));
                    values.push(partial);
                }
            }
        }
        let values = model.expand_inputs(&values);
        let with_parameters =
            symbols(&model.dag, values.iter().copied()).iter().any(|s| matches!(s, Symbol::Parameter(_)));
        let values = model.with_default_parameters(&values);
        let residuals: Vec<Expr> = model.equations.iter().map(|e| e.residual).collect();
        let linearity = linearity(&model.dag, &residuals, &values);
        let coefficients = places
            .into_iter()
            .zip(values)
            .filter(|&(_, value)| !model.dag.is_zero(value))
            .map(|((equation, unknown, order), value)| Coefficient { equation, unknown, order, value })
            .collect();
        FirstOrder { orders, first_state, states, coefficients, linearity, with_parameters }
    }

    /// Number of rows of the first-order form: those of the text, then those between the states of one unknown.
    pub(super) fn rows(&self, model: &Model) -> usize {
        model.equations.len() + self.states - self.orders.len()
    }

    /// The matrix and the column in which the coefficient of $x_j^{(k)}$ stands.
    pub(super) fn column(&self, unknown: usize, order: u32) -> (Side, usize) {
        if order == self.orders[unknown] {
            (Side::Leading, self.first_state[unknown] + order as usize - 1)
        } else {
            (Side::State, self.first_state[unknown] + order as usize)
        }
    }

    /// Pairs of states $(u_{jk}, u_{j,k+1})$ with $u_{jk}' = u_{j,k+1}$.
    pub(super) fn chains(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let links = |(&first, &order): (&usize, &u32)| (0..order as usize - 1).map(move |k| (first + k, first + k + 1));
        self.first_state.iter().zip(&self.orders).flat_map(links)
    }
}

/// The linearity of the residuals, from the values of their derivatives; functions that are piecewise in the unknowns
/// may have constant derivatives without being linear.
fn linearity(dag: &Dag, residuals: &[Expr], values: &[Expr]) -> Linearity {
    let switches = piecewise(dag, residuals);
    if symbols(dag, switches).iter().any(|s| matches!(s, Symbol::Unknown { .. })) {
        return Linearity::Nonlinear;
    }
    let used = symbols(dag, values.iter().copied());
    let depends = |s: &Symbol| match s {
        Symbol::Time => Linearity::TimeVarying,
        _ => Linearity::Nonlinear,
    };
    used.iter().map(depends).max().unwrap_or(Linearity::Constant)
}
