//! Texts as tokens, and models as statements.
//!
//! In: any text. Out: its pieces, which, joined, are the text again. A piece is a number, a word, a stretch of white
//! space, a line comment, or any other single character. Statements are found without the parser, so that texts with
//! errors have them, too.

use std::ops::Range;

/// The pieces of a text.
pub(crate) fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (piece, behind) = rest.split_at(length(rest, first));
        found.push(piece);
        rest = behind;
    }
    found
}

fn length(rest: &str, first: char) -> usize {
    let until = |is_in: fn(char) -> bool| rest.find(|c| !is_in(c)).unwrap_or(rest.len());
    match first {
        '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
        c if c.is_whitespace() => until(char::is_whitespace),
        c if c.is_ascii_digit() => number(rest.as_bytes()),
        c if is_word(c) => until(is_word),
        c => c.len_utf8(),
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the number that begins the text: all of `0.5` and `1e-3`, but of `0..3` only the zero.
fn number(text: &[u8]) -> usize {
    let at = |k: usize| text.get(k).copied().unwrap_or(b' ');
    let mut end = 1;
    loop {
        let exponent = matches!(at(end - 1), b'e' | b'E') && matches!(at(end), b'-' | b'+');
        let fraction = at(end) == b'.' && at(end + 1).is_ascii_digit();
        if !(at(end).is_ascii_alphanumeric() || at(end) == b'_' || exponent || fraction) {
            return end;
        }
        end += 1;
    }
}

pub(crate) fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

pub(crate) fn is_number(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
}

fn is_space(token: &str) -> bool {
    token.starts_with(char::is_whitespace) || token.starts_with("//")
}

/// Words that open statements which are not treated as equations, even if they contain a `=`.
const DECLARATIONS: &[&str] = &[
    "var",
    "param",
    "const",
    "let",
    "input",
    "table",
    "extern",
    "start",
    "fn",
    "coordinates",
    "velocities",
    "states",
    "adjoints",
    "controls",
    "horizon",
    "pub",
    "struct",
];

/// A text taken apart into tokens, with its statements and the names that it declares.
pub(crate) struct Sketch {
    pub(crate) tokens: Vec<String>,
    /// The tokens of each statement that ends in `;`, without the `;`.
    pub(crate) statements: Vec<Range<usize>>,
    /// Names of scalar unknowns.
    pub(crate) unknowns: Vec<String>,
    /// Names of arrays of unknowns.
    pub(crate) arrays: Vec<String>,
    /// Names of scalar parameters and inputs.
    pub(crate) given: Vec<String>,
}

impl Sketch {
    pub(crate) fn of(text: &str) -> Sketch {
        let tokens: Vec<String> = tokens(text).into_iter().map(String::from).collect();
        let mut sketch =
            Sketch { statements: statements(&tokens), tokens, unknowns: vec![], arrays: vec![], given: vec![] };
        for k in 0..sketch.tokens.len() {
            let Some(name) = sketch.after(k) else { continue };
            let word = sketch.tokens[name].clone();
            let is_array = sketch.after(name).is_some_and(|next| sketch.tokens[next] == ":");
            match (sketch.tokens[k].as_str(), is_array) {
                ("var", false) => sketch.unknowns.push(word),
                ("var", true) => sketch.arrays.push(word),
                ("param" | "input", false) => sketch.given.push(word),
                _ => {}
            }
        }
        sketch
    }

    /// The place of the next token that is neither white space nor a comment; `None` if there is none.
    pub(crate) fn after(&self, place: usize) -> Option<usize> {
        (place + 1..self.tokens.len()).find(|&k| !is_space(&self.tokens[k]))
    }

    /// The place of the previous token that is neither white space nor a comment; `None` if there is none.
    pub(crate) fn before(&self, place: usize) -> Option<usize> {
        (0..place).rev().find(|&k| !is_space(&self.tokens[k]))
    }

    /// Whether the next token that is neither white space nor a comment is `sign`.
    pub(crate) fn is_before(&self, place: usize, sign: &str) -> bool {
        self.after(place).is_some_and(|k| self.tokens[k] == sign)
    }

    /// The first word or sign of a statement behind its attributes, `#[…]`.
    fn opening(&self, statement: &Range<usize>) -> &str {
        let mut depth = 0_usize;
        let mut is_in_attribute = |token: &&String| {
            match token.as_str() {
                "[" => depth += 1,
                "]" => depth = depth.saturating_sub(1),
                token => return depth > 0 || token == "#" || is_space(token),
            }
            true
        };
        self.tokens[statement.clone()].iter().find(|token| !is_in_attribute(token)).map_or("", String::as_str)
    }

    /// The statements with a `=` that do not open with one of `DECLARATIONS`, each with the place of its first `=`.
    pub(crate) fn equations(&self) -> Vec<(Range<usize>, usize)> {
        let equations = self.statements.iter().filter(|s| !DECLARATIONS.contains(&self.opening(s)));
        equations.filter_map(|s| s.clone().find(|&k| self.tokens[k] == "=").map(|k| (s.clone(), k))).collect()
    }

    /// The statements that open with `word`.
    pub(crate) fn declarations(&self, word: &str) -> Vec<Range<usize>> {
        self.statements.iter().filter(|s| self.opening(s) == word).cloned().collect()
    }

    pub(crate) fn text_of(&self, range: Range<usize>) -> String {
        self.tokens[range].concat()
    }

    /// The places of names and numbers in an equation that stand for scalars.
    pub(crate) fn atoms(&self, equation: &Range<usize>) -> Vec<usize> {
        let mut depth = 0;
        let mut found = Vec::new();
        for k in equation.clone() {
            match self.tokens[k].as_str() {
                "[" => depth += 1,
                "]" => depth -= 1,
                _ => {}
            }
            let token = &self.tokens[k];
            let is_scalar = self.unknowns.contains(token) || self.given.contains(token) || is_number(token);
            let in_call = self.before(k).is_some_and(|before| matches!(self.tokens[before].as_str(), "." | ","));
            // Exponents of `powi`, orders of `der` and bounds of ranges have to stay integers; for their sake, whatever
            // follows a comma is left out.
            let exponent =
                is_number(token) && self.is_before(k, ")") && self.before(k).is_some_and(|b| self.tokens[b] == "(");
            let bound = is_number(token) && self.is_before(k, ".") || in_call;
            if depth == 0 && is_scalar && !exponent && !bound {
                found.push(k);
            }
        }
        found
    }

    /// The text with one token replaced.
    pub(crate) fn with(&self, place: usize, piece: String) -> String {
        let mut tokens = self.tokens.clone();
        tokens[place] = piece;
        tokens.concat()
    }

    /// The text with a range of tokens replaced.
    pub(crate) fn with_range(&self, range: Range<usize>, text: &str) -> String {
        [&self.tokens[..range.start].concat(), text, &self.tokens[range.end..].concat()].concat()
    }
}

/// The ranges from behind a `{`, `;` or `}`, or from the beginning, to the next `;`. Semicolons in brackets, and the
/// braces of conditionals and functions with all that they enclose, do not count.
fn statements(tokens: &[String]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut begin, mut depth, mut in_expression) = (0, 0_usize, false);
    for (k, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "if" | "fn" => in_expression = true,
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "{" if in_expression => depth += 1,
            "}" if depth > 0 => depth -= 1,
            ";" if depth == 0 => {
                found.push(begin..k);
                (begin, in_expression) = (k + 1, false);
            }
            "{" | "}" => (begin, depth, in_expression) = (k + 1, 0, false),
            _ => {}
        }
        // The body of a function is not followed by `;`.
        if token == "}" && depth == 0 && in_expression && tokens[begin..k].iter().any(|t| t == "fn") {
            (begin, in_expression) = (k + 1, false);
        }
    }
    found
}
