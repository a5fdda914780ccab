//! Consistent initialisation of large systems: part by part, and with sparse linear algebra.
//!
//! Systems are given as data: every equation is a sum of multiples of products of at most two jets,
//! $\sum a\, x_j x_k + \sum b\, x_j + c = 0$.

use std::borrow::Cow;

use dae_runtime::contract::{Jet, JetEquation, Name, Pattern, Prolongation, ProlongationDescription, Start};
use dae_runtime::initialize::{Initial, InitializationError, InitializationOptions, consistent_initialization};
use dae_runtime::matrix::Matrix;
use dae_runtime::rank::SingularValues;
use proptest::prelude::*;

/// $a\, x_j x_k$, $b\, x_j$ or $c$.
#[derive(Clone, Debug)]
struct Term {
    factor: f64,
    jets: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
struct Polynomials {
    jets: Vec<(Start, f64, i32)>,
    equations: Vec<(i32, Vec<Term>)>,
}

impl Polynomials {
    fn jet(&mut self, start: Start, value: f64, stage: i32) -> usize {
        self.jets.push((start, value, stage));
        self.jets.len() - 1
    }

    fn equation(&mut self, stage: i32, terms: &[(f64, &[usize])]) {
        let terms = terms.iter().map(|&(factor, jets)| Term { factor, jets: jets.to_vec() }).collect();
        self.equations.push((stage, terms));
    }

    fn system(&self) -> System {
        let columns = |terms: &[Term]| {
            let mut columns: Vec<usize> = terms.iter().flat_map(|term| term.jets.iter().copied()).collect();
            columns.sort_unstable();
            columns.dedup();
            columns
        };
        let mut equations = self.equations.clone();
        equations.sort_by_key(|(stage, _)| *stage);
        let rows: Vec<Vec<usize>> = equations.iter().map(|(_, terms)| columns(terms)).collect();
        let mut row_starts = vec![0];
        for row in &rows {
            row_starts.push(row_starts[row_starts.len() - 1] + row.len());
        }
        let jets = self.jets.iter().enumerate().map(|(j, &(start, _, stage))| Jet {
            name: Name::from(format!("x{j}")),
            order: 0,
            stage,
            start,
            nominal: 1.0,
        });
        let names = equations.iter().enumerate();
        let names = names.map(|(i, &(stage, _))| {
            let name = Name::from(format!("equation {i}"));
            JetEquation { name, equation: i, order: 0, stage }
        });
        let description = ProlongationDescription {
            model: Name::from("polynomials"),
            jets: jets.collect(),
            equations: names.collect(),
            jacobian: Pattern {
                columns: self.jets.len(),
                row_starts: Cow::Owned(row_starts),
                column_indices: Cow::Owned(rows.concat()),
            },
            jacobian_p: Pattern::zero(equations.len(), 0),
            start_jacobian_p: Pattern::zero(self.jets.len(), 0),
        };
        let start = self.jets.iter().map(|&(_, value, _)| value).collect();
        System { description, start, terms: equations.into_iter().map(|(_, terms)| terms).collect() }
    }
}

struct System {
    description: ProlongationDescription,
    start: Vec<f64>,
    terms: Vec<Vec<Term>>,
}

impl Prolongation for System {
    fn prolongation_description(&self) -> &ProlongationDescription {
        &self.description
    }

    fn start_values(&self, _t: f64, jets: &mut [f64]) {
        jets.copy_from_slice(&self.start);
    }

    fn prolonged_residual(&self, _t: f64, x: &[f64], residual: &mut [f64]) {
        let value = |term: &Term| term.jets.iter().fold(term.factor, |product, &j| product * x[j]);
        for (residual, terms) in residual.iter_mut().zip(&self.terms) {
            *residual = terms.iter().map(value).sum();
        }
    }

    fn prolonged_jacobian(&self, _t: f64, x: &[f64], values: &mut [f64]) {
        values.fill(0.0);
        for (i, terms) in self.terms.iter().enumerate() {
            for (column, position) in self.description.jacobian.row(i) {
                for term in terms {
                    for skipped in (0..term.jets.len()).filter(|&k| term.jets[k] == column) {
                        let others = term.jets.iter().enumerate().filter(|&(k, _)| k != skipped);
                        values[position] += others.fold(term.factor, |product, (_, &j)| product * x[j]);
                    }
                }
            }
        }
    }
}

fn initialize(polynomials: &Polynomials) -> Result<Initial, InitializationError> {
    consistent_initialization(&polynomials.system(), 0.0, &InitializationOptions::default())
}

/// The largest absolute residual at the given jets.
fn worst(polynomials: &Polynomials, jets: &[f64]) -> f64 {
    let mut residual = vec![0.0; polynomials.equations.len()];
    polynomials.system().prolonged_residual(0.0, jets, &mut residual);
    residual.iter().fold(0.0, |a, r| a.max(r.abs()))
}

/// For linear equations of one stage: the jets after the least change of those that are not fixed, computed for the
/// whole system at once by dense linear algebra, and the condition number of the system.
fn joint_least_change(polynomials: &Polynomials) -> (Vec<f64>, f64) {
    let system = polynomials.system();
    let (m, n) = (polynomials.equations.len(), polynomials.jets.len());
    let mut values = vec![0.0; system.description.jacobian.len()];
    system.prolonged_jacobian(0.0, &system.start, &mut values);
    let mut residual = vec![0.0; m];
    system.prolonged_residual(0.0, &system.start, &mut residual);
    let moving: Vec<usize> = (0..n).filter(|&j| polynomials.jets[j].0 != Start::Fixed).collect();
    let mut matrix = Matrix::zeros(m, moving.len());
    for (row, column, position) in system.description.jacobian.entries() {
        if let Ok(k) = moving.binary_search(&column) {
            matrix[(row, k)] = values[position];
        }
    }
    let rhs: Vec<f64> = residual.iter().map(|r| -r).collect();
    let decomposition = SingularValues::of(&matrix).unwrap();
    let rank = decomposition.rank();
    let step = decomposition.least_norm(rank.rank, &rhs);
    let mut jets = system.start.clone();
    moving.iter().zip(step).for_each(|(&j, step)| jets[j] += step);
    (jets, rank.condition)
}

/// A coefficient in $[-1, 1)$ without apparent structure, the same in every run.
fn coefficient(i: usize, j: usize) -> f64 {
    ((i * 37 + j * 101 + i * j) as f64 * 0.618_033_988_749_895).fract() * 2.0 - 1.0
}

/// `m` linear equations in `n` guesses: each contains `width` consecutive guesses, some of which occur in the next
/// equation as well, so that all equations are connected.
fn band(m: usize, n: usize, width: usize) -> Polynomials {
    let mut system = Polynomials::default();
    (0..n).for_each(|j| {
        system.jet(Start::Guess, coefficient(j, 3), -1);
    });
    for i in 0..m {
        let first = i * (n - width) / m.max(2);
        let columns: Vec<[usize; 1]> = (first..first + width).map(|j| [j]).collect();
        let mut terms: Vec<(f64, &[usize])> = columns.iter().map(|j| (coefficient(i, j[0]), &j[..])).collect();
        terms.push((coefficient(i, n), &[]));
        system.equation(-1, &terms);
    }
    system
}

#[test]
fn sparse_least_change_is_the_dense_one() {
    let system = band(150, 310, 5);
    let initial = initialize(&system).unwrap();
    let (expected, _) = joint_least_change(&system);
    let off = initial.jets.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 1e-10, "{off:e}");
    assert!(worst(&system, &initial.jets) < 1e-14);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Random consistent linear systems of up to three independent components with over-, well- and underdetermined
    /// parts: the result is the least change of the whole system, computed densely.
    #[test]
    fn parts_add_up_to_the_whole(
        sizes in prop::collection::vec((1_usize..90, 0_usize..25), 1..4),
        links in prop::collection::vec((0_usize..1000, 0_usize..1000, -2.0_f64..2.0), 40..200),
        fixed in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        solution in prop::collection::vec(-3.0_f64..3.0, 350),
    ) {
        let mut system = Polynomials::default();
        for (part, &(rows, surplus)) in sizes.iter().enumerate() {
            let first = system.jets.len();
            let columns = rows + surplus;
            (0..columns).for_each(|j| {
                system.jet(Start::Guess, coefficient(part, j), -1);
            });
            for i in 0..rows {
                // A diagonal entry, so that the structure has square blocks, and up to three links to other columns.
                let mut entries = vec![(first + i, 2.0 + coefficient(i, part))];
                let own = links.iter().filter(|&&(row, ..)| row % rows == i).take(3);
                entries.extend(own.map(|&(_, column, value)| (first + column % columns, value)));
                entries.sort_by_key(|entry| entry.0);
                entries.dedup_by_key(|entry| entry.0);
                let value: f64 = entries.iter().map(|&(j, a)| a * solution[j]).sum();
                let jets: Vec<[usize; 1]> = entries.iter().map(|&(j, _)| [j]).collect();
                let mut terms: Vec<(f64, &[usize])> = entries.iter().zip(&jets).map(|(&(_, a), j)| (a, &j[..])).collect();
                terms.push((-value, &[]));
                system.equation(-1, &terms);
            }
        }
        // These jets are fixed at the solution, so that what remains is consistent, overdetermined or not.
        for index in fixed {
            let j = index.index(system.jets.len());
            system.jets[j] = (Start::Fixed, solution[j], -1);
        }
        let (expected, condition) = joint_least_change(&system);
        let initial = initialize(&system);
        // An inconsistent system has no solution, and for an ill-conditioned one, rounding decides which solution is
        // nearest.
        prop_assume!(worst(&system, &expected) < 1e-10);
        prop_assume!(condition < 1e7);
        let initial = initial.map_err(|error| TestCaseError::fail(error.to_string()))?;
        let size = expected.iter().fold(1.0_f64, |a, b| a.max(b.abs()));
        let off = initial.jets.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        prop_assert!(off < 1e-7 * size, "off by {off:e} of {size}");
    }
}

/// A chain of `links` bars of length 1 in the plane that begins at the origin. Bar $k = 1, 2, \dots$ ends at
/// $(x_k, y_k)$, given by `place`, and has the direction $(\xi_k, \eta_k)$, which is free: $x_k = x_{k-1} + \xi_k$,
/// $y_k = y_{k-1} + \eta_k$, $\xi_k^2 + \eta_k^2 = 1$. Its jets $x_k, y_k, \xi_k, \eta_k$ have the numbers
/// $4k - 4, \dots, 4k - 1$.
fn chain(links: usize, place: impl Fn(usize) -> (Start, f64, f64)) -> Polynomials {
    let mut system = Polynomials::default();
    for k in 1..=links {
        let (start, x, y) = place(k);
        let (x, y) = (system.jet(start, x, -2), system.jet(start, y, -2));
        let (xi, eta) = (system.jet(Start::Free, 0.0, -2), system.jet(Start::Free, 0.0, -2));
        for (end, bar) in [(x, xi), (y, eta)] {
            match k {
                1 => system.equation(-2, &[(1.0, &[end]), (-1.0, &[bar])]),
                _ => system.equation(-2, &[(1.0, &[end]), (-1.0, &[end - 4]), (-1.0, &[bar])]),
            }
        }
        system.equation(-2, &[(1.0, &[xi, xi]), (1.0, &[eta, eta]), (-1.0, &[])]);
    }
    system
}

#[test]
fn a_chain_of_a_thousand_links_is_straightened_out() {
    let wave = |k: usize| (Start::Guess, 0.9 * k as f64, 0.3 * (k as f64 * 0.7).sin());
    let system = chain(1000, wave);
    let initial = initialize(&system).unwrap();
    assert!(worst(&system, &initial.jets) < 1e-9);
    assert!(initial.iterations < 30, "{}", initial.iterations);
}

#[test]
fn a_chain_that_cannot_reach_its_end_names_the_end() {
    // 200 links of length 1, the end of the last one fixed at a distance of 201.
    let links = 200;
    let at = |k: usize| match k {
        200 => (Start::Fixed, 201.0, 0.0),
        _ => (Start::Guess, k as f64, 0.0),
    };
    let error = initialize(&chain(links, at)).unwrap_err();
    let InitializationError::Conflict { fixed, equations } = &error else { panic!("{error}") };
    assert!(fixed.iter().any(|value| value.jet == "x796" && value.value == 201.0), "{error}");
    assert!(equations.len() > links / 2, "{} equations", equations.len());
}

#[test]
fn a_chain_between_two_fixed_ends_hangs_between_them() {
    let links = 200;
    let at = |k: usize| match k {
        200 => (Start::Fixed, 150.0, 10.0),
        _ => (Start::Guess, 0.75 * k as f64, 0.05 * k as f64 + (k % 2) as f64),
    };
    let system = chain(links, at);
    let initial = initialize(&system).unwrap();
    assert!(worst(&system, &initial.jets) < 1e-10);
    assert_eq!(initial.jets[796..798], [150.0, 10.0]);
}

/// A band with three equations repeated, each multiplied by -3; `offset` is added to the second of these copies.
fn redundant(offset: f64) -> Polynomials {
    let mut system = band(450, 930, 4);
    for i in [17, 230, 401] {
        let mut again = system.equations[i].1.clone();
        again.iter_mut().for_each(|term| term.factor *= -3.0);
        again.push(Term { factor: if i == 230 { offset } else { 0.0 }, jets: vec![] });
        system.equations.push((-1, again));
    }
    system
}

#[test]
fn consistent_redundancy_does_no_harm() {
    let system = redundant(0.0);
    let initial = initialize(&system).unwrap();
    assert!(worst(&system, &initial.jets) < 1e-12, "{:e}", worst(&system, &initial.jets));
    let expected = initialize(&band(450, 930, 4)).unwrap();
    let off = initial.jets.iter().zip(&expected.jets).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 1e-7, "{off:e}");
}

#[test]
fn a_contradiction_in_a_large_part_is_named() {
    let error = initialize(&redundant(0.6)).unwrap_err();
    let InitializationError::NoSolution { equations } = &error else { panic!("{error}") };
    let names: Vec<&str> = equations.iter().map(|mismatch| mismatch.equation.as_ref()).collect();
    // Equation 451 is -3 times equation 230, plus 0.6.
    assert_eq!(names, ["equation 230", "equation 451"], "{error}");
    assert!((equations[1].residual - 0.6).abs() < 1e-6 && (equations[0].residual - 0.2).abs() < 1e-6, "{error}");
}

#[test]
fn guesses_stay_where_free_jets_can_move() {
    // Every equation has two free jets of its own, and shares each of its two guesses with a neighbouring equation.
    let n = 300;
    let mut system = Polynomials::default();
    let guesses: Vec<usize> = (0..n).map(|j| system.jet(Start::Guess, coefficient(j, 1), -1)).collect();
    for i in 0..n {
        let (a, b) = (guesses[i], guesses[(i + 1) % n]);
        let (free, other) = (system.jet(Start::Free, 0.0, -1), system.jet(Start::Free, 0.0, -1));
        system.equation(-1, &[(1.0, &[a]), (-0.5, &[b]), (0.7, &[free]), (0.7, &[other]), (0.3, &[])]);
    }
    let initial = initialize(&system).unwrap();
    assert_eq!(initial.moved, []);
    assert!(worst(&system, &initial.jets) < 1e-14);
    // The two free jets of an equation share the change equally.
    for i in 0..n {
        let (a, b) = (initial.jets[n + 2 * i], initial.jets[n + 2 * i + 1]);
        assert!((a - b).abs() < 1e-3 * a.abs(), "{a} {b}");
    }
}

#[test]
fn a_conflict_in_one_part_leaves_the_message_of_that_part_alone() {
    let mut system = chain(150, |k| (Start::Guess, 0.9 * k as f64, 0.1 * (k % 2) as f64));
    let x = system.jet(Start::Fixed, 2.0, -2);
    let y = system.jet(Start::Guess, 0.3, -2);
    system.equation(-2, &[(1.0, &[x, x]), (1.0, &[y, y]), (-1.0, &[])]);
    let error = initialize(&system).unwrap_err();
    let InitializationError::Conflict { fixed, equations } = &error else { panic!("{error}") };
    assert_eq!((fixed.len(), fixed[0].jet.as_ref()), (1, "x600"), "{error}");
    assert_eq!((equations.len(), equations[0].equation.as_ref()), (1, "equation 450"), "{error}");
}

#[test]
fn many_independent_parts_need_no_more_steps_than_one() {
    // x^2 + y^2 = 1 a thousand times, from different guesses, one pair of them much farther away than the others.
    let mut system = Polynomials::default();
    for k in 0..1000 {
        let far = if k == 500 { 1e3 } else { 1.0 };
        let x = system.jet(Start::Guess, far * (1.0 + coefficient(k, 1)), -1);
        let y = system.jet(Start::Guess, far * (1.5 + coefficient(k, 2)), -1);
        system.equation(-1, &[(1.0, &[x, x]), (1.0, &[y, y]), (-1.0, &[])]);
    }
    let initial = initialize(&system).unwrap();
    assert!(worst(&system, &initial.jets) < 1e-14);
    assert!(initial.iterations < 25, "{}", initial.iterations);
}

#[test]
fn a_singular_block_of_a_large_system_is_named() {
    // Homogeneous 2-by-2 blocks, each coupled to the one before. Block 60 is singular, but its equations hold at zero.
    let n = 100;
    let mut system = Polynomials::default();
    for k in 0..n {
        let x = system.jet(Start::Free, 0.0, 0);
        let y = system.jet(Start::Free, 0.0, 0);
        let d = if k == 60 { 4.0 } else { 5.0 };
        system.equation(0, &[(1.0, &[x]), (2.0, &[y])]);
        match k {
            0 => system.equation(0, &[(2.0, &[x]), (d, &[y])]),
            _ => system.equation(0, &[(2.0, &[x]), (d, &[y]), (1.0, &[x - 1])]),
        }
    }
    let error = initialize(&system).unwrap_err();
    let InitializationError::SingularJacobian { equations, unknowns } = &error else { panic!("{error}") };
    assert_eq!(equations, &["equation 120", "equation 121"], "{error}");
    assert_eq!(unknowns, &["x120", "x121"], "{error}");
}
