//! Which states may be given start values.
//!
//! In: the prolongation and a consistent point. Out: which states the equations determine on their own, which of the
//! others may be chosen together, which of the values that the model fixes are redundant, and which states the guesses
//! decide. An initial equation counts as a fixed value of its residual.

use dae_runtime::contract::{InitialEquations, Prolongation, Start};
use dae_runtime::matrix::Matrix;
use dae_runtime::rank::{Confidence, SingularValues};

use crate::model::derivative_name;
use crate::pipeline::Compiled;
use crate::subsets::subsets;
use crate::system::written_orders;

/// Entries of the null space basis, and remainders of its rows, count as zero below this size.
const ZERO: f64 = 1e-9;
/// A row is independent of others if at least this fraction of it is orthogonal to them.
const INDEPENDENT: f64 = 1e-7;
/// Prolongations with more than this many jets are left alone: the work for the null space of a dense matrix grows with
/// the third power of its size.
const MAX_JETS: usize = 300;
/// The number of sets of states that are examined one by one to tell whether every set is valid.
const MAX_SUBSETS: usize = 400;

/// Initial values of a model at its consistent point.
#[derive(Clone, Debug, PartialEq)]
pub struct InitialValues {
    /// Time of the point.
    pub t0: f64,
    /// Number of values that may be chosen, after the initial equations.
    pub degrees_of_freedom: usize,
    /// The states in order of the text.
    pub states: Vec<StateValue>,
    /// States that the equations determine on their own, the initial ones included.
    pub determined: Vec<String>,
    /// Groups of states of which some may be chosen, independently of other groups.
    pub choices: Vec<Choice>,
    /// Fixed values that follow from the equations and the other fixed values, and agree with them.
    pub redundant: Vec<Redundant>,
    /// States whose guesses decide the solution, because too few values are fixed.
    pub guessed: Vec<String>,
}

/// A state and its consistent value.
#[derive(Clone, Debug, PartialEq)]
pub struct StateValue {
    /// `x`, `der(x)`.
    pub name: String,
    /// Whether the model fixes it, guesses it or says nothing.
    pub start: Start,
    /// Its value at the consistent point.
    pub value: f64,
}

/// A group of states of which `count` may be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The number of states that may be chosen.
    pub count: usize,
    /// The states to choose from.
    pub among: Vec<String>,
    /// A valid choice, preferring fixed states, then those with a guess.
    pub example: Vec<String>,
    /// Whether every choice of `count` of them is valid; `None` if there are too many to try.
    pub any: Option<bool>,
}

/// A fixed value that follows from the equations and the other fixed values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redundant {
    /// The name of the state.
    pub name: String,
    /// The fixed values it follows from; none if the equations alone determine it.
    pub follows_from: Vec<String>,
}

/// A jet that is a state, or that the model gives a start value; or the residual of an initial equation.
struct Candidate {
    name: String,
    start: Start,
    quantity: Quantity,
    is_state: bool,
}

#[derive(Clone, Copy)]
enum Quantity {
    /// An entry of the jet vector.
    Jet(usize),
    /// The residual of an initial equation.
    Residual(usize),
}

/// Initial values at the model's consistent point; `None` if there is none, if the equations are not clearly
/// independent there, or if the model is too large.
pub fn initial_values(compiled: &Compiled) -> Option<InitialValues> {
    if !compiled.analysis.certificate.is_regular() {
        return None;
    }
    let (jets, t0) = (compiled.analysis.jets.as_ref()?, compiled.t0);
    let candidates = candidates(compiled);
    let tangent = tangent_space(compiled, jets)?;
    let residuals = residual_rows(compiled, jets, &tangent);
    let row = |candidate: &Candidate| match candidate.quantity {
        Quantity::Jet(jet) => tangent.row(jet).map(cleaned).collect(),
        Quantity::Residual(equation) => residuals.row(equation).map(cleaned).collect(),
    };
    let rows: Vec<Vec<f64>> = candidates.iter().map(row).collect();
    // What the initial equations leave.
    let left = match residuals.rows() {
        0 => tangent.clone(),
        _ => {
            let decomposition = SingularValues::of(&residuals).ok()?;
            tangent.times(&decomposition.right_vectors_from(decomposition.rank().rank))
        }
    };
    let left_rows: Vec<Vec<f64>> = candidates
        .iter()
        .map(|candidate| match candidate.quantity {
            Quantity::Jet(jet) => left.row(jet).map(cleaned).collect(),
            Quantity::Residual(_) => vec![0.0; left.columns()],
        })
        .collect();
    let basis = Basis::greedy(&rows, &preference(&candidates));
    if basis.chosen.len() != tangent.columns() {
        return None;
    }
    let states: Vec<usize> = (0..candidates.len()).filter(|&k| candidates[k].is_state).collect();
    let name = |k: usize| candidates[k].name.clone();
    let redundant = |k: usize| Redundant { name: name(k), follows_from: basis.support(&rows[k]).map(name).collect() };
    let fixed = (0..candidates.len()).filter(|&k| candidates[k].start == Start::Fixed);
    let guessed = basis.chosen.iter().filter(|&&k| candidates[k].start != Start::Fixed);
    Some(InitialValues {
        t0,
        degrees_of_freedom: left.columns(),
        states: states.iter().filter_map(|&k| candidates[k].value(jets)).collect(),
        determined: states.iter().filter(|&&k| is_zero(&left_rows[k])).map(|&k| name(k)).collect(),
        choices: choices(&candidates, &states, &left_rows),
        redundant: fixed.filter(|k| !basis.chosen.contains(k)).map(redundant).collect(),
        guessed: guessed.map(|&k| name(k)).collect(),
    })
}

/// All states, and the other jets with start values.
fn candidates(compiled: &Compiled) -> Vec<Candidate> {
    let (model, prolonged) = (&compiled.model, &compiled.prolonged);
    let mut list = Vec::new();
    for (j, (unknown, p)) in model.unknowns.iter().zip(written_orders(model)).enumerate() {
        for order in 0.. {
            let Some(jet) = prolonged.jet(j, order) else { break };
            let start = unknown.start_value(order).map_or(Start::Free, |s| s.kind);
            let is_state = order < p.max(1);
            if is_state || start != Start::Free {
                let (name, quantity) = (derivative_name(&unknown.name, order), Quantity::Jet(jet));
                list.push(Candidate { name, start, quantity, is_state });
            }
        }
    }
    let initial = prolonged.initial_description().equations.iter().enumerate();
    list.extend(initial.map(|(k, equation)| Candidate {
        name: equation.name.to_string(),
        start: Start::Fixed,
        quantity: Quantity::Residual(k),
        is_state: false,
    }));
    list
}

impl Candidate {
    /// The value at the consistent point, if it is a jet.
    fn value(&self, jets: &[f64]) -> Option<StateValue> {
        let Quantity::Jet(jet) = self.quantity else { return None };
        Some(StateValue { name: self.name.clone(), start: self.start, value: jets[jet] })
    }
}

/// The derivatives of the residuals of the initial equations along a basis of the tangent space: a row for each, in units
/// of its largest derivative.
fn residual_rows(compiled: &Compiled, jets: &[f64], tangent: &Matrix) -> Matrix {
    let (prolonged, initial) = (&compiled.prolonged, compiled.prolonged.initial_description());
    let mut values = vec![0.0; initial.jacobian.len()];
    prolonged.initial_jacobian(compiled.t0, jets, &mut values);
    let nominal = |jet: usize| prolonged.description.jets[jet].nominal;
    let mut rows = Matrix::zeros(initial.equations.len(), tangent.columns());
    for row in 0..rows.rows() {
        let entries = initial.jacobian.row(row).map(|(jet, place)| (jet, values[place] * nominal(jet)));
        let entries: Vec<(usize, f64)> = entries.collect();
        let size = entries.iter().fold(0.0_f64, |size, (_, entry)| size.max(entry.abs()));
        for (jet, entry) in entries.into_iter().filter(|_| size > 0.0) {
            for (column, along) in tangent.row(jet).enumerate() {
                rows[(row, column)] += entry / size * along;
            }
        }
    }
    rows
}

/// A basis of the null space of the derivative of the prolongation, with jets measured in units of their nominal
/// values; `None` if there are too many jets, or the equations are not clearly independent.
fn tangent_space(compiled: &Compiled, jets: &[f64]) -> Option<Matrix> {
    let description = compiled.prolonged.prolongation_description();
    if description.jets.len() > MAX_JETS {
        return None;
    }
    let mut values = vec![0.0; description.jacobian.len()];
    compiled.prolonged.prolonged_jacobian(compiled.t0, jets, &mut values);
    let mut matrix = Matrix::zeros(description.equations.len(), description.jets.len());
    for (row, column, position) in description.jacobian.entries() {
        matrix[(row, column)] = values[position] * description.jets[column].nominal;
    }
    for row in 0..matrix.rows() {
        let size = matrix.largest_in_row(row);
        if size > 0.0 {
            matrix.divide_row(row, size);
        }
    }
    let decomposition = SingularValues::of(&matrix).ok()?;
    let rank = decomposition.rank();
    let independent = rank.rank == matrix.rows() && rank.confidence == Confidence::Clear;
    independent.then(|| decomposition.right_vectors_from(rank.rank))
}

fn cleaned(x: f64) -> f64 {
    if x.abs() < ZERO { 0.0 } else { x }
}

fn is_zero(row: &[f64]) -> bool {
    row.iter().all(|&x| x == 0.0)
}

/// Fixed values first, then guesses, then the rest; states before other jets, each in order of the text.
fn preference(candidates: &[Candidate]) -> Vec<usize> {
    let rank = |start| match start {
        Start::Fixed => 0,
        Start::Guess => 1,
        Start::Free => 2,
    };
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&k| (rank(candidates[k].start), !candidates[k].is_state));
    order
}

/// Independent rows, chosen one after the other.
struct Basis {
    /// The numbers of the rows, in the order in which they were chosen.
    chosen: Vec<usize>,
    /// An orthonormal basis of their span: each is a chosen row minus its projections onto those before it, normalised.
    orthonormal: Vec<Vec<f64>>,
    /// The chosen rows.
    rows: Vec<Vec<f64>>,
}

impl Basis {
    fn greedy(rows: &[Vec<f64>], order: &[usize]) -> Basis {
        let mut basis = Basis { chosen: Vec::new(), orthonormal: Vec::new(), rows: Vec::new() };
        for &k in order {
            let mut rest = rows[k].clone();
            // Orthogonalising twice is enough (Kahan).
            for _ in 0..2 {
                for q in &basis.orthonormal {
                    let along = dot(&rest, q);
                    rest.iter_mut().zip(q).for_each(|(x, q)| *x -= along * q);
                }
            }
            let (size, whole) = (norm(&rest), norm(&rows[k]));
            if size > INDEPENDENT * whole && size > ZERO {
                rest.iter_mut().for_each(|x| *x /= size);
                basis.orthonormal.push(rest);
                basis.rows.push(rows[k].clone());
                basis.chosen.push(k);
            }
        }
        basis
    }

    /// The chosen rows that a dependent row is a combination of.
    fn support(&self, row: &[f64]) -> impl Iterator<Item = usize> + '_ {
        // Back substitution in the triangular system of the projections, last chosen row first.
        let mut projections: Vec<f64> = self.orthonormal.iter().map(|q| dot(row, q)).collect();
        let mut coefficients = vec![0.0; self.chosen.len()];
        for k in (0..self.chosen.len()).rev() {
            coefficients[k] = projections[k] / dot(&self.rows[k], &self.orthonormal[k]);
            for (l, projection) in projections.iter_mut().enumerate().take(k) {
                *projection -= coefficients[k] * dot(&self.rows[k], &self.orthonormal[l]);
            }
        }
        let size = coefficients.iter().fold(0.0_f64, |size, c| size.max(c.abs()));
        let small = INDEPENDENT * size;
        self.chosen.iter().zip(coefficients).filter(move |(_, c)| c.abs() > small).map(|(&k, _)| k)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// The groups of states: states that depend on one another belong to one group.
fn choices(candidates: &[Candidate], states: &[usize], rows: &[Vec<f64>]) -> Vec<Choice> {
    let order: Vec<usize> = preference(candidates).into_iter().filter(|k| candidates[*k].is_state).collect();
    let basis = Basis::greedy(rows, &order);
    let mut group: Vec<usize> = (0..candidates.len()).collect();
    let find = |group: &[usize], mut k: usize| {
        while group[k] != k {
            k = group[k];
        }
        k
    };
    for &k in states.iter().filter(|k| !basis.chosen.contains(k) && !is_zero(&rows[**k])) {
        for other in basis.support(&rows[k]) {
            let (a, b) = (find(&group, k), find(&group, other));
            group[a.max(b)] = a.min(b);
        }
    }
    let mut list = Vec::new();
    for &root in states.iter().filter(|&&k| group[k] == k && !is_zero(&rows[k])) {
        let members: Vec<usize> = states.iter().copied().filter(|&k| find(&group, k) == root).collect();
        let example: Vec<usize> = members.iter().copied().filter(|k| basis.chosen.contains(k)).collect();
        let name = |k: &usize| candidates[*k].name.clone();
        list.push(Choice {
            count: example.len(),
            among: members.iter().map(name).collect(),
            example: example.iter().map(name).collect(),
            any: any_will_do(&members, example.len(), rows),
        });
    }
    list
}

/// Whether all sets of `count` members are independent; `None` if there are too many sets to try.
fn any_will_do(members: &[usize], count: usize, rows: &[Vec<f64>]) -> Option<bool> {
    let number = (0..count).try_fold(1_usize, |n, k| n.checked_mul(members.len() - k).map(|n| n / (k + 1)))?;
    if number > MAX_SUBSETS {
        return None;
    }
    let is_independent = |chosen: Vec<usize>| {
        let subset: Vec<usize> = chosen.iter().map(|&k| members[k]).collect();
        Basis::greedy(rows, &subset).chosen.len() == count
    };
    Some(subsets(members.len(), count).all(is_independent))
}
