//! The expression kernel: exact, hash-consed, flat.
//!
//! In: numbers, symbols and operators. Out: canonical expressions, their derivatives, values and spellings.
//!
//! An [`Expr`] is the number of a node in a [`Dag`]; children have smaller numbers than their parents, so every pass
//! is one loop over nodes in ascending or descending order, and equal expressions have equal numbers. Nothing
//! here recurses over the depth of expressions.
//!
//! The canonical form ($q$ rational, $n$ integer):
//!
//! $$ \text{sum} = q_0 + \sum_k q_k\, t_k, \qquad \text{product} = \prod_k b_k^{n_k}, \qquad f(a_1, \dots) $$
//!
//! with distinct $t_k$ (no constants, no sums but very long ones) and distinct bases $b_k$ (no constants, no
//! products but very long ones). Rational coefficients live in sums only: $3xy$ is a sum of one term.
//!
//! | file | what |
//! |---|---|
//! | `rational.rs` | exact coefficients |
//! | `symbol.rs` | what a leaf can be |
//! | `function/` | the operator table: value, partial derivatives, domain, spellings |
//! | `external/` | tables, user code, inputs of the caller |
//! | `dag.rs`, `construct.rs`, `fold.rs`, `condition.rs` | nodes, the canonical form of sums, products and functions, and conditions |
//! | `walk.rs` | children-first order of what a root reaches |
//! | `echelon.rs` | elimination over the rational numbers |
//! | `differentiate.rs`, `substitute.rs` | derivatives (partial, total in time), replacement of symbols |
//! | `leibniz.rs` | many derivatives in time, with shared sub-expressions |
//! | `common_divisor.rs` | greatest common divisors |
//! | `surfaces.rs`, `blend.rs` | where piecewise functions switch, and how smoothly; what lies between the sides |
//! | `evaluate.rs`, `interval/`, `ball/`, `prime_field/` | values in `f64`, enclosures, values with hundreds of digits, values in a prime field |
//! | `identity.rs` | proofs that an expression is zero |
//! | `print.rs`, `mathml.rs` | plain text and LaTeX, MathML |

pub mod ball;
mod blend;
mod common_divisor;
mod condition;
mod construct;
mod dag;
mod differentiate;
pub mod echelon;
mod evaluate;
mod external;
mod fold;
mod function;
mod identity;
pub mod interval;
mod leibniz;
mod mathml;
pub mod prime_field;
mod print;
mod rational;
mod substitute;
mod surfaces;
mod symbol;
mod walk;

pub(crate) use blend::{Weighted, combined};
pub(crate) use common_divisor::without_common_divisor;
pub use dag::{Assumption, Dag, Expr, Node};
pub use differentiate::{differentiate, gradient, total_derivative};
pub use evaluate::{evaluate, evaluate_closed, evaluate_one, product, sum};
pub use external::{Call, Derivative as ExternalDerivative, External, Source as ExternalSource, Table};
pub use function::{Domain, Function, Parity};
pub use identity::{transfer, vanishes};
pub use leibniz::{derivatives, shared_derivatives};
pub use mathml::{escaped, mathml};
pub(crate) use prime_field::expand::multiplied_out;
#[cfg(feature = "syntax")]
pub(crate) use print::SUPERSCRIPTS;
pub use print::{Notation, print, print_with};
pub use rational::Rational;
pub use substitute::{substitute, substitute_each};
pub(crate) use surfaces::{Side, blended};
pub use surfaces::{Surface, piecewise, surfaces};
pub use symbol::{InputId, ParameterId, Symbol, UnknownId};
pub use walk::{depths, has_symbol, reachable, reachable_until, symbols};
