//! First guesses.
//!
//! In: guesses of the text, a solution of an integration, or an earlier solution of a boundary value problem. Out: a mesh
//! and an iterate.

use crate::solution::Solution;

use super::BvpSolution;
use super::condensed::{Iterate, Mesh};
use super::point::consistent_jets;
use super::problem::Problem;
use super::scheme::Scheme;

/// Where a guess comes from.
pub(super) enum Guess<'g> {
    /// The guesses of the model.
    Text,
    /// A solution.
    Solution(&'g Solution),
    /// A solution with its mesh.
    Bvp(&'g BvpSolution),
}

impl Guess<'_> {
    /// The mesh of an earlier solution, moved to these points.
    pub(super) fn mesh(&self, _problem: &Problem<'_>, points: &[f64]) -> Option<Mesh> {
        let Guess::Bvp(earlier) = self else { return None };
        let (first, last) = (*earlier.mesh.first()?, *earlier.mesh.last()?);
        let (from, to) = (points[0], points[points.len() - 1]);
        let moved = earlier.mesh.iter().map(|t| from + (t - first) / (last - first) * (to - from));
        let mut t: Vec<f64> = moved.chain(points.iter().copied()).collect();
        let direction = (to - from).signum();
        t.sort_by(|a, b| (a * direction).total_cmp(&(b * direction)));
        // Times that differ by rounding only are one.
        let close = 1e-12 * (to - from).abs();
        t.dedup_by(|b, a| (*b - *a).abs() <= close && !points.contains(b));
        t.dedup_by(|b, a| {
            let same = (*b - *a).abs() <= close;
            if same {
                *a = *b;
            }
            same
        });
        let places = points.iter().map(|point| t.iter().position(|t| t == point)).collect::<Option<Vec<usize>>>()?;
        Some(Mesh { t, points: places })
    }

    /// The solution that is known, if any.
    fn solution(&self) -> Option<&Solution> {
        match self {
            Guess::Text => None,
            Guess::Solution(solution) => Some(solution),
            Guess::Bvp(earlier) => Some(&earlier.solution),
        }
    }

    /// Values of unknowns at a time: what is known of them, and otherwise what the text guesses.
    fn state(&self, problem: &Problem<'_>, ends: [f64; 2], t: f64, jets: &mut [f64]) -> Vec<f64> {
        problem.boundary().boundary_guess(ends, t, jets);
        let description = problem.description();
        let n = description.unknowns.len();
        let (mut y, mut slope) = (vec![0.0; n], vec![0.0; n]);
        problem.dae.states_from_jets(t, jets, &mut y, &mut slope);
        if let Some(solution) = self.solution() {
            // Times beyond a solution have its values at the nearest end; another interval is mapped to that of the
            // solution.
            let (first, last) = (solution.times.first().copied().unwrap_or(t), solution.end_time);
            let fraction = (t - ends[0]) / (ends[1] - ends[0]);
            let t = if fraction >= 1.0 { last } else { first + fraction * (last - first) };
            for (k, unknown) in description.unknowns.iter().enumerate() {
                if let Some(value) = solution.value(&unknown.name, t).filter(|value| value.is_finite()) {
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
    pub(super) fn iterate(
        &self,
        problem: &mut Problem<'_>,
        scheme: &'static Scheme,
        mesh: &Mesh,
        ends: [f64; 2],
    ) -> Iterate {
        let mut shared: Vec<f64> =
            problem.shared.parameters.iter().map(|&parameter| problem.dae.parameters()[parameter]).collect();
        if let Guess::Bvp(earlier) = self {
            for (value, &parameter) in shared.iter_mut().zip(&problem.shared.parameters) {
                let name = &problem.description().parameters[parameter];
                *value = earlier.parameter(name).unwrap_or(*value);
            }
        }
        if problem.shared.has_end {
            shared.push(ends[1]);
        }
        let mut moved = mesh.clone();
        problem.set_shared(&mut moved, &shared);
        let problem = &*problem;
        let layout = &problem.layout;
        let (m, na, s) = (layout.differential.len(), layout.algebraic.len(), scheme.stages());
        let mut jets = vec![0.0; problem.dae.prolongation().prolongation_description().jets.len()];
        let pick = |places: &[usize], state: &[f64]| places.iter().map(|&place| state[place]).collect::<Vec<f64>>();
        let states: Vec<Vec<f64>> = mesh.t.iter().map(|&t| self.state(problem, ends, t, &mut jets)).collect();
        let y: Vec<Vec<f64>> = states.iter().map(|state| pick(&layout.differential, state)).collect();
        let mut nodes = Vec::with_capacity(mesh.intervals());
        for i in 0..mesh.intervals() {
            let h = mesh.t[i + 1] - mesh.t[i];
            let inner: Vec<Vec<f64>> =
                scheme.c.iter().map(|c| self.state(problem, ends, mesh.t[i] + c * h, &mut jets)).collect();
            let mut values = vec![0.0; s * (m + na)];
            for (j, node) in values.chunks_exact_mut((m + na).max(1)).enumerate() {
                for (k, &place) in layout.differential.iter().enumerate() {
                    // The derivatives of the polynomial with these values.
                    node[k] = (0..s).map(|l| scheme.a_inverse[(j, l)] * (inner[l][place] - y[i][k])).sum::<f64>() / h;
                }
                node[m..].copy_from_slice(&pick(&layout.algebraic, &inner[j]));
            }
            nodes.push(values);
        }
        let at_points = mesh.points.iter().map(|&place| {
            let t = mesh.t[place];
            self.state(problem, ends, t, &mut jets);
            let guess = jets.clone();
            let found = consistent_jets(&*problem.dae, layout, &problem.shared, t, &y[place], &mut jets);
            match found {
                Some(_) => jets.clone(),
                None => guess,
            }
        });
        let jets = at_points.collect();
        let ends = states.iter().map(|state| pick(&layout.algebraic, state)).collect();
        Iterate { shared, y, ends, nodes, jets }
    }
}
