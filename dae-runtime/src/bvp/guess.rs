//! First guesses.
//!
//! In: guesses of the text, a solution of an integration, a table, or an earlier solution of a boundary value problem.
//! Out: a mesh and an iterate.

use std::ops::RangeInclusive;

use crate::linalg::vectors::Vectors;
use crate::solution::Solution;

use super::iterate::Iterate;
use super::mesh::{CLOSE, Mesh, Stops, uniform};
use super::point::{consistent_jets, consistent_state};
use super::problem::Problem;
use super::scheme::Scheme;
use super::solution::BvpSolution;
use super::table::Table;

/// Where a guess comes from.
pub(super) enum Guess<'g> {
    /// The guesses of the model.
    Text,
    /// A solution.
    Solution(&'g Solution),
    /// Values at some times.
    Table(Table),
    /// A solution with its mesh.
    Bvp(&'g BvpSolution),
}

/// A guess, and where the solution is sought.
pub(super) struct FirstGuess<'g> {
    pub(super) guess: &'g Guess<'g>,
    /// The times at which there are conditions.
    pub(super) stops: Stops,
    pub(super) ends: [f64; 2],
    /// Number of intervals, where there is no earlier mesh.
    pub(super) intervals: usize,
    /// The largest number of intervals.
    pub(super) most_intervals: usize,
}

impl FirstGuess<'_> {
    /// The first mesh and the first iterate.
    pub(super) fn iterate(&self, problem: &mut Problem<'_>, scheme: &'static Scheme) -> (Mesh, Iterate) {
        let mesh = self.guess.mesh(&self.stops, self.intervals..=self.most_intervals);
        let mesh = mesh.unwrap_or_else(|| uniform(&self.stops, self.intervals));
        let iterate = self.guess.iterate(problem, scheme, &mesh, self.ends);
        (mesh, iterate)
    }

    /// Jets at a time.
    pub(super) fn jets(&self, problem: &Problem<'_>, t: f64) -> Vec<f64> {
        let mut jets = vec![0.0; problem.dae.prolongation().prolongation_description().jets.len()];
        self.guess.state(problem, self.ends, t, &mut jets);
        jets
    }
}

impl Guess<'_> {
    /// # Errors
    /// What is wrong with the guess.
    pub(super) fn check(&self) -> Result<(), String> {
        match self {
            Guess::Table(table) => table.check(),
            Guess::Text | Guess::Solution(_) | Guess::Bvp(_) => Ok(()),
        }
    }

    /// The mesh of an earlier solution, or the times of a table if that is a mesh of one of these `sizes`, moved to these
    /// stops.
    fn mesh(&self, stops: &Stops, sizes: RangeInclusive<usize>) -> Option<Mesh> {
        let earlier = match self {
            Guess::Bvp(earlier) => &earlier.mesh,
            Guess::Table(table) if sizes.contains(&(table.times.len() - 1)) => &table.times,
            Guess::Text | Guess::Solution(_) | Guess::Table(_) => return None,
        };
        let (first, last) = (*earlier.first()?, *earlier.last()?);
        let times = &stops.times;
        let (from, to) = (times[0], times[times.len() - 1]);
        let moved = earlier.iter().map(|t| from + (t - first) / (last - first) * (to - from));
        let mut t: Vec<f64> = moved.chain(times.iter().copied()).collect();
        let direction = (to - from).signum();
        t.sort_by(|a, b| (a * direction).total_cmp(&(b * direction)));
        // Times that differ by rounding only are one.
        let close = CLOSE * (to - from).abs();
        t.dedup_by(|b, a| (*b - *a).abs() <= close && !times.contains(b));
        t.dedup_by(|b, a| {
            let same = (*b - *a).abs() <= close;
            if same {
                *a = *b;
            }
            same
        });
        let places = times.iter().map(|time| t.iter().position(|t| t == time)).collect::<Option<Vec<usize>>>()?;
        Some(Mesh { t, stops: places, points: stops.points.clone() })
    }

    /// The first and the last time at which something is known, if there are any.
    fn ends(&self) -> Option<(f64, f64)> {
        let of_solution = |solution: &Solution| Some((*solution.times.first()?, solution.end_time));
        match self {
            Guess::Text => None,
            Guess::Solution(solution) => of_solution(solution),
            Guess::Table(table) => Some((*table.times.first()?, *table.times.last()?)),
            Guess::Bvp(earlier) => of_solution(&earlier.solution),
        }
    }

    /// The value of an unknown at a time between these ends, if it is known.
    fn value(&self, name: &str, t: f64) -> Option<f64> {
        match self {
            Guess::Text => None,
            Guess::Solution(solution) => solution.value(name, t),
            Guess::Table(table) => table.value(name, t),
            Guess::Bvp(earlier) => earlier.value(name, t),
        }
    }

    /// Values of unknowns at a time: what is known of them, and otherwise what the text guesses.
    fn state(&self, problem: &Problem<'_>, ends: [f64; 2], t: f64, jets: &mut [f64]) -> Vec<f64> {
        if let Some(boundary) = problem.boundary() {
            boundary.boundary_guess(ends, t, jets);
        }
        let description = problem.description();
        let n = description.unknowns.len();
        let (mut y, mut slope) = (vec![0.0; n], vec![0.0; n]);
        problem.dae.states_from_jets(t, jets, &mut y, &mut slope);
        if let Some((first, last)) = self.ends() {
            // Times beyond what is known have the values at the nearest end; another interval is mapped to that of the
            // guess.
            let fraction = (t - ends[0]) / (ends[1] - ends[0]);
            let t = if fraction >= 1.0 { last } else { first + fraction * (last - first) };
            for (k, unknown) in description.unknowns.iter().enumerate() {
                if let Some(value) = self.value(&unknown.name, t).filter(|value| value.is_finite()) {
                    y[k] = value;
                    if let Some(jet) = unknown.role.jet() {
                        jets[jet] = value;
                    }
                }
            }
        }
        y
    }

    /// The iterate on a mesh.
    fn iterate(&self, problem: &mut Problem<'_>, scheme: &'static Scheme, mesh: &Mesh, ends: [f64; 2]) -> Iterate {
        let shared = self.shared(problem, ends);
        problem.set_shared(&mut mesh.clone(), &shared);
        let problem = &*problem;
        let layout = &problem.layout;
        let mut jets = vec![0.0; problem.dae.prolongation().prolongation_description().jets.len()];
        let guessed: Vec<Vec<f64>> = mesh.t.iter().map(|&t| self.state(problem, ends, t, &mut jets)).collect();
        let states = consistent_states(problem, mesh, &guessed, &mut jets);
        let of_ends = states.iter().map(|state| {
            let mut values = pick(&layout.algebraic, state);
            values[layout.of_index_1..].fill(0.0);
            values
        });
        let y =
            Vectors::of_length(layout.differential.len(), states.iter().map(|state| pick(&layout.differential, state)));
        Iterate {
            shared,
            ends: Vectors::of_length(layout.algebraic.len(), of_ends),
            nodes: self.nodes(problem, scheme, mesh, ends, [&guessed, &states]),
            jets: self.jets_at_stops(problem, mesh, ends, &y),
            y,
            directions: Vec::new(),
        }
    }

    /// The shared quantities: values of parameters, or those of an earlier solution, and the end.
    fn shared(&self, problem: &Problem<'_>, ends: [f64; 2]) -> Vec<f64> {
        let value = |&parameter: &usize| {
            let earlier = match self {
                Guess::Bvp(earlier) => earlier.parameter(&problem.description().parameters[parameter]),
                Guess::Text | Guess::Solution(_) | Guess::Table(_) => None,
            };
            earlier.unwrap_or(problem.dae.parameters()[parameter])
        };
        let end = problem.shared.has_end.then_some(ends[1]);
        problem.shared.parameters.iter().map(value).chain(end).collect()
    }

    /// The derivatives and the algebraic unknowns at the nodes of all intervals, given what is guessed at the ends and the
    /// states onto which that is moved.
    fn nodes(
        &self,
        problem: &Problem<'_>,
        scheme: &'static Scheme,
        mesh: &Mesh,
        ends: [f64; 2],
        [guessed, states]: [&[Vec<f64>]; 2],
    ) -> Vectors {
        let layout = &problem.layout;
        let (m, na, s) = (layout.differential.len(), layout.algebraic.len(), scheme.stages());
        let mut jets = vec![0.0; problem.dae.prolongation().prolongation_description().jets.len()];
        // How far the guess is moved at a time in an interval.
        let moved = |i: usize, theta: f64, place: usize| {
            let at = |k: usize| states[k][place] - guessed[k][place];
            (1.0 - theta) * at(i) + theta * at(i + 1)
        };
        let mut nodes = Vectors::zeros(mesh.intervals(), s * (m + na));
        for i in 0..mesh.intervals() {
            let h = mesh.t[i + 1] - mesh.t[i];
            let inner = scheme.c.iter().map(|&c| {
                let mut state = self.state(problem, ends, mesh.t[i] + c * h, &mut jets);
                state.iter_mut().enumerate().for_each(|(place, value)| *value += moved(i, c, place));
                state
            });
            let inner: Vec<Vec<f64>> = inner.collect();
            for (j, node) in nodes[i].chunks_exact_mut((m + na).max(1)).enumerate() {
                for (k, &place) in layout.differential.iter().enumerate() {
                    // The derivatives of the polynomial with these values.
                    let from_left = |l: usize| inner[l][place] - states[i][place];
                    node[k] = (0..s).map(|l| scheme.a_inverse[(j, l)] * from_left(l)).sum::<f64>() / h;
                }
                if problem.shared.has_end
                    && let Some((_, slope)) =
                        consistent(problem, mesh.t[i] + scheme.c[j] * h, &inner[j], &mut jets.clone())
                {
                    // Where guesses are constant, nothing would change with the end.
                    node[..m].copy_from_slice(&pick(&layout.differential, &slope));
                }
                node[m..].copy_from_slice(&pick(&layout.algebraic, &inner[j]));
            }
        }
        nodes
    }

    /// Jets at the stops, consistent with these differential unknowns where there are any.
    fn jets_at_stops(&self, problem: &Problem<'_>, mesh: &Mesh, ends: [f64; 2], y: &Vectors) -> Vectors {
        let count = problem.dae.prolongation().prolongation_description().jets.len();
        let at_stop = |&place: &usize| {
            let (t, mut guess) = (mesh.t[place], vec![0.0; count]);
            self.state(problem, ends, t, &mut guess);
            let mut jets = guess.clone();
            let found = consistent_jets(&*problem.dae, &problem.layout, &problem.shared, t, &y[place], &mut jets);
            if found.is_some() { jets } else { guess }
        };
        Vectors::of_length(count, mesh.stops.iter().map(at_stop))
    }
}

/// The entries of a state at these places.
fn pick(places: &[usize], state: &[f64]) -> Vec<f64> {
    places.iter().map(|&place| state[place]).collect()
}

/// The state and the derivative that the equations give near a guess, if there are consistent values.
fn consistent(problem: &Problem<'_>, t: f64, guess: &[f64], jets: &mut [f64]) -> Option<(Vec<f64>, Vec<f64>)> {
    let (state, slope, _) = consistent_state(problem, t, &pick(&problem.layout.differential, guess), jets)?;
    Some((state, slope))
}

/// Guesses at the times of a mesh, moved onto the constraints on differential unknowns, if there are any; where there are
/// no consistent values near by, the guess.
fn consistent_states(problem: &Problem<'_>, mesh: &Mesh, guessed: &[Vec<f64>], jets: &mut Vec<f64>) -> Vec<Vec<f64>> {
    let layout = &problem.layout;
    let d = problem.dae.prolongation().prolongation_description();
    if d.jets.len() - d.equations.len() == layout.differential.len() {
        return guessed.to_vec();
    }
    let moved = |(&t, guess): (&f64, &Vec<f64>)| {
        let mut found = jets.clone();
        match consistent(problem, t, guess, &mut found) {
            Some((state, _)) => {
                *jets = found;
                state
            }
            None => guess.clone(),
        }
    };
    mesh.t.iter().zip(guessed).map(moved).collect()
}
