//! Integration of differential-algebraic equations of any index by Taylor series.
//!
//! In: a model with its offsets, as operations ([`tape`]). Out: a solution as series ([`TaylorSolution`]), in `f64` or in
//! numbers of twice its length ([`DoubleDouble`]).
//!
//! The method is that of N. S. Nedialkov and J. D. Pryce (*Solving differential-algebraic equations by Taylor series* I:
//! BIT 45 (2005), 561–591; II: BIT 47 (2007), 121–135; III: JNAIAM 3 (2008), 61–80). Nothing is reduced: the offsets
//! $c_i$, $d_j$ of the structural analysis say which Taylor coefficients of the unknowns follow from which coefficients
//! of the equations. At stage $s = -\max_j d_j, \dots, 0, 1, \dots, p - 1$
//!
//! $$ f_i^{(c_i + s)} = 0 \quad \text{determine} \quad x_j^{(d_j + s)} \qquad (c_i + s \ge 0,\ d_j + s \ge 0), $$
//!
//! by linear equations with the system Jacobian $J_{ij} = \partial f_i / \partial x_j^{(d_j - c_i)}$ for $s > 0$. The
//! series have an error of $O(h^{p + 1})$ in the derivatives $x_j^{(k)}$, $k < d_j$, in which a state of the model is
//! contained; stages up to 0 lead from the end of the step back onto all constraints, hidden ones included.
//!
//! Steps reach a part of the radius of convergence, whatever the tolerance, and of the fastest time scale where a model is
//! stiff: for stiff models Radau IIA is the method. There are no events, and functions that the caller supplies are
//! refused when the operations are made. In 53 bits, expect of a tolerance of $10^{-15}$ what rounding errors leave.
//!
//! | file | what it holds |
//! |---|---|
//! | `double_double/`, `scalar.rs` | numbers with 106 bits; what the method needs of numbers |
//! | `contract.rs`, `tape.rs`, `recurrences.rs` | what the method needs of a model; operations, and their coefficients |
//! | `least_norm.rs`, `blocks.rs`, `block_solver.rs`, `series.rs` | linear equations, block after block; sums of series |
//! | `stages.rs`, `start.rs` | the solution scheme; consistent start values |
//! | `options.rs`, `control.rs`, `run.rs` | tolerances and order; lengths and error tests of steps; the run |
//! | `solution.rs`, `failure.rs` | what a run leaves behind; why it ends early |

mod block_solver;
mod blocks;
pub mod contract;
mod control;
mod double_double;
mod failure;
mod least_norm;
mod options;
mod recurrences;
mod run;
mod scalar;
mod series;
mod solution;
mod stages;
mod start;
pub mod tape;

pub use double_double::{DoubleDouble, InvalidDecimal};
pub use failure::{TaylorError, TaylorFailure};
pub use options::{Keep, Order, StepSize, TaylorOptions};
pub use run::TaylorIntegration;
pub use scalar::Scalar;
pub use solution::{TaylorSolution, TaylorStatistics};
