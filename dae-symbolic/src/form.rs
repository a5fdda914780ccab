//! Which formulation: names, and what a name says.
//!
//! In: `ggl`, `projected(B)`, `baumgarte(10)`; on a command line `projected:B`, `baumgarte:10`. Out: a [`Form`], which is all that the
//! other stages know of the choice.

use std::fmt;
use std::str::FromStr;

use crate::expr::Rational;

/// Which formulation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// As written, only reduced to first order.
    Original,
    /// Constraints differentiated until the index is 1.
    Index1,
    /// Constraints differentiated until the index is 2 (velocity level in mechanics).
    Index2,
    /// Gear, Gupta and Leimkuhler: [`Form::Stabilized`] with [`Directions::Gradient`].
    Ggl,
    /// Index 2 with all lower constraints enforced by multipliers, Ascher & Petzold (1993), eq. (2.18).
    Stabilized(Directions),
    /// Index 1 with constraints that decay instead of drifting, Ascher & Petzold (1993), eqs. (3.2) and (3.10).
    Baumgarte(Gains),
    /// Index 1 with the constraints of the text enforced by multipliers, Ascher & Petzold (1993), eqs. (3.25) and (3.27), $k = 1$.
    Projected(Directions),
    /// [`Form::Projected`] with [`Directions::Gradient`], ibid. sect. 4, eq. (4.14).
    Pa,
    /// Index 1 with all lower constraints enforced, each through its gradient by the highest derivatives in it, ibid. eq. (4.16).
    Pb,
    /// The same through the whole gradients, ibid. eq. (4.17).
    Pc,
    /// Index 1 with all lower constraints enforced in local coordinates, which are some of the unknowns (generalised coordinate partitioning).
    StateSpace,
    /// The same in coordinates of a tangent space.
    Tangent,
    /// Index 1 with all lower constraints enforced through their gradients in the metric of the leading matrix: the overdetermined system of
    /// all constraints, resolved as in Hairer & Wanner II, Sect. VII.2, eq. (2.27).
    Overdetermined,
    /// Mattsson and Söderlind: the derivatives of dependent unknowns are unknowns of their own, which ones is decided while a run goes on.
    Dummy,
    /// The one of them that [`crate::advice`] recommends for the model at its start.
    Recommended,
    /// The underlying ordinary differential equation: every constraint differentiated until the equations give the highest derivatives, and
    /// solved for these: Hairer & Wanner II, Sect. VII.1, eq. (1.6).
    Underlying,
    /// All equations with their derivatives, solved for what they determine: Hairer & Wanner II, Sect. VII.2, eq. (2.30).
    DerivativeArray,
    /// The equations of the text, and beside them all hidden constraints as their derivatives imply them (Kunkel and Mehrmann).
    StrangenessFree,
}

/// The directions $D$ in which the multipliers $\mu$ of a formulation correct the derivatives: $F(t, y, y' + D\mu) = 0$.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Directions {
    /// $C^\top$, the gradients of the constraints.
    Gradient,
    /// $B$, the directions in which the multipliers of the text act on the highest derivatives, $M^{-1} G^\top$ in mechanics.
    Multipliers,
    /// Unit vectors: the unknowns by which the gradients are largest at the start.
    Unit,
    /// An array of parameters: rows are the unknowns that the constraints restrict, in the order of the text, columns the constraints.
    Named(String),
}

/// A coefficient of Baumgarte's method.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Gain {
    /// A number.
    Number(Rational),
    /// A parameter of the model.
    Parameter(String),
}

/// The polynomial of Baumgarte's method; $m$ is how often a constraint is differentiated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Gains {
    /// $(\tau + \gamma)^m$.
    Power(Gain),
    /// $\tau^2 + 2\alpha\tau + \beta^2$, for constraints that are differentiated twice.
    Oscillator(Gain, Gain),
    /// $\tau^m + a_{m-1}\tau^{m-1} + \dots + a_0$: the coefficients $a_0, \dots, a_{m-1}$.
    Coefficients(Vec<Gain>),
}

impl Gains {
    /// All of its coefficients.
    pub fn coefficients(&self) -> Vec<&Gain> {
        match self {
            Gains::Power(gamma) => vec![gamma],
            Gains::Oscillator(alpha, beta) => vec![alpha, beta],
            Gains::Coefficients(list) => list.iter().collect(),
        }
    }
}

impl Directions {
    /// In words.
    fn words(&self) -> &str {
        match self {
            Directions::Gradient => "their gradients",
            Directions::Multipliers => "the directions of the multipliers of the text",
            Directions::Unit => "unit vectors",
            Directions::Named(name) => name,
        }
    }
}

/// A name that is none of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownForm {
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for UnknownForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for UnknownForm {}

/// How the forms are named, for messages.
pub const NAMES: &str = "index1, index2, ggl, original, stabilized(D), projected(D), pa, pb, pc, baumgarte(GAMMA), overdetermined, \
                         state_space, tangent, dummy, underlying, derivative_array, strangeness_free, \
                         recommended";

/// Their first words.
pub fn words() -> impl Iterator<Item = &'static str> {
    NAMES.split(", ").map(|name| name.split('(').next().unwrap_or(name))
}

impl Form {
    /// The forms that need no choice beyond themselves.
    pub const BASIC: [Form; 4] = [Form::Original, Form::Index1, Form::Index2, Form::Ggl];

    /// Those of a text that does not say which it wants.
    pub const DEFAULT: [Form; 2] = [Form::Ggl, Form::Index1];

    /// Whether it is made of the equations of the text, whatever the structure says.
    pub fn is_of_text(&self) -> bool {
        matches!(self, Form::Original | Form::DerivativeArray | Form::StrangenessFree)
    }

    /// Its methods are called by this in generated code: the name without what is no part of an identifier, and without numbers.
    pub fn identifier(&self) -> String {
        match self {
            Form::Baumgarte(_) => "baumgarte".to_string(),
            _ => self.to_string().to_lowercase().replace(['(', '-'], "_").replace(')', ""),
        }
    }

    /// Its types are called by the name of the model and this.
    pub fn suffix(&self) -> String {
        let capital = |word: &str| {
            let mut letters = word.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        };
        self.identifier().split('_').filter(|word| !word.is_empty()).map(capital).collect()
    }

    /// What it is, in a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Form::Original => "The system as written.".into(),
            Form::Index1 => "Constraints differentiated until the index is 1; lower constraints are invariants that drift.".into(),
            Form::Index2 => "Constraints differentiated until the index is 2.".into(),
            Form::Ggl => "Index 2 with all constraints enforced (Gear, Gupta and Leimkuhler).".into(),
            Form::Stabilized(d) => format!("Index 2 with all constraints enforced through {} (Ascher and Petzold 1993, eq. 2.18).", d.words()),
            Form::Baumgarte(_) => "Index 1, with lower constraints that decay (Baumgarte).".into(),
            Form::Projected(d) => format!("Index 1 with the constraints of the text enforced through {} (Ascher and Petzold 1993, eq. 3.27).", d.words()),
            Form::Pa => "Index 1 with the constraints of the text enforced through their gradients (Ascher and Petzold 1993, eq. 4.14).".into(),
            Form::Pb => "Index 1 with all constraints enforced, each through its gradient by the highest derivatives in it (Ascher and Petzold 1993, eq. 4.16).".into(),
            Form::Pc => "Index 1 with all constraints enforced through their gradients (Ascher and Petzold 1993, eq. 4.17).".into(),
            Form::StateSpace => {
                "Index 1 with all constraints enforced, integrated in some of the unknowns (coordinate partitioning).".into()
            }
            Form::Tangent => "Index 1 with all constraints enforced, integrated in coordinates of tangent spaces.".into(),
            Form::Overdetermined => {
                "Index 1 with all constraints enforced through weighed gradients (Hairer and Wanner II, eq. VII.2.27).".into()
            }
            Form::Dummy => "Index 1 with all constraints enforced and dummy derivatives (Mattsson and Söderlind).".into(),
            Form::Recommended => "The form that is recommended for the model.".into(),
            Form::Underlying => {
                "The underlying ordinary differential equation, solved for its derivatives; constraints are invariants that drift.".into()
            }
            Form::DerivativeArray => {
                "The equations with their derivatives, solved for what they determine (Hairer and Wanner II, eq. VII.2.30).".into()
            }
            Form::StrangenessFree => {
                "The equations of the text with all hidden constraints, as the derivative array implies them (Kunkel and Mehrmann).".into()
            }
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Original => f.write_str("original"),
            Form::Index1 => f.write_str("index1"),
            Form::Index2 => f.write_str("index2"),
            Form::Ggl => f.write_str("ggl"),
            Form::Stabilized(directions) => write!(f, "stabilized({directions})"),
            Form::Baumgarte(gains) => write!(f, "baumgarte({gains})"),
            Form::Projected(directions) => write!(f, "projected({directions})"),
            Form::Pa => f.write_str("pa"),
            Form::Pb => f.write_str("pb"),
            Form::Pc => f.write_str("pc"),
            Form::StateSpace => f.write_str("state-space"),
            Form::Tangent => f.write_str("tangent"),
            Form::Dummy => f.write_str("dummy"),
            Form::Recommended => f.write_str("recommended"),
            Form::Underlying => f.write_str("underlying"),
            Form::DerivativeArray => f.write_str("derivative-array"),
            Form::StrangenessFree => f.write_str("strangeness-free"),
            Form::Overdetermined => f.write_str("overdetermined"),
        }
    }
}

impl fmt::Display for Directions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Directions::Gradient => "C",
            Directions::Multipliers => "B",
            Directions::Unit => "unit",
            Directions::Named(name) => name,
        })
    }
}

impl fmt::Display for Gain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gain::Number(number) => write!(f, "{}", number.to_f64()),
            Gain::Parameter(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for Gains {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gains::Power(gamma) => gamma.fmt(f),
            Gains::Oscillator(alpha, beta) => write!(f, "{alpha}, {beta}"),
            Gains::Coefficients(list) => {
                let list: Vec<String> = list.iter().map(Gain::to_string).collect();
                write!(f, "[{}]", list.join(", "))
            }
        }
    }
}

impl FromStr for Form {
    type Err = UnknownForm;

    /// Reads `name`, `name(choice)` or `name:choice`.
    fn from_str(text: &str) -> Result<Form, UnknownForm> {
        let (name, choice) = split(text.trim());
        let directions = || {
            choice.map(Directions::from).ok_or_else(|| {
                needs(name, "the directions of its multipliers, `B`, `C`, `unit` or an array of parameters")
            })
        };
        let plain = |form: Form| match choice {
            None => Ok(form),
            Some(choice) => Err(UnknownForm { message: format!("the form {name} has no choices, such as `{choice}`") }),
        };
        match name {
            "original" => plain(Form::Original),
            "index1" => plain(Form::Index1),
            "index2" => plain(Form::Index2),
            "ggl" => plain(Form::Ggl),
            "pa" => plain(Form::Pa),
            "pb" => plain(Form::Pb),
            "pc" => plain(Form::Pc),
            "state-space" | "state_space" => plain(Form::StateSpace),
            "tangent" => plain(Form::Tangent),
            "dummy" => plain(Form::Dummy),
            "recommended" => plain(Form::Recommended),
            "underlying" => plain(Form::Underlying),
            "derivative-array" | "derivative_array" => plain(Form::DerivativeArray),
            "strangeness-free" | "strangeness_free" => plain(Form::StrangenessFree),
            "overdetermined" => plain(Form::Overdetermined),
            "stabilized" => Ok(Form::Stabilized(directions()?)),
            "projected" => Ok(Form::Projected(directions()?)),
            "baumgarte" => choice.ok_or_else(|| needs(name, "a number or parameter"))?.parse().map(Form::Baumgarte),
            _ => Err(UnknownForm { message: format!("there is no form `{name}`; the forms are {NAMES}") }),
        }
    }
}

/// `name(choice)` or `name:choice` in two.
fn split(text: &str) -> (&str, Option<&str>) {
    if let Some((name, choice)) = text.split_once(':') {
        return (name.trim(), Some(choice.trim()));
    }
    match text.split_once('(').and_then(|(name, rest)| Some((name, rest.strip_suffix(')')?))) {
        Some((name, choice)) => (name.trim(), Some(choice.trim())),
        None => (text, None),
    }
}

fn needs(name: &str, what: &str) -> UnknownForm {
    UnknownForm { message: format!("the form {name} needs {what}: `{name}(…)`") }
}

impl From<&str> for Directions {
    fn from(text: &str) -> Directions {
        match text {
            "B" => Directions::Multipliers,
            "C" => Directions::Gradient,
            "unit" => Directions::Unit,
            name => Directions::Named(name.to_string()),
        }
    }
}

impl FromStr for Gains {
    type Err = UnknownForm;

    fn from_str(text: &str) -> Result<Gains, UnknownForm> {
        let list = |text: &str| text.split(',').map(gain).collect::<Result<Vec<Gain>, UnknownForm>>();
        if let Some(inside) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            return Ok(Gains::Coefficients(list(inside)?));
        }
        match <[Gain; 2]>::try_from(list(text)?) {
            Ok([alpha, beta]) => Ok(Gains::Oscillator(alpha, beta)),
            Err(one) => match <[Gain; 1]>::try_from(one) {
                Ok([Gain::Number(gamma)]) if gamma.is_negative() => {
                    Err(UnknownForm { message: "with a negative gamma violations grow instead of decaying".into() })
                }
                Ok([gamma]) => Ok(Gains::Power(gamma)),
                Err(_) => Err(UnknownForm {
                    message: "the form baumgarte takes gamma, or alpha and beta, or [a0, a1, …]".into(),
                }),
            },
        }
    }
}

fn gain(text: &str) -> Result<Gain, UnknownForm> {
    let text = text.trim();
    let number = match text.strip_prefix('-') {
        Some(positive) => Rational::from_decimal(positive).map(|q| q.neg()),
        None => Rational::from_decimal(text),
    };
    if let Some(number) = number {
        return match number.to_f64().is_finite() {
            true => Ok(Gain::Number(number)),
            false => Err(UnknownForm { message: format!("`{text}` is too large") }),
        };
    }
    let mut letters = text.chars();
    let is_name = letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && letters.all(|c| c.is_alphanumeric() || "_[]".contains(c));
    match is_name {
        true => Ok(Gain::Parameter(text.to_string())),
        false => Err(UnknownForm { message: format!("`{text}` is neither a number nor the name of a parameter") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for name in [
            "index1",
            "ggl",
            "pb",
            "projected(B)",
            "stabilized(unit)",
            "baumgarte(0.5)",
            "baumgarte(alpha, beta)",
            "baumgarte([1, 2, 3])",
            "projected(d)",
        ] {
            let form: Form = name.parse().unwrap();
            assert_eq!(form.to_string(), name);
        }
        assert_eq!("projected:C".parse(), Ok(Form::Projected(Directions::Gradient)));
        assert_eq!("baumgarte:1e4".parse::<Form>().unwrap().suffix(), "Baumgarte");
        assert_eq!("stabilized(B)".parse::<Form>().unwrap().identifier(), "stabilized_b");
        for wrong in [
            "",
            "index3",
            "ggl(1)",
            "projected",
            "baumgarte",
            "baumgarte(1, 2, 3)",
            "baumgarte(2 x)",
            "baumgarte(-1)",
            "baumgarte(1e400)",
        ] {
            assert!(wrong.parse::<Form>().is_err(), "{wrong}");
        }
    }
}
