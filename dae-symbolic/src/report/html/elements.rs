//! Lines of a page, and the mathematics in them.
//!
//! In: MathML of an expression. Out: the element that shows it, on a line of its own or within a line of text.

use std::fmt::Write;

/// Adds a line; writing to a `String` cannot fail.
pub(super) fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{text}");
}

/// The length of markup, in bytes, up to which an equation is taken to fit on one line.
const LINE: usize = 1_600;

/// Displayed mathematics. Browsers do not break formulas, so long sums are cut into pieces between which the line may
/// break.
pub(super) fn display(mathematics: &str) -> String {
    let whole = |part: &str| format!("<math displaystyle=\"true\"><mrow>{part}</mrow></math>");
    if mathematics.len() <= LINE {
        return whole(mathematics);
    }
    let pieces: Vec<String> = summands(mathematics).into_iter().map(whole).collect();
    format!("<div class=\"long\">{}</div>", pieces.join(" "))
}

/// The markup, cut before infix signs that are not within another element.
fn summands(mathematics: &str) -> Vec<&str> {
    const SIGN: &str = "<mo form=\"infix\">";
    let (mut pieces, mut from, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, _) in mathematics.match_indices('<') {
        let tag = &mathematics[at..];
        if tag.starts_with("</") {
            depth = depth.saturating_sub(1);
            continue;
        }
        if depth == 0 && tag.starts_with(SIGN) && at > from {
            pieces.push(&mathematics[from..at]);
            from = at;
        }
        depth += 1;
    }
    pieces.push(&mathematics[from..]);
    pieces
}

/// Mathematics within a line.
pub(super) fn inline(mathematics: &str) -> String {
    format!("<math><mrow>{mathematics}</mrow></math>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_cut_before_their_outer_signs() {
        let sum = "<mi>a</mi><mo form=\"infix\">+</mo><mrow><mi>b</mi><mo form=\"infix\">−</mo><mi>c</mi></mrow><mo form=\"infix\">−</mo><mi>d</mi>";
        let pieces = summands(sum);
        assert_eq!(pieces.concat(), sum);
        assert_eq!(pieces.len(), 3);
        assert!(pieces[1].ends_with("</mrow>"));
    }
}
