//! What an expression may use, by the place where it stands.
//!
//! In: a place and something that has a name. Out: whether it may be used there, or the diagnostic that says why not.

use crate::diagnostic::{Code, Diagnostic};
use crate::origin::Origin;

/// The place where an expression stands, which decides what it may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Constant,
    Parameter,
    Input,
    StartValue,
    Horizon,
    Barrier,
    Nominal,
    Order,
    Extent,
    Branch,
    FunctionBody,
    Definition,
    Equation,
    Invariant,
    /// A guess of a model with boundary conditions.
    Guess,
    /// A boundary condition.
    Condition,
    /// What a boundary condition takes at a time.
    TakenAtTime,
    /// The condition of an event.
    Event,
    /// A value after an event.
    Change,
    /// The first time and the period of samples.
    Sample,
}

/// A kind of thing that an expression may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Use {
    Constant,
    Parameter,
    Time,
    External,
    Input,
    Definition,
    Unknown,
}

impl Place {
    /// Whether an expression in this place may use a thing of this kind.
    pub(crate) fn allows(self, what: Use) -> bool {
        match what {
            Use::Constant => true,
            Use::Parameter => !matches!(
                self,
                Place::Constant | Place::Nominal | Place::Order | Place::Extent | Place::Branch | Place::TakenAtTime
            ),
            Use::Time if matches!(self, Place::Invariant | Place::Guess) => true,
            Use::Time | Use::External => {
                matches!(
                    self,
                    Place::Input
                        | Place::FunctionBody
                        | Place::Definition
                        | Place::Equation
                        | Place::Event
                        | Place::Change
                )
            }
            Use::Input => {
                matches!(self, Place::FunctionBody | Place::Definition | Place::Equation | Place::Event | Place::Change)
            }
            Use::Definition if self == Place::Condition => true,
            Use::Definition | Use::Unknown => {
                matches!(
                    self,
                    Place::Definition
                        | Place::Equation
                        | Place::Invariant
                        | Place::TakenAtTime
                        | Place::Event
                        | Place::Change
                )
            }
        }
    }

    fn rule(self) -> &'static str {
        match self {
            Place::Constant => "the value of a constant may use numbers and earlier constants",
            Place::Parameter => "the default of a parameter may use constants and earlier parameters",
            Place::Input => {
                "the definition of an input may use `t`, constants, parameters, tables and external functions"
            }
            Place::StartValue => "a start value may use constants and parameters",
            Place::Horizon => "the ends of the horizon may use constants and parameters",
            Place::Barrier => "the barrier parameter may use constants and parameters",
            Place::Nominal => "a nominal value may use numbers and constants",
            Place::Order => "the order of a derivative is an integer",
            Place::Extent => "sizes, ranges and indices may use numbers, constants and loop variables",
            Place::Branch => {
                "an `if` around equations is decided while the model is compiled: it may use numbers, constants and loop variables"
            }
            Place::FunctionBody => {
                "a function may use its arguments, `t`, constants, parameters, inputs, tables and external functions"
            }
            Place::Invariant => {
                "an invariant may use unknowns with derivatives, `t`, constants, parameters and sub-expressions of these"
            }
            Place::Guess => "a guess of a model with boundary conditions may use `t`, constants and parameters",
            Place::Condition => {
                "a boundary condition may use unknowns at times, `t0`, `t_end`, constants, parameters and sub-expressions"
            }
            Place::TakenAtTime => "only unknowns, their derivatives and sub-expressions are taken at a time",
            Place::Sample => "the times of samples may use constants and parameters",
            Place::Definition | Place::Equation => "an equation may use everything the model declares",
            Place::Event | Place::Change => "an event may use everything the model declares",
        }
    }
}

/// The diagnostic for something that is used in a place whose expressions may not use it.
pub(crate) fn misplaced(what: Use, name: &str, place: Place, at: Origin) -> Diagnostic {
    if (what, place) == (Use::Unknown, Place::Condition) {
        let finding =
            Diagnostic::error(Code::InvalidCondition, format!("`{name}` stands in a condition without a time"))
                .label(at, "at which time?");
        return finding.help(format!("write `{name}(t0)` or `{name}(t_end)`, and `der({name})(t0)` for a derivative"));
    }
    let kind = match what {
        Use::Constant => "the constant ",
        Use::Parameter => "the parameter ",
        Use::Time => "the time ",
        Use::External => "the table or external function ",
        Use::Input => "the input ",
        Use::Definition => "the sub-expression ",
        Use::Unknown => "the unknown ",
    };
    let finding = Diagnostic::error(Code::NotAllowedHere, format!("{kind}`{name}` cannot be used here"))
        .label(at, "not allowed here")
        .note(place.rule());
    match place {
        Place::FunctionBody => finding.help(format!("make `{name}` an argument of the function")),
        Place::Branch => {
            finding.help("write one equation with the `if` in it: `left = if condition { a } else { b };`")
        }
        Place::Extent => finding.help("declare it with `const`"),
        Place::Condition if what == Use::Time => finding.help("write `t0` for the start, or `t_end` for the end"),

        _ => finding,
    }
}
