//! A report as a LaTeX article.
//!
//! In: a [`Report`] and the mathematics of its model. Out: a text that `pdflatex` compiles: what is known about the
//! index, the system, combined equations, the signature matrix with offsets, the derivation of the hidden constraints,
//! the formulations, initial values, and the evidence.

use std::fmt::Write;

use super::Report;
use super::chains::{Derivation, DerivationStep};
use super::document::{Document, Named, Replaced};
use super::facts::facts;
use super::formulations::Formulated;
use super::mathematics::{Numbered, number as number_of};
use crate::spelling::latex::{aligned, number, text};
use crate::spelling::names::{Markup, in_markup};

/// The largest number of states that are listed.
const LISTED: usize = 40;
/// Signature matrices with more columns than this do not fit on a page.
const MAX_COLUMNS: usize = 18;

pub(super) fn article(report: &Report, document: &Document) -> String {
    let mut out = String::new();
    let name = text(report.name.as_deref().unwrap_or("Model"));
    // Writing to a `String` cannot fail.
    let _ = write!(
        out,
        "\\documentclass[a4paper,11pt]{{article}}\n\\usepackage[T1]{{fontenc}}\n\\usepackage[utf8]{{inputenc}}\n\
         \\usepackage{{amsmath,amssymb}}\n\\usepackage[margin=25mm]{{geometry}}\n\\allowdisplaybreaks\n\
         \\setcounter{{MaxMatrixCols}}{{{}}}\n\n\\title{{{name}}}\n\\author{{}}\n\\date{{}}\n\n\\begin{{document}}\n\\maketitle\n",
        MAX_COLUMNS + 4
    );
    for line in &document.docs {
        let _ = writeln!(out, "{}", text(line.trim()));
    }
    statement(&mut out, report);
    system(&mut out, document);
    rewrites(&mut out, document);
    signature(&mut out, report, document);
    if !document.derivations.is_empty() {
        out.push_str("\n\\section*{Hidden constraints}\n");
        document.derivations.iter().for_each(|d| derivation(&mut out, d));
    }
    formulations(&mut out, report, document);
    initial(&mut out, report);
    certificate(&mut out, report);
    out.push_str("\n\\end{document}\n");
    out
}

fn statement(out: &mut String, report: &Report) {
    out.push_str("\n\\section*{Index}\n\\begin{description}\n");
    for (what, answer) in facts(report) {
        let _ = writeln!(out, "\\item[{}] {}", text(&what), text(&answer));
    }
    out.push_str("\\end{description}\n");
}

fn numbered(out: &mut String, equations: &[Numbered]) {
    out.push_str("\\begin{align}\n");
    for (k, Numbered { mathematics, number, range }) in equations.iter().enumerate() {
        let end = if k + 1 < equations.len() { " \\\\" } else { "" };
        let tag = format!("\\tag{{{}}}", text(number));
        let range = if range.is_empty() { String::new() } else { format!("\\qquad \\text{{{}}}", text(range)) };
        let lines = aligned(mathematics).join(" \\notag \\\\\n  &\\quad ");
        let _ = writeln!(out, "  {lines}{range} {tag}{end}");
    }
    out.push_str("\\end{align}\n");
}

/// The rows of each form, and the invariants that it implies but does not enforce.
fn formulations(out: &mut String, report: &Report, document: &Document) {
    if document.formulations.is_empty() {
        return;
    }
    out.push_str("\n\\section*{Formulations}\n");
    description(out, report.recommendation.iter().flat_map(|it| it.sentences()));
    for Formulated { name, sentence, rows, implied } in &document.formulations {
        let _ = writeln!(out, "\n\\subsection*{{{}}}\n{}", text(name), text(sentence));
        numbered(out, rows);
        if !implied.is_empty() {
            out.push_str("Implied, and not enforced:\n");
            numbered(out, implied);
        }
    }
}

fn system(out: &mut String, document: &Document) {
    out.push_str("\n\\section*{System}\n");
    numbered(out, &document.equations);
    if !document.definitions.is_empty() {
        let list: Vec<String> = document
            .definitions
            .iter()
            .map(|[name, value, range]| format!("${name} = {value}$ {}", text(range)))
            .collect();
        let list: Vec<&str> = list.iter().map(|item| item.trim_end()).collect();
        let _ = writeln!(out, "with {}.\n", list.join(", "));
    }
    let list = |named: &[Named]| -> Vec<String> {
        let item = |n: &Named| match &n.value {
            Some(value) => format!("${} = {value}$", n.symbol),
            None => format!("${}$", n.symbol),
        };
        named.iter().map(item).collect()
    };
    if !document.parameters.is_empty() {
        let _ = writeln!(out, "Parameters: {}.\n", list(&document.parameters).join(", "));
    }
    let symbol = |n: &Named| format!("${}$ {}", n.symbol, text(&n.range)).trim_end().to_string();
    let unknowns: Vec<String> = document.unknowns.iter().map(symbol).collect();
    let _ = writeln!(out, "Unknowns: {}.", unknowns.join(", "));
}

fn signature(out: &mut String, report: &Report, document: &Document) {
    let (Some(structure), Some(offsets)) = (&document.structure, &report.offsets) else { return };
    let n = document.symbols.len();
    out.push_str("\n\\section*{Signature matrix and offsets}\n");
    if n > MAX_COLUMNS {
        let list = |values: &[u32]| values.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let _ = writeln!(out, "$c = ({})$, $d = ({})$.", list(&offsets.equations), list(&offsets.unknowns));
        return;
    }
    let _ = writeln!(out, "\\[\n\\begin{{array}}{{r|{}|c}}", "c".repeat(n));
    let header: Vec<&str> = document.symbols.iter().map(String::as_str).collect();
    let _ = writeln!(out, "  & {} & c_i \\\\ \\hline", header.join(" & "));
    for (i, row) in document.signature.iter().enumerate() {
        let cell = |(j, sigma): (usize, &Option<u32>)| match sigma {
            None => String::new(),
            Some(sigma) if structure.transversal.unknown_of(i) == j => format!("\\boxed{{{sigma}}}"),
            Some(sigma) => sigma.to_string(),
        };
        let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
        let _ = writeln!(
            out,
            "  \\text{{({})}} & {} & {} \\\\",
            text(number_of(&report.equation_names[i])),
            cells.join(" & "),
            offsets.equations[i]
        );
    }
    let d: Vec<String> = offsets.unknowns.iter().map(u32::to_string).collect();
    let _ = writeln!(out, "  \\hline d_j & {} &\n\\end{{array}}\n\\]", d.join(" & "));
    out.push_str(
        "Entries are the orders of the highest derivatives; boxes mark a transversal of highest value. Equation $i$ is \
         differentiated $c_i$ times, after which unknown $j$ occurs up to order $d_j$.\n",
    );
}

/// The equations that were replaced by combinations, before and after.
fn rewrites(out: &mut String, document: &Document) {
    if document.rewrites.is_empty() {
        return;
    }
    out.push_str("\n\\section*{Combined equations}\nLeading parts of the text cancel in these combinations.\n");
    for Replaced { equation, terms, before, after, nonzero } in &document.rewrites {
        let _ = writeln!(out, "\n\\paragraph{{Equation ({})}}", text(equation));
        display(out, "", before);
        let term = |(coefficient, equation, order): &(Option<String>, String, u32)| {
            let operator = match order {
                0 => String::new(),
                1 => "\\frac{\\mathrm{d}}{\\mathrm{d}t}".into(),
                n => format!("\\frac{{\\mathrm{{d}}^{n}}}{{\\mathrm{{d}}t^{n}}}"),
            };
            let factor = coefficient.as_ref().map_or_else(String::new, |q| format!("\\left({q}\\right)"));
            format!("{factor}{operator}\\text{{({})}}", text(equation))
        };
        let combination: Vec<String> = terms.iter().map(term).collect();
        display(out, "was replaced by", &combination.join(" + "));
        display(out, "which says", after);
        if let Some(nonzero) = nonzero {
            display(out, "provided", &format!("{nonzero} \\neq 0"));
        }
    }
}

fn derivation(out: &mut String, Derivation { of, start, steps, range }: &Derivation) {
    let range = if range.is_empty() { String::new() } else { format!(" {}", text(range)) };
    let _ = writeln!(out, "\n\\paragraph{{From {}{range}}}", text(of));
    display(out, "", start);
    for DerivationStep { derivative, using, constraint } in steps {
        let by = if using.is_empty() { String::new() } else { format!(" by {}", text(using)) };
        match derivative {
            Some(derivative) => {
                display(out, "Differentiated:", derivative);
                display(out, &format!("which is{by}"), constraint);
            }
            None => display(out, &format!("Differentiated{by}:"), constraint),
        }
    }
}

fn display(out: &mut String, words: &str, equation: &str) {
    let lines = aligned(equation).join(" \\\\\n  &\\quad ");
    let _ = writeln!(out, "{words}\n\\begin{{align*}}\n  {lines}\n\\end{{align*}}");
}

fn initial(out: &mut String, report: &Report) {
    let Some(initial) = &report.initial_values else { return };
    let _ = writeln!(out, "\n\\section*{{Initial values}}\nConsistent at $t = {}$:", initial.t0);
    let value = |s: &super::StateReport| format!("${} = {}$", in_markup(&s.name, Markup::Latex), number(s.value));
    let mut states: Vec<String> = initial.states.iter().take(LISTED).map(value).collect();
    if let Some(more) = initial.states.len().checked_sub(LISTED).filter(|&more| more > 0) {
        states.push(format!("and {more} more"));
    }
    let _ = writeln!(out, "{}.", states.join(", "));
    description(out, initial.sentences());
}

fn certificate(out: &mut String, report: &Report) {
    let Some(certificate) = &report.certificate else { return };
    let _ = writeln!(out, "\n\\section*{{Certificate}}\n{}", text(&certificate.statement));
    description(out, certificate.sentences());
}

/// Sentences under headings; nothing if there are none, since LaTeX does not allow a list without items.
fn description<'a>(out: &mut String, items: impl IntoIterator<Item = (&'a str, String)>) {
    let mut items = items.into_iter().peekable();
    if items.peek().is_none() {
        return;
    }
    out.push_str("\\begin{description}\n");
    for (what, sentence) in items {
        let _ = writeln!(out, "\\item[{}] {}", text(what), text(&sentence));
    }
    out.push_str("\\end{description}\n");
}
