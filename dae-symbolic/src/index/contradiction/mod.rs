//! Contradictions, by elimination of all unknowns.
//!
//! In: a model of which it is not certain that it has a consistent point. Out: equations and derivatives of them that
//! contradict one another whatever the values are, with what remains when all unknowns are eliminated: $0 = c(t)$ with
//! $c(t_0) \ne 0$ or a derivative of $c$ that is not zero there.
//!
//! The rows of the derivative array are polynomials in the jets. A combination of them with polynomials as
//! coefficients, in which no unknown occurs, has to vanish along any solution, with all its derivatives (Ritt,
//! *Differential Algebra*, 1950, ch. I). The search for one is exact and bounded; if it finds nothing, nothing is
//! proved.
//!
//! | file | what |
//! |---|---|
//! | `polynomial.rs` | polynomials over the rational numbers |
//! | `ring.rs` | expressions as polynomials |
//! | `ideal.rs` | substitution, reduction, combinations of leading terms |

mod ideal;
mod polynomial;
mod ring;

use std::collections::BTreeSet;

use self::ideal::{Ideal, Member};
use self::ring::{Ring, evaluated};
use super::limits;
use super::problem::{self, Problem};
use crate::diagnostic::Diagnostics;
use crate::expr::interval::{Interval, evaluate_interval};
use crate::expr::{Dag, Expr, Node, Notation, Symbol, print, reachable, total_derivative};
use crate::model::Model;

/// The largest number of rows that are examined: a set of rows is kept as the bits of a number.
const ROWS: usize = u128::BITS as usize;

/// Looks for a contradiction with 0, 1, … differentiations, up to `most`.
pub(crate) fn contradiction(
    model: &mut Model,
    t0: f64,
    most: u32,
    limits: &limits::Contradiction,
) -> Option<(Problem, Diagnostics)> {
    let residuals: Vec<Expr> = model.equations.iter().map(|e| e.residual).collect();
    let mut rows = model.expand_inputs(&residuals);
    let count = rows.len();
    let mut lengths = [operands(&model.dag, &rows); 2];
    for order in 0..=most {
        if rows.is_empty() || rows.len() > ROWS {
            return None;
        }
        let all = without_new_poles(&model.dag, &rows, count);
        if let Some(mut found) = eliminate(model, &rows, all, limits.terms, t0, limits) {
            // A contradiction of fewer rows is more informative.
            for row in (0..rows.len()).rev() {
                let fewer = found.made_of & !(1 << row);
                if fewer != found.made_of {
                    found = eliminate(model, &rows, fewer, 2 * found.spent, t0, limits).unwrap_or(found);
                }
            }
            return Some(described(model, count, found));
        }
        // One more differentiation is taken to lengthen the rows by the same factor as the last one.
        if lengths[1] * lengths[1] / lengths[0].max(1) > limits.operands {
            return None;
        }
        let last = rows[order as usize * count..].to_vec();
        rows.extend(last.into_iter().map(|row| total_derivative(&mut model.dag, row)));
        lengths = [lengths[1], operands(&model.dag, &rows)];
    }
    None
}

/// The number of operands of all operations in some rows.
fn operands(dag: &Dag, rows: &[Expr]) -> usize {
    reachable(dag, rows.iter().copied()).into_iter().map(|e| dag.children(e).count()).sum()
}

/// The rows, as bits, whose denominators are among those of the first `count` rows, the text, or are never zero: where
/// the domain of a function ends, as that of the square root does at zero, derivatives have poles that solutions may
/// run along.
fn without_new_poles(dag: &Dag, rows: &[Expr], count: usize) -> u128 {
    let denominators = |row: Expr| {
        let products = evaluated(dag, &[row]).into_iter().filter_map(|e| match dag.node(e) {
            Node::Product(factors) => Some(factors),
            _ => None,
        });
        products.flatten().filter(|(_, n)| *n < 0).map(|&(base, _)| base).collect::<BTreeSet<Expr>>()
    };
    let written: BTreeSet<Expr> = rows[..count].iter().flat_map(|&row| denominators(row)).collect();
    let is_never_zero = |base: Expr| evaluate_interval(dag, &[base], |_| Interval::ENTIRE)[0].mignitude() > 0.0;
    let is_sound = |row: Expr| denominators(row).into_iter().all(|base| written.contains(&base) || is_never_zero(base));
    rows.iter().enumerate().filter(|&(_, &row)| is_sound(row)).fold(0, |sound, (k, _)| sound | 1 << k)
}

/// What remains of some rows when all unknowns are eliminated.
struct Consequence {
    value: Expr,
    /// The set of rows that it was made from, as bits.
    made_of: u128,
    spent: usize,
}

fn eliminate(
    model: &mut Model,
    rows: &[Expr],
    chosen: u128,
    budget: usize,
    t0: f64,
    limits: &limits::Contradiction,
) -> Option<Consequence> {
    let chosen: Vec<(usize, Expr)> = rows.iter().copied().enumerate().filter(|(k, _)| chosen & (1 << k) != 0).collect();
    let roots: Vec<Expr> = chosen.iter().map(|&(_, row)| row).collect();
    let ring = Ring::of(&model.dag, &roots);
    let mut left = budget;
    let polynomials = ring.polynomials(&model.dag, &roots, &mut left)?;
    let generators =
        polynomials.into_iter().zip(&chosen).map(|(polynomial, (k, _))| Member { polynomial, made_of: 1 << k });
    let identities =
        ring.identities(&model.dag, &mut left).into_iter().map(|polynomial| Member { polynomial, made_of: 0 });
    let mut left_over = None;
    let ideal = Ideal::new(generators.chain(identities).collect(), left, limits.terms_of_polynomial);
    let (found, left) = ideal.consequence(|polynomial| {
        let value = ring.expression(&mut model.dag, polynomial);
        left_over = value.filter(|&value| differs_from_zero(model, value, t0, limits));
        left_over.is_some()
    })?;
    Some(Consequence { value: left_over?, made_of: found.made_of, spent: budget - left })
}

/// Whether a function of time or one of its derivatives is certainly not zero at $t_0$, for the default parameters.
fn differs_from_zero(model: &mut Model, value: Expr, t0: f64, limits: &limits::Contradiction) -> bool {
    let mut derivative = model.with_default_parameters(&[value])[0];
    let nodes = model.dag.len();
    for _ in 0..=limits.derivatives_of_remainder {
        let enclosure = evaluate_interval(&model.dag, &[derivative], |symbol| match symbol {
            Symbol::Time => Interval::point(t0),
            Symbol::Parameter(_)
            | Symbol::Input { .. }
            | Symbol::Unknown { .. }
            | Symbol::State(_)
            | Symbol::StateDerivative(_) => Interval::ENTIRE,
        });
        if enclosure[0].mignitude() > 0.0 {
            return true;
        }
        // An expression without a value has no derivatives either.
        let is_bounded = enclosure[0].magnitude().is_finite();
        let is_long = model.dag.len() > nodes + limits.nodes_of_remainder;
        if !is_bounded || model.dag.is_time_invariant(derivative) || is_long {
            return false;
        }
        derivative = total_derivative(&mut model.dag, derivative);
    }
    false
}

fn described(model: &Model, count: usize, found: Consequence) -> (Problem, Diagnostics) {
    let rows = (0..u128::BITS as usize).filter(|row| found.made_of & (1 << row) != 0);
    let rows: Vec<(usize, u32)> = rows.map(|row| (row % count, (row / count) as u32)).collect();
    let spelled = print(&model.dag, found.value, Notation::Text, |symbol| model.symbol_name(symbol));
    let when =
        if model.dag.is_time_invariant(found.value) { "" } else { ", which does not hold on any interval of time" };
    let message = format!("eliminating all unknowns from them leaves 0 = {spelled}{when}");
    problem::contradictory(model, &rows, &message)
}
