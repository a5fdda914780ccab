//! Words and operators that the language does not have, or keeps for itself.
//!
//! In: a word or an operator as it is written. Out: the diagnostic that says what to write instead.

use crate::diagnostic::{Code, Diagnostic};
use crate::origin::Origin;

/// Where ranges may stand.
const RANGES: &str = "ranges stand in `for i in 0..N { … }` and `sum(i in 0..N => …)`";

/// Words that open a statement of the language.
pub(in crate::syntax) const STATEMENT_WORDS: [&str; 9] =
    ["param", "const", "input", "fn", "let", "var", "discrete", "start", "when"];

/// Rust's keywords and the words reserved for future ones, which cannot be names.
const KEYWORDS: [&str; 52] = [
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "false", "fn",
    "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "Self",
    "static", "struct", "super", "trait", "true", "type", "unsafe", "use", "where", "while", "abstract", "become",
    "box", "do", "final", "gen", "macro", "override", "priv", "try", "typeof", "unsized", "virtual", "yield",
];

/// Keywords that lead a path.
pub(in crate::syntax) const PATH_WORDS: [&str; 4] = ["crate", "self", "super", "Self"];

/// Whether `word` is a keyword of Rust or reserved for a future one.
pub(in crate::syntax) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Why `name` cannot be declared; `None` if it can.
pub(in crate::syntax) fn name(name: &str, at: Origin) -> Option<Diagnostic> {
    let (why, help) = match name {
        "t" => ("`t` is the time", "choose another name"),
        "der" => ("`der` is the time derivative", "choose another name"),
        "PI" | "E" => ("it is a constant of the language", "choose another name"),
        "_" => ("everything declared in a model needs a name", "give it a name"),
        word if STATEMENT_WORDS.contains(&word) => ("it opens a statement of the language", "choose another name"),
        word if is_keyword(word) => ("it is a keyword of Rust", "choose another name"),
        word if word.starts_with("r#") => {
            ("names are plain identifiers", "drop `r#` and choose a name that is no keyword")
        }
        _ => return None,
    };
    let message = format!("`{name}` cannot be declared: {why}");
    Some(Diagnostic::error(Code::ReservedName, message).label(at, "reserved").help(help))
}

/// An operator between two operands that the language does not have.
pub(in crate::syntax) fn infix(operator: &str, at: Origin) -> Option<Diagnostic> {
    let (what, help) = match operator {
        "^" | "**" => (
            format!("`{operator}` is not exponentiation in Rust"),
            "use `x.powi(2)` for integer exponents, `x.powf(e)` for others",
        ),
        "%" => ("the remainder `%` is not part of the language".to_string(), "it jumps; write the model without it"),
        "==" => ("an equation is written with a single `=`".to_string(), "write `left = right;`"),
        "!=" => (
            "the comparison `!=` is not part of the language".to_string(),
            "it holds nearly everywhere; compare with `<` or `>`",
        ),
        "&" | "|" | "<<" | ">>" => {
            (format!("`{operator}` works on bits, which models do not have"), "join conditions with `&&` and `||`")
        }
        "+=" | "-=" | "*=" | "/=" | "%=" | "^=" | "|=" | "&=" | "<<=" | ">>=" => {
            (format!("`{operator}` assigns; a model consists of equations"), "write `left = right;`")
        }
        ".." | "..=" | "..." => ("a range is no value".to_string(), RANGES),
        "'" => ("a derivative is not written with a prime".to_string(), "write `der(x)` for x'"),
        "?" => ("`?` is not part of the language".to_string(), "remove it"),
        _ => return None,
    };
    Some(Diagnostic::error(Code::UnsupportedOperator, what).label(at, "not allowed here").help(help))
}

/// An operator before an operand that the language does not have.
pub(in crate::syntax) fn prefix(operator: &str, at: Origin) -> Option<Diagnostic> {
    let (what, help) = match operator {
        "+" => ("Rust has no unary `+`", "remove it"),
        "&" | "&&" => ("references are not part of the language", "write the value itself"),
        "*" | "**" => ("dereferencing is not part of the language", "write the value itself"),
        "|" | "||" => (
            "a closure gives the elements of an array by index, and stands right after `=` or `~` of a declaration",
            "declare `fn name(argument) { value }`, or write `let name: [f64; N] = |i| value;`",
        ),
        ".." | "..=" => ("a range needs its first number", "write `0..N`"),
        _ => return None,
    };
    Some(Diagnostic::error(Code::UnsupportedOperator, what).label(at, "not allowed here").help(help))
}

/// A keyword where an operand should be.
pub(in crate::syntax) fn operand_word(word: &str, at: Origin) -> Option<Diagnostic> {
    let (what, help) = match word {
        "match" => ("`match` is not part of the language".to_string(), "write `if condition { … } else { … }`"),
        "else" => ("there is no `if` before this `else`".to_string(), "write `if condition { … } else { … }`"),
        "for" => {
            ("`for` is a statement, and this is an expression".to_string(), "for a sum write `sum(i in 0..N => …)`")
        }
        "while" | "loop" => (
            format!("`{word}` loops are not part of the language"),
            "for families of equations write `for i in 0..N { … }`",
        ),
        "true" | "false" => (format!("`{word}` is a truth value; a model is made of numbers"), "write a number"),
        "unsafe" | "async" | "move" | "return" | "break" | "continue" => {
            (format!("`{word}` is not part of the language"), "write an expression")
        }
        _ => return None,
    };
    Some(Diagnostic::error(Code::UnsupportedConstruct, what).label(at, "not allowed here").help(help))
}

/// A word that opens a statement of Rust, or of other modelling languages, that this language does not have.
pub(in crate::syntax) fn statement_word(word: &str, at: Origin) -> Option<Diagnostic> {
    let (what, help) = match word {
        "while" | "loop" | "match" => return operand_word(word, at),
        "extern" => (
            "functions of the crate around the model are declared one by one",
            "write `extern fn name(argument) = path;`",
        ),
        "use" | "mod" => {
            ("a model sees nothing of the crate around it", "declare a `param`, `const` or `fn` in the model")
        }
        "struct" | "enum" | "trait" | "impl" | "type" | "union" => {
            ("a model cannot contain items", "write one `dae!` per model")
        }
        "static" => ("`static` is not part of the language", "use `const`"),
        "pub" => ("what a model declares is public with the model", "remove `pub`"),
        "parameter" => ("parameters are declared with `param`", "write `param name = value;`"),
        "variable" | "unknown" => ("unknowns are declared with `var`", "write `var name ~ value;`"),
        "constant" => ("constants are declared with `const`", "write `const NAME = value;`"),
        "equation" => ("equations stand in the model itself", "write `left = right;`"),
        "initial" => ("equations for the start stand in a block", "write `initial { left = right; }`"),
        _ => return None,
    };
    Some(Diagnostic::error(Code::UnsupportedConstruct, what).label(at, "not allowed here").help(help))
}

/// What to write instead of a function that does not exist, where the wish is clear.
pub(crate) fn missing_function(name: &str) -> Option<&'static str> {
    Some(match name {
        "pow" | "power" => "use `x.powi(2)` for integer exponents, `x.powf(e)` for others",
        "log" => "use `ln`, `log10` or `log2`",
        "sqr" | "square" => "use `x.powi(2)`",
        "sign" => "use `signum`",
        "arcsin" => "use `asin`",
        "arccos" => "use `acos`",
        "arctan" => "use `atan`, or `atan2(y, x)`",
        "expm1" => "use `exp_m1`",
        "log1p" => "use `ln_1p`",
        "cot" | "sec" | "csc" => "write it with `tan`, `cos` or `sin`",
        "recip" => "write `1 / x`",
        "mul_add" => "write `a * b + c`",
        "sum" => "write `sum(i in 0..N => …)`",
        "product" => "write the factors out",
        "round" => "use `floor(x + 0.5)`",
        "trunc" | "fract" => "use `floor` or `rem_euclid`",
        "clamp" => "use `min` and `max`",
        "rem" | "modulo" => "use `rem_euclid(x, y)`",
        "to_radians" => "multiply with `PI / 180`",
        "to_degrees" => "multiply with `180 / PI`",
        "previous" | "last" => {
            "in a `when`, use `pre(n)`: at a sample, `n = pre(n) + 1;` counts on from the one before"
        }
        "edge" | "change" => "a `when` happens as its condition becomes true",
        "ddt" | "diff" | "dt" | "d" | "derivative" => "use `der(x)`",
        _ => return None,
    })
}
