//! DOP853 passes the suite of all integrators, as far as it concerns formulations that are solved for their derivatives.

mod conformance;
mod problems;

use conformance::Promise;
use dae_runtime::Method;

conforms!(
    Method::Dop853,
    Promise { ggl: 0.0, transistor_amplifier: 0.0, error_per_tolerance: 100.0, dense_output: (None, 5, 8.0) };
    runs_backwards, does_nothing_on_an_empty_interval, crosses_tiny_intervals, runs_far_from_the_origin,
    goes_step_by_step, honours_bounds_and_observers, begins_with_the_step_asked_for,
    error_follows_tolerance, takes_absolute_tolerances_alone, does_not_depend_on_units,
    reproduces_cubics, interpolates_continuously, interpolates_to_its_order,
    survives_output_times_that_nearly_coincide, interpolates_algebraic_unknowns,
    gets_over_values_that_are_missing_once, stops_where_the_solution_ends,
    rejects_options_without_meaning,
);
