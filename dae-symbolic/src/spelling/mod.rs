//! Names, index ranges and texts of families, as people read them.
//!
//! In: names as the user writes them, affine functions of loop indices, and a text for each member of a family. Out:
//! plain text, LaTeX and MathML.
//!
//! | file | what |
//! |---|---|
//! | `names.rs` | names as mathematics |
//! | `latex.rs` | literal text, numbers and long equations in LaTeX |
//! | `indices.rs` | loop indices, affine functions of them, and their ranges |
//! | `rolled.rs`, `families.rs` | one text for all members of a family |
//! | `lines.rs` | texts in lines, one for a family where possible |
//! | `lists.rs` | lists of names |

pub mod families;
pub mod indices;
#[cfg(feature = "report")]
pub(crate) mod latex;
pub mod lines;
pub mod lists;
pub(crate) mod names;
pub mod rolled;
