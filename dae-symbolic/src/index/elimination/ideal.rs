//! Consequences without unknowns.
//!
//! In: polynomials that are to vanish together. Out: a combination of them, with polynomials as coefficients, in which nothing that is sought
//! occurs: a condition on known functions of time.
//!
//! Three steps, the cheapest first: what can be solved for a variable, because it contains it linearly with a number as coefficient, is put into
//! the others, which leaves an ideal of the remaining variables with the same such consequences; leading terms are reduced by one another; and
//! where two leading terms overlap, the combination in which they cancel joins the others (Buchberger; Cox, Little & O'Shea,
//! *Ideals, Varieties, and Algorithms*, § 2.7). It ends when the budget does: that nothing was found proves nothing.

use std::collections::BTreeSet;

use super::polynomial::{Monomial, Polynomial};
use crate::expr::Rational;

/// Longer polynomials, with long coefficients counted as several terms, are left out.
const MAX_SIZE: usize = 8_000;

/// A polynomial of the ideal, and the generators it was made of, as bits.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) polynomial: Polynomial,
    pub(super) made_of: u128,
}

/// The generators and what has become of them.
pub(super) struct Ideal {
    members: Vec<(usize, Member)>,
    next: usize,
    /// Pairs whose combination was looked at.
    paired: BTreeSet<(usize, usize)>,
    /// How many terms may still be made.
    left: usize,
}

impl Ideal {
    /// `budget` is the number of terms that may be made.
    pub(super) fn new(generators: Vec<Member>, budget: usize) -> Self {
        let mut ideal = Ideal { members: Vec::new(), next: 0, paired: BTreeSet::new(), left: budget };
        generators.into_iter().for_each(|member| ideal.join(member));
        ideal
    }

    fn join(&mut self, member: Member) {
        let polynomial = member.polynomial.monic();
        let size = polynomial.size();
        self.spend(size);
        // What grows too long is left out: fewer polynomials have fewer consequences.
        if (1..=MAX_SIZE).contains(&size) {
            self.members.push((self.next, Member { polynomial, ..member }));
            self.next += 1;
        }
    }

    /// A look at this many terms or pairs costs as much as making one.
    const LOOKS: usize = 8;

    fn spend(&mut self, size: usize) {
        self.left = self.left.saturating_sub(size);
    }

    /// The first consequence without unknowns that `wanted` accepts, and what is left of the budget.
    pub(super) fn consequence(mut self, mut wanted: impl FnMut(&Polynomial) -> bool) -> Option<(Member, usize)> {
        while self.left > 0 {
            let (known, sought): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.members).into_iter().partition(|(_, member)| member.polynomial.is_known());
            self.members = sought;
            if let Some((_, found)) = known.into_iter().find(|(_, member)| wanted(&member.polynomial)) {
                return Some((found, self.left));
            }
            if !(self.substitute() || self.reduce() || self.combine()) {
                return None;
            }
        }
        None
    }

    /// Solves one polynomial for a variable and replaces that in the others. Returns whether there was one.
    fn substitute(&mut self) -> bool {
        self.spend(self.members.iter().map(|(_, member)| member.polynomial.len()).sum::<usize>() / Self::LOOKS);
        let mut best: Option<(usize, usize, u32, Rational)> = None;
        for (place, (_, member)) in self.members.iter().enumerate() {
            for (variable, q) in member.polynomial.solvable() {
                let others = self.members.iter().enumerate().filter(|(k, _)| *k != place);
                let occurrences: usize = others.map(|(_, (_, other))| other.polynomial.occurrences(variable)).sum();
                let cost = occurrences * (member.polynomial.len() - 1);
                if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                    best = Some((cost, place, variable, q));
                }
            }
        }
        let Some((cost, place, variable, q)) = best else { return false };
        let (_, solved) = self.members.swap_remove(place);
        let Some(value) = solved.polynomial.solved_for(variable, &q) else { return true };
        self.spend(cost);
        for (_, member) in std::mem::take(&mut self.members) {
            if member.polynomial.occurrences(variable) == 0 {
                self.join(member);
                continue;
            }
            if let Some(polynomial) = member.polynomial.replaced(variable, &value, &mut self.left) {
                self.join(Member { polynomial, made_of: member.made_of | solved.made_of });
            }
        }
        self.members.sort_by_key(|(number, _)| *number);
        true
    }

    /// Reduces a polynomial by the others. Returns whether one changed.
    fn reduce(&mut self) -> bool {
        for place in 0..self.members.len() {
            let (number, member) = self.members.remove(place);
            match self.normal_form(&member) {
                Some(reduced) => {
                    self.join(reduced);
                    return true;
                }
                None => self.members.insert(place, (number, member)),
            }
        }
        false
    }

    /// What is left of a polynomial when leading terms of the members are replaced; `None` if nothing changes.
    fn normal_form(&mut self, member: &Member) -> Option<Member> {
        let mut made_of = member.made_of;
        let mut open = member.polynomial.clone();
        let mut done = Polynomial::default();
        let mut changed = false;
        while let Some((monomial, q)) = open.leading().map(|(m, q)| (m.clone(), q.clone())) {
            let divides = |(_, divisor): &&(usize, Member)| {
                divisor.polynomial.leading().is_some_and(|(leading, _)| leading.divides(&monomial))
            };
            let shortest = self.members.iter().filter(divides).min_by_key(|(_, divisor)| divisor.polynomial.len());
            let quotient = shortest.and_then(|(_, d)| Some((d, monomial.over(d.polynomial.leading()?.0)?)));
            let (spent, long) = match quotient {
                Some((divisor, quotient)) if self.left > 0 => {
                    open.add_multiple(&q.neg(), &quotient, &divisor.polynomial);
                    made_of |= divisor.made_of;
                    changed = true;
                    (divisor.polynomial.size() * (1 + (q.bits() / 64) as usize), open.len() > MAX_SIZE)
                }
                _ => {
                    let term = Polynomial::term(monomial.clone(), q.clone());
                    open.add_multiple(&Rational::MINUS_ONE, &Monomial::default(), &term);
                    done.add_multiple(&Rational::ONE, &Monomial::default(), &term);
                    (1, false)
                }
            };
            self.spend(spent + self.members.len() / Self::LOOKS);
            if long {
                return None;
            }
        }
        changed.then_some(Member { polynomial: done, made_of })
    }

    /// Adds the combination of the two polynomials whose leading terms have the lowest common multiple. Returns whether there were two.
    fn combine(&mut self) -> bool {
        self.spend(self.members.len().pow(2) / Self::LOOKS);
        let mut best: Option<(Monomial, usize, usize)> = None;
        for (i, (a, first)) in self.members.iter().enumerate() {
            for (k, (b, second)) in self.members.iter().enumerate().skip(i + 1) {
                let (Some((f, _)), Some((g, _))) = (first.polynomial.leading(), second.polynomial.leading()) else {
                    continue;
                };
                let common = f.common_multiple(g);
                let overlap = common != f.times(g);
                if overlap
                    && !self.paired.contains(&(*a, *b))
                    && best.as_ref().is_none_or(|(least, ..)| common < *least)
                {
                    best = Some((common, i, k));
                }
            }
        }
        let Some((common, i, k)) = best else { return false };
        let ((a, first), (b, second)) = (&self.members[i], &self.members[k]);
        self.paired.insert((*a, *b));
        let mut polynomial = Polynomial::default();
        for (member, sign) in [(first, 1), (second, -1)] {
            let factor = member.polynomial.leading().and_then(|(leading, _)| common.over(leading));
            let Some(factor) = factor else { return true };
            polynomial.add_multiple(&Rational::from(sign), &factor, &member.polynomial);
        }
        let combined = Member { polynomial, made_of: first.made_of | second.made_of };
        let reduced = self.normal_form(&combined).unwrap_or(combined);
        self.join(reduced);
        true
    }
}
