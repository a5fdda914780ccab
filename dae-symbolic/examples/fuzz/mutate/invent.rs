//! Models made up from nothing: small, mostly well-posed, with most constructs of the language.
//!
//! In: random numbers. Out: the text of a model; whether it has an index, and which, is not known beforehand.

use std::fmt::Write;
use std::sync::LazyLock;

use dae_symbolic::expr::Function;

use crate::draw::Draw;

const NAMES: &[&str] = &["x", "y", "z", "u", "v"];
/// The names of the functions of one argument.
pub(super) static FUNCTIONS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let of_one = Function::ALL.iter().filter(|function| function.arity() == 1);
    of_one.map(|function| function.name()).collect()
});

/// A model of one of the kinds below.
pub(super) fn model(draw: &mut Draw) -> String {
    match draw.below(10) {
        0 => arrays(draw),
        1 => lagrangian(draw),
        2 => optimal_control(draw),
        3 | 4 => hybrid(draw),
        _ => scalars(draw),
    }
}

/// A number: mostly small, now and then extreme.
pub(super) fn number(draw: &mut Draw) -> String {
    match draw.below(12) {
        0 => "0".into(),
        1..5 => (1 + draw.below(4)).to_string(),
        5 | 6 => format!("0.{}", 1 + draw.below(98)),
        7 => draw.below(1000).to_string(),
        8 => format!("1e{}", draw.below(13) as i64 - 6),
        9 => format!("{}e{}", 1 + draw.below(9), draw.below(640) as i64 - 320),
        10 => format!("{} / {}", 1 + draw.below(9), 1 + draw.below(9)),
        _ => draw.pick(&["PI", "E", "0.1", "1e-8", "99999999999", "1e16"]).to_string(),
    }
}

/// An expression in some atoms, nested at most `depth` deep.
pub(super) fn expression(draw: &mut Draw, atoms: &[String], depth: usize) -> String {
    if depth == 0 || draw.once_in(4) {
        return if draw.once_in(3) { number(draw) } else { draw.pick(atoms).clone() };
    }
    let mut part = || expression(draw, atoms, depth - 1);
    let (a, b) = (part(), part());
    match draw.below(14) {
        0..3 => format!("{a} + {b}"),
        3 | 4 => format!("({a}) - ({b})"),
        5..8 => format!("({a}) * ({b})"),
        8 => format!("({a}) / ({b})"),
        9 => format!("{}({a})", draw.pick(&FUNCTIONS)),
        10 => format!("({a}).powi({})", draw.below(6) as i64 - 1),
        11 => format!("-({a})"),
        12 => format!("{}({a}, {b})", draw.pick(&["min", "max", "atan2", "hypot", "powf"])),
        _ => format!("if {} {} 0 {{ {a} }} else {{ {b} }}", draw.pick(atoms), draw.pick(&["<", ">=", ">", "<="])),
    }
}

fn start(draw: &mut Draw) -> String {
    match draw.below(5) {
        0 => String::new(),
        1 | 2 => format!(" ~ {}", number(draw)),
        3 => " = 0".into(),
        _ => format!(" = {}", number(draw)),
    }
}

/// A few unknowns, each with an equation in which it mostly occurs, and now and then other declarations.
fn scalars(draw: &mut Draw) -> String {
    let n = 1 + draw.below(4);
    let mut text = String::from("struct M {\n");
    let mut atoms: Vec<String> = NAMES[..n].iter().map(ToString::to_string).collect();
    // Each declaration is in one of `often` models on average.
    for (name, declaration, often) in [
        ("p", "param p = 2;", 2),
        ("w", "input w = sin(3 * t);", 5),
        ("w2", "input w2;", 14),
        ("k", "table k = [(0, 1), (1, 0.5), (2, 0), (3, 2)];", 10),
        ("f", "fn f(a) { a * a + 1 }", 8),
        ("g", "extern fn g(a) = code::g, der(a) = code::dg;", 20),
        ("t", "", 5),
    ] {
        if draw.once_in(often) {
            let _ = writeln!(text, "{declaration}");
            atoms.push(if matches!(name, "k" | "f" | "g") { format!("{name}(x)") } else { name.to_string() });
        }
    }
    for name in &NAMES[..n] {
        let _ = writeln!(text, "var {name}{};", start(draw));
    }
    if draw.once_in(3) {
        let body = expression(draw, &atoms, 2);
        let _ = writeln!(text, "let h = {body};");
        atoms.push("h".into());
    }
    let right = |draw: &mut Draw| {
        let depth = 1 + draw.below(3);
        expression(draw, &atoms, depth)
    };
    for i in 0..n {
        let (own, next, expression) = (NAMES[i], NAMES[draw.below(n)], right(draw));
        let equation = match draw.below(12) {
            0..5 => format!("der({own}) = {expression}"),
            5 => format!("der({own}, 2) = {expression}"),
            6 => format!("der({own}) + {} * der({next}) = {expression}", number(draw)),
            7 => format!("{own} = {expression}"),
            8 => format!("0 = {own} + {expression}"),
            9 => format!("0 = {next} * {next} + {expression}"),
            10 => format!("{own} = {next}"),
            _ => format!("({}) * der({next}) = {expression}", right(draw)),
        };
        let _ = writeln!(text, "{equation};");
    }
    text + "}"
}

/// A condition of an event.
pub(super) fn condition(draw: &mut Draw, atoms: &[String]) -> String {
    match draw.below(8) {
        0 => format!("sample({})", number(draw)),
        1 => format!("sample({}, {})", number(draw), number(draw)),
        2 => format!("t {} {}", draw.pick(&[">", ">=", "<"]), number(draw)),
        3 => format!("{} && {} < {}", condition_on(draw, atoms), draw.pick(atoms), number(draw)),
        4 => format!("{} || !({})", condition_on(draw, atoms), condition_on(draw, atoms)),
        _ => condition_on(draw, atoms),
    }
}

fn condition_on(draw: &mut Draw, atoms: &[String]) -> String {
    let depth = draw.below(3);
    format!("{} {} {}", expression(draw, atoms, depth), draw.pick(&["<", ">", ">=", "<="]), expression(draw, atoms, 0))
}

/// What happens at an event: new values of some names, notes, and these other statements.
pub(super) fn reactions(draw: &mut Draw, atoms: &[String], others: &[&str]) -> String {
    let mut text = String::new();
    for _ in 0..1 + draw.below(2) {
        let name = draw.pick(atoms);
        let statement = match draw.below(8) {
            0 => format!("{name} = pre({name}) + 1;"),
            1 => format!("{name} = hold({});", draw.pick(atoms)),
            2 => format!("{name} = -{} * pre({name});", number(draw)),
            3 => format!("{name} = {};", expression(draw, atoms, 1)),
            4 => "note \"here\";".into(),
            5 => draw.pick(&["terminate \"over\";", "inelastic;", "limit { note \"often\"; }"]).to_string(),
            _ if others.is_empty() => format!("{name} = {};", number(draw)),
            _ => draw.pick(others).to_string(),
        };
        text += &statement;
        text.push(' ');
    }
    text
}

/// States in a loop that switch one by one.
fn switches(draw: &mut Draw, given: &[String]) -> String {
    let [slope, bound] = [expression(draw, given, 1), expression(draw, given, 1)];
    let [asked, left] =
        [draw.pick(&["s == c", "s[0] == d", "s[i] == c", "s[1 - i] == d"]), draw.pick(&["s", "s[i]", "s[1 - i]"])];
    let outside = draw.pick(&["s[0] = d;", "s[1] = c;", "s = d;", "s[2] = c;"]);
    format!(
        "var z: [f64; 2] = 0;\nfor i in 0..2 {{ modes s {{\nc {{ der(z[i]) = {slope}; when z[i] > i + 1 {{ {left} = d; }} }}\n\
         d {{ der(z[i]) = if {asked} {{ -1 }} else {{ {bound} }}; when z[i] < 0 {{ s = c; }} }}\n}} }}\n\
         when {} {{ {outside} }}\n",
        condition(draw, given)
    )
}

/// Two states and a force, in two modes or between the two of an ideal diode, with events, a discrete variable and
/// equations for the start.
fn hybrid(draw: &mut Draw) -> String {
    let list = |names: &[&str]| -> Vec<String> { names.iter().map(ToString::to_string).collect() };
    let (states, all) = (list(&["x", "y"]), list(&["x", "y", "n", "t", "floor(x)", "p", "pre(n)"]));
    let given = list(&["x", "y", "n", "t", "p"]);
    let mut text = format!(
        "struct M {{\nparam p = 2;\ndiscrete n = {};\nvar x{};\nvar y{};\nvar f;\nder(x) = {} + f;\nder(y) = {};\n",
        number(draw),
        start(draw),
        start(draw),
        expression(draw, &given, 2),
        expression(draw, &given, 2),
    );
    for _ in 0..draw.below(3) {
        let (when, what) = (condition(draw, &given), reactions(draw, &list(&["n", "n", "x"]), &[]));
        let _ = writeln!(text, "when {when} {{ {what}}}");
    }
    if draw.once_in(3) {
        let left = draw.pick(&["x", "der(x)", "x + y", "f"]);
        let _ = writeln!(text, "initial {{ {left} = {}; }}", expression(draw, &given, 1));
    }
    if draw.once_in(4) {
        return text + &format!("var v;\nv = {};\ncomplementary c(f, v);\n}}", expression(draw, &given, 2));
    }
    if draw.once_in(4) {
        text += &switches(draw, &given);
    }
    text += "modes m {\n";
    for name in ["a", "b"] {
        let law = match draw.below(6) {
            0 => "f = 0".into(),
            1 => format!("x = {}", expression(draw, &states[1..], 1)),
            2 => format!("der(x) = {}", expression(draw, &given, 1)),
            3 => format!("y = {}", number(draw)),
            4 => format!("f = if m == a {{ {} }} else {{ x }}", expression(draw, &states, 1)),
            _ => format!("f = {}", expression(draw, &all, 2)),
        };
        let other = if name == "a" { "m = b;" } else { "m = a;" };
        let (when, what) =
            (condition(draw, &given), reactions(draw, &list(&["n", "x", "y"]), &[other, other, "m = a;"]));
        let law_of_jumps = draw.pick(&["", "", "inelastic;"]);
        let _ = writeln!(text, "{name} {{ {law}; when {when} {{ {other} {law_of_jumps} }} }}");
        if draw.once_in(3) {
            let place = text.trim_end().len() - 1;
            text.insert_str(place, &format!("when {} {{ {what}}} ", condition(draw, &given)));
        }
    }
    text + "}\n}"
}

/// An array whose members depend on their neighbours, and a scalar.
fn arrays(draw: &mut Draw) -> String {
    let n = 1 + draw.below(5);
    let list = |names: &[&str]| -> Vec<String> { names.iter().map(ToString::to_string).collect() };
    let (inner, depth) =
        (list(&["q[i]", "q[i - 1]", "q[i + 1]", "p[i]", "y", "i", "t", "sum(j in 0..N => q[j])"]), 1 + draw.below(2));
    let outer = list(&["q[0]", "q[N - 1]", "y", "p[0]", "norm(q)", "sum(j in 0..N => p[j] * q[j])"]);
    let starts = draw.pick(&["", " = 0", " ~ 1", " ~ |i| i / N", " = |i| sin(i)"]);
    let family = match draw.below(4) {
        0 => format!("q[i] = {}", expression(draw, &inner, depth)),
        1 => format!("0 = q[i] - {}", expression(draw, &inner, depth)),
        _ => format!("der(q[i]) = {}", expression(draw, &inner, depth)),
    };
    let (first, last) = (expression(draw, &outer, depth), expression(draw, &outer, depth));
    let rate = draw.pick(&["der(q[0])", "q[0]", "der(q[N - 1])"]);
    let scalar = draw.pick(&["der(y)", "y", "0"]);
    let own = expression(draw, &outer, depth);
    format!(
        "struct M {{\nconst N = {n};\nparam p: [f64; N] = |i| 1 + i;\nvar q: [f64; N]{starts};\nvar y ~ 1;\nfn norm(v: [f64; N]) {{ sum(k in 0..N => v[k] * v[k]) }}\n\
         for i in 1..N - 1 {{ {family}; }}\n{rate} = {first};\nq[N - 1] = {last};\n{scalar} = {own};\n}}"
    )
}

/// A Lagrangian in two coordinates with a constraint.
fn lagrangian(draw: &mut Draw) -> String {
    let list = |names: &[&str]| -> Vec<String> { names.iter().map(ToString::to_string).collect() };
    let rates = list(&["der(x)", "der(y)", "x", "der(x) * der(y)"]);
    let places = list(&["x", "y", "x * y", "t", "m"]);
    let extra = if draw.once_in(3) { expression(draw, &rates, 2) } else { "0".into() };
    let potential = expression(draw, &places, 2);
    let constraint = match draw.below(3) {
        0 => format!("constraint(l) {} = 1;", expression(draw, &places, 2)),
        1 => "constraint(l) x.powi(2) + y.powi(2) = 1;".into(),
        _ => "constraint(l) y = x.powi(2);".into(),
    };
    let force = if draw.once_in(3) { format!("force(x) = {};", expression(draw, &rates, 2)) } else { String::new() };
    let loss = if draw.once_in(4) { "dissipation = der(y).powi(2) / 9;" } else { "" };
    format!(
        "struct M {{\nparam m = 1;\nvar x{};\nvar y{};\nvar l;\nlagrangian {{\ncoordinates x, y;\nkinetic = m / 2 * (der(x).powi(2) + der(y).powi(2)) + {extra};\n\
         potential = {potential};\n{constraint}\n{force}\n{loss}\n}}\n}}",
        start(draw),
        start(draw)
    )
}

/// An optimal-control problem with one state and one control.
fn optimal_control(draw: &mut Draw) -> String {
    let atoms: Vec<String> = ["y", "u", "t", "u * u"].map(String::from).to_vec();
    let (dynamics, cost) = (expression(draw, &atoms, 2), expression(draw, &atoms, 2));
    let terminal = if draw.once_in(3) {
        format!("terminal_cost = {};", expression(draw, &["y".into()], 2))
    } else {
        String::new()
    };
    format!(
        "struct M {{\nvar y = 1;\nvar v;\nvar u{};\noptimal_control {{\nstates y;\nadjoints v;\ncontrols u;\nder(y) = {dynamics} + u;\n\
         running_cost = {cost} + u.powi(2);\n{terminal}\nhorizon(0, {});\n}}\n}}",
        start(draw),
        number(draw)
    )
}
