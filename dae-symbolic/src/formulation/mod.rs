//! Formulations: one model, several systems $F(t, y, y') = 0$ with the same solutions.
//!
//! In: the working system with its offsets and differentiated constraints. Out: a [`Formulation`], the one type that
//! programs, generated code, the interpreter and the report know.
//!
//! | form | rows | invariants |
//! |---|---|---|
//! | `original` | as written | hidden constraints that its unknowns can express, implied |
//! | `index1` | each constraint differentiated until the index is 1 | all lower ones, implied: they drift |
//! | `underlying` | each constraint differentiated until the highest derivatives are determined, for which the runtime solves | all lower ones, implied: they drift |
//! | `index2` | each constraint differentiated one time fewer | the lower ones implied, the last enforced |
//! | `ggl`, `stabilized(D)` | as `index2`, and all lower constraints, with multipliers $\mu$ | all enforced |
//! | `baumgarte(γ)` | as `index1`, but for each constraint a combination of its derivatives | all lower ones, implied: they decay |
//! | `projected(D)`, `pa` | as `index1`, and the constraints of the text, with multipliers | these enforced, those between implied |
//! | `pb`, `pc`, `overdetermined` | as `index1`, and all lower constraints, with multipliers | all enforced |
//! | `state_space`, `tangent`, `dummy` | as `pc`, with directions $D$ that the runtime chooses ([`dae_runtime::state_space`]) | all enforced |
//! | `essential_underlying` | as `index1`, with derivatives as unknowns, and all lower constraints; components of the states on which no multiplier acts | all enforced |
//! | `derivative_array`, `strangeness_free` | the text with its derivatives, and differential equations that the runtime chooses ([`dae_runtime::derivative_array`]) | all enforced |
//!
//! Each form is a line of a table (`../form/table.rs`) that ends in its recipe (`recipe.rs`, `recipes.rs`): a function
//! that selects rows (`original.rs`, `reduced.rs`, `baumgarte.rs`), which of the lower constraints are enforced by
//! multipliers, and in which directions these act (`multipliers.rs`, `directions.rs`). With multipliers the system is
//! $F(t, y, y' + D\mu) = 0$, $\Phi(t, y) = 0$. The derivative array, which needs neither levels nor offsets, and the
//! essential underlying equation have functions of their own (`derivative_array.rs`, `essential.rs`).
//!
//! The levels: with canonical offsets $c$, $d$, the equations differentiated $c_i$ times determine the highest
//! derivatives. Where no unknown is purely algebraic ($d_j \ge 1$ throughout a block and the blocks that need its
//! highest derivatives), $c_i - 1$ times is enough for index 1 (`levels.rs`).
//!
//! A variable whose derivatives of order up to $q$ occur in the constraints gets $x, \dots, x^{(q)}$ as unknowns with
//! $\dot x = x^{(1)}, \dots$ as additional rows (order reduction), so that constraints are free of $y'$.

mod assemble;
mod baumgarte;
mod blended;
mod canonical;
mod classify;
mod compiled;
mod derivative_array;
mod directions;
mod essential;
mod frozen;
mod hamiltonian;
mod layout;
mod levels;
mod lie_group;
mod multipliers;
mod original;
mod program;
mod recipe;
mod recipes;
mod reduced;
mod selection;

pub use crate::form::{Directions, Form, Gain, Gains, UnknownForm};
pub use assemble::formulate;
pub use blended::BlendedProgram;
pub use compiled::CompiledForm;
pub(crate) use compiled::{Materials, spell};
pub use lie_group::{LieProgram, lie_groups, lie_program};
pub use program::{FormProgram, IntegralsProgram, state_names};
pub use selection::Material;

use std::collections::HashSet;

use dae_runtime::contract::{AliasOf, HamiltonianStructure, Kind};
use dae_runtime::state_space::Coordinates;

use crate::expr::{Expr, Symbol};
use crate::model::{Domain, Model};
use crate::origin::Origin;

/// Where an unknown of a formulation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// It is $x_j^{(k)}$ of the model.
    Jet {
        /// $j$.
        unknown: usize,
        /// $k$.
        order: u32,
    },
    /// It is a multiplier of the formulation, zero on solutions.
    Multiplier {
        /// The row of $F$ that it enforces.
        row: usize,
    },
    /// It is defined by other unknowns, $u = g(t, y)$.
    Defined {
        /// The row $u - g = 0$.
        value: usize,
        /// The row $u' - h(t, y) = 0$ that gives its derivative.
        derivative: usize,
    },
}

/// An entry of $y$.
#[derive(Clone, Debug, PartialEq)]
pub struct FormUnknown {
    /// Name.
    pub name: String,
    /// Name of its derivative.
    pub rate: String,
    /// Where it comes from.
    pub source: Source,
    /// Whether its derivative occurs.
    pub kind: Kind,
    /// See [`dae_runtime::contract::Unknown::index`].
    pub index: u8,
    /// Typical magnitude.
    pub nominal: f64,
    /// Whether events alone change it.
    pub is_discrete: bool,
    /// The index domain of the family it stands for.
    pub domain: Domain,
}

/// A row of $F$.
#[derive(Clone, Debug, PartialEq)]
pub struct FormEquation {
    /// Name.
    pub name: String,
    /// The row, in states and their derivatives.
    pub residual: Expr,
    /// $(k, l)$ if it is $f_k^{(l)}$ of the working system, equation $k$ of the text.
    pub prolonged: Option<(usize, u32)>,
    /// The place in the text it comes from.
    pub origin: Origin,
    /// The index domain of the family it stands for.
    pub domain: Domain,
}

/// A constraint $\varphi(t, y) = 0$.
#[derive(Clone, Debug, PartialEq)]
pub struct FormInvariant {
    /// Name.
    pub name: String,
    /// $\varphi$, in states.
    pub value: Expr,
    /// The row that enforces it; `None` if it is only implied.
    pub row: Option<usize>,
    /// See [`FormEquation::prolonged`].
    pub prolonged: Option<(usize, u32)>,
    /// The index domain of the family it stands for.
    pub domain: Domain,
}

/// A first integral $I(t, y)$.
#[derive(Clone, Debug, PartialEq)]
pub struct FormIntegral {
    /// Name.
    pub name: String,
    /// $I$, in states.
    pub value: Expr,
}

/// An unknown of the model, or a derivative of one, that the form does not solve for.
#[derive(Clone, Debug, PartialEq)]
pub struct FormEliminated {
    /// Name.
    pub name: String,
    /// $(j, k)$ of $x_j^{(k)}$ of the model.
    pub jet: (usize, u32),
    /// Its value, over states and parameters.
    pub value: Expr,
    /// The kind of value.
    pub alias_of: AliasOf,
}

/// A system $F(t, y, y') = 0$.
#[derive(Clone, Debug, PartialEq)]
pub struct Formulation {
    /// Which form it is.
    pub form: Form,
    /// $y$.
    pub unknowns: Vec<FormUnknown>,
    /// The rows of $F$.
    pub equations: Vec<FormEquation>,
    /// Constraints that solutions fulfil.
    pub invariants: Vec<FormInvariant>,
    /// Quantities that the text declares to be constant, for methods that project.
    pub first_integrals: Vec<FormIntegral>,
    /// Unknowns of the model that are not among $y$.
    pub eliminated: Vec<FormEliminated>,
    /// What the runtime adds to the rows during a run, if anything.
    pub completion: Option<Completion>,
    /// The structure of a Hamiltonian system, or why it is not known to have one.
    pub hamiltonian: Result<HamiltonianStructure, String>,
}

/// Why a form that is not `underlying` is no Hamiltonian system.
const NOT_SOLVED: &str = "only the form underlying is solved for the derivatives";

/// What the runtime adds to a formulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// The directions in which the multipliers act ([`dae_runtime::state_space`]).
    Chart(Coordinates),
    /// The solution of the rows for their derivatives ([`dae_runtime::underlying`]).
    Underlying,
    /// The choice of the differential equations ([`dae_runtime::derivative_array`]), which follow the rows of the
    /// array.
    DerivativeArray {
        /// The number of rows of the array.
        rows: usize,
    },
}

impl Formulation {
    /// Whether the formulations differ at most in the name of their form.
    pub(crate) fn is_same_but_for_name(&self, other: &Formulation) -> bool {
        let Formulation {
            form: _,
            unknowns,
            equations,
            invariants,
            first_integrals,
            eliminated,
            completion,
            hamiltonian,
        } = self;
        (unknowns, equations, invariants) == (&other.unknowns, &other.equations, &other.invariants)
            && first_integrals == &other.first_integrals
            && (eliminated, completion, hamiltonian) == (&other.eliminated, &other.completion, &other.hamiltonian)
    }

    /// The name of a symbol in one of the expressions of the formulation.
    pub fn symbol_name(&self, model: &Model, symbol: Symbol) -> String {
        match symbol {
            Symbol::State(i) => self.unknowns[i as usize].name.clone(),
            Symbol::StateDerivative(i) => self.unknowns[i as usize].rate.clone(),
            Symbol::Time | Symbol::Parameter(_) | Symbol::Input { .. } | Symbol::Unknown { .. } => {
                model.symbol_name(symbol)
            }
        }
    }
}

/// The name, with underscores appended while it is taken; the result is marked as taken.
fn unused_name(taken: &mut HashSet<String>, mut name: String) -> String {
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

/// Why a model has no such formulation.
#[derive(Clone, Debug, PartialEq)]
pub struct FormError {
    /// The form that the model does not have.
    pub form: Form,
    /// The obstacle, naming the equation or unknown.
    pub message: String,
    /// The place in the text.
    pub origin: Origin,
}

impl std::fmt::Display for FormError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no {} form: {}", self.form, self.message)
    }
}

impl std::error::Error for FormError {}
