//! Differentiated constraints, free of the derivatives that the model defines explicitly.
//!
//! In: the working system with its offsets. Out: for every equation the list $f_i, \dot f_i, \dots, f_i^{(c_i)}$ in
//! which the derivatives that the model defines explicitly have been replaced, as one does by hand:
//! $0 = x^2 + y^2 - l^2$ becomes $0 = 2xu + 2yv$ because the text says $\dot x = u$, $\dot y = v$.
//!
//! An equation is *explicit* if it reads $a\, x_j^{(p)} + r = 0$ with $a$ made of numbers and parameters (a mass), $r$
//! free of $x_j^{(p)}$, of its derivatives and of every jet that another explicit equation defines, and if $d_j - c_i =
//! p$. It stays as it is in every formulation; $x_j^{(p + k)}$ is replaced by the $k$-th total derivative of $-r/a$ in
//! all others. In the system Jacobian this is elimination with pivots made of numbers and parameters, so it stays
//! regular. The offsets bound the orders that appear: with $d_j = c_i + p$ the explicit equation is differentiated at
//! most $c_i$ times. Where replacement makes expressions grow too much, nothing is replaced and every equation is
//! differentiated $c_i$ times.

use std::collections::HashMap;

use crate::expr::{
    Dag, Expr, Node, Rational, Symbol, UnknownId, derivatives, reachable, shared_derivatives, substitute,
    total_derivative,
};
use crate::structure::Offsets;
use crate::system::{System, highest_orders};

/// An equation solved for a derivative: equation $i$ says $x_j^{(p)} = \varphi$.
#[derive(Clone, Debug, PartialEq)]
pub struct Explicit {
    /// $i$.
    pub equation: usize,
    /// $j$.
    pub unknown: usize,
    /// $p \ge 1$.
    pub order: u32,
    /// $\varphi$.
    pub value: Expr,
}

/// Every equation with its derivatives after replacement.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduced {
    /// The explicit equations, in order of the text; none if nothing is replaced.
    pub explicit: Vec<Explicit>,
    /// For equation $i$: $f_i, \dots, f_i^{(c_i)}$; for explicit equations $f_i$ alone, as written.
    pub derivatives: Vec<Vec<Expr>>,
}

impl Reduced {
    /// The expression with the derivatives that explicit equations define replaced by what they say.
    pub fn replace_explicit(&self, dag: &mut Dag, expr: Expr) -> Expr {
        Replacement::new(&self.explicit).apply(dag, expr)
    }
}

/// The number of expressions that replacement may make, in addition to [`LONGER`] for each one in the text: in a long
/// chain $\dot x_i = f(x_{i+1})$, whose derivatives in terms of the $x_i$ are nested $f$ and $f'$, every further member
/// multiplies their number.
const LONG: usize = 1_000;
/// The number of further expressions for each one in the text; see [`LONG`].
const LONGER: usize = 16;

/// Differentiates every equation as many times as its offset says, replacing derivatives that are given explicitly.
/// None is replaced where that makes expressions grow too much: then these derivatives stay unknowns in their own
/// right.
pub fn reduce(dag: &mut Dag, system: &System, offsets: &Offsets) -> Reduced {
    let explicit = explicit_equations(dag, system, offsets);
    if let Some(derivatives) = with_replacement(dag, system, offsets, &explicit) {
        return Reduced { explicit, derivatives };
    }
    let equations = system.equations.iter().zip(&offsets.equations);
    let derivatives = equations.map(|(equation, &c)| derivatives(dag, equation.residual, c)).collect();
    Reduced { explicit: Vec::new(), derivatives }
}

/// All equations with their derivatives after replacement; `None` once the expressions are more than [`LONG`] and
/// [`LONGER`] allow.
fn with_replacement(
    dag: &mut Dag,
    system: &System,
    offsets: &Offsets,
    explicit: &[Explicit],
) -> Option<Vec<Vec<Expr>>> {
    let most = dag.len() + LONG + LONGER * reachable(dag, system.equations.iter().map(|e| e.residual)).len();
    let mut replacement = Replacement::new(explicit);
    let mut is_explicit = vec![false; system.equations.len()];
    explicit.iter().for_each(|e| is_explicit[e.equation] = true);
    let mut derivatives = Vec::with_capacity(system.equations.len());
    for (i, equation) in system.equations.iter().enumerate() {
        if is_explicit[i] {
            derivatives.push(vec![equation.residual]);
            continue;
        }
        let c = offsets.equations[i];
        // An equation that is not differentiated keeps the form in which it was written.
        let mut list = vec![if c == 0 { equation.residual } else { replacement.apply(dag, equation.residual) }];
        let shared = shared_derivatives(dag, list[0], c);
        for order in 1..=c as usize {
            let derivative = match &shared {
                Some(shared) => shared[order],
                None => total_derivative(dag, list[order - 1]),
            };
            list.push(replacement.apply(dag, derivative));
            if dag.len() > most {
                return None;
            }
        }
        derivatives.push(list);
    }
    Some(derivatives)
}

/// Chooses the explicit equations, first come first served.
fn explicit_equations(dag: &mut Dag, system: &System, offsets: &Offsets) -> Vec<Explicit> {
    let mut chosen: Vec<Explicit> = Vec::new();
    // The lowest order of each unknown that a chosen equation defines, and the highest order that one uses.
    let mut defined: HashMap<usize, u32> = HashMap::new();
    let mut used: HashMap<usize, u32> = HashMap::new();
    for (i, equation) in system.equations.iter().enumerate() {
        let orders = highest_orders(dag, [equation.residual]);
        if orders.iter().any(|(j, order)| defined.get(j).is_some_and(|p| order >= p)) {
            continue;
        }
        let candidate = orders.iter().find_map(|&(j, p)| {
            let tight = p >= 1 && offsets.unknowns[j] == offsets.equations[i] + p;
            if !tight || used.get(&j).is_some_and(|&order| order >= p) {
                return None;
            }
            Some((j, p, solve_linear(dag, equation.residual, UnknownId(j as u32), p)?))
        });
        let Some((unknown, order, value)) = candidate else { continue };
        for &(j, order) in orders.iter().filter(|&&(j, _)| j != unknown) {
            let highest = used.entry(j).or_insert(order);
            *highest = order.max(*highest);
        }
        let highest = used.entry(unknown).or_insert(order - 1);
        *highest = (order - 1).max(*highest);
        defined.insert(unknown, order);
        chosen.push(Explicit { equation: i, unknown, order, value });
    }
    chosen
}

/// $\varphi$ with $f = a (x_j^{(p)} - \varphi)$ and $a$ made of numbers and parameters, if $f$ has this form as it
/// stands.
fn solve_linear(dag: &mut Dag, residual: Expr, unknown: UnknownId, order: u32) -> Option<Expr> {
    let leading = dag.symbol(Symbol::Unknown { unknown, order });
    if residual == leading {
        return Some(dag.integer(0));
    }
    let Node::Sum { constant, terms } = dag.node(residual).clone() else { return None };
    let (position, factor) = terms.iter().enumerate().find_map(|(k, &(_, t))| Some((k, cofactor(dag, t, leading)?)))?;
    let constant = dag.constant(constant);
    let others = terms.iter().enumerate().filter(|&(k, _)| k != position).map(|(_, term)| term.clone());
    let rest = dag.sum(others.chain([(Rational::ONE, constant)]).collect::<Vec<_>>());
    let orders = highest_orders(dag, [rest]);
    if orders.iter().any(|&(j, p)| j == unknown.index() && p >= order) {
        return None;
    }
    let scaled = dag.scale(terms[position].0.recip()?.neg(), rest);
    Some(dag.product(factor.into_iter().map(|(b, n)| (b, -n)).chain([(scaled, 1)])))
}

/// The other factors of a term that is `leading` times numbers and parameters; `None` if it is not.
fn cofactor(dag: &Dag, term: Expr, leading: Expr) -> Option<Vec<(Expr, i32)>> {
    if term == leading {
        return Some(Vec::new());
    }
    let Node::Product(factors) = dag.node(term) else { return None };
    let others: Vec<(Expr, i32)> = factors.iter().copied().filter(|&factor| factor != (leading, 1)).collect();
    (others.len() + 1 == factors.len() && others.iter().all(|&(b, _)| dag.is_time_invariant(b))).then_some(others)
}

/// Replaces jets that explicit equations define.
struct Replacement {
    /// For each unknown the order $p$ and $\varphi, \dot\varphi, \dots$, up to the order needed so far.
    values: HashMap<usize, (u32, Vec<Expr>)>,
}

impl Replacement {
    fn new(explicit: &[Explicit]) -> Self {
        Replacement { values: explicit.iter().map(|e| (e.unknown, (e.order, vec![e.value]))).collect() }
    }

    fn apply(&mut self, dag: &mut Dag, expr: Expr) -> Expr {
        self.prepare(dag, expr);
        self.replace(dag, expr)
    }

    fn replace(&self, dag: &mut Dag, expr: Expr) -> Expr {
        let replaced = substitute(dag, &[expr], |_, symbol| match symbol {
            Symbol::Unknown { unknown, order } => {
                let (p, values) = self.values.get(&unknown.index())?;
                values.get(order.checked_sub(*p)? as usize).copied()
            }
            _ => None,
        });
        replaced[0]
    }

    /// Computes the derivatives of $\varphi$ that `expr` needs. Every $\varphi$ is free of all jets that explicit
    /// equations define; so its total derivative contains them in order $p$ at most, and replacing them by their
    /// $\varphi$ makes it free again.
    fn prepare(&mut self, dag: &mut Dag, expr: Expr) {
        for (j, order) in highest_orders(dag, [expr]) {
            let Some((p, values)) = self.values.get(&j) else { continue };
            let (missing, mut last) = ((order + 1).saturating_sub(p + values.len() as u32), values[values.len() - 1]);
            for _ in 0..missing {
                let derivative = total_derivative(dag, last);
                last = self.replace(dag, derivative);
                if let Some((_, values)) = self.values.get_mut(&j) {
                    values.push(last);
                }
            }
        }
    }
}
