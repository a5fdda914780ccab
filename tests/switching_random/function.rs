//! Piecewise functions of one variable.
//!
//! In: random numbers. Out: a function as text and as a closure, with the functions at whose zeros it is not smooth.

use std::rc::Rc;

use crate::random::Random;

type Value = Rc<dyn Fn(f64) -> f64>;

/// A function of `x` between 0 and 10: text, value, and the functions at whose zeros it is not smooth.
#[derive(Clone)]
pub(crate) struct Piecewise {
    pub(crate) text: String,
    pub(crate) value: Value,
    pub(crate) switches: Vec<Value>,
}

impl Piecewise {
    fn new(text: String, value: impl Fn(f64) -> f64 + 'static, switches: Vec<Value>) -> Self {
        Piecewise { text, value: Rc::new(value), switches }
    }

    /// A function of one of many kinds; `x` is the name of the variable in the text.
    pub(crate) fn draw(random: &mut Random, x: &str) -> Piecewise {
        match random.below(9) {
            0 => window(random, x),
            1 => comb(random, x),
            2 => bumps(random, x),
            3 => bell(random, x),
            4 => hat(random, x),
            5 | 6 => chain(random, x),
            7 => product(random, x),
            _ => nested(random, x),
        }
    }

    pub(crate) fn plus(self, other: Piecewise) -> Piecewise {
        let (a, b) = (self.value, other.value);
        let text = format!("({}) + ({})", self.text, other.text);
        let switches = self.switches.into_iter().chain(other.switches).collect();
        Piecewise::new(text, move |x| a(x) + b(x), switches)
    }
}

/// The centre and the half-width of a window, which begins at zero in one of five cases.
fn place(random: &mut Random) -> (f64, f64) {
    let w = *random.choose(&[0.01, 0.05, 0.25, 1.0]);
    let c = if random.below(5) == 0 { w } else { random.between(1.1, 8.9) };
    (c, w)
}

fn window(random: &mut Random, x: &str) -> Piecewise {
    let ((c, w), height) = (place(random), random.between(-3.0, 3.0));
    let inside = move |x: f64| w - (x - c).abs();
    let value = move |x: f64| if inside(x) > 0.0 { height } else { 1.0 };
    Piecewise::new(
        format!("if abs({x} - {c}) < {w} {{ {height} }} else {{ 1 }}"),
        value,
        vec![Rc::new(inside), Rc::new(move |x| x - c)],
    )
}

fn comb(random: &mut Random, x: &str) -> Piecewise {
    let (k, level) = (random.between(2.0, 60.0), random.between(-0.8, 0.8));
    let above = move |x: f64| (k * x).sin() - level;
    let value = move |x: f64| if above(x) > 0.0 { 1.0 } else { -0.5 };
    Piecewise::new(format!("if sin({k} * {x}) > {level} {{ 1 }} else {{ -0.5 }}"), value, vec![Rc::new(above)])
}

fn bumps(random: &mut Random, x: &str) -> Piecewise {
    let (k, level) = (random.between(2.0, 40.0), random.between(0.0, 0.95));
    let above = move |x: f64| (k * x).sin() - level;
    let text = format!("10 * max(0, sin({k} * {x}) - {level})");
    Piecewise::new(text, move |x| 10.0 * above(x).max(0.0), vec![Rc::new(above)])
}

fn bell(random: &mut Random, x: &str) -> Piecewise {
    let (c, w) = place(random);
    let inside = move |x: f64| f64::exp(-((x - c) / w).powi(2)) - 0.5;
    let value = move |x: f64| if inside(x) > 0.0 { 2.0 } else { 0.0 };
    Piecewise::new(
        format!("if exp(-(({x} - {c}) / {w}).powi(2)) > 0.5 {{ 2 }} else {{ 0 }}"),
        value,
        vec![Rc::new(inside)],
    )
}

fn hat(random: &mut Random, x: &str) -> Piecewise {
    let (c, w) = place(random);
    let inside = move |x: f64| 1.0 - (x - c).abs() / w;
    Piecewise::new(
        format!("5 * max(0, 1 - abs({x} - {c}) / {w})"),
        move |x| 5.0 * inside(x).max(0.0),
        vec![Rc::new(inside), Rc::new(move |x| x - c)],
    )
}

fn product(random: &mut Random, x: &str) -> Piecewise {
    let (c, w) = place(random);
    let outside = move |x: f64| (x - c) * (x - c - w);
    let value = move |x: f64| if outside(x) < 0.0 { 3.0 } else { 0.0 };
    let text = format!("if ({x} - {c}) * ({x} - {c} - {w}) < 0 {{ 3 }} else {{ 0 }}");
    Piecewise::new(text, value, vec![Rc::new(outside)])
}

fn nested(random: &mut Random, x: &str) -> Piecewise {
    let ((c, w), (k, d)) = (place(random), (random.between(1.0, 20.0), random.between(1.0, 9.0)));
    let inside = move |x: f64| w - (x - c).abs();
    let value = move |x: f64| if inside(x) > 0.0 { (k * x).sin().abs() } else { (x - d).max(0.0) };
    Piecewise::new(
        format!("if abs({x} - {c}) < {w} {{ abs(sin({k} * {x})) }} else {{ max(0, {x} - {d}) }}"),
        value,
        vec![Rc::new(inside), Rc::new(move |x| x - c), Rc::new(move |x| (k * x).sin()), Rc::new(move |x| x - d)],
    )
}

/// Two or three of `abs`, `min`, `max` and `signum`, applied to lines one after another.
fn chain(random: &mut Random, x: &str) -> Piecewise {
    let line = |random: &mut Random| {
        let c = if random.below(6) == 0 { 0.0 } else { random.between(0.5, 9.5) };
        Piecewise::new(format!("({x} - {c})"), move |x| x - c, Vec::new())
    };
    let mut all = line(random);
    for _ in 0..2 + random.below(2) {
        let (f, text) = (all.value.clone(), all.text.clone());
        let other = line(random);
        let g = other.value.clone();
        let difference: Value = {
            let (f, g) = (f.clone(), g.clone());
            Rc::new(move |x| f(x) + g(x))
        };
        let mut switches = all.switches.clone();
        let of = other.text;
        all = match random.below(4) {
            0 => {
                switches.push(f.clone());
                Piecewise::new(format!("abs({text})"), move |x| f(x).abs(), switches)
            }
            1 => {
                switches.push(difference);
                Piecewise::new(format!("min({text}, -{of})"), move |x| f(x).min(-g(x)), switches)
            }
            2 => {
                switches.push(difference);
                Piecewise::new(format!("max({text}, -{of})"), move |x| f(x).max(-g(x)), switches)
            }
            _ => {
                switches.push(f.clone());
                let sign = move |v: f64| if v > 0.0 { 1.0 } else { -1.0 };
                Piecewise::new(format!("({of} + 2 * signum({text}))"), move |x| g(x) + 2.0 * sign(f(x)), switches)
            }
        };
    }
    all
}
