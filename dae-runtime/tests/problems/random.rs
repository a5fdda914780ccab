//! Random systems.
//!
//! In: a seed. Out: numbers, expressions in $t$, $y$, $y'$, and systems made of them.

use fastrand::Rng;

use super::{Model, Scalar};

/// A generator of pseudorandom numbers, which depend on the seed alone.
pub struct Random(Rng);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(Rng::with_seed(seed))
    }

    /// One of $0, \dots, n - 1$; zero if $n = 0$.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.usize(..n.max(1))
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn unit(&mut self) -> f64 {
        self.0.f64()
    }

    pub fn of<T: Copy>(&mut self, choice: &[T]) -> T {
        choice[self.below(choice.len())]
    }

    /// A number between -2 and 2, or now and then one of a very different magnitude.
    pub fn number(&mut self) -> f64 {
        let x = 2.0 * self.unit() - 1.0;
        match self.below(12) {
            0 => 0.0,
            1 => x * 1e8,
            2 => x * 1e-8,
            3 => self.of(&[1.0, -1.0, 2.0]),
            _ => 2.0 * x,
        }
    }

    /// A number that may be infinite or NaN.
    pub fn anything(&mut self) -> f64 {
        match self.below(40) {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => 1e300,
            3 => 1e-300,
            _ => self.number(),
        }
    }
}

/// An expression in $t$, $y$ and $y'$.
#[derive(Clone, Debug)]
pub enum Term {
    Constant(f64),
    Time,
    Y(usize),
    Yp(usize),
    Sum(Box<[Term; 2]>),
    Product(Box<[Term; 2]>),
    Quotient(Box<[Term; 2]>),
    Apply(u8, Box<Term>),
}

impl Term {
    pub fn random(random: &mut Random, n: usize, slopes: bool, depth: usize) -> Term {
        let below = |random: &mut Random| Term::random(random, n, slopes, depth - 1);
        match random.below(if depth == 0 { 4 } else { 10 }) {
            0 => Term::Constant(random.number()),
            1 if random.chance(40) => Term::Time,
            3 if slopes && n > 0 => Term::Yp(random.below(n)),
            1..=3 if n > 0 => Term::Y(random.below(n)),
            4 | 5 => Term::Sum(Box::new([below(random), below(random)])),
            6 | 7 => Term::Product(Box::new([below(random), below(random)])),
            8 if random.chance(30) => Term::Quotient(Box::new([below(random), below(random)])),
            8.. => Term::Apply(random.below(5) as u8, Box::new(below(random))),
            _ => Term::Constant(1.0),
        }
    }

    pub fn value<S: Scalar>(&self, t: S, y: &[S], yp: &[S]) -> S {
        match self {
            Term::Constant(value) => S::constant(*value),
            Term::Time => t,
            Term::Y(i) => y[*i],
            Term::Yp(i) => yp.get(*i).copied().unwrap_or(S::constant(0.0)),
            Term::Sum(terms) => terms[0].value(t, y, yp) + terms[1].value(t, y, yp),
            Term::Product(terms) => terms[0].value(t, y, yp) * terms[1].value(t, y, yp),
            Term::Quotient(terms) => terms[0].value(t, y, yp) / terms[1].value(t, y, yp),
            Term::Apply(function, term) => {
                let x = term.value(t, y, yp);
                match function {
                    0 => x.sin(),
                    1 => x.cos(),
                    2 => x.exp(),
                    3 => x.sqrt(),
                    _ => x.positive_part(),
                }
            }
        }
    }

    pub fn has_slope(&self, unknown: usize) -> bool {
        match self {
            Term::Yp(i) => *i == unknown,
            Term::Sum(terms) | Term::Product(terms) | Term::Quotient(terms) => {
                terms.iter().any(|term| term.has_slope(unknown))
            }
            Term::Apply(_, term) => term.has_slope(unknown),
            Term::Constant(_) | Term::Time | Term::Y(_) => false,
        }
    }
}

/// A system: the rows of its residual, and its invariants.
pub struct System {
    pub rows: Vec<Term>,
    pub invariants: Vec<Term>,
}

impl Model for System {
    fn residual<S: Scalar>(&self, t: S, y: &[S], yp: &[S], out: &mut [S]) {
        self.rows.iter().zip(out).for_each(|(row, out)| *out = row.value(t, y, yp));
    }

    fn invariants<S: Scalar>(&self, t: S, y: &[S], out: &mut [S]) {
        self.invariants.iter().zip(out).for_each(|(invariant, out)| *out = invariant.value(t, y, &[]));
    }
}
