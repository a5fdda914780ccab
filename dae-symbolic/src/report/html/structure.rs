//! The structure: signature matrix with offsets, and the block-triangular form.

use super::super::document::Document;
use super::super::mathematics::number;
use super::super::picture::block_triangular;
use super::super::{OffsetsReport, Report};
use super::elements::{inline, line};
use crate::expr::escaped;
use crate::structure::Structure;

/// Signature matrices with more columns than this are not shown as tables.
const MAX_COLUMNS: usize = 40;

pub(super) fn structure(out: &mut String, report: &Report, document: &Document) {
    let (Some(structure), Some(offsets)) = (&document.structure, &report.offsets) else { return };
    out.push_str("<h2>Structure</h2>\n<div class=\"pair\">\n");
    if document.symbols.len() <= MAX_COLUMNS {
        signature(out, report, document, structure, offsets);
    }
    blocks(out, report, document, structure);
    out.push_str("</div>\n");
}

fn signature(out: &mut String, report: &Report, document: &Document, structure: &Structure, offsets: &OffsetsReport) {
    out.push_str("<div>\n<h3>Signature matrix with offsets</h3>\n<div class=\"scroll\"><table class=\"signature\">\n");
    let header: Vec<String> = document.symbols.iter().map(|symbol| format!("<th>{}</th>", inline(symbol))).collect();
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
        line(
            out,
            format_args!(
                "<tr><th>({})</th>{}<td class=\"offset\">{offset}</td></tr>",
                escaped(number(&report.equation_names[i])),
                cells.concat()
            ),
        );
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
    if let Some(picture) = block_triangular(structure, &document.signature, report) {
        line(out, format_args!("<div class=\"scroll\">{picture}</div>"));
        out.push_str(
            "<p class=\"small\">Blocks are solved one after the other, from the top; what stands left of a block is known by \
             then.</p>\n",
        );
    }
    out.push_str("</div>\n");
}
