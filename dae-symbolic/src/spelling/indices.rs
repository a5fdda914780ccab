//! Loop indices, affine functions of them, and their ranges.
//!
//! In: affine functions and boxes of indices. Out: `i - 1`, `for i in 2..=19, j = 3`.

use crate::program::affine::{Affine, Range};

/// `i`, `j`, `k`, `i4`, …: the loop indices, outermost first.
pub fn index_names(count: usize) -> Vec<String> {
    let name = |k: usize| ["i", "j", "k"].get(k).map_or_else(|| format!("i{}", k + 1), |name| name.to_string());
    (0..count).map(name).collect()
}

/// An affine integer, valid in Rust as well; negative terms come last, so that unsigned arithmetic does not underflow.
pub fn spell(affine: &Affine, indices: &[String]) -> String {
    let mut text = String::new();
    let mut add = |sign: &str, term: String| {
        match (text.is_empty(), sign) {
            (true, "-") => text.push('-'),
            (true, _) => {}
            (false, sign) => text.push_str(&format!(" {sign} ")),
        }
        text.push_str(&term);
    };
    let term = |stride: i64, index: &String| match stride.abs() {
        1 => index.clone(),
        stride => format!("{stride} * {index}"),
    };
    let strides = || affine.strides.iter().copied().zip(indices);
    strides().filter(|&(stride, _)| stride > 0).for_each(|(stride, index)| add("+", term(stride, index)));
    let moves = strides().any(|(stride, _)| stride != 0);
    if affine.base > 0 || (affine.base == 0 && !moves) {
        add("+", affine.base.to_string());
    }
    strides().filter(|&(stride, _)| stride < 0).for_each(|(stride, index)| add("-", term(stride, index)));
    if affine.base < 0 {
        add("-", affine.base.abs().to_string());
    }
    text
}

/// `for i in 2..=19, j = 3`: the values of the loop indices for which a text stands; empty if there are no indices.
/// Ranges are spelled like Rust's inclusive ones, so that it is clear that the last value belongs to them.
pub fn ranges(domain: &[Range], indices: &[String]) -> String {
    let range = |(range, index): (&Range, &String)| match range.end - range.start {
        1 => format!("{index} = {}", range.start),
        _ => format!("{index} in {}..={}", range.start, range.end - 1),
    };
    let list: Vec<String> = domain.iter().zip(indices).map(range).collect();
    if list.is_empty() { String::new() } else { format!("for {}", list.join(", ")) }
}
