//! A simulation as text.
//!
//! In: a solution. Out: where it ended, how well it kept the constraints, and what it cost.

use std::fmt::Write;

use dae_runtime::contract::Description;
use dae_runtime::solution::{Enforcement, Solution};

/// A summary of a few lines.
pub(super) fn text(description: &Description, method: &str, solution: &Solution) -> String {
    let mut out = format!("{}, {} form, {method}: {}\n", description.model, description.form, solution.status);
    // Writing to a `String` cannot fail.
    let _ = writeln!(out, "\nAt t = {}", solution.end_time);
    let width = solution.names.iter().map(|name| name.len()).max().unwrap_or(0);
    for (name, value) in solution.names.iter().zip(&solution.end_state) {
        let _ = writeln!(out, "  {name:width$}  {value:>23.15e}");
    }
    out.push_str(&derivatives(solution));
    if !solution.invariants.is_empty() {
        let _ = writeln!(out, "\nLargest residual of the constraints");
        let width = solution.invariants.iter().map(|i| i.name.len()).max().unwrap_or(0);
        for invariant in &solution.invariants {
            let kept = match invariant.enforcement {
                Enforcement::Enforced => "enforced",
                Enforcement::Projected => "steps projected onto it",
                Enforcement::Implied => "implied, may drift",
            };
            let _ = writeln!(out, "  {:width$}  {:9.2e}  {kept}", invariant.name, invariant.max);
        }
    }
    let work = &solution.statistics;
    if work.coordinate_changes > 0 {
        let _ = writeln!(out, "\n{} changes of local coordinates", work.coordinate_changes);
    }
    let _ = writeln!(
        out,
        "\n{} steps, {} rejected, {} residuals, {} Jacobians, {} factorizations, {:.3} s",
        work.steps,
        work.rejected(),
        work.residuals,
        work.jacobians,
        work.factorizations,
        solution.seconds
    );
    out
}

/// The sensitivities at the last recorded time, a column for each quantity; empty if none were asked for.
fn derivatives(solution: &Solution) -> String {
    let (Some(sensitivities), Some(t)) = (&solution.sensitivities, solution.times.last()) else { return String::new() };
    let width = solution.names.iter().map(|name| name.len()).max().unwrap_or(0);
    let mut out = format!("\nDerivatives at t = {t}\n  {:width$}", "");
    for by in &sensitivities.quantities {
        let _ = write!(out, "  {:>23}", format!("by {by}"));
    }
    for name in &solution.names {
        let _ = write!(out, "\n  {name:width$}");
        for by in &sensitivities.quantities {
            let value = solution.sensitivity_at(name, by, *t).unwrap_or(f64::NAN);
            let _ = write!(out, "  {value:>23.15e}");
        }
    }
    out + "\n"
}
