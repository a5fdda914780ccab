//! A report as an HTML page.
//!
//! In: a [`Report`] and the mathematics of its model in MathML. Out: one file without scripts and without anything to be fetched, to be read in any browser
//! in light and dark: what is known about the index, the system, its signature matrix and block-triangular form, the derivation of the hidden
//! constraints, initial values, and what proves it all.

use std::fmt::Write;

use super::document::{Derivation, Document, Markup, Named, Step, spelled_name};
use super::picture::block_triangular;
use super::{InitialReport, OffsetsReport, Report, RewriteReport, facts};
use crate::expr::escaped;
use crate::structure::Structure;

const STYLE: &str = include_str!("page.css");
/// Signature matrices with more columns are not shown as tables.
const MAX_COLUMNS: usize = 40;

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
    rewrites(&mut out, report);
    derivations(&mut out, document);
    structure(&mut out, report, document);
    initial(&mut out, report.initial_values.as_ref());
    notions(&mut out, report);
    certificate(&mut out, report);
    forms(&mut out, report);
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

/// Writing to a `String` cannot fail.
fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{text}");
}

fn display(mathematics: &str) -> String {
    format!("<math displaystyle=\"true\"><mrow>{mathematics}</mrow></math>")
}

fn inline(mathematics: &str) -> String {
    format!("<math><mrow>{mathematics}</mrow></math>")
}

/// The numbers one looks for first.
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
    for case in &report.cases {
        line(out, format_args!("<p class=\"case\">{}</p>", escaped(&case.statement)));
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

fn system(out: &mut String, document: &Document) {
    if document.equations.is_empty() {
        return;
    }
    out.push_str("<h2>System</h2>\n<div class=\"scroll\"><table class=\"equations\">\n");
    for (k, equation) in document.equations.iter().enumerate() {
        line(out, format_args!("<tr><td>{}</td><td class=\"number\">({})</td></tr>", display(equation), k + 1));
    }
    out.push_str("</table></div>\n");
    for (name, value) in &document.definitions {
        line(out, format_args!("<p>with {}</p>", inline(&format!("{name}<mo>=</mo>{value}"))));
    }
    named(out, "Unknowns, with fixed start values (=) and guesses (≈)", &document.unknowns);
    named(out, "Parameters, with their defaults", &document.parameters);
}

fn named(out: &mut String, title: &str, list: &[Named]) {
    if list.is_empty() {
        return;
    }
    line(out, format_args!("<h3>{title}</h3>"));
    if list.iter().all(|n| n.docs.trim().is_empty()) {
        let items: Vec<String> = list.iter().map(|n| format!("<li>{}</li>", inline(&assignment(n)))).collect();
        line(out, format_args!("<ul class=\"flow\">{}</ul>", items.concat()));
        return;
    }
    out.push_str("<div class=\"scroll\"><table class=\"list\">\n");
    for named in list {
        let (assignment, docs) = (inline(&assignment(named)), escaped(named.docs.trim()));
        line(out, format_args!("<tr><td>{assignment}</td><td class=\"note\">{docs}</td></tr>"));
    }
    out.push_str("</table></div>\n");
}

/// `x = 1` for what is fixed, `x ≈ 1` for a guess, `x` for what is not given.
fn assignment(Named { symbol, value, relation, .. }: &Named) -> String {
    match value {
        Some(value) => format!("{symbol}<mo>{relation}</mo>{value}"),
        None => symbol.clone(),
    }
}

fn rewrites(out: &mut String, report: &Report) {
    if let Some(explanation) = &report.explanation {
        line(out, format_args!("<p class=\"warning\">{}</p>", escaped(explanation)));
    }
    if report.rewrites.is_empty() {
        return;
    }
    out.push_str("<h2>Combined equations</h2>\n");
    out.push_str("<p class=\"small\">Leading parts of the text cancel in these combinations, which replace one of its equations each.</p>\n");
    for RewriteReport { equation, combination, before, after, nonzero, .. } in &report.rewrites {
        let condition = nonzero.as_ref().map(|nonzero| ("provided".to_string(), format!("{nonzero} ≠ 0")));
        let items = [
            (format!("equation {equation}"), before.clone()),
            ("replaced by".to_string(), combination.clone()),
            ("which says".to_string(), after.clone()),
        ];
        let items: Vec<(String, String)> = items.into_iter().chain(condition).collect();
        list(out, &items);
    }
}

fn derivations(out: &mut String, document: &Document) {
    if document.derivations.is_empty() {
        return;
    }
    out.push_str("<h2>Hidden constraints</h2>\n<p class=\"small\">They follow from the text by differentiation, and every solution fulfils them.</p>\n");
    for Derivation { of, start, steps } in &document.derivations {
        line(out, format_args!("<h3>From {}</h3>\n<div class=\"chain scroll\">", escaped(of)));
        step(out, "", "", start);
        for Step { derivative, using, constraint } in steps {
            let numbers: Vec<String> = using.iter().map(|k| format!("({k})")).collect();
            let by = numbers.join(", ");
            let label = match (derivative, by.is_empty()) {
                (Some(_), true) => "simplified".to_string(),
                (Some(_), false) => format!("by {by}"),
                (None, true) => "differentiated".to_string(),
                (None, false) => format!("differentiated, by {by}"),
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

fn structure(out: &mut String, report: &Report, document: &Document) {
    let (Some(structure), Some(offsets)) = (&document.structure, &report.offsets) else { return };
    out.push_str("<h2>Structure</h2>\n<div class=\"pair\">\n");
    if document.unknowns.len() <= MAX_COLUMNS {
        signature(out, document, structure, offsets);
    }
    blocks(out, report, document, structure);
    out.push_str("</div>\n");
}

fn signature(out: &mut String, document: &Document, structure: &Structure, offsets: &OffsetsReport) {
    out.push_str("<div>\n<h3>Signature matrix with offsets</h3>\n<div class=\"scroll\"><table class=\"signature\">\n");
    let header: Vec<String> = document.unknowns.iter().map(|u| format!("<th>{}</th>", inline(&u.symbol))).collect();
    let (c, d) = (inline("<msub><mi>c</mi><mi>i</mi></msub>"), inline("<msub><mi>d</mi><mi>j</mi></msub>"));
    line(out, format_args!("<tr><th></th>{}<th class=\"corner\">{c}</th></tr>", header.concat()));
    for (i, row) in document.signature.iter().enumerate() {
        let cell = |(j, sigma): (usize, &Option<u32>)| match sigma {
            None => "<td></td>".to_string(),
            Some(order) if structure.transversal.unknown_of(i) == j => format!("<td class=\"own\">{order}</td>"),
            Some(order) if offsets.unknowns[j] != offsets.equations[i] + order => {
                format!("<td class=\"loose\">{order}</td>")
            }
            Some(order) => format!("<td>{order}</td>"),
        };
        let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
        let offset = offsets.equations[i];
        line(out, format_args!("<tr><th>({})</th>{}<td class=\"offset\">{offset}</td></tr>", i + 1, cells.concat()));
    }
    let cells: Vec<String> = offsets.unknowns.iter().map(|d| format!("<td class=\"offset\">{d}</td>")).collect();
    line(out, format_args!("<tr><th class=\"corner\">{d}</th>{}<td class=\"offset\"></td></tr>", cells.concat()));
    out.push_str(
        "</table></div>\n<p class=\"small\">Entries are the orders of the highest derivatives as written; framed is a transversal of \
         highest value, pale what the system Jacobian does not see. Equation i is differentiated c times, after which unknown j \
         occurs up to order d.</p>\n</div>\n",
    );
}

fn blocks(out: &mut String, report: &Report, document: &Document, structure: &Structure) {
    let largest = structure.blocks.iter().map(|b| b.equations.len()).max().unwrap_or(0);
    let count = match structure.blocks.len() {
        1 => "1 block".to_string(),
        n => format!("{n} blocks"),
    };
    line(out, format_args!("<div>\n<h3>Block-triangular form: {count}, the largest of size {largest}</h3>"));
    if let Some(picture) = block_triangular(structure, &document.signature, &report.unknowns) {
        line(out, format_args!("<div class=\"scroll\">{picture}</div>"));
        out.push_str(
            "<p class=\"small\">Blocks are solved one after the other, from the top; what stands left of a block is known by \
             then.</p>\n",
        );
    }
    out.push_str("</div>\n");
}

fn initial(out: &mut String, initial: Option<&InitialReport>) {
    let Some(initial) = initial else { return };
    line(out, format_args!("<h2>Initial values</h2>\n<p class=\"small\">Consistent at t = {}.</p>", initial.t0));
    out.push_str(
        "<div class=\"scroll\"><table class=\"list narrow\">\n<tr><th>state</th><th>value</th><th></th></tr>\n",
    );
    for state in &initial.states {
        line(
            out,
            format_args!(
                "<tr><td>{}</td><td>{}</td><td class=\"note\">{}</td></tr>",
                inline(&spelled_name(&state.name, Markup::MathMl)),
                escaped(&state.value.to_string()),
                if state.start == "free" { "" } else { state.start }
            ),
        );
    }
    out.push_str("</table></div>\n");
    let sentences: Vec<(String, String)> =
        initial.sentences().into_iter().map(|(what, sentence)| (what.to_string(), sentence)).collect();
    list(out, &sentences);
}

fn notions(out: &mut String, report: &Report) {
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
    // A line each: the verdict behind its heading, then ranks.
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
