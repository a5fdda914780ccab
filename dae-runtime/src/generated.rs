//! What generated code imports, and nothing else: the contracts, and short constructors for their constant tables.
//!
//! In: literals. Out: descriptions that borrow them. Generated code reaches this through one private path of the face crate.

pub use std::borrow::Cow::Borrowed;

pub use crate::contract::{
    Dae, Description, Equation, Invariant, Jet, JetEquation, Kind, Leading, Name, Pattern, Prolongation,
    ProlongationDescription, Start, Unknown,
};

/// An unknown of a formulation.
pub const fn unknown(name: &'static str, kind: Kind, index: u8, nominal: f64) -> Unknown {
    Unknown { name: Borrowed(name), kind, index, nominal }
}

/// A row of $F$.
pub const fn equation(name: &'static str) -> Equation {
    Equation { name: Borrowed(name) }
}

/// A constraint that row `row` of $F$ enforces.
pub const fn enforced(name: &'static str, row: usize) -> Invariant {
    Invariant { name: Borrowed(name), row: Some(row) }
}

/// A constraint that the formulation implies and does not enforce.
pub const fn implied(name: &'static str) -> Invariant {
    Invariant { name: Borrowed(name), row: None }
}

/// A sparsity pattern by compressed rows.
pub const fn pattern(columns: usize, row_starts: &'static [usize], column_indices: &'static [usize]) -> Pattern {
    Pattern { columns, row_starts: Borrowed(row_starts), column_indices: Borrowed(column_indices) }
}

/// An entry of the jet vector.
pub const fn jet(name: &'static str, stage: i32, start: Start, nominal: f64) -> Jet {
    Jet { name: Borrowed(name), stage, start, nominal }
}

/// An equation of the prolongation.
pub const fn jet_equation(name: &'static str, stage: i32) -> JetEquation {
    JetEquation { name: Borrowed(name), stage }
}
