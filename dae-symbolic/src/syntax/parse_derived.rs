//! Tokens to the blocks from which equations are derived, and that of boundary conditions.
//!
//! In: the cursor at `lagrangian {`, `hamiltonian {`, `optimal_control {` or `boundary {`. Out: the statements of the block. The words that open these
//! statements have a meaning in such a block only. A statement with an error is reported and skipped up to its `;`.

use super::ast::{
    Comparison, Derived, DerivedKind, Element, Equation, Expression, Item, ItemKind, List, Node, NodeId, Quantity,
    Relation, StatementKind,
};
use super::cursor::Look;
use super::parse_model::Ending;
use super::parser::{Parsed, Parser, Reported};
use super::{suggest, validate};
use crate::diagnostic::{Code, Diagnostic};
use crate::origin::Origin;
use proc_macro2::Delimiter;

/// The statement that a word opens.
#[derive(Clone, Copy)]
enum Opens {
    List(List),
    Quantity(Quantity),
    Force,
    Constraint,
    Dynamics,
    Horizon,
    Invariant,
    Condition,
    Free,
}

/// The block around a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Block,
    For,
}

impl DerivedKind {
    /// The words that open statements of a block.
    fn statements(self) -> Vec<(&'static str, Opens)> {
        let list = |list: List| (list.word(), Opens::List(list));
        let quantity = |quantity: Quantity| (quantity.word(), Opens::Quantity(quantity));
        match self {
            DerivedKind::Lagrangian => vec![
                list(List::Coordinates),
                list(List::Velocities),
                quantity(Quantity::Kinetic),
                quantity(Quantity::Potential),
                quantity(Quantity::Lagrangian),
                quantity(Quantity::Dissipation),
                ("constraint", Opens::Constraint),
                ("force", Opens::Force),
                ("invariant", Opens::Invariant),
            ],
            DerivedKind::Hamiltonian => vec![
                list(List::Coordinates),
                list(List::Momenta),
                quantity(Quantity::Kinetic),
                quantity(Quantity::Potential),
                quantity(Quantity::Hamiltonian),
                ("constraint", Opens::Constraint),
                ("force", Opens::Force),
                ("invariant", Opens::Invariant),
            ],
            DerivedKind::OptimalControl => vec![
                list(List::States),
                list(List::Adjoints),
                list(List::Controls),
                ("der", Opens::Dynamics),
                quantity(Quantity::RunningCost),
                quantity(Quantity::TerminalCost),
                ("constraint", Opens::Constraint),
                quantity(Quantity::Barrier),
                ("horizon", Opens::Horizon),
            ],
            DerivedKind::Boundary => vec![("horizon", Opens::Horizon), ("free", Opens::Free)],
        }
    }

    /// The syntax of the equations of a block, for messages.
    fn equations(self) -> &'static str {
        match self {
            DerivedKind::Lagrangian | DerivedKind::Hamiltonian => {
                "constraints are written `constraint(lambda) left = right;`, other equations beside the block"
            }
            DerivedKind::OptimalControl => {
                "dynamics are written `der(y) = …;`, constraints `constraint(mu) left <= right;`, other equations beside the block"
            }
            DerivedKind::Boundary => "conditions are written `y(t0) = …;`, equations beside the block",
        }
    }
}

impl Parser {
    /// `lagrangian { … }` and its kin.
    pub(super) fn derived(&mut self, kind: DerivedKind) -> Parsed<(StatementKind, Ending)> {
        let opening = self.here();
        self.cursor.advance();
        let close = self.expect_open(Delimiter::Brace, "`{`")?;
        let statements = kind.statements();
        let mut derived = Derived { kind, opening, items: Vec::new(), doubtful: false };
        // Where the block and the open `for`s in it end, and the items that are the heads of these.
        let mut blocks: Vec<(usize, Option<usize>)> = vec![(close, None)];
        while let Some(&(end, head)) = blocks.last() {
            self.cursor.skip_invisible();
            if self.cursor.position() >= end {
                blocks.pop();
                self.end_loop(head, end, &mut derived.items);
                continue;
            }
            if self.cursor.accept(";") {
                continue;
            }
            let start = self.cursor.position();
            match self.item(kind, &statements, &mut derived, head.map_or(Around::Block, |_| Around::For)) {
                Ok(Some(end)) => blocks.push((end, Some(derived.items.len() - 1))),
                Ok(None) => {}
                Err(_) => {
                    derived.doubtful = true;
                    self.skip_item(start, end);
                }
            }
        }
        self.cursor.set_position(close + 1);
        Ok((StatementKind::Derived(derived), Ending::Block))
    }

    /// Moves past the closing brace of a `for` and records its length in the head.
    fn end_loop(&mut self, head: Option<usize>, close: usize, items: &mut [Item]) {
        let Some(head) = head else { return };
        self.cursor.set_position(close + 1);
        let inside = items.len() - 1 - head;
        if let ItemKind::For(it) = &mut items[head].kind {
            it.statements = inside;
        }
    }

    /// Reads the statements of a block that ends with the brace at `close`, each from its start on, and moves past it;
    /// broken ones are skipped. Returns whether none is broken.
    pub(super) fn each_item(&mut self, close: usize, mut read: impl FnMut(&mut Self, usize) -> Parsed<()>) -> bool {
        let mut is_whole = true;
        loop {
            self.cursor.skip_invisible();
            if self.cursor.position() >= close {
                break;
            }
            if self.cursor.accept(";") {
                continue;
            }
            let start = self.cursor.position();
            if read(self, start).is_err() {
                is_whole = false;
                self.skip_item(start, close);
            }
        }
        self.cursor.set_position(close + 1);
        is_whole
    }

    /// Skips the rest of a broken statement, up to its `;` or the end of the block.
    pub(super) fn skip_item(&mut self, start: usize, close: usize) {
        self.cursor.set_position(start);
        while self.cursor.position() < close {
            match (self.cursor.look(0), self.cursor.closing()) {
                (Look::Operator(";"), _) => return self.cursor.advance(),
                (Look::Open(Delimiter::None), _) | (_, None) => self.cursor.advance(),
                (_, Some(end)) => self.cursor.set_position(end + 1),
            }
        }
    }

    /// Reads one statement; gives the end of its body if it is a `for`, otherwise `None`.
    fn item(
        &mut self,
        kind: DerivedKind,
        statements: &[(&str, Opens)],
        derived: &mut Derived,
        around: Around,
    ) -> Parsed<Option<usize>> {
        let attributes = self.attributes()?;
        if let Some((_, at)) = attributes.nominal {
            self.misplaced_nominal(at);
        }
        self.cursor.skip_invisible();
        let start = self.cursor.position();
        if self.cursor.at_word("for") {
            let (head, ending) = self.for_head()?;
            let (StatementKind::For(it), Ending::Opens(close)) = (head, ending) else { return Err(Reported) };
            let origin = self.since(start);
            derived.items.push(Item { docs: attributes.docs, origin, kind: ItemKind::For(it) });
            return Ok(Some(close));
        }
        let opens = match self.cursor.look(0) {
            // Unknowns may have the names of these words.
            Look::Word(word) if kind == DerivedKind::Boundary => Some(match (word, self.cursor.look(1)) {
                ("free", Look::Word(_)) => Opens::Free,
                ("horizon", _) if self.cursor.group_ends_before(1, ";") => Opens::Horizon,
                (word, Look::Word(_)) if validate::STATEMENT_WORDS.contains(&word) => {
                    return Err(self.no_item(kind, statements));
                }
                _ => Opens::Condition,
            }),
            Look::Literal(_) | Look::Open(_) | Look::Operator("-") if kind == DerivedKind::Boundary => {
                Some(Opens::Condition)
            }
            Look::Word(word) => statements.iter().find(|(known, _)| *known == word).map(|&(_, opens)| opens),
            _ => None,
        };
        let Some(opens) = opens else { return Err(self.no_item(kind, statements)) };
        let content = match opens {
            Opens::List(_) | Opens::Quantity(_) | Opens::Horizon | Opens::Invariant | Opens::Free
                if around == Around::For =>
            {
                let at = self.here();
                return Err(self.fail(validate::not_inside_derived_for(at)));
            }
            Opens::List(list) => self.list(list)?,
            Opens::Quantity(quantity) => self.quantity(quantity)?,
            Opens::Force => {
                self.cursor.advance();
                let coordinate = self.in_parentheses("the coordinate that the force acts on")?;
                self.expect("=", "`=` and the force")?;
                let value = self.expression()?;
                ItemKind::Force(coordinate, value)
            }
            Opens::Constraint => self.constraint(kind)?,
            Opens::Dynamics => ItemKind::Dynamics(self.whole_equation()?),
            Opens::Horizon => self.horizon()?,
            Opens::Invariant => self.conserved()?,
            Opens::Condition => ItemKind::Condition(self.whole_equation()?),
            Opens::Free => self.free()?,
        };
        let origin = self.since(start);
        derived.items.push(Item { docs: attributes.docs, origin, kind: content });
        self.semicolon()?;
        Ok(None)
    }

    /// Reports a token that does not open a statement of the block.
    fn no_item(&mut self, kind: DerivedKind, statements: &[(&str, Opens)]) -> Reported {
        let block = kind.word();
        let Look::Word(word) = self.cursor.look(0) else {
            let at = self.here();
            let message = format!("this opens no statement of a `{block}` block");
            let finding = Diagnostic::error(Code::UnexpectedToken, message).label(at, "not allowed here");
            return self.fail(finding.help(kind.equations()));
        };
        let word = word.to_string();
        let at = self.here();
        let words = statements.iter().map(|(known, _)| *known);
        let finding =
            Diagnostic::error(Code::UnexpectedToken, format!("`{word}` opens no statement of a `{block}` block"))
                .label(at, "not known here");
        let finding = match suggest::nearest(&word, words.clone()) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None if validate::STATEMENT_WORDS.contains(&word.as_str()) => {
                finding.help("declarations stand in the model itself, before or after the block")
            }
            None => finding.help(kind.equations()),
        };
        let known: Vec<String> = words.map(|word| format!("`{word}`")).collect();
        self.fail(finding.note(format!("its statements open with {}", known.join(", "))))
    }

    /// `coordinates x, y`
    fn list(&mut self, list: List) -> Parsed<ItemKind> {
        self.cursor.advance();
        let expected = format!("the name of a {}", list.member());
        let mut names = vec![self.declared_name(&expected)?];
        while self.cursor.accept(",") {
            if self.cursor.at_operator(";") {
                break;
            }
            names.push(self.declared_name(&expected)?);
        }
        Ok(ItemKind::List(list, names))
    }

    /// `kinetic = …`
    fn quantity(&mut self, quantity: Quantity) -> Parsed<ItemKind> {
        self.cursor.advance();
        self.expect("=", "`=` and an expression")?;
        Ok(ItemKind::Quantity(quantity, self.expression()?))
    }

    /// `(name)` or `(name[i])`
    fn in_parentheses(&mut self, what: &str) -> Parsed<Element> {
        let close = self.expect_open(Delimiter::Parenthesis, &format!("`(` and {what}"))?;
        self.cursor.skip_invisible();
        let name = self.declared_name(what)?;
        let indices = self.element()?;
        self.cursor.skip_invisible();
        if self.cursor.position() != close {
            return Err(self.unexpected("`)`"));
        }
        self.cursor.advance();
        Ok(Element { name, indices })
    }

    /// `constraint(lambda) left = right`; with `<=` or `>=` if the block may contain inequalities.
    fn constraint(&mut self, kind: DerivedKind) -> Parsed<ItemKind> {
        let word = self.here();
        self.cursor.advance();
        if self.cursor.look(0) != Look::Open(Delimiter::Parenthesis) {
            let finding =
                Diagnostic::error(Code::IncompleteDerivation, "a constraint needs the name of its multiplier")
                    .label(word, "expected `(name)` after this")
                    .help("declare `var lambda ~ 0;` and write `constraint(lambda) left = right;`");
            return Err(self.fail(finding));
        }
        let multiplier = self.in_parentheses("the name of the multiplier")?;
        if self.cursor.at_operator("=") {
            let finding = Diagnostic::error(Code::MissingEquals, "a constraint is an equation with two sides")
                .label(word, "not like this")
                .help(format!("write `constraint({}) left = right;`", multiplier.name.text));
            return Err(self.fail(finding));
        }
        let comparisons = self.cursor.comparisons();
        let Some(&first) = comparisons.first() else {
            return Ok(ItemKind::Constraint(multiplier, Relation::Equal, self.whole_equation()?));
        };
        let here = self.cursor.position();
        let origins: Vec<Origin> = comparisons.iter().map(|&at| self.sources.range(here + at, here + at)).collect();
        if kind != DerivedKind::OptimalControl {
            let message = format!("a constraint of a `{}` block is an equation", kind.word());
            let finding = Diagnostic::error(Code::MissingEquals, message).label(origins[0], "expected `=`");
            return Err(self.fail(finding.help(format!("write `constraint({}) left = right;`", multiplier.name.text))));
        }
        if let Some(&second) = origins.get(1) {
            let finding = Diagnostic::error(Code::UnexpectedToken, "a constraint is a single comparison");
            let finding = finding.label(second, "second comparison").label(origins[0], "first comparison");
            return Err(self.fail(finding.help("write two constraints, each with a multiplier of its own")));
        }
        let (relation, sides) = self.inequality(here + first)?;
        Ok(ItemKind::Constraint(multiplier, relation, sides))
    }

    /// `left <= right` or `left >= right`, with the operator at the position `at`.
    fn inequality(&mut self, at: usize) -> Parsed<(Relation, Equation)> {
        let whole = self.comparison_statement()?;
        let Node::Comparison(comparison, left, right) = *self.expressions.node(whole.root) else {
            return Err(self.unexpected("a comparison"));
        };
        let relation = match comparison {
            Comparison::LessOrEqual => Relation::AtMost,
            Comparison::GreaterOrEqual => Relation::AtLeast,
            Comparison::Less | Comparison::Greater | Comparison::Equal | Comparison::NotEqual => {
                let at = self.sources.range(at, at);
                let finding =
                    Diagnostic::error(Code::UnsupportedOperator, "constraints are written with `<=`, `>=` or `=`");
                let finding = finding.label(at, "not with this");
                return Err(self.fail(finding.help("a constraint that is an inequality holds with equality, too")));
            }
        };
        // The nodes of the right side follow those of the left one.
        let next = NodeId(left.0 + 1);
        let (left, right) = (Expression { first: whole.first, root: left }, Expression { first: next, root: right });
        Ok((relation, Equation { left: Some(left), right: Some(right) }))
    }

    /// An equation with two readable sides.
    pub(super) fn whole_equation(&mut self) -> Parsed<Equation> {
        match self.equation()? {
            (StatementKind::Equation(equation), Ending::Semicolon) => Ok(equation),
            _ => Err(Reported),
        }
    }

    /// `free a, t_end`
    fn free(&mut self) -> Parsed<ItemKind> {
        self.cursor.advance();
        let mut names = vec![self.declared_name("the name of a parameter, or `t_end`")?];
        while self.cursor.accept(",") {
            if self.cursor.at_operator(";") {
                break;
            }
            names.push(self.declared_name("the name of a parameter, or `t_end`")?);
        }
        Ok(ItemKind::Free(names))
    }

    /// `invariant name`
    fn conserved(&mut self) -> Parsed<ItemKind> {
        self.cursor.advance();
        let name = self.declared_name("a name for the energy, which is constant")?;
        if self.cursor.at_operator("=") {
            let at = self.here();
            let finding = Diagnostic::error(Code::UnexpectedToken, "an invariant of a block is its energy")
                .label(at, "expected `;`")
                .help("write `invariant name;` here, and invariants with expressions beside the block");
            return Err(self.fail(finding));
        }
        Ok(ItemKind::Invariant(name))
    }

    /// `horizon(from, to)`
    fn horizon(&mut self) -> Parsed<ItemKind> {
        self.cursor.advance();
        self.expect_open(Delimiter::Parenthesis, "`(`, the first and the last time")?;
        let from = self.expression()?;
        self.expect(",", "`,` and the last time")?;
        let to = self.expression()?;
        if !matches!(self.cursor.look(0), Look::Close(Delimiter::Parenthesis)) {
            return Err(self.unexpected("`)`"));
        }
        self.cursor.advance();
        Ok(ItemKind::Horizon(from, to))
    }
}
