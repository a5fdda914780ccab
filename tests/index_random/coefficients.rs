//! Coefficients that are zero without looking like it, and coefficients that look like zero but are not.
//!
//! In: random numbers, and the name of a quantity between 0.3 and 0.65. Out: texts of expressions, each with whether it
//! vanishes: either everywhere, by an identity between elementary functions, radicals, arctangents or polynomials with
//! random arguments; or nowhere, although it may be as small as $10^{-300}$, or a difference of numbers that agree in
//! more than 16 digits.

use crate::random::Random;

/// An expression, and whether it vanishes along the solution.
#[derive(Clone, Debug)]
pub(crate) struct Coefficient {
    /// The expression, in parentheses.
    pub(crate) text: String,
    /// Whether it is zero all along the solution from the start on; otherwise it is zero nowhere near the start.
    pub(crate) vanishes: bool,
}

impl Coefficient {
    pub(crate) fn zero(text: String) -> Self {
        Coefficient { text: format!("({text})"), vanishes: true }
    }

    pub(crate) fn nonzero(text: String) -> Self {
        Coefficient { text: format!("({text})"), vanishes: false }
    }

    /// The coefficient times a power of ten, from `10^-exponent` to `10^exponent`.
    pub(crate) fn scaled(self, random: &mut Random, exponent: usize) -> Self {
        let sign = if random.once_in(4) { "-" } else { "" };
        let text = format!("(1e{sign}{}*{})", random.between(1, exponent), self.text);
        Coefficient { text, ..self }
    }
}

/// An expression in `x` whose values are between 0.08 and 0.78 for `x` between 0.3, or a little less, and 0.65.
pub(crate) fn argument(random: &mut Random, x: &str) -> String {
    match random.below(10) {
        0..=3 => x.to_string(),
        4 => format!("({x}+0.{})", random.between(10, 12)),
        5 => format!("{x}/{}", random.between(2, 3)),
        6 => format!("sin({x})"),
        7 => format!("exp(-{x})"),
        8 => format!("1/(1+{x})"),
        _ => format!("sqrt({x})/{}", random.between(2, 4)),
    }
}

/// A coefficient that vanishes by an identity in the quantity `x` or between constants.
pub(crate) fn identity(random: &mut Random, x: &str) -> Coefficient {
    let u = argument(random, x);
    let one = if random.once_in(4) { of_constants(random) } else { of_argument(random, &u, x) };
    let text = match random.below(8) {
        // Sums and multiples of expressions that vanish.
        0 => format!("{one}+{}*({})", random.between(2, 9), of_argument(random, &u, x)),
        1 => format!("({one})*exp({x})"),
        2 => format!("({one})/(2+cos({u}))"),
        _ => one,
    };
    Coefficient::zero(text)
}

/// An expression that vanishes identically, in the argument `u` between 0.08 and 0.78 and in others that are functions
/// of `x`.
fn of_argument(random: &mut Random, u: &str, x: &str) -> String {
    let n = random.between(2, 9);
    let v = argument(random, x);
    match random.below(34) {
        0 => format!("sin({u}).powi(2)+cos({u}).powi(2)-1"),
        1 => format!("ln(exp({u}))-({u})"),
        2 => format!("exp(ln({u}))-({u})"),
        3 => format!("sqrt(({u}).powi(2))-({u})"),
        4 => format!("cosh({u}).powi(2)-sinh({u}).powi(2)-1"),
        5 => format!("asinh({u})-ln({u}+sqrt(({u}).powi(2)+1))"),
        6 => format!("acosh({u}+{n})-ln({u}+{n}+sqrt(({u}+{n}).powi(2)-1))"),
        7 => format!("ln({}*({u}))-ln({n})-ln(3)-ln({u})", 3 * n),
        8 => format!("log10({u})*ln(10)-ln({u})"),
        9 => format!("({u}).powf(PI)-exp(PI*ln({u}))"),
        10 => format!("exp_m1({u})-exp({u})+1"),
        11 => format!("ln_1p({u})-ln(1+{u})"),
        12 => format!("sin(3*({u}))-3*sin({u})+4*sin({u}).powi(3)"),
        13 => format!("cos(3*({u}))-4*cos({u}).powi(3)+3*cos({u})"),
        14 => format!("sin(asin({u}))-({u})"),
        15 => format!("cos(asin({u}))-sqrt(1-({u}).powi(2))"),
        16 => format!("sin(atan({u}))-({u})/sqrt(1+({u}).powi(2))"),
        17 => format!("sin({u})*cos({u})*cos(2*({u}))*cos(4*({u}))*8-sin(8*({u}))"),
        18 => format!("1/cos({u}).powi(2)-1-tan({u}).powi(2)"),
        19 => format!("atan({u})+atan(1/({u}))-PI/2"),
        20 => format!("asin({u})+acos({u})-PI/2"),
        21 => format!("tanh({u})-(exp(2*({u}))-1)/(exp(2*({u}))+1)"),
        22 => format!("hypot({u},{n})-sqrt(({u}).powi(2)+{})", n * n),
        23 => format!("tan(2*({u}))*(1-tan({u}).powi(2))-2*tan({u})"),
        24 => format!("sin({u}+{v})-sin({u})*cos({v})-cos({u})*sin({v})"),
        25 => format!("cos({u}-({v}))-cos({u})*cos({v})-sin({u})*sin({v})"),
        26 => format!("exp({u}+{v})-exp({u})*exp({v})"),
        27 => format!("ln(({u})*({v}))-ln({u})-ln({v})"),
        28 => format!("cbrt(({u}+1).powi(3))-({u})-1"),
        29 => format!("{n}.powf({u})-exp(({u})*ln({n}))"),
        30 => format!("1e{}*exp(-1/({u}))-exp(ln(1e{})-1/({u}))", n, n),
        31 => format!("atan({u}/5)+atan(1)-atan((({u})/5+1)/(1-({u})/5))"),
        32 => format!("({u})/(1+{u})+1/(1+{u})-1"),
        _ => expanded(random, u),
    }
}

/// The difference of two forms of the same polynomial in `u`.
fn expanded(random: &mut Random, u: &str) -> String {
    let (a, n) = (random.between(1, 9), random.between(3, 12));
    match random.below(4) {
        0 => format!("(({u})+{a}).powi({})-(({u}).powi(2)+{}*({u})+{}).powi({n})", 2 * n, 2 * a, a * a),
        1 => format!("(({u})-{a}).powi(3)-({u}).powi(3)+{}*({u}).powi(2)-{}*({u})+{}", 3 * a, 3 * a * a, a * a * a),
        2 => format!("(({u})+{a})*(({u})-{a})-({u}).powi(2)+{}", a * a),
        _ => format!("({a}e5+{u}).powi(2)-{}e10-{}e5*({u})-({u}).powi(2)", a * a, 2 * a),
    }
}

/// An expression of constants that vanishes.
fn of_constants(random: &mut Random) -> String {
    let (a, b) = (random.between(2, 40), random.between(2, 40));
    match random.below(14) {
        0 => format!("sqrt({}+2*sqrt({}))-sqrt({a})-sqrt({b})", a + b, a * b),
        1 => format!("sqrt({a})*sqrt({b})-sqrt({})", a * b),
        2 => format!("sqrt({}+{}*sqrt({b}))-{a}-sqrt({b})", a * a + b, 2 * a),
        3 => "4*atan(0.2)-atan(1/239)-PI/4".into(),
        4 => format!("atan(1/{a})-atan(1/{})-atan(1/{})", a + 1, a * a + a + 1),
        5 => "2*atan(1/3)+atan(1/7)-PI/4".into(),
        6 => "8*atan(1/10)-atan(1/239)-4*atan(1/515)-PI/4".into(),
        7 => "cos(2*PI/5)-(sqrt(5)-1)/4".into(),
        8 => "sin(PI/9)*sin(2*PI/9)*sin(4*PI/9)-sqrt(3)/8".into(),
        9 => "cos(PI/7)-cos(2*PI/7)+cos(3*PI/7)-1/2".into(),
        10 => format!("ln({})-ln({a})-ln({b})", a * b),
        11 => "exp(ln(2)*3)-8".into(),
        12 => "cbrt(2+sqrt(5))+cbrt(2-sqrt(5))-1".into(),
        _ => "tan(PI/3)-sqrt(3)".into(),
    }
}

/// A coefficient in the quantity `x` that is close to zero but vanishes nowhere.
pub(crate) fn tiny(random: &mut Random, x: &str) -> Coefficient {
    let u = argument(random, x);
    let text = match random.below(4) {
        0 => tiny_function(random, &u),
        _ => tiny_constant(random),
    };
    match random.below(5) {
        // Plus an expression that vanishes.
        0 => Coefficient::nonzero(format!("{}+({text})", identity(random, x).text)),
        1 => Coefficient::nonzero(format!("({text})*cos({u})")),
        _ => Coefficient::nonzero(text),
    }
}

/// A small function of `u` that is either positive everywhere or negative everywhere.
fn tiny_function(random: &mut Random, u: &str) -> String {
    let k = random.between(17, 40);
    match random.below(5) {
        0 => format!("(1+1e-{k})*({u})-({u})"),
        1 => format!("exp({u})-exp({u}+1e-{k})"),
        2 => format!("1-tanh({}+{u})", random.between(19, 60)),
        3 => format!("cosh({}*({u}))-sinh({}*({u}))", 20 * k, 20 * k),
        _ => format!("sqrt(({u}).powi(2)+1e-{k})-({u})"),
    }
}

/// Integers and their square roots to 50 decimals.
const ROOTS: [(usize, &str); 4] = [
    (2, "1.41421356237309504880168872420969807856967187537694"),
    (3, "1.73205080756887729352744634150587236694280525381038"),
    (5, "2.23606797749978969640917366873127623544061835961152"),
    (7, "2.64575131106459059050161575363926042571025918308245"),
];
const PI_DIGITS: &str = "3.14159265358979323846264338327950288419716939937510";

fn tiny_constant(random: &mut Random) -> String {
    let (k, n) = (random.between(9, 20), random.between(2, 9));
    let literal = random.between(12, 300);
    match random.below(20) {
        0..=4 => format!("1e-{literal}"),
        5 => format!("(1+1e-{literal})-1"),
        6 => format!("sin(1e-{literal})"),
        7 => format!("exp(1e-{literal})-1"),
        8 => format!("1-cos(1e-{k})"),
        9 => format!("ln(1+1e-{})", random.between(17, 60)),
        10 => format!("sin(1e-{k})/1e-{k}-1"),
        11 => format!("sqrt(1e{}+{n})-1e{k}", 2 * k),
        12 => format!("hypot(1e{k},{n})-1e{k}"),
        13 => format!("sqrt(3+2*sqrt(2)+1e-{})-1-sqrt(2)", random.between(17, 40)),
        14 => {
            let (root, digits) = random.choose(&ROOTS);
            format!("sqrt({root})-{}", &digits[..random.between(17, 45)])
        }
        15 => format!("PI-{}", &PI_DIGITS[..random.between(17, 45)]),
        16 => format!("exp(-{})", random.between(40, 600)),
        17 => format!("PI/2-atan(1e{k})"),
        18 => format!("1-0.{}", "9".repeat(random.between(17, 60))),
        _ => "exp(PI*sqrt(163))-262537412640768744".into(),
    }
}
