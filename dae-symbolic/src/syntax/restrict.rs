//! Every "not allowed here" of the language.
//!
//! In: what the user wrote where the language has something else. Out: the diagnostic that says so and what to write
//! instead. Parser and lowering ask these functions, so that the limits of the language are in one place.

use super::ast::StatementKind;
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::Rational;
use crate::origin::Origin;

/// Where ranges may stand.
const RANGES: &str = "ranges stand in `for i in 0..N { … }` and `sum(i in 0..N => …)`";

/// Words that open a statement of the language.
pub(super) const STATEMENT_WORDS: [&str; 7] = ["param", "const", "input", "fn", "let", "var", "start"];

/// Words that cannot be names: Rust's keywords, those reserved for it, and those of the model language.
const KEYWORDS: [&str; 52] = [
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "false", "fn",
    "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "Self",
    "static", "struct", "super", "trait", "true", "type", "unsafe", "use", "where", "while", "abstract", "become",
    "box", "do", "final", "gen", "macro", "override", "priv", "try", "typeof", "unsized", "virtual", "yield",
];

/// Keywords that lead a path.
pub(super) const PATH_WORDS: [&str; 4] = ["crate", "self", "super", "Self"];

/// Whether `word` is a keyword of Rust or reserved for one.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Why `name` cannot be declared, if it cannot.
pub(super) fn name(name: &str, at: Origin) -> Option<Diagnostic> {
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
pub(super) fn infix(operator: &str, at: Origin) -> Option<Diagnostic> {
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
pub(super) fn prefix(operator: &str, at: Origin) -> Option<Diagnostic> {
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
pub(super) fn operand_word(word: &str, at: Origin) -> Option<Diagnostic> {
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
pub(super) fn statement_word(word: &str, at: Origin) -> Option<Diagnostic> {
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
        "equation" | "initial" => ("equations stand in the model itself", "write `left = right;`"),
        _ => return None,
    };
    Some(Diagnostic::error(Code::UnsupportedConstruct, what).label(at, "not allowed here").help(help))
}

/// Whether a statement can be repeated by a `for`.
pub(super) fn inside_for(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Equation(_) | StatementKind::Definition(_) | StatementKind::Start(_) | StatementKind::For(_) => {
            true
        }
        StatementKind::Constant(_)
        | StatementKind::Parameter(_)
        | StatementKind::Input(_)
        | StatementKind::Supplied(_)
        | StatementKind::Table(_)
        | StatementKind::External(_)
        | StatementKind::Function(_)
        | StatementKind::Derived(_)
        | StatementKind::Variable(_) => false,
    }
}

/// A declaration inside a `for`.
pub(super) fn not_inside_for(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, "a `for` holds equations, `let`, `start` and other `for`s")
        .label(at, "not allowed in a `for`")
        .help("declare an array before the `for`: `var q: [f64; N];`")
}

/// A `let` of a function with the type of an array.
pub(crate) fn array_in_function(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, "inside of a function a `let` is a number, or an array without type")
        .label(at, "not allowed here")
        .help("write a list without type, or use `sum(i in 0..N => …)`")
}

/// More indices than an array can have.
pub(super) fn dimensions(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, "an array has one or two indices")
        .label(at, "too many indices")
        .help("write `[f64; N]` or `[[f64; M]; N]`")
}

/// A `for` over something that is no range.
pub(super) fn no_range(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnexpectedToken, "a `for` runs over a range of integers")
        .label(at, "expected a range")
        .help("write `for i in 0..N { … }`")
}

/// A block where an operand should be.
pub(super) fn block(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, "blocks are not part of the language")
        .label(at, "not allowed here")
        .help("name a sub-expression with a `let` statement of its own, or group with parentheses")
}

/// `extern fn f(x) { … }`
pub(super) fn external_body(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, "a function outside the model has a path, not a body")
        .label(at, "not allowed here")
        .help("write `extern fn name(argument) = path, der(argument) = path;`, or drop `extern`")
}

/// `if` without `else`
pub(super) fn without_else(at: Origin) -> Diagnostic {
    Diagnostic::error(
        Code::UnsupportedConstruct,
        "an `if` without `else` has no value where its condition does not hold",
    )
    .label(at, "expected `else { … }` after this")
    .help("write `if condition { … } else { … }`")
}

/// `if a == b`
pub(super) fn equality(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedOperator, "real quantities are equal at isolated moments only")
        .label(at, "not a comparison of the language")
        .help("compare with `<`, `<=`, `>` or `>=`")
}

/// `if condition { left = right; }`
pub(super) fn statement_in_case(at: Origin) -> Diagnostic {
    Diagnostic::error(
        Code::UnsupportedConstruct,
        "the branches of an `if` are expressions, not equations or statements",
    )
    .label(at, "not allowed here")
    .help("write one equation with the `if` in it: `left = if condition { a } else { b };`")
}

/// `a < b < c`
pub(super) fn chained_comparison(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedOperator, "comparisons cannot be chained")
        .label(at, "second comparison")
        .help("write `a < b && b < c`")
}

/// A condition where a number should be.
pub(super) fn no_number(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::MisplacedCondition, "this is a condition, and a number is needed here")
        .label(at, "not a number")
        .help("conditions stand between `if` and `{`: `if condition { 1 } else { 0 }` is a number")
}

/// A number where a condition should be; `negated` is the whole of a `!` and its operand.
pub(super) fn no_condition(at: Origin, negated: Option<Origin>) -> Diagnostic {
    let finding = Diagnostic::error(Code::MisplacedCondition, "this is a number, and a condition is needed here")
        .label(at, "not a condition");
    match negated {
        Some(_) => finding.help("`!` binds tighter than a comparison: write `!(a < b)`"),
        None => finding.help("compare it: `<`, `<=`, `>`, `>=`, joined with `&&`, `||` and `!`"),
    }
}

/// `a as f64`
pub(super) fn cast(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, "numbers are real: there is nothing to cast")
        .label(at, "not allowed here")
        .help("remove `as` and the type")
}

/// `a.b` without parentheses
pub(super) fn field(name: &str, at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, format!("`.{name}` reads a field, and numbers have none"))
        .label(at, "not allowed here")
        .help(format!("for a function write `.{name}()`; for an element of an array `[index]`"))
}

/// `name!(…)`
pub(super) fn macro_call(name: &str, at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, format!("the macro `{name}!` cannot be called in a model"))
        .label(at, "not allowed here")
        .help(format!("declare `fn {name}(…) {{ … }}` in the model and call it without `!`"))
}

/// A path that is none of the accepted ones.
pub(super) fn path(path: &str, at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, format!("a model cannot see `{path}`"))
        .label(at, "not known here")
        .note("of paths, `std::f64::consts::PI`, `std::f64::consts::E` and functions like `f64::sin` are known")
        .help("declare what it stands for in the model: `const`, `param` or `fn`")
}

/// A type other than `f64`.
pub(super) fn type_annotation(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, "everything in a model is an `f64` or an array of them")
        .label(at, "not a type of the language")
        .help("write `: f64` or nothing, and `: [f64; N]` or `: [[f64; M]; N]` for an array")
}

/// The number a literal denotes, if it is an exact decimal one.
pub(super) fn number(text: &str, at: Origin) -> Result<Rational, Diagnostic> {
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
        let help = "literals are exact numbers: remove the suffix";
        return invalid(format!("the suffix `{suffix}` is not part of the language"), help);
    }
    // Short integers, most of all literals, need no big numbers.
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
        "floor" | "ceil" | "round" | "trunc" | "fract" | "rem_euclid" | "clamp" => {
            "it jumps at countless places: write the model with `if condition { … } else { … }`"
        }
        "to_radians" => "multiply with `PI / 180`",
        "to_degrees" => "multiply with `180 / PI`",
        "ddt" | "diff" | "dt" | "d" | "derivative" => "use `der(x)`",
        _ => return None,
    })
}

/// Where an expression stands, which decides what it may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Constant,
    Parameter,
    Input,
    StartValue,
    Horizon,
    Nominal,
    Order,
    Extent,
    FunctionBody,
    Definition,
    Equation,
}

/// What an expression may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Use {
    Constant,
    Parameter,
    Time,
    External,
    Input,
    Definition,
    Unknown,
}

impl Place {
    /// Whether an expression in this place may use such a thing.
    pub(crate) fn allows(self, what: Use) -> bool {
        match what {
            Use::Constant => true,
            Use::Parameter => !matches!(self, Place::Constant | Place::Nominal | Place::Order | Place::Extent),
            Use::Time | Use::External => {
                matches!(self, Place::Input | Place::FunctionBody | Place::Definition | Place::Equation)
            }
            Use::Input => matches!(self, Place::FunctionBody | Place::Definition | Place::Equation),
            Use::Definition | Use::Unknown => matches!(self, Place::Definition | Place::Equation),
        }
    }

    fn rule(self) -> &'static str {
        match self {
            Place::Constant => "the value of a constant may use numbers and earlier constants",
            Place::Parameter => "the default of a parameter may use constants and earlier parameters",
            Place::Input => {
                "the definition of an input may use `t`, constants, parameters, tables and external functions"
            }
            Place::StartValue => "a start value may use constants and parameters",
            Place::Horizon => "the ends of the horizon may use constants and parameters",
            Place::Nominal => "a nominal value may use numbers and constants",
            Place::Order => "the order of a derivative is an integer",
            Place::Extent => "sizes, ranges and indices may use numbers, constants and loop variables",
            Place::FunctionBody => "a function may use its arguments, `t`, constants, parameters and inputs",
            Place::Definition | Place::Equation => "an equation may use everything the model declares",
        }
    }
}

/// Something used in a place whose expressions may not use it.
pub(crate) fn misplaced(what: Use, name: &str, place: Place, at: Origin) -> Diagnostic {
    let what = match what {
        Use::Constant => "the constant ",
        Use::Parameter => "the parameter ",
        Use::Time => "the time ",
        Use::External => "the table or external function ",
        Use::Input => "the input ",
        Use::Definition => "the sub-expression ",
        Use::Unknown => "the unknown ",
    };
    let finding = Diagnostic::error(Code::NotAllowedHere, format!("{what}`{name}` cannot be used here"))
        .label(at, "not allowed here")
        .note(place.rule());
    match place {
        Place::FunctionBody => finding.help(format!("make `{name}` an argument of the function")),
        Place::Extent => finding.help("declare it with `const`"),
        _ => finding,
    }
}
