//! Literals.
//!
//! In: the text of a literal. Out: the exact number it denotes, or the diagnostic that says what is wrong with it.

use crate::diagnostic::{Code, Diagnostic};
use crate::expr::Rational;
use crate::origin::Origin;

/// The number a literal denotes, if it is an exact decimal one.
pub(in crate::syntax) fn number(text: &str, at: Origin) -> Result<Rational, Diagnostic> {
    let invalid = |message: String, help: &str| {
        Err(Diagnostic::error(Code::InvalidNumber, message).label(at, "not allowed here").help(help))
    };
    if !text.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
        return invalid(format!("{} is not a number", kind_of_literal(text)), "write a decimal number");
    }
    if text.starts_with("0x") || text.starts_with("0b") || text.starts_with("0o") {
        return invalid(format!("`{text}` is not a decimal number"), "write it in decimal digits");
    }
    let negative = text.starts_with('-');
    let (number, suffix) = text.trim_start_matches('-').split_at_checked(end_of_number(text)).unwrap_or((text, ""));
    if !matches!(suffix, "" | "f64") {
        let help = "literals are exact numbers: remove the suffix, or write `*` if a product is meant";
        return invalid(format!("the suffix `{suffix}` is not part of the language"), help);
    }
    // Short integers, which most literals are, need no big integers.
    let short = number.parse::<i64>().ok().map(Rational::from);
    match short.or_else(|| Rational::from_decimal(number)) {
        Some(value) if negative => Ok(value.neg()),
        Some(value) => Ok(value),
        None => invalid(format!("`{text}` is outside the range of `f64`"), "choose other units"),
    }
}

/// Length of the number at the start of a literal, without sign: the rest is its suffix.
fn end_of_number(text: &str) -> usize {
    let text = text.trim_start_matches('-');
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit() && c != '_' && c != '.').unwrap_or(text.len());
    let mantissa = digits(text);
    let rest = &text[mantissa..];
    if !rest.starts_with(['e', 'E']) {
        return mantissa;
    }
    let sign = usize::from(rest[1..].starts_with(['+', '-']));
    mantissa + 1 + sign + digits(&rest[1 + sign..])
}

fn kind_of_literal(text: &str) -> String {
    let text: String = text.chars().take(30).collect();
    let kind = if text.contains('"') { "the string" } else { "the character" };
    format!("{kind} `{text}`")
}
