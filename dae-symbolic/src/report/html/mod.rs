//! A report as an HTML page.
//!
//! In: a [`Report`] and the mathematics of its model in MathML. Out: one file without scripts or external resources,
//! readable in any browser in light and dark mode: what is known about the index, the system, combined equations, the
//! derivation of the hidden constraints, the signature matrix and block-triangular form, initial values, the evidence,
//! and the formulations.

mod elements;
mod structure;
mod system;

use elements::{inline, line};
use structure::structure;
use system::{derivations, formulations, rewrites, system};

use super::cases::statements;
use super::document::Document;
use super::facts::facts;
use super::{InitialReport, Report};
use crate::expr::escaped;
use crate::spelling::names::{Markup, in_markup};

const STYLE: &str = include_str!("page.css");
/// Tables with more rows than this are collapsed until they are opened.
const LISTED: usize = 40;
pub(super) fn page(report: &Report, document: &Document) -> String {
    let name = escaped(report.name.as_deref().unwrap_or("Model"));
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{name}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{name}</h1>\n"
    );
    if !document.docs.is_empty() {
        line(&mut out, format_args!("<p class=\"docs\">{}</p>", escaped(document.docs.join(" ").trim())));
    }
    hero(&mut out, report);
    problem(&mut out, report);
    warnings(&mut out, report);
    system(&mut out, document);
    rewrites(&mut out, report, document);
    derivations(&mut out, document);
    structure(&mut out, report, document);
    initial(&mut out, report.initial_values.as_ref());
    index_concepts(&mut out, report);
    certificate(&mut out, report);
    forms(&mut out, report);
    formulations(&mut out, document);
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

/// The numbers that a reader looks for first.
fn hero(out: &mut String, report: &Report) {
    let mut cards: Vec<(&str, String, String)> = Vec::new();
    let index = |how: &str| format!("differentiation index, {how}");
    match (report.differentiation_index, report.index_upper_bound, &report.certificate) {
        (Some(value), _, Some(certificate)) => {
            cards.push(("fact main", value.to_string(), index(certificate.phrase())));
        }
        (None, Some(bound), Some(certificate)) => {
            cards.push(("fact main", format!("≤ {bound}"), index(certificate.phrase())));
        }
        (None, None, Some(_)) => cards.push(("fact main", "–".into(), "differentiation index: not certified".into())),
        (_, _, None) => {}
    }
    let mut card = |value: Option<String>, label: &str| {
        cards.extend(value.map(|value| ("fact", value, label.to_string())));
    };
    card(report.degrees_of_freedom.map(|n| n.to_string()), "degrees of freedom");
    let misleading = if report.sigma_jacobian_singular == Some(true) { ", misleading" } else { "" };
    card(report.structural_index.map(|n| n.to_string()), &format!("structural index{misleading}"));
    card(report.perturbation_index.map(|n| n.to_string()), "perturbation index");
    card(report.strangeness_index.map(|n| n.to_string()), "strangeness index");
    card(report.kronecker_index.map(|n| n.to_string()), "Kronecker index");
    if cards.is_empty() {
        return;
    }
    out.push_str("<div class=\"hero\">\n");
    for (class, value, label) in cards {
        let (value, label) = (escaped(&value), escaped(&label));
        line(
            out,
            format_args!(
                "<div class=\"{class}\"><div class=\"value\">{value}</div><div class=\"label\">{label}</div></div>"
            ),
        );
    }
    out.push_str("</div>\n");
    if let Some(reason) = report.certificate.as_ref().and_then(|c| c.reason.as_ref()) {
        line(out, format_args!("<p class=\"warning\">{}</p>", escaped(reason)));
    }
    for statement in statements(&report.cases) {
        line(out, format_args!("<p class=\"case\">{}</p>", escaped(&statement)));
    }
}

fn problem(out: &mut String, report: &Report) {
    let Some(problem) = &report.problem else { return };
    line(out, format_args!("<div class=\"problem\"><strong>{}</strong>", escaped(problem.kind)));
    problem.messages.iter().for_each(|message| line(out, format_args!("<p>{}</p>", escaped(message))));
    out.push_str("</div>\n");
}

fn warnings(out: &mut String, report: &Report) {
    for warning in report.warnings.iter().chain(&report.notions.warnings) {
        line(out, format_args!("<p class=\"warning\">{}</p>", escaped(warning)));
    }
}

fn initial(out: &mut String, initial: Option<&InitialReport>) {
    let Some(initial) = initial else { return };
    line(out, format_args!("<h2>Initial values</h2>\n<p class=\"small\">Consistent at t = {}.</p>", initial.t0));
    let folded = initial.states.len() > LISTED;
    if folded {
        line(out, format_args!("<details><summary>Values of {} states</summary>", initial.states.len()));
    }
    out.push_str(
        "<div class=\"scroll\"><table class=\"list narrow\">\n<tr><th>state</th><th>value</th><th></th></tr>\n",
    );
    for state in &initial.states {
        line(
            out,
            format_args!(
                "<tr><td>{}</td><td>{}</td><td class=\"note\">{}</td></tr>",
                inline(&in_markup(&state.name, Markup::MathMl)),
                escaped(&state.value.to_string()),
                if state.start == "free" { "" } else { state.start }
            ),
        );
    }
    out.push_str("</table></div>\n");
    if folded {
        out.push_str("</details>\n");
    }
    let sentences: Vec<(String, String)> =
        initial.sentences().into_iter().map(|(what, sentence)| (what.to_string(), sentence)).collect();
    list(out, &sentences);
}

fn index_concepts(out: &mut String, report: &Report) {
    let facts = facts(report);
    if facts.is_empty() {
        return;
    }
    out.push_str("<h2>Index</h2>\n");
    list(out, &facts);
}

fn certificate(out: &mut String, report: &Report) {
    let Some(certificate) = &report.certificate else { return };
    out.push_str("<h2>Certificate</h2>\n");
    line(out, format_args!("<p>{}</p>", escaped(&certificate.statement)));
    // The text has a line for the verdict, after the heading `array`, one for each number of differentiations, and one
    // about the points.
    let array = certificate.array.as_ref().map(|array| {
        let text = array.to_string();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let joined = lines.join("; ");
        ("derivative array", joined.strip_prefix("array").unwrap_or(&joined).trim().to_string())
    });
    let sentences = certificate.sentences().into_iter().chain(array);
    let sentences: Vec<(String, String)> = sentences.map(|(what, sentence)| (what.to_string(), sentence)).collect();
    list(out, &sentences);
}

fn forms(out: &mut String, report: &Report) {
    if report.forms.is_empty() {
        return;
    }
    out.push_str("<h2>Forms</h2>\n");
    let sentence = |reason: &Option<String>| reason.clone().unwrap_or_else(|| "available".into());
    let forms: Vec<(String, String)> =
        report.forms.iter().map(|form| (form.name.to_string(), sentence(&form.unavailable))).collect();
    list(out, &forms);
    let sentences = report.recommendation.iter().flat_map(|it| it.sentences());
    let sentences: Vec<(String, String)> = sentences.map(|(what, sentence)| (what.to_string(), sentence)).collect();
    list(out, &sentences);
}

fn list(out: &mut String, items: &[(String, String)]) {
    if items.is_empty() {
        return;
    }
    out.push_str("<dl>\n");
    for (what, sentence) in items {
        line(out, format_args!("<dt>{}</dt><dd>{}</dd>", escaped(what), escaped(sentence)));
    }
    out.push_str("</dl>\n");
}
