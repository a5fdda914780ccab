//! Consequences without unknowns.
//!
//! In: polynomials that are to vanish together. Out: a combination of them, with polynomials as coefficients, in which
//! no unknown occurs: a condition on known functions of time.
//!
//! Three steps, the cheapest first: a polynomial that contains a variable linearly, with a number as coefficient, is
//! solved for it and substituted into the others, which leaves an ideal of the remaining variables with the same
//! consequences without unknowns; leading terms are reduced by one another; and where two leading terms overlap, the
//! combination in which they cancel joins the others (Buchberger; Cox, Little & O'Shea, *Ideals, Varieties, and
//! Algorithms*, § 2.7). The search ends when the budget is spent: that nothing was found proves nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::polynomial::{Monomial, Polynomial};
use crate::expr::Rational;

/// A polynomial of the ideal, and the set of generators that it was made from, as bits.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) polynomial: Polynomial,
    pub(super) made_of: u128,
}

/// A member with its number.
struct Numbered {
    number: usize,
    /// Members with numbers below this do not reduce it.
    reduced_up_to: usize,
    /// The variables for which it can be solved, with their coefficients.
    solvable: Vec<(u32, Rational)>,
    member: Member,
}

/// The polynomials of the ideal: the generators, and what they were reduced to and combined into.
pub(super) struct Ideal {
    members: Vec<Numbered>,
    next: usize,
    /// Pairs whose combination has been examined.
    paired: BTreeSet<(usize, usize)>,
    /// The number of terms that may still be made.
    left: usize,
    /// The number of terms beyond which polynomials are left out.
    longest: usize,
}

impl Ideal {
    /// `budget` is the number of terms that may be made, `longest` the number of terms beyond which polynomials are
    /// left out.
    pub(super) fn new(generators: Vec<Member>, budget: usize, longest: usize) -> Self {
        let mut ideal = Ideal { members: Vec::new(), next: 0, paired: BTreeSet::new(), left: budget, longest };
        generators.into_iter().for_each(|member| ideal.join(member, 0));
        ideal
    }

    fn join(&mut self, member: Member, reduced_up_to: usize) {
        let polynomial = member.polynomial.monic();
        let size = polynomial.size();
        self.spend(size);
        // Polynomials that grow too long are left out: fewer polynomials have fewer consequences.
        if (1..=self.longest).contains(&size) {
            let solvable = polynomial.solvable();
            let member = Member { polynomial, ..member };
            self.members.push(Numbered { number: self.next, reduced_up_to, solvable, member });
            self.next += 1;
        }
    }

    /// Examining this many terms or pairs costs as much as making one term.
    const LOOKS: usize = 8;

    fn spend(&mut self, size: usize) {
        self.left = self.left.saturating_sub(size);
    }

    /// The first consequence without unknowns that `wanted` accepts, and what is left of the budget.
    pub(super) fn consequence(mut self, mut wanted: impl FnMut(&Polynomial) -> bool) -> Option<(Member, usize)> {
        while self.left > 0 {
            let (known, sought): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.members).into_iter().partition(|m| m.member.polynomial.is_known());
            self.members = sought;
            if let Some(found) = known.into_iter().find(|m| wanted(&m.member.polynomial)) {
                return Some((found.member, self.left));
            }
            if !(self.substitute() || self.reduce() || self.combine()) {
                return None;
            }
        }
        None
    }

    /// Solves one polynomial for a variable and replaces the variable in the others. Returns whether one could be
    /// solved.
    fn substitute(&mut self) -> bool {
        self.spend(self.members.iter().map(|m| m.member.polynomial.len()).sum::<usize>() / Self::LOOKS);
        let mut occurrences: BTreeMap<u32, usize> = BTreeMap::new();
        for (variable, _) in self.members.iter().flat_map(|m| &m.solvable) {
            occurrences.insert(*variable, 0);
        }
        let terms = self.members.iter().flat_map(|m| m.member.polynomial.terms());
        for (variable, _) in terms.flat_map(|(monomial, _)| monomial.factors()) {
            occurrences.entry(*variable).and_modify(|count| *count += 1);
        }
        let mut best: Option<(usize, usize, u32, Rational)> = None;
        for (place, Numbered { member, solvable, .. }) in self.members.iter().enumerate() {
            for (variable, q) in solvable {
                // The variable occurs once in this polynomial.
                let cost = (occurrences[variable] - 1) * (member.polynomial.len() - 1);
                if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                    best = Some((cost, place, *variable, q.clone()));
                }
            }
        }
        let Some((cost, place, variable, q)) = best else { return false };
        let solved = self.members.swap_remove(place).member;
        let Some(value) = solved.polynomial.solved_for(variable, &q) else { return true };
        self.spend(cost);
        for numbered in std::mem::take(&mut self.members) {
            if numbered.member.polynomial.occurrences(variable) == 0 {
                self.members.push(numbered);
            } else if let Some(polynomial) = numbered.member.polynomial.replaced(variable, &value, &mut self.left) {
                self.join(Member { polynomial, made_of: numbered.member.made_of | solved.made_of }, 0);
            }
        }
        self.members.sort_by_key(|m| m.number);
        true
    }

    /// Reduces the first polynomial that can be reduced by the others. Returns whether there was one.
    fn reduce(&mut self) -> bool {
        for place in 0..self.members.len() {
            let reducible = self.is_reducible(place);
            self.members[place].reduced_up_to = self.next;
            if reducible {
                let numbered = self.members.remove(place);
                match self.normal_form(&numbered.member) {
                    Some(reduced) => {
                        self.join(reduced, self.next);
                        return true;
                    }
                    None => self.members.insert(place, numbered),
                }
            }
        }
        false
    }

    /// Whether the leading term of a member by which this one has not been reduced yet divides one of its terms.
    fn is_reducible(&mut self, place: usize) -> bool {
        let Numbered { number, reduced_up_to, member, .. } = &self.members[place];
        let new = self.members.iter().filter(|m| m.number >= *reduced_up_to && m.number != *number);
        let leading: Vec<&Monomial> = new.filter_map(|m| Some(m.member.polynomial.leading()?.0)).collect();
        let reducible = member.polynomial.terms().any(|(term, _)| leading.iter().any(|leading| leading.divides(term)));
        self.spend(member.polynomial.len() * leading.len() / Self::LOOKS);
        reducible
    }

    /// The remainder of a polynomial after division by the members; `None` if nothing changes or it grows too long.
    fn normal_form(&mut self, member: &Member) -> Option<Member> {
        let mut made_of = member.made_of;
        let mut open = member.polynomial.clone();
        let mut done = Polynomial::default();
        let mut changed = false;
        while let Some((monomial, q)) = open.take_leading() {
            let divides =
                |m: &&Numbered| m.member.polynomial.leading().is_some_and(|(leading, _)| leading.divides(&monomial));
            let shortest = self.members.iter().filter(divides).min_by_key(|m| m.member.polynomial.len());
            let quotient = shortest.and_then(|m| Some((&m.member, monomial.over(m.member.polynomial.leading()?.0)?)));
            let spent = match quotient {
                Some((divisor, quotient)) if self.left > 0 => {
                    // The leading terms cancel.
                    open.add_multiple_of_tail(&q.neg(), &quotient, &divisor.polynomial);
                    made_of |= divisor.made_of;
                    changed = true;
                    divisor.polynomial.size() * (1 + (q.bits() / 64) as usize)
                }
                _ => {
                    done.add_term(monomial, &q);
                    1
                }
            };
            self.spend(spent + self.members.len() / Self::LOOKS);
            if open.len() > self.longest {
                return None;
            }
        }
        changed.then_some(Member { polynomial: done, made_of })
    }

    /// Adds the reduced combination of the two polynomials whose leading terms have the lowest least common multiple.
    /// Returns whether there were two.
    fn combine(&mut self) -> bool {
        self.spend(self.members.len().pow(2) / Self::LOOKS);
        let mut best: Option<(Monomial, usize, usize)> = None;
        for (i, first) in self.members.iter().enumerate() {
            for (k, second) in self.members.iter().enumerate().skip(i + 1) {
                let least = best.as_ref().map(|(least, ..)| least);
                if let Some(common) = self.overlap(first, second, least)
                    && least.is_none_or(|least| common < *least)
                {
                    best = Some((common, i, k));
                }
            }
        }
        let Some((common, i, k)) = best else { return false };
        let (first, second) = (&self.members[i], &self.members[k]);
        self.paired.insert((first.number, second.number));
        let mut polynomial = Polynomial::default();
        for (member, sign) in [(&first.member, 1), (&second.member, -1)] {
            let factor = member.polynomial.leading().and_then(|(leading, _)| common.over(leading));
            let Some(factor) = factor else { return true };
            polynomial.add_multiple(&Rational::from(sign), &factor, &member.polynomial);
        }
        let combined = Member { polynomial, made_of: first.member.made_of | second.member.made_of };
        let reduced = self.normal_form(&combined).unwrap_or(combined);
        self.join(reduced, self.next);
        true
    }

    /// The least common multiple of the leading terms of two members; `None` if their combination has been examined,
    /// the terms are coprime, so that it yields nothing new, or the multiple has a higher degree than `least`, the
    /// lowest so far.
    fn overlap(&self, first: &Numbered, second: &Numbered, least: Option<&Monomial>) -> Option<Monomial> {
        let (f, g) = (first.member.polynomial.leading()?.0, second.member.polynomial.leading()?.0);
        if least.is_some_and(|least| f.degree().max(g.degree()) > least.degree()) {
            return None;
        }
        let is_new = !self.paired.contains(&(first.number, second.number));
        (is_new && !f.is_coprime_to(g)).then(|| f.common_multiple(g))
    }
}
