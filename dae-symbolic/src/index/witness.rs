//! The lower bound: one differentiation less does not do.
//!
//! In: the text of the model, a consistent point, and the bound $\nu$. Out: whether the derivative array of the text with
//! $m = \nu - 1$ differentiations, $G(u', w, u) = 0$, is 1-full with respect to $u'$ there, `000_fbf9ee3ffe929a9e` Sect. VII.2,
//! eqs. (2.28)–(2.32): it is exactly when
//!
//! $$ \operatorname{rank} (G_{u'}, G_w) = n + \operatorname{rank} G_w. $$
//!
//! A variable of order $p$ counts as $p$ states, so that $u'$ consists of the $x_j^{(\max(p_j, 1))}$ and $w$ of all higher derivatives.
//! If it is 1-full, fewer differentiations are tried. That bounds the index along the solution only if it stays 1-full nearby, which is
//! the case where $\operatorname{rank} G_w$ at the point is the generic one, the largest there is: the rank cannot fall nearby, nor can
//! that of $(G_{u'}, G_w)$, so that the equality persists. The generic rank is taken at a random point of the prime field on the branch of the
//! start values; the probability that it is too small there is below $10^{-14}$.
//!
//! The jets beyond those of the prolongation follow one after the other from linear systems with the system Jacobian.

use dae_runtime::rank::{Confidence, Rank, RankError, rank};
use nalgebra::{DMatrix, DVector};

use super::certificate::{LowerBound, Persistence, Shortfall};
use super::generic::generic_rank;
use crate::expr::{Expr, Symbol, evaluate, gradient, total_derivative};
use crate::model::Model;
use crate::prolong::Prolonged;
use crate::system::{System, written_orders};

/// Derivative arrays with more rows are left alone: the decision costs their third power.
const MAX_ROWS: usize = 160;
/// How well the computed jets must fulfil the derivative array, relative to the size of its terms.
const CONSISTENCY: f64 = 1e-7;
/// Relative change of the jets under which an entry must keep its size to count as different from zero.
const PERTURBATION: f64 = 1e-9;
/// Nodes that the derivative arrays may add.
const MAX_GROWTH: usize = 40_000;

/// Examines the derivative arrays with `most` and fewer differentiations; `bound` is what the index is known not to exceed.
pub(super) fn lower_bound(
    model: &mut Model,
    system: &System,
    prolonged: &Prolonged,
    jets: &[f64],
    t0: f64,
    bound: u32,
) -> LowerBound {
    // Where equations were combined, the bound itself is put to the test as well.
    let rewritten = system.equations.iter().enumerate().any(|(i, e)| !e.provenance.is_text(i));
    let most = if rewritten { Some(bound) } else { bound.checked_sub(1) };
    let Some(most) = most else { return LowerBound::Trivial };
    let rows = model.equations.len() * (most as usize + 1);
    if rows > MAX_ROWS {
        let reason = format!("the derivative array has {rows} rows, more than are examined while compiling");
        return LowerBound::NotAttempted { reason };
    }
    let text = System::of_text(model);
    let orders = first_order_rates(model);
    let mut table = JetTable::new(prolonged, jets);
    let Some(arrays) = arrays(model, &text, most) else {
        return LowerBound::NotAttempted {
            reason: "the derivative array is too long to be examined while compiling".into(),
        };
    };
    if !table.extend(model, system, prolonged, t0, |j| orders[j] + most) {
        return LowerBound::NotAttempted { reason: "higher derivatives at the start values are not finite".into() };
    }
    if !table.satisfies(model, prolonged, t0, &arrays[most as usize]) {
        let reason = "the derivative array is not consistent at the start values".into();
        return LowerBound::NotAttempted { reason };
    }
    // Downwards as long as fewer differentiations do.
    let mut least_full: Option<(u32, Persistence)> = None;
    for m in (0..=most).rev() {
        let jacobian = table.jacobian(model, prolonged, t0, &arrays[m as usize], &orders);
        let ranks = match jacobian.ranks() {
            Ok(ranks) => ranks,
            Err(error) => return LowerBound::NotAttempted { reason: error.to_string() },
        };
        let witness = ranks.shortfall(m);
        match (ranks.clear, witness, least_full) {
            (false, _, None) => return LowerBound::Unclear { gap: ranks.gap() },
            (true, Some(_), None) if m == bound => return LowerBound::Insufficient { differentiations: m },
            (true, Some(witness), None) => return LowerBound::Witness(witness),
            (_, _, Some((full, _))) if full == bound && (!ranks.clear || witness.is_some()) => {
                return match (ranks.clear, witness) {
                    (true, Some(witness)) => LowerBound::Witness(witness),
                    _ => LowerBound::Unclear { gap: ranks.gap() },
                };
            }
            (false, _, Some((differentiations, persistence))) => {
                return LowerBound::Smaller { differentiations, persistence, witness: None };
            }
            (true, Some(witness), Some((differentiations, persistence))) => {
                return LowerBound::Smaller { differentiations, persistence, witness: Some(witness) };
            }
            (true, None, _) => {
                let generic = generic_rank(model, arrays[m as usize].len(), &jacobian.rest_entries);
                let lasting = generic == Some(ranks.rest.rank);
                let persistence = if lasting { Persistence::Nearby } else { Persistence::Unknown };
                least_full = Some((m, persistence));
            }
        }
    }
    match least_full {
        Some((0, _)) if bound == 0 => LowerBound::Trivial,
        Some((differentiations, persistence)) => LowerBound::Smaller { differentiations, persistence, witness: None },
        None => LowerBound::Trivial,
    }
}

/// The derivative arrays with $0, \dots, m$ differentiations; `None` if they grow out of hand.
fn arrays(model: &mut Model, text: &System, most: u32) -> Option<Vec<Vec<Expr>>> {
    let mut arrays: Vec<Vec<Expr>> = Vec::with_capacity(most as usize + 1);
    let mut last: Vec<Expr> = text.equations.iter().map(|e| e.residual).collect();
    let budget = model.dag.len() + MAX_GROWTH;
    for m in 0..=most {
        if m > 0 {
            for f in &mut last {
                *f = total_derivative(&mut model.dag, *f);
                if model.dag.len() > budget {
                    return None;
                }
            }
        }
        let expanded = model.expand_inputs(&last);
        let mut array = arrays.last().cloned().unwrap_or_default();
        array.extend(expanded);
        arrays.push(array);
    }
    Some(arrays)
}

/// Ranks of a derivative array at the consistent point.
struct Ranks {
    /// Of $(G_{u'}, G_w)$.
    all: Rank,
    /// Of $G_w$.
    rest: Rank,
    /// $n$.
    states: usize,
    /// Whether both can be trusted.
    clear: bool,
}

impl Ranks {
    fn gap(&self) -> f64 {
        self.all.gap.min(self.rest.gap)
    }

    /// What the array lacks to be 1-full, if it lacks something.
    fn shortfall(&self, differentiations: u32) -> Option<Shortfall> {
        let needed = self.states + self.rest.rank;
        let lacks = self.all.rank < needed;
        lacks.then(|| Shortfall { differentiations, rank: self.all.rank, needed, gap: self.gap() })
    }
}

/// $\max(p_j, 1)$ for every unknown: the order of the first-order form's derivative.
fn first_order_rates(model: &Model) -> Vec<u32> {
    written_orders(model).into_iter().map(|order| order.max(1)).collect()
}

/// Values of $x_j^{(k)}$ for $k$ up to whatever is known.
struct JetTable {
    values: Vec<Vec<f64>>,
}

impl JetTable {
    fn new(prolonged: &Prolonged, jets: &[f64]) -> Self {
        let ends = prolonged.first_jet.iter().skip(1).copied().chain([jets.len()]);
        let families = prolonged.first_jet.iter().zip(ends).map(|(&start, end)| jets[start..end].to_vec());
        JetTable { values: families.collect() }
    }

    fn value(&self, prolonged: &Prolonged, t: f64, symbol: Symbol) -> f64 {
        match symbol {
            Symbol::Time => t,
            Symbol::Parameter(p) => prolonged.parameters[p.index()],
            Symbol::Unknown { unknown, order } => {
                // Highest derivatives that are being solved for enter linearly: zero leaves the right-hand side.
                self.values[unknown.index()].get(order as usize).copied().unwrap_or(0.0)
            }
            Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => f64::NAN,
        }
    }

    /// Computes further jets until unknown $j$ has those up to `wanted(j)`: at stage $s > 0$, $f_i^{(c_i + s)} = 0$ is linear in
    /// $x_j^{(d_j + s)}$ with the system Jacobian. Returns whether all values are finite.
    fn extend(
        &mut self,
        model: &mut Model,
        system: &System,
        prolonged: &Prolonged,
        t: f64,
        wanted: impl Fn(usize) -> u32,
    ) -> bool {
        let n = self.values.len();
        let entries = system.jacobian(&mut model.dag, &prolonged.offsets);
        let partials: Vec<Expr> = entries.iter().map(|&(.., partial)| partial).collect();
        let partials = model.expand_inputs(&partials);
        let values = evaluate(&model.dag, &partials, |symbol| self.value(prolonged, t, symbol));
        let mut jacobian = DMatrix::zeros(n, n);
        for (&(i, j, _), value) in entries.iter().zip(values) {
            jacobian[(i, j)] = value;
        }
        let factors = jacobian.full_piv_lu();
        let families = system.derivatives(&mut model.dag, &prolonged.offsets.equations);
        let mut last: Vec<Expr> = families.iter().filter_map(|family| family.last().copied()).collect();
        while (0..n).any(|j| (self.values[j].len() as u32) <= wanted(j)) {
            last = last.into_iter().map(|f| total_derivative(&mut model.dag, f)).collect();
            let expanded = model.expand_inputs(&last);
            let rest = evaluate(&model.dag, &expanded, |symbol| self.value(prolonged, t, symbol));
            let Some(solution) = factors.solve(&DVector::from_vec(rest)) else { return false };
            if !solution.iter().all(|x| x.is_finite()) {
                return false;
            }
            self.values.iter_mut().zip(solution.iter()).for_each(|(family, x)| family.push(-x));
        }
        true
    }

    /// Whether every row of the array vanishes at the jets, up to rounding of the size of its terms
    /// $\sum |\partial r/\partial x_j^{(k)} \, x_j^{(k)}|$.
    fn satisfies(&self, model: &mut Model, prolonged: &Prolonged, t: f64, array: &[Expr]) -> bool {
        array.iter().all(|&row| {
            let partials = gradient(&mut model.dag, row, |s| matches!(s, Symbol::Unknown { .. }));
            let (symbols, mut roots): (Vec<Symbol>, Vec<Expr>) = partials.into_iter().unzip();
            roots.push(row);
            let values = evaluate(&model.dag, &roots, |symbol| self.value(prolonged, t, symbol));
            let terms = symbols.iter().zip(&values).map(|(&s, v)| (v * self.value(prolonged, t, s)).abs());
            values[symbols.len()].abs() <= CONSISTENCY * terms.sum::<f64>().max(CONSISTENCY)
        })
    }

    /// $G_{u'}$ and $G_w$ at the jets.
    fn jacobian(
        &self,
        model: &mut Model,
        prolonged: &Prolonged,
        t: f64,
        array: &[Expr],
        orders: &[u32],
    ) -> ArrayJacobian {
        let mut entries: Vec<(usize, usize, u32, Expr)> = Vec::new();
        let mut highest = orders.to_vec();
        for (row, &function) in array.iter().enumerate() {
            let wanted = |s| matches!(s, Symbol::Unknown { unknown, order } if order >= orders[unknown.index()]);
            for (symbol, partial) in gradient(&mut model.dag, function, wanted) {
                if let Symbol::Unknown { unknown, order } = symbol {
                    highest[unknown.index()] = highest[unknown.index()].max(order);
                    entries.push((row, unknown.index(), order, partial));
                }
            }
        }
        let mut next = 0;
        let mut first_column = Vec::with_capacity(orders.len());
        for (top, order) in highest.iter().zip(orders) {
            first_column.push(next);
            next += (top - order) as usize;
        }
        let partials: Vec<Expr> = entries.iter().map(|e| e.3).collect();
        let values = evaluate(&model.dag, &partials, |symbol| self.value(prolonged, t, symbol));
        let moved = evaluate(&model.dag, &partials, |symbol| match symbol {
            Symbol::Unknown { .. } => {
                let x = self.value(prolonged, t, symbol);
                x + PERTURBATION * x.abs().max(1.0)
            }
            _ => self.value(prolonged, t, symbol),
        });
        let zero = DMatrix::zeros(array.len(), orders.len() + next);
        let mut jacobian =
            ArrayJacobian { states: orders.len(), values: zero.clone(), certain: zero, rest_entries: Vec::new() };
        for ((&(row, j, order, partial), value), moved) in entries.iter().zip(values).zip(moved) {
            let column = match order - orders[j] {
                0 => j,
                k => {
                    let column = first_column[j] + k as usize - 1;
                    jacobian.rest_entries.push((row, column, partial));
                    orders.len() + column
                }
            };
            jacobian.values[(row, column)] = value;
            // What a change of the jets by less than they are known to would make of it counts as nothing.
            jacobian.certain[(row, column)] = if value.abs() <= (moved - value).abs() { 0.0 } else { value };
        }
        jacobian
    }
}

/// The derivative of an array by $u'$ (the first columns) and $w$.
struct ArrayJacobian {
    /// $n$.
    states: usize,
    /// Its values at the consistent point.
    values: DMatrix<f64>,
    /// The same without those that cannot be told from zero.
    certain: DMatrix<f64>,
    /// $G_w$ as expressions.
    rest_entries: Vec<(usize, usize, Expr)>,
}

impl ArrayJacobian {
    /// The two ranks, clear if they do not depend on what cannot be told from zero.
    fn ranks(&self) -> Result<Ranks, RankError> {
        let rest = |matrix: &DMatrix<f64>| matrix.columns(self.states, matrix.ncols() - self.states).into_owned();
        let (all, below) = (rank(&self.certain)?, rank(&rest(&self.certain))?);
        let mut clear = all.confidence == Confidence::Clear && below.confidence == Confidence::Clear;
        if self.certain != self.values {
            clear &= rank(&self.values)?.rank == all.rank && rank(&rest(&self.values))?.rank == below.rank;
        }
        Ok(Ranks { all, rest: below, states: self.states, clear })
    }
}
