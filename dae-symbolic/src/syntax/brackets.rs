//! Brackets without a counterpart.
//!
//! In: a text that is not made of tokens. Out: the bracket without a counterpart, if that is the reason, and its place.

use proc_macro2::{Span, TokenStream};

struct Open {
    bracket: char,
    at: usize,
    /// Blanks before the first character of its line.
    indent: usize,
}

/// The first bracket without a counterpart; `None` if there is none or a comment does not end. If brackets stay open at
/// the end, and one was closed at the start of a line that is indented less than the line that opened it, then that one
/// is taken to lack its counterpart, otherwise the last one left open.
pub(super) fn lonely(text: &str) -> Option<(char, Span)> {
    let characters: Vec<char> = text.chars().collect();
    let (mut open, mut doubtful): (Vec<Open>, Option<(char, usize)>) = (Vec::new(), None);
    let mut k = 0;
    let mut indent = indent_at(&characters, 0);
    while let Some(&c) = characters.get(k) {
        let next = characters.get(k + 1);
        match c {
            '\n' => indent = indent_at(&characters, k + 1),
            '/' if next == Some(&'/') => k = end_of_line(&characters, k) - 1,
            '/' if next == Some(&'*') => k = end_of_comment(&characters, k)?,
            '(' | '[' | '{' => open.push(Open { bracket: c, at: k, indent }),
            ')' | ']' | '}' => {
                let counterpart = match c {
                    ')' => '(',
                    ']' => '[',
                    _ => '{',
                };
                match open.pop() {
                    Some(last) if last.bracket == counterpart => {
                        let starts_line = characters[..k].iter().rev().take_while(|&&c| c != '\n').all(|c| *c == ' ');
                        if starts_line && indent < last.indent && doubtful.is_none() {
                            doubtful = Some((last.bracket, last.at));
                        }
                    }
                    // It closes an outer one: the inner one is not closed.
                    Some(last) if open.iter().any(|outer| outer.bracket == counterpart) => {
                        return Some((last.bracket, span(&characters, last.at)?));
                    }
                    Some(_) | None => return Some((c, span(&characters, k)?)),
                }
            }
            _ => {}
        }
        k += 1;
    }
    let last = open.pop()?;
    let (bracket, at) = doubtful.unwrap_or((last.bracket, last.at));
    Some((bracket, span(&characters, at)?))
}

fn indent_at(characters: &[char], line: usize) -> usize {
    characters[line..].iter().take_while(|c| **c == ' ').count()
}

fn end_of_line(characters: &[char], from: usize) -> usize {
    characters[from..].iter().position(|c| *c == '\n').map_or(characters.len(), |length| from + length)
}

/// The last character of a comment; `None` if it does not end.
fn end_of_comment(characters: &[char], from: usize) -> Option<usize> {
    characters[from + 2..].windows(2).position(|pair| pair == ['*', '/']).map(|length| from + length + 3)
}

/// The span of one character: that of a token that stands alone in its place.
fn span(characters: &[char], at: usize) -> Option<Span> {
    let blank = |(k, c): (usize, &char)| match *c {
        '\n' => '\n',
        _ if k == at => ';',
        _ => ' ',
    };
    let alone: String = characters.iter().enumerate().map(blank).collect();
    let tokens: TokenStream = alone.parse().ok()?;
    Some(tokens.into_iter().next()?.span())
}
