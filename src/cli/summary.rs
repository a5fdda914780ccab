//! A simulation, or the solution of a boundary value problem, as text.
//!
//! In: a solution. Out: where it ended, how well it kept the constraints, and what it cost.

use std::fmt::Write;

use dae_runtime::contract::{Description, Name};
use dae_runtime::solution::event::Occurrence;
use dae_runtime::solution::{Enforcement, Solution};

use super::solve_bvp::Ended;

/// As many events, or modes, are listed one by one; and as many switching functions and events with their cost.
const FEW_EVENTS: usize = 12;

/// A summary of a few lines.
pub(super) fn text(description: &Description, method: &str, solution: &Solution) -> String {
    let mut out = format!("{}, {} form, {method}: {}\n", description.model, description.form, solution.status);
    // Writing to a `String` cannot fail.
    let _ = writeln!(out, "\nAt t = {}", solution.end_time);
    let width = solution.names.iter().map(|name| name.len()).max().unwrap_or(0);
    for (name, value) in solution.names.iter().zip(&solution.end_state) {
        let _ = writeln!(out, "  {name:width$}  {value:>23.15e}");
    }
    out.push_str(&events(solution));
    out.push_str(&modes(solution));
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
    out.push_str(&switches(solution));
    out
}

/// What switching functions and events have cost, the most expensive ones first; empty if nothing has happened at any.
fn switches(solution: &Solution) -> String {
    let list = solution.switches_by_cost();
    let mut out = String::new();
    if list.is_empty() {
        return out;
    }
    // Writing to a `String` cannot fail.
    let _ = writeln!(out, "\nSwitching functions and events by cost\n  crossings  restarts  rejected    sliding");
    for it in list.iter().take(FEW_EVENTS) {
        let (crossings, restarts, rejected) = (it.crossings, it.restarts, it.rejected());
        let _ = writeln!(out, "  {crossings:>9}  {restarts:>8}  {rejected:>8}  {:>9.3e}  {}", it.sliding, it.name);
    }
    if list.len() > FEW_EVENTS {
        let _ = writeln!(out, "  and {} more", list.len() - FEW_EVENTS);
    }
    out
}

/// The events that have occurred: each if they are few, otherwise their numbers; empty if there were none.
fn events(solution: &Solution) -> String {
    let mut out = String::new();
    let mut counted: Vec<(&Occurrence, usize)> = Vec::new();
    for it in &solution.occurrences {
        match counted.iter_mut().find(|(known, _)| known.event == it.event) {
            Some((_, count)) => *count += 1,
            None => counted.push((it, 1)),
        }
    }
    let message = |it: &Occurrence| it.message.as_ref().map_or_else(String::new, |text| format!(": {text}"));
    // Writing to a `String` cannot fail.
    if !counted.is_empty() {
        out.push_str("\nEvents\n");
    }
    if solution.occurrences.len() <= FEW_EVENTS {
        for it in &solution.occurrences {
            let _ = writeln!(out, "  t = {:<22}  {}{}", it.t, it.event, message(it));
        }
    } else {
        for (it, count) in counted {
            let _ = writeln!(out, "  {count:>6} times  {}{}", it.event, message(it));
        }
    }
    out
}

/// The modes that the run has entered: each with what jumps if they are few, otherwise their numbers; empty for a model
/// without modes.
fn modes(solution: &Solution) -> String {
    let mut out = String::new();
    if !solution.modes.is_empty() {
        out.push_str("\nModes\n");
    }
    // Writing to a `String` cannot fail.
    if solution.modes.len() <= FEW_EVENTS {
        for it in &solution.modes {
            let _ = writeln!(out, "  t = {:<22}  {}", it.t, it.mode);
            for jump in &it.jumps {
                let _ = writeln!(out, "      {} jumps from {:.6e} to {:.6e}", jump.unknown, jump.before, jump.after);
            }
            for (name, strength) in &it.impulses {
                let _ = writeln!(out, "      {name} is an impulse of {strength:.6e}");
            }
        }
        return out;
    }
    let mut counted: Vec<(&Name, usize)> = Vec::new();
    for it in &solution.modes {
        match counted.iter_mut().find(|(known, _)| **known == it.mode) {
            Some((_, count)) => *count += 1,
            None => counted.push((&it.mode, 1)),
        }
    }
    for (mode, count) in counted {
        let _ = writeln!(out, "  {count:>6} times  {mode}");
    }
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

/// A boundary value problem in a few lines.
pub(super) fn of_boundary_values(ended: &Ended<'_>) -> String {
    let Ended { problem, method, status, found, seconds, .. } = ended;
    let (model, form) = (&problem.description.model, &problem.description.form);
    let mut out = format!("{model}, {form} form, {method}: {status}\n\n");
    let solution = &found.solution;
    let states = [solution.state(0), solution.state(solution.times.len().saturating_sub(1))];
    let [first, last] = states.map(|state| state.unwrap_or_default());
    let free = problem.boundary.free_parameters.iter().filter_map(|&k| found.parameters.get(k));
    let free_end = problem.boundary.has_free_end.then(|| ("t_end".into(), found.end));
    let free: Vec<(Name, f64)> = free.cloned().chain(free_end).collect();
    let names = solution.names.iter().chain(free.iter().map(|(name, _)| name));
    let width = names.map(|name| name.len()).max().unwrap_or(0);
    // Writing to a `String` cannot fail.
    let from = found.mesh.first().copied().unwrap_or(problem.ends[0]);
    let [from, to] = [from, found.end].map(|t| format!("t = {t}"));
    let _ = writeln!(out, "  {:width$}  {from:>23}  {to:>23}", "");
    for (k, name) in solution.names.iter().enumerate() {
        let [first, last] = [first, last].map(|state| state.get(k).copied().unwrap_or(f64::NAN));
        let _ = writeln!(out, "  {name:width$}  {first:>23.15e}  {last:>23.15e}");
    }
    if !free.is_empty() {
        let _ = writeln!(out, "\nFound by the conditions");
        for (name, value) in &free {
            let _ = writeln!(out, "  {name:width$}  {value:>23.15e}");
        }
    }
    out += &derivatives(solution);
    let work = &found.statistics;
    let intervals = found.mesh.len().saturating_sub(1);
    let _ = match found.error_estimate.is_finite() {
        true => writeln!(out, "\n{intervals} intervals, estimated relative error {:.1e}", found.error_estimate),
        false => writeln!(out, "\n{intervals} intervals, no estimate of the error"),
    };
    let _ = write!(out, "{} meshes, {} factorizations, {} residuals", work.meshes, work.factorizations, work.residuals);
    for (count, what) in [(work.reductions, "shortened steps"), (work.continuation_steps, "steps of continuation")] {
        if count > 0 {
            let _ = write!(out, ", {count} {what}");
        }
    }
    let _ = writeln!(out, ", {seconds:.3} s");
    out
}
