//! The derivative array of some equations, and its values.
//!
//! In: equations, and how many times they are differentiated. Out: [`DerivativeArray`], and at a point, over the reals
//! or a prime field, its rows and the entries of its Jacobian as Taylor coefficients (`taylor.rs`).

use super::point::ArrayPoint;
use super::taylor::{self, Residue, Scalar, Tape};
use crate::expr::prime_field::{FieldPoint, arithmetic};
use crate::expr::{Dag, Expr, Symbol, evaluate_closed, gradient};
use crate::index::limits;
use crate::model::Model;
use crate::system::written_orders;

/// The derivative array of some equations, ready to be evaluated.
#[derive(Clone, Debug)]
pub struct DerivativeArray {
    /// $m$, the number of times that every equation is differentiated.
    pub differentiations: u32,
    /// $P_j$ by unknown.
    pub rates: Vec<u32>,
    /// $F_i$, inputs expanded.
    pub equations: Vec<Expr>,
    /// $(i, j, q)$ for which $\partial F_i / \partial x_j^{(q)}$ is not identically zero, in the order of the tape's
    /// roots after the equations.
    pub(super) partials: Vec<(usize, usize, u32)>,
    /// The tape of the equations and their partial derivatives.
    pub(super) tape: Tape,
    /// The tape of the equations alone.
    residuals: Tape,
    /// The limits of its examination.
    pub(super) limits: limits::Array,
}

/// The array at a point: Taylor coefficients of the equations and of their partial derivatives.
#[derive(Clone, Debug)]
pub struct Linearised<S> {
    /// $F_i^{(l)}/l!$ by $i$ and $l$.
    pub residuals: Vec<Vec<S>>,
    /// Taylor coefficients of the partial derivatives.
    pub(super) partials: Vec<Vec<S>>,
}

impl DerivativeArray {
    /// The array of the model's equations as written. `None` if derivatives of functions grow out of hand.
    pub fn of(model: &mut Model, differentiations: u32, limits: &limits::Array) -> Option<DerivativeArray> {
        let residuals: Vec<Expr> = model.equations.iter().map(|e| e.residual).collect();
        let equations = model.expand_inputs(&residuals);
        let rates = written_orders(model).into_iter().map(|order| order.max(1)).collect();
        DerivativeArray::of_equations(&mut model.dag, equations, rates, differentiations, limits)
    }

    /// The array of some equations without inputs; `rates` are the $P_j$.
    pub fn of_equations(
        dag: &mut Dag,
        equations: Vec<Expr>,
        rates: Vec<u32>,
        differentiations: u32,
        limits: &limits::Array,
    ) -> Option<DerivativeArray> {
        let (mut partials, mut roots) = (Vec::new(), equations.clone());
        for (i, &equation) in equations.iter().enumerate() {
            for (symbol, partial) in gradient(dag, equation, |s| matches!(s, Symbol::Unknown { .. })) {
                if let Symbol::Unknown { unknown, order } = symbol {
                    partials.push((i, unknown.index(), order));
                    roots.push(partial);
                }
            }
        }
        let tape = Tape::new(dag, &roots, differentiations, limits.nodes)?;
        let residuals = Tape::new(dag, &equations, differentiations, limits.nodes)?;
        Some(DerivativeArray { differentiations, rates, equations, partials, tape, residuals, limits: *limits })
    }

    /// The partial derivatives of the equations.
    pub fn partial_derivatives(&self) -> impl Iterator<Item = Expr> + '_ {
        self.tape.roots().skip(self.equations.len())
    }

    /// Number of rows, $(m + 1)$ times the number of equations.
    pub fn rows(&self) -> usize {
        self.equations.len() * (self.differentiations as usize + 1)
    }

    /// Number of states, $\sum_j P_j$.
    pub fn states(&self) -> usize {
        self.rates.iter().map(|&rate| rate as usize).sum()
    }

    /// The number of Taylor coefficients of unknown $j$ that occur: those up to order $P_j + m$.
    pub fn coefficients(&self, unknown: usize) -> usize {
        (self.rates[unknown] + self.differentiations) as usize + 1
    }

    /// The array at real values.
    pub fn at(&self, dag: &Dag, parameters: &[f64], point: &ArrayPoint) -> Linearised<f64> {
        let values = values_at(dag, self.tape.nodes(), parameters, point);
        self.linearised(&values, &point.taylor)
    }

    /// The number of operations to evaluate the rows at a point, roughly.
    pub(super) fn cost(&self) -> usize {
        self.residuals.nodes().len() * (self.differentiations as usize + 1)
    }

    /// The number of floating-point operations to evaluate the Taylor series of the rows at a point, roughly.
    pub(super) fn cost_of_series(&self) -> u64 {
        let order = u64::from(self.differentiations) + 1;
        self.residuals.nodes().len() as u64 * order * order
    }

    /// The cost of the partial derivatives relative to that of the rows.
    pub(super) fn relative_cost(&self) -> usize {
        self.tape.nodes().len() / self.residuals.nodes().len().max(1)
    }

    /// The rows alone, $F_i^{(l)}/l!$ by $i$ and $l$.
    pub fn residuals_at(&self, dag: &Dag, parameters: &[f64], point: &ArrayPoint) -> Vec<Vec<f64>> {
        let values = values_at(dag, self.residuals.nodes(), parameters, point);
        self.residuals.run(&values, &point.taylor, self.differentiations as usize)
    }

    /// The array at a random point of the prime field: nothing that holds there is an accident, but for a probability
    /// of about $10^{-15}$. `None` if the equations have no value there.
    pub fn at_random(&self, dag: &Dag, point: &FieldPoint, seed: u64) -> Option<Linearised<Residue>> {
        let evaluation = point.evaluate(dag, self.tape.nodes()).ok()?;
        let drawn = |j: usize, k: usize| arithmetic::draw(seed, &[j as u64, k as u64]).max(1);
        let mut jets: Vec<Vec<Residue>> =
            (0..self.rates.len()).map(|j| (0..self.coefficients(j)).map(|k| Residue(drawn(j, k))).collect()).collect();
        for &(symbol, value) in &evaluation.point {
            if let Symbol::Unknown { unknown, order } = symbol {
                let factorial: Residue = taylor::falling(order as usize, order as usize);
                if let Some(place) = jets[unknown.index()].get_mut(order as usize) {
                    *place = Residue(value).over(factorial);
                }
            }
        }
        let values: Vec<Residue> = evaluation.values.into_iter().map(Residue).collect();
        Some(self.linearised(&values, &jets))
    }

    /// $\sum |\partial F_i / \partial X_{j,k} \, X_{j,k}|$, the size of the terms of equation $i$.
    pub fn magnitude(&self, at: &Linearised<f64>, point: &ArrayPoint, equation: usize) -> f64 {
        let mut sum = 0.0;
        self.entries(at, 0, |_, i, j, k, value| {
            if i == equation {
                sum += (value * point.taylor[j].get(k).copied().unwrap_or(0.0)).abs();
            }
        });
        sum
    }

    pub(super) fn linearised<S: Scalar>(&self, values: &[S], jets: &[Vec<S>]) -> Linearised<S> {
        let mut residuals = self.tape.run(values, jets, self.differentiations as usize);
        let partials = residuals.split_off(self.equations.len());
        Linearised { residuals, partials }
    }

    /// The entries $(l, i, j, k, \partial (F_i^{(l)}/l!) / \partial X_{j,k})$ of the rows $l \le m$, one for each
    /// partial derivative: with $x_j^{(q)} = \sum_k \frac{k!}{(k-q)!} X_{j,k}\, \tau^{k-q}$,
    ///
    /// $$ \frac{\partial (F_i)_l}{\partial X_{j,k}} = \sum_q \frac{k!}{(k-q)!} \left(\frac{\partial F_i}{\partial x_j^{(q)}}\right)_{l-k+q}. $$
    pub(super) fn entries<S: Scalar>(
        &self,
        at: &Linearised<S>,
        m: u32,
        mut each: impl FnMut(usize, usize, usize, usize, S),
    ) {
        for (&(i, j, q), series) in self.partials.iter().zip(&at.partials) {
            let q = q as usize;
            for l in 0..=m as usize {
                for (r, coefficient) in series.iter().enumerate().take(l + 1) {
                    let k = l - r + q;
                    each(l, i, j, k, coefficient.clone().times(taylor::falling(k, q)));
                }
            }
        }
    }
}

/// The values of the nodes of a tape, which contains every operand of its nodes.
fn values_at(dag: &Dag, nodes: &[Expr], parameters: &[f64], point: &ArrayPoint) -> Vec<f64> {
    evaluate_closed(dag, nodes, |symbol| match symbol {
        Symbol::Time => point.t,
        Symbol::Parameter(p) => parameters.get(p.index()).copied().unwrap_or(f64::NAN),
        Symbol::Unknown { unknown, order } => point.derivative(unknown.index(), order as usize),
        Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => f64::NAN,
    })
}
