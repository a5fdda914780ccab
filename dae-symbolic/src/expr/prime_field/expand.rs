//! Expansion into monomials.
//!
//! In: expressions. Out: each as $\sum_k q_k m_k$ with rational $q_k$ and distinct Laurent monomials
//! $m_k = \prod_j b_j^{n_j}$. Products and low powers of sums are multiplied out; reciprocals of sums, and what would
//! become too long or is beyond the budget, are bases like symbols and functions. The expansion is always exact.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::dag::{ExprMap, ExprSet};
use super::super::{Dag, Expr, Node, Rational};

/// $\prod_j b_j^{n_j}$, ascending by base; empty for 1.
pub(in crate::expr) type Monomial = Vec<(Expr, i64)>;

/// $\sum_k q_k m_k$, coefficients nonzero.
pub(in crate::expr) type Polynomial = BTreeMap<Monomial, Rational>;

/// Products of sums that might have more terms than this are not multiplied out.
const MAX_TERMS: usize = 64;
/// Higher powers of sums are not multiplied out.
const MAX_POWER: i32 = 4;
/// The number of terms made, over all expressions, after which everything stays a base.
const BUDGET: usize = 300_000;

/// The expansions of the given expressions.
pub(in crate::expr) fn expand(dag: &Dag, wanted: &[Expr]) -> ExprMap<Rc<Polynomial>> {
    let mut expanded: ExprMap<Rc<Polynomial>> = ExprMap::default();
    let mut spent = 0;
    for expr in arithmetic_nodes(dag, wanted) {
        let polynomial = match dag.node(expr) {
            _ if spent > BUDGET => base(expr),
            Node::Constant(q) => constant(q),
            Node::Sum { constant: c, terms } => {
                let mut sum = constant(c);
                for (q, t) in terms {
                    spent += expanded[t].len();
                    accumulate(&mut sum, &expanded[t], q, &[]);
                }
                sum
            }
            Node::Product(factors) => {
                let mut product = constant(&Rational::ONE);
                for &(b, n) in factors {
                    product = times_power(&product, b, n, &expanded[&b]);
                    spent += product.len();
                }
                product
            }
            Node::Pi | Node::Euler | Node::Symbol(_) | Node::Apply(..) | Node::Call(..) => base(expr),
        };
        expanded.insert(expr, Rc::new(polynomial));
    }
    wanted.iter().map(|expr| (*expr, expanded[expr].clone())).collect()
}

/// A polynomial times a number as an expression; `None` if an exponent is too large.
pub(in crate::expr) fn expression(dag: &mut Dag, polynomial: &Polynomial, scale: &Rational) -> Option<Expr> {
    let mut terms = Vec::with_capacity(polynomial.len());
    for (monomial, q) in polynomial {
        let factors = monomial.iter().map(|&(base, n)| Some((base, i32::try_from(n).ok()?)));
        let factors = factors.collect::<Option<Vec<(Expr, i32)>>>()?;
        terms.push((q.mul(scale), dag.product(factors)));
    }
    Some(dag.sum(terms))
}

/// The expression multiplied out, so that terms cancel where they can; `None` if an exponent becomes too large.
pub(crate) fn multiplied_out(dag: &mut Dag, e: Expr) -> Option<Expr> {
    let expanded = expand(dag, &[e]);
    expression(dag, &expanded[&e], &Rational::ONE)
}

/// The nodes reached through sums and products only, children first.
fn arithmetic_nodes(dag: &Dag, wanted: &[Expr]) -> Vec<Expr> {
    let mut stack = wanted.to_vec();
    let mut found = ExprSet::default();
    while let Some(expr) = stack.pop() {
        if found.insert(expr) && matches!(dag.node(expr), Node::Sum { .. } | Node::Product(_)) {
            stack.extend(dag.children(expr));
        }
    }
    let mut order: Vec<Expr> = found.into_iter().collect();
    order.sort_unstable();
    order
}

fn base(expr: Expr) -> Polynomial {
    Polynomial::from([(vec![(expr, 1)], Rational::ONE)])
}

fn constant(q: &Rational) -> Polynomial {
    if q.is_zero() { Polynomial::new() } else { Polynomial::from([(Vec::new(), q.clone())]) }
}

/// `sum += q · polynomial · monomial`.
fn accumulate(sum: &mut Polynomial, polynomial: &Polynomial, q: &Rational, monomial: &[(Expr, i64)]) {
    for (m, r) in polynomial {
        let key = merged(m, monomial);
        let total = sum.get(&key).map_or_else(|| q.mul(r), |old| old.add(&q.mul(r)));
        if total.is_zero() {
            sum.remove(&key);
        } else {
            sum.insert(key, total);
        }
    }
}

/// The product of two monomials.
fn merged(a: &[(Expr, i64)], b: &[(Expr, i64)]) -> Monomial {
    let mut product: Monomial = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut k) = (0, 0);
    while i < a.len() || k < b.len() {
        let from_a = k == b.len() || (i < a.len() && a[i].0 <= b[k].0);
        let (base, n) = if from_a { a[i] } else { b[k] };
        if from_a {
            i += 1;
        } else {
            k += 1;
        }
        match product.last_mut() {
            Some(last) if last.0 == base => last.1 += n,
            _ => product.push((base, n)),
        }
    }
    product.retain(|&(_, n)| n != 0);
    product
}

/// `product · b^n`, where `factor` is the expansion of `b`.
fn times_power(product: &Polynomial, b: Expr, n: i32, factor: &Polynomial) -> Polynomial {
    let whole = |product: &Polynomial| {
        let mut scaled = Polynomial::new();
        accumulate(&mut scaled, product, &Rational::ONE, &[(b, i64::from(n))]);
        scaled
    };
    if factor.len() == 1 {
        if let Some((monomial, q)) = factor.first_key_value() {
            let power = monomial.iter().map(|&(b, m)| Some((b, bounded(m, n)?))).collect::<Option<Monomial>>();
            if let (Some(power), Some(q)) = (power, q.powi(n)) {
                let mut scaled = Polynomial::new();
                accumulate(&mut scaled, product, &q, &power);
                return scaled;
            }
        }
        return whole(product);
    }
    let growth = factor.len().saturating_pow(n.unsigned_abs().min(MAX_POWER as u32 + 1));
    if !(1..=MAX_POWER).contains(&n) || product.len().saturating_mul(growth) > MAX_TERMS {
        return whole(product);
    }
    (0..n).fold(product.clone(), |product, _| times(&product, factor))
}

/// $mn$; `None` if it is so large that sums of such exponents might overflow.
fn bounded(m: i64, n: i32) -> Option<i64> {
    const MAX_EXPONENT: u64 = 1 << 40;
    m.checked_mul(i64::from(n)).filter(|power| power.unsigned_abs() <= MAX_EXPONENT)
}

/// The product of two polynomials.
pub(in crate::expr) fn times(a: &Polynomial, b: &Polynomial) -> Polynomial {
    let mut product = Polynomial::new();
    for (monomial, q) in a {
        accumulate(&mut product, b, q, monomial);
    }
    product
}
