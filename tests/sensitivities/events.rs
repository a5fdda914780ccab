//! Sensitivities across events, changes of the state and jumps of the equations.

use super::complex_step::{Pendulum, derivatives};
use super::*;

/// Three impacts at a wall that is met at an angle, so that the constraint acts as well, and turning points, which are
/// only recorded.
#[test]
fn sensitivities_pass_impacts() {
    let events = |system: &dyn Dae| {
        let [x, u, v] = ["x", "u", "v"].map(|name| system.description().place_of(name).expect("a state"));
        let impact = Event::new("impact", move |t, y, _| y[x] + 0.05 + 0.01 * t).falling().reset(move |_, y| {
            y[u] *= -0.7;
            y[v] *= -0.7;
        });
        vec![impact, Event::new("turn", move |_, y, _| y[u]).falling()]
    };
    let case = Case { t_end: 3.0, times: &[0.3, 0.7, 1.5, 2.2, 3.0], difference: 0.0, events: &events };
    let parameters = ["g", "l", "x0"];
    let start = [9.81, 1.0, 0.8414709848078965];
    let expected = [0, 1, 2].map(|k| derivatives(Pendulum::beside_wall, start, k, case.times));
    assert!(expected[0].events.len() > 4);
    for form in ["index1", "index2", "ggl", "dummy", "underlying"] {
        let pendulum = system(WALL, form);
        for method in METHODS {
            let what = format!("{form} by {method:?}");
            let run = case.integration(pendulum.as_ref(), method, 1e-11).sensitivities(parameters);
            let solution = run.run(0.0, case.t_end).expect("consistent");
            assert!(solution.is_success(), "{what}: {}", solution.status);
            for (parameter, expected) in parameters.iter().zip(&expected) {
                compare(&solution, parameter, expected, &["x", "y", "u", "v"], 1e-7, &what);
            }
        }
    }
}

/// Where only the derivative of a sensitivity is nonzero, an event function of $y'$ still moves with the parameter:
/// $x' = p (t - 1)$, so that $s = t^2/2 - t$ is zero at $t = 2$, where $x' = 1$ for $p = 1$, and $s' = 1$.
#[test]
fn event_functions_may_depend_on_derivatives_alone() {
    let line = system("struct Line { param p = 1; var x = 0; der(x) = p*(t - 1); }", "original");
    for method in METHODS {
        let event = Event::new("one", |_, _, yp| yp[0].powi(3) - 1.0).rising();
        let run = Integration::new(line.as_ref()).method(method).rtol(1e-9).atol(1e-9).event(event);
        let solution = run.sensitivities(["p"]).run(0.0, 3.0).expect("consistent");
        // 0 = p (t - 1) - 1: dt/dp = -(t - 1)/p.
        let [by_p] = solution.occurrences[0].time_derivatives[..] else { panic!("one quantity") };
        assert!((by_p + 1.0).abs() < 1e-6, "{method:?}: {by_p}");
    }
}

/// A bouncing ball, whose solution is known in closed form.
#[test]
fn a_bouncing_ball_is_known_exactly() {
    let ball = system("struct Ball { param g = 9.81; var h = 1; var v = 0; der(h) = v; der(v) = -g; }", "original");
    let [h, v] = ["h", "v"].map(|name| ball.description().place_of(name).expect("a state"));
    for method in METHODS {
        let impact = Event::new("impact", move |_, y, _| y[h]).falling().reset(move |_, y| y[v] *= -0.8);
        let run = Integration::new(ball.as_ref()).method(method).rtol(1e-9).atol(1e-9).event(impact);
        let solution = run.sensitivities(["g", "h"]).run(0.0, 1.0).expect("consistent");
        // t1 = sqrt(2 h/g), then v = -0.8 g t1 upwards.
        let (g, t1) = (9.81_f64, (2.0_f64 / 9.81).sqrt());
        let [by_g, by_h] = [-0.5 * t1 / g, 0.5 * t1];
        let impact = &solution.occurrences[0].time_derivatives;
        assert!((impact[0] - by_g).abs() < 1e-8 && (impact[1] - by_h).abs() < 1e-8, "{method:?}: {impact:?}");
        // h(t) = 0.8 g t1 (t - t1) - g (t - t1)^2 / 2.
        let after = 1.0 - t1;
        let by_t1 = 0.8 * g * after - 0.8 * g * t1 + g * after;
        let expected = [0.8 * t1 * after - 0.5 * after * after + by_t1 * by_g, by_t1 * by_h];
        for (by, expected) in ["g", "h"].into_iter().zip(expected) {
            let found = solution.sensitivity_at("h", by, 1.0).expect("recorded");
            assert!((found - expected).abs() < 1e-7, "{method:?}: by {by} {found} instead of {expected}");
        }
    }
}

/// Forces that jump at a place and at a time, both of which are parameters, and an algebraic unknown `w`.
#[test]
fn sensitivities_pass_jumps_of_the_equations() {
    let text = "struct Jumps {
        param place = 0.5;
        param time = 1.4;
        param force = 3;
        var x = 1;
        var v = 0;
        var w;
        let pull = if x > place { -1 } else { -force };
        der(x) = v;
        der(v) = pull + if t > time { 2 * force } else { 0 };
        w = x * v + force;
    }";
    let case = Case { t_end: 2.0, times: &[0.5, 1.2, 1.6, 2.0], difference: 2e-3, events: &no_events };
    let parameters = ["place", "time", "force"];
    for form in ["index1", "underlying"] {
        let mut jumps = system(text, form);
        let expected = parameters.map(|parameter| differences(jumps.as_mut(), parameter, &case));
        assert!(expected[1].states[3][0].abs() > 1.0);
        for method in METHODS {
            let run = case.integration(jumps.as_ref(), method, 1e-10).sensitivities(parameters);
            let solution = run.run(0.0, case.t_end).expect("consistent");
            assert!(solution.is_success(), "{}", solution.status);
            for (parameter, expected) in parameters.iter().zip(&expected) {
                compare(&solution, parameter, expected, &["x", "v", "w"], 1e-7, &format!("{form} by {method:?}"));
            }
        }
    }
}

/// Where two events or switches coincide only at the given values, the solution has no derivative; and a run that does
/// not locate switches is refused.
#[test]
fn what_has_no_derivative_is_no_success() {
    let balls = system(
        "struct Balls { var a = 1; var b = 1; var u = 0; var v = 0; der(a) = u; der(b) = v; der(u) = -9.81; der(v) = -9.81; }",
        "original",
    );
    let [a, b, u, v] = ["a", "b", "u", "v"].map(|name| balls.description().place_of(name).expect("a state"));
    let bounce = |h: usize, v: usize| {
        Event::new("bounce", move |_, y: &[f64], _| y[h]).falling().reset(move |_, y| y[v] *= -0.8)
    };
    let run = Integration::new(balls.as_ref()).event(bounce(a, u)).event(bounce(b, v)).sensitivities(["a", "b"]);
    let stopped = |run: Integration<'_, '_>, end: f64| run.run(0.0, end).unwrap_err().into_solution().unwrap();
    let solution = stopped(run, 1.0);
    let message = solution.status.to_string();
    assert!(
        message.contains("the solution has no derivative with respect to `") && solution.end_time > 0.4,
        "{message}"
    );
    // Events at different times have derivatives.
    let run =
        Integration::new(balls.as_ref()).event(bounce(a, u)).event(Event::crossing(balls.as_ref(), "b", 0.5).unwrap());
    let solution = run.sensitivities(["a", "b"]).run(0.0, 0.6).unwrap();
    let times: Vec<&[f64]> = solution.occurrences.iter().map(|it| &*it.time_derivatives).collect();
    assert!(
        times[0][0].abs() < 1e-8 && times[0][1] > 0.2 && times[1][0] > 0.2 && times[1][1].abs() < 1e-8,
        "{times:?}"
    );
    let text = "struct Jumps { param a = 1; param b = 1; var v = 0; der(v) = if t > a { 1 } else { 0 } + if t > b { 10 } else { 0 }; }";
    let jumps = system(text, "original");
    let solution = stopped(Integration::new(jumps.as_ref()).sensitivities(["a", "b"]), 2.0);
    assert!((solution.end_time - 1.0).abs() < 1e-9, "{}", solution.status);
    let fixed = Integration::new(jumps.as_ref()).fixed_step(0.1).sensitivities(["a"]).run(0.0, 2.0);
    assert!(fixed.unwrap_err().to_string().contains("steps of one length do not end where"));
    // That the switching function is flat at its zero does not matter, because the time of the switch does not depend
    // on k.
    let flat = "struct Flat { param k = 2; var v = 0; der(v) = if (t - 1).powi(3) > 0 { k } else { 1 }; }";
    let flat = system(flat, "original");
    let solution = Integration::new(flat.as_ref()).sensitivities(["k"]).run(0.0, 2.0).unwrap();
    assert!((solution.sensitivity_at("v", "k", 2.0).unwrap() - 1.0).abs() < 1e-9, "{}", solution.status);
    // An event changes the state at the time when the equations change as well.
    let kick = Event::new("kick", |t, _, _| t - 1.0).reset(|_, y| y[0] += 1.0);
    let solution = stopped(Integration::new(jumps.as_ref()).event(kick).sensitivities(["a"]), 2.0);
    assert!((solution.end_time - 1.0).abs() < 1e-9, "{}", solution.status);
    // The value at an end time that depends on the parameters has no gradient.
    let end = Event::crossing(balls.as_ref(), "a", 0.0).unwrap().terminal();
    let adjoint = Integration::new(balls.as_ref()).event(end).sensitivities(["a"]).adjoint(0.0, 1.0).unwrap();
    assert!(adjoint.gradient("u").unwrap_err().to_string().contains("the run has ended at `a`, whose time changes"));
}
