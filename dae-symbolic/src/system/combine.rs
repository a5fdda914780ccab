//! Combining equations whose leading parts cancel.
//!
//! In: a system whose Jacobian is identically singular. Out: systems with one equation replaced by a combination in
//! which the highest derivatives cancel, by the linear combination method of Tan, Nedialkov and Pryce, *Conversion
//! methods for improving structural analysis of DAE systems* (BIT 57, 2017), eqs. (4.1)–(4.4): with a vector $u \ne 0$,
//! $u^\top J = 0$, and $\underline c = \min \{c_i : u_i \ne 0\}$,
//!
//! $$ \bar f = \sum_i u_i\, f_i^{(c_i - \underline c)} $$
//!
//! replaces an equation with $c_l = \underline c$, provided $u$ contains no $x_j^{(k)}$ with
//! $k \ge d_j - \underline c$. Then $\partial \bar f / \partial x_j^{(d_j - \underline c)} = (u^\top J)_j = 0$: the
//! combination does not depend on these derivatives, whatever its form, and they are removed by putting a number in
//! their place. Where $u_l \ne 0$, the old equation follows from the new one and the others: nothing is lost.
//!
//! The other method of that paper, expression substitution (Sect. 5), serves where every $u$ contains leading
//! derivatives, because equations are nonlinear in a common combination of them: $v$ with $J v = 0$ gives new unknowns
//! $y_j = x_j^{(d_j - \bar c)} - (v_j / v_l)\, x_l^{(d_l - \bar c)}$. It is not done here: it adds unknowns and
//! equations to the text, on whose states, start values and offsets all later stages rely, and it is not needed for the
//! index, which the derivative array decides without a rewrite. None of the systems from the literature in the tests
//! needs it: the modified pendulum, the flexible robot arm, the ring modulator and the transistor amplifier have a $u$
//! that serves. A model that does need it has only the original form, until its text gives the combination a name,
//! `s = q1 + q2` with `var s`, which is the same substitution by hand.

use std::collections::BTreeMap;

use super::null_vector::{NullVector, null_vectors};
use super::{Provenance, System, highest_orders};
use crate::expr::prime_field::FieldPoint;
use crate::expr::{Dag, Expr, Rational, Symbol, blended, derivatives, multiplied_out, substitute, total_derivative};
use crate::model::Model;
use crate::structure::Offsets;

/// An equation replaced by a combination.
#[derive(Clone, Debug, PartialEq)]
pub struct Combination {
    /// The number of the equation in the system.
    pub equation: usize,
    /// $u_l$, the factor of the equation: the replacement is equivalent where it is not zero. `None` if it is a number.
    pub pivot: Option<Expr>,
    /// The equation as it was.
    pub before: Expr,
    /// The combination.
    pub after: Expr,
}

/// The systems that result from replacing one equation by a combination, in order of preference: null vectors of
/// constants first. `nonzero` tells whether an expression is safely nonzero at the start of the model.
pub fn combine(
    model: &mut Model,
    system: &System,
    offsets: &Offsets,
    nonzero: impl Fn(&Model, Expr) -> bool,
) -> Vec<(System, Combination)> {
    let jacobian = system.jacobian(&mut model.dag, offsets);
    let found = null_vectors(model, system.equations.len(), &jacobian);
    found.into_iter().filter_map(|null| replaced(model, system, offsets, &null, &nonzero)).collect()
}

/// The system with one equation replaced, or `None` if the conditions of the method do not hold.
fn replaced(
    model: &mut Model,
    system: &System,
    offsets: &Offsets,
    null: &NullVector,
    nonzero: &impl Fn(&Model, Expr) -> bool,
) -> Option<(System, Combination)> {
    let c = |i: usize| offsets.equations[i];
    let lowest = null.iter().map(|&(i, _)| c(i)).min()?;
    let is_low = |order: u32, j: usize| order + lowest < offsets.unknowns[j];
    for &(_, u) in null {
        if !highest_orders(&model.dag, [u]).into_iter().all(|(j, order)| is_low(order, j)) {
            return None;
        }
    }
    // The best pivot is a number, and of several pivots that of the last equation, so that earlier ones stay unchanged.
    let candidates = || null.iter().rev().filter(|&&(i, _)| c(i) == lowest);
    let is_number = |u: Expr| model.dag.as_constant(u).is_some();
    let chosen = candidates().find(|&&(_, u)| is_number(u)).or_else(|| candidates().find(|&&(_, u)| nonzero(model, u)));
    let &(equation, pivot) = chosen?;
    let mut residual = Vec::new();
    let mut provenance: BTreeMap<(usize, u32), Expr> = BTreeMap::new();
    for &(i, u) in null {
        let times = c(i) - lowest;
        let derivative = derivatives(&mut model.dag, system.equations[i].residual, times).pop()?;
        residual.push((Rational::ONE, model.dag.mul(u, derivative)));
        accumulate(&mut model.dag, &mut provenance, &system.equations[i].provenance, u, times);
    }
    let combination = model.dag.sum(residual);
    let after = without_leading(model, combination, offsets, lowest)?;
    let after = simplified(&mut model.dag, after);
    let mut result = system.clone();
    let before = std::mem::replace(&mut result.equations[equation].residual, after);
    let terms = provenance.into_iter().filter(|(_, q)| !model.dag.is_zero(*q)).map(|((k, order), q)| (q, k, order));
    result.equations[equation].provenance = Provenance::combination(model, terms.collect());
    let pivot = model.dag.as_constant(pivot).is_none().then_some(pivot);
    Some((result, Combination { equation, pivot, before, after }))
}

/// The expression multiplied out if unknowns or their highest derivatives cancel then, otherwise the expression itself.
fn simplified(dag: &mut Dag, e: Expr) -> Expr {
    let jets = |dag: &Dag, e: Expr| highest_orders(dag, [e]).into_iter().map(|(_, order)| order + 1).sum::<u32>();
    let before = jets(dag, e);
    multiplied_out(dag, e).filter(|&other| jets(dag, other) < before).unwrap_or(e)
}

/// Adds $u\, \mathrm d^r / \mathrm d t^r$ of a combination of the text, by Leibniz' rule.
fn accumulate(dag: &mut Dag, sum: &mut BTreeMap<(usize, u32), Expr>, of: &Provenance, u: Expr, r: u32) {
    for &(q, k, order) in &of.terms {
        let (mut coefficient, mut binomial) = (q, 1_i64);
        // The equation of the text is differentiated ever fewer times, the coefficient ever more.
        for taken in 0..=r {
            let term = dag.mul(u, coefficient);
            let entry = sum.get(&(k, order + r - taken)).copied();
            let terms = entry.map(|e| (Rational::ONE, e)).into_iter().chain([(Rational::from(binomial), term)]);
            let total = dag.sum(terms.collect::<Vec<_>>());
            sum.insert((k, order + r - taken), total);
            coefficient = total_derivative(dag, coefficient);
            binomial = binomial * i64::from(r - taken) / i64::from(taken + 1);
        }
    }
}

/// The combination with its leading derivatives struck out; `None` if it depends on them after all.
fn without_leading(model: &mut Model, combination: Expr, offsets: &Offsets, lowest: u32) -> Option<Expr> {
    let is_leading = |symbol: Symbol| match symbol {
        Symbol::Unknown { unknown, order } => order + lowest == offsets.unknowns[unknown.index()],
        Symbol::Time | Symbol::Parameter(_) | Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => {
            false
        }
    };
    if !highest_orders(&model.dag, [combination]).into_iter().any(|(j, order)| order + lowest >= offsets.unknowns[j]) {
        return Some(combination);
    }
    // A combination that does not depend on them has the same value at any number, but zero may be a pole.
    (0..3).find_map(|number| {
        let number = model.dag.integer(number);
        let struck = substitute(&mut model.dag, &[combination], |_, s| is_leading(s).then_some(number))[0];
        let difference = model.dag.sub(combination, struck);
        // Terms that cancel on one branch of a piecewise function need not cancel on another, which the solution or
        // other parameters may reach.
        let expanded = model.expand_inputs(&[difference]);
        let blended = blended(&mut model.dag, &expanded);
        let start = crate::defaults::start_point(model);
        let vanishes = |seed| {
            let point = FieldPoint::new(seed).with_start(start.iter().copied());
            point.evaluate(&model.dag, &blended).is_ok_and(|found| found.values == [0])
        };
        (0..2).all(vanishes).then_some(struck)
    })
}
