//! The index: found structurally, certified where it can be, and claimed no further than the evidence goes.
//!
//! In: a model. Out: an [`Analysis`]: the structure of the text as written, the working system that is reduced (the
//! text, or combinations of its equations where leading parts cancel), its offsets, and a [`Certificate`]; or why the
//! model is rejected.
//!
//! What is proved, and by what:
//!
//! * **Upper bound** (`upper_bound/`). A nonsingular system Jacobian
//!   $J_{ij} = \partial f_i / \partial x_j^{(d_j - c_i)}$ proves that the equations differentiated $c_i$ times
//!   determine all highest derivatives, that the system has $\sum d_j - \sum c_i$ degrees of freedom, and that the
//!   differentiation index is at most $\max c_i$, plus one if some $d_j = 0$ (more where equations were combined, see
//!   `upper_bound/offsets.rs`). One nonzero value of $\det J$ in a prime field proves that it is not identically zero
//!   (`upper_bound/generic.rs`).
//! * **At the model's own point** (`local/`). For the default parameters $J$ is regular at the consistent point to
//!   which the start values lead: by an interval proof where one succeeds (`local/proof.rs`, `local/block_proof.rs`),
//!   otherwise in floating-point arithmetic; and that point is on the solution that the start values mean
//!   (`local/solution_branch.rs`). Where the defaults of some parameters make $J$ singular at every point,
//!   `upper_bound/exceptional.rs` names these parameters.
//! * **Lower bound** (`lower_bound.rs`). At that point the derivative array with one differentiation fewer is not
//!   1-full: a combination of columns of $J^{-1}$ gives a vector of its kernel.
//!
//! With all three the answer is exact. Where one is missing, because the structure is misleading
//! (`upper_bound/linear_combination.rs` combines equations), because $J$ is singular on this solution, because the
//! bound is not attained, or because there are more equations than unknowns (`redundant.rs`), the derivative array
//! itself decides (`array/`): index, no index, or undecided, with the reason. Start values that lie on a switch are
//! examined on all sides of it (`sides.rs`). Where it is not certain that there is a consistent point, all unknowns are
//! eliminated to see whether the equations contradict one another (`contradiction/`).
//!
//! | file | what it holds; a row uses only itself and those above |
//! |---|---|
//! | `limits.rs` | what the analysis is willing to spend, and what it accepts as evidence |
//! | `array/`, `certificate.rs`, `problem.rs` | the derivative array; what is certified; what is wrong with a model |
//! | `upper_bound/`, `local/`, `lower_bound.rs`, `contradiction/` | the proofs |
//! | `analysis.rs` | what is known about a model |
//! | `hessenberg.rs` | whether the text is a Hessenberg form |
//! | `structural.rs`, `settle.rs` | what the proofs say about some equations; what the derivative array adds |
//! | `redundant.rs`, `branch.rs`, `sides.rs` | surplus equations; one branch of the model; all sides of a switch |
//! | `analyse.rs`, `excerpt.rs` | the analysis of a model; that of a whole model from an excerpt |
//! | `kinks.rs` | warnings about kinks and jumps in equations that the reduction differentiates |

mod analyse;
mod analysis;
pub mod array;
mod branch;
mod certificate;
mod contradiction;
mod excerpt;
mod hessenberg;
mod kinks;
pub mod limits;
mod local;
mod lower_bound;
mod problem;
mod redundant;
mod settle;
mod sides;
mod structural;
mod upper_bound;

pub use analyse::analyse;
pub use analysis::{Analysis, Written};
pub use certificate::{
    Certificate, GenericRegularity, Grounds, KernelVector, LocalRegularity, LowerBound, Unproved, Verdict,
};
pub(crate) use contradiction::contradiction;
pub use excerpt::{Insufficient, analyse_excerpt};
pub use kinks::differentiated_kinks;
pub use limits::Limits;
pub use problem::{Problem, ProblemKind};
#[cfg(feature = "report")]
pub(crate) use upper_bound::exceptional;
pub(crate) use upper_bound::exceptional::at_defaults;
pub use upper_bound::{Rewrite, generic_rank, structure_of_text};
