//! Models that are one matrix differential equation on a Lie group.
//!
//! In: a model. Out: its generator and its start value as programs, if all its unknowns are the entries of one matrix
//! on a group; and what the documentation of the model says about matrices on groups.

use crate::defaults::parameter_places;
use crate::expr::{Expr, Symbol};
use crate::model::{Derivation, LieGroup, Model};
use crate::program::{Load, Program, Unplaced};
use crate::spelling::lists::{folded, listed};

/// A model $Y' = A(t, Y)\, Y$ as programs.
#[derive(Clone, Debug, PartialEq)]
pub struct LieProgram {
    /// The group, $Y$ and $A$.
    pub group: LieGroup,
    /// The entries of $A$, row by row, from those of $Y$, row by row.
    pub generator: Program,
    /// The entries of $Y$ at the start, row by row.
    pub start: Program,
}

/// The programs; `None` if the model is more, or other, than one matrix on a group.
pub fn lie_program(model: &mut Model) -> Option<LieProgram> {
    let group = only_group(model).ok()?.clone();
    let generator = model.expand_inputs(&group.generator);
    let start = |unknown: &crate::expr::UnknownId| Some(model.unknowns.get(unknown.index())?.start.as_ref()?.value);
    let start: Vec<Expr> = group.matrix.iter().map(start).collect::<Option<_>>()?;
    let (generator, start) = programs(model, &group, &generator, &start).ok()?;
    Some(LieProgram { group, generator, start })
}

fn programs(
    model: &Model,
    group: &LieGroup,
    generator: &[Expr],
    start: &[Expr],
) -> Result<(Program, Program), Unplaced> {
    let parameters = parameter_places(model)?;
    let load = |symbol| match symbol {
        Symbol::Time => Some(Load::Time),
        Symbol::Parameter(p) => parameters.regular_place_of(p.index()).map(Load::Parameter),
        Symbol::Unknown { unknown, order: 0 } => group.matrix.iter().position(|&it| it == unknown).map(Load::Y),
        _ => None,
    };
    let names = model.definition_names();
    Ok((Program::new(&model.dag, generator, &names, load)?, Program::new(&model.dag, start, &names, load)?))
}

/// The group, if the unknowns of the model are the entries of one matrix on a group; otherwise why they are not.
fn only_group(model: &Model) -> Result<&LieGroup, String> {
    let groups: Vec<&LieGroup> = groups(model).collect();
    let [group] = groups.as_slice() else {
        let names: Vec<String> = groups.iter().map(|group| group.name.clone()).collect();
        return Err(format!("the matrices {} move on groups of their own", listed(&names)));
    };
    let others = model.unknowns.iter().enumerate();
    let others = others.filter(|(k, _)| group.matrix.iter().all(|unknown| unknown.index() != *k));
    let others: Vec<String> = others.map(|(_, unknown)| unknown.name.clone()).collect();
    if !others.is_empty() {
        return Err(format!("beside {}, the model has the unknowns {}", group.name, listed(&folded(&others))));
    }
    if !model.events.list.is_empty() {
        return Err("the model has events".to_string());
    }
    match model.equations.len() == group.matrix.len() {
        true => Ok(group),
        false => Err("there are equations beside those of the group".to_string()),
    }
}

fn groups(model: &Model) -> impl Iterator<Item = &LieGroup> {
    model.derivations.iter().filter_map(|derivation| match derivation {
        Derivation::LieGroup(group) => Some(group),
        Derivation::Mechanics(_) | Derivation::Canonical(_) | Derivation::OptimalControl(_) => None,
    })
}

/// What is known of the matrices on Lie groups, sentence by sentence.
pub fn lie_groups(model: &Model, program: Option<&LieProgram>) -> Vec<String> {
    let mut lines: Vec<String> = groups(model).map(statement).collect();
    if lines.is_empty() {
        return lines;
    }
    lines.push(match (program, only_group(model)) {
        (Some(_), _) => {
            "With the feature `lie`, `lie_equation()` is this equation for the methods of `dae::runtime::lie`.".into()
        }
        (None, Err(why)) => format!("There is no `lie_equation()`: {why}."),
        (None, Ok(_)) => "There is no `lie_equation()`: a start value is missing.".into(),
    });
    lines
}

/// The equation with what is proved about it.
fn statement(group: &LieGroup) -> String {
    let free = if group.is_linear { format!(" and does not depend on {}", group.name) } else { String::new() };
    format!("{} on {}: A is in {}{free}, which is proved.", group.equation(), group.space_name(), group.algebra_name())
}
