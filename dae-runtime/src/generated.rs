//! What generated code imports: the contracts, and short constructors for their constant tables.
//!
//! In: literals, or entries from the loops of a model with families. Out: descriptions, and a stub for a model with
//! errors. Generated code reaches this through one private path of the facade crate.

use std::borrow::Cow;

pub use std::borrow::Cow::{Borrowed, Owned};

pub use std::sync::LazyLock;

pub use crate::completions::derivative_array::DerivativeArray;
pub use crate::completions::first_integrals::FirstIntegrals;
pub use crate::completions::modes::MultiModeForm;
pub use crate::completions::state_space::{Coordinates, StateSpace};
use crate::contract::class::Open;
pub use crate::contract::class::{Classified, Hamiltonian, Index};
pub use crate::contract::{
    AliasOf, Blended, BlendedDescription, Boundary, BoundaryDescription, Code, Dae, DeclaredChange, DeclaredEvent,
    DeclaredEvents, DeclaredIntegrals, Description, Eliminated, Equation, EventsDescription, HamiltonianStructure,
    InitialDescription, InitialEquation, InitialEquations, IntegralsDescription, Invariant, Jet, JetEquation, Kind,
    Leading, ModeVariable, ModesDescription, Name, Occasion, Pattern, Point, Prolongation, ProlongationDescription,
    Role, Start, Switch, Transition, Unknown, UnrolledLu,
};

pub use crate::completions::underlying::{UnderlyingOde, Unsolvable};
pub use crate::inputs::signal::{Input, InputError, Need, unmet};
pub use crate::inputs::spline::Spline;
pub use crate::interval::TaylorModel;
pub use crate::linalg::iteration_matrix::Scalar;
pub use crate::solution::Solution;
pub use crate::solution::unknowns::{ForeignSolution, Unknowns};

/// Items of generated code that exist only with the feature `lie`: with it, the items, and without it, nothing.
#[cfg(feature = "lie")]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_lie {
    ($($item:item)*) => { $($item)* };
}

/// Items of generated code that exist only with the feature `lie`: with it, the items, and without it, nothing.
#[cfg(not(feature = "lie"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_lie {
    ($($item:item)*) => {};
}

pub use crate::__with_lie as with_lie;

/// What equations on Lie groups import.
#[cfg(feature = "lie")]
pub mod lie {
    pub use crate::lie::{
        Equation, GeneralLinear, LinearEquation, Matrix, SpecialEuclidean, SpecialLinear, SpecialOrthogonal, Stiefel,
        Symplectic,
    };

    /// The matrix whose entries `fill` stores row by row.
    pub fn by_rows<const R: usize, const C: usize>(fill: impl FnOnce(&mut [f64])) -> Matrix<R, C> {
        let mut transposed = Matrix::<C, R>::zeros();
        fill(transposed.as_mut_slice());
        transposed.transpose()
    }
}

/// An unknown of a formulation.
pub const fn unknown(name: &'static str, role: Role, kind: Kind, index: u8, nominal: f64) -> Unknown {
    Unknown { name: Borrowed(name), role, kind, index, nominal, is_discrete: false }
}

/// An unknown that events alone change.
pub const fn discrete(name: &'static str, role: Role, kind: Kind, index: u8, nominal: f64) -> Unknown {
    Unknown { name: Borrowed(name), role, kind, index, nominal, is_discrete: true }
}

/// A row of $F$, and the equation of the prolongation that it is.
pub const fn equation(name: &'static str, prolonged: Option<usize>) -> Equation {
    Equation { name: Borrowed(name), prolonged }
}

/// A constraint that row `row` of $F$ enforces, and the equation of the prolongation that it is.
pub const fn enforced(name: &'static str, row: usize, prolonged: Option<usize>) -> Invariant {
    Invariant { name: Borrowed(name), row: Some(row), prolonged }
}

/// A constraint that the formulation implies and does not enforce, and the equation of the prolongation that it is.
pub const fn implied(name: &'static str, prolonged: Option<usize>) -> Invariant {
    Invariant { name: Borrowed(name), row: None, prolonged }
}

/// An unknown that is not solved for, and the entry of the jet vector that it is.
pub const fn eliminated(name: &'static str, jet: Option<usize>, alias_of: AliasOf) -> Eliminated {
    Eliminated { name: Borrowed(name), jet, alias_of }
}

/// A switching function.
pub const fn switch(name: &'static str, of_time: bool, jumps: bool) -> Switch {
    Switch { name: Borrowed(name), of_time, jumps }
}

/// A sparsity pattern in compressed-row form.
pub const fn pattern(columns: usize, row_starts: &'static [usize], column_indices: &'static [usize]) -> Pattern {
    Pattern { columns, row_starts: Borrowed(row_starts), column_indices: Borrowed(column_indices) }
}

/// The structure of a Hamiltonian system: positions, momenta, multipliers, their equations, constraints; whether masses
/// are constant, and forces normal.
pub const fn hamiltonian(places: [&'static [usize]; 6], properties: [bool; 2]) -> HamiltonianStructure {
    let [has_constant_masses, has_normal_forces] = properties;
    let [positions, momenta, multipliers, position_equations, momentum_equations, constraints] = places;
    HamiltonianStructure {
        positions: Borrowed(positions),
        momenta: Borrowed(momenta),
        multipliers: Borrowed(multipliers),
        position_equations: Borrowed(position_equations),
        momentum_equations: Borrowed(momentum_equations),
        constraints: Borrowed(constraints),
        has_constant_masses,
        has_normal_forces,
    }
}

/// An entry of the jet vector.
pub const fn jet(name: &'static str, order: u32, stage: i32, start: Start, nominal: f64) -> Jet {
    Jet { name: Borrowed(name), order, stage, start, nominal }
}

/// An equation of the prolongation: equation `equation` of the text, differentiated `order` times.
pub const fn jet_equation(name: &'static str, equation: usize, order: u32, stage: i32) -> JetEquation {
    JetEquation { name: Borrowed(name), equation, order, stage }
}

/// A table that is filled in any order.
#[derive(Debug)]
pub struct Listing<T>(Vec<(usize, T)>);

impl<T> Default for Listing<T> {
    fn default() -> Self {
        Listing(Vec::new())
    }
}

impl<T: Clone> Listing<T> {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts an entry at a position.
    pub fn put(&mut self, position: usize, entry: T) {
        self.0.push((position, entry));
    }

    /// The entries in the order of their positions.
    pub fn finish(mut self) -> Cow<'static, [T]> {
        self.0.sort_by_key(|&(position, _)| position);
        Owned(self.0.into_iter().map(|(_, entry)| entry).collect())
    }
}

/// A sparsity pattern that is filled row by row, in any order.
#[derive(Debug)]
pub struct Rows {
    columns: usize,
    rows: Vec<Vec<usize>>,
}

impl Rows {
    /// A pattern without entries.
    pub fn new(rows: usize, columns: usize) -> Self {
        Rows { columns, rows: vec![Vec::new(); rows] }
    }

    /// Appends columns to a row, in ascending order; a row that does not exist is ignored.
    pub fn row(&mut self, row: usize, columns: &[usize]) {
        if let Some(entries) = self.rows.get_mut(row) {
            entries.extend_from_slice(columns);
        }
    }

    /// The pattern.
    pub fn finish(self) -> Pattern {
        let mut row_starts = Vec::with_capacity(self.rows.len() + 1);
        row_starts.push(0);
        for row in &self.rows {
            row_starts.push(row_starts[row_starts.len() - 1] + row.len());
        }
        Pattern { columns: self.columns, row_starts: Owned(row_starts), column_indices: Owned(self.rows.concat()) }
    }
}

/// A stub for every formulation of a model that was rejected: a system of no equations in no unknowns. It exists only
/// so that code that uses the model can be type-checked; it never runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rejected;

impl Rejected {
    /// Stub for [`UnderlyingOde::states`].
    pub fn states(&self) -> &[usize] {
        &[]
    }

    /// Stub for [`UnderlyingOde::solve`].
    ///
    /// # Errors
    /// None.
    pub fn solve(&self, _t: f64, _y: &mut [f64], _yp: &mut [f64]) -> Result<(), Unsolvable> {
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl Classified for Rejected {
    type Class = Open;

    fn as_dae(&self) -> &dyn Dae {
        self
    }
}

impl Dae for Rejected {
    fn description(&self) -> &Description {
        static EMPTY: Description = Description {
            model: Borrowed(""),
            form: Borrowed(""),
            unknowns: Borrowed(&[]),
            equations: Borrowed(&[]),
            parameters: Borrowed(&[]),
            invariants: Borrowed(&[]),
            switches: Borrowed(&[]),
            eliminated: Borrowed(&[]),
            hamiltonian: Err(Borrowed("")),
            leading: Leading::Constant,
            is_affine: false,
            leading_rank: 0,
            jacobian_y: pattern(0, &[0], &[]),
            jacobian_yp: pattern(0, &[0], &[]),
            jacobian_p: pattern(0, &[0], &[]),
            invariants_jacobian: pattern(0, &[0], &[]),
            switches_jacobian_p: pattern(0, &[0], &[]),
        };
        &EMPTY
    }

    fn parameters(&self) -> &[f64] {
        &[]
    }

    fn set_parameters(&mut self, _: &[f64]) {}

    fn residual(&self, _: f64, _: &[f64], _: &[f64], _: &mut [f64]) {}

    fn jacobian_y(&self, _: f64, _: &[f64], _: &[f64], _: &mut [f64]) {}

    fn jacobian_yp(&self, _: f64, _: &[f64], _: &[f64], _: &mut [f64]) {}

    fn jacobian_t(&self, _: f64, _: &[f64], _: &[f64], _: &mut [f64]) {}

    fn jacobian_p(&self, _: f64, _: &[f64], _: &[f64], _: &mut [f64]) {}

    fn invariants(&self, _: f64, _: &[f64], _: &mut [f64]) {}

    fn invariants_jacobian(&self, _: f64, _: &[f64], _: &mut [f64]) {}

    fn prolongation(&self) -> &dyn Prolongation {
        self
    }
}

impl Prolongation for Rejected {
    fn prolongation_description(&self) -> &ProlongationDescription {
        static EMPTY: ProlongationDescription = ProlongationDescription {
            model: Borrowed(""),
            jets: Borrowed(&[]),
            equations: Borrowed(&[]),
            jacobian: pattern(0, &[0], &[]),
            jacobian_p: pattern(0, &[0], &[]),
            start_jacobian_p: pattern(0, &[0], &[]),
        };
        &EMPTY
    }

    fn start_values(&self, _: f64, _: &mut [f64]) {}

    fn prolonged_residual(&self, _: f64, _: &[f64], _: &mut [f64]) {}

    fn prolonged_jacobian(&self, _: f64, _: &[f64], _: &mut [f64]) {}
}
