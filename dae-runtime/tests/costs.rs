//! The costs of the parts of a step, or the error if they cannot be measured.

mod problems;

use dae_runtime::contract::{Kind::Differential, Leading};
use dae_runtime::stepper::Failure;
use dae_runtime::timing::StepCosts;
use problems::pendulum::{self, Form};
use problems::{Model, Problem, Scalar};

/// $x' + x = 0$ and $x' - x = 0$ for the first unknown $x$; the second one occurs in no equation.
struct Unrelated;

impl Model for Unrelated {
    fn residual<S: Scalar>(&self, _t: S, y: &[S], yp: &[S], out: &mut [S]) {
        out[0] = yp[0] + y[0];
        out[1] = yp[0] - y[0];
    }
}

#[test]
fn all_parts_take_time() {
    let problem = pendulum::pendulum(Form::Ggl);
    let costs = StepCosts::measure(&problem, 0.0, &problem.y0, &problem.yp0, 1e-3).unwrap();
    for seconds in [costs.residual, costs.jacobians, costs.factorization, costs.solve] {
        assert!(seconds > 0.0 && seconds.is_finite(), "{costs:?}");
    }
}

#[test]
fn a_singular_matrix_is_an_error_that_names_the_unknown() {
    let unknowns = [("a", Differential, 1), ("b", Differential, 1)];
    let leading = (Leading::Constant, 1);
    let problem = Problem::new("unrelated", Unrelated, &unknowns, &[], leading, (0.0, &[1.0, 1.0], &[-1.0, 0.0]));
    let failure = StepCosts::measure(&problem, 0.0, &problem.y0, &problem.yp0, 1e-3).unwrap_err();
    let Failure::SingularIterationMatrix { unknown, .. } = failure else { panic!("{failure}") };
    assert_eq!(unknown, "b");
}

#[test]
fn a_state_that_does_not_fit_is_an_error() {
    let problem = pendulum::pendulum(Form::Ggl);
    for (y, t) in [(&problem.y0[..2], 0.0), (&problem.y0[..], f64::NAN)] {
        let failure = StepCosts::measure(&problem, t, y, &problem.yp0, 1e-3).unwrap_err();
        assert!(matches!(failure, Failure::InvalidOption { .. }), "{failure}");
    }
}
