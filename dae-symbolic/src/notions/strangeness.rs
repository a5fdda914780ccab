//! Characteristic values of a pencil, its strangeness index, and what is too much in it.
//!
//! In: the pencil $(E, A)$ of a linear system with constant coefficients. Out: the sequence of characteristic values $(r_i, a_i, s_i)$ of Kunkel &
//! Mehrmann, *Differential-Algebraic Equations* (EMS 2006), Theorem 3.7 and eq. (3.25): with $T$ a basis of $\ker E$ and $Z$ one of its
//! cokernel,
//!
//! $$ r = \operatorname{rank} E, \qquad a = \operatorname{rank} (Z^\top A T), \qquad s = \operatorname{rank} (Z^\top A) - a, $$
//!
//! differential part, algebraic part, and strangeness: $s$ constraints that restrict what is differentiated. One step of the reduction
//! replaces the $s$ differential equations that derivatives of these constraints make superfluous by algebraic ones. The strangeness index
//! $\mu$ is the number of steps until $s_\mu = 0$. A combination of rows and their derivatives in which everything cancels is a polynomial
//! left null vector $w(s)^\top (sE + A) \equiv 0$. All ranks are exact.

use std::collections::BTreeMap;

use super::pencil::{Pencil, PolynomialVector, Sparse, add_multiple, differentiated};
use crate::expr::Rational;

/// One triple of characteristic values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Characteristic {
    /// $r$, the rank of $E$.
    pub differential: usize,
    /// $a$, the algebraic part.
    pub algebraic: usize,
    /// $s$, the strangeness.
    pub strangeness: usize,
}

/// What the reduction finds.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    /// The characteristic values until the strangeness vanishes; their number less one is the strangeness index.
    pub values: Vec<Characteristic>,
    /// A combination of rows and their derivatives in which everything cancels.
    pub dependent: Option<PolynomialVector>,
}

/// A differential equation $e\, u' + a\, u = \dots$, and the combination of rows that it is.
#[derive(Clone)]
struct Differential {
    e: Sparse,
    a: Sparse,
    origin: PolynomialVector,
}

/// A constraint $a\, u = \dots$, and the combination of rows and their derivatives that it is.
struct Constraint {
    a: Sparse,
    origin: PolynomialVector,
}

/// A row under elimination: what is left of it, and how much of the differential equations ($e$ alone) and of the constraints was taken.
struct Remainder {
    row: Sparse,
    differential: Sparse,
    constraints: PolynomialVector,
}

/// A combination of differential equations whose $E$-parts are one of constraints.
struct Superfluous {
    differential: Sparse,
    constraints: PolynomialVector,
}

/// Reduces a pencil.
pub fn reduce(pencil: &Pencil) -> Reduction {
    reduce_for(pencil, Wanted::Values)
}

/// A combination of rows and their derivatives in which everything cancels, if there is one. No more is reduced than it takes: the numbers
/// of a reduction that goes on grow with every round.
pub(super) fn dependent(pencil: &Pencil) -> Option<PolynomialVector> {
    reduce_for(pencil, Wanted::Dependence).dependent
}

/// When a reduction ends.
#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    /// When the strangeness has vanished.
    Values,
    /// At the first combination in which everything cancels.
    Dependence,
}

fn reduce_for(pencil: &Pencil, wanted: Wanted) -> Reduction {
    let (mut differential, mut constraints) = separate(pencil);
    let mut reduction = Reduction { values: Vec::new(), dependent: None };
    loop {
        let step = Step::of(&differential, &constraints);
        reduction.dependent = reduction.dependent.or(step.dependent);
        let strangeness = step.superfluous.len();
        let value = Characteristic { differential: differential.len(), algebraic: step.algebraic, strangeness };
        reduction.values.push(value);
        if strangeness == 0 || (wanted == Wanted::Dependence && reduction.dependent.is_some()) {
            return reduction;
        }
        // The derivatives of the constraints, less the differential equations that they are made of.
        for found in step.superfluous.values() {
            let (mut a, mut origin) = (Sparse::new(), differentiated(&found.constraints));
            for (&i, q) in &found.differential {
                add_multiple(&mut a, &differential[i].a, q);
                add_multiple(&mut origin, &differential[i].origin, q);
            }
            constraints.push(Constraint { a, origin });
        }
        let mut index = 0..;
        differential.retain(|_| index.next().is_some_and(|i| !step.superfluous.contains_key(&i)));
    }
}

/// Rows with independent $E$-parts, and the constraints that remain where the $E$-part can be made to vanish.
fn separate(pencil: &Pencil) -> (Vec<Differential>, Vec<Constraint>) {
    let mut echelon: BTreeMap<usize, Differential> = BTreeMap::new();
    let mut constraints = Vec::new();
    for (i, (e, a)) in pencil.rows.iter().enumerate() {
        let clean = |v: &Sparse| v.iter().filter(|(_, q)| !q.is_zero()).map(|(&j, q)| (j, q.clone())).collect();
        let origin = PolynomialVector::from([((i, 0), Rational::ONE)]);
        let mut row = Differential { e: clean(e), a: clean(a), origin };
        loop {
            let Some((&column, value)) = row.e.iter().next() else {
                constraints.push(Constraint { a: row.a, origin: row.origin });
                break;
            };
            let Some(pivot) = echelon.get(&column) else {
                echelon.insert(column, row);
                break;
            };
            let factor = quotient(value, &pivot.e[&column]).neg();
            add_multiple(&mut row.e, &pivot.e, &factor);
            add_multiple(&mut row.a, &pivot.a, &factor);
            add_multiple(&mut row.origin, &pivot.origin, &factor);
        }
    }
    (echelon.into_values().collect(), constraints)
}

/// One look at the constraints.
struct Step {
    /// Number of constraints that are independent of each other and of the $E$-parts.
    algebraic: usize,
    /// Echelon form, by number of the differential equation that is replaced, of the combinations of $E$-parts that constraints are.
    superfluous: BTreeMap<usize, Superfluous>,
    /// Constraints that cancel among themselves.
    dependent: Option<PolynomialVector>,
}

impl Step {
    fn of(differential: &[Differential], constraints: &[Constraint]) -> Step {
        let mut echelon: BTreeMap<usize, Remainder> = BTreeMap::new();
        for (i, equation) in differential.iter().enumerate() {
            let own = Sparse::from([(i, Rational::ONE)]);
            let row = equation.e.clone();
            insert(&mut echelon, Remainder { row, differential: own, constraints: PolynomialVector::new() });
        }
        let mut step = Step { algebraic: 0, superfluous: BTreeMap::new(), dependent: None };
        for Constraint { a, origin } in constraints {
            let remainder = Remainder { row: a.clone(), differential: Sparse::new(), constraints: origin.clone() };
            match insert(&mut echelon, remainder) {
                None => step.algebraic += 1,
                Some(rest) => step.combined(rest),
            }
        }
        step
    }

    /// A constraint is a combination of $E$-parts and of other constraints.
    fn combined(&mut self, mut rest: Superfluous) {
        loop {
            let Some((&place, value)) = rest.differential.iter().next() else {
                // Of other constraints alone.
                self.dependent.get_or_insert(rest.constraints);
                return;
            };
            let Some(pivot) = self.superfluous.get(&place) else {
                self.superfluous.insert(place, rest);
                return;
            };
            let factor = quotient(value, &pivot.differential[&place]).neg();
            add_multiple(&mut rest.differential, &pivot.differential, &factor);
            add_multiple(&mut rest.constraints, &pivot.constraints, &factor);
        }
    }
}

/// Inserts a row into an echelon form, or returns what it is made of.
fn insert(echelon: &mut BTreeMap<usize, Remainder>, mut remainder: Remainder) -> Option<Superfluous> {
    loop {
        let Some((&column, value)) = remainder.row.iter().next() else {
            let Remainder { differential, constraints, .. } = remainder;
            return Some(Superfluous { differential, constraints });
        };
        let Some(pivot) = echelon.get(&column) else {
            echelon.insert(column, remainder);
            return None;
        };
        let factor = quotient(value, &pivot.row[&column]).neg();
        add_multiple(&mut remainder.row, &pivot.row, &factor);
        add_multiple(&mut remainder.differential, &pivot.differential, &factor);
        add_multiple(&mut remainder.constraints, &pivot.constraints, &factor);
    }
}

/// $a / b$ for a pivot $b \ne 0$.
fn quotient(a: &Rational, b: &Rational) -> Rational {
    b.recip().map_or(Rational::ZERO, |r| a.mul(&r))
}
