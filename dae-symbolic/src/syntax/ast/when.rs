//! `when` blocks as they are written.

use super::{Equation, Expression, Name};
use crate::origin::Origin;

/// `when condition { … }`: what happens as the condition becomes true.
#[derive(Clone, Debug)]
pub struct When {
    /// The word that opens the block.
    pub opening: Origin,
    /// When it happens.
    pub trigger: Trigger,
    /// The condition as text.
    pub name: String,
    /// The mode variable in one of whose alternatives it stands, by position, in the text in one mode.
    pub within: Option<usize>,
    /// Whether the condition compares a mode variable, in the text in one mode: then it may be the same throughout the mode.
    pub depends_on_mode: bool,
    /// The statements of the block, in the order of the text.
    pub items: Vec<WhenItem>,
    /// `limit { … }`: what happens at the time at which the event accumulates.
    pub limit: Option<Limiting>,
}

/// `limit { … }` in a `when` block.
#[derive(Clone, Debug)]
pub struct Limiting {
    /// The word that opens the block.
    pub opening: Origin,
    /// Its statements.
    pub items: Vec<WhenItem>,
}

/// When something happens.
#[derive(Clone, Copy, Debug)]
pub enum Trigger {
    /// As the condition becomes true.
    Condition(Expression),
    /// `sample(period)` or `sample(first, period)`: at the multiples of the period, or at the first time and periodically
    /// after it.
    Sample {
        /// The first time; a multiple of the period if none is given.
        first: Option<Expression>,
        /// The time from one sample to the next.
        period: Expression,
    },
}

/// A statement of a `when` block.
#[derive(Clone, Debug)]
pub struct WhenItem {
    /// All its tokens.
    pub origin: Origin,
    /// The content of the statement.
    pub kind: WhenItemKind,
}

/// The content of a statement of a `when` block.
#[derive(Clone, Debug)]
pub enum WhenItemKind {
    /// `x = value;`: the value of an unknown after the event.
    Change(Equation),
    /// `clutch = engaged;`: a mode variable gets an alternative; found in the text in one mode.
    Enter {
        /// The mode variable, by position.
        variable: usize,
        /// The indices of the instance; none in the loops around its block.
        indices: Vec<Expression>,
        /// The alternative; without a name if what stands there is no name.
        alternative: Name,
    },
    /// `inelastic;`: hidden constraints of the mode that is entered act as impulses.
    Inelastic,
    /// `note "text";`
    Note(String),
    /// `terminate "text";`
    Terminate(String),
}
