//! The generators of expressions.
//!
//! In: expressions. Out: the generators of their ring, every argument of an exponential or trigonometric function as an
//! integer combination of the monomials that generators stand for, and the roots.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive};

use super::super::dag::{ExprMap, ExprSet};
use super::super::{Dag, Expr, Function, Node, Rational, Symbol, evaluate, reachable};
use super::arithmetic::PRIME;
use super::evaluation::Sign;
use super::expand::{Monomial, Polynomial, expand};

/// The role of a function in the homomorphism.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Exponential,
    Trigonometric,
    Root,
    Piecewise,
    Opaque,
}

pub(super) fn kind(function: Function) -> Kind {
    match function {
        Function::Exp | Function::ExpM1 | Function::Sinh | Function::Cosh | Function::Tanh => Kind::Exponential,
        Function::Sin | Function::Cos | Function::Tan => Kind::Trigonometric,
        Function::Sqrt | Function::Cbrt | Function::Hypot => Kind::Root,
        Function::Abs | Function::Signum | Function::Min | Function::Max | Function::If => Kind::Piecewise,
        Function::Ln
        | Function::Log10
        | Function::Log2
        | Function::Ln1p
        | Function::Asin
        | Function::Acos
        | Function::Atan
        | Function::Atan2
        | Function::Asinh
        | Function::Acosh
        | Function::Atanh
        | Function::Floor
        | Function::Powf => Kind::Opaque,
    }
}

/// A generator, which may have any residue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Generator {
    Pi,
    Symbol(Symbol),
    /// $e^{m/d}$ for the monomial of this number in the exponential family.
    Exponential(usize),
    /// The tangent of half the angle $m/d$ for the monomial of this number in the trigonometric family.
    Rotation(usize),
}

/// A monomial $m$ in arguments, and the common denominator $d$ of its coefficients.
pub(super) struct Atom {
    pub(super) monomial: Monomial,
    pub(super) denominator: BigInt,
    /// Whether it depends on no symbol.
    pub(super) constant: bool,
}

/// An argument: $\frac{\pi}{4} \cdot$ `eighths` $+ \sum_k n_k\, m_k/d_k$.
#[derive(Default)]
pub(super) struct Combination {
    pub(super) eighths: u64,
    /// $(k, n_k)$ with $n_k$ modulo the order of the group of values.
    pub(super) multiples: Vec<(usize, u64)>,
}

/// All arguments of one family of functions.
#[derive(Default)]
pub(super) struct Family {
    pub(super) atoms: Vec<Atom>,
    pub(super) arguments: ExprMap<Combination>,
}

/// A square root, cube root or hypotenuse.
pub(super) struct Root {
    pub(super) expr: Expr,
    pub(super) function: Function,
}

/// The expressions and their generators.
pub(super) struct Generators<'a> {
    pub(super) dag: &'a Dag,
    /// Nodes whose values are needed, children first: of the arguments of exponential and trigonometric functions only
    /// the bases of their monomials.
    pub(super) order: Vec<Expr>,
    pub(super) generators: Vec<Generator>,
    number: BTreeMap<Generator, usize>,
    pub(super) exponential: Family,
    pub(super) trigonometric: Family,
    pub(super) roots: Vec<Root>,
    /// The signs of arguments of piecewise functions, as far as known.
    pub(super) signs: ExprMap<Sign>,
    /// Opaque functions anywhere in the expressions.
    pub(super) opaque: BTreeSet<Function>,
    /// Whether functions occur that the model does not define by an expression.
    pub(super) external: bool,
}

impl<'a> Generators<'a> {
    pub(super) fn of(dag: &'a Dag, roots: &[Expr]) -> Self {
        let everything = reachable(dag, roots.iter().copied());
        let (mut real, mut imaginary, mut opaque) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut depends = vec![false; everything.last().map_or(0, |last| last.index() + 1)];
        let (mut euler, mut external) = (false, false);
        for &expr in &everything {
            match dag.node(expr) {
                Node::Symbol(_) => depends[expr.index()] = true,
                Node::Euler => euler = true,
                Node::Apply(function, arguments) => match kind(*function) {
                    Kind::Exponential => _ = real.insert(arguments[0]),
                    Kind::Trigonometric => _ = imaginary.insert(arguments[0]),
                    Kind::Opaque => _ = opaque.insert(*function),
                    Kind::Root | Kind::Piecewise => {}
                },
                Node::Call(..) => external = true,
                Node::Constant(_) | Node::Pi | Node::Sum { .. } | Node::Product(_) => {}
            }
            depends[expr.index()] |= dag.children(expr).any(|child| depends[child.index()]);
        }
        let exponential = Family::of(dag, &real, &depends, PRIME - 1, euler);
        let trigonometric = Family::of(dag, &imaginary, &depends, PRIME + 1, false);
        let bases = exponential.bases().chain(trigonometric.bases());
        let symbols = everything.iter().filter_map(|&expr| match dag.node(expr) {
            Node::Symbol(symbol) => Some(Generator::Symbol(*symbol)),
            _ => None,
        });
        let generators: BTreeSet<Generator> = symbols
            .chain([Generator::Pi])
            .chain((0..exponential.atoms.len()).map(Generator::Exponential))
            .chain((0..trigonometric.atoms.len()).map(Generator::Rotation))
            .collect();
        let generators: Vec<Generator> = generators.into_iter().collect();
        // Values of bases are needed when the independence of arguments is examined.
        let order = with_values(dag, &everything, roots.iter().copied().chain(bases));
        let root = |&expr: &Expr| root_function(dag, expr).map(|function| Root { expr, function });
        Generators {
            dag,
            roots: order.iter().filter_map(root).collect(),
            number: generators.iter().enumerate().map(|(k, &generator)| (generator, k)).collect(),
            order,
            generators,
            exponential,
            trigonometric,
            signs: ExprMap::default(),
            opaque,
            external,
        }
    }

    /// The number of a generator.
    pub(super) fn number(&self, generator: Generator) -> usize {
        self.number.get(&generator).copied().unwrap_or(0)
    }

    /// Whether a node is a root.
    pub(super) fn is_root(&self, expr: Expr) -> bool {
        root_function(self.dag, expr).is_some()
    }

    /// The nodes that the values of `nodes` depend on, down to roots and not below them; children first.
    pub(super) fn values_above_roots(&self, nodes: impl IntoIterator<Item = Expr>) -> Vec<Expr> {
        reachable_until(self.dag, nodes, |expr| self.is_root(expr))
    }

    /// Whether the generator is a constant.
    pub(super) fn is_constant(&self, generator: usize) -> bool {
        match self.generators[generator] {
            Generator::Pi => true,
            Generator::Symbol(_) => false,
            Generator::Exponential(k) => self.exponential.atoms[k].constant,
            Generator::Rotation(k) => self.trigonometric.atoms[k].constant,
        }
    }

    /// The generators that the value of a node depends on directly, not through its children.
    pub(super) fn leaf_generators(&self, expr: Expr) -> Vec<usize> {
        let of = |combination: Option<&Combination>, generator: fn(usize) -> Generator| -> Vec<usize> {
            let multiples = combination.map_or(&[][..], |combination| &combination.multiples);
            multiples.iter().map(|&(k, _)| self.number(generator(k))).collect()
        };
        match self.dag.node(expr) {
            Node::Pi => vec![self.number(Generator::Pi)],
            Node::Symbol(symbol) => vec![self.number(Generator::Symbol(*symbol))],
            Node::Euler => self.exponential.one().map(|k| self.number(Generator::Exponential(k))).into_iter().collect(),
            Node::Apply(function, arguments) => match kind(*function) {
                Kind::Exponential => of(self.exponential.arguments.get(&arguments[0]), Generator::Exponential),
                Kind::Trigonometric => of(self.trigonometric.arguments.get(&arguments[0]), Generator::Rotation),
                // Acos is π/2 - asin.
                Kind::Opaque if *function == Function::Acos => vec![self.number(Generator::Pi)],
                Kind::Root | Kind::Piecewise | Kind::Opaque => Vec::new(),
            },
            Node::Constant(_) | Node::Sum { .. } | Node::Product(_) | Node::Call(..) => Vec::new(),
        }
    }

    /// Takes the signs of the arguments of piecewise functions from a real point, where they are defined and not zero.
    pub(super) fn fix_signs(&mut self, dag: &Dag, start: &BTreeMap<Symbol, f64>) {
        let piecewise: Vec<(Expr, Expr, Option<Expr>)> =
            self.piecewise().map(|(expr, arguments)| (expr, arguments[0], compared(dag, expr))).collect();
        let arguments: Vec<Expr> = piecewise.iter().flat_map(|&(_, a, b)| [a, b.unwrap_or(a)]).collect();
        let values = evaluate(dag, &arguments, |symbol| start.get(&symbol).copied().unwrap_or(f64::NAN));
        for (k, &(expr, _, second)) in piecewise.iter().enumerate() {
            let difference = values[2 * k] - if second.is_some() { values[2 * k + 1] } else { 0.0 };
            // At zero a conditional takes its second branch, as for a negative switch.
            let closed = matches!(dag.node(expr), Node::Apply(Function::If, _));
            if difference < 0.0 || (closed && difference == 0.0) {
                self.signs.insert(expr, Sign::Negative);
            } else if difference > 0.0 {
                self.signs.insert(expr, Sign::Positive);
            }
        }
    }

    /// Absolute values, signs, minima, maxima and conditionals with their arguments.
    pub(super) fn piecewise(&self) -> impl Iterator<Item = (Expr, &'a [Expr])> + '_ {
        self.order.iter().filter_map(|&expr| match self.dag.node(expr) {
            Node::Apply(function, arguments) if kind(*function) == Kind::Piecewise => Some((expr, &arguments[..])),
            _ => None,
        })
    }
}

/// The argument with which a piecewise function compares its first one; `None` stands for zero.
pub(super) fn compared(dag: &Dag, expr: Expr) -> Option<Expr> {
    match dag.node(expr) {
        Node::Apply(Function::Min | Function::Max, arguments) => arguments.get(1).copied(),
        _ => None,
    }
}

impl Family {
    /// Writes all arguments in terms of monomials; `order` is the order of the group of values, and with `euler` the
    /// monomial 1 is among them in any case.
    fn of(dag: &Dag, arguments: &BTreeSet<Expr>, depends: &[bool], order: u64, euler: bool) -> Family {
        let wanted: Vec<Expr> = arguments.iter().copied().collect();
        let expanded = expand(dag, &wanted);
        let mut denominators: BTreeMap<&Monomial, BigInt> = BTreeMap::new();
        let one = Monomial::new();
        if euler {
            denominators.insert(&one, BigInt::one());
        }
        // Angles that are multiples of π/4 are exact: in the trigonometric family, whose group has order p + 1.
        let turns = |monomial: &Monomial, q: &Rational| (order > PRIME).then(|| eighths(dag, monomial, q)).flatten();
        let terms = |argument: &Expr| -> &Polynomial { &expanded[argument] };
        for (monomial, q) in wanted.iter().flat_map(terms) {
            if turns(monomial, q).is_none() {
                let denominator = denominators.entry(monomial).or_insert_with(BigInt::one);
                if q.to_integer().is_none() {
                    *denominator = denominator.lcm(&q.denominator());
                }
            }
        }
        let number: BTreeMap<&Monomial, usize> = denominators.keys().enumerate().map(|(k, &m)| (m, k)).collect();
        let combination = |argument: &Expr| {
            let mut combination = Combination::default();
            for (monomial, q) in terms(argument) {
                match turns(monomial, q) {
                    Some(eighths) => combination.eighths = eighths,
                    None => {
                        let denominator = &denominators[monomial];
                        combination.multiples.push((number[monomial], multiple(q, denominator, order)));
                    }
                }
            }
            (*argument, combination)
        };
        let arguments = wanted.iter().map(combination).collect();
        let atom = |(monomial, denominator): (&Monomial, BigInt)| Atom {
            monomial: monomial.clone(),
            denominator,
            constant: !monomial.iter().any(|(base, _)| depends[base.index()]),
        };
        Family { atoms: denominators.into_iter().map(atom).collect(), arguments }
    }

    /// The number of the monomial 1; `None` if it does not occur.
    pub(super) fn one(&self) -> Option<usize> {
        // Monomials ascend: the empty one is the first.
        self.atoms.first().filter(|atom| atom.monomial.is_empty()).map(|_| 0)
    }

    fn bases(&self) -> impl Iterator<Item = Expr> + '_ {
        self.atoms.iter().flat_map(|atom| atom.monomial.iter().map(|&(base, _)| base))
    }
}

/// The integer $q d$ modulo the order of a group.
fn multiple(q: &Rational, denominator: &BigInt, order: u64) -> u64 {
    match q.to_integer() {
        Some(n) if denominator.is_one() => i128::from(n).rem_euclid(i128::from(order)) as u64,
        _ => (q.numerator() * (denominator / q.denominator())).mod_floor(&order.into()).to_u64().unwrap_or(0),
    }
}

/// $4q \bmod 8$ if the term $q m$ is a multiple of $\pi/4$; `None` otherwise.
fn eighths(dag: &Dag, monomial: &Monomial, q: &Rational) -> Option<u64> {
    match monomial.as_slice() {
        [(base, 1)] if *dag.node(*base) == Node::Pi => {
            let eighths = q.mul(&Rational::from(4));
            eighths.denominator().is_one().then(|| eighths.numerator().mod_floor(&BigInt::from(8)).to_u64())?
        }
        _ => None,
    }
}

fn root_function(dag: &Dag, expr: Expr) -> Option<Function> {
    match dag.node(expr) {
        Node::Apply(function, _) if kind(*function) == Kind::Root => Some(*function),
        _ => None,
    }
}

/// [`values_reachable`] by one descending loop over `everything`, which is ascending and contains all that the roots
/// reach: faster where most of it is needed.
fn with_values(dag: &Dag, everything: &[Expr], roots: impl IntoIterator<Item = Expr>) -> Vec<Expr> {
    let mut wanted = vec![false; everything.last().map_or(0, |last| last.index() + 1)];
    roots.into_iter().for_each(|root| wanted[root.index()] = true);
    for &expr in everything.iter().rev().filter(|&&expr| !argument_is_hidden(dag, expr)) {
        if wanted[expr.index()] {
            dag.children(expr).for_each(|child| wanted[child.index()] = true);
        }
    }
    everything.iter().copied().filter(|expr| wanted[expr.index()]).collect()
}

/// Whether the value depends on generators instead of the values of children.
fn argument_is_hidden(dag: &Dag, expr: Expr) -> bool {
    matches!(dag.node(expr), Node::Apply(f, _) if matches!(kind(*f), Kind::Exponential | Kind::Trigonometric))
}

/// The nodes on whose values the values of the roots depend, children first.
pub(super) fn values_reachable(dag: &Dag, roots: impl IntoIterator<Item = Expr>) -> Vec<Expr> {
    reachable_until(dag, roots, |_| false)
}

/// The nodes on whose values the values of the roots depend, without those below nodes at which `stops` holds.
fn reachable_until(dag: &Dag, roots: impl IntoIterator<Item = Expr>, stops: impl Fn(Expr) -> bool) -> Vec<Expr> {
    let mut stack: Vec<Expr> = roots.into_iter().collect();
    let mut found = ExprSet::default();
    while let Some(expr) = stack.pop() {
        if found.insert(expr) && !argument_is_hidden(dag, expr) && !stops(expr) {
            stack.extend(dag.children(expr));
        }
    }
    let mut order: Vec<Expr> = found.into_iter().collect();
    order.sort_unstable();
    order
}
