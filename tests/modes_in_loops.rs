//! Modes in loops: a `modes` block in a `for` is a mode variable for each value of the loop variables.

#[macro_use]
mod interpreted;

use dae::runtime::contract::Dae;
use dae::{Integration, Method, Record, Solution};
use interpreted::system;

const METHODS: [Method; 2] = [Method::Bdf, Method::Radau];
const FORMS: [&str; 5] = ["original", "index1", "ggl", "underlying", "dummy"];

fn run(system: &dyn Dae, method: Method, t_end: f64) -> Solution {
    let integration = Integration::new(system).method(method).rtol(1e-10).atol(1e-10).record(Record::Dense);
    match integration.run(0.0, t_end) {
        Ok(solution) => solution,
        Err(error) => panic!("{} by {method:?}: {error}", system.description().form),
    }
}

fn last(solution: &Solution, name: &str) -> f64 {
    solution.value(name, solution.end_time).expect("an unknown")
}

fn names(solution: &Solution) -> Vec<&str> {
    solution.modes.iter().map(|it| it.mode.as_ref()).collect()
}

both! { CLAMPS:
    /// Capacitors that are charged by currents (i + 1) cos t, each with an ideal diode that holds its voltage at 1/2.
    struct Clamps {
        const N = 3;
        param limit = 0.5;
        var v: [f64; N] = 0;
        var through: [f64; N];
        for i in 0..N {
            der(v[i]) = (i + 1) * cos(t) - through[i];
            complementary clamp(through[i], limit - v[i]);
        }
    }
}

/// The times at which they reach the limit, the last one first, and the voltages at $t = 3$: they leave the limit where the
/// currents change their sign, and fall from it.
fn check_clamps(solution: &Solution, tolerance: f64) {
    let reached = solution.modes.iter().skip(1).take(3).zip([3.0, 2.0, 1.0]);
    for (entered, current) in reached {
        let time = f64::asin(0.5 / current);
        assert!((entered.t - time).abs() <= tolerance, "{}: {} for {time}", entered.mode, entered.t);
    }
    for i in 0..3 {
        let voltage = 0.5 + f64::from(i + 1) * (f64::sin(3.0) - 1.0);
        let found = last(solution, &format!("v[{i}]"));
        assert!((found - voltage).abs() <= tolerance, "v[{i}]: {found} for {voltage}");
    }
}

#[test]
fn each_value_of_a_loop_has_its_own_mode() {
    for form in FORMS {
        let clamps = system(CLAMPS, form);
        for method in METHODS {
            let solution = run(clamps.as_ref(), method, 3.0);
            check_clamps(&solution, 1e-8);
            let expected = [
                "clamp[0] = first, clamp[1] = first, clamp[2] = first",
                "clamp[0] = first, clamp[1] = first, clamp[2] = second",
                "clamp[0] = first, clamp[1] = second, clamp[2] = second",
                "clamp[0] = second, clamp[1] = second, clamp[2] = second",
            ];
            assert_eq!(names(&solution)[..4], expected, "{form}, {method:?}");
            assert_eq!(names(&solution).last(), Some(&expected[0]), "{form}, {method:?}");
        }
    }
}

#[test]
fn generated_code_has_the_modes_of_loops() {
    for method in METHODS {
        check_clamps(&run(&Clamps::default().ggl(), method, 3.0), 1e-8);
    }
}

/// Tanks with valves that open and shut by their levels, in a loop; the outlets of the upper ones feed the next.
const TANKS: &str = "struct Tanks {
    const N = 3;
    var h: [f64; N] = |i| 1 + 0.5 * i;
    var q: [f64; N];
    var wide = 0;
    for i in 0..N {
        if i == 0 { der(h[i]) = 0.25 - q[i]; } else { der(h[i]) = q[i - 1] - q[i]; }
        modes valve {
            open {
                let speed = sqrt(h[i]);
                q[i] = 0.5 * speed;
                when h[i] < 0.6 + 0.1 * i { valve = shut; }
            }
            shut { q[i] = 0; when h[i] > 1.2 { valve = open; } }
        }
    }
    der(wide) = (if valve[0] == open { 1 } else { 0 }) + sum(k in 1..N => 2 * q[k]);
    when t > 5 { valve[1] = shut; valve[2] = open; }
}";

/// The same with a block for each tank.
fn tanks_typed_out() -> String {
    let mut text = String::from("struct Tanks { var wide = 0;");
    for i in 0..3 {
        text += &format!("var h{i} = {:?}; var q{i};", 1.0 + 0.5 * f64::from(i));
    }
    for i in 0..3 {
        let inflow = if i == 0 { "0.25".to_string() } else { format!("q{}", i - 1) };
        text += &format!(
            "der(h{i}) = {inflow} - q{i};
            modes valve{i} {{
                open {{ q{i} = 0.5 * sqrt(h{i}); when h{i} < {:?} {{ valve{i} = shut; }} }}
                shut {{ q{i} = 0; when h{i} > 1.2 {{ valve{i} = open; }} }}
            }}",
            [0.6, 0.7, 0.8][i as usize],
        );
    }
    text += "der(wide) = (if valve0 == open { 1 } else { 0 }) + 2 * q1 + 2 * q2;
        when t > 5 { valve1 = shut; valve2 = open; } }";
    text
}

#[test]
fn a_loop_is_what_it_stands_for() {
    for form in ["original", "index1"] {
        let (looped, typed) = (system(TANKS, form), system(&tanks_typed_out(), form));
        for method in METHODS {
            let [looped, typed] = [&looped, &typed].map(|system| run(system.as_ref(), method, 20.0));
            assert!(looped.modes.len() > 8, "{}", looped.modes.len());
            let without_brackets = |name: &&str| name.replace(['[', ']'], "");
            let [of_loop, of_typed] = [&looped, &typed].map(names);
            assert_eq!(of_loop.iter().map(without_brackets).collect::<Vec<String>>(), of_typed, "{form}, {method:?}");
            for name in ["h[0]", "h[1]", "h[2]", "wide"] {
                let [a, b] = [last(&looped, name), last(&typed, &without_brackets(&name))];
                assert!((a - b).abs() <= 1e-8, "{form}, {method:?}: {name} is {a} and {b}");
            }
        }
    }
}

/// Cells of a grid, of which those of the upper triangle switch, and say so to their left neighbours.
const GRID: &str = "struct Grid {
    const N = 2;
    var x: [[f64; 3]; N] = 0;
    for i in 0..N {
        for j in 0..3 {
            if j >= i {
                modes cell {
                    slow { der(x[i][j]) = 1; when x[i][j] >= 1 + i { cell = fast; } }
                    fast { der(x[i][j]) = 2 + (if j > i && cell[i][j - 1] == fast { 1 } else { 0 }); }
                    done { der(x[i][j]) = 1; }
                }
                if j > i { when t >= 4 { cell[i][j - 1] = done; } }
            } else {
                der(x[i][j]) = 0;
            }
        }
    }
}";

#[test]
fn loops_may_be_nested_and_chosen_from() {
    for method in METHODS {
        let solution = run(system(GRID, "index1").as_ref(), method, 5.0);
        assert_eq!(
            names(&solution)[0],
            "cell[0][0] = slow, cell[0][1] = slow, cell[0][2] = slow, cell[1][1] = slow, cell[1][2] = slow"
        );
        // All cells of a row are fast from t = 1 + i; at t = 4 all but the last of a row are done.
        let expected = [
            ("x[0][0]", 1.0 + 2.0 * 3.0 + 1.0),
            ("x[0][1]", 1.0 + 3.0 * 3.0 + 1.0),
            ("x[0][2]", 1.0 + 3.0 * 3.0 + 2.0),
            ("x[1][0]", 0.0),
            ("x[1][1]", 2.0 + 2.0 * 2.0 + 1.0),
            ("x[1][2]", 2.0 + 3.0 * 2.0 + 2.0),
        ];
        for (name, expected) in expected {
            let found = last(&solution, name);
            assert!((found - expected).abs() <= 1e-8, "{method:?}: {name} is {found}, not {expected}");
        }
    }
}

/// An event outside of the alternatives does not occur again in the mode that it enters, whether that is another one or not.
#[test]
fn an_event_that_enters_a_mode_occurs_once() {
    let text = "struct Tank {
        var x = 1; var q;
        der(x) = q;
        modes valve { open { q = -0.1; } shut { q = 0.1; } }
        when x < 0.9 { valve = shut; }
        when x > 1.2 { valve = open; }
        when sin(t) > 0.5 { valve = open; }
        when t > 8 { valve = shut; }
    }";
    for form in FORMS {
        for method in METHODS {
            let solution = run(system(text, form).as_ref(), method, 9.5);
            let events: Vec<&str> = solution.occurrences.iter().map(|it| it.event.as_ref()).collect();
            let expected = ["sin(t) > 0.5", "x < 0.9", "x > 1.2", "sin(t) > 0.5", "x < 0.9", "t > 8"];
            assert_eq!(events, expected, "{form}, {method:?}");
            assert!((last(&solution, "x") - 1.15).abs() <= 1e-8, "{form}, {method:?}: {}", last(&solution, "x"));
        }
    }
}

/// The code and the message of the first error of a text.
fn rejection(text: &str) -> String {
    let Err(rejection) = dae::symbolic::Text::read_text(text) else { panic!("accepted") };
    let first = rejection.diagnostics.iter().next().expect("an error");
    format!("{}: {}", first.code.text(), first.message)
}

#[test]
fn findings_name_the_variable_and_the_place() {
    let with = |more: &str| {
        rejection(&format!(
            "struct S {{ var x: [f64; 3] = 0; var y = 0; for i in 0..3 {{ modes m {{ a {{ der(x[i]) = 1; }} b {{ der(x[i]) = 0; }} }} }} {more} }}"
        ))
    };
    let of_several = "E442: `m` stands in a loop, and is a mode variable for each of its values";
    assert_eq!(with("der(y) = 1; when y > 1 { m = b; }"), of_several);
    assert_eq!(with("der(y) = if m == b { 1 } else { 0 };"), of_several);
    assert_eq!(with("der(y) = 1; when y > 1 { m[3] = b; }"), "E442: there is no `m[3]`");
    assert_eq!(with("der(y) = 1; when y > 1 { m[0][1] = b; }"), "E442: `m` has one index, not 2");
    assert_eq!(with("der(y) = 1; when y > 1 { m[0.5] = b; }"), "E442: the index of a mode variable is an integer");
    assert_eq!(with("der(y) = if m[1] == c { 1 } else { 0 };"), "E442: `m` has no alternative `c`");
    assert_eq!(with("der(y) = 1; when y > 1 { m[0] = c; }"), "E442: `m` has no alternative `c`");
    assert_eq!(with("der(y) = if m[4] == b { 1 } else { 0 };"), "E442: there is no `m[4]`");
    let chosen =
        "const K = 1; var x = 0; var y = 0; if K == 2 { complementary d(x, y); } else { der(y) = 1; } der(x) = 1;";
    let absent = "E442: there is no `d`";
    assert_eq!(rejection(&format!("struct S {{ {chosen} when x > 1 {{ d = second; }} }}")), absent);
    assert_eq!(
        rejection(&format!(
            "struct S {{ {} }}",
            chosen.replace("der(x) = 1", "der(x) = if d == first { 1 } else { 2 }")
        )),
        absent
    );
    let asked = "struct S { var x = 0; modes m { a { } b { } } if m == a { modes n { c { der(x) = 1; } d { der(x) = 2; } } } else { der(x) = 0; } }";
    assert_eq!(rejection(asked), "E442: `n` would exist in some modes only");
    let nested =
        "struct S { var x = 0; modes m { a { modes k { c { der(x) = 1; } d { der(x) = 2; } } } b { der(x) = 0; } } }";
    assert_eq!(rejection(nested), "E006: an alternative of `modes` holds no other `modes`");
}

/// Ranges that do not begin at zero or depend on outer variables, and blocks that constants choose.
#[test]
fn instances_are_those_of_the_loops() {
    let text = "struct S {
        const KIND = 2;
        var x: [[f64; 3]; 3] = 0;
        var y = 0;
        for i in 0..3 {
            for j in 0..i + 1 {
                if KIND == 2 {
                    /// Counts up to its place.
                    modes m {
                        up { let speed = 1 + j; der(x[i][j]) = speed; when x[i][j] >= i + 1 { m = done; } }
                        done { der(x[i][j]) = 0; }
                    }
                } else {
                    modes m { never { } ever { } }
                }
            }
            for j in i + 1..3 { der(x[i][j]) = -1; }
        }
        der(y) = if m[2][1] == done { 1 } else { 0 };
    }";
    // The second block has the name of the first.
    assert!(rejection(text).starts_with("E103"));
    let text = text.replace("modes m { never", "modes other { never");
    for method in METHODS {
        let solution = run(system(&text, "index1").as_ref(), method, 4.0);
        assert_eq!(names(&solution)[0].matches(" = up").count(), 6, "{}", names(&solution)[0]);
        let expected = [("x[0][0]", 1.0), ("x[0][1]", -4.0), ("x[1][1]", 2.0), ("x[2][0]", 3.0), ("x[2][2]", 3.0)];
        // From 3/2 on, the cell in row 2 and column 1 is done.
        for (name, expected) in expected.into_iter().chain([("y", 2.5)]) {
            let found = last(&solution, name);
            assert!((found - expected).abs() <= 1e-8, "{method:?}: {name} is {found}, not {expected}");
        }
    }
    // Negative values of a loop variable.
    let text = "struct S {
        var x: [f64; 3] = 0; var y = 0;
        for i in -1..2 { modes m { a { der(x[i + 1]) = 1; when x[i + 1] > 1 { m = b; } } b { der(x[i + 1]) = 0; } } }
        der(y) = if m[-1] == b { 1 } else { 0 };
        when t > 0.5 { m[-1] = b; }
    }";
    // A value by index that asks for the mode, before the block.
    let by_index = "struct S {
        var x: [f64; 3] = 0; var z: [f64; 3] = 0;
        for i in 0..3 {
            let rate: [f64; 2] = |k| if m == a { k } else { 10 * k };
            modes m { a { der(x[i]) = 1; when x[i] > 1 + 0.25 * i { m = b; } } b { der(x[i]) = 0; } }
            der(z[i]) = rate[1];
        }
    }";
    for method in METHODS {
        let solution = run(system(text, "index1").as_ref(), method, 2.0);
        assert!(
            [("x[0]", 0.5), ("x[1]", 1.0), ("y", 1.5)]
                .iter()
                .all(|(name, it)| (last(&solution, name) - it).abs() <= 1e-8)
        );
        let solution = run(system(by_index, "index1").as_ref(), method, 2.0);
        assert!(
            [("z[0]", 11.0), ("z[1]", 8.75), ("z[2]", 6.5)]
                .iter()
                .all(|(name, it)| (last(&solution, name) - it).abs() <= 1e-8)
        );
    }
}
