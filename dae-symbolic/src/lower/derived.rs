//! Blocks from which equations are derived, and the block of boundary conditions.
//!
//! In: the statements of a `lagrangian`, `hamiltonian`, `optimal_control`, `lie_group` or `boundary` block. Out: the unknowns they
//! name, and findings about everything that is missing, given twice or not an unknown. `lagrangian.rs`, `hamiltonian.rs`,
//! `optimal_control.rs` and `lie_group.rs` build the equations, `boundary.rs` the conditions.

mod boundary;
mod hamiltonian;
mod lagrangian;
mod lie_group;
mod optimal_control;
mod parts;

use super::enclosing::OpenLoop;
use super::items::{Value, shape};
use super::lowering::Lowering;
use super::names::Entity;
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::{Symbol, UnknownId};
use crate::model::family::{Access, Affine, Body, EquationBody, EquationFamily, Loop, Piece, box_of, element_name};
use crate::model::{Equation, derivative_name, residual};
use crate::origin::Origin;
use crate::syntax::ast::{
    self, Derived, DerivedKind, Element, Expression, Item, ItemKind, List, Name, Quantity, Statement, StatementKind,
};
use crate::syntax::validate::Place;
use std::collections::BTreeMap;
use std::ops::Range;

/// An unknown and the name that refers to it.
#[derive(Clone, Copy)]
struct Known<'a> {
    unknown: UnknownId,
    name: &'a Name,
}

/// Equations that belong together: those of the elements of an array, or of the members of a `for`.
#[derive(Clone, Default)]
struct Group {
    loops: Vec<Loop>,
    /// The values of the loop variables, one for each equation.
    points: Vec<Vec<i64>>,
}

/// The statements of a block, by kind.
struct Block<'a> {
    opening: Origin,
    /// Whether a statement could not be read: then nothing is reported to be missing.
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
            DerivedKind::Hamiltonian => self.hamiltonian(position, &block),
            DerivedKind::OptimalControl => self.optimal_control(position, &block),
            DerivedKind::Boundary => self.boundary(position, &block),
        }
    }

    /// Sorts the statements. Lists of the same kind are joined; two values of the same quantity are an error.
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
                ItemKind::Force(..)
                | ItemKind::Constraint(..)
                | ItemKind::Dynamics(_)
                | ItemKind::Horizon(..)
                | ItemKind::Condition(_)
                | ItemKind::Free(_)
                | ItemKind::Invariant(_)
                | ItemKind::For(_) => {}
            }
        }
        block
    }

    /// The unknowns of a list, those of an array one by one; `None` for a name that is not of an unknown, and for an
    /// unknown that already has a role in a block.
    fn list(&mut self, block: &Block<'a>, list: List) -> Vec<Option<Known<'a>>> {
        let names = block.lists.get(&list).cloned().unwrap_or_default();
        let mut members = Vec::with_capacity(names.len());
        for name in names {
            let what = list.member();
            let Some(array) = self.declared_array(name, what) else {
                members.push(None);
                continue;
            };
            let Some(extents) = self.evaluator.shapes.unknowns.get(array).cloned().flatten() else {
                members.push(None);
                continue;
            };
            for point in box_of(&over(&extents)) {
                let unknown = self.element_leaf(array, &point);
                let known = self.part(unknown, name, what);
                members.push(known);
                if known.is_none() {
                    break;
                }
            }
        }
        members
    }

    /// For each name of a list, its elements as a group.
    fn groups(&self, block: &Block<'a>, list: List) -> Vec<Group> {
        let extents = |name: &&Name| match self.names.get(&name.text)?.entity {
            Entity::Unknown(unknown) => self.evaluator.shapes.unknowns.get(unknown.index())?.clone(),
            _ => None,
        };
        let names = block.lists.get(&list).map_or(&[][..], Vec::as_slice);
        let group = |extents: Vec<usize>| {
            let loops = over(&extents);
            Group { points: box_of(&loops), loops }
        };
        names.iter().filter_map(extents).map(group).collect()
    }

    /// Adds equations to the model, those of a group as one family, and returns their positions among the families.
    fn add_equations(&mut self, equations: Vec<Equation>, groups: impl IntoIterator<Item = Group>) -> Range<usize> {
        let first = self.model.equations.len();
        let mut equations = equations.into_iter();
        for Group { loops, points } in groups {
            let members: Vec<Equation> = equations.by_ref().take(points.len()).collect();
            let Some(one) = members.first().filter(|_| !loops.is_empty()) else {
                self.model.equations.extend(members.into_iter().map(EquationFamily::from));
                continue;
            };
            // The documentation of the first member serves for all, with `x[i]` in place of `x[0]`.
            let names: Vec<String> = loops.iter().map(|range| range.name.clone()).collect();
            let (index, variable) =
                (element_name("", &points[0]), names.iter().map(|i| format!("[{i}]")).collect::<String>());
            let docs = one.docs.iter().map(|line| line.replace(&index, &variable)).collect();
            let name = one.name.split('[').next().unwrap_or_default().to_string();
            let origin = one.origin;
            let piece = |(point, Equation { residual, incidence, .. }): (Vec<i64>, Equation)| Piece {
                domain: point.iter().map(|&i| (i, i + 1)).collect(),
                body: EquationBody { residual, incidence },
            };
            let body = Body::Pieces(points.into_iter().zip(members).map(piece).collect());
            self.model.equations.push(EquationFamily { name, docs, loops, body, origin });
        }
        first..self.model.equations.len()
    }

    /// Visits the statements of a block with all values of the variables of the loops around them.
    fn items(&mut self, position: usize, items: &'a [Item], mut visit: impl FnMut(&mut Self, &'a Item, &Group)) {
        let mut ends: Vec<usize> = Vec::new();
        for (k, item) in items.iter().enumerate() {
            while ends.last().is_some_and(|&end| end <= k) {
                ends.pop();
                self.leave_loop();
            }
            if let ItemKind::For(it) = &item.kind {
                self.open_loop(position, it);
                ends.push(k + 1 + it.statements);
                continue;
            }
            let loops: Vec<Loop> = self.open.iter().map(OpenLoop::hull).collect();
            if let Some(points) = self.points(&[], &loops) {
                visit(self, item, &Group { loops, points });
            }
        }
        for _ in ends {
            self.leave_loop();
        }
        self.bind(&[], None);
    }

    /// Visits the members of a group until there is an error.
    fn members(&mut self, group: &Group, mut visit: impl FnMut(&mut Self)) {
        let findings = self.found.len();
        for point in &group.points {
            self.bind(&group.loops, Some(point));
            visit(self);
            if self.found.len() > findings {
                break;
            }
        }
    }

    /// An unknown that is to have the role `what`; a finding and `None` if it has a role already.
    fn part(&mut self, unknown: UnknownId, name: &'a Name, what: &'static str) -> Option<Known<'a>> {
        if let Some((first, earlier)) = self.parts.get(&unknown) {
            let (first, earlier) = (*first, *earlier);
            let text = self.leaf_name(unknown);
            let message = if earlier == what {
                format!("`{text}` is a {what} twice")
            } else {
                format!("`{text}` cannot be a {what}: it is a {earlier} already")
            };
            let finding = Diagnostic::error(Code::RepeatedPart, message);
            self.found.push(if first == name.origin {
                finding.label(name.origin, "the same in several instances").help("name another element in each")
            } else {
                let finding = finding.label(name.origin, "named again").label(first, "first named here");
                finding.help("every part needs an unknown of its own")
            });
            return None;
        }
        self.parts.insert(unknown, (name.origin, what));
        Some(Known { unknown, name })
    }

    /// The position of the array of unknowns, or scalar unknown, that `name` refers to; a finding if there is none.
    fn declared_array(&mut self, name: &Name, what: &str) -> Option<usize> {
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
            Entity::Unknown(unknown) => Some(unknown.index()),
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

    fn element_leaf(&mut self, array: usize, point: &[i64]) -> UnknownId {
        let indices = point.iter().map(|&i| Affine::number(i)).collect();
        self.evaluator.leaves.access(Access { array, indices })
    }

    /// The unknown that stands in parentheses, with the present values of the loop variables.
    fn named_element(&mut self, it: &Element, what: &str) -> Option<UnknownId> {
        let array = self.declared_array(&it.name, what)?;
        let extents = self.evaluator.shapes.unknowns.get(array)?.clone()?;
        if it.indices.len() == extents.len() {
            let indices = self.element(&it.name.text, &it.indices, &extents)?;
            return Some(self.evaluator.leaves.access(Access { array, indices }));
        }
        let name = &it.name.text;
        let (message, help) = if it.indices.is_empty() {
            let message = format!("a {what} is a number, and `{name}` is {}", shape(&extents));
            (message, format!("write `for i in 0..{} {{ … }}` around it, and in it `{name}[i]`", extents[0]))
        } else {
            let given = if it.indices.len() == 1 { "1 index is" } else { "2 indices are" };
            (format!("`{name}` is {}, and {given} given", shape(&extents)), "give one index per extent".to_string())
        };
        let finding = Diagnostic::error(Code::ArrayShape, message).label(it.name.origin, "not such an element");
        self.found.push(finding.help(help));
        None
    }

    /// Reports that a part of a block is missing, unless it may be in a statement that could not be read.
    fn missing(&mut self, block: &Block<'_>, message: String, help: &str) {
        if !block.doubtful {
            let finding = Diagnostic::error(Code::IncompleteDerivation, message).label(block.opening, "in this block");
            self.found.push(finding.help(help));
        }
    }

    /// Checks that two lists whose members belong together by position are equally long, `counts` being their lengths;
    /// a finding and `None` if they are not.
    fn pairs(&mut self, block: &Block<'a>, (first, second): (List, List), counts: (usize, usize)) -> Option<()> {
        let (n, m) = counts;
        if n == m {
            return Some(());
        }
        let message = format!("the number of {}, {m}, is not that of {}, {n}", second.word(), first.word());
        let help = format!("name one {} for each {}, in the same order", second.member(), first.member());
        self.missing(block, message, &help);
        None
    }

    /// Gives the nodes of both sides their meanings.
    fn resolve_equation(&mut self, it: &ast::Equation, position: usize) {
        for side in [it.left, it.right].into_iter().flatten() {
            self.resolve(side, position, Place::Equation);
        }
    }

    /// The residual of an equation of a block, with its unknowns as written.
    fn residual(&mut self, it: &ast::Equation) -> Option<Value> {
        let left = self.evaluate_scalar(it.left?)?;
        let right = self.evaluate_scalar(it.right?)?;
        let unknowns = self.evaluator.sets.union([left.unknowns, right.unknowns]);
        Some(Value { expr: residual(&mut self.evaluator.dag, left.expr, right.expr), unknowns })
    }

    /// The difference of two expressions, with its unknowns as written.
    fn difference(&mut self, from: Expression, subtracted: Expression) -> Option<Value> {
        let (from, subtracted) = (self.evaluate_scalar(from)?, self.evaluate_scalar(subtracted)?);
        let unknowns = self.evaluator.sets.union([from.unknowns, subtracted.unknowns]);
        let dag = &mut self.evaluator.dag;
        let expr = match dag.is_zero(from.expr) {
            true => dag.neg(subtracted.expr),
            false => residual(dag, from.expr, subtracted.expr),
        };
        Some(Value { expr, unknowns })
    }

    /// Names of all leaves that are unknowns. They come from the text, since the unknowns of later statements are not
    /// in the model yet.
    fn unknown_names(&self) -> Vec<String> {
        let variables = self.variable_names();
        self.evaluator.leaves.accesses.iter().map(|access| access_name(&variables, access)).collect()
    }

    /// The name of a leaf that is an unknown.
    pub(super) fn leaf_name(&self, unknown: UnknownId) -> String {
        if let Some(text) = self.floor_text(unknown) {
            return text;
        }
        let access = self.evaluator.leaves.accesses.get(unknown.index());
        access.map_or_else(|| "?".to_string(), |access| access_name(&self.variable_names(), access))
    }

    pub(super) fn parameter_names(&self) -> Vec<&'a str> {
        let name = |statement: &'a Statement| match &statement.kind {
            StatementKind::Parameter(it) => Some(it.name.text.as_str()),
            _ => None,
        };
        self.written.statements.iter().filter_map(name).collect()
    }

    fn variable_names(&self) -> Vec<&'a str> {
        let name = |statement: &'a Statement| match &statement.kind {
            StatementKind::Variable(it) => Some(it.name.text.as_str()),
            _ => None,
        };
        self.written.statements.iter().filter_map(name).collect()
    }
}

pub(super) fn access_name(variables: &[&str], access: &Access) -> String {
    let indices: Vec<i64> = access.indices.iter().map(|index| index.constant).collect();
    element_name(variables.get(access.array).copied().unwrap_or("?"), &indices)
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

/// Loops over the elements of an array.
fn over(extents: &[usize]) -> Vec<Loop> {
    let range = |(&extent, name): (&usize, &str)| Loop { name: name.to_string(), start: 0, end: extent as i64 };
    extents.iter().zip(["i", "j"]).map(range).collect()
}
