//! Structural analysis of families: instances by the integers of their accesses, grouped into classes.
//!
//! In: a [`FamilyModel`]. Out: the signature matrix of all its instances, made from the affine indices of the accesses
//! and not from scalar expressions; and, with the offsets that the structural analysis finds for it, [`classes`]: boxes
//! of loop variables on which everything that symbolic work depends on is the same. One template per class is then
//! differentiated, substituted or simplified, however many instances it has; boundaries split a family into a few
//! classes and not into scalars.
//!
//! | file | what |
//! |---|---|
//! | `signature` | from instances to rows of the signature matrix |
//! | `boxes` | from points with keys to boxes of equal keys |
//! | `classes` | from instances to classes |
//! | `numbers` | from numbers that depend on a loop variable to the values of it at which they are exceptional |
//! | `excerpt` | from classes to the members from which all others follow |

mod boxes;
mod classes;
mod excerpt;
mod numbers;
mod signature;

pub use boxes::{Box, boxes};
pub use classes::{Class, Entry, UnknownClass, classes, unknown_classes};
pub use excerpt::excerpt;
pub use signature::{FamilyRows, rows};

#[cfg(doc)]
use crate::model::family::FamilyModel;
