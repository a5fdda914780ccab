//! Expressions under construction.
//!
//! In: brackets, words and operators as the parser meets them. Out: a stack of frames, each a sum whose last product is
//! still growing, below the comparisons and logical operators that join sums; the frame records what opened it, and so
//! what may close it.

use super::ast::{CallForm, Comparison, Limit, Name, NodeId, Power, Sign};

/// A finished operand and its tokens.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub(super) node: NodeId,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The finished parts of a condition: `(or) || (and) && left < …`.
pub(super) struct Logic {
    pub(super) start: usize,
    /// Alternatives before the last `||`.
    pub(super) alternatives: Vec<NodeId>,
    /// Where the current alternative starts; `conditions` are those in it before the last `&&`.
    pub(super) alternative_start: usize,
    pub(super) conditions: Vec<NodeId>,
    /// The left side of a comparison.
    pub(super) compared: Option<(Comparison, Operand)>,
}

impl Logic {
    pub(super) fn new(start: usize) -> Self {
        Logic { start, alternatives: Vec::new(), alternative_start: start, conditions: Vec::new(), compared: None }
    }

    pub(super) fn start(&self) -> usize {
        self.start
    }
}

/// The part of a conditional that is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Condition,
    Value,
    Otherwise,
}

/// A conditional under construction.
pub(super) struct Cases {
    /// Its `if`.
    pub(super) start: usize,
    pub(super) part: Part,
    pub(super) cases: Vec<(NodeId, NodeId)>,
    /// The condition whose value is being read.
    pub(super) condition: Option<NodeId>,
}

impl Cases {
    pub(super) fn reads_condition(&self) -> bool {
        self.part == Part::Condition
    }
}

/// The construct that opened a sum.
pub(super) enum Opener {
    Statement,
    If(Cases),
    /// An end of the range of a `for`.
    Bound,
    /// The condition of an `if` around statements.
    Condition,
    /// The value of a function, where its body has no more statements.
    Body,
    Group {
        open: usize,
    },
    Call {
        function: Name,
        form: CallForm,
        start: usize,
        arguments: Vec<NodeId>,
    },
    /// `value(`
    At {
        value: NodeId,
        start: usize,
    },
    /// `array[`
    Index {
        array: NodeId,
        start: usize,
    },
    /// `[`
    List {
        open: usize,
        items: Vec<NodeId>,
    },
    /// `[value;`
    Repeat {
        open: usize,
        value: NodeId,
    },
    /// `sum(variable in`
    Range {
        variable: Name,
        start: usize,
        stage: RangeStage,
    },
}

/// Which part of `sum(variable in start..end => body)` is under construction.
#[derive(Clone, Copy)]
pub(super) enum RangeStage {
    Start,
    End { start: NodeId, limit: Limit },
    Body { head: NodeId },
}

/// A sum under construction.
pub(super) struct Frame {
    pub(super) opener: Opener,
    pub(super) logic: Logic,
    pub(super) sum_start: usize,
    pub(super) terms: Vec<(Sign, NodeId)>,
    pub(super) sign: Sign,
    pub(super) product_start: usize,
    pub(super) factors: Vec<(Power, NodeId)>,
    pub(super) power: Power,
    pub(super) unary: Vec<(Unary, usize)>,
}

/// The operator before an operand.
#[derive(Clone, Copy)]
pub(super) enum Unary {
    Minus,
    Not,
}

impl Frame {
    pub(super) fn new(opener: Opener, start: usize) -> Self {
        Frame {
            opener,
            logic: Logic::new(start),
            sum_start: start,
            terms: Vec::new(),
            sign: Sign::Plus,
            product_start: start,
            factors: Vec::new(),
            power: Power::Multiply,
            unary: Vec::new(),
        }
    }

    /// Starts the sum of the next argument, element, case or part of a range.
    pub(super) fn restart(&mut self, start: usize) {
        let opener = std::mem::replace(&mut self.opener, Opener::Statement);
        *self = Frame::new(opener, start);
    }

    /// Starts the sum after a comparison or a logical operator.
    pub(super) fn next_sum(&mut self, start: usize) {
        (self.sum_start, self.product_start) = (start, start);
        (self.sign, self.power) = (Sign::Plus, Power::Multiply);
    }
}

/// The sums under construction, with the innermost held separately.
pub(super) struct Stack {
    pub(super) outer: Vec<Frame>,
    pub(super) top: Frame,
}

impl Stack {
    pub(super) fn push(&mut self, opener: Opener, start: usize) {
        self.outer.push(std::mem::replace(&mut self.top, Frame::new(opener, start)));
    }

    /// Whether a condition is under construction, not the values that it selects.
    pub(super) fn in_condition(&self) -> bool {
        let decides = |frame: &Frame| match &frame.opener {
            Opener::If(cases) => Some(cases.reads_condition()),
            Opener::Condition => Some(true),
            Opener::Statement
            | Opener::Body
            | Opener::Bound
            | Opener::Group { .. }
            | Opener::Call { .. }
            | Opener::At { .. }
            | Opener::Index { .. }
            | Opener::List { .. }
            | Opener::Repeat { .. }
            | Opener::Range { .. } => None,
        };
        decides(&self.top).or_else(|| self.outer.iter().rev().find_map(decides)).unwrap_or(false)
    }

    /// Whether the expression that starts at this token is the first of a block: there Rust ends a statement after the
    /// last brace of an `if`.
    pub(super) fn heads_a_block(&self, start: usize) -> bool {
        let is_block = match &self.top.opener {
            Opener::If(cases) => !cases.reads_condition(),
            Opener::Body => true,
            Opener::Statement
            | Opener::Condition
            | Opener::Bound
            | Opener::Group { .. }
            | Opener::Call { .. }
            | Opener::At { .. }
            | Opener::Index { .. }
            | Opener::List { .. }
            | Opener::Repeat { .. }
            | Opener::Range { .. } => false,
        };
        is_block && self.top.logic.start() == start
    }

    pub(super) fn pop(&mut self) -> Option<Opener> {
        let outer = self.outer.pop()?;
        Some(std::mem::replace(&mut self.top, outer).opener)
    }
}

/// The parser's next step after an operand.
pub(super) enum Next {
    Operand,
    Continue(Operand),
    Finished(NodeId),
}

/// What has to follow to close the frame, for messages.
pub(super) fn closing(frame: &Frame) -> &'static str {
    match frame.opener {
        Opener::Index { .. } | Opener::List { .. } | Opener::Repeat { .. } => "`]`",
        Opener::Range { stage: RangeStage::Start, .. } => "`..` and the end of the range",
        Opener::Range { stage: RangeStage::End { .. }, .. } => "`=>` and what is summed",
        _ => "`)`",
    }
}
