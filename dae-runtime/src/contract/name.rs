//! Names of unknowns, equations and parameters.
//!
//! In: constants of generated code, or texts of a model that is read at run time. Out: one type for both.

use std::borrow::Cow;

/// A name as it is printed: `x`, `der(x)`, `equation 5`.
pub type Name = Cow<'static, str>;
