//! Ill-posed systems: transformed singular pencils, dependent and contradictory rows, wrong numbers of equations.
//!
//! Singular pencils are put together from Kronecker's blocks $L_\varepsilon$ ($\varepsilon$ equations for
//! $\varepsilon + 1$ unknowns) and $L_\eta^\top$ ($\eta + 1$ equations for $\eta$ unknowns) beside a regular part
//! (Gantmacher, ch. XII): whatever the right-hand sides, either no solution exists or it is not unique.

use crate::case::{Case, Truth};
use crate::hiding::{Change, Entries, forcing, hide, lines, start_time};
use crate::polynomial::Poly;
use crate::random::Random;
use crate::weierstrass::{Coupling, Weierstrass};

/// Whether the equations of a singular pencil have solutions at all.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Solvable {
    /// There are solutions, none of them unique.
    Yes,
    /// Surplus equations have random right-hand sides, which in general admit no solution.
    No,
}

/// Singular pencils: solvable ones, with guesses near a solution, under transformations of any kind; others under
/// constant and time-varying transformations.
pub(crate) fn singular_pencil(random: &mut Random) -> Case {
    const LINEAR: [Entries; 3] = [Entries::Constant, Entries::Polynomial, Entries::Trigonometric];
    const ALL: [Entries; 4] = [Entries::Constant, Entries::Polynomial, Entries::Trigonometric, Entries::States];
    match random.once_in(2) {
        true => pencil(random, Solvable::Yes, &ALL),
        false => pencil(random, Solvable::No, &LINEAR),
    }
}

/// Singular pencils that in general have no solution, under transformations that depend on the unknowns.
pub(crate) fn contradictory(random: &mut Random) -> Case {
    pencil(random, Solvable::No, &[Entries::States])
}

fn pencil(random: &mut Random, solvable: Solvable, kinds: &[Entries]) -> Case {
    loop {
        let t0 = start_time(random);
        let regular = if random.once_in(3) { None } else { Some(regular_part(random)) };
        // A consistent point of the regular part; zero, which is appended below, solves homogeneous singular blocks.
        let mut point = regular.as_ref().map_or(Vec::new(), |system| system.point(random, t0));
        let mut rows = regular.map_or(Vec::new(), |system| system.rows);
        let mut n = rows.len();
        for _ in 0..random.between(1, 2).min(3 - n.min(2)) {
            let (under, over) = (random.below(3), random.below(3));
            for k in 0..under {
                rows.push(Poly::jet(n + k, 1).minus(&Poly::jet(n + k + 1, 0)));
            }
            n += under + 1;
            for k in 0..=over {
                let mut row = if solvable == Solvable::Yes { Poly::zero() } else { forcing(random) };
                if k > 0 {
                    row = row.plus(&Poly::jet(n + k - 1, 1));
                }
                if k < over {
                    row = row.minus(&Poly::jet(n + k, 0));
                }
                rows.push(row);
            }
            n += over;
        }
        assert_eq!(rows.len(), n);
        let (left, right) = (*random.choose(kinds), *random.choose(kinds));
        let change = Change::random(random, n, right, 2);
        let Some(rows) = hide(random, &rows, &change, left, n + 1) else { continue };
        point.resize(n, 0.0);
        let starts: Vec<f64> = change.inverse(t0, &point).iter().map(|x| x + 0.02 * random.fraction()).collect();
        return Case::new(&lines(random, &rows, &starts, right != Entries::States), t0, Truth::IllPosed);
    }
}

fn regular_part(random: &mut Random) -> Weierstrass {
    let differential = random.below(2);
    let block = random.between(1, 2);
    Weierstrass::with_blocks(random, Coupling::IntoDifferential, differential, &[block])
}

/// A regular system with one row missing, or with a contradictory row added.
pub(crate) fn wrong_count(random: &mut Random) -> Case {
    loop {
        let system = Weierstrass::random(random, Coupling::Either);
        let n = system.unknowns;
        let mut rows = system.rows;
        if random.once_in(2) {
            let missing = random.below(rows.len());
            rows.remove(missing);
        } else {
            let mut sum = Poly::constant(random.nonzero());
            for row in &rows {
                sum.add_scaled(random.nonzero(), row);
            }
            rows.push(sum);
        }
        if rows.is_empty() {
            continue;
        }
        let kinds = [Entries::Constant, Entries::Polynomial, Entries::Trigonometric];
        let (left, right) = (*random.choose(&kinds), *random.choose(&kinds));
        let change = Change::random(random, n, right, 2);
        let Some(rows) = hide(random, &rows, &change, left, n) else { continue };
        let starts: Vec<f64> = (0..n).map(|_| random.fraction()).collect();
        return Case::new(&lines(random, &rows, &starts, true), start_time(random), Truth::IllPosed);
    }
}

/// Systems with as many equations as unknowns, in which some equations together contain fewer unknowns than there are
/// equations among them.
pub(crate) fn structurally_singular(random: &mut Random) -> Case {
    let n = random.between(3, 6);
    // k + 1 equations contain only k unknowns.
    let k = random.below(n - 1);
    let mut rows: Vec<Poly> = Vec::new();
    for i in 0..n {
        let width = if i <= k { k } else { n };
        let mut row = forcing(random);
        for _ in 0..if width == 0 { 0 } else { random.between(1, 3) } {
            row.add_scaled(random.nonzero(), &Poly::jet(random.below(width), random.below(2) as u32));
        }
        if width > 1 && random.once_in(3) {
            row = row.plus(&Poly::jet(0, 0).times(&Poly::jet(1, 0)));
        }
        rows.push(row);
    }
    random.shuffle(&mut rows);
    let mut names: Vec<usize> = (0..n).collect();
    random.shuffle(&mut names);
    let starts: Vec<f64> = (0..n).map(|_| random.fraction()).collect();
    let renamed: Vec<Poly> = names.iter().map(|&j| Poly::jet(j, 0)).collect();
    let rows: Vec<Poly> = rows.iter().map(|row| row.substitute(&renamed)).collect();
    Case::new(&lines(random, &rows, &starts, true), 0.0, Truth::IllPosed)
}
