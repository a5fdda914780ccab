//! Expressions as polynomials.
//!
//! In: expressions. Out: polynomials in the jets, in functions of them, and in functions of time alone; and identities
//! between these functions. An expression that is not a sum, product or power becomes a variable of its own, so that
//! every consequence of the polynomials is one of the expressions, wherever these are defined.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::polynomial::{Monomial, Polynomial};
use crate::expr::{Dag, Expr, Function, Node, Rational, Symbol, reachable};

/// The expressions that are evaluated on all branches, operands first. The operands of a conditional are left out: it
/// is a variable, and they need not have a value.
pub(super) fn evaluated(dag: &Dag, roots: &[Expr]) -> BTreeSet<Expr> {
    let (mut found, mut open) = (BTreeSet::new(), roots.to_vec());
    while let Some(expr) = open.pop() {
        if found.insert(expr) && !matches!(dag.node(expr), Node::Apply(Function::If, _)) {
            open.extend(dag.children(expr));
        }
    }
    found
}

/// The meaning of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Meaning {
    /// An expression.
    Value(Expr),
    /// The reciprocal of an expression.
    Reciprocal(Expr),
}

/// The variables of some expressions.
pub(super) struct Ring {
    numbers: BTreeMap<Meaning, u32>,
    meanings: BTreeMap<u32, Meaning>,
}

impl Ring {
    /// The ring in which all of the expressions are polynomials.
    pub(super) fn of(dag: &Dag, roots: &[Expr]) -> Self {
        let nodes = reachable(dag, roots.iter().copied());
        let mut moves: BTreeMap<Expr, bool> = BTreeMap::new();
        for &expr in &nodes {
            let is_jet = matches!(dag.node(expr), Node::Symbol(Symbol::Unknown { .. }));
            let is_sought = is_jet || dag.children(expr).any(|child| moves[&child]);
            moves.insert(expr, is_sought);
        }
        let mut found = Vec::new();
        for expr in evaluated(dag, roots) {
            let is_sought = moves[&expr];
            match dag.node(expr) {
                Node::Constant(_) | Node::Sum { .. } => {}
                Node::Product(factors) => {
                    let below = factors.iter().filter(|(_, n)| *n < 0);
                    found.extend(below.map(|&(base, _)| (moves[&base], 0, Meaning::Reciprocal(base))));
                }
                Node::Symbol(Symbol::Unknown { order, .. }) => found.push((true, order + 1, Meaning::Value(expr))),
                Node::Pi | Node::Euler | Node::Symbol(_) | Node::Apply(..) | Node::Call(..) => {
                    found.push((is_sought, 0, Meaning::Value(expr)));
                }
            }
        }
        // Higher derivatives are eliminated first.
        found.sort_unstable();
        found.dedup();
        let number = |(k, &(is_sought, _, meaning)): (usize, &(bool, u32, Meaning))| {
            (meaning, k as u32 + if is_sought { Polynomial::UNKNOWN } else { 0 })
        };
        let numbers: BTreeMap<Meaning, u32> = found.iter().enumerate().map(number).collect();
        let meanings = numbers.iter().map(|(&meaning, &k)| (k, meaning)).collect();
        Ring { numbers, meanings }
    }

    fn variable(&self, meaning: Meaning, exponent: u64) -> Option<Polynomial> {
        let monomial = Monomial::power(*self.numbers.get(&meaning)?, exponent);
        Some(Polynomial::term(monomial, Rational::ONE))
    }

    /// The expressions as polynomials; `None` if the cost exceeds what is left of a budget, which is charged.
    pub(super) fn polynomials(&self, dag: &Dag, roots: &[Expr], left: &mut usize) -> Option<Vec<Polynomial>> {
        let mut image: BTreeMap<Expr, Rc<Polynomial>> = BTreeMap::new();
        for expr in evaluated(dag, roots) {
            let polynomial = match dag.node(expr) {
                Node::Constant(q) => Polynomial::constant(q.clone()),
                Node::Sum { constant, terms } => {
                    let mut sum = Polynomial::constant(constant.clone());
                    terms.iter().for_each(|(q, t)| sum.add_multiple(q, &Monomial::default(), &image[t]));
                    sum
                }
                Node::Product(factors) => self.product(factors, &image, left)?,
                Node::Pi | Node::Euler | Node::Symbol(_) | Node::Apply(..) | Node::Call(..) => {
                    self.variable(Meaning::Value(expr), 1)?
                }
            };
            *left = left.checked_sub(polynomial.size())?;
            image.insert(expr, Rc::new(polynomial));
        }
        Some(roots.iter().map(|root| image[root].as_ref().clone()).collect())
    }

    fn product(
        &self,
        factors: &[(Expr, i32)],
        image: &BTreeMap<Expr, Rc<Polynomial>>,
        left: &mut usize,
    ) -> Option<Polynomial> {
        factors.iter().try_fold(Polynomial::constant(Rational::ONE), |product, &(base, n)| {
            let exponent = u64::from(n.unsigned_abs());
            let factor = match n < 0 {
                true => self.variable(Meaning::Reciprocal(base), exponent)?,
                false => image[&base].power(exponent, left)?,
            };
            product.times(&factor, left)
        })
    }

    /// Identities between the variables: $b \cdot b^{-1} = 1$, $(\sqrt a)^2 = a$, $\sin^2 a + \cos^2 a = 1$.
    pub(super) fn identities(&self, dag: &Dag, left: &mut usize) -> Vec<Polynomial> {
        self.numbers.keys().filter_map(|&meaning| self.identity(dag, meaning, left)).collect()
    }

    fn identity(&self, dag: &Dag, meaning: Meaning, left: &mut usize) -> Option<Polynomial> {
        let one = Polynomial::constant(Rational::ONE);
        let mut of = |expr: Expr| self.polynomials(dag, &[expr], left).and_then(|mut list| list.pop());
        let expr = match meaning {
            Meaning::Reciprocal(base) => {
                let denominator = of(base)?;
                return Some(denominator.times(&self.variable(meaning, 1)?, left)?.minus(&one));
            }
            Meaning::Value(expr) => expr,
        };
        let Node::Apply(function, arguments) = dag.node(expr) else { return None };
        let square = self.variable(meaning, 2)?;
        if *function == Function::Sqrt {
            return Some(square.minus(&of(arguments[0])?));
        }
        let is_cosine = |e: &Expr| matches!(dag.node(*e), Node::Apply(Function::Cos, a) if a == arguments);
        let (cosine, _) = self.values().find(|(e, _)| *function == Function::Sin && is_cosine(e))?;
        Some(square.minus(&one.minus(&self.variable(Meaning::Value(cosine), 2)?)))
    }

    fn values(&self) -> impl Iterator<Item = (Expr, u32)> + '_ {
        self.numbers.iter().filter_map(|(meaning, &number)| match meaning {
            Meaning::Value(expr) => Some((*expr, number)),
            Meaning::Reciprocal(_) => None,
        })
    }

    /// A polynomial as an expression; `None` if an exponent is too large for one.
    pub(super) fn expression(&self, dag: &mut Dag, polynomial: &Polynomial) -> Option<Expr> {
        let mut terms = Vec::with_capacity(polynomial.len());
        for (monomial, q) in polynomial.terms() {
            let factor = |&(variable, exponent): &(u32, u64)| {
                let exponent = i32::try_from(exponent).ok()?;
                Some(match *self.meanings.get(&variable)? {
                    Meaning::Value(expr) => (expr, exponent),
                    Meaning::Reciprocal(expr) => (expr, -exponent),
                })
            };
            let factors: Option<Vec<(Expr, i32)>> = monomial.factors().iter().map(factor).collect();
            terms.push((q.clone(), dag.product(factors?)));
        }
        Some(dag.sum(terms))
    }
}
