//! Sensitivities of solutions, against complex steps (`complex_step`), closed forms, or extrapolated differences of
//! accurate solutions.
//!
//! In: models. Out: derivatives with respect to parameters and start values, forwards (`forward`), across events, jumps and
//! changes of mode (`events`, `declared`, `modes`), by the adjoint method (`adjoint`), of unknowns that only hidden
//! equations determine (`hidden`), and of random linear systems (`linear`).

mod adjoint;
mod complex_step;
mod declared;
mod events;
mod forward;
mod hidden;
#[path = "../interpreted/mod.rs"]
mod interpreted;
mod linear;
mod modes;

use dae::runtime::contract::Dae;
use dae::{Event, Failure, Integration, Method, Record, RunError, Solution};
use interpreted::{available, system};

const METHODS: [Method; 3] = [Method::Bdf, Method::Radau5, Method::Radau];

/// The tolerance of the runs whose differences are taken.
const REFERENCE: f64 = 1e-12;

/// The settings of a run, apart from the method and the tolerance.
struct Case<'a> {
    t_end: f64,
    times: &'a [f64],
    /// The step of differences, relative to the parameter unless that is zero.
    difference: f64,
    /// The events of the run.
    events: &'a dyn Fn(&dyn Dae) -> Vec<Event<'static>>,
}

impl Case<'_> {
    fn integration<'d>(&self, system: &'d dyn Dae, method: Method, tolerance: f64) -> Integration<'d, 'static> {
        let run = Integration::new(system).method(method).rtol(tolerance).atol(tolerance);
        let run = run.record(Record::At(self.times.to_vec()));
        (self.events)(system).into_iter().fold(run, |run, event| run.event(event))
    }
}

fn no_events(_: &dyn Dae) -> Vec<Event<'static>> {
    Vec::new()
}

/// Expected derivatives of the states at the requested times, and of the times of the events.
struct Values {
    /// The unit of the parameter in comparisons: 1, or the magnitude of a small parameter.
    unit: f64,
    states: Vec<Vec<f64>>,
    events: Vec<f64>,
}

/// Derivatives with respect to a parameter: central differences of runs with errors near rounding, extrapolated once.
fn differences(system: &mut dyn Dae, parameter: &str, case: &Case<'_>) -> Values {
    let k = system.description().parameters.iter().position(|name| name == parameter).expect("a parameter");
    let at = system.parameters().to_vec();
    let mut solution = |p: f64| {
        let mut parameters = at.clone();
        parameters[k] = p;
        system.set_parameters(&parameters);
        let solution = case.integration(system, Method::Radau, REFERENCE).run(0.0, case.t_end).expect("consistent");
        assert!(solution.is_success(), "{parameter} = {p}: {}", solution.status);
        let mut all: Vec<Vec<f64>> = solution.iter().map(|(_, state)| state.to_vec()).collect();
        all.push(solution.occurrences.iter().map(|event| event.t).collect());
        all
    };
    let h = case.difference * if at[k] == 0.0 { 1.0 } else { at[k].abs() };
    let mut difference = |h: f64| -> Vec<Vec<f64>> {
        let (above, below) = (solution(at[k] + h), solution(at[k] - h));
        let of_state = |(above, below): (&Vec<f64>, &Vec<f64>)| {
            assert_eq!(above.len(), below.len());
            above.iter().zip(below).map(|(a, b)| (a - b) / (2.0 * h)).collect()
        };
        above.iter().zip(&below).map(of_state).collect()
    };
    let (coarse, fine) = (difference(h), difference(0.5 * h));
    system.set_parameters(&at);
    let extrapolated = |(fine, coarse): (&f64, &f64)| fine + (fine - coarse) / 3.0;
    let all = fine.iter().zip(&coarse);
    let mut states: Vec<Vec<f64>> =
        all.map(|(fine, coarse)| fine.iter().zip(coarse).map(extrapolated).collect()).collect();
    let events = states.pop().unwrap_or_default();
    Values { unit: if at[k] == 0.0 { 1.0 } else { at[k].abs().min(1.0) }, states, events }
}

/// Compares the derivatives of some unknowns and of the times of all events with respect to a parameter; the tolerance
/// is absolute and relative, for unknowns in the unit of the parameter.
fn compare(solution: &Solution, parameter: &str, expected: &Values, unknowns: &[&str], tolerance: f64, what: &str) {
    let unit = expected.unit;
    for name in unknowns {
        let found = solution.sensitivity(name, parameter).expect("asked for");
        let k = solution.names.iter().position(|known| known == name).expect("an unknown");
        assert_eq!(found.len(), expected.states.len());
        for ((found, expected), t) in found.iter().zip(&expected.states).zip(&solution.times) {
            let (found, wanted) = (*found, expected[k]);
            assert!(
                unit * (found - wanted).abs() <= tolerance * (1.0 + unit * wanted.abs()),
                "{what}: {name} by {parameter} at {t}: {found} instead of {wanted}"
            );
        }
    }
    let quantities = &solution.sensitivities.as_ref().expect("asked for").quantities;
    let quantity = quantities.iter().position(|name| name == parameter).expect("asked for");
    assert_eq!(solution.occurrences.len(), expected.events.len(), "{what}");
    for (event, expected) in solution.occurrences.iter().zip(&expected.events) {
        let found = event.time_derivatives[quantity];
        assert!(
            (found - expected).abs() <= tolerance * (1.0 + expected.abs()),
            "{what}: time of {} at {} by {parameter}: {found} instead of {expected}",
            event.event,
            event.t
        );
    }
}

/// A pendulum in Cartesian coordinates with these start values.
macro_rules! pendulum {
    ($start:literal) => {
        concat!(
            "struct Pendulum { param g = 9.81; param l = 1; ",
            $start,
            " var lambda ~ 0;
            der(x) = u;
            der(y) = v;
            der(u) = -lambda * x;
            der(v) = -lambda * y - g;
            0 = x * x + y * y - l * l; }"
        )
    };
}

const PENDULUM: &str = pendulum!("param y0 = 0.1; var x ~ 1; var y = y0; var u ~ 0; var v = 0;");
/// A pendulum beside a wall below its pivot.
const WALL: &str = pendulum!("param x0 = 0.8414709848078965; var x = x0; var y ~ -0.54; var u = 0; var v ~ 0;");
