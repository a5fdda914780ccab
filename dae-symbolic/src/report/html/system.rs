//! The system in mathematics: equations, unknowns, parameters, combined equations, the derivation of hidden
//! constraints, and the rows of formulations.

use super::super::Report;
use super::super::chains::{Derivation, DerivationStep};
use super::super::document::{Document, Named, Replaced};
use super::super::formulations::Formulated;
use super::super::mathematics::Numbered;
use super::elements::{display, inline, line};
use crate::expr::escaped;

pub(super) fn system(out: &mut String, document: &Document) {
    if document.equations.is_empty() {
        return;
    }
    out.push_str("<h2>System</h2>\n");
    numbered(out, &document.equations);
    for [name, value, range] in &document.definitions {
        let range = if range.is_empty() { String::new() } else { format!(" {}", escaped(range)) };
        line(out, format_args!("<p>with {}{range}</p>", inline(&format!("{name}<mo>=</mo>{value}"))));
    }
    named(out, "Unknowns, with fixed start values (=) and guesses (≈)", &document.unknowns);
    named(out, "Parameters, with their defaults", &document.parameters);
}

/// The rows of each form, collapsed until they are opened.
pub(super) fn formulations(out: &mut String, document: &Document) {
    for Formulated { name, sentence, rows, implied } in &document.formulations {
        line(out, format_args!("<details><summary>Equations of the {} form</summary>", escaped(name)));
        line(out, format_args!("<p class=\"small\">{}</p>", escaped(sentence)));
        numbered(out, rows);
        if !implied.is_empty() {
            out.push_str("<p class=\"small\">Implied, and not enforced:</p>\n");
            numbered(out, implied);
        }
        out.push_str("</details>\n");
    }
}

fn numbered(out: &mut String, equations: &[Numbered]) {
    let families = equations.iter().any(|e| !e.range.is_empty());
    let class = if families { "equations families" } else { "equations" };
    line(out, format_args!("<table class=\"{class}\">"));
    // The first row sets the widths of the columns.
    let widest = equations.iter().map(|e| e.number.chars().count()).max().unwrap_or(0);
    let width = 2.2 + 0.5 * widest as f64;
    for Numbered { mathematics, number, range } in equations {
        line(
            out,
            format_args!(
                "<tr><td class=\"scroll\">{}</td><td class=\"note\">{}</td><td class=\"number\" style=\"width:{width:.1}rem\">({})</td></tr>",
                display(mathematics),
                escaped(range),
                escaped(number)
            ),
        );
    }
    out.push_str("</table>\n");
}

fn named(out: &mut String, title: &str, list: &[Named]) {
    if list.is_empty() {
        return;
    }
    line(out, format_args!("<h3>{title}</h3>"));
    if list.iter().all(|n| n.docs.trim().is_empty()) {
        let item = |n: &Named| format!("<li>{}{}</li>", inline(&assignment(n)), range(n));
        let items: Vec<String> = list.iter().map(item).collect();
        line(out, format_args!("<ul class=\"flow\">{}</ul>", items.concat()));
        return;
    }
    out.push_str("<div class=\"scroll\"><table class=\"list\">\n");
    for named in list {
        let (assignment, docs) = (inline(&assignment(named)), escaped(named.docs.trim()));
        let range = range(named);
        line(out, format_args!("<tr><td>{assignment}{range}</td><td class=\"note\">{docs}</td></tr>"));
    }
    out.push_str("</table></div>\n");
}

/// `for i in 1..=58`.
fn range(Named { range, .. }: &Named) -> String {
    if range.is_empty() { String::new() } else { format!("<span class=\"range\">{}</span>", escaped(range)) }
}

/// `x = 1` for a fixed value, `x ≈ 1` for a guess, `x` without a value.
fn assignment(Named { symbol, value, relation, .. }: &Named) -> String {
    match value {
        Some(value) => format!("{symbol}<mo>{relation}</mo>{value}"),
        None => symbol.clone(),
    }
}

pub(super) fn rewrites(out: &mut String, report: &Report, document: &Document) {
    if let Some(explanation) = &report.explanation {
        line(out, format_args!("<p class=\"warning\">{}</p>", escaped(explanation)));
    }
    if document.rewrites.is_empty() {
        return;
    }
    out.push_str("<h2>Combined equations</h2>\n");
    out.push_str("<p class=\"small\">Leading parts of the text cancel in these combinations, which replace one of its equations each.</p>\n");
    for Replaced { equation, terms, before, after, nonzero } in &document.rewrites {
        line(out, format_args!("<h3>Equation ({})</h3>\n<div class=\"chain scroll\">", escaped(equation)));
        step(out, "", "before", before);
        step(out, "", "replaced by", &combination(terms));
        step(out, " hidden-constraint", "after", after);
        if let Some(nonzero) = nonzero {
            step(out, "", "provided", &format!("{nonzero}<mo>≠</mo><mn>0</mn>"));
        }
        out.push_str("</div>\n");
    }
}

/// `(1) + (−x) d/dt (2)`: terms joined by `+`, with brackets around coefficients.
fn combination(terms: &[(Option<String>, String, u32)]) -> String {
    let term = |(coefficient, equation, order): &(Option<String>, String, u32)| {
        let operator = match order {
            0 => String::new(),
            1 => "<mfrac><mi mathvariant=\"normal\">d</mi><mrow><mi mathvariant=\"normal\">d</mi><mi>t</mi></mrow></mfrac>".into(),
            n => format!(
                "<mfrac><msup><mi mathvariant=\"normal\">d</mi><mn>{n}</mn></msup><mrow><mi mathvariant=\"normal\">d</mi>\
                 <msup><mi>t</mi><mn>{n}</mn></msup></mrow></mfrac>"
            ),
        };
        let factor = coefficient.as_ref().map_or_else(String::new, |q| format!("<mrow><mo>(</mo>{q}<mo>)</mo></mrow>"));
        format!("{factor}{operator}<mtext>({})</mtext>", escaped(equation))
    };
    terms.iter().map(term).collect::<Vec<String>>().join("<mo>+</mo>")
}

pub(super) fn derivations(out: &mut String, document: &Document) {
    if document.derivations.is_empty() {
        return;
    }
    out.push_str("<h2>Hidden constraints</h2>\n<p class=\"small\">They follow from the text by differentiation, and every solution fulfils them.</p>\n");
    for Derivation { of, start, steps, range } in &document.derivations {
        let range = if range.is_empty() { String::new() } else { format!(" {}", escaped(range)) };
        line(out, format_args!("<h3>From {}{range}</h3>\n<div class=\"chain scroll\">", escaped(of)));
        step(out, "", "", start);
        for DerivationStep { derivative, using, constraint } in steps {
            let label = match (derivative, using.is_empty()) {
                (Some(_), true) => "simplified".to_string(),
                (Some(_), false) => format!("by {using}"),
                (None, true) => "differentiated".to_string(),
                (None, false) => format!("differentiated, by {using}"),
            };
            if let Some(derivative) = derivative {
                step(out, "", "differentiated", derivative);
            }
            step(out, " hidden-constraint", &label, constraint);
        }
        out.push_str("</div>\n");
    }
}

fn step(out: &mut String, class: &str, label: &str, mathematics: &str) {
    line(
        out,
        format_args!(
            "<div class=\"step{class}\"><span class=\"label\">{}</span><div>{}</div></div>",
            escaped(label),
            display(mathematics)
        ),
    );
}
