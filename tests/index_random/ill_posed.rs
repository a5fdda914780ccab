//! Ill-posed systems: singular pencils behind transformations, dependent and contradictory rows, wrong counts.
//!
//! Singular pencils are put together from Kronecker's blocks $L_\varepsilon$ ($\varepsilon$ equations for $\varepsilon + 1$ unknowns) and
//! $L_\eta^\top$ ($\eta + 1$ equations for $\eta$ unknowns) beside a regular part (Gantmacher, ch. XII): whatever stands on the right, either no
//! solution exists or it is not unique.

use crate::case::{Case, Truth};
use crate::hiding::{Change, Entries, forcing, hide, lines, start_time};
use crate::polynomial::Poly;
use crate::random::Random;
use crate::weierstrass::{Coupling, Weierstrass};

/// Singular pencils, behind constant, time-varying and nonlinear transformations.
pub(crate) fn singular_pencil(random: &mut Random) -> Case {
    loop {
        let mut rows = if random.once_in(3) { Vec::new() } else { regular_part(random) };
        let mut n = rows.len();
        let surplus = random.between(1, 2).min(3 - n.min(2));
        // Without right-hand sides the surplus equations are consistent.
        let consistent = random.once_in(2);
        for _ in 0..surplus {
            let (under, over) = (random.below(3), random.below(3));
            for k in 0..under {
                rows.push(Poly::jet(n + k, 1).minus(&Poly::jet(n + k + 1, 0)));
            }
            n += under + 1;
            for k in 0..=over {
                let mut row = if consistent { Poly::zero() } else { forcing(random) };
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
        let kinds = [Entries::Constant, Entries::Polynomial, Entries::Trigonometric, Entries::States];
        let (left, right) = (*random.choose(&kinds), *random.choose(&kinds));
        let change = Change::random(random, n, right, 2);
        let Some(rows) = hide(random, &rows, &change, left, n + 1) else { continue };
        let starts: Vec<f64> = (0..n).map(|_| random.fraction()).collect();
        return Case::new(&lines(random, &rows, &starts, true), start_time(random), Truth::IllPosed);
    }
}

fn regular_part(random: &mut Random) -> Vec<Poly> {
    let differential = random.below(2);
    let block = random.between(1, 2);
    Weierstrass::with_blocks(random, Coupling::Either, differential, &[block]).rows
}

/// A regular system of which a row is missing, or to which a contradiction was added.
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

/// As many equations as unknowns, and too few unknowns in some of them.
pub(crate) fn structurally_singular(random: &mut Random) -> Case {
    let n = random.between(3, 6);
    // k + 1 equations about k unknowns.
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
