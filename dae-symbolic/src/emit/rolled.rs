//! Quantities and texts that depend on loop indices, as Rust.
//!
//! In: affine functions of loop indices, rolled texts, the code of the body of a loop. Out: numbers
//! (`(2.0 * i as f64 + 1.0) / 3.0`), identifiers (`q_i_minus_1`), names (`Owned(::std::format!("q[{}]", i))`), loops.

use crate::program::affine::{Affine, AffineNumber, Range};
use crate::spelling::indices::{index_names, spell};
use crate::spelling::rolled::Rolled;

use super::names::identifier;

/// An affine number as Rust; numerator and denominator are computed exactly, so that only the division rounds, as in
/// [`AffineNumber::at`]. Except in a plain index, `i as f64`, coefficients and denominators of 1 and summands of 0 are
/// spelled out: for another size of the family, other numbers may stand there.
pub(super) fn spell_number(number: &AffineNumber, indices: &[String]) -> String {
    let AffineNumber { numerator: Affine { base, strides }, denominator } = number;
    let mut text = String::new();
    for (&stride, index) in strides.iter().zip(indices).filter(|&(&stride, _)| stride != 0) {
        if (stride, *base, *denominator, strides.len()) == (1, 0, 1, 1) {
            return format!("{index} as f64");
        }
        match text.is_empty() {
            true => text.push_str(&format!("{:?} * {index} as f64", stride as f64)),
            false => {
                text.push_str(&format!(" {} {:?} * {index} as f64", sign(stride), stride.unsigned_abs() as f64));
            }
        }
    }
    format!("({text} {} {:?}) / {:?}", sign(*base), base.unsigned_abs() as f64, *denominator as f64)
}

fn sign(value: i64) -> &'static str {
    if value < 0 { "-" } else { "+" }
}

/// The code inside loops over `domain`, indented by one more level for each.
pub(super) fn in_loops(domain: &[Range], code: &str, indent: &str) -> String {
    let mut text = String::new();
    for (k, (range, index)) in domain.iter().zip(index_names(domain.len())).enumerate() {
        text.push_str(&format!("{indent}{}for {index} in {}..{} {{\n", "    ".repeat(k), range.start, range.end));
    }
    for line in code.lines() {
        text.push_str(&"    ".repeat(domain.len()));
        text.push_str(line);
        text.push('\n');
    }
    for k in (0..domain.len()).rev() {
        text.push_str(&format!("{indent}{}}}\n", "    ".repeat(k)));
    }
    text
}

/// A rolled text as an identifier: `q_i_minus_1`.
pub(super) fn word(rolled: &Rolled, indices: &[String]) -> String {
    let text = rolled.text(indices).replace(" + ", "_plus_").replace(" - ", "_minus_");
    let word = identifier(&text);
    let mut parts: Vec<&str> = word.split('_').filter(|part| !part.is_empty()).collect();
    if word.starts_with('_') {
        parts.insert(0, "");
    }
    let word = parts.join("_");
    if word.starts_with(char::is_uppercase) { word + "_" } else { word }
}

/// A rolled text as a Rust expression of the runtime's type `Name`.
pub(super) fn name(rolled: &Rolled, indices: &[String]) -> String {
    let fixed = |number: &Affine| number.is_fixed();
    if rolled.numbers.iter().all(fixed) {
        return format!("Borrowed({:?})", rolled.filled(|number| number.base.to_string()));
    }
    let escaped: Vec<String> = rolled.parts.iter().map(|p| p.replace('{', "{{").replace('}', "}}")).collect();
    let pattern = Rolled { parts: escaped, numbers: rolled.numbers.clone() };
    let pattern = pattern.filled(|n| if fixed(n) { n.base.to_string() } else { "{}".into() });
    let values: Vec<String> = rolled.numbers.iter().filter(|n| !fixed(n)).map(|n| spell(n, indices)).collect();
    format!("Owned(::std::format!({pattern:?}, {}))", values.join(", "))
}
