//! Declarations of functions that the model does not define by an expression.
//!
//! In: tables with the values of their points, and functions with the paths of their values and derivatives. Out:
//! functions of the kernel, or findings.

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{External, ExternalDerivative, ExternalSource, Table};
use crate::syntax::ast::{self, Name};
use dae_runtime::spline::SplineError;

/// A table through the given points.
pub(super) fn table(name: &Name, points: Vec<(f64, f64)>, found: &mut Diagnostics) -> Option<Arc<External>> {
    match Table::new(points) {
        Ok(table) => Some(external(name, vec!["x".into()], ExternalSource::Table(table))),
        Err(error) => {
            let message = format!("`{}` is no table: {error}", name.text);
            let finding = Diagnostic::error(Code::InvalidTable, message).label(name.origin, "this table");
            found.push(finding.help(match error {
                SplineError::NotAscending { .. } => "sort the points by their first number, each of them once",
                SplineError::TooFewPoints { .. } => {
                    "give it more points; through fewer there is a polynomial to write down"
                }
                _ => "write finite numbers",
            }));
            None
        }
    }
}

/// An input that the caller supplies.
pub(super) fn input(name: &Name) -> Arc<External> {
    external(name, vec!["t".into()], ExternalSource::Input)
}

/// A Rust function with its derivatives; `None` if the declaration has errors.
pub(super) fn code(it: &ast::External, found: &mut Diagnostics) -> Option<Arc<External>> {
    let before = found.len();
    let value = it.value.as_ref()?;
    for (k, argument) in it.arguments.iter().enumerate() {
        if let Some(first) = it.arguments[..k].iter().find(|earlier| earlier.text == argument.text) {
            found.push(super::names::duplicate(argument, first.origin));
        }
    }
    if it.arguments.is_empty() {
        let message = format!("`{}` has no argument: it is a constant", it.name.text);
        found.push(invalid(message).label(it.name.origin, "no argument").help("declare a `param` or `const`"));
    }
    let mut derivatives = vec![ExternalDerivative { orders: vec![0; it.arguments.len()], path: value.text.clone() }];
    for derivative in &it.derivatives {
        let Some(orders) = orders(it, derivative, found) else { continue };
        if derivatives.iter().any(|known| known.orders == orders) {
            let finding = invalid(format!("this derivative of `{}` is declared twice", it.name.text));
            found.push(finding.label(derivative.origin, "declared again").help("remove one of them"));
            continue;
        }
        derivatives.push(ExternalDerivative { orders, path: derivative.path.text.clone() });
    }
    for (orders, origin) in
        it.derivatives.iter().filter_map(|d| Some((orders(it, d, &mut Diagnostics::new())?, d.origin)))
    {
        if let Some(lower) = lower_derivative(&derivatives, &orders) {
            let by: Vec<&str> = it
                .arguments
                .iter()
                .zip(&lower)
                .flat_map(|(argument, &n)| std::iter::repeat_n(argument.text.as_str(), n as usize))
                .collect();
            let message = format!("the derivative below this one is missing: `der({})`", by.join(", "));
            found.push(invalid(message).label(origin, "can never be used").help("declare that one as well"));
        }
    }
    let arguments = it.arguments.iter().map(|argument| argument.text.clone()).collect();
    (found.len() == before).then(|| external(&it.name, arguments, ExternalSource::Code(derivatives)))
}

/// A derivative of one order less that is not declared, if there is one.
fn lower_derivative(declared: &[ExternalDerivative], orders: &[u32]) -> Option<Vec<u32>> {
    let lower = |k: usize| {
        let mut lower = orders.to_vec();
        lower[k] = lower[k].checked_sub(1)?;
        declared.iter().all(|known| known.orders != lower).then_some(lower)
    };
    (0..orders.len()).find_map(lower)
}

/// The number of times that the function is differentiated with respect to each of its arguments.
fn orders(it: &ast::External, derivative: &ast::ExternalDerivative, found: &mut Diagnostics) -> Option<Vec<u32>> {
    let mut orders = vec![0; it.arguments.len()];
    for by in &derivative.by {
        match it.arguments.iter().position(|argument| argument.text == by.text) {
            Some(k) => orders[k] += 1,
            None => {
                let message = format!("`{}` has no argument `{}`", it.name.text, by.text);
                let finding = invalid(message).label(by.origin, "no argument");
                let near = crate::syntax::nearest(&by.text, it.arguments.iter().map(|argument| argument.text.as_str()));
                found.push(match near {
                    Some(near) => finding.help(format!("did you mean `{near}`?")),
                    None => finding,
                });
                return None;
            }
        }
    }
    if derivative.by.is_empty() {
        let finding = invalid("a derivative is taken by an argument".to_string());
        found.push(finding.label(derivative.origin, "by which?").help("write `der(argument) = path`"));
        return None;
    }
    Some(orders)
}

fn invalid(message: String) -> Diagnostic {
    Diagnostic::error(Code::InvalidExternal, message)
}

fn external(name: &Name, arguments: Vec<String>, source: ExternalSource) -> Arc<External> {
    Arc::new(External { name: name.text.clone(), arguments, origin: name.origin, source })
}
