//! Names of models, unknowns, equations, parameters, switches and events.
//!
//! In: constants in generated code, or strings from a model that is read at run time. Out: one type for both.

use std::borrow::Cow;

/// A name as it appears in messages and results: `x`, `der(x)`, `equation 5`.
pub type Name = Cow<'static, str>;
