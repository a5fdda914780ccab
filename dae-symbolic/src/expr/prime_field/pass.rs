//! Values of nodes at a point.
//!
//! In: residues of the generators. Out: residues of nodes, or the node at which evaluation fails: a division by zero,
//! or a radicand without a root.

use std::collections::BTreeMap;

use super::super::dag::ExprSet;
use super::super::{Dag, Expr, Function, Node, Rational};
use super::arithmetic::{self, PRIME, Rotation, add, draw, inv, mul, neg, pow, quadratic_character, sub};
use super::evaluation::Sign;
use super::point::{Point, key};
use super::structure::{Combination, Generator, Generators};

/// Why a pass ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The node divides by zero.
    Division(Expr),
    /// The radicand of the node has no root.
    NoRoot(Expr),
}

/// Evaluates the nodes of `order` (children first) into `values`.
pub(super) fn run(
    structure: &Generators,
    point: &Point,
    opaque_roots: &ExprSet,
    order: &[Expr],
    values: &mut [u64],
) -> Result<(), Stop> {
    let mut inverses = BTreeMap::new();
    for &expr in order {
        let mut pass = Pass { structure, point, opaque_roots, values, inverses: &mut inverses, expr };
        let value = pass.value()?;
        values[expr.index()] = value;
    }
    Ok(())
}

struct Pass<'a> {
    structure: &'a Generators<'a>,
    point: &'a Point,
    opaque_roots: &'a ExprSet,
    values: &'a [u64],
    /// Inverses of the denominators of coefficients.
    inverses: &'a mut BTreeMap<i64, u64>,
    expr: Expr,
}

impl Pass<'_> {
    fn of(&self, expr: Expr) -> u64 {
        self.values[expr.index()]
    }

    fn inverse(&self, a: u64) -> Result<u64, Stop> {
        inv(a).ok_or(Stop::Division(self.expr))
    }

    fn value(&mut self) -> Result<u64, Stop> {
        let structure = self.structure;
        match structure.dag.node(self.expr) {
            Node::Constant(q) => self.rational(q),
            Node::Pi => Ok(self.pi()),
            Node::Euler => Ok(structure.exponential.one().map_or(0, |one| {
                let denominator = &structure.exponential.atoms[one].denominator % (PRIME - 1);
                let base = self.point.residue(structure.number(Generator::Exponential(one)));
                pow(base, denominator.try_into().unwrap_or(0))
            })),
            Node::Symbol(symbol) => Ok(self.point.residue(structure.number(Generator::Symbol(*symbol)))),
            Node::Sum { constant, terms } => {
                let mut total = self.rational(constant)?;
                for (q, t) in terms {
                    let value = self.of(*t);
                    let term = if q.is_one() { value } else { mul(self.rational(q)?, value) };
                    total = add(total, term);
                }
                Ok(total)
            }
            Node::Product(factors) => {
                let (mut above, mut below) = (1, 1);
                for &(b, n) in factors {
                    let power = pow(self.of(b), u64::from(n.unsigned_abs()));
                    let side = if n > 0 { &mut above } else { &mut below };
                    *side = mul(*side, power);
                }
                if below == 1 { Ok(above) } else { Ok(mul(above, self.inverse(below)?)) }
            }
            Node::Apply(function, arguments) => self.apply(*function, arguments),
            Node::Call(call, arguments) => {
                let words: Vec<u64> =
                    [key::CALL, call.key()].into_iter().chain(arguments.iter().map(|&a| self.of(a))).collect();
                Ok(draw(self.point.seed, &words))
            }
        }
    }

    fn rational(&mut self, q: &Rational) -> Result<u64, Stop> {
        let machine = |n: i64| {
            let residue = arithmetic::reduce(n.unsigned_abs());
            if n < 0 { neg(residue) } else { residue }
        };
        match q.to_machine() {
            Some((n, 1)) => Ok(machine(n)),
            Some((n, d)) => {
                let inverse = match self.inverses.get(&d) {
                    Some(&inverse) => inverse,
                    None => self.inverse(machine(d))?,
                };
                self.inverses.insert(d, inverse);
                Ok(mul(machine(n), inverse))
            }
            None => q.modulo(PRIME).ok_or(Stop::Division(self.expr)),
        }
    }

    fn pi(&self) -> u64 {
        self.point.residue(self.structure.number(Generator::Pi))
    }

    fn apply(&mut self, function: Function, arguments: &[Expr]) -> Result<u64, Stop> {
        let a = arguments[0];
        let b = *arguments.last().unwrap_or(&a);
        let half = PRIME.div_ceil(2);
        match function {
            Function::Exp => Ok(self.exponential(a)),
            Function::ExpM1 => Ok(sub(self.exponential(a), 1)),
            Function::Sinh | Function::Cosh | Function::Tanh => {
                let up = self.exponential(a);
                let down = self.inverse(up)?;
                match function {
                    Function::Sinh => Ok(mul(sub(up, down), half)),
                    Function::Cosh => Ok(mul(add(up, down), half)),
                    _ => Ok(mul(sub(up, down), self.inverse(add(up, down))?)),
                }
            }
            Function::Sin => Ok(self.rotation(a).sin),
            Function::Cos => Ok(self.rotation(a).cos),
            Function::Tan => {
                let rotation = self.rotation(a);
                Ok(mul(rotation.sin, self.inverse(rotation.cos)?))
            }
            Function::Sqrt => self.root(function, self.of(a)),
            Function::Cbrt => self.root(function, self.of(a)),
            Function::Hypot => {
                let (a, b) = (self.of(a), self.of(b));
                self.root(function, add(mul(a, a), mul(b, b)))
            }
            Function::Abs => Ok(if self.sign(self.of(a)) == Sign::Negative { neg(self.of(a)) } else { self.of(a) }),
            Function::Signum => Ok(if self.sign(self.of(a)) == Sign::Negative { PRIME - 1 } else { 1 }),
            Function::Min | Function::Max => {
                let a_is_less = self.sign(sub(self.of(a), self.of(b))) == Sign::Negative;
                Ok(self.of(if a_is_less == (function == Function::Min) { a } else { b }))
            }
            Function::If if self.sign(self.of(a)) == Sign::Negative => Ok(self.of(arguments[2])),
            Function::If => Ok(self.of(arguments[1])),
            Function::Ln => Ok(self.opaque(Function::Ln, &[self.of(a)])),
            Function::Ln1p => Ok(self.opaque(Function::Ln, &[add(1, self.of(a))])),
            Function::Log10 => self.logarithm(self.of(a), 10),
            Function::Log2 => self.logarithm(self.of(a), 2),
            Function::Acos => Ok(sub(mul(half, self.pi()), self.opaque(Function::Asin, &[self.of(a)]))),
            Function::Asin | Function::Atan | Function::Asinh | Function::Acosh | Function::Atanh | Function::Floor => {
                Ok(self.opaque(function, &[self.of(a)]))
            }
            Function::Atan2 => Ok(self.opaque(function, &[self.of(a), self.of(b)])),
            Function::Powf => self.powf(a, b),
        }
    }

    fn opaque(&self, function: Function, arguments: &[u64]) -> u64 {
        let words: Vec<u64> = [key::OPAQUE + function as u64].iter().chain(arguments).copied().collect();
        draw(self.point.seed, &words)
    }

    /// $\ln a / \ln n$, so that the relation to the derivative holds.
    fn logarithm(&self, a: u64, base: u64) -> Result<u64, Stop> {
        let denominator = self.inverse(self.opaque(Function::Ln, &[base]))?;
        Ok(mul(self.opaque(Function::Ln, &[a]), denominator))
    }

    /// $a^{n + r} = a^n a^r$ with the integer part $n$ of the constant in the exponent, so that $a^{b-1} a = a^b$
    /// holds.
    fn powf(&self, a: Expr, b: Expr) -> Result<u64, Stop> {
        let dag: &Dag = self.structure.dag;
        let constant = match dag.node(b) {
            Node::Constant(q) => q.clone(),
            Node::Sum { constant, .. } => constant.clone(),
            Node::Pi | Node::Euler | Node::Symbol(_) | Node::Product(_) | Node::Apply(..) | Node::Call(..) => {
                Rational::ZERO
            }
        };
        let n = constant.to_f64().floor();
        // Larger exponents are not worth splitting.
        let n = if n.abs() < f64::from(1 << 20) { n as i64 } else { 0 };
        let (base, magnitude) = (self.of(a), arithmetic::reduce(n.unsigned_abs()));
        let rest = if n < 0 { add(self.of(b), magnitude) } else { sub(self.of(b), magnitude) };
        let power = pow(if n < 0 { self.inverse(base)? } else { base }, magnitude);
        Ok(if rest == 0 { power } else { mul(power, self.opaque(Function::Powf, &[base, rest])) })
    }

    fn root(&self, function: Function, radicand: u64) -> Result<u64, Stop> {
        // A hypotenuse is the square root of its radicand, also where it is opaque.
        let function = if function == Function::Hypot { Function::Sqrt } else { function };
        let root = if function == Function::Cbrt { arithmetic::cbrt(radicand) } else { arithmetic::sqrt(radicand) };
        match root {
            Some(root) => Ok(root),
            None if self.opaque_roots.contains(&self.expr) => Ok(self.opaque(function, &[radicand])),
            None => Err(Stop::NoRoot(self.expr)),
        }
    }

    fn sign(&self, residue: u64) -> Sign {
        sign(self.structure, self.expr, residue)
    }

    fn exponential(&self, argument: Expr) -> u64 {
        let none = Combination::default();
        let family = &self.structure.exponential;
        let combination = family.arguments.get(&argument).unwrap_or(&none);
        combination.multiples.iter().fold(1, |product, &(k, n)| {
            let base = self.point.residue(self.structure.number(Generator::Exponential(k)));
            mul(product, pow(base, n))
        })
    }

    fn rotation(&self, argument: Expr) -> Rotation {
        let none = Combination::default();
        let family = &self.structure.trigonometric;
        let combination = family.arguments.get(&argument).unwrap_or(&none);
        combination.multiples.iter().fold(Rotation::eighth().times(combination.eighths), |product, &(k, n)| {
            let half_tangent = self.point.residue(self.structure.number(Generator::Rotation(k)));
            // Negative multiples, which are large modulo p + 1, are small multiples of the reversed rotation.
            let base = Rotation::from_half_tangent(half_tangent);
            product.then(if n > PRIME / 2 { base.reversed().times(PRIME + 1 - n) } else { base.times(n) })
        })
    }
}

/// The sign on the branch; where that is not known, the quadratic character, which is multiplicative and odd like a
/// sign. At zero, the second branch of a conditional holds.
pub(super) fn sign(structure: &Generators, expr: Expr, residue: u64) -> Sign {
    match structure.signs.get(&expr) {
        Some(sign) => *sign,
        None if residue == 0 && matches!(structure.dag.node(expr), Node::Apply(Function::If, _)) => Sign::Negative,
        None if quadratic_character(residue) == PRIME - 1 => Sign::Negative,
        None => Sign::Positive,
    }
}
