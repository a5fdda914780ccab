//! Mutations of texts, of tokens and of bytes.
//!
//! In: texts and the number of an execution. Out: a text; the same for the same seed and number on every machine.

/// What the language is made of, and numbers and characters at its limits.
const WORDS: &[&str] = &[
    "struct",
    "pub",
    "param",
    "const",
    "input",
    "let",
    "fn",
    "var",
    "start",
    "der",
    "t",
    "PI",
    "E",
    "for",
    "in",
    "sum",
    "if",
    "else",
    "lagrangian",
    "optimal_control",
    "extern",
    "event",
    "when",
    "alias",
    "#[nominal(1e-3)]",
    "///",
    "//!",
    "/*",
    "*/",
    "powi",
    "powf",
    "sqrt",
    "cbrt",
    "exp",
    "exp_m1",
    "ln",
    "ln_1p",
    "log10",
    "log2",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "hypot",
    "abs",
    "signum",
    "min",
    "max",
    "0",
    "1",
    "2",
    "-1",
    "0.5",
    "1e308",
    "1e-308",
    "1e400",
    "1e-400",
    "99999999999999999999999999",
    "0.1e99999999",
    "2147483648",
    "-2147483648",
    "4294967296",
    "64",
    "65",
    "1_000",
    "0x1f",
    "1u8",
    "1f64",
    "'a'",
    "\"s\"",
    "b\"x\"",
    "r#\"",
    "r#in",
    "==",
    "<",
    ">=",
    "..",
    "..=",
    "->",
    "=>",
    "::",
    "&&",
    "||",
    "!",
    "%",
    "^",
    "|",
    "&",
    "@",
    "~",
    "=",
    "+",
    "-",
    "*",
    "/",
    ".",
    ",",
    ";",
    ":",
    "?",
    "$",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "ä",
    "λ",
    "🦀",
    "\u{0}",
    "\u{feff}",
    "\u{202e}",
    "\\",
    "_",
    "self",
    "Self",
    "crate",
    "x",
    "y",
    "[f64; 3]",
    "[f64; 1000000]",
    "[0]",
    "[i + 1]",
    "[4294967295]",
    "der(x, 2)",
    "der(x, 64)",
    ".powi(2)",
    ".powi(-1)",
    ".powi(100)",
    ".powi(2147483647)",
    "1/0",
    "0 = 0;",
    "x = x;",
    "for i in 0..3 { ",
    "sum(i in 0..3 => x[i])",
];

/// Draws inputs.
pub(crate) struct Mutator {
    texts: Vec<String>,
    /// Those that are accepted.
    models: Vec<String>,
    seed: u64,
    state: u64,
}

/// Tokens and the white space between them; together they are the text again.
pub(crate) fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_whitespace() => 0,
        c if c.is_alphanumeric() || c == '_' => 1,
        _ => 2,
    };
    let mut found = Vec::new();
    let mut begin = 0;
    let mut last = None;
    for (place, c) in text.char_indices() {
        // Signs stand alone, words and white space as long as they go on.
        if last.is_some_and(|last| last == 2 || last != kind(c)) {
            found.push(&text[begin..place]);
            begin = place;
        }
        last = Some(kind(c));
    }
    if begin < text.len() {
        found.push(&text[begin..]);
    }
    found
}

impl Mutator {
    pub(crate) fn new(texts: &[String], is_model: impl Fn(&str) -> bool, seed: u64) -> Self {
        let models = texts.iter().filter(|text| is_model(text)).cloned().collect();
        Mutator { texts: texts.to_vec(), models, seed, state: 0 }
    }

    /// SplitMix64 (Steele, Lea & Flood, OOPSLA 2014).
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// Twice in three times a text that is a model: the others reach the parser alone.
    fn text(&mut self) -> String {
        match self.models.is_empty() || self.below(3) == 0 {
            true => {
                let chosen = self.below(self.texts.len());
                self.texts[chosen].clone()
            }
            false => {
                let chosen = self.below(self.models.len());
                self.models[chosen].clone()
            }
        }
    }

    /// The input of an execution.
    pub(crate) fn input(&mut self, number: u64) -> String {
        self.state = self.seed.wrapping_mul(0xd134_2543_de82_ef95) ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d);
        self.next();
        let mut text = self.text();
        // Few changes most of the time: many of them only ever reach the parser.
        let changes = 1 + [0, 0, 0, 0, 1, 1, 2, 7][self.below(8)];
        let kinds = self.below(4);
        for _ in 0..changes {
            text = match (kinds, self.below(8)) {
                (0 | 1, 0..4) => self.change_alike(&text),
                (0 | 1, 4..6) => self.change_statements(&text),
                (2, 0) => self.change_bytes(&text),
                (2, 1..3) => self.change_statements(&text),
                (3, 0..6) => self.change_bytes(&text),
                _ => self.change_tokens(&text),
            };
        }
        text
    }

    /// A token becomes another one of its kind, so that the text often stays a model.
    fn change_alike(&mut self, text: &str) -> String {
        const FUNCTIONS: &[&str] = &[
            "sin", "cos", "tan", "exp", "exp_m1", "ln", "ln_1p", "log10", "log2", "sqrt", "cbrt", "asin", "acos",
            "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "abs", "signum",
        ];
        const SIGNS: &[&str] = &["+", "-", "*", "/"];
        let mut list: Vec<String> = tokens(text).into_iter().map(String::from).collect();
        let is_name = |token: &String| token.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let names: Vec<usize> = (0..list.len()).filter(|&k| is_name(&list[k])).collect();
        // Within the expressions of the text, not its declarations.
        let begin = text.rfind("var ").map_or(0, |place| tokens(&text[..place]).len());
        let place = begin + self.below(list.len().saturating_sub(begin));
        let Some(token) = list.get(place).cloned() else { return text.to_string() };
        let other = if names.is_empty() { 0 } else { names[self.below(names.len())] };
        let replacement = match () {
            () if SIGNS.contains(&token.as_str()) => SIGNS[self.below(SIGNS.len())].to_string(),
            () if FUNCTIONS.contains(&token.as_str()) => FUNCTIONS[self.below(FUNCTIONS.len())].to_string(),
            () if token.starts_with(|c: char| c.is_ascii_digit()) => match self.below(5) {
                0 => "0".into(),
                1 => "1".into(),
                2 => self.below(20).to_string(),
                3 => format!("1e{}", self.below(40) as i64 - 20),
                _ => format!("{token}{}", self.below(10)),
            },
            () if is_name(&token) && token != "der" => match self.below(6) {
                0 => format!("der({token})"),
                1 => format!("{}({token})", FUNCTIONS[self.below(FUNCTIONS.len())]),
                2 => format!("(-{token})"),
                3 => format!("({token}*{token})"),
                _ => list[other].clone(),
            },
            () => token,
        };
        list[place] = replacement;
        list.concat()
    }

    fn change_bytes(&mut self, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        let place = self.below(bytes.len() + 1);
        match self.below(5) {
            0 => bytes.truncate(place),
            1 => bytes.insert(place, self.next() as u8),
            2 if place < bytes.len() => bytes[place] ^= 1 << self.below(8),
            3 if place < bytes.len() => drop(bytes.remove(place)),
            _ => {
                let end = (place + self.below(20)).min(bytes.len());
                let copy = bytes[place..end].to_vec();
                let to = self.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Statements are what ends in `;`: removed, repeated, exchanged, or taken from another text.
    fn change_statements(&mut self, text: &str) -> String {
        let mut statements: Vec<String> = text.split_inclusive(';').map(String::from).collect();
        let (i, j) = (self.below(statements.len()), self.below(statements.len()));
        match self.below(5) {
            0 if !statements.is_empty() => drop(statements.remove(i)),
            1 if !statements.is_empty() => statements.insert(j, statements[i].clone()),
            2 if !statements.is_empty() => statements.swap(i, j),
            _ => {
                let other = self.text();
                let others: Vec<&str> = other.split_inclusive(';').collect();
                let chosen = others.get(self.below(others.len())).copied().unwrap_or(";").to_string();
                statements.insert(i, chosen);
            }
        }
        statements.concat()
    }

    fn change_tokens(&mut self, text: &str) -> String {
        let mut list: Vec<String> = tokens(text).into_iter().map(String::from).collect();
        if list.is_empty() {
            return WORDS[self.below(WORDS.len())].to_string();
        }
        let (i, j) = (self.below(list.len()), self.below(list.len()));
        match self.below(10) {
            0 => drop(list.remove(i)),
            1 => list.insert(i, list[j].clone()),
            2 => list.swap(i, j),
            3 | 4 => list[i] = WORDS[self.below(WORDS.len())].to_string(),
            5 => list.insert(i, format!(" {} ", WORDS[self.below(WORDS.len())])),
            6 => list[i] = list[j].clone(),
            7 => {
                let other = self.text();
                let others = tokens(&other);
                let from = self.below(others.len());
                let count = 1 + self.below(12);
                list.insert(i, others.iter().skip(from).take(count).copied().collect());
            }
            8 => {
                // A number becomes another one.
                let numbers: Vec<usize> =
                    (0..list.len()).filter(|&k| list[k].starts_with(|c: char| c.is_ascii_digit())).collect();
                if let Some(&place) = numbers.get(self.below(numbers.len())) {
                    list[place] = match self.below(4) {
                        0 => "0".into(),
                        1 => self.below(100).to_string(),
                        2 => format!("1e{}", self.below(700) as i64 - 350),
                        _ => format!("{}{}", list[place], self.below(1000)),
                    };
                }
            }
            _ => {
                // Nesting and repetition, now and then deep.
                let count = [2, 5, 30, 300, 3000][self.below(5).min(self.below(5))];
                let (open, close) =
                    [("(", ")"), ("-", ""), ("sin(", ")"), ("1+(", ")"), ("{", "}"), ("[", "]")][self.below(6)];
                list[i] = format!("{}{}{}", open.repeat(count), list[i], close.repeat(count));
            }
        }
        list.concat()
    }
}
