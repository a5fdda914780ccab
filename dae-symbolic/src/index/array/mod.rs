//! The derivative array, which decides where structure does not settle the index.
//!
//! In: the equations of a model as written, square or not. Out: what they and their derivatives determine. With
//! $F(t, u, u') = 0$ and its first $m$ total derivatives, Hairer & Wanner II, Sect. VII.2, eqs. (2.28)–(2.29),
//!
//! $$ G_m(t, u, u', w) = \begin{pmatrix} F \\ \dot F \\ \vdots \\ F^{(m)} \end{pmatrix} = 0, \qquad w = (u'', \dots, u^{(m+1)}), $$
//!
//! and in terms of the text: an unknown with derivatives up to $p_j$ has the states $x_j, \dots, x_j^{(P_j - 1)}$ with
//! $P_j = \max(p_j, 1)$; $u'$ consists of the $x_j^{(P_j)}$ and $w$ of all higher ones. Then
//!
//! * $u'$ is determined when $\operatorname{rank} (G_{u'}, G_w) = n + \operatorname{rank} G_w$ (1-fullness, A1),
//! * the consistent states after $m$ differentiations form a manifold of dimension
//!   $\sum_j P_j - \operatorname{rank} (G_u, G_{u'}, G_w) + \operatorname{rank} (G_{u'}, G_w)$, where these ranks are
//!   constant (A2; A3 says that the first is the number of rows),
//! * the index is the least $m$ with A1 and A2 along the solution.
//!
//! | file | what |
//! |---|---|
//! | `taylor.rs` | expressions as Taylor coefficients, over the reals and over a prime field |
//! | `point.rs`, `derivative_array.rs`, `arrays.rs` | the array and its values |
//! | `matrix.rs` | the Jacobian at a point, its blocks and their ranks |
//! | `system.rs`, `error.rs` | the array as a system of equations for jets |
//! | `ease.rs` | which jets move easily, for steps of least change |
//! | `taylor_extension.rs` | higher derivatives at a regular point, order by order |
//! | `damped_newton.rs` | jets that fulfil the array to rounding, on the model's own branch, by damped steps |
//! | `undamped_newton.rs` | jets that fulfil the array, by undamped steps, where damped ones lead nowhere |
//! | `jets.rs` | which search is made when |
//! | `extended_precision.rs`, `pivoting.rs` | jets and ranks to hundreds of digits, where 16 digits cannot tell an entry from zero |
//! | `contradiction.rs` | whether fixed values contradict equations, to hundreds of digits |
//! | `exact.rs` | ranks, dependencies and contradictions over the prime field |
//! | `finding.rs`, `rank_test.rs` | which $m$, at how many points, and when there is none |
//!
//! Jets are kept as Taylor coefficients $X_{j,k} = x_j^{(k)}/k!$, and rows as $F_i^{(l)}/l!$: the ranks are the same
//! and the numbers stay small.

mod arrays;
mod contradiction;
mod damped_newton;
mod derivative_array;
mod ease;
mod error;
mod exact;
mod extended_precision;
mod finding;
mod jets;
mod matrix;
mod pivoting;
mod point;
mod rank_test;
mod system;
mod taylor;
mod taylor_extension;
mod undamped_newton;

pub(crate) use contradiction::contradict;
pub use derivative_array::{DerivativeArray, Linearised};
pub use error::ArrayError;
pub(super) use extended_precision::{constant, exact_parameters, is_solution, vanish};
pub(super) use finding::times;
pub use finding::{ArrayFinding, ArrayVerdict, ConstantRank, FreeDirections};
pub use jets::consistent_point;
pub use matrix::{ArrayJacobian, ArrayRanks};
pub use point::ArrayPoint;
pub use rank_test::{ranks_up_to, test_ranks};
pub use system::Consistent;
pub use taylor::{Residue, Scalar, Tape};
pub(super) use taylor_extension::continued;
