//! Index analysis against the definition, on random linear systems.
//!
//! In: systems $\sum_{j,k} a_{ijk}\, x_j^{(k)} = b_i \sin(\omega_i t)$ with small integers $a_{ijk}$, most of them
//! zero, from a fixed seed. Out: what is stated about them agrees with the ranks of their derivative arrays, which
//! define the index: the array of $m$ derivatives of every equation is 1-full with respect to
//! $u' = (x_j^{(\max(p_j, 1))})_j$, with $p_j$ the highest order of $x_j$ in the text, when
//! $\operatorname{rank}(G_{u'}, G_w) = n + \operatorname{rank} G_w$ ($w$ all higher derivatives); the index is the
//! least such $m$ (Campbell & Gear, *Numer. Math.* 72, 1995).

use dae::symbolic::expr::prime_field::{PRIME, sparse_rank};
use dae::symbolic::index::Verdict;
use dae::symbolic::pipeline::compile;
use fastrand::Rng;

/// Systems in each of the two families, of first and of second order.
const SYSTEMS: usize = 300;
/// The largest number of differentiations tried. A regular linear system of these sizes has index at most
/// $\sum_j \max(p_j, 1) \le 8$.
const DIFFERENTIATIONS: usize = 8;

/// One row per equation: coefficients by unknown and order, and the factor $b_i$ on the right, with $\omega_i = i$,
/// counted from 1.
struct LinearSystem {
    coefficients: Vec<Vec<Vec<i64>>>,
    forcing: Vec<i64>,
}

/// What the derivative array says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Truth {
    index: usize,
    degrees_of_freedom: usize,
}

impl LinearSystem {
    /// Coefficients are nonzero with a probability between a quarter and five eighths that is drawn for each system. In
    /// about half of the systems, the second equation gets the leading part of the first, as terms of an order that is
    /// drawn, so that combining equations is tested.
    fn random(random: &mut Rng, max_order: usize) -> Self {
        let (n, density) = (random.usize(2..=4), random.u8(2..=5));
        let mut coefficient = || {
            let (chosen, value) = (random.u8(..8) < density, random.usize(..4));
            if chosen { [-1, 1, 1, 2][value] } else { 0 }
        };
        let mut row = || (0..n).map(|_| (0..=max_order).map(|_| coefficient()).collect()).collect();
        let mut coefficients: Vec<Vec<Vec<i64>>> = (0..n).map(|_| row()).collect();
        if random.bool() {
            let order = random.usize(..=max_order);
            for j in 0..n {
                coefficients[1][j][order] = coefficients[0][j][max_order];
                coefficients[1][j][order + 1..].fill(0);
            }
        }
        LinearSystem { coefficients, forcing: (0..n).map(|_| random.i64(-1..=1)).collect() }
    }

    fn unknowns(&self) -> usize {
        self.coefficients.len()
    }

    /// The body of a `dae!`.
    fn text(&self) -> String {
        let mut text = String::from("struct Random {\n");
        for j in 0..self.unknowns() {
            text += &format!("    var x{j} ~ {:?};\n", 0.5 + 0.25 * j as f64);
        }
        for (i, row) in self.coefficients.iter().enumerate() {
            let mut terms = format!("{:?} * sin({:?} * t)", -self.forcing[i] as f64, (i + 1) as f64);
            for (j, orders) in row.iter().enumerate() {
                for (k, &a) in orders.iter().enumerate().filter(|&(_, &a)| a != 0) {
                    let jet = if k == 0 { format!("x{j}") } else { format!("der(x{j}, {k})") };
                    terms += &format!(" + {:?} * {jet}", a as f64);
                }
            }
            text += &format!("    0 = {terms};\n");
        }
        text + "}\n"
    }

    /// $\max(p_j, 1)$, the number of states that $x_j$ counts as.
    fn states(&self) -> Vec<usize> {
        let order = |orders: &Vec<i64>| orders.iter().rposition(|&a| a != 0).unwrap_or(0);
        let highest = |j: usize| self.coefficients.iter().map(|row| order(&row[j])).max().unwrap_or(0);
        (0..self.unknowns()).map(|j| highest(j).max(1)).collect()
    }

    /// The array with $m$ derivatives of each equation.
    fn array(&self, m: usize) -> Array {
        let (n, states) = (self.unknowns(), self.states());
        let top = m + states.iter().max().copied().unwrap_or(1);
        let mut rows = Vec::new();
        for row in &self.coefficients {
            for derivative in 0..=m {
                let mut entries = Vec::new();
                for (j, orders) in row.iter().enumerate() {
                    for (k, &a) in orders.iter().enumerate().filter(|&(_, &a)| a != 0) {
                        let residue = if a < 0 { PRIME - a.unsigned_abs() } else { a.unsigned_abs() };
                        entries.push((j, k + derivative, residue));
                    }
                }
                rows.push(entries);
            }
        }
        Array { unknowns: n, states, top, rows }
    }

    fn truth(&self) -> Option<Truth> {
        let index = (0..=DIFFERENTIATIONS).find(|&m| self.array(m).is_one_full())?;
        // No index is larger, so that further differentiations would add no constraint on the states.
        let constraints = self.array(DIFFERENTIATIONS).constraints_on_states();
        Some(Truth { index, degrees_of_freedom: self.states().iter().sum::<usize>() - constraints })
    }
}

/// A derivative array: rows of (unknown, order, coefficient modulo `PRIME`).
struct Array {
    unknowns: usize,
    states: Vec<usize>,
    top: usize,
    rows: Vec<Vec<(usize, usize, u64)>>,
}

impl Array {
    /// The rank of the columns $x_j^{(k)}$ with $k \ge \max(p_j, 1) +$ `above`.
    fn rank_from(&self, above: usize) -> usize {
        let part = |row: &Vec<(usize, usize, u64)>| {
            let chosen = row.iter().filter(|&&(j, k, _)| k >= self.states[j] + above);
            chosen.map(|&(j, k, a)| (j * (self.top + 1) + k, a)).collect::<Vec<_>>()
        };
        sparse_rank(&self.rows.iter().map(part).collect::<Vec<_>>())
    }

    fn rank(&self) -> usize {
        let place = |&(j, k, a): &(usize, usize, u64)| (j * (self.top + 1) + k, a);
        sparse_rank(&self.rows.iter().map(|row| row.iter().map(place).collect()).collect::<Vec<_>>())
    }

    fn is_one_full(&self) -> bool {
        self.rank_from(0) == self.unknowns + self.rank_from(1)
    }

    /// The number of independent combinations of the rows in which only states are left.
    fn constraints_on_states(&self) -> usize {
        self.rank() - self.rank_from(0)
    }
}

/// What the analysis states about a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stated {
    Exact(usize),
    AtMost(usize),
    Nothing,
    Rejected,
}

/// A statement about a system, compared with its derivative array.
struct Comparison {
    stated: Stated,
    /// Whether equations had to be combined for the statement.
    rewritten: bool,
    /// What is wrong with the statement, if anything.
    wrong: Option<String>,
}

fn compare(text: &str, truth: Option<Truth>) -> Comparison {
    let (model, _) = dae::symbolic::read_text(text).unwrap_or_else(|rejection| panic!("{text}\n{rejection:?}"));
    let Ok(compiled) = compile(model, 0.0) else {
        let wrong = truth.map(|truth| format!("rejected, and it is {truth:?}"));
        return Comparison { stated: Stated::Rejected, rewritten: false, wrong };
    };
    let certificate = &compiled.analysis.certificate;
    let stated = match certificate.verdict() {
        Verdict::Exact(index) => Stated::Exact(index as usize),
        Verdict::AtMost { bound, .. } => Stated::AtMost(bound as usize),
        Verdict::NotCertified { .. } => Stated::Nothing,
    };
    let degrees = certificate.is_regular().then_some(compiled.analysis.structure.degrees_of_freedom);
    let index_holds = match (stated, truth) {
        (Stated::Exact(index), Some(truth)) => index == truth.index,
        (Stated::AtMost(bound), Some(truth)) => bound >= truth.index,
        (Stated::Exact(_) | Stated::AtMost(_), None) => false,
        (Stated::Nothing | Stated::Rejected, _) => true,
    };
    let degrees_hold = degrees.is_none_or(|degrees| truth.is_some_and(|truth| degrees == truth.degrees_of_freedom));
    let rewritten = !compiled.analysis.rewrites.is_empty();
    let wrong = (!index_holds || !degrees_hold)
        .then(|| format!("{stated:?}, {degrees:?} degrees of freedom; the array says {truth:?}"));
    Comparison { stated, rewritten, wrong }
}

fn check_family(max_order: usize, seed: u64) {
    let mut random = Rng::with_seed(seed);
    let [mut exact, mut bounded, mut nothing, mut rejected, mut regular, mut combined] = [0; 6];
    let mut failures = Vec::new();
    for number in 0..SYSTEMS {
        let system = LinearSystem::random(&mut random, max_order);
        let (text, truth) = (system.text(), system.truth());
        let Comparison { stated, rewritten, wrong } = compare(&text, truth);
        regular += usize::from(truth.is_some());
        combined += usize::from(rewritten);
        match stated {
            Stated::Exact(_) => exact += 1,
            Stated::AtMost(_) => bounded += 1,
            Stated::Nothing => nothing += 1,
            Stated::Rejected => rejected += 1,
        }
        failures.extend(wrong.map(|wrong| format!("system {number}: {wrong}\n{text}")));
    }
    println!(
        "order at most {max_order}: {SYSTEMS} systems, {regular} with an index, {combined} after combining equations; \
         stated: exact {exact}, upper bound {bounded}, nothing {nothing}, rejected {rejected}; wrong {}",
        failures.len()
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn nothing_wrong_is_stated_about_first_order_systems() {
    check_family(1, 1);
}

#[test]
fn nothing_wrong_is_stated_about_second_order_systems() {
    check_family(2, 2);
}

/// $\ddot x + \ddot y + x = 0$ and a second equation; their leading parts cancel only after the second is
/// differentiated.
fn cancelling(second: [[i64; 3]; 2], forcing: i64) -> LinearSystem {
    let rows = [[[1, 0, 1], [0, 0, 1]], second];
    let coefficients = rows.map(|row| row.map(|orders| orders.to_vec()).to_vec()).to_vec();
    LinearSystem { coefficients, forcing: vec![0, forcing] }
}

#[test]
fn leading_parts_cancel_against_a_differential_equation() {
    let system = cancelling([[0, 1, 0], [1, 1, 0]], 0);
    let truth = system.truth();
    assert_eq!(truth, Some(Truth { index: 2, degrees_of_freedom: 2 }));
    assert_eq!(compare(&system.text(), truth).wrong, None);
}

#[test]
fn leading_parts_cancel_against_an_algebraic_equation() {
    let system = cancelling([[1, 0, 0], [1, 0, 0]], 1);
    let truth = system.truth();
    assert_eq!(truth.map(|truth| truth.index), Some(4));
    assert_eq!(compare(&system.text(), truth).wrong, None);
}
