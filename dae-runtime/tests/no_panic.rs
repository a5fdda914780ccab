//! Whatever systems, options and faults the integrators are given, a run ends in a result or a typed status, and
//! a successful result has only finite values.
//!
//! In: random systems whose descriptions need not be correct, intervals, tolerances and options with and without
//! meaning, residuals and Jacobians that fail. An ordinary test run tries a few thousand cases; a million take some
//! minutes:
//!
//! ```sh
//! CASES=1000000 cargo test --release -p daekit-runtime --test no_panic -- --nocapture
//! SEED=4711 cargo test --release -p daekit-runtime --test no_panic    # one case again
//! ```

mod problems;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use dae_runtime::class::{Classified, Open};
use dae_runtime::contract::{
    Dae, Description, HamiltonianStructure, Kind, Leading, Name, Prolongation, Switch, UnrolledLu,
};
use dae_runtime::event::Event;
use dae_runtime::solution::Status;
use dae_runtime::solve::{Integration, Method, Record, RunError};
use dae_runtime::stepper::{Options, Projection, StepControl, Tolerance};
use dae_runtime::underlying::UnderlyingOde;
use problems::Problem;
use problems::natural_order::natural_order;
use problems::random::{Random, System, Term};

/// The number of cases in an ordinary test run.
const CASES: u64 = 3000;
/// The number of evaluations beyond which a case counts as one that does not end.
const ENDLESS: u64 = 20_000_000;

/// A system with faults, and a description that need not fit it.
struct Faulty {
    problem: Problem<System>,
    description: Description,
    switches: Vec<Term>,
    /// After this time, the functions that may fail return NaN.
    ends_at: f64,
    /// Each evaluation whose number is a multiple of this has `fault` as its last value; none if it is zero.
    every: u64,
    fault: f64,
    jacobian_is_zero: bool,
    /// Unrolled elimination whose pivots may vanish, or which belongs to a system of another size.
    code: Option<UnrolledLu>,
    evaluations: Cell<u64>,
}

impl Faulty {
    fn random(random: &mut Random) -> Faulty {
        let n = match random.below(10) {
            0 => random.below(13),
            _ => 1 + random.below(5),
        };
        let enforced: Vec<usize> = (0..n).filter(|_| random.chance(20)).collect();
        let mut invariants: Vec<Term> = enforced.iter().map(|_| Term::random(random, n, false, 2)).collect();
        let rows: Vec<Term> = (0..n)
            .map(|row| match enforced.iter().position(|&known| known == row) {
                Some(k) => invariants[k].clone(),
                None => {
                    let has_slopes = random.chance(15);
                    let rest = Term::random(random, n, has_slopes, 3);
                    if random.chance(75) { Term::Sum(Box::new([Term::Yp(row), rest])) } else { rest }
                }
            })
            .collect();
        let mut of_invariants: Vec<Option<usize>> = enforced.iter().map(|&row| Some(row)).collect();
        if random.chance(10) && n > 0 {
            invariants.push(Term::random(random, n, false, 1));
            of_invariants.push(if random.chance(10) { Some(random.below(n)) } else { None });
        }
        let kind = |unknown: usize, random: &mut Random| {
            let differential = rows.iter().any(|row| row.has_slope(unknown));
            if differential != random.chance(2) {
                Kind::Differential
            } else {
                random.of(&[Kind::Algebraic, Kind::Algebraic, Kind::Auxiliary { order: 2 }])
            }
        };
        let kinds: Vec<Kind> = (0..n).map(|unknown| kind(unknown, random)).collect();
        let values = |random: &mut Random| -> Vec<f64> { (0..n).map(|_| random.number()).collect() };
        let (y0, yp0) = (values(random), values(random));
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"];
        let unknowns: Vec<(&'static str, Kind, u8)> =
            (0..n).map(|k| (names[k], kinds[k], random.of(&[1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3]))).collect();
        let of_invariants: Vec<(&'static str, Option<usize>)> =
            of_invariants.into_iter().map(|row| ("g", row)).collect();
        let leading = random.of(&[Leading::Constant, Leading::Quasilinear, Leading::Nonlinear]);
        let rank = random.below(n + 1);
        let problem = Problem::new(
            "random",
            System { rows, invariants },
            &unknowns,
            &of_invariants,
            (leading, rank),
            (0.0, &y0, &yp0),
        );
        let mut description = problem.description().clone();
        match random.below(40) {
            0 => description.unknowns.to_mut().iter_mut().for_each(|unknown| unknown.nominal = random.anything()),
            1..10 => {
                let magnitude = |random: &mut Random| random.of(&[1.0, 1e-300, 1e300, 1e-6, 1e6]);
                description.unknowns.to_mut().iter_mut().for_each(|unknown| unknown.nominal = magnitude(random));
            }
            _ => {}
        }
        let switches: Vec<Term> = (0..random.below(3)).map(|_| Term::random(random, n, false, 2)).collect();
        description.switches = switches
            .iter()
            .map(|_| Switch { name: "s".into(), of_time: random.chance(30), jumps: random.chance(50) })
            .collect();
        Faulty {
            problem,
            description,
            switches,
            ends_at: if random.chance(15) { random.unit() } else { f64::INFINITY },
            every: if random.chance(15) { 1 + random.below(40) as u64 } else { 0 },
            fault: random.of(&[f64::NAN, f64::INFINITY, 1e300, 0.0]),
            jacobian_is_zero: random.chance(2),
            code: random.chance(30).then(|| natural_order(if random.chance(95) { n } else { random.below(13) })),
            evaluations: Cell::new(0),
        }
    }

    fn disturb(&self, t: f64, values: &mut [f64]) {
        let count = self.evaluations.get() + 1;
        self.evaluations.set(count);
        assert!(count <= ENDLESS, "does not end");
        if t > self.ends_at {
            values.fill(f64::NAN);
        }
        if self.every > 0
            && count.is_multiple_of(self.every)
            && let Some(value) = values.last_mut()
        {
            *value = self.fault;
        }
    }
}

impl Classified for Faulty {
    type Class = Open;

    fn as_dae(&self) -> &dyn Dae {
        self
    }
}

impl Dae for Faulty {
    fn description(&self) -> &Description {
        &self.description
    }

    fn parameters(&self) -> &[f64] {
        &[]
    }

    fn set_parameters(&mut self, _values: &[f64]) {}

    fn unrolled_lu(&self) -> Option<&UnrolledLu> {
        self.code.as_ref()
    }

    fn residual(&self, t: f64, y: &[f64], yp: &[f64], residual: &mut [f64]) {
        self.problem.residual(t, y, yp, residual);
        self.disturb(t, residual);
    }

    fn jacobian_y(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.problem.jacobian_y(t, y, yp, values);
        if self.jacobian_is_zero {
            values.fill(0.0);
        }
        self.disturb(t, values);
    }

    fn jacobian_yp(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.problem.jacobian_yp(t, y, yp, values);
        self.disturb(t, values);
    }

    fn jacobian_t(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.problem.jacobian_t(t, y, yp, values);
    }

    fn jacobian_p(&self, _t: f64, _y: &[f64], _yp: &[f64], _values: &mut [f64]) {}

    fn invariants(&self, t: f64, y: &[f64], values: &mut [f64]) {
        self.problem.invariants(t, y, values);
    }

    fn invariants_jacobian(&self, t: f64, y: &[f64], values: &mut [f64]) {
        self.problem.invariants_jacobian(t, y, values);
        self.disturb(t, values);
    }

    fn switching_functions(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.switches.iter().zip(&mut *values).for_each(|(switch, value)| *value = switch.value(t, y, yp));
        self.disturb(t, values);
    }

    fn prolongation(&self) -> &dyn Prolongation {
        self.problem.prolongation()
    }
}

/// A structure that the system need not have, and that need not fit it.
fn structure(random: &mut Random, n: usize, invariants: usize) -> HamiltonianStructure {
    let pairs = random.below(n / 2 + 1);
    let constraints = random.below(invariants + 1).min(n - 2 * pairs);
    let (mut unknowns, mut rows) = (0..n, 0..n);
    let mut take = |count: usize| unknowns.by_ref().take(count).collect::<Vec<usize>>().into();
    let mut take_rows = |count: usize| rows.by_ref().take(count).collect::<Vec<usize>>().into();
    HamiltonianStructure {
        positions: take(pairs),
        momenta: take(pairs),
        multipliers: take(if random.chance(95) { constraints } else { 1 }),
        position_equations: take_rows(pairs),
        momentum_equations: take_rows(pairs),
        constraints: (0..constraints).collect::<Vec<usize>>().into(),
        has_constant_masses: random.chance(50),
        has_normal_forces: random.chance(50),
    }
}

fn tolerance(random: &mut Random) -> f64 {
    match random.below(20) {
        0 if random.chance(50) => random.anything(),
        0 => 0.0,
        _ => 10f64.powi(-(random.below(13) as i32)),
    }
}

fn options(random: &mut Random, n: usize) -> Options {
    let defaults = Options::default();
    let count = if random.chance(97) { n } else { n + 1 };
    Options {
        rtol: tolerance(random),
        atol: match random.below(4) {
            0 => Tolerance::PerComponent((0..count).map(|_| tolerance(random)).collect()),
            _ => Tolerance::Scalar(tolerance(random)),
        },
        initial_step: random.chance(10).then(|| random.anything()),
        max_step: if random.chance(10) { random.anything().abs() } else { defaults.max_step },
        max_steps: random.of(&[1, 100, 300, 300]),
        max_order: if random.chance(5) {
            Some(random.below(15))
        } else {
            random.of(&[None, None, None, Some(1), Some(5)])
        },
        control: match random.below(10) {
            0 => StepControl::Fixed(random.anything()),
            1 => StepControl::Fixed(0.01 + 0.1 * random.unit()),
            _ => StepControl::Adaptive,
        },
        projection: match random.below(9) {
            0..=5 => Projection::On,
            6 | 7 => Projection::Off,
            _ => random.of(&[Projection::Positions, Projection::Velocities, Projection::Output]),
        },
    }
}

/// The outcome of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Success,
    Stopped,
    Refused,
}

fn case(seed: u64) -> Outcome {
    let random = &mut Random::new(seed);
    let mut faulty = Faulty::random(random);
    let n = faulty.description.unknowns.len();
    let mut method = random.of(Method::ALL);
    while !method.controls_step_size() && random.chance(75) {
        method = random.of(Method::ALL);
    }
    let mut options = options(random, n);
    if method.is_symplectic() && random.chance(95) {
        faulty.description.hamiltonian = Ok(structure(random, n, faulty.description.invariants.len()));
    }
    if !method.controls_step_size() && random.chance(95) {
        options.control = StepControl::Fixed(0.001 + 0.1 * random.unit());
    }
    let t0 = if random.chance(90) { 0.0 } else { random.anything() };
    let t_end = match random.below(10) {
        0 => t0,
        1 => random.anything(),
        2 => t0 - random.unit(),
        3 => t0 + random.of(&[1e-300, 1e-12, 1e6, 1e300]),
        _ => t0 + random.unit(),
    };
    let (mut y0, yp0) = (faulty.problem.y0.clone(), faulty.problem.yp0.clone());
    if random.chance(3) {
        y0.push(1.0);
    }
    if random.chance(3)
        && let Some(value) = y0.first_mut()
    {
        *value = random.anything();
    }
    let is_underlying = method.is_explicit() || method.is_symplectic();
    let dae: Box<dyn Dae> =
        if is_underlying && random.chance(95) { Box::new(UnderlyingOde::new(faulty)) } else { Box::new(faulty) };
    if random.chance(15) {
        by_hand(dae.as_ref(), method, [t0, t_end], [&y0, &yp0], &options, random)
    } else {
        by_driver(dae.as_ref(), method, [t0, t_end], [&y0, &yp0], options, random)
    }
}

fn by_driver(
    dae: &dyn Dae,
    method: Method,
    [t0, t_end]: [f64; 2],
    [y0, yp0]: [&[f64]; 2],
    options: Options,
    random: &mut Random,
) -> Outcome {
    let record = match random.below(3) {
        0 => Record::Steps,
        1 => Record::Dense,
        _ => {
            let mut times: Vec<f64> = (0..random.below(6)).map(|_| t0 + random.unit() * (t_end - t0)).collect();
            if random.chance(95) {
                times.sort_by(|a, b| (a * (t_end - t0).signum()).total_cmp(&(b * (t_end - t0).signum())));
            }
            if random.chance(3) {
                times.push(random.anything());
            }
            Record::At(times)
        }
    };
    let is_steps = matches!(record, Record::Steps);
    let middle = t0 + 0.3 * (t_end - t0);
    let n = dae.description().unknowns.len();
    let functions: Vec<Term> = (0..3).map(|_| Term::random(random, n, true, 2)).collect();
    let mut integration = Integration::new(dae).method(method).options(options).record(record);
    for function in &functions[..if random.chance(25) { 1 + random.below(3) } else { 0 }] {
        let event = Event::new("event", |t, y, yp| function.value(t, y, yp));
        let event = if random.chance(30) { event.rising() } else { event };
        let (entry, value) = (random.below(n), random.anything());
        integration = integration.event(match random.below(3) {
            0 => event,
            1 => event.terminal(),
            _ => event.reset(move |_, y| y.iter_mut().skip(entry).take(1).for_each(|y| *y = value)),
        });
    }
    let by: Vec<Name> = (0..random.below(3).min(n)).map(|k| dae.description().unknowns[k].name.clone()).collect();
    let result = match random.below(10) {
        0 | 1 => integration.sensitivities(by).run(t0, t_end),
        2 => integration.sensitivities(by).adjoint(t0, t_end).map(|run| {
            let gradient = run
                .gradient_of(|k, state, by_state| by_state.iter_mut().zip(state).for_each(|(d, y)| *d = k as f64 * y));
            match gradient {
                Ok(gradient) => assert!(gradient.values.iter().all(|x| x.is_finite()), "{gradient:?}"),
                Err(failure) => assert!(!failure.to_string().is_empty()),
            }
            run.solution
        }),
        // Random start values are rarely consistent; only `run_from` refuses those that are not.
        3..=7 => integration.run(t0, t_end),
        _ => integration.run_from(t0, y0, yp0, t_end),
    };
    let solution = match result.or_else(RunError::into_solution) {
        Ok(solution) => solution,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return Outcome::Refused;
        }
    };
    let derivatives = (0..3 * n).filter_map(|k| {
        let (unknown, by) = (&dae.description().unknowns[k / 3].name, &dae.description().unknowns[k % 3 % n].name);
        solution.sensitivity(unknown, by).ok()
    });
    assert!(derivatives.flatten().all(|value| value.is_finite()) || !solution.is_success(), "{}", solution.status);
    let text = solution.status.to_string();
    assert!(!text.is_empty());
    let _ = (solution.at(middle), solution.csv().to_string());
    assert!(solution.iter().all(|(_, state)| state.iter().all(|x| x.is_finite())) || !solution.is_success(), "{text}");
    let forward = t_end >= t0;
    assert!(solution.times.windows(2).all(|pair| pair[0] == pair[1] || (pair[0] < pair[1]) == forward), "{text}");
    let is_inside = |t: f64| t0.min(t_end) <= t && t <= t0.max(t_end);
    assert!(solution.occurrences.iter().all(|it| is_inside(it.t)) && is_inside(solution.end_time), "{text}");
    match solution.status {
        Status::Success => {
            assert_eq!(solution.end_time, t_end);
            assert!(solution.end_state.iter().all(|x| x.is_finite()), "success with {:?}", solution.end_state);
            assert!(!is_steps || solution.times.last() == Some(&t_end));
            Outcome::Success
        }
        _ => Outcome::Stopped,
    }
}

fn by_hand(
    dae: &dyn Dae,
    method: Method,
    [t0, t_end]: [f64; 2],
    [y0, yp0]: [&[f64]; 2],
    options: &Options,
    random: &mut Random,
) -> Outcome {
    let mut stepper = match method.start(dae, t0, y0, yp0, t_end, options) {
        Ok(stepper) => stepper,
        Err(failure) => {
            assert!(!failure.to_string().is_empty());
            return Outcome::Refused;
        }
    };
    let mut state = vec![0.0; y0.len()];
    if random.chance(50) {
        stepper.locate_switches();
    }
    // Before the first step there is nothing to interpolate; the call must not panic.
    stepper.interpolate(t0, &mut state);
    for _ in 0..options.max_steps + 2 {
        if random.chance(20) {
            stepper.stop_at(if random.chance(90) { t0 + random.unit() * (t_end - t0) } else { random.anything() });
        }
        let before = stepper.time();
        match stepper.step() {
            Ok(()) => {}
            Err(failure) => {
                assert!(!failure.to_string().is_empty());
                return Outcome::Stopped;
            }
        }
        assert!(stepper.state().iter().all(|x| x.is_finite()), "{:?}", stepper.state());
        stepper.interpolate(before + 0.5 * (stepper.time() - before), &mut state);
        stepper.interpolate(f64::NAN, &mut state);
        if stepper.time() == t_end {
            return Outcome::Success;
        }
    }
    Outcome::Stopped
}

#[test]
fn every_run_ends_in_a_result_or_a_typed_status() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seeds = match number("SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("CASES").unwrap_or(CASES),
    };
    let mut counts = [0u64; 3];
    for seed in seeds.clone() {
        let outcome = catch_unwind(AssertUnwindSafe(|| case(seed)));
        match outcome {
            Ok(outcome) => counts[outcome as usize] += 1,
            Err(_) => panic!("SEED={seed}"),
        }
    }
    println!("success, stopped, refused: {counts:?}");
    let [success, stopped, refused] = counts.map(|count| count as f64 / (seeds.end - seeds.start) as f64);
    // All outcomes occur.
    assert!(
        number("SEED").is_some() || success > 0.1 && stopped > 0.1 && refused > 0.02,
        "{success} {stopped} {refused}"
    );
}
