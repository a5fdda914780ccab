//! Properties that every integrator must have, as functions of the method. A test binary instantiates the suite with
//! [`conforms!`].
//!
//! In: a [`Method`] and the accuracy it promises ([`Promise`]). Out: a panic where a property does not hold.

#![allow(unreachable_pub, reason = "shared between test binaries")]
#![allow(dead_code, reason = "not every property is one of every method")]

mod accuracy;
mod course;
mod failures;
mod output;

pub use accuracy::*;
pub use course::*;
use dae_runtime::contract::Dae;
use dae_runtime::solution::Solution;
use dae_runtime::solve::{Integration, Method, Record, RunError};
use dae_runtime::underlying::UnderlyingOde;
pub use failures::*;
pub use output::*;

use crate::problems::{Model, Problem, pendulum};

/// The accuracy that a method promises.
#[derive(Clone, Copy, Debug)]
pub struct Promise {
    /// Mixed digits of the GGL pendulum at `rtol = atol = 1e-11`, at each reference time up to 10.
    pub ggl: f64,
    /// Mixed digits of the transistor amplifier at `rtol = atol = 1e-8`, at the end.
    pub transistor_amplifier: f64,
    /// Upper bound on error over tolerance, on problems with known solutions.
    pub error_per_tolerance: f64,
    /// The largest order allowed (`None`: the default of the method), a number of fixed steps, and the order of the
    /// errors between steps observed on doubling that number.
    pub dense_output: (Option<usize>, usize, f64),
}

/// Instantiates the suite: one test per property; for an explicit method, only those that hold for formulations which are
/// solved for their derivatives; for a half-explicit method, those that need neither stiffness nor states in combinations; for a
/// method of index 1, those of that index.
#[macro_export]
macro_rules! conforms {
    ($method:expr, $promise:expr; $($property:ident),* $(,)?) => {
        $(#[test]
        fn $property() {
            conformance::$property($method, $promise);
        })*
    };
    (explicit $method:expr, $promise:expr) => {
        conforms! { $method, $promise;
            runs_backwards, does_nothing_on_an_empty_interval, crosses_tiny_intervals, runs_far_from_the_origin,
            goes_step_by_step, honours_bounds_and_observers, begins_with_the_step_asked_for,
            error_follows_tolerance, takes_absolute_tolerances_alone, does_not_depend_on_units, reproduces_cubics,
            interpolates_continuously, interpolates_to_its_order, survives_output_times_that_nearly_coincide,
            interpolates_algebraic_unknowns, interpolates_periods_that_divide_a_step,
            gets_over_values_that_are_missing_once, stops_where_the_solution_ends,
            rejects_options_without_meaning,
        }
    };
    (index_1 $method:expr, $promise:expr) => {
        conforms! { $method, $promise;
            runs_backwards, does_nothing_on_an_empty_interval, crosses_tiny_intervals, runs_far_from_the_origin,
            goes_step_by_step, honours_bounds_and_observers, begins_with_the_step_asked_for,
            error_follows_tolerance, error_is_proportional_to_tolerance, takes_absolute_tolerances_alone, does_not_depend_on_units,
            solves_stiff_kinetics, solves_a_circuit, reproduces_cubics,
            interpolates_continuously, interpolates_to_its_order, survives_output_times_that_nearly_coincide,
            interpolates_algebraic_unknowns, interpolates_periods_that_divide_a_step,
            names_what_is_not_finite, names_what_has_no_derivative, gets_over_values_that_are_missing_once, names_what_makes_the_matrix_singular,
            names_what_becomes_singular, stops_where_the_solution_ends,
            rejects_options_without_meaning, starts_where_a_jacobian_has_no_value,
        }
    };
    (half_explicit $method:expr, $promise:expr) => {
        conforms! { $method, $promise;
            ends_exactly, runs_backwards, does_nothing_on_an_empty_interval, crosses_tiny_intervals, runs_far_from_the_origin, goes_on_where_it_ended,
            goes_step_by_step, honours_bounds_and_observers, begins_with_the_step_asked_for, counts_its_work,
            error_follows_tolerance, takes_absolute_tolerances_alone, does_not_depend_on_units,
            keeps_enforced_constraints, reproduces_cubics,
            interpolates_continuously, interpolates_to_its_order, survives_output_times_that_nearly_coincide,
            interpolates_algebraic_unknowns, interpolates_periods_that_divide_a_step, interpolates_prescribed_states,
            names_what_is_not_finite, gets_over_values_that_are_missing_once, names_what_makes_the_matrix_singular,
            names_what_becomes_singular, stops_where_the_solution_ends, stops_at_an_impasse, refuses_inconsistent_start_values,
            rejects_options_without_meaning,
        }
    };
    ($method:expr, $promise:expr) => {
        conforms! { $method, $promise;
            ends_exactly, runs_backwards, does_nothing_on_an_empty_interval, crosses_tiny_intervals, runs_far_from_the_origin, goes_on_where_it_ended,
            goes_step_by_step, honours_bounds_and_observers, begins_with_the_step_asked_for, counts_its_work, keeps_its_matrices,
            error_follows_tolerance, error_is_proportional_to_tolerance, takes_absolute_tolerances_alone, does_not_depend_on_units,
            keeps_enforced_constraints, solves_stiff_kinetics, solves_a_circuit, reproduces_cubics,
            interpolates_continuously, interpolates_to_its_order, records_the_times_asked_for, survives_output_times_that_nearly_coincide,
            interpolates_algebraic_unknowns, interpolates_periods_that_divide_a_step, interpolates_prescribed_states,
            names_what_is_not_finite, names_what_has_no_derivative, gets_over_values_that_are_missing_once, names_what_makes_the_matrix_singular,
            names_what_becomes_singular, stops_where_the_solution_ends, stops_at_an_impasse, refuses_inconsistent_start_values,
            rejects_options_without_meaning, starts_where_a_jacobian_has_no_value,
        }
    };
}

/// The problem as the method integrates it: solved for derivatives and algebraic unknowns, if the method is explicit.
fn suited<'p, M: Model>(problem: &'p Problem<M>, method: Method) -> Box<dyn Dae + 'p> {
    if method.is_explicit() { Box::new(UnderlyingOde::new(problem)) } else { Box::new(problem) }
}

/// The pendulum in a form that the method integrates.
fn pendulum_for(method: Method) -> Problem<pendulum::Pendulum> {
    let is_of_index_1 = method.is_explicit() || method == Method::Limex;
    pendulum::pendulum(if is_of_index_1 { pendulum::Form::Index1 } else { pendulum::Form::Ggl })
}

/// The solution, whether or not the run reached its end; panics if the run could not begin.
fn integrate<M: Model>(problem: &Problem<M>, method: Method, tolerance: f64, t_end: f64, record: Record) -> Solution {
    let form = suited(problem, method);
    let integration = Integration::new(form.as_ref()).method(method).rtol(tolerance).atol(tolerance).record(record);
    integration.run_from(problem.t0, &problem.y0, &problem.yp0, t_end).or_else(RunError::into_solution).unwrap()
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
