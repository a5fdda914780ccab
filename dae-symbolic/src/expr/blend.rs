//! Expressions between the two sides of switching surfaces.
//!
//! In: an expression, and surfaces $\sigma_k = 0$, each with a weight $s_k$. Out: the expression that is multi-affine
//! in the weights and agrees with the given one on every side: $s_k = 0$ stands for $\sigma_k < 0$, $s_k = 1$ for
//! $\sigma_k > 0$. For one surface
//!
//! $$ (1 - s)\, f\vert_{\sigma < 0} + s\, f\vert_{\sigma > 0}. $$
//!
//! Solutions that slide along a surface are those of A. F. Filippov (*Differential Equations with Discontinuous
//! Righthand Sides*, Kluwer 1988), with a weight between 0 and 1; on an intersection of surfaces the combination is the
//! bilinear one of L. Dieci, L. Lopez (J. Comput. Appl. Math. 236, 2012).

use std::collections::HashSet;

use super::substitute::rebuild;
use super::surfaces::{Side, Surface, branch, on_sides, runs_against, switch_of};
use super::{Dag, Expr, Node, Symbol, differentiate, reachable, symbols};

/// Expressions on more surfaces than this, in which they do not enter one by one, are not combined: the number of terms
/// doubles with each.
const MOST: usize = 4;

/// A surface, and the symbol of its weight.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weighted {
    /// $\sigma_k$.
    pub(crate) surface: Surface,
    /// $s_k$.
    pub(crate) weight: Symbol,
}

/// The combination; `None` if it would have too many terms.
///
/// Where the expression is affine in each of its piecewise functions, it suffices to replace these by
/// $(1 - s) f_- + s f_+$. Otherwise that would be another function between the sides (the equivalent control of V. I.
/// Utkin, 1992), and expressions as a whole are combined.
pub(crate) fn combined(dag: &mut Dag, root: Expr, surfaces: &[Weighted]) -> Option<Expr> {
    let reached: HashSet<Expr> = reachable(dag, [root]).into_iter().collect();
    let own: Vec<&Weighted> =
        surfaces.iter().filter(|it| it.surface.nodes.iter().any(|node| reached.contains(node))).collect();
    if own.is_empty() {
        return Some(root);
    }
    let replaced = replaced(dag, root, &own);
    let is_affine = |dag: &mut Dag, it: &&Weighted| {
        let slope = differentiate(dag, replaced, it.weight);
        !symbols(dag, [slope]).contains(&it.weight)
    };
    if own.iter().all(|it| is_affine(dag, it)) {
        return Some(replaced);
    }
    (own.len() <= MOST).then(|| sum_over_sides(dag, root, &own))
}

/// The expression with each piecewise function $f$ replaced by $(1 - s) f_- + s f_+$.
fn replaced(dag: &mut Dag, root: Expr, surfaces: &[&Weighted]) -> Expr {
    let image = rebuild(dag, &[root], |dag, expr, arguments| {
        let it = surfaces.iter().find(|it| it.surface.nodes.contains(&expr))?;
        let Node::Apply(function, _) = *dag.node(expr) else { return None };
        let is_flipped = switch_of(dag, expr).is_some_and(|switch| runs_against(dag, switch));
        let sides = if is_flipped { [Side::Negative, Side::Positive] } else { [Side::Positive, Side::Negative] };
        let [ahead, behind] = sides.map(|side| branch(dag, function, arguments, side));
        let weight = dag.symbol(it.weight);
        let difference = dag.sub(ahead, behind);
        let part = dag.mul(weight, difference);
        Some(dag.add(behind, part))
    });
    image[0]
}

/// $\sum \prod_k w_k\, f$ over all choices of sides, with $w_k = s_k$ or $1 - s_k$.
fn sum_over_sides(dag: &mut Dag, root: Expr, own: &[&Weighted]) -> Expr {
    let surfaces: Vec<Surface> = own.iter().map(|it| it.surface.clone()).collect();
    let mut sum = dag.integer(0);
    for sides in 0..1_u32 << own.len() {
        let is_positive = |k: usize| sides >> k & 1 == 1;
        let side = |k: usize| if is_positive(k) { Side::Positive } else { Side::Negative };
        let mut term = on_sides(dag, root, &surfaces, side);
        for (k, it) in own.iter().enumerate() {
            let weight = dag.symbol(it.weight);
            let one = dag.integer(1);
            let factor = if is_positive(k) { weight } else { dag.sub(one, weight) };
            term = dag.mul(factor, term);
        }
        sum = dag.add(sum, term);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::{Function, UnknownId, surfaces};
    use super::*;

    const WEIGHT: Symbol = Symbol::State(7);

    fn weighted(dag: &mut Dag, root: Expr) -> Vec<Weighted> {
        let found = surfaces(dag, &[root]).into_iter().enumerate();
        found.map(|(k, surface)| Weighted { surface, weight: Symbol::State(7 + k as u32) }).collect()
    }

    fn variable(dag: &mut Dag, k: u32) -> Expr {
        dag.symbol(Symbol::Unknown { unknown: UnknownId(k), order: 0 })
    }

    #[test]
    fn a_sign_is_replaced_by_its_combination() {
        let mut dag = Dag::new();
        let x = variable(&mut dag, 0);
        let sign = dag.apply(Function::Signum, &[x]);
        let against = dag.neg(x);
        let opposite = dag.apply(Function::Signum, &[against]);
        let weight = dag.symbol(WEIGHT);
        let (one, two) = (dag.integer(1), dag.integer(2));
        let twice = dag.mul(two, weight);
        let expected = dag.sub(twice, one);
        for (root, expected) in [(sign, expected), (opposite, dag.neg(expected))] {
            let surfaces = weighted(&mut dag, root);
            assert_eq!(combined(&mut dag, root, &surfaces), Some(expected));
        }
    }

    #[test]
    fn what_is_not_affine_is_combined_as_a_whole() {
        let mut dag = Dag::new();
        let x = variable(&mut dag, 0);
        let sign = dag.apply(Function::Signum, &[x]);
        let square = dag.powi(sign, 2);
        let size = dag.apply(Function::Abs, &[x]);
        let product = dag.mul(sign, size);
        for (root, expected) in [(square, dag.integer(1)), (product, x)] {
            let surfaces = weighted(&mut dag, root);
            let found = combined(&mut dag, root, &surfaces).expect("it has few surfaces");
            let difference = dag.sub(found, expected);
            assert!(crate::expr::vanishes(&mut dag, difference), "the combination of both sides");
        }
    }

    #[test]
    fn on_every_side_it_is_the_expression() {
        let mut dag = Dag::new();
        let [x, y] = [0, 1].map(|k| variable(&mut dag, k));
        let signs = [x, y].map(|argument| dag.apply(Function::Signum, &[argument]));
        let product = dag.mul(signs[0], signs[1]);
        let root = dag.apply(Function::Exp, &[product]);
        let surfaces = weighted(&mut dag, root);
        let found = combined(&mut dag, root, &surfaces).expect("it has two surfaces");
        for sides in [[0, 0], [0, 1], [1, 0], [1, 1]] {
            let there = crate::expr::substitute(&mut dag, &[found], |dag, symbol| match symbol {
                Symbol::State(k) => Some(dag.integer(sides[k as usize - 7])),
                _ => None,
            })[0];
            let sign = if sides[0] == sides[1] { 1 } else { -1 };
            let argument = dag.integer(sign);
            assert_eq!(there, dag.apply(Function::Exp, &[argument]));
        }
    }
}
