//! The index: found structurally, certified where it can be, claimed no further than proved.
//!
//! In: a model. Out: an [`Analysis`]: the structure of the text as written, the working system that is reduced (the text, or
//! combinations of its equations where leading parts cancel), its offsets, and a [`Certificate`].
//!
//! What is proved, and by what:
//!
//! * **Upper bound** (`generic.rs`). A nonsingular system Jacobian $J_{ij} = \partial f_i / \partial x_j^{(d_j - c_i)}$ proves that
//!   the equations differentiated $c_i$ times determine all highest derivatives, that the system has $\sum d_j - \sum c_i$ degrees of
//!   freedom, and that the differentiation index is at most $\max c_i$, plus one if some $d_j = 0$ (more where equations were combined,
//!   see `upper_bound`). One nonzero value
//!   of $\det J$ in a prime field proves that it is not identically zero.
//! * **At the model's own point** (`local.rs`; `exceptional.rs` names parameters because of whose defaults $J$ is
//!   singular at every point). $J$ is regular at the consistent point that the start values lead to, for the default
//!   parameters; by an interval proof where it succeeds (`proof.rs`), otherwise in floating-point arithmetic; and it is
//!   the solution that the start values mean (`solution_branch.rs`).
//! * **Lower bound** (`witness.rs`). At that point the derivative array with one differentiation less is not 1-full: one column of $J^{-1}$
//!   shows a vector of its kernel.
//!
//! With all three the answer is exact. Where one is missing, because the structure is misleading (`linear_combination.rs`
//! combines equations), because $J$ is singular on this solution, because the bound is not attained, or because there
//! are more equations than unknowns (`redundant.rs`), the derivative array itself decides (`array/`): index, no index,
//! or undecided, with the reason. Start values that lie on a switch are examined on both sides of it (`sides.rs`).
//! Where it is not certain that there is a consistent point, all unknowns are eliminated to see whether the equations
//! contradict one another (`elimination/`).

mod analyse;
mod analysis;
pub mod array;
mod block_proof;
mod branch;
mod certificate;
mod elimination;
mod enclosures;
pub(crate) mod exceptional;
mod excerpt;
mod generic;
mod growth;
mod hessenberg;
mod kinks;
pub mod limits;
mod linear_combination;
mod local;
mod offsets;
mod pivots;
mod problem;
mod proof;
mod redundant;
mod rewrite;
mod settle;
mod sides;
mod solution_branch;
mod steady;
mod structural;
mod structure;
mod witness;

pub use analyse::analyse;
pub use analysis::{Analysis, Written};
pub use certificate::{
    Certificate, GenericRegularity, Grounds, KernelVector, LocalRegularity, LowerBound, Unproved, Verdict,
};
pub(crate) use elimination::contradiction;
pub(crate) use exceptional::at_defaults;
pub use excerpt::{Insufficient, analyse_excerpt};
pub use generic::generic_rank;
pub use kinks::differentiated_kinks;
pub use limits::Limits;
pub use problem::{Problem, ProblemKind};
pub use rewrite::Rewrite;
pub use structure::structure_of_text;
