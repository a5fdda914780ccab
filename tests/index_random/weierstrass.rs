//! Weierstrass forms under random invertible transformations.
//!
//! $z_1' = J z_1 + f$, $N z_2' + z_2 = g$ with nilpotent blocks: the index is the size of the largest block (zero if
//! there is none), and there are $\dim z_1$ degrees of freedom (Hairer (2011), Sect. IV.1; Kunkel & Mehrmann 2006, Th.
//! 2.7). Out: the system $P\,(E\,(Rx)' + A\,Rx - h) = 0$ with unimodular $P$ and $R$, constant or depending on time;
//! and systems with nonlinear changes of unknowns, with derivatives of rows added to others, with branches, or with
//! parameters.

use crate::case::{Case, Truth};
use crate::hiding::{Change, Entries, forcing, hide, lines, start_time};
use crate::oracle::truth_of;
use crate::polynomial::Poly;
use crate::random::Random;

/// A linear system with constant coefficients in Weierstrass form, except that one part may depend on the other.
pub(crate) struct Weierstrass {
    pub(crate) unknowns: usize,
    pub(crate) rows: Vec<Poly>,
    pub(crate) truth: Truth,
    /// $z$ as functions of time; zero for the differential part, whose values are free.
    solution: Vec<Poly>,
    differential: usize,
}

/// Which part may depend on which.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coupling {
    /// One of the two parts may depend on the other; which one is drawn.
    Either,
    /// The differential part may depend on the nilpotent one.
    IntoDifferential,
}

impl Weierstrass {
    pub(crate) fn random(random: &mut Random, coupling: Coupling) -> Self {
        let differential = random.below(4);
        let mut blocks: Vec<usize> = (0..random.below(3)).map(|_| *random.choose(&[1, 1, 2, 2, 3, 4])).collect();
        if differential == 0 && blocks.is_empty() {
            blocks.push(random.between(1, 4));
        }
        Self::with_blocks(random, coupling, differential, &blocks)
    }

    /// A system with `differential` states and nilpotent blocks of the sizes `blocks`.
    pub(crate) fn with_blocks(random: &mut Random, coupling: Coupling, differential: usize, blocks: &[usize]) -> Self {
        let unknowns = differential + blocks.iter().sum::<usize>();
        let mut rows = Vec::new();
        let mut solution = vec![Poly::zero(); unknowns];
        let onto_nilpotent = coupling == Coupling::Either && random.once_in(2);
        for i in 0..differential {
            let mut row = Poly::jet(i, 1).minus(&forcing(random));
            for j in 0..if onto_nilpotent { differential } else { unknowns } {
                if random.once_in(3) {
                    row.add_scaled(random.nonzero(), &Poly::jet(j, 0));
                }
            }
            rows.push(row);
        }
        let mut next = differential;
        for &size in blocks {
            for j in (next..next + size).rev() {
                let right = forcing(random);
                solution[j] = right.clone();
                let mut row = Poly::jet(j, 0).minus(&right);
                if j + 1 < next + size {
                    row = row.plus(&Poly::jet(j + 1, 1));
                    solution[j] = solution[j].minus(&solution[j + 1].derivative());
                }
                if onto_nilpotent && differential > 0 && random.once_in(3) {
                    row.add_scaled(random.nonzero(), &Poly::jet(random.below(differential), 0));
                }
                rows.push(row);
            }
            next += size;
        }
        let index = blocks.iter().copied().max().unwrap_or(0) as u32;
        let truth = Truth::WellPosed { index, degrees: differential };
        assert_eq!(truth_of(unknowns, &rows), Some(truth), "the index by ranks is that of the construction: {rows:?}");
        Weierstrass { unknowns, rows, truth, solution, differential }
    }

    /// A consistent point, if the nilpotent part does not depend on the differential one.
    pub(crate) fn point(&self, random: &mut Random, t: f64) -> Vec<f64> {
        let value = |j: usize| match j < self.differential {
            true => random.fraction(),
            false => self.solution[j].value(t, |_, _| 0.0),
        };
        (0..self.unknowns).map(value).collect()
    }
}

/// Constant transformations.
pub(crate) fn constant(random: &mut Random) -> Case {
    hidden(random, &[Entries::Constant])
}

/// Transformations that depend on time.
pub(crate) fn time_varying(random: &mut Random) -> Case {
    hidden(random, &[Entries::Polynomial, Entries::Trigonometric])
}

fn hidden(random: &mut Random, kinds: &[Entries]) -> Case {
    loop {
        let system = Weierstrass::random(random, Coupling::Either);
        let n = system.unknowns;
        let (left, right) = (*random.choose(kinds), *random.choose(kinds));
        let count = random.between(1, n + 1);
        let change = Change::random(random, n, right, count);
        let count = random.between(1, n + 2);
        if let Some(rows) = hide(random, &system.rows, &change, left, count) {
            let t0 = start_time(random);
            let starts: Vec<f64> = (0..n).map(|_| random.fraction()).collect();
            return Case::new(&lines(random, &rows, &starts, true), t0, system.truth);
        }
    }
}

/// Nonlinear changes of unknowns, and combinations with factors that may depend on the unknowns.
pub(crate) fn nonlinear(random: &mut Random) -> Case {
    loop {
        let system = Weierstrass::random(random, Coupling::IntoDifferential);
        let n = system.unknowns;
        if let Some(case) = nonlinearly_hidden(random, &system, &system.rows, system.truth, n) {
            return case;
        }
    }
}

/// `rows`, which have the solutions of `system`, in new unknowns and combined; `None` if they become too long.
pub(crate) fn nonlinearly_hidden(
    random: &mut Random,
    system: &Weierstrass,
    rows: &[Poly],
    truth: Truth,
    n: usize,
) -> Option<Case> {
    let count = random.between(1, n);
    let change = Change::random(random, n, Entries::States, count);
    let entries = *random.choose(&[Entries::Constant, Entries::States, Entries::States, Entries::Polynomial]);
    let count = random.between(0, n);
    let rows = hide(random, rows, &change, entries, count)?;
    let t0 = start_time(random);
    let point = system.point(random, t0);
    // Guesses near the consistent point, such as a user would have.
    let starts: Vec<f64> = change.inverse(t0, &point).iter().map(|x| x + 0.02 * random.fraction()).collect();
    Some(Case::new(&lines(random, &rows, &starts, false), t0, truth))
}

/// Derivatives of algebraic rows added to other rows, which hides constraints from structural analysis and may change
/// the index, followed by a transformation as for the others. The truth is that of the linear system with constant
/// coefficients, by ranks.
pub(crate) fn cancelling(random: &mut Random) -> Case {
    loop {
        let system = Weierstrass::random(random, Coupling::IntoDifferential);
        let n = system.unknowns;
        let mut rows = system.rows.clone();
        let algebraic: Vec<usize> = (0..n).filter(|&i| rows[i].jets().iter().all(|&(_, order)| order == 0)).collect();
        if algebraic.is_empty() || n < 2 {
            continue;
        }
        for _ in 0..random.between(1, 2) {
            let (i, j) = (random.below(n), *random.choose(&algebraic));
            // Only rows without derivatives are differentiated, so that the system stays of first order.
            if i != j && rows[j].jets().iter().all(|&(_, order)| order == 0) {
                rows[i] = rows[i].plus(&rows[j].derivative().scaled(random.nonzero()));
            }
        }
        let truth = truth_of(n, &rows).expect("adding a derivative of another row keeps the pencil regular");
        let linear = random.once_in(2);
        let case = match linear {
            true => {
                let change = Change::random(random, n, Entries::Constant, 2);
                let kind = *random.choose(&[Entries::Constant, Entries::Polynomial, Entries::Trigonometric]);
                let count = random.between(0, n);
                hide(random, &rows, &change, kind, count).map(|rows| {
                    let starts: Vec<f64> = (0..n).map(|_| random.fraction()).collect();
                    let t0 = start_time(random);
                    Case::new(&lines(random, &rows, &starts, true), t0, truth)
                })
            }
            false => nonlinearly_hidden(random, &system, &rows, truth, n),
        };
        if let Some(case) = case {
            return case;
        }
    }
}

/// Two systems in one, in general of different index: $(w - b) F + (w - a) G = 0$ with $(w - a)(w - b) = 0$. On the
/// branch $w = a$ the factor of $G$ vanishes with all its derivatives, so that the index is that of $F$, but at least 1
/// because of $w$.
pub(crate) fn branches(random: &mut Random) -> Case {
    loop {
        let differential = random.below(3);
        let blocks = [random.between(1, 3)];
        let other_blocks: Vec<usize> = if random.once_in(2) { vec![1; blocks[0]] } else { vec![blocks[0]] };
        let selected = Weierstrass::with_blocks(random, Coupling::Either, differential, &blocks);
        let other = Weierstrass::with_blocks(random, Coupling::Either, differential, &other_blocks);
        let n = selected.unknowns;
        let (mut rows, mut others) = (selected.rows.clone(), other.rows.clone());
        random.shuffle(&mut rows);
        random.shuffle(&mut others);
        let (a, b) = *random.choose(&[(0, 1), (1, 0), (1, -1), (2, 1)]);
        let w = |root: i64| Poly::jet(n, 0).minus(&Poly::constant(root));
        let mut mixed: Vec<Poly> = rows.iter().zip(&others).map(|(f, g)| w(b).times(f).plus(&w(a).times(g))).collect();
        mixed.push(w(a).times(&w(b)));
        let Truth::WellPosed { index, degrees } = selected.truth else { continue };
        let truth = Truth::WellPosed { index: index.max(1), degrees };
        let change = Change::random(random, n, Entries::Constant, 1);
        let mut values = change.values();
        values.push(Poly::jet(n, 0));
        let mixed: Vec<Poly> = mixed.iter().map(|row| row.substitute(&values)).collect();
        let Some(rows) = crate::hiding::combine(random, mixed, n + 1, Entries::Constant, 1) else { continue };
        let t0 = start_time(random);
        let mut starts: Vec<f64> = (0..n).map(|_| random.fraction()).collect();
        starts.push(a as f64 + 0.03 * random.fraction());
        return Case::new(&lines(random, &rows, &starts, false), t0, truth);
    }
}

/// Chains with links that parameters switch on or off: the index of $p_k z_{k+1}' + z_k = g_k$, where the defaults of
/// the $p_k$ are 0 or 1, is one more than the length of the longest run of links that are on. Beside them,
/// $p\,z' + z = g$ is a differential or an algebraic equation.
pub(crate) fn parameters(random: &mut Random) -> Case {
    const KINDS: [Entries; 2] = [Entries::Constant, Entries::Polynomial];
    loop {
        let (length, single) = (random.between(2, 4), random.below(3));
        let n = length + single;
        let mut declarations = Vec::new();
        let (mut rows, mut switched) = (Vec::new(), Vec::new());
        for j in 0..n {
            let on = random.below(2) as i64;
            let link = if j < length { (j + 1 < length).then_some(j + 1) } else { Some(j) };
            let rest = Poly::jet(j, 0).minus(&forcing(random));
            let Some(target) = link else {
                rows.push(rest.clone());
                switched.push(rest);
                continue;
            };
            // In these polynomials, the parameter is an unknown of its own.
            let parameter = Poly::jet(n + declarations.len(), 0);
            rows.push(rest.plus(&parameter.times(&Poly::jet(target, 1))));
            let mut row = rest;
            row.add_scaled(on, &Poly::jet(target, 1));
            switched.push(row);
            declarations.push(format!("param p{} = {on};", declarations.len()));
        }
        let Some(Truth::WellPosed { index, degrees }) = truth_of(n, &switched) else { continue };
        let truth = Truth::WellPosed { index, degrees };
        let count = random.between(0, n);
        let (left, right) = (*random.choose(&KINDS), *random.choose(&KINDS));
        let change = Change::random(random, n, right, count);
        let mut values = change.values();
        values.extend((0..declarations.len()).map(|p| Poly::jet(n + p, 0)));
        let rows: Vec<Poly> = rows.iter().map(|row| row.substitute(&values)).collect();
        // Parameters occur undifferentiated, so that the substitution needs no derivative of one.
        let Some(rows) = crate::hiding::combine(random, rows, n, left, n) else { continue };
        let name = |j: usize| if j < n { format!("x{j}") } else { format!("p{}", j - n) };
        let mut model = declarations;
        model.extend((0..n).map(|j| format!("var x{j} ~ {:?};", random.fraction())));
        model.extend(rows.iter().map(|row| format!("0 = {};", row.text(name))));
        return Case::new(&model, start_time(random), truth);
    }
}
