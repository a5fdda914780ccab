//! The greatest common divisor of expressions.
//!
//! In: expressions. Out: the expressions divided by their greatest common divisor as polynomials with rational
//! coefficients in their bases (symbols, functions, anything that is not a sum or product).
//!
//! By Euclid's algorithm on primitive polynomials in one of the bases, with polynomials in the others as coefficients
//! (Knuth, *The Art of Computer Programming* 2, sect. 4.6.1, algorithm E; Geddes, Czapor & Labahn, *Algorithms for
//! Computer Algebra*, ch. 7). Coefficients grow in the process, so this is for short expressions: beyond a budget they
//! are left as they are.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::prime_field::expand::{Polynomial, expand, expression, times};
use super::{Dag, Expr, Rational};

/// If one of the expressions has more terms than this, all are left as they are.
const MAX_TERMS: usize = 30;
/// Expressions with more bases than this, taken together, are left as they are: the algorithm recurses once for each.
const MAX_BASES: usize = 8;
/// The number of products of terms and of terms examined, taken together, after which the search is given up.
const BUDGET: usize = 6_000;

/// Divides by the greatest common divisor of all, and by a number that makes all coefficients coprime integers; `None`
/// if the divisor is a number or is not found: an expression is zero or has negative powers, or a limit is exceeded.
pub(crate) fn without_common_divisor(dag: &mut Dag, list: &[Expr]) -> Option<Vec<Expr>> {
    let expanded = expand(dag, list);
    let polynomials: Vec<Rc<Polynomial>> = list.iter().map(|e| expanded[e].clone()).collect();
    let whole = |p: &Polynomial| p.keys().flatten().all(|&(_, n)| n > 0);
    let short = |p: &Polynomial| !p.is_empty() && p.len() <= MAX_TERMS;
    let mut bases: Vec<Expr> = polynomials.iter().flat_map(|p| p.keys().flatten().map(|&(base, _)| base)).collect();
    bases.sort_unstable();
    bases.dedup();
    if bases.len() > MAX_BASES || !polynomials.iter().all(|p| short(p) && whole(p)) {
        return None;
    }
    let mut search = Search { spent: 0 };
    let mut divisor = polynomials[0].as_ref().clone();
    for polynomial in &polynomials[1..] {
        divisor = search.common(&divisor, polynomial)?;
        if is_number(&divisor) {
            return None;
        }
    }
    let quotients: Vec<Polynomial> =
        polynomials.iter().map(|p| search.quotient(p, &divisor)).collect::<Option<Vec<Polynomial>>>()?;
    let scale = Rational::content(quotients.iter().flat_map(Polynomial::values)).recip()?;
    quotients.iter().map(|q| expression(dag, q, &scale)).collect()
}

fn is_number(polynomial: &Polynomial) -> bool {
    polynomial.keys().all(Vec::is_empty)
}

/// The polynomial divided by its leading coefficient.
fn monic(polynomial: Polynomial) -> Polynomial {
    let scale = polynomial.values().next_back().and_then(Rational::recip).unwrap_or(Rational::ONE);
    polynomial.into_iter().map(|(monomial, q)| (monomial, q.mul(&scale))).collect()
}

fn minus(mut a: Polynomial, b: &Polynomial) -> Polynomial {
    for (monomial, q) in b {
        let entry = a.entry(monomial.clone()).or_insert(Rational::ZERO);
        *entry = entry.sub(q);
        if entry.is_zero() {
            a.remove(monomial);
        }
    }
    a
}

/// The coefficients of the powers of `base`: polynomials in the other bases.
fn coefficients(polynomial: &Polynomial, base: Expr) -> BTreeMap<i64, Polynomial> {
    let mut list: BTreeMap<i64, Polynomial> = BTreeMap::new();
    for (monomial, q) in polynomial {
        let power = monomial.iter().find(|&&(b, _)| b == base).map_or(0, |&(_, n)| n);
        let rest = monomial.iter().copied().filter(|&(b, _)| b != base).collect();
        list.entry(power).or_default().insert(rest, q.clone());
    }
    list
}

fn bases(polynomial: &Polynomial) -> Vec<Expr> {
    let mut list: Vec<Expr> = polynomial.keys().flatten().map(|&(base, _)| base).collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// The search for a divisor, within its budget.
struct Search {
    spent: usize,
}

impl Search {
    fn product(&mut self, a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
        self.spent += a.len() * b.len();
        (self.spent <= BUDGET).then(|| times(a, b))
    }

    /// The exact quotient; `None` if there is none or the budget is spent.
    fn quotient(&mut self, a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
        // Products do not respect the order of monomials as lists: divide in powers of one base after another.
        let Some(&base) = bases(b).first() else {
            let scale = b.values().next()?.recip()?;
            return Some(a.iter().map(|(monomial, q)| (monomial.clone(), q.mul(&scale))).collect());
        };
        let divisor = coefficients(b, base);
        let (&degree, leading) = divisor.last_key_value()?;
        let (mut rest, mut quotient) = (a.clone(), Polynomial::new());
        while !rest.is_empty() {
            let (power, highest) = coefficients(&rest, base).pop_last()?;
            let factor = self.quotient(&highest, leading)?;
            let shift = match power - degree {
                ..0 => return None,
                0 => Vec::new(),
                difference => vec![(base, difference)],
            };
            let term = self.product(&factor, &Polynomial::from([(shift, Rational::ONE)]))?;
            rest = minus(rest, &self.product(&term, b)?);
            quotient.extend(term);
        }
        Some(quotient)
    }

    /// The greatest common divisor, with leading coefficient one; `None` if the budget is spent.
    fn common(&mut self, a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
        self.spent += a.len() + b.len();
        if self.spent > BUDGET {
            return None;
        }
        let (of_a, of_b) = (bases(a), bases(b));
        if of_a.is_empty() || of_b.is_empty() {
            return Some(Polynomial::from([(Vec::new(), Rational::ONE)]));
        }
        // A common divisor is free of a base that only one of them has, and divides the coefficients of its powers.
        if let Some(&base) = of_a.iter().find(|base| !of_b.contains(base)) {
            let content = self.content(a, base)?;
            return self.common(&content, b);
        }
        if let Some(&base) = of_b.iter().find(|base| !of_a.contains(base)) {
            let content = self.content(b, base)?;
            return self.common(a, &content);
        }
        let base = of_a[0];
        let (content_a, content_b) = (self.content(a, base)?, self.content(b, base)?);
        let content = self.common(&content_a, &content_b)?;
        let (mut higher, mut lower) = (self.quotient(a, &content_a)?, self.quotient(b, &content_b)?);
        if degree(&higher, base) < degree(&lower, base) {
            std::mem::swap(&mut higher, &mut lower);
        }
        loop {
            let rest = self.remainder(higher, &lower, base)?;
            if rest.is_empty() {
                return Some(monic(self.product(&lower, &content)?));
            }
            if degree(&rest, base) == 0 {
                return Some(content);
            }
            let of_rest = self.content(&rest, base)?;
            (higher, lower) = (lower, monic(self.quotient(&rest, &of_rest)?));
        }
    }

    /// The greatest common divisor of the coefficients of the powers of `base`.
    fn content(&mut self, polynomial: &Polynomial, base: Expr) -> Option<Polynomial> {
        let mut list = coefficients(polynomial, base).into_values();
        let first = monic(list.next()?);
        list.try_fold(first, |content, coefficient| self.common(&content, &coefficient))
    }

    /// The pseudo-remainder: the remainder of $\ell^k a$ on division by $b$, with $\ell$ the leading coefficient of
    /// $b$.
    fn remainder(&mut self, mut a: Polynomial, b: &Polynomial, base: Expr) -> Option<Polynomial> {
        let (lower, leading) = coefficients(b, base).pop_last()?;
        while !a.is_empty() && degree(&a, base) >= lower {
            let (power, highest) = coefficients(&a, base).pop_last()?;
            let shift = if power > lower { vec![(base, power - lower)] } else { Vec::new() };
            let factor = self.product(&highest, &Polynomial::from([(shift, Rational::ONE)]))?;
            a = minus(self.product(&a, &leading)?, &self.product(&factor, b)?);
        }
        Some(a)
    }
}

fn degree(polynomial: &Polynomial, base: Expr) -> i64 {
    polynomial.keys().flatten().filter(|&&(b, _)| b == base).map(|&(_, n)| n).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::{Notation, Symbol, UnknownId, print};
    use super::*;

    /// $x$, $y$, $z$.
    fn symbols(dag: &mut Dag) -> [Expr; 3] {
        [0, 1, 2].map(|j| dag.symbol(Symbol::Unknown { unknown: UnknownId(j), order: 0 }))
    }

    fn polynomial(dag: &mut Dag, terms: &[(i64, &[(Expr, i32)])]) -> Expr {
        let terms: Vec<(Rational, Expr)> =
            terms.iter().map(|(q, factors)| (Rational::from(*q), dag.product(factors.iter().copied()))).collect();
        dag.sum(terms)
    }

    fn text(dag: &Dag, e: Expr) -> String {
        let name = |s: Symbol| match s {
            Symbol::Unknown { unknown, .. } => ["x", "y", "z"][unknown.index()].to_string(),
            _ => String::new(),
        };
        print(dag, e, Notation::Text, name)
    }

    #[test]
    fn a_common_factor_that_neither_shows() {
        let mut dag = Dag::new();
        let [x, ..] = symbols(&mut dag);
        // 18 x² + 15 x - 3 = 3 (6 x - 1) (x + 1) and 3 - 18 x.
        let a = polynomial(&mut dag, &[(18, &[(x, 2)]), (15, &[(x, 1)]), (-3, &[])]);
        let b = polynomial(&mut dag, &[(3, &[]), (-18, &[(x, 1)])]);
        let found = without_common_divisor(&mut dag, &[a, b]).unwrap();
        assert_eq!((text(&dag, found[0]), text(&dag, found[1])), ("x + 1".into(), "-1".into()));
    }

    #[test]
    fn factors_in_several_unknowns_divide_exactly() {
        let mut dag = Dag::new();
        let [x, y, z] = symbols(&mut dag);
        let common = polynomial(&mut dag, &[(1, &[(x, 1), (y, 1)]), (2, &[(z, 2)]), (-1, &[])]);
        let first = polynomial(&mut dag, &[(1, &[(x, 1)]), (3, &[(z, 1)])]);
        let second = polynomial(&mut dag, &[(1, &[(y, 2)]), (-1, &[(x, 1)]), (1, &[])]);
        let third = polynomial(&mut dag, &[(5, &[(z, 1)]), (1, &[(y, 1)])]);
        let list = [first, second, third].map(|f| dag.mul(f, common));
        let found = without_common_divisor(&mut dag, &list).unwrap();
        assert_eq!(found, [first, second, third], "{}", text(&dag, found[0]));
    }

    #[test]
    fn coprime_expressions_stay() {
        let mut dag = Dag::new();
        let [x, y, _] = symbols(&mut dag);
        let sum = dag.add(x, y);
        let difference = dag.sub(x, y);
        assert_eq!(without_common_divisor(&mut dag, &[sum, difference]), None);
        let square = dag.mul(x, y);
        assert_eq!(without_common_divisor(&mut dag, &[square, sum]), None);
    }
}
