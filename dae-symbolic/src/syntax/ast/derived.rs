//! Blocks from which equations are derived, and the block of boundary conditions, as they are written.

use super::{Equation, Expression, For, Name};
use crate::origin::Origin;

/// A block from which equations are derived, or that of boundary conditions.
#[derive(Clone, Debug)]
pub struct Derived {
    /// The kind of description.
    pub kind: DerivedKind,
    /// The word that opens the block.
    pub opening: Origin,
    /// The statements of the block in the order of the text, those in a `for` after its head.
    pub items: Vec<Item>,
    /// Whether a statement of the block could not be read, so that what seems to be missing may be in it.
    pub doubtful: bool,
}

/// A kind of description from which equations can be derived, or boundary conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DerivedKind {
    /// `lagrangian`: energies, constraints and forces.
    Lagrangian,
    /// `hamiltonian`: a function of coordinates and momenta, constraints and forces.
    Hamiltonian,
    /// `optimal_control`: dynamics and costs.
    OptimalControl,
    /// `boundary`: conditions on the solution at several times.
    Boundary,
}

impl DerivedKind {
    /// The kind whose blocks `word` opens; `None` if it opens none.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        [DerivedKind::Lagrangian, DerivedKind::Hamiltonian, DerivedKind::OptimalControl, DerivedKind::Boundary]
            .into_iter()
            .find(|kind| kind.word() == word)
    }

    /// The word that opens such a block.
    pub fn word(self) -> &'static str {
        match self {
            DerivedKind::Lagrangian => "lagrangian",
            DerivedKind::Hamiltonian => "hamiltonian",
            DerivedKind::OptimalControl => "optimal_control",
            DerivedKind::Boundary => "boundary",
        }
    }
}

/// A statement of a block.
#[derive(Clone, Debug)]
pub struct Item {
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// All its tokens.
    pub origin: Origin,
    /// The content of the statement.
    pub kind: ItemKind,
}

/// The content of a statement of a block.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// `coordinates x, y;` and the other lists.
    List(List, Vec<Name>),
    /// `kinetic = …;` and the other quantities.
    Quantity(Quantity, Expression),
    /// `force(x) = …;`
    Force(Element, Expression),
    /// `constraint(lambda) left = right;`, in a problem of optimal control also with `<=` or `>=`.
    Constraint(Element, Relation, Equation),
    /// `der(y) = …;`
    Dynamics(Equation),
    /// `horizon(from, to);`
    Horizon(Expression, Expression),
    /// `left = right;` in a block of boundary conditions.
    Condition(Equation),
    /// `free a, t_end;`: quantities that the conditions determine.
    Free(Vec<Name>),
    /// `invariant name;`: the energy is constant.
    Invariant(Name),
    /// The head of `for i in range { statements }`; the statements are the items that follow.
    For(For),
}

/// How the sides of a constraint are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `=`
    Equal,
    /// `<=`
    AtMost,
    /// `>=`
    AtLeast,
}

/// An unknown, or an element of an array of them.
#[derive(Clone, Debug)]
pub struct Element {
    /// The name of the unknown or array.
    pub name: Name,
    /// The indices of the element; none for a scalar unknown.
    pub indices: Vec<Expression>,
}

/// A list that gives unknowns a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    /// Generalised coordinates $q$.
    Coordinates,
    /// Velocities $u$: the derivatives of the coordinates, as unknowns of their own.
    Velocities,
    /// Momenta $p$, one for each coordinate.
    Momenta,
    /// States $y$ of the dynamics.
    States,
    /// Adjoints $v$, one for each state.
    Adjoints,
    /// Controls $u$.
    Controls,
}

impl List {
    /// The word that opens the list.
    pub fn word(self) -> &'static str {
        match self {
            List::Coordinates => "coordinates",
            List::Velocities => "velocities",
            List::Momenta => "momenta",
            List::States => "states",
            List::Adjoints => "adjoints",
            List::Controls => "controls",
        }
    }

    /// The word for a member of the list.
    pub fn member(self) -> &'static str {
        match self {
            List::Coordinates => "coordinate",
            List::Velocities => "velocity",
            List::Momenta => "momentum",
            List::States => "state",
            List::Adjoints => "adjoint",
            List::Controls => "control",
        }
    }
}

/// A function from which equations are derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// Kinetic energy $T$.
    Kinetic,
    /// Potential energy $U$.
    Potential,
    /// The Lagrangian $L = T - U$ itself.
    Lagrangian,
    /// The Hamiltonian $H$ itself.
    Hamiltonian,
    /// Rayleigh's dissipation function $R$.
    Dissipation,
    /// The integrand of the cost.
    RunningCost,
    /// The cost of the state at the end of the horizon.
    TerminalCost,
    /// The barrier parameter of inequality constraints.
    Barrier,
}

impl Quantity {
    /// The word that opens the statement.
    pub fn word(self) -> &'static str {
        match self {
            Quantity::Kinetic => "kinetic",
            Quantity::Potential => "potential",
            Quantity::Lagrangian => "lagrangian",
            Quantity::Hamiltonian => "hamiltonian",
            Quantity::Dissipation => "dissipation",
            Quantity::RunningCost => "running_cost",
            Quantity::TerminalCost => "terminal_cost",
            Quantity::Barrier => "barrier",
        }
    }
}
