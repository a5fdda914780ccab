//! Quantities that a text declares not to change along solutions.
//!
//! In: the declared invariants $I(t, x, x', \dots)$ of a model, and its reduced equations. Out: each of them over states,
//! with what is known about
//!
//! $$ \dot I = I_t + \sum_{j,k} \frac{\partial I}{\partial x_j^{(k)}}\, x_j^{(k+1)} $$
//!
//! on the solutions: that it is zero is proved by exact algebra (`proof.rs`), or seen at consistent states with rounding
//! errors (`states.rs`). A quantity that changes is rejected: to project onto it would lead to a wrong solution that
//! looks like success.

mod proof;
mod setting;
mod states;

use std::collections::HashMap;

use crate::alias::Eliminated;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{
    Dag, Expr, Node, Notation, Symbol, print_with, reachable, substitute, surfaces, symbols, total_derivative, vanishes,
};
use crate::index_reduction::Reduced;
use crate::model::{DeclaredInvariant, Model};
use proof::Row;
pub use setting::Setting;
use states::{Change, States};

/// A proof is of no use to a reader if it divides by more quantities than this, or by longer ones.
const MAX_DIVISORS: usize = 4;
const LONGEST_DIVISOR: usize = 80;

/// A quantity that does not change along solutions.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstIntegral {
    /// Its name.
    pub name: String,
    /// $I$, of derivatives below the highest ones, time and parameters.
    pub value: Expr,
    /// What is known about it.
    pub verdict: Verdict,
}

/// What is known about the change of a quantity along solutions.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It is zero, whatever the parameters are, provided that nothing is divided by zero.
    Proved {
        /// Quantities, in plain mathematics, that the proof divides by: it holds for every solution along which none of
        /// them is zero throughout an interval of time.
        nonzero: Vec<String>,
    },
    /// It is not proved to be zero.
    Numerical {
        /// The number of consistent states at which it was evaluated, with the default parameters.
        states: usize,
        /// The largest value there, as a fraction of the sum of the absolute values of its terms.
        largest: f64,
    },
    /// Nothing is known.
    NotExamined {
        /// Why.
        reason: String,
    },
}

impl Verdict {
    /// The verdict in a sentence without its end.
    pub fn text(&self) -> String {
        match self {
            Verdict::Proved { nonzero } if nonzero.is_empty() => "proved to be constant".into(),
            Verdict::Proved { nonzero } => format!(
                "proved to be constant, unless one of these is zero throughout an interval of time: {}",
                nonzero.join(", ")
            ),
            Verdict::Numerical { states, largest } => format!(
                "constant numerically, not proved: at {states} consistent states its derivative is at most {largest:.1e} of its terms"
            ),
            Verdict::NotExamined { reason } => format!("not known to be constant: {reason}"),
        }
    }
}

/// Examines all declared invariants.
///
/// # Errors
/// If one of them depends on something other than states, is not smooth, or changes along solutions.
pub fn examine(model: &mut Model, setting: &Setting<'_>) -> Result<Vec<FirstIntegral>, Diagnostics> {
    let declared = model.invariants.clone();
    if declared.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = Diagnostics::new();
    let mut list = Vec::new();
    let states = if setting.analysis.certificate.has_reduction() && !model.has_stand_ins() {
        States::of(model, setting)
    } else {
        States::none()
    };
    for invariant in &declared {
        match one(model, setting, &states, invariant) {
            Ok(integral) => list.push(integral),
            Err(finding) => found.push(finding),
        }
    }
    if found.is_empty() { Ok(list) } else { Err(found) }
}

fn one(
    model: &mut Model,
    setting: &Setting<'_>,
    states: &States,
    declared: &DeclaredInvariant,
) -> Result<FirstIntegral, Diagnostic> {
    let name = declared.name.clone();
    check_functions(model, declared)?;
    let value = without_eliminated(&mut model.dag, setting.eliminated, declared.value);
    let integral = |value, verdict| Ok(FirstIntegral { name: name.clone(), value, verdict });
    let certificate = &setting.analysis.certificate;
    if !certificate.has_reduction() {
        let reason = "the system Jacobian is singular, so that the equations to differentiate are not known".into();
        return integral(value, Verdict::NotExamined { reason });
    }
    let value = setting.reduced.replace_explicit(&mut model.dag, value);
    check_states(model, setting, declared, value)?;
    let raw = total_derivative(&mut model.dag, value);
    let separate = solved_alone(model, setting);
    let rate = separate.replace_explicit(&mut model.dag, raw);
    let rate = model.expand_inputs(&[rate])[0];
    let rows = constraints(model, &separate);
    let is_nonzero = |dag: &mut Dag, value: Expr| states.is_nonzero_at_start(dag, value);
    let order = |symbol| match symbol {
        Symbol::Unknown { unknown, order } => {
            i64::from(order) - i64::from(setting.structure.offsets.unknowns[unknown.index()])
        }
        _ => i64::MIN,
    };
    // Only where there are no kinks is an expression as linear as its derivatives say.
    let proof = match surfaces(&mut model.dag, &[rate]).as_slice() {
        [] => proof::vanishes_on_solutions(&mut model.dag, rate, &rows, order, is_nonzero),
        _ => vanishes(&mut model.dag, rate).then(Vec::new),
    };
    if let Some(divisors) = proof
        && let nonzero = spelled(model, &divisors)
        && nonzero.len() <= MAX_DIVISORS
        && nonzero.iter().all(|divisor| divisor.chars().count() <= LONGEST_DIVISOR)
    {
        return integral(value, Verdict::Proved { nonzero });
    }
    match states.change(&mut model.dag, value) {
        Change::Clear(change) => Err(changing(model, declared, &change)),
        Change::Rounding { states: 0, .. } => {
            let reason = match model.stand_ins().as_slice() {
                [] => "no consistent state was found at which to evaluate its derivative".into(),
                unknown => format!("the equations contain {}", unknown.join(", ")),
            };
            integral(value, Verdict::NotExamined { reason })
        }
        Change::Rounding { states, largest } => integral(value, Verdict::Numerical { states, largest }),
    }
}

/// Rejects functions that are not smooth, or that the model does not define by an expression.
fn check_functions(model: &mut Model, declared: &DeclaredInvariant) -> Result<(), Diagnostic> {
    let is_call = |expr: &Expr| matches!(model.dag.node(*expr), Node::Call(..));
    let calls = reachable(&model.dag, [declared.value]).iter().any(is_call);
    let (what, help) = if calls {
        ("a table or an external function", "write it in terms of unknowns, parameters and `t`")
    } else if !surfaces(&mut model.dag, &[declared.value]).is_empty() {
        ("a function with kinks or jumps", "write it with smooth functions")
    } else {
        return Ok(());
    };
    let message = format!("the invariant `{}` contains {what}", declared.name);
    Err(Diagnostic::error(Code::InvalidInvariant, message).label(declared.origin, "not allowed in it").help(help))
}

/// Rejects quantities that depend on anything but states: derivatives below those that the equations determine.
fn check_states(
    model: &Model,
    setting: &Setting<'_>,
    declared: &DeclaredInvariant,
    value: Expr,
) -> Result<(), Diagnostic> {
    let highest = &setting.structure.offsets.unknowns;
    let is_foreign = |symbol: &Symbol| match symbol {
        Symbol::Unknown { unknown, order } => *order >= highest[unknown.index()],
        _ => false,
    };
    let Some(foreign) = symbols(&model.dag, [value]).into_iter().find(is_foreign) else { return Ok(()) };
    let (name, other) = (&declared.name, model.symbol_name(foreign));
    let message = format!("the invariant `{name}` depends on `{other}`, which is not a state");
    let finding = Diagnostic::error(Code::InvalidInvariant, message).label(declared.origin, format!("uses `{other}`"));
    let note = format!("at every time `{other}` follows from the other unknowns: it has no start value of its own");
    Err(finding
        .note(note)
        .help("write the invariant in terms of the unknowns whose derivatives occur in the equations"))
}

/// The expression with eliminated unknowns replaced by those that they are equal to.
fn without_eliminated(dag: &mut Dag, eliminated: &[Eliminated], value: Expr) -> Expr {
    let of: HashMap<usize, &Eliminated> = eliminated.iter().map(|it| (it.unknown, it)).collect();
    substitute(dag, &[value], |dag, symbol| match symbol {
        Symbol::Unknown { unknown, order } => Some(of.get(&unknown.index())?.alias_of.jet(dag, order)),
        _ => None,
    })[0]
}

/// The reduced equations, of which only those that give a derivative by states and multipliers alone count as explicit:
/// the others determine several derivatives together, and serve proofs as they are written.
fn solved_alone(model: &Model, setting: &Setting<'_>) -> Reduced {
    let highest = &setting.structure.offsets.unknowns;
    let is_highest = |symbol: &Symbol| match symbol {
        Symbol::Unknown { unknown, order } => *order >= 1 && *order >= highest[unknown.index()],
        _ => false,
    };
    let mut reduced = setting.reduced.clone();
    reduced.explicit.retain(|explicit| !symbols(&model.dag, [explicit.value]).iter().any(is_highest));
    reduced
}

/// The equations that are not solved for a derivative, with their derivatives: zero on solutions. Piecewise functions
/// are not differentiable everywhere, and equations with them are left out.
fn constraints(model: &mut Model, reduced: &Reduced) -> Vec<Row> {
    let is_explicit = |i: usize| reduced.explicit.iter().any(|explicit| explicit.equation == i);
    let rows = reduced.derivatives.iter().enumerate().filter(|&(i, _)| !is_explicit(i));
    let rows = rows.flat_map(|(_, list)| list.iter().enumerate().map(|(order, &row)| (row, order == 0)));
    let (rows, is_written): (Vec<Expr>, Vec<bool>) = rows.unzip();
    let rows: Vec<Expr> = rows.into_iter().map(|row| reduced.replace_explicit(&mut model.dag, row)).collect();
    let rows = model.expand_inputs(&rows).into_iter().zip(is_written);
    let mut rows: Vec<Row> = rows.map(|(value, is_written)| Row { value, is_written }).collect();
    rows.retain(|row| !model.dag.is_zero(row.value) && surfaces(&mut model.dag, &[row.value]).is_empty());
    rows
}

/// Expressions in plain mathematics, each once.
fn spelled(model: &mut Model, list: &[Expr]) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for &value in list {
        let value = model.dag.primitive_part(value);
        let names = model.definition_names().into_iter().collect();
        let text = print_with(&model.dag, value, Notation::Text, &names, |symbol| model.symbol_name(symbol));
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// A number with four digits or so.
fn short(value: f64) -> String {
    if value == 0.0 || (1e-3..1e5).contains(&value.abs()) { format!("{value:.4}") } else { format!("{value:.3e}") }
}

/// The error for a quantity that changes.
fn changing(model: &Model, declared: &DeclaredInvariant, change: &states::Clear) -> Diagnostic {
    let name = &declared.name;
    let states::Clear { t, rate, size, at, is_start } = change;
    let message = format!("`{name}` changes along solutions, and is no invariant");
    let place = if *is_start { "at the start" } else { "at a consistent state" };
    let values: Vec<String> =
        at.iter().map(|&(symbol, value)| format!("{} = {}", model.symbol_name(symbol), short(value))).collect();
    let with = if values.is_empty() { String::new() } else { format!(", {}", values.join(", ")) };
    Diagnostic::error(Code::ChangingInvariant, message)
        .label(declared.origin, format!("der({name}) = {} {place}", short(*rate)))
        .note(format!(
            "this is its derivative where t = {t}{with}; the terms of the derivative add up to {} in absolute value",
            short(*size)
        ))
        .help("correct the expression, or the equations; what forces or friction change is no invariant")
}
