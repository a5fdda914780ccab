//! Explicit methods on the underlying equations of models, with projections after each step.
//!
//! Sources: Hairer & Wanner II, section VII.2 (drift-off, projections); E. Hairer, C. Lubich, G. Wanner, *Geometric
//! Numerical Integration*, section IV.4 (orders of projection methods).

use dae::runtime::solution::Enforcement;

use dae::runtime::first_integrals::FirstIntegrals;
use dae::runtime::internal_projection::InternalProjection;
use dae::runtime::metric::{InMetric, Metric};
use dae::runtime::underlying::UnderlyingOde;
use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::pipeline::compile;
use dae::symbolic::read_text;
use dae::{Dae, Event, Integration, Method, Projection, Record, Solution};

/// The pendulum of (VII.2.1), released from rest at (1, 0).
const PENDULUM: &str = "struct Pendulum {
    var x = 1; var y = 0; var u = 0; var v = 0; var lambda;
    der(x) = u; der(y) = v; der(u) = -lambda * x; der(v) = -1 - lambda * y;
    0 = x.powi(2) + y.powi(2) - 1;
}";

/// A cart that the constraint does not contain, but the leading matrix couples to a pendulum.
const CART: &str = "struct Cart {
    param m = 0.5; param k = 2;
    var s = 0; var r = 0.1; var x = 0.6; var y = -0.8; var u = 0; var v = 0; var lambda;
    der(s) = r; der(x) = u; der(y) = v;
    (1 + m) * der(r) + m * der(u) = -k * s;
    m * der(r) + m * der(u) = -2 * lambda * x;
    m * der(v) = -2 * lambda * y - m * 9.81;
    0 = x.powi(2) + y.powi(2) - 1;
}";

/// Index 2, with a multiplier that also acts on a state which the constraint does not contain.
const INDEX_2: &str = "struct Index2 {
    var a = 1; var b = 0; var c = 0.5; var z;
    der(a) = -b * (1 + c) + z * a; der(b) = a + z * b; der(c) = a - c.powi(2) + 0.3 * z * c;
    0 = a.powi(2) + b.powi(2) - 1 - 0.1 * sin(t);
}";

fn underlying(text: &str) -> UnderlyingOde<Interpreter> {
    let (model, _) = read_text(text).expect("readable");
    let compiled =
        compile(model.with_forms(&[Form::Underlying]), 0.0).unwrap_or_else(|it| panic!("{}", it.diagnostics));
    UnderlyingOde::new(Interpreter::new(compiled.forms[0].program.clone(), compiled.prolonged))
}

/// A run of fixed steps of length `h`.
fn fixed(text: &str, method: Method, projection: Projection, h: f64, t_end: f64) -> Solution {
    let ode = underlying(text);
    let run = Integration::new(&ode).method(method).projection(projection).fixed_step(h).record(Record::Steps);
    run.run(0.0, t_end).expect("it starts")
}

fn largest(solution: &Solution, name: &str) -> f64 {
    solution.invariants.iter().find(|it| it.name == name).expect("an invariant").max
}

fn difference(a: &Solution, b: &Solution) -> f64 {
    a.end_state.iter().zip(&b.end_state).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Each choice keeps the constraints that it names, and no others; the errors of the others stay those of the method.
#[test]
fn each_projection_keeps_its_constraints() {
    for (projection, position, velocity) in [
        (Projection::On, true, true),
        (Projection::Positions, true, false),
        (Projection::Velocities, false, true),
        (Projection::Off, false, false),
    ] {
        let solution = fixed(PENDULUM, Method::Dopri5, projection, 0.05, 10.0);
        for (name, is_kept) in [("equation 5", position), ("der(equation 5)", velocity)] {
            let (largest, found) = (largest(&solution, name), solution.invariants.iter().find(|it| it.name == name));
            assert_eq!(largest < 5e-15, is_kept, "{projection:?}: {name} {largest:e}");
            let enforcement = if is_kept { Enforcement::Projected } else { Enforcement::Implied };
            assert_eq!(found.map(|it| it.enforcement), Some(enforcement), "{projection:?}: {name}");
        }
    }
}

/// The steps are those without projection; what is recorded satisfies the equations, and is as near as the drift allows.
#[test]
fn output_alone_is_projected() {
    let ode = underlying(PENDULUM);
    let mut invariants = [0.0; 2];
    let mut violation = |state: &[f64]| {
        ode.invariants(0.0, state, &mut invariants);
        invariants.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()))
    };
    for record in [Record::Steps, Record::At(vec![0.0, 3.3, 7.7, 10.0])] {
        let run = |projection| {
            let run = Integration::new(&ode).method(Method::Dopri5).projection(projection).record(record.clone());
            run.rtol(1e-5).atol(1e-5).run(0.0, 10.0).expect("it runs")
        };
        let (off, output) = (run(Projection::Off), run(Projection::Output));
        assert_eq!((&off.times, off.statistics.steps), (&output.times, output.statistics.steps));
        assert_eq!(off.invariants, output.invariants);
        let drift = largest(&off, "der(equation 5)");
        let ends = [(10.0, &*off.end_state), (10.0, &*output.end_state)];
        for ((t, before), (_, after)) in off.iter().zip(output.iter()).chain([(ends[0], ends[1])]) {
            assert!(violation(after) < 1e-14, "at {t}");
            assert!(t < 3.0 || violation(before) > 1e-8, "at {t}");
            let (x, y, v) = (after[0], after[1], after[2].powi(2) + after[3].powi(2));
            assert!((after[4] - (v - y)).abs() < 1e-12, "the multiplier at {t}, where x = {x}");
            let moved = before.iter().zip(after).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(moved < 20.0 * drift, "at {t}: {moved:e} for a drift of {drift:e}");
        }
    }
    let other = underlying(INDEX_2);
    let refused = Integration::new(&other).method(Method::Dop853).projection(Projection::Output).sensitivities(["c"]);
    let message = refused.run(0.0, 1.0).expect_err("they are not known").to_string();
    assert!(message.contains("project its steps"), "{message}");
    let refused = Integration::new(&ode).projection(Projection::Output).run(0.0, 1.0).expect_err("Radau IIA");
    assert!(refused.to_string().contains("projects its steps onto all constraints"), "{refused}");
}

/// Projections do not change the order, of positions, velocities and multipliers.
#[test]
fn projections_keep_the_order() {
    for (text, t_end, steps) in [(PENDULUM, 3.0, [100, 16]), (CART, 1.0, [160, 8])] {
        let reference = fixed(text, Method::Dop853, Projection::On, t_end / 400.0, t_end);
        for (method, order, n, allowed) in [(Method::Dopri5, 5.0, steps[0], 0.1), (Method::Dop853, 8.0, steps[1], 0.3)]
        {
            for projection in [Projection::On, Projection::Off] {
                let found = order_of(text, method, projection, n, &reference);
                assert!((found - order).abs() < allowed, "{method:?} with projection {projection:?}: order {found}");
            }
        }
    }
}

/// For index 2, they even lessen the leading term of the error of DOPRI5 so far that the next one shows.
#[test]
fn projections_keep_the_order_for_index_2() {
    let reference = fixed(INDEX_2, Method::Dop853, Projection::On, 2.3 / 400.0, 2.3);
    let order = |method, projection, n| order_of(INDEX_2, method, projection, n, &reference);
    assert!((order(Method::Dopri5, Projection::Off, 160) - 5.0).abs() < 0.1);
    assert!((order(Method::Dopri5, Projection::On, 80) - 5.0) > -0.1);
    for projection in [Projection::On, Projection::Off] {
        assert!((order(Method::Dop853, projection, 16) - 8.0).abs() < 0.3, "{projection:?}");
    }
}

/// The order observed on doubling a number of steps.
fn order_of(text: &str, method: Method, projection: Projection, n: u32, reference: &Solution) -> f64 {
    let t_end = reference.end_time;
    let error = |n: u32| difference(&fixed(text, method, projection, t_end / f64::from(n), t_end), reference);
    (error(n) / error(2 * n)).log2()
}

/// With step-size control: an error of the size of the tolerance, and constraints to rounding errors.
#[test]
fn adaptive_runs_are_accurate() {
    let ode = underlying(CART);
    let run = |method, tolerance: f64| {
        let run =
            Integration::new(&ode).method(method).rtol(tolerance).atol(tolerance).run(0.0, 20.0).expect("it starts");
        assert!(run.is_success() && run.invariants_max() < 1e-14, "{}: {:e}", run.status, run.invariants_max());
        run
    };
    let reference = run(Method::Dop853, 1e-13);
    for (method, tolerance) in
        [(Method::Dopri5, 1e-5), (Method::Dopri5, 1e-9), (Method::Dop853, 1e-6), (Method::Dop853, 1e-10)]
    {
        let error = difference(&run(method, tolerance), &reference);
        assert!(error < 1e3 * tolerance, "{method:?} at {tolerance:e}: {error:e}");
    }
}

/// Velocities are moved in the metric of the mass matrix (VII.2.7): the momentum of the cart and the pendulum together,
/// on which the force of the constraint has no effect, is what the method computes.
#[test]
fn velocities_move_in_the_metric_of_the_mass_matrix() {
    let ode = underlying(CART);
    let description = ode.description();
    let place = |name: &str| description.place_of(name).expect("an unknown");
    let (mut y, mut yp) = (vec![0.0; description.unknowns.len()], vec![0.0; description.unknowns.len()]);
    for (name, value) in [("r", 0.1), ("x", 0.6), ("y", -0.8), ("u", 0.3), ("v", 0.225)] {
        y[place(name)] = value;
    }
    ode.solve(0.0, &mut y, &mut yp).expect("regular");
    let before = y.clone();
    y[place("v")] += 1e-3;
    let moved = y.clone();
    ode.project(0.0, &mut y, 1..=1).expect("it converges");
    let change = |name: &str| y[place(name)] - moved[place(name)];
    assert!((y[place("x")] * y[place("u")] + y[place("y")] * y[place("v")]).abs() < 1e-16);
    // M (change of velocities) is a multiple of the gradient of the constraint, (0, x, y).
    let (m, [r, u, v]) = (0.5, ["r", "u", "v"].map(change));
    let impulse = [(1.0 + m) * r + m * u, m * r + m * u, m * v];
    assert!(impulse[0].abs() < 1e-16, "{impulse:?}");
    assert!((impulse[1] * before[place("y")] - impulse[2] * before[place("x")]).abs() < 1e-16, "{impulse:?}");
    assert!(r.abs() > 1e-5, "the cart is moved");
}

/// Projections in other metrics, against the conditions of the minimum: the change, divided by the squares of the units, is
/// a combination of the gradients.
#[test]
fn projections_are_orthogonal_in_the_metric_of_the_caller() {
    let moved = [0.61, -0.79, 0.5, 0.4, 0.0];
    for units in [[1.0, 1.0, 1.0, 1.0, 1.0], [1.0, 0.1, 2.0, 0.5, 1.0]] {
        let metric = if units[1] == 1.0 { Metric::Nominal } else { Metric::Units(units.to_vec()) };
        let ode = InMetric::new(underlying(PENDULUM), metric);
        let mut y = moved;
        // Small corrections, so that gradients before and after hardly differ.
        let scale = 1e-5;
        let length = f64::hypot(y[0], y[1]);
        (y[0], y[1]) = (y[0] / length * (1.0 + scale), y[1] / length);
        y[3] = -y[0] * y[2] / y[1] + scale;
        let start = y;
        ode.project(0.0, &mut y, 0..=u32::MAX).expect("it converges");
        let mut invariants = [0.0; 2];
        ode.invariants(0.0, &y, &mut invariants);
        assert!(invariants.iter().all(|value| value.abs() < 1e-15), "{invariants:?}");
        let change: Vec<f64> = (0..4).map(|k| (y[k] - start[k]) / scale / f64::powi(units[k], 2)).collect();
        // With gradients (x, y, 0, 0) and (u, v, x, y): their coefficients from the velocities and the first position.
        let velocity = (change[2] * y[0] + change[3] * y[1]) / (y[0] * y[0] + y[1] * y[1]);
        let position = (change[0] - velocity * y[2]) / y[0];
        let combined =
            [position * y[0] + velocity * y[2], position * y[1] + velocity * y[3], velocity * y[0], velocity * y[1]];
        for (change, combined) in change.iter().zip(combined) {
            assert!((change - combined).abs() < 1e-3 * change.abs().max(0.1), "{change} {combined}");
        }
    }
    let ode = InMetric::new(underlying(PENDULUM), Metric::Nominal);
    let run = Integration::new(&ode as &dyn Dae).method(Method::Dop853).rtol(1e-9).atol(1e-9).run(0.0, 10.0);
    assert!(run.expect("it runs").invariants_max() < 1e-14);
}

/// Equations that are affine in derivatives and multipliers are told from others.
#[test]
fn affine_equations_are_known() {
    let with = |force: &str| underlying(&PENDULUM.replace("-1 - lambda", &format!("{force} - lambda")));
    for (force, is_affine) in [("-1", true), ("-1 - y * u.powi(2)", true), ("-1 - lambda.powi(3) / 100", false)] {
        let ode = with(force);
        assert_eq!(ode.description().is_affine, is_affine, "{force}");
        let run = Integration::new(&ode).method(Method::Dop853).rtol(1e-10).atol(1e-10).run(0.0, 3.0).expect("it runs");
        assert!(run.invariants_max() < 1e-14);
    }
    let cubic = "struct Cubic { var x = 1; var z ~ 0.7; der(x) = -z; z.powi(3) + z = x; }";
    let friction = "struct Friction { var x = 1; var z ~ 1; der(x) = -z; z + abs(z) / 2 = x; }";
    for text in [cubic, friction] {
        assert!(!underlying(text).description().is_affine, "{text}");
    }
}

/// Internal projection: stages are evaluated on the manifold, and the method keeps its order, without other projections.
#[test]
fn internal_projection_keeps_the_order() {
    let ode = InternalProjection::new(underlying(PENDULUM), Metric::Nominal);
    let reference = fixed(PENDULUM, Method::Dop853, Projection::On, 2.3 / 400.0, 2.3);
    let run = |n: u32, projection| {
        let run = Integration::new(&ode as &dyn Dae).method(Method::Dopri5).projection(projection);
        run.fixed_step(2.3 / f64::from(n)).run(0.0, 2.3).expect("it runs")
    };
    for projection in [Projection::Off, Projection::On] {
        let [coarse, fine] = [80, 160].map(|n| difference(&run(n, projection), &reference));
        let order = (coarse / fine).log2();
        assert!((order - 5.0).abs() < 0.1, "{projection:?}: order {order} from {coarse:e} and {fine:e}");
    }
    // Off the manifold, the derivatives are those of the nearest state on it.
    let y = [0.61, -0.8, 0.4, 0.32, 1.0];
    let mut nearest = y;
    ode.project(0.0, &mut nearest, 0..=u32::MAX).expect("it converges");
    let [mut a, mut b] = [[0.0; 5]; 2];
    ode.residual(0.0, &y, &[0.0; 5], &mut a);
    underlying(PENDULUM).residual(0.0, &nearest, &[0.0; 5], &mut b);
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14), "{a:?} {b:?}");
    assert!((nearest[1] - y[1]).abs() > 1e-3, "{nearest:?}");
}

/// The pendulum passes its lowest point after a quarter of its period, 4 K(1/2) = 7.41629870920549.
#[test]
fn events_are_found_where_they_are() {
    let ode = underlying(PENDULUM);
    for method in [Method::Dopri5, Method::Dop853] {
        let run = Integration::new(&ode).method(method).rtol(1e-10).atol(1e-10);
        let run = run.event(Event::new("bottom", |_, y, _| y[0]).terminal()).run(0.0, 5.0).expect("it starts");
        assert!((run.end_time - 7.41629870920549 / 4.0).abs() < 1e-9, "{method:?}: {}", run.end_time);
    }
}

/// Derivatives with respect to a parameter, against difference quotients.
#[test]
fn sensitivities_are_derivatives() {
    let mut ode =
        underlying(&PENDULUM.replace("var x = 1;", "param g = 1; var x = 1;").replace("-1 - lambda", "-g - lambda"));
    let run = |ode: &UnderlyingOde<Interpreter>, method| {
        let run = Integration::new(ode).method(method).rtol(1e-11).atol(1e-11).sensitivities(["g"]);
        run.run(0.0, 3.0).expect("it starts")
    };
    let found = [Method::Dopri5, Method::Dop853].map(|method| run(&ode, method));
    let h = 1e-4;
    let [above, below] = [1.0 + h, 1.0 - h].map(|g| {
        ode.set_parameters(&[g]);
        run(&ode, Method::Dop853).end_state
    });
    for (k, name) in ["x", "y", "u", "v", "lambda"].into_iter().enumerate() {
        let quotient = (above[k] - below[k]) / (2.0 * h);
        for solution in &found {
            let derivative = solution.sensitivity(name, "g").expect("requested").last().copied().expect("recorded");
            assert!((derivative - quotient).abs() < 1e-6, "{name}: {derivative} for {quotient}");
        }
    }
}

/// The perturbed problem of Kepler, Hairer & Wanner II, eq. (VII.2.15), with eccentricity 0.6.
const KEPLER: &str = "struct Kepler {
    var q1 = 0.4; var q2 = 0; var p1 = 0; var p2 = 2;
    let r2 = q1.powi(2) + q2.powi(2);
    let force = 1 / (r2 * sqrt(r2)) + 0.015 / (r2.powi(2) * sqrt(r2));
    der(q1) = p1; der(q2) = p2; der(p1) = -force * q1; der(p2) = -force * q2;
}";

fn hamiltonian(y: &[f64]) -> f64 {
    let r = y[0].hypot(y[1]);
    0.5 * (y[2] * y[2] + y[3] * y[3]) - 1.0 / r - 0.005 / r.powi(3)
}

fn kepler() -> FirstIntegrals<'static, UnderlyingOde<Interpreter>> {
    FirstIntegrals::of(underlying(KEPLER)).with(
        "energy",
        |_, y| hamiltonian(y),
        |_, y, gradient| {
            let r = y[0].hypot(y[1]);
            let force = 1.0 / r.powi(3) + 0.015 / r.powi(5);
            gradient.copy_from_slice(&[force * y[0], force * y[1], y[2], y[3]]);
        },
    )
}

/// The explicit Euler method with projections onto the energy, against another implementation.
#[test]
fn a_first_integral_is_kept() {
    let run = |projection, t_end| {
        let form = kepler();
        let run = Integration::new(&form).method(Method::ExplicitEuler).projection(projection).fixed_step(0.01);
        run.run(0.0, t_end).expect("it starts")
    };
    let momentum = |y: &[f64]| y[0] * y[3] - y[1] * y[2];
    let plain = run(Projection::Off, 1.0);
    let expected = [-0.704193981915, 0.735747758273, -1.02833201348, -0.129130220604];
    assert!(plain.end_state.iter().zip(expected).all(|(y, other)| (y - other).abs() < 1e-11), "{:?}", plain.end_state);
    let projected = run(Projection::On, 1.0);
    let expected = [-0.712152054715, 0.607142322875, -0.942392114087, -0.324010988613];
    let [y, other] = [&projected.end_state, &expected.to_vec()];
    assert!(y.iter().zip(other).all(|(y, other)| (y - other).abs() < 1e-11), "{y:?}");
    let long = run(Projection::On, 100.0);
    assert!(long.invariants_max() < 2e-15, "{:e}", long.invariants_max());
    assert!((momentum(&long.end_state) - 0.887725198396).abs() < 1e-6, "{}", momentum(&long.end_state));
    assert_eq!(long.invariants[0].enforcement, Enforcement::Projected);
}

/// Energy and constraints at once: neither projection spoils the other, and the solution stays as accurate.
#[test]
fn first_integrals_and_constraints_are_kept_together() {
    let form = FirstIntegrals::of(underlying(PENDULUM)).with(
        "energy",
        |_, y| 0.5 * (y[2] * y[2] + y[3] * y[3]) + y[1],
        |_, y, gradient| gradient.copy_from_slice(&[0.0, 1.0, y[2], y[3], 0.0]),
    );
    let run = |projection| Integration::new(&form).method(Method::Dopri5).projection(projection).run(0.0, 50.0);
    let (kept, free) = (run(Projection::On).expect("it starts"), run(Projection::Off).expect("it starts"));
    assert!(kept.is_success() && kept.invariants_max() < 5e-15, "{}: {:e}", kept.status, kept.invariants_max());
    assert!(largest(&free, "energy") > 1e-6, "{:e}", largest(&free, "energy"));
    let ode = underlying(PENDULUM);
    let exact =
        Integration::new(&ode).method(Method::Dop853).rtol(1e-12).atol(1e-12).run(0.0, 50.0).expect("it starts");
    let errors = [&kept, &free].map(|run| difference(run, &exact));
    assert!(errors[0] < errors[1], "{errors:?}");
}

/// A right-hand side with an infinite derivative at the start: derivatives with respect to states are not needed.
#[test]
fn starts_where_the_right_hand_side_has_no_derivative() {
    let ode = underlying("struct Root { var x = 0; var z ~ 1; der(x) = z; z = 1 + sqrt(x); }");
    let run = Integration::new(&ode).method(Method::Dopri5).run(0.0, 1.0).expect("it starts");
    let root = run.end_state[0].sqrt();
    assert!(
        run.is_success() && (2.0 * (root - root.ln_1p()) - 1.0).abs() < 1e-5,
        "{}: {:?}",
        run.status,
        run.end_state
    );
}
