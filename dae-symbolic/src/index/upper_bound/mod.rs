//! The upper bound on the index.
//!
//! In: the text, or as many of its equations as there are unknowns. Out: the working system with its offsets, whether
//! its system Jacobian is nonsingular for generic values, and the bound on the index that follows.
//!
//! | file | what |
//! |---|---|
//! | `structure.rs` | offsets and transversal of a pattern, or why there are none |
//! | `offsets.rs` | the bound that offsets give; those with which the system is prolonged |
//! | `growth.rs` | whether derivatives get too long |
//! | `generic.rs` | generic regularity by one value in a prime field |
//! | `rewrite.rs`, `linear_combination.rs` | combinations of equations whose leading parts cancel |
//! | `pivots.rs` | whether the factor of an equation in the combination that replaces it vanishes |
//! | `exceptional.rs` | parameters whose defaults make the system Jacobian singular everywhere |

pub(crate) mod exceptional;
mod generic;
mod growth;
mod linear_combination;
mod offsets;
mod pivots;
mod rewrite;
mod structure;

pub use generic::generic_rank;
pub(super) use growth::{check_depth, check_growth};
pub(super) use linear_combination::{WorkingSystem, as_written, combine_until_regular};
pub(super) use offsets::{lifted, upper_bound};
pub(super) use pivots::vanishing;
pub use rewrite::Rewrite;
pub(super) use structure::pattern_parts;
pub use structure::structure_of_text;
