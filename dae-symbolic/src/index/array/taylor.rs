//! Taylor coefficients of expressions along a solution.
//!
//! In: expressions in the unknowns and their derivatives, and Taylor coefficients $X_{j,k} = x_j^{(k)}/k!$ of the
//! unknowns. Out: the Taylor coefficients $e_l = e^{(l)}/l!$ of the expressions: the rows of the derivative array and
//! its Jacobian without forming a total derivative as an expression (Griewank & Walther, *Evaluating Derivatives*, ch.
//! 13).
//!
//! Sums and products follow by convolution. For a function, $v = g(a, b)$, the chain rule
//! $\dot v = g_a \dot a + g_b \dot b$ reads
//!
//! $$ l\, v_l = \sum_{k=1}^{l} k\, \big( a_k\, (g_a)_{l-k} + b_k\, (g_b)_{l-k} \big), $$
//!
//! where $g_a$, $g_b$ are expressions of the operator table; they are needed to one order less, so that the list of
//! needed expressions is finite, and no function needs a rule of its own here. The recurrences divide by integers and
//! by values of order zero only, and so hold in a prime field as well.

use std::collections::BTreeMap;

use crate::expr::prime_field::arithmetic;
use crate::expr::{Dag, Expr, Node, Rational, Symbol};

/// Numbers to compute with.
pub trait Scalar: Clone {
    /// $0$.
    fn zero() -> Self;
    /// $-a$.
    fn negated(self) -> Self;
    /// Sum.
    fn plus(self, other: Self) -> Self;
    /// Product.
    fn times(self, other: Self) -> Self;
    /// Quotient. By zero it is not finite, or zero in a prime field: callers exclude or detect that.
    fn over(self, other: Self) -> Self;
    /// An integer.
    fn integer(n: u64) -> Self;
    /// A rational number with as many digits as `self` has; `None` if its denominator vanishes.
    fn rational(&self, q: &Rational) -> Option<Self>;
}

impl Scalar for f64 {
    fn zero() -> f64 {
        0.0
    }
    fn negated(self) -> f64 {
        -self
    }
    fn plus(self, other: f64) -> f64 {
        self + other
    }
    fn times(self, other: f64) -> f64 {
        self * other
    }
    fn over(self, other: f64) -> f64 {
        self / other
    }
    fn integer(n: u64) -> f64 {
        n as f64
    }
    fn rational(&self, q: &Rational) -> Option<f64> {
        Some(q.to_f64())
    }
}

/// A residue modulo [`arithmetic::PRIME`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residue(pub u64);

impl Scalar for Residue {
    fn zero() -> Residue {
        Residue(0)
    }
    fn negated(self) -> Residue {
        Residue(arithmetic::mul(self.0, arithmetic::PRIME - 1))
    }
    fn plus(self, other: Residue) -> Residue {
        Residue(arithmetic::add(self.0, other.0))
    }
    fn times(self, other: Residue) -> Residue {
        Residue(arithmetic::mul(self.0, other.0))
    }
    fn over(self, other: Residue) -> Residue {
        Residue(arithmetic::inv(other.0).map_or(0, |inverse| arithmetic::mul(self.0, inverse)))
    }
    fn integer(n: u64) -> Residue {
        Residue(arithmetic::reduce(n))
    }
    fn rational(&self, q: &Rational) -> Option<Residue> {
        q.modulo(arithmetic::PRIME).map(Residue)
    }
}

/// How the coefficients of one node follow from those of others; positions are those in the tape.
#[derive(Clone, Debug)]
enum Rule {
    /// A constant.
    Constant,
    /// $t$.
    Time,
    /// $x_j^{(k)}$.
    Jet { unknown: usize, order: usize },
    /// $q_0 + \sum_k q_k t_k$.
    Sum(Vec<(Rational, usize)>),
    /// The product of powers of earlier entries, some in the denominator.
    Product { numerator: Vec<(usize, u32)>, denominator: Vec<(usize, u32)> },
    /// A function of arguments, by pairs of partial derivative and argument.
    Chain(Vec<(usize, usize)>),
}

/// Expressions prepared for Taylor arithmetic.
#[derive(Clone, Debug)]
pub struct Tape {
    /// The nodes, ascending; their values are the coefficients of order zero.
    nodes: Vec<Expr>,
    /// The order up to which each node is needed.
    needed: Vec<usize>,
    rules: Vec<Rule>,
    /// The positions of the roots.
    roots: Vec<usize>,
}

impl Tape {
    /// Prepares the roots for coefficients up to `order`. `None` if the partial derivatives of functions add more than
    /// `most` expressions.
    pub fn new(dag: &mut Dag, roots: &[Expr], order: u32, most: usize) -> Option<Tape> {
        let needed = needed_orders(dag, roots, order, most)?;
        let nodes: Vec<Expr> = needed.keys().copied().collect();
        let position = |e: Expr| nodes.binary_search(&e).unwrap_or(0);
        let mut rules = Vec::with_capacity(nodes.len());
        for (&expr, &need) in &needed {
            let rule = match dag.node(expr).clone() {
                Node::Constant(_) | Node::Pi | Node::Euler => Rule::Constant,
                Node::Symbol(Symbol::Time) => Rule::Time,
                Node::Symbol(Symbol::Unknown { unknown, order }) => {
                    Rule::Jet { unknown: unknown.index(), order: order as usize }
                }
                Node::Symbol(
                    Symbol::Parameter(_) | Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_),
                ) => Rule::Constant,
                Node::Sum { terms, .. } => Rule::Sum(terms.iter().map(|(q, t)| (q.clone(), position(*t))).collect()),
                Node::Product(factors) => {
                    let side = |sign: i32| {
                        let chosen = factors.iter().filter(move |&&(_, n)| n * sign > 0);
                        chosen.map(|&(b, n)| (position(b), n.unsigned_abs())).collect()
                    };
                    Rule::Product { numerator: side(1), denominator: side(-1) }
                }
                Node::Apply(..) | Node::Call(..) if need == 0 => Rule::Constant,
                Node::Call(call, arguments) => {
                    let partials: Vec<Expr> =
                        (0..arguments.len()).map(|k| dag.call(call.partial(k), &arguments)).collect();
                    Rule::Chain(
                        partials.into_iter().zip(&arguments).map(|(p, &a)| (position(p), position(a))).collect(),
                    )
                }
                Node::Apply(function, arguments) => {
                    let partials = (0..arguments.len()).map(|k| function.partial(dag, &arguments, k));
                    let partials: Vec<Expr> = partials.collect();
                    Rule::Chain(
                        partials.into_iter().zip(&arguments).map(|(p, &a)| (position(p), position(a))).collect(),
                    )
                }
            };
            rules.push(rule);
        }
        let roots = roots.iter().map(|&root| position(root)).collect();
        let needed = needed.into_values().map(|need| need as usize).collect();
        Some(Tape { nodes, needed, rules, roots })
    }

    /// The nodes whose values of order zero [`Tape::run`] takes.
    pub fn nodes(&self) -> &[Expr] {
        &self.nodes
    }

    /// The roots.
    pub fn roots(&self) -> impl Iterator<Item = Expr> + '_ {
        self.roots.iter().map(|&root| self.nodes[root])
    }

    /// The coefficients of every root up to `order`. `values` are those of [`Tape::nodes`], `jets[j][k]` is $X_{j,k}$,
    /// zero beyond the end of the list.
    pub fn run<S: Scalar>(&self, values: &[S], jets: &[Vec<S>], order: usize) -> Vec<Vec<S>> {
        let mut series = Series { coefficients: vec![S::zero(); values.len() * (order + 1)], width: order + 1 };
        values.iter().enumerate().for_each(|(place, value)| series.set(place, 0, value.clone()));
        let factors = match values.first() {
            Some(like) if order > 0 => self.rules.iter().flat_map(|rule| factors(rule, like)).collect(),
            _ => Vec::new(),
        };
        let integers: Vec<S> = (0..=order).map(|k| S::integer(k as u64)).collect();
        for l in 1..=order {
            let mut factors: &[S] = &factors;
            for (place, rule) in self.rules.iter().enumerate() {
                let own;
                (own, factors) = factors.split_at(if let Rule::Sum(terms) = rule { terms.len() } else { 0 });
                if l > self.needed[place] {
                    continue;
                }
                let next = match rule {
                    Rule::Constant => S::zero(),
                    Rule::Time if l == 1 => S::integer(1),
                    Rule::Time => S::zero(),
                    &Rule::Jet { unknown, order } => {
                        let x = jets[unknown].get(order + l).cloned().unwrap_or(S::zero());
                        x.times(falling(order + l, order))
                    }
                    Rule::Sum(terms) => {
                        let terms = terms.iter().zip(own);
                        terms.fold(S::zero(), |sum, (&(_, t), q)| sum.plus(q.clone().times(series.of(t)[l].clone())))
                    }
                    Rule::Product { numerator, denominator } => {
                        product_coefficient(&series, numerator, denominator, series.of(place), l)
                    }
                    Rule::Chain(pairs) => {
                        let slope =
                            |argument: usize, k: usize| integers[k].clone().times(series.of(argument)[k].clone());
                        let terms =
                            pairs.iter().flat_map(|&(partial, argument)| (1..=l).map(move |k| (partial, argument, k)));
                        let sum = terms.fold(S::zero(), |sum, (partial, argument, k)| {
                            sum.plus(slope(argument, k).times(series.of(partial)[l - k].clone()))
                        });
                        sum.over(integers[l].clone())
                    }
                };
                series.set(place, l, next);
            }
        }
        self.roots.iter().map(|&root| series.of(root)[..=self.needed[root].min(order)].to_vec()).collect()
    }
}

/// The coefficients of all nodes.
struct Series<S> {
    coefficients: Vec<S>,
    width: usize,
}

impl<S> Series<S> {
    fn of(&self, place: usize) -> &[S] {
        &self.coefficients[place * self.width..(place + 1) * self.width]
    }

    fn set(&mut self, place: usize, l: usize, value: S) {
        self.coefficients[place * self.width + l] = value;
    }
}

/// The factors of the terms of a sum, with as many digits as `like` has; none for other rules.
fn factors<'a, S: Scalar>(rule: &'a Rule, like: &'a S) -> impl Iterator<Item = S> + 'a {
    let terms = if let Rule::Sum(terms) = rule { terms.as_slice() } else { &[] };
    terms.iter().map(|(q, _)| like.rational(q).unwrap_or(S::zero()))
}

/// $k (k - 1) \cdots (k - q + 1) = k!/(k - q)!$.
pub(super) fn falling<S: Scalar>(k: usize, q: usize) -> S {
    ((k - q + 1)..=k).fold(S::integer(1), |product, factor| product.times(S::integer(factor as u64)))
}

/// Coefficient $l$ of $v = \prod a / \prod b$, given its own lower ones: $v \prod b = \prod a$.
fn product_coefficient<S: Scalar>(
    series: &Series<S>,
    numerator: &[(usize, u32)],
    denominator: &[(usize, u32)],
    own: &[S],
    l: usize,
) -> S {
    let convolved = |a: &[S], b: &[S]| (0..=l).fold(S::zero(), |sum, k| sum.plus(a[k].clone().times(b[l - k].clone())));
    let above = match *numerator {
        [] => S::zero(),
        [(a, 1)] => series.of(a)[l].clone(),
        [(a, 2)] => convolved(series.of(a), series.of(a)),
        [(a, 1), (b, 1)] => convolved(series.of(a), series.of(b)),
        _ => series_product(series, numerator, l)[l].clone(),
    };
    if denominator.is_empty() {
        return above;
    }
    let below = series_product(series, denominator, l);
    let known = (1..=l).fold(S::zero(), |sum, k| sum.plus(below[k].clone().times(own[l - k].clone())));
    above.plus(known.negated()).over(below[0].clone())
}

/// Powers with exponents up to this are computed as repeated products, which costs about as much as squaring a few
/// times.
const MAX_REPEATED: u32 = 16;

/// The first $l + 1$ coefficients of a product of powers.
fn series_product<S: Scalar>(series: &Series<S>, factors: &[(usize, u32)], l: usize) -> Vec<S> {
    let mut product: Vec<S> = (0..=l).map(|k| S::integer(u64::from(k == 0))).collect();
    let mut is_one = true;
    for &(factor, exponent) in factors {
        let factor = &series.of(factor)[..=l];
        if exponent > MAX_REPEATED {
            multiply(&mut product, &series_power(factor, exponent));
            is_one = false;
            continue;
        }
        for _ in 0..exponent {
            match is_one {
                true => product.clone_from_slice(factor),
                false => multiply(&mut product, factor),
            }
            is_one = false;
        }
    }
    product
}

/// The power of a series, by repeated squaring.
fn series_power<S: Scalar>(base: &[S], mut exponent: u32) -> Vec<S> {
    let mut power: Vec<S> = (0..base.len()).map(|k| S::integer(u64::from(k == 0))).collect();
    let mut base = base.to_vec();
    while exponent > 0 {
        if exponent & 1 == 1 {
            multiply(&mut power, &base);
        }
        exponent >>= 1;
        if exponent > 0 {
            let other = base.clone();
            multiply(&mut base, &other);
        }
    }
    power
}

/// Multiplies a series by another one of the same length, in place.
fn multiply<S: Scalar>(product: &mut [S], factor: &[S]) {
    for i in (0..product.len()).rev() {
        product[i] = (0..=i).fold(S::zero(), |sum, k| sum.plus(product[k].clone().times(factor[i - k].clone())));
    }
}

/// The nodes that the roots need, each with the order up to which it is needed; `None` if they add more than `most`
/// expressions.
fn needed_orders(dag: &mut Dag, roots: &[Expr], order: u32, most: usize) -> Option<BTreeMap<Expr, u32>> {
    let budget = dag.len() + most;
    let mut needed: BTreeMap<Expr, u32> = BTreeMap::new();
    let mut pending: Vec<(Expr, u32)> = roots.iter().map(|&root| (root, order)).collect();
    while let Some((expr, need)) = pending.pop() {
        if needed.get(&expr).is_some_and(|&known| known >= need) {
            continue;
        }
        needed.insert(expr, need);
        pending.extend(dag.children(expr).map(|child| (child, need)));
        if let (Node::Apply(function, arguments), Some(less)) = (dag.node(expr).clone(), need.checked_sub(1)) {
            for k in 0..arguments.len() {
                pending.push((function.partial(dag, &arguments, k), less));
            }
        }
        if let (Node::Call(call, arguments), Some(less)) = (dag.node(expr).clone(), need.checked_sub(1)) {
            for k in 0..arguments.len() {
                pending.push((dag.call(call.partial(k), &arguments), less));
            }
        }
        if dag.len() > budget {
            return None;
        }
    }
    Some(needed)
}
