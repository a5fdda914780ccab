//! Fixed start values and initial equations that contradict the equations.
//!
//! In: a compiled model for which no consistent point was found. Out: an error that names the values and the
//! constraint, even if it is hidden: "`u = 1` contradicts 0 = x·u + y·v, the derivative of equation 5".
//!
//! Only fixed values can be wrong; a guess may move. The runtime's own initialisation decides, at the default
//! parameters, repeated from points around the guesses, since the guesses must not decide. As many of the fixed values
//! as possible are then turned into guesses, one after the other in the order of the text, while the contradiction
//! remains: every fixed value that is left takes part in it. Those of the latest stage, for which earlier ones leave no
//! freedom, are to blame. Where the initialisation does not converge, `forced.rs` looks for a fixed value that the
//! others force to differ.

use dae_runtime::contract::{Prolongation, Start};
use dae_runtime::initialize::InitializationError;

use super::forced::{Forced, forced};
use super::relaxed::{Agreement, Budget, agreement};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Expr, Symbol, symbols};
use crate::index::array::{ArrayPoint, ArrayVerdict, contradict};
use crate::index::{Certificate, Limits, LocalRegularity};
use crate::model::{Equation, Model, StartValue, derivative_name};
use crate::pipeline::{Compiled, HiddenConstraint};

/// In prolongations with more than this many jets, all fixed values that the initialisation names are reported: looking
/// for fewer takes a run for each.
const MAX_JETS: usize = 120;

/// A fixed value of the model.
struct Fixed {
    jet: usize,
    unknown: usize,
    order: u32,
    value: f64,
}

/// Errors for fixed values and initial equations that contradict the equations; empty if there are none.
pub fn contradictions(compiled: &Compiled) -> Diagnostics {
    find(compiled).map_or_else(Diagnostics::new, Diagnostics::from)
}

fn find(compiled: &Compiled) -> Option<Diagnostic> {
    // The functions of the caller are not known yet.
    if compiled.model.has_stand_ins() {
        return None;
    }
    // Larger models are left to the initialisation, and a model with a consistent point has no contradiction.
    let certificate = &compiled.analysis.certificate;
    let has_initial = compiled.prolonged.initial.is_some();
    // The derivative array does not contain initial equations.
    let has_point = has_point(certificate) && !has_initial;
    if !matches!(certificate.local, LocalRegularity::NoConsistentPoint { .. }) || has_point {
        return None;
    }
    let fixed = fixed_values(compiled);
    let all: Vec<usize> = fixed.iter().map(|f| f.jet).collect();
    if all.is_empty() && !has_initial {
        return None;
    }
    let jets = &compiled.prolonged.prolongation_description().jets;
    let budget = Budget::new();
    let (involved, names, is_forced) = match agreement(&compiled.prolonged, compiled.t0, &all, &budget) {
        Agreement::Possible => return None,
        Agreement::Contradiction(first) => {
            let (taking_part, error) = minimal(compiled, all, first, &budget);
            let (named, equations) = match error {
                InitializationError::Conflict { fixed, equations } => (fixed, equations),
                InitializationError::NoSolution { equations } => (Vec::new(), equations),
                _ => return None,
            };
            let is_named = |f: &&Fixed| match jets.len() <= MAX_JETS {
                true => taking_part.contains(&f.jet),
                false => named.iter().any(|n| n.jet == jets[f.jet].name),
            };
            let names: Vec<String> = equations.iter().map(|mismatch| mismatch.equation.to_string()).collect();
            (fixed.iter().filter(is_named).collect::<Vec<_>>(), names, false)
        }
        Agreement::Unsettled if jets.len() <= MAX_JETS => {
            let Forced { jet, rows } = forced(&compiled.prolonged, compiled.t0, &all, &budget)?;
            let equations = &compiled.prolonged.description.equations;
            let names = rows.iter().map(|&row| equations[row].name.to_string()).collect();
            (fixed.iter().filter(|f| f.jet == jet).collect(), names, true)
        }
        Agreement::Unsettled => return None,
    };
    // Where one of several values is forced to differ, all take part.
    let taking_part = if is_forced { fixed.iter().collect() } else { involved.clone() };
    if !is_confirmed(compiled, &taking_part) {
        return None;
    }
    let contradicted = Contradicted::of(compiled, &names)?;
    let is_involved = |it: &&Equation| names.contains(&it.name) && it.name != contradicted.what;
    let initial: Vec<&Equation> = compiled.model.initial_equations.iter().filter(is_involved).collect();
    // Where initial equations take part, fixed values are as much to blame as they are.
    let latest = involved.iter().map(|f| jets[f.jet].stage).max();
    let is_latest = |f: &&Fixed| !initial.is_empty() || Some(jets[f.jet].stage) == latest;
    let (blamed, given): (Vec<&Fixed>, Vec<&Fixed>) = involved.into_iter().partition(is_latest);
    Some(report(compiled, (&blamed, &initial), &given, &contradicted))
}

/// Whether the equations contradict these fixed values in arithmetic with hundreds of digits too; true if the equations
/// are not available as expressions.
fn is_confirmed(compiled: &Compiled, fixed: &[&Fixed]) -> bool {
    let Compiled { prolonged, t0, .. } = compiled;
    if prolonged.residuals.is_empty() {
        return true;
    }
    let mut jets = vec![0.0; prolonged.description.jets.len()];
    prolonged.start_values(*t0, &mut jets);
    let start = ArrayPoint::of_jets(prolonged, &jets, *t0);
    let is_fixed = |j: usize, k: usize| fixed.iter().any(|f| (f.unknown, f.order as usize) == (j, k));
    let initial = compiled.model.initial_equations.iter().map(|equation| equation.residual);
    let residuals: Vec<Expr> = prolonged.residuals.iter().copied().chain(initial).collect();
    contradict(&mut compiled.model.clone(), &residuals, &start, is_fixed, &Limits::DEFAULT.array)
}

/// Whether the derivative array is known to have a consistent point with all fixed values: it is solved with more
/// digits than the initialisation has.
fn has_point(certificate: &Certificate) -> bool {
    certificate.array.as_ref().is_some_and(|array| matches!(array.verdict, ArrayVerdict::Index(_)))
}

fn fixed_values(compiled: &Compiled) -> Vec<Fixed> {
    let prolonged = &compiled.prolonged;
    let mut start = vec![0.0; prolonged.description.jets.len()];
    prolonged.start_values(compiled.t0, &mut start);
    let ends = prolonged.first_jet.iter().skip(1).copied().chain([start.len()]);
    let families = prolonged.first_jet.iter().zip(ends).enumerate();
    families
        .flat_map(|(unknown, (&first, end))| (first..end).map(move |jet| (unknown, (jet - first) as u32, jet)))
        .filter(|&(.., jet)| prolonged.description.jets[jet].start == Start::Fixed)
        .map(|(unknown, order, jet)| Fixed { jet, unknown, order, value: start[jet] })
        .collect()
}

/// A minimal set of the fixed jets that still contradicts the equations, with the contradiction; all of them if there
/// are too many jets.
fn minimal(
    compiled: &Compiled,
    all: Vec<usize>,
    first: InitializationError,
    budget: &Budget,
) -> (Vec<usize>, InitializationError) {
    let mut error = first;
    if compiled.prolonged.description.jets.len() > MAX_JETS {
        return (all, error);
    }
    let mut kept = all.clone();
    for jet in all {
        let without: Vec<usize> = kept.iter().copied().filter(|&k| k != jet).collect();
        if (without.is_empty() && compiled.prolonged.initial.is_none()) || budget.is_spent() {
            break;
        }
        if let Agreement::Contradiction(found) = agreement(&compiled.prolonged, compiled.t0, &without, budget) {
            (kept, error) = (without, found);
        }
    }
    (kept, error)
}

/// The equation that cannot hold.
struct Contradicted {
    /// `0 = x·u + y·v`.
    text: String,
    /// `the derivative of equation 5`, or `equation 5`.
    what: String,
    /// The equation of the system, and the number of times that it is differentiated.
    place: Option<(usize, u32)>,
}

impl Contradicted {
    /// The equation differentiated most often among those that cannot all hold: the hidden constraint if there is one.
    fn of(compiled: &Compiled, names: &[String]) -> Option<Contradicted> {
        let named = |c: &&HiddenConstraint| names.contains(&c.name);
        if let Some(hidden) = compiled.hidden.iter().filter(named).max_by_key(|c| c.order) {
            let equations = compiled.analysis.system.equations.iter().enumerate();
            let (i, equation) = equations.into_iter().find(|(_, e)| e.text == hidden.equation)?;
            let what = derivative_of(&equation.provenance.name(), hidden.order);
            let place = (i, hidden.order);
            return Some(Contradicted { text: hidden.text.clone(), what, place: Some(place) });
        }
        // No hidden constraint takes part: the last equation of the text that does.
        let equations = &compiled.analysis.system.equations;
        let stated = (0..equations.len()).rev().find(|&i| names.contains(&equations[i].provenance.name()));
        if let Some(i) = stated {
            let name = equations[i].provenance.name();
            let text = spelled(compiled, &name)?;
            return Some(Contradicted { text, what: name, place: Some((i, 0)) });
        }
        let last = names.last()?;
        Some(Contradicted { text: spelled(compiled, last)?, what: last.clone(), place: None })
    }
}

/// `0 = …` of an equation of the prolongation, or of an initial equation.
fn spelled(compiled: &Compiled, name: &str) -> Option<String> {
    let lines = compiled.prolonged_spelled.iter().chain(&compiled.initial_spelled);
    let line = lines.into_iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    line.map(str::to_string)
}

/// `equation 5`, `the derivative of equation 5`, `the third derivative of equation 5`.
fn derivative_of(name: &str, order: u32) -> String {
    match order {
        0 => name.to_string(),
        1 => format!("the derivative of {name}"),
        2 => format!("the second derivative of {name}"),
        3 => format!("the third derivative of {name}"),
        _ => {
            let suffix = match (order % 10, order % 100) {
                (_, 11..=13) => "th",
                (1, _) => "st",
                (2, _) => "nd",
                (3, _) => "rd",
                _ => "th",
            };
            format!("the {order}{suffix} derivative of {name}")
        }
    }
}

fn report(
    compiled: &Compiled,
    (blamed, initial): (&[&Fixed], &[&Equation]),
    given: &[&Fixed],
    contradicted: &Contradicted,
) -> Diagnostic {
    let model = &compiled.model;
    let name = |f: &Fixed| derivative_name(&model.unknowns[f.unknown].name, f.order);
    let assignment = |f: &Fixed| format!("`{} = {}`", name(f), f.value);
    let Contradicted { text, what, place } = contradicted;
    let verb = if blamed.len() + initial.len() == 1 { "contradicts" } else { "contradict" };
    // Start values hold when a run starts; equations that contain the time may hold at another time.
    let when = if depends_on_time(compiled) { format!(", at t = {}", compiled.t0) } else { String::new() };
    let reasons = list(blamed.iter().map(|f| assignment(f)).chain(initial.iter().map(|it| it.name.clone())));
    let message = match reasons.is_empty() {
        true => format!("no values near the guesses fulfil {text}, {what}{when}"),
        false => format!("{reasons} {verb} {text}, {what}{when}"),
    };
    let mut diagnostic = Diagnostic::error(Code::ContradictoryStart, message);
    let contradicted_initial = model.initial_equations.iter().find(|it| it.name == *what);
    for equation in initial.iter().copied().chain(contradicted_initial) {
        diagnostic = diagnostic.label(equation.origin, equation.name.clone());
    }
    for f in blamed {
        if let Some(start) = start_value(model, f) {
            diagnostic = diagnostic.label(start.origin, format!("`{}` is fixed here", name(f)));
        }
    }
    for f in given {
        if let Some(start) = start_value(model, f) {
            diagnostic = diagnostic.label(start.origin, format!("{} is fixed as well", assignment(f)));
        }
    }
    if let Some((equation, order)) = *place {
        let differentiated = match order {
            0 => String::new(),
            1 => ", differentiated once".into(),
            2 => ", differentiated twice".into(),
            n => format!(", differentiated {n} times"),
        };
        let origin = compiled.analysis.system.equations[equation].origin;
        let name = compiled.analysis.system.equations[equation].provenance.name();
        diagnostic = diagnostic.label(origin, format!("{name}{differentiated}: {text}"));
    }
    let parameters = if model.parameters.is_empty() { "" } else { "for the default parameters, " };
    let degrees = compiled.analysis.structure.degrees_of_freedom;
    let counts = (fixed_values(compiled).len(), model.initial_equations.len());
    let judged = match depends_on_time(compiled) {
        true => {
            format!("judged {parameters}at t = {} alone; at another time the equations say something else", compiled.t0)
        }
        false => format!("{parameters}at any time"),
    };
    let advice = match initial.is_empty() && contradicted_initial.is_none() {
        true => help(model, blamed),
        false => {
            "change an initial equation or other guesses, or make fixed values guesses, which may move: `var x ~ 1;`"
                .into()
        }
    };
    diagnostic.note(format!("{judged}; {}", fixed_of(counts, degrees))).help(advice)
}

/// Whether some equation contains the time, directly or in an input.
fn depends_on_time(compiled: &Compiled) -> bool {
    let initial = compiled.model.initial_equations.iter().map(|equation| equation.residual);
    let residuals = || compiled.prolonged.residuals.iter().copied().chain(initial.clone());
    let driven = |symbol: &Symbol| matches!(symbol, Symbol::Time | Symbol::Input { .. });
    symbols(&compiled.model.dag, residuals()).iter().any(driven)
}

/// `4 values are fixed, there is 1 initial equation, and the model has 2 degrees of freedom`.
fn fixed_of((fixed, initial): (usize, usize), degrees: usize) -> String {
    let fixed = match (fixed, initial) {
        (0, 1..) => None,
        (1, _) => Some("1 value is fixed".to_string()),
        (n, _) => Some(format!("{n} values are fixed")),
    };
    let initial = match initial {
        0 => None,
        1 => Some("there is 1 initial equation".to_string()),
        n => Some(format!("there are {n} initial equations")),
    };
    let given: Vec<String> = fixed.into_iter().chain(initial).collect();
    let freedom = if degrees == 1 { "1 degree".to_string() } else { format!("{degrees} degrees") };
    format!("{}, and the model has {freedom} of freedom", given.join(", "))
}

/// Advice to make one of the values a guess, as in `var u ~ 1;`.
fn help(model: &Model, blamed: &[&Fixed]) -> String {
    let declaration = |f: &&Fixed| {
        let name = derivative_name(&model.unknowns[f.unknown].name, f.order);
        let word = if f.order == 0 { "var" } else { "start" };
        format!("`{word} {name} ~ {};`", f.value)
    };
    let which = if blamed.len() == 1 { "it" } else { "one of them" };
    format!("make {which} a guess, which may move: {}", list_with(blamed.iter().map(declaration), "or"))
}

fn start_value<'m>(model: &'m Model, f: &Fixed) -> Option<&'m StartValue> {
    model.unknowns[f.unknown].start_value(f.order)
}

fn list(items: impl Iterator<Item = String>) -> String {
    list_with(items, "and")
}

/// `a`, `a and b`, `a, b and c`.
fn list_with(items: impl Iterator<Item = String>, word: &str) -> String {
    let items: Vec<String> = items.collect();
    match items.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [head @ .., last] => format!("{} {word} {last}", head.join(", ")),
    }
}
