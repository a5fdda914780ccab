//! Proofs that an expression vanishes identically.
//!
//! In: an expression. Out: whether it is proved to be zero. The canonical form multiplies nothing out, so that equal
//! expressions may have different numbers; here they are brought to a normal form:
//!
//! 1. $\sin$ and $\cos$ of sums and of multiples become polynomials in the sines and cosines of the single terms
//!    (addition theorems);
//! 2. products are multiplied out, and denominators that are sums or cosines are cleared, until all bases are symbols,
//!    numbers and functions; $\sqrt a$ is left at most to the first power, the rest being powers of $a$;
//! 3. $\cos^2 u = 1 - \sin^2 u$ leaves at most the first power of a cosine.
//!
//! If the normal form is zero, the expression is zero wherever it is defined. Otherwise nothing is proved: functions
//! other than sine, cosine and square root are taken as they are, and expressions beyond the budget are not multiplied out.

use std::collections::{BTreeMap, BTreeSet};

use super::dag::ExprMap;
use super::prime_field::expand::{Monomial, Polynomial, expand, times};
use super::{Dag, Expr, Function, Node, Rational, reachable};

/// Sines and cosines of higher multiples of an angle are not expanded.
const MAX_MULTIPLE: i64 = 12;
/// The number of terms beyond which expressions are not multiplied out.
const MAX_TERMS: usize = 200_000;
/// Rounds of multiplying out: one for every level of sums in denominators, and a few for products that the expansion
/// did not multiply out.
const MAX_ROUNDS: usize = 24;

/// Whether the expression is proved to be zero wherever it is defined.
pub fn vanishes(dag: &mut Dag, expr: Expr) -> bool {
    if dag.is_zero(expr) {
        return true;
    }
    let expr = separate_angles(dag, expr);
    let mut polynomial = Polynomial::from([(vec![(expr, 1)], Rational::ONE)]);
    for _ in 0..MAX_ROUNDS {
        let Some(next) = multiply_out(dag, &polynomial) else { return false };
        if next == polynomial {
            break;
        }
        polynomial = next;
    }
    reduce_cosines(dag, polynomial).is_some_and(|rest| rest.is_empty())
}

/// The expression with sines and cosines of sums replaced by polynomials in the sines and cosines of their terms.
fn separate_angles(dag: &mut Dag, root: Expr) -> Expr {
    let order = reachable(dag, [root]);
    let is_angle = |function| matches!(function, Function::Sin | Function::Cos);
    let angles: Vec<(Expr, Function, Expr)> = order
        .into_iter()
        .filter_map(|expr| match dag.node(expr) {
            Node::Apply(function, arguments) if is_angle(*function) => Some((expr, *function, arguments[0])),
            _ => None,
        })
        .collect();
    let arguments: Vec<Expr> = angles.iter().map(|&(.., argument)| argument).collect();
    let expanded = expand(dag, &arguments);
    let mut denominators: BTreeMap<&Monomial, i64> = BTreeMap::new();
    for (monomial, q) in expanded.values().flat_map(|terms| terms.iter()) {
        let common = denominators.entry(monomial).or_insert(1);
        // With so large a denominator the multiples are too high to be expanded anyway.
        *common = i64::try_from(q.denominator()).map_or(i64::MAX, |d| lcm(*common, d).unwrap_or(i64::MAX));
    }
    let mut separated: ExprMap<Expr> = ExprMap::default();
    for (expr, function, argument) in angles {
        let Some((sine, cosine)) = of_sum(dag, &expanded[&argument], &denominators) else { continue };
        separated.insert(expr, if function == Function::Sin { sine } else { cosine });
    }
    replace(dag, root, &separated)
}

fn lcm(a: i64, b: i64) -> Option<i64> {
    a.checked_mul(b / num_integer::gcd(a, b))
}

/// The expression with nodes replaced; nothing is replaced inside the replacements.
fn replace(dag: &mut Dag, root: Expr, by: &ExprMap<Expr>) -> Expr {
    let mut image: ExprMap<Expr> = ExprMap::default();
    for expr in reachable(dag, [root]) {
        let of = |e: &Expr| image[e];
        let new = match (by.get(&expr), dag.node(expr).clone()) {
            (Some(new), _) => *new,
            (None, Node::Constant(_) | Node::Pi | Node::Euler | Node::Symbol(_)) => expr,
            (None, Node::Sum { constant, terms }) => {
                let mut terms: Vec<(Rational, Expr)> = terms.iter().map(|(q, t)| (q.clone(), of(t))).collect();
                terms.push((Rational::ONE, dag.constant(constant)));
                dag.sum(terms)
            }
            (None, Node::Product(factors)) => {
                let factors: Vec<(Expr, i32)> = factors.iter().map(|(b, n)| (of(b), *n)).collect();
                dag.product(factors)
            }
            (None, Node::Call(call, arguments)) => {
                let arguments: Vec<Expr> = arguments.iter().map(of).collect();
                dag.call(call, &arguments)
            }
            (None, Node::Apply(function, arguments)) => {
                let arguments: Vec<Expr> = arguments.iter().map(of).collect();
                dag.apply(function, &arguments)
            }
        };
        image.insert(expr, new);
    }
    image[&root]
}

/// Sine and cosine of a sum of multiples of the units $m/d$; `None` if a multiple is too high.
fn of_sum(dag: &mut Dag, terms: &Polynomial, denominators: &BTreeMap<&Monomial, i64>) -> Option<(Expr, Expr)> {
    let mut value = (dag.integer(0), dag.integer(1));
    for (monomial, q) in terms {
        let (n, unit) = multiple(dag, monomial, q, *denominators.get(monomial)?)?;
        let single = (dag.apply(Function::Sin, &[unit]), dag.apply(Function::Cos, &[unit]));
        for _ in 0..n.abs() {
            let signed = if n < 0 { (dag.neg(single.0), single.1) } else { single };
            value = added(dag, value, signed);
        }
    }
    Some(value)
}

/// $q m$ as $n$ times the unit $m/d$: $n$ and the unit; `None` if $n$ is too high.
fn multiple(dag: &mut Dag, monomial: &Monomial, q: &Rational, denominator: i64) -> Option<(i64, Expr)> {
    let factors: Option<Vec<(Expr, i32)>> =
        monomial.iter().map(|&(base, n)| Some((base, i32::try_from(n).ok()?))).collect();
    let unit = dag.product(factors?);
    let n = q.mul(&Rational::from(denominator)).to_integer().filter(|n| n.abs() <= MAX_MULTIPLE)?;
    Some((n, dag.scale(Rational::new(1, denominator)?, unit)))
}

/// Sine and cosine of $a + b$ from those of $a$ and $b$.
fn added(dag: &mut Dag, (sin_a, cos_a): (Expr, Expr), (sin_b, cos_b): (Expr, Expr)) -> (Expr, Expr) {
    let (sc, cs) = (dag.mul(sin_a, cos_b), dag.mul(cos_a, sin_b));
    let (cc, ss) = (dag.mul(cos_a, cos_b), dag.mul(sin_a, sin_b));
    (dag.add(sc, cs), dag.sub(cc, ss))
}

/// One round: denominators that can be cleared are cleared, sums and products multiplied out. `None` if that becomes
/// too long.
fn multiply_out(dag: &Dag, polynomial: &Polynomial) -> Option<Polynomial> {
    let bases: BTreeSet<Expr> = polynomial.keys().flatten().map(|&(base, _)| base).collect();
    let bases: Vec<Expr> = bases.into_iter().collect();
    let expansions = expand(dag, &bases);
    let lowest = lowest_powers(dag, polynomial);
    let mut result = Polynomial::new();
    for (monomial, q) in polynomial {
        let mut powers: BTreeMap<Expr, i64> = lowest.iter().map(|(&base, &n)| (base, -n)).collect();
        monomial.iter().for_each(|&(base, n)| *powers.entry(base).or_insert(0) += n);
        let mut product = Polynomial::from([(Monomial::new(), q.clone())]);
        for (&base, &n) in &powers {
            let compound = matches!(dag.node(base), Node::Sum { .. } | Node::Product(_));
            let (factor, repeat) = match expansions.get(&base) {
                Some(expansion) if compound => (expansion.as_ref().clone(), n),
                _ => (power_of(dag, base, n), i64::from(n != 0)),
            };
            for _ in 0..repeat {
                product = times(&product, &factor);
                if product.len() > MAX_TERMS {
                    return None;
                }
            }
        }
        for (monomial, q) in product {
            add(&mut result, monomial, &q);
        }
        if result.len() > MAX_TERMS {
            return None;
        }
    }
    Some(result)
}

fn power(base: Expr, n: i64) -> Polynomial {
    Polynomial::from([(vec![(base, n)], Rational::ONE)])
}

/// The power of a base that is not multiplied out; that of a square root has the root itself at most once as a factor.
fn power_of(dag: &Dag, base: Expr, n: i64) -> Polynomial {
    let Node::Apply(Function::Sqrt, arguments) = dag.node(base) else { return power(base, n) };
    let mut factors = vec![(arguments[0], n.div_euclid(2)), (base, n.rem_euclid(2))];
    factors.retain(|&(_, n)| n != 0);
    factors.sort_unstable();
    Polynomial::from([(factors, Rational::ONE)])
}

/// The most negative power of every sum, product and cosine that has one.
fn lowest_powers(dag: &Dag, polynomial: &Polynomial) -> BTreeMap<Expr, i64> {
    let mut lowest = BTreeMap::new();
    for &(base, n) in polynomial.keys().flatten().filter(|(_, n)| *n < 0) {
        let clears = match dag.node(base) {
            Node::Sum { .. } | Node::Product(_) | Node::Apply(Function::Cos, _) => true,
            Node::Constant(_) | Node::Pi | Node::Euler | Node::Symbol(_) | Node::Apply(..) | Node::Call(..) => false,
        };
        if clears {
            let least = lowest.entry(base).or_insert(0);
            *least = n.min(*least);
        }
    }
    lowest
}

fn add(polynomial: &mut Polynomial, monomial: Monomial, q: &Rational) {
    let total = polynomial.get(&monomial).map_or_else(|| q.clone(), |old| old.add(q));
    if total.is_zero() {
        polynomial.remove(&monomial);
    } else {
        polynomial.insert(monomial, total);
    }
}

/// Applies $\cos^n u = \cos^{n-2} u\,(1 - \sin^2 u)$ as long as there is a power $n \ge 2$; `None` if that becomes too
/// long.
fn reduce_cosines(dag: &mut Dag, polynomial: Polynomial) -> Option<Polynomial> {
    let mut reduced = Polynomial::new();
    let mut open = polynomial;
    while let Some((monomial, q)) = open.pop_first() {
        let square = monomial.iter().enumerate().find_map(|(k, &(base, n))| match dag.node(base) {
            Node::Apply(Function::Cos, arguments) if n >= 2 => Some((k, arguments[0])),
            _ => None,
        });
        let Some((k, angle)) = square else {
            add(&mut reduced, monomial, &q);
            continue;
        };
        let sine = dag.apply(Function::Sin, &[angle]);
        let mut rest = monomial;
        rest[k].1 -= 2;
        rest.retain(|&(_, n)| n != 0);
        let rest = Polynomial::from([(rest, q)]);
        for (monomial, q) in times(&rest, &power(sine, 2)) {
            add(&mut open, monomial, &q.neg());
        }
        for (monomial, q) in rest {
            add(&mut open, monomial, &q);
        }
        if open.len() + reduced.len() > MAX_TERMS {
            return None;
        }
    }
    Some(reduced)
}

/// The expression in another DAG; `None` if a symbol has no counterpart there.
pub fn transfer(
    from: &Dag,
    root: Expr,
    to: &mut Dag,
    counterpart: impl Fn(super::Symbol) -> Option<super::Symbol>,
) -> Option<Expr> {
    let mut image: ExprMap<Expr> = ExprMap::default();
    for expr in reachable(from, [root]) {
        let of = |e: &Expr| image[e];
        let new = match from.node(expr) {
            Node::Constant(q) => to.constant(q.clone()),
            Node::Pi => to.pi(),
            Node::Euler => to.euler(),
            Node::Symbol(symbol) => to.symbol(counterpart(*symbol)?),
            Node::Sum { constant, terms } => {
                let mut terms: Vec<(Rational, Expr)> = terms.iter().map(|(q, t)| (q.clone(), of(t))).collect();
                terms.push((Rational::ONE, to.constant(constant.clone())));
                to.sum(terms)
            }
            Node::Product(factors) => {
                let factors: Vec<(Expr, i32)> = factors.iter().map(|(b, n)| (of(b), *n)).collect();
                to.product(factors)
            }
            Node::Call(call, arguments) => {
                let arguments: Vec<Expr> = arguments.iter().map(of).collect();
                to.call(call.clone(), &arguments)
            }
            Node::Apply(function, arguments) => {
                let arguments: Vec<Expr> = arguments.iter().map(of).collect();
                to.apply(*function, &arguments)
            }
        };
        image.insert(expr, new);
    }
    image.get(&root).copied()
}
