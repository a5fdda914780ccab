//! Polynomials over the rational numbers.
//!
//! In: monomials and coefficients. Out: sums, differences and products, quotients of monomials, and polynomials in
//! which a variable is replaced.
//!
//! Variables are numbers. Those from [`Polynomial::UNKNOWN`] on are unknowns and functions of them, the others are
//! known functions of time; monomials are ordered by their degree in the unknowns and then lexicographically, which is
//! an admissible order.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::expr::Rational;

/// Powers beyond this are not formed.
const MAX_EXPONENT: u64 = 1 << 40;

/// $\prod_j v_j^{n_j}$, descending by variable, exponents positive.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Monomial {
    /// The degree in the unknowns, by which monomials are ordered first.
    degree: u64,
    factors: Vec<(u32, u64)>,
}

impl Monomial {
    fn of(factors: Vec<(u32, u64)>) -> Self {
        let sought = factors.iter().take_while(|(variable, _)| *variable >= Polynomial::UNKNOWN);
        Monomial { degree: sought.map(|(_, exponent)| exponent).sum(), factors }
    }

    /// $v^n$.
    pub(super) fn power(variable: u32, exponent: u64) -> Self {
        Monomial::of(if exponent == 0 { Vec::new() } else { vec![(variable, exponent)] })
    }

    /// Variables and exponents, descending.
    pub(super) fn factors(&self) -> &[(u32, u64)] {
        &self.factors
    }

    /// The degree in the unknowns.
    pub(super) fn degree(&self) -> u64 {
        self.degree
    }

    /// The exponent of a variable.
    fn exponent(&self, variable: u32) -> u64 {
        self.factors.iter().find(|(v, _)| *v == variable).map_or(0, |&(_, exponent)| exponent)
    }

    /// The product.
    pub(super) fn times(&self, other: &Self) -> Self {
        self.merged(other, |a, b| a + b)
    }

    /// The least common multiple.
    pub(super) fn common_multiple(&self, other: &Self) -> Self {
        self.merged(other, u64::max)
    }

    fn merged(&self, other: &Self, both: impl Fn(u64, u64) -> u64) -> Self {
        let (a, b) = (&self.factors, &other.factors);
        let mut merged = Vec::with_capacity(a.len() + b.len());
        let (mut i, mut k) = (0, 0);
        while i < a.len() && k < b.len() {
            let order = a[i].0.cmp(&b[k].0);
            merged.push(match order {
                Ordering::Greater => a[i],
                Ordering::Less => b[k],
                Ordering::Equal => (a[i].0, both(a[i].1, b[k].1)),
            });
            i += usize::from(order.is_ge());
            k += usize::from(order.is_le());
        }
        merged.extend(&a[i..]);
        merged.extend(&b[k..]);
        Monomial::of(merged)
    }

    /// Whether no variable is in both.
    pub(super) fn is_coprime_to(&self, other: &Self) -> bool {
        self.factors.iter().all(|&(v, _)| other.exponent(v) == 0)
    }

    /// Whether the monomial divides another one.
    pub(super) fn divides(&self, other: &Self) -> bool {
        self.degree <= other.degree && self.factors.iter().all(|&(v, exponent)| exponent <= other.exponent(v))
    }

    /// The quotient by another monomial, if it is a monomial.
    pub(super) fn over(&self, other: &Self) -> Option<Self> {
        if !other.divides(self) {
            return None;
        }
        let rest = self.factors.iter().map(|&(variable, exponent)| (variable, exponent - other.exponent(variable)));
        Some(Monomial::of(rest.filter(|&(_, exponent)| exponent > 0).collect()))
    }

    /// The monomial without one of its variables.
    fn without(&self, variable: u32) -> Self {
        Monomial::of(self.factors.iter().copied().filter(|&(v, _)| v != variable).collect())
    }
}

/// $\sum_k q_k m_k$, coefficients nonzero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Polynomial(BTreeMap<Monomial, Rational>);

impl Polynomial {
    /// The number of the first unknown.
    pub(super) const UNKNOWN: u32 = 1 << 31;

    /// A number.
    pub(super) fn constant(value: Rational) -> Self {
        Self::term(Monomial::default(), value)
    }

    /// $q m$.
    pub(super) fn term(monomial: Monomial, coefficient: Rational) -> Self {
        let mut polynomial = Polynomial::default();
        polynomial.add_term(monomial, &coefficient);
        polynomial
    }

    /// Monomials and coefficients, ascending.
    pub(super) fn terms(&self) -> impl DoubleEndedIterator<Item = (&Monomial, &Rational)> {
        self.0.iter()
    }

    /// The number of terms.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The number of terms, those with long coefficients counting as several: the work of reducing fractions grows with
    /// the square of their length.
    pub(super) fn size(&self) -> usize {
        const WORD: u64 = 64;
        self.0.values().map(|q| 1 + (q.bits() / WORD).pow(2) as usize).sum()
    }

    /// Whether no unknown occurs.
    pub(super) fn is_known(&self) -> bool {
        self.0.last_key_value().is_none_or(|(monomial, _)| monomial.degree == 0)
    }

    /// The highest monomial with its coefficient.
    pub(super) fn leading(&self) -> Option<(&Monomial, &Rational)> {
        self.0.last_key_value()
    }

    /// Takes the highest monomial and its coefficient out of the polynomial.
    pub(super) fn take_leading(&mut self) -> Option<(Monomial, Rational)> {
        self.0.pop_last()
    }

    pub(super) fn add_term(&mut self, monomial: Monomial, coefficient: &Rational) {
        match self.0.entry(monomial) {
            Entry::Vacant(_) if coefficient.is_zero() => {}
            Entry::Vacant(vacant) => {
                vacant.insert(coefficient.clone());
            }
            Entry::Occupied(mut occupied) => {
                let sum = occupied.get().add(coefficient);
                if sum.is_zero() {
                    occupied.remove();
                } else {
                    occupied.insert(sum);
                }
            }
        }
    }

    /// `self += q m other`.
    pub(super) fn add_multiple(&mut self, q: &Rational, monomial: &Monomial, other: &Self) {
        other.0.iter().for_each(|(m, r)| self.add_term(m.times(monomial), &q.mul(r)));
    }

    /// `self += q m other`, without the leading term of the other.
    pub(super) fn add_multiple_of_tail(&mut self, q: &Rational, monomial: &Monomial, other: &Self) {
        other.0.iter().rev().skip(1).for_each(|(m, r)| self.add_term(m.times(monomial), &q.mul(r)));
    }

    /// The difference.
    pub(super) fn minus(&self, other: &Self) -> Self {
        let mut difference = self.clone();
        difference.add_multiple(&Rational::MINUS_ONE, &Monomial::default(), other);
        difference
    }

    /// The product; `None` if its cost exceeds what is left of a budget, which is charged.
    pub(super) fn times(&self, other: &Self, left: &mut usize) -> Option<Self> {
        *left = left.checked_sub(self.size().saturating_mul(other.size()))?;
        let mut product = Polynomial::default();
        for (monomial, q) in &self.0 {
            product.add_multiple(q, monomial, other);
        }
        Some(product)
    }

    /// $p^n$, within a budget like [`Polynomial::times`].
    pub(super) fn power(&self, n: u64, left: &mut usize) -> Option<Self> {
        if let (1, Some((monomial, q))) = (self.len(), self.leading()) {
            // Only while sums of such exponents cannot overflow.
            let bounded = |m: u64| m.checked_mul(n).filter(|&exponent| exponent <= MAX_EXPONENT);
            let powers: Option<Vec<(u32, u64)>> =
                monomial.factors.iter().map(|&(variable, m)| Some((variable, bounded(m)?))).collect();
            let powers = powers?.into_iter().filter(|&(_, exponent)| exponent > 0).collect();
            return Some(Polynomial::term(Monomial::of(powers), q.powi(i32::try_from(n).ok()?)?));
        }
        if self.len() == 0 && n > 0 {
            return Some(Polynomial::default());
        }
        (0..n).try_fold(Polynomial::constant(Rational::ONE), |power, _| power.times(self, left))
    }

    /// The quotient by the leading coefficient.
    pub(super) fn monic(mut self) -> Self {
        let Some(inverse) = self.leading().and_then(|(_, q)| q.recip()) else { return self };
        self.0.values_mut().for_each(|q| *q = q.mul(&inverse));
        self
    }

    /// The unknowns that occur in one term only, alone and to the first power, with their coefficients: the polynomial
    /// can be solved for each of them.
    pub(super) fn solvable(&self) -> Vec<(u32, Rational)> {
        let mut occurrences: BTreeMap<u32, usize> = BTreeMap::new();
        for &(variable, _) in self.0.keys().flat_map(Monomial::factors) {
            *occurrences.entry(variable).or_default() += 1;
        }
        let alone = |(monomial, q): (&Monomial, &Rational)| match monomial.factors() {
            &[(variable, 1)] if variable >= Self::UNKNOWN && occurrences[&variable] == 1 => Some((variable, q.clone())),
            _ => None,
        };
        self.0.iter().filter_map(alone).collect()
    }

    /// The number of terms that contain a variable.
    pub(super) fn occurrences(&self, variable: u32) -> usize {
        self.0.keys().filter(|monomial| monomial.exponent(variable) > 0).count()
    }

    /// The value of the variable, a term of `self` with coefficient `q`, where `self` vanishes.
    pub(super) fn solved_for(&self, variable: u32, q: &Rational) -> Option<Self> {
        let factor = q.recip()?.neg();
        let rest = self.0.iter().filter(|(monomial, _)| monomial.exponent(variable) == 0);
        Some(Polynomial(rest.map(|(monomial, r)| (monomial.clone(), r.mul(&factor))).collect()))
    }

    /// The polynomial with a variable replaced, within a budget like [`Polynomial::times`].
    pub(super) fn replaced(&self, variable: u32, value: &Self, left: &mut usize) -> Option<Self> {
        let mut by_power: BTreeMap<u64, Polynomial> = BTreeMap::new();
        for (monomial, q) in &self.0 {
            let rest = by_power.entry(monomial.exponent(variable)).or_default();
            rest.add_term(monomial.without(variable), q);
        }
        let mut result = by_power.remove(&0).unwrap_or_default();
        let (mut power, mut reached) = (Polynomial::constant(Rational::ONE), 0);
        for (exponent, rest) in by_power {
            power = power.times(&value.power(exponent - reached, left)?, left)?;
            reached = exponent;
            result.add_multiple(&Rational::ONE, &Monomial::default(), &power.times(&rest, left)?);
        }
        Some(result)
    }
}
