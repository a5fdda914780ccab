//! Values that are not numbers.
//!
//! In: a model. Out: an error for every default and start value that is infinite or undefined, as `1 / a` is with the
//! default `a = 0`: the analysis is made at these values, and would be meaningless.

use std::collections::HashSet;

use crate::defaults::default_parameters;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Expr, Symbol, evaluate_one, symbols};
use crate::model::{Model, derivative_name};
use crate::origin::Origin;

/// Checks that all defaults and start values are finite; of an array, only the first that is not is reported.
pub(super) fn check_values(model: &Model) -> Result<(), Diagnostics> {
    let defaults = default_parameters(model);
    let mut found = Diagnostics::new();
    let mut told: HashSet<Origin> = HashSet::new();
    let mut check = |value: f64, expr: Expr, origin: Origin, what: String| {
        let used = parameters(model, expr, &defaults);
        // If a parameter in an expression is not finite, only that parameter is reported.
        let follows = used.iter().any(|(_, value)| !value.is_finite());
        if !value.is_finite() && !follows && told.insert(origin) {
            found.push(not_finite(value, origin, &what, &used));
        }
    };
    for (parameter, &value) in model.parameters.iter().zip(&defaults) {
        check(value, parameter.default, parameter.origin, format!("the default of `{}`", parameter.name));
    }
    for unknown in &model.unknowns {
        let own = unknown.start.iter().map(|start| (0, start));
        for (order, start) in own.chain(unknown.derivative_starts.iter().map(|(order, start)| (*order, start))) {
            let value = evaluate_one(&model.dag, start.value, |symbol| match symbol {
                Symbol::Parameter(p) => defaults[p.index()],
                // Everything else that a start value may contain is known only when a run starts.
                _ => 1.0,
            });
            let name = derivative_name(&unknown.name, order);
            check(value, start.value, start.origin, format!("the start value of `{name}`"));
        }
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// The parameters in an expression, with their defaults.
fn parameters(model: &Model, expr: Expr, defaults: &[f64]) -> Vec<(String, f64)> {
    let used = symbols(&model.dag, [expr]).into_iter();
    used.filter_map(|symbol| match symbol {
        Symbol::Parameter(p) => Some((model.symbol_name(symbol), defaults.get(p.index()).copied().unwrap_or(f64::NAN))),
        _ => None,
    })
    .collect()
}

fn not_finite(value: f64, origin: Origin, what: &str, used: &[(String, f64)]) -> Diagnostic {
    let is = if value.is_nan() { "undefined" } else { "infinite" };
    let list: Vec<String> = used.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let with = if list.is_empty() { String::new() } else { format!(", with {}", list.join(", ")) };
    Diagnostic::error(Code::NotFinite, format!("{what} is {is}{with}"))
        .label(origin, format!("{is}{with}"))
        .note("the model is analysed at the default values of its parameters, and starts from them")
        .help("choose defaults for which every value is a finite number")
}
