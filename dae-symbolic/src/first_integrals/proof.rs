//! Proofs that an expression vanishes on all solutions.
//!
//! In: an expression $e$ in jets, and equations $r_i = 0$ that hold on solutions. Out: what the proof divides by, if one is
//! found. All steps are exact; whether what is left is zero is decided by a normal form
//! ([`vanishes`]).
//!
//! 1. Where $e$ is linear in derivatives $w_j'$ that equations of the text determine together, $w_i$ times the $i$-th of
//!    these equations is subtracted if that leaves none of them: a power is a velocity times a force.
//! 2. The coefficients of multipliers and highest derivatives, and what is left without them, have to vanish each. From
//!    each, multiples $c\, r_i$ without denominators are subtracted that make it free of a jet in which both are linear:
//!    the power $\lambda\, g_q q'$ of a constraint is $\lambda$ times a hidden constraint.
//! 3. Otherwise equations are solved for jets in which they are linear, highest derivatives first, and what they give is
//!    substituted. A coefficient $b$ that is divided by is one of the results. On a
//!    solution, all functions being analytic there, $b$ is zero throughout or at isolated times only; in the second case
//!    $e$, which is continuous, is zero at these times too. The proofs of the other steps have no exceptions.

use std::cmp::Reverse;

use crate::expr::interval::{Interval, evaluate_interval};
use crate::expr::{Dag, Expr, Node, Symbol, differentiate, has_symbol, reachable, substitute, symbols, vanishes};

/// Expressions with more operations than this are not examined.
const LONGEST: usize = 4_000;

/// What equations give for some jets makes at most this many new expressions.
const MOST: usize = 60_000;

/// Finds a proof that `rate` vanishes where all `rows` do; `order` ranks jets, the highest derivatives first, and
/// `is_nonzero` says whether a coefficient is known not to vanish at some state.
pub(super) fn vanishes_on_solutions(
    dag: &mut Dag,
    rate: Expr,
    rows: &[Row],
    order: impl Fn(Symbol) -> i64,
    is_nonzero: impl Fn(&mut Dag, Expr) -> bool,
) -> Option<Vec<Expr>> {
    let all: Vec<Expr> = rows.iter().map(|row| row.value).collect();
    if reachable(dag, all.iter().copied().chain([rate])).len() > LONGEST {
        return None;
    }
    let is_proved = |dag: &mut Dag, rate: Expr| vanishes(dag, rate) || part_by_part(dag, rate, &all, &order);
    if is_proved(dag, rate) {
        return Some(Vec::new());
    }
    if let Some(rest) = less_powers(dag, rate, rows, &order)
        && is_proved(dag, rest)
    {
        return Some(Vec::new());
    }
    by_substitution(dag, rate, &all, &order, is_nonzero)
}

/// An equation $r = 0$.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// $r$.
    pub(super) value: Expr,
    /// Whether it is an equation of the text, and not the derivative of one.
    pub(super) is_written: bool,
}

/// The jets in an expression, the highest derivatives first.
fn jets(dag: &Dag, expr: Expr, order: &impl Fn(Symbol) -> i64) -> Vec<Symbol> {
    let mut jets = symbols(dag, [expr]);
    jets.retain(|symbol| matches!(symbol, Symbol::Unknown { .. }));
    jets.sort_by_key(|&symbol| Reverse(order(symbol)));
    jets
}

/// $(a, e_0)$ with $e = a s + e_0$ and $a$, $e_0$ free of $s$; `None` if $e$ is not linear in $s$.
fn linear(dag: &mut Dag, expr: Expr, symbol: Symbol) -> Option<(Expr, Expr)> {
    let factor = differentiate(dag, expr, symbol);
    if dag.is_zero(factor) || has_symbol(dag, factor, |it| it == symbol) {
        return None;
    }
    let rest = substitute(dag, &[expr], |dag, it| (it == symbol).then(|| dag.integer(0)))[0];
    Some((factor, rest))
}

/// Step 1: the expression less equations times velocities; `None` if that leaves one of the derivatives.
fn less_powers(dag: &mut Dag, rate: Expr, rows: &[Row], order: &impl Fn(Symbol) -> i64) -> Option<Expr> {
    let is_rate = |&symbol: &Symbol| order(symbol) == 0 && matches!(symbol, Symbol::Unknown { order: 1.., .. });
    let mut rates: Vec<Symbol> = jets(dag, rate, order).into_iter().filter(is_rate).collect();
    rates.sort_unstable();
    let has_rate = |dag: &Dag, row: Expr| has_symbol(dag, row, |symbol| rates.contains(&symbol));
    let chosen: Vec<Expr> = rows.iter().filter(|row| row.is_written).map(|row| row.value).collect();
    let chosen: Vec<Expr> = chosen.into_iter().filter(|&row| has_rate(dag, row)).collect();
    if rates.is_empty() || rates.len() != chosen.len() {
        return None;
    }
    let mut rest = rate;
    for (&symbol, &row) in rates.iter().zip(&chosen) {
        let Symbol::Unknown { unknown, order } = symbol else { return None };
        let velocity = dag.symbol(Symbol::Unknown { unknown, order: order - 1 });
        let power = dag.mul(velocity, row);
        rest = dag.sub(rest, power);
    }
    for &symbol in &rates {
        let factor = differentiate(dag, rest, symbol);
        if !vanishes(dag, factor) {
            return None;
        }
    }
    // Free of them, whatever they are.
    Some(substitute(dag, &[rest], |dag, symbol| rates.contains(&symbol).then(|| dag.integer(0)))[0])
}

/// Step 2.
fn part_by_part(dag: &mut Dag, rate: Expr, rows: &[Expr], order: &impl Fn(Symbol) -> i64) -> bool {
    let (mut parts, mut rest) = (Vec::new(), rate);
    let highest: Vec<Symbol> = jets(dag, rate, order).into_iter().filter(|&symbol| order(symbol) >= 0).collect();
    for symbol in highest {
        let Some((factor, without)) = linear(dag, rest, symbol) else { return false };
        parts.push(factor);
        rest = without;
    }
    parts.push(rest);
    parts.into_iter().all(|part| vanishes(dag, part) || by_multiples(dag, part, rows, order))
}

/// The second half of step 2.
fn by_multiples(dag: &mut Dag, mut rate: Expr, rows: &[Expr], order: &impl Fn(Symbol) -> i64) -> bool {
    let mut open: Vec<Expr> = rows.to_vec();
    while let Some((used, rest)) = reduced_once(dag, rate, &open, order) {
        rate = rest;
        if vanishes(dag, rate) {
            return true;
        }
        open.remove(used);
    }
    false
}

/// The expression less a multiple of a row, and the row, such that it contains one jet less.
fn reduced_once(dag: &mut Dag, rate: Expr, rows: &[Expr], order: &impl Fn(Symbol) -> i64) -> Option<(usize, Expr)> {
    for symbol in jets(dag, rate, order) {
        let Some((a, rest)) = linear(dag, rate, symbol) else { continue };
        for (k, &row) in rows.iter().enumerate() {
            let Some((b, rest_of_row)) = linear(dag, row, symbol) else { continue };
            let Some(multiplier) = quotient(dag, a, b) else { continue };
            let product = dag.mul(multiplier, rest_of_row);
            return Some((k, dag.sub(rest, product)));
        }
    }
    None
}

/// $a/b$, if that divides by nothing that changes.
fn quotient(dag: &mut Dag, a: Expr, b: Expr) -> Option<Expr> {
    let ratio = dag.content(a).mul(&dag.content(b).recip()?);
    let (a, b) = (dag.primitive_part(a), dag.primitive_part(b));
    let quotient = dag.div(a, b);
    (!has_denominators(dag, quotient)).then(|| dag.scale(ratio, quotient))
}

/// Whether an expression certainly has no zero.
fn is_never_zero(dag: &Dag, expr: Expr) -> bool {
    let any = Interval::new(-f64::MAX, f64::MAX).unwrap_or(Interval::ENTIRE);
    dag.is_time_invariant(expr) || evaluate_interval(dag, &[expr], |_| any)[0].mignitude() > 0.0
}

/// Whether an expression divides by something that changes.
fn has_denominators(dag: &Dag, expr: Expr) -> bool {
    let divides = |expr: &Expr| match dag.node(*expr) {
        Node::Product(factors) => factors.iter().any(|&(base, n)| n < 0 && !dag.is_time_invariant(base)),
        _ => false,
    };
    reachable(dag, [expr]).iter().any(divides)
}

/// Step 3.
fn by_substitution(
    dag: &mut Dag,
    mut rate: Expr,
    rows: &[Expr],
    order: &impl Fn(Symbol) -> i64,
    is_nonzero: impl Fn(&mut Dag, Expr) -> bool,
) -> Option<Vec<Expr>> {
    let most = dag.len() + MOST;
    let mut open: Vec<Expr> = rows.to_vec();
    let mut divisors = Vec::new();
    while dag.len() < most {
        let (symbol, k, b, rest) = solvable(dag, rate, &open, order, &is_nonzero)?;
        open.remove(k);
        if !is_never_zero(dag, b) {
            divisors.push(b);
        }
        let quotient = dag.div(rest, b);
        let value = dag.neg(quotient);
        let roots: Vec<Expr> = open.iter().copied().chain([rate]).collect();
        let mut roots = substitute(dag, &roots, |_, it| (it == symbol).then_some(value));
        rate = roots.pop()?;
        open = roots;
        if vanishes(dag, rate) {
            return Some(divisors);
        }
    }
    None
}

/// A jet in the expression, and the row that is to be solved for it, with its coefficient and the rest of the row.
fn solvable(
    dag: &mut Dag,
    rate: Expr,
    rows: &[Expr],
    order: &impl Fn(Symbol) -> i64,
    is_nonzero: &impl Fn(&mut Dag, Expr) -> bool,
) -> Option<(Symbol, usize, Expr, Expr)> {
    for symbol in jets(dag, rate, order) {
        let mut best: Option<(bool, usize, Expr, Expr)> = None;
        for (k, &row) in rows.iter().enumerate() {
            let Some((b, rest)) = linear(dag, row, symbol) else { continue };
            let varies = !is_never_zero(dag, b);
            // A row with a higher derivative is kept for that one.
            let is_highest = jets(dag, row, order).first().is_some_and(|&first| order(first) <= order(symbol));
            if is_highest && best.as_ref().is_none_or(|(other, ..)| *other && !varies) && is_nonzero(dag, b) {
                best = Some((varies, k, b, rest));
            }
        }
        if let Some((_, k, b, rest)) = best {
            return Some((symbol, k, b, rest));
        }
    }
    None
}
