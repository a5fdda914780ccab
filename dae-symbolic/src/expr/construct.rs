//! The canonical form.
//!
//! In: operations on expressions. Out: canonical nodes. Like terms and powers are collected, constants folded exactly,
//! sums and products built in bulk: $n$ operands cost $n \log n$.
//!
//! A nested sum (product) is dissolved into the surrounding one if it is short; a long one stays a single term.
//! So building $s_{k+1} = s_k + x_k$ step by step costs $O(n)$ and not $O(n^2)$, and what a bulk construction
//! makes in one go is flat whatever its length.

use super::{Assumption, Dag, Expr, Function, Node, Rational, Symbol};

/// Nested sums and products of more operands than this are not dissolved.
pub(super) const DISSOLVE: usize = 24;

impl Dag {
    /// An exact number.
    pub fn constant(&mut self, value: Rational) -> Expr {
        self.intern(Node::Constant(value))
    }

    /// An integer.
    pub fn integer(&mut self, value: i64) -> Expr {
        self.constant(Rational::from(value))
    }

    /// $\pi$.
    pub fn pi(&mut self) -> Expr {
        self.intern(Node::Pi)
    }

    /// Euler's number.
    pub fn euler(&mut self) -> Expr {
        self.intern(Node::Euler)
    }

    /// A leaf.
    pub fn symbol(&mut self, symbol: Symbol) -> Expr {
        self.intern(Node::Symbol(symbol))
    }

    /// $\sum_k q_k e_k$.
    pub fn sum(&mut self, terms: impl IntoIterator<Item = (Rational, Expr)>) -> Expr {
        let mut constant = Rational::ZERO;
        let mut flat: Vec<(Rational, Expr)> = Vec::new();
        for (q, e) in terms {
            match self.node(e) {
                Node::Constant(value) => constant = constant.add(&q.mul(value)),
                Node::Sum { constant: c, terms } if terms.len() <= DISSOLVE => {
                    constant = constant.add(&q.mul(c));
                    flat.extend(terms.iter().map(|(r, t)| (q.mul(r), *t)));
                }
                _ => flat.push((q, e)),
            }
        }
        flat.sort_by_key(|&(_, e)| (self.is_time_invariant(e), e));
        let mut terms: Vec<(Rational, Expr)> = Vec::with_capacity(flat.len());
        for (q, e) in flat {
            match terms.last_mut() {
                Some((sum, last)) if *last == e => *sum = sum.add(&q),
                _ => terms.push((q, e)),
            }
        }
        terms.retain(|(q, _)| !q.is_zero());
        match terms.as_slice() {
            [] => self.constant(constant),
            [(q, e)] if constant.is_zero() && q.is_one() => *e,
            _ => self.intern(Node::Sum { constant, terms: terms.into() }),
        }
    }

    /// $\prod_k e_k^{n_k}$.
    pub fn product(&mut self, factors: impl IntoIterator<Item = (Expr, i32)>) -> Expr {
        let mut coefficient = Rational::ONE;
        let mut flat: Vec<(Expr, i32)> = Vec::new();
        let mut stack: Vec<(Expr, i32)> = factors.into_iter().collect();
        stack.reverse();
        while let Some((e, n)) = stack.pop() {
            self.dissolve_factor(e, n, &mut coefficient, &mut flat, &mut stack);
        }
        let divides_by_zero = flat.iter().any(|&(b, n)| n < 0 && self.is_zero(b));
        if coefficient.is_zero() {
            if !divides_by_zero {
                return self.constant(Rational::ZERO);
            }
            // 0/0 is undefined like 1/0, and must not become zero.
            coefficient = Rational::ONE;
        }
        let collected = self.collect_powers(flat);
        let (coefficient, factors) = self.fold_even_powers(coefficient, collected);
        let product = match factors.as_slice() {
            [] => return self.constant(coefficient),
            [(b, 1)] => *b,
            _ => self.intern(Node::Product(factors.into())),
        };
        if coefficient.is_one() { product } else { self.sum([(coefficient, product)]) }
    }

    /// Takes a factor $e^n$ apart: numbers go into the coefficient, the factors of short products to `stack`, the rest
    /// to `flat`.
    fn dissolve_factor(
        &self,
        e: Expr,
        n: i32,
        coefficient: &mut Rational,
        flat: &mut Vec<(Expr, i32)>,
        stack: &mut Vec<(Expr, i32)>,
    ) {
        if n == 0 {
            return;
        }
        match self.node(e) {
            Node::Constant(value) => match value.powi(n) {
                Some(power) => *coefficient = coefficient.mul(&power),
                None => flat.push((e, n)),
            },
            Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => match terms[0].0.powi(n) {
                Some(power) => {
                    *coefficient = coefficient.mul(&power);
                    stack.push((terms[0].1, n));
                }
                None => flat.push((e, n)),
            },
            Node::Product(factors) if factors.len() <= DISSOLVE => {
                let powers: Option<Vec<_>> =
                    factors.iter().map(|&(b, m)| m.checked_mul(n).map(|power| (b, power))).collect();
                match powers {
                    Some(powers) => stack.extend(powers.into_iter().rev()),
                    None => flat.push((e, n)),
                }
            }
            _ => flat.push((e, n)),
        }
    }

    /// Adds the exponents of equal bases; bases with exponents of both signs are assumed to be nonzero.
    fn collect_powers(&mut self, mut flat: Vec<(Expr, i32)>) -> Vec<(Expr, i32)> {
        flat.sort_by_key(|&(b, _)| (!self.is_time_invariant(b), b));
        let mut collected: Vec<(Expr, i32)> = Vec::with_capacity(flat.len());
        let mut cancelled = Vec::new();
        for (b, n) in flat {
            match collected.last_mut() {
                Some((last, m)) if *last == b && m.checked_add(n).is_some() => {
                    if (*m < 0) != (n < 0) {
                        cancelled.push(b);
                    }
                    *m += n;
                }
                _ => collected.push((b, n)),
            }
        }
        for base in cancelled {
            self.assume(Assumption::NonZero(base));
        }
        collected.retain(|&(_, n)| n != 0);
        collected
    }

    /// $(\sqrt u)^{2k} = u^k$ and $|u|^{2k} = u^{2k}$; repeated until nothing changes, as $u$ may be a base already.
    fn fold_even_powers(
        &mut self,
        mut coefficient: Rational,
        mut factors: Vec<(Expr, i32)>,
    ) -> (Rational, Vec<(Expr, i32)>) {
        loop {
            let mut changed = false;
            let mut open: Vec<(Expr, i32)> = Vec::new();
            for &(b, n) in &factors {
                match self.node(b).clone() {
                    Node::Apply(Function::Sqrt, u) if n.abs() >= 2 => {
                        self.assume(Assumption::NonNegative(u[0]));
                        open.push((u[0], n / 2));
                        open.push((b, n % 2));
                        changed = true;
                    }
                    Node::Apply(Function::Abs, u) if n.abs() >= 2 => {
                        open.push((u[0], n - n % 2));
                        open.push((b, n % 2));
                        changed = true;
                    }
                    _ => open.push((b, n)),
                }
            }
            if !changed {
                return (coefficient, factors);
            }
            let mut flat = Vec::new();
            let mut stack = open;
            while let Some((e, n)) = stack.pop() {
                self.dissolve_factor(e, n, &mut coefficient, &mut flat, &mut stack);
            }
            factors = self.collect_powers(flat);
        }
    }

    /// $a + b$.
    pub fn add(&mut self, a: Expr, b: Expr) -> Expr {
        self.sum([(Rational::ONE, a), (Rational::ONE, b)])
    }

    /// $a - b$.
    pub fn sub(&mut self, a: Expr, b: Expr) -> Expr {
        self.sum([(Rational::ONE, a), (Rational::MINUS_ONE, b)])
    }

    /// $-a$.
    pub fn neg(&mut self, a: Expr) -> Expr {
        self.sum([(Rational::MINUS_ONE, a)])
    }

    /// $q a$.
    pub fn scale(&mut self, q: Rational, a: Expr) -> Expr {
        self.sum([(q, a)])
    }

    /// $a b$.
    pub fn mul(&mut self, a: Expr, b: Expr) -> Expr {
        self.product([(a, 1), (b, 1)])
    }

    /// $a / b$. A division by the number zero stays as it is and evaluates to infinity or `NaN`.
    pub fn div(&mut self, a: Expr, b: Expr) -> Expr {
        self.product([(a, 1), (b, -1)])
    }

    /// $a^n$.
    pub fn powi(&mut self, a: Expr, n: i32) -> Expr {
        self.product([(a, n)])
    }

    /// $q / (m e^n)$ for a nonzero integer $m$.
    pub(super) fn quotient(&mut self, q: Rational, m: i64, e: Expr, n: i32) -> Expr {
        let power = self.powi(e, -n);
        let coefficient = Rational::from(m).recip().map_or(q.clone(), |r| q.mul(&r));
        self.scale(coefficient, power)
    }

    /// The expression divided by its content: it has the same zeros and is easier to read.
    pub fn primitive_part(&mut self, e: Expr) -> Expr {
        match self.content(e).recip() {
            Some(scale) if !scale.is_one() => self.scale(scale, e),
            _ => e,
        }
    }

    /// The number by which a sum is divided to make its coefficients and its constant coprime integers, the first
    /// coefficient positive; one for everything else.
    pub fn content(&self, e: Expr) -> Rational {
        let Node::Sum { constant, terms } = self.node(e) else { return Rational::ONE };
        let content = Rational::content(terms.iter().map(|(q, _)| q).chain((!constant.is_zero()).then_some(constant)));
        if terms[0].0.is_negative() { content.neg() } else { content }
    }
}
