//! Inputs of the caller, tables, and functions outside the model: values, and the messages if something is missing.

use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::pipeline::{Compiled, compile};
use dae::symbolic::read_text;
use dae::{Dae, Event, Input, InputError, Integration, Method, Record, RunError, Spline};

mod gas {
    pub(crate) fn density(p: f64, temperature: f64) -> f64 {
        p / (temperature + 2.0)
    }

    pub(crate) fn by_p(_: f64, temperature: f64) -> f64 {
        1.0 / (temperature + 2.0)
    }

    pub(crate) fn by_t(p: f64, temperature: f64) -> f64 {
        -p / (temperature + 2.0).powi(2)
    }

    pub(crate) mod second {
        pub(crate) fn pp(_: f64, _: f64) -> f64 {
            0.0
        }

        pub(crate) fn pt(_: f64, temperature: f64) -> f64 {
            -1.0 / (temperature + 2.0).powi(2)
        }

        pub(crate) fn tt(p: f64, temperature: f64) -> f64 {
            2.0 * p / (temperature + 2.0).powi(3)
        }
    }
}

dae::dae! {
    /// The density is a function of the crate; its equation is differentiated once.
    pub struct Outside {
        forms(original, index1, index2, ggl);
        param k = 1.5;
        extern fn rho(p, temperature: f64) -> f64 = gas::density,
            der(p) = gas::by_p, der(temperature) = gas::by_t,
            der(p, 2) = gas::second::pp, der(p, temperature) = crate::gas::second::pt,
            der(temperature, temperature) = self::gas::second::tt,;
        var p ~ 1;
        var s = 0.5;
        var w ~ 0;
        der(s) = w;
        0 = rho(p, s) + s / 4 - 1 / k;
        der(p) = rho(s, 1 + w) * w - p.rho(s) / 2 + k;
    }
}

dae::dae! {
    pub struct Inside {
        forms(original, index1, index2, ggl);
        param k = 1.5;
        fn rho(p, temperature) { p / (temperature + 2) }
        var p ~ 1;
        var s = 0.5;
        var w ~ 0;
        der(s) = w;
        0 = rho(p, s) + s / 4 - 1 / k;
        der(p) = rho(s, 1 + w) * w - rho(p, s) / 2 + k;
    }
}

#[test]
fn functions_outside_the_model_are_differentiated_by_the_chain_rule() {
    let (outside, inside) = (Outside::default(), Inside::default());
    let pairs: [(&dyn Dae, &dyn Dae); 4] = [
        (&outside.original(), &inside.original()),
        (&outside.index1(), &inside.index1()),
        (&outside.index2(), &inside.index2()),
        (&outside.ggl(), &inside.ggl()),
    ];
    for (a, b) in pairs {
        let solve = |form| Integration::new(form).rtol(1e-9).atol(1e-9).run(0.0, 0.15).unwrap();
        let (left, right) = (solve(a), solve(b));
        assert!(left.is_success() && right.is_success(), "{} {}", left.status, right.status);
        for (x, y) in left.end_state.iter().zip(&right.end_state) {
            assert!((x - y).abs() < 1e-8, "{}: {x} {y}", a.description().form);
        }
        let n = left.end_state.len();
        let (y, yp) = (left.end_state, left.end_derivative);
        let rows = |form: &dyn Dae| {
            let mut rows = vec![vec![0.0; n]; n];
            let mut values = vec![0.0; form.description().jacobian_y.len()];
            form.jacobian_y(1.0, &y, &yp, &mut values);
            for (i, j, at) in form.description().jacobian_y.entries() {
                rows[i][j] = values[at];
            }
            rows
        };
        for (left, right) in rows(a).iter().flatten().zip(rows(b).iter().flatten()) {
            assert!((left - right).abs() < 1e-12 * right.abs().max(1.0), "{}: {left} {right}", a.description().form);
        }
    }
    assert!(Outside::REPORT.contains("Analysed with smooth functions in general position in place of `rho`."));
}

mod tables {
    dae::dae! {
        /// The pivot moves as the table says.
        pub struct Tabulated {
            // t + t² - t³ / 10
            table pivot = [(-1, 0.1), (0, 0), (1, 1.9), (2, 5.2), (3, 9.3), (4, 13.6), (5, 17.5)];
            var x = 0.6;
            var y ~ -0.8;
            var u ~ 0;
            var v ~ 0;
            var lambda;
            der(x) = u;
            der(y) = v;
            der(u) = -lambda * (x - pivot(t));
            der(v) = -lambda * y - 9.81;
            0 = (x - pivot(t)).powi(2) + y.powi(2) - 1;
        }
    }

    dae::dae! {
        pub struct Written {
            fn pivot(s) { s + s.powi(2) - s.powi(3) / 10 }
            var x = 0.6;
            var y ~ -0.8;
            var u ~ 0;
            var v ~ 0;
            var lambda;
            der(x) = u;
            der(y) = v;
            der(u) = -lambda * (x - pivot(t));
            der(v) = -lambda * y - 9.81;
            0 = (x - pivot(t)).powi(2) + y.powi(2) - 1;
        }
    }
}

#[test]
fn a_table_of_a_cubic_is_that_cubic() {
    let solve = |form: &dyn Dae| Integration::new(form).rtol(1e-9).atol(1e-9).run(0.0, 2.0).unwrap();
    let (table, written) = (solve(&tables::Tabulated::default().ggl()), solve(&tables::Written::default().ggl()));
    assert!(table.is_success() && written.is_success(), "{}", table.status);
    for (a, b) in table.end_state.iter().zip(&written.end_state) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
    assert!(tables::Tabulated::REPORT.starts_with("Differentiation index 3, established numerically"));
}

fn compiled(body: &str) -> Result<Compiled, String> {
    let (model, _) = read_text(&format!("struct M {{ {body} }}")).map_err(|r| r.diagnostics.to_string())?;
    compile(model.with_forms(Form::BASIC), 0.0).map_err(|r| r.diagnostics.to_string())
}

fn interpreter(compiled: &Compiled, form: &Form) -> Interpreter {
    let found = compiled.forms.iter().find(|f| f.form == *form).expect("the form");
    Interpreter::new(found.program.clone(), compiled.prolonged.clone())
}

/// $x_1 = \mu(t)$, $x_{k+1} = x_k'$ for a table of a sine.
fn chain(length: usize, points: usize) -> String {
    let list: Vec<String> = (0..points).map(|k| k as f64 / 4.0).map(|t| format!("({t:?}, {:?})", t.sin())).collect();
    let mut text = format!("table mu = [{}]; x1 = mu(t);", list.join(", "));
    for k in 1..=length {
        text.push_str(&format!("var x{k};"));
        if k > 1 {
            text.push_str(&format!("x{k} = der(x{});", k - 1));
        }
    }
    text
}

#[test]
fn a_spline_is_as_smooth_as_the_reduction_needs() {
    // Index n: the table is differentiated n - 1 times.
    for (length, order) in [(1, 0), (3, 2), (5, 4)] {
        let compiled = compiled(&chain(length, 21)).unwrap();
        let form = interpreter(&compiled, &Form::Index1);
        let solution = Integration::new(&form).run(0.0, 2.1).unwrap();
        assert!(solution.is_success());
        let exact = (2.1 + std::f64::consts::FRAC_PI_2 * order as f64).sin();
        let last = solution.end_state[length - 1];
        // Splines of degree p with h = 1/4: the error of the k-th derivative is of order h^(p + 1 - k).
        assert!((last - exact).abs() < 0.02, "{length}: {last} {exact}");
    }
    let error = compiled(&chain(5, 5)).err().unwrap();
    let expected = "error[E130]: the table `mu` cannot be as smooth as the reduction needs: \
                    a spline of degree 5 needs 6 points, and 5 are given";
    assert!(error.starts_with(expected), "{error}");
}

mod follower {
    dae::dae! {
        /// Index 2: the rate follows the derivative of the input.
        pub struct Follower {
            /// Position to follow.
            input target;
            param gain = 2.0;
            var x;
            var rate;
            der(x) = rate;
            gain * x = target;
        }
    }
}

#[test]
fn an_input_is_supplied_with_its_derivatives() {
    let derivative = |t: f64, order: usize| (t + std::f64::consts::FRAC_PI_2 * order as f64).sin();
    let points: Vec<(f64, f64)> = (-1..40).map(|k| f64::from(k) / 10.0).map(|t| (t, t.sin())).collect();
    let sine = Input::with_derivatives(1, derivative);
    for (input, tolerance) in [(sine, 1e-7), (Spline::cubic(&points).unwrap().into(), 1e-5)] {
        let form = follower::Follower::new(input).index1();
        let solution = Integration::new(&form).rtol(1e-8).atol(1e-8).run(0.0, 3.0).unwrap();
        assert!(solution.is_success());
        assert!((solution.end_state[0] - 3f64.sin() / 2.0).abs() < tolerance);
        assert!((solution.end_state[1] - 3f64.cos() / 2.0).abs() < tolerance);
    }
    let still = follower::Follower { gain: 4.0, ..follower::Follower::new(3.0) }.index1();
    let solution = Integration::new(&still).run(0.0, 1.0).unwrap();
    assert_eq!(solution.end_state, [0.75, 0.0]);
}

#[test]
fn an_input_without_the_derivatives_is_refused_by_name() {
    let form = follower::Follower::new(Input::function(f64::sin)).index1();
    let error = Integration::new(&form).run(0.0, 1.0).err().unwrap();
    let RunError::Input(InputError::MissingDerivatives { given: 0, needed: 1, .. }) = &error else {
        panic!("{error}");
    };
    let text = "the input `target` gives derivatives up to order 0, and order 1 is needed because equation 2 is differentiated once";
    assert_eq!(error.to_string(), text);
    let given = Integration::new(&form).run_from(0.0, &[0.0, 0.0], &[0.0, 0.0], 1.0).err().unwrap();
    assert_eq!(given.to_string(), text);
    let documented = "Input `target`: supplied by the caller with derivatives up to order 1, because equation 2 is differentiated once.";
    assert!(follower::Follower::REPORT.contains(documented));
}

#[test]
fn the_interpreter_takes_inputs_and_refuses_code() {
    let model = compiled("input u; var x = 0; der(x) = u;").unwrap();
    let form = interpreter(&model, &Form::Original);
    assert_eq!(form.input_error(), Some(InputError::NotSupplied { input: "u".into() }));
    assert!(matches!(Integration::new(&form).run(0.0, 1.0), Err(RunError::Input(_))));
    let unknown = form.clone().with_inputs(&model.needs, &[("v", 1.0.into())]).err();
    assert_eq!(unknown, Some(InputError::Unknown { input: "v".into() }));
    let form = form.with_inputs(&model.needs, &[("u", 3.0.into())]).unwrap();
    assert_eq!(form.input_error(), None);
    let solution = Integration::new(&form).run(0.0, 2.0).unwrap();
    assert!((solution.end_state[0] - 6.0).abs() < 1e-9);

    let model = compiled("extern fn f(a) = f, der(a) = g; var x = 0; der(x) = f(x);").unwrap();
    let error = interpreter(&model, &Form::Original).input_error();
    assert_eq!(error, Some(InputError::NotInterpreted { function: "f".into() }));
}

#[test]
fn derivatives_that_are_not_declared_are_refused_with_the_equation() {
    let error = compiled(
        "extern fn f(a, b) = f, der(a) = fa, der(b) = fb;
         var x ~ 1; var y ~ 1; var z; der(x) = y; der(y) = z; 0 = f(x, 2 * x) - t;",
    );
    let error = error.err().unwrap();
    assert!(
        error.starts_with("error[E132]: the derivative `der(a, a)` of `f` is needed, and it is not declared"),
        "{error}"
    );
    assert!(error.contains("help: add `der(a, a) = path` to its declaration"), "{error}");
    // Where an equation is differentiated only for Jacobians, first derivatives are enough.
    assert!(compiled("extern fn f(a) = f, der(a) = g; var x ~ 1; 0 = f(x) - t;").is_ok());
    assert!(compiled("extern fn f(a) = f; var x ~ 1; 0 = f(x) - t;").is_err());
}

#[test]
fn a_parameter_that_is_no_number_is_named() {
    for (k, written) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        let error = Integration::new(&Inside { k }.index1()).run(0.0, 1.0).unwrap_err();
        let expected = format!("no consistent initial values: the parameter `k` is {written}; give it a finite value");
        assert_eq!(error.to_string(), expected);
    }
}

/// $x' = p u - k x$, $z = x + p u$, where `u` jumps from 0 to 1 at a time that only the caller knows.
#[test]
fn steps_end_where_the_caller_knows_of_a_jump() {
    dae::dae! {
        struct Switched {
            param k = 2.0;
            param p = 3.0;
            input u;
            var x = 1.0;
            var z;
            der(x) = p * u - k * x;
            z = x + p * u;
        }
    }
    // At the jump itself, the input may have the value of either side.
    type Jump = fn(f64) -> f64;
    let cases: [(f64, Jump); 4] = [
        (1.0, |t| f64::from(t > 1.0)),
        (1.0, |t| f64::from(t >= 1.0)),
        (0.0, |t| f64::from(t > 0.0)),
        (0.0, |t| f64::from(t >= 0.0)),
    ];
    for (jump, input) in cases {
        let form = Switched::new(Input::function(input)).index1();
        let begin = jump - 1.0;
        let end = jump + 1.0;
        let charged = |t: f64| if t > jump { 1.5 * (1.0 - (-2.0 * (t - jump)).exp()) } else { 0.0 };
        let exact = |t: f64| (-2.0 * (t - begin)).exp() + charged(t);
        for method in [Method::Bdf, Method::Radau5, Method::Radau] {
            let what = format!("{method:?}, {jump}");
            let run = || Integration::new(&form).method(method).rtol(1e-9).atol(1e-9);
            let dense = run().record(Record::Dense).stops([7.0, jump]).run(begin, end).unwrap();
            let solution = SwitchedSolution::try_from(dense).unwrap();
            assert!(solution.times.iter().any(|t| (t - jump).abs() < 1e-14), "{what}");
            for t in [-0.7, -1e-5, 1e-5, 0.01, 0.5, 1.0].map(|after| jump + after) {
                let (x, z) = (solution.x(t).unwrap(), solution.z(t).unwrap());
                let expected = [exact(t), exact(t) + if t > jump { 3.0 } else { 0.0 }];
                let close = (x - expected[0]).abs() < 1e-7 && (z - expected[1]).abs() < 1e-7;
                assert!(close, "{what} at {t}: {x}, {z} instead of {expected:?}");
            }
            let unknowing = run().run(begin, end).or_else(RunError::into_solution).unwrap();
            assert!(solution.statistics.rejected() < unknowing.statistics.rejected(), "{what}");
            // A record at the jump, an event after it, and sensitivities to parameters, one of which multiplies the
            // input.
            let at = run().record(Record::At(vec![jump, end])).stops([jump]).run(begin, end).unwrap();
            let found = at.column("x").unwrap();
            assert_eq!(at.times, [jump, end], "{what}");
            assert!((found[0] - exact(jump)).abs() < 1e-7 && (found[1] - exact(end)).abs() < 1e-7, "{what}: {found:?}");
            let level = exact(jump + 0.25);
            let crossing = Event::crossing(&form, "x", level).unwrap().rising();
            let seen = run().stops([jump]).event(crossing).run(begin, end).unwrap();
            assert!((seen.occurrences[0].t - jump - 0.25).abs() < 1e-7, "{what}: {:?}", seen.occurrences);
            let by_k = -2.0 * (-4f64).exp() + 3.0 * (0.5 * (-2f64).exp() - 0.25 * (1.0 - (-2f64).exp()));
            let by_p = 0.5 * (1.0 - (-2f64).exp());
            let run = || run().stops([jump]).sensitivities(["k", "p"]);
            let (forward, adjoint) = (run().run(begin, end).unwrap(), run().adjoint(begin, end).unwrap());
            for (by, of_x, of_z) in [("k", by_k, by_k), ("p", by_p, by_p + 1.0)] {
                for (unknown, expected) in [("x", of_x), ("z", of_z)] {
                    let found = forward.sensitivity_at(unknown, by, end).unwrap();
                    let back = adjoint.gradient(unknown).unwrap().by(by).unwrap();
                    let close = (found - expected).abs() < 1e-7 && (back - expected).abs() < 1e-7;
                    assert!(close, "{what}: {unknown} by {by}: {found}, {back} instead of {expected}");
                }
            }
            // Backwards, from where the first run ended.
            let start = [&solution.end_state[..], &solution.end_derivative[..]];
            let back = Integration::new(&form).method(method).rtol(1e-10).atol(1e-10).stops([jump]);
            let back = back.run_from(end, start[0], start[1], begin).unwrap();
            assert!((back.end_state[0] - 1.0).abs() < 1e-6, "{what}: {}", back.end_state[0]);
        }
    }
}

/// Stops within rounding errors of one another, of a switch of the model, and of the ends of the run.
#[test]
fn stops_within_rounding_of_something_are_one_with_it() {
    dae::dae! {
        struct Pulse {
            var x = 0.0;
            der(x) = if t < 1.0 { 0.0 } else { 1.0 };
        }
    }
    let form = Pulse::default().index1();
    let run = |stops: &[f64]| Integration::new(&form).rtol(1e-9).atol(1e-9).stops(stops.iter().copied()).run(0.0, 2.0);
    for k in 0..12 {
        let off = f64::from(k) * f64::EPSILON;
        let solution = run(&[off, 1.0 - off, 1.0 + off, 1.5, 1.5 + off, 2.0 - 2.0 * off]).unwrap();
        assert!(solution.is_success(), "{k}: {}", solution.status);
        assert!((solution.end_state[0] - 1.0).abs() < 1e-12, "{k}: {:?}", solution.end_state);
        assert!((solution.end_derivative[0] - 1.0).abs() < 1e-6, "{k}: {:?}", solution.end_derivative);
    }
}

#[test]
fn stops_that_cannot_be_are_refused() {
    let form = Inside::default().index1();
    let message = |run: Integration<'_, '_, _>| run.run(0.0, 1.0).unwrap_err().to_string();
    assert_eq!(message(Integration::new(&form).stops([0.5, f64::NAN])), "a step cannot end at t = NaN");
    assert_eq!(
        message(Integration::new(&form).fixed_step(0.1).stops([0.5])),
        "steps of one length do not end at given times: let the steps be chosen"
    );
    // Stops outside the run or at its ends have no effect, and a stop that is given twice counts once.
    let run = |stops: &[f64]| Integration::new(&form).stops(stops.iter().copied()).run(0.0, 1.0).unwrap();
    assert_eq!(run(&[-1.0, 0.0, 1.0, 2.0]).times, run(&[]).times);
    let (once, twice) = (run(&[0.5]), run(&[0.5, 0.5]));
    assert!(once.times == twice.times && once.is_success(), "{} {}", once.status, twice.status);
    assert!(once.times.iter().any(|t| (t - 0.5).abs() < 1e-15));
}
