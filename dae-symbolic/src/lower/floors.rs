//! `floor`, `ceil` and `rem_euclid`.
//!
//! In: their arguments. Out: expressions with `floor` of one argument. Where this does not change between events (it is
//! made of numbers, parameters and values before an event), that is the function itself. Elsewhere it is a discrete
//! variable, of which an event takes the place of each jump: it occurs where the argument leaves the interval
//! $[n, n + 1)$, and also where a run or a mode begins with the argument outside of it.

use super::derived::access_name;
use super::evaluate::{Evaluator, Task};
use super::incidence::SetId;
use super::items::Value;
use super::lowering::Lowering;
use super::rounding::{Floor, Rounding};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{
    Expr, Function, Node as Kernel, Notation, Rational, SUPERSCRIPTS, Symbol, UnknownId, print, reachable,
};
use crate::expr::{substitute, symbols};
use crate::model::family::{Access, Body, TimeInvariant, UnknownArray};
use crate::model::{Change, Event, Trigger, derivative_name};
use crate::syntax::ast::{Node, NodeId};

/// The largest length of a name that is made of an argument.
const LONGEST_NAME: usize = 40;

impl Evaluator<'_> {
    /// `floor(a)`, `ceil(a)`, `rem_euclid(a, b)`.
    pub(super) fn rounded(
        &mut self,
        (task, id): (&Task, NodeId),
        node: &Node,
        rounding: Rounding,
        found: &mut Diagnostics,
    ) -> Option<Value> {
        self.floors.are_any = true;
        let Node::Call { arguments, .. } = node else { return None };
        let values = self.scalars(task, arguments, found)?;
        let unknowns = self.sets.union(values.iter().map(|value| value.unknowns));
        let (&first, last) = (values.first()?, values.last()?);
        match rounding {
            Rounding::Floor => self.floor(first.expr, unknowns, id, found),
            Rounding::Ceil => {
                let opposite = self.dag.neg(first.expr);
                let floor = self.floor(opposite, unknowns, id, found)?;
                Some(Value { expr: self.dag.neg(floor.expr), ..floor })
            }
            Rounding::RemEuclid => {
                if self.dag.is_zero(last.expr) {
                    let at = self.expressions.origin(arguments[1]);
                    let finding = Diagnostic::error(Code::DivisionByZero, "division by zero");
                    self.report(id, finding.label(at, "this is exactly zero"), found);
                    return None;
                }
                let size = self.dag.apply(Function::Abs, &[last.expr]);
                let quotient = self.dag.div(first.expr, size);
                let floor = self.floor(quotient, unknowns, id, found)?;
                let whole = self.dag.mul(size, floor.expr);
                let unknowns = self.sets.union([unknowns, floor.unknowns]);
                Some(Value { expr: self.dag.sub(first.expr, whole), unknowns })
            }
        }
    }

    /// The integer part of an expression, in which these unknowns stand.
    fn floor(&mut self, argument: Expr, unknowns: SetId, id: NodeId, found: &mut Diagnostics) -> Option<Value> {
        if self.floors.are_values || self.dag.is_time_invariant(argument) {
            return Some(Value { expr: self.dag.apply(Function::Floor, &[argument]), unknowns });
        }
        if !self.instance && self.depends_on_loops(argument) {
            self.varying = true;
            return None;
        }
        let origin = self.expressions.origin(id);
        let is_foreign =
            |expr: Expr| matches!(self.dag.node(expr), Kernel::Call(..) | Kernel::Symbol(Symbol::Input { .. }));
        if reachable(&self.dag, [argument]).into_iter().any(is_foreign) {
            let message = "this jumps at events, which contain no input, table or external function";
            let finding = Diagnostic::error(Code::InvalidEvent, message).label(origin, "of which it is not known when");
            self.report(id, finding.help("declare an unknown for the argument: `var u; u = …;`"), found);
            return None;
        }
        let known = self.floors.list.iter().find(|known| known.argument == argument);
        let unknown = known.map(|known| known.unknown).unwrap_or_else(|| {
            let array = self.shapes.unknowns.len();
            self.shapes.unknowns.push(Some(Vec::new()));
            let unknown = self.leaves.access(Access { array, indices: Vec::new() });
            self.floors.list.push(Floor { array, unknown, argument, origin });
            unknown
        });
        Some(self.leaf(Symbol::Unknown { unknown, order: 0 }))
    }

    /// Whether an expression is different for different values of the loop variables around it.
    fn depends_on_loops(&self, expr: Expr) -> bool {
        let varies = |access: &Access| access.indices.iter().any(|index| !index.coefficients.is_empty());
        symbols(&self.dag, [expr]).into_iter().any(|symbol| match symbol {
            Symbol::Unknown { unknown, .. } => self.leaves.accesses.get(unknown.index()).is_some_and(varies),
            Symbol::Parameter(id) => match self.leaves.time_invariant.get(id.index()) {
                Some(TimeInvariant::Parameter(access) | TimeInvariant::Table(access)) => varies(access),
                Some(TimeInvariant::Index(_)) => true,
                None => false,
            },
            _ => false,
        })
    }

    /// Evaluates what follows as values at an event, or at the start, if `are` says so.
    pub(super) fn take_as_values(&mut self, are: bool) {
        self.floors.are_values = are;
        if self.floors.are_any {
            self.forget_calls();
        }
    }
}

impl Lowering<'_, '_> {
    /// The text of a discrete variable that is an integer part: `floor(2·t)`; `None` for other unknowns.
    pub(super) fn floor_text(&self, unknown: UnknownId) -> Option<String> {
        let floor = self.evaluator.floors.list.iter().find(|floor| floor.unknown == unknown)?;
        Some(format!("floor({})", self.argument_text(floor.argument)))
    }

    fn argument_text(&self, argument: Expr) -> String {
        let name = |symbol: Symbol| match symbol {
            Symbol::Unknown { unknown, order } => derivative_name(&self.leaf_name(unknown), order),
            Symbol::Parameter(id) => match self.evaluator.leaves.time_invariant.get(id.index()) {
                Some(TimeInvariant::Parameter(it)) => access_name(&self.parameter_names(), it),
                Some(TimeInvariant::Table(_) | TimeInvariant::Index(_)) | None => "?".to_string(),
            },
            Symbol::Time => "t".to_string(),
            Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => "?".to_string(),
        };
        print(&self.evaluator.dag, argument, Notation::Text, name)
    }

    /// Adds the discrete variables that are integer parts, with their events, to the model.
    pub(super) fn finish_floors(&mut self) {
        let floors = self.evaluator.floors.list.clone();
        if let (Some(first), true) = (floors.first(), self.model.boundary.is_some()) {
            let message = "this jumps at events, and a model with boundary conditions has none";
            let finding = Diagnostic::error(Code::InvalidEvent, message).label(first.origin, "changes in time");
            return self.found.push(finding.help("write the model without it"));
        }
        for floor in floors {
            self.add_floor(floor);
        }
    }

    fn add_floor(&mut self, floor: Floor) {
        let Floor { array, unknown, argument, origin } = floor;
        let text = format!("floor({})", self.argument_text(argument));
        let words = identifier(&text);
        let numbered = (2..).map(|k| format!("{words}_{k}"));
        let name = self.free_name(std::iter::once(words.clone()).chain(numbered));
        let docs = vec![format!("`{text}`, which changes at events.")];
        let value = self.floor_at_start(argument);
        let part = UnknownArray { name, docs, extents: Vec::new(), nominal: 1.0, is_discrete: true, origin };
        self.add_unknown(array, part, value);
        self.constancy(array, origin);
        // The argument is outside of [n, n + 1) where it is farther than a half from n + 1/2.
        let dag = &mut self.evaluator.dag;
        let half = dag.constant(Rational::new(1, 2).unwrap_or(Rational::ONE));
        let part = dag.symbol(Symbol::Unknown { unknown, order: 0 });
        let over = dag.sub(argument, part);
        let from_middle = dag.sub(over, half);
        let distance = dag.apply(Function::Abs, &[from_middle]);
        let crossing = dag.sub(distance, half);
        let one = dag.integer(1);
        let (is_below, is_inside) = (dag.greater(part, argument), dag.greater(one, over));
        let is_above = dag.not(is_inside);
        let holds = dag.any(&[is_below, is_above]);
        // At a bound, rounding errors do not decide: the next integer on that side, or one beyond it.
        let around = &mut self.evaluator.around;
        let before = substitute(dag, &[argument, part, from_middle], |dag, symbol| match symbol {
            Symbol::Unknown { unknown, order } => Some(dag.symbol(around.before(unknown, order))),
            _ => None,
        });
        let &[argument, part, from_middle] = before.as_slice() else { return };
        let minus_one = dag.integer(-1);
        let (next, previous) = (dag.add(part, one), dag.add(part, minus_one));
        let whole = dag.apply(Function::Floor, &[argument]);
        let (up, down) = (dag.apply(Function::Max, &[next, whole]), dag.apply(Function::Min, &[previous, whole]));
        let value = dag.apply(Function::If, &[from_middle, up, down]);
        self.model.events.list.push(Event {
            name: format!("{text} changes"),
            number: self.model.events.list.len(),
            trigger: Trigger::Condition { holds, crossing },
            changes: vec![Change { unknown, order: 0, value, origin }],
            message: None,
            is_terminal: false,
            within: None,
            depends_on_mode: false,
            occurs_on_entry: true,
            transitions: Vec::new(),
            is_inelastic: false,
            origin,
        });
    }

    /// The integer part of an argument at time zero and the start values of the text, as far as these are known: an event
    /// corrects it where a run begins.
    fn floor_at_start(&mut self, argument: Expr) -> Expr {
        let starts: Vec<(usize, u32, Expr)> = (self.model.starts.iter())
            .filter_map(|start| match &start.body {
                Body::Template(body) if body.indices.is_empty() => Some((start.unknown, start.order, body.value)),
                Body::Template(_) | Body::Pieces(_) => None,
            })
            .collect();
        let accesses = &self.evaluator.leaves.accesses;
        let at_start = substitute(&mut self.evaluator.dag, &[argument], |dag, symbol| match symbol {
            Symbol::Time => Some(dag.integer(0)),
            Symbol::Unknown { unknown, order } => {
                let access = accesses.get(unknown.index()).filter(|access| access.indices.is_empty());
                let array = access.map_or(usize::MAX, |access| access.array);
                let of_text = starts.iter().rev().find(|(of, k, _)| (*of, *k) == (array, order));
                Some(of_text.map_or_else(|| dag.integer(0), |&(.., value)| value))
            }
            _ => None,
        });
        let at_start = at_start.first().copied().filter(|&it| self.evaluator.dag.is_time_invariant(it));
        match at_start {
            Some(it) => self.evaluator.dag.apply(Function::Floor, &[it]),
            None => self.zero(),
        }
    }
}

/// A text as an identifier: `floor(2·t)` as `floor_of_2_times_t`, `floor(y²)` as `floor_of_y_to_2`.
fn identifier(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for character in with_plain_exponents(text).chars().chain(['(']) {
        if character.is_alphanumeric() || character == '_' {
            word.push(character);
            continue;
        }
        if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        let operator = match character {
            '·' | '*' => "times",
            '+' => "plus",
            '-' | '−' => "minus",
            '/' => "over",
            '^' => "to",
            '.' => "point",
            '<' | '>' => "than",
            '(' if words.len() == 1 => "of",
            _ => continue,
        };
        words.push(operator.to_string());
    }
    let all = words.join("_");
    all.chars().take(LONGEST_NAME).collect::<String>().trim_end_matches('_').to_string()
}

/// The text with superscripts, which no identifier contains, as plain digits: `y^2` for `y²`.
fn with_plain_exponents(text: &str) -> String {
    let mut plain = String::new();
    let mut is_exponent = false;
    for character in text.chars() {
        let digit = SUPERSCRIPTS.iter().zip('0'..='9').find(|(superscript, _)| **superscript == character);
        if digit.is_some() && !is_exponent {
            plain.push('^');
        }
        is_exponent = digit.is_some();
        plain.push(digit.map_or(character, |(_, digit)| digit));
    }
    plain
}
