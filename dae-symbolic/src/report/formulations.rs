//! The equations of formulations in mathematics.
//!
//! In: the compiled forms of a model. Out: their rows, those of a family in as few lines as possible, and the
//! invariants that they imply but do not enforce.

use std::collections::{HashMap, HashSet};

use super::families::{Line, rolled};
use super::mathematics::{Numbered, number, solved_or_zero};
use crate::expr::{Expr, Notation, Symbol, mathml, print_with};
use crate::formulation::CompiledForm;
use crate::formulation::state_names;
use crate::model::{Domain, Model};
use crate::pipeline::Compiled;
use crate::spelling::names::{Markup, in_markup};

/// A formulation.
pub(super) struct Formulated {
    /// Its name, such as `ggl`.
    pub(super) name: String,
    /// A sentence about it.
    pub(super) sentence: String,
    /// The rows of $F(t, y, y') = 0$.
    pub(super) rows: Vec<Numbered>,
    /// Invariants that no row enforces.
    pub(super) implied: Vec<Numbered>,
}

pub(super) fn formulations(model: &mut Model, compiled: &Compiled, markup: Markup) -> Vec<Formulated> {
    compiled.forms.iter().map(|form| formulated(model, form, markup)).collect()
}

fn formulated(model: &mut Model, form: &CompiledForm, markup: Markup) -> Formulated {
    let formulation = &form.formulation;
    let names = state_names(model, formulation).into_iter();
    let names: HashMap<Expr, String> = names.map(|(value, name)| (value, in_markup(&name, markup))).collect();
    let states: HashSet<&str> = formulation.unknowns.iter().map(|unknown| unknown.name.as_str()).collect();
    let spell = |model: &Model, expr: Expr| {
        let symbol = |symbol| match (symbol, formulation.symbol_name(model, symbol)) {
            // A derivative whose name, `der(x)`, is also that of an unknown of the formulation: printed as d/dt x.
            (Symbol::StateDerivative(i), rate) if states.contains(rate.as_str()) => {
                derivative_of(&in_markup(&formulation.unknowns[i as usize].name, markup), markup)
            }
            (_, name) => in_markup(&name, markup),
        };
        match markup {
            Markup::Latex => print_with(&model.dag, expr, Notation::Latex, &names, symbol),
            Markup::MathMl => mathml(&model.dag, expr, &names, symbol),
        }
    };
    let is_rate = |symbol| matches!(symbol, Symbol::StateDerivative(_));
    let mut lines = |list: Vec<(&str, &Domain, Expr)>| {
        let text = |&(name, _, value): &(&str, &Domain, Expr)| {
            vec![solved_or_zero(model, value, markup, is_rate, spell), number(name).to_string()]
        };
        let texts: Vec<Vec<String>> = list.iter().map(text).collect();
        let lines = rolled(list.iter().map(|(_, domain, _)| *domain), &texts);
        lines.into_iter().map(numbered).collect::<Vec<Numbered>>()
    };
    let rows = lines(formulation.equations.iter().map(|it| (it.name.as_str(), &it.domain, it.residual)).collect());
    let implied = formulation.invariants.iter().filter(|it| it.row.is_none());
    let implied = lines(implied.map(|it| (it.name.as_str(), &it.domain, it.value)).collect());
    Formulated { name: form.form.to_string(), sentence: form.form.sentence(), rows, implied }
}

fn numbered(line: Line) -> Numbered {
    let [mathematics, number] = <[String; 2]>::try_from(line.parts).unwrap_or_default();
    Numbered { mathematics, number, range: line.range }
}

fn derivative_of(name: &str, markup: Markup) -> String {
    match markup {
        Markup::Latex => format!("\\frac{{\\mathrm{{d}}}}{{\\mathrm{{d}}t}} {name}"),
        Markup::MathMl => format!(
            "<mrow><mfrac><mi mathvariant=\"normal\">d</mi><mrow><mi mathvariant=\"normal\">d</mi><mi>t</mi></mrow></mfrac>{name}</mrow>"
        ),
    }
}
