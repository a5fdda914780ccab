//! What a leaf of an expression can be.
//!
//! In: ids of the model or of a formulation. Out: one `Copy` type with a total order, so that lists of symbols
//! are the same on every run.

macro_rules! declare_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// Position in the table the id belongs to.
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
    /// A parameter, constant in time.
    Parameter(ParameterId),
    /// The derivative of the given order of an input.
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
    /// Entry of the vector $y$ of a formulation.
    State(u32),
    /// Entry of the vector $y'$ of a formulation.
    StateDerivative(u32),
}
