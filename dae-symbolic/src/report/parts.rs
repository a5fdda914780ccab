//! Small parts of a report.
//!
//! In: the parts of a compiled model. Out: data to be serialised.

use std::collections::HashMap;

use crate::alias::{AliasOf, Eliminated};
use crate::boundary::{BoundaryProblem, NamedCondition, Source};
use crate::expr::{Notation, print_with};
use crate::first_integrals::{FirstIntegral, Verdict};
use crate::formulation::Form;
use crate::model::{Event, Model};
use crate::pipeline::{Compiled, HiddenConstraint, Named};
use crate::structure::Offsets;

/// Canonical offsets, by equation and by unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct OffsetsReport {
    /// $c$: the number of times that each equation is differentiated.
    pub equations: Vec<u32>,
    /// $d$: the order of the highest derivative of each unknown after the differentiations.
    pub unknowns: Vec<u32>,
}

/// A hidden constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct HiddenReport {
    /// The name, such as `der(equation 5)`.
    pub name: String,
    /// The position in [`Report::equations`](super::Report::equations), from 1, of the equation it comes from.
    pub equation: usize,
    /// The number of times that the equation was differentiated.
    pub order: u32,
    /// The constraint in plain mathematics.
    pub text: String,
    /// The constraint in LaTeX.
    pub latex: String,
}

/// An invariant that the text declares.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct InvariantReport {
    /// Its name.
    pub name: String,
    /// Its value in plain mathematics.
    pub value: String,
    /// `proved`, `conditional` for a proof that divides by something, `numerical`, or `unknown`.
    pub verdict: &'static str,
    /// The verdict in words.
    pub grounds: String,
}

/// A boundary value problem.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BoundaryProblemReport {
    /// The default ends in plain mathematics, if the text gives them.
    pub horizon: Option<[String; 2]>,
    /// All conditions.
    pub conditions: Vec<ConditionReport>,
    /// Parameters, and `t_end`, that the conditions determine.
    pub free: Vec<String>,
}

/// A boundary condition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ConditionReport {
    /// Its name in messages: the equation, or `start of y` for a fixed start value.
    pub name: String,
    /// The equation in plain mathematics.
    pub equation: String,
    /// `start value`, `text`, or `optimal control`.
    pub source: &'static str,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct EventReport {
    /// The condition as it is written, or `sample(…)`.
    pub name: String,
    /// What it changes, as equations in plain mathematics; `pre(x)` is the value before the event.
    pub changes: Vec<String>,
    /// The text that it notes.
    pub message: Option<String>,
    /// Whether it ends a run.
    pub is_terminal: bool,
}

/// A named sub-expression or input, and its definition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct DefinitionReport {
    /// The name, such as `force`.
    pub name: String,
    /// The value in plain mathematics.
    pub value: String,
}

/// An unknown that the derived forms do not solve for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct EliminatedReport {
    /// Its name.
    pub unknown: String,
    /// What it equals, in plain mathematics: another unknown, its negative, or a constant.
    pub value: String,
    /// The position in [`Report::equations`](super::Report::equations), from 1, of the equation that gives it.
    pub equation: usize,
    /// The name of that equation.
    pub equation_name: String,
}

/// A form that the model asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct FormReport {
    /// Its name: `index1`, `projected(B)`, ….
    pub name: String,
    /// Why the model does not have this form; `None` if it does.
    pub unavailable: Option<String>,
}

/// What is wrong with a model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ProblemReport {
    /// `structurally singular`, `overdetermined`, `underdetermined`, `contradictory start values`, or `invalid text`.
    pub kind: &'static str,
    /// Names of the equations at fault.
    pub equations: Vec<String>,
    /// Names of the unknowns at fault.
    pub unknowns: Vec<String>,
    /// The findings, each with its code.
    pub messages: Vec<String>,
}

impl OffsetsReport {
    pub(super) fn new(offsets: &Offsets) -> Self {
        OffsetsReport { equations: offsets.equations.clone(), unknowns: offsets.unknowns.clone() }
    }
}

impl DefinitionReport {
    pub(super) fn new(Named { name, value, .. }: Named) -> Self {
        DefinitionReport { name, value }
    }
}

impl HiddenReport {
    pub(super) fn new(constraint: &HiddenConstraint) -> Self {
        let HiddenConstraint { name, equation, order, text, latex, .. } = constraint.clone();
        HiddenReport { name, equation: equation + 1, order, text, latex }
    }
}

impl InvariantReport {
    pub(super) fn new(model: &Model, it: &FirstIntegral) -> Self {
        let names = model.definition_names().into_iter().collect();
        let value = print_with(&model.dag, it.value, Notation::Text, &names, |symbol| model.symbol_name(symbol));
        let verdict = match &it.verdict {
            Verdict::Proved { nonzero } if nonzero.is_empty() => "proved",
            Verdict::Proved { .. } => "conditional",
            Verdict::Numerical { .. } => "numerical",
            Verdict::NotExamined { .. } => "unknown",
        };
        InvariantReport { name: it.name.clone(), value, verdict, grounds: it.verdict.text() }
    }
}

impl BoundaryProblemReport {
    pub(super) fn new(model: &Model, it: &BoundaryProblem) -> Self {
        let text = |end| print_with(&model.dag, end, Notation::Text, &HashMap::new(), |s| model.symbol_name(s));
        let condition = |(it, equation): (&NamedCondition, String)| {
            let source = match it.source {
                Source::Start => "start value",
                Source::Text => "text",
                Source::Control => "optimal control",
            };
            ConditionReport { name: it.name.clone(), equation, source }
        };
        BoundaryProblemReport {
            horizon: it.boundary.horizon.map(|(from, to)| [text(from), text(to)]),
            conditions: it.conditions.iter().zip(it.spelled(model)).map(condition).collect(),
            free: it.free(model),
        }
    }
}

impl EventReport {
    /// The events of a model.
    pub(super) fn all(model: &Model) -> Vec<Self> {
        let events = &model.events;
        let report = |event: &Event| EventReport {
            name: event.name.clone(),
            changes: events.changes(model, event),
            message: event.message.clone(),
            is_terminal: event.is_terminal,
        };
        events.list.iter().map(report).collect()
    }
}

impl EliminatedReport {
    pub(super) fn new(compiled: &Compiled, it: &Eliminated) -> Self {
        let model = &compiled.model;
        let name = |unknown: usize| model.unknowns[unknown].name.clone();
        let value = match &it.alias_of {
            AliasOf::Unknown { unknown, factor } if factor.is_negative() => format!("-{}", name(*unknown)),
            AliasOf::Unknown { unknown, .. } => name(*unknown),
            AliasOf::Constant(value) => {
                print_with(&model.dag, *value, Notation::Text, &HashMap::new(), |s| model.symbol_name(s))
            }
        };
        let text = compiled.analysis.system.equations[it.equation].text;
        EliminatedReport {
            unknown: name(it.unknown),
            value,
            equation: text + 1,
            equation_name: model.equation_name(text),
        }
    }
}

impl FormReport {
    pub(super) fn new(compiled: &Compiled, form: &Form) -> Self {
        let refusal = compiled.unavailable.iter().find(|error| error.form == *form);
        FormReport { name: form.to_string(), unavailable: refusal.map(|error| error.message.clone()) }
    }
}
