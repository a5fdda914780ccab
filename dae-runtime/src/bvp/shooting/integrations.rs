//! The integrations of multiple shooting.
//!
//! In: a problem, a mesh, an iterate, tolerances. Out: consistent starts of intervals, and solutions over intervals from
//! there.

use std::cell::RefCell;

use crate::bvp::guess::FirstGuess;
use crate::bvp::iterate::Iterate;
use crate::bvp::linearized::Linearized;
use crate::bvp::mesh::Mesh;
use crate::bvp::obstacle::Deficiency;
use crate::bvp::point::consistent_state;
use crate::bvp::problem::Problem;
use crate::bvp::record::Interpolation;
use crate::bvp::tolerances::Tolerances;
use crate::contract::class::Method;
use crate::integrator::stepper::{Options, Tolerance};
use crate::solution::Solution;
use crate::solve::{Integration, Record};

/// Degree of the polynomials through consistent states of a step: with it, their error is far below that of a step.
const DEGREE: usize = 9;

/// Integrations with the same tolerances over all intervals.
#[derive(Clone, Debug)]
pub(super) struct Integrations {
    pub(super) tolerances: Tolerances,
    /// Where integrations begin anew, as a fraction of each interval.
    restart: Option<f64>,
    /// Jets at the ends of intervals, from which consistent ones are sought.
    jets: RefCell<Vec<Vec<f64>>>,
}

/// A consistent start of an interval.
pub(super) struct Start {
    pub(super) y: Vec<f64>,
    pub(super) yp: Vec<f64>,
    pub(super) linearized: Linearized,
}

impl Integrations {
    pub(super) fn new(problem: &Problem<'_>, guess: &FirstGuess<'_>, mesh: &Mesh, tolerances: Tolerances) -> Self {
        let jets = mesh.t.iter().map(|&t| guess.jets(problem, t)).collect();
        Integrations { tolerances, restart: None, jets: RefCell::new(jets) }
    }

    /// The same with other steps: integrations begin anew at this fraction of each interval.
    pub(super) fn restarted_at(self, fraction: f64) -> Self {
        Integrations { restart: Some(fraction), ..self }
    }

    /// The integrator.
    pub(super) fn integration<'p>(&self, problem: &'p Problem<'_>) -> Integration<'p, 'static> {
        let Tolerances { rtol, atol } = self.tolerances.clone();
        let options = Options { rtol, atol: Tolerance::PerComponent(atol), ..Options::default() };
        Integration::new(&*problem.dae).method(Method::Radau).options(options)
    }

    /// Consistent values next to those of the iterate at the `i`-th end of an interval.
    pub(super) fn start(
        &self,
        problem: &Problem<'_>,
        mesh: &Mesh,
        iterate: &Iterate,
        i: usize,
    ) -> Result<Start, Deficiency> {
        let t = mesh.t[i];
        let mut jets = self.jets.borrow()[i].clone();
        let found = consistent_state(problem, t, &iterate.y[i], &mut jets);
        let (y, yp, linearized) = found.ok_or(Deficiency::Point(t))?;
        self.jets.borrow_mut()[i] = jets;
        Ok(Start { y, yp, linearized })
    }

    /// The state at the end of the integration over an interval.
    pub(super) fn end_state(
        &self,
        problem: &Problem<'_>,
        mesh: &Mesh,
        iterate: &Iterate,
        i: usize,
    ) -> Result<Vec<f64>, Deficiency> {
        let start = self.start(problem, mesh, iterate, i)?;
        let parts = self.parts(problem, mesh, i, start, Record::Steps);
        let last = parts.and_then(|mut parts| parts.pop());
        last.map(|part| part.end_state).ok_or(Deficiency::Interval(mesh.t[i]))
    }

    /// The solution over all intervals; `None` if there is none. Algebraic unknowns are consistent with the differential
    /// ones: no error test is sharp for those of index 2.
    pub(super) fn solution(&self, problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate) -> Option<Solution> {
        let integrated = self.integrated(problem, mesh, iterate)?;
        let layout = &problem.layout;
        if layout.algebraic.is_empty() {
            return Some(integrated);
        }
        let n = problem.description().unknowns.len();
        let mut t = integrated.times.clone();
        t.dedup();
        let mut jets = iterate.jets[0].to_vec();
        let interpolation = Interpolation::of_degree(DEGREE);
        let mut is_complete = true;
        let solution = interpolation.record(&*problem.dae, &t, |i, j| {
            let at = match interpolation.places()[j] {
                1.0 => t[i + 1],
                place => t[i] + place * (t[i + 1] - t[i]),
            };
            let state = integrated.at(at).unwrap_or_else(|| vec![f64::NAN; integrated.names.len()]);
            let y: Vec<f64> = layout.differential.iter().map(|&place| state[place]).collect();
            let found = consistent_state(problem, at, &y, &mut jets);
            is_complete &= found.is_some();
            found.map_or_else(|| (vec![f64::NAN; n], vec![f64::NAN; n]), |(state, slope, _)| (state, slope))
        });
        is_complete.then_some(solution)
    }

    /// The integrations over all intervals, one after the other.
    fn integrated(&self, problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate) -> Option<Solution> {
        let mut whole: Option<Solution> = None;
        for i in 0..mesh.intervals() {
            let start = self.start(problem, mesh, iterate, i).ok()?;
            for part in self.parts(problem, mesh, i, start, Record::Dense)? {
                match &mut whole {
                    None => whole = Some(part),
                    Some(whole) => whole.append(part),
                }
            }
        }
        whole
    }

    /// The integration over an interval, in one part or two; `None` if it does not reach the end.
    fn parts(
        &self,
        problem: &Problem<'_>,
        mesh: &Mesh,
        i: usize,
        start: Start,
        record: Record,
    ) -> Option<Vec<Solution>> {
        let Start { mut y, mut yp, .. } = start;
        let (mut t, end) = (mesh.t[i], mesh.t[i + 1]);
        let mut parts = Vec::with_capacity(2);
        for end in self.restart.map(|place| t + place * (end - t)).into_iter().chain([end]) {
            let part = self.integration(problem).record(record.clone()).run_from(t, &y, &yp, end).ok()?;
            t = end;
            // Eliminated unknowns follow those of the formulation.
            y = part.end_state[..y.len()].to_vec();
            yp = part.end_derivative[..yp.len()].to_vec();
            parts.push(part);
        }
        Some(parts)
    }
}
