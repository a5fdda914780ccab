//! Blocks from which equations are derived.
//!
//! In: the statements of a `lagrangian` or `optimal_control` block. Out: the unknowns they name, looked up, with findings about
//! everything that is missing, given twice or no unknown. What the block stands for is built by `lagrangian.rs` and
//! `optimal_control.rs`.

mod lagrangian;
mod optimal_control;

use super::items::{Value, shape};
use super::names::Entity;
use super::statements::Lowering;
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::{Symbol, UnknownId};
use crate::model::family::{Access, element_name};
use crate::model::{derivative_name, residual};
use crate::origin::Origin;
use crate::syntax::ast::{
    Derived, DerivedKind, Equation, Expression, Item, ItemKind, List, Name, Quantity, StatementKind,
};
use crate::syntax::restrict::Place;
use std::collections::BTreeMap;

/// An unknown and the name that stands for it.
#[derive(Clone, Copy)]
struct Known<'a> {
    unknown: UnknownId,
    name: &'a Name,
}

/// The statements of a block by what they say.
struct Block<'a> {
    opening: Origin,
    /// Whether a statement could not be read: nothing is said to be missing then.
    doubtful: bool,
    lists: BTreeMap<List, Vec<&'a Name>>,
    quantities: BTreeMap<Quantity, (Expression, Origin)>,
    items: &'a [Item],
}

impl<'a> Lowering<'a, '_> {
    /// Lowers a block: the statement at `position`.
    pub(super) fn derived(&mut self, position: usize, it: &'a Derived) {
        let block = self.block(it);
        match it.kind {
            DerivedKind::Lagrangian => self.lagrangian(position, &block),
            DerivedKind::OptimalControl => self.optimal_control(position, &block),
        }
    }

    /// Sorts the statements; several lists of the same kind are one, several values for the same quantity an error.
    fn block(&mut self, it: &'a Derived) -> Block<'a> {
        let mut block = Block {
            opening: it.opening,
            doubtful: it.doubtful,
            lists: BTreeMap::new(),
            quantities: BTreeMap::new(),
            items: &it.items,
        };
        for item in &it.items {
            match &item.kind {
                ItemKind::List(list, names) => block.lists.entry(*list).or_default().extend(names),
                ItemKind::Quantity(quantity, value) => match block.quantities.get(quantity) {
                    Some((_, first)) => {
                        let message = format!("`{}` is given twice", quantity.word());
                        let finding = Diagnostic::error(Code::RepeatedPart, message)
                            .label(item.origin, "given again")
                            .label(*first, "first given here");
                        self.found.push(finding.help("add the two, or remove one of them"));
                    }
                    None => _ = block.quantities.insert(*quantity, (*value, item.origin)),
                },
                ItemKind::Force(..) | ItemKind::Constraint(..) | ItemKind::Dynamics(_) | ItemKind::Horizon(..) => {}
            }
        }
        block
    }

    /// The unknowns of a list that play no other part in any block.
    fn list(&mut self, block: &Block<'a>, list: List) -> Vec<Option<Known<'a>>> {
        let names = block.lists.get(&list).cloned().unwrap_or_default();
        names.into_iter().map(|name| self.part(name, list.member())).collect()
    }

    /// The unknown that `name` stands for, which is to play the part of `what` and no other.
    fn part(&mut self, name: &'a Name, what: &'static str) -> Option<Known<'a>> {
        let unknown = self.declared_unknown(name, what)?;
        if let Some((first, earlier)) = self.parts.get(&unknown) {
            let message = if *earlier == what {
                format!("`{}` is a {what} twice", name.text)
            } else {
                format!("`{}` cannot be a {what}: it is a {earlier} already", name.text)
            };
            let finding = Diagnostic::error(Code::RepeatedPart, message)
                .label(name.origin, "named again")
                .label(*first, "first named here");
            self.found.push(finding.help("every part needs an unknown of its own"));
            return None;
        }
        self.parts.insert(unknown, (name.origin, what));
        Some(Known { unknown, name })
    }

    /// The unknown that `name` stands for.
    fn declared_unknown(&mut self, name: &Name, what: &str) -> Option<UnknownId> {
        let Some(entry) = self.names.get(&name.text) else {
            if !self.written.doubtful.contains(&name.text) {
                let finding = self.resolver.unknown_name(&name.text, name.origin);
                let declare = format!("declare it with `var {} ~ guess;`", name.text);
                self.found.push(if finding.help.as_deref().is_some_and(|help| help.starts_with("did")) {
                    finding
                } else {
                    finding.help(declare)
                });
            }
            return None;
        };
        match entry.entity {
            Entity::Unknown(unknown) => self.scalar_unknown(unknown.index(), name, what),
            other => {
                let message = format!("a {what} is an unknown, and `{}` is {}", name.text, other.noun());
                let finding = Diagnostic::error(Code::NotAnUnknown, message)
                    .label(name.origin, "not an unknown")
                    .label(entry.origin, format!("`{}` is declared here", name.text))
                    .help(format!("declare it with `var {} ~ guess;`", name.text));
                self.found.push(finding);
                None
            }
        }
    }

    /// The leaf of an unknown that is no array.
    fn scalar_unknown(&mut self, array: usize, name: &Name, what: &str) -> Option<UnknownId> {
        let extents = self.evaluator.shapes.unknowns.get(array)?.clone()?;
        if extents.is_empty() {
            return Some(self.evaluator.leaves.access(Access { array, indices: Vec::new() }));
        }
        let message = format!("a {what} is a number, and `{}` is {}", name.text, shape(&extents));
        let finding = Diagnostic::error(Code::ArrayShape, message).label(name.origin, "an array");
        self.found.push(finding.help("declare an unknown for each element that takes part in the block"));
        None
    }

    /// Reports that a part of a block is missing, unless it may be in a statement that could not be read.
    fn missing(&mut self, block: &Block<'_>, message: String, help: &str) {
        if !block.doubtful {
            let finding = Diagnostic::error(Code::IncompleteDerivation, message).label(block.opening, "in this block");
            self.found.push(finding.help(help));
        }
    }

    /// Two lists whose members belong together, by position.
    fn pairs(&mut self, block: &Block<'a>, first: List, second: List) -> Option<()> {
        let count = |list: List| block.lists.get(&list).map_or(0, Vec::len);
        if count(first) == count(second) {
            return Some(());
        }
        let (n, m) = (count(first), count(second));
        let message = format!("the number of {}, {m}, is not that of {}, {n}", second.word(), first.word());
        let help = format!("name one {} for each {}, in the same order", second.member(), first.member());
        self.missing(block, message, &help);
        None
    }

    /// The residual of an equation of a block, with its unknowns as written.
    fn residual(&mut self, it: &Equation, position: usize) -> Option<Value> {
        let left = self.value(it.left, position, Place::Equation)?;
        let right = self.value(it.right, position, Place::Equation)?;
        let unknowns = self.evaluator.sets.union([left.unknowns, right.unknowns]);
        Some(Value { expr: residual(&mut self.evaluator.dag, left.expr, right.expr), unknowns })
    }

    /// Names of all leaves that are unknowns; unknowns of later statements are in no model yet.
    fn unknown_names(&self) -> Vec<String> {
        let variables = self.written.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Variable(it) => Some(it.name.text.as_str()),
            _ => None,
        });
        let variables: Vec<&str> = variables.collect();
        let name = |access: &Access| {
            let indices: Vec<i64> = access.indices.iter().map(|index| index.constant).collect();
            element_name(variables.get(access.array).copied().unwrap_or("?"), &indices)
        };
        self.evaluator.leaves.accesses.iter().map(name).collect()
    }
}

/// A derivative of an unknown as the user writes it.
fn symbol_name(unknowns: &[String], symbol: Symbol) -> String {
    match symbol {
        Symbol::Unknown { unknown, order } => {
            derivative_name(unknowns.get(unknown.index()).map_or("?", String::as_str), order)
        }
        _ => "?".to_string(),
    }
}
