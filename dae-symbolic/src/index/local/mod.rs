//! Regularity at the model's own consistent point.
//!
//! In: the prolongation at default parameters. Out: whether there is a consistent point that the start values lead to,
//! and whether the system Jacobian is regular there.
//!
//! | file | what |
//! |---|---|
//! | `enclosures.rs` | the prolongation in interval arithmetic |
//! | `block_proof.rs` | a proof of the point and of regularity there, block by block |
//! | `proof.rs` | a proof of the point and of regularity there, or regularity in floating-point arithmetic |
//! | `robustness.rs` | whether the Jacobian stays regular when jets change in their last digits |
//! | `regularity.rs` | the consistent point, and what is known there |
//! | `solution_branch.rs` | whether the start values mean another solution |

mod block_proof;
mod enclosures;
mod proof;
mod regularity;
mod robustness;
mod solution_branch;

pub(super) use enclosures::Enclosures;
pub(super) use regularity::regularity;
pub(super) use solution_branch::singular_jets;
