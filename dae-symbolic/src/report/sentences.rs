//! Sentences folded into lines, and nouns with their numbers.
//!
//! In: a heading and a sentence. Out: lines of readable length.

/// Sentences are folded at this width.
const WIDTH: usize = 110;

/// A heading and a sentence, folded between words, with further lines indented to the beginning of the sentence.
pub(super) fn folded(heading: &str, sentence: &str) -> String {
    let indent = heading.chars().count();
    let (mut text, mut column) = (heading.to_string(), indent);
    for (k, word) in sentence.split(' ').enumerate() {
        let length = word.chars().count();
        if k > 0 && column + 1 + length > WIDTH {
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if k > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
    text
}

/// `1 equation`, `2 equations`.
pub(super) fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}
