//! Literal text and numbers in LaTeX, and equations in lines that fit on a page.
//!
//! In: text and numbers as they are, equations in LaTeX. Out: LaTeX that prints them literally, and lines of readable
//! length.

use std::fmt::Write;

/// An equation aligned at its `=`, in lines that fit on a page: broken before a sign outside all brackets.
pub(crate) fn aligned(equation: &str) -> Vec<String> {
    /// Characters on a line, roughly.
    const LINE: usize = 78;
    let mut lines = vec![String::new()];
    let (mut depth, mut width) = (0_i32, 0);
    let mut rest = equation;
    while let Some(c) = rest.chars().next() {
        let sign = rest.starts_with(" + ") || rest.starts_with(" - ");
        if sign && depth == 0 && width > LINE / 2 {
            // The next term may be long: break early rather than late.
            let term = &rest[3..];
            if width + visible(term) > LINE {
                lines.push(String::new());
                width = 0;
            }
        }
        let (piece, tail) = rest.split_at(token(rest, c));
        (depth, width) = after(piece, depth, width);
        if let Some(line) = lines.last_mut() {
            line.push_str(piece);
        }
        rest = tail;
    }
    if let Some(first) = lines.first_mut() {
        *first = first.replacen(" = ", " &= ", 1);
    }
    lines.iter().map(|line| line.trim().to_string()).collect()
}

/// The depth of brackets and the number of visible characters after one more command or character.
fn after(piece: &str, depth: i32, width: usize) -> (i32, usize) {
    match piece {
        "{" | "\\left" => (depth + 1, width),
        "}" | "\\right" => (depth - 1, width),
        " " => (depth, width),
        _ => (depth, width + 1),
    }
}

/// The length, in bytes, of the command or character at the beginning.
fn token(rest: &str, first: char) -> usize {
    match first {
        '\\' => 1 + rest[1..].chars().take_while(char::is_ascii_alphabetic).count(),
        c => c.len_utf8(),
    }
}

/// The number of visible characters up to the next sign outside all brackets; a command counts as one.
fn visible(term: &str) -> usize {
    let (mut depth, mut width, mut rest) = (0_i32, 0, term);
    while let Some(c) = rest.chars().next() {
        if depth == 0 && (rest.starts_with(" + ") || rest.starts_with(" - ")) {
            break;
        }
        let (piece, tail) = rest.split_at(token(rest, c));
        (depth, width) = after(piece, depth, width);
        rest = tail;
    }
    width
}

/// A number in scientific notation with at most six decimals.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.6e}");
    match text.split_once('e') {
        Some((mantissa, "0")) => mantissa.trim_end_matches('0').trim_end_matches('.').to_string(),
        Some((mantissa, exponent)) => {
            format!("{}\\cdot 10^{{{exponent}}}", mantissa.trim_end_matches('0').trim_end_matches('.'))
        }
        None => text,
    }
}

/// Text escaped so that LaTeX prints it literally, including the mathematical characters of reports.
pub(crate) fn text(plain: &str) -> String {
    let mut out = String::with_capacity(plain.len());
    for c in plain.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '{' | '}' | '$' | '&' | '#' | '%' | '_' => {
                out.push('\\');
                out.push(c);
            }
            '^' => out.push_str("\\textasciicircum{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '<' | '>' | '|' | '=' | '+' => {
                let _ = write!(out, "${c}$");
            }
            '`' => out.push('\''),
            '·' => out.push_str("$\\cdot$"),
            '≠' => out.push_str("$\\neq$"),
            '≤' => out.push_str("$\\leq$"),
            '≥' => out.push_str("$\\geq$"),
            '…' => out.push_str("\\dots{}"),
            '²' => out.push_str("$^2$"),
            '³' => out.push_str("$^3$"),
            '⁰' => out.push_str("$^0$"),
            '¹' => out.push_str("$^1$"),
            '⁴'..='⁹' => {
                let _ = write!(out, "$^{}$", c as u32 - '⁰' as u32);
            }
            'δ' => out.push_str("$\\delta$"),
            'φ' => out.push_str("$\\varphi$"),
            'π' => out.push_str("$\\pi$"),
            c if c.is_ascii() || ('\u{a1}'..='\u{17f}').contains(&c) => out.push(c),
            // Characters that no font of a default installation has.
            _ => out.push('?'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_taken_literally() {
        assert_eq!(text("a_b & 50 % of `x²`"), "a\\_b \\& 50 \\% of 'x$^2$'");
        assert_eq!(text("漢"), "?");
    }

    #[test]
    fn long_equations_are_broken_outside_brackets() {
        let term = "\\frac{a + b}{c}\\,\\left(x - y\\right)";
        let lines = aligned(&format!("0 = {}", [term; 20].join(" + ")));
        assert!(lines.len() > 1 && lines[0].starts_with("0 &= "), "{lines:?}");
        for line in &lines {
            assert_eq!(line.matches('{').count(), line.matches('}').count(), "{line}");
            assert_eq!(line.matches("\\left").count(), line.matches("\\right").count(), "{line}");
        }
        assert_eq!(lines.iter().map(|line| line.matches("frac").count()).sum::<usize>(), 20);
        assert_eq!(aligned("x = y"), ["x &= y"]);
    }

    #[test]
    fn numbers_have_six_digits() {
        assert_eq!(number(0.5), "5\\cdot 10^{-1}");
        assert_eq!(number(-1.25), "-1.25");
        assert_eq!(number(0.0), "0");
    }
}
