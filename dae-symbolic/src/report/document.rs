//! The content of a report in mathematics, before it is laid out.
//!
//! In: a model, and the findings about it. Out: its equations, the derivation of every hidden constraint, and the
//! signature matrix, with expressions spelled in one kind of markup. `latex.rs` and `html/` lay it out.

use std::collections::HashSet;

use super::chains::{Derivation, derivations};
use super::families::{Line, rolled};
use super::formulations::{Formulated, formulations};
use super::mathematics::{Numbered, equation, number, spell};
use crate::expr::Expr;
use crate::index::{Rewrite, structure_of_text};
use crate::index_reduction::reduce;
use crate::model::{Domain, Model, Start};
use crate::pipeline::Compiled;
use crate::spelling::names::{Markup, in_markup};
use crate::structure::Structure;

/// Signature matrices with more columns than this are not laid out.
pub(super) const MAX_PATTERN: usize = 160;

/// The mathematics of a report.
pub(super) struct Document {
    pub(super) docs: Vec<String>,
    /// The equations of the text, those of a family in as few lines as possible.
    pub(super) equations: Vec<Numbered>,
    /// Equations that were replaced by combinations.
    pub(super) rewrites: Vec<Replaced>,
    /// `let`s and inputs: name, value, and the range of members that a line stands for, empty for a single one.
    pub(super) definitions: Vec<[String; 3]>,
    /// The symbols of all unknowns.
    pub(super) symbols: Vec<String>,
    pub(super) unknowns: Vec<Named>,
    pub(super) parameters: Vec<Named>,
    pub(super) derivations: Vec<Derivation>,
    pub(super) formulations: Vec<Formulated>,
    pub(super) structure: Option<Structure>,
    /// $\sigma_{ij}$, the signature matrix of the text; empty if it is too large.
    pub(super) signature: Vec<Vec<Option<u32>>>,
}

/// An equation that was replaced by a combination.
pub(super) struct Replaced {
    /// Its [`number`].
    pub(super) equation: String,
    /// The terms of the combination: coefficient (`None` for one), number of the equation, and how many times it is
    /// differentiated.
    pub(super) terms: Vec<(Option<String>, String, u32)>,
    pub(super) before: String,
    pub(super) after: String,
    /// The expression that must not vanish.
    pub(super) nonzero: Option<String>,
}

/// A symbol with its value and documentation.
pub(super) struct Named {
    pub(super) symbol: String,
    pub(super) value: Option<String>,
    /// `=` for a value that holds, `≈` for a guess.
    pub(super) relation: &'static str,
    pub(super) docs: String,
    /// `for i in 1..=58`; empty for a single instance.
    pub(super) range: String,
}

impl Document {
    pub(super) fn compiled(compiled: &Compiled, markup: Markup) -> Document {
        let mut model = compiled.model.clone();
        let analysis = &compiled.analysis;
        let derivations = if compiled.hidden.is_empty() {
            Vec::new()
        } else {
            let reduced = reduce(&mut model.dag, &analysis.system, &analysis.structure.offsets);
            derivations(&mut model, compiled, &reduced, markup)
        };
        let rewrites = analysis.rewrites.iter().map(|rewrite| replaced(&mut model, rewrite, markup)).collect();
        let formulations = formulations(&mut model, compiled, markup);
        Document { derivations, formulations, rewrites, ..Document::of_text(&mut model, markup) }
    }

    pub(super) fn rejected(model: &Model, markup: Markup) -> Document {
        Document::of_text(&mut model.clone(), markup)
    }

    fn of_text(model: &mut Model, markup: Markup) -> Document {
        let residuals: Vec<Expr> = model.equations.iter().map(|e| e.residual).collect();
        let n = model.unknowns.len();
        let row = |incidence: &[(crate::expr::UnknownId, u32)]| {
            let mut row = vec![None; n];
            incidence.iter().for_each(|&(j, order)| row[j.index()] = Some(order));
            row
        };
        Document {
            docs: model.docs.clone(),
            equations: equations(model, &residuals, markup),
            rewrites: Vec::new(),
            definitions: definitions(model, markup),
            symbols: model.unknowns.iter().map(|u| in_markup(&u.name, markup)).collect(),
            unknowns: unknowns(model, markup),
            parameters: parameters(model, markup),
            derivations: Vec::new(),
            formulations: Vec::new(),
            structure: structure_of_text(model).ok(),
            signature: match n <= MAX_PATTERN {
                true => model.equations.iter().map(|e| row(&e.incidence)).collect(),
                false => Vec::new(),
            },
        }
    }
}

/// `let`s whose value is more than a symbol or a constant, and inputs that the model defines.
fn definitions(model: &Model, markup: Markup) -> Vec<[String; 3]> {
    let named: HashSet<Expr> = model.definition_names().into_iter().map(|(value, _)| value).collect();
    let lets = model.definitions.iter().filter(|d| named.contains(&d.value));
    let lets = lets.map(|d| (&d.domain, &d.name, d.value));
    let scalar = Domain::scalar();
    let inputs = model.inputs.iter().filter(|i| !model.is_supplied(i.definition));
    let all: Vec<(&Domain, &String, Expr)> = lets.chain(inputs.map(|i| (&scalar, &i.name, i.definition))).collect();
    let text =
        |&(_, name, value): &(&Domain, &String, Expr)| vec![in_markup(name, markup), spell(model, value, markup)];
    let texts: Vec<Vec<String>> = all.iter().map(text).collect();
    let lines = rolled(all.iter().map(|(domain, ..)| *domain), &texts).into_iter();
    lines
        .map(|line| {
            let [name, value] = <[String; 2]>::try_from(line.parts).unwrap_or_default();
            [name, value, line.range]
        })
        .collect()
}

fn equations(model: &mut Model, residuals: &[Expr], markup: Markup) -> Vec<Numbered> {
    let numbers = model.equations.iter().map(|e| number(&e.name).to_string()).collect::<Vec<_>>().into_iter();
    let texts: Vec<Vec<String>> = residuals
        .iter()
        .zip(numbers)
        .map(|(&residual, number)| vec![equation(model, residual, markup), number])
        .collect();
    let numbered = |line: Line| {
        let [mathematics, number] = <[String; 2]>::try_from(line.parts).unwrap_or_default();
        Numbered { mathematics, number, range: line.range }
    };
    rolled(model.equations.iter().map(|e| &e.domain), &texts).into_iter().map(numbered).collect()
}

fn unknowns(model: &Model, markup: Markup) -> Vec<Named> {
    let named = model.unknowns.iter().map(|u| Named {
        symbol: in_markup(&u.name, markup),
        value: u.start.as_ref().map(|start| spell(model, start.value, markup)),
        relation: match u.start.as_ref().map(|start| start.kind) {
            Some(Start::Guess) => "≈",
            Some(Start::Fixed | Start::Free) | None => "=",
        },
        docs: u.docs.join(" "),
        range: String::new(),
    });
    in_families(model.unknowns.iter().map(|u| &u.domain), named.collect())
}

fn parameters(model: &Model, markup: Markup) -> Vec<Named> {
    let named = model.parameters.iter().map(|p| Named {
        symbol: in_markup(&p.name, markup),
        value: Some(spell(model, p.default, markup)),
        relation: "=",
        docs: p.docs.join(" "),
        range: String::new(),
    });
    in_families(model.parameters.iter().map(|p| &p.domain), named.collect())
}

/// If the list is longer by more lines than this with values than without, the values of families are left out.
const MAX_VALUES: usize = 12;

/// One line for members of a family that differ only in numbers that are affine in the indices.
fn in_families<'a>(domains: impl Iterator<Item = &'a Domain> + Clone, all: Vec<Named>) -> Vec<Named> {
    let texts = |with_value: bool| -> Vec<Vec<String>> {
        let text = |n: &Named| {
            let value =
                n.value.as_ref().filter(|_| with_value).map_or_else(String::new, |v| format!("{}{v}", n.relation));
            vec![n.symbol.clone(), value]
        };
        all.iter().map(text).collect()
    };
    let (symbols, mut lines) = (rolled(domains.clone(), &texts(false)), rolled(domains, &texts(true)));
    let with_values = lines.len() <= symbols.len() + MAX_VALUES;
    if !with_values {
        lines = symbols;
    }
    let named = |line: Line| {
        let Named { value, relation, docs, .. } = &all[line.first];
        let single = line.range.is_empty();
        let [symbol, spelled] = <[String; 2]>::try_from(line.parts).unwrap_or_default();
        let spelled = spelled.strip_prefix(*relation).map(str::to_string);
        let value = if single { value.clone() } else { spelled };
        Named { symbol, value, relation, docs: docs.clone(), range: line.range }
    };
    lines.into_iter().map(named).collect()
}

fn replaced(model: &mut Model, rewrite: &Rewrite, markup: Markup) -> Replaced {
    let name = |k: usize| number(&model.equations[k].name).to_string();
    let coefficient = |q: Expr| match model.dag.as_constant(q) {
        Some(q) if q.is_one() => None,
        _ => Some(spell(model, q, markup)),
    };
    let terms = rewrite.combination.terms.iter().map(|&(q, k, order)| (coefficient(q), name(k), order)).collect();
    Replaced {
        equation: name(rewrite.equation),
        terms,
        nonzero: rewrite.nonzero.map(|e| spell(model, e, markup)),
        before: equation(model, rewrite.before, markup),
        after: equation(model, rewrite.after, markup),
    }
}
