//! Degrees of freedom and initial values.
//!
//! In: a compiled model. Out: which states may be given start values ([`initial_values`]), and what is wrong with those
//! that the model fixes ([`contradictions`]).
//!
//! The consistent jets are the zeros of the prolongation $G(t, X) = 0$ (`prolongation`). Where its derivative has full
//! rank, the null space of $G_X$ is the tangent space of the set of consistent jets, and its dimension is the number of
//! degrees of freedom. With a basis $K$ of it as columns, a set of states may be given arbitrary values if and only if
//! the rows of $K$ that belong to it are independent; a state with a row of zeros is determined by the equations alone.
//! All this is local: it holds at the consistent point to which the start values lead, for the default parameters.

#[cfg(feature = "report")]
mod choice;
mod conflict;
mod forced;
mod relaxed;

#[cfg(feature = "report")]
pub use choice::{Choice, InitialValues, Redundant, StateValue, initial_values};
pub use conflict::contradictions;
