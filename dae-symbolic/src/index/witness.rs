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
//! proved where $\operatorname{rank} G_w$ at the point is the generic one, the largest there is: the rank cannot fall nearby, nor can that
//! of $(G_{u'}, G_w)$, so that the equality persists.
//!
//! The jets beyond those of the prolongation follow one after the other from linear systems with the system Jacobian.

use dae_runtime::rank::{Confidence, Rank, rank};
use nalgebra::{DMatrix, DVector};

use super::certificate::{LowerBound, Persistence, Shortfall};
use super::generic::generic_rank;
use crate::expr::{Expr, Symbol, evaluate, gradient};
use crate::model::Model;
use crate::prolong::Prolonged;
use crate::structure::Structure;
use crate::system::{System, derivatives, highest_orders};

/// Derivative arrays with more rows are left alone: the decision costs their third power.
const MAX_ROWS: usize = 160;
/// How well the computed jets must fulfil the derivative array, relative to the size of its terms.
const CONSISTENCY: f64 = 1e-7;

pub(super) fn lower_bound(
    model: &mut Model,
    system: &System,
    structure: &Structure,
    prolonged: &Prolonged,
    jets: &[f64],
    t0: f64,
    bound: u32,
) -> LowerBound {
    let Some(most) = bound.checked_sub(1) else { return LowerBound::Trivial };
    let rows = model.equations.len() * bound as usize;
    if rows > MAX_ROWS {
        let reason = format!("the derivative array has {rows} rows, more than are examined while compiling");
        return LowerBound::NotAttempted { reason };
    }
    let text = System::of_text(model);
    let orders: Vec<u32> = written_orders(model, &text);
    let mut table = JetTable::new(prolonged, jets);
    if !table.extend(model, system, structure, prolonged, t0, |j| orders[j] + most) {
        return LowerBound::NotAttempted { reason: "higher derivatives at the start values are not finite".into() };
    }
    let array = |model: &mut Model, m: u32| {
        let array: Vec<Expr> = text.equations.iter().flat_map(|e| derivatives(&mut model.dag, e.residual, m)).collect();
        model.expand_inputs(&array)
    };
    let complete = array(model, most);
    if !table.satisfies(model, prolonged, t0, &complete) {
        return LowerBound::NotAttempted {
            reason: "the derivative array is not consistent at the start values".into(),
        };
    }
    // Downwards as long as fewer differentiations do.
    let mut least_full: Option<(u32, Persistence)> = None;
    for m in (0..=most).rev() {
        let array = array(model, m);
        let jacobian = table.jacobian(model, prolonged, t0, &array, &orders);
        let ranks = match (rank(&jacobian.all()), rank(&jacobian.rest)) {
            (Ok(all), Ok(rest)) => Ranks { all, rest, states: orders.len() },
            (Err(error), _) | (_, Err(error)) => return LowerBound::NotAttempted { reason: error.to_string() },
        };
        match (ranks.are_clear(), ranks.shortfall(m), least_full) {
            (false, _, None) => return LowerBound::Unclear { gap: ranks.gap() },
            (true, Some(witness), None) => return LowerBound::Witness(witness),
            (false, _, Some((differentiations, persistence))) => {
                return LowerBound::Smaller { differentiations, persistence, witness: None };
            }
            (true, Some(witness), Some((differentiations, persistence))) => {
                return LowerBound::Smaller { differentiations, persistence, witness: Some(witness) };
            }
            (true, None, _) => {
                let generic = generic_rank(model, array.len(), &jacobian.rest_entries);
                let lasting = generic == ranks.rest.rank;
                let persistence = if lasting { Persistence::Nearby } else { Persistence::Unknown };
                least_full = Some((m, persistence));
            }
        }
    }
    match least_full {
        Some((differentiations, persistence)) => LowerBound::Smaller { differentiations, persistence, witness: None },
        None => LowerBound::Trivial,
    }
}

/// Ranks of a derivative array at the consistent point.
struct Ranks {
    /// Of $(G_{u'}, G_w)$.
    all: Rank,
    /// Of $G_w$.
    rest: Rank,
    /// $n$.
    states: usize,
}

impl Ranks {
    fn are_clear(&self) -> bool {
        self.all.confidence == Confidence::Clear && self.rest.confidence == Confidence::Clear
    }

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
fn written_orders(model: &Model, text: &System) -> Vec<u32> {
    let mut orders = vec![1; model.unknowns.len()];
    for equation in &text.equations {
        for (j, order) in highest_orders(&model.dag, equation.residual) {
            orders[j] = orders[j].max(order);
        }
    }
    orders
}

/// Values of matrix entries at the given jets and the default parameters.
fn values_at(
    model: &mut Model,
    prolonged: &Prolonged,
    jets: &[f64],
    t: f64,
    entries: &[(usize, usize, Expr)],
) -> Vec<f64> {
    let values: Vec<Expr> = entries.iter().map(|&(.., value)| value).collect();
    let values = model.expand_inputs(&values);
    evaluate(&model.dag, &values, |symbol| match symbol {
        Symbol::Time => t,
        Symbol::Parameter(p) => prolonged.parameters[p.index()],
        Symbol::Unknown { unknown, order } => prolonged.jet(unknown.index(), order).map_or(f64::NAN, |k| jets[k]),
        Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => f64::NAN,
    })
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
        structure: &Structure,
        prolonged: &Prolonged,
        t: f64,
        wanted: impl Fn(usize) -> u32,
    ) -> bool {
        let n = self.values.len();
        let entries = system.jacobian(&mut model.dag, &structure.offsets);
        let flat: Vec<f64> = self.values.iter().flatten().copied().collect();
        let mut jacobian = DMatrix::zeros(n, n);
        for (&(i, j, _), value) in entries.iter().zip(values_at(model, prolonged, &flat, t, &entries)) {
            jacobian[(i, j)] = value;
        }
        let factors = jacobian.full_piv_lu();
        let mut families = system.derivatives(&mut model.dag, &structure.offsets.equations);
        while (0..n).any(|j| (self.values[j].len() as u32) <= wanted(j)) {
            let next: Vec<Expr> = families.iter().filter_map(|f| f.last().copied()).collect();
            let next: Vec<Expr> = next.into_iter().map(|f| crate::expr::total_derivative(&mut model.dag, f)).collect();
            families = next.iter().map(|&f| vec![f]).collect();
            let expanded = model.expand_inputs(&next);
            let rest = evaluate(&model.dag, &expanded, |symbol| self.value(prolonged, t, symbol));
            let Some(solution) = factors.solve(&DVector::from_vec(rest)) else { return false };
            if !solution.iter().all(|x| x.is_finite()) {
                return false;
            }
            self.values.iter_mut().zip(solution.iter()).for_each(|(family, x)| family.push(-x));
        }
        true
    }

    /// Whether the array vanishes at the jets, up to rounding relative to its largest sensitivity times the jets.
    fn satisfies(&self, model: &Model, prolonged: &Prolonged, t: f64, array: &[Expr]) -> bool {
        let scale = self.values.iter().flatten().fold(1.0f64, |m, v| m.max(v.abs()));
        let residual = evaluate(&model.dag, array, |symbol| self.value(prolonged, t, symbol));
        residual.iter().all(|r| r.abs() <= CONSISTENCY * scale * scale)
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
        let mut first = DMatrix::zeros(array.len(), orders.len());
        let mut rest = DMatrix::zeros(array.len(), next);
        let mut rest_entries = Vec::new();
        for (&(row, j, order, partial), value) in entries.iter().zip(values) {
            match order - orders[j] {
                0 => first[(row, j)] = value,
                k => {
                    let column = first_column[j] + k as usize - 1;
                    rest[(row, column)] = value;
                    rest_entries.push((row, column, partial));
                }
            }
        }
        ArrayJacobian { first, rest, rest_entries }
    }
}

/// The derivative of an array by $u'$ and $w$.
struct ArrayJacobian {
    /// $G_{u'}$ at the consistent point.
    first: DMatrix<f64>,
    /// $G_w$ there.
    rest: DMatrix<f64>,
    /// $G_w$ as expressions.
    rest_entries: Vec<(usize, usize, Expr)>,
}

impl ArrayJacobian {
    /// $(G_{u'}, G_w)$.
    fn all(&self) -> DMatrix<f64> {
        let states = self.first.ncols();
        DMatrix::from_fn(self.first.nrows(), states + self.rest.ncols(), |i, j| {
            if j < states { self.first[(i, j)] } else { self.rest[(i, j - states)] }
        })
    }
}
