//! Multiple shooting.
//!
//! In: a problem and a guess. Out: a solution with an estimate of its error.
//!
//! Each interval is integrated from consistent values next to the given ones ([`super::point`]) with the derivatives of
//! the end with respect to them and to free parameters: exact derivatives of the computed solution
//! ([`crate::sensitivity`]). The relations of the ends are the same as in collocation, and so is the system that is solved
//! for them ([`super::condensed`]): J. Stoer & R. Bulirsch, *Introduction to Numerical Analysis*, Sect. 7.3.5.
//!
//! The error is the difference from the solution that integrations with ten times looser tolerances and other steps give,
//! between steps, too, where errors are those of interpolation; or, where that is larger, the response of the solution to
//! errors of its integrations as large as their tolerances, from the start of each interval on.

use std::cell::RefCell;

use crate::contract::class::Method;
use crate::initialize::JetPlaces;
use crate::initialize::quantity::Quantity;
use crate::integrator::stepper::{Options, Projection, Tolerance};
use crate::linalg::matrix::Matrix;
use crate::linalg::vector::larger;
use crate::linalg::vectors::Vectors;
use crate::sensitivity::StartDerivative;
use crate::solution::Solution;
use crate::solve::{Integration, Record};

use super::condensed::Condensed;
use super::conditions::ConditionResiduals;
use super::elimination::Relations;
use super::error::{BvpError, Cause};
use super::guess::FirstGuess;
use super::iterate::Iterate;
use super::mesh::{Mesh, halved};
use super::newton::{self, Discretization, Limits};
use super::obstacle::{Deficiency, Obstacle};
use super::point::{Linearized, consistent_state};
use super::problem::Problem;
use super::record::Interpolation;
use super::scheme::{Nodes, Scheme};
use super::solution::{BvpSolution, BvpStatistics, with_parameters};
use super::tolerances::Tolerances;

/// Tolerances of the first integrations, in units of those asked for, and the factor from one to the next.
const FIRST: f64 = 0.1;
const TIGHTER: f64 = 0.1;
/// Degree of the polynomials through consistent states of a step.
const DEGREE: usize = 9;
/// Where in an interval integrations for comparison begin anew, so that they take other steps.
const RESTART: f64 = 0.4;
/// The largest estimate that is accepted, in units of the error allowed: it is the error of the looser integrations, and
/// where tighter ones do not make it smaller, theirs as well.
const ACCEPTED: f64 = 0.4;
/// Where an estimate is this many times smaller than that of looser integrations, it may be as large as the error allowed.
const CONVERGING: f64 = 2.0;
/// Number of pairs of tolerances that are tried.
const ATTEMPTS: usize = 3;
/// Gaps of this size, in units of the error allowed, are closed. Where solutions grow within an interval, a gap is wide
/// although the correction that closes it is small.
const CLOSED: f64 = 0.1;
/// Number of times that Newton's iteration is repeated to close gaps.
const REPETITIONS: usize = 3;
/// Number of times that intervals are halved because Newton's iteration does not converge.
const HALVINGS: usize = 4;

/// Multiple shooting with a method and tolerances.
#[derive(Clone, Debug)]
struct Shooting {
    method: Method,
    rtol: f64,
    atol: Vec<f64>,
    /// Where integrations begin anew, as a fraction of each interval.
    restart: Option<f64>,
    /// Jets at the starts of intervals, from which consistent ones are sought.
    jets: RefCell<Vec<Vec<f64>>>,
}

/// The residuals of shooting.
struct Gaps {
    /// The end of the integration over each interval, minus the value there.
    gaps: Vectors,
    conditions: ConditionResiduals,
}

/// Factors of the linearisation of shooting.
struct ShootingFactors(Condensed);

/// A consistent start of an interval.
struct Start {
    y: Vec<f64>,
    yp: Vec<f64>,
    linearized: Linearized,
}

impl Shooting {
    fn integration<'p>(&self, problem: &'p Problem<'_>) -> Integration<'p, 'static> {
        let options =
            Options { rtol: self.rtol, atol: Tolerance::PerComponent(self.atol.clone()), ..Options::default() };
        Integration::new(&*problem.dae).method(self.method).options(options)
    }

    fn start(&self, problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate, i: usize) -> Result<Start, Deficiency> {
        let t = mesh.t[i];
        let mut jets = self.jets.borrow()[i].clone();
        let found = consistent_state(problem, t, &iterate.y[i], &mut jets);
        let (y, yp, linearized) = found.ok_or(Deficiency::Point(t))?;
        self.jets.borrow_mut()[i] = jets;
        Ok(Start { y, yp, linearized })
    }

    /// Largest change of the solution, in units of the error allowed, if each integration is off by its tolerances from
    /// its start on; `None` if that cannot be computed.
    fn response(&self, problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate, allowed: &Tolerances) -> Option<f64> {
        let (layout, unknowns) = (&problem.layout, &problem.description().unknowns);
        let m = layout.differential.len();
        let mut residuals = self.residuals(problem, mesh, iterate).ok()?;
        let relations = self.relations(problem, mesh, iterate).ok()?;
        let factors = Condensed::new(problem, mesh, iterate, &relations, &residuals.conditions).ok()?;
        let factors = ShootingFactors(factors);
        residuals.conditions.set_to_zero();
        let starts: Vec<Start> =
            (0..mesh.t.len()).map(|i| self.start(problem, mesh, iterate, i).ok()).collect::<Option<_>>()?;
        let mut largest = 0.0;
        for are_alike in [true, false] {
            for i in 0..mesh.intervals() {
                let off = |k: usize| self.atol[layout.differential[k]] + self.rtol * iterate.y[i + 1][k].abs();
                for (k, gap) in residuals.gaps[i].iter_mut().enumerate() {
                    let sign = if are_alike || (i + k) % 2 == 0 { 1.0 } else { -1.0 };
                    let grown = (0..m).map(|j| relations.columns[i][j * m + k].abs() * off(j));
                    *gap = sign * (off(k) + grown.sum::<f64>());
                }
            }
            let change = self.correction(problem, mesh, &factors, &residuals)?;
            for ((change_of_state, y), start) in change.y.iter().zip(iterate.y.iter()).zip(&starts) {
                for (k, &unknown) in layout.differential.iter().enumerate() {
                    largest = larger(largest, change_of_state[k].abs() / allowed.of(unknown, y[k]));
                }
                // Algebraic unknowns follow.
                let Linearized { by_state, by_shared, .. } = &start.linearized;
                for &unknown in &layout.algebraic {
                    let Some(jet) = unknowns[unknown].role.jet() else { continue };
                    let of_state = change_of_state.iter().enumerate().map(|(k, change)| by_state[(jet, k)] * change);
                    let of_shared = change.shared.iter().enumerate().map(|(k, change)| by_shared[(jet, k)] * change);
                    let followed: f64 = of_state.chain(of_shared).sum();
                    largest = larger(largest, followed.abs() / allowed.of(unknown, start.y[unknown]));
                }
            }
        }
        Some(largest)
    }

    /// The solution over all intervals. Algebraic unknowns are consistent with the differential ones: no error test is
    /// sharp for those of index 2.
    fn solution(&self, problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate) -> Option<Solution> {
        let integrated = self.integrated(problem, mesh, iterate)?;
        let layout = &problem.layout;
        if layout.algebraic.is_empty() {
            return Some(integrated);
        }
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
            let n = problem.description().unknowns.len();
            consistent_state(problem, at, &y, &mut jets).map_or_else(
                || {
                    is_complete = false;
                    (vec![f64::NAN; n], vec![f64::NAN; n])
                },
                |(state, slope, _)| (state, slope),
            )
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

impl Discretization for Shooting {
    type Residuals = Gaps;
    type Factors = ShootingFactors;

    fn residuals(&self, problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate) -> Result<Gaps, Deficiency> {
        let conditions = ConditionResiduals::new(problem, mesh, iterate)?;
        let differential = &problem.layout.differential;
        let mut gaps = Vectors::zeros(mesh.intervals(), differential.len());
        for i in 0..mesh.intervals() {
            let start = self.start(problem, mesh, iterate, i)?;
            let parts = self.parts(problem, mesh, i, start, Record::Steps);
            let end = parts.and_then(|mut parts| Some(parts.pop()?.end_state));
            let end = end.ok_or(Deficiency::Interval(mesh.t[i]))?;
            for ((gap, &place), y) in gaps[i].iter_mut().zip(differential).zip(&iterate.y[i + 1]) {
                *gap = end[place] - y;
            }
        }
        Ok(Gaps { gaps, conditions })
    }

    fn factorize(
        &self,
        problem: &Problem<'_>,
        mesh: &Mesh,
        iterate: &Iterate,
        residuals: &Gaps,
    ) -> Result<ShootingFactors, Deficiency> {
        let relations = self.relations(problem, mesh, iterate)?;
        Ok(ShootingFactors(Condensed::new(problem, mesh, iterate, &relations, &residuals.conditions)?))
    }

    fn correction(
        &self,
        _problem: &Problem<'_>,
        mesh: &Mesh,
        factors: &ShootingFactors,
        residuals: &Gaps,
    ) -> Option<Iterate> {
        let solved = factors.0.solve(mesh, residuals.gaps.clone(), &residuals.conditions)?;
        let count = mesh.t.len();
        Some(Iterate {
            shared: solved.shared,
            y: solved.y,
            jets: solved.jets,
            ends: Vectors::zeros(count, 0),
            nodes: Vectors::zeros(count - 1, 0),
            directions: Vec::new(),
        })
    }
}

impl Shooting {
    fn relations(&self, problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate) -> Result<Relations, Deficiency> {
        let (m, shared) = (problem.layout.differential.len(), problem.shared.count());
        let mut columns = Vectors::zeros(mesh.intervals(), m * (m + shared));
        for i in 0..mesh.intervals() {
            columns[i].copy_from_slice(self.relation(problem, mesh, iterate, i)?.as_slice());
        }
        Ok(Relations { m, shared, columns })
    }

    /// How the end of an interval changes with its start and the shared quantities, $(\Gamma, \Delta)$: integrated in one
    /// part.
    fn relation(&self, problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate, i: usize) -> Result<Matrix, Deficiency> {
        let (layout, shared) = (&problem.layout, &problem.shared);
        let (m, parameters, thetas) = (layout.differential.len(), shared.parameters.len(), shared.count());
        let start = self.start(problem, mesh, iterate, i)?;
        let places = JetPlaces::of(&*problem.dae);
        let derivative = |jets: &[f64]| {
            let at = |places: &[Option<usize>]| places.iter().map(|jet| jet.map_or(0.0, |jet| jets[jet])).collect();
            StartDerivative { value: at(&places.values), slope: at(&places.slopes), constants: at(&places.eliminated) }
        };
        let of_state = (0..m).map(|k| derivative(start.linearized.by_state.column(k)));
        let of_parameters = (0..parameters).map(|k| derivative(start.linearized.by_shared.column(k)));
        let derivatives: Vec<StartDerivative> = of_state.chain(of_parameters).collect();
        let free = shared.parameters.iter().map(|&k| Quantity::of_parameter(&*problem.dae, k));
        let quantities: Vec<Quantity> = (0..m).map(|_| Quantity::of_state()).chain(free).collect();
        let singular = || Deficiency::Interval(mesh.t[i]);
        let run = self.integration(problem).run_from_with_derivatives(
            mesh.t[i],
            [&start.y, &start.yp],
            mesh.t[i + 1],
            quantities,
            derivatives,
        );
        let end = run.map_err(|_| singular())?;
        let (last, width) = (end.times.len() - 1, end.names.len());
        let column = |quantity: usize| {
            let of_all = end.sensitivities.as_ref()?.column(last, quantity, width)?;
            Some(layout.differential.iter().map(|&place| of_all[place]).collect::<Vec<f64>>())
        };
        let mut relation = Matrix::zeros(m, m + thetas);
        for quantity in 0..m + parameters {
            let values = column(quantity).ok_or_else(singular)?;
            for (row, value) in values.into_iter().enumerate() {
                relation[(row, quantity)] = value;
            }
        }
        if let Some(column) = shared.end() {
            // The end of the interval moves, and so does its start, along the solution.
            let moved: Vec<f64> = layout.differential.iter().map(|&place| -mesh.moves(i) * start.yp[place]).collect();
            for (row, &place) in layout.differential.iter().enumerate() {
                let before: f64 = moved.iter().enumerate().map(|(k, moved)| relation[(row, k)] * moved).sum();
                relation[(row, m + column)] = mesh.moves(i + 1) * end.end_derivative[place] + before;
            }
        }
        match relation.as_slice().iter().all(|entry| entry.is_finite()) {
            true => Ok(relation),
            false => Err(singular()),
        }
    }
}

/// Solves the problem.
pub(super) fn solve(
    problem: &mut Problem<'_>,
    guess: &FirstGuess<'_>,
    allowed: &Tolerances,
    most_intervals: usize,
    is_stopped: &mut dyn FnMut(&Mesh, f64) -> bool,
) -> Result<BvpSolution, BvpError> {
    let mut statistics = BvpStatistics::default();
    let (mut mesh, first) = guess.iterate(problem, Scheme::of(Nodes::Gauss, 2));
    let mut iterate = without_nodes(first);
    let mut halvings = 0;
    let mut solved = loop {
        let mut trial = iterate.clone();
        let shooting = shooting(problem, guess, allowed, &mesh, FIRST);
        match run(problem, &shooting, &mut mesh, &mut trial, allowed, &mut statistics) {
            Ok(()) => break trial,
            Err(obstacle) if halvings == HALVINGS || 2 * mesh.intervals() > most_intervals => {
                let last = Box::new(result(problem, guess, &mesh, &trial, None, statistics));
                return Err(BvpError::NotConverged { cause: obstacle.into(), last });
            }
            Err(_) if is_stopped(&mesh, f64::INFINITY) => {
                let last = Box::new(result(problem, guess, &mesh, &trial, None, statistics));
                return Err(BvpError::NotConverged { cause: Cause::Interrupted, last });
            }
            Err(_) => {
                problem.set_shared(&mut mesh, &iterate.shared);
                let finer = halved(&mesh);
                iterate = refined(&iterate);
                mesh = finer;
                halvings += 1;
            }
        }
    };
    let mut tolerance = FIRST;
    let mut best: Option<(f64, BvpSolution)> = None;
    'attempts: for _ in 0..ATTEMPTS {
        let coarse = Shooting { restart: Some(RESTART), ..shooting(problem, guess, allowed, &mesh, tolerance) };
        tolerance *= TIGHTER;
        let finer = shooting(problem, guess, allowed, &mesh, tolerance);
        let mut before = Vec::new();
        let mut solutions = Vec::with_capacity(2);
        for shooting in [coarse, finer.clone()] {
            before.clone_from(&solved.shared);
            if let Err(obstacle) = run(problem, &shooting, &mut mesh, &mut solved, allowed, &mut statistics) {
                if best.is_some() {
                    break 'attempts;
                }
                let last = Box::new(result(problem, guess, &mesh, &solved, solutions.pop(), statistics));
                return Err(BvpError::NotConverged { cause: obstacle.into(), last });
            }
            solutions.extend(shooting.solution(problem, &mesh, &solved));
        }
        let (Some(fine), Some(coarse)) = (solutions.pop(), solutions.pop()) else { break };
        let (largest, errors) = difference(allowed, &fine, &coarse);
        let of_shared = solved.shared.iter().zip(&before);
        let response = finer.response(problem, &mesh, &solved, allowed).unwrap_or(f64::INFINITY);
        let of_shared = of_shared.map(|(new, old)| (new - old).abs() / allowed.of_shared(new.abs()));
        let error = of_shared.chain([response]).fold(largest, larger);
        let mut found = result(problem, guess, &mesh, &solved, Some(fine), statistics);
        found.set_errors(problem.description(), errors);
        let stops = is_stopped(&mesh, error);
        let looser = best.as_ref().map_or(0.0, |(error, _)| *error);
        if error <= ACCEPTED || error <= 1.0 && CONVERGING * error <= looser {
            return Ok(found);
        }
        if stops {
            return Err(BvpError::Inaccurate { cause: Cause::Interrupted, last: Box::new(found) });
        }
        if best.as_ref().is_none_or(|(least, _)| error < *least) {
            best = Some((error, found));
        }
    }
    let (error, found) =
        best.unwrap_or_else(|| (f64::INFINITY, result(problem, guess, &mesh, &solved, None, statistics)));
    let cause = if error.is_finite() { Cause::Stagnated } else { Cause::Diverged };
    Err(BvpError::Inaccurate { cause, last: Box::new(found) })
}

fn shooting(problem: &Problem<'_>, guess: &FirstGuess<'_>, allowed: &Tolerances, mesh: &Mesh, factor: f64) -> Shooting {
    let jets = mesh.t.iter().map(|&t| guess.jets(problem, t)).collect();
    Shooting {
        method: Method::Radau,
        rtol: factor * allowed.rtol,
        atol: allowed.atol.iter().map(|atol| factor * atol).collect(),
        restart: None,
        jets: RefCell::new(jets),
    }
}

fn run(
    problem: &mut Problem<'_>,
    shooting: &Shooting,
    mesh: &mut Mesh,
    iterate: &mut Iterate,
    allowed: &Tolerances,
    statistics: &mut BvpStatistics,
) -> Result<(), Obstacle> {
    statistics.meshes += 1;
    for _ in 0..REPETITIONS {
        newton::solve(problem, shooting, mesh, iterate, allowed, Limits::default(), statistics)?;
        let residuals = shooting.residuals(problem, mesh, iterate)?;
        statistics.residuals += 1;
        let gaps = residuals.gaps.iter().zip(iterate.y.iter().skip(1));
        let widest = gaps.flat_map(|(gap, y)| gap.iter().zip(y).zip(&problem.layout.differential));
        let widest = widest.map(|((gap, y), &unknown)| gap.abs() / allowed.of(unknown, *y)).fold(0.0, larger);
        if widest <= CLOSED {
            return Ok(());
        }
    }
    Err(Obstacle::Rounding)
}

/// The iterate of shooting: there are no nodes in intervals.
fn without_nodes(iterate: Iterate) -> Iterate {
    let count = iterate.y.len();
    Iterate { nodes: Vectors::zeros(count - 1, 0), ends: Vectors::zeros(count, 0), ..iterate }
}

/// The iterate on the mesh with halved intervals.
fn refined(iterate: &Iterate) -> Iterate {
    let old = &iterate.y;
    let halfway = |k: usize| old[k].iter().zip(&old[k + 1]).map(|(a, b)| 0.5 * (a + b)).collect::<Vec<f64>>();
    let y = (0..2 * old.len() - 1).map(|k| if k % 2 == 0 { old[k / 2].to_vec() } else { halfway(k / 2) });
    without_nodes(Iterate { y: Vectors::of_length(old[0].len(), y), ..iterate.clone() })
}

/// Largest difference in units of the error allowed, and for each entry of a state in its unit: at the ends of the steps
/// of `fine`, and between them, where errors of interpolation count.
fn difference(allowed: &Tolerances, fine: &Solution, coarse: &Solution) -> (f64, Vec<f64>) {
    let mut errors = vec![0.0_f64; fine.names.len()];
    let mut largest = 0.0_f64;
    // A free end is not the same for both.
    let ends = [fine, coarse].map(|it| [it.times.first().copied().unwrap_or(0.0), it.end_time]);
    let mut compare = |t: f64, state: &[f64]| {
        let fraction = (t - ends[0][0]) / (ends[0][1] - ends[0][0]);
        let same = ends[0] == ends[1];
        let t = if same { t } else { ends[1][0] + fraction * (ends[1][1] - ends[1][0]) };
        let other = if fraction >= 1.0 { Some(coarse.end_state.clone()) } else { coarse.at(t) };
        let other = other.unwrap_or_else(|| vec![f64::NAN; state.len()]);
        for (k, (a, b)) in state.iter().zip(other).enumerate() {
            let error = (a - b).abs();
            errors[k] = larger(errors[k], error);
            if k < allowed.atol.len() {
                largest = larger(largest, error / allowed.of(k, *a));
            }
        }
    };
    for (t, state) in fine {
        compare(t, state);
    }
    for ends in fine.times.windows(2) {
        for place in [0.25, 0.5, 0.75] {
            let t = ends[0] + place * (ends[1] - ends[0]);
            compare(t, &fine.at(t).unwrap_or_else(|| vec![f64::NAN; fine.names.len()]));
        }
    }
    (largest, errors)
}

fn result(
    problem: &mut Problem<'_>,
    guess: &FirstGuess<'_>,
    mesh: &Mesh,
    iterate: &Iterate,
    solution: Option<Solution>,
    statistics: BvpStatistics,
) -> BvpSolution {
    let mut mesh = mesh.clone();
    problem.set_shared(&mut mesh, &iterate.shared);
    let solution = solution.unwrap_or_else(|| {
        // The values at the ends of intervals, as far as they go.
        let dae = &*problem.dae;
        let n = problem.description().unknowns.len();
        let mut whole: Option<Solution> = None;
        for (&t, y) in mesh.t.iter().zip(iterate.y.iter()) {
            let (mut state, mut slope) = (vec![0.0; n], vec![0.0; n]);
            dae.states_from_jets(t, &guess.jets(problem, t), &mut state, &mut slope);
            problem.layout.differential.iter().zip(y).for_each(|(&place, y)| state[place] = *y);
            whole
                .get_or_insert_with(|| Solution::new(dae, t, &state, &slope, &Projection::Off.levels()))
                .push(t, &state);
        }
        whole.unwrap_or_else(|| Solution::new(dae, mesh.t[0], &[], &[], &Projection::Off.levels()))
    });
    with_parameters(&*problem.dae, solution, mesh.t, statistics)
}
