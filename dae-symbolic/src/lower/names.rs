//! The entities that declared names stand for.
//!
//! In: statements in the order of the text. Out: a table from names to declarations, and findings about names that are
//! declared twice or belong to the language, and about mode variables that are named in a way that does not say which.

use super::rounding::Rounding;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Function, InputId, ParameterId, UnknownId};
use crate::origin::Origin;
use crate::syntax::ast::{ModeVariable, Model, Name, StatementKind};
use crate::syntax::suggest;
use std::collections::HashMap;

/// The entity that a name of the model refers to: constants, sub-expressions and functions by the position of their
/// statement, the others by their id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entity {
    Constant(usize),
    Parameter(ParameterId),
    Input(InputId),
    Definition(usize),
    Function(usize),
    /// A table or a function outside the model.
    External(usize),
    Unknown(UnknownId),
    /// A quantity that the text declares to be constant along solutions.
    Invariant,
    /// A mode variable.
    Mode,
}

impl Entity {
    /// The word for an entity of this kind, with its article.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Entity::Constant(_) => "a constant",
            Entity::Parameter(_) => "a parameter",
            Entity::Input(_) => "an input",
            Entity::Definition(_) => "a named sub-expression",
            Entity::Function(_) | Entity::External(_) => "a function",
            Entity::Unknown(_) => "an unknown",
            Entity::Invariant => "an invariant",
            Entity::Mode => "a mode variable",
        }
    }
}

/// A declaration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) entity: Entity,
    pub(super) origin: Origin,
    /// Position of its statement.
    pub(super) statement: usize,
}

/// All declarations.
#[derive(Default)]
pub(super) struct Names<'a> {
    entries: HashMap<&'a str, Entry>,
    /// Names in the order of the text, so that suggestions do not depend on hashes.
    order: Vec<&'a str>,
}

impl<'a> Names<'a> {
    /// Collects the declarations of a model. If a name is declared twice, the first declaration counts.
    pub(super) fn of(model: &'a Model, found: &mut Diagnostics) -> Self {
        let mut names = Names::default();
        let (mut parameters, mut inputs, mut unknowns) = (0, 0, 0);
        let mut inside = 0;
        for (statement, content) in model.statements.iter().enumerate() {
            // Declarations inside a block hold in its body only.
            match &content.kind {
                StatementKind::For(it) => inside = inside.max(statement + 1 + it.statements),
                StatementKind::Branch(it) => inside = inside.max(statement + 1 + it.statements),
                StatementKind::Initial(it) => inside = inside.max(statement + 1 + it.statements),
                _ => {}
            }
            if statement < inside {
                continue;
            }
            let (name, entity) = match &content.kind {
                StatementKind::Constant(it) => (&it.name, Entity::Constant(statement)),
                StatementKind::Parameter(it) => (&it.name, Entity::Parameter(ParameterId(next(&mut parameters)))),
                StatementKind::Input(it) => (&it.name, Entity::Input(InputId(next(&mut inputs)))),
                StatementKind::Supplied(name) => (name, Entity::Input(InputId(next(&mut inputs)))),
                StatementKind::Table(it) => (&it.name, Entity::External(statement)),
                StatementKind::External(it) => (&it.name, Entity::External(statement)),
                StatementKind::Definition(it) => (&it.name, Entity::Definition(statement)),
                StatementKind::Function(it) => (&it.name, Entity::Function(statement)),
                StatementKind::Variable(it) => (&it.name, Entity::Unknown(UnknownId(next(&mut unknowns)))),
                StatementKind::Invariant(it) => (&it.name, Entity::Invariant),
                StatementKind::Start(_)
                | StatementKind::Equation(_)
                | StatementKind::For(_)
                | StatementKind::Branch(_)
                | StatementKind::When(_)
                | StatementKind::Initial(_)
                | StatementKind::Derived(_)
                | StatementKind::LieGroup(_)
                | StatementKind::Modes(_)
                | StatementKind::Alternative(_)
                | StatementKind::Inactive { .. }
                | StatementKind::Forms(_) => continue,
            };
            names.declare(name, Entry { entity, origin: name.origin, statement }, found);
        }
        for ModeVariable { name, .. } in &model.modes {
            names.declare(name, Entry { entity: Entity::Mode, origin: name.origin, statement: 0 }, found);
        }
        names
    }

    fn declare(&mut self, name: &'a Name, entry: Entry, found: &mut Diagnostics) {
        if matches!(entry.entity, Entity::Function(_) | Entity::External(_)) && is_function_of_the_language(&name.text)
        {
            let message = format!("`{}` is a function of the language", name.text);
            let finding = Diagnostic::error(Code::ReservedName, message).label(name.origin, "declared here");
            found.push(finding.help("choose another name"));
            return;
        }
        if let Some(first) = self.entries.get(name.text.as_str()) {
            found.push(duplicate(name, first.origin));
            return;
        }
        self.entries.insert(&name.text, entry);
        self.order.push(&name.text);
    }

    pub(super) fn get(&self, name: &str) -> Option<Entry> {
        self.entries.get(name).copied()
    }

    /// The name nearest to `name` among `more`, the declarations of the kind, and if functions are wanted those of the
    /// language.
    pub(super) fn nearest(&self, name: &str, kind: NameKind, more: &[&'a str]) -> Option<&'a str> {
        let of_kind = |candidate: &&&str| {
            let function = self
                .get(candidate)
                .is_some_and(|entry| matches!(entry.entity, Entity::Function(_) | Entity::External(_)));
            function == (kind == NameKind::Function)
        };
        let language =
            Function::ALL.iter().map(|function| function.name()).chain(["powi", "der", "ceil", "rem_euclid"]);
        let language = language.filter(|_| kind == NameKind::Function);
        let own = self.order.iter().filter(of_kind).copied();
        suggest::nearest(name, more.iter().copied().chain(own).chain(language))
    }
}

/// Names that are called and names that are not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NameKind {
    Function,
    Value,
}

/// The finding about a second declaration of a name.
pub(super) fn duplicate(name: &Name, first: Origin) -> Diagnostic {
    Diagnostic::error(Code::DuplicateName, format!("the name `{}` is declared twice", name.text))
        .label(name.origin, "declared again")
        .label(first, format!("`{}` is first declared here", name.text))
        .help("rename one of them")
}

/// The finding that a mode variable has no alternative of this name; an empty one stands for what is no name.
pub(super) fn no_alternative(declared: &ModeVariable, name: &str, at: Origin) -> Diagnostic {
    let variable = &declared.name.text;
    let names: Vec<String> = declared.alternatives.iter().map(|name| format!("`{}`", name.text)).collect();
    let message = match name {
        "" => format!("`{variable}` is a mode variable, and gets the name of an alternative"),
        name => format!("`{variable}` has no alternative `{name}`"),
    };
    let finding = Diagnostic::error(Code::InvalidModes, message)
        .label(at, "not an alternative")
        .label(declared.name.origin, "declared here");
    finding.help(format!("its alternatives are {}", names.join(", ")))
}

/// The finding that a mode variable of a loop is named with another number of indices than it has.
pub(super) fn needs_indices(declared: &ModeVariable, given: usize) -> Diagnostic {
    let name = &declared.name.text;
    let indices: String =
        ["[i]", "[j]", "[k]", "[l]", "[m]", "[n]", "[o]", "[p]"].into_iter().take(declared.loops).collect();
    let (message, help) = match (declared.loops, given) {
        (0, _) => {
            (format!("`{name}` is one mode variable, not one of several"), format!("write `{name}` without an index"))
        }
        (_, 0) => (
            format!("`{name}` stands in a loop, and is a mode variable for each of its values"),
            format!("write `{name}{indices}`: the name alone is known in the `for` or `if` in which its block stands"),
        ),
        (1, _) => (format!("`{name}` has one index, not {given}"), format!("write `{name}{indices}`")),
        (loops, _) => (format!("`{name}` has {loops} indices, not {given}"), format!("write `{name}{indices}`")),
    };
    Diagnostic::error(Code::InvalidModes, message).label(declared.name.origin, "declared here").help(help)
}

pub(super) fn is_function_of_the_language(name: &str) -> bool {
    matches!(name, "powi" | "pre" | "hold") || Function::from_name(name).is_some() || Rounding::of_name(name).is_some()
}

fn next(counter: &mut u32) -> u32 {
    *counter += 1;
    *counter - 1
}
