//! Systems with piecewise functions whose solutions are integrals or known in closed form.
//!
//! In: random numbers. Out: the text of a model, and values of unknowns at the end.

use std::f64::consts::PI;
use std::rc::Rc;

use crate::function::Piecewise;
use crate::quadrature::{Function, integral};
use crate::random::Random;

pub(crate) struct System {
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    pub(crate) end: f64,
    pub(crate) exact: Vec<(&'static str, f64)>,
}

/// The argument of a piecewise function, as a function of time.
struct Clock {
    name: &'static str,
    text: &'static str,
    value: fn(f64) -> f64,
}

/// The last one turns around at $x = 10$, which is not before the end.
const CLOCKS: [Clock; 4] = [
    Clock { name: "x", text: "var x = 0; der(x) = 1;", value: |t| t },
    Clock { name: "x", text: "var x = 10; der(x) = -x / 4;", value: |t| 10.0 * (-t / 4.0).exp() },
    Clock { name: "t", text: "", value: |t| t },
    Clock { name: "x", text: "var x = 0; var w = 2; der(x) = w; der(w) = -0.2;", value: |t| t * (2.0 - 0.1 * t) },
];

impl System {
    pub(crate) fn draw(random: &mut Random) -> System {
        match random.below(8) {
            0 => bang_bang(random),
            1 => bilinear_spring(random),
            2 => falling_towards(random),
            _ => driven(random),
        }
    }
}

/// A model driven by a piecewise function of a clock.
fn driven(random: &mut Random) -> System {
    let clock = &CLOCKS[random.below(CLOCKS.len())];
    let mut function = Piecewise::draw(random, clock.name);
    if random.below(4) == 0 {
        function = function.plus(Piecewise::draw(random, clock.name));
    }
    let end = random.between(9.0, 10.0);
    let at = clock.value;
    let on_clock = |f: &Rc<dyn Fn(f64) -> f64>| -> Function {
        let f = f.clone();
        Box::new(move |t| f(at(t)))
    };
    let switches: Vec<Function> = function.switches.iter().map(on_clock).collect();
    let f = on_clock(&function.value);
    let (rate, what) = (random.between(0.1, 3.0), function.text);
    let (kind, text, v) = match random.below(4) {
        0 => ("integral", format!("var v = 0; der(v) = {what};"), integral(&f, &switches, end)),
        1 => {
            let decayed = |t: f64| (-rate * (end - t)).exp() * f(t);
            let text = format!("var v = 0; der(v) = -{rate} * v + ({what});");
            ("decay", text, integral(&decayed, &switches, end))
        }
        2 => ("algebraic", format!("var v = 0; var y; y = {what}; der(v) = y;"), integral(&f, &switches, end)),
        _ => {
            // Two masses joined by a rigid rod.
            let text = format!("var v = 0; var u; var force; der(v) = 2 * ({what}) - force; der(u) = force; u = v;");
            ("rod", text, integral(&f, &switches, end))
        }
    };
    System { kind, text: format!("struct M {{ {} {text} }}", clock.text), end, exact: vec![("v", v)] }
}

/// $x'' = -a \operatorname{sign} x$: the solution consists of parabolas.
fn bang_bang(random: &mut Random) -> System {
    let (a, x0) = (random.between(0.5, 4.0), random.between(0.2, 2.0));
    let quarter = (2.0 * x0 / a).sqrt();
    let quarters = random.between(0.3, 7.7);
    let end = quarters * quarter;
    // In units of quarter periods, from a zero: the top is at 1, the bottom at 3.
    let phase = (quarters + 1.0) % 4.0;
    let parabola = |s: f64| x0 * (1.0 - (s - 1.0).powi(2));
    let x = if phase < 2.0 { parabola(phase) } else { -parabola(phase - 2.0) };
    let text = format!("struct M {{ var x = {x0}; var v = 0; der(x) = v; der(v) = -{a} * signum(x); }}");
    System { kind: "bang-bang", text, end, exact: vec![("x", x)] }
}

/// A spring that is stiffer on one side.
fn bilinear_spring(random: &mut Random) -> System {
    let (k, l, v0) = (random.between(0.5, 3.0), random.between(3.0, 60.0), random.between(0.5, 2.0));
    let (half, other) = (PI / k, PI / l);
    let end = random.between(0.2, 2.9) * (half + other);
    let phase = end % (half + other);
    let (x, v) = if phase < half {
        (v0 / k * (k * phase).sin(), v0 * (k * phase).cos())
    } else {
        let s = l * (phase - half);
        (-v0 / l * s.sin(), -v0 * s.cos())
    };
    let text = format!(
        "struct M {{ var x = 0; var v = {v0}; der(x) = v; der(v) = -{k} * {k} * max(x, 0) - {l} * {l} * min(x, 0); }}"
    );
    System { kind: "spring", text, end, exact: vec![("x", x), ("v", v)] }
}

/// A slope that changes where the unknown passes two levels, which may be close together.
fn falling_towards(random: &mut Random) -> System {
    let (c, gap) = (random.between(0.5, 2.0), *random.choose(&[0.001, 0.02, 0.5]));
    let (fast, slow) = (random.between(1.0, 3.0), random.between(0.2, 0.9));
    // x falls from 3, slowly between the levels.
    let (reached, left) = ((3.0 - c) / fast, (3.0 - c) / fast + gap / slow);
    let end = left + random.between(0.1, 1.0);
    let x = c - gap - fast * (end - left);
    let lower = c - gap;
    let text =
        format!("struct M {{ var x = 3; der(x) = -(if x > {lower} && x < {c} {{ {slow} }} else {{ {fast} }}); }}");
    assert!(reached < left);
    System { kind: "levels", text, end, exact: vec![("x", x)] }
}
