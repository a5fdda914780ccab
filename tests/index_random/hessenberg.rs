//! Hessenberg systems of index 1 to 5 with random polynomial right-hand sides.
//!
//! $x_1' = F_1(x_1, \dots, x_r)$, $x_i' = F_i(x_{i-1}, \dots, x_{r-1})$ for $1 < i < r$, $0 = F_r(x_{r-1})$: the index
//! is $r$ where
//! $\frac{\partial F_r}{\partial x_{r-1}} \cdots \frac{\partial F_2}{\partial x_1} \frac{\partial F_1}{\partial x_r}$
//! is nonsingular (Hairer & Wanner II, Sect. VII.1, eqs. (1.13)–(1.15), and beyond), and each of the $\dim x_r$
//! constraints takes $r - 1$ degrees of freedom. Index 1 is $x' = F_1(x, z)$, $0 = F_2(x, z)$ with nonsingular
//! $\partial F_2/\partial z$. A polynomial trajectory is chosen as a solution: each $F_i$ is a random polynomial plus
//! the function of time that makes it so. The matrix is nonsingular at the start, in exact arithmetic.

use crate::case::{Case, Truth};
use crate::hiding::lines;
use crate::polynomial::{Atom, Poly};
use crate::random::Random;

/// A random Hessenberg system, its rows in random order.
pub(crate) fn hessenberg(random: &mut Random) -> Case {
    loop {
        if let Some(case) = attempt(random) {
            return case;
        }
    }
}

/// The trajectory of an unknown: constant, or a polynomial of degree one or two.
fn trajectory(random: &mut Random, equilibrium: bool) -> Poly {
    let t = Poly::atom(Atom::Time);
    let mut x = Poly::constant(random.nonzero());
    if !equilibrium {
        x = x.plus(&t.scaled(random.nonzero()));
        if random.once_in(2) {
            x = x.plus(&t.times(&t).scaled(random.nonzero()));
        }
    }
    x
}

fn attempt(random: &mut Random) -> Option<Case> {
    let r = random.between(1, 5);
    let constraints = if r <= 3 { random.between(1, 2) } else { 1 };
    // dims[i] is the dimension of x_{i+1}; the last one is the number of constraints and of multipliers.
    let mut dims: Vec<usize> = (1..r).map(|_| constraints + random.below(if r <= 3 { 2 } else { 1 })).collect();
    dims.push(constraints);
    if r == 1 {
        dims.insert(0, random.between(0, 2));
    }
    let first: Vec<usize> = dims.iter().scan(0, |sum, d| Some(std::mem::replace(sum, *sum + d))).collect();
    let n: usize = dims.iter().sum();
    let parts = dims.len();
    let equilibrium = random.once_in(3);
    let solution: Vec<Poly> = (0..n).map(|_| trajectory(random, equilibrium)).collect();
    let start: Vec<i64> = solution.iter().map(|x| x.value_at_zero(|_| 0)).collect();
    let mut rows = Vec::new();
    for part in 0..parts {
        let (low, high) = match (part, r) {
            // x_1' and, for index 1, the constraint depend on all unknowns.
            (0, _) | (_, 1) => (0, n),
            // The constraint depends on x_{r-1} alone.
            (part, _) if part + 1 == parts => (first[part - 1], first[part]),
            (part, _) => (first[part - 1], first[parts - 1]),
        };
        for i in first[part]..first[part] + dims[part] {
            let right = random_polynomial(random, low, high);
            let defect = right.minus(&right.substitute(&solution));
            rows.push(match part + 1 == parts {
                true => defect,
                false => Poly::jet(i, 1).minus(&defect).minus(&solution[i].derivative()),
            });
        }
    }
    let chain = |part: usize, by: usize| -> Vec<Vec<i64>> {
        let entry =
            |i: usize, j: usize| rows[i].partial(Atom::Jet { unknown: j, order: 0 }).value_at_zero(|j| start[j]);
        (first[part]..first[part] + dims[part])
            .map(|i| (first[by]..first[by] + dims[by]).map(|j| entry(i, j)).collect())
            .collect()
    };
    let mut product = chain(0, parts - 1);
    if r == 1 {
        product = chain(1, 1);
    }
    for part in 1..if r == 1 { 1 } else { parts } {
        product = multiply(&chain(part, part - 1), &product);
    }
    let determinant = determinant(&product);
    // A nonzero integer is well away from zero, so that a guess nearby leads to the same conclusion.
    if determinant == 0 || determinant.abs() > 5000 || rows.iter().map(Poly::len).sum::<usize>() > 120 {
        return None;
    }
    let differential = n - constraints;
    let truth = Truth::WellPosed { index: r as u32, degrees: differential - (r - 1) * constraints };
    random.shuffle(&mut rows);
    let moved = if random.once_in(2) { 1e-3 } else { 0.0 };
    let starts: Vec<f64> = start.iter().map(|&x| x as f64 + moved * random.fraction()).collect();
    Some(Case::new(&lines(random, &rows, &starts, false), 0.0, truth))
}

/// Linear terms and up to two of degree two or three, in $x_j$ with `low <= j < high`.
fn random_polynomial(random: &mut Random, low: usize, high: usize) -> Poly {
    let mut sum = Poly::zero();
    for j in low..high {
        if !random.once_in(3) {
            sum.add_scaled(random.nonzero(), &Poly::jet(j, 0));
        }
    }
    for _ in 0..random.between(0, 2) {
        let mut term = Poly::constant(random.nonzero());
        for _ in 0..random.between(2, 3) {
            term = term.times(&Poly::jet(random.between(low, high - 1), 0));
        }
        sum = sum.plus(&term);
    }
    sum
}

fn multiply(left: &[Vec<i64>], right: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let width = right.first().map_or(0, Vec::len);
    let entry = |row: &Vec<i64>, j: usize| row.iter().zip(right).map(|(a, b)| a * b[j]).sum();
    left.iter().map(|row| (0..width).map(|j| entry(row, j)).collect()).collect()
}

/// The determinant of a square matrix with one or two rows.
fn determinant(matrix: &[Vec<i64>]) -> i64 {
    match matrix {
        [row] => row[0],
        [first, second] => first[0] * second[1] - first[1] * second[0],
        _ => 0,
    }
}
