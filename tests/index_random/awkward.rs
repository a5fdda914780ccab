//! Invariants of the solution, starts on a switch, tables, units, and families with parameters at the edges of their
//! ranges.
//!
//! In: random numbers. Out: systems whose index follows from an argument, not from a computation; the argument is given
//! beside each of them.

use crate::case::{Case, Truth};
use crate::coefficients::Coefficient;
use crate::planted::{Place, Quantity};
use crate::random::Random;

fn well_posed(lines: &[String], index: u32, degrees: usize) -> Case {
    Case::new(lines, 0.0, Truth::WellPosed { index, degrees })
}

fn shuffled(random: &mut Random, declarations: &[String], equations: &[String]) -> Vec<String> {
    let mut equations = equations.to_vec();
    random.shuffle(&mut equations);
    [declarations, &equations].concat()
}

/// Decimals whose squares add up to one.
const CIRCLE: [(&str, &str); 4] = [("0.6", "0.8"), ("0.28", "0.96"), ("0.352", "0.936"), ("-0.8", "0.6")];

/// A coefficient that is zero along the solution from these start values but not along others, or is nonzero because of
/// a late digit of a start value. It stands where it affects the index, but not the degrees of freedom.
pub(crate) fn invariants(random: &mut Random) -> Case {
    let vanishes = !random.once_in(3);
    let off = if vanishes { String::new() } else { format!("{}1", "0".repeat(random.between(4, 40))) };
    let n = random.between(2, 9);
    let own = |lines: &[&str]| lines.iter().map(|line| line.to_string()).collect::<Vec<_>>();
    let (mut declarations, mut equations, text, degrees): (Vec<String>, Vec<String>, String, usize) =
        match random.below(6) {
            0 => {
                let (p, q) = random.choose(&CIRCLE);
                let start = [format!("var p = {p};"), format!("var q = {q}{off};")];
                let equations = [format!("der(p) = -{n}*q;"), format!("der(q) = {n}*p;")];
                (start.to_vec(), equations.to_vec(), "p.powi(2)+q.powi(2)-1".into(), 2)
            }
            1 => {
                let start = [format!("var p = {n}.0{off};"), "var q = 0.5;".into()];
                (start.to_vec(), own(&["der(p) = p;", "der(q) = -q;"]), format!("p*q-{n}/2"), 2)
            }
            2 => {
                let start = [format!("var p = 1.1{off};"), "var q = 0.1;".into()];
                (start.to_vec(), own(&["der(p) = y;", "der(q) = -y;"]), "p+q-1.2".into(), 2)
            }
            3 => {
                let start = vec![format!("var p = 0.0{off};")];
                (start, vec![format!("der(p) = {n};")], format!("p-{n}*t"), 1)
            }
            4 => {
                let start = [format!("var p = 0.5{off};"), "var q = 0.25;".into()];
                (start.to_vec(), own(&["der(p) = -p;", "der(q) = -2*q;"]), "p.powi(2)-q".into(), 2)
            }
            _ => {
                let start = [format!("var p = 0.2{off};"), "var q = 0.0;".into()];
                let equations = ["der(p) = q;".to_string(), format!("der(q) = -{}*p;", n * n)];
                let energy = format!("q.powi(2)+{}*p.powi(2)-0.04*{}", n * n, n * n);
                (start.to_vec(), equations.to_vec(), energy, 2)
            }
        };
    let factor = if random.once_in(2) { format!("1e{}*", random.between(1, 12)) } else { String::new() };
    declarations.push(format!("var y = 0.{};", random.between(30, 65)));
    equations.push("der(y) = -y;".into());
    let quantity = Quantity { declarations, equations, degrees: degrees + 1, name: "y" };
    let place = *random.choose(&[Place::OffDiagonal, Place::Product]);
    let coefficient = Coefficient { text: format!("({factor}({text}))"), vanishes };
    place.case(random, &quantity, &coefficient)
}

/// The start lies on a switch of a coefficient, which vanishes on both sides of it, on one, or on none. If it vanishes
/// on one side only, the index after the start differs from that before, and only the index after it may be stated.
pub(crate) fn switches(random: &mut Random) -> Case {
    let mut quantity = Quantity::random(random);
    quantity.name = "y";
    let start = quantity.declarations[0].trim_start_matches("var y = ").trim_end_matches(';').to_string();
    let (before, behind) = (random.between(0, 1), random.between(0, 1));
    let value = |n: usize, random: &mut Random| match (n, random.below(3)) {
        (0, 0) => "0".to_string(),
        (0, _) => "sin(y).powi(2)+cos(y).powi(2)-1".to_string(),
        (_, 0) => format!("{}", random.between(1, 9)),
        (_, 1) => "1e-20".to_string(),
        _ => "2+cos(y)".to_string(),
    };
    let (first, second) = (value(before, random), value(behind, random));
    // y decreases and t increases, so that `second` is valid after the start.
    let text = match random.below(5) {
        0 => format!("if y < {start} {{ {second} }} else {{ {first} }}"),
        1 => format!("if y > {start} {{ {first} }} else {{ {second} }}"),
        2 => format!("if t > 0 {{ {second} }} else {{ {first} }}"),
        3 if behind == 0 => format!("abs(y-{start})-{start}+y"),
        3 => format!("{}+abs(y-{start})", random.between(1, 9)),
        _ if behind == 0 => format!("max(y,{start})-{start}"),
        _ => format!("2+max(y,{start})-min(y,{start})"),
    };
    let coefficient = Coefficient { text: format!("({text})"), vanishes: behind == 0 };
    // At other places, start values that are consistent on one side are not consistent on the other.
    let places = [Place::OffDiagonal, Place::Product, Place::Leading, Place::Loop];
    let place = *random.choose(&places);
    place.case(random, &quantity, &coefficient)
}

/// A table of a polynomial of degree at most three, which its spline reproduces, minus the polynomial: zero, unless a
/// small constant is added.
pub(crate) fn tables(random: &mut Random) -> Case {
    let mut quantity = Quantity::random(random);
    quantity.name = "y";
    let vanishes = random.once_in(2);
    let scale = 10_i64.pow(random.below(7) as u32);
    let degree = random.below(4);
    let coefficients: Vec<i64> = (0..=degree).map(|_| random.nonzero()).collect();
    let mut times: Vec<i64> = vec![-2, -1, 0, 1, 2, 3, 4, 5, 6, 7];
    if random.once_in(2) {
        // Tenths, unevenly spaced.
        times = vec![-20, -13, -5, 0, 1, 4, 9, 20, 31, 40];
    }
    let unit = if times[0] == -20 { 10 } else { 1 };
    let point = |t: i64| {
        // A thousand times the polynomial at `t / unit`, exactly.
        let value: i64 =
            (0..=degree).map(|k| coefficients[k] * t.pow(k as u32) * 10_i64.pow((3 - k) as u32)).sum::<i64>();
        let value = if unit == 10 {
            value
        } else {
            (0..=degree).map(|k| coefficients[k] * t.pow(k as u32)).sum::<i64>() * 1000
        };
        format!("({}, {})", decimal(t, unit, 1), decimal(value * scale, 1000, 3))
    };
    let points: Vec<String> = times.iter().map(|&t| point(t)).collect();
    quantity.declarations.push(format!("table mu = [{}];", points.join(", ")));
    let polynomial: Vec<String> = (0..=degree)
        .map(|k| match k {
            0 => format!("({})", coefficients[0] * scale),
            _ => format!("({})*y.powi({k})", coefficients[k] * scale),
        })
        .collect();
    let mut text = format!("mu(y)-({})", polynomial.join("+"));
    if !vanishes {
        text += &format!("+1e-{}", random.between(3, 40));
    }
    let coefficient = Coefficient { text: format!("({text})"), vanishes };
    Place::random(random, vanishes).case(random, &quantity, &coefficient)
}

/// `n / unit` as a decimal number, where `unit` is 1 or `10^digits`.
fn decimal(n: i64, unit: i64, digits: usize) -> String {
    let sign = if n < 0 { "-" } else { "" };
    let n = n.abs();
    if unit == 1 { format!("{sign}{n}") } else { format!("{sign}{}.{:0digits$}", n / unit, n % unit) }
}

/// A power of ten from `10^-limit` to `10^limit`, mostly between $10^{-20}$ and $10^{20}$.
fn power(random: &mut Random, limit: usize) -> String {
    let limit = *random.choose(&[8.min(limit), 20.min(limit), limit]);
    let sign = if random.once_in(2) { "-" } else { "" };
    format!("1e{sign}{}", random.between(3.min(limit), limit))
}

/// Systems in other units: the magnitudes of lengths, masses, gravity, rates or circuit elements affect neither the
/// index nor the degrees of freedom.
pub(crate) fn units(random: &mut Random) -> Case {
    let text = |lines: &[&str], k: &[String]| -> Vec<String> {
        let fill =
            |line: &&str| k.iter().enumerate().fold(line.to_string(), |line, (i, k)| line.replace(&format!("K{i}"), k));
        lines.iter().map(fill).collect()
    };
    let k: Vec<String> = (0..3).map(|_| power(random, 100)).collect();
    let fast = [power(random, 15)];
    let chain = ["var y = 1;", "var a;", "var b;", "var z;"];
    let pendulum = ["var v = 0;", "var f;", "der(x) = u;", "der(y) = v;", "0 = x.powi(2) + y.powi(2) - l.powi(2);"];
    match random.below(9) {
        0 => {
            let equations = ["der(y) = -y;", "a = sin(t);", "b = K0*exp(y)*der(a);", "z = der(b);"];
            well_posed(&shuffled(random, &text(&chain, &k), &text(&equations, &k)), 3, 1)
        }
        1 => {
            let equations = ["der(y) = -y;", "a = sin(t)*K0;", "b = exp(y)*der(a)*K1;", "z = der(b)*K2;"];
            // The product of three powers up to `10^±100` would be close to the limits of floating-point numbers.
            let k: Vec<String> = (0..3).map(|_| power(random, 60)).collect();
            well_posed(&shuffled(random, &text(&chain, &k), &text(&equations, &k)), 3, 1)
        }
        2 => {
            let equations = ["der(y) = -K0*y;", "a = sin(K0*t);", "b = exp(y)*der(a);", "z = der(b);"];
            well_posed(&shuffled(random, &text(&chain, &fast), &text(&equations, &fast)), 3, 1)
        }
        3 => {
            let own = ["param l = K0;", "var x ~ K0;", "var y = 0;", "var u ~ 0;"];
            let forces = ["der(u) = -f*x;", "der(v) = -f*y - 9.81;"];
            well_posed(&text(&[&own[..], &pendulum, &forces].concat(), &k), 3, 2)
        }
        4 => {
            let own = ["param m = K0;", "param l = 1;", "var x ~ 1;", "var y = 0;", "var u ~ 0;"];
            let forces = ["m*der(u) = -f*x;", "m*der(v) = -f*y - 9.81*m;"];
            well_posed(&text(&[&own[..], &pendulum, &forces].concat(), &k), 3, 2)
        }
        5 => {
            let own = ["param g = K0;", "param l = 1;", "var x = 0.6;", "var y ~ -0.8;", "var u ~ 0;"];
            let forces = ["der(u) = -f*x;", "der(v) = -f*y - g;"];
            well_posed(&text(&[&own[..], &pendulum, &forces].concat(), &k), 3, 2)
        }
        6 => {
            let lines = [
                "param C = K0;",
                "param R = K1;",
                "var v = 1;",
                "var i;",
                "var w;",
                "C*der(v) = i;",
                "w = v + R*i;",
                "w = sin(t);",
            ];
            well_posed(&text(&lines, &k), 1, 1)
        }
        7 => {
            // s is the mean of four states: an algebraic unknown, given by them.
            let lines = [
                "var x: [f64; 4] = K0;",
                "var s;",
                "for i in 0..4 { der(x[i]) = -x[i]*(i+1) + s; }",
                "s = sum(i in 0..4 => x[i])/4;",
            ];
            well_posed(&text(&lines, &k), 1, 4)
        }
        _ => {
            // Rates and masses of very different magnitudes.
            let lines =
                ["var x = 1;", "var y = K0;", "var z;", "K1*der(x) = -K2*x + z;", "der(y) = -y + x;", "K0*z = y;"];
            let k: Vec<String> = (0..3).map(|_| power(random, 30)).collect();
            well_posed(&text(&lines, &k), 1, 2)
        }
    }
}

/// Families of systems with parameters at the edges of their ranges.
pub(crate) fn edges(random: &mut Random) -> Case {
    let own = |lines: &[&str]| lines.iter().map(|line| line.to_string()).collect::<Vec<_>>();
    match random.below(8) {
        0 => {
            // Index 2 and no degrees of freedom for every eta: subtracting the derivative of the first equation from
            // the second gives y = g - f', where f and g are the right-hand sides.
            let eta = match random.below(5) {
                0 => (*random.choose(&["-1", "0", "1", "-2", "-0.5"])).to_string(),
                1 => format!("-1.{}1", "0".repeat(random.between(3, 30))),
                2 => format!("1e-{}", random.between(5, 100)),
                3 => format!("-0.{}", "9".repeat(random.between(3, 30))),
                _ => format!("{}e{}", random.nonzero(), random.between(0, 20)),
            };
            let kind = random.choose(&["param", "const"]);
            let declarations = [format!("{kind} eta = {eta};"), "var x;".into(), "var y;".into()];
            let equations = own(&["x + eta*t*y = sin(t);", "der(x) + eta*t*der(y) + (1 + eta)*y = cos(2*t);"]);
            well_posed(&shuffled(random, &declarations, &equations), 2, 0)
        }
        1 => {
            // A chain of n unknowns, each of them a multiple of the derivative of the one before; the first is
            // prescribed.
            let n = random.between(2, 6);
            let declarations: Vec<String> = (0..n).map(|k| format!("var x{k};")).collect();
            let factor = |random: &mut Random| match random.once_in(2) {
                true => String::new(),
                false => format!("1e{}{}*", if random.once_in(2) { "-" } else { "" }, random.between(3, 30)),
            };
            let mut equations: Vec<String> =
                (1..n).map(|k| format!("der(x{}) = {}x{k};", k - 1, factor(random))).collect();
            equations.push("x0 = sin(t);".into());
            well_posed(&shuffled(random, &declarations, &equations), n as u32, 0)
        }
        2 => {
            // The equation determines x until t = s, which is after the start.
            let s = *random.choose(&["1", "1e-3", "1e-9", "1e-20", "1e5"]);
            let equations = ["der(y) = x;".to_string(), format!("(t - {s})*x = y - cos(t);")];
            well_posed(&shuffled(random, &own(&["var x ~ 1;", "var y = 2;"]), &equations), 1, 1)
        }
        3 => {
            // Overdetermined but consistent; the equations contain the derivatives of both unknowns.
            let k = random.between(1, 9);
            let declarations = [format!("var x = {k};"), format!("var y ~ {k};")];
            well_posed(&shuffled(random, &declarations, &own(&["der(x) = -x;", "y = x;", "der(y) = -y;"])), 0, 1)
        }
        4 => {
            // A quasilinear system of differentiation index 1 and perturbation index 2.
            let (f, g) = (*random.choose(&["0", "sin(t)", "1e-20*t"]), *random.choose(&["0", "cos(t)", "1e20*t"]));
            let equations = ["der(a) - c*der(b) + b*der(c) = 0;".to_string(), format!("b = {f};"), format!("c = {g};")];
            well_posed(&shuffled(random, &own(&["var a = 1;", "var b;", "var c;"]), &equations), 1, 1)
        }
        5 => {
            // x is not zero, so that y = 0 and x stays at its start value.
            let x = *random.choose(&["1", "1e-9", "1e9", "1e-30"]);
            let declarations = [format!("var x = {x};"), "var y ~ 0;".into()];
            well_posed(&shuffled(random, &declarations, &own(&["x*y = 0;", "der(x) = y;"])), 1, 1)
        }
        6 => {
            // A mass matrix that is regular only because of its last digit.
            let k = random.between(5, 40);
            let lines = ["der(a) + der(b) = -a;".to_string(), format!("der(a) + 1.{}1*der(b) = -b;", "0".repeat(k))];
            well_posed(&shuffled(random, &own(&["var a = 1;", "var b = 2;"]), &lines), 0, 2)
        }
        _ => {
            // For small k, the start value y(0) = 1 seems to contradict the first equation, but that is y' = -y/k.
            let k = power(random, 100);
            let lines = [format!("0 = y + {k}*der(y);"), "x = y;".into()];
            well_posed(&shuffled(random, &own(&["var y = 1;", "var x;"]), &lines), 1, 1)
        }
    }
}
