//! A block about a matrix on a Lie group, as it is written.

use super::{Expression, Name};
use crate::origin::Origin;

/// `lie_group SO(3) { matrix Y; generator = …; }`
#[derive(Clone, Debug)]
pub struct LieGroup {
    /// The head of the block, without its brace.
    pub opening: Origin,
    /// The word for the group; `None` if it could not be read.
    pub space: Option<Name>,
    /// The sizes in parentheses.
    pub sizes: Vec<Expression>,
    /// The matrices that `matrix` statements name: one, if there is no error.
    pub matrices: Vec<Name>,
    /// The generators: one, if there is no error.
    pub generators: Vec<Generator>,
    /// Whether a statement of the block could not be read, so that what seems to be missing may be in it.
    pub doubtful: bool,
}

/// `generator = value;`
#[derive(Clone, Debug)]
pub struct Generator {
    /// All its tokens.
    pub origin: Origin,
    /// Index names of a value by index, `|i, j| value`; empty for a matrix.
    pub indices: Vec<Name>,
    /// The value.
    pub value: Expression,
}
