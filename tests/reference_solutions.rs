//! From the text of a model to reference values of the literature.
//!
//! In: models of the examples, through the macro; `references/*.json`, each with its source. Out: the number of correct
//! digits by form and method, $-\log_{10} \max_i |e_i| / (1 + |y_i|)$, printed (`--nocapture`) and compared with the
//! number that each has to reach.

use dae::{Dae, Integration, Method, Record};

#[allow(dead_code)]
#[path = "../examples/car_axis.rs"]
mod car_axis;
#[macro_use]
#[path = "../examples/test_set/chain.rs"]
mod chain;
#[allow(dead_code)]
#[path = "../examples/pendulum.rs"]
mod pendulum;
#[allow(dead_code)]
#[path = "../examples/transistor_amplifier.rs"]
mod transistor_amplifier;

mod references;

use car_axis::CarAxis;
use pendulum::Pendulum;
use references::Reference;
use transistor_amplifier::TransistorAmplifier;

chain! { chain_100: 100 }

/// The number of correct digits of a run from the model's own start values, and the largest residual of the enforced
/// constraints.
fn digits(reference: &Reference, form: &dyn Dae, method: Method, tolerance: f64) -> (f64, f64) {
    let end = *reference.times.last().unwrap();
    let run = Integration::new(form).method(method).rtol(tolerance).atol(tolerance);
    let solution = run.record(Record::At(reference.times.clone())).run(0.0, end).unwrap();
    assert!(solution.is_success(), "{}: {}", form.description().form, solution.status);
    let (digits, residual) = (reference.digits_of(&solution), solution.invariants_max());
    let description = form.description();
    println!(
        "{:20} {:8} {method:6?} {digits:5.2} digits, {:6} steps, {:5} rejected, constraints {residual:.1e}, {:.2} s",
        description.model,
        description.form,
        solution.statistics.steps,
        solution.statistics.rejected(),
        solution.seconds
    );
    (digits, residual)
}

fn reaches(reference: &Reference, form: &dyn Dae, method: Method, tolerance: f64, required: f64) {
    let (reached, _) = digits(reference, form, method, tolerance);
    assert!(reached >= required, "{reached:.2} digits instead of {required}");
}

#[test]
fn pendulum_in_ggl_form() {
    let reference = Reference::read(include_str!("references/pendulum.json"));
    let form = Pendulum::default().ggl();
    for (method, required) in [(Method::Radau5, 8.0), (Method::Bdf, 7.0)] {
        let (digits, residual) = digits(&reference, &form, method, 1e-11);
        assert!(digits >= required, "{method:?}: {digits:.2} digits instead of {required}");
        assert!(residual <= 1e-12, "{method:?}: constraints {residual:e}");
    }
}

#[test]
fn transistor_amplifier() {
    let reference = Reference::read(include_str!("references/transistor_amplifier.json"));
    let model = TransistorAmplifier::default();
    reaches(&reference, &model.original(), Method::Radau5, 1e-8, 6.0);
    reaches(&reference, &model.index1(), Method::Radau5, 1e-8, 6.0);
    reaches(&reference, &model.index1(), Method::Bdf, 1e-8, 5.0);
    reaches(&reference, &model.ggl(), Method::Bdf, 1e-8, 5.0);
}

#[test]
fn car_axis() {
    let reference = Reference::read(include_str!("references/car_axis.json"));
    let model = CarAxis::default();
    reaches(&reference, &model.original(), Method::Radau5, 1e-8, 4.5);
    reaches(&reference, &model.index1(), Method::Radau5, 1e-8, 6.0);
    reaches(&reference, &model.ggl(), Method::Radau5, 1e-8, 6.0);
    reaches(&reference, &model.index1(), Method::Bdf, 1e-8, 5.0);
    reaches(&reference, &model.ggl(), Method::Bdf, 1e-8, 5.0);
}

/// At a tolerance of a fifth of the length of a link, BDF damps the fast oscillations of a chain; following them takes
/// 1,478 steps and 1,116 Jacobians.
#[test]
fn the_ringing_of_a_chain_is_damped() {
    let reference = Reference::read(include_str!("../examples/test_set/chain_100.json"));
    let positions = |name: &String| name.starts_with('x') || name.starts_with('y');
    let forms = chain_100::forms();
    let run = Integration::new(forms[0].as_ref()).method(Method::Bdf).rtol(2e-3).atol(2e-3);
    let solution = run.record(Record::At(reference.times.clone())).run(0.0, 1.0).unwrap();
    assert!(solution.is_success(), "{}", solution.status);
    let statistics = solution.statistics;
    assert!(statistics.steps < 500 && 5 * statistics.jacobians < statistics.steps, "{statistics:?}");
    for (name, value) in reference.unknowns.iter().zip(&reference.values[0]).filter(|(name, _)| positions(name)) {
        assert!((solution.value(name, 1.0).unwrap() - value).abs() < 5e-3, "{name}");
    }
}
