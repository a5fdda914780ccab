//! What generated code and the interpreter promise to the numerics.
//!
//! In: nothing. Out: the two contracts that every model fulfils, in terms of slices so that the numerics are compiled
//! once.
//!
//! * [`Dae`]: one *formulation* of a model, $F(t, y, y') = 0$ with exact Jacobians on known patterns.
//! * [`Prolongation`]: the model together with the derivatives of its equations, in the *jets*
//!   $x_j, x_j', \dots, x_j^{(d_j)}$; this is what consistent initialisation solves.
//!
//! A Jacobian is a list of values in the row-major order of its [`Pattern`]; slices passed in have exactly the
//! lengths that the descriptions announce (`unknowns`, `pattern.len()`, …), and implementations may rely on it.
//! Generated code and the interpreter allocate nothing where a step evaluates them, and nothing panics on non-finite
//! input: `NaN` in gives `NaN` out.

mod blended;
mod boundary;
pub mod class;
mod events;
mod first_integrals;
mod hamiltonian;
mod initial;
mod modes;
mod name;
mod parameters;
mod prolongation;
mod unrolled_lu;

use std::borrow::Cow;
use std::ops::RangeInclusive;

use crate::inputs::signal::InputError;
use crate::interval::TaylorModel;
pub use blended::{Blended, BlendedDescription};
pub use boundary::{Boundary, BoundaryDescription, Point};
pub use events::{DeclaredChange, DeclaredEvent, DeclaredEvents, EventsDescription, Occasion};
pub use first_integrals::{DeclaredIntegrals, IntegralsDescription};
pub use hamiltonian::HamiltonianStructure;
pub use initial::{InitialDescription, InitialEquation, InitialEquations};
pub use modes::{Mode, ModeVariable, Modes, ModesDescription, Transition};
pub use name::Name;
pub use parameters::ParameterError;
pub use prolongation::{Jet, JetEquation, Prolongation, ProlongationDescription, Start};
pub use unrolled_lu::{Code, UnrolledLu};

/// Compressed-row sparsity pattern: row `i` has the columns
/// `column_indices[row_starts[i]..row_starts[i + 1]]`, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Number of columns.
    pub columns: usize,
    /// One entry per row and one more: the position in `column_indices` where each row starts.
    pub row_starts: Cow<'static, [usize]>,
    /// Column of each stored entry.
    pub column_indices: Cow<'static, [usize]>,
}

impl Pattern {
    /// The pattern of a matrix without rows and columns.
    pub const EMPTY: Pattern =
        Pattern { columns: 0, row_starts: Cow::Borrowed(&[0]), column_indices: Cow::Borrowed(&[]) };

    /// The pattern of a zero matrix.
    pub fn zero(rows: usize, columns: usize) -> Self {
        Pattern { columns, row_starts: vec![0; rows + 1].into(), column_indices: Cow::Borrowed(&[]) }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.row_starts.len().saturating_sub(1)
    }

    /// Number of stored entries, the length of a value slice.
    pub fn len(&self) -> usize {
        self.column_indices.len()
    }

    /// Whether no entry is stored.
    pub fn is_empty(&self) -> bool {
        self.column_indices.is_empty()
    }

    /// Adds the product of the matrix with these values and `x`, times `factor`.
    pub(crate) fn add_product(&self, values: &[f64], x: &[f64], factor: f64, sum: &mut [f64]) {
        for (row, sum) in sum.iter_mut().enumerate() {
            let product: f64 = self.row(row).map(|(column, place)| values[place] * x[column]).sum();
            *sum += factor * product;
        }
    }

    /// Adds the product of the transposed matrix and `x`, times `factor`.
    pub(crate) fn add_transposed_product(&self, values: &[f64], x: &[f64], factor: f64, sum: &mut [f64]) {
        for (row, x) in x.iter().enumerate() {
            self.row(row).for_each(|(column, place)| sum[column] += factor * values[place] * x);
        }
    }

    /// `(column, position in the value slice)` of the stored entries of one row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        (self.row_starts[row]..self.row_starts[row + 1]).map(|position| (self.column_indices[position], position))
    }

    /// `(row, column, position in the value slice)` of every stored entry, row by row.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        (0..self.rows()).flat_map(move |row| self.row(row).map(move |(column, position)| (row, column, position)))
    }
}

/// Whether the derivative of an unknown occurs in its formulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// $y_j'$ occurs.
    Differential,
    /// $y_j'$ does not occur.
    Algebraic,
    /// $y_j'$ does not occur, and the model does not determine $y_j$, which stands for a derivative: any of many values
    /// serves the other unknowns, and errors in it do not count.
    Auxiliary {
        /// The order of the derivative.
        order: u32,
    },
}

impl Kind {
    /// Whether the model does not determine the unknown.
    pub fn is_auxiliary(self) -> bool {
        matches!(self, Kind::Auxiliary { .. })
    }
}

/// What an entry of $y$ stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An unknown of the model or a derivative of one: this entry of the jet vector
    /// ([`ProlongationDescription::jets`]).
    Jet(usize),
    /// A derivative of an unknown, of higher order than the derivatives in the jet vector.
    HigherDerivative,
    /// A multiplier that the formulation adds to the model, zero on solutions.
    Multiplier {
        /// The row of $F$ with the constraint that it enforces.
        row: usize,
    },
    /// An unknown that the formulation defines in terms of the others.
    Defined {
        /// The row $u - g(t, y) = 0$ of $F$ that defines its value.
        value: usize,
        /// The row $u' - h(t, y) = 0$ that defines its derivative.
        derivative: usize,
    },
    /// The weight of the equations on one side of a surface along which the solution slides ([`Blended`]).
    Weight {
        /// The switching function.
        switch: usize,
    },
}

impl Role {
    /// The entry of the jet vector that it is, if any.
    pub fn jet(self) -> Option<usize> {
        match self {
            Role::Jet(jet) => Some(jet),
            Role::HigherDerivative | Role::Multiplier { .. } | Role::Defined { .. } | Role::Weight { .. } => None,
        }
    }
}

/// One entry of $y$.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// `x`, `der(x)` for a derivative that became a state, `mu_1` for a multiplier of the formulation.
    pub name: Name,
    /// What it stands for.
    pub role: Role,
    /// Whether its derivative occurs.
    pub kind: Kind,
    /// One more than the number of differentiations this formulation still needs to determine it: 1 for states of
    /// an ordinary differential equation, 2 for the multiplier of an index-2 form, 3 for that of an index-3 form.
    /// Errors of an unknown of index $k$ are measured with the factor $h^{k-1}$.
    pub index: u8,
    /// Typical magnitude, 1 unless the model says otherwise.
    pub nominal: f64,
    /// Whether events alone change it: corrections onto constraints do not move it.
    pub is_discrete: bool,
}

/// One row of $F$.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equation {
    /// `equation 5`, `der(equation 5)`, … in the numbering of the model's text.
    pub name: Name,
    /// The equation of the prolongation that it is ([`ProlongationDescription::equations`]), with states in place of
    /// jets; `None` for a row that the formulation adds, or combines from several.
    pub prolonged: Option<usize>,
}

/// A constraint $\varphi(t, y) = 0$ that every solution of the model fulfils.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// Name of the equation, or derivative of an equation, that it is.
    pub name: Name,
    /// The row of $F$ that enforces it (that row *is* this function, same sign), or `None` if this formulation only
    /// implies it, so that it may drift.
    pub row: Option<usize>,
    /// The equation of the prolongation that it is ([`ProlongationDescription::equations`]); `None` if it is none.
    pub prolonged: Option<usize>,
}

/// A function of $(t, y, y')$ at whose zeros $F$ changes its branch: an argument of an absolute value, sign, minimum or
/// maximum, or the difference of what an `if` compares. Between zeros $F$ is smooth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The function in plain mathematics: `x - y`.
    pub name: Name,
    /// Whether it depends on time and parameters only, so that its zeros are known before the run.
    pub of_time: bool,
    /// Whether $F$ itself jumps there, and not only its derivatives.
    pub jumps: bool,
}

impl Switch {
    /// Whether its zeros are searched for during a run: $F$ jumps there, and their times depend on the solution.
    pub fn is_watched(&self) -> bool {
        self.jumps && !self.of_time
    }
}

/// An unknown of the model that a formulation does not solve for.
#[derive(Clone, Debug, PartialEq)]
pub struct Eliminated {
    /// Its name: `x`, or `der(x)` for a derivative.
    pub name: Name,
    /// The entry of the jet vector that it is ([`ProlongationDescription::jets`]); `None` for a derivative of higher
    /// order than those.
    pub jet: Option<usize>,
    /// How it is expressed by $y$ or parameters.
    pub alias_of: AliasOf,
}

/// The relation of an eliminated unknown to $y$.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AliasOf {
    /// Equal to this entry of $y$.
    Same(usize),
    /// The negative of this entry of $y$.
    Opposite(usize),
    /// A number that depends on parameters alone.
    Constant,
}

impl AliasOf {
    /// The value at a state; `None` for a constant.
    pub fn value(self, y: &[f64]) -> Option<f64> {
        match self {
            AliasOf::Same(k) => Some(y[k]),
            AliasOf::Opposite(k) => Some(-y[k]),
            AliasOf::Constant => None,
        }
    }
}

/// How $y'$ enters $F$.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leading {
    /// $F = M y' - f(t, y)$ with a constant $M$ (for fixed parameters).
    Constant,
    /// $F = M(t, y) y' - f(t, y)$.
    Quasilinear,
    /// Nonlinear in $y'$.
    Nonlinear,
    /// $F = w - w(t, y_d)$, where $w = (y_d', y_a)$ are the derivatives and the unknowns without derivatives, and row
    /// $k$ gives the component of unknown $k$: what explicit methods integrate.
    Solved,
}

/// Everything about a formulation that does not change from call to call.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Name of the model.
    pub model: Name,
    /// Name of the formulation: `original`, `index1`, `index2`, `ggl`, …
    pub form: Name,
    /// The entries of $y$. Every unknown of the model is among them, or among the eliminated ones, under its own name.
    pub unknowns: Cow<'static, [Unknown]>,
    /// The rows of $F$.
    pub equations: Cow<'static, [Equation]>,
    /// Names of the parameters $p$.
    pub parameters: Cow<'static, [Name]>,
    /// Constraints that solutions fulfil, enforced or implied.
    pub invariants: Cow<'static, [Invariant]>,
    /// Where $F$ changes its branch.
    pub switches: Cow<'static, [Switch]>,
    /// Unknowns of the model that are not entries of $y$, because equations make them equal to an entry up to sign, or
    /// constant.
    pub eliminated: Cow<'static, [Eliminated]>,
    /// The structure of a Hamiltonian system, if the model is known to be one and the formulation contains its equations;
    /// otherwise why it is not: `the force in equation 3 depends on \`u\``.
    pub hamiltonian: Result<HamiltonianStructure, Name>,
    /// How $y'$ enters.
    pub leading: Leading,
    /// Whether $F$ is known to be affine in derivatives of differential unknowns and all other unknowns together, so that
    /// a single step of Newton's iteration finds them.
    pub is_affine: bool,
    /// Generic rank of $\partial F/\partial y'$. Smaller than the number of differential unknowns exactly when
    /// some of them are algebraic in disguise (a capacitor between two nodes: only the difference is a state).
    pub leading_rank: usize,
    /// Pattern of $\partial F/\partial y$.
    pub jacobian_y: Pattern,
    /// Pattern of $\partial F/\partial y'$.
    pub jacobian_yp: Pattern,
    /// Pattern of $\partial F/\partial p$.
    pub jacobian_p: Pattern,
    /// Pattern of $\partial \varphi/\partial y$.
    pub invariants_jacobian: Pattern,
    /// Pattern of the derivatives of the switching functions with respect to the parameters.
    pub switches_jacobian_p: Pattern,
}

impl Description {
    /// The entries of $y$ that are multipliers of the formulation, zero on solutions, in ascending order.
    pub fn multipliers(&self) -> impl Iterator<Item = usize> + '_ {
        let roles = self.unknowns.iter().enumerate();
        roles.filter(|(_, unknown)| matches!(unknown.role, Role::Multiplier { .. })).map(|(k, _)| k)
    }

    /// Whether the formulation has unknowns that it defines in terms of the others.
    pub(crate) fn has_defined_unknowns(&self) -> bool {
        self.unknowns.iter().any(|unknown| matches!(unknown.role, Role::Defined { .. }))
    }

    /// Position of an unknown in $y$; `None` if there is none of this name, or if it is eliminated.
    pub fn place_of(&self, unknown: &str) -> Option<usize> {
        self.unknowns.iter().position(|it| it.name == unknown)
    }
}

/// A formulation of a model: $F(t, y, y') = 0$.
pub trait Dae {
    /// Names, kinds, indices and patterns.
    fn description(&self) -> &Description;

    /// Values of the parameters, in the order of `description().parameters`.
    fn parameters(&self) -> &[f64];

    /// Replaces the parameter values; the next initialisation uses them.
    ///
    /// # Panics
    /// If `values` and `description().parameters` differ in length. [`Dae::try_set_parameters`] returns an error
    /// instead.
    fn set_parameters(&mut self, values: &[f64]);

    /// Replaces all parameter values, in the order of `description().parameters`.
    ///
    /// # Errors
    /// The number of values differs from that of the parameters; then none is replaced.
    fn try_set_parameters(&mut self, values: &[f64]) -> Result<(), ParameterError> {
        let (given, expected) = (values.len(), self.description().parameters.len());
        if given != expected {
            return Err(ParameterError::Count { given, expected });
        }
        self.set_parameters(values);
        Ok(())
    }

    /// Replaces the value of one parameter, by its name in `description().parameters`: `k`, or `k[3]` of an array.
    ///
    /// # Errors
    /// The formulation has no parameter of this name.
    fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), ParameterError> {
        let parameters = &self.description().parameters;
        let Some(place) = parameters.iter().position(|it| it == name) else {
            return Err(ParameterError::Unknown { name: name.to_string(), known: parameters.to_vec() });
        };
        let mut values = self.parameters().to_vec();
        values[place] = value;
        self.set_parameters(&values);
        Ok(())
    }

    /// $F(t, y, y')$.
    fn residual(&self, t: f64, y: &[f64], yp: &[f64], residual: &mut [f64]);

    /// $\partial F/\partial y$.
    fn jacobian_y(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]);

    /// $\partial F/\partial y'$.
    fn jacobian_yp(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]);

    /// $\partial F/\partial t$, dense.
    fn jacobian_t(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]);

    /// $\partial F/\partial p$.
    fn jacobian_p(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]);

    /// $\varphi(t, y)$.
    fn invariants(&self, t: f64, y: &[f64], values: &mut [f64]);

    /// $\partial \varphi/\partial y$.
    fn invariants_jacobian(&self, t: f64, y: &[f64], values: &mut [f64]);

    /// The switching functions, one value per entry of `description().switches`. The driver ends steps at the zeros of
    /// those that depend on time alone ([`crate::solve`]).
    fn switching_functions(&self, _t: f64, _y: &[f64], _yp: &[f64], _values: &mut [f64]) {}

    /// Derivatives of the switching functions with respect to the parameters.
    fn switches_jacobian_p(&self, _t: f64, _y: &[f64], _yp: &[f64], _values: &mut [f64]) {}

    /// Only the switching functions that are watched ([`Switch::is_watched`]), in their order: these are evaluated at
    /// every step.
    fn watched_functions(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        let switches = &self.description().switches;
        let mut all = vec![0.0; switches.len()];
        self.switching_functions(t, y, yp, &mut all);
        let watched = all.iter().zip(switches.iter()).filter(|(_, switch)| switch.is_watched());
        values.iter_mut().zip(watched).for_each(|(value, (watched, _))| *value = *watched);
    }

    /// Switching functions on Taylor models of time, states and derivatives over part of a step, one per entry of
    /// `description().switches`; [`TaylorModel::ENTIRE`] where nothing is known. They serve to prove that no branch
    /// changes between the ends of a step.
    fn switch_enclosures(&self, _t: TaylorModel, _y: &[TaylorModel], _yp: &[TaylorModel], values: &mut [TaylorModel]) {
        values.fill(TaylorModel::ENTIRE);
    }

    /// The values of the eliminated unknowns, one per entry of `description().eliminated`.
    fn eliminated(&self, _t: f64, _y: &[f64], _values: &mut [f64]) {}

    /// Why the functions of this trait cannot be evaluated, for instance because an input of the caller supplies fewer
    /// derivatives than the index reduction needs; `None` if they can. To be checked before they are called.
    fn input_error(&self) -> Option<InputError> {
        None
    }

    /// Chooses the local coordinates of a formulation that has them ([`crate::completions::state_space`],
    /// [`crate::completions::derivative_array`]) at the start of a run (`anew`) or where the present ones have become
    /// unsuitable, and returns whether this has changed $F$. Integrators call it before every step.
    fn choose_coordinates(&self, _t: f64, _y: &[f64], _yp: &[f64], _anew: bool) -> bool {
        false
    }

    /// How often an invariant is to be differentiated until the result is among the equations that determine derivatives
    /// and algebraic unknowns, if [`Dae::project`] moves states onto it: 2 for positions of a mechanical system, 1 for
    /// velocities. Zero for an invariant that is no constraint, such as an energy. `None` if it does not.
    fn projection_level(&self, _invariant: usize) -> Option<u32> {
        None
    }

    /// Moves differential unknowns of a formulation that is solved for its derivatives ([`Leading::Solved`]) onto the
    /// invariants of these levels ([`Dae::projection_level`]). Uses the Jacobians of the last evaluation of $F$, which
    /// is to be near.
    ///
    /// # Errors
    /// The unknown that is corrected most, if the corrections do not converge.
    fn project(&self, _t: f64, _y: &mut [f64], _levels: RangeInclusive<u32>) -> Result<(), usize> {
        Ok(())
    }

    /// The formulation with the equations of a Hamiltonian system, to whose unknowns and rows
    /// [`Description::hamiltonian`] refers, if this is one that is solved for its derivatives ([`Leading::Solved`]).
    fn canonical(&self) -> Option<&dyn Dae> {
        None
    }

    /// The first integrals that the text of the model declares, if there are any and the formulation is one whose states
    /// are projected onto them ([`crate::completions::first_integrals`]). They are not among the invariants: these are
    /// zero on solutions.
    fn first_integrals(&self) -> Option<&dyn DeclaredIntegrals> {
        None
    }

    /// The equations between the sides of surfaces across which $F$ jumps, if it jumps anywhere and these equations are
    /// known: solutions may slide along such a surface.
    fn blended(&self) -> Option<&dyn Blended> {
        None
    }

    /// The formulations in all modes of the model, if it has modes; then this is the one in the mode at the start, and a
    /// run goes on with others where events say so.
    fn modes(&self) -> Option<&dyn Modes> {
        None
    }

    /// Code that factorises iteration matrices, if generated code includes it.
    fn unrolled_lu(&self) -> Option<&UnrolledLu> {
        None
    }

    /// The model with the derivatives of its equations, for consistent initialisation.
    fn prolongation(&self) -> &dyn Prolongation;

    /// $y$ and $y'$ of this formulation at the given jets. Multipliers of the formulation, derivatives of unknowns that
    /// are not differential, and derivatives beyond the jets are zero; unknowns that the formulation defines follow
    /// from the others.
    fn states_from_jets(&self, t: f64, jets: &[f64], y: &mut [f64], yp: &mut [f64]) {
        let prolongation = self.prolongation().prolongation_description();
        let unknowns = &self.description().unknowns;
        for ((unknown, y), yp) in unknowns.iter().zip(&mut *y).zip(&mut *yp) {
            let jet = unknown.role.jet();
            let slope =
                jet.filter(|_| unknown.kind == Kind::Differential).and_then(|jet| prolongation.derivative_of(jet));
            *y = jet.map_or(0.0, |jet| jets[jet]);
            *yp = slope.map_or(0.0, |slope| jets[slope]);
        }
        if !self.description().has_defined_unknowns() {
            return;
        }
        let mut residual = vec![0.0; self.description().equations.len()];
        self.residual(t, y, yp, &mut residual);
        for (k, unknown) in unknowns.iter().enumerate() {
            if let Role::Defined { value, derivative } = unknown.role {
                // With the unknown and its derivative zero, the residuals are minus what defines them.
                (y[k], yp[k]) = (-residual[value], -residual[derivative]);
            }
        }
    }
}
