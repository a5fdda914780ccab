//! The origin of an item in a text, without knowledge of what a source text is.
//!
//! In: numbers assigned by the reader of a text (the syntax layer keeps the table from [`Origin`] to tokens).
//! Out: opaque handles that travel through every later stage and come back in the labels of a diagnostic.

/// A place in the text a model was read from; [`Origin::NONE`] for models built without text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin(u32);

impl Origin {
    /// No place: the thing was not read from a text.
    pub const NONE: Origin = Origin(u32::MAX);

    /// The handle of entry `index` of a source table.
    pub const fn new(index: u32) -> Self {
        Origin(index)
    }

    /// The entry of the source table, if there is one.
    pub fn index(self) -> Option<usize> {
        (self != Self::NONE).then_some(self.0 as usize)
    }
}

/// One end of a stretch of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// A stretch of text, up to the position after its last character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// First character.
    pub start: Position,
    /// One past the last character.
    pub end: Position,
}
