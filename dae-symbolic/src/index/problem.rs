//! Why models are rejected, with the names of what is at fault.
//!
//! In: the over- and underdetermined parts of a pattern (Dulmage–Mendelsohn), or what the derivative array or an
//! elimination found. Out: a [`Problem`] for the report and a diagnostic that points at the equations and unknowns.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::array::{FreeDirections, times};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Notation, print};
use crate::model::{Model, derivative_name, incidence};
use crate::origin::Origin;
use crate::program::Unplaced;
use crate::spelling::lists::folded;
use crate::structure::{Part, StructurallySingular};
use crate::system::{SystemEquation, listed};

/// The kind of a [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// As many equations as unknowns, but no transversal that assigns every equation an unknown of its own.
    StructurallySingular,
    /// More equations than unknowns.
    Overdetermined,
    /// More unknowns than equations.
    Underdetermined,
    /// Linear with constant coefficients and a singular pencil.
    SingularPencil,
    /// The equations leave part of the solution free.
    NotUnique,
    /// No values fulfil the equations and their derivatives.
    Contradictory,
    /// Whether the surplus equations follow from the others could not be decided: a limit of the analysis, not a
    /// statement about the model.
    Undecided,
    /// The derivatives that have to be formed are too long.
    TooLong,
}

impl ProblemKind {
    /// The stable name in reports.
    pub fn name(self) -> &'static str {
        match self {
            ProblemKind::StructurallySingular => "structurally singular",
            ProblemKind::Overdetermined => "overdetermined",
            ProblemKind::Underdetermined => "underdetermined",
            ProblemKind::SingularPencil => "singular pencil",
            ProblemKind::NotUnique => "solution not unique",
            ProblemKind::Contradictory => "contradictory",
            ProblemKind::Undecided => "undecided",
            ProblemKind::TooLong => "derivatives too long",
        }
    }
}

/// Why a model is rejected, with the names of what is at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The kind of problem.
    pub kind: ProblemKind,
    /// Names of the equations at fault.
    pub equations: Vec<String>,
    /// Names of the unknowns at fault.
    pub unknowns: Vec<String>,
}

impl Problem {
    pub(super) fn new(kind: ProblemKind, model: &Model, equations: &[usize], unknowns: &[usize]) -> Self {
        Problem {
            kind,
            equations: equations.iter().map(|&i| model.equation_name(i)).collect(),
            unknowns: unknowns.iter().map(|&j| model.unknowns[j].name.clone()).collect(),
        }
    }
}

/// Reports that the derivative array leaves part of the solution free: which unknowns, and in which direction they may
/// be changed.
pub(super) fn not_unique(model: &Model, freedom: &FreeDirections) -> (Problem, Diagnostics) {
    let names: Vec<String> = freedom.unknowns.iter().map(|&j| format!("`{}`", model.unknowns[j].name)).collect();
    let title = format!("the solution is not unique: the equations do not determine {}", names.join(", "));
    let direction: Vec<String> = freedom
        .direction
        .iter()
        .map(|&(j, component)| format!("{} by {component:.4}", model.unknowns[j].name))
        .collect();
    let functions = if freedom.functions == 1 { "one function of time" } else { "several functions of time" };
    let mut diagnostic = Diagnostic::error(Code::NotUnique, title);
    for &j in &freedom.unknowns {
        let unknown = &model.unknowns[j];
        diagnostic = diagnostic.label(unknown.origin, format!("`{}` is not determined", unknown.name));
    }
    let diagnostic = diagnostic
        .note(format!(
            "however often they are differentiated, {functions} stays free; at the start values the derivatives may change together: {}",
            direction.join(", ")
        ))
        .note(format!(
            "found from the ranks of the derivative array with up to {}; the consistent states keep dimension {}",
            times(freedom.differentiations),
            freedom.dimension
        ));
    let dependent: Vec<String> =
        freedom.dependent.iter().map(|&(i, order)| derivative_name(&model.equation_name(i), order)).collect();
    let diagnostic = match dependent.is_empty() {
        true => diagnostic,
        false => diagnostic.note(format!(
            "{} depend on one another at the consistent values nearest to the start values: any one of them may be dropped",
            listed(&dependent)
        )),
    };
    let mut equations: Vec<usize> = freedom.dependent.iter().map(|&(i, _)| i).collect();
    equations.dedup();
    let help = "an equation that follows from the others adds nothing: replace it by one that is missing, or turn one of these unknowns into a `param` or `input`";
    (
        Problem::new(ProblemKind::NotUnique, model, &equations, &freedom.unknowns),
        Diagnostics::from(diagnostic.help(help)),
    )
}

/// Reports rows of the derivative array that depend on one another whatever the values are: as there are no more
/// equations than unknowns, something is missing.
pub(super) fn dependent(model: &Model, rows: &[(usize, u32)]) -> (Problem, Diagnostics) {
    let names: Vec<String> = rows.iter().map(|&(i, order)| derivative_name(&model.equation_name(i), order)).collect();
    let mut equations: Vec<usize> = rows.iter().map(|&(i, _)| i).collect();
    equations.sort_unstable();
    equations.dedup();
    let title = format!("{} depend on one another, whatever the values are", listed(&names));
    let mut diagnostic = Diagnostic::error(Code::NotUnique, title);
    for &i in &equations {
        diagnostic = diagnostic.label(model.equations[i].origin, model.equation_name(i));
    }
    let diagnostic = diagnostic
        .note("one of them says nothing new, or contradicts the others: the solution is not unique, or there is none")
        .help("remove one of these equations and write down what is missing in its place");
    (Problem::new(ProblemKind::NotUnique, model, &equations, &[]), Diagnostics::from(diagnostic))
}

/// Reports rows of the derivative array, by equation and number of differentiations, that contradict one another.
pub(super) fn contradictory(model: &Model, rows: &[(usize, u32)], message: &str) -> (Problem, Diagnostics) {
    let names: Vec<String> = rows.iter().map(|&(i, order)| derivative_name(&model.equation_name(i), order)).collect();
    let equations: BTreeSet<usize> = rows.iter().map(|&(i, _)| i).collect();
    let together = if names.len() == 1 { "" } else { " at the same time" };
    let title = format!("the equations contradict one another: {} cannot hold{together}", listed(&names));
    let mut diagnostic = Diagnostic::error(Code::Contradictory, title);
    for &i in &equations {
        diagnostic = diagnostic.label(model.equations[i].origin, model.equation_name(i));
    }
    let help = "remove one of these equations, or correct it";
    let diagnostic = diagnostic.note(message).help(help);
    let equations: Vec<usize> = equations.into_iter().collect();
    (Problem::new(ProblemKind::Contradictory, model, &equations, &[]), Diagnostics::from(diagnostic))
}

pub(super) fn singular(model: &Model, parts: &StructurallySingular, when: &str) -> (Problem, Diagnostics) {
    report(model, ProblemKind::StructurallySingular, parts, when)
}

pub(super) fn not_square(model: &Model, parts: &StructurallySingular, when: &str) -> (Problem, Diagnostics) {
    let kind = match model.equations.len() > model.unknowns.len() {
        true => ProblemKind::Overdetermined,
        false => ProblemKind::Underdetermined,
    };
    report(model, kind, parts, when)
}

fn report(model: &Model, kind: ProblemKind, parts: &StructurallySingular, when: &str) -> (Problem, Diagnostics) {
    let StructurallySingular { overdetermined: over, underdetermined: under } = parts;
    let equations: Vec<usize> = over.equations.iter().chain(&under.equations).copied().collect();
    let unknowns: Vec<usize> = over.unknowns.iter().chain(&under.unknowns).copied().collect();
    let (n, m) = (model.unknowns.len(), model.equations.len());
    let title = match kind {
        ProblemKind::StructurallySingular => {
            format!("{when}the model is structurally singular: no solution is determined, whatever the values are")
        }
        _ => format!("{when}the model has {} for {}", count(m, "equation"), count(n, "unknown")),
    };
    let code = match kind {
        ProblemKind::StructurallySingular => Code::StructurallySingular,
        _ => Code::NotSquare,
    };
    let mut diagnostic = Diagnostic::error(code, title);
    if !over.equations.is_empty() {
        diagnostic = overdetermined(model, diagnostic, over);
    }
    if !under.unknowns.is_empty() {
        diagnostic = underdetermined(model, diagnostic, under);
    }
    let help = match (over.equations.is_empty(), under.unknowns.is_empty()) {
        (false, true) => "remove an equation of the overdetermined part, or turn a parameter in it into a `var`",
        (true, false) => {
            "add an equation for the underdetermined part, or turn one of its unknowns into a `param` or `input`"
        }
        _ => {
            "let an equation of the overdetermined part contain an unknown of the underdetermined one, or replace it by one that does"
        }
    };
    (Problem::new(kind, model, &equations, &unknowns), Diagnostics::from(diagnostic.help(help)))
}

/// The number of names that are listed, and of places that are labelled, in full; of a longer list, only the first ones
/// are.
const LISTED: usize = 6;

/// The names, a family counting as one, or the first of them and the number of the others.
fn few(names: &[String]) -> String {
    let names = folded(names);
    match names.get(..LISTED) {
        Some(first) if names.len() > LISTED => format!("{} and {} more", first.join(", "), names.len() - LISTED),
        _ => names.join(", "),
    }
}

/// The names in backquotes, as they are written in the language, shortened as by [`few`].
fn few_quoted(names: &[String]) -> String {
    few(&folded(names).iter().map(|name| format!("`{name}`")).collect::<Vec<_>>())
}

/// Groups items by their place in the text, in the order in which the places first occur: the members of a family form
/// one group.
fn by_place(list: &[usize], origin: impl Fn(usize) -> Origin) -> Vec<(Origin, Vec<usize>)> {
    let mut groups: Vec<(Origin, Vec<usize>)> = Vec::new();
    let mut place: HashMap<Origin, usize> = HashMap::new();
    for &k in list {
        let at = *place.entry(origin(k)).or_insert_with(|| {
            groups.push((origin(k), Vec::new()));
            groups.len() - 1
        });
        groups[at].1.push(k);
    }
    groups
}

/// The form of a verb that agrees with the number of subjects: `contains`, `contain`.
fn verb(singular: &str, plural: &str, subjects: usize) -> String {
    if subjects == 1 { singular.to_string() } else { plural.to_string() }
}

fn overdetermined(model: &Model, mut diagnostic: Diagnostic, part: &Part) -> Diagnostic {
    let unknown = |j: usize| model.unknowns[j].name.clone();
    let names: Vec<String> = part.unknowns.iter().map(|&j| unknown(j)).collect();
    let equations: Vec<String> = part.equations.iter().map(|&i| model.equation_name(i)).collect();
    let only = |names: &[String]| match names {
        [] => "no unknown at all".to_string(),
        names => format!("only {}", few_quoted(names)),
    };
    for (origin, own) in by_place(&part.equations, |i| model.equations[i].origin).into_iter().take(LISTED) {
        // If there are many unknowns, only those that occur in these equations are named.
        let within: BTreeSet<usize> =
            own.iter().flat_map(|&i| model.equations[i].incidence.iter().map(|&(j, _)| j.index())).collect();
        let what = match names.len() > LISTED {
            true => only(&within.into_iter().map(unknown).collect::<Vec<_>>()),
            false => only(&names),
        };
        let these: Vec<String> = own.iter().map(|&i| model.equation_name(i)).collect();
        diagnostic =
            diagnostic.label(origin, format!("{} {} {what}", few(&these), verb("contains", "contain", own.len())));
    }
    let contain = verb("contains", "contain", equations.len());
    diagnostic.note(format!("overdetermined: {} {contain} {}", few(&equations), only(&names)))
}

fn underdetermined(model: &Model, mut diagnostic: Diagnostic, part: &Part) -> Diagnostic {
    let names: Vec<String> = part.unknowns.iter().map(|&j| model.unknowns[j].name.clone()).collect();
    let equations: Vec<String> = part.equations.iter().map(|&i| model.equation_name(i)).collect();
    for (origin, own) in by_place(&part.unknowns, |j| model.unknowns[j].origin).into_iter().take(LISTED) {
        let these: HashSet<usize> = own.iter().copied().collect();
        let contains = |i: &&usize| model.equations[**i].incidence.iter().any(|(k, _)| these.contains(&k.index()));
        let around: Vec<String> = part.equations.iter().filter(contains).map(|&i| model.equation_name(i)).collect();
        let what = if around.is_empty() { "no equation".to_string() } else { format!("only {}", few(&around)) };
        let these: Vec<String> = own.iter().map(|&j| model.unknowns[j].name.clone()).collect();
        diagnostic = diagnostic
            .label(origin, format!("{} {} in {what}", few_quoted(&these), verb("occurs", "occur", own.len())));
    }
    let unknowns = few_quoted(&names);
    diagnostic.note(match equations.as_slice() {
        [] => format!("underdetermined: {unknowns} {} in no equation", verb("occurs", "occur", names.len())),
        equations => format!(
            "underdetermined: for {}, {unknowns}, there {} only {}, {}",
            count(names.len(), "unknown"),
            verb("is", "are", equations.len()),
            count(equations.len(), "equation"),
            few(equations)
        ),
    })
}

fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// The diagnostics for a system that is structurally singular after a combination of equations: `found` with a note
/// that names the combination; or, if all unknowns cancel in the combination, an error that says so.
pub(super) fn after_combination(model: &Model, equation: &SystemEquation, found: Diagnostics) -> Diagnostics {
    let name = equation.provenance.name();
    let terms = &equation.provenance.terms;
    let combination = match name.starts_with("a combination") {
        true if terms.len() > LISTED => {
            let names: Vec<String> = terms.iter().map(|&(_, k, _)| model.equation_name(k)).collect();
            format!("a combination of {}", few(&names))
        }
        true => name,
        false => format!("the combination {name}"),
    };
    if !incidence(&model.dag, [equation.residual]).is_empty() {
        return found.into_iter().map(|d| d.note(format!("this shows in {combination}"))).collect();
    }
    let rest = print(&model.dag, equation.residual, Notation::Text, |symbol| model.symbol_name(symbol));
    let verdict = match model.dag.is_zero(equation.residual) {
        true => "one of these equations follows from the others and adds nothing".to_string(),
        false => format!("these equations contradict one another unless {rest} = 0"),
    };
    let mut diagnostic =
        Diagnostic::error(Code::StructurallySingular, format!("in {combination} all unknowns cancel: {verdict}"));
    for (_, k, _) in terms.iter().take(LISTED) {
        diagnostic = diagnostic.label(model.equations[*k].origin, model.equation_name(*k));
    }
    Diagnostics::from(diagnostic.help("remove one of these equations and write down what is missing in its place"))
}

/// The diagnostic, in place of a panic, for what no model should lead to: a symbol that has no place in the
/// differentiated system, or members of a family that are unlike the others.
pub(super) fn internal(model: &Model, unplaced: Unplaced) -> (Problem, Diagnostics) {
    let message = match unplaced {
        Unplaced::Symbol(symbol) => {
            format!("`{}` cannot be placed in the differentiated system", model.symbol_name(symbol))
        }
        Unplaced::Torn => "the members of a family that were left out are unlike the others".to_string(),
    };
    let diagnostic = Diagnostic::error(Code::UndeclaredSymbol, message).label(model.origin, "");
    (Problem::new(ProblemKind::StructurallySingular, model, &[], &[]), Diagnostics::from(diagnostic))
}
