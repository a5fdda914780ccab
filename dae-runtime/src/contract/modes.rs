//! Models with modes.
//!
//! In: nothing. Out: the contract by which a formulation gives its equations in every mode ([`Modes`]), and their
//! description.
//!
//! A model with modes has several systems of equations, of which one holds at a time; their indices, their degrees of
//! freedom and the unknowns of their formulations may differ. The text names *mode variables*, each with alternatives,
//! and a mode is a choice of one alternative for each. Events change it ([`super::DeclaredEvent::transitions`]).

use std::borrow::Cow;

use super::{Dae, Name};

/// A mode variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModeVariable {
    /// Its name: `clutch`.
    pub name: Name,
    /// The names of its alternatives: `free`, `engaged`.
    pub alternatives: Cow<'static, [Name]>,
    /// Whether it belongs to two complementary expressions: in either alternative one of them is zero, and events enter the
    /// other as it becomes negative.
    pub is_complementary: bool,
}

/// A mode: for each mode variable the position of its alternative.
pub type Mode = Vec<usize>;

/// The modes of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModesDescription {
    /// The mode variables, in the order of the text.
    pub variables: Cow<'static, [ModeVariable]>,
    /// The mode in which a run begins.
    pub start: Mode,
}

impl ModesDescription {
    /// A mode by the alternatives of its variables: `clutch = engaged, brake = open`.
    pub fn name(&self, mode: &[usize]) -> Name {
        let chosen = self.variables.iter().zip(mode).map(|(variable, &alternative)| {
            let alternative = variable.alternatives.get(alternative).map_or("?", |name| name.as_ref());
            format!("{} = {alternative}", variable.name)
        });
        chosen.collect::<Vec<String>>().join(", ").into()
    }
}

/// A mode variable that an event sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The variable, by position.
    pub variable: usize,
    /// The alternative that it then has.
    pub alternative: usize,
}

/// The formulations of a model in its modes. Parameters are the same in all of them, and unknowns of the model have the
/// same names.
pub trait Modes {
    /// Variables and the mode at the start.
    fn modes_description(&self) -> &ModesDescription;

    /// The names of which the formulation in every mode has a value, in the order of that at the start.
    fn names(&self) -> Vec<Name>;

    /// Why a run cannot go from one mode to another by these events, if it cannot: the equations leave open what happens
    /// there, which has not been found beforehand.
    fn obstacle(&self, _from: &[usize], _to: &[usize], _events: &[Name]) -> Option<Name> {
        None
    }

    /// The formulation in a mode.
    ///
    /// # Errors
    /// It has none there; the error says why.
    fn in_mode(&self, mode: &[usize]) -> Result<&dyn Dae, Name>;
}
