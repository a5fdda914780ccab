//! Transformations that change the appearance of a system, but not its index.
//!
//! In: rows $F(t, z, z') = 0$. Out: $M(t, x)\,F = 0$ with $\det M = \pm 1$, and $z = \varphi(t, x)$ with $\varphi$ a
//! product of elementary invertible maps. Neither changes the index of a first-order system or the dimension of its set
//! of consistent states: each multiplies the derivative array by an invertible block triangular matrix.

use crate::polynomial::{Atom, Poly};
use crate::random::Random;

/// What the entries of a transformation are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entries {
    /// Integers.
    Constant,
    /// Polynomials in time.
    Polynomial,
    /// Sines and cosines of time.
    Trigonometric,
    /// Polynomials in the unknowns.
    States,
}

/// The largest number of terms of a transformed system; larger systems are drawn anew.
const MAX_TERMS: usize = 160;

/// A random factor for an elementary operation.
fn factor(random: &mut Random, entries: Entries, states: &[usize]) -> Poly {
    let constant = Poly::constant(random.nonzero());
    let k = random.between(1, 2) as i64;
    match entries {
        Entries::Constant => constant,
        Entries::Polynomial => match random.below(3) {
            0 => constant,
            1 => Poly::atom(Atom::Time).times(&constant),
            _ => Poly::atom(Atom::Time).plus(&constant),
        },
        Entries::Trigonometric => match random.below(3) {
            0 => constant,
            1 => Poly::atom(Atom::Sin(k)),
            _ => Poly::atom(Atom::Cos(k)),
        },
        Entries::States if states.is_empty() || random.once_in(3) => constant,
        Entries::States => {
            let state = Poly::jet(*random.choose(states), 0);
            if random.once_in(2) { state } else { state.plus(&constant) }
        }
    }
}

/// An elementary map of the unknowns.
enum Elementary {
    /// $z_i \mathrel{+}= q(z)$, with $q$ free of $z_i$.
    Add(usize, Poly),
    /// Rotation of two unknowns by the angle $kt$.
    Rotate(usize, usize, i64),
}

/// A change of unknowns $z = \varphi(t, x)$, from $z$ to $x$.
pub(crate) struct Change {
    maps: Vec<Elementary>,
    unknowns: usize,
}

impl Change {
    /// A product of `count` elementary maps.
    pub(crate) fn random(random: &mut Random, unknowns: usize, entries: Entries, count: usize) -> Self {
        let mut maps = Vec::new();
        for _ in 0..if unknowns < 2 { 0 } else { count } {
            let i = random.below(unknowns);
            let others: Vec<usize> = (0..unknowns).filter(|&j| j != i).collect();
            let j = *random.choose(&others);
            maps.push(match entries {
                Entries::Trigonometric if random.once_in(2) => Elementary::Rotate(i, j, random.between(1, 2) as i64),
                _ => Elementary::Add(i, factor(random, entries, &others).times(&Poly::jet(j, 0))),
            });
        }
        Change { maps, unknowns }
    }

    /// $z_j$ as polynomials in $t$ and $x$.
    pub(crate) fn values(&self) -> Vec<Poly> {
        let mut values: Vec<Poly> = (0..self.unknowns).map(|j| Poly::jet(j, 0)).collect();
        for map in &self.maps {
            match map {
                Elementary::Add(i, q) => values[*i] = values[*i].plus(&q.substitute(&values)),
                &Elementary::Rotate(i, j, k) => {
                    let (sin, cos) = (Poly::atom(Atom::Sin(k)), Poly::atom(Atom::Cos(k)));
                    let first = cos.times(&values[i]).minus(&sin.times(&values[j]));
                    let second = sin.times(&values[i]).plus(&cos.times(&values[j]));
                    (values[i], values[j]) = (first.reduced(), second.reduced());
                }
            }
        }
        values
    }

    /// $x$ for given $z$.
    pub(crate) fn inverse(&self, t: f64, z: &[f64]) -> Vec<f64> {
        let mut x = z.to_vec();
        for map in self.maps.iter().rev() {
            match map {
                Elementary::Add(i, q) => x[*i] -= q.value(t, |j, _| x[j]),
                &Elementary::Rotate(i, j, k) => {
                    let (sin, cos) = (k as f64 * t).sin_cos();
                    (x[i], x[j]) = (cos * x[i] + sin * x[j], cos * x[j] - sin * x[i]);
                }
            }
        }
        x
    }
}

/// Rows in terms of the new unknowns, combined and permuted; `None` if they have more than `MAX_TERMS` terms.
pub(crate) fn hide(
    random: &mut Random,
    rows: &[Poly],
    change: &Change,
    entries: Entries,
    count: usize,
) -> Option<Vec<Poly>> {
    let values = change.values();
    let substituted = rows.iter().map(|row| row.substitute(&values).reduced()).collect();
    combine(random, substituted, change.unknowns, entries, count)
}

/// Rows combined by up to `count` elementary operations, and permuted; `None` if they have more than `MAX_TERMS` terms.
pub(crate) fn combine(
    random: &mut Random,
    mut rows: Vec<Poly>,
    unknowns: usize,
    entries: Entries,
    count: usize,
) -> Option<Vec<Poly>> {
    let states: Vec<usize> = (0..unknowns).collect();
    let total = |rows: &[Poly]| rows.iter().map(Poly::len).sum::<usize>();
    for _ in 0..if rows.len() < 2 { 0 } else { count } {
        if total(&rows) > MAX_TERMS {
            return None;
        }
        let (i, j) = (random.below(rows.len()), random.below(rows.len()));
        if i != j {
            rows[i] = rows[i].plus(&factor(random, entries, &states).times(&rows[j])).reduced();
        }
    }
    random.shuffle(&mut rows);
    (total(&rows) <= MAX_TERMS).then_some(rows)
}

/// Rows combined by up to `count` elementary operations, without expanding products, and permuted.
pub(crate) fn combine_text(
    random: &mut Random,
    mut rows: Vec<String>,
    factors: &[String],
    count: usize,
) -> Vec<String> {
    for _ in 0..if rows.len() < 2 { 0 } else { count } {
        let (i, j) = (random.below(rows.len()), random.below(rows.len()));
        if i != j && rows[i].len() + rows[j].len() < 1500 {
            rows[i] = format!("{} + ({})*({})", rows[i], random.choose(factors), rows[j]);
        }
    }
    random.shuffle(&mut rows);
    rows
}

/// Declarations with guesses, and equations. If `loose`, one guess in eight is left out on average.
pub(crate) fn lines(random: &mut Random, rows: &[Poly], starts: &[f64], loose: bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (j, start) in starts.iter().enumerate() {
        let without = loose && random.once_in(8);
        lines.push(if without { format!("var x{j};") } else { format!("var x{j} ~ {start:?};") });
    }
    lines.extend(rows.iter().map(|row| format!("0 = {};", row.text(|j| format!("x{j}")))));
    lines
}

/// A smooth function of time for a right-hand side, sometimes zero.
pub(crate) fn forcing(random: &mut Random) -> Poly {
    let k = random.between(1, 3) as i64;
    let function = match random.below(6) {
        0 => return Poly::zero(),
        1 => Poly::constant(1),
        2 => Poly::atom(Atom::Sin(k)),
        3 => Poly::atom(Atom::Cos(k)),
        4 => Poly::atom(Atom::Time).plus(&Poly::atom(Atom::Time).times(&Poly::atom(Atom::Time))),
        _ => Poly::atom(Atom::Exp(-1)),
    };
    function.scaled(random.nonzero())
}

/// A time to start at.
pub(crate) fn start_time(random: &mut Random) -> f64 {
    *random.choose(&[0.0, 0.0, 0.25, 0.7])
}
