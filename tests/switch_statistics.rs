//! What each switching function and each event costs a run: crossings that are known, and repeated steps that add up to
//! those of the whole run.

mod interpreted;

use std::f64::consts::PI;

use dae::runtime::contract::Dae;
use dae::{Event, Integration, Method, Solution, SwitchKind, SwitchStatistics};
use interpreted::system;

const METHODS: [Method; 3] = [Method::Bdf, Method::Radau5, Method::Radau];

/// A run whose repeated steps add up.
fn run(integration: Integration<'_, '_>, t_end: f64) -> Solution {
    let solution = integration.run(0.0, t_end).unwrap_or_else(|error| panic!("{error}"));
    adds_up(&solution);
    solution
}

fn adds_up(solution: &Solution) {
    let sum: usize = solution.switches.iter().map(|it| it.switch_rejections).sum();
    assert_eq!(sum, solution.statistics.switch_rejections, "{:?}", solution.switches);
}

fn by(system: &dyn Dae, method: Method) -> Integration<'_, '_> {
    Integration::new(system).method(method).rtol(1e-8).atol(1e-8)
}

fn of<'s>(solution: &'s Solution, name: &str) -> &'s SwitchStatistics {
    let found: Vec<_> = solution.switches.iter().filter(|it| it.name == name).collect();
    assert_eq!(found.len(), 1, "{name}: {:?}", solution.switches);
    found[0]
}

/// x = cos t has six zeros up to 20. A jump begins a new piece at each, a kink where error control asks for it, and the
/// times of a function of time are known.
#[test]
fn a_cosine_changes_its_sign_twice_a_period() {
    let model = |y: &str| {
        format!("struct A {{ var x = 1; var v = 0; var y; var z = 0; der(x) = v; der(v) = -x; y = {y}; der(z) = y; }}")
    };
    for method in METHODS {
        for (y, name) in [
            ("if x > 0 { 1 } else { 0 }", "x"),
            ("abs(x)", "x"),
            ("max(x, 2 * x)", "x - 2*x"),
            ("if cos(t) > 0 { 1 } else { -1 }", "cos(t)"),
        ] {
            let system = system(&model(y), "index1");
            let solution = run(by(system.as_ref(), method), 20.0);
            let it = match name {
                "x - 2*x" => &solution.switches[0],
                _ => of(&solution, name),
            };
            assert_eq!((it.kind, it.crossings), (SwitchKind::Function, 6), "{method:?}, {y}: {it:?}");
            assert_eq!(it.sliding, 0.0);
            match name {
                "cos(t)" => assert_eq!((it.restarts, it.rejected()), (6, 0), "{method:?}: {it:?}"),
                _ if y.starts_with("if") => {
                    assert!(it.restarts == 6 && it.switch_rejections >= 6, "{method:?}: {it:?}")
                }
                _ => assert!(it.restarts <= 6, "{method:?}, {y}: {it:?}"),
            }
        }
    }
}

/// A body that sticks, slips, sticks and slips the other way.
#[test]
fn a_body_sticks_and_slips() {
    let system = system("struct A { var v = 0; der(v) = 2*sin(t) - 1.5*signum(v); }", "index1");
    for method in METHODS {
        let solution = run(by(system.as_ref(), method), 9.0);
        let it = of(&solution, "v");
        assert_eq!((solution.slides.len(), it.crossings), (3, 2), "{method:?}: {it:?}");
        let slides = solution.slides.iter().map(|slide| slide.end.unwrap_or(9.0) - slide.begin);
        assert!((it.sliding - slides.sum::<f64>()).abs() < 1e-12, "{method:?}: {it:?}");
        // Each slide begins and ends.
        assert!(it.restarts >= 6 && it.restarts < 10, "{method:?}: {it:?}");
    }
}

/// Impacts begin anew and are searched for; samples begin anew at times that are known; what is only recorded costs no
/// step.
#[test]
fn events_cost_what_they_change() {
    let pendulum = system(
        "struct Pendulum { var x = 0.8; var y ~ -0.6; var u = 0; var v ~ 0; var lambda;
         der(x) = u; der(y) = v; der(u) = -lambda * x; der(v) = -lambda * y - 9.81; 0 = x.powi(2) + y.powi(2) - 1;
         when x < 0 { u = -0.9 * pre(u); } }",
        "ggl",
    );
    let sampled = system(
        "struct Sampled { var x = 0; discrete u = 0; der(x) = -x + u; when sample(0.1) { u = 2 * (1 - pre(x)); }
         when x > 0.5 { note \"half\"; } }",
        "index1",
    );
    for method in METHODS {
        let middle = Event::crossing(pendulum.as_ref(), "y", -0.8).expect("an unknown");
        let solution = run(by(pendulum.as_ref(), method).event(middle), 5.0);
        let count = |name: &str| solution.occurrences.iter().filter(|it| it.event == name).count();
        let [impact, recorded] = ["x < 0", "y"].map(|name| of(&solution, name));
        assert!(impact.crossings >= 5 && impact.switch_rejections >= impact.crossings, "{method:?}: {impact:?}");
        assert_eq!((impact.crossings, impact.restarts), (count("x < 0"), count("x < 0")), "{method:?}");
        assert_eq!((recorded.crossings, recorded.restarts, recorded.rejected()), (count("y"), 0, 0), "{method:?}");
        assert_eq!(solution.switches_by_cost()[0].name, "x < 0");

        let solution = run(by(sampled.as_ref(), method), 1.05);
        let [samples, half] = ["sample(0.1)", "x > 0.5"].map(|name| of(&solution, name));
        assert_eq!((samples.kind, samples.crossings, samples.rejected()), (SwitchKind::Event, 11, 0), "{method:?}");
        assert_eq!((samples.restarts, half.crossings, half.restarts), (11, 1, 0), "{method:?}: {half:?}");
    }
}

/// Two zeros of x = cos t up to 5, and three of what follows up to 10, with twice the frequency.
#[test]
fn modes_have_one_list() {
    let system = system(
        "struct A { var x = 1; var v = 0; var y; der(x) = v; y = abs(x);
         modes m {
             slow { der(v) = -x; when t >= 5 && t < 10 { m = fast; } }
             fast { der(v) = -4*x; when t >= 10 { m = slow; } }
         } }",
        "index1",
    );
    for method in METHODS {
        let solution = run(by(system.as_ref(), method), 10.5);
        assert_eq!(solution.switches.len(), 3, "{:?}", solution.switches);
        let [x, to_fast, to_slow] = ["x", "t >= 5 && t < 10", "t >= 10"].map(|name| of(&solution, name));
        assert_eq!((x.kind, x.crossings), (SwitchKind::Function, 5), "{method:?}: {x:?}");
        for it in [to_fast, to_slow] {
            assert_eq!((it.kind, it.crossings, it.restarts), (SwitchKind::Event, 1, 1), "{method:?}: {it:?}");
        }
    }
}

/// A run that stops early has the list as far as it came; a function at which nothing happens is in it, and costs
/// nothing.
#[test]
fn a_run_that_stops_early_has_the_list() {
    let text = "struct A { var x = 1; var v = 0; var y; var z = 0; der(x) = v; der(v) = -x;
        y = if x > 0 { 1 } else { 0 }; der(z) = y + abs(x - 2); }";
    let system = system(text, "index1");
    let stopped = by(system.as_ref(), Method::Radau5).max_steps(40).run(0.0, 1000.0);
    let solution = stopped.unwrap_err().into_solution().expect("what was computed");
    adds_up(&solution);
    let zeros = (solution.end_time / PI + 0.5).floor();
    assert!(zeros >= 1.0 && of(&solution, "x").crossings as f64 == zeros, "{:?}", solution.switches);
    assert_eq!(solution.switches.len(), 2);
    let costly: Vec<&str> = solution.switches_by_cost().iter().map(|it| it.name.as_ref()).collect();
    assert_eq!(costly, ["x"]);
}
