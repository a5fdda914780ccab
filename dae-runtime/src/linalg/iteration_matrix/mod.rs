//! Linear algebra of an implicit step: the iteration matrix $a\\,F_{y'} + b\\,F_y$, real or complex, and its factors.
//!
//! In: Jacobian values on the patterns of a [`Description`](crate::contract::Description), two scalars and a step size.
//! Out: solutions of linear systems, or the row and column where the matrix is singular. All storage is allocated by
//! the constructors.
//!
//! Three scalings make the factorisation independent of the step size and of the units of the model:
//!
//! * the column of an unknown of index $k$ is multiplied by $h^{-(k-1)}$, that is, the system is solved for
//!   $h^{k-1}\\Delta y_j$. Otherwise the condition grows like $h^{-k}$ (Petzold & Lötstedt 1986);
//! * the column of an auxiliary unknown is multiplied by its magnitude, the larger of its value and its nominal value,
//!   since its value may be of any size;
//! * rows are then equilibrated to largest entries between one and two.
//!
//! All use powers of two, so that they cause no rounding errors.
//!
//! | file | what |
//! |---|---|
//! | `markowitz` | selection and ordering of the pivots of a sparse matrix |
//! | `symbolic_factorization` | the pattern of the factors for given pivots |
//! | `unrolled_lu` | code for one order of pivots, if generated code includes it |
//! | `sparse` | factors for a given order of pivots, by that code or by loops |
//! | `dense` | factors with partial pivoting, where a sparse elimination does not pay |
//! | `factorization_plan`, `choice` | the pattern with its pivots, and the choice between these |
//! | `jacobians`, `matrix` | what is assembled, and the matrix with its factors |
//! | `scalar`, `equilibration`, `deficiency` | real and complex numbers; scaled rows; what makes a matrix singular |

mod choice;
mod deficiency;
mod dense;
mod equilibration;
mod factorization_plan;
mod jacobians;
mod markowitz;
mod matrix;
mod scalar;
mod sparse;
mod symbolic_factorization;
mod unrolled_lu;

pub use choice::{Factorization, StepStart, common_factorization};
pub(crate) use deficiency::{Deficiency, deficiency};
pub(crate) use dense::Lu;
pub(crate) use equilibration::Singular;
pub(crate) use factorization_plan::FactorizationPlan;
pub(crate) use jacobians::Jacobians;
pub(crate) use matrix::IterationMatrix;
pub use scalar::Scalar;
pub use symbolic_factorization::SymbolicFactorization;
