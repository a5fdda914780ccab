//! Requirements of a model on functions that it does not define by an expression.
//!
//! In: a model, its offsets, its programs. Out: the degrees of its tables, the number of derivatives that its inputs
//! must provide, and an error for every derivative of the user's code that is needed and not declared. Each names the
//! equation that causes it.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Call, ExternalSource, Node, reachable};
use crate::formulation::FormProgram;
use crate::index::{Analysis, structure_of_text};
use crate::model::Model;
use crate::origin::Origin;
use crate::program::Program;
use crate::prolongation::Prolonged;
use crate::structure::Offsets;
use crate::system::System;

/// What the reduction needs of an input of the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputNeed {
    /// The input.
    pub input: String,
    /// The highest order of derivative.
    pub order: usize,
    /// Why: `equation 5 is differentiated twice`.
    pub because: String,
}

impl InputNeed {
    /// The requirement in a sentence.
    pub fn text(&self) -> String {
        match self.order {
            0 => format!("Input `{}`: supplied by the caller, no derivative is needed.", self.input),
            order => format!(
                "Input `{}`: supplied by the caller with derivatives up to order {order}, because {}.",
                self.input, self.because
            ),
        }
    }
}

/// Among the equations that contain a function, the one that the reduction differentiates most often.
#[derive(Clone, Debug)]
struct User {
    equation: String,
    origin: Origin,
    /// The number of times that the reduction differentiates the equation.
    differentiations: u32,
}

impl User {
    fn reason(&self) -> String {
        let User { equation, differentiations, .. } = self;
        match differentiations {
            0 => format!("{equation} contains its derivative"),
            n => format!("{equation} is differentiated {}", times(*n)),
        }
    }
}

fn times(n: u32) -> String {
    match n {
        1 => "once".into(),
        2 => "twice".into(),
        n => format!("{n} times"),
    }
}

/// Chooses the degrees of tables from the number of times that the equations with them are differentiated.
///
/// # Errors
/// If a table has too few points for that.
pub(crate) fn settle_tables(model: &mut Model) -> Result<(), Diagnostics> {
    let tables: Vec<_> =
        model.externals().into_iter().filter(|f| matches!(f.source, ExternalSource::Table(_))).collect();
    if tables.is_empty() {
        return Ok(());
    }
    // A structurally singular text is rejected by the analysis.
    let Ok(structure) = structure_of_text(model) else { return Ok(()) };
    let system = System::of_text(model);
    let users = users(model, &system, &structure.offsets);
    let mut found = Diagnostics::new();
    for external in tables {
        let ExternalSource::Table(table) = &external.source else { continue };
        let user = users.get(&external.name);
        let Err(error) = table.settle(user.map_or(0, |user| user.differentiations as usize)) else { continue };
        let message = format!("the table `{}` cannot be as smooth as the reduction needs: {error}", external.name);
        let mut finding =
            Diagnostic::error(Code::InvalidTable, message).label(external.origin, "too few points for its degree");
        if let Some(user) = user {
            finding =
                finding.label(user.origin, format!("differentiated {} by the reduction", times(user.differentiations)));
        }
        found.push(finding.help("give it more points"));
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// For every external function, the equation with it that the reduction differentiates most often.
fn users(model: &mut Model, system: &System, offsets: &Offsets) -> BTreeMap<String, User> {
    let mut users: BTreeMap<String, User> = BTreeMap::new();
    for (equation, &differentiations) in system.equations.iter().zip(&offsets.equations) {
        let residual = model.expand_inputs(&[equation.residual]);
        for expr in reachable(&model.dag, residual) {
            let Node::Call(call, _) = model.dag.node(expr) else { continue };
            let user = || User { equation: equation.provenance.name(), origin: equation.origin, differentiations };
            users
                .entry(call.function.name.clone())
                .and_modify(|known| {
                    if known.differentiations < differentiations {
                        *known = user();
                    }
                })
                .or_insert_with(user);
        }
    }
    users
}

/// The derivatives that every input of the caller must provide.
///
/// # Errors
/// If a derivative of the user's code is needed and not declared.
pub(crate) fn needs(
    model: &mut Model,
    analysis: &Analysis,
    prolonged: &Prolonged,
    forms: &[&FormProgram],
) -> Result<Vec<InputNeed>, Diagnostics> {
    if model.externals().is_empty() {
        return Ok(Vec::new());
    }
    let users = users(model, &analysis.system, &analysis.structure.offsets);
    let (asked, in_time) = (programs(prolonged, forms), forms.iter().map(|form| &form.jacobian_t));
    undeclared(asked.iter().copied().chain(in_time), &users)?;
    let order = |name: &str| {
        let calls = asked.iter().flat_map(|program| program.calls()).filter(|call| call.function.name == name);
        calls.map(Call::order).max().unwrap_or(0) as usize
    };
    let need = |(_, input): (usize, String)| InputNeed {
        order: order(&input),
        because: users.get(&input).map_or_else(String::new, User::reason),
        input,
    };
    Ok(model.supplied_inputs().into_iter().map(need).collect())
}

/// The programs whose calls an input has to serve. Those for derivatives in time are left out: they need one order more
/// than a solution does.
fn programs<'a>(prolonged: &'a Prolonged, forms: &[&'a FormProgram]) -> Vec<&'a Program> {
    let of_form = |form: &&'a FormProgram| {
        [
            &form.residual,
            &form.jacobian_y,
            &form.jacobian_yp,
            &form.jacobian_p,
            &form.invariants,
            &form.invariants_jacobian,
            &form.switches_jacobian_p,
            &form.switches,
        ]
    };
    let initial = &prolonged.initial;
    let prolonged = [
        &prolonged.residual,
        &prolonged.jacobian,
        &prolonged.jacobian_p,
        &prolonged.start,
        &prolonged.start_jacobian_p,
    ];
    let initial = initial.iter().flat_map(|it| [&it.residual, &it.jacobian, &it.jacobian_p]);
    prolonged.into_iter().chain(initial).chain(forms.iter().flat_map(of_form)).collect()
}

fn undeclared<'a>(
    programs: impl Iterator<Item = &'a Program>,
    users: &BTreeMap<String, User>,
) -> Result<(), Diagnostics> {
    let missing = programs.flat_map(|program| program.calls());
    let missing =
        missing.filter(|call| matches!(call.function.source, ExternalSource::Code(_)) && call.path().is_none());
    // For each function, the missing derivative of lowest order; among those, earlier arguments first.
    let mut lowest: BTreeMap<&str, &Call> = BTreeMap::new();
    for call in missing {
        let known = lowest.entry(&call.function.name).or_insert(call);
        let rank = |call: &Call| (call.order(), std::cmp::Reverse(call.orders.clone()));
        if rank(call) < rank(known) {
            *known = call;
        }
    }
    let found: Diagnostics = lowest.into_iter().map(|(name, call)| missing_derivative(call, users.get(name))).collect();
    if found.is_empty() { Ok(()) } else { Err(found) }
}

fn missing_derivative(call: &Call, user: Option<&User>) -> Diagnostic {
    let name = &call.function.name;
    let by = call.function.arguments.iter().zip(call.orders.iter());
    let by: Vec<&str> = by.flat_map(|(argument, &n)| std::iter::repeat_n(argument.as_str(), n as usize)).collect();
    let derivative = format!("der({})", by.join(", "));
    let message = format!("the derivative `{derivative}` of `{name}` is needed, and it is not declared");
    let finding = Diagnostic::error(Code::MissingDerivative, message);
    let finding = match user {
        Some(user) if user.differentiations > 0 => finding.label(
            user.origin,
            format!("differentiated {} by the reduction, and once more for Jacobians", times(user.differentiations)),
        ),
        Some(user) => finding.label(user.origin, "differentiated for Jacobians"),
        None => finding,
    };
    finding
        .label(call.function.origin, format!("`{name}` is declared here"))
        .help(format!("add `{derivative} = path` to its declaration"))
}
