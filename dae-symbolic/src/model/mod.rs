//! A model as data: $F(t, x, x', \dots, u, p) = 0$.
//!
//! In: the text (through `lower`), or calls of a [`ModelBuilder`]. Out: one type that every later stage reads.
//! Expressions live in the model's own [`Dag`]. [`verify()`] states what every model fulfils.

mod boundary;
mod builder;
mod derivation;
mod domain;
mod event;
pub mod family;
mod lie_group;
mod numbering;
mod query;
mod verify;
mod work;

pub use boundary::{BoundaryConditions, Condition, PointTime, PointValue};
pub use builder::ModelBuilder;
pub(crate) use builder::residual;
pub use derivation::{
    Boundary, BoundaryCondition, Canonical, Derivation, Entries, Mechanics, OptimalControl, PathConstraint,
};
pub use domain::{Domain, Gap, Member};
pub use event::{Change, Event, Events, ModeTransition, ModeVariable, Trigger};
pub use lie_group::{LieGroup, Space};
pub use numbering::{Numbering, Torn};
pub use query::expand_inputs;
pub use verify::verify;
pub use work::Work;

use crate::expr::{Dag, Expr, InputId, ParameterId, Symbol, UnknownId, symbols};
use crate::form::Form;
use crate::origin::Origin;
pub use dae_runtime::contract::Start;

/// Largest order of a derivative that a model may contain.
pub const MAX_ORDER: u32 = 64;

/// A model.
#[derive(Clone, Debug)]
pub struct Model {
    /// All expressions of the model.
    pub dag: Dag,
    /// Its name.
    pub name: String,
    /// Where its name stands.
    pub origin: Origin,
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// Rust visibility as text: `pub`, `pub(crate)`, or nothing.
    pub visibility: String,
    /// Parameters $p$; [`ParameterId`] is the position.
    pub parameters: Vec<Parameter>,
    /// Unknowns $x$; [`UnknownId`] is the position.
    pub unknowns: Vec<Unknown>,
    /// Inputs $u(t)$; [`InputId`] is the position.
    pub inputs: Vec<Input>,
    /// Named sub-expressions.
    pub definitions: Vec<Definition>,
    /// Equations in the order of the text.
    pub equations: Vec<Equation>,
    /// Equations that hold at the start of a run only, in the order of the text.
    pub initial_equations: Vec<Equation>,
    /// The descriptions that some of the equations were derived from.
    pub derivations: Vec<Derivation>,
    /// Quantities that are declared not to change along solutions.
    pub invariants: Vec<DeclaredInvariant>,
    /// The boundary conditions that the text writes down.
    pub boundary: Option<BoundaryConditions>,
    /// The events that the text writes down.
    pub events: Events,
    /// The formulations that are asked for.
    pub forms: Vec<Form>,
    /// Where the text asks for the formulations; empty if it names none.
    pub form_origins: Vec<Origin>,
    /// What its analysis may still cost.
    pub work: Work,
}

/// A parameter: constant in time, changeable between runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// Default value, a function of constants and earlier parameters.
    pub default: Expr,
    /// Which element of an array it is.
    pub domain: Domain,
    /// Where its name stands.
    pub origin: Origin,
}

/// An unknown $x_j$.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// Its name.
    pub name: String,
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// Which element of an array it is.
    pub domain: Domain,
    /// Start value of the unknown itself, if one is given.
    pub start: Option<StartValue>,
    /// Start values of its derivatives, by ascending order.
    pub derivative_starts: Vec<(u32, StartValue)>,
    /// Typical magnitude, 1 unless given.
    pub nominal: f64,
    /// Whether it changes at events only; its equation is that its derivative is zero.
    pub is_discrete: bool,
    /// Where its name stands.
    pub origin: Origin,
}

/// A start value.
#[derive(Clone, Debug, PartialEq)]
pub struct StartValue {
    /// The value, a function of constants and parameters.
    pub value: Expr,
    /// Whether it is fixed or a guess.
    pub kind: Start,
    /// Where the value stands.
    pub origin: Origin,
}

/// An input: given as a function of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// Its definition, a function of time, constants and parameters; a call with the argument $t$ if the caller
    /// supplies the input.
    pub definition: Expr,
    /// Where its name stands.
    pub origin: Origin,
}

/// A named sub-expression; the name is for messages and for temporaries of generated code.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// The expression that it stands for.
    pub value: Expr,
    /// Which instance of a family it is.
    pub domain: Domain,
    /// Where its name stands.
    pub origin: Origin,
}

/// An equation: its residual equals zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Equation {
    /// `equation 1` is the first that the text writes down, `equation 4[i = 17]` an instance of the fourth; an equation
    /// derived from a block is named after its role in it: `constraint of lambda`, `motion of x`.
    pub name: String,
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// $e$ for `0 = e` and `e = 0`, otherwise left side minus right side.
    pub residual: Expr,
    /// Every unknown with the highest order of its derivatives, as written, before any simplification; ascending.
    pub incidence: Vec<(UnknownId, u32)>,
    /// Which instance of a family it is.
    pub domain: Domain,
    /// Where it stands.
    pub origin: Origin,
}

/// A first integral: a quantity that is declared not to change along solutions.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredInvariant {
    /// Its name.
    pub name: String,
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// $I$, a function of unknowns, their derivatives, time and parameters.
    pub value: Expr,
    /// Where its name stands.
    pub origin: Origin,
}

impl Model {
    /// The model with other formulations asked for.
    #[must_use]
    pub fn with_forms(self, forms: impl Into<Vec<Form>>) -> Model {
        Model { forms: forms.into(), form_origins: Vec::new(), ..self }
    }

    /// Name of an equation, see [`Equation::name`]; the only name that a user sees.
    pub fn equation_name(&self, equation: usize) -> String {
        self.equations.get(equation).map_or_else(String::new, |equation| equation.name.clone())
    }

    /// Name of a symbol as the user writes it: `x`, `der(x)`, `der(x, 2)`, `t`.
    pub fn symbol_name(&self, symbol: Symbol) -> String {
        let (name, order) = match symbol {
            Symbol::Time => ("t", 0),
            Symbol::Parameter(ParameterId(id)) => {
                (self.parameters.get(id as usize).map_or("?", |p| p.name.as_str()), 0)
            }
            Symbol::Input { input: InputId(id), order } => {
                (self.inputs.get(id as usize).map_or("?", |input| input.name.as_str()), order)
            }
            Symbol::Unknown { unknown, order } => {
                (self.unknowns.get(unknown.index()).map_or("?", |unknown| unknown.name.as_str()), order)
            }
            Symbol::State(index) => return format!("y[{index}]"),
            Symbol::StateDerivative(index) => return format!("der(y[{index}])"),
        };
        derivative_name(name, order)
    }
}

/// The name of an equation that the text writes down after `before` others: `equation 1` after none.
pub fn numbered_equation(before: usize) -> String {
    format!("equation {}", before + 1)
}

/// `x`, `der(x)`, `der(x, 2)`.
pub fn derivative_name(name: &str, order: u32) -> String {
    match order {
        0 => name.to_string(),
        1 => format!("der({name})"),
        order => format!("der({name}, {order})"),
    }
}

/// The unknowns that occur in the expressions, each with the highest order of its derivatives; ascending.
pub fn incidence(dag: &Dag, roots: impl IntoIterator<Item = Expr>) -> Vec<(UnknownId, u32)> {
    highest_orders(symbols(dag, roots))
}

/// The unknowns among ascending symbols, each with its highest order.
fn highest_orders(symbols: Vec<Symbol>) -> Vec<(UnknownId, u32)> {
    let mut found: Vec<(UnknownId, u32)> = Vec::new();
    for symbol in symbols {
        let Symbol::Unknown { unknown, order } = symbol else { continue };
        match found.last_mut() {
            Some((last, highest)) if *last == unknown => *highest = order,
            _ => found.push((unknown, order)),
        }
    }
    found
}
