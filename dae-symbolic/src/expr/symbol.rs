//! The leaves of expressions, except numbers.
//!
//! In: ids of the model, positions in a formulation. Out: one `Copy` type with a total order, by which lists of symbols
//! are sorted, so that they are the same in every run.

macro_rules! declare_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the model's list of parameters, inputs or unknowns.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

declare_id!(
    /// A parameter of the model.
    ParameterId
);
declare_id!(
    /// An input: data given as a function of time.
    InputId
);
declare_id!(
    /// An unknown of the model.
    UnknownId
);

/// A leaf that is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symbol {
    /// The independent variable $t$.
    Time,
    /// A parameter, which is constant in time.
    Parameter(ParameterId),
    /// An input or one of its derivatives in time.
    Input {
        /// The input.
        input: InputId,
        /// Order of the derivative, 0 for the input itself.
        order: u32,
    },
    /// A jet variable of the model, $x_j^{(k)}$.
    Unknown {
        /// The unknown.
        unknown: UnknownId,
        /// Order of the derivative, 0 for the unknown itself.
        order: u32,
    },
    /// An entry of the vector $y$ of a formulation, by its position.
    State(u32),
    /// An entry of the vector $y'$ of a formulation, by its position.
    StateDerivative(u32),
}
