//! The derivative array: the judge where structure does not settle the index.
//!
//! In: the equations of a model as written, square or not. Out: what they and their derivatives determine. With $F(t, u, u') = 0$ and its
//! first $m$ total derivatives, Hairer & Wanner II, Sect. VII.2, eqs. (2.28)–(2.29),
//!
//! $$ G_m(t, u, u', w) = \begin{pmatrix} F \\ \dot F \\ \vdots \\ F^{(m)} \end{pmatrix} = 0, \qquad w = (u'', \dots, u^{(m+1)}), $$
//!
//! and in terms of the text: an unknown with derivatives up to $p_j$ has the states $x_j, \dots, x_j^{(P_j - 1)}$ with $P_j = \max(p_j, 1)$; $u'$
//! consists of the $x_j^{(P_j)}$ and $w$ of all higher ones. Then
//!
//! * $u'$ is determined when $\operatorname{rank} (G_{u'}, G_w) = n + \operatorname{rank} G_w$ (1-fullness, A1),
//! * the consistent states after $m$ differentiations form a manifold of dimension
//!   $\sum_j P_j - \operatorname{rank} (G_u, G_{u'}, G_w) + \operatorname{rank} (G_{u'}, G_w)$, where these ranks are constant (A2; A3 says
//!   that the first is the number of rows),
//! * the index is the least $m$ with A1 and A2 along the solution.
//!
//! | file | what |
//! |---|---|
//! | `taylor.rs` | rows and Jacobian as Taylor coefficients, over the reals and over a prime field |
//! | `matrix.rs` | the Jacobian at a point, its blocks and their ranks |
//! | `newton.rs` | steps of least change |
//! | `taylor_extension.rs` | higher derivatives at a regular point, order by order |
//! | `jets.rs` | jets that fulfil the array to rounding, at the model's own branch; neighbouring points |
//! | `undamped_newton.rs` | jets that fulfil the array, by undamped steps, where damped ones lead nowhere |
//! | `extended_precision.rs`, `pivoting.rs` | jets and ranks to hundreds of digits, where 16 digits cannot tell an entry from zero |
//! | `contradiction.rs` | whether fixed values contradict equations, to hundreds of digits |
//! | `exact.rs` | ranks, dependencies and contradictions over the prime field |
//! | `rank_test.rs` | which $m$, at how many points, and when there is none |
//!
//! Jets are kept as Taylor coefficients $X_{j,k} = x_j^{(k)}/k!$, and rows as $F_i^{(l)}/l!$: the ranks are the same and the numbers stay small.

mod contradiction;
mod exact;
mod extended_precision;
mod jets;
mod matrix;
mod newton;
mod pivoting;
mod rank_test;
mod taylor;
mod taylor_extension;
mod undamped_newton;

pub(crate) use contradiction::contradict;
pub(super) use extended_precision::{constant, exact_parameters, is_solution, vanish};
pub use jets::{ArrayError, ArrayPoint, Consistent, consistent_point};
pub use matrix::{ArrayJacobian, ArrayRanks};
pub use rank_test::{ArrayFinding, ArrayVerdict, ConstantRank, Freedom, judge, ranks_up_to};
pub use taylor::{Residue, Scalar, Tape};
pub(super) use taylor_extension::continued;

use super::limits;
use crate::expr::prime_field::{FieldPoint, arithmetic};
use crate::expr::{Dag, Expr, Symbol, evaluate_closed, gradient};
use crate::model::Model;
use crate::system::written_orders;

/// The derivative array of some equations, ready to be evaluated.
#[derive(Clone, Debug)]
pub struct DerivativeArray {
    /// $m$, how often every equation is differentiated.
    pub differentiations: u32,
    /// $P_j$ by unknown.
    pub rates: Vec<u32>,
    /// $F_i$, inputs expanded.
    pub equations: Vec<Expr>,
    /// $(i, j, q)$ for which $\partial F_i / \partial x_j^{(q)}$ is not identically zero, in the order of the tape's
    /// roots after the equations.
    partials: Vec<(usize, usize, u32)>,
    /// The tape of the equations and their partial derivatives.
    tape: Tape,
    /// The tape of the equations alone.
    residuals: Tape,
    /// How far it is examined.
    limits: limits::Array,
}

/// The array at a point: Taylor coefficients of the equations and of their partial derivatives.
#[derive(Clone, Debug)]
pub struct Linearised<S> {
    /// $F_i^{(l)}/l!$ by $i$ and $l$.
    pub residuals: Vec<Vec<S>>,
    /// Taylor coefficients of the partial derivatives.
    partials: Vec<Vec<S>>,
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
    fn cost(&self) -> usize {
        self.residuals.nodes().len() * (self.differentiations as usize + 1)
    }

    /// The cost of the partial derivatives relative to that of the rows.
    fn relative_cost(&self) -> usize {
        self.tape.nodes().len() / self.residuals.nodes().len().max(1)
    }

    /// The rows alone, $F_i^{(l)}/l!$ by $i$ and $l$.
    pub fn residuals_at(&self, dag: &Dag, parameters: &[f64], point: &ArrayPoint) -> Vec<Vec<f64>> {
        let values = values_at(dag, self.residuals.nodes(), parameters, point);
        self.residuals.run(&values, &point.taylor, self.differentiations as usize)
    }

    /// The array at a random point of the prime field: nothing that holds there is an accident, but for a probability of about
    /// $10^{-15}$. `None` if the equations have no value there.
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

    /// All rows over the prime field, as lists of column and residue.
    pub fn exact_rows(&self, at: &Linearised<Residue>) -> Vec<Vec<(usize, u64)>> {
        matrix::exact_rows(self, at, self.differentiations)
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

    fn linearised<S: Scalar>(&self, values: &[S], jets: &[Vec<S>]) -> Linearised<S> {
        let mut residuals = self.tape.run(values, jets, self.differentiations as usize);
        let partials = residuals.split_off(self.equations.len());
        Linearised { residuals, partials }
    }

    /// The entries $(l, i, j, k, \partial (F_i^{(l)}/l!) / \partial X_{j,k})$ of the rows $l \le m$, one for each partial derivative: with
    /// $x_j^{(q)} = \sum_k \frac{k!}{(k-q)!} X_{j,k}\, \tau^{k-q}$,
    ///
    /// $$ \frac{\partial (F_i)_l}{\partial X_{j,k}} = \sum_q \frac{k!}{(k-q)!} \left(\frac{\partial F_i}{\partial x_j^{(q)}}\right)_{l-k+q}. $$
    fn entries<S: Scalar>(&self, at: &Linearised<S>, m: u32, mut each: impl FnMut(usize, usize, usize, usize, S)) {
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
