//! Small systems whose index and degrees of freedom depend on whether one coefficient is zero.
//!
//! In: a [`Coefficient`]. Out: a system that contains it at a [`Place`], for example as a leading coefficient or in an
//! algebraic loop, with its equations in random order, and the truth, which depends on whether it vanishes.

use crate::case::{Case, Truth};
use crate::coefficients::{Coefficient, identity, tiny};
use crate::random::Random;

/// The quantity of which the coefficients are functions.
#[derive(Clone, Debug)]
pub(crate) struct Quantity {
    /// Declarations.
    pub(crate) declarations: Vec<String>,
    /// Equations that determine it.
    pub(crate) equations: Vec<String>,
    /// Degrees of freedom of these equations.
    pub(crate) degrees: usize,
    /// The name by which coefficients refer to it.
    pub(crate) name: &'static str,
}

impl Quantity {
    /// A state that decays from a value between 0.3 and 0.65; at times a parameter in this range takes its place as the
    /// argument of coefficients.
    pub(crate) fn random(random: &mut Random) -> Self {
        let start = random.between(30, 65);
        let rate = *random.choose(&["-y", "-y/3", "-y/10", "-2*y"]);
        let mut declarations = vec![format!("var y = 0.{start};")];
        let parameter = random.once_in(3);
        if parameter {
            declarations.push(format!("param p = 0.{};", random.between(30, 65)));
        }
        Quantity {
            declarations,
            equations: vec![format!("der(y) = {rate};")],
            degrees: 1,
            name: if parameter { "p" } else { "y" },
        }
    }
}

/// The places at which a system can contain a coefficient $c$.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// $c\,w' + w = y$.
    Leading,
    /// $a' = z$, $a = 1 + t + c z$.
    Loop,
    /// Masses $\begin{pmatrix} 1 & 1 \\ 1 & 1 + c \end{pmatrix}$.
    Mass,
    /// $a = \sin t$, $b = y + c\,a'$, $z = b'$.
    OffDiagonal,
    /// $a = \sin t$, $y b = \cos t + c\,a'$, $z = y b'$.
    Product,
    /// $x = y$ and $\sin x = \sin y$ beside $c\,w' + w = y$.
    Redundant,
    /// $x = y$ and $\sin x = \sin y$ beside $c\,v + w = y$ with $v = w'$.
    RedundantLoop,
    /// $w' = c v$, $w = y + \sin t$.
    Control,
    /// $a + b = \cos t$, $a + (1 + c) b = \sin t$.
    Algebraic,
}

const PLACES: [Place; 9] = [
    Place::Leading,
    Place::Loop,
    Place::Mass,
    Place::OffDiagonal,
    Place::Product,
    Place::Redundant,
    Place::RedundantLoop,
    Place::Control,
    Place::Algebraic,
];

impl Place {
    /// A place at which the system has an index: not `Control` or `Algebraic` if the coefficient vanishes.
    pub(crate) fn random(random: &mut Random, vanishes: bool) -> Self {
        PLACES[random.below(if vanishes { 7 } else { 9 })]
    }

    fn declarations(self) -> &'static [&'static str] {
        match self {
            Place::Leading => &["var w ~ 0.5;"],
            Place::Loop => &["var a ~ 1;", "var z ~ 0.2;"],
            Place::Mass => &["var a ~ 1;", "var b ~ 0.2;"],
            Place::OffDiagonal | Place::Product => &["var a;", "var b;", "var z;"],
            Place::Redundant => &["var x ~ 0.5;", "var w ~ 0.5;"],
            Place::RedundantLoop => &["var x ~ 0.5;", "var w ~ 0.5;", "var v;"],
            Place::Control => &["var w ~ 0.5;", "var v;"],
            Place::Algebraic => &["var a ~ 1;", "var b ~ 0.2;"],
        }
    }

    fn equations(self, c: &str) -> Vec<String> {
        let lines: &[String] = &match self {
            Place::Leading => vec![format!("{c}*der(w) + w = y;")],
            Place::Loop => vec!["der(a) = z;".into(), format!("a = 1 + t + {c}*z;")],
            Place::Mass => vec!["der(a) + der(b) = -a;".into(), format!("der(a) + (1 + {c})*der(b) = -b;")],
            Place::OffDiagonal => {
                vec!["0 = a - sin(t);".into(), format!("b = y + {c}*der(a);"), "z = der(b);".into()]
            }
            Place::Product => {
                vec!["a = sin(t);".into(), format!("b*y = cos(t) + {c}*der(a);"), "z = der(b)*y;".into()]
            }
            Place::Redundant => {
                vec!["x = y;".into(), "sin(x) = sin(y);".into(), format!("{c}*der(w) + w = y;")]
            }
            Place::RedundantLoop => {
                vec!["x = y;".into(), "sin(x) = sin(y);".into(), format!("{c}*v + w = y;"), "der(w) = v;".into()]
            }
            Place::Control => vec![format!("der(w) = {c}*v;"), "w = y + sin(t);".into()],
            Place::Algebraic => vec!["a + b = cos(t);".into(), format!("a + (1 + {c})*b = sin(t);")],
        };
        lines.to_vec()
    }

    /// Index, and degrees of freedom in addition to those of the quantity.
    fn truth(self, vanishes: bool) -> (u32, usize) {
        match (self, vanishes) {
            (Place::Leading, true) => (1, 0),
            (Place::Leading, false) => (0, 1),
            (Place::Loop, true) => (2, 0),
            (Place::Loop, false) => (1, 1),
            (Place::Mass, true) => (1, 1),
            (Place::Mass, false) => (0, 2),
            (Place::OffDiagonal | Place::Product, true) => (2, 0),
            (Place::OffDiagonal | Place::Product, false) => (3, 0),
            (Place::Redundant, true) => (1, 0),
            (Place::Redundant, false) => (1, 1),
            (Place::RedundantLoop, true) => (2, 0),
            (Place::RedundantLoop, false) => (1, 1),
            (Place::Control, _) => (2, 0),
            (Place::Algebraic, _) => (1, 0),
        }
    }

    /// The system with the coefficient at this place.
    pub(crate) fn case(self, random: &mut Random, quantity: &Quantity, coefficient: &Coefficient) -> Case {
        let mut lines = quantity.declarations.clone();
        lines.extend(self.declarations().iter().map(|&line| line.to_string()));
        let mut equations = quantity.equations.clone();
        equations.extend(self.equations(&coefficient.text));
        random.shuffle(&mut equations);
        lines.extend(equations);
        let (index, degrees) = self.truth(coefficient.vanishes);
        Case::new(&lines, 0.0, Truth::WellPosed { index, degrees: degrees + quantity.degrees })
    }
}

/// The coefficient; if it depends on no state, it becomes the default of a parameter in one of three cases.
fn named(random: &mut Random, quantity: &mut Quantity, coefficient: Coefficient) -> Coefficient {
    let is_constant = quantity.name == "p";
    if !is_constant || !random.once_in(3) {
        return coefficient;
    }
    quantity.declarations.push(format!("param c = {};", coefficient.text));
    Coefficient { text: "c".into(), ..coefficient }
}

fn planted(random: &mut Random, draw: impl Fn(&mut Random, &str) -> Coefficient) -> Case {
    let mut quantity = Quantity::random(random);
    let coefficient = draw(random, quantity.name);
    let coefficient = named(random, &mut quantity, coefficient);
    Place::random(random, coefficient.vanishes).case(random, &quantity, &coefficient)
}

/// Systems with coefficients that vanish by an identity.
pub(crate) fn identities(random: &mut Random) -> Case {
    planted(random, identity)
}

/// Systems with coefficients that vanish by an identity, multiplied by powers of ten.
pub(crate) fn scaled_identities(random: &mut Random) -> Case {
    planted(random, |random, x| {
        let exponent = *random.choose(&[8, 15, 30, 100]);
        identity(random, x).scaled(random, exponent)
    })
}

/// Systems with coefficients that are close to zero but vanish nowhere.
pub(crate) fn tiny_coefficients(random: &mut Random) -> Case {
    planted(random, tiny)
}

/// Systems with small multiples of elementary functions as coefficients.
pub(crate) fn small_functions(random: &mut Random) -> Case {
    planted(random, |random, x| {
        let k = random.between(3, 40);
        let function = random.choose(&["cos", "sin", "exp", "sqrt", "cosh"]);
        Coefficient::nonzero(format!("1e-{k}*{function}({x})"))
    })
}

/// Systems with coefficients of decimals that cancel exactly, though perhaps not as floating-point numbers, or that
/// differ in a late digit.
pub(crate) fn decimals(random: &mut Random) -> Case {
    let mut quantity = Quantity::random(random);
    let vanishes = random.once_in(2);
    let digits = random.between(1, 3);
    let scale = 10_usize.pow(digits as u32);
    let (q, r) = (random.between(1, 20 * scale), random.between(1, 9 * scale));
    let decimal = |n: usize| format!("{}.{:0digits$}", n / scale, n % scale);
    let off = if vanishes { String::new() } else { format!("{}1", "0".repeat(random.between(3, 40))) };
    let p = decimal(q + r) + &off;
    let (q, r) = (decimal(q), decimal(r));
    let text = match random.below(5) {
        0 => format!("{p}-{q}-{r}"),
        1 => {
            let kind = random.choose(&["param", "const"]);
            for (name, value) in [("d", &p), ("e", &q), ("f", &r)] {
                quantity.declarations.push(format!("{kind} {name} = {value};"));
            }
            "d-e-f".into()
        }
        // As a start value: the coefficient contains a state that remains constant.
        2 => {
            quantity.declarations.push(format!("var d = {p};"));
            quantity.equations.push("der(d) = 0*y;".into());
            quantity.degrees += 1;
            let places = [Place::OffDiagonal, Place::Product];
            // At other places the degrees of freedom are those of neighbouring solutions, where it does not vanish.
            let place = if vanishes { *random.choose(&places) } else { Place::random(random, false) };
            let coefficient = Coefficient { text: format!("(d-{q}-{r})"), vanishes };
            return place.case(random, &quantity, &coefficient);
        }
        3 => format!("y*{p}-{q}*y-{r}*y"),
        _ => format!("{q}*{r}-{}", exact_product(&q, &r, digits, &off)),
    };
    let coefficient = Coefficient { text: format!("({text})"), vanishes };
    Place::random(random, vanishes).case(random, &quantity, &coefficient)
}

/// The exact product of two numbers with `digits` decimals, followed by the digits `off`.
fn exact_product(q: &str, r: &str, digits: usize, off: &str) -> String {
    let whole = |text: &str| text.replace('.', "").parse::<u64>().unwrap_or_default();
    let (product, scale) = (whole(q) * whole(r), 10_u64.pow(2 * digits as u32));
    format!("{}.{:0width$}{off}", product / scale, product % scale, width = 2 * digits)
}
