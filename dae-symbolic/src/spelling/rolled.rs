//! Texts with numbers that depend on loop indices.
//!
//! In: the texts at the points of a box of indices. Out: one text, whose numbers are affine functions of the indices.

use super::indices::spell;
use crate::program::affine::{Affine, Range};

/// A text whose numbers depend on loop indices.
#[derive(Clone, Debug, PartialEq)]
pub struct Rolled {
    /// The texts between the numbers, one more than the numbers.
    pub parts: Vec<String>,
    /// The numbers.
    pub numbers: Vec<Affine>,
}

impl Rolled {
    /// The text with its numbers spelled by `number`.
    pub fn filled(&self, number: impl Fn(&Affine) -> String) -> String {
        let mut text = String::new();
        for (k, part) in self.parts.iter().enumerate() {
            text.push_str(part);
            text.extend(self.numbers.get(k).map(&number));
        }
        text
    }

    /// The text for readers: `q[i - 1]`, `mu_(i + 1)`.
    pub fn text(&self, indices: &[String]) -> String {
        let (mut text, mut depth) = (String::new(), 0);
        for (k, part) in self.parts.iter().enumerate() {
            text.push_str(part);
            depth += part.matches('[').count() as i64 - part.matches(']').count() as i64;
            let Some(number) = self.numbers.get(k).map(|number| spell(number, indices)) else { continue };
            // Brackets delimit an index; outside them the number is part of a name, a factor or an exponent, and a sum
            // gets parentheses.
            let apart = depth == 0 && number.contains(' ');
            text.push_str(&if apart { format!("({number})") } else { number });
        }
        // In `[i = 3]` the number is the value of the loop variable `i`: rolled, `[i = i]` says no more than `[i]`.
        indices.iter().fold(text, |text, index| text.replace(&format!("{index} = {index}"), index))
    }
}

/// The texts between the numbers of a text, and these numbers. Decimals are text, and so are digits after a leading
/// zero together with it.
pub fn split_numbers(text: &str) -> (Vec<String>, Vec<i64>) {
    let mut parts = vec![String::new()];
    let mut numbers = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let end = rest[at..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |length| at + length);
        let last = parts.len() - 1;
        parts[last].push_str(&rest[..at]);
        let digits = &rest[at..end];
        let decimals = text[..text.len() - rest.len() + at].ends_with('.');
        // Only digits that a number reproduces count as a number, and decimals do not.
        match digits.parse::<i64>().ok().filter(|number| number.to_string() == digits && !decimals) {
            Some(number) => {
                numbers.push(number);
                parts.push(String::new());
            }
            None => parts[last].push_str(digits),
        }
        rest = &rest[end..];
    }
    let last = parts.len() - 1;
    parts[last].push_str(rest);
    (parts, numbers)
}

/// One text for all points of the box of a class, if the texts at `place` differ only in numbers that are affine in the
/// indices.
pub fn generalised<'a>(text: impl Fn(usize) -> Option<&'a str>, place: &Affine, domain: &[Range]) -> Option<Rolled> {
    let start: Vec<i64> = domain.iter().map(|range| range.start).collect();
    let at = |indices: &[i64]| Some(split_numbers(text(usize::try_from(place.at(indices)).ok()?)?));
    let (parts, first) = at(&start)?;
    let mut numbers: Vec<Affine> = first.iter().map(|&base| Affine { base, strides: vec![0; domain.len()] }).collect();
    for k in 0..domain.len() {
        let mut next = start.clone();
        next[k] += 1;
        let (found, second) = at(&next)?;
        if found != parts {
            return None;
        }
        for (number, (a, b)) in numbers.iter_mut().zip(first.iter().zip(&second)) {
            number.strides[k] = b - a;
            number.base -= (b - a) * domain[k].start;
        }
    }
    // The instances of a class differ in affine functions only: if the first, its neighbour along each index, and the
    // last agree, all do.
    let last: Vec<i64> = domain.iter().map(|range| range.end - 1).collect();
    let (found, values) = at(&last)?;
    let holds = found == parts && values.iter().zip(&numbers).all(|(&value, number)| value == number.at(&last));
    holds.then_some(Rolled { parts, numbers })
}
