//! The choice of a formulation: names, and what is given with a name.
//!
//! In: `ggl`, `projected(B)`, `baumgarte(10)`; on a command line `projected:B`, `baumgarte:10`. Out: a [`Form`], which
//! is all that the other stages know of the choice.

use std::fmt;
use std::str::FromStr;

use crate::expr::Rational;

mod table;

pub(crate) use table::for_each_form;

/// What is given with the name of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice<'a> {
    None,
    Directions(&'a Directions),
    Gains(&'a Gains),
}

impl<'a> From<&'a Directions> for Choice<'a> {
    fn from(directions: &'a Directions) -> Self {
        Choice::Directions(directions)
    }
}

impl<'a> From<&'a Gains> for Choice<'a> {
    fn from(gains: &'a Gains) -> Self {
        Choice::Gains(gains)
    }
}

/// A pattern for a form, binding what is given with its name.
macro_rules! form_pattern {
    ($variant:ident) => {
        Form::$variant
    };
    ($variant:ident $choice:ident $it:ident) => {
        Form::$variant($it)
    };
}

/// What is given with the name of a form, or nothing.
macro_rules! choice_of {
    () => {
        Choice::None
    };
    ($choice:ident $it:ident) => {
        Choice::from($it)
    };
}

macro_rules! define_forms {
    ($($(#[$documentation:meta])* $variant:ident $(($choice:ident))?: $name:literal, $sentence:literal => $recipe:tt;)*) => {
        /// A form: the choice of a formulation.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum Form {
            $($(#[$documentation])* $variant $(($choice))?,)*
        }

        impl Form {
            /// The names of the forms in a text, each with a placeholder for what is given with it.
            const SPELLINGS: &[(&str, &str)] = &[$(($name, concat!("" $(, placeholder!($choice))?)),)*];

            /// What is given with its name.
            pub(crate) fn choice(&self) -> Choice<'_> {
                match self {
                    $(form_pattern!($variant $($choice it)?) => choice_of!($($choice it)?),)*
                }
            }

            /// Its name in a text, and a sentence about it, in which `{}` stands for its directions.
            fn row(&self) -> (&'static str, &'static str) {
                match self {
                    $(Form::$variant { .. } => ($name, $sentence),)*
                }
            }

            /// The form of that name.
            fn read(name: &str, choice: Option<&str>) -> Result<Form, UnknownForm> {
                match name {
                    $($name => {
                        let told: &[&str] = &[$(stringify!($choice))?];
                        match choice {
                            Some(choice) if told.is_empty() => {
                                Err(UnknownForm { message: format!("the form {name} has no choices, such as `{choice}`") })
                            }
                            _ => Ok(Form::$variant $(($choice::read(name, choice)?))?),
                        }
                    })*
                    _ => Err(UnknownForm { message: format!("there is no form `{name}`; the forms are {}", Form::names()) }),
                }
            }
        }
    };
}

macro_rules! placeholder {
    (Directions) => {
        "(D)"
    };
    (Gains) => {
        "(GAMMA)"
    };
}

for_each_form!(define_forms);

/// The directions $D$ in which the multipliers $\mu$ of a formulation correct the derivatives:
/// $F(t, y, y' + D\mu) = 0$.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Directions {
    /// $C^\top$, the gradients of the constraints.
    Gradient,
    /// $B$, the directions in which the multipliers of the text act on the highest derivatives, $M^{-1} G^\top$ in
    /// mechanics.
    Multipliers,
    /// Unit vectors of the unknowns on which the constraints depend most at the start, by complete pivoting.
    Unit,
    /// An array of parameters, with a row for each unknown or derivative that a constraint contains as a highest
    /// derivative, in the order of the text, and a column for each constraint.
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

/// The polynomial of Baumgarte's method; $m$ is the number of times that a constraint is differentiated.
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
    /// The numbers and parameters that give the polynomial.
    pub fn coefficients(&self) -> Vec<&Gain> {
        match self {
            Gains::Power(gamma) => vec![gamma],
            Gains::Oscillator(alpha, beta) => vec![alpha, beta],
            Gains::Coefficients(list) => list.iter().collect(),
        }
    }
}

impl Directions {
    /// The directions in words.
    fn words(&self) -> &str {
        match self {
            Directions::Gradient => "their gradients",
            Directions::Multipliers => "the directions of the multipliers of the text",
            Directions::Unit => "unit vectors",
            Directions::Named(name) => name,
        }
    }
}

/// Why a text does not denote a form.
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

impl Form {
    /// The basic forms, which the command line analyses if the text names none.
    pub const BASIC: [Form; 4] = [Form::Original, Form::Index1, Form::Index2, Form::Ggl];

    /// The forms that a text asks for if it does not name any.
    pub const DEFAULT: [Form; 2] = [Form::Ggl, Form::Index1];

    /// The spellings of all forms, for messages.
    pub fn names() -> String {
        let spelled = Form::SPELLINGS.iter().map(|(name, placeholder)| format!("{name}{placeholder}"));
        spelled.collect::<Vec<String>>().join(", ")
    }

    /// The names of the forms alone.
    pub fn words() -> impl Iterator<Item = &'static str> {
        Form::SPELLINGS.iter().map(|&(name, _)| name)
    }

    /// The identifier of the form's methods in generated code: its spelling in lower case, with underscores in place of
    /// characters that identifiers do not have, and without the gains of Baumgarte's method.
    pub fn identifier(&self) -> String {
        match self {
            Form::Baumgarte(_) => "baumgarte".to_string(),
            _ => self.to_string().to_lowercase().replace(['(', '-'], "_").replace(')', ""),
        }
    }

    /// The suffix of the form's types in generated code, after the name of the model.
    pub fn suffix(&self) -> String {
        let capital = |word: &str| {
            let mut letters = word.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        };
        self.identifier().split('_').filter(|word| !word.is_empty()).map(capital).collect()
    }

    /// A sentence about the form.
    pub fn sentence(&self) -> String {
        match (self.row().1, self.choice()) {
            (sentence, Choice::Directions(directions)) => sentence.replace("{}", directions.words()),
            (sentence, Choice::None | Choice::Gains(_)) => sentence.into(),
        }
    }
}

impl fmt::Display for Form {
    /// `name` or `name(choice)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.row().0.replace('_', "-");
        match self.choice() {
            Choice::None => f.write_str(&name),
            Choice::Directions(directions) => write!(f, "{name}({directions})"),
            Choice::Gains(gains) => write!(f, "{name}({gains})"),
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
        Form::read(&name.replace('-', "_"), choice)
    }
}

/// Splits `name(choice)` or `name:choice` in two.
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

impl Directions {
    fn read(form: &str, choice: Option<&str>) -> Result<Self, UnknownForm> {
        let what = "the directions of its multipliers, `B`, `C`, `unit` or an array of parameters";
        choice.map(Directions::from).ok_or_else(|| needs(form, what))
    }
}

impl Gains {
    fn read(form: &str, choice: Option<&str>) -> Result<Self, UnknownForm> {
        choice.ok_or_else(|| needs(form, "a number or parameter"))?.parse()
    }
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
