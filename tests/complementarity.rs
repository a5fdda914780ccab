//! Complementary expressions that decide one another: circuits of ideal diodes, against closed forms.

#[macro_use]
mod interpreted;

use std::f64::consts::PI;

use dae::runtime::contract::Dae;
use dae::{Integration, Method, Solution};
use interpreted::{available, system};

const METHODS: [Method; 3] = [Method::Radau5, Method::Radau, Method::Bdf];

fn run(system: &dyn Dae, method: Method, tolerance: f64, t_end: f64) -> Solution {
    match Integration::new(system).method(method).rtol(tolerance).atol(tolerance).run(0.0, t_end) {
        Ok(solution) => solution,
        Err(error) => panic!("{} by {method:?}, {tolerance}: {error}", system.description().form),
    }
}

/// The entry of a state with this name.
fn place(solution: &Solution, name: &str) -> usize {
    solution.names.iter().position(|known| known == name).expect("an unknown")
}

/// Asserts that of each pair, given by weighted sums of unknowns, both are never negative and one is zero.
fn assert_complementary(solution: &Solution, pairs: &[[&[(f64, &str)]; 2]], tolerance: f64) {
    for (t, state) in solution.iter() {
        for pair in pairs {
            let value =
                |sum: &[(f64, &str)]| sum.iter().map(|(by, name)| by * state[place(solution, name)]).sum::<f64>();
            let [first, second] = pair.map(value);
            assert!(first > -tolerance && second > -tolerance, "{pair:?} at {t}: {first} and {second}");
            assert!(first.abs().min(second.abs()) < tolerance, "{pair:?} at {t}: {first} and {second}");
        }
    }
}

both! { STAR:
    /// Three sources, each behind a diode, and a resistor.
    struct Star {
        param r = 10;
        var v; var i1; var i2; var i3; var w1; var w2; var w3;
        w1 = v - sin(t);
        w2 = v - sin(t - 2 * PI / 3);
        w3 = v - sin(t + 2 * PI / 3);
        i1 + i2 + i3 = v / r;
        complementary d1(i1, w1);
        complementary d2(i2, w2);
        complementary d3(i3, w3);
    }
}

/// At the start, two diodes would have to conduct at once for their conditions alone, and where one takes over from
/// another both do: in both modes two sources would be in parallel.
#[test]
fn the_highest_of_three_sources_conducts() {
    let (interpreted, generated) = (system(STAR, "index1"), Star::default().index1());
    let systems: [&dyn Dae; 2] = [interpreted.as_ref(), &generated];
    for system in systems {
        for method in METHODS {
            for tolerance in [1e-4, 1e-6, 1e-9] {
                let solution = run(system, method, tolerance, 10.0);
                let highest = |t: f64| {
                    [0.0, -2.0, 2.0].iter().map(|k| (t + k * PI / 3.0).sin()).fold(f64::NEG_INFINITY, f64::max)
                };
                let v = place(&solution, "v");
                for (t, state) in solution.iter().skip(1) {
                    assert!((state[v] - highest(t)).abs() < 1e-12, "{method:?}, {tolerance}: {} at {t}", state[v]);
                }
                // Each takes over when its source is the highest.
                let entered: Vec<f64> = solution.modes.iter().map(|it| it.t).collect();
                let expected = [0.0, 0.0].into_iter().chain((0..5).map(|k| PI / 6.0 + 2.0 * PI / 3.0 * f64::from(k)));
                assert_eq!(entered.len(), 7, "{method:?}, {tolerance}: {:?}", solution.modes);
                for (found, expected) in entered.iter().zip(expected) {
                    assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}");
                }
            }
        }
    }
}

/// A bridge of four diodes between a source, whose branch is given, and a load; leaks keep the potential of the source
/// determined while no diode conducts.
fn bridge(declarations: &str, source: &str, load: &str) -> String {
    format!(
        "struct Graetz {{
            param r = 10; param g = 1e-3; {declarations}
            var va; var vb; var i1; var i2; var i3; var i4;
            {source} = sin(t) - (va - vb);
            i1 + i2 = {load};
            is = i1 - i3 + g * va;
            -is = i2 - i4 + g * vb;
            complementary d1(i1, vp - va);
            complementary d2(i2, vp - vb);
            complementary d3(i3, va);
            complementary d4(i4, vb);
        }}"
    )
}

const DIODES: [[&[(f64, &str)]; 2]; 4] = [
    [&[(1.0, "i1")], &[(1.0, "vp"), (-1.0, "va")]],
    [&[(1.0, "i2")], &[(1.0, "vp"), (-1.0, "vb")]],
    [&[(1.0, "i3")], &[(1.0, "va")]],
    [&[(1.0, "i4")], &[(1.0, "vb")]],
];

/// Where the current of a diode ends, the voltage that it holds back begins with the square of the time. The charging and
/// the decay are solved in closed form; the times at which the current ends and begins again are roots of those, to 20
/// digits.
#[test]
fn a_bridge_charges_a_capacitor() {
    let text = bridge("param c = 0.02; param rs = 0.1; var is; var vp = 0;", "rs * is", "vp / r + c * der(vp)");
    for form in ["index1", "ggl", "original"] {
        let Some(bridge) = available(&text, form) else { continue };
        for method in METHODS {
            // An error of the voltage is a hundred times as large in the time at which the current ends.
            for (tolerance, allowed) in [(1e-6, 5e-5), (1e-9, 3e-6)] {
                let solution = run(bridge.as_ref(), method, tolerance, 10.0);
                let time = |name: &str, after: f64| {
                    let found = solution.occurrences.iter().find(|it| it.event == name && it.t > after);
                    found.unwrap_or_else(|| panic!("{form}, {method:?}: no {name} after {after}")).t
                };
                let ends = time("i1 < 0", 1.0) - 2.946_177_093_132_449;
                let begins = time("vp - vb < 0", 3.1) - 3.197_019_138_669_735;
                assert!(ends.abs() < allowed, "{form}, {method:?}, {tolerance}: {ends}");
                assert!(begins.abs() < allowed, "{form}, {method:?}, {tolerance}: {begins}");
                assert_complementary(&solution, &DIODES, 1e2 * tolerance);
            }
        }
    }
}

/// Against integrations of the same circuits as ordinary differential equations with kinks, for which the voltage of the
/// source is the smaller of that of the leak and that of the load (`Radau` and `BDF` of SciPy 1.17 at 1e-11, steps of 1e-4:
/// they agree to 1e-13).
#[test]
fn bridges_with_inductances_commutate() {
    let at_source =
        bridge("param l = 0.5; param c = 0.02; var is = 0; var vp = 0;", "l * der(is)", "vp / r + c * der(vp)");
    // The load keeps a current flowing, through all diodes while the source commutates.
    let at_load = bridge(
        "param l = 5; param rs = 0.1; var is; var vp; var il = 0; l * der(il) = vp - r * il;",
        "rs * is",
        "il + g * vp",
    );
    for (name, text, value, expected) in
        [("source", &at_source, "vp", 0.542_047_947_551_6), ("load", &at_load, "il", 0.034_900_872_022_5)]
    {
        for form in ["index1", "ggl", "index2"] {
            let Some(bridge) = available(text, form) else { continue };
            for method in METHODS {
                for tolerance in [1e-6, 1e-9] {
                    let solution = run(bridge.as_ref(), method, tolerance, 10.0);
                    let error = solution.end_state[place(&solution, value)] - expected;
                    assert!(error.abs() < 1e3 * tolerance, "{name}, {form}, {method:?}, {tolerance}: {error}");
                    assert_complementary(&solution, &DIODES, 1e2 * tolerance);
                }
            }
        }
    }
}

/// A switch takes the current from a coil, or a brake stops a shaft: the diode beside the coil conducts at once, and the
/// freewheel of the shaft lets the wheel go on, since the other solution is an impulse of the sign that is excluded.
#[test]
fn impulses_respect_complementarity() {
    let coil = "struct Coil { var i = 2; var u; var is; var id;
        der(i) = u - i; is + id = i;
        modes switch { closed { u = 2; when t >= 1 { switch = open; } } open { is = 0; } }
        complementary diode(id, u); }";
    let shaft = "struct Shaft { var w = 1; var wheel = 1; var torque; var braking;
        der(w) = 1 - torque - braking; 2 * der(wheel) = torque;
        modes brake { off { braking = 0; when t >= 1 { brake = on; } } on { w = 0; } }
        complementary freewheel(torque, wheel - w); }";
    let current = 2.0 * (-1.0_f64).exp();
    for (text, name, expected, mode) in [
        (coil, "i", current, "switch = open, diode = second"),
        (shaft, "wheel", 4.0 / 3.0, "brake = on, freewheel = first"),
    ] {
        for form in ["index1", "ggl", "original"] {
            let system = system(text, form);
            for method in METHODS {
                for tolerance in [1e-4, 1e-6, 1e-9] {
                    let solution = run(system.as_ref(), method, tolerance, 2.0);
                    let entered = &solution.modes[solution.modes.len() - 1];
                    assert_eq!((entered.t, &*entered.mode), (1.0, mode), "{form}, {method:?}, {tolerance}");
                    let error = solution.end_state[place(&solution, name)] - expected;
                    assert!(error.abs() < 1e2 * tolerance, "{form}, {method:?}, {tolerance}: {error}");
                }
            }
        }
    }
}

/// Events that change values without a mode: what they change jumps, and a diode or a freewheel that would need an impulse of
/// the excluded sign opens.
#[test]
fn changes_of_values_respect_complementarity() {
    let behind_a_diode = "var v = 0; var i; der(v) = i - v; complementary d(i, v - s);";
    let sampled = format!("struct M {{ discrete s = 1; {behind_a_diode} when sample(1, 1) {{ s = 1 - pre(s); }} }}");
    let rounded = format!("struct M {{ let s = 1 - floor(t); {behind_a_diode} }}");
    let coil = "struct M { var i = 1; var u; discrete k = 1; var is; var id; der(i) = u - i; is + id = i; is = k * min(1, t + 1);
        when t >= 1 { k = 0; } complementary d(id, u); }";
    let capacitors = "struct M { var v = 1; var w = 1; var i; der(v) = i - v; der(w) = -i + 0.5;
        complementary d(i, v - w); when t >= 0.5 { w = 0.2; } }";
    let decayed = (-0.5_f64).exp();
    let discharged = (0.5 + 0.5 * (-0.25_f64).exp()) * decayed;
    for (text, t_end, expected) in [
        (&*sampled, 1.5, &[("v", decayed), ("s", 0.0)][..]),
        (&*rounded, 1.5, &[("v", decayed)][..]),
        (coil, 2.0, &[("i", (-1.0_f64).exp())][..]),
        (capacitors, 1.0, &[("v", discharged), ("w", 0.45)][..]),
    ] {
        for form in ["index1", "ggl", "original"] {
            let system = system(text, form);
            for method in METHODS {
                let solution = run(system.as_ref(), method, 1e-8, t_end);
                for &(name, expected) in expected {
                    let error = solution.end_state[place(&solution, name)] - expected;
                    assert!(error.abs() < 1e-6, "{text}\n{form}, {method:?}: {name} is off by {error}");
                }
            }
        }
    }
}
