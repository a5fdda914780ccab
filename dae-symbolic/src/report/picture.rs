//! The block-triangular form as a picture.
//!
//! In: the structure of a text. Out: inline SVG of its pattern, with rows and columns permuted so that blocks of
//! equations that are solved together stand on the diagonal, each after those it needs
//! ([`Structure::blocks`](crate::structure::Structure::blocks)). Colours come from the style sheet of the page.

use std::fmt::Write;

use super::Report;
use super::document::MAX_PATTERN;
use super::mathematics::number;
use crate::expr::escaped;
use crate::structure::Structure;

/// The largest number of unknowns for which rows and columns are labelled.
const NAMED: usize = 30;

/// The picture; `None` if the pattern is empty or too large.
pub(super) fn block_triangular(
    structure: &Structure,
    signature: &[Vec<Option<u32>>],
    report: &Report,
) -> Option<String> {
    let unknowns = &report.unknowns;
    let n = unknowns.len();
    if n == 0 || n > MAX_PATTERN {
        return None;
    }
    let named = n <= NAMED;
    let cell = if named { 26.0 } else { (640.0 / n as f64).max(3.5) };
    let longest = unknowns.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let numbers = report.equation_names.iter().map(|name| number(name).chars().count());
    let widest = numbers.max().unwrap_or(0).saturating_sub(2);
    let (left, top) = if named { (34.0 + 7.5 * widest as f64, 20.0 + 7.5 * longest as f64) } else { (4.0, 4.0) };
    let (width, height) = (left + cell * n as f64 + 4.0, top + cell * n as f64 + 4.0);
    let rows: Vec<usize> = structure.blocks.iter().flat_map(|b| b.equations.iter().copied()).collect();
    let columns: Vec<usize> = structure.blocks.iter().flat_map(|b| b.unknowns.iter().copied()).collect();
    let mut svg = format!(
        "<svg class=\"blocks\" viewBox=\"0 0 {width:.1} {height:.1}\" style=\"max-width:{width:.0}px\" role=\"img\" \
         aria-label=\"Block-triangular form\">"
    );
    let mut at = 0;
    for block in &structure.blocks {
        let size = block.equations.len();
        // Writing to a `String` cannot fail.
        let _ = write!(
            svg,
            "<rect class=\"block\" x=\"{:.1}\" y=\"{:.1}\" width=\"{side:.1}\" height=\"{side:.1}\" rx=\"{:.1}\"/>",
            left + cell * at as f64,
            top + cell * at as f64,
            (cell / 5.0).min(5.0),
            side = cell * size as f64,
        );
        at += size;
    }
    for (y, &i) in rows.iter().enumerate() {
        for (x, &j) in columns.iter().enumerate() {
            let Some(sigma) = signature[i][j] else { continue };
            let class = if structure.transversal.unknown_of(i) == j { "entry own" } else { "entry" };
            let (cx, cy) = (left + cell * (x as f64 + 0.5), top + cell * (y as f64 + 0.5));
            let radius = cell * if named { 0.3 } else { 0.36 };
            let _ = write!(svg, "<circle class=\"{class}\" cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"{radius:.1}\"/>");
            if named {
                let _ = write!(svg, "<text class=\"order\" x=\"{cx:.1}\" y=\"{:.1}\">{sigma}</text>", cy + 3.6);
            }
        }
    }
    if named {
        for (k, (&i, &j)) in rows.iter().zip(&columns).enumerate() {
            let middle = cell * (k as f64 + 0.5);
            let _ = write!(
                svg,
                "<text class=\"row\" x=\"{:.1}\" y=\"{:.1}\">({})</text>\
                 <text class=\"column\" transform=\"translate({:.1} {:.1}) rotate(-90)\">{}</text>",
                left - 6.0,
                top + middle + 4.0,
                escaped(number(&report.equation_names[i])),
                left + middle + 4.0,
                top - 6.0,
                escaped(&unknowns[j]),
            );
        }
    }
    svg.push_str("</svg>");
    Some(svg)
}
