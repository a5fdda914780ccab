//! Changes of bytes, tokens and statements without regard to the language; most of the results only reach the parser.

use super::words::WORDS;
use crate::draw::Draw;
use crate::tokens::tokens;

/// A byte is inserted or removed, or one of its bits flipped; or some bytes are repeated elsewhere; or the text ends
/// early.
pub(super) fn bytes(draw: &mut Draw, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let place = draw.below(bytes.len() + 1);
    match draw.below(5) {
        0 => bytes.truncate(place),
        1 => bytes.insert(place, draw.next() as u8),
        2 if place < bytes.len() => bytes[place] ^= 1 << draw.below(8),
        3 if place < bytes.len() => drop(bytes.remove(place)),
        _ => {
            let end = (place + draw.below(20)).min(bytes.len());
            let copy = bytes[place..end].to_vec();
            let to = draw.below(bytes.len() + 1);
            bytes.splice(to..to, copy);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A statement, here anything up to a `;`, is removed, repeated or exchanged with another, or one is inserted from
/// another text.
pub(super) fn statements(draw: &mut Draw, text: &str, other: &str) -> String {
    let mut statements: Vec<String> = text.split_inclusive(';').map(String::from).collect();
    let (i, j) = (draw.below(statements.len()), draw.below(statements.len()));
    match draw.below(5) {
        0 if !statements.is_empty() => drop(statements.remove(i)),
        1 if !statements.is_empty() => statements.insert(j, statements[i].clone()),
        2 if !statements.is_empty() => statements.swap(i, j),
        _ => {
            let others: Vec<&str> = other.split_inclusive(';').collect();
            statements.insert(i, draw.choose(&others).copied().unwrap_or(";").to_string());
        }
    }
    statements.concat()
}

/// A token is removed, repeated elsewhere, exchanged with another, replaced by another or by one of `WORDS`, or nested
/// in brackets; or one of `WORDS` or some tokens of another text are inserted.
pub(super) fn pieces(draw: &mut Draw, text: &str, other: &str) -> String {
    let mut list: Vec<String> = tokens(text).into_iter().map(String::from).collect();
    if list.is_empty() {
        return draw.pick(&WORDS).to_string();
    }
    let (i, j) = (draw.below(list.len()), draw.below(list.len()));
    match draw.below(9) {
        0 => drop(list.remove(i)),
        1 => list.insert(i, list[j].clone()),
        2 => list.swap(i, j),
        3 | 4 => list[i] = draw.pick(&WORDS).to_string(),
        5 => list.insert(i, format!(" {} ", draw.pick(&WORDS))),
        6 => list[i] = list[j].clone(),
        7 => {
            let others = tokens(other);
            let from = draw.below(others.len());
            let count = 1 + draw.below(12);
            list.insert(i, others.iter().skip(from).take(count).copied().collect());
        }
        _ => {
            let count = [2, 5, 30, 300, 3000][draw.below(5).min(draw.below(5))];
            let brackets = [("(", ")"), ("-", ""), ("sin(", ")"), ("1+(", ")"), ("{", "}"), ("[", "]")];
            let (open, close) = draw.pick(&brackets);
            list[i] = format!("{}{}{}", open.repeat(count), list[i], close.repeat(count));
        }
    }
    list.concat()
}
