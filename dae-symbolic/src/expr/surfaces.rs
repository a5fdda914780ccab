//! Switching surfaces, and the smoothness of expressions across them.
//!
//! In: expressions. Out: the functions $\sigma$ in whose zeros piecewise functions change their branch, each once
//! however often and with whatever sign and factor it is written; and the lowest derivative that jumps there.
//!
//! On one side of the surface the expression is $f_+$, on the other $f_-$, both smooth across it. Let $\sigma$ be
//! linear in a variable $x$, so that $x = x^\ast$ on the surface. The derivatives of $f$ along any curve that crosses
//! it are continuous up to order $m - 1$, and not up to $m$, where
//!
//! $$ m = \min \{\, k : \partial^k (f_+ - f_-) / \partial x^k \neq 0 \text{ at } x = x^\ast \,\}, $$
//!
//! because $f_+ - f_- = (x - x^\ast)^m\, e$ with $e \ne 0$ on the surface: $m = 0$ is a jump, $m = 1$ a kink. If
//! $\sigma$ is linear in no variable, a term of it takes the place of $x$ (in $\sqrt{x^2 + y^2} - 1$ the root); then
//! $m$ is a lower bound. Whether a derivative vanishes on the surface is decided by its canonical form or by residues
//! in the prime field; if it contains other piecewise functions, on all of their branches, where functions with the
//! same switch are on the same side of it.

use std::collections::HashMap;

use super::interval::{Interval, evaluate_interval};
use super::prime_field::FieldPoint;
use super::substitute::rebuild;
use super::{Dag, Expr, Function, Node, ParameterId, Symbol};
use super::{differentiate, gradient, reachable, substitute, symbols};

/// The number of points of the prime field at which an expression has to vanish to count as zero.
const POINTS: u64 = 2;
/// An expression with more surfaces than this is not examined on all of their sides.
const MAX_SURFACES: usize = 6;

/// Stands for a term of $\sigma$; no expression of a model contains it.
const AUXILIARY: Symbol = Symbol::State(u32::MAX);

/// A switching surface $\sigma = 0$.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// $\sigma$.
    pub function: Expr,
    /// The piecewise functions that change their branch there.
    pub nodes: Vec<Expr>,
}

/// A side of a surface, or the surface itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// $\sigma > 0$.
    Positive,
    /// $\sigma < 0$.
    Negative,
    /// $\sigma = 0$.
    Zero,
}

impl Side {
    /// The sign of $\sigma$.
    pub(crate) fn sign(self) -> i32 {
        match self {
            Side::Positive => 1,
            Side::Negative => -1,
            Side::Zero => 0,
        }
    }

    /// The side on which $-\sigma$ is.
    fn opposite(self) -> Side {
        match self {
            Side::Positive => Side::Negative,
            Side::Negative => Side::Positive,
            Side::Zero => Side::Zero,
        }
    }
}

/// The surfaces of the expressions, in the order in which their first piecewise functions were built. Those that
/// nothing can cross are left out: $\sigma$ is made of parameters, or is bounded away from zero as $2 + x^2$ is.
pub fn surfaces(dag: &mut Dag, roots: &[Expr]) -> Vec<Surface> {
    let mut found: Vec<Surface> = Vec::new();
    for expr in reachable(dag, roots.iter().copied()) {
        let Some(switch) = switch_of(dag, expr) else { continue };
        let function = dag.primitive_part(switch);
        if dag.is_time_invariant(function) || never_zero(dag, function) {
            continue;
        }
        match found.iter_mut().find(|surface| surface.function == function) {
            Some(surface) => surface.nodes.push(expr),
            None => found.push(Surface { function, nodes: vec![expr] }),
        }
    }
    found
}

/// Whether an enclosure of its values proves that no values of its symbols make the expression zero.
fn never_zero(dag: &Dag, e: Expr) -> bool {
    let number = Interval::new(-f64::MAX, f64::MAX).expect("an interval");
    evaluate_interval(dag, &[e], |_| number)[0].mignitude() > 0.0
}

/// The piecewise functions in the expressions, those of constants and parameters included.
pub fn piecewise(dag: &Dag, roots: &[Expr]) -> Vec<Expr> {
    let mut found = reachable(dag, roots.iter().copied());
    found.retain(|&expr| match dag.node(expr) {
        Node::Apply(function, _) => function.is_piecewise(),
        _ => false,
    });
    found
}

/// The expressions with every piecewise function $f$ replaced by $s f_+ + (1 - s) f_-$, where $s$ is a parameter that
/// no model has, the same for functions with the same switch. Where a switch $\sigma$ is zero, so is $-\sigma$, and a
/// function that jumps takes the same branch for both: functions that jump have one $s$ for $\sigma$ and another for
/// $-\sigma$. An expression that vanishes whatever the $s$ are vanishes on all branches.
pub(crate) fn blended(dag: &mut Dag, roots: &[Expr]) -> Vec<Expr> {
    let mut switches: Vec<Expr> = Vec::new();
    rebuild(dag, roots, |dag, expr, arguments| {
        let Node::Apply(function, _) = *dag.node(expr) else { return None };
        let switch = function.switch(dag, arguments)?;
        let surface = dag.primitive_part(switch);
        let place = switches.iter().position(|&known| known == surface).unwrap_or_else(|| {
            switches.push(surface);
            switches.len() - 1
        });
        let flipped = runs_against(dag, switch);
        let sides = if flipped { [Side::Negative, Side::Positive] } else { [Side::Positive, Side::Negative] };
        let [ahead, behind] = sides.map(|side| branch(dag, function, arguments, side));
        let jumps = matches!(function, Function::If | Function::Signum);
        let place = 2 * place + usize::from(flipped && jumps);
        let weight = dag.symbol(Symbol::Parameter(ParameterId(u32::MAX - place as u32)));
        let difference = dag.sub(ahead, behind);
        let part = dag.mul(weight, difference);
        Some(dag.add(behind, part))
    })
}

/// Whether the expression is a negative multiple of its primitive part.
pub(super) fn runs_against(dag: &Dag, switch: Expr) -> bool {
    match dag.node(switch) {
        Node::Sum { terms, .. } => terms[0].0.is_negative(),
        _ => false,
    }
}

/// The expression whose sign decides the branch of a piecewise function; `None` for other expressions.
pub(super) fn switch_of(dag: &mut Dag, expr: Expr) -> Option<Expr> {
    let Node::Apply(function, arguments) = dag.node(expr).clone() else { return None };
    function.switch(dag, &arguments)
}

impl Surface {
    /// The order of the lowest derivative of `root`, up to `highest`, that jumps across the surface; `None` if none
    /// does. Where that cannot be decided, a lower bound.
    pub fn first_jump(&self, dag: &mut Dag, root: Expr, highest: u32) -> Option<u32> {
        let positive = self.on_side(dag, root, Side::Positive);
        let negative = self.on_side(dag, root, Side::Negative);
        let difference = dag.sub(positive, negative);
        if dag.is_zero(difference) {
            return None;
        }
        if let Some(symbol) = self.linear_variable(dag) {
            return first_jump_along(dag, self.function, difference, symbol, highest);
        }
        let mut best = Some(self.by_themselves(dag)).filter(|&order| order <= highest);
        for term in self.terms(dag) {
            let auxiliary = dag.symbol(AUXILIARY);
            let image = rebuild(dag, &[self.function, difference], |_, e, _| (e == term).then_some(auxiliary));
            match first_jump_along(dag, image[0], image[1], AUXILIARY, highest) {
                None => return None,
                Some(order) => best = best.map(|known| known.max(order)),
            }
        }
        best
    }

    /// The expression as it is on one side.
    pub(crate) fn on_side(&self, dag: &mut Dag, root: Expr, side: Side) -> Expr {
        on_sides(dag, root, std::slice::from_ref(self), |_| side)
    }

    /// The variables in which $\sigma$ is linear, each with the slope of $\sigma$; where that is not zero, the surface
    /// is the graph of the variable as a function of the others.
    pub(crate) fn linear_variables(&self, dag: &mut Dag) -> Vec<(Symbol, Expr)> {
        let moving = |s| matches!(s, Symbol::Time | Symbol::Input { .. } | Symbol::Unknown { .. });
        let mut partials = gradient(dag, self.function, moving);
        partials.retain(|&(symbol, slope)| !symbols(dag, [slope]).contains(&symbol));
        partials
    }

    /// Whether an expression vanishes on the surface, solved for a variable in which $\sigma$ is linear.
    pub(crate) fn annihilates(&self, dag: &mut Dag, expr: Expr, variable: Symbol) -> bool {
        first_jump_along(dag, self.function, expr, variable, 0).is_none()
    }

    /// A variable in which $\sigma$ is linear; `None` if there is none.
    fn linear_variable(&self, dag: &mut Dag) -> Option<Symbol> {
        self.linear_variables(dag).first().map(|&(symbol, _)| symbol)
    }

    /// The terms of $\sigma$ that change in time.
    fn terms(&self, dag: &Dag) -> Vec<Expr> {
        match dag.node(self.function) {
            Node::Sum { terms, .. } => terms.iter().map(|&(_, t)| t).filter(|&t| !dag.is_time_invariant(t)).collect(),
            _ => vec![self.function],
        }
    }

    /// The least order of a derivative that may jump: 0 if one of the functions can jump, 1 if all of them have kinks
    /// only.
    fn by_themselves(&self, dag: &Dag) -> u32 {
        let jumps = |&node: &Expr| matches!(dag.node(node), Node::Apply(Function::Signum | Function::If, _));
        if self.nodes.iter().any(jumps) { 0 } else { 1 }
    }
}

/// The expression as it is on one side of each surface; `side` chooses it by the number of the surface.
pub(super) fn on_sides(dag: &mut Dag, root: Expr, surfaces: &[Surface], side: impl Fn(usize) -> Side) -> Expr {
    let mut chosen: HashMap<Expr, Side> = HashMap::new();
    for (number, surface) in surfaces.iter().enumerate() {
        for &node in &surface.nodes {
            // Its own switch may be a negative multiple of the surface's function.
            let is_flipped = switch_of(dag, node).is_some_and(|switch| runs_against(dag, switch));
            chosen.insert(node, if is_flipped { side(number).opposite() } else { side(number) });
        }
    }
    let image = rebuild(dag, &[root], |dag, expr, arguments| {
        let &side = chosen.get(&expr)?;
        let Node::Apply(function, _) = *dag.node(expr) else { return None };
        Some(branch(dag, function, arguments, side))
    });
    image[0]
}

/// The order of the first derivative of `difference`, with respect to a variable in which `function` is linear, that
/// does not vanish where the function does; `None` if there is none up to `highest`.
fn first_jump_along(dag: &mut Dag, function: Expr, mut difference: Expr, symbol: Symbol, highest: u32) -> Option<u32> {
    let slope = differentiate(dag, function, symbol);
    let (variable, step) = (dag.symbol(symbol), dag.div(function, slope));
    let crossing = dag.sub(variable, step);
    for order in 0..=highest {
        let there = substitute(dag, &[difference], |_, s| (s == symbol).then_some(crossing))[0];
        if !vanishes_on_all_branches(dag, there) {
            return Some(order);
        }
        difference = differentiate(dag, difference, symbol);
    }
    None
}

/// The branch of a piecewise function where its switch is positive, negative or zero. If the function has a kink only,
/// its branches agree on the surface, and that of the positive side stands for it.
pub(super) fn branch(dag: &mut Dag, function: Function, arguments: &[Expr], side: Side) -> Expr {
    match (function, side) {
        (Function::Abs, Side::Positive | Side::Zero) => arguments[0],
        (Function::Abs, Side::Negative) => dag.neg(arguments[0]),
        // The sign of zero is one, as in evaluation.
        (Function::Signum, Side::Positive | Side::Zero) => dag.integer(1),
        (Function::Signum, Side::Negative) => dag.integer(-1),
        (Function::If, Side::Positive) => arguments[1],
        (Function::If, Side::Negative | Side::Zero) => arguments[2],
        (Function::Min, Side::Positive | Side::Zero) | (Function::Max, Side::Negative) => arguments[1],
        (Function::Min, Side::Negative) | (Function::Max, Side::Positive | Side::Zero) => arguments[0],
        // The others are not piecewise and have no branches.
        (function, _) => dag.apply(function, arguments),
    }
}

/// Whether an expression is zero whatever the signs of its switches are.
fn vanishes_on_all_branches(dag: &mut Dag, expr: Expr) -> bool {
    if dag.is_zero(expr) {
        return true;
    }
    let surfaces = surfaces(dag, &[expr]);
    if surfaces.is_empty() {
        return vanishes(dag, expr);
    }
    (1..=MAX_SURFACES).contains(&surfaces.len())
        && (0..1_u32 << surfaces.len()).all(|sides| {
            let side = |number: usize| if sides >> number & 1 == 1 { Side::Positive } else { Side::Negative };
            let expr = on_sides(dag, expr, &surfaces, side);
            vanishes(dag, expr)
        })
}

fn vanishes(dag: &Dag, expr: Expr) -> bool {
    dag.is_zero(expr)
        || (0..POINTS).all(|seed| {
            let evaluation = FieldPoint::new(seed).evaluate(dag, &[expr]);
            evaluation.is_ok_and(|evaluation| evaluation.values == [0])
        })
}

#[cfg(test)]
mod tests {
    use super::super::UnknownId;
    use super::*;
    use crate::expr::Rational;

    struct Case {
        dag: Dag,
        x: Expr,
        y: Expr,
    }

    fn case() -> Case {
        let mut dag = Dag::new();
        let [x, y] = [0, 1].map(|k| dag.symbol(Symbol::Unknown { unknown: UnknownId(k), order: 0 }));
        Case { dag, x, y }
    }

    /// For each surface of the expression, the order of the first derivative up to the fourth that jumps.
    fn jumps(dag: &mut Dag, root: Expr) -> Vec<Option<u32>> {
        surfaces(dag, &[root]).into_iter().map(|surface| surface.first_jump(dag, root, 4)).collect()
    }

    #[test]
    fn every_switch_once() {
        let Case { mut dag, x, y } = case();
        let parameter = dag.symbol(Symbol::Parameter(super::super::ParameterId(0)));
        let (difference, opposite) = (dag.sub(x, y), dag.sub(y, x));
        let twice = dag.scale(Rational::from(2), opposite);
        let all = [
            dag.apply(Function::Abs, &[difference]),
            dag.apply(Function::Max, &[y, x]),
            dag.apply(Function::If, &[twice, x, y]),
            dag.apply(Function::Abs, &[parameter]),
            dag.apply(Function::Signum, &[x]),
        ];
        let found: Vec<Expr> = surfaces(&mut dag, &all).into_iter().map(|surface| surface.function).collect();
        assert_eq!(found, [difference, x]);
        let two = dag.constant(Rational::from(2));
        let square = dag.powi(x, 2);
        let positive = dag.add(two, square);
        let smooth = dag.apply(Function::Abs, &[positive]);
        assert_eq!(surfaces(&mut dag, &[smooth]), [], "|x² + 2| has no kink");
    }

    #[test]
    fn order_of_the_first_jump() {
        let Case { mut dag, x, y } = case();
        let (abs, sign) = (dag.apply(Function::Abs, &[x]), dag.apply(Function::Signum, &[x]));
        assert_eq!(jumps(&mut dag, abs), [Some(1)]);
        assert_eq!(jumps(&mut dag, sign), [Some(0)]);
        // x |x| is differentiable once; x² sgn x is the same function.
        let (product, square) = (dag.mul(x, abs), dag.product([(x, 2), (sign, 1)]));
        assert_eq!(jumps(&mut dag, product), [Some(2)]);
        assert_eq!(jumps(&mut dag, square), [Some(2)]);
        let zero = dag.sub(product, square);
        assert_eq!(jumps(&mut dag, zero), [None]);
        // min(x, y)² + max(x, y)² = x² + y².
        let [min, max] = [Function::Min, Function::Max].map(|f| dag.apply(f, &[x, y]));
        let (min, max) = (dag.powi(min, 2), dag.powi(max, 2));
        assert_eq!(jumps(&mut dag, min), [Some(1)]);
        let both = dag.add(min, max);
        assert_eq!(jumps(&mut dag, both), [None]);
    }

    #[test]
    fn what_vanishes_on_all_branches_vanishes_blended() {
        let Case { mut dag, x, y } = case();
        let [min, max] = [Function::Min, Function::Max].map(|f| dag.apply(f, &[x, y]));
        let abs = dag.apply(Function::Abs, &[x]);
        let sum = dag.sum([(Rational::ONE, min), (Rational::ONE, max)]);
        let both = dag.add(x, y);
        let (same, other) = (dag.sub(sum, both), dag.sub(abs, x));
        let blended = blended(&mut dag, &[same, other]);
        assert!(vanishes(&dag, blended[0]));
        assert!(!vanishes(&dag, blended[1]));
    }

    /// The current of a transistor that conducts in both directions; in either it is blocked, saturated or neither.
    #[test]
    fn branches_within_branches() {
        let Case { mut dag, x, y } = case();
        let zero = dag.integer(0);
        let channel = |dag: &mut Dag, voltage: Expr| {
            let (blocks, saturated) = (dag.greater(zero, y), dag.greater(voltage, y));
            let (square, twice) = (dag.powi(y, 2), dag.sum([(Rational::from(2), y), (Rational::MINUS_ONE, voltage)]));
            let product = dag.mul(voltage, twice);
            let conducts = dag.choose(saturated, square, product);
            dag.choose(blocks, zero, conducts)
        };
        let back = dag.neg(x);
        let [ahead, behind] = [x, back].map(|voltage| channel(&mut dag, voltage));
        let (forwards, minus) = (dag.greater(x, zero), dag.neg(behind));
        let current = dag.choose(forwards, ahead, minus);
        let of = |dag: &mut Dag, function: Expr| {
            let surface = surfaces(dag, &[current]).into_iter().find(|surface| surface.function == function);
            surface.expect("it switches there").first_jump(dag, current, 4)
        };
        assert_eq!(of(&mut dag, x), Some(2));
        assert_eq!(of(&mut dag, y), Some(2));
        // With a leak there is a jump.
        let leak = dag.greater(y, zero);
        let one = dag.integer(1);
        let leak = dag.choose(leak, one, zero);
        let current = dag.choose(forwards, leak, minus);
        let surface = surfaces(&mut dag, &[current]).into_iter().find(|surface| surface.function == x).unwrap();
        assert_eq!(surface.first_jump(&mut dag, current, 4), Some(0));
    }

    #[test]
    fn conditionals_that_join_and_that_do_not() {
        let Case { mut dag, x, y } = case();
        let one = dag.integer(1);
        let above = dag.greater(x, one);
        // x² and 2x - 1 touch at 1, x² and x cross, x² and y do neither; e^(x-1) - x touches zero.
        let (square, touching) = (dag.powi(x, 2), dag.sum([(Rational::from(2), x), (Rational::MINUS_ONE, one)]));
        let shifted = dag.sub(x, one);
        let exp = dag.apply(Function::Exp, &[shifted]);
        for (a, b, expected) in [(square, touching, 2), (square, x, 1), (square, y, 0), (exp, x, 2)] {
            let chosen = dag.choose(above, a, b);
            assert_eq!(jumps(&mut dag, chosen), [Some(expected)]);
        }
        // On a circle nothing is linear.
        let circle = dag.sum([(Rational::ONE, square)]);
        let y2 = dag.powi(y, 2);
        let circle = dag.add(circle, y2);
        let inside = dag.greater(one, circle);
        for (a, b, expected) in [(circle, one, 1), (square, one, 0)] {
            let chosen = dag.choose(inside, a, b);
            assert_eq!(jumps(&mut dag, chosen), [Some(expected)]);
        }
        // A spring that is slack where r < 1 and pulls with r - 1 or (r - 1)³ beyond.
        let radius = dag.apply(Function::Hypot, &[x, y]);
        let (stretched, slack) = (dag.greater(radius, one), dag.integer(0));
        let stretch = dag.sub(radius, one);
        let cubed = dag.powi(stretch, 3);
        for (force, expected) in [(stretch, 1), (cubed, 3)] {
            let force = dag.choose(stretched, force, slack);
            assert_eq!(jumps(&mut dag, force), [Some(expected)]);
        }
    }

    /// One branch of a maximum may be the same on both sides of the surface, and the other not.
    #[test]
    fn what_jumps_on_one_branch_jumps() {
        let Case { mut dag, x, .. } = case();
        let [near, far] = [1, 7].map(|n| dag.integer(n));
        let (ahead, behind) = (dag.sub(x, far), dag.sub(near, x));
        let inner = dag.apply(Function::Max, &[ahead, behind]);
        let sign = dag.apply(Function::Signum, &[inner]);
        let stair = dag.sum([(Rational::ONE, x), (Rational::from(2), sign)]);
        let root = dag.apply(Function::Max, &[stair, behind]);
        let at = surfaces(&mut dag, &[root]).into_iter().find(|surface| surface.function == inner).unwrap();
        assert_eq!(at.first_jump(&mut dag, root, 4), Some(0));
    }
}
