//! Equations with kinks or jumps that the reduction differentiates.
//!
//! In: a model and its analysis. Out: a warning for each equation and switching surface where a derivative that the
//! reduction uses is not continuous. Index reduction takes $\dot f, \dots, f^{(c)}$ branch by branch, which is right
//! between switches. If the first derivative of $f$ that jumps is of order $m \le c$ (`expr/surfaces.rs`), then at a
//! switch $f^{(m)}$ jumps and higher derivatives have impulses, which no differentiated equation contains.

use super::analysis::Analysis;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Notation, Surface, print_with, surfaces};
use crate::model::{Model, derivative_name};
use crate::origin::Origin;

/// The warnings, in the order of the equations; none if no reduction is known.
pub fn differentiated_kinks(model: &mut Model, analysis: &Analysis) -> Diagnostics {
    let mut found = Diagnostics::new();
    if !analysis.certificate.has_reduction() {
        return found;
    }
    let offsets = &analysis.structure.offsets.equations;
    for (equation, &c) in analysis.system.equations.iter().zip(offsets).filter(|&(_, &c)| c > 0) {
        let residual = model.expand_inputs(&[equation.residual])[0];
        for surface in surfaces(&mut model.dag, &[residual]) {
            if let Some(order) = surface.first_jump(&mut model.dag, residual, c) {
                let differentiated = Differentiated { name: equation.provenance.name(), origin: equation.origin, c };
                found.push(warning(model, &differentiated, &surface, order));
            }
        }
    }
    found
}

/// An equation that the reduction differentiates.
struct Differentiated {
    name: String,
    origin: Origin,
    /// The number of times that the reduction differentiates it.
    c: u32,
}

fn warning(model: &Model, equation: &Differentiated, surface: &Surface, order: u32) -> Diagnostic {
    let names = model.definition_names().into_iter().collect();
    let function = print_with(&model.dag, surface.function, Notation::Text, &names, |s| model.symbol_name(s));
    let (name, c) = (&equation.name, equation.c);
    let times = match c {
        1 => "once".to_string(),
        2 => "twice".to_string(),
        c => format!("{c} times"),
    };
    let jumping = derivative_name(name, order);
    let label = format!("differentiated {times} by the reduction");
    if order == 0 {
        return Diagnostic::warning(
            Code::DifferentiatedJump,
            format!("{name} jumps where {function} = 0, and is differentiated {times}"),
        )
        .label(equation.origin, label)
        .note("a jump has no derivative: the hidden constraints hold on either side of it, and nothing carries the solution across")
        .help("make the branches join, or end the integration at the switch and start again after it");
    }
    let finding = Diagnostic::warning(
        Code::DifferentiatedKink,
        match order {
            1 => format!("{name} has a kink where {function} = 0, and is differentiated {times}"),
            _ => format!("{name} is not smooth where {function} = 0, and is differentiated {times}"),
        },
    )
    .label(equation.origin, label);
    let finding = match order == c {
        true => finding.note(format!("{jumping} jumps there, and with it the unknowns that it determines")),
        false => finding.note(format!(
            "{jumping} jumps there, and its derivatives have impulses that the reduced equations do not contain"
        )),
    };
    finding.help("smooth the kink, or end the integration at the switch and start again after it")
}
